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

/// A protocol: static and stateless. The state for a conversation is in its [`Session`]. What it says of
/// itself is in its [`Facts`], each of which can be asked of a `dyn Dissector`.
pub trait Dissector: Sync {
    /// What is constant of it.
    fn facts(&self) -> &Facts;

    /// How likely is it that the conversation, over one of its transports, is of this protocol? Called again
    /// with more payloads until some dissector has [enough evidence](Evidence::CLAIM), or a cap is reached.
    fn identify(&self, observation: &Observation<'_>) -> Evidence;

    /// The state for a new conversation.
    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session>;

    /// The state for encoding a sequence of messages.
    fn encoder(&self, options: &Options) -> Box<dyn Encoder>;
}

impl std::fmt::Debug for dyn Dissector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Messages that only one of the sides sends, by name.
pub type Senders = &'static [(Role, &'static [&'static str])];

/// Where a stream's messages name ports for datagrams beside it: message and field.
#[derive(Clone, Copy, Debug)]
pub struct PortNames {
    /// The server's port, for this client.
    pub offer: (&'static str, &'static Field),
    /// The client's.
    pub answer: (&'static str, &'static Field),
}

/// The layouts of one version (and direction) of a protocol.
#[derive(Debug)]
pub struct Table {
    /// The version, as in the output's `version`; empty if there is only one.
    pub version: &'static str,
    /// The sender's role; unknown: both.
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
    /// The values it accepts; empty: see `parse`.
    pub values: &'static [&'static str],
    /// Checks any other text. The error tells what was expected.
    pub parse: fn(&str) -> Result<(), String>,
    /// What it does.
    pub doc: &'static str,
}

impl Setting {
    /// One of these values, the first by default.
    pub(crate) const fn among(key: &'static str, values: &'static [&'static str], doc: &'static str) -> Setting {
        Setting { key, default: values[0], values, parse: |_| Ok(()), doc }
    }

    /// Any text that is checked.
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
    /// If it is invalid: what was expected.
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
    /// When it is raised.
    pub doc: &'static str,
}

/// What was observed of a conversation whose protocol is not known yet.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// UDP or TCP.
    pub transport: Transport,
    /// Both ends.
    pub ends: [SocketAddr; 2],
    /// UDP: the first datagrams, with their length on the wire. TCP: one entry per side that has
    /// sent data: the first bytes of its stream.
    pub payloads: &'a [(Side, &'a [u8], usize)],
    /// TCP: is the direction's SYN in the capture, so that its payload starts at the first byte?
    pub begun: [bool; 2],
    /// No more payload will follow before the decision.
    pub last: bool,
    /// The user's options.
    pub options: &'a Options,
}

impl<'a> Observation<'a> {
    /// What a decision was made from, once more.
    pub fn again(decision: &Decision<'a>, options: &'a Options) -> Observation<'a> {
        let Decision { transport, ends, payloads, begun, .. } = *decision;
        Observation { transport, ends, payloads, begun, last: true, options }
    }
}

/// The evidence for a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// It is not this protocol.
    No,
    /// Consistent with it, with this many bits of evidence and the reason: traffic of another kind
    /// looks like this in one of 2^bits conversations. Each rule documents the origin of its bits.
    /// Features that other protocols share count little or nothing: a constant first byte counts
    /// once, a counter in whole bytes, an echo and a copy count nothing by themselves, zeros less
    /// than their bits.
    Bits(u32, &'static str),
}

impl Evidence {
    /// The evidence needed to claim a conversation: an error rate of 10^-6 is 19.93 bits.
    pub const CLAIM: u32 = 20;
    /// The same, if another conversation of one of the two ends has been claimed for the same
    /// protocol: an error rate of 10^-3.
    pub const KNOWN: u32 = 10;
    /// The same for a conversation with a server of the protocol, if no more of it will follow: it has
    /// only to fit.
    pub const FITS: u32 = 5;

    /// Is the evidence sufficient?
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
    /// One frame appended `new` bytes, in which segments begin at these offsets.
    Data {
        /// How many bytes are new.
        new: usize,
        /// Where TCP segments begin within the new bytes.
        segments: &'a [usize],
        /// The frame that delivered them.
        frame: u64,
    },
    /// Bytes are missing after those in the stream: a partial message can never be completed.
    /// Afterwards the stream is cleared, and the next data starts after the gap.
    Gap {
        /// How many bytes are missing.
        missing: u64,
    },
    /// The direction has ended: unread bytes will never be completed.
    End,
}

/// The state of one conversation.
pub trait Session: Send {
    /// A datagram arrived.
    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>);

    /// An event of one direction's stream; read from it with [`Stream::consume`].
    fn stream(&mut self, _side: Side, _stream: &mut Stream, _event: StreamEvent<'_>, _out: &mut Out<'_>) {}

    /// The address of a server whose UDP conversations belong to this one, announced since the last
    /// call, and the session for them.
    fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        None
    }

    /// Does its state change how other conversations are read, so that one thread has to read them
    /// all? True for all that [expect](Self::expects) others. The answer must never change.
    fn affects_others(&self) -> bool {
        false
    }

    /// The client's side, if the messages have revealed it: its direction ends first when a capture
    /// ends both.
    fn client(&self) -> Option<Side> {
        None
    }

    /// The server's side, if addresses or messages have revealed it.
    fn server(&self, flow_info: &FlowInfo<'_>) -> Option<Side> {
        self.client().map(Side::other).or(flow_info.server_by_syn())
    }

    /// About how many bytes of its state grow with the traffic: the flow table evicts the longest
    /// idle conversations when all of them together exceed a cap.
    fn memory(&self) -> usize {
        0
    }

    /// The parts of its state that are shared with other conversations: key and bytes. Equal keys
    /// are the same part, which is counted once. Whenever they change, [`memory`](Self::memory)
    /// must change too.
    fn shared(&self, _each: &mut dyn FnMut(u64, usize)) {}

    /// Where the message begins in a side's stream of which the carrier has some frames, but not
    /// the last one; `None`: there is none, or nothing is read before it is whole.
    fn begun(&self, _side: Side) -> Option<u64> {
        None
    }

    /// The session for another conversation of the same server, which is that `server` there: with what
    /// the server says once.
    fn sibling(&self, _flow_info: &FlowInfo<'_>, _server: Option<Side>) -> Option<Box<dyn Session>> {
        None
    }

    /// Is everything known that the server says once, its side excepted?
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
    /// Its conversation's number; 0 where none is given.
    pub flow: u64,
    /// The fields.
    pub fields: &'a Json,
    /// The derived values.
    pub derived: Option<&'a Json>,
    /// The fields of the headers around it.
    pub packet: Option<&'a Json>,
    /// Its place among the messages of a packet, from 1, and how many these are.
    pub part: Option<(u64, u64)>,
    /// The message was broken when it was read.
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
    /// The path of the invalid field, and what was expected.
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError>;

    /// Whether later messages are written by what this one says: one of another kind need not be
    /// encoded where its bytes are known.
    fn remembers(&self, _proto: &str, _message: &str) -> bool {
        true
    }

    /// As [`encode`](Self::encode), for messages of which several make a packet: `None` until the
    /// last of them is there, then the packet's bytes.
    ///
    /// # Errors
    /// As [`encode`](Self::encode).
    fn part(&mut self, line: &Line<'_>) -> Result<Option<Vec<u8>>, EncodeError> {
        self.encode(line).map(Some)
    }

    /// There is no more of what was begun: why the packet cannot be written.
    fn unfinished(&mut self) -> Option<EncodeError> {
        None
    }

    /// The message in the protocol's own framing for streams; `None` if it has none.
    fn frame(&self, _message: &[u8], _line: &Line<'_>) -> Option<Vec<u8>> {
        None
    }

    /// The message as a WebSocket message, masked if a client sends it; `None` if the protocol is
    /// not used over WebSocket.
    fn websocket(&self, _message: &[u8], _line: &Line<'_>) -> Option<Vec<u8>> {
        None
    }

    /// What writes the carrier's frames anew for one conversation; `None`: there is no carrier.
    fn rewriter(&self) -> Option<Box<dyn Rewriter>> {
        None
    }
}

/// Writes the frames of a carrier anew where a message of a conversation is changed on its way. It
/// has to meet all frames of both directions in their order: earlier ones say how later ones are
/// written.
pub trait Rewriter: Send {
    /// The next frames of a side (or the carrier's head). `old`: the message in them, as it was read;
    /// `None`: nobody needs it. `new`: what goes instead, each in frames of its own; `None`: they
    /// pass as they are. Returns what is sent; `None`: the very bytes.
    ///
    /// # Errors
    /// Why they cannot be changed: they pass as they are.
    fn frames(
        &mut self,
        side: Side,
        bytes: &[u8],
        old: Option<&[u8]>,
        new: Option<&[&[u8]]>,
    ) -> Result<Option<Vec<u8>>, &'static str>;

    /// Does a side's stream have to be made anew from now on, so that nothing of it may pass by?
    fn binds(&self, side: Side) -> bool;

    /// Frames of a side have passed unseen.
    fn missed(&mut self, side: Side);
}
