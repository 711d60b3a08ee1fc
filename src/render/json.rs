//! The annotated form: one JSON array, every field of every message with its type and bit range.

use super::envelope;
use super::envelope_cache::EnvelopeCache;
use super::files::{FileNames, Files};
use super::human::human;
use crate::codec::json::fields::{Walks, behind};
use crate::codec::json::fixed_line::FixedLine;
use crate::codec::json::numbers::int;
use crate::codec::json::text::{Escaping, escaped, string};
use crate::codec::json::value::value;
use crate::codec::layout::{Charset, Kind, Order, Sign};
use crate::codec::{Node, Value};
use crate::dissect::Message;

/// Writes the array's elements.
#[derive(Debug, Default)]
pub struct Json {
    bytes: bool,
    verbose: bool,
    begun: bool,
    envelope_cache: EnvelopeCache,
    line: FixedLine,
    walks: Walks,
    open: Vec<OpenGroup>,
}

/// An open group or list, and the index of its next element.
#[derive(Clone, Copy, Debug)]
struct OpenGroup {
    end: usize,
    next: Option<u32>,
}

impl Json {
    /// `bytes` adds the messages' bytes; `verbose` adds the fields' documentation to their `text`.
    pub fn new(bytes: bool, verbose: bool) -> Json {
        Json { bytes, verbose, ..Json::default() }
    }

    /// With the file of each message.
    pub(super) fn files(mut self, files: Option<&Files>) -> Json {
        self.envelope_cache.files = files.map(FileNames::new);
        self
    }

    /// Appends one message.
    pub fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.begun { b",\n" } else { b"[\n" });
        self.begun = true;
        let mut line = self.line.begin();
        let plain = envelope::plain_head(message, &mut self.envelope_cache, envelope::ARRAY, &mut line);
        match plain.and_then(|()| line.finish()) {
            Some(head) => out.extend_from_slice(head),
            None => envelope::head(message, &mut self.envelope_cache, envelope::ARRAY, out),
        }
        self.fields(message, out);
        envelope::tail(message, self.bytes, &mut self.walks, out);
        out.push(b'}');
    }

    /// Renders elements of an array that another renderer has begun.
    pub fn continued(mut self) -> Json {
        self.begun = true;
        self
    }

    /// Appends elements rendered by a [continued](Json::continued) array.
    pub fn append(&mut self, elements: &[u8], out: &mut Vec<u8>) {
        match elements {
            [b',', rest @ ..] if !self.begun => {
                out.push(b'[');
                out.extend_from_slice(rest);
                self.begun = true;
            }
            _ => out.extend_from_slice(elements),
        }
    }

    /// Closes the array, which may be empty.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.begun { b"\n]\n" } else { b"[]\n" });
        self.begun = false;
    }

    fn fields(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        let (tree, sources) = (&message.dissection.tree, message.sources());
        let nodes = tree.nodes();
        let mut here = OpenGroup { end: nodes.len(), next: None };
        let mut at = 0;
        self.open.clear();
        loop {
            while at >= here.end {
                out.push(b']');
                let Some(outer) = self.open.pop() else { return };
                out.push(b'}');
                here = outer;
            }
            let node = &nodes[at];
            if !out.ends_with(b"[") {
                out.push(b',');
            }
            out.extend_from_slice(b"{\"name\":\"");
            match &mut here.next {
                Some(next) => {
                    out.push(b'[');
                    int(*next, out);
                    out.extend_from_slice(b"]\"");
                    *next += 1;
                }
                None => {
                    out.pop();
                    string(tree.name(node, sources).as_bytes(), out);
                }
            }
            let inside = node.nests();
            if !inside {
                out.extend_from_slice(b",\"value\":");
                value(node, sources, out);
            }
            self.about(node, message, out);
            at += 1;
            if inside {
                out.extend_from_slice(b",\"fields\":[");
                self.open.push(here);
                let next = (node.value == Value::List).then_some(0);
                here = OpenGroup { end: behind(node, at - 1).min(here.end), next };
            } else {
                out.push(b'}');
            }
        }
    }

    /// All members of a node except for its name and value.
    fn about(&self, node: &Node, message: &Message<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(b",\"type\":\"");
        type_word(node, out);
        out.push(b'"');
        if node.derived() {
            out.extend_from_slice(b",\"derived\":true");
        } else {
            out.extend_from_slice(b",\"offset\":");
            int(node.bit / 8, out);
            out.extend_from_slice(b",\"bits\":");
            int(node.bits, out);
            if !node.bit.is_multiple_of(8) {
                out.extend_from_slice(b",\"bit\":");
                int(node.bit % 8, out);
            }
        }
        if node.source != 0 {
            out.extend_from_slice(b",\"source\":");
            int(node.source, out);
        }
        if node.hidden() {
            out.extend_from_slice(b",\"hidden\":true");
        }
        let mark = out.len();
        out.extend_from_slice(b",\"text\":\"");
        let start = out.len();
        human(node, message.sources(), &mut Escaping(out));
        if self.verbose && !node.field.doc.is_empty() {
            if out.len() > start {
                out.extend_from_slice(b": ");
            }
            escaped(node.field.doc.as_bytes(), out);
        }
        match out.len() > start {
            true => out.push(b'"'),
            false => out.truncate(mark),
        }
    }
}

/// A node's type in short: `u16le`, `i24be`, `u3`, `f32le`, `text`, `group`.
pub fn type_word(node: &Node, out: &mut Vec<u8>) {
    let (letter, bits, order) = match (node.value, &node.field.kind) {
        (Value::Group, _) => return out.extend_from_slice(b"group"),
        (Value::List, _) => return out.extend_from_slice(b"list"),
        (_, Kind::UInt { bits, order }) => (b'u', *bits, *order),
        (_, Kind::Int { bits, order }) => (b'i', *bits, *order),
        (_, Kind::Float { bits, order }) => (b'f', *bits, *order),
        (_, kind) => return out.extend_from_slice(other_word(kind, node.value).as_bytes()),
    };
    out.push(letter);
    int(bits, out);
    // The byte order of the conversation; the message's version tells which.
    match order {
        Order::Little if bits > 8 && bits % 8 == 0 => out.extend_from_slice(b"le"),
        Order::Big if bits > 8 && bits % 8 == 0 => out.extend_from_slice(b"be"),
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
    use super::super::fixture::{LINKS, PACKED, PLAIN, annotate, with, with_annotated};
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
