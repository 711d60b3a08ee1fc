//! Cutting streams into frames: a length precedes each, and the lengths lead from frame to frame.

use rustc_hash::FxHashSet;

/// A length of more than this leads nowhere.
const LONGEST: u64 = 1 << 24;
/// The fewest bits of evidence.
const LEAST: f64 = 24.0;
/// The fewest frames that are evidence.
const FEWEST: usize = 4;

/// The types that a frame's length may have: name, bytes, byte order. A varint has no bytes of its own.
const LENGTHS: [(&str, usize, bool); 8] = [
    ("u32be", 4, true),
    ("u32le", 4, false),
    ("u24be", 3, true),
    ("u24le", 3, false),
    ("u16be", 2, true),
    ("u16le", 2, false),
    // Lengths below 128 are both: a varint reads longer ones, too.
    ("varint32", 0, false),
    ("u8", 1, true),
];

/// A direction of a stream, from its first byte to the first gap.
#[derive(Debug, Default)]
pub struct Kept {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The length of `bytes` after a delivery, and the time of it.
    pub times: Vec<(usize, i64)>,
    /// Whether bytes are missing after them.
    pub broken: bool,
}

/// A way to cut a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A length, possibly after one byte that belongs to the message.
    Length {
        /// Its type in the language.
        kind: &'static str,
        /// Its bytes; 0: a varint.
        width: usize,
        /// Whether its first byte is the highest.
        big: bool,
        /// Whether a byte precedes it.
        header: bool,
        /// The difference between it and the number of bytes after it.
        plus: u64,
        /// The frames that it leads through.
        frames: usize,
    },
    /// Lines of text.
    Lines,
}

impl Framing {
    /// The framing of these streams; `None`: no length leads through them, and they are not lines.
    pub fn of<'a>(streams: impl Iterator<Item = &'a Kept>) -> Option<Framing> {
        let streams: Vec<&Kept> = streams.filter(|kept| !kept.bytes.is_empty()).collect();
        let mut best: Option<(f64, Framing)> = None;
        for (kind, width, big) in LENGTHS {
            for header in [false, true] {
                for plus in [0, width as u64, (width + usize::from(header)) as u64] {
                    let framing = Framing::Length { kind, width, big, header, plus, frames: 0 };
                    let Some((bits, frames)) = framing.evidence(&streams) else { continue };
                    // Of equals, the first counts: the wider type, without a header.
                    if frames >= FEWEST && bits >= LEAST && best.as_ref().is_none_or(|(known, _)| bits > *known) {
                        best = Some((bits, Framing::Length { kind, width, big, header, plus, frames }));
                    }
                }
            }
        }
        let text =
            |kept: &&Kept| kept.bytes.iter().all(|byte| matches!(byte, b'\r' | b'\n' | b'\t' | 0x20..=0x7e | 0x80..));
        let lines = |kept: &&Kept| kept.bytes.contains(&b'\n');
        let lines = || !streams.is_empty() && streams.iter().all(|kept| text(kept) && lines(kept));
        best.map(|(_, framing)| framing).or_else(|| lines().then_some(Framing::Lines))
    }

    /// The bits of evidence, and the number of different frames, if the lengths lead through all streams.
    ///
    /// Any byte is a length, and leads somewhere. Random lengths are rarely small in a wide field, and rarely lead to the
    /// ends of the chunks in which the stream arrived.
    fn evidence(&self, streams: &[&Kept]) -> Option<(f64, usize)> {
        let Framing::Length { width, .. } = self else { return None };
        let (mut frames, mut empty, mut aligned, mut bytes, mut longest) = (0u32, 0u32, 0u32, 0, 0);
        let mut different = FxHashSet::default();
        for kept in streams {
            let mut at = 0;
            while at < kept.bytes.len() {
                let rest = &kept.bytes[at..];
                let (head, body) = self.frame(rest)?;
                frames += 1;
                empty += u32::from(body == 0);
                longest = longest.max(body);
                // Text leads through itself: its letters are lengths, and its frames of one size.
                different.insert(&rest[..rest.len().min(head + body)]);
                at += head + body;
                aligned += u32::from(kept.times.binary_search_by_key(&at, |(end, _)| *end).is_ok());
            }
            // The last frame may be incomplete, but most of the stream is frames.
            if at > kept.bytes.len() && (at - kept.bytes.len()) * 2 > kept.bytes.len() {
                return None;
            }
            bytes += kept.bytes.len();
        }
        // Zeros lead anywhere.
        if empty * 3 > frames {
            return None;
        }
        let field = match width {
            // Half of all bytes end a varint.
            0 if longest < 128 => 8,
            0 => usize::BITS - longest.leading_zeros() + 1,
            _ => 8 * *width as u32,
        };
        let small = field.saturating_sub(usize::BITS - longest.leading_zeros());
        let mean = bytes as f64 / f64::from(frames.max(1));
        let bits = f64::from(small) * different.len() as f64 + f64::from(aligned) * mean.max(1.0).log2();
        Some((bits, different.len()))
    }

    /// The bytes before and after the end of the length at the beginning of these bytes; `None`: it is not a length.
    fn frame(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let Framing::Length { width, big, header, plus, .. } = self else { return None };
        let at = usize::from(*header);
        let (length, head) = if *width == 0 {
            let used = bytes.get(at..)?.iter().take(5).position(|byte| byte & 0x80 == 0).map(|last| last + 1);
            let Some(used) = used else { return (bytes.len() < at + 5).then_some((bytes.len(), 1)) };
            let value = bytes[at..at + used].iter().rev().fold(0, |value, byte| value << 7 | u64::from(byte & 0x7f));
            (value, at + used)
        } else {
            // A length that the end of the capture cuts off leads to the end.
            let Some(field) = bytes.get(at..at + width) else { return Some((bytes.len(), 1)) };
            (number(field, *big), at + width)
        };
        let body = length.checked_sub(*plus).filter(|length| *length <= LONGEST)?;
        Some((head, body as usize))
    }

    /// The frames of a stream without their lengths, each with the time at which it was complete.
    pub fn cut(&self, kept: &Kept) -> Vec<(i64, Vec<u8>)> {
        let time = |end: usize| {
            let at = kept.times.partition_point(|(length, _)| *length < end);
            kept.times.get(at).or(kept.times.last()).map_or(0, |(_, time)| *time)
        };
        let mut frames = Vec::new();
        match self {
            Framing::Length { header, .. } => {
                let mut at = 0;
                while let Some((head, body)) = self.frame(&kept.bytes[at..]) {
                    let Some(bytes) = kept.bytes.get(at + head..at + head + body) else { break };
                    let mut frame = kept.bytes[at..at + usize::from(*header)].to_vec();
                    frame.extend_from_slice(bytes);
                    at += head + body;
                    frames.push((time(at), frame));
                    if at >= kept.bytes.len() {
                        break;
                    }
                }
            }
            Framing::Lines => {
                let mut end = 0;
                for line in kept.bytes.split_inclusive(|byte| *byte == b'\n') {
                    end += line.len();
                    frames.push((time(end), line.strip_suffix(b"\n").unwrap_or(line).to_vec()));
                }
            }
        }
        frames
    }
}

/// The number in these bytes, at most eight.
pub fn number(bytes: &[u8], big: bool) -> u64 {
    let add = |value: u64, byte: &u8| value << 8 | u64::from(*byte);
    if big { bytes.iter().fold(0, add) } else { bytes.iter().rev().fold(0, add) }
}
