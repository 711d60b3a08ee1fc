//! What speaks for DNP: almost any datagram could be one of its messages.
//!
//! | observed | bits | because |
//! |---|---|---|
//! | begins with a connection_request: the command | 8 | 1 of 256 |
//! | .. whose count is 1 to 4 and fits its length | 3+6+4 | a zero byte, 4 of 256, one size of 16 |
//! | .. and protocol 0 is among those asked for | 4 | a zero number is 16, counted as a filler |
//! | .. and it is not | -6 | nobody asks so but a tester |
//! | .. the first answer is a connection_acknowledge | 8 | its command, and 2 or 4 bytes by its result |
//! | port 3413 | 11 | two ends, in the 4,000 ports from which older systems choose |
//! | on it: each of the first two commands, readable to the end | 4 | 12 of 256 |
//! | .. each of the first two in their one size | 4 | one size of 16 |
//! | .. an acknowledge names a message of the other side | 6 | of 16 bits; an echo in another size |
//!
//! A request is 25 bits, or 15. What counts in its second byte and fills up with zeros begins like it,
//! if all its datagrams have five bytes: so all that the opener says must be requests until it is
//! answered. On the port, one
//! constant command is 11 + 4 + 4 = 19 at most, and not enough.

use super::layout;
use super::session::PORT;
use crate::codec::{Reader, Stop, Tree};
use crate::dissect::{Evidence, Observation};

/// No client asks for more protocols; there is but one.
const MOST_PROTOCOLS: usize = 4;

/// By the first datagrams of a conversation.
pub(super) fn datagrams(observation: &Observation<'_>) -> Evidence {
    let on_port = observation.ends.iter().any(|end| end.port() == PORT);
    let mut said = observation.payloads.iter().filter(|(.., length)| *length > 0);
    let Some((opener, first, length)) = said.next() else {
        return Evidence::Bits(0, "nothing but empty datagrams");
    };
    if let Some(bits) = request(first, *length) {
        let answered = said.clone().position(|(side, ..)| side != opener).unwrap_or(usize::MAX);
        let answer = said.clone().nth(answered).map(|(_, bytes, _)| *bytes);
        let bits = bits + if matches!(answer, Some([1, 0, _, _] | [1, 1 | 2])) { 8 } else { 0 };
        return match said.take(answered).all(|(_, bytes, length)| request(bytes, *length).is_some()) {
            true => Evidence::Bits(bits, "begins with a connection_request"),
            false => Evidence::No,
        };
    }
    if on_port { Evidence::Bits(11 + commands(observation), "port 3413") } else { Evidence::No }
}

/// The bits of a connection_request.
fn request(bytes: &[u8], length: usize) -> Option<u32> {
    let [0, low, high, protocols @ ..] = bytes else { return None };
    let count = u16::from_le_bytes([*low, *high]) as usize;
    if !(1..=MOST_PROTOCOLS).contains(&count) || length != 3 + 2 * count {
        return None;
    }
    Some(8 + if protocols.chunks(2).any(|one| one == [0, 0]) { 13 + 4 } else { 7 })
}

/// The bits of what was said on the port. Foreign programs use it too.
fn commands(observation: &Observation<'_>) -> u32 {
    let (mut kinds, mut sized, mut named) = (0u16, 0u16, false);
    let mut numbers: [Vec<[u8; 2]>; 2] = Default::default();
    for (side, bytes, length) in observation.payloads.iter().filter(|(.., length)| *length > 0) {
        if !readable(bytes, *length) {
            continue;
        }
        let Some(&command) = bytes.first() else { continue };
        kinds |= 1 << command.min(15);
        match (command, *bytes) {
            (0..=2 | 7 | 8, _) => sized |= 1 << command,
            (4 | 5 | 10 | 11, [_, low, high, ..]) => numbers[side.index()].push([*low, *high]),
            (6, [_, low, high, _]) => {
                sized |= 1 << command;
                named |= numbers[side.other().index()].contains(&[*low, *high]);
            }
            _ => {}
        }
    }
    4 * kinds.count_ones().min(2) + 4 * sized.count_ones().min(2) + if named { 6 } else { 0 }
}

/// Is it a known command that can be read to its end, as far as nothing is remembered?
fn readable(bytes: &[u8], length: usize) -> bool {
    let layout = layout::by_command(bytes.first().copied());
    let mut tree = Tree::default();
    let outcome = Reader::new(bytes, &mut tree).wire_length(length).read(layout.fields);
    let whole = outcome.stop.is_none() && outcome.bits as usize == bytes.len() * 8;
    layout.name != "unknown" && (whole || matches!(outcome.stop, Some(Stop::Unknown { .. })))
}
