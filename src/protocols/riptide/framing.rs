//! Riptide over TCP: a length before each message, u16 in 2.0 and i32 from 2.1 on, little-endian.

use super::version::Version;
use crate::flow::Side;

/// The longest message that is accepted, which limits the buffers. No sender makes longer ones.
const LONGEST: usize = 16 << 20;

/// The width of the length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    U16,
    I32,
}

/// The beginning of the unread bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing complete yet.
    More,
    /// An empty frame: no message.
    Skip(usize),
    /// A message of `length` bytes after `prefix` bytes of length.
    Message {
        /// The number of bytes of the length itself.
        prefix: usize,
        /// The number of bytes of the message.
        length: usize,
    },
    /// A length that no sender uses: the stream is out of step.
    Lost,
}

/// Both directions' framing.
#[derive(Clone, Debug, Default)]
pub struct Framing {
    prefix: Option<Prefix>,
    tcp: bool,
    /// Out of step until a segment begins with a whole frame: after a gap, and if the capture begins later.
    lost: [bool; 2],
    /// The capture begins later, and all bytes so far may be the beginning of a frame in several segments.
    fresh: [bool; 2],
}

impl Framing {
    /// Framing by the version and `riptide.framing`, as far as the user set them. `begun`: the directions whose first byte
    /// is in the capture.
    pub fn new(set: Option<Version>, framing: Option<&str>, tcp: bool, begun: [bool; 2]) -> Framing {
        let prefix = match (framing, set) {
            (Some("u16"), _) => Some(Prefix::U16),
            (Some("i32"), _) => Some(Prefix::I32),
            (_, Some(version)) if version.packed() => Some(Prefix::I32),
            (_, Some(_)) => Some(Prefix::U16),
            _ => None,
        };
        Framing { prefix, tcp, lost: begun.map(|begun| tcp && !begun), fresh: begun.map(|begun| !begun) }
    }

    /// The version that the width of the length implies.
    pub fn version(&self) -> Option<Version> {
        match self.prefix {
            Some(Prefix::U16) if self.tcp => Some(Version::V20),
            Some(Prefix::I32) if self.tcp => Some(Version::V22),
            _ => None,
        }
    }

    /// Returns what the unread bytes of a direction begin with. The first direction with enough bytes decides the width
    /// for both.
    pub fn next(&mut self, bytes: &[u8]) -> Next {
        if self.prefix.is_none() {
            self.prefix = match bytes {
                [_, _, 0, 0, ..] => Some(Prefix::I32),
                [_, _, 0] | [_, _] | [_] | [] => None,
                _ => Some(Prefix::U16),
            };
        }
        let (prefix, length) = match (self.prefix, bytes) {
            (Some(Prefix::U16), [a, b, ..]) => (2, u16::from_le_bytes([*a, *b]) as i64),
            (Some(Prefix::I32), [a, b, c, d, ..]) => (4, i32::from_le_bytes([*a, *b, *c, *d]) as i64),
            _ => return Next::More,
        };
        match length {
            ..=0 => Next::Skip(prefix),
            n if n > LONGEST as i64 => Next::Lost,
            n if bytes.len() < prefix + n as usize => Next::More,
            n => Next::Message { prefix, length: n as usize },
        }
    }

    /// Marks a direction as out of step.
    pub fn lose(&mut self, side: Side) {
        (self.lost[side.index()], self.fresh[side.index()]) = (true, false);
    }

    /// The message that the end of the input has cut: the number of bytes of its length, and the message's length.
    pub fn cut(&self, bytes: &[u8]) -> Option<(usize, usize)> {
        let (prefix, length) = match (self.prefix?, bytes) {
            (Prefix::U16, [a, b, ..]) => (2, u16::from_le_bytes([*a, *b]) as usize),
            (Prefix::I32, [a, b, c, d, ..]) => (4, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
            _ => return None,
        };
        (prefix + length > bytes.len()).then_some((prefix, length))
    }

    /// Whether a direction is out of step.
    pub fn is_lost(&self, side: Side) -> bool {
        self.lost[side.index()]
    }

    /// Searches the last `new` bytes for a segment that begins with a whole frame which fits. Returns the number of
    /// bytes to drop: all if there is none. `None`: more bytes are needed.
    pub fn find(
        &mut self,
        side: Side,
        bytes: &[u8],
        new: usize,
        segments: &[usize],
        fits: impl Fn(Option<Version>, &[u8], usize) -> bool,
    ) -> Option<usize> {
        let old = bytes.len() - new.min(bytes.len());
        let known = self.prefix;
        let mut is_part = false;
        if self.fresh[side.index()] {
            let (head, version) = (self.next(bytes), self.version());
            is_part = match (head, self.cut(bytes)) {
                (Next::Message { prefix, length }, _) if fits(version, &bytes[prefix..prefix + length], length) => {
                    self.lost[side.index()] = false;
                    return Some(0);
                }
                (Next::More, Some((prefix, length))) => {
                    bytes.len() == prefix || fits(version, &bytes[prefix..], length)
                }
                (Next::More, None) => true,
                _ => false,
            };
            self.prefix = known;
            self.fresh[side.index()] = is_part;
        }
        for (k, start) in segments.iter().enumerate() {
            let from = old + start;
            let to = segments.get(k + 1).map_or(bytes.len(), |next| old + next);
            if let Next::Message { prefix, length } = self.next(bytes.get(from..to).unwrap_or(&[]))
                && fits(self.version(), &bytes[from + prefix..from + prefix + length], length)
            {
                self.lost[side.index()] = false;
                return Some(from);
            }
            // Bytes that do not fit do not show the width of the length.
            self.prefix = known;
        }
        // A segment that begins with a whole frame is not the middle of one.
        if is_part { None } else { Some(bytes.len()) }
    }
}
