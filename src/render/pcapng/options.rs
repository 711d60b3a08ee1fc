//! Writes a message's comment as options of its frame's block.

use crate::capture::block::{self, COMMENT, LONGEST_OPTION};

/// The beginning of netkit's own comments.
pub const OWN: &str = "netkit: ";
/// The beginning of the continuation of a comment.
pub const MORE: &str = "netkit:+ ";
/// The beginning of the last line, with the version of its form.
pub const TREE: &str = "netkit:1";
/// The maximum size of a comment without its last line.
const SHORT: usize = 256 << 10;

/// Whether netkit wrote the comment.
pub fn is_own(code: u16, value: &[u8]) -> bool {
    code == COMMENT && (value.starts_with(OWN.as_bytes()) || value.starts_with(MORE.as_bytes()))
}

/// Returns an upper bound of the room that a comment takes in a block.
pub fn taken(text: &[u8]) -> usize {
    // With the heads and the padding of its options.
    text.len() + text.len() / 1024 + 16
}

/// Writes a comment, as several if it is too long for one.
pub fn split(mut text: &[u8], big: bool, out: &mut Vec<u8>) {
    let mut room = LONGEST_OPTION;
    if text.len() <= room {
        return block::option(COMMENT, text, big, out);
    }
    let mut part = Vec::new();
    loop {
        let mut end = text.len().min(room);
        // Cut between two characters only.
        while text.get(end).is_some_and(|byte| byte & 0xc0 == 0x80) {
            end -= 1;
        }
        let (now, rest) = text.split_at(end);
        part.extend_from_slice(now);
        block::option(COMMENT, &part, big, out);
        if rest.is_empty() {
            return;
        }
        part.clear();
        part.extend_from_slice(MORE.as_bytes());
        (text, room) = (rest, LONGEST_OPTION - MORE.len());
    }
}

/// Leaves the last line out of a comment: with it, the block would be too long to be read.
pub fn shorten(text: &mut Vec<u8>) {
    let line = text.iter().rposition(|byte| *byte == b'\n');
    text.truncate(line.map_or(0, |at| at + 1).min(SHORT));
    while std::str::from_utf8(text).is_err() {
        text.pop();
    }
    if text.is_empty() {
        text.extend_from_slice(OWN.as_bytes());
    }
    text.extend_from_slice(b"too long: the fields of this message are left out");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::block::{Block, ENHANCED};

    #[test]
    fn long_comments_go_on_in_further_ones() {
        let text = "é".repeat(70_000);
        let mut out = b"before".to_vec();
        block::begin(ENHANCED, true, &mut out);
        out.resize(6 + 28, 0);
        split(text.as_bytes(), true, &mut out);
        block::option(0, &[], true, &mut out);
        assert!(block::end(6, true, &mut out));
        let mut parts = Vec::new();
        Block::first(&out[6..], true).unwrap().options(0, |code, value| {
            assert_eq!(code, COMMENT);
            parts.push(std::str::from_utf8(value).expect("whole characters").to_string());
        });
        assert_eq!(parts.len(), 3);
        let joined: String = parts.iter().map(|part| part.strip_prefix(MORE).unwrap_or(part)).collect();
        assert_eq!(joined, text);
    }

    #[test]
    fn what_is_too_long_says_so() {
        let mut text = b"netkit: b\nnote x: y\nnetkit:1 tree".to_vec();
        shorten(&mut text);
        let expected = "netkit: b\nnote x: y\ntoo long: the fields of this message are left out";
        assert_eq!(std::str::from_utf8(&text), Ok(expected));
        let mut text = [b"netkit: ".to_vec(), "é".repeat(200_000).into_bytes(), b"\nnetkit:1".to_vec()].concat();
        shorten(&mut text);
        assert!(text.len() < SHORT + 100 && std::str::from_utf8(&text).is_ok());
    }
}
