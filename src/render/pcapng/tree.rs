//! Writes a message's tree as one line of ASCII, for the script.
//!
//! The line consists of words with blanks between them. First are words `KEY=VALUE`: `p` protocol, `v` version, `m`
//! message, `f` sender, `c` conversation, `l` length, `i` place in the packet, `n` the message's frame if it is not
//! that of the comment, `r` a relation (kind, frame, index, milliseconds), `q` a missing response or acknowledgement.
//! The place of the bytes follows: `b` offset and length in the frame, or `h` the bytes themselves, with a number for
//! further sources. Then the sections `:f` (fields), `:p` (headers around the message) and `:d` (derived) follow. Their
//! nodes are `NAME,BIT,BITS,VALUE`, with `,SOURCE` if that is not 0. Bit and bits are empty for values without bytes;
//! the name is empty in lists; `~` precedes a name from the traffic. A group (`g`) or list (`l`) ends with `.`.
//!
//! Values are `u` and `i` (numbers), `e` (number and name), `w` (number and the names of its bits), `f`, `b`, `z`
//! (null), `m` (a number of JSON), `s` (text). The others are ranges of bits in the source, which are left out if they
//! are the node's: `t` UTF-8, `c` Latin-1, `x` bytes, `r` bits without a plain value, followed by their meaning.

use crate::codec::json::fields::after_node;
use crate::codec::json::line::{Line, Stage};
use crate::codec::json::numbers::{f32, f64, int, uint};
use crate::codec::json::text::clip;
use crate::codec::json::value::{flags, name_of};
use crate::codec::layout::{Charset, Kind, Show, flag};
use crate::codec::{Clock, Node, Sources, Tree, Value, half_text};
use crate::render::human::human;
use std::fmt;

/// Whether a byte is written in a word without an escape.
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

/// Writes formatted text as part of a word.
struct Words<'a>(&'a mut Vec<u8>);

impl fmt::Write for Words<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        word(text.as_bytes(), self.0);
        Ok(())
    }
}

/// An open group or list.
#[derive(Clone, Copy, Debug)]
struct Outer {
    end: usize,
    list: bool,
    source: u8,
}

/// Scratch memory of the walk.
#[derive(Debug, Default)]
pub struct TreeLine {
    stage: Stage,
    /// The groups and lists around the node at hand.
    open: Vec<Outer>,
    /// The sources that nodes refer to.
    pub used: [u64; 4],
}

impl TreeLine {
    /// Appends a section's nodes. `bulk`: also writes fields that are shown only together with the message's bytes.
    /// `derived`: nodes without bits are in no bytes.
    pub fn nodes(&mut self, tree: &Tree, sources: Sources<'_>, bulk: bool, derived: bool, out: &mut Vec<u8>) {
        let TreeLine { stage, open, used } = self;
        stage.line(out, |line| nodes(tree, sources, [bulk, derived], open, used, line));
    }

    /// Whether a node refers to this source.
    pub fn uses(&self, source: u8) -> bool {
        self.used[source as usize / 64] >> (source % 64) & 1 == 1
    }
}

/// Writes all nodes.
#[inline(always)]
fn nodes(
    tree: &Tree,
    sources: Sources<'_>,
    [bulk, derived]: [bool; 2],
    open: &mut Vec<Outer>,
    used: &mut [u64; 4],
    line: &mut Line<'_>,
) {
    let nodes = tree.nodes();
    let (mut at, mut end, mut list, mut source) = (0, nodes.len(), false, 0);
    open.clear();
    loop {
        while at >= end {
            let Some(outer) = open.pop() else { return };
            line.constant(b" .");
            Outer { end, list, source } = outer;
        }
        let node = &nodes[at];
        if !bulk && node.field.is(flag::BULK) {
            at = after_node(node, at);
            continue;
        }
        line.constant(b" ");
        if !list {
            if tree.name_from_traffic(node) {
                line.constant(b"~");
                word(tree.name(node, sources).as_bytes(), line.rest());
            } else if !line.word(&node.field.quoted) {
                word(node.field.name.as_bytes(), line.rest());
            }
        }
        let nowhere = node.derived() || derived && node.bits == 0;
        if nowhere {
            line.constant(b",,");
        } else {
            line.constant(b",");
            line.uint(node.bit.into());
            line.constant(b",");
            line.uint(node.bits.into());
        }
        // The comma before the value is written together with its letter.
        match (node.value, node.field.show) {
            (Value::Group | Value::List, _) => {
                open.push(Outer { end, list, source });
                end = after_node(node, at).min(end);
                list = node.value == Value::List;
                line.constant(if list { b",l" } else { b",g" });
                source = node.source;
            }
            (Value::UInt(n), Show::Plain) => {
                line.constant(b",u");
                line.uint(n);
            }
            (Value::Int(n), Show::Plain) => {
                line.constant(b",i");
                line.int(n);
            }
            (Value::Bytes { bit, bits }, _) if !nowhere && is_own(node, sources, bit, bits) => line.constant(b",x"),
            _ => {
                line.constant(b",");
                leaf(node, nowhere, sources, line.rest());
            }
        }
        // Converted text has a source of its own, but its place is that of the text around it.
        let place = if converted(node) { source } else { node.source };
        if place > 0 {
            used[place as usize / 64] |= 1 << (place % 64);
            line.constant(b",");
            line.uint(place.into());
        }
        at += 1;
    }
}

/// Whether it is text that was converted from other bytes, such as UTF-16 or an address.
fn converted(node: &Node) -> bool {
    match (node.value, &node.field.kind) {
        (Value::Text { bit, bits }, Kind::Address(_) | Kind::Text { charset: Charset::Utf16(_), .. }) => {
            node.source > 0 && (bit, bits) != (node.bit, node.bits)
        }
        (Value::Text { .. }, Kind::Custom(codec)) => codec.converts(),
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
        Value::Bytes { bit, bits } => range(b'x', node, nowhere, sources, bit, bits, out),
        Value::Text { bit, bits } if converted(node) => {
            out.push(b's');
            let (bit, bits) = clip(sources.get(node.source), bit, bits);
            word(sources.get(node.source).get(bit / 8..(bit + bits) / 8).unwrap_or_default(), out);
        }
        Value::Text { bit, bits } => range(b't', node, nowhere, sources, bit, bits, out),
        Value::Latin1 { bit, bits } => range(b'c', node, nowhere, sources, bit, bits, out),
        Value::Raw { bit, bits } => {
            range(b'r', node, nowhere, sources, bit, bits, out);
            let mark = out.len();
            if out.last() == Some(&b'r') {
                whole(node, sources, bit, bits, out);
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
    let digits = |out: &mut Vec<u8>| if let Some(n) = signed { int(n, out) } else { uint(n, out) };
    match show {
        Show::Enum(names) if let Some(name) = name_of(names, n) => {
            out.push(b'e');
            digits(out);
            out.push(b':');
            word(name.as_bytes(), out);
        }
        Show::Flags(table) => {
            out.push(b'w');
            uint(n, out);
            flags(table, n, |flag| {
                out.push(b':');
                match flag {
                    Ok(name) => word(name.as_bytes(), out),
                    Err(mask) => int(mask, out),
                }
            });
        }
        Show::Time { clock, .. } => time(clock, signed.map_or(n.into(), i128::from), out),
        Show::Scaled(scale) => float(scale.shown(signed.map_or(n as f64, |n| n as f64)), out),
        Show::Plain | Show::Asked(_) | Show::Enum(_) => {
            out.push(if signed.is_some() { b'i' } else { b'u' });
            digits(out);
        }
    }
}

/// Apart from [`number`], which is called for each field.
#[cold]
fn time(clock: Clock, value: i128, out: &mut Vec<u8>) {
    out.push(b's');
    word(clock.text(value).as_bytes(), out);
}

/// Writes a range, unless it is the node's own.
fn range(letter: u8, node: &Node, nowhere: bool, sources: Sources<'_>, bit: u32, bits: u32, out: &mut Vec<u8>) {
    out.push(letter);
    if nowhere || !is_own(node, sources, bit, bits) {
        whole(node, sources, bit, bits, out);
    }
}

/// Whether a range is the node's own, and within its source.
fn is_own(node: &Node, sources: Sources<'_>, bit: u32, bits: u32) -> bool {
    (bit, bits) == (node.bit, node.bits) && clip(sources.get(node.source), bit, bits).1 == bits as usize
}

/// Writes a range as far as its source has it.
fn whole(node: &Node, sources: Sources<'_>, bit: u32, bits: u32, out: &mut Vec<u8>) {
    let (bit, bits) = clip(sources.get(node.source), bit, bits);
    uint(bit as u64, out);
    out.push(b':');
    uint(bits as u64, out);
}

/// Writes a JSON literal.
fn json(text: &[u8], out: &mut Vec<u8>) {
    match text {
        b"true" => out.extend_from_slice(b"b1"),
        b"false" => out.extend_from_slice(b"b0"),
        [b'"', ..] => {
            out.push(b's');
            match serde_json::from_slice::<String>(text) {
                Ok(plain) => word(plain.as_bytes(), out),
                // Half of a surrogate pair is written as the text has it.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Reader;
    use crate::codec::layout::{self, *};

    fn line(table: &'static [Field], bytes: &[u8], derived: bool) -> String {
        let (mut tree, mut out) = (Tree::default(), Vec::new());
        Reader::new(bytes, &mut tree).read(table);
        TreeLine::default().nodes(&tree, Sources { main: bytes, more: &[] }, false, derived, &mut out);
        String::from_utf8(out).expect("ASCII")
    }

    const NAMES: &[(u64, &str)] = &[(0, "none"), (1, "so much"), (2, "a%b")];
    static FLAT: [Field; 6] = [
        u8("kind").names(NAMES),
        i16le("rtt"),
        boolean("is_on", 1),
        layout::uint("odd", 7),
        u8("a-b"),
        bytes("rest", Len::Rest),
    ];

    #[test]
    fn a_line_to_the_letter() {
        let expected = " kind,0,8,e0:none rtt,8,16,i-1 is_on,24,1,b1 odd,25,7,u66";
        assert_eq!(line(&FLAT[..4], &[0, 0xff, 0xff, 0x85], false), expected);
        let flat = line(&FLAT, &[0, 0xff, 0xff, 0x85, 1, 2], true);
        assert!(flat.ends_with(" a-b,32,8,u1 rest,40,8,x"), "{flat}");
        assert_eq!(line(&FLAT[..1], &[1], false), " kind,0,8,e1:so%20much");
        static PAIR: [Field; 1] = [group("pair", &PARTS)];
        static PARTS: [Field; 2] = [u8("a"), array("b", Count::Rest, &B)];
        static B: Field = u8("");
        assert_eq!(line(&PAIR, &[1, 2, 3], false), " pair,0,24,g a,0,8,u1 b,8,16,l ,8,8,u2 ,16,8,u3 . .");
    }
}
