//! Matches ping replies with requests, and derives round trips and clock offsets.
//!
//! A request's sending time is not on the wire. The capture's times are used instead, so both figures are as seen from
//! the capture point.

use super::layout::{GTIME, PACKET, PING};
use crate::capture::Time;
use crate::capture::time::ATTO_DIGITS;
use crate::codec::layout::{Count, Field, array, boolean, f64le, group, u32le, u64le};
use crate::codec::{Level, Node, Value};
use crate::dissect::delivery::Event;
use crate::dissect::{Dissection, FlowInfo, Provenance, RelationKind, Target};
use crate::duration::{Decimal, Millis};
use crate::flow::Side;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::io::Write as _;

/// The most open requests of a connection that are remembered.
const OPEN: usize = 1024;

/// Derived: the pings of a line.
pub static PINGS: Field = array("pings", Count::Rest, &ONE).doc("the pings of this line, in wire order");
static ONE: Field = group("ping", &[REQ_ID, REQUEST, REQUEST_FRAME, ROUND_TRIP, OFFSET]);
pub const REQ_ID: Field = u32le("req_id").doc("the ping's number");
pub const REQUEST: Field = boolean("request", 8).doc("a request, or a reply");
const REQUEST_FRAME: Field = u64le("request_frame").doc("the frame of the request that it answers");
const ROUND_TRIP: Field = f64le("round_trip").doc("from request to reply, without the replier's time").unit("s");
pub const OFFSET: Field = f64le("offset").doc("the replier's clock against the capture's").unit("s");

#[derive(Clone, Copy, Debug)]
struct PendingPing {
    party: usize,
    id: u32,
    target: Target,
    time: Time,
    /// The request's conversation and its sender's side.
    asked: (u64, Side),
    /// Its reply may be in bytes that could not be read.
    hidden: bool,
}

#[derive(Clone, Copy, Debug)]
struct Answer {
    target: Target,
    /// The time from request to reply, including the replier's.
    after: i64,
    asked: (u64, Side),
    /// The reply was thought to be in bytes that could not be read.
    hidden: bool,
    round_trip: i128,
    /// Twice the offset, so that half a unit is not lost.
    offset: Option<i128>,
}

impl Answer {
    /// The round trip in nanoseconds.
    fn nanos(&self) -> i64 {
        i64::try_from(self.round_trip / 10i128.pow(ATTO_DIGITS - 9)).unwrap_or(i64::MAX)
    }

    /// The delivery event of this reply, as seen in the conversation `here`.
    fn event(&self, here: u64) -> Event {
        let ((flow, side), after) = (self.asked, self.nanos());
        if flow == here { Event::Pong(after) } else { Event::CrossFlowPong { flow, side, after } }
    }
}

#[derive(Clone, Copy, Debug)]
struct PingInLine {
    id: u32,
    request: bool,
    answer: Option<Answer>,
    /// The places of the two numbers' digits in the line's extra source.
    digits: [(u32, u32); 2],
}

/// The requests of a connection that are not answered yet.
#[derive(Debug, Default)]
pub struct Pings {
    open: VecDeque<PendingPing>,
    /// Bytes are missing or unreadable, or the beginning is not in the capture: a request may be there.
    pub unsure: bool,
    /// A reused buffer for the pings of a line.
    found: Vec<PingInLine>,
}

/// A complete ping on the wire.
struct Ping {
    id: u32,
    request: bool,
    /// T2 and T3 in microseconds.
    times: Option<(i64, i64)>,
}

impl Pings {
    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.open.capacity() * size_of::<PendingPing>() + self.found.capacity() * size_of::<PingInLine>()
    }

    /// Adds notes and derived values for the pings of a line. `party`: the index of its sender.
    pub fn see(&mut self, party: usize, flow_info: &FlowInfo<'_>, place: &Provenance<'_>, dissection: &mut Dissection) {
        // Hex text has neither times nor frames.
        let frames = flow_info.ends.is_some();
        self.found.clear();
        for (k, node) in dissection.tree.nodes().iter().enumerate() {
            if !std::ptr::eq(node.field, &PACKET[0]) || node.value != Value::UInt(4) {
                continue;
            }
            let Some(ping) = ping(dissection.tree.nodes().get(k + 1..).unwrap_or(&[])) else { continue };
            let mut found = PingInLine { id: ping.id, request: ping.request, answer: None, digits: [(0, 0); 2] };
            match ping.request {
                _ if !frames => {}
                true => {
                    dissection.delivery.push(Event::Ping);
                    let asked = (flow_info.flow, place.side);
                    self.open(PendingPing {
                        party,
                        id: ping.id,
                        target: dissection.target(place),
                        time: place.time,
                        asked,
                        hidden: false,
                    });
                }
                false => {
                    found.answer = self.answer(party, &ping, place.time);
                    match found.answer {
                        Some(answer) => {
                            dissection.delivery.push(answer.event(flow_info.flow));
                            if let Answer { hidden: true, asked: (flow, side), .. } = answer {
                                dissection.delivery.push(Event::ShownPong { flow, side });
                            }
                        }
                        None if self.unsure => {}
                        None => dissection.delivery.push(Event::StrayPong),
                    }
                }
            }
            self.found.push(found);
        }
        if self.found.is_empty() {
            return;
        }
        for found in self.found.iter().filter(|f| frames && !f.request) {
            note(found, self.unsure, dissection);
        }
        self.derive(dissection);
    }

    fn open(&mut self, request: PendingPing) {
        if self.open.len() >= OPEN {
            self.open.pop_front();
        }
        self.open.push_back(request);
    }

    /// Marks all open pings to `party` as possibly answered: some of its bytes cannot be read.
    pub fn hide(&mut self, party: usize, dissection: &mut Dissection) {
        for open in self.open.iter_mut().filter(|open| open.party != party && !open.hidden) {
            open.hidden = true;
            let (flow, side) = open.asked;
            dissection.delivery.push(Event::HiddenPong { flow, side });
            dissection.related.may_answer(open.target);
        }
    }

    /// Closes the other side's latest request with that number.
    fn answer(&mut self, party: usize, reply: &Ping, now: Time) -> Option<Answer> {
        let at = self.open.iter().rposition(|open| open.party != party && open.id == reply.id)?;
        let request = self.open.remove(at)?;
        let (t1, t4) = (request.time.attos(), now.attos());
        let micro = 10i128.pow(ATTO_DIGITS - 6);
        let Millis(after) = Millis::of(now.since(request.time));
        let PendingPing { target, asked, hidden, .. } = request;
        let (round_trip, offset) = match reply.times {
            None => (t4.saturating_sub(t1), None),
            Some((t2, t3)) => {
                let (t2, t3) = (t2 as i128 * micro, t3 as i128 * micro);
                let offset = (t2.saturating_sub(t1)).saturating_add(t3.saturating_sub(t4));
                (t4.saturating_sub(t1).saturating_sub(t3 - t2), Some(offset))
            }
        };
        Some(Answer { target, after, asked, hidden, round_trip, offset })
    }

    /// Writes the numbers' digits to a source of the line's own, and adds the nodes that show them.
    fn derive(&mut self, dissection: &mut Dissection) {
        let mut source = 0;
        if self.found.iter().any(|f| f.answer.is_some()) {
            let (number, buffer) = dissection.source();
            source = number;
            for found in &mut self.found {
                let Some(answer) = found.answer else { continue };
                let numbers = [Some(round_trip(&answer)), offset(&answer)];
                for (digits, number) in found.digits.iter_mut().zip(numbers) {
                    let start = buffer.len();
                    if let Some(number) = number {
                        // Writing to memory cannot fail.
                        let _ = write!(buffer, "{number}");
                    }
                    *digits = (start as u32, (buffer.len() - start) as u32);
                }
            }
        }
        let tree = &mut dissection.derived;
        let list = tree.open(&PINGS, Value::List, 0);
        for found in &self.found {
            let group = tree.open(&ONE, Value::Group, 0);
            tree.push(&REQ_ID, Value::UInt(found.id as u64), 0, 0);
            tree.push(&REQUEST, Value::Bool(found.request), 0, 0);
            if let Some(answer) = found.answer {
                tree.push(&REQUEST_FRAME, Value::UInt(answer.target.frame), 0, 0);
                tree.set_source(source);
                for (field, (start, len)) in [&ROUND_TRIP, &OFFSET].into_iter().zip(found.digits) {
                    if len > 0 {
                        tree.push(field, Value::Json { start, len }, 0, 0);
                    }
                }
                tree.set_source(0);
            }
            tree.close(group, 0);
        }
        tree.close(list, 0);
    }
}

fn note(found: &PingInLine, unsure: bool, dissection: &mut Dissection) {
    let Some(answer) = &found.answer else {
        if unsure {
            let text = format_args!(
                "a reply to no request that can be read: number {}; it may be in missing bytes, before the capture, or \
                 after an unknown packet",
                found.id
            );
            return dissection.notes.note("gne.ping_unsolicited", text);
        }
        let text = format_args!("a reply to no open request: number {}", found.id);
        return dissection.notes.warn("gne.ping_unsolicited", text);
    };
    let trip = Decimal { digits: ATTO_DIGITS - 3, value: answer.round_trip };
    dissection.relate(Level::Note, "gne.ping_reply", |note| {
        note.to(RelationKind::Answers, answer.target, answer.after);
        note.text("answers request of frame ").frame();
        _ = write!(note, ": {trip} ms");
        if let Some(offset) = offset(answer) {
            _ = write!(note, ", offset {offset} s");
        }
    });
}

fn round_trip(answer: &Answer) -> Decimal {
    Decimal { digits: ATTO_DIGITS, value: answer.round_trip }
}

fn offset(answer: &Answer) -> Option<Decimal> {
    // Exactly half of it: five times as many tenths.
    answer.offset.map(|twice| Decimal { digits: ATTO_DIGITS + 1, value: twice.saturating_mul(5) })
}

/// The ping whose fields these nodes begin with, if it is complete.
fn ping(nodes: &[Node]) -> Option<Ping> {
    let is = |at: usize, field: &'static Field| nodes.get(at).filter(|n| std::ptr::eq(n.field, field));
    if let Some(flag) = is(0, &PING[0]) {
        // Any value other than 0 is true, and shown raw.
        let request = flag.value != Value::Bool(false);
        return Some(Ping { id: is(1, &PING[1])?.number()? as u32, request, times: None });
    }
    let id = is(0, &PING[1])?.number()? as u32;
    // The groups of T2 and T3, each followed by its two numbers. The last number shows that the ping is complete.
    is(1, &PING[2]).and(is(4, &PING[3])).and(is(6, &GTIME[1]))?;
    let number = |at: usize| nodes.get(at).and_then(Node::number).map(|n| n as i64);
    let (t2, t3) = (number(2)? * 1_000_000 + number(3)?, number(5)? * 1_000_000 + number(6)?);
    Some(Ping { id, request: t2 == 0, times: Some((t2, t3)) })
}
