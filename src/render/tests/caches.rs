//! Tests that the printers' caches change no line. They read all captures of the fixtures, whole and with random
//! damage, with the schemas of the fixtures and without.

use super::super::columns::{Columns, Lines};
use super::super::files::Files;
use super::super::ndjson::Ndjson;
use super::super::style::Style;
use crate::capture::{Capture, Decoded, Input, Packets, PcapWriter};
use crate::codec::schema::Schemas;
use crate::dissect::{Inspector, Message, Options, Sink};
use crate::flow::{Caps, Table};
use crate::protocols;
use crate::random::Random;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Compares printers that print all messages with new ones for each message.
struct Both {
    lines: [Ndjson; 3],
    /// With a cache, and without.
    rows: [Lines; 2],
    files: Files,
    messages: usize,
    faults: usize,
}

impl Sink for Both {
    fn message(&mut self, message: &Message<'_>) {
        let files = [None, None, Some(&self.files)];
        for (lines, (bytes, files)) in self.lines.iter_mut().zip([false, true, false].into_iter().zip(files)) {
            let text = |lines: &mut Ndjson| {
                let mut line = Vec::new();
                lines.message(message, &mut line);
                String::from_utf8(line).expect("text")
            };
            let line = text(lines);
            assert_eq!(line, text(&mut Ndjson::new(bytes).files(files)));
            assert!(serde_json::from_str::<Box<serde_json::value::RawValue>>(&line).is_ok(), "{line}");
        }
        let rows = self.rows.each_mut().map(|rows| {
            let mut row = Vec::new();
            rows.row(message, b',', &mut row);
            String::from_utf8(row).expect("text")
        });
        assert_eq!(rows[0], rows[1]);
        self.messages += 1;
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

/// Returns the capture with some bytes of a third of the frames changed, after the headers.
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
fn nothing_kept_changes_a_line() {
    let mut numbers = Random::of(1, &[]);
    let mut random = move |below: usize| (numbers.bits() >> 20) as usize % below;
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let files = Files::default();
    files.begin(0, "first.pcap");
    files.begin(20, "second.pcap");
    let lines = [Ndjson::new(false), Ndjson::new(true), Ndjson::new(false).files(Some(&files))];
    let columns = Columns::usual_of_packets();
    let rows = [Lines::new(columns.clone(), Style::default(), None), Lines::alone(columns)];
    let mut both = Both { lines, rows, files, messages: 0, faults: 0 };
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
    // Packets with headers, with several messages, with whole messages and groups in headers.
    for (name, capture) in [("enet", "enet"), ("enet", "enet-loss"), ("kcp", "kcp"), ("raknet", "raknet")] {
        let path = fixtures.join(format!("protocols/{name}.toml"));
        let text = std::fs::read_to_string(&path).expect("a file");
        let described = protocols::described::load(name, &text).expect("a protocol");
        let plain = protocols::options();
        let options = Options { proto: Some(name.into()), registry: plain.registry.with(described), ..plain };
        let capture = std::fs::read(fixtures.join(format!("described/{capture}.pcap"))).expect("a file");
        let before = both.messages;
        both.read(capture.clone(), &options);
        assert!(both.messages > before, "{name}: no message");
        for _ in 0..3 {
            both.read(damaged(&capture, &mut random), &options);
        }
    }
    // Every kind was present; otherwise the comparison would be empty.
    assert!(both.messages > 10_000, "{}", both.messages);
    assert!(both.faults > 100, "{} faults", both.faults);
}
