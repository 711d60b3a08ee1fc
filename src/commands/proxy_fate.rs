//! What was done to a message, in words, as keys and as cells.

use netkit::live::proxy::Seen;
use serde_json::{Map, Value};
use std::time::Duration;

/// The columns behind those of a message.
pub const ADDED: [&str; 3] = ["outcome", "delayed_ms", "edited"];

/// What became of a frame.
#[derive(Clone, Default)]
pub struct Fate {
    pub lost: Option<&'static str>,
    pub delayed: Duration,
    pub copies: u32,
    pub behind: bool,
    pub corrupted: bool,
}

/// What became of a message.
pub struct Told {
    /// For people: nothing where it passed as it is.
    pub words: Vec<String>,
    pub keys: Map<String, Value>,
}

impl Told {
    /// Of a message in this frame.
    pub fn new(seen: &Seen, fate: &Fate) -> Told {
        let (mut words, mut keys) = (Vec::new(), Map::new());
        let (delayed, copies) = (seen.delayed.unwrap_or(fate.delayed), fate.copies + seen.copies);
        let lost = if seen.dropped { Some("dropped") } else { fate.lost };
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
            if fate.behind {
                words.push("after the next".into());
                keys.insert("reordered".into(), true.into());
            }
            if fate.corrupted {
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
        Told { words, keys }
    }

    /// The cells of the columns [`ADDED`].
    pub fn cells(&self) -> [String; 3] {
        ADDED.map(|name| match self.keys.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect::<Vec<&str>>().join("+"),
            Some(value) => value.to_string(),
            None => String::new(),
        })
    }
}
