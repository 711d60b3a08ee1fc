//! Evidence for DNP. Almost any datagram could be one of its messages.
//!
//! | observed | bits | because |
//! |---|---|---|
//! | begins with a connection_request of its size, protocol 0 among them | 14 | 3 numbers, one of them 1: other messages of small numbers begin so too |
//! | .. and nothing else follows to the end | 11 | other protocols go on |
//! | .. protocol 0 is not among them | 10 | only a tester requests so |
//! | .. the first answer is a connection_acknowledge | 8 | its command, and 2 or 4 bytes by its result |
//! | .. bytes of few values, until all fit: no more bits than request and answer hold | | 00 and 01 alone are one bit each |
//! | .. most whole datagrams are no messages | -6 | a server tested with some is still one |
//! | .. all other datagrams are messages, or the opener repeats its request until it is answered | 0 | others do not |
//!
//! Without a request, or with packets before it, the commands decide. Other protocols also have small opcodes, number
//! their messages and acknowledge them. So only commands in their right place count.
//!
//! | observed | bits | because |
//! |---|---|---|
//! | port 3413 | 5 | other protocols are found at any port: a hint, and no more; enough to fit a known server |
//! | a command in its one size, each of the first three | 4 | one size of 16 |
//! | acknowledgements of other messages name a number of the other side: 1, 2, 3 of them | 4, 8, 12 | of 16 bits, and one command of 16; others echo numbers, too |
//! | a side's numbers go up by one under their four commands, twice | 4 | 4 of 16 have them, in their place, low byte first |
//! | a side's acknowledgements go up by one, twice | 4 | the same, of one command |
//! | both of them are one side's | 4 | two counts, not one |
//! | a link_state that ends where its values do, with values; another one | 8, 4 | types below 38, counts, and an exact end |
//! | a part of a long message whose flags have a meaning, and a second one | 4 | 8 or 16 of 256, and no more |
//! | a side begins with a connection_acknowledge that accepts protocol 0 | 4 | three zeros are a filler |
//! | a datagram that is not a message, a number that jumps (once in 16) | -6 | |
//!
//! Numbers that jump about, or acknowledgements of numbers that were never sent, rule DNP out.

use super::layout::{self, Message};
use super::session::PORT;
use crate::codec::{Reader, Stop, Tree};
use crate::dissect::counts::{Numbered, named, steps};
use crate::dissect::{Evidence, Observation};

/// The most protocols in a client's request. Only one exists.
const MOST_PROTOCOLS: usize = 4;

/// The bits of a request for protocol 0, of one for other protocols, and of requests alone.
const REQUEST: u32 = 14;
const TESTED: u32 = 10;
const UNANSWERED: u32 = 25;

/// Evidence from the first datagrams of a conversation.
pub(super) fn datagrams(observation: &Observation<'_>) -> Evidence {
    let mut payloads = observation.payloads.iter().filter(|(.., length)| *length > 0);
    let Some((opener, first, length)) = payloads.next() else {
        return Evidence::Bits(0, "nothing but empty datagrams");
    };
    let (mut best, broken) = match commands(observation) {
        Some((bits, broken)) => (Some((bits, "numbers and acknowledgements that agree")), broken),
        None => (None, 1),
    };
    if let Some(mut bits) = request(first, *length) {
        let answered = payloads.clone().position(|(side, ..)| side != opener).unwrap_or(usize::MAX);
        let answer = payloads.clone().nth(answered).map(|(_, bytes, _)| *bytes);
        let only = payloads.clone().take(answered).all(|(_, bytes, length)| request(bytes, *length).is_some());
        if bits == REQUEST && observation.last && answered == usize::MAX && only {
            bits = UNANSWERED;
        }
        let bits = bits + if matches!(answer, Some([1, 0, 0, 0] | [1, 1 | 2])) { 8 } else { 0 };
        let bits = if broken == 0 { bits + best.map_or(0, |(bits, _)| bits.saturating_sub(4)) } else { bits };
        let whole = |bytes: &[u8], length: usize| bytes.len() == length && length > 0;
        let unread = observation.payloads.iter().filter(|(_, bytes, n)| whole(bytes, *n) && !readable(bytes, *n));
        let mostly = 2 * unread.count() > observation.payloads.len();
        let bits = bits.saturating_sub(if mostly { 6 } else { 0 });
        let bits = match answer {
            Some(answer) if observation.few || broken > 0 => bits.min(observation.most_bits([*first, answer])),
            _ => bits,
        };
        best = best.max((only || broken == 0).then_some((bits, "begins with a connection_request")));
    }
    best.map_or(Evidence::No, |(bits, why)| Evidence::Bits(observation.early(bits), why))
}

/// The bits of a connection_request.
fn request(bytes: &[u8], length: usize) -> Option<u32> {
    let [0, low, high, protocols @ ..] = bytes else { return None };
    let count = u16::from_le_bytes([*low, *high]) as usize;
    let fits = (1..=MOST_PROTOCOLS).contains(&count) && length == 3 + 2 * count;
    fits.then_some(if protocols.chunks(2).any(|one| one == [0, 0]) { REQUEST } else { TESTED })
}

/// The messages of one side.
#[derive(Default)]
struct Spoken<'a> {
    /// Numbered messages.
    numbers: Vec<Numbered<'a>>,
    /// The numbers of the other side that it acknowledges.
    acks: Vec<u16>,
    /// Its first message is a connection_acknowledge that accepts protocol 0.
    accepts: bool,
    began: bool,
}

impl Spoken<'_> {
    /// Whether this side has sent this number.
    fn has(&self, number: u16) -> bool {
        self.numbers.iter().any(|own| own.number == number)
    }
}

/// The bits of a conversation from any point on, and the number of datagrams that are not messages; `None`: it is not
/// DNP.
fn commands(observation: &Observation<'_>) -> Option<(u32, u32)> {
    let (mut sized, mut states, mut parts, mut broken, mut whole) = (0u16, Vec::new(), 0u32, 0u32, 0u32);
    let mut sides: [Spoken<'_>; 2] = Default::default();
    let mut acknowledged: Vec<(bool, u16)> = Vec::new();
    for (side, bytes, length) in observation.payloads.iter().filter(|(.., length)| *length > 0) {
        let bytes = *bytes;
        let other = side.other().index();
        let Some(&command) = bytes.first().filter(|_| readable(bytes, *length)) else {
            broken += 1;
            continue;
        };
        whole += 1;
        if let (6, [_, low, high, _]) = (command, bytes) {
            let named = (side.index() == 0, u16::from_le_bytes([*low, *high]));
            // An acknowledgement counts only after the number that it carries.
            if sides[other].has(named.1) && !acknowledged.contains(&named) {
                acknowledged.push(named);
            }
        }
        let spoken = &mut sides[side.index()];
        spoken.accepts |= !spoken.began && bytes == [1, 0, 0, 0];
        spoken.began = true;
        match (command, bytes) {
            (6, [_, low, high, _]) => {
                sized |= 1 << command;
                spoken.acks.push(u16::from_le_bytes([*low, *high]));
            }
            (0..=2 | 7 | 8, _) => sized |= 1 << command,
            (4 | 5 | 10 | 11, [_, low, high, ..]) => {
                spoken.numbers.push(Numbered { number: u16::from_le_bytes([*low, *high]), data: bytes });
                let part = matches!((command, bytes), (10, [_, _, _, ..=3, ..]));
                parts += part as u32;
                // The state has at least one value: 11 bytes are a state without any.
                if command == 5 && *length > 11 && !states.contains(&bytes) {
                    states.push(bytes);
                }
            }
            _ => {}
        }
    }
    let mut counted = 0;
    for [one, other] in [[&sides[0], &sides[1]], [&sides[1], &sides[0]]] {
        let own = steps(&one.numbers)?;
        broken += own.jumps as u32;
        named(one.acks.iter().copied(), &other.numbers)?;
        // The same number may be acknowledged again, with another result.
        let mut fresh = one.acks.clone();
        fresh.dedup();
        let acks = fresh.windows(2).filter(|pair| pair[1] == pair[0].wrapping_add(1)).count();
        let (own, acks) = (own.ones >= 2, acks >= 2);
        let both = if own && acks { 4 } else { 0 };
        counted = counted.max(4 * own as u32 + 4 * acks as u32 + both + 4 * one.accepts as u32);
    }
    let port = observation.ends.iter().any(|end| end.port() == PORT);
    let bits = if port { 5 } else { 0 }
        + 4 * sized.count_ones().min(3)
        + 4 * acknowledged.len().min(3) as u32
        + counted
        + [0, 8, 12][states.len().min(2)]
        + if parts >= 2 { 4 } else { 0 };
    // On the port the decision waits for more, since a real server ignores datagrams that are not messages.
    (whole > 0 || port).then(|| (bits.saturating_sub(6 * broken), broken))
}

/// Whether the datagram is a known command that can be read to its end, without the state of earlier messages.
fn readable(bytes: &[u8], length: usize) -> bool {
    let layout = layout::by_command(bytes.first().copied());
    let mut tree = Tree::default();
    let outcome = Reader::new(bytes, &mut tree).wire_length(length).read(layout.fields);
    let whole = outcome.stop.is_none() && outcome.bits as usize == bytes.len() * 8;
    Message::of(layout) != Message::Unknown && (whole || matches!(outcome.stop, Some(Stop::Unknown { .. })))
}
