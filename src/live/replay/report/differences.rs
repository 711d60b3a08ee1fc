//! The peer's divergences, for people: different content one by one, missing and new messages by kind; with `{:#}` all
//! of them one by one.

use super::{Report, SHOWN};
use crate::live::replay::compare::Divergence;
use crate::plural::Plural;
use serde_json::Value as Json;
use std::fmt::{self, Formatter};

/// The number of characters of a value that are shown.
const SHORT: usize = 60;
/// The number of frames of one kind that are listed.
const FRAMES: usize = 6;

impl Report {
    /// Writes whether the peer sent the same as in the capture, and the differences.
    pub(super) fn differences(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.divergences.len() {
            0 if self.uncompared > 0 => {}
            0 => writeln!(f, "the peer sent the same messages as in the capture")?,
            count => {
                writeln!(f, "the peer diverged from the capture in {}:", Plural(count, "place"))?;
                match f.alternate() {
                    true => self.divergences.iter().try_for_each(|divergence| line(f, divergence))?,
                    false => self.by_kind(f)?,
                }
            }
        }
        let others = self.others();
        if others.is_empty() {
            return Ok(());
        }
        let list: Vec<String> = others.iter().map(|(kind, count)| format!("{kind} ({count})")).collect();
        let hint = if f.alternate() { ":" } else { " (-v lists them)" };
        writeln!(f, "ignored differences: {}{hint}", list.join(", "))?;
        if f.alternate() { self.others.iter().try_for_each(|(_, divergence)| line(f, divergence)) } else { Ok(()) }
    }

    fn by_kind(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let differs = |d: &&Divergence| matches!(d, Divergence::Differs { .. });
        self.divergences.iter().filter(differs).take(SHOWN).try_for_each(|divergence| line(f, divergence))?;
        let mut more = self.divergences.iter().filter(differs).count().saturating_sub(SHOWN);
        let mut kinds: Vec<Vec<&Divergence>> = Vec::new();
        for divergence in self.divergences.iter().filter(|d| !differs(d)) {
            match kinds.iter_mut().find(|kind| kind.first().is_some_and(|first| alike(first, divergence))) {
                Some(kind) => kind.push(divergence),
                None => kinds.push(vec![divergence]),
            }
        }
        for (k, kind) in kinds.iter().enumerate() {
            match kind.as_slice() {
                _ if k >= SHOWN => more += kind.len(),
                [one] => line(f, one)?,
                all => summary(f, all)?,
            }
        }
        match more {
            0 => Ok(()),
            more => writeln!(f, "  and {more} more (-v lists all)"),
        }
    }
}

/// Whether both are missing, or both are new, with the same subject.
fn alike(one: &Divergence, other: &Divergence) -> bool {
    match (one, other) {
        (Divergence::Missing { message: a, .. }, Divergence::Missing { message: b, .. })
        | (Divergence::Extra { message: a, .. }, Divergence::Extra { message: b, .. }) => a == b,
        _ => false,
    }
}

/// Writes several divergences that are alike.
fn summary(f: &mut Formatter<'_>, all: &[&Divergence]) -> fmt::Result {
    let count = all.len();
    match all.first() {
        Some(Divergence::Missing { message, .. }) => {
            let frame = |d: &&Divergence| match d {
                Divergence::Missing { frame, .. } => Some(frame.to_string()),
                _ => None,
            };
            let frames: Vec<String> = all.iter().filter_map(frame).take(FRAMES).collect();
            let more = if count > FRAMES { ", ..." } else { "" };
            writeln!(f, "  {count} {message}: did not arrive (frames {}{more})", frames.join(", "))
        }
        Some(Divergence::Extra { message, content }) => {
            writeln!(f, "  {count} {message}: not in the capture: {}, ...", short(content, f))
        }
        _ => Ok(()),
    }
}

fn line(f: &mut Formatter<'_>, divergence: &Divergence) -> fmt::Result {
    match divergence {
        Divergence::Missing { frame, message } => writeln!(f, "  frame {frame} {message}: did not arrive"),
        Divergence::Extra { message, content } => {
            let content = short(content, f);
            writeln!(f, "  {message}: not in the capture: {content}")
        }
        Divergence::Differs { frame, message, fields } => fields.iter().try_for_each(|(path, old, new)| {
            let (old, new) = (short(old, f), short(new, f));
            match path.as_str() {
                "" => writeln!(f, "  frame {frame} {message}: {new}, was {old}"),
                path => writeln!(f, "  frame {frame} {message} {path}: {new}, was {old}"),
            }
        }),
    }
}

fn short(value: &Json, f: &Formatter<'_>) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHORT) {
        Some((at, _)) if !f.alternate() => format!("{}...", text.get(..at).unwrap_or_default()),
        _ => text,
    }
}
