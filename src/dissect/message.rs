//! A dissected message, passed from a session to renderers, filters and statistics.

use super::decision::{Closed, Decision};
use super::delivery::Events;
use super::dissector::{NoteDoc, warning};
use super::farewell::Farewell;
use super::flow_info::FlowInfo;
use super::relations::{self, FrameLines, RelatedNote, Relations, Target};
use super::role::Role;
use super::scratch::Scratch;
use super::wants::Wants;
use crate::capture::Time;
use crate::codec::{Fault, Level, Notes, Outcome, Sources, Tree};
use crate::flow::{Closing, End, Side, Stream, Transport};

/// The origin of a message: bytes, frames, time, direction.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// The side that sent it.
    pub side: Side,
    /// The captured bytes of the message.
    pub bytes: &'a [u8],
    /// The message's length on the wire.
    pub length: usize,
    /// The frame that completed it, from 1; 0 if there are no frames (`dump`).
    pub frame: u64,
    /// All its frames, if there are several.
    pub frames: &'a [u64],
    /// The capture time of `frame`.
    pub time: Time,
}

impl<'a> Provenance<'a> {
    /// The provenance of a message in a stream: `length` bytes, starting `skip` bytes after the first unread one.
    /// `frames` is reused memory.
    pub fn in_stream(
        side: Side,
        stream: &'a Stream,
        skip: usize,
        length: usize,
        frames: &'a mut Vec<u64>,
    ) -> Provenance<'a> {
        let bytes = stream.bytes().get(skip..skip + length).unwrap_or(&[]);
        let end = stream.offset() + (skip + length) as u64;
        let origin = stream.origin(end.saturating_sub(1).max(stream.offset())).unwrap_or_default();
        stream.frames_of(stream.offset()..end, frames);
        if frames.len() < 2 {
            frames.clear();
        }
        Provenance { side, bytes, length, frame: origin.frame, frames, time: origin.time }
    }
}

/// The kind of bytes of a [`Unit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitKind {
    /// A message in the protocol's own framing.
    Framed,
    /// A line of the carrier, in the carrier's own bytes.
    Carrier,
    /// A carrier's frames: in them the message is masked, compressed or split, and may be one of several.
    Carried,
}

/// The bytes of a stream that contain a message: its frame, or the frames of its carrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The offset of the first byte in the stream.
    pub start: u64,
    /// The offset after the last byte.
    pub end: u64,
    /// The kind of bytes.
    pub kind: UnitKind,
}

/// The dissection of the current message. Cleared and reused.
#[derive(Clone, Debug, Default)]
pub struct Dissection {
    /// The message's protocol: the dissector's, or its carrier's.
    pub proto: &'static str,
    /// The message's name.
    pub message: &'static str,
    /// The protocol's version, if it has several and it is known.
    pub version: Option<&'static str>,
    /// The sender's role.
    pub from: Role,
    /// The fields on the wire.
    pub tree: Tree,
    /// The fields of the headers around it, if packets contain messages.
    pub packet: Tree,
    /// The message's index among those of the packet, from 1, and their number, if there are several.
    pub part: Option<(u32, u32)>,
    /// Values known from other messages, printed in addition to the fields.
    pub derived: Tree,
    /// The notes of the analysis.
    pub notes: Notes,
    /// The relations to other messages.
    pub related: Relations,
    /// The message's index in its frame, see [`Target`]; set when it is emitted.
    pub index: u32,
    /// The message's bytes in its stream; `None` for datagrams, and if that is not known. Set when it is emitted.
    pub unit: Option<Unit>,
    /// The fault, if a field is broken.
    pub fault: Option<Fault>,
    /// The schema of its payload, if the payload is printed in addition to the fields.
    pub schema: Option<&'static str>,
    /// The message's delivery events.
    pub delivery: Events,
    /// The words with which it refuses or ends a connection.
    pub farewell: Option<Box<Farewell>>,
    /// Scratch memory for the session.
    pub scratch: Scratch,
    wants: Wants,
    /// The frame of the conversation's previous message, and the number of messages in that frame so far.
    line: (u64, u32),
    /// Reassembled, unmasked or inflated bytes: sources 1 and up. Use [`Dissection::source`].
    more: Vec<Vec<u8>>,
    used: usize,
}

impl Dissection {
    /// Clears everything, but keeps the memory.
    pub fn clear(&mut self) {
        self.proto = "";
        self.message = "";
        self.version = None;
        self.from = Role::Unknown;
        self.tree.clear();
        // Most messages have neither.
        for tree in [&mut self.packet, &mut self.derived] {
            if tree.is_empty() { tree.set_source(0) } else { tree.clear() }
        }
        self.part = None;
        self.notes.clear();
        self.related.clear();
        self.fault = None;
        self.schema = None;
        self.delivery.clear();
        self.farewell = None;
        self.used = 0;
    }

    /// Sets the parts that are made from the next message on.
    pub fn set_wants(&mut self, wants: Wants) {
        self.wants = wants;
        self.delivery.leave_out(!wants.delivery);
        self.related.leave_out(!wants.relations);
        self.notes.leave_out_texts(!wants.notes);
        self.tree.without_tags = !wants.tags;
    }

    /// The parts of its messages that are read: a session need not make the others.
    #[inline]
    pub fn wants(&self) -> Wants {
        self.wants
    }

    /// Adds a note about other messages, together with the relations that its text mentions.
    #[inline]
    pub fn relate(&mut self, level: Level, code: &'static str, write: impl FnOnce(&mut RelatedNote<'_>)) {
        RelatedNote::write(&mut self.notes, &mut self.related, level, code, write);
    }

    /// The reference of later messages to the current one.
    pub fn target(&self, place: &Provenance<'_>) -> Target {
        Target { frame: place.frame, index: relations::place(self.line.0, self.line.1, place.frame) }
    }

    /// Stores the fault of a reader's outcome.
    pub fn ended(&mut self, outcome: Outcome) {
        // Faults are large, and nearly always there is none to be moved.
        if outcome.stop.is_some() || self.fault.is_some() {
            self.fault = outcome.fault();
        }
    }

    /// Adds an empty source for nodes to refer to. Returns its number, and the buffer to fill.
    ///
    /// At most 255 of them; further ones share the last one's number and are not printed.
    pub fn source(&mut self) -> (u8, &mut Vec<u8>) {
        if self.used < 255 {
            self.used += 1;
        }
        if self.more.len() < self.used {
            self.more.push(Vec::new());
        }
        let buffer = &mut self.more[self.used - 1];
        buffer.clear();
        (self.used as u8, buffer)
    }

    /// Swaps the sources with these, which are the message's until the next swap.
    pub(crate) fn exchange(&mut self, sources: &mut [Vec<u8>]) {
        self.used = sources.len().min(255);
        while self.more.len() < self.used {
            self.more.push(Vec::new());
        }
        self.more.iter_mut().zip(sources).for_each(|(own, other)| std::mem::swap(own, other));
    }

    /// The buffer of an existing source, for filling it later.
    pub fn buffer(&mut self, source: u8) -> Option<&mut Vec<u8>> {
        let used = self.used;
        self.more.get_mut(..used)?.get_mut((source as usize).checked_sub(1)?)
    }

    /// The additional sources, for changing them.
    pub(crate) fn buffers(&mut self) -> &mut [Vec<u8>] {
        &mut self.more[..self.used]
    }

    /// All sources, where `main` is the message's own bytes.
    #[inline]
    pub fn sources<'a>(&'a self, main: &'a [u8]) -> Sources<'a> {
        Sources { main, more: &self.more[..self.used] }
    }
}

/// A finished message, as passed to renderers, filters and statistics.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Message<'a> {
    /// The message's dissection.
    pub dissection: &'a Dissection,
    /// The message's provenance.
    pub place: &'a Provenance<'a>,
    /// The conversation.
    pub flow_info: &'a FlowInfo<'a>,
    /// Both addresses as text, `ADDR:PORT`; empty in `dump`.
    pub names: [&'a str; 2],
}

impl<'a> Message<'a> {
    /// The bytes that the nodes' ranges refer to.
    #[inline]
    pub fn sources(&self) -> Sources<'a> {
        self.dissection.sources(self.place.bytes)
    }

    /// The bytes that figures count: of a datagram all, also those that the capture has cut off; of a stream those that
    /// are there, since the others that a length announces follow on their own, or were never sent.
    #[inline]
    pub fn counted(&self) -> u64 {
        let Provenance { bytes, length, .. } = *self.place;
        let is_stream = self.flow_info.transport == Transport::Tcp;
        (if is_stream { length.min(bytes.len()) } else { length }) as u64
    }

    /// The sender's `ADDR:PORT`.
    pub fn src(&self) -> &'a str {
        self.names[self.place.side.index()]
    }

    /// The receiver's `ADDR:PORT`.
    pub fn dst(&self) -> &'a str {
        self.names[self.place.side.other().index()]
    }
}

/// A consumer of messages.
pub trait Sink {
    /// Receives a message, in order.
    fn message(&mut self, message: &Message<'_>);

    /// Receives the end of a conversation, or of the capture. Called once for each conversation with messages, with the
    /// end of each direction.
    fn ended(&mut self, _flow: u64, _how: Closing) {}

    /// Receives the number of bytes of a TCP direction that the capture lacks after the messages so far. Not called with
    /// several threads.
    fn gap(&mut self, _flow: u64, _side: Side, _missing: u64) {}

    /// Receives the end of a TCP direction, after its messages. Not called with several threads.
    fn direction_ended(&mut self, _flow: u64, _side: Side, _why: End) {}

    /// Receives the decision about a conversation's protocol, before its messages.
    fn decided(&mut self, _decision: &Decision<'_>) {}

    /// Receives a conversation that has ended, even one without messages. Not called with several threads.
    fn closed(&mut self, _closed: &Closed) {}

    /// Begins the output of another conversation or another packet. The numbers ascend; the output of several threads
    /// is ordered by them.
    fn sequence(&mut self, _sequence: u64) {}

    /// With several threads: whether there is enough to be [handed over](Self::hand_over).
    fn full(&self) -> bool {
        false
    }

    /// With several threads: this one is about to wait for others, which may wait for its messages so far.
    fn hand_over(&mut self) {}
}

/// A sink that drops the messages.
pub(crate) struct Nowhere;

impl Sink for Nowhere {
    fn message(&mut self, _message: &Message<'_>) {}
}

/// The note on bytes missing before a message, of any protocol over TCP.
pub(crate) const GAP: NoteDoc = warning("tcp.gap", "bytes of the stream are missing before this message");

/// A session's output: a dissection to fill, and the sink that receives it.
pub struct Out<'a> {
    /// The message being built. [`Out::begin`] clears it.
    pub dissection: &'a mut Dissection,
    /// The receiver.
    pub sink: &'a mut dyn Sink,
    /// The conversation.
    pub flow_info: &'a FlowInfo<'a>,
    /// Both addresses as text.
    pub names: [&'a str; 2],
    lines: Option<&'a mut FrameLines>,
    broken: bool,
    emitted: u64,
    /// The bytes of the messages that are being emitted, in their stream.
    pub unit: Option<Unit>,
}

impl<'a> Out<'a> {
    /// An output that builds messages in `dissection` and passes them to `sink`, for the conversation `flow_info`
    /// between the endpoints `names`.
    #[inline]
    pub fn new(
        dissection: &'a mut Dissection,
        sink: &'a mut dyn Sink,
        flow_info: &'a FlowInfo<'a>,
        names: [&'a str; 2],
    ) -> Out<'a> {
        Out { dissection, sink, flow_info, names, lines: None, broken: false, emitted: 0, unit: None }
    }

    /// Like [`Out::new`], and counts the messages of each frame.
    #[inline]
    pub(super) fn counting(
        lines: &'a mut FrameLines,
        dissection: &'a mut Dissection,
        sink: &'a mut dyn Sink,
        flow_info: &'a FlowInfo<'a>,
        names: [&'a str; 2],
    ) -> Out<'a> {
        dissection.line = lines.last();
        Out { dissection, sink, flow_info, names, lines: Some(lines), broken: false, emitted: 0, unit: None }
    }

    /// Whether one of the messages so far was invalid for its protocol.
    pub(super) fn broken(&self) -> bool {
        self.broken
    }

    /// The number of emitted messages.
    pub(super) fn emitted(&self) -> u64 {
        self.emitted
    }

    /// Marks the current message as unlikely to be of its protocol, although it has a valid form.
    pub fn doubt(&mut self) {
        self.broken = true;
    }

    /// Begins a message of `proto`.
    pub fn begin(&mut self, proto: &'static str) -> &mut Dissection {
        self.dissection.clear();
        self.dissection.proto = proto;
        self.dissection
    }

    /// Completes the message: passes it to the sink.
    #[inline]
    pub fn emit(&mut self, place: &Provenance<'_>) {
        let Dissection { fault, notes, .. } = &*self.dissection;
        self.emitted += 1;
        let broken = fault.is_some() || !notes.is_empty() && notes.worst() >= Some(Level::Warning);
        // After bytes that are missing in the capture, a message may be the rest of another one.
        self.broken |= broken && !notes.has(GAP.code);
        // The conversation's count is preferred to that of the dissection.
        let index = match &mut self.lines {
            Some(lines) => {
                let index = lines.emit(place.frame);
                if !self.dissection.related.is_empty() {
                    self.dissection.related.settle(lines);
                }
                index
            }
            None => self.dissection.target(place).index,
        };
        self.dissection.index = index;
        if index > 0 {
            self.dissection.line = (place.frame, index);
        }
        // Few messages are in streams.
        if self.unit.is_some() || self.dissection.unit.is_some() {
            self.dissection.unit = self.unit;
        }
        self.sink.message(&Message {
            dissection: self.dissection,
            place,
            flow_info: self.flow_info,
            names: self.names,
        });
    }
}
