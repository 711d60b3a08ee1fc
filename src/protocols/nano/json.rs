//! JSON (RFC 8259) as nodes of a tree. Numbers and text stay ranges of their source, so they are shown exactly as they
//! were sent, and nothing is copied.
//!
//! The text is read once. If it turns out not to be JSON, its nodes are removed. JSON with too many values becomes one
//! leaf. JSON that is nested too deeply is not accepted (RFC 8259, section 9): readers of netkit's lines could not read
//! it either.

use super::members::{Shape, Token};
use super::scan::{Str, Tokens, scan};
use crate::codec::layout::{Field, Kind, Len, Show, bytes};
use crate::codec::tree::NamePlace;
use crate::codec::{Tree, Value};

/// The most values. JSON with more is shown as one leaf.
const MOST_NODES: usize = 1 << 18;
/// The deepest nesting. Deeper JSON is not accepted.
const DEEPEST: usize = 512;
/// The most open objects and arrays whose memory is kept for reuse.
const KEPT: usize = 1 << 12;

/// Elements and members. Names of members come from the traffic.
static VALUE: Field = bytes("value", Len::Rest).doc("a JSON value");

/// Builds the nodes.
struct Build<'a> {
    text: &'a [u8],
    tree: &'a mut Tree,
    root: Option<&'static Field>,
    /// The offset of the text in its source.
    base: usize,
    source: u8,
    names: (u8, &'a mut Vec<u8>),
    name: Option<NamePlace>,
    /// The nodes of the open objects and arrays.
    open: &'a mut Vec<usize>,
    /// The number of values.
    values: usize,
    /// The nesting is too deep: all nodes are removed in the end.
    too_deep: bool,
    /// The schema, if there is one.
    shape: Option<&'a mut Shape>,
}

/// The index for values without a node, because there are too many.
const NOWHERE: usize = usize::MAX;

impl Build<'_> {
    fn push(&mut self, value: Value, token: Token, start: usize, end: usize) -> usize {
        self.values += 1;
        if self.values > MOST_NODES || self.too_deep {
            return NOWHERE;
        }
        let (bit, bits) = ((self.base + start) as u32 * 8, (end - start) as u32 * 8);
        let (root, name) = (self.root.take(), self.name.take());
        let known = match &mut self.shape {
            None => None,
            Some(shape) => {
                let text = name.map_or(&[][..], |NamePlace { source, start, len }| match source == self.names.0 {
                    true => self.names.1.get(start as usize..(start + len) as usize).unwrap_or_default(),
                    false => {
                        let start = start as usize - self.base;
                        self.text.get(start..start + len as usize).unwrap_or_default()
                    }
                });
                shape.take(std::str::from_utf8(text).unwrap_or(""), token, start)
            }
        };
        match (root, known, name) {
            (None, Some(field), _) => {
                let literal = || std::str::from_utf8(self.text.get(start..end)?).ok()?.parse().ok();
                // Names, flags and scales apply to numbers.
                let named = matches!(field.kind, Kind::Int { .. }) && !matches!(field.show, Show::Plain);
                let value = if named { literal().map_or(value, Value::Int) } else { value };
                self.tree.push(field, value, bit, bits)
            }
            (field, _, name) => {
                let node = self.tree.push(field.unwrap_or(&VALUE), value, bit, bits);
                name.into_iter().for_each(|name| self.tree.name_latest(name));
                node
            }
        }
    }
}

impl Tokens for Build<'_> {
    fn open(&mut self, object: bool, at: usize) {
        let (value, token) = if object { (Value::Group, Token::Object) } else { (Value::List, Token::List) };
        let node = self.push(value, token, at, at);
        self.too_deep |= self.open.len() >= DEEPEST;
        if !self.too_deep {
            self.open.push(node);
        }
    }

    fn close(&mut self, after: usize) {
        if let Some(node) = self.open.pop() {
            self.tree.close(node, (self.base + after) as u32 * 8);
        }
        if let Some(shape) = &mut self.shape {
            shape.close();
        }
    }

    fn name(&mut self, text: &[u8], string: Str) {
        let literal = text.get(string.start..string.end).unwrap_or_default();
        self.name = Some(if string.escaped {
            let (source, names) = &mut self.names;
            let start = names.len() as u32;
            match serde_json::from_slice::<String>(literal) {
                Ok(name) => names.extend_from_slice(name.as_bytes()),
                Err(_) => names.extend_from_slice(literal.get(1..literal.len().saturating_sub(1)).unwrap_or_default()),
            }
            NamePlace { source: *source, start, len: names.len() as u32 - start }
        } else {
            NamePlace {
                source: self.source,
                start: (self.base + string.start + 1) as u32,
                len: (string.end - string.start - 2) as u32,
            }
        });
    }

    fn string(&mut self, string: Str) {
        let Str { start, end, escaped, broken } = string;
        let (bit, bits) = ((self.base + start + 1) as u32 * 8, (end - start - 2) as u32 * 8);
        let value = match (broken, escaped) {
            (true, _) => Value::Raw { bit, bits },
            (_, true) => Value::Json { start: (self.base + start) as u32, len: (end - start) as u32 },
            (_, false) => Value::Text { bit, bits },
        };
        self.push(value, Token::Text, start, end);
    }

    fn number(&mut self, start: usize, end: usize) {
        let literal = self.text.get(start..end).unwrap_or_default();
        // No reader of JSON lines accepts an infinite number.
        let long = literal.len() > 300 || literal.iter().any(|b| matches!(b, b'e' | b'E'));
        let text = || std::str::from_utf8(literal).ok()?.parse::<f64>().ok();
        let value = match long && text().is_none_or(f64::is_infinite) {
            true => Value::Raw { bit: (self.base + start) as u32 * 8, bits: (end - start) as u32 * 8 },
            false => Value::Json { start: (self.base + start) as u32, len: (end - start) as u32 },
        };
        let whole = !literal.iter().any(|b| matches!(b, b'.' | b'e' | b'E'));
        self.push(value, Token::Number(whole), start, end);
    }

    fn word(&mut self, start: usize, value: Value) {
        let length = if let Value::Bool(false) = value { 5 } else { 4 };
        let token = if let Value::Bool(_) = value { Token::Truth } else { Token::Null };
        self.push(value, token, start, start + length);
    }
}

/// Reused memory.
#[derive(Debug, Default)]
pub struct Scratch {
    stack: Vec<bool>,
    open: Vec<usize>,
}

/// The place of a text, and of names that have escapes.
pub struct TextPosition<'a> {
    /// The source of the text.
    pub source: u8,
    /// The offset of the text's first byte there.
    pub start: usize,
    /// A source for names, and its buffer.
    pub names: (u8, &'a mut Vec<u8>),
    /// The schema of the text, if there is one.
    pub shape: Option<&'a mut Shape>,
}

/// The result of [`nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonScan {
    /// Not JSON.
    No,
    /// JSON, as nodes.
    Nodes,
    /// JSON with too many values for nodes.
    Leaf,
}

/// Whether the first byte can begin JSON. `any`: not only an object or array.
pub fn may_be(text: &[u8], any: bool) -> bool {
    match text.trim_ascii_start().first() {
        Some(b'{' | b'[') => true,
        Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => any,
        _ => false,
    }
}

/// Appends the nodes of `text` to `tree`, if the whole of it is JSON. The first node has the field `field`.
pub fn nodes(
    text: &[u8],
    field: &'static Field,
    place: TextPosition<'_>,
    tree: &mut Tree,
    scratch: &mut Scratch,
) -> JsonScan {
    if std::str::from_utf8(text).is_err() {
        return JsonScan::No;
    }
    let TextPosition { source, start: base, names, shape } = place;
    let (before, names_before) = (tree.nodes().len(), names.1.len());
    tree.set_source(source);
    scratch.stack.shrink_to(KEPT);
    scratch.open.shrink_to(KEPT);
    scratch.open.clear();
    let mut build = Build {
        text,
        tree,
        root: Some(field),
        base,
        source,
        names,
        name: None,
        open: &mut scratch.open,
        values: 0,
        too_deep: false,
        shape,
    };
    let valid = scan(text, &mut build, &mut scratch.stack).is_some() && !build.too_deep;
    let Build { tree, names, values, .. } = build;
    if valid && values <= MOST_NODES {
        return JsonScan::Nodes;
    }
    tree.truncate(before);
    names.1.truncate(names_before);
    if !valid {
        return JsonScan::No;
    }
    compact(text, names.1);
    let len = names.1.len() - names_before;
    tree.set_source(names.0);
    tree.push(field, Value::Json { start: names_before as u32, len: len as u32 }, 0, 0);
    JsonScan::Leaf
}

/// Copies JSON without the white space around its tokens, so that it fits on a line.
fn compact(text: &[u8], out: &mut Vec<u8>) {
    let (mut quoted, mut escaped) = (false, false);
    for byte in text {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' if !quoted => continue,
            b'"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && *byte == b'\\' && !escaped;
        out.push(*byte);
    }
}
