//! Tests with built packets, and a handler that records its calls.

mod caps;
mod ends;
mod gaps;
mod losses;
mod order;
mod partition;
mod property;
mod slots;
mod streams;
mod table;

use super::{Caps, Conversation, Delivery, End, Gap, GapCause, Handler, Side, Statistics, Stream, StreamLosses, Table};
use crate::capture::{Body, Packet, Segment, Time};
use std::net::SocketAddr;

/// The handler's calls, in short: `(conversation, side, ...)`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Datagram(u64, Side, Vec<u8>, usize),
    /// The frame, the new bytes, the positions of segments in them.
    Data(u64, Side, u64, Vec<u8>, Vec<usize>),
    /// The missing bytes, the frame after them, the cause, the unread bytes.
    Gap(u64, Side, u64, u64, GapCause, Vec<u8>),
    /// The reason, and the unread bytes.
    End(u64, Side, End, Vec<u8>),
    Closed(u64),
}

/// Records events.
#[derive(Debug, Default)]
struct Recorder {
    events: Vec<Event>,
    /// Leaves this many bytes unread at each call; `None` consumes all.
    leave: Option<usize>,
    /// The losses of the conversation that was closed last.
    losses: [StreamLosses; 2],
    /// The bytes missing at the end of each direction that ended last.
    missing_at_end: [u64; 2],
}

impl Handler<()> for Recorder {
    fn datagram(&mut self, c: &mut Conversation<()>, from: Side, _: &Packet<'_>, payload: &[u8], length: usize) {
        self.events.push(Event::Datagram(c.id, from, payload.to_vec(), length));
    }

    fn data(&mut self, c: &mut Conversation<()>, from: Side, stream: &mut Stream, d: &Delivery) {
        assert!(d.new > 0 && d.new <= stream.bytes().len());
        assert_eq!(stream.newest().map(|o| o.frame), Some(d.frame));
        let new = stream.bytes()[stream.bytes().len() - d.new..].to_vec();
        self.events.push(Event::Data(c.id, from, d.frame, new, d.segments.to_vec()));
        let rest = stream.bytes().len();
        stream.consume(rest.saturating_sub(self.leave.unwrap_or(0)));
    }

    fn gap(&mut self, c: &mut Conversation<()>, from: Side, stream: &mut Stream, gap: &Gap) {
        let unread = stream.bytes().to_vec();
        self.events.push(Event::Gap(c.id, from, gap.missing, gap.frame, gap.cause, unread));
    }

    fn end(&mut self, c: &mut Conversation<()>, from: Side, stream: &mut Stream, why: End, missing: u64) {
        assert_eq!(c.ended[from.index()], Some(why));
        self.missing_at_end[from.index()] = missing;
        self.events.push(Event::End(c.id, from, why, stream.bytes().to_vec()));
    }

    fn closed(&mut self, c: &mut Conversation<()>) {
        self.losses = c.losses.as_deref().copied().unwrap_or_default();
        self.events.push(Event::Closed(c.id));
    }
}

/// A capture being built.
struct Lab {
    table: Table<()>,
    recorder: Recorder,
    frame: u64,
}

/// Sequence number of the SYN of `Lab`'s two sides.
const ISN: [u32; 2] = [1000, 9000];

impl Lab {
    fn new() -> Self {
        Self::with(Caps::default())
    }

    fn with(caps: Caps) -> Self {
        Lab { table: Table::new(caps), recorder: Recorder::default(), frame: 0 }
    }

    /// A capture that begins with the three packets of a handshake.
    fn open() -> Self {
        let mut lab = Self::new();
        lab.handshake();
        lab
    }

    fn handshake(&mut self) {
        self.tcp(Side::A, Segment { seq: ISN[0], syn: true, ..Segment::default() });
        let answer = Segment { seq: ISN[1], syn: true, ..acks(ISN[0] + 1) };
        self.tcp(Side::B, answer);
        self.tcp(Side::A, Segment { seq: ISN[0] + 1, ..acks(ISN[1] + 1) });
    }

    fn packet(&mut self, src: &str, dst: &str, body: Body<'_>) {
        self.frame += 1;
        let (src, dst): (SocketAddr, SocketAddr) = (src.parse().unwrap(), dst.parse().unwrap());
        let time = Time::micros(self.frame as i64, 0);
        let packet = Packet { frame: self.frame, frames: &[], time, src, dst, leg: None, body };
        self.table.packet(&packet, &mut self.recorder);
    }

    fn udp(&mut self, src: &str, dst: &str, payload: &[u8]) {
        self.packet(src, dst, Body::Udp { payload, length: payload.len() });
    }

    fn tcp(&mut self, from: Side, segment: Segment<'_>) {
        let ends = ["10.0.0.1:5000", "10.0.0.2:80"];
        self.packet(ends[from.index()], ends[from.other().index()], Body::Tcp(segment));
    }

    /// Bytes of A at an offset of its stream.
    fn a(&mut self, offset: u32, payload: &[u8]) -> u64 {
        self.tcp(Side::A, bytes(ISN[0].wrapping_add(1).wrapping_add(offset), payload));
        self.frame
    }

    /// B acknowledges this many bytes of A.
    fn ack(&mut self, offset: u32) {
        let ack = acks(ISN[0].wrapping_add(1).wrapping_add(offset));
        self.tcp(Side::B, Segment { seq: ISN[1] + 1, ..ack });
    }

    /// A's FIN after `offset` bytes.
    fn fin(&mut self, offset: u32) {
        self.fin_at(ISN[0] + 1 + offset);
    }

    fn fin_at(&mut self, seq: u32) {
        self.tcp(Side::A, Segment { fin: true, ..bytes(seq, b"") });
    }

    fn finish(&mut self) {
        self.table.finish(&mut self.recorder);
        assert!(self.table.is_empty());
    }

    /// The events since the last call.
    fn events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.recorder.events)
    }

    /// All new bytes since the last call, joined, with the frames of the deliveries.
    fn delivered(&mut self) -> (Vec<u8>, Vec<u64>) {
        let (mut all, mut frames) = (Vec::new(), Vec::new());
        for event in self.events() {
            match event {
                Event::Data(_, Side::A, frame, bytes, _) => {
                    all.extend(bytes);
                    frames.push(frame);
                }
                Event::Gap(..) => panic!("a gap"),
                _ => {}
            }
        }
        (all, frames)
    }

    fn statistics(&self) -> Statistics {
        self.table.statistics()
    }
}

/// A segment with bytes.
fn bytes(seq: u32, payload: &[u8]) -> Segment<'_> {
    Segment { seq, payload, length: payload.len(), ..Segment::default() }
}

/// An acknowledgement.
fn acks(ack: u32) -> Segment<'static> {
    Segment { ack, has_ack: true, ..Segment::default() }
}
