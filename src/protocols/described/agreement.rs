//! Evidence from the rules for delivery: numbers that count up, and their keys, acknowledgements of numbers that the
//! other side has sent, answers with the key of their request. They need no port, and no beginning of the conversation.

use super::Description;
use super::key::Key;
use super::session::DescribedSession;
use super::supposed::Supposed;
use super::traffic::space;
use crate::capture::Time;
use crate::dissect::{Dissection, Event, FlowInfo, Message, Out, Provenance, Session, Sink, Wants};
use crate::flow::{Side, Transport};
use crate::traffic::sequence::Acked;
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest step of numbers that count up: some packets are lost.
const STEP: i64 = 4;
/// The steps from which on they count, the bits of each, and the most bits.
const STEPS: u32 = 3;
const MOST_STEPS: u32 = 6;
/// The steps from which on the key of the numbers counts. The bits of each of its bytes that differs from the others:
/// few fields keep a value with several, and equal bytes or zeros are fillers. The most bits, and those of another key
/// of the other side.
const KEY_STEPS: u32 = 7;
const KEY_BYTE: u32 = 3;
const MOST_KEY: u32 = 6;
const OTHER_KEY: u32 = 3;
/// The bits of each acknowledgement of another number that the other side has sent, and the most bits.
const ACKED: u32 = 4;
const MOST_ACKED: u32 = 8;

/// Collects the delivery events of a conversation.
#[derive(Default)]
struct Agreement {
    /// The last number of each side in each space, and its steps.
    last: FxHashMap<(usize, i64), (u64, u32)>,
    steps: u32,
    jumps: u32,
    acked: FxHashSet<(usize, i64)>,
    unseen: u32,
}

impl Sink for Agreement {
    fn message(&mut self, message: &Message<'_>) {
        let side = message.place.side.index();
        for event in message.dissection.delivery.iter() {
            match event {
                Event::Sent { number, extended, .. } => {
                    let (last, steps) = self.last.entry((side, space(*extended))).or_insert((*number, 0));
                    let step = number.wrapping_sub(*last) as i64;
                    // The same number again is a copy, and proves nothing.
                    *steps += u32::from((1..=STEP).contains(&step));
                    self.steps += u32::from((1..=STEP).contains(&step));
                    self.jumps += u32::from(!(-STEP..=STEP).contains(&step));
                    *last = *number;
                }
                Event::Acked { extended, acked: Acked::First(_) } => _ = self.acked.insert((side, *extended)),
                Event::Acked { acked: Acked::Unseen, .. } => self.unseen += 1,
                _ => {}
            }
        }
    }
}

impl Agreement {
    /// The bits of evidence. Numbers that jump about as often as they count up are none, and neither are
    /// acknowledgements of numbers that were never sent.
    fn bits(&self, session: &DescribedSession) -> u32 {
        let acked = self.acked.len() as u32;
        let steps = if self.steps >= STEPS && self.jumps * 4 <= self.steps { self.steps.min(MOST_STEPS) } else { 0 };
        let acked = if self.unseen * 2 <= acked { (acked * ACKED).min(MOST_ACKED) } else { 0 };
        steps + acked + if steps > 0 { self.key_bits(session) } else { 0 }
    }

    /// The bits of the keys whose numbers count up: of the best one of each side.
    fn key_bits(&self, session: &DescribedSession) -> u32 {
        let mut best = [(0, Key::default()); 2];
        for (side, space, key) in session.spaces() {
            let counts = self.last.get(&(side.index(), space)).is_some_and(|(_, steps)| *steps >= KEY_STEPS);
            let bits = (key.distinct().saturating_sub(1) * KEY_BYTE).min(MOST_KEY);
            if counts && bits > best[side.index()].0 {
                best[side.index()] = (bits, key);
            }
        }
        let [(one, key), (other, another)] = best;
        one.max(other) + if one.min(other) > 0 && key != another { OTHER_KEY } else { 0 }
    }
}

/// The bits of evidence in packets that fit the file. The order of packets in the two directions of a stream is not known:
/// they are read a second time, with all of them before each.
pub fn agreement<'a, I: Iterator<Item = (Side, &'a [u8], usize)>>(
    description: &'static Description,
    supposed: &Supposed,
    packets: impl Fn() -> I,
    flow_info: &FlowInfo<'_>,
) -> u32 {
    if description.traffic.is_empty() {
        return 0;
    }
    let (mut session, mut found) = (DescribedSession::new(description, flow_info), Agreement::default());
    let mut dissection = Dissection::default();
    dissection.set_wants(Wants::DELIVERY);
    session.suppose(supposed);
    let mut read = |found: &mut Agreement| {
        for (side, bytes, length) in packets() {
            let place = Provenance { side, bytes, length, frame: 0, frames: &[], time: Time::default() };
            session.datagram(&place, &mut Out::new(&mut dissection, found, flow_info, [""; 2]));
        }
    };
    read(&mut found);
    if flow_info.transport == Transport::Tcp {
        let (steps, jumps, last) = (found.steps, found.jumps, std::mem::take(&mut found.last));
        found.unseen = 0;
        read(&mut found);
        (found.steps, found.jumps, found.last) = (steps, jumps, last);
    }
    found.bits(&session) + session.answered_bits()
}
