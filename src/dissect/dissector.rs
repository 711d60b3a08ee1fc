//! What a protocol has to say for itself: its tables, how it is recognised, a conversation's memory.

use super::flow_info::{FlowInfo, Role};
use super::message::{Out, Provenance};
use super::options::Options;
use crate::codec::layout::Field;
use crate::codec::schema::Encoding;
use crate::codec::{EncodeError, Layout};
use crate::flow::{Side, Stream, Transport};
use serde_json::Value as Json;
use std::net::SocketAddr;

/// A protocol: static, stateless. What a conversation remembers is its [`Session`]'s.
pub trait Dissector: Sync {
    /// The name on the command line and in the output: `riptide`.
    fn name(&self) -> &'static str;

    /// One line about it.
    fn about(&self) -> &'static str;

    /// Carriers whose lines its conversations have too.
    fn carriers(&self) -> &'static [&'static str] {
        &[]
    }

    /// The layouts of its messages, by version and direction.
    fn tables(&self) -> &'static [Table];

    /// The values that its analysis adds beside the fields, for documentation and filters.
    fn derived(&self) -> &'static [&'static Field] {
        &[]
    }

    /// The `-s` settings it takes.
    fn settings(&self) -> &'static [Setting];

    /// The notes it may raise.
    fn notes(&self) -> &'static [NoteDoc];

    /// Does `-p` take every conversation of this kind for its own? `named`: by `--port`.
    fn takes(&self, transport: Transport, named: bool) -> bool;

    /// Is this conversation of this protocol? Asked again as more is said, until somebody has
    /// [enough evidence](Evidence::CLAIM), or nobody takes it.
    fn identify(&self, observation: &Observation<'_>) -> Evidence;

    /// The memory for a new conversation.
    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session>;

    /// The port that its servers usually have: where messages without an address are written to.
    fn port(&self) -> Option<u16> {
        None
    }

    /// How `dump` reads bytes that come without a transport: as a datagram, or as one direction
    /// of a stream.
    fn dump_transport(&self, _options: &Options) -> Transport {
        Transport::Udp
    }

    /// How values are encoded in payloads, for the users' schemas; empty: it takes none.
    fn encodings(&self) -> &'static [Encoding] {
        &[]
    }

    /// The memory for encoding a sequence of messages.
    fn encoder(&self, options: &Options) -> Box<dyn Encoder>;
}

impl std::fmt::Debug for dyn Dissector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The layouts of one version (and direction) of a protocol.
#[derive(Debug)]
pub struct Table {
    /// The version, as in the output's `version`; empty where there is but one.
    pub version: &'static str,
    /// Who sends these messages; unknown: both.
    pub from: Role,
    /// The layouts.
    pub layouts: &'static [Layout],
}

/// A protocol's `-s KEY=VALUE`.
#[derive(Debug)]
pub struct Setting {
    /// `riptide.version`.
    pub key: &'static str,
    /// What holds when it is not given.
    pub default: &'static str,
    /// The words it takes; empty: see `check`.
    pub values: &'static [&'static str],
    /// Is any other text right? The error says what was expected.
    pub parse: fn(&str) -> Result<(), String>,
    /// What it is for.
    pub doc: &'static str,
}

impl Setting {
    /// Is this value right?
    ///
    /// # Errors
    /// What was expected.
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
    /// Its code.
    pub code: &'static str,
    /// `note`, `warning`, `error`.
    pub level: &'static str,
    /// When it is raised.
    pub doc: &'static str,
}

/// What is seen of a conversation whose protocol is not known yet.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// UDP or TCP.
    pub transport: Transport,
    /// Both ends.
    pub ends: [SocketAddr; 2],
    /// UDP: the datagrams so far, at most a few, with their length on the wire.
    /// TCP: one entry a side that has spoken: the first bytes of its stream.
    pub payloads: &'a [(Side, &'a [u8], usize)],
    /// TCP: is the direction's SYN in the capture, so that `said` is its beginning?
    pub begun: [bool; 2],
    /// No more will be said before it is decided.
    pub last: bool,
    /// What the user said.
    pub options: &'a Options,
}

/// What speaks for a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// It is not this one.
    No,
    /// Nothing speaks against it, and so many bits for it, with the reason: what is none of it
    /// would look like this in one of 2^bits conversations. Beside each rule stands where its bits
    /// come from. What other protocols do as well counts little or nothing: a constant first byte
    /// counts once, a counter in whole bytes, an echo and a copy count nothing by themselves, zeros
    /// less than their bits.
    Bits(u32, &'static str),
}

impl Evidence {
    /// From so many bits on a conversation is claimed: one error in 10^6 are 19.93 bits.
    pub const CLAIM: u32 = 20;
    /// The same, where another conversation of one of the two ends has been claimed for the same
    /// protocol: one in a thousand.
    pub const KNOWN: u32 = 10;

    /// Does it suffice?
    pub fn suffices(self, known: bool) -> bool {
        matches!(self, Evidence::Bits(bits, _) if bits >= if known { Evidence::KNOWN } else { Evidence::CLAIM })
    }
}

/// A note's documentation, as the protocols' lists write it.
pub const fn note(code: &'static str, level: &'static str, doc: &'static str) -> NoteDoc {
    NoteDoc { code, level, doc }
}

/// What happened in a stream.
#[derive(Clone, Copy, Debug)]
pub enum StreamEvent<'a> {
    /// Bytes were appended by one frame: `new` bytes, whose segments begin at these offsets of them.
    Data {
        /// How many bytes are new.
        new: usize,
        /// Where TCP segments begin within the new bytes.
        segments: &'a [usize],
        /// The frame that delivered them.
        frame: u64,
    },
    /// Bytes are missing behind those that are there: what was begun can never be completed.
    /// Afterwards the stream is emptied, and the next data is what stands behind the hole.
    Gap {
        /// How many bytes are missing.
        missing: u64,
    },
    /// The direction has ended: what is unread will never be completed.
    End,
}

/// One conversation's memory.
pub trait Session: Send {
    /// A datagram came.
    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>);

    /// Something happened in one direction's stream; read from it with [`Stream::consume`].
    fn stream(&mut self, _side: Side, _stream: &mut Stream, _event: StreamEvent<'_>, _out: &mut Out<'_>) {}

    /// Addresses of servers whose UDP conversations belong to this one, since the last call; and
    /// the session for them.
    fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        None
    }

    /// Does what it learns change how other conversations are read, so that one thread has to read
    /// them all? So do all that [expect](Self::expects) others. The answer never changes.
    fn affects_others(&self) -> bool {
        false
    }

    /// The client's side, where what was said has told it: its direction ends first when a capture
    /// ends both.
    fn client(&self) -> Option<Side> {
        None
    }

    /// About how many bytes it holds that grow with what was said: the flow table gives up the
    /// conversations that were silent longest where all of them together hold too much.
    fn memory(&self) -> usize {
        0
    }

    /// What it holds together with other conversations, beside its own: what each part is known by,
    /// and its bytes. Equal keys are the same part, which is counted once. Where they change,
    /// [`memory`](Self::memory) has to.
    fn shared(&self, _each: &mut dyn FnMut(u64, usize)) {}

    /// Another conversation of the same server: the session for it.
    fn sibling(&self) -> Option<Box<dyn Session>> {
        None
    }
}

/// One message to be written.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The message's name.
    pub message: &'a str,
    /// The line's `proto`: the dissector's own, or its carrier's.
    pub proto: &'a str,
    /// The version given.
    pub version: Option<&'a str>,
    /// Who sends it.
    pub from: Role,
    /// Its conversation's number; 0 where none is given.
    pub flow: u64,
    /// The fields.
    pub fields: &'a Json,
    /// The derived values.
    pub derived: Option<&'a Json>,
    /// The message broke when it was read.
    pub broken: bool,
}

/// Writes messages; remembers what later ones need to know of earlier ones.
pub trait Encoder {
    /// The message's bytes.
    ///
    /// # Errors
    /// The path of what is wrong, and what was expected.
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError>;

    /// What this protocol puts around a message in a stream, or `None` where it has no stream form.
    fn frame(&self, _message: &[u8], _line: &Line<'_>) -> Option<Vec<u8>> {
        None
    }

    /// The message as a WebSocket message, masked where a client sends it; `None` where the
    /// protocol is not spoken over WebSocket.
    fn websocket(&self, _message: &[u8], _line: &Line<'_>) -> Option<Vec<u8>> {
        None
    }
}
