//! nano's lines back to bytes.

use super::layout;
use crate::codec::layout::Kind;
use crate::codec::{EncodeError, Writer};
use crate::protocols::{Encoder, Line, Options, websocket};
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// How many conversations are remembered to be carried by WebSocket.
const UPGRADED: usize = 65_536;

/// Writes packages, and the carrier's own lines.
#[derive(Debug, Default)]
pub struct Packages {
    /// Every conversation is carried by WebSocket.
    carried: bool,
    /// Conversations of which the carrier's own lines were seen.
    upgraded: BTreeSet<u64>,
}

impl Packages {
    /// By what the user set.
    pub fn new(options: &Options) -> Packages {
        let carried = options.settings.get("nano.carrier") == Some("websocket");
        Packages { carried, ..Packages::default() }
    }
}

impl Encoder for Packages {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        if line.proto == websocket::NAME {
            if self.upgraded.len() < UPGRADED {
                self.upgraded.insert(line.flow);
            }
            return websocket::encode::encode(line);
        }
        let Some(layout) = layout::layout(line.message) else {
            let near = crate::nearest::nearest(line.message, layout::LAYOUTS.iter().map(|l| l.name));
            let what = format!("nano has no message {:?}{}", line.message, crate::nearest::hint(near));
            return Err(EncodeError { path: "message".into(), what });
        };
        let broken = line.broken || matches!(layout.name, "data" | "unknown");
        match line.derived.and_then(|derived| derived.get("length")).filter(|_| line.broken) {
            // The header itself was cut: the type, and what there was behind it.
            Some(Json::Null) => {
                let mut out = Writer::new(line.fields).broken(true).write(&[])?;
                if let Some(Kind::Tag { value, .. }) = layout.fields.first().map(|f| &f.kind) {
                    out.insert(0, *value as u8);
                }
                Ok(out)
            }
            // The header announces more than there is.
            Some(length) => {
                let mut fields = line.fields.clone();
                if let Some(map) = fields.as_object_mut() {
                    map.entry("length").or_insert_with(|| length.clone());
                }
                Writer::new(&fields).broken(true).write(layout.fields)
            }
            None => Writer::new(line.fields).broken(broken).write(layout.fields),
        }
    }

    /// A package has its length in its header: a TCP stream is nothing but packages, or WebSocket
    /// messages with packages in them.
    fn frame(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        if self.carried || self.upgraded.contains(&line.flow) {
            return self.websocket(message, line);
        }
        Some(message.to_vec())
    }

    fn websocket(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        Some(websocket::encode::wrap(message, line))
    }
}
