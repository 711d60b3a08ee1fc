//! WebSocket (RFC 6455) as a carrier: the HTTP upgrade, frames, masks, fragments, permessage-deflate (RFC 7692). It is
//! independent of its content.
//!
//! A session asks the [`Carrier`] for one [`CarrierStep`] after another. The carrier emits its own lines, and returns
//! each message joined, unmasked and inflated.
//!
#![doc = include_str!("README.md")]

pub(crate) mod deflate;
pub(crate) mod encode;
pub(crate) mod frame;
pub(crate) mod http;
mod joined;
pub(crate) mod layout;
mod lines;
pub(crate) mod notes;
pub(crate) mod rewrite;
pub(crate) mod upgrade;

use crate::dissect::framed::StreamState;
use crate::dissect::limits::PeerCaps;
use crate::dissect::{Dissection, Out, Role, Roles};
use crate::flow::{Origin, Side, Stream};
use deflate::{Agreed, Inflater};
use frame::{Head, opcode};

/// The `proto` of the carrier's lines.
pub const NAME: &str = "websocket";

/// The fault of a message that ends before its last fragment.
const NO_LAST_FRAGMENT: &str = "the message's last fragment never arrived";

/// The most frames of one message that are listed: fragments without bytes could continue for ever.
pub const MOST_FRAMES: usize = 1 << 16;

/// The beginning of a direction's unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarrierStep {
    /// Nothing complete: more bytes are needed.
    Wait,
    /// Data of the carrier itself, emitted if it deserves a line. Ask again.
    Done,
    /// A message that is not empty: [`Carrier::take`] it.
    Message,
}

/// A complete message.
#[derive(Debug, Default)]
pub struct Carried {
    /// Its bytes: unmasked, joined, inflated.
    pub bytes: Vec<u8>,
    /// The origin of its last byte.
    pub origin: Origin,
    /// All frames that contain it.
    pub frames: Vec<u64>,
    /// It is from a client's frame without a mask.
    pub unmasked: bool,
    /// The number of bytes of the stream that are missing before it.
    pub gap: Option<u64>,
}

/// The reader of the messages in a [`Carrier`].
pub trait Content {
    /// The sides' roles.
    fn roles(&mut self) -> &mut Roles;

    /// Adds to one of the carrier's own lines, before it is emitted.
    fn line(&mut self, _side: Side, _dissection: &mut Dissection) {}
}

/// A reader without anything to add.
impl Content for Roles {
    fn roles(&mut self) -> &mut Roles {
        self
    }
}

/// The content of a direction at present.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// HTTP heads.
    #[default]
    Http,
    /// Frames.
    Frames,
}

/// The place of a message's beginning that is not in the capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unseen {
    /// The capture began after it.
    Before,
    /// It is in missing bytes.
    Missing,
}

impl Unseen {
    /// Describes bytes in which no frame begins, after this.
    const fn rest(self) -> &'static str {
        match self {
            Unseen::Before => "bytes of a frame that began before the capture",
            Unseen::Missing => "bytes of a frame that began in or before the missing bytes",
        }
    }

    /// Describes a continuation of no message in the capture.
    const fn continuation(unseen: Option<Unseen>) -> &'static str {
        match unseen {
            None => "a continuation frame without a message to continue",
            Some(Unseen::Before) => "a continuation of a message that began before the capture",
            Some(Unseen::Missing) => "a continuation of a message that began in or before the missing bytes",
        }
    }
}

/// The head of an incomplete message.
#[derive(Clone, Copy, Debug)]
struct Begun {
    opcode: u8,
    rsv: u8,
}

#[derive(Debug, Default)]
struct Direction {
    mode: Mode,
    /// Out of step, because bytes are missing.
    lost: bool,
    /// The place where a message may have begun that has not ended since.
    unseen: Option<Unseen>,
    /// The remaining bytes of a frame that is too large to be kept.
    skip: u64,
    /// The bytes of an incomplete head that were searched for its end.
    searched: usize,
    /// The size of the head and body that are awaited, so that the head is not read again for each byte of its body.
    awaited: usize,
    /// The upgrade was refused: an answer of unknown length may follow its head.
    refused: bool,
    begun: Option<Begun>,
    /// The place in the stream where the message began.
    start: u64,
    /// The message so far.
    message: Carried,
    /// The heads of its frames, concatenated.
    heads: Vec<u8>,
    inflater: Inflater,
    inflated: Vec<u8>,
}

/// Both directions of a conversation over WebSocket.
#[derive(Debug, Default)]
pub struct Carrier {
    directions: [Direction; 2],
    /// The agreement of the upgrade; `None`: none was seen.
    agreed: Option<Agreed>,
    /// The largest ratio to which a message may inflate.
    ratio: usize,
    stream: StreamState,
}

impl Carrier {
    /// A conversation that begins with an upgrade or, without one, with frames. `begun`: whether each direction's first
    /// byte is captured.
    pub fn new(upgrade: bool, begun: [bool; 2]) -> Carrier {
        let mut carrier = Carrier { ratio: PeerCaps::default().inflate_ratio, ..Carrier::default() };
        for (direction, begun) in carrier.directions.iter_mut().zip(begun) {
            direction.mode = if upgrade { Mode::Http } else { Mode::Frames };
            if !begun {
                (direction.lost, direction.inflater) = (true, Inflater::after_gap());
                direction.unseen = Some(Unseen::Before);
            }
        }
        carrier
    }

    /// Sets the largest ratio to which compressed messages may inflate.
    #[must_use]
    pub fn inflating(mut self, ratio: usize) -> Carrier {
        self.ratio = ratio;
        self
    }

    fn at(&mut self, side: Side) -> &mut Direction {
        &mut self.directions[side.index()]
    }

    /// Whether both sides have agreed on the upgrade, so that this side sends frames.
    pub fn upgraded(&self, side: Side) -> bool {
        self.agreed.is_some() && self.directions[side.index()].mode == Mode::Frames
    }

    /// The place in a side's stream where the incomplete message begins.
    pub fn begun(&self, side: Side) -> Option<u64> {
        let direction = &self.directions[side.index()];
        direction.begun.map(|_| direction.start)
    }

    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        let one = |d: &Direction| {
            let message = d.message.bytes.capacity() + d.message.frames.capacity() * 8;
            message + d.heads.capacity() + d.inflated.capacity() + d.inflater.memory()
        };
        self.directions.iter().map(one).sum::<usize>() + self.stream.memory()
    }

    /// Takes the message that the last step found. Return its memory with [`give_back`](Carrier::give_back).
    pub fn take(&mut self, side: Side) -> Carried {
        let direction = self.at(side);
        direction.begun = None;
        direction.heads.clear();
        let mut message = std::mem::take(&mut direction.message);
        message.gap = self.stream.take_gap(side);
        message
    }

    /// Returns a message's memory.
    pub fn give_back(&mut self, side: Side, mut message: Carried) {
        message.bytes.clear();
        // Memory of one large message is not kept for the rest of the conversation.
        message.bytes.shrink_to(1 << 16);
        message.frames.clear();
        message.unmasked = false;
        self.at(side).message = message;
    }

    /// Reads the next part of a side's stream.
    pub fn step(
        &mut self,
        side: Side,
        stream: &mut Stream,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) -> CarrierStep {
        if stream.bytes().is_empty() {
            return CarrierStep::Wait;
        }
        let direction = self.at(side);
        if direction.skip > 0 {
            let skipped = direction.skip.min(stream.bytes().len() as u64);
            direction.skip -= skipped;
            stream.consume(skipped as usize);
            return CarrierStep::Done;
        }
        if direction.lost && !self.find(side, stream, content.roles()) {
            self.cut_frame(side, stream, content, out);
            return CarrierStep::Wait;
        }
        match self.at(side).mode {
            Mode::Http => self.head(side, stream, content, out),
            Mode::Frames => self.frame(side, stream, content, out),
        }
    }

    /// Whether a direction that was out of step is in step again at the first unread byte.
    fn find(&mut self, side: Side, stream: &Stream, roles: &Roles) -> bool {
        let bytes = stream.bytes();
        let direction = self.at(side);
        if direction.mode == Mode::Http && http::begins(bytes) == Some(true) {
            direction.lost = false;
            return true;
        }
        let masks = match roles.of(side) {
            Role::Client => Some(true),
            Role::Server => Some(false),
            Role::Unknown => None,
        };
        let mut at = 0usize;
        while let Some(head) = bytes.get(at..).and_then(Head::read) {
            if !head.plausible() || masks.is_some_and(|m| m != head.mask.is_some()) {
                return false;
            }
            at = at.saturating_add(head.whole() as usize);
        }
        if at > 0 {
            (direction.lost, direction.mode) = (false, Mode::Frames);
        }
        at > 0
    }

    /// Reads one HTTP head, with its body.
    fn head(&mut self, side: Side, stream: &mut Stream, content: &mut dyn Content, out: &mut Out<'_>) -> CarrierStep {
        let bytes = stream.bytes();
        let direction = self.at(side);
        if bytes.len() < direction.awaited {
            return CarrierStep::Wait;
        }
        if direction.refused && http::begins(bytes) == Some(false) {
            // One line for all of it, not one for each segment, up to the next answer.
            let next = memchr::memmem::find(bytes, b"\r\nHTTP/1.").map(|at| at + 2);
            if next.is_none() && bytes.len() <= http::LONGEST {
                return CarrierStep::Wait;
            }
            let length = next.unwrap_or(bytes.len());
            self.cut_head(side, length, stream, content, out);
            return CarrierStep::Done;
        }
        let Some(end) = http::end(bytes, direction.searched) else {
            direction.searched = bytes.len();
            if bytes.len() > http::LONGEST {
                let length = bytes.len();
                self.cut_head(side, length, stream, content, out);
                return CarrierStep::Done;
            }
            return CarrierStep::Wait;
        };
        // The end is found again at once while the body is awaited.
        direction.searched = end.saturating_sub(1);
        let Some(text) = bytes.get(..end) else { return CarrierStep::Wait };
        let head = http::Head::read(text);
        direction.refused |= head.status.is_some_and(|status| status != 101);
        let body = match head.status {
            Some(101) => 0,
            _ if head.content_length > http::LONGEST_BODY => 0,
            _ => head.content_length,
        };
        if bytes.len() < end + body {
            direction.awaited = end + body;
            return CarrierStep::Wait;
        }
        (direction.searched, direction.awaited) = (0, 0);
        match head.status {
            None => {
                if head.upgrade {
                    direction.mode = Mode::Frames;
                }
                content.roles().learn(side, Role::Client);
            }
            Some(status) => {
                let mode = if status == 101 { Mode::Frames } else { Mode::Http };
                if status == 101 {
                    let extensions = head.extensions.clone().and_then(|range| text.get(range)).unwrap_or_default();
                    self.agreed = Some(Agreed::read(extensions));
                }
                self.directions.iter_mut().for_each(|d| (d.mode, d.searched, d.awaited) = (mode, 0, 0));
                content.roles().learn(side, Role::Server);
            }
        }
        self.head_line(side, stream, &head, end, body, content, out);
        stream.consume(end + body);
        CarrierStep::Done
    }

    /// Reads one frame.
    fn frame(&mut self, side: Side, stream: &mut Stream, content: &mut dyn Content, out: &mut Out<'_>) -> CarrierStep {
        let bytes = stream.bytes();
        let Some(head) = Head::read(bytes) else { return CarrierStep::Wait };
        let data = matches!(head.opcode, opcode::CONTINUATION | opcode::TEXT | opcode::BINARY);
        let too_large = head.length > deflate::LARGEST as u64;
        if !too_large && (bytes.len() as u64) < head.whole() {
            return CarrierStep::Wait;
        }
        content.roles().learn(side, if head.mask.is_some() { Role::Client } else { Role::Server });
        let begun = self.at(side).begun;
        match head.opcode {
            _ if too_large => {
                self.frame_line(side, stream, &head, "a frame larger than the largest accepted message", content, out);
                self.at(side).skip = head.whole().saturating_sub(stream.bytes().len() as u64);
            }
            opcode::CONTINUATION if begun.is_none() => {
                let direction = self.at(side);
                let what = Unseen::continuation(direction.unseen);
                direction.unseen = direction.unseen.filter(|_| !head.fin);
                self.frame_line(side, stream, &head, what, content, out);
            }
            _ if data => {
                if head.opcode != opcode::CONTINUATION {
                    if begun.is_some() {
                        self.unfinished(side, NO_LAST_FRAGMENT, content, out);
                    }
                    let direction = self.at(side);
                    direction.unseen = None;
                    direction.begun = Some(Begun { opcode: head.opcode, rsv: head.rsv });
                    direction.start = stream.offset();
                }
                return self.fragment(side, stream, &head, content, out);
            }
            opcode::CLOSE | opcode::PING | opcode::PONG => self.control_line(side, stream, &head, content, out),
            _ => self.frame_line(side, stream, &head, "a reserved opcode", content, out),
        }
        stream.consume(head.whole() as usize);
        CarrierStep::Done
    }

    /// Emits what can no longer be completed: the direction has ended, or bytes of it are `missing`.
    pub fn end(
        &mut self,
        side: Side,
        stream: &mut Stream,
        missing: bool,
        content: &mut dyn Content,
        out: &mut Out<'_>,
    ) {
        if self.at(side).begun.is_some() {
            let what = match missing {
                true => "the rest of the message is in the missing bytes",
                false => NO_LAST_FRAGMENT,
            };
            self.unfinished(side, what, content, out);
        }
        if stream.bytes().is_empty() {
            return;
        }
        let (mode, skip) = (self.at(side).mode, self.at(side).skip);
        match mode {
            _ if skip > 0 => stream.consume(stream.bytes().len()),
            Mode::Http => self.cut_head(side, stream.bytes().len(), stream, content, out),
            Mode::Frames => self.cut_frame(side, stream, content, out),
        }
    }

    /// Handles missing bytes after those that were [ended](Carrier::end).
    pub fn lose(&mut self, side: Side, missing: u64) {
        self.stream.lose(side, missing);
        let direction = self.at(side);
        (direction.searched, direction.awaited) = (0, 0);
        direction.inflater = Inflater::after_gap();
        direction.unseen = Some(Unseen::Missing);
        match direction.skip.checked_sub(missing) {
            Some(rest) if rest > 0 => direction.skip = rest,
            _ => (direction.skip, direction.lost) = (0, true),
        }
    }

    /// Emits a message whose last fragment is missing, and `what` is known about it.
    fn unfinished(&mut self, side: Side, what: &'static str, content: &mut dyn Content, out: &mut Out<'_>) {
        out.unit = None;
        self.data_line(side, Some(what), content, out);
    }
}
