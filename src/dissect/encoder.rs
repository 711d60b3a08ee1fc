//! The interface of a protocol for encoding: a message as a line gives it, and the rewriting of a carrier's frames.

use super::role::Role;
use crate::codec::EncodeError;
use crate::codec::layout::Field;
use crate::flow::Side;
use serde_json::Value as Json;

/// One message to be encoded.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The message's name.
    pub message: &'a str,
    /// The line's `proto`: the dissector's own, or its carrier's.
    pub proto: &'a str,
    /// The version, if given.
    pub version: Option<&'a str>,
    /// The sender's role.
    pub from: Role,
    /// The number of its conversation; 0 if none is given.
    pub flow: u64,
    /// The fields.
    pub fields: &'a Json,
    /// The derived values.
    pub derived: Option<&'a Json>,
    /// The fields of the headers around the message.
    pub packet: Option<&'a Json>,
    /// The message's index among the messages of a packet, from 1, and their number.
    pub part: Option<(u64, u64)>,
    /// Whether the message was broken when it was read.
    pub broken: bool,
}

impl Line<'_> {
    /// A field.
    pub fn field(&self, field: &Field) -> Option<&Json> {
        self.fields.get(field.name)
    }

    /// A derived value.
    pub fn derived(&self, field: &Field) -> Option<&Json> {
        self.derived?.get(field.name)
    }
}

/// Encodes messages, with the state that later messages need from earlier ones.
pub trait Encoder: Send {
    /// The message's bytes.
    ///
    /// # Errors
    /// The path of the invalid field, and the expected value.
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError>;

    /// Whether the message changes the encoding of later ones. A message of a kind that does not need not be encoded if
    /// its bytes are known.
    fn remembers(&self, _proto: &str, _message: &str) -> bool {
        true
    }

    /// Like [`encode`](Self::encode), but for protocols with several messages in a packet: returns `None` until the
    /// last of them is given, then the packet's bytes.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode).
    fn part(&mut self, line: &Line<'_>) -> Result<Option<Vec<u8>>, EncodeError> {
        self.encode(line).map(Some)
    }

    /// The fields of a compressed message as they are without compression; `None` if the message is not compressed.
    fn uncompressed(&self, _line: &Line<'_>) -> Option<Json> {
        None
    }

    /// Ends the input. Returns the error if a packet is incomplete.
    fn unfinished(&mut self) -> Option<EncodeError> {
        None
    }

    /// The message in the protocol's own framing for streams; `None` if it has none.
    fn frame(&self, _message: &[u8], _line: &Line<'_>) -> Option<Vec<u8>> {
        None
    }

    /// The message as a WebSocket message, masked if a client sends it; `None` if the protocol does not use WebSocket.
    fn websocket(&self, _message: &[u8], _line: &Line<'_>) -> Option<Vec<u8>> {
        None
    }

    /// The rewriter of the carrier's frames for one conversation; `None` if there is no carrier.
    fn rewriter(&self) -> Option<Box<dyn Rewriter>> {
        None
    }
}

/// Rewrites the frames of a carrier when a message of a conversation is edited in transit. It has to receive all
/// frames of both directions in their order: earlier ones determine the form of later ones.
pub trait Rewriter: Send {
    /// Processes the next frames of a side (or the carrier's head). `old` is the message in them as it was read; `None`
    /// if it is not needed. `new` are the messages to send instead, each in its own frames; `None` forwards the frames
    /// as they are. Returns the bytes to send; `None` for the same bytes.
    ///
    /// # Errors
    /// The reason why they cannot be changed: they are forwarded as they are.
    fn frames(
        &mut self,
        side: Side,
        bytes: &[u8],
        old: Option<&[u8]>,
        new: Option<&[&[u8]]>,
    ) -> Result<Option<Vec<u8>>, &'static str>;

    /// Whether every frame of a side has to be rewritten from now on, so that none may bypass this.
    fn binds(&self, side: Side) -> bool;

    /// Records that frames of a side have passed without being seen.
    fn missed(&mut self, side: Side);
}
