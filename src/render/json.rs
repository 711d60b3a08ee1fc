//! The annotated form: one JSON array, every field of every message with its type and bit range.

use super::envelope;
use super::envelope_cache::EnvelopeCache;
use super::files::{FileNames, Files};
use super::form::Form;
use super::human::human;
use crate::codec::json::fields::{Walks, after_node, key, leaf};
use crate::codec::json::line::{Line, Stage};
use crate::codec::json::text::{Escaping, escaped};
use crate::codec::layout::{Charset, Kind, Order, Show, Sign};
use crate::codec::{Node, Value};
use crate::dissect::{Message, Wants};

/// Writes the array's elements.
#[derive(Debug, Default)]
pub struct Json {
    bytes: bool,
    verbose: bool,
    begun: bool,
    envelope_cache: EnvelopeCache,
    walks: Walks,
    stage: Stage,
    open: Vec<OpenGroup>,
}

/// An open group or list, and the index of its next element.
#[derive(Clone, Copy, Debug)]
struct OpenGroup {
    end: usize,
    next: Option<u32>,
}

impl Json {
    /// Creates a writer. `bytes` adds the messages' bytes; `verbose` adds the fields' documentation to their `text`.
    pub fn new(bytes: bool, verbose: bool) -> Json {
        Json { bytes, verbose, ..Json::default() }
    }

    /// Adds the file of each message.
    pub(super) fn files(mut self, files: Option<&Files>) -> Json {
        self.envelope_cache.files = files.map(FileNames::new);
        self
    }
}

impl Form for Json {
    fn reads(&self) -> Wants {
        Wants::PRINTED
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.begun { b",\n" } else { b"[\n" });
        self.begun = true;
        let Json { bytes, verbose, envelope_cache, walks, stage, open, .. } = self;
        stage.line(out, |line| {
            envelope::head(message, envelope_cache, walks, envelope::ARRAY, line);
            fields(message, *verbose, open, line);
            envelope::tail(message, *bytes, walks, line);
            line.constant(b"}");
        });
    }

    fn divide(&mut self) -> bool {
        // A worker's elements all have a comma before them. Only the whole array has a first element.
        self.begun = true;
        true
    }

    fn append(&mut self, elements: &[u8], out: &mut Vec<u8>) {
        match elements {
            [b',', rest @ ..] if !self.begun => {
                out.push(b'[');
                out.extend_from_slice(rest);
                self.begun = true;
            }
            _ => out.extend_from_slice(elements),
        }
    }

    fn account(&mut self, account: &[u8], out: &mut Vec<u8>) {
        self.append(&[b",\n{\"account\":", account, b"}"].concat(), out);
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.begun { b"\n]\n" } else { b"[]\n" });
        self.begun = false;
    }
}

/// Writes all nodes, and the closing bracket.
fn fields(message: &Message<'_>, verbose: bool, open: &mut Vec<OpenGroup>, line: &mut Line<'_>) {
    let (tree, sources) = (&message.dissection.tree, message.sources());
    let nodes = tree.nodes();
    let mut here = OpenGroup { end: nodes.len(), next: None };
    let mut at = 0;
    open.clear();
    loop {
        while at >= here.end {
            line.close(b']');
            let Some(outer) = open.pop() else { return };
            line.constant(b"},");
            here = outer;
        }
        let node = &nodes[at];
        line.constant(b"{\"name\":");
        match &mut here.next {
            Some(next) => {
                line.constant(b"\"[");
                line.uint((*next).into());
                line.constant(b"]\"");
                *next += 1;
            }
            None => {
                key(tree, node, sources, line);
                line.truncate(line.len() - 1);
            }
        }
        let inside = node.nests();
        if !inside {
            line.constant(b",\"value\":");
            leaf(node, sources, line);
        }
        about(node, message, verbose, line);
        at += 1;
        if inside {
            line.constant(b",\"fields\":[");
            open.push(here);
            let next = (node.value == Value::List).then_some(0);
            here = OpenGroup { end: after_node(node, at - 1).min(here.end), next };
        } else {
            line.constant(b"},");
        }
    }
}

/// Writes all members of a node except for its name and value.
#[inline(always)]
fn about(node: &Node, message: &Message<'_>, verbose: bool, line: &mut Line<'_>) {
    line.constant(b",\"type\":\"");
    type_word(node, line);
    if node.derived() {
        line.constant(b"\",\"derived\":true");
    } else {
        line.constant(b"\",\"offset\":");
        line.uint((node.bit / 8).into());
        line.constant(b",\"bits\":");
        line.uint(node.bits.into());
        if !node.bit.is_multiple_of(8) {
            line.constant(b",\"bit\":");
            line.uint((node.bit % 8).into());
        }
    }
    if node.source != 0 {
        line.constant(b",\"source\":");
        line.uint(node.source.into());
    }
    if node.hidden() {
        line.constant(b",\"hidden\":true");
    }
    let plain = matches!(node.value, Value::UInt(_) | Value::Bytes { .. });
    if verbose || !plain || !matches!(node.field.show, Show::Plain) || !node.field.unit.is_empty() {
        explain(node, message, verbose, line.rest());
    }
}

/// Appends the meaning of a node's value, if there is one.
#[inline(never)]
fn explain(node: &Node, message: &Message<'_>, verbose: bool, out: &mut Vec<u8>) {
    let mark = out.len();
    out.extend_from_slice(b",\"text\":\"");
    let start = out.len();
    human(node, message.sources(), &mut Escaping(out));
    if verbose && !node.field.doc.is_empty() {
        if out.len() > start {
            out.extend_from_slice(b": ");
        }
        escaped(node.field.doc.as_bytes(), out);
    }
    if out.len() > start { out.push(b'"') } else { out.truncate(mark) }
}

/// Writes a node's short type: `u16le`, `i24be`, `u3`, `f32le`, `text`, `group`.
#[inline(always)]
pub fn type_word(node: &Node, line: &mut Line<'_>) {
    let (letter, bits, order) = match (node.value, &node.field.kind) {
        (Value::Group, _) => return line.constant(b"group"),
        (Value::List, _) => return line.constant(b"list"),
        (_, Kind::UInt { bits, order }) => (b"u", *bits, *order),
        (_, Kind::Int { bits, order }) => (b"i", *bits, *order),
        (_, Kind::Float { bits, order }) => (b"f", *bits, *order),
        (_, kind) => return line.name(other_word(kind, node.value)),
    };
    line.constant(letter);
    line.uint(bits.into());
    // If the conversation decides the byte order, the message's version shows it.
    match order {
        Order::Little if bits > 8 && bits % 8 == 0 => line.constant(b"le"),
        Order::Big if bits > 8 && bits % 8 == 0 => line.constant(b"be"),
        _ => {}
    }
}

fn other_word(kind: &Kind, value: Value) -> &'static str {
    match (kind, value) {
        (Kind::Tag { .. }, _) => "tag",
        (Kind::Bool { .. }, _) => "bool",
        (Kind::VarInt { sign: Sign::Zigzag, .. }, _) => "zigzag",
        (Kind::VarInt { .. }, _) => "varint",
        (Kind::Text { charset: Charset::Latin1, .. }, _) => "latin1",
        (Kind::Text { .. }, _) => "text",
        (Kind::Bytes { .. }, _) => "bytes",
        (Kind::Derived, _) => "derived",
        (_, Value::Null) => "null",
        (_, Value::Bool(_)) => "bool",
        (_, Value::UInt(_)) => "uint",
        (_, Value::Int(_)) => "int",
        (_, Value::F16(_) | Value::F32(_) | Value::F64(_)) => "float",
        (_, Value::Bytes { .. }) => "bytes",
        (_, Value::Text { .. }) => "text",
        (_, Value::Latin1 { .. }) => "latin1",
        (_, Value::Json { .. }) => "json",
        _ => "raw",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::fixture::{LINKS, PACKED, PLAIN, annotate, with, with_annotated};
    use super::*;
    use serde_json::{Value as Any, json};

    fn parsed(write: impl FnOnce(&mut Json, &mut Vec<u8>)) -> Any {
        let (mut out, mut form) = (Vec::new(), Json::new(true, false));
        write(&mut form, &mut out);
        form.finish(&mut out);
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn no_message_is_an_array_too() {
        assert_eq!(parsed(|_, _| {}), json!([]));
    }

    #[test]
    fn every_bit_is_documented() {
        with_annotated(&LINKS, &[4, 1, 1, 0, 1, 0, 0, 5], annotate, |message| {
            let all = parsed(|form, out| {
                form.message(message, out);
                form.message(message, out);
            });
            assert_eq!(all.as_array().unwrap().len(), 2);
            assert_eq!(
                all[1]["fields"],
                json!([
                    {"name": "type", "value": 4, "type": "tag", "offset": 0, "bits": 8, "hidden": true},
                    {"name": "link_count", "value": 1, "type": "u8", "offset": 1, "bits": 8, "hidden": true},
                    {"name": "links", "type": "list", "offset": 2, "bits": 48, "fields": [
                        {"name": "[0]", "type": "group", "offset": 2, "bits": 48, "fields": [
                            {"name": "link_id", "value": 1, "type": "u16le", "offset": 2, "bits": 16},
                            {"name": "value_count", "value": 1, "type": "u8", "offset": 4, "bits": 8, "hidden": true},
                            {"name": "values", "type": "list", "offset": 5, "bits": 24, "fields": [
                                {"name": "[0]", "type": "group", "offset": 5, "bits": 24, "fields": [
                                    {"name": "index", "value": 0, "type": "u16le", "offset": 5, "bits": 16},
                                    {"name": "type", "value": "uint8", "type": "derived", "derived": true, "text": "uint8 (1)"},
                                    {"name": "value", "value": 5, "type": "u8", "offset": 7, "bits": 8},
                                ]},
                            ]},
                        ]},
                    ]},
                ])
            );
            assert_eq!(all[0]["derived"]["route"], 9);
            assert_eq!(all[0]["bytes"], "0401010001000005");
        });
    }

    #[test]
    fn odd_bits_and_words() {
        let bytes = [0x1d, 0x34, 0x12, 0xff, 0xff, 0xff, 0xff, 0xff];
        with(&PACKED, &bytes, |message| {
            let all = parsed(|form, out| form.message(message, out));
            let field = |n: usize| &all[0]["fields"][n];
            assert_eq!(field(1)["bit"], 3);
            assert_eq!(
                field(2),
                &json!({"name": "state", "value": "uint8", "type": "u4", "offset": 0, "bits": 4, "bit": 4, "text": "uint8 (1)"})
            );
            assert_eq!(field(3)["text"], "4660 ms");
            assert_eq!(field(4)["value"], json!(["one", 16, "four", 64, 128]));
            assert_eq!(field(5)["value"], json!({"raw": "ffffffff", "bits": 32}));
        });
        with(&PLAIN, &[1, 0, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f], |message| {
            let all = parsed(|form, out| form.message(message, out));
            assert_eq!(all[0]["fields"][2]["text"], "NaN");
            assert_eq!(all[0]["fields"][2]["type"], "f64le");
        });
    }
}
