//! A message's tree as one line of ASCII, for the script.
//!
//! Words with blanks between them. First `KEY=VALUE`: `p` protocol, `v` version, `m` message, `f` sender,
//! `c` conversation, `l` length, `i` place in the packet, `n` the frame where it is not that of the
//! comment, `r` a relation (kind, frame, index, milliseconds), `q` what nobody does; and where the bytes
//! are: `b` offset and length in the frame, or `h` the bytes themselves, with a number for further
//! sources. Then the sections `:f` (fields), `:p` (headers around the message) and `:d` (derived), whose
//! nodes are `NAME,BIT,BITS,VALUE` and `,SOURCE` where that is not 0; without bit and bits where they are
//! in no bytes, without a name in lists, with `~` before a name that the traffic has. A group (`g`) or
//! list (`l`) ends with `.`.
//!
//! Values are `u` and `i` (numbers), `e` (number and name), `w` (number and the names of its bits), `f`,
//! `b`, `z` (null), `m` (a number of JSON), `s` (text); and ranges of bits in the source, left out where
//! they are the node's: `t` UTF-8, `c` Latin-1, `x` bytes, `r` without a plain value, and what it means.

use crate::codec::json::fields::behind;
use crate::codec::json::numbers::{f32, f64, int};
use crate::codec::json::text::clip;
use crate::codec::json::value::{flags, name_of};
use crate::codec::layout::{Kind, Show, flag};
use crate::codec::{Node, Sources, Tree, Value, half_text};
use crate::render::human::human;
use std::fmt;

/// What may stand in a word as it is.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'.' | b'-' | b'*' | b'/' | b'#' | b'$')
}

/// Appends text as part of a word.
pub fn word(text: &[u8], out: &mut Vec<u8>) {
    // Nearly all words are names of tables.
    if text.iter().all(|byte| is_plain(*byte)) {
        return out.extend_from_slice(text);
    }
    for byte in text {
        match is_plain(*byte) {
            true => out.push(*byte),
            false => {
                out.push(b'%');
                out.extend_from_slice(&crate::codec::json::text::hex_digits(*byte));
            }
        }
    }
}

/// Formatted text as part of a word.
struct Words<'a>(&'a mut Vec<u8>);

impl fmt::Write for Words<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        word(text.as_bytes(), self.0);
        Ok(())
    }
}

/// Scratch memory of the walk.
#[derive(Debug, Default)]
pub struct TreeLine {
    /// End, a list?, source.
    open: Vec<(usize, bool, u8)>,
    /// The sources that nodes refer to.
    pub used: [u64; 4],
}

impl TreeLine {
    /// Appends a section's nodes. `bulk`: also what is shown only where the bytes are. `derived`: what has
    /// no bits is in no bytes.
    pub fn nodes(&mut self, tree: &Tree, sources: Sources<'_>, bulk: bool, derived: bool, out: &mut Vec<u8>) {
        let nodes = tree.nodes();
        let (mut at, mut end, mut list, mut source) = (0, nodes.len(), false, 0);
        self.open.clear();
        loop {
            while at >= end {
                let Some(outer) = self.open.pop() else { return };
                out.extend_from_slice(b" .");
                (end, list, source) = outer;
            }
            let node = &nodes[at];
            if !bulk && node.field.is(flag::BULK) {
                at = behind(node, at);
                continue;
            }
            out.push(b' ');
            if !list {
                if tree.name_from_traffic(node) {
                    out.push(b'~');
                }
                word(tree.name(node, sources).as_bytes(), out);
            }
            out.push(b',');
            let nowhere = node.derived() || derived && node.bits == 0;
            if !nowhere {
                int(node.bit, out);
            }
            out.push(b',');
            if !nowhere {
                int(node.bits, out);
            }
            out.push(b',');
            match node.value {
                Value::Group | Value::List => {
                    out.push(if node.value == Value::List { b'l' } else { b'g' });
                    self.open.push((end, list, source));
                    end = behind(node, at).min(end);
                    list = node.value == Value::List;
                    source = node.source;
                }
                _ => leaf(node, nowhere, sources, out),
            }
            // Converted text has a source of its own, but is where the text around it is.
            let place = if converted(node) { source } else { node.source };
            if place > 0 {
                self.used[place as usize / 64] |= 1 << (place % 64);
                out.push(b',');
                int(place, out);
            }
            at += 1;
        }
    }

    /// Is there a node with this source?
    pub fn uses(&self, source: u8) -> bool {
        self.used[source as usize / 64] >> (source % 64) & 1 == 1
    }
}

/// Is it text that was made of other bytes: of UTF-16, of an address?
fn converted(node: &Node) -> bool {
    match (node.value, &node.field.kind) {
        (Value::Text { bit, bits }, Kind::Custom(_)) => node.source > 0 && (bit, bits) != (node.bit, node.bits),
        _ => false,
    }
}

fn leaf(node: &Node, nowhere: bool, sources: Sources<'_>, out: &mut Vec<u8>) {
    match node.value {
        Value::UInt(n) => number(node.field.show, n, None, out),
        Value::Int(n) => number(node.field.show, n as u64, Some(n), out),
        Value::Bool(b) => out.extend_from_slice(if b { b"b1" } else { b"b0" }),
        Value::F16(bits) => float(half_text::shortest(bits), out),
        Value::F32(v) => {
            out.push(b'f');
            f32(v, out);
        }
        Value::F64(v) => float(v, out),
        Value::Bytes { bit, bits } => range(b'x', node, nowhere, sources, (bit, bits), out),
        Value::Text { bit, bits } if converted(node) => {
            out.push(b's');
            let (bit, bits) = clip(sources.get(node.source), bit, bits);
            word(sources.get(node.source).get(bit / 8..(bit + bits) / 8).unwrap_or_default(), out);
        }
        Value::Text { bit, bits } => range(b't', node, nowhere, sources, (bit, bits), out),
        Value::Latin1 { bit, bits } => range(b'c', node, nowhere, sources, (bit, bits), out),
        Value::Raw { bit, bits } => {
            range(b'r', node, nowhere, sources, (bit, bits), out);
            let mark = out.len();
            if out.last() == Some(&b'r') {
                whole(node, sources, (bit, bits), out);
            }
            out.push(b':');
            let start = out.len();
            human(node, sources, &mut Words(out));
            if out.len() == start {
                out.truncate(mark);
            }
        }
        Value::Json { start, len } => {
            let text = sources.get(node.source).get(start as usize..start as usize + len as usize);
            json(text.unwrap_or_default(), out);
        }
        Value::Null | Value::Group | Value::List => out.push(b'z'),
    }
}

fn float(v: f64, out: &mut Vec<u8>) {
    out.push(b'f');
    f64(v, out);
}

fn number(show: Show, n: u64, signed: Option<i64>, out: &mut Vec<u8>) {
    let digits = |out: &mut Vec<u8>| match signed {
        Some(n) => int(n, out),
        None => int(n, out),
    };
    match show {
        Show::Enum(names) if let Some(name) = name_of(names, n) => {
            out.push(b'e');
            digits(out);
            out.push(b':');
            word(name.as_bytes(), out);
        }
        Show::Flags(table) => {
            out.push(b'w');
            int(n, out);
            flags(table, n, |flag| {
                out.push(b':');
                match flag {
                    Ok(name) => word(name.as_bytes(), out),
                    Err(mask) => int(mask, out),
                }
            });
        }
        Show::Scaled(scale) => float(scale.shown(n as i64), out),
        Show::Plain | Show::Enum(_) => {
            out.push(if signed.is_some() { b'i' } else { b'u' });
            digits(out);
        }
    }
}

/// A range, unless it is the node's own.
fn range(letter: u8, node: &Node, nowhere: bool, sources: Sources<'_>, (bit, bits): (u32, u32), out: &mut Vec<u8>) {
    out.push(letter);
    if nowhere || (bit, bits) != (node.bit, node.bits) || clip(sources.get(node.source), bit, bits).1 != bits as usize {
        whole(node, sources, (bit, bits), out);
    }
}

/// A range as far as its source has it.
fn whole(node: &Node, sources: Sources<'_>, (bit, bits): (u32, u32), out: &mut Vec<u8>) {
    let (bit, bits) = clip(sources.get(node.source), bit, bits);
    int(bit, out);
    out.push(b':');
    int(bits, out);
}

/// A literal of JSON.
fn json(text: &[u8], out: &mut Vec<u8>) {
    match text {
        b"true" => out.extend_from_slice(b"b1"),
        b"false" => out.extend_from_slice(b"b0"),
        [b'"', ..] => {
            out.push(b's');
            match serde_json::from_slice::<String>(text) {
                Ok(plain) => word(plain.as_bytes(), out),
                // Half of a surrogate pair: as it is written.
                Err(_) => word(text.get(1..text.len() - 1).unwrap_or_default(), out),
            }
        }
        [b'-' | b'0'..=b'9', ..] => {
            out.push(b'm');
            word(text, out);
        }
        _ => out.push(b'z'),
    }
}
