//! Evidence from packages without a handshake: in the middle of a stream they chain, directly or in WebSocket frames.
//! The bits are those of the table in [`evidence`](super::evidence).

use super::layout::package as kinds;
use super::package::{self, HEADER, Next};
use super::zlib::{FREE, Unfit, Zlib};
use crate::dissect::Evidence;
use crate::protocols::websocket::frame::{self, Head, opcode};

/// The number of WebSocket messages that are examined on each side.
pub(super) const LOOKED_AT: usize = 4;

/// The number of frames that are examined, including those without a payload.
const FRAMES: usize = 16;

/// The bits of a handshake's JSON that do not count from the middle: other applications have it after a type, too.
const MIDDLE: u32 = 9;

/// The bits of a package's type.
pub(super) const BEGINNING: u32 = 5;

/// Evidence from the first bytes of a side of a WebSocket whose upgrade is not in the capture: consecutive frames from
/// the first byte on, with packages in them. Compressed messages are no evidence: the state that inflates them is not
/// in the capture either.
pub(super) fn framed(bytes: &[u8]) -> Evidence {
    framed_by(bytes, 0)
}

/// Like [`framed`], but from any byte on: the first bytes may belong to an earlier frame.
pub(super) fn framed_within(bytes: &[u8], missing: usize) -> Evidence {
    let mut best = framed_by(bytes, missing);
    // If frames follow each other from the first byte on, none begins elsewhere.
    let next =
        Head::read(bytes).filter(Head::plausible).and_then(|head| bytes.get(usize::try_from(head.whole()).ok()?..));
    if next.is_some_and(|next| Head::read(next).is_none_or(|head| head.plausible())) {
        return best;
    }
    for from in 1..bytes.len().min(SEARCHED) {
        if best.suffices(false) {
            break;
        }
        let Some(rest) = bytes.get(from..).filter(|rest| matches!(rest, [0x81 | 0x82 | 0x88..=0x8a, ..])) else {
            continue;
        };
        if let Evidence::Bits(bits @ 1.., why) = framed_by(rest, missing) {
            let bits = bits.saturating_sub((from + 1).ilog2());
            if !matches!(best, Evidence::Bits(before, _) if before >= bits) {
                best = Evidence::Bits(bits, why);
            }
        }
    }
    best
}

/// Evidence from frames that begin at the first byte. `missing`: the number of bytes missing after these.
fn framed_by(bytes: &[u8], missing: usize) -> Evidence {
    let (mut rest, mut payload) = (bytes, Vec::new());
    let (mut masked, mut masks) = (None, Vec::new());
    let (mut best, mut more) = (None, 0);
    let mut data_bits = Data::default();
    // Empty frames and controls are examined too, but only a limited number.
    for _ in 0..FRAMES {
        let Some(head) = Head::read(rest).filter(|_| masks.len() < LOOKED_AT) else { break };
        let data = matches!(head.opcode, opcode::TEXT | opcode::BINARY);
        let single = head.fin && head.rsv == 0 && (data || head.is_control());
        if !head.plausible() || !single || masked.is_some_and(|masked| masked != head.mask.is_some()) {
            return Evidence::No;
        }
        masked = Some(head.mask.is_some());
        let length = usize::try_from(head.whole()).unwrap_or(usize::MAX);
        let Some((whole, after)) = rest.split_at_checked(length) else {
            if let (true, Some(bits)) = (data && length == rest.len().saturating_add(missing), cut(rest, &head)) {
                best = best.max(Some(bits));
            }
            break;
        };
        rest = after;
        if !data || head.length == 0 {
            continue;
        }
        payload.clear();
        payload.extend_from_slice(whole.get(head.size..).unwrap_or_default());
        let key = head.mask.unwrap_or_default();
        frame::mask(&mut payload, key);
        let Evidence::Bits(bits, _) = carried(&payload, true) else { return Evidence::No };
        if !data_bits.of(&payload) {
            return Evidence::No;
        }
        best = best.max(Some(bits));
        if bits <= BEGINNING {
            // The next frame has the rest of it.
            break;
        }
        let beats = payload.chunks(HEADER).all(|package| matches!(package, [kinds::HEARTBEAT, 0, 0, 0]));
        let again = key != [0; 4] && !masks.contains(&key);
        more += if beats && (masks.is_empty() || again) { 2 } else { 0 };
        masks.push(key);
    }
    // Beside data they are packages like others.
    let more = if data_bits.seen > 0 { 0 } else { more };
    match (best, masked) {
        (Some(bits), _) => {
            Evidence::Bits(7 + bits + more + data_bits.in_websocket(), "packages in a WebSocket, from its middle")
        }
        (None, Some(_)) => Evidence::Bits(0, "frames of a WebSocket, from its middle"),
        (None, None) => Evidence::No,
    }
}

/// Evidence from a frame of which only the first part was captured, before a gap that ends where the frame does: one
/// package must fill it.
fn cut(bytes: &[u8], head: &Head) -> Option<u32> {
    let mut payload = bytes.get(head.size..)?.to_vec();
    frame::mask(&mut payload, head.mask.unwrap_or_default());
    let fills = package::plausible(&payload) && package::announced(&payload) == usize::try_from(head.length).ok();
    let mut data = Data::default();
    let bits = match *payload.first().filter(|_| fills)? {
        kinds::DATA if data.body(payload.get(HEADER..)?) => data.bits(),
        kinds::HANDSHAKE => 2 + handshake(&payload),
        _ => 0,
    };
    Some(BEGINNING + 4 + 6 + bits)
}

/// Findings about data packages.
#[derive(Clone, Default)]
pub(super) struct Data {
    /// The number of data packages.
    pub seen: u32,
    /// The bits of routes.
    routes: u32,
    objects: bool,
    /// The ids of requests; `answered`: those of responses.
    asked: Vec<u64>,
    answered: Vec<u64>,
}

impl Data {
    /// Adds the whole packages that `bytes` begin with. False: one of them is never sent like this.
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

    /// Adds a body: flags, an id, a route. False: it is never sent like this.
    fn body(&mut self, body: &[u8]) -> bool {
        let Some((&flags, mut rest)) = body.split_first() else { return false };
        self.seen += 1;
        if flags & 0xc8 != 0 {
            return false;
        }
        let kind = flags >> 1 & 3;
        if matches!(kind, 0 | 2) {
            let size = rest.iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
            let Some((id, after)) = rest.split_at_checked(size).filter(|_| size <= 10) else { return false };
            let number = id.iter().rev().fold(0u64, |all, byte| all << 7 | u64::from(byte & 0x7f));
            rest = after;
            let ids = if kind == 0 { &mut self.asked } else { &mut self.answered };
            if ids.len() < LOOKED_AT && number > 0 {
                ids.push(number);
            }
        }
        match (kind, flags & 1, rest) {
            (2, ..) => self.objects |= flags & 0x10 == 0 && rest.starts_with(b"{") && rest.ends_with(b"}"),
            (_, 1, _) => return rest.len() >= 2,
            (_, _, [length, rest @ ..]) if *length > 0 => match rest.get(..usize::from(*length)) {
                Some(route) if route.iter().all(u8::is_ascii_graphic) => {
                    // Others have text after a small number, too, but seldom a dot in it, and it goes on.
                    let text = !route.contains(&b'.') && rest.get(route.len()).is_some_and(u8::is_ascii_alphanumeric);
                    self.routes = self.routes.max(if text { 5 } else { 10 } * u32::from(route.len() > 1));
                }
                _ => return false,
            },
            _ => return false,
        }
        true
    }

    /// Whether a response has the id of a request of the other side.
    pub fn answers(&self, other: &Data) -> bool {
        self.answered.iter().any(|id| other.asked.contains(id))
    }

    /// The bits over WebSocket, where flags count once: many applications have a type and a length there.
    fn in_websocket(&self) -> u32 {
        if self.routes > 0 || self.objects { self.bits() } else { self.bits().min(3) }
    }

    fn bits(&self) -> u32 {
        let flags = if self.seen > 0 { 2 + self.seen.min(3) } else { 0 };
        flags + self.routes + if self.objects { 4 } else { 0 }
    }
}

/// The number of bytes of a stream that are searched for a package.
const SEARCHED: usize = 8192;

/// The bits that each side's chain needs for the evidence that both chain.
pub(super) const BOTH_CHAIN: u32 = 14;

/// Evidence from chained packages in a stream whose beginning is not in the capture.
pub(super) fn chained(bytes: &[u8], missing: usize) -> Option<(u32, Data)> {
    let mut best: Option<(u32, Data)> = None;
    for from in 0..bytes.len().min(SEARCHED) {
        if let Some((bits, data)) = bytes.get(from..).and_then(|rest| chain(rest, missing)) {
            let bits = bits.saturating_sub((from + 1).ilog2());
            if best.as_ref().is_none_or(|(before, _)| *before < bits) {
                best = Some((bits, data));
            }
        }
        // A chain from the first byte on is a better reason than any other.
        if from == 0 && best.as_ref().is_some_and(|(bits, _)| *bits >= Evidence::CLAIM) {
            break;
        }
    }
    best
}

/// The bits of packages from the first byte on; `None`: there is none, or one that is never sent like this. `missing`:
/// the number of bytes missing after these.
pub(super) fn chain(bytes: &[u8], missing: usize) -> Option<(u32, Data)> {
    if !package::plausible(bytes) {
        return None;
    }
    let (mut rest, mut data, mut links) = (bytes, Data::default(), 0u32);
    while links < LOOKED_AT as u32 {
        let Next::Package(length) = package::next(rest) else { break };
        let (package, after) = rest.split_at(length);
        let there = after.len() < HEADER || package::plausible(after);
        if !there || !data.of(package) {
            return None;
        }
        links += 1;
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    // The gap ends where a package does, as in a capture that keeps only the first bytes of each packet.
    if missing > 0 && !rest.is_empty() && package::announced(rest) == Some(rest.len() + missing) {
        let mut with = data.clone();
        if let [kinds::DATA, _, _, _, body @ ..] = rest
            && with.body(body)
        {
            (data, links) = (with, links + 1);
        }
    }
    // Heartbeats alone are no evidence: other protocols fill with the same bytes.
    let links = match (links, data.seen) {
        (_, 0) | (0, _) => 0,
        (1, _) => 6,
        _ => 10,
    };
    let bits = 5 + links + data.bits();
    Some((bits, data))
}

/// Evidence from a WebSocket message with packages from its first byte to its last. `middle`: earlier messages are not
/// in the capture.
pub(super) fn carried(mut bytes: &[u8], middle: bool) -> Evidence {
    let (mut empty, mut body) = (true, 0);
    while !bytes.is_empty() {
        let length = match package::next(bytes) {
            Next::Package(length) => length,
            // The next message may contain the rest.
            Next::More => return Evidence::Bits(BEGINNING, "the beginning of a package"),
            Next::Unknown => return Evidence::No,
        };
        let (package, rest) = bytes.split_at(length);
        if middle && !package::plausible(bytes) {
            return Evidence::No;
        }
        if length > HEADER && empty {
            (empty, body) = match package {
                [1, ..] if middle => (false, handshake(package).saturating_sub(MIDDLE)),
                [1, ..] => (false, 2 + handshake(package)),
                [4, _, _, _, flags, ..] if flags & 0xc8 == 0 => (false, 0),
                [5, ..] => (false, 0),
                _ => return Evidence::No,
            };
        }
        bytes = rest;
    }
    match empty && !middle {
        true => Evidence::Bits(5 + 6, "empty packages in a WebSocket"),
        false => Evidence::Bits(5 + 4 + body, "packages in a WebSocket"),
    }
}

/// The bits of a handshake's length, of its captured body, and of the package after it.
pub(super) fn handshake(bytes: &[u8]) -> u32 {
    let Some(length) = package::announced(bytes) else { return 0 };
    let body = bytes.get(HEADER..length.min(bytes.len())).unwrap_or_default();
    let after = match bytes.get(length..) {
        Some([2 | 3, 0, 0, 0, ..]) => 8,
        _ => 0,
    };
    if let [0x78, kind @ (0x01 | 0x5e | 0x9c | 0xda), ..] = body {
        let bits = if *kind == 1 { 8 } else { 12 };
        let inflates = || Zlib::default().inflate(body, FREE, &mut Vec::new()) != Err(Unfit::Broken);
        let fits = (9..=package::LIMIT).contains(&(length - HEADER)) && (body.len() + HEADER < length || inflates());
        return if fits { bits + after } else { 0 };
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
    // All codes that servers send: done, failed, the client is too old.
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
    4 + key + if ends { 4 } else { 0 } + after
}
