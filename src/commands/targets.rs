//! The servers of a probe: arguments, and lines of a file with labels and protocols.

use super::input;
use super::usage::{Usage, usage};
use crate::cli::{Probe, named_proto};
use crate::live::net::Target;
use anyhow::Context;
use std::io::{BufRead, BufReader};

/// The cap on targets.
const TARGETS: usize = 100_000;
/// The labels of the output formats themselves.
const OWN: [&str; 8] = ["target", "address", "proto", "transport", "version", "outcome", "labels", "le"];

/// A server to probe.
#[derive(Debug)]
pub struct Asked {
    /// Its address.
    pub target: Target,
    /// Its protocol, if its line names one.
    pub proto: Option<String>,
    /// The labels of its line, in order.
    pub labels: Vec<(String, String)>,
    /// The place where it was named, for errors. Empty for arguments.
    pub place: String,
}

/// Returns all targets, in order. A file's lines are `[LABEL=VALUE..] TARGET [PROTOCOL]`.
///
/// # Errors
/// Fails if a target or line is invalid, if a file cannot be read, or if there is no target.
pub fn all(args: &Probe) -> anyhow::Result<Vec<Asked>> {
    let mut list = Vec::new();
    for text in &args.target {
        let target = text.parse().map_err(Usage)?;
        list.push(Asked { target, proto: None, labels: Vec::new(), place: String::new() });
    }
    if let Some(path) = &args.targets {
        let reader = BufReader::new(input::open(path).with_context(|| input::name(path))?);
        for (k, text) in reader.lines().enumerate() {
            let text = text.with_context(|| input::name(path))?;
            let place = format!("{} line {}: ", input::name(path), k + 1);
            list.extend(line(&text, &place).map_err(|why| Usage(format!("{place}{why}")))?);
            if list.len() > TARGETS {
                return usage(format!("{}: more than {TARGETS} targets", input::name(path)));
            }
        }
    }
    if list.is_empty() {
        let name = args.targets.as_deref().map_or("the list".into(), input::name);
        return usage(format!("no target: {name} has none"));
    }
    Ok(list)
}

/// Returns the target of a line, if there is one.
fn line(text: &str, place: &str) -> Result<Option<Asked>, String> {
    let (mut labels, mut target, mut proto) = (Vec::new(), None, None);
    for word in text.split('#').next().unwrap_or("").split_whitespace() {
        match (word.split_once('='), &target) {
            // A path of ws:// may contain `=`.
            (Some((name, value)), None) if !name.contains(['/', ':']) => {
                let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
                if name.is_empty() || !name.chars().all(letter) || name.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(format!("{name:?} is not a label: letters, digits and _"));
                }
                if OWN.contains(&name) || name.starts_with("__") || labels.iter().any(|(n, _)| n == name) {
                    return Err(format!("the label {name} is there already"));
                }
                labels.push((name.to_string(), value.to_string()));
            }
            (_, None) => target = Some(word.parse::<Target>()?),
            (_, Some(_)) if proto.is_none() => proto = Some(named_proto(word)?),
            _ => return Err(format!("{word:?}: expected [LABEL=VALUE..] TARGET [PROTOCOL]")),
        }
    }
    match target {
        Some(target) => Ok(Some(Asked { target, proto, labels, place: place.into() })),
        None if labels.is_empty() => Ok(None),
        None => Err("labels, but no target".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_targets() {
        let parts = |text: &str| {
            let asked = line(text, "").unwrap().unwrap();
            (asked.target.text, asked.proto, asked.labels)
        };
        assert_eq!(parts("h:1"), ("h:1".into(), None, vec![]));
        let labels = vec![("name".to_string(), "eu1".to_string()), ("tier".into(), "a=b".into())];
        assert_eq!(parts("name=eu1\ttier=a=b  h:1 riptide # first"), ("h:1".into(), Some("riptide".into()), labels));
        assert_eq!(parts("ws://h:1/a?b=c nano"), ("ws://h:1/a?b=c".into(), Some("nano".into()), vec![]));
        for empty in ["", "  ", "# h:1"] {
            assert!(line(empty, "").unwrap().is_none());
        }
        for wrong in
            ["name=eu1", "h:1 tftp", "h:1 dnp dnp", "1a=b h:1", "a-b=c h:1", "target=x h:1", "a=1 a=2 h:1", "=x h:1"]
        {
            assert!(line(wrong, "").is_err(), "{wrong}");
        }
    }
}
