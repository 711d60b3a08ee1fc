//! What speaks for nano and its relatives: packages, the first of them a handshake. An upgrade to
//! WebSocket speaks for nothing: what its messages carry does.
//!
//! | observed | bits | because |
//! |---|---|---|
//! | a side begins with packages of the types 1 to 5 | 5 | 5 of 256 |
//! | .. TCP: the first with a body is a handshake | 3 | 1 of 256 with the one before |
//! | .. its body begins as a JSON object | 4 | many protocols send JSON behind a type and a length |
//! | .. which ends where the body does | 4 | the same |
//! | .. with an object named sys, or user, protos, or the code 200, 500 or 501 | 8, 4, 4 | plain text that others have too, sys seldom |
//! | .. its body begins as zlib, and is 9 to 65536 long | 12 | 78 and one of four, and a zero |
//! | .. TCP: behind it the same side says an empty package of type 2 or 3 | 8 | of 32 bits, zeros counted little |
//! | .. empty packages | 6 | three zeros are a filler |
//! | .. WebSocket: they fill the message exactly | 4 | of 24 bits: many applications have a type and a length there |
//! | .. WebSocket: the first is a handshake | 2 | 1 of 5 |
//! | a request to go over to WebSocket, refused, or after which nothing was said | 10 | for a known server only |
//!
//! So a handshake over TCP is 20 with sys in it or in zlib, and 24 or 28 in other JSON where it is
//! acknowledged; over WebSocket it is 23 with any of these members. Where the beginning was captured
//! each side has to begin with one. Empty packages are 11, and an upgrade that carries nothing is
//! 10: enough for a known server only.
//!
//! From the middle packages have to chain, all of them have to be some that the family sends, and
//! what they carry tells:
//!
//! | observed | bits | because |
//! |---|---|---|
//! | packages of the types 1 to 5 | 5 | 5 of 256 |
//! | .. TCP: one ends where the next begins, or the bytes do; a second one | 6, 4 | of 24 bits; others have such lengths, too |
//! | .. TCP: not from the first byte on | -1 a doubling | as many places were tried |
//! | .. WebSocket: in whole frames of data, the sides' masks kept | 7 | FIN, reserved bits, opcode |
//! | .. .. they fill the message exactly | 4 | as above |
//! | data whose flags have a meaning; a second and a third one | 3, 1, 1 | 32 of 256; one application's bodies are alike |
//! | .. with a route: two or more letters, which fit | 10 | a length, and 94 of 256 each |
//! | .. a response whose body is a JSON object that ends with it | 4 | others have JSON, too, but not behind flags and an id |
//! | empty packages alone | 6 | three zeros are a filler |
//! | .. WebSocket: a further one, under another mask | 8 | all bytes different; counted little |

use super::layout::package as kinds;
use super::package::{self, HEADER, Next};
use crate::dissect::{Dissection, Evidence, FlowInfo, Message, Observation, Out, Roles, Sink};
use crate::flow::{Side, Stream, Transport};
use crate::protocols::websocket::frame::{self, Head, opcode};
use crate::protocols::websocket::{Carrier, CarrierStep, http};

/// So many messages of a WebSocket are looked at, of each side.
const LOOKED_AT: usize = 4;

/// The bits of a package's type.
const BEGINNING: u32 = 5;

/// What the carrier prints on the way is nobody's.
struct Unseen;

impl Sink for Unseen {
    fn message(&mut self, _message: &Message<'_>) {}
}

/// By the first bytes of both sides.
pub(super) fn streams(observation: &Observation<'_>) -> Evidence {
    let http = observation.payloads.iter().filter_map(|(_, bytes, _)| http::begins(bytes)).find(|http| *http);
    if http.is_some() {
        return upgraded(observation);
    }
    // What one side says may be no handshake that is recognised, and the other's answer be one.
    let mut best = Evidence::No;
    for (side, bytes, _) in observation.payloads {
        let middle = match observation.begun[side.index()] {
            true => [Evidence::No; 2],
            false => [framed(bytes), chained(bytes)],
        };
        for evidence in middle.into_iter().chain([first(bytes)]) {
            if let Evidence::Bits(bits, _) = evidence
                && !matches!(best, Evidence::Bits(before, _) if before >= bits)
            {
                best = evidence;
            }
        }
    }
    match (best, observation.payloads) {
        (Evidence::No, [(_, [1..=5, ..], _)]) => Evidence::Bits(0, "a package's type"),
        _ => best,
    }
}

/// By the first bytes of a side over TCP.
pub(super) fn first(mut bytes: &[u8]) -> Evidence {
    if http::begins(bytes).is_none() {
        return Evidence::Bits(0, "the beginning of an HTTP request");
    }
    // Empty packages tell little, and may come first.
    let whole = bytes.len();
    while let [1..=3, 0, 0, 0, rest @ ..] = bytes {
        bytes = rest;
    }
    match bytes {
        [1, _, _, _, body @ ..] if !body.is_empty() => match 8 + handshake(bytes) {
            // The other side may answer with one that tells.
            8 => Evidence::Bits(8, "a handshake, but not with JSON"),
            bits => Evidence::Bits(bits, "a handshake"),
        },
        [1, ..] => Evidence::Bits(8, "a handshake's beginning"),
        _ if bytes.len() < whole => Evidence::Bits(11, "empty packages"),
        [1..=3] | [1..=3, 0] | [1..=3, 0, 0] => Evidence::Bits(5, "empty packages"),
        _ => Evidence::No,
    }
}

/// The bits of a handshake's length and body, as far as it is there, and of what comes behind it.
fn handshake(bytes: &[u8]) -> u32 {
    let Some(length) = package::announced(bytes) else { return 0 };
    let body = bytes.get(HEADER..length.min(bytes.len())).unwrap_or_default();
    let behind = match bytes.get(length..) {
        Some([2 | 3, 0, 0, 0, ..]) => 8,
        _ => 0,
    };
    if let [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] = body {
        return if (HEADER + 9..=HEADER + package::LIMIT).contains(&length) { 12 + behind } else { 0 };
    }
    let inner = body.trim_ascii_start().strip_prefix(b"{").map(<[u8]>::trim_ascii_start);
    if !inner.is_some_and(|inner| matches!(inner.first(), Some(b'"' | b'}'))) {
        return 0;
    }
    let ends = bytes.len() >= length && body.trim_ascii_end().ends_with(b"}");
    if bytes.len() >= length && !ends {
        return 0;
    }
    let has = |key: &[u8]| memchr::memmem::find(body, key).map(|at| body.get(at + key.len()..).unwrap_or_default());
    let object = |key: &[u8]| has(key).is_some_and(|rest| matches!(rest.trim_ascii_start().first(), None | Some(b'{')));
    // All that is sent: done, failed, the client is too old.
    let answers = |rest: &[u8]| {
        let rest = rest.trim_ascii_start();
        let ends = rest.get(3).is_none_or(|b| !b.is_ascii_digit());
        ends && [&b"200"[..], b"500", b"501"].iter().any(|code| rest.starts_with(code))
    };
    let key = match () {
        _ if object(b"\"sys\":") => 8,
        _ if has(b"\"code\":").is_some_and(answers) => 4,
        _ if object(b"\"user\":") || object(b"\"protos\":") => 4,
        _ => 0,
    };
    4 + key + if ends { 4 } else { 0 } + behind
}

/// By what the first WebSocket messages carry.
fn upgraded(observation: &Observation<'_>) -> Evidence {
    let flow_info = FlowInfo {
        flow: 0,
        serial: 0,
        transport: Transport::Tcp,
        ends: Some(observation.ends),
        opener: None,
        begun: observation.begun,
        options: observation.options,
    };
    let (mut dissection, mut sink) = (Dissection::default(), Unseen);
    let mut out = Out::new(&mut dissection, &mut sink, &flow_info, ["", ""]);
    let (mut carrier, mut roles) = (Carrier::new(true, [true; 2]), Roles::default());
    // The client's request comes first, and the answer says how its frames are compressed.
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
        // Its head alone: the other side's tells how what follows is to be read.
        carrier.step(*side, stream, &mut roles, &mut out);
    }
    match asked {
        // What is carried has to speak for itself, unless nothing is.
        true if refused || observation.last => best = Evidence::Bits(10, "a request to go over to WebSocket"),
        false if refused => return Evidence::No,
        _ => {}
    }
    let alone = sides.len() == 1;
    for (side, stream) in &mut sides {
        if !carrier.upgraded(*side) {
            // The server's side is not in the capture: as far as it goes without its answer.
            let first = stream.bytes();
            if let (true, Evidence::Bits(bits @ Evidence::CLAIM.., why)) = (asked && alone, framed_by(first, false)) {
                return Evidence::Bits(bits, why);
            }
            continue;
        }
        let mut seen = 0;
        let begun = observation.begun[side.index()];
        while seen < LOOKED_AT {
            match carrier.step(*side, stream, &mut roles, &mut out) {
                CarrierStep::Wait => break,
                CarrierStep::Done => {}
                CarrierStep::Message => {
                    let message = carrier.take(*side);
                    // Each side begins with a handshake, or the client says that there is none.
                    let shaken = seen > 0 || !begun || matches!(message.bytes.first(), None | Some(1));
                    seen += 1;
                    let Evidence::Bits(bits, why) = carried(&message.bytes, false) else {
                        return if best.suffices(false) { best } else { Evidence::No };
                    };
                    if !shaken {
                        // For a known server, where clients that misbehave are seen too.
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

/// By the first bytes of a side of a WebSocket whose upgrade is not in the capture: frames one behind
/// the other from the first byte, and packages in them. Compressed messages tell nothing: what
/// inflates them is not in the capture either.
pub(super) fn framed(bytes: &[u8]) -> Evidence {
    framed_by(bytes, true)
}

fn framed_by(bytes: &[u8], middle: bool) -> Evidence {
    let (mut rest, mut payload) = (bytes, Vec::new());
    let (mut masked, mut masks) = (None, Vec::new());
    let (mut best, mut more) = (None, 0);
    let mut data_bits = Data::default();
    while let Some(head) = Head::read(rest).filter(|_| masks.len() < LOOKED_AT) {
        let data = matches!(head.opcode, opcode::TEXT | opcode::BINARY);
        let single = head.fin && head.rsv == 0 && (data || head.is_control());
        if !head.plausible() || !single || masked.is_some_and(|masked| masked != head.mask.is_some()) {
            return Evidence::No;
        }
        masked = Some(head.mask.is_some());
        let Some((whole, behind)) = usize::try_from(head.whole()).ok().and_then(|whole| rest.split_at_checked(whole))
        else {
            break;
        };
        rest = behind;
        if !data || head.length == 0 {
            continue;
        }
        payload.clear();
        payload.extend_from_slice(whole.get(head.size..).unwrap_or_default());
        let key = head.mask.unwrap_or_default();
        frame::mask(&mut payload, key);
        let Evidence::Bits(bits, _) = carried(&payload, middle) else { return Evidence::No };
        if !middle && masks.is_empty() && payload.first() != Some(&1) || !data_bits.of(&payload) {
            return Evidence::No;
        }
        best = best.max(Some(bits));
        if bits <= BEGINNING {
            // What follows is the rest of it.
            break;
        }
        let empty = payload.chunks(HEADER).all(|package| matches!(package, [_, 0, 0, 0]));
        more += if empty && key != [0; 4] && !masks.is_empty() && !masks.contains(&key) { 8 } else { 0 };
        masks.push(key);
    }
    match (best, masked) {
        (Some(bits), _) => {
            Evidence::Bits(7 + bits + more + data_bits.bits(), "packages in a WebSocket, from its middle")
        }
        (None, Some(_)) => Evidence::Bits(0, "frames of a WebSocket, from its middle"),
        (None, None) => Evidence::No,
    }
}

/// What packages of data carry.
#[derive(Default)]
struct Data {
    /// How many there were.
    seen: u32,
    routes: bool,
    objects: bool,
}

impl Data {
    /// Adds the whole packages that `bytes` begin with; false: one of them is none that is sent.
    fn of(&mut self, mut bytes: &[u8]) -> bool {
        while let Next::Package(length) = package::next(bytes) {
            let (package, rest) = bytes.split_at(length);
            if let [kinds::DATA, _, _, _, body @ ..] = package
                && !self.body(body)
            {
                return false;
            }
            bytes = rest;
        }
        true
    }

    /// A body: flags, an id, a route.
    fn body(&mut self, body: &[u8]) -> bool {
        let Some((&flags, mut rest)) = body.split_first() else { return false };
        self.seen += 1;
        if flags & 0xc8 != 0 {
            return false;
        }
        let kind = flags >> 1 & 3;
        if matches!(kind, 0 | 2) {
            let id = rest.iter().take_while(|byte| **byte & 0x80 != 0).count();
            rest = match rest.get(id + 1..) {
                Some(behind) if id < 10 => behind,
                _ => return false,
            };
        }
        match (kind, flags & 1, rest) {
            (2, ..) => self.objects |= flags & 0x10 == 0 && rest.starts_with(b"{") && rest.ends_with(b"}"),
            (_, 1, _) => return rest.len() >= 2,
            (_, _, [length, rest @ ..]) if *length > 0 => match rest.get(..usize::from(*length)) {
                Some(route) if route.iter().all(u8::is_ascii_graphic) => self.routes |= route.len() > 1,
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    fn bits(&self) -> u32 {
        let flags = if self.seen > 0 { 2 + self.seen.min(3) } else { 0 };
        flags + if self.routes { 10 } else { 0 } + if self.objects { 4 } else { 0 }
    }
}

/// In so many bytes of a stream a package is looked for.
const SEARCHED: usize = 8192;

/// By packages that chain in a stream of which the capture has no beginning.
fn chained(bytes: &[u8]) -> Evidence {
    let mut best = Evidence::No;
    for from in 0..bytes.len().min(SEARCHED) {
        if let Some(bits) = bytes.get(from..).and_then(chain) {
            let bits = bits.saturating_sub((from + 1).ilog2());
            if !matches!(best, Evidence::Bits(before, _) if before >= bits) {
                best = Evidence::Bits(bits, "packages that chain, from the middle of a stream");
            }
        }
        // From its first byte on it is a better reason than from any other.
        if from == 0 && best.suffices(false) {
            break;
        }
    }
    best
}

/// The bits of packages from here on; `None`: there is none, or one that is not sent.
fn chain(bytes: &[u8]) -> Option<u32> {
    if !package::plausible(bytes) {
        return None;
    }
    let (mut rest, mut data, mut links) = (bytes, Data::default(), 0u32);
    while links < LOOKED_AT as u32 {
        let Next::Package(length) = package::next(rest) else { break };
        let (package, behind) = rest.split_at(length);
        let there = behind.len() < HEADER || package::plausible(behind);
        if !there || !data.of(package) {
            return None;
        }
        links += 1;
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    // Heartbeats alone are what others fill with.
    let links = match (links, data.seen) {
        (_, 0) | (0, _) => 0,
        (1, _) => 6,
        _ => 10,
    };
    Some(5 + links + data.bits())
}

/// By a message of a WebSocket: packages from its first byte to its last. `middle`: with none before.
fn carried(mut bytes: &[u8], middle: bool) -> Evidence {
    let mut empty = true;
    let mut body = 0;
    while !bytes.is_empty() {
        let length = match package::next(bytes) {
            Next::Package(length) => length,
            // The next message may bring the rest.
            Next::More => return Evidence::Bits(BEGINNING, "the beginning of a package"),
            Next::Unknown => return Evidence::No,
        };
        let (package, rest) = bytes.split_at(length);
        if middle && !package::plausible(bytes) {
            return Evidence::No;
        }
        if length > HEADER && empty {
            (empty, body) = match package {
                [1, ..] => (false, 2 + if middle { 0 } else { handshake(package) }),
                [4, _, _, _, flags, ..] if flags & 0xc8 == 0 => (false, 0),
                [5, ..] => (false, 0),
                _ => return Evidence::No,
            };
        }
        bytes = rest;
    }
    match empty {
        true => Evidence::Bits(5 + 6, "empty packages in a WebSocket"),
        false => Evidence::Bits(5 + 4 + body, "packages in a WebSocket"),
    }
}
