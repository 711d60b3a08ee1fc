//! What speaks for Riptide: a connection being made, or numbers that behave. That every datagram
//! has the form of a message is no evidence: a nibble of 2 or 6 with anything behind it has it.
//!
//! How many bits each observation rules out. A first byte that never changes counts once. What
//! counts up in whole bytes, what is echoed in its place and what is sent again counts nothing
//! where messages are byte aligned (to 2.0), since RTP, DTLS, KCP and others do the same; where they
//! are packed (from 2.1 on) the numbers stand across bytes, so that no such counter looks like one:
//! an id that goes up by one changes the high half of the first byte before anything else.
//!
//! | observed | to 2.0 | packed | because |
//! |---|---|---|---|
//! | a known type, each of the first two | 4 | 0 | 11 of 256; 11 of 16 is nothing |
//! | .. which is the heartbeat's | 3 | 2 | 2 of 256 (04, 05) are 7; 1 of 16 less the choice of 4 |
//! | a type in its one size, each of the first two | 4 | 6 | one size of 16; and zeros behind it |
//! | ids go up by one, twice or more | 0 | 6 | 2^-16 each; a counter of four bits may do it |
//! | .. a side's go on from one multiple of 16 to the next | 0 | 12 | of 16 bits, that four bits do not explain |
//! | an ack names a message of the other side; a second one | 2, 8 | 8, 6 | as an echo that has another first byte |
//! | an ack's bits have at most two holes | 4 | 4 | 697 of 2^16 are 6.5; all ones is a filler too |
//! | a heartbeat comes back with its id; a second one | 4, 2 | 6, 4 | of 8 bits; an echo in another size |
//! | heartbeats count up by one, twice | 0 | 8 | of 16 bits |
//! | round trips are -1 to 4000 ms | 3 | 3 | 4002 of 2^16 are 4; zero is a filler too |
//! | both sides do the same | 0 | 0 | the stronger one's numbers count: others do the same both ways too |
//! | which version it is was free | -2 | -2 | four were tried |
//!
//! Nothing is made of fewer than [`FEW`] messages while more may come: what does not behave needs time
//! to show it.
//!
//! The handshakes, by the same measure ([`handshake`]):
//!
//! | first, and answer | to 2.0 | packed |
//! |---|---|---|
//! | connect, then a welcome of 5 bytes with id 1 or 2 | 8, 8+4+2 | 4, 4+4+2+3+6: zeros are 12 bits, 6 counted |
//! | connect, then a reject without data | 8, 8+4+6 | 4, 4+4+7+2 |
//! | connect, then a reject with data | 8, 8+8 | 4, 4+8 |
//! | .. the connect is one byte long | 4 | 8 |
//! | .. the same reject three times | 6 | 6 |
//! | one byte, three times or more, and nothing else | 30 | 30 |
//!
//! The last: a length of 1 in three datagrams whose lengths vary is 3 * 8, and 3 of 256 bytes begin a
//! connect. One such datagram is 10: 4 and 6.

use super::version::{Version, fits};
use crate::codec::bits;
use crate::flow::Side;

/// A message, and its length on the wire.
pub type Said<'a> = (Side, &'a [u8], usize);

/// So far may an id be from the side's one before, or an ack from the ids that were seen, where
/// some are lost; farther ones are no ids. A random one is within in one of 2^8.
const NEAR: i16 = 128;
/// Numbers of fewer messages tell nothing yet.
pub const FEW: usize = 8;
/// Four versions were tried.
const CHOICE: u32 = 2;

/// What was said of one side.
#[derive(Default)]
struct Spoken<'a> {
    /// Reliable messages, by id.
    reliable: Vec<(u16, &'a [u8])>,
    /// The same of notify messages, which have ids of their own.
    notify: Vec<(u16, &'a [u8])>,
    /// The newest id and the bits of acks, and the newest id of notify messages.
    acks: Vec<(u16, u16)>,
    /// The ids that acks name beside the newest.
    extra: Vec<u16>,
    notified: Vec<u16>,
    /// Heartbeats, with the round trip, and their answers.
    pings: Vec<(u8, i16)>,
    pongs: Vec<u8>,
    connect: Option<&'a [u8]>,
}

/// The bits for `version` by what numbers do; `None`: it cannot be this version.
pub fn numbers<'a>(version: Version, said: impl Iterator<Item = Said<'a>>) -> Option<u32> {
    let at = if version.packed() { 4 } else { 8 };
    let mut sides: [Spoken<'a>; 2] = Default::default();
    // Each known type, and each of those that have but one size.
    let (mut types, mut sized, mut heartbeat) = (0u16, 0u32, false);
    for (side, data, length) in said {
        if !fits(version, data, length) {
            return None;
        }
        let number = |bit: usize| bits::get(data, at + bit, 16) as u16;
        let byte = |bit: usize| bits::get(data, at + bit, 8) as u8;
        let kind = data.first().map_or(0, |b| if version.packed() { b & 15 } else { *b });
        types |= 1 << kind.min(15);
        let spoken = &mut sides[side.index()];
        let size = match version.layout(kind).name {
            "reliable" | "reliable_auto_relay" => {
                spoken.reliable.push((number(0), data));
                0
            }
            "ack" | "ack_extra" => {
                spoken.acks.push((number(0), number(16)));
                match (version.packed(), length) {
                    (true, 7) => spoken.extra.push(number(33)),
                    (false, 7) => spoken.extra.push(number(32)),
                    _ => {}
                }
                1
            }
            "notify" => {
                spoken.notify.push((number(24), data));
                spoken.notified.push(number(0));
                0
            }
            "heartbeat" if length == 4 => {
                heartbeat = true;
                spoken.pings.push((byte(0), number(8) as i16));
                2
            }
            "heartbeat" => {
                heartbeat = true;
                spoken.pongs.push(byte(0));
                4
            }
            "welcome" | "client_connected" | "client_disconnected" => {
                spoken.reliable.push((number(0), data));
                8
            }
            // One connection is asked for with one and the same message.
            "connect" => {
                if spoken.connect.is_some_and(|before| before != data) {
                    return None;
                }
                spoken.connect = Some(data);
                if length == 1 { 16 } else { 0 }
            }
            "disconnect" if length <= 2 => 32,
            "reject" if length == 2 => 64,
            _ => 0,
        };
        sized |= size;
    }
    let [a, b] = &sides;
    let ((one, a_steps), (two, b_steps)) = (direction(version, a, b)?, direction(version, b, a)?);
    let (types, sized) = (types.count_ones().min(2), sized.count_ones().min(2));
    let form = match version.packed() {
        true => 6 * sized + if heartbeat { 2 } else { 0 } + if a_steps + b_steps >= 2 { 6 } else { 0 },
        false => 4 * types + 4 * sized + if heartbeat { 3 } else { 0 },
    };
    Some((one.max(two) + form).saturating_sub(CHOICE))
}

/// The bits of what the numbers of `one` do, beside those of `other`, and how often they went up by
/// one. `None`: they do not behave.
fn direction(version: Version, one: &Spoken<'_>, other: &Spoken<'_>) -> Option<(u32, usize)> {
    let (reliable_steps, reliable_carries) = near(&one.reliable)?;
    let (notify_steps, notify_carries) = near(&one.notify)?;
    let ids = |all: &[(u16, &[u8])]| all.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    let last = one.acks.iter().map(|(last, _)| *last).chain(one.extra.iter().copied());
    let acked = named(last, &ids(&other.reliable))?;
    // 0 is named as long as none has come.
    let notified = named(one.notified.iter().copied().filter(|id| *id != 0), &ids(&other.notify))?;
    let holes = |bits: u16| bits.count_zeros() - bits.leading_zeros();
    let filled = !one.acks.is_empty() && one.acks.iter().all(|(_, bits)| *bits != 0 && holes(*bits) <= 2);
    let back: Vec<u8> = one.pings.iter().map(|(id, _)| *id).filter(|id| other.pongs.contains(id)).collect();
    let distinct = back.iter().enumerate().filter(|(k, id)| !back[..*k].contains(id)).count();
    let counted = one.pings.windows(2).filter(|two| two[1].0 == two[0].0.wrapping_add(1)).count();
    let trips = !back.is_empty() && one.pings.iter().all(|(_, rtt)| (-1..=4000).contains(rtt));
    let of = |n: usize, [first, second]: [u32; 2]| match n {
        0 => 0,
        1 => first,
        _ => first + second,
    };
    let numbers = match version.packed() {
        true => {
            let carries = if reliable_carries + notify_carries > 0 { 12 } else { 0 };
            let counted = if counted >= 2 { 8 } else { 0 };
            carries + counted + of(acked + notified, [8, 6]) + of(distinct, [6, 4])
        }
        false => of(acked, [2, 8]) + of(distinct, [4, 2]),
    };
    let bits = numbers + if filled && acked > 0 { 4 } else { 0 } + if trips { 3 } else { 0 };
    Some((bits, reliable_steps.max(notify_steps)))
}

/// Can this be an id of a side whose one before is `before`?
pub fn is_near(id: u16, before: u16) -> bool {
    (id.wrapping_sub(before) as i16).unsigned_abs() <= NEAR as u16
}

/// The id of a message that is sent until it is acknowledged.
pub fn reliable_id(version: Version, data: &[u8]) -> Option<u16> {
    let first = *data.first()?;
    let reliable = match version {
        Version::V10 => 6..=9,
        Version::V12 | Version::V20 => 7..=11,
        Version::V21 | Version::V22 => 7..=10,
    };
    let (kind, at) = if version.packed() { (first & 15, 4) } else { (first, 8) };
    reliable.contains(&kind).then(|| bits::get(data, at, 16) as u16)
}

/// How often an id was the one before and one more, and how often that changed more than four bits:
/// a counter of four bits may stand before a nibble that is constant. `None`: they are no ids, since they jump about,
/// or since one of them was given twice.
fn near(said: &[(u16, &[u8])]) -> Option<(usize, usize)> {
    let (mut steps, mut carries) = (0, 0);
    let mut newest: Option<u16> = None;
    for (k, (id, data)) in said.iter().enumerate() {
        if let Some(before) = newest {
            if !is_near(*id, before) {
                return None;
            }
            let step = id.wrapping_sub(before) as i16;
            if step <= 0 && said[..k].iter().any(|(other, bytes)| other == id && bytes != data) {
                return None;
            }
            steps += (step == 1) as usize;
            carries += (step == 1 && id & 15 == 0) as usize;
        }
        newest = Some(newest.map_or(*id, |n| if (id.wrapping_sub(n) as i16) > 0 { *id } else { n }));
    }
    Some((steps, carries))
}

/// How many different ids are named that the other side has given. `None`: one is named that it
/// cannot have given.
fn named(last: impl Iterator<Item = u16>, given: &[u16]) -> Option<usize> {
    let mut found: Vec<u16> = Vec::new();
    for id in last {
        if !given.is_empty() && !given.iter().any(|given| is_near(id, *given)) {
            return None;
        }
        if given.contains(&id) && !found.contains(&id) {
            found.push(id);
        }
    }
    Some(found.len())
}

/// The bits for a connection being made: `said` begins with its first message.
pub fn handshake(version: Version, said: &[Said<'_>]) -> Option<(u32, &'static str)> {
    let name = |data: &[u8]| data.first().map(|b| version.layout(*b).name);
    let (opener, first, length) = *said.first()?;
    if name(first) != Some("connect") {
        return None;
    }
    let packed = version.packed();
    let (kind, short): (u32, u32) = if packed { (4, 8) } else { (8, 4) };
    let connect = kind + if length == 1 { short } else { 0 };
    // The connect may be lost and said again, and the server may say another itself before it
    // answers: the application has to decide.
    let mut answers = said.iter().filter(|(side, data, _)| *side != opener && name(data) != Some("connect"));
    let Some(&(_, answer, length)) = answers.next() else {
        let short = said.iter().all(|(side, _, length)| *side == opener && *length == 1);
        return short.then_some(match said.len() {
            1 | 2 => (10, "a connect of one byte"),
            _ => (30, "connects of one byte, again and again"),
        });
    };
    let id = bits::get(answer, if packed { 4 } else { 8 }, 16);
    let rest = match name(answer)? {
        "welcome" if matches!(id, 1 | 2) => 4 + 2 + if packed { 9 } else { 0 },
        "reject" => {
            let thrice = answers.take(2).filter(|(_, again, _)| *again == answer).count() == 2;
            let plain = if length == 2 { if packed { 13 } else { 10 } } else { 8 };
            plain + if thrice { 6 } else { 0 }
        }
        _ => return None,
    };
    Some(((connect + kind + rest).saturating_sub(CHOICE), "connect, answered by welcome or reject"))
}
