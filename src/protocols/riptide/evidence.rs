//! Evidence for Riptide: a handshake, or consistent numbers. It is no evidence that every datagram has the form of a
//! message: a nibble of 2 or 6 followed by any bytes has it.
//!
//! The tables give the bits that each observation rules out. A first byte that never changes counts once. In
//! byte-aligned versions (to 2.0) these count nothing, since RTP, DTLS, KCP and others have them too: counters of whole
//! bytes, echoes in the same place, and resends. In packed versions (from 2.1 on) numbers cross byte boundaries, so no
//! such counter looks alike: an id that goes up by one changes the high half of the first byte first.
//!
//! | observed | to 2.0 | packed | because |
//! |---|---|---|---|
//! | a known type, each of the first two | 2 | 0 | 11 of 256, where most have small ones; 11 of 16 is nothing |
//! | .. which is the heartbeat's | 3 | 2 | 2 of 256 (04, 05) are 7; 1 of 16 less the choice of 4 |
//! | a type in its one size, each of the first two; a disconnect or a reject only as the last message of its side | 4 | 6 | one size of 16; and zeros after it |
//! | ids go up by one, twice or more | 0 | 6 | 2^-16 each; a counter of four bits may do it |
//! | .. a side's go on from one multiple of 16 to the next | 0 | 12 | of 16 bits, that four bits do not explain |
//! | an ack names an earlier message of the other side; a second one | 2, 4 | 8, 6 | as an echo that has another first byte |
//! | .. and all acks' bits have at most two gaps | 4 | 0 | an echo has none, or zeros |
//! | an ack's bits have at most two gaps | 4 | 4 | 697 of 2^16 are 6.5; all ones is a filler too |
//! | .. and many clear bits that an earlier one set | no | no | a receiver does not forget what it received |
//! | an ack's bits are those of the side's one before, moved on by as many ids, 8 at most; a second one | 6, 4 | 6, 4 | of 9 to 16 bits; not where both are the same |
//! | .. some are not | -1 of them | -1 of them | a small number after another is near it, too |
//! | a heartbeat is returned with its id; a second one | 4, 2 | 6, 4 | of 8 bits; an echo in another size |
//! | heartbeats count up by one, or their answers do, twice | 0 | 6 | a counter of four bits may do it |
//! | round trips are -1 to 4000 ms; two heartbeats are returned | 2, 1 | 2, 1 | 4002 of 2^16 are 4; zero is a filler too |
//! | ids jump, once in 16 of them | -6 | -6 | a sender that began anew, or much was lost |
//! | both sides do the same | 0 | 0 | the stronger one's numbers count: others do the same in both directions too |
//! | the version was free to choose | -2 | -2 | four were tried |
//!
//! Fewer than [`FEW`] messages prove nothing while more may arrive: inconsistent numbers need time to show.
//!
//! The handshakes, by the same measure ([`handshake`]):
//!
//! | first, and answer | to 2.0 | packed |
//! |---|---|---|
//! | connect, then a welcome of 5 bytes with id 1; with id 2: 1 less | 4, 4+4+6: small numbers | 4, 4+4+2+3+6: zeros are 12 bits, 6 counted |
//! | connect, then a reject without data | 4, 4+4+2 | 4, 4+4+7+2 |
//! | connect, then a reject with data | 4, 4+4 | 4, 4+8 |
//! | .. the welcome has data | -4 | | only 1.2 has some |
//! | .. the connect is one byte long | 4 | 8 |
//! | .. the same reject three times | 6 | 6 |
//! | the same byte, three times or more; and nothing else to the end | 14, 30 | 14, 30 |
//!
//! The last row: a length of 1 in three datagrams whose lengths vary is 3 * 8, and 3 of 256 bytes begin a connect. But
//! other protocols repeat a single byte to keep a path open, and send other messages too. One such datagram is 10: 4
//! and 6.

use super::layout::Message::{self, *};
use super::layout::{ACKS, FOR_SEQ, LAST, PING, RTT, SEQUENCE};
use super::version::{Numbering, Version};
use crate::codec::layout::Field;
use crate::codec::{Tree, bits};
use crate::dissect::counts::{Numbered, named, steps};
use crate::flow::Side;

/// A message, and its length on the wire.
pub type SideMessage<'a> = (Side, &'a [u8], usize);

/// Numbers of fewer messages prove nothing yet.
pub const FEW: usize = 8;
/// Four versions were tried.
const CHOICE: u32 = 2;

/// An ack: the newest id, and the bits of those before it.
#[derive(Clone, Copy)]
struct Acks {
    last: u16,
    bits: u16,
}

/// The messages of one side.
#[derive(Default)]
struct Spoken<'a> {
    /// Reliable messages, by id.
    reliable: Vec<Numbered<'a>>,
    /// Notify messages, which have ids of their own.
    notify: Vec<Numbered<'a>>,
    acks: Vec<Acks>,
    /// The ids that acks carry beside the newest.
    extra: Vec<u16>,
    /// The distinct ids that acks name and the other side had sent.
    acked: Vec<u16>,
    /// The newest ids that notify messages name.
    notified: Vec<u16>,
    /// Heartbeats with their round trips, and their answers, each with its place among all messages.
    pings: Vec<(usize, u8, i16)>,
    pongs: Vec<(usize, u8)>,
    connect: Option<&'a [u8]>,
    /// The size of the side's last message, if it is a disconnect or a reject, as in `sized`.
    ended: u32,
}

/// The bits for `version` by the consistency of numbers; `None`: it cannot be this version.
pub fn numbers<'a>(version: Version, payloads: impl Iterator<Item = SideMessage<'a>>) -> Option<u32> {
    let (mut tree, mut sides): (Tree, [Spoken<'a>; 2]) = Default::default();
    // Each known type, and each type that has only one size.
    let (mut types, mut sized, mut heartbeat) = (0u16, 0u32, false);
    let mut numbering = Numbering::default();
    for (place, (side, data, length)) in payloads.enumerate() {
        let message = numbering.read(version, side, data, length, &mut tree)?;
        let number = |field: &Field| tree.number(field).unwrap_or(0) as u16;
        types |= 1 << message as u16;
        if let Ack | AckExtra = message {
            // An ack comes after its message.
            let ids = [Some(number(&LAST)), tree.number(&FOR_SEQ).map(|id| id as u16)];
            for id in ids.into_iter().flatten() {
                let sent = sides[side.other().index()].reliable.iter().any(|other| other.number == id);
                let acked = &mut sides[side.index()].acked;
                if sent && !acked.contains(&id) {
                    acked.push(id);
                }
            }
        }
        let spoken = &mut sides[side.index()];
        spoken.ended = match message {
            Disconnect if length <= 2 => 32,
            Reject if length == 2 => 64,
            _ => 0,
        };
        let size = match message {
            Reliable | ReliableAutoRelay => {
                spoken.reliable.push(Numbered { number: number(&SEQUENCE), data });
                0
            }
            Ack | AckExtra => {
                spoken.acks.push(Acks { last: number(&LAST), bits: number(&ACKS) });
                spoken.extra.extend(tree.number(&FOR_SEQ).map(|id| id as u16));
                1
            }
            Notify => {
                spoken.notify.push(Numbered { number: number(&SEQUENCE), data });
                spoken.notified.push(number(&LAST));
                0
            }
            Heartbeat if length == 4 => {
                heartbeat = true;
                spoken.pings.push((place, number(&PING) as u8, number(&RTT) as i16));
                2
            }
            Heartbeat => {
                heartbeat = true;
                spoken.pongs.push((place, number(&PING) as u8));
                4
            }
            Welcome | ClientConnected | ClientDisconnected => {
                spoken.reliable.push(Numbered { number: number(&SEQUENCE), data });
                8
            }
            // A connection has only one connect message, however often it is sent.
            Connect => {
                if spoken.connect.is_some_and(|before| before != data) {
                    return None;
                }
                spoken.connect = Some(data);
                if length == 1 { 16 } else { 0 }
            }
            _ => 0,
        };
        sized |= size;
    }
    let [a, b] = &sides;
    sized |= a.ended | b.ended;
    let ((one, a_steps), (two, b_steps)) = (direction(version, a, b)?, direction(version, b, a)?);
    let (types, sized) = (types.count_ones().min(2), sized.count_ones().min(2));
    let form = match version.packed() {
        true => 6 * sized + if heartbeat { 2 } else { 0 } + if a_steps + b_steps >= 2 { 6 } else { 0 },
        false => 2 * types + 4 * sized + if heartbeat { 3 } else { 0 },
    };
    Some((one.max(two) + form).saturating_sub(CHOICE))
}

/// The bits of `one`'s numbers beside those of `other`, and how often they went up by one. `None`: they are
/// inconsistent.
fn direction(version: Version, one: &Spoken<'_>, other: &Spoken<'_>) -> Option<(u32, usize)> {
    let (reliable, notify) = (steps(&one.reliable)?, steps(&one.notify)?);
    let last = one.acks.iter().map(|acks| acks.last).chain(one.extra.iter().copied());
    // Acks of what the other side never sent rule the protocol out.
    named(last, &other.reliable)?;
    let acked = one.acked.len();
    // Id 0 is sent until the first one was received.
    let notified = named(one.notified.iter().copied().filter(|id| *id != 0), &other.notify)?;
    let gaps = |bits: u16| bits.count_zeros() - bits.leading_zeros();
    let filled = !one.acks.is_empty() && one.acks.iter().all(|acks| acks.bits != 0 && gaps(acks.bits) <= 2);
    // An answer comes after its request.
    let answered = |(at, id): (usize, u8)| other.pongs.iter().any(|(place, pong)| *place > at && *pong == id);
    let back: Vec<u8> = one.pings.iter().filter(|(at, id, _)| answered((*at, *id))).map(|(_, id, _)| *id).collect();
    let distinct = back.iter().enumerate().filter(|(k, id)| !back[..*k].contains(id)).count();
    let by_one = |ids: &[u8]| ids.windows(2).filter(|two| two[1] == two[0].wrapping_add(1)).count();
    let asked: Vec<u8> = one.pings.iter().map(|(_, id, _)| *id).collect();
    let answers: Vec<u8> = one.pongs.iter().map(|(_, id)| *id).collect();
    let counted = by_one(&asked).max(by_one(&answers));
    let agree = one.acks.windows(2).filter_map(|two| moved_on(two[0], two[1]));
    let (moved, retracted) = agree.fold((0, 0), |(yes, no), kept| (yes + kept as usize, no + !kept as usize));
    if retracted * 4 > one.acks.len() {
        return None;
    }
    let trips = distinct > 0 && one.pings.iter().all(|(.., rtt)| (-1..=4000).contains(rtt));
    let of = |n: usize, [first, second]: [u32; 2]| [0, first, first + second][n.min(2)];
    let numbers = match version.packed() {
        true => {
            let carries = if reliable.carries + notify.carries > 0 { 12 } else { 0 };
            let counted = if counted >= 2 { 6 } else { 0 };
            carries + counted + of(acked + notified, [8, 6]) + of(distinct, [6, 4])
        }
        false => of(acked, [2, if filled { 8 } else { 4 }]) + of(distinct, [4, 2]),
    };
    let acks = of(moved.saturating_sub(retracted), [6, 4]) + if filled && acked + moved > 0 { 4 } else { 0 };
    let bits = numbers + acks + if trips { 1 + distinct.min(2) as u32 } else { 0 };
    let jumps = 6 * (reliable.jumps + notify.jumps) as u32;
    Some((bits.saturating_sub(jumps), reliable.ones.max(notify.ones)))
}

/// Whether an ack includes the side's last ack: its newest id, and its bits moved on by the difference of the newest
/// ids. `None`: the two cannot be compared, or both have the same bits, such as all ones; or it includes it, but too few
/// of its bits are given by it, or others are set too, as those of messages that were late.
fn moved_on(before: Acks, now: Acks) -> Option<bool> {
    let by = u32::from(now.last.wrapping_sub(before.last));
    let kept = (u32::from(before.bits) << by.min(17) | 1 << by.saturating_sub(1).min(17)) as u16;
    let keeps = now.bits & kept == kept;
    let moved = (1..=8).contains(&by) && now.bits >> (by - 1) == kept >> (by - 1) && before.bits != now.bits;
    ((1..=16).contains(&by) && (moved || !keeps)).then_some(keeps)
}

/// The bits for a handshake: `payloads` begins with its first message. `last`: no more messages will follow.
pub fn handshake(version: Version, payloads: &[SideMessage<'_>], last: bool) -> Option<(u32, &'static str)> {
    let name = |data: &[u8]| data.first().map(|b| Message::of(version.layout(*b)));
    let (opener, first, length) = *payloads.first()?;
    if name(first) != Some(Connect) {
        return None;
    }
    let packed = version.packed();
    let (kind, short): (u32, u32) = if packed { (4, 8) } else { (4, 4) };
    let connect = kind + if length == 1 { short } else { 0 };
    // The connect may be lost and resent. The server may also send a connect itself before it answers, while its
    // application decides.
    let mut answers = payloads.iter().filter(|(side, data, _)| *side != opener && name(data) != Some(Connect));
    let Some(&(_, answer, length)) = answers.next() else {
        let short = payloads.iter().all(|(side, data, length)| *side == opener && *data == first && *length == 1);
        return short.then_some(match payloads.len() {
            1 | 2 => (10, "a connect of one byte"),
            _ if last => (30, "connects of one byte, and nothing else"),
            _ => (14, "repeated connects of one byte"),
        });
    };
    let id = bits::get(answer, if packed { 4 } else { 8 }, 16);
    let rest = match name(answer)? {
        // A second id to choose from is one bit less.
        Welcome if matches!(id, 1 | 2) => (if packed { 16 } else { 11 }) - id as u32 - if length > 5 { 4 } else { 0 },
        Reject => {
            let thrice = answers.take(2).filter(|(_, again, _)| *again == answer).count() == 2;
            let plain = match (packed, length) {
                (true, 2) => 13,
                (true, _) => 8,
                (false, 2) => 6,
                (false, _) => 4,
            };
            plain + if thrice { 6 } else { 0 }
        }
        _ => return None,
    };
    Some(((connect + kind + rest).saturating_sub(CHOICE), "connect, answered by welcome or reject"))
}
