//! The servers of a probe: arguments, and lines of a file with labels and protocols.

use crate::cli::{Probe, named_proto};
use crate::live::probe::asked::{Asked, line};
use crate::process::input;
use crate::process::usage::{Usage, usage};
use anyhow::Context;
use std::io::{BufRead, BufReader};

/// The cap on targets.
const TARGETS: usize = 100_000;
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
            list.extend(line(&text, &place, named_proto).map_err(|why| Usage(format!("{place}{why}")))?);
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
