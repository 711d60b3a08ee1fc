//! The outcome of a message in the proxy, in words, as keys and as cells.

use super::Seen;
use serde_json::{Map, Value};
use std::time::Duration;

/// The columns after those of a message.
pub const ADDED: [&str; 3] = ["outcome", "delayed_ms", "edited"];

/// The outcome of a frame.
#[derive(Clone, Default)]
pub struct FrameOutcome {
    pub lost: Option<&'static str>,
    pub delayed: Duration,
    pub copies: u32,
    pub reordered: bool,
    pub corrupted: bool,
}

/// The outcome of a message.
pub struct OutcomeText {
    /// The words for people. Empty if it passed unchanged.
    pub words: Vec<String>,
    pub keys: Map<String, Value>,
}

impl OutcomeText {
    /// Describes the outcome of a message in this frame.
    pub fn new(seen: &Seen, outcome: &FrameOutcome) -> OutcomeText {
        let (mut words, mut keys) = (Vec::new(), Map::new());
        let (delayed, copies) = (seen.delayed.unwrap_or(outcome.delayed), outcome.copies + seen.copies);
        let lost = if seen.dropped { Some("dropped") } else { outcome.lost };
        match lost {
            Some(why) => words.push(why.replace('_', " ")),
            None if delayed > Duration::ZERO => words.push(format!("+{:.1} ms", delayed.as_secs_f64() * 1e3)),
            None => {}
        }
        keys.insert("outcome".into(), lost.unwrap_or("passed").into());
        if lost.is_none() {
            if delayed > Duration::ZERO {
                keys.insert("delayed_ms".into(), (delayed.as_micros() as f64 / 1e3).into());
            }
            if copies > 0 {
                words.push(format!("{} times", copies + 1));
                keys.insert("copies".into(), copies.into());
            }
            if outcome.reordered {
                words.push("after the next".into());
                keys.insert("reordered".into(), true.into());
            }
            if outcome.corrupted {
                words.push("a bit flipped".into());
                keys.insert("corrupted".into(), true.into());
            }
        }
        if let Some(edited) = &seen.edited {
            match &edited.not {
                Some(why) => {
                    words.push(format!("not edited: {why}"));
                    keys.insert("not_edited".into(), why.as_str().into());
                }
                None => {
                    words.push(format!("edited {}", edited.fields.join(", ")));
                    keys.insert("edited".into(), edited.fields.clone().into());
                }
            }
        }
        OutcomeText { words, keys }
    }

    /// Returns the cells of the columns [`ADDED`].
    pub fn cells(&self) -> [String; 3] {
        ADDED.map(|name| match self.keys.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join("+"),
            Some(value) => value.to_string(),
            None => String::new(),
        })
    }
}
