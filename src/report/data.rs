//! The messages' data in the page: columns as JSON, and the messages' bytes concatenated, both deflated. Only
//! `script.js` reads this format.
//!
//! The data are stored by column, because neighbouring values are similar: about 30 bytes a message are left. Times and
//! frame numbers are stored as differences from the previous one. Messages of the same form share their shape, one line
//! a field: depth, name, type, bit, bits, flags (1 hidden, 2 derived, 4 group or list, 8 value is in the bytes) and
//! source, separated by tabs. Their values are one line a field, too.

use super::Context;
use super::entry::Entry;
use super::held::Held;
use crate::capture::Time;
use crate::codec::Level;
use crate::codec::json::text::string;
use crate::dissect::{Relation, RelationKind, Role, Target};
use crate::flow::Transport;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use rustc_hash::FxHashMap;
use std::io::Write;

/// The size of a block that is deflated at once.
const BLOCK: usize = 1 << 16;

/// The messages' data.
#[derive(Debug)]
pub struct Data {
    /// The columns, deflated.
    pub columns: Vec<u8>,
    /// The bytes of all messages, deflated.
    pub bytes: Vec<u8>,
}

/// Builds the data of messages.
pub fn data(held: &Held<'_>, context: &Context<'_>) -> Data {
    let mut bytes = Deflating::new();
    for entry in &held.entries {
        bytes.json.extend_from_slice(&entry.bytes);
        bytes.block();
    }
    Data { columns: columns(held, context), bytes: bytes.finish() }
}

fn columns(held: &Held<'_>, context: &Context<'_>) -> Vec<u8> {
    let entries = &held.entries;
    let mut out = Deflating::new();
    let start = context.start.unwrap_or_default();
    out.put("{\"start\":");
    // Seconds and nanoseconds are separate: a number of JavaScript cannot hold nanoseconds since the epoch.
    out.put(&format!("[{},{}]", start.secs, (Time { secs: 0, ..start }).nanos()));
    out.column("kinds", held.kinds, |(proto, version, message), out| {
        let version = version.map(|version| format!("{version} ")).unwrap_or_default();
        string(format!("{proto} {version}{message}").as_bytes(), out);
    });
    out.column("relations", &RelationKind::ALL, |(_, name, _), out| string(name.as_bytes(), out));
    let mut flows: Vec<u64> = held.flows.keys().copied().collect();
    flows.sort_unstable();
    let flow_places: FxHashMap<u64, usize> = flows.iter().enumerate().map(|(at, flow)| (*flow, at)).collect();
    out.column("flows", &flows, |flow, out| {
        let Some(ends) = held.flows.get(flow) else { return out.extend_from_slice(b"0") };
        out.push(b'[');
        number(*flow, out);
        let transport = if ends.transport == Transport::Tcp { "tcp" } else { "udp" };
        for text in [ends.names[0].as_str(), ends.names[1].as_str(), transport] {
            out.push(b',');
            string(text.as_bytes(), out);
        }
        out.push(b']');
    });
    let mut shapes: Vec<&str> = Vec::new();
    let mut shape_places: FxHashMap<&str, usize> = FxHashMap::default();
    for entry in entries {
        shape_places.entry(&entry.shape).or_insert_with(|| {
            shapes.push(&entry.shape);
            shapes.len() - 1
        });
    }
    out.column("shapes", &shapes, |shape, out| string(shape.as_bytes(), out));
    out.numbers("shape", entries, |entry| shape_places.get(&*entry.shape).copied().unwrap_or(0) as i128);
    let mut before = 0;
    out.numbers("frame", entries, |entry| {
        i128::from(entry.own.frame) - std::mem::replace(&mut before, entry.own.frame.into())
    });
    out.numbers("index", entries, |entry| entry.own.index.into());
    let mut before = start;
    out.numbers("time", entries, |entry| entry.time.since(std::mem::replace(&mut before, entry.time)));
    out.numbers("flow", entries, |entry| flow_places.get(&entry.flow).copied().unwrap_or(0) as i128);
    out.numbers("kind", entries, |entry| entry.kind as i128);
    out.numbers("side", entries, |entry| entry.side as i128);
    out.numbers("from", entries, |entry| match entry.from {
        Role::Client => 0,
        Role::Server => 1,
        Role::Unknown => 2,
    });
    out.numbers("length", entries, |entry| entry.length as i128);
    out.numbers("missing", entries, |entry| entry.length as i128 - entry.captured as i128);
    out.numbers("frames", entries, |entry| entry.frames as i128);
    out.numbers("worst", entries, |entry| match entry.worst {
        None => 0,
        Some(Level::Note) => 1,
        Some(Level::Warning) => 2,
        Some(Level::Error) => 3,
    });
    out.numbers("waits", entries, |entry| {
        let [answer, ack] = waits(entry, context).map(i128::from);
        answer + 2 * ack
    });
    out.column("parts", entries, |entry, out| match *entry.parts {
        // Most messages: one source, with the bytes as they were captured.
        [all] if all as usize == entry.captured => out.push(b'0'),
        _ => list(&entry.parts, out, |part, out| number(u64::from(*part), out)),
    });
    out.column("values", entries, |entry, out| string(entry.values.as_bytes(), out));
    out.column("notes", entries, |entry, out| {
        out.push(b'[');
        out.extend_from_slice(&entry.notes);
        out.push(b']');
    });
    out.column("related", entries, |entry, out| {
        let mut all: Vec<Relation> = entry.related.to_vec();
        all.extend(held.later(entry).iter().map(|(_, one)| *one));
        list(&all, out, relation);
    });
    out.put("}");
    out.finish()
}

/// Returns whether nothing in the whole capture answers the message, and whether nothing acknowledges it, if it waits.
pub fn waits(entry: &Entry, context: &Context<'_>) -> [bool; 2] {
    match entry.own {
        Target { frame: 1.., index: 1.. } if context.about.cut.is_none() => context.waiting.expected(entry.own),
        _ => [false; 2],
    }
}

/// Writes `[kind,frame,index,nanoseconds]`.
fn relation(one: &Relation, out: &mut Vec<u8>) {
    out.push(b'[');
    number(one.kind as u64, out);
    out.push(b',');
    number(one.target.frame, out);
    out.push(b',');
    number(one.target.index.into(), out);
    out.push(b',');
    match one.after {
        Some(after) => out.extend_from_slice(itoa::Buffer::new().format(after).as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    out.push(b']');
}

fn number(number: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn list<T>(items: &[T], out: &mut Vec<u8>, mut write: impl FnMut(&T, &mut Vec<u8>)) {
    out.push(b'[');
    for (k, item) in items.iter().enumerate() {
        out.extend_from_slice(if k > 0 { b"," } else { b"" });
        write(item, out);
    }
    out.push(b']');
}

/// JSON that is deflated as it grows.
struct Deflating {
    json: Vec<u8>,
    to: DeflateEncoder<Vec<u8>>,
}

impl Deflating {
    fn new() -> Deflating {
        Deflating { json: Vec::new(), to: DeflateEncoder::new(Vec::new(), Compression::default()) }
    }

    fn put(&mut self, text: &str) {
        self.json.extend_from_slice(text.as_bytes());
    }

    fn column<T>(&mut self, name: &str, items: &[T], mut write: impl FnMut(&T, &mut Vec<u8>)) {
        self.put(&format!(",\"{name}\":["));
        for (k, item) in items.iter().enumerate() {
            self.put(if k > 0 { "," } else { "" });
            write(item, &mut self.json);
            self.block();
        }
        self.put("]");
    }

    fn numbers(&mut self, name: &str, entries: &[&Entry], mut of: impl FnMut(&Entry) -> i128) {
        self.column(name, entries, |entry, out| {
            out.extend_from_slice(itoa::Buffer::new().format(of(entry)).as_bytes());
        });
    }

    /// Deflates the pending text if it fills a block.
    fn block(&mut self) {
        if self.json.len() >= BLOCK {
            self.flush();
        }
    }

    fn flush(&mut self) {
        // Writing to memory cannot fail.
        let _ = self.to.write_all(&self.json);
        self.json.clear();
    }

    fn finish(mut self) -> Vec<u8> {
        self.flush();
        self.to.finish().unwrap_or_default()
    }
}
