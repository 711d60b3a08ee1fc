//! Evidence for nano and its relatives: packages, the first of them a handshake. An upgrade to WebSocket is no
//! evidence; the content of its messages is.
//!
//! | observed | bits | because |
//! |---|---|---|
//! | a side begins with packages of the types 1 to 5 | 5 | 5 of 256 |
//! | .. TCP: the first with a body is a handshake | 3 | 1 of 256 with the one before |
//! | .. its body begins as a JSON object | 4 | many protocols send JSON after a type and a length |
//! | .. which ends where the body does | 4 | the same |
//! | .. with an object named sys, or user, protos, or the code 200, 500 or 501 | 8, 4, 4 | plain text that others have too, sys seldom |
//! | .. its body begins as zlib, is 9 to 65536 long, and can be inflated if it is whole | 12 | 78 and one of three, and a zero |
//! | .. .. the least compressed kind of it, 78 01 | 8 | the letter x before a small number |
//! | .. TCP: after it the same side sends an empty package of type 2 or 3 | 8 | of 32 bits, zeros counted little |
//! | .. empty packages | 6 | three zeros are a filler |
//! | .. WebSocket: they fill the message exactly | 4 | of 24 bits: many applications have a type and a length there |
//! | .. WebSocket: the first is a handshake | 2 | 1 of 5 |
//! | an upgrade request to WebSocket that is refused, or after which nothing was sent | 10 | for a known server only |
//!
//! So a handshake over TCP is 24 with sys in it, 20 with another of these members or in zlib, and 16 in other JSON, and
//! 8 more if it is acknowledged; over WebSocket it is 27 with sys, and 23 with another of these members or in zlib. If
//! the beginning was captured, each side must begin with a handshake. Packages that chain after a handshake without
//! evidence count as from the middle; without a handshake they count 10 at most. Empty packages are 11, and an upgrade
//! without content is 10: enough for a known server only.
//!
//! In the middle of a conversation, packages must chain, and all of them must be ones that the family sends. Their
//! content counts:
//!
//! | observed | bits | because |
//! |---|---|---|
//! | packages of the types 1 to 5 | 5 | 5 of 256 |
//! | .. TCP: one ends where the next begins, or the bytes do; a second one | 6, 4 | of 24 bits; others have such lengths, too |
//! | .. TCP: not from the first byte on | -1 a doubling | as many places were tried |
//! | .. WebSocket: in whole frames of data, the sides' masks kept | 7 | FIN, reserved bits, opcode |
//! | .. .. they fill the message exactly | 4 | as above |
//! | data whose flags have a meaning; over TCP, or with a route or an object, a second and a third one | 3, 1, 1 | 32 of 256; one application's bodies are alike |
//! | .. with a route that fits: two or more letters; with a dot, or no letter or digit follows | 5, 10 | others have text after a small number, too, but it goes on |
//! | .. a response whose body is a JSON object that ends with it | 4 | others have JSON, too, but not after flags and an id |
//! | .. TCP: both sides' packages chain, of 14 bits each | 4 | one application's sides are alike |
//! | .. TCP: a response has the id of a request of the other side | 4 | ids are small |
//! | bytes are missing after those that are there, as many as a package or a frame lacks | as there | the same length |
//! | heartbeats alone; over TCP any empty packages | 6 | three zeros are a filler |
//! | .. WebSocket: a handshake, by its body as above | -9 | others have JSON after a type |
//! | .. WebSocket, without data: a further one, a heartbeat, under another mask | 2 | other applications send empty messages of one type, too |

use super::chain::{self, BEGINNING, Data, LOOKED_AT, carried, chain, handshake};
use super::layout::package as kinds;
use crate::dissect::{Dissection, Evidence, Nowhere, Observation, Out, Roles};
use crate::flow::{Side, Stream};
use crate::protocols::websocket::{Carrier, CarrierStep, http};

/// Evidence from the first bytes of both sides, or from those after a gap.
pub(super) fn streams(observation: &Observation<'_>) -> Evidence {
    let (mut best, mut http) = (Evidence::No, false);
    let mut better = |evidence: Evidence| {
        if let Evidence::Bits(bits, _) = evidence
            && !matches!(best, Evidence::Bits(before, _) if before >= bits)
        {
            best = evidence;
        }
    };
    let mut chains: Vec<(u32, Data)> = Vec::new();
    // One side's handshake may not be recognised while the other's answer is.
    for (side, bytes, length) in observation.payloads {
        if http::begins(bytes) == Some(true) {
            http = true;
            continue;
        }
        let missing = length - bytes.len();
        better(first(bytes));
        if observation.begun[side.index()] && observation.options.settings.get("nano.carrier") != Some("websocket") {
            better(begun(bytes, missing));
            continue;
        }
        better(chain::framed_within(bytes, missing));
        if let Some((bits, data)) = chain::chained(bytes, missing) {
            better(Evidence::Bits(bits, "packages that chain, from the middle of a stream"));
            chains.push((bits, data));
        }
    }
    if let [(one, a), (two, b)] = &chains[..] {
        let both = if a.seen > 0 && b.seen > 0 && (*one).min(*two) >= chain::BOTH_CHAIN { 4 } else { 0 };
        let back = if a.answers(b) || b.answers(a) { 4 } else { 0 };
        better(Evidence::Bits((*one).max(*two) + both + back, "packages of both sides that chain"));
    }
    if http {
        better(upgraded(observation));
    }
    match (best, observation.payloads) {
        (Evidence::No, [(_, [1..=5, ..], _)]) => Evidence::Bits(0, "a package's type"),
        _ => best,
    }
}

/// Evidence from a direction whose beginning was captured: a handshake is first, perhaps without a body. Data without a
/// handshake are sent by misbehaving clients of a known server.
fn begun(bytes: &[u8], missing: usize) -> Evidence {
    match (bytes.first(), chain(bytes, missing)) {
        (Some(&kinds::HANDSHAKE), Some((bits, data))) if data.seen > 0 => {
            Evidence::Bits(bits, "a handshake, and packages that chain")
        }
        (Some(&kinds::DATA), Some((bits, data))) if data.seen > 0 => {
            Evidence::Bits(bits.min(Evidence::KNOWN), "packages that chain, without a handshake")
        }
        _ => Evidence::No,
    }
}

/// Evidence from the first bytes of a side over TCP.
pub(super) fn first(mut bytes: &[u8]) -> Evidence {
    if http::begins(bytes).is_none() {
        return Evidence::Bits(0, "the beginning of an HTTP request");
    }
    // Empty packages are weak evidence, and may come first.
    let whole = bytes.len();
    while let [1..=3, 0, 0, 0, rest @ ..] = bytes {
        bytes = rest;
    }
    match bytes {
        [1, _, _, _, body @ ..] if !body.is_empty() => match 8 + handshake(bytes) {
            // The other side's answer may be better evidence.
            8 => Evidence::Bits(8, "a handshake, but not with JSON"),
            bits => Evidence::Bits(bits, "a handshake"),
        },
        [1, ..] => Evidence::Bits(8, "a handshake's beginning"),
        _ if bytes.len() < whole => Evidence::Bits(11, "empty packages"),
        [1..=3] | [1..=3, 0] | [1..=3, 0, 0] => Evidence::Bits(5, "empty packages"),
        _ => Evidence::No,
    }
}

/// Evidence from the content of the first WebSocket messages.
fn upgraded(observation: &Observation<'_>) -> Evidence {
    let flow_info = observation.flow_info();
    let (mut dissection, mut sink) = (Dissection::default(), Nowhere);
    let mut out = Out::new(&mut dissection, &mut sink, &flow_info, ["", ""]);
    let (mut carrier, mut roles) = (Carrier::new(true, [true; 2]), Roles::default());
    // The client's request is read first: the server's answer has the compression of its frames.
    let mut sides: Vec<(Side, Stream)> =
        observation.payloads.iter().map(|(side, bytes, _)| (*side, Stream::of(bytes))).collect();
    sides.sort_by_key(|(_, stream)| http::is_answer(stream.bytes()));
    let mut best = Evidence::Bits(0, "a request by HTTP");
    let (mut asked, mut refused) = (false, false);
    for (side, stream) in &mut sides {
        let bytes = stream.bytes();
        let Some(end) = http::end(bytes, 0) else { continue };
        let head = http::Head::read(bytes.get(..end).unwrap_or_default());
        if head.status.is_none() && !head.upgrade {
            return Evidence::No;
        }
        asked |= head.upgrade && head.status.is_none();
        refused |= head.status.is_some_and(|status| status != 101);
        // Only the head is read: the other side's head decides how the frames are read.
        carrier.step(*side, stream, &mut roles, &mut out);
    }
    match asked {
        // The content must be evidence itself, unless there is none.
        true if refused || observation.last => best = Evidence::Bits(10, "a request to change to WebSocket"),
        false if refused => return Evidence::No,
        _ => {}
    }
    let alone = sides.len() == 1;
    for (side, stream) in &mut sides {
        if !carrier.upgraded(*side) {
            if !asked || !alone {
                continue;
            }
            // The server's side is not in the capture: frames follow if it agreed.
            carrier = Carrier::new(false, [true; 2]);
        }
        let (mut seen, mut held) = (0, Vec::new());
        let begun = observation.begun[side.index()];
        while seen < LOOKED_AT {
            match carrier.step(*side, stream, &mut roles, &mut out) {
                CarrierStep::Wait => break,
                CarrierStep::Done => {}
                CarrierStep::Message => {
                    let message = carrier.take(*side);
                    // The last message may have had only the beginning of a package.
                    held.extend_from_slice(&message.bytes);
                    // Each side must begin with a handshake.
                    let shaken = seen > 0 || !begun || matches!(held.first(), None | Some(1));
                    seen += 1;
                    let mut evidence = carried(&held, false);
                    if matches!(evidence, Evidence::No) && held.len() > message.bytes.len() {
                        // Or it was given up, and a package begins anew.
                        held.clear();
                        held.extend_from_slice(&message.bytes);
                        evidence = carried(&held, false);
                    }
                    let Evidence::Bits(bits, why) = evidence else {
                        return if best.suffices(false) { best } else { Evidence::No };
                    };
                    if bits > BEGINNING {
                        held.clear();
                    }
                    if !shaken {
                        // Enough for a known server only, which misbehaving clients also use.
                        return Evidence::Bits(bits.min(Evidence::KNOWN), why);
                    }
                    if matches!(best, Evidence::Bits(before, _) if bits > before) {
                        best = Evidence::Bits(bits, why);
                    }
                    carrier.give_back(*side, message);
                }
            }
        }
    }
    best
}
