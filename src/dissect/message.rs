//! One dissected message on its way from a session to whoever prints, filters or counts it.

use super::delivery::Event;
use super::flow_info::{FlowInfo, Role};
use super::scratch::Scratch;
use crate::capture::Time;
use crate::codec::{Fault, Level, Notes, Outcome, Sources, Tree};
use crate::flow::{End, Side, Stream};

/// Where a message was: which bytes, which frames, when, which way.
#[derive(Clone, Copy, Debug)]
pub struct Provenance<'a> {
    /// The side that sent it.
    pub side: Side,
    /// The message's bytes, as far as the capture holds them.
    pub bytes: &'a [u8],
    /// How many bytes it had on the wire.
    pub length: usize,
    /// The frame that completed it, from 1; 0 where there are no frames (`dump`).
    pub frame: u64,
    /// All frames it came in, where they are several.
    pub frames: &'a [u64],
    /// When `frame` was captured.
    pub time: Time,
}

impl<'a> Provenance<'a> {
    /// The place of a message in a stream: `length` bytes, `skip` bytes behind the first unread one.
    /// `frames` is memory to be reused.
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

/// What a session says about the message at hand. Cleared and reused.
#[derive(Clone, Debug, Default)]
pub struct Dissection {
    /// The line's protocol: the dissector's, or its carrier's.
    pub proto: &'static str,
    /// The message's name.
    pub message: &'static str,
    /// The protocol's version, where it has several and it is known.
    pub version: Option<&'static str>,
    /// Who sent it.
    pub from: Role,
    /// The fields on the wire.
    pub tree: Tree,
    /// Values known from elsewhere, shown beside the fields.
    pub derived: Tree,
    /// What the analysis says.
    pub notes: Notes,
    /// What broke.
    pub fault: Option<Fault>,
    /// The schema by which its payload was read, where that is shown beside the fields.
    pub schema: Option<&'static str>,
    /// What it says about delivery.
    pub delivery: Vec<Event>,
    /// Memory for whoever fills the draft.
    pub scratch: Scratch,
    /// Joined, unmasked or inflated bytes: sources 1 and up. Use [`Dissection::source`].
    more: Vec<Vec<u8>>,
    used: usize,
}

impl Dissection {
    /// Forgets everything, keeps the memory.
    pub fn clear(&mut self) {
        self.proto = "";
        self.message = "";
        self.version = None;
        self.from = Role::Unknown;
        self.tree.clear();
        self.derived.clear();
        self.notes.clear();
        self.fault = None;
        self.schema = None;
        self.delivery.clear();
        self.used = 0;
    }

    /// Takes over how a reading ended.
    pub fn ended(&mut self, outcome: Outcome) {
        self.fault = outcome.fault();
    }

    /// A new source for nodes to refer to, empty: its number, and the buffer to fill.
    ///
    /// At most 255 of them; more share the last one's number and are lost to display.
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

    /// The buffer of a source made before, to be filled later.
    pub fn buffer(&mut self, source: u8) -> Option<&mut Vec<u8>> {
        let used = self.used;
        self.more.get_mut(..used)?.get_mut((source as usize).checked_sub(1)?)
    }

    /// All sources, `main` being the message's own bytes.
    pub fn sources<'a>(&'a self, main: &'a [u8]) -> Sources<'a> {
        Sources { main, more: &self.more[..self.used] }
    }
}

/// A finished message: what the renderers, filters and statistics see.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// What it says.
    pub dissection: &'a Dissection,
    /// Where it was.
    pub place: &'a Provenance<'a>,
    /// The conversation.
    pub flow_info: &'a FlowInfo<'a>,
    /// Text of both ends, `ADDR:PORT`; empty in `dump`.
    pub names: [&'a str; 2],
}

impl<'a> Message<'a> {
    /// The bytes that the nodes' ranges refer to.
    pub fn sources(&self) -> Sources<'a> {
        self.dissection.sources(self.place.bytes)
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

/// Whoever wants the messages.
pub trait Sink {
    /// One message, in order.
    fn message(&mut self, message: &Message<'_>);

    /// A conversation ended, or the capture did: once for each conversation of which a message was
    /// told, with how each direction ended. Those without a message are not told.
    fn ended(&mut self, _flow: u64, _how: [Option<End>; 2]) {}

    /// What comes from now on is of another conversation, or of another packet of it: numbers that
    /// go up, by which what several threads say of a capture is put in order.
    fn sequence(&mut self, _turn: u64) {}

    /// Several threads read: is there enough to be [handed over](Self::hand_over)?
    fn full(&self) -> bool {
        false
    }

    /// Several threads read, and this one is about to wait for others, who may wait for what it has
    /// said so far.
    fn hand_over(&mut self) {}
}

/// Where a session writes its messages: a draft to fill, and the sink that gets it.
pub struct Out<'a> {
    /// The message being made. [`Out::begin`] clears it.
    pub dissection: &'a mut Dissection,
    /// Who gets it.
    pub sink: &'a mut dyn Sink,
    /// The conversation.
    pub flow_info: &'a FlowInfo<'a>,
    /// Text of both ends.
    pub names: [&'a str; 2],
    broken: bool,
    told: u64,
}

impl<'a> Out<'a> {
    /// Messages made in `dissection`, for `sink`, of the conversation `flow_info` between the ends `names`.
    #[inline]
    pub fn new(
        dissection: &'a mut Dissection,
        sink: &'a mut dyn Sink,
        flow_info: &'a FlowInfo<'a>,
        names: [&'a str; 2],
    ) -> Out<'a> {
        Out { dissection, sink, flow_info, names, broken: false, told: 0 }
    }

    /// Was one of the messages so far none that its protocol would send?
    pub(super) fn broken(&self) -> bool {
        self.broken
    }

    /// How many messages were handed on.
    pub(super) fn told(&self) -> u64 {
        self.told
    }

    /// What is being read can hardly be a message of its protocol, though it has the form of one.
    pub fn doubt(&mut self) {
        self.broken = true;
    }

    /// Begins a message of `proto`.
    pub fn begin(&mut self, proto: &'static str) -> &mut Dissection {
        self.dissection.clear();
        self.dissection.proto = proto;
        self.dissection
    }

    /// The draft is complete: hands it on.
    pub fn emit(&mut self, place: &Provenance<'_>) {
        let Dissection { fault, notes, .. } = &*self.dissection;
        self.told += 1;
        self.broken |= fault.is_some() || !notes.is_empty() && notes.worst() >= Some(Level::Warning);
        self.sink.message(&Message {
            dissection: self.dissection,
            place,
            flow_info: self.flow_info,
            names: self.names,
        });
    }
}
