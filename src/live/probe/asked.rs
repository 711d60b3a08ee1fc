//! A server to probe, as an argument or a line of a file names it, with labels and protocol.

use crate::live::net::Target;

/// The labels of the output formats themselves.
const OWN: [&str; 8] = ["target", "address", "proto", "transport", "version", "outcome", "labels", "le"];

/// A server to probe.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Its address.
    pub(crate) target: Target,
    /// Its protocol, if its line names one.
    pub(crate) proto: Option<String>,
    /// The labels of its line, in order.
    pub(crate) labels: Vec<(String, String)>,
    /// The place where it was named, for errors. Empty for arguments.
    pub(crate) place: String,
}

/// Returns the target of a line, if there is one.
///
/// # Errors
/// The line is no target; `named` checks the name of a protocol.
pub(crate) fn line(
    text: &str,
    place: &str,
    named: fn(&str) -> Result<String, String>,
) -> Result<Option<Asked>, String> {
    let (mut labels, mut target, mut proto) = (Vec::new(), None, None);
    for word in text.split('#').next().unwrap_or("").split_whitespace() {
        match (word.split_once('='), &target) {
            // A path of ws:// may contain `=`.
            (Some((name, value)), None) if !name.contains(['/', ':']) => {
                let letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
                if name.is_empty() || !name.chars().all(letter) || name.starts_with(|c: char| c.is_ascii_digit()) {
                    let label = "a label of letters, digits and _, not beginning with a digit";
                    return Err(format!("{name:?}: expected {label}"));
                }
                if OWN.contains(&name) || name.starts_with("__") || labels.iter().any(|(n, _)| n == name) {
                    return Err(format!("the label {name} is reserved or given twice"));
                }
                labels.push((name.to_string(), value.to_string()));
            }
            (_, None) => target = Some(word.parse::<Target>()?),
            (_, Some(_)) if proto.is_none() => proto = Some(named(word)?),
            _ => return Err(format!("{word:?}: expected [LABEL=VALUE..] TARGET [PROTOCOL]")),
        }
    }
    match target {
        Some(target) => Ok(Some(Asked { target, proto, labels, place: place.into() })),
        None if labels.is_empty() => Ok(None),
        None => Err("expected a target after the labels".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_targets() {
        let named: fn(&str) -> Result<String, String> = |name| match name {
            "riptide" | "nano" | "dnp" => Ok(name.into()),
            _ => Err("no protocol".into()),
        };
        let parts = |text: &str| {
            let asked = line(text, "", named).unwrap().unwrap();
            (asked.target.text, asked.proto, asked.labels)
        };
        assert_eq!(parts("h:1"), ("h:1".into(), None, vec![]));
        let labels = vec![("name".to_string(), "eu1".to_string()), ("tier".into(), "a=b".into())];
        assert_eq!(parts("name=eu1\ttier=a=b  h:1 riptide # first"), ("h:1".into(), Some("riptide".into()), labels));
        assert_eq!(parts("ws://h:1/a?b=c nano"), ("ws://h:1/a?b=c".into(), Some("nano".into()), vec![]));
        for empty in ["", "  ", "# h:1"] {
            assert!(line(empty, "", named).unwrap().is_none());
        }
        for wrong in
            ["name=eu1", "h:1 tftp", "h:1 dnp dnp", "1a=b h:1", "a-b=c h:1", "target=x h:1", "a=1 a=2 h:1", "=x h:1"]
        {
            assert!(line(wrong, "", named).is_err(), "{wrong}");
        }
    }
}
