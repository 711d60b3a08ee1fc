//! What packages say of themselves where no handshake does: from the middle of a stream they chain, in it or in
//! frames of a WebSocket. The bits are those of the table in [`evidence`](super::evidence).

use super::layout::package as kinds;
use super::package::{self, HEADER, Next};
use crate::dissect::Evidence;
use crate::protocols::websocket::frame::{self, Head, opcode};

/// So many messages of a WebSocket are looked at, of each side.
pub(super) const LOOKED_AT: usize = 4;

/// So many frames, with those that carry nothing.
const FRAMES: usize = 16;

/// The bits of a package's type.
const BEGINNING: u32 = 5;

/// By the first bytes of a side of a WebSocket whose upgrade is not in the capture: frames one behind
/// the other from the first byte, and packages in them. Compressed messages tell nothing: what
/// inflates them is not in the capture either.
pub(super) fn framed(bytes: &[u8]) -> Evidence {
    framed_by(bytes, 0)
}

/// The same, from any byte on: the first may be of a frame that began before.
pub(super) fn framed_within(bytes: &[u8], missing: usize) -> Evidence {
    let mut best = framed_by(bytes, missing);
    // Where frames follow each other from the first byte on, none begins elsewhere.
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

/// `missing`: so many bytes are missing after these.
fn framed_by(bytes: &[u8], missing: usize) -> Evidence {
    let (mut rest, mut payload) = (bytes, Vec::new());
    let (mut masked, mut masks) = (None, Vec::new());
    let (mut best, mut more) = (None, 0);
    let mut data_bits = Data::default();
    // Empty frames and controls are looked at, too, but not without end.
    for _ in 0..FRAMES {
        let Some(head) = Head::read(rest).filter(|_| masks.len() < LOOKED_AT) else { break };
        let data = matches!(head.opcode, opcode::TEXT | opcode::BINARY);
        let single = head.fin && head.rsv == 0 && (data || head.is_control());
        if !head.plausible() || !single || masked.is_some_and(|masked| masked != head.mask.is_some()) {
            return Evidence::No;
        }
        masked = Some(head.mask.is_some());
        let length = usize::try_from(head.whole()).unwrap_or(usize::MAX);
        let Some((whole, behind)) = rest.split_at_checked(length) else {
            if let (true, Some(bits)) = (data && length == rest.len().saturating_add(missing), cut(rest, &head)) {
                best = best.max(Some(bits));
            }
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
        let Evidence::Bits(bits, _) = carried(&payload, true) else { return Evidence::No };
        if !data_bits.of(&payload) {
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

/// By the part of a frame that is there before a gap that ends where the frame does: a package fills it.
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

/// What packages of data carry.
#[derive(Clone, Default)]
pub(super) struct Data {
    /// How many there were.
    pub seen: u32,
    routes: bool,
    objects: bool,
    /// The ids of requests, and those of responses.
    asked: Vec<u64>,
    answered: Vec<u64>,
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
            let size = rest.iter().take_while(|byte| **byte & 0x80 != 0).count() + 1;
            let Some((id, behind)) = rest.split_at_checked(size).filter(|_| size <= 10) else { return false };
            let number = id.iter().rev().fold(0u64, |all, byte| all << 7 | u64::from(byte & 0x7f));
            rest = behind;
            let ids = if kind == 0 { &mut self.asked } else { &mut self.answered };
            if ids.len() < LOOKED_AT && number > 0 {
                ids.push(number);
            }
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

    /// Does a response name a request of the other side?
    pub fn answers(&self, other: &Data) -> bool {
        self.answered.iter().any(|id| other.asked.contains(id))
    }

    fn bits(&self) -> u32 {
        let flags = if self.seen > 0 { 2 + self.seen.min(3) } else { 0 };
        flags + if self.routes { 10 } else { 0 } + if self.objects { 4 } else { 0 }
    }
}

/// In so many bytes of a stream a package is looked for.
const SEARCHED: usize = 8192;

/// Both sides chain with so many bits each.
pub(super) const BOTH_CHAIN: u32 = 14;

/// By packages that chain in a stream of which the capture has no beginning.
pub(super) fn chained(bytes: &[u8], missing: usize) -> Option<(u32, Data)> {
    let mut best: Option<(u32, Data)> = None;
    for from in 0..bytes.len().min(SEARCHED) {
        if let Some((bits, data)) = bytes.get(from..).and_then(|rest| chain(rest, missing)) {
            let bits = bits.saturating_sub((from + 1).ilog2());
            if best.as_ref().is_none_or(|(before, _)| *before < bits) {
                best = Some((bits, data));
            }
        }
        // From its first byte on it is a better reason than from any other.
        if from == 0 && best.as_ref().is_some_and(|(bits, _)| *bits >= Evidence::CLAIM) {
            break;
        }
    }
    best
}

/// The bits of packages from here on; `None`: there is none, or one that is not sent. `missing`: so many bytes
/// are missing after these.
pub(super) fn chain(bytes: &[u8], missing: usize) -> Option<(u32, Data)> {
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
    // A gap that ends where a package does, as where a capture keeps the first bytes of each packet.
    if missing > 0 && !rest.is_empty() && package::announced(rest) == Some(rest.len() + missing) {
        let mut with = data.clone();
        if let [kinds::DATA, _, _, _, body @ ..] = rest
            && with.body(body)
        {
            (data, links) = (with, links + 1);
        }
    }
    // Heartbeats alone are what others fill with.
    let links = match (links, data.seen) {
        (_, 0) | (0, _) => 0,
        (1, _) => 6,
        _ => 10,
    };
    let bits = 5 + links + data.bits();
    Some((bits, data))
}

/// By a message of a WebSocket: packages from its first byte to its last. `middle`: with none before.
pub(super) fn carried(mut bytes: &[u8], middle: bool) -> Evidence {
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

/// The bits of a handshake's length and body, as far as it is there, and of what comes behind it.
pub(super) fn handshake(bytes: &[u8]) -> u32 {
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
