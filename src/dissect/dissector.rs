//! The interface of a protocol: its tables, its recognition, its state for a conversation; and the protocols of a run.

use super::decision::Decision;
use super::encoder::Encoder;
use super::facts::Facts;
use super::flow_info::FlowInfo;
use super::message::{Out, Provenance};
use super::options::Options;
use super::role::Role;
use crate::capture::Time;
use crate::codec::Layout;
use crate::codec::layout::Field;
use crate::flow::{Side, Stream, Transport};
use std::net::SocketAddr;
use std::sync::Arc;

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
#[non_exhaustive]
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
    /// Whether there are fewer than eight datagrams, more may follow, and the server is not known.
    pub few: bool,
    /// The time of the last of the payloads; `None` for bytes without a capture.
    pub time: Option<Time>,
    /// The user's options.
    pub options: &'a Options,
}

impl<'a> Observation<'a> {
    /// The observation on which a decision was based.
    pub fn again(decision: &Decision<'a>, options: &'a Options) -> Observation<'a> {
        let Decision { transport, ends, payloads, begun, time, .. } = *decision;
        Observation { transport, ends, payloads, begun, last: true, few: false, time, options }
    }

    /// The number of packets from which on numbers that do not fit have had the time to show.
    pub(crate) const FEW: usize = 8;

    /// The most bits that these fixed bytes can rule out: three for each length, and for each byte as many as the
    /// conversation's bytes have: one if they have two or three values.
    pub(crate) fn most_bits(&self, fixed: [&[u8]; 2]) -> u32 {
        let mut values = [false; 256];
        self.payloads.iter().flat_map(|(_, bytes, _)| *bytes).for_each(|byte| values[usize::from(*byte)] = true);
        let each = values.iter().filter(|seen| **seen).count().max(1).ilog2();
        fixed.iter().map(|bytes| 3 + each * bytes.len() as u32).sum()
    }

    /// The part of these bits that counts while datagrams are few: the first datagrams of another protocol may fit, and
    /// a later one that does not takes off 6.
    pub(crate) fn early(&self, bits: u32) -> u32 {
        bits.saturating_sub(if self.few { 6 } else { 0 })
    }

    /// The conversation, as a session knows it.
    pub(crate) fn flow_info(&self) -> FlowInfo<'a> {
        let Observation { transport, ends, begun, options, .. } = *self;
        FlowInfo { ends: Some(ends), begun, ..FlowInfo::alone(transport, options) }
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

/// The documentation of a note for information, for the protocols' lists.
pub const fn note(code: &'static str, doc: &'static str) -> NoteDoc {
    NoteDoc { code, level: "note", doc }
}

/// The documentation of a warning.
pub const fn warning(code: &'static str, doc: &'static str) -> NoteDoc {
    NoteDoc { code, level: "warning", doc }
}

/// The documentation of an error.
pub const fn error(code: &'static str, doc: &'static str) -> NoteDoc {
    NoteDoc { code, level: "error", doc }
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
    End {
        /// The number of bytes that were sent after those in the stream and are not in the capture.
        missing: u64,
    },
}

/// The state of one conversation.
pub trait Session: Send {
    /// Reads a datagram.
    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>);

    /// Reads a datagram of a conversation of another protocol, which does not fit that one, if it fits this one and
    /// rules out at least these bits. False: it was not read. Only called if
    /// [`Facts::reads_offered`](super::Facts::reads_offered) is set.
    fn offered(&mut self, _place: &Provenance<'_>, _bits: u32, _out: &mut Out<'_>) -> bool {
        false
    }

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
    /// keys are the same part, which is counted once.
    fn shared(&self, _each: &mut dyn FnMut(u64, usize)) {}

    /// The offset of an incomplete message in a side's stream, if some but not all of its carrier's frames have
    /// arrived. `None` if there is none, or if nothing is read before a message is complete.
    fn begun(&self, _side: Side) -> Option<u64> {
        None
    }

    /// Takes over the server's side from other conversations with the same endpoint. No effect if this conversation has
    /// revealed it already.
    fn set_server(&mut self, _server: Side) {}

    /// The session for another conversation of the same server. It receives the information that the server sends only
    /// once.
    fn sibling(&self, _flow_info: &FlowInfo<'_>) -> Option<Box<dyn Session>> {
        None
    }

    /// Whether messages of both sides agree as those of another protocol would not: a response has the long key of its
    /// request.
    fn agrees(&self) -> bool {
        false
    }

    /// Whether all information that the server sends only once is known, except for its side.
    fn settled(&self) -> bool {
        true
    }
}

/// The known dissectors, in the order in which they are listed and asked.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    dissectors: Arc<[&'static dyn Dissector]>,
}

impl Registry {
    /// A registry of these dissectors. If two have the same name, the first is taken.
    pub fn new(dissectors: impl IntoIterator<Item = &'static dyn Dissector>) -> Registry {
        let mut list: Vec<&'static dyn Dissector> = Vec::new();
        for dissector in dissectors {
            if list.iter().all(|d| d.name() != dissector.name()) {
                list.push(dissector);
            }
        }
        Registry { dissectors: list.into() }
    }

    /// Adds a dissector, which is asked first. One with the same name is replaced.
    #[must_use]
    pub fn with(&self, dissector: &'static dyn Dissector) -> Registry {
        Registry::new(std::iter::once(dissector).chain(self.iter()))
    }

    /// All dissectors.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn Dissector> + '_ {
        self.dissectors.iter().copied()
    }

    /// The dissector of this name.
    pub fn by_name(&self, name: &str) -> Option<&'static dyn Dissector> {
        self.iter().find(|d| d.name() == name)
    }

    /// The dissector for lines with this `proto`: the name of a dissector or of its carrier.
    pub fn for_line(&self, proto: &str) -> Option<&'static dyn Dissector> {
        self.by_name(proto).or_else(|| self.iter().find(|d| d.carriers().contains(&proto)))
    }

    /// The `proto` names that lines may have: of the dissectors and of their carriers.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.iter().flat_map(|d| std::iter::once(d.name()).chain(d.carriers().iter().copied()))
    }

    /// The names of all messages.
    pub fn messages(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.iter().flat_map(|d| d.tables()).flat_map(|table| table.layouts).map(|layout| layout.name)
    }
}
