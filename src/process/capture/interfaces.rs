//! The network interfaces, as the capture program lists them.

use super::{program, words};
use crate::printable::Lines;
use std::io::{self, Write};

/// An interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The value for `-i`.
    pub name: String,
    /// The description, which may be empty.
    pub about: String,
}

/// Returns all interfaces that can be captured.
///
/// # Errors
/// Fails if there is no capture program, or if it lists no interface.
pub fn all() -> anyhow::Result<Vec<Listed>> {
    let mut why = String::new();
    for program in program::all()? {
        let done = match program.listing().output() {
            Ok(done) => done,
            Err(error) => {
                why = format!("{}: {error}", program.path.display());
                continue;
            }
        };
        let list: Vec<Listed> = String::from_utf8_lossy(&done.stdout).lines().filter_map(parse).collect();
        if done.status.success() && !list.is_empty() {
            return Ok(list);
        }
        let stderr = words::reason(&String::from_utf8_lossy(&done.stderr), &program);
        why = format!("{} lists none{}{stderr}", program.name(), if stderr.is_empty() { "" } else { ": " });
    }
    anyhow::bail!("no interfaces: {why}")
}

/// Reads a line: `3. lo (Loopback)` of dumpcap, `3.lo [Up, Running]` of tcpdump.
fn parse(line: &str) -> Option<Listed> {
    let (number, rest) = line.split_once('.')?;
    number.trim().parse::<u32>().ok()?;
    let rest = rest.trim();
    let name = rest.split_whitespace().next()?;
    let about = rest[name.len()..].trim().trim_end_matches("[none]").trim();
    // A single pair of brackets adds nothing.
    let inner = about.strip_prefix('(').and_then(|inner| inner.strip_suffix(')'));
    let inner = inner.or_else(|| about.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')));
    let about = inner.filter(|inner| !inner.contains([')', ']'])).unwrap_or(about);
    Some(Listed { name: name.into(), about: about.into() })
}

/// Prints the interfaces, for `-D`.
///
/// # Errors
/// Fails like [`all`].
pub fn print() -> anyhow::Result<u8> {
    let list = all()?;
    let longest = list.iter().map(|each| each.name.chars().count()).max().unwrap_or(0).min(40);
    let mut out = io::stdout().lock();
    for Listed { name, about } in list {
        let line = format!("{name:longest$}  {about}");
        writeln!(out, "{}", Lines(line.trim_end()))?;
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_both_programs() {
        let parsed = |line: &str| parse(line).map(|listed| (listed.name, listed.about));
        let both = |name: &str, about: &str| Some((name.into(), about.into()));
        assert_eq!(parsed("3. lo (Loopback)"), both("lo", "Loopback"));
        assert_eq!(parsed("1. eth0"), both("eth0", ""));
        assert_eq!(parsed("3.lo [Up, Running, Loopback]"), both("lo", "Up, Running, Loopback"));
        assert_eq!(parsed("4.ifb0 [none]"), both("ifb0", ""));
        let any = "2.any (Pseudo-device that captures on all interfaces) [Up, Running]";
        assert_eq!(parsed(any), both("any", "(Pseudo-device that captures on all interfaces) [Up, Running]"));
        assert_eq!(parsed(r"5. \Device\NPF_{12} (Ethernet 2)"), both(r"\Device\NPF_{12}", "Ethernet 2"));
        assert_eq!(parsed("garbage"), None);
        assert_eq!(parsed("x. lo"), None);
    }
}
