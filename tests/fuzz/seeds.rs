//! The seeds of fuzzing and of the mutations in `../hostile.rs`: the fixtures, in the form that `harness.rs` takes.

use netkit::capture::{Body, Capture, Decoded, Input, Packets};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

/// The files of a folder with this extension, in order.
fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(fixtures().join(folder)).expect("a folder of fixtures");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("an entry").path()).collect();
    files.retain(|p| p.to_string_lossy().ends_with(ending));
    files.sort();
    files
}

fn read(path: &Path) -> Vec<u8> {
    std::fs::read(path).expect("a fixture")
}

const PROTOCOLS: [&str; 5] = ["riptide", "dnp", "nano", "gne", "acknex"];

/// All captures, the smaller ones first.
pub fn captures() -> Vec<Vec<u8>> {
    let folders = PROTOCOLS.iter().chain(&["capture", "foreign"]);
    let mut all: Vec<_> = folders.flat_map(|f| files(f, ".pcap")).map(|p| read(&p)).collect();
    all.sort_by_key(Vec::len);
    all
}

/// The conversations of a protocol's captures for `harness::conversation`, each cut to some kilobytes.
pub fn conversations(proto: &str, tcp: bool) -> Vec<Vec<u8>> {
    let mut all = talks(&files(proto, ".pcap"), tcp);
    all.extend(vectors(proto).into_iter().map(|bytes| {
        let mut records = vec![0, 2 * tcp as u8];
        records.extend((bytes.len() as u16).to_le_bytes());
        records.extend(bytes);
        records
    }));
    all
}

/// The captures of described protocols for `harness::described`.
pub fn described() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    // In the order of `harness::DESCRIBED`.
    let names = [
        ("a2s", false),
        ("enet", false),
        ("kcp", false),
        ("luanti", false),
        ("raknet", false),
        ("io", true),
        ("minecraft", true),
        ("mqtt", true),
    ];
    for (place, (name, tcp)) in names.into_iter().enumerate() {
        let mut captures = files("described", ".pcap");
        captures.retain(|path| path.file_name().is_some_and(|file| file.to_string_lossy().starts_with(name)));
        for mut records in talks(&captures, tcp) {
            records[0] = place as u8;
            all.push(records);
        }
    }
    all
}

/// The protocol files, those with mistakes, and some followed by a packet.
pub fn protocol_files() -> Vec<Vec<u8>> {
    let mut all: Vec<Vec<u8>> = files("mistakes", ".toml").iter().map(|p| read(p)).collect();
    for path in files("protocols", ".toml") {
        let text = read(&path);
        all.push([&text[..], &[0, 0x80, 0, 1, 2, 3, 4, 5, 6, 7]].concat());
        all.push(text);
    }
    all
}

/// The conversations of captures, each cut to some kilobytes.
fn talks(captures: &[PathBuf], tcp: bool) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for path in captures {
        let file = Box::new(std::io::Cursor::new(read(path)));
        let mut packets = Packets::new(Capture::new(Input::new(file).expect("bytes")).expect("a capture"));
        let mut talks: BTreeMap<_, (_, Vec<u8>)> = BTreeMap::new();
        while let Ok(Some(item)) = packets.next() {
            let Decoded::Packet(packet) = item.decoded else { continue };
            let (payload, begins, ends) = match (&packet.body, tcp) {
                (Body::Udp { payload, .. }, false) => (*payload, false, false),
                (Body::Tcp(segment), true) => (segment.payload, segment.syn, segment.fin),
                _ => continue,
            };
            let key = (packet.src.min(packet.dst), packet.src.max(packet.dst));
            let (client, records) = talks.entry(key).or_insert_with(|| (packet.src, vec![0]));
            let flags = (packet.src != *client) as u8 | (begins as u8) << 1 | (ends as u8) << 3;
            if records.len() < 3000 && (flags > 1 || !payload.is_empty()) {
                records.push(flags);
                records.extend((payload.len() as u16).to_le_bytes());
                records.extend(payload);
            }
        }
        all.extend(talks.into_values().map(|(_, records)| records).filter(|r| r.len() > 4));
    }
    all
}

/// The messages of a protocol's `vectors.json`.
pub fn vectors(proto: &str) -> Vec<Vec<u8>> {
    let text = read(&fixtures().join(proto).join("vectors.json"));
    let rows: serde_json::Value = netkit::encode::json(&text).expect("JSON");
    let hex = |row: &serde_json::Value| {
        let text: String = row["hex"].as_str().unwrap_or("").split_whitespace().collect();
        (0..text.len() / 2).filter_map(|k| u8::from_str_radix(text.get(2 * k..2 * k + 2)?, 16).ok()).collect()
    };
    rows.as_array().expect("a list").iter().map(hex).filter(|b: &Vec<u8>| b.len() < 65536).collect()
}

/// Hex text in every form.
pub fn hex_texts() -> Vec<Vec<u8>> {
    files("hex", ".txt").iter().map(|p| read(p)).collect()
}

/// The schemas, some followed by a message.
pub fn schemas() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for path in files("schemas", ".toml") {
        let text = read(&path);
        // `gne-hello.toml`: one of several schemas of a protocol.
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let proto = name.split('-').next().unwrap_or_default();
        for message in vectors(proto).into_iter().step_by(40) {
            all.push([&text[..], &[0], &message].concat());
        }
        all.push(text);
    }
    all
}

/// JSON lines of every protocol.
pub fn lines() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for path in PROTOCOLS.iter().flat_map(|f| files(f, ".expected.ndjson")) {
        let text = read(&path);
        let mut lines = text.split_inclusive(|&b| b == b'\n').filter(|l| l.len() < 4096).peekable();
        while lines.peek().is_some() {
            let block: Vec<&[u8]> = lines.by_ref().take(4).collect();
            all.push(block.concat());
            // A few lines of each file: they are much alike.
            lines.by_ref().take(60).for_each(drop);
        }
    }
    all
}

/// Filters as people write them.
pub fn filters() -> Vec<Vec<u8>> {
    let texts = [
        "riptide.message_id == 7 && payload.position.x > 100",
        "message in {reliable, ack} and not has fault",
        "proto == dnp and from == server or note == duplicate",
        "frame >= 100 and flow == 3",
        "nano.route contains \"chat\" or route ~ \"^area\\\\.\"",
        "!(length < 10 || version == 2.0) and time > 1.5",
        "gne and not (gne.data or gne.ping)",
    ];
    texts.iter().map(|t| t.as_bytes().to_vec()).collect()
}

/// The seeds of a fuzz target.
pub fn of(target: &str) -> Vec<Vec<u8>> {
    match target {
        "capture" => captures().into_iter().filter(|c| c.len() < 40_000).collect(),
        "hex_text" => hex_texts(),
        "schema" => schemas(),
        "described" => described(),
        "protocol_file" => protocol_files(),
        "encode" => lines(),
        "filter" => filters(),
        "riptide_udp" | "gne_udp" => conversations(target.trim_end_matches("_udp"), false),
        "riptide_tcp" | "gne_tcp" => conversations(target.trim_end_matches("_tcp"), true),
        "nano" => conversations(target, true),
        _ => conversations(target, false),
    }
}
