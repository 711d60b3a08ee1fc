//! The interface of a protocol: its tables, its recognition, its state for a conversation.

use super::decision::Decision;
use super::facts::Facts;
use super::flow_info::{FlowInfo, Role};
use super::message::{Out, Provenance};
use super::options::Options;
use crate::codec::layout::Field;
use crate::codec::{EncodeError, Layout};
use crate::flow::{Side, Stream, Transport};
use serde_json::Value as Json;
use std::net::SocketAddr;

/// A protocol: static and stateless. The state for a conversation is in its [`Session`]. Its constant properties are in
/// its [`Facts`], each with a method of a `dyn Dissector`.
pub trait Dissector: Sync {
    /// The protocol's constant properties.
    fn facts(&self) -> &Facts;

    /// Returns the evidence that the conversation, over one of the protocol's transports, is of this protocol. Called
    /// again with more payloads until some dissector has [enough evidence](Evidence::CLAIM), or a cap is reached.
    fn identify(&self, observation: &Observation<'_>) -> Evidence;

    /// Returns the state for a new conversation.
    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session>;

    /// Returns the state for encoding a sequence of messages.
    fn encoder(&self, options: &Options) -> Box<dyn Encoder>;
}

impl std::fmt::Debug for dyn Dissector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Messages that only one of the sides sends, by name.
pub type Senders = &'static [(Role, &'static [&'static str])];

/// The message and field of a stream that name ports for associated datagrams.
#[derive(Clone, Copy, Debug)]
pub struct PortNames {
    /// The server's port, for this client.
    pub offer: (&'static str, &'static Field),
    /// The client's port.
    pub answer: (&'static str, &'static Field),
}

/// The layouts of one version (and direction) of a protocol.
#[derive(Debug)]
pub struct Table {
    /// The version, as in the output's `version`; empty if there is only one.
    pub version: &'static str,
    /// The sender's role; unknown for both.
    pub from: Role,
    /// The layouts.
    pub layouts: &'static [Layout],
}

/// A setting of a protocol: `-s KEY=VALUE`.
#[derive(Debug)]
pub struct Setting {
    /// `riptide.version`.
    pub key: &'static str,
    /// The default.
    pub default: &'static str,
    /// The accepted values; if empty, `parse` decides.
    pub values: &'static [&'static str],
    /// Checks any other text. The error names what was expected.
    pub parse: fn(&str) -> Result<(), String>,
    /// The effect of the setting.
    pub doc: &'static str,
}

impl Setting {
    /// A setting with these values; the first is the default.
    pub(crate) const fn among(key: &'static str, values: &'static [&'static str], doc: &'static str) -> Setting {
        Setting { key, default: values[0], values, parse: |_| Ok(()), doc }
    }

    /// A setting with any text that passes a check.
    pub(crate) const fn text(
        key: &'static str,
        default: &'static str,
        parse: fn(&str) -> Result<(), String>,
        doc: &'static str,
    ) -> Setting {
        Setting { key, default, values: &[], parse, doc }
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The expected values, if it is invalid.
    pub fn check(&self, value: &str) -> Result<(), String> {
        match self.values {
            [] => (self.parse)(value),
            words if words.contains(&value) => Ok(()),
            words => Err(format!("{value:?}: expected {}", words.join(", "))),
        }
    }
}

/// Documentation of a note.
#[derive(Debug)]
pub struct NoteDoc {
    /// The code.
    pub code: &'static str,
    /// `note`, `warning`, `error`.
    pub level: &'static str,
    /// The condition under which it is raised.
    pub doc: &'static str,
}

/// The observations of a conversation whose protocol is not known yet.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of both endpoints.
    pub ends: [SocketAddr; 2],
    /// UDP: the first datagrams, with their length on the wire. TCP: one entry per side that has
    /// sent data: the first bytes of its stream.
    pub payloads: &'a [(Side, &'a [u8], usize)],
    /// TCP: whether the direction's SYN is in the capture, so that its payload starts at the first byte.
    pub begun: [bool; 2],
    /// Whether no more payload follows before the decision.
    pub last: bool,
    /// The user's options.
    pub options: &'a Options,
}

impl<'a> Observation<'a> {
    /// The observation on which a decision was based.
    pub fn again(decision: &Decision<'a>, options: &'a Options) -> Observation<'a> {
        let Decision { transport, ends, payloads, begun, .. } = *decision;
        Observation { transport, ends, payloads, begun, last: true, options }
    }

    /// The conversation, as a session knows it.
    pub(crate) fn flow_info(&self) -> FlowInfo<'a> {
        let Observation { transport, ends, begun, options, .. } = *self;
        FlowInfo { flow: 0, serial: 0, transport, ends: Some(ends), opener: None, begun, leg: None, options }
    }
}

/// The evidence for a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// The conversation is not of this protocol.
    No,
    /// The conversation is consistent with the protocol. Has the bits of evidence and the reason: traffic of another
    /// kind looks like this in one of 2^bits conversations. Each rule documents the origin of its bits. Features that
    /// other protocols share count little or nothing: a constant first byte counts once, a counter counts in whole
    /// bytes, an echo or a copy alone counts nothing, zeros count less than their bits.
    Bits(u32, &'static str),
}

impl Evidence {
    /// The evidence needed to claim a conversation: an error rate of 10^-6 is 19.93 bits.
    pub const CLAIM: u32 = 20;
    /// The evidence needed if another conversation of one of the two endpoints has been claimed for the same protocol:
    /// an error rate of 10^-3.
    pub const KNOWN: u32 = 10;
    /// The evidence needed for a conversation with a server of the protocol, if no more of it follows: it only has to
    /// fit.
    pub const FITS: u32 = 5;

    /// Whether the evidence is sufficient. `known`: whether [`Evidence::KNOWN`] is.
    pub fn suffices(self, known: bool) -> bool {
        matches!(self, Evidence::Bits(bits, _) if bits >= if known { Evidence::KNOWN } else { Evidence::CLAIM })
    }
}

/// A note's documentation, for the protocols' lists.
pub const fn note(code: &'static str, level: &'static str, doc: &'static str) -> NoteDoc {
    NoteDoc { code, level, doc }
}

/// An event of a stream.
#[derive(Clone, Copy, Debug)]
pub enum StreamEvent<'a> {
    /// One frame appended `new` bytes; segments begin at these offsets.
    Data {
        /// The number of new bytes.
        new: usize,
        /// The offsets within the new bytes at which TCP segments begin.
        segments: &'a [usize],
        /// The frame that delivered them.
        frame: u64,
    },
    /// Bytes are missing after those in the stream: a partial message can never be completed.
    /// Afterwards the stream is cleared, and the next data starts after the gap.
    Gap {
        /// The number of missing bytes.
        missing: u64,
    },
    /// The direction has ended: incomplete messages are never completed.
    End,
}

/// The state of one conversation.
pub trait Session: Send {
    /// Reads a datagram.
    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>);

    /// Processes an event of one direction's stream; bytes are taken with [`Stream::consume`].
    fn stream(&mut self, _side: Side, _stream: &mut Stream, _event: StreamEvent<'_>, _out: &mut Out<'_>) {}

    /// Returns the address of a server whose UDP conversations belong to this one, announced since the last call, and
    /// the session for them.
    fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        None
    }

    /// Whether the state affects the reading of other conversations, so that one thread has to read them all. True if
    /// the session [expects](Self::expects) others. The result must never change.
    fn affects_others(&self) -> bool {
        false
    }

    /// The client's side, if the messages have revealed it: its direction ends first if a capture ends both.
    fn client(&self) -> Option<Side> {
        None
    }

    /// The server's side, if addresses or messages have revealed it.
    fn server(&self, flow_info: &FlowInfo<'_>) -> Option<Side> {
        self.client().map(Side::other).or(flow_info.server_by_syn())
    }

    /// The approximate number of bytes in the state that grow with the traffic: the flow table evicts the conversations
    /// idle for longest when the sum exceeds a cap.
    fn memory(&self) -> usize {
        0
    }

    /// Calls back for each part of the state that is shared with other conversations, with its key and bytes. Equal
    /// keys are the same part, which is counted once. Whenever the parts change, [`memory`](Self::memory) must change
    /// too.
    fn shared(&self, _each: &mut dyn FnMut(u64, usize)) {}

    /// The offset of an incomplete message in a side's stream, if some but not all of its carrier's frames have
    /// arrived. `None` if there is none, or if nothing is read before a message is complete.
    fn begun(&self, _side: Side) -> Option<u64> {
        None
    }

    /// The session for another conversation of the same server, which is the side `server` there. It receives the
    /// information that the server sends only once.
    fn sibling(&self, _flow_info: &FlowInfo<'_>, _server: Option<Side>) -> Option<Box<dyn Session>> {
        None
    }

    /// Whether all information that the server sends only once is known, except for its side.
    fn settled(&self) -> bool {
        true
    }
}

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
