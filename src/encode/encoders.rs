//! The protocols' encoders, made when they are first needed.

use super::Entry;
use crate::codec::EncodeError;
use crate::dissect::{Encoder, Options};
use std::collections::BTreeMap;

/// What a protocol puts around a message in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// Its own framing over TCP: a length, a header.
    Tcp,
    /// One binary WebSocket message, masked where a client sends it.
    WebSocket,
}

/// Writes messages of any protocol, and remembers what later ones need to know of earlier ones.
pub struct Encoders<'a> {
    options: &'a Options,
    made: BTreeMap<&'static str, Box<dyn Encoder>>,
}

impl<'a> Encoders<'a> {
    /// Encoders by what the user said.
    pub fn new(options: &'a Options) -> Encoders<'a> {
        Encoders { options, made: BTreeMap::new() }
    }

    /// The message's bytes.
    ///
    /// # Errors
    /// The path of what is wrong, and what was expected.
    pub fn encode(&mut self, entry: &Entry) -> Result<Vec<u8>, EncodeError> {
        self.of(entry).encode(&entry.line())
    }

    /// The message with what stands around it in a stream. To be asked right after
    /// [`Encoders::encode`].
    ///
    /// # Errors
    /// The protocol has no such form.
    pub fn framed(&mut self, entry: &Entry, message: &[u8], framing: Framing) -> Result<Vec<u8>, EncodeError> {
        let line = entry.line();
        let (framed, what) = match framing {
            Framing::Tcp => (self.of(entry).frame(message, &line), "tcp"),
            Framing::WebSocket => (self.of(entry).websocket(message, &line), "ws"),
        };
        framed.ok_or_else(|| EncodeError {
            path: "transport".into(),
            what: format!("{} has no form for {what}", entry.dissector.name()),
        })
    }

    fn of(&mut self, entry: &Entry) -> &mut dyn Encoder {
        let (dissector, options) = (entry.dissector, self.options);
        self.made.entry(dissector.name()).or_insert_with(|| dissector.encoder(options)).as_mut()
    }
}
