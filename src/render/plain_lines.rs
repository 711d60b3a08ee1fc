//! Tests that plain messages, which are written straight into a line of fixed size, have the same lines
//! as by the general way: all captures of the fixtures, whole and with random damage, with the schemas
//! of the fixtures and without. Notes, faults, unparsed bytes and derived values are among them.
#![cfg(test)]

use super::envelope;
use super::envelope_cache::EnvelopeCache;
use super::files::{FileNames, Files};
use super::ndjson::Ndjson;
use super::output::Output;
use crate::capture::{Capture, Decoded, Input, Packets, PcapWriter};
use crate::codec::json::fields::Walks;
use crate::codec::json::fixed_line::FixedLine;
use crate::codec::json::flat;
use crate::codec::schema::Schemas;
use crate::dissect::{Inspector, Message, Options, Sink};
use crate::flow::{Caps, Table};
use crate::protocols;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compares both ways.
struct Both {
    /// One for all messages, so that what it keeps from line to line is tested, too.
    lines: [Ndjson; 3],
    files: Files,
    fixed: FixedLine,
    output: Output,
    messages: usize,
    plain: usize,
    /// Plain ones with something behind their fields.
    with_tail: usize,
    faults: usize,
}

/// A line by the general way, with nothing kept from other lines.
fn general(message: &Message<'_>, bytes: bool, files: Option<&Files>) -> Vec<u8> {
    let (mut out, mut cache, mut walks) = (Vec::new(), EnvelopeCache::default(), Walks::default());
    cache.files = files.map(FileNames::new);
    envelope::head(message, &mut cache, envelope::OBJECT, &mut out);
    walks.fields(&message.dissection.tree, message.sources(), &mut out);
    envelope::tail(message, bytes, &mut walks, &mut out);
    out.extend_from_slice(b"}\n");
    out
}

impl Sink for Both {
    fn message(&mut self, message: &Message<'_>) {
        let files = [None, None, Some(&self.files)];
        for (lines, (bytes, files)) in self.lines.iter_mut().zip([false, true, false].into_iter().zip(files)) {
            let mut line = Vec::new();
            lines.message(message, &mut line);
            let (line, general) = (String::from_utf8_lossy(&line), general(message, bytes, files));
            assert_eq!(line, String::from_utf8_lossy(&general));
            lines.print(message, &mut self.output);
            assert_eq!(line, String::from_utf8_lossy(&std::mem::take(self.output.buffer())));
        }
        let mut line = self.fixed.begin();
        let is_plain = line.whole(|line| {
            envelope::plain_head(message, &mut EnvelopeCache::default(), envelope::OBJECT, line)?;
            flat::fields(&message.dissection.tree, message.sources(), line)
        });
        self.messages += 1;
        self.plain += is_plain as usize;
        self.with_tail += (is_plain && envelope::has_tail(message)) as usize;
        self.faults += message.dissection.fault.is_some() as usize;
    }
}

impl Both {
    fn read(&mut self, capture: Vec<u8>, options: &Options) {
        let mut packets = Packets::open(Box::new(Cursor::new(capture))).expect("a capture");
        let mut table = Table::new(Caps::default());
        let mut inspector = Inspector::new(options, self);
        // A damaged or cut capture ends early.
        while let Ok(Some(item)) = packets.next() {
            if let Decoded::Packet(packet) = &item.decoded {
                table.packet(packet, &mut inspector);
            }
        }
        table.finish(&mut inspector);
    }
}

fn captures(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path());
    let mut files: Vec<_> = files.filter(|path| path.extension().is_some_and(|e| e == "pcap")).collect();
    files.sort();
    files
}

/// The capture with some bytes of each third frame changed, behind the headers.
fn damaged(capture: &[u8], random: &mut impl FnMut(usize) -> usize) -> Vec<u8> {
    let input = Input::new(Box::new(Cursor::new(capture.to_vec()))).expect("an input");
    let mut capture = Capture::new(input).expect("a capture");
    let mut frames = Vec::new();
    while let Ok(Some(frame)) = capture.next() {
        let mut bytes = frame.data.to_vec();
        if random(3) == 0 && bytes.len() > 44 {
            for _ in 0..=random(3) {
                let at = 42 + random(bytes.len() - 42);
                bytes[at] = random(256) as u8;
            }
        }
        frames.push((frame.link, frame.time, bytes));
    }
    let mut out = Vec::new();
    let link = frames.first().expect("a frame").0;
    let mut writer = PcapWriter::new(&mut out, link, 6).expect("a header");
    frames.iter().for_each(|(_, time, bytes)| writer.frame(*time, bytes).expect("a frame"));
    out
}

#[test]
fn both_ways_are_equal_over_all_captures_and_damage() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 20) as usize % below
    };
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let files = Files::default();
    files.begin(0, "first.pcap");
    files.begin(20, "second.pcap");
    let lines = [Ndjson::new(false), Ndjson::new(true), Ndjson::new(false).files(Some(&files))];
    let (fixed, output) = (FixedLine::default(), Output::new(Box::new(std::io::sink())));
    let mut both = Both { lines, files, fixed, output, messages: 0, plain: 0, with_tail: 0, faults: 0 };
    for proto in ["riptide", "dnp", "nano", "gne", "acknex"] {
        let mut schemas = Schemas::default();
        if let Ok(text) = std::fs::read_to_string(fixtures.join(format!("schemas/{proto}.toml"))) {
            let encodings = |name: &str| protocols::by_name(name).map(|dissector| dissector.encodings());
            schemas.add("fixture", &text, &encodings).expect("a schema");
        }
        let plain = Options { proto: Some(proto.into()), ..protocols::options() };
        let with_schemas = Options { schemas: Arc::new(schemas), ..plain.clone() };
        for path in captures(&fixtures.join(proto)) {
            let capture = std::fs::read(&path).expect("a file");
            both.read(capture.clone(), &plain);
            for _ in 0..3 {
                both.read(damaged(&capture, &mut random), &with_schemas);
            }
        }
    }
    // Packets with headers, several messages in one, wholes and groups in headers.
    for (name, capture) in [("enet", "enet"), ("enet", "enet-loss"), ("kcp", "kcp"), ("raknet", "raknet")] {
        let path = fixtures.join(format!("protocols/{name}.toml"));
        let text = std::fs::read_to_string(&path).expect("a file");
        let described = protocols::described::load(name, &text).expect("a protocol");
        let plain = protocols::options();
        let options = Options { proto: Some(name.into()), registry: plain.registry.with(described), ..plain };
        let capture = std::fs::read(fixtures.join(format!("described/{capture}.pcap"))).expect("a file");
        let before = both.plain;
        both.read(capture.clone(), &options);
        assert!(both.plain > before, "{name}: no line is plain");
        for _ in 0..3 {
            both.read(damaged(&capture, &mut random), &options);
        }
    }
    // Each kind was there, or the comparison would say nothing.
    assert!(both.messages > 10_000, "{}", both.messages);
    assert!(both.plain > both.messages / 5 && both.plain < both.messages, "{} plain", both.plain);
    assert!(both.with_tail > 100 && both.faults > 100, "{} with a tail, {} faults", both.with_tail, both.faults);
}
