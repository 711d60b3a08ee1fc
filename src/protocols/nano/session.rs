//! One nano conversation: reads packages from a TCP stream or from WebSocket messages.

use super::layout::{self, TYPE};
use super::line_context::LineContext;
use super::memory::Memory;
use super::{chain, package};
use crate::codec::reader::UNPARSED;
use crate::codec::{Fault, Reason, Value};
use crate::dissect::framed::{Framed, Next, Pdu, StreamState};
use crate::dissect::{Dissection, Evidence, FlowInfo, Out, Provenance, Role, Roles, Session, StreamEvent};
use crate::flow::{Origin, Side, Stream};
use crate::protocols::websocket::{self, Carried, Carrier, CarrierStep, Content, http};

/// The most bytes that are held if they begin like a frame, until the carrier is known.
const MOST_HELD: usize = 64 << 10;
/// The most frames that packages of one message list.
const MOST_LISTED: usize = 64;

/// The carrier of the packages.
#[derive(Debug)]
enum Channel {
    /// Unknown: too few bytes so far.
    Unknown,
    Tcp,
    WebSocket(Box<Carrier>),
}

/// The state of one direction.
#[derive(Debug, Default)]
struct DirectionState {
    /// Out of step: the bytes of each frame are tested for a package.
    lost: bool,
    /// The context of the next line.
    next: LineContext,
    /// TCP: the number of bytes that the last line's package lacks.
    lacks: usize,
    /// WebSocket: the part of a package from the messages so far.
    pending: Option<Box<Pending>>,
}

/// The bytes of an incomplete package, and their origin.
#[derive(Debug, Default)]
struct Pending {
    bytes: Vec<u8>,
    frames: Vec<u64>,
    origin: Origin,
}

/// The state of one conversation.
#[derive(Debug)]
pub struct NanoSession {
    channel: Channel,
    /// The user has not set the carrier.
    auto: bool,
    directions: [DirectionState; 2],
    roles: Roles,
    memory: Memory,
    stream: StreamState,
}

impl NanoSession {
    /// The state of a new conversation.
    pub fn new(flow_info: &FlowInfo<'_>) -> NanoSession {
        let server = flow_info
            .server_by_option()
            .or_else(|| flow_info.server_by_from(Side::A))
            .or_else(|| flow_info.server_by_syn());
        let direction = |begun: bool| DirectionState { lost: !begun, ..DirectionState::default() };
        let ratio = flow_info.options.limits.peer.inflate_ratio;
        let carrier = flow_info.options.settings.get("nano.carrier");
        NanoSession {
            auto: !matches!(carrier, Some("tcp" | "websocket")),
            channel: match carrier {
                Some("tcp") => Channel::Tcp,
                Some("websocket") => {
                    Channel::WebSocket(Box::new(Carrier::new(false, flow_info.begun).inflating(ratio)))
                }
                _ => Channel::Unknown,
            },
            directions: flow_info.begun.map(direction),
            roles: Roles::new(server),
            memory: Memory::new(flow_info.options),
            stream: StreamState::default(),
        }
    }

    fn direction(&mut self, side: Side) -> &mut DirectionState {
        &mut self.directions[side.index()]
    }

    /// Decides the carrier by the first bytes of the conversation. In its middle, the bytes at which a side is in step
    /// decide.
    fn decide(&mut self, side: Side, stream: &Stream, last: bool) {
        let bytes = stream.bytes();
        if bytes.is_empty() {
            return;
        }
        let lost = self.direction(side).lost;
        let over = |upgrade: bool| {
            let carrier = Carrier::new(upgrade, self.directions.each_ref().map(|l| !l.lost));
            Channel::WebSocket(Box::new(carrier.inflating(self.memory.caps.inflate_ratio)))
        };
        let framed = if lost { chain::framed(bytes) } else { Evidence::No };
        match http::begins(bytes) {
            Some(true) => self.channel = over(true),
            Some(false) if framed.suffices(true) => self.channel = over(false),
            // The rest of a frame may follow.
            Some(false) if framed != Evidence::No && !last && bytes.len() < MOST_HELD => {
                self.channel = Channel::Unknown
            }
            Some(false) => self.channel = Channel::Tcp,
            None if last => self.channel = Channel::Tcp,
            None => {}
        }
    }

    /// Emits the incomplete package of WebSocket messages that will not be completed.
    fn cut_pending(&mut self, side: Side, out: &mut Out<'_>) {
        let Some(mut pending) = self.direction(side).pending.take() else { return };
        let Pending { bytes, frames, origin } = &mut *pending;
        if !bytes.is_empty() {
            let length = package::announced(bytes).unwrap_or(bytes.len());
            self.line(&carried(side, bytes, length, frames, *origin), false, out);
            bytes.clear();
            frames.clear();
        }
        self.direction(side).pending = Some(pending);
    }

    /// Reads all WebSocket frames.
    fn websocket(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        self.websocket_messages(side, stream, out);
        if !matches!(event, StreamEvent::Data { .. }) {
            self.cut_pending(side, out);
            if let Channel::WebSocket(carrier) = &mut self.channel {
                let missing = !matches!(event, StreamEvent::End { missing: 0 });
                let mut packages = Packages { roles: &mut self.roles, memory: &mut self.memory };
                carrier.end(side, stream, missing, &mut packages, out);
            }
        }
        if let StreamEvent::Gap { missing } | StreamEvent::End { missing: missing @ 1.. } = event
            && let Channel::WebSocket(carrier) = &mut self.channel
        {
            carrier.lose(side, missing);
            self.memory.forget();
            self.memory.hide(side, None);
        }
    }

    /// Reads all complete messages.
    fn websocket_messages(&mut self, side: Side, stream: &mut Stream, out: &mut Out<'_>) {
        while let Channel::WebSocket(carrier) = &mut self.channel {
            let mut packages = Packages { roles: &mut self.roles, memory: &mut self.memory };
            match carrier.step(side, stream, &mut packages, out) {
                CarrierStep::Wait => return,
                CarrierStep::Done => {}
                CarrierStep::Message => {
                    let mut message = carrier.take(side);
                    self.message(side, &mut message, out);
                    if let Channel::WebSocket(carrier) = &mut self.channel {
                        carrier.give_back(side, message);
                    }
                }
            }
        }
    }

    /// Reads one WebSocket message: the next bytes of the direction's packages.
    fn message(&mut self, side: Side, message: &mut Carried, out: &mut Out<'_>) {
        let direction = self.direction(side);
        let waits = direction.pending.as_ref().is_some_and(|pending| !pending.bytes.is_empty());
        if waits && package::all_plausible(&message.bytes) {
            direction.next.given_up = true;
            self.cut_pending(side, out);
        }
        let direction = self.direction(side);
        direction.next.unmasked |= message.unmasked;
        direction.next.gap = direction.next.gap.or(message.gap.take());
        let mut pending = direction.pending.take().unwrap_or_default();
        let Pending { bytes: joined, frames, origin } = &mut *pending;
        *origin = message.origin;
        match joined.is_empty() {
            true => std::mem::swap(joined, &mut message.bytes),
            false => joined.extend_from_slice(&message.bytes),
        }
        let newer = frames.last().copied();
        let room = websocket::MOST_FRAMES.saturating_sub(frames.len());
        frames.extend(message.frames.iter().filter(|f| newer.is_none_or(|n| **f > n)).take(room));
        let mut at = 0;
        while let Some(rest) = joined.get(at..).filter(|rest| !rest.is_empty()) {
            let next = package::next(rest);
            let length = match next {
                package::Next::More => break,
                package::Next::Package(length) => length,
                package::Next::Unknown => rest.len(),
            };
            let bytes = rest.get(..length).unwrap_or(rest);
            self.line(&carried(side, bytes, length, frames, message.origin), next == package::Next::Unknown, out);
            at += length;
            let many = message.frames.len() > MOST_LISTED;
            if at == length || many {
                // The next package begins in this message. The frame that contains it is unknown, and a long list is
                // not repeated for each of thousands of packages.
                let listed = if many { message.frames.len() - 1 } else { 0 };
                frames.clear();
                frames.extend_from_slice(message.frames.get(listed..).unwrap_or_default());
            }
            if many && at < joined.len() {
                self.direction(side).next.many_frames = message.frames.len();
            }
        }
        joined.drain(..at.min(joined.len()));
        if joined.is_empty() {
            frames.clear();
            // Memory of one large message is not kept for the rest of the conversation.
            joined.shrink_to(1 << 16);
        }
        self.direction(side).pending = Some(pending);
    }

    /// Emits one line.
    fn line(&mut self, place: &Provenance<'_>, unknown: bool, out: &mut Out<'_>) {
        let mut next = std::mem::take(&mut self.direction(place.side).next);
        next.gap = next.gap.or(self.stream.take_gap(place.side));
        self.direction(place.side).lacks = place.length.saturating_sub(place.bytes.len());
        match place.bytes.first().filter(|_| !unknown) {
            Some(kind) => match layout::of_package(*kind, place.bytes.get(package::HEADER).copied()) {
                Some(layout) => self.memory.package(layout, place, &mut self.roles, &next, out),
                None => self.unknown(place, &next, out),
            },
            None => self.unknown(place, &next, out),
        }
        out.emit(place);
    }

    /// Shows bytes in which no package begins.
    fn unknown(&mut self, place: &Provenance<'_>, next: &LineContext, out: &mut Out<'_>) {
        let dissection = out.begin(super::NAME);
        dissection.message = layout::Message::Unknown.name();
        dissection.from = self.roles.of(place.side);
        let kind = place.bytes.first().copied().unwrap_or(0);
        dissection.tree.push(&TYPE, Value::UInt(kind as u64), 0, 8);
        let rest = place.bytes.len().saturating_sub(1).min((1 << 29) - 2) as u32 * 8;
        if rest > 0 {
            dissection.tree.push(&UNPARSED, Value::Bytes { bit: 8, bits: rest }, 8, rest);
        }
        let reason = Reason::Undefined("unknown package type");
        dissection.fault =
            Some(Fault { path: "nano.unknown.type".into(), ..Fault::new(reason, 0, 8, rest as u64 + 8) });
        next.note(dissection);
        self.memory.unread(place.side, dissection);
        if place.bytes.starts_with(b"HTTP/1.") {
            let text = format_args!("an answer in HTTP: this is an HTTP port, perhaps a WebSocket one");
            dissection.notes.note("nano.http_answer", text);
        }
    }
}

/// The reader of packages in WebSocket messages.
struct Packages<'a> {
    roles: &'a mut Roles,
    memory: &'a mut Memory,
}

impl Content for Packages<'_> {
    fn roles(&mut self) -> &mut Roles {
        self.roles
    }

    fn line(&mut self, side: Side, dissection: &mut Dissection) {
        use websocket::layout::Message::{Binary, Frame, Text};
        let of_messages = [Text, Binary, Frame].iter().any(|message| message.name() == dissection.message);
        if of_messages && dissection.fault.is_some() {
            self.memory.unread(side, dissection);
        } else {
            self.memory.report(side, dissection);
        }
    }
}

/// The place of a package from a WebSocket message.
fn carried<'a>(side: Side, bytes: &'a [u8], length: usize, frames: &'a [u64], origin: Origin) -> Provenance<'a> {
    let frames = if frames.len() > 1 { frames } else { &[] };
    Provenance { side, bytes, length, frame: origin.frame, frames, time: origin.time }
}

/// Packages of a TCP stream. `Kind`: whether the bytes begin no package.
impl Framed for NanoSession {
    type Kind = bool;

    fn state(&mut self) -> &mut StreamState {
        &mut self.stream
    }

    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<bool> {
        let bytes = stream.bytes();
        if bytes.is_empty() || matches!(self.channel, Channel::Unknown) {
            return Next::Wait;
        }
        let direction = self.direction(side);
        direction.lost &= !package::plausible(bytes);
        let new = if let StreamEvent::Data { new, .. } = event { *new } else { 0 };
        if direction.lost && new > 0 && package::may_begin(bytes) {
            return Next::Wait;
        }
        // The earlier bytes were no package. The new ones are tested alone.
        let waited = if direction.lost && new > 0 { bytes.len().saturating_sub(new) } else { 0 };
        let next = if direction.lost { package::Next::Unknown } else { package::next(bytes) };
        direction.lost = next == package::Next::Unknown;
        let there = bytes.len();
        match next {
            package::Next::Package(length) => Next::Pdu(Pdu::whole(false, 0, length)),
            package::Next::Unknown if waited > 0 => Next::Pdu(Pdu::whole(true, 0, waited)),
            package::Next::Unknown => Next::Pdu(Pdu::whole(true, 0, there)),
            package::Next::More if matches!(event, StreamEvent::Data { .. }) => Next::Wait,
            package::Next::More => {
                let length = package::announced(bytes).unwrap_or(there);
                Next::Pdu(Pdu { kind: false, header: 0, there, length })
            }
        }
    }

    fn pdu(&mut self, unknown: bool, place: &Provenance<'_>, out: &mut Out<'_>) {
        self.line(place, unknown, out);
    }

    fn lost(&mut self, side: Side) {
        let direction = self.direction(side);
        direction.lost = true;
        // With all missing bytes in a package whose line was just emitted, none of another package are missing.
        let lacks = std::mem::take(&mut direction.lacks) as u64;
        let in_one = self.stream.gap(side).is_some_and(|missing| missing <= lacks);
        self.memory.forget();
        if !in_one {
            self.memory.hide(side, None);
        }
    }
}

impl Session for NanoSession {
    fn settled(&self) -> bool {
        self.memory.is_known()
    }

    fn set_server(&mut self, server: Side) {
        self.roles.learn(server, Role::Server);
    }

    fn sibling(&self, flow_info: &FlowInfo<'_>) -> Option<Box<dyn Session>> {
        let mut other = NanoSession::new(flow_info);
        other.memory.take_over(&self.memory);
        Some(Box::new(other))
    }

    fn memory(&self) -> usize {
        let pending = self.directions.iter().filter_map(|direction| direction.pending.as_ref());
        let directions: usize = pending.map(|pending| pending.bytes.capacity() + pending.frames.capacity() * 8).sum();
        let carrier = if let Channel::WebSocket(carrier) = &self.channel { carrier.memory() } else { 0 };
        directions + carrier + self.memory.memory() + self.stream.memory()
    }

    fn shared(&self, each: &mut dyn FnMut(u64, usize)) {
        self.memory.shared(each);
    }

    fn datagram(&mut self, _place: &Provenance<'_>, _out: &mut Out<'_>) {}

    fn stream(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        let open = match self.channel {
            Channel::Unknown => true,
            Channel::Tcp => self.auto && self.direction(side).lost && http::begins(stream.bytes()) == Some(false),
            Channel::WebSocket(_) => false,
        };
        if open {
            self.decide(side, stream, !matches!(event, StreamEvent::Data { .. }));
        }
        match &self.channel {
            Channel::Unknown | Channel::Tcp => self.read(side, stream, event, out),
            Channel::WebSocket(_) => self.websocket(side, stream, event, out),
        }
    }

    fn begun(&self, side: Side) -> Option<u64> {
        if let Channel::WebSocket(carrier) = &self.channel { carrier.begun(side) } else { None }
    }

    fn client(&self) -> Option<Side> {
        self.roles.client()
    }
}
