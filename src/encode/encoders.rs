//! The protocols' encoders, created on first use.

use super::Entry;
use crate::codec::EncodeError;
use crate::dissect::{Encoder, Options};
use crate::plural::Plural;
use std::collections::{BTreeMap, BTreeSet};

/// The most conversations whose messages are known to have a carrier.
const UPGRADED: usize = 1 << 16;

/// The framing of a message in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// The protocol's own framing over TCP: a length, a header.
    Tcp,
    /// One binary WebSocket message, masked if a client sends it.
    WebSocket,
}

/// Encodes messages of any protocol, with the state that later messages need from earlier ones.
pub struct Encoders<'a> {
    options: &'a Options,
    made: BTreeMap<&'static str, Box<dyn Encoder>>,
    /// The conversations with lines of a carrier: if that is WebSocket, their messages are in its frames.
    upgraded: BTreeSet<u64>,
}

impl<'a> Encoders<'a> {
    /// The user's options.
    pub fn options(&self) -> &'a Options {
        self.options
    }

    /// Encoders with the user's options.
    pub fn new(options: &'a Options) -> Encoders<'a> {
        Encoders { options, made: BTreeMap::new(), upgraded: BTreeSet::new() }
    }

    /// The message's bytes.
    ///
    /// # Errors
    /// The path of the invalid field, and the expected value.
    pub fn encode(&mut self, entry: &Entry) -> Result<Vec<u8>, EncodeError> {
        self.of(entry).encode(&entry.line())
    }

    /// The bytes of the packet that this message completes; `None` if more messages of the packet have to follow.
    ///
    /// # Errors
    /// Those of [`Encoders::encode`].
    pub fn part(&mut self, entry: &Entry) -> Result<Option<Vec<u8>>, EncodeError> {
        for (name, encoder) in &mut self.made {
            if *name != entry.dissector.name()
                && let Some(why) = encoder.unfinished()
            {
                return Err(why);
            }
        }
        self.of(entry).part(&entry.line())
    }

    /// Ends the messages, and checks that no packet is incomplete.
    ///
    /// # Errors
    /// The missing part of a packet.
    pub fn finish(&mut self) -> Result<(), EncodeError> {
        self.made.values_mut().find_map(|encoder| encoder.unfinished()).map_or(Ok(()), Err)
    }

    /// The message with its framing. Call it right after [`Encoders::encode`].
    ///
    /// # Errors
    /// The protocol does not support this framing.
    pub fn framed(&mut self, entry: &Entry, message: &[u8], framing: Framing) -> Result<Vec<u8>, EncodeError> {
        let line = entry.line();
        let (framed, what) = match framing {
            Framing::Tcp => {
                let is_carried = !entry.is_carrier() && self.upgraded.contains(&entry.flow);
                let encoder = self.of(entry);
                let carried = if is_carried { encoder.websocket(message, &line) } else { None };
                (carried.or_else(|| encoder.frame(message, &line)), "tcp")
            }
            Framing::WebSocket => (self.of(entry).websocket(message, &line), "ws"),
        };
        framed.ok_or_else(|| {
            let (name, length) = (entry.dissector.name(), Plural(message.len() as u64, "byte"));
            EncodeError::new("transport", format!("{name} has no {what} framing, or none for a message of {length}"))
        })
    }

    fn of(&mut self, entry: &Entry) -> &mut dyn Encoder {
        if entry.is_carrier() && self.upgraded.len() < UPGRADED {
            self.upgraded.insert(entry.flow);
        }
        let (dissector, options) = (entry.dissector, self.options);
        self.made.entry(dissector.name()).or_insert_with(|| dissector.encoder(options)).as_mut()
    }
}
