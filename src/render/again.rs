//! Messages that are encoded again from their own JSON lines: to compare their bytes, or to write changed ones.

use super::Ndjson;
use crate::dissect::{Message, Options};
use crate::encode::{self, Encoders, Entry, Source};

/// The result for a message, which may be one of several in a packet.
pub(crate) enum Compared {
    /// The packet is not complete; its last message has its bytes.
    Begun,
    /// The bytes are the same.
    Same,
    /// The bytes differ, or encoding failed for this reason.
    Different(Result<Vec<u8>, String>),
}

/// Encodes messages again. Each thread has its own.
pub(crate) struct Again<'a> {
    source: Source,
    /// The protocols' encoders.
    pub(crate) encoders: Encoders<'a>,
    printer: Ndjson,
    line: Vec<u8>,
    /// The bytes of the packet so far, if messages are parts of one.
    packet: Vec<u8>,
}

impl<'a> Again<'a> {
    /// Creates it with these options.
    pub(crate) fn new(options: &'a Options) -> Again<'a> {
        let (encoders, printer) = (Encoders::new(options), Ndjson::new(false));
        Again { source: Source::new(options.registry.clone()), encoders, printer, line: Vec::new(), packet: Vec::new() }
    }

    /// Returns the message as its JSON line has it.
    ///
    /// # Errors
    /// Returns the reason why the line cannot be read.
    pub(crate) fn entry(&mut self, message: &Message<'_>) -> Result<Entry, String> {
        self.line.clear();
        self.printer.message(message, &mut self.line);
        let object = encode::json(&self.line).map_err(|e| format!("the line is not JSON: {e}"))?;
        Entry::new(object, &self.source).map_err(|e| e.to_string())
    }

    /// Returns the bytes so far of the packet with the last message.
    pub(crate) fn packet(&self) -> &[u8] {
        &self.packet
    }

    /// Encodes a message again. If it is the last one of its packet, compares the packet.
    pub(crate) fn compare(&mut self, message: &Message<'_>) -> Compared {
        if message.dissection.part.is_none_or(|(part, _)| part == 1) {
            self.packet.clear();
        }
        self.packet.extend_from_slice(message.place.bytes);
        let again = self.entry(message).and_then(|entry| self.encoders.part(&entry).map_err(|e| e.to_string()));
        match again {
            Ok(None) => Compared::Begun,
            Ok(Some(bytes)) if bytes == self.packet => Compared::Same,
            Ok(Some(bytes)) => Compared::Different(Ok(bytes)),
            Err(why) => Compared::Different(Err(why)),
        }
    }
}
