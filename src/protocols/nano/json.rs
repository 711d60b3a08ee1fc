//! JSON (RFC 8259) as nodes of a tree: numbers and text stay ranges of their source, so they are
//! shown exactly as they were sent, and nothing is copied.
//!
//! It is read twice, in time that grows with its length only: first to see that it is JSON, then
//! to make the nodes. JSON with too many values, or nested too deeply, becomes one leaf.

use crate::codec::layout::{Field, Len, bytes};
use crate::codec::{Tree, Value};

/// More values are shown as one leaf.
const MOST_NODES: usize = 1 << 18;
/// Deeper nesting is shown as one leaf.
const DEEPEST: usize = 256;

/// Elements and members: their names are the traffic's own.
static VALUE: Field = bytes("value", Len::Rest).doc("a JSON value");

/// What stands in a text, token by token.
trait Tokens {
    fn open(&mut self, object: bool, at: usize);
    fn close(&mut self, behind: usize);
    fn name(&mut self, text: &[u8], string: Str);
    fn string(&mut self, string: Str);
    fn number(&mut self, start: usize, end: usize);
    fn word(&mut self, start: usize, value: Value);
}

/// A string with its quotes.
#[derive(Clone, Copy, Debug)]
struct Str {
    start: usize,
    end: usize,
    escaped: bool,
    /// Half a surrogate pair is no text.
    broken: bool,
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == byte;
        self.at += there as usize;
        there
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> bool {
        self.eat(b'-');
        if !self.eat(b'0') && !self.digits() {
            return false;
        }
        if self.eat(b'.') && !self.digits() {
            return false;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            return self.digits();
        }
        true
    }

    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        digits.iter().try_fold(0, |n, d| Some(n << 4 | (*d as char).to_digit(16)? as u16))
    }

    /// A string, the cursor at its first quote.
    fn string(&mut self) -> Option<Str> {
        let mut found = Str { start: self.at, end: 0, escaped: false, broken: false };
        self.at += 1;
        // A first half that waits for its second one.
        let mut half = false;
        loop {
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            let mut pairs = false;
            match byte {
                b'"' => break,
                0..0x20 => return None,
                b'\\' => {
                    found.escaped = true;
                    let which = *self.text.get(self.at)?;
                    self.at += 1;
                    match which {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        b'u' => {
                            let unit = self.unit()?;
                            pairs = half && (0xdc00..0xe000).contains(&unit);
                            if !pairs && (0xd800..0xe000).contains(&unit) {
                                found.broken |= unit >= 0xdc00 || half;
                                half = unit < 0xdc00;
                                continue;
                            }
                        }
                        _ => return None,
                    }
                }
                _ => {}
            }
            found.broken |= half && !pairs;
            half = false;
        }
        found.broken |= half;
        found.end = self.at;
        Some(found)
    }
}

/// Reads one JSON text; `None`: it is none. `stack`: which of the open ones are objects.
fn scan(text: &[u8], tokens: &mut impl Tokens, stack: &mut Vec<bool>) -> Option<()> {
    let mut c = Cursor { text, at: 0 };
    stack.clear();
    c.blank();
    loop {
        // A value.
        let start = c.at;
        let mut opened = false;
        match c.peek() {
            b'{' | b'[' => {
                let object = c.peek() == b'{';
                c.at += 1;
                tokens.open(object, start);
                c.blank();
                if c.eat(if object { b'}' } else { b']' }) {
                    tokens.close(c.at);
                } else {
                    stack.push(object);
                    opened = true;
                }
            }
            b'"' => {
                let string = c.string()?;
                tokens.string(string);
            }
            b'-' | b'0'..=b'9' => {
                if !c.number() {
                    return None;
                }
                tokens.number(start, c.at);
            }
            _ => {
                let rest = text.get(start..).unwrap_or_default();
                let words = [(&b"true"[..], Value::Bool(true)), (b"false", Value::Bool(false)), (b"null", Value::Null)];
                let (word, value) = words.into_iter().find(|(word, _)| rest.starts_with(word))?;
                c.at += word.len();
                tokens.word(start, value);
            }
        }
        // What follows a value: the ends of what is open, or the next one.
        while !opened {
            c.blank();
            match stack.last() {
                None => return (c.at == text.len()).then_some(()),
                Some(_) if c.eat(b',') => break,
                Some(object) => {
                    if !c.eat(if *object { b'}' } else { b']' }) {
                        return None;
                    }
                    stack.pop();
                    tokens.close(c.at);
                }
            }
        }
        c.blank();
        if stack.last() == Some(&true) {
            if c.peek() != b'"' {
                return None;
            }
            let name = c.string()?;
            tokens.name(text, name);
            c.blank();
            if !c.eat(b':') {
                return None;
            }
            c.blank();
        }
    }
}

/// Counts.
#[derive(Default)]
struct Measure {
    nodes: usize,
    depth: usize,
    deepest: usize,
}

impl Tokens for Measure {
    fn open(&mut self, _object: bool, _at: usize) {
        self.nodes += 1;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }
    fn close(&mut self, _behind: usize) {
        self.depth = self.depth.saturating_sub(1);
    }
    fn name(&mut self, _text: &[u8], _string: Str) {}
    fn string(&mut self, _string: Str) {
        self.nodes += 1;
    }
    fn number(&mut self, _start: usize, _end: usize) {
        self.nodes += 1;
    }
    fn word(&mut self, _start: usize, _value: Value) {
        self.nodes += 1;
    }
}

/// Makes nodes.
struct Build<'a> {
    text: &'a [u8],
    tree: &'a mut Tree,
    root: Option<&'static Field>,
    /// Where the text begins in its source.
    base: usize,
    source: u8,
    names: (u8, &'a mut Vec<u8>),
    name: Option<(u8, u32, u32)>,
    open: &'a mut Vec<usize>,
}

impl Build<'_> {
    fn push(&mut self, value: Value, start: usize, end: usize) -> usize {
        let at = ((self.base + start) as u32 * 8, (end - start) as u32 * 8);
        let field = self.root.take().unwrap_or(&VALUE);
        match self.name.take() {
            Some(name) => self.tree.push_keyed(field, value, at, name),
            None => self.tree.push(field, value, at.0, at.1),
        }
    }
}

impl Tokens for Build<'_> {
    fn open(&mut self, object: bool, at: usize) {
        let node = self.push(if object { Value::Group } else { Value::List }, at, at);
        self.open.push(node);
    }

    fn close(&mut self, behind: usize) {
        if let Some(node) = self.open.pop() {
            self.tree.close(node, (self.base + behind) as u32 * 8);
        }
    }

    fn name(&mut self, text: &[u8], string: Str) {
        let literal = text.get(string.start..string.end).unwrap_or_default();
        self.name = Some(if string.escaped {
            let (source, names) = &mut self.names;
            let start = names.len() as u32;
            match serde_json::from_slice::<String>(literal) {
                Ok(name) => names.extend_from_slice(name.as_bytes()),
                Err(_) => names.extend_from_slice(literal.get(1..literal.len() - 1).unwrap_or_default()),
            }
            (*source, start, names.len() as u32 - start)
        } else {
            (self.source, (self.base + string.start + 1) as u32, (string.end - string.start - 2) as u32)
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
        self.push(value, start, end);
    }

    fn number(&mut self, start: usize, end: usize) {
        let literal = self.text.get(start..end).unwrap_or_default();
        // No reader of JSON lines takes a number that is infinite.
        let long = literal.len() > 300 || literal.iter().any(|b| matches!(b, b'e' | b'E'));
        let text = || std::str::from_utf8(literal).ok()?.parse::<f64>().ok();
        let value = match long && text().is_none_or(f64::is_infinite) {
            true => Value::Raw { bit: (self.base + start) as u32 * 8, bits: (end - start) as u32 * 8 },
            false => Value::Json { start: (self.base + start) as u32, len: (end - start) as u32 },
        };
        self.push(value, start, end);
    }

    fn word(&mut self, start: usize, value: Value) {
        let length = match value {
            Value::Bool(false) => 5,
            _ => 4,
        };
        self.push(value, start, start + length);
    }
}

/// Memory that is used again.
#[derive(Debug, Default)]
pub struct Scratch {
    stack: Vec<bool>,
    open: Vec<usize>,
}

/// Where a text stands, and where names go that have escapes.
pub struct Place<'a> {
    /// The source of the text.
    pub source: u8,
    /// The text's first byte there.
    pub start: usize,
    /// A source for names, and its buffer.
    pub names: (u8, &'a mut Vec<u8>),
}

/// What [`nodes`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// No JSON.
    No,
    /// JSON, as nodes.
    Nodes,
    /// JSON, too large or too deep for nodes.
    Leaf,
}

/// By its first byte: may it be JSON? `any`: not only an object or array.
pub fn may_be(text: &[u8], any: bool) -> bool {
    match text.trim_ascii_start().first() {
        Some(b'{' | b'[') => true,
        Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => any,
        _ => false,
    }
}

/// Is the whole of `text` JSON? Then its nodes are appended to `tree`, the first one as `field`.
pub fn nodes(text: &[u8], field: &'static Field, place: Place<'_>, tree: &mut Tree, scratch: &mut Scratch) -> Found {
    let mut measure = Measure::default();
    if std::str::from_utf8(text).is_err() || scan(text, &mut measure, &mut scratch.stack).is_none() {
        return Found::No;
    }
    tree.set_source(place.source);
    let Place { source, start: base, names } = place;
    if measure.nodes > MOST_NODES || measure.deepest > DEEPEST {
        let start = names.1.len();
        compact(text, names.1);
        let len = names.1.len() - start;
        tree.set_source(names.0);
        tree.push(field, Value::Json { start: start as u32, len: len as u32 }, 0, 0);
        return Found::Leaf;
    }
    scratch.open.clear();
    let mut build = Build { text, tree, root: Some(field), base, source, names, name: None, open: &mut scratch.open };
    scan(text, &mut build, &mut scratch.stack);
    Found::Nodes
}

/// JSON without the white space around its tokens, so that it fits on a line.
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
