//! The bits of a message's bytes that are replaced, and the kind of replacement.

use super::notation;
use super::source;
use super::words::Words;
use crate::codec::kinds::Address;
use crate::codec::layout::{Kind, Len, flag};
use crate::codec::tree::NamePlace;
use crate::codec::{Node, Sources, Tree, Value, bits};
use crate::dissect::{Message, Public};

/// The kind of replacement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// Words of text.
    Text,
    /// A string of JSON without its quotes.
    Escaped,
    /// A member's name in JSON.
    Name,
    /// Strings in JSON.
    Json,
    /// An address with a notation.
    Address(Address),
    /// All bytes; they end with this value, if there is one.
    Bytes(Option<u8>),
}

#[derive(Clone, Copy, Debug)]
struct Patch {
    source: u8,
    bit: u32,
    bits: u32,
    how: How,
}

/// The patches of one message; the memory is reused for the next.
#[derive(Debug, Default)]
pub struct Patches {
    list: Vec<Patch>,
    /// The bits of leaves in each source.
    leaves: Vec<(u8, u32, u32)>,
}

impl Patches {
    /// Collects the parts of a message that are replaced.
    pub fn collect(&mut self, message: &Message<'_>) {
        self.list.clear();
        self.leaves.clear();
        let dissection = message.dissection;
        let trees = [&dissection.packet, &dissection.tree, &dissection.derived];
        for node in trees.iter().flat_map(|tree| tree.nodes()).filter(|node| !node.nests()) {
            self.leaves.push((node.source, node.bit, node.bits));
        }
        for tree in trees {
            self.tree(tree, message.sources());
        }
    }

    fn tree(&mut self, tree: &Tree, sources: Sources<'_>) {
        let mut kept = 0;
        for (k, node) in tree.nodes().iter().enumerate() {
            if let Some(NamePlace { source, start, len: length }) = tree.name_place(node) {
                self.list.push(Patch { source, bit: start * 8, bits: length * 8, how: How::Name });
            }
            if node.field.is(flag::PUBLIC) {
                kept = kept.max(node.end as usize);
            }
            if k >= kept {
                self.leaf(node, sources);
            }
        }
    }

    fn leaf(&mut self, node: &Node, sources: Sources<'_>) {
        let numeric = matches!(
            node.field.kind,
            Kind::UInt { .. } | Kind::Int { .. } | Kind::Float { .. } | Kind::Bool { .. } | Kind::VarInt { .. }
        );
        let until = match node.field.kind {
            Kind::Bytes { len: Len::Until(stop) } | Kind::Text { len: Len::Until(stop), .. } => Some(stop),
            _ => None,
        };
        let (bit, bits, how) = match node.value {
            // The checksum of the original would confirm a guess.
            Value::UInt(_) if matches!(node.field.kind, Kind::Checksum(_)) => (node.bit, node.bits, How::Bytes(None)),
            Value::Text { bit, bits } if let Kind::Address(address) = node.field.kind => {
                (bit, bits, How::Address(address))
            }
            Value::Text { bit, bits } => match is_json(source(sources, node.source), bit, bits) {
                true => (bit, bits, How::Json),
                false => (bit, bits, How::Text),
            },
            Value::Latin1 { bit, bits } => (bit, bits, How::Text),
            Value::Json { start, len } => {
                let text = source(sources, node.source).get(start as usize..(start + len) as usize).unwrap_or_default();
                match text {
                    [b'"', .., b'"'] => ((start + 1) * 8, (len - 2) * 8, How::Escaped),
                    // The values are too many for nodes.
                    [b'{' | b'[', ..] => (start * 8, len * 8, How::Json),
                    _ => return,
                }
            }
            Value::Raw { .. } if numeric => return,
            Value::Bytes { bit, bits } | Value::Raw { bit, bits } => {
                let json = is_json(source(sources, node.source), bit, bits);
                let inside = |leaf: &&(u8, u32, u32)| {
                    let (own, from, long) = **leaf;
                    own == node.source && long > 0 && long < bits && from >= bit && from + long <= bit + bits
                };
                match (json, self.leaves.iter().any(|leaf| inside(&leaf))) {
                    (true, _) => (bit, bits, How::Json),
                    // Other fields describe these bytes.
                    (false, true) => return,
                    (false, false) => (bit, bits, How::Bytes(until)),
                }
            }
            _ => return,
        };
        if bits > 0 {
            self.list.push(Patch { source: node.source, bit, bits, how });
        }
    }

    /// Writes the replacements into the message's own bytes (`main`) and its further sources. `sources` are the
    /// originals. In `main`, bytes that no field covers are replaced, too.
    pub fn write(
        &self,
        sources: Sources<'_>,
        public: &Public,
        words: &mut Words,
        main: &mut [u8],
        more: &mut [Vec<u8>],
    ) {
        let mut covered = vec![false; main.len()];
        for (_, bit, bits) in self.leaves.iter().filter(|(source, ..)| *source == 0) {
            let (from, to) = (*bit as usize / 8, (*bit as usize + *bits as usize).div_ceil(8));
            covered.iter_mut().take(to).skip(from).for_each(|one| *one = true);
        }
        for patch in &self.list {
            let from = source(sources, patch.source);
            let Some(old) = cut(from, patch.bit, patch.bits) else { continue };
            let new = match patch.how {
                How::Text => words.text(&old, false, public),
                How::Address(address) => {
                    notation::other(&old, address, words).unwrap_or_else(|| words.text(&old, false, public))
                }
                How::Escaped => words.text(&old, true, public),
                How::Name => words.name(&old, public),
                How::Json => words.json(&old, public),
                How::Bytes(never) => {
                    let mut new = words.bytes(&old, never);
                    if let (Some(last), Some(before)) = (new.last_mut(), old.last()) {
                        part(last, *before, patch.bits % 8);
                    }
                    new
                }
            };
            let to = match patch.source {
                0 => &mut *main,
                n => match more.get_mut(usize::from(n) - 1) {
                    Some(buffer) => buffer,
                    None => continue,
                },
            };
            paste(to, patch.bit, patch.bits, &new);
        }
        let hidden = words.bytes(source(sources, 0), None);
        for ((byte, other), covered) in main.iter_mut().zip(hidden).zip(covered) {
            if !covered {
                *byte = other;
            }
        }
    }
}

/// Whether the bits are a JSON object, list or string at whole bytes.
fn is_json(bytes: &[u8], bit: u32, bits: u32) -> bool {
    let text = match (bit % 8, bits % 8) {
        (0, 0) => bytes.get(bit as usize / 8..(bit as usize + bits as usize) / 8).unwrap_or_default(),
        _ => return false,
    };
    let first = text.iter().find(|b| !b.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'[' | b'"')) && serde_json::from_slice::<&serde_json::value::RawValue>(text).is_ok()
}

/// Ensures that a last byte of `bits` bits differs from before, but is not zero, which would be padding.
fn part(byte: &mut u8, before: u8, bits: u32) {
    if bits == 0 {
        return;
    }
    let most = ((1u16 << bits) - 1) as u8;
    if *byte & most == before & most || *byte & most == 0 {
        // The first value that is neither.
        *byte = (1..=most).find(|other| *other != before & most).unwrap_or(before);
    }
}

/// The bits as bytes, the last one padded with zeros; `None` if there are fewer bits.
fn cut(from: &[u8], bit: u32, count: u32) -> Option<Vec<u8>> {
    let (bit, count) = (bit as usize, count as usize);
    if bit + count > from.len() * 8 {
        return None;
    }
    let one = |k: usize| bits::get(from, bit + k, (count - k).min(8) as u32) as u8;
    Some((0..count).step_by(8).map(one).collect())
}

/// Writes bits back: the reverse of [`cut`].
fn paste(to: &mut [u8], bit: u32, count: u32, new: &[u8]) {
    for k in 0..count {
        let at = (bit + k) as usize;
        let one = new.get(k as usize / 8).is_some_and(|byte| byte >> (k % 8) & 1 == 1);
        if let Some(byte) = to.get_mut(at / 8) {
            *byte = *byte & !(1 << (at % 8)) | u8::from(one) << (at % 8);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_anywhere() {
        let mut bytes = vec![0x5a; 6];
        let old = cut(&bytes, 3, 19).unwrap();
        paste(&mut bytes, 3, 19, &[0xff, 0x00, 0xff]);
        assert_eq!(cut(&bytes, 3, 19), Some(vec![0xff, 0x00, 0x07]));
        paste(&mut bytes, 3, 19, &old);
        assert_eq!(bytes, [0x5a; 6]);
        assert_eq!(cut(&bytes, 41, 8), None);
    }

    /// A last byte of some bits changes, and does not become padding, if there is a third value.
    #[test]
    fn a_part_of_a_byte_is_another_one() {
        for bits in 1..8 {
            let most = (1u8 << bits) - 1;
            for (before, made) in (0..=most).flat_map(|before| (0..=most).map(move |made| (before, made))) {
                let mut byte = made;
                part(&mut byte, before, bits);
                match most {
                    1 => assert_eq!(byte, 1, "there is no third value"),
                    _ => assert!(byte != 0 && byte != before, "{bits} {before} {made}: {byte}"),
                }
                if made != 0 && made != before {
                    assert_eq!(byte, made, "what is another one already stays");
                }
            }
        }
        let mut whole = 7;
        part(&mut whole, 7, 0);
        assert_eq!(whole, 7, "no bit of it belongs to the value");
    }

    /// Text is JSON only as a whole: otherwise text outside of quotes would stay.
    #[test]
    fn json_is_whole_text() {
        let json = |text: &[u8]| is_json(text, 0, text.len() as u32 * 8);
        for text in [&b"{\"a\":1}"[..], b" [1, \"b\"]\n", b"\"word\""] {
            assert!(json(text), "{text:?}");
        }
        for text in [&b"say \"word\""[..], b"{\"a\":1} and more", b"[1", b"17", b""] {
            assert!(!json(text), "{text:?}");
        }
        assert!(is_json(b"..{}", 16, 16) && !is_json(b"..{}", 12, 16) && !is_json(b"..{}", 16, 24));
    }
}
