//! Rewrites the frames of a changed message: masked as before, and compressed.
//!
//! With permessage-deflate a message may refer to earlier ones. After a change, the receiver's history differs from the
//! sender's, so all later messages of that direction are compressed anew. If the agreed window is smaller than this
//! compressor's, messages are sent uncompressed instead, which the standard allows.

use super::deflate::{Agreed, Inflater};
use super::frame::{self, Head, opcode};
use super::http;
use crate::dissect::{Rewriter, Role};
use crate::flow::Side;
use flate2::{Compress, Compression, FlushCompress, Status};

/// The empty block of a sync flush, which every message lacks at its end.
const TAIL: [u8; 4] = [0, 0, 0xff, 0xff];
const NOT_ALL: &str = "it is not all of what its frames hold";
const UNSEEN: &str = "frames have passed before it, without which it cannot be inflated";

/// One direction.
#[derive(Default)]
struct Direction {
    inflater: Inflater,
    /// Compresses the direction since its first change.
    packer: Option<Box<Compress>>,
    /// Frames have passed that were not read.
    missed: bool,
}

/// The frames of one conversation.
pub struct Frames {
    directions: [Direction; 2],
    agreed: Option<Agreed>,
    /// The window of each direction, in bits: client, server.
    windows: [u8; 2],
    ratio: usize,
}

/// The frames of one message.
struct Whole {
    opcode: u8,
    key: Option<[u8; 4]>,
    compressed: bool,
    payload: Vec<u8>,
    /// Control frames between them.
    between: Vec<u8>,
}

impl Frames {
    /// The state of a new conversation. A message may inflate to `ratio` times its size.
    pub fn new(ratio: usize) -> Frames {
        Frames { directions: Default::default(), agreed: None, windows: [15; 2], ratio }
    }

    fn head(&mut self, bytes: &[u8]) {
        let head = http::Head::read(bytes);
        if head.status == Some(101) {
            let extensions = head.extensions.clone().and_then(|range| bytes.get(range)).unwrap_or_default();
            self.agreed = Some(Agreed::read(extensions));
            self.windows = ["client_max_window_bits", "server_max_window_bits"].map(|name| window(extensions, name));
        }
    }

    /// Whether each message of a side is compressed independently.
    fn anew(&self, from: Role) -> bool {
        self.agreed.is_some_and(|agreed| if from == Role::Client { agreed.client_anew } else { agreed.server_anew })
    }
}

/// The bits of a window in an answer, or 15.
fn window(extensions: &[u8], name: &str) -> u8 {
    let words = extensions.split(|b| matches!(b, b';' | b',')).map(<[u8]>::trim_ascii);
    let value = words.filter_map(|word| {
        let (key, value) = word.split_at_checked(name.len())?;
        let value = value.trim_ascii().strip_prefix(b"=").filter(|_| key.eq_ignore_ascii_case(name.as_bytes()))?;
        std::str::from_utf8(value.trim_ascii()).ok()?.trim_matches('"').parse().ok()
    });
    value.min().unwrap_or(15)
}

/// Reads the frames of one message, and the control frames between them; `None`: it is not one message.
fn whole(mut bytes: &[u8]) -> Option<Whole> {
    let mut all: Option<Whole> = None;
    while !bytes.is_empty() {
        let head = Head::read(bytes)?;
        let (this, rest) = bytes.split_at_checked(usize::try_from(head.whole()).ok()?)?;
        bytes = rest;
        if head.is_control() {
            all.get_or_insert_with(Whole::none).between.extend_from_slice(this);
            continue;
        }
        let whole = all.get_or_insert_with(Whole::none);
        if head.opcode != opcode::CONTINUATION {
            (whole.opcode, whole.key, whole.compressed) = (head.opcode, head.mask, head.rsv & 4 != 0);
        }
        let old = whole.payload.len();
        whole.payload.extend_from_slice(this.get(head.size..)?);
        if let (Some(key), Some(new)) = (head.mask, whole.payload.get_mut(old..)) {
            frame::mask(new, key);
        }
    }
    all.filter(|whole| whole.opcode != opcode::CONTINUATION)
}

impl Whole {
    fn none() -> Whole {
        Whole { opcode: opcode::CONTINUATION, key: None, compressed: false, payload: Vec::new(), between: Vec::new() }
    }

    /// Writes one frame with this message.
    fn write(&self, packer: Option<&mut Compress>, message: &[u8], out: &mut Vec<u8>) {
        let packed = packer.filter(|_| !message.is_empty()).and_then(|packer| deflate(packer, message));
        let start = out.len();
        out.extend(frame::write(self.opcode, self.key, packed.as_deref().unwrap_or(message)));
        if let (Some(_), Some(first)) = (&packed, out.get_mut(start)) {
            *first |= 0x40;
        }
    }
}

fn packer() -> Box<Compress> {
    Box::new(Compress::new(Compression::default(), false))
}

/// The compressed message, without the end that all have.
fn deflate(packer: &mut Compress, message: &[u8]) -> Option<Vec<u8>> {
    let (begin, mut out) = (packer.total_in(), Vec::with_capacity(message.len() / 2 + 64));
    loop {
        let rest = message.get((packer.total_in() - begin) as usize..)?;
        let status = packer.compress_vec(rest, &mut out, FlushCompress::Sync).ok()?;
        let taken = packer.total_in() - begin == message.len() as u64;
        // Unused room shows that all output has been written.
        if taken && out.len() < out.capacity() {
            break;
        }
        if status == Status::StreamEnd {
            return None;
        }
        out.reserve(out.capacity().max(256));
    }
    out.ends_with(&TAIL).then(|| {
        out.truncate(out.len() - TAIL.len());
        out
    })
}

impl Rewriter for Frames {
    fn frames(
        &mut self,
        side: Side,
        bytes: &[u8],
        old: Option<&[u8]>,
        new: Option<&[&[u8]]>,
    ) -> Result<Option<Vec<u8>>, &'static str> {
        if self.agreed.is_none() && http::begins(bytes) == Some(true) {
            self.head(bytes);
            return Ok(None);
        }
        let Some(whole) = whole(bytes) else { return Ok(None) };
        // Only clients mask.
        let from = if whole.key.is_some() { Role::Client } else { Role::Server };
        let (anew, ratio) = (self.anew(from), self.ratio);
        let compressed = whole.compressed && self.agreed.is_none_or(|agreed| agreed.deflate);
        let small = self.windows[usize::from(from == Role::Server)] < 15;
        let Direction { inflater, packer: known, missed } = &mut self.directions[side.index()];
        let mut inflated = Vec::new();
        if compressed {
            // Earlier messages are part of its history.
            match inflater.inflate(&whole.payload, anew, ratio, &mut inflated) {
                _ if *missed && !anew => return Err(UNSEEN),
                Err(why) => return Err(why),
                Ok(()) => {}
            }
        }
        let content = if compressed { &inflated } else { &whole.payload };
        let again = [&content[..]];
        let list: &[&[u8]] = match new {
            None if !compressed || known.is_none() => return Ok(None),
            None => &again,
            Some(_) if old.is_some_and(|old| old != *content) => return Err(NOT_ALL),
            Some(list) => list,
        };
        let mut out = whole.between.clone();
        let mut own = None;
        for message in list {
            let packer = match (compressed, anew) {
                (false, _) => None,
                (true, true) => Some(own.insert(packer())),
                (true, false) => Some(known.get_or_insert_with(packer)),
            };
            whole.write(packer.filter(|_| !small).map(|packer| &mut **packer), message, &mut out);
        }
        if compressed && !anew {
            // Later messages may refer to the dropped one as well.
            known.get_or_insert_with(packer);
        }
        Ok(Some(out))
    }

    fn binds(&self, side: Side) -> bool {
        self.directions[side.index()].packer.is_some()
    }

    fn missed(&mut self, side: Side) {
        self.directions[side.index()].missed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &[u8] = b"HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n";

    fn upgraded(extensions: &str) -> Frames {
        let mut frames = Frames::new(1000);
        let head = [ANSWER, b"Sec-WebSocket-Extensions: ", extensions.as_bytes(), b"\r\n\r\n"].concat();
        assert_eq!(frames.frames(Side::B, &head, None, None), Ok(None));
        frames
    }

    /// The masked frames that a sender with history sends for these texts.
    fn sent(texts: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut packer = packer();
        let whole = Whole { opcode: opcode::BINARY, key: Some([1, 2, 3, 4]), ..Whole::none() };
        let one = |text: &&[u8]| {
            let mut out = Vec::new();
            whole.write(Some(&mut packer), text, &mut out);
            out
        };
        texts.iter().map(one).collect()
    }

    /// The message that a receiver with history reads from a frame.
    fn read(frames: &[u8], inflater: &mut Inflater) -> Vec<u8> {
        let whole = whole(frames).unwrap();
        assert_eq!(whole.key, Some([1, 2, 3, 4]));
        let mut out = Vec::new();
        match whole.compressed {
            true => inflater.inflate(&whole.payload, false, 1000, &mut out).unwrap(),
            false => out = whole.payload,
        }
        out
    }

    #[test]
    fn from_a_change_on_a_direction_is_compressed_anew() {
        let texts: [&[u8]; 4] = [b"hp 100, hp 100, hp 100", b"hp 100, hp 100, mana 7", b"mana 7, hp 100", b"hp 100"];
        for window in ["permessage-deflate", "permessage-deflate; client_max_window_bits=10"] {
            for change in [None, Some(&b"hp 999, hp 100, mana 7"[..])] {
                let (mut rewriter, mut inflater, mut received) = (upgraded(window), Inflater::default(), Vec::new());
                for (n, frames) in sent(&texts).iter().enumerate() {
                    let new: Option<Vec<&[u8]>> = (n == 1).then(|| change.into_iter().collect());
                    let goes = rewriter.frames(Side::A, frames, Some(texts[n]), new.as_deref()).unwrap();
                    assert_eq!(goes.is_some(), n >= 1, "{n}");
                    let goes = goes.unwrap_or(frames.clone());
                    if !goes.is_empty() {
                        received.push(read(&goes, &mut inflater));
                    }
                }
                let mut want: Vec<&[u8]> = texts.to_vec();
                match change {
                    Some(other) => want[1] = other,
                    None => drop(want.remove(1)),
                }
                assert_eq!(received, want);
                assert!(rewriter.binds(Side::A) && !rewriter.binds(Side::B));
            }
        }
    }

    #[test]
    fn what_is_not_all_of_a_message_is_not_changed() {
        let mut rewriter = upgraded("permessage-deflate");
        let frames = sent(&[b"one and two", b"three"]);
        assert_eq!(rewriter.frames(Side::A, &frames[0], Some(b"two"), Some(&[b"x"])), Err(NOT_ALL));
        rewriter.missed(Side::A);
        assert_eq!(rewriter.frames(Side::A, &frames[1], Some(b"three"), Some(&[b"x"])), Err(UNSEEN));
        assert!(!rewriter.binds(Side::A));
    }

    #[test]
    fn fragments_become_one_frame_and_control_frames_stay() {
        let mut rewriter = upgraded("");
        let (first, ping) = (vec![0x02, 3, b'a', b'b', b'c'], vec![0x89, 1, 7]);
        let last = vec![0x80, 2, b'd', b'e'];
        let bytes = [&first[..], &ping, &last].concat();
        let goes = rewriter.frames(Side::B, &bytes, Some(b"abcde"), Some(&[b"xyz", b"w"])).unwrap().unwrap();
        assert_eq!(goes, [&ping[..], &[0x82, 3, b'x', b'y', b'z', 0x82, 1, b'w']].concat());
        assert_eq!(rewriter.frames(Side::B, &bytes, Some(b"abcde"), None), Ok(None));
        assert_eq!(window(b"permessage-deflate; server_max_window_bits=9", "server_max_window_bits"), 9);
    }
}
