//! The messages of a capture program on standard error: the reason for a failure, and the number of dropped frames.

use super::program::Program;
use crate::platform;
use std::io::Read;
use std::process::ChildStderr;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The number of bytes that are kept, from the end.
const KEPT: usize = 16 << 10;
/// The number of bytes that are reported.
const LONGEST: usize = 300;

#[derive(Default)]
struct Collected {
    bytes: Vec<u8>,
    ended: bool,
}

/// The last messages of a program, collected by a thread of its own.
#[derive(Clone, Default)]
pub struct Words(Arc<(Mutex<Collected>, Condvar)>);

impl Words {
    /// Starts to collect them until the program closes its standard error.
    pub fn of(mut stderr: ChildStderr) -> Words {
        let words = Words::default();
        let ours = words.clone();
        let listen = move || {
            let mut block = [0; 1024];
            while let Ok(n @ 1..) = stderr.read(&mut block) {
                ours.add(&block[..n]);
            }
            ours.0.0.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
            ours.0.1.notify_all();
        };
        // Without the thread, its messages are unknown.
        let _ = std::thread::Builder::new().name("capture".into()).spawn(listen);
        words
    }

    fn add(&self, bytes: &[u8]) {
        let mut held = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.bytes.extend_from_slice(bytes);
        let excess = held.bytes.len().saturating_sub(KEPT);
        if excess > KEPT {
            held.bytes.drain(..excess);
        }
    }

    /// Returns all kept messages. Waits for their end, but at most `time`: another process may hold the pipe.
    pub fn text(&self, time: Duration) -> String {
        let held = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.1.wait_timeout_while(held, time, |held| !held.ended);
        let (held, _) = waited.unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&held.bytes).into_owned()
    }
}

/// Whether the messages report a missing permission to capture.
pub fn denied(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    ["permission to capture", "permission denied", "not permitted", "cap_net_raw"].iter().any(|p| text.contains(p))
}

/// Returns the reason for its end, in one line.
pub fn reason(text: &str, program: &Program) -> String {
    let own = format!("{}: ", program.name());
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let from = lines.iter().rposition(|line| line.starts_with(&own) && !chatter(&line[own.len()..]));
    let mut joined = String::new();
    match from {
        // An error and its details, up to the advice after a blank line.
        Some(from) => {
            let error = lines[from..].iter().take_while(|line| !line.is_empty() && !line.starts_with("Please check"));
            for line in error.filter(|line| !chatter(line)) {
                joined += if joined.is_empty() { "" } else { " " };
                joined += line.strip_prefix(own.as_str()).unwrap_or(line);
            }
        }
        None => {
            let last = lines.iter().rev().find(|line| !line.is_empty() && !chatter(line));
            joined += last.copied().unwrap_or_default();
        }
    }
    match joined.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &joined[..end]),
        None => joined,
    }
}

/// Whether the program prints this line in every run.
fn chatter(line: &str) -> bool {
    let begins = ["Capturing on ", "File: ", "listening on ", "verbose output suppressed", "dropped privs"];
    let counts = [" captured", " received by filter", " dropped by kernel", " dropped by interface"];
    begins.iter().any(|begin| line.starts_with(begin))
        || line.starts_with("Packets ")
        || line.starts_with(|c: char| c.is_ascii_digit()) && counts.iter().any(|end| line.ends_with(end))
}

/// Returns the number of frames that it dropped, as it reports them at its end.
pub fn dropped(text: &str) -> u64 {
    let number = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        text[..end].parse::<u64>().unwrap_or(0)
    };
    let each = text.lines().map(str::trim).map(|line| {
        // tcpdump: 3 packets dropped by kernel
        if line.ends_with(" dropped by kernel") || line.ends_with(" dropped by interface") {
            return number(line);
        }
        // dumpcap: Packets received/dropped on interface 'lo': 10/3 (pcap:3/dumpcap:0/..)
        let counts =
            line.strip_prefix("Packets received/dropped on interface ").and_then(|rest| rest.rsplit_once("': "));
        counts.and_then(|(_, counts)| counts.split_once('/')).map_or(0, |(_, dropped)| number(dropped))
    });
    each.fold(0, u64::saturating_add)
}

/// Returns the command that grants the program the permission, on this system.
pub fn grant(program: &Program) -> String {
    platform::right_to_capture(&program.path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str) -> Program {
        let kind =
            if name == "dumpcap" { super::super::program::Kind::Dumpcap } else { super::super::program::Kind::Tcpdump };
        Program { kind, path: name.into() }
    }

    #[test]
    fn reasons_without_usual_lines() {
        let dumpcap = "Capturing on 'nosuch'\ndumpcap: There is no device named \"nosuch\".\n(No such device exists)\n";
        assert_eq!(
            reason(dumpcap, &program("dumpcap")),
            "There is no device named \"nosuch\". (No such device exists)"
        );
        let tcpdump = "tcpdump: listening on lo, link-type EN10MB (Ethernet), snapshot length 262144 bytes\n\
                       tcpdump: pcap_loop: The interface disappeared\n3 packets captured\n3 packets received by filter\n\
                       0 packets dropped by kernel\n";
        assert_eq!(reason(tcpdump, &program("tcpdump")), "pcap_loop: The interface disappeared");
        assert_eq!(reason("3 packets captured\n", &program("tcpdump")), "");
        assert_eq!(reason("Segmentation fault\n", &program("tcpdump")), "Segmentation fault");
        assert_eq!(reason(&"é".repeat(1000), &program("tcpdump")).chars().count(), LONGEST + 1);
    }

    #[test]
    fn drops_are_counted() {
        let dumpcap = "Packets captured: 10\nPackets received/dropped on interface 'Loopback: lo': 10/7 \
                       (pcap:5/dumpcap:2/flushed:0/ps_ifdrop:0) (58.8%)\n";
        assert_eq!(dropped(dumpcap), 7);
        assert_eq!(
            dropped(
                "10 packets captured\n12 packets received by filter\n2 packets dropped by kernel\n1 packet dropped by interface\n"
            ),
            3
        );
        assert_eq!(dropped("99999999999999999999 packets dropped by kernel\n"), 0, "no number that there is");
        assert_eq!(dropped(""), 0);
    }
}
