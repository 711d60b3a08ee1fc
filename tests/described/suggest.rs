//! `netkit check --suggest`: what it finds in captures whose protocols are known from other descriptions.

use std::path::Path;

/// The output, the messages and the status of a command.
fn run(args: &[&str]) -> (String, String, Option<i32>) {
    let done = super::run(args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (text(done.stdout), text(done.stderr), done.status.code())
}

/// A capture and what its suggestion has to have: lines, in their order, by their beginnings. The offsets follow from
/// the fields before them.
const FOUND: [(&str, &[&str]); 10] = [
    // ff ff ff ff, or fe ff ff ff of parts, and then the type.
    ("a2s", &["bytes_0 = { type = \"u8\"", "bytes_1 = { type = \"bytes[3]\"", "kind = { type = \"u8\""]),
    ("coap", &["seq = { type = \"u16be\""]),
    (
        // A flag in the first byte says whether a time precedes the commands.
        "enet-loss",
        &[
            "kind = { type = \"u8\"",
            "name = \"kind_0\"",
            "bytes_1 = { type = \"u8\"",
            "kind_2 = { type = \"u8\"",
            "name = \"kind_0_7\"",
            "bytes_3 = { type = \"bytes[5]\"",
            "length = { type = \"u16be\"",
            "name = \"kind_128\"",
            "bytes_1 = { type = \"u8\"",
            "time = { type = \"u16be\"",
            "bytes_4 = { type = \"u8\"",
            "kind_2 = { type = \"u8\"",
            "seq = { type = \"u16be\"",
        ],
    ),
    (
        "io-tcp",
        &["frame = { length = \"u32be\" }", "kind = { type = \"u8\"", "name = \"kind_3\"", "seq = { type = \"u16le\""],
    ),
    (
        "kcp",
        &[
            "magic = { type = \"bytes[4]\"",
            "kind = { type = \"u8\"",
            "bytes_5 = { type = \"bytes[2]\"",
            "bytes_7 = { type = \"u8\"",
            "time = { type = \"u32le\"",
            "seq = { type = \"u32le\"",
            "seq_2 = { type = \"u32le\"",
            "name = \"kind_81\"",
            "length = { type = \"u32le\"",
        ],
    ),
    (
        "laminar",
        &[
            "magic = { type = \"bytes[2]\", value = \"5409\"",
            "kind = { type = \"u8\"",
            "name = \"kind_0\"",
            "kind_2 = { type = \"u8\"",
            "name = \"kind_0_1\"",
            "bytes_4 = { type = \"u8\"",
            "seq = { type = \"u16be\"",
            "ack = { type = \"u16be\"",
        ],
    ),
    (
        "luanti",
        &[
            "magic = { type = \"bytes[5]\", value = \"4f457403",
            "bytes_5 = { type = \"bytes[2]\"",
            "kind = { type = \"u8\"",
            "name = \"kind_3\"",
            "seq = { type = \"u16be\"",
        ],
    ),
    ("minecraft-login", &["frame = { length = \"varint32\" }"]),
    (
        "mqtt",
        &["frame = { length = \"varint32\", header = \"u8\" }", "first = { type = \"u8\", bits = { kind = \"7..4\""],
    ),
    ("quake3", &["magic = { type = \"bytes[4]\", value = \"ffffffff\""]),
];

/// The suggestion for each capture loads, and explains and gives back all of its packets.
#[test]
fn suggestions_explain_their_captures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/described");
    let names = ["enet", "dns", "raknet", "stun"].map(|name| (name, &[][..]));
    for (name, wanted) in FOUND.into_iter().chain(names) {
        let capture = folder.join(format!("{name}.pcap"));
        let capture = capture.to_str().unwrap();
        let (text, reported, status) = run(&["check", "--suggest", capture]);
        assert_eq!((reported.as_str(), status), ("", Some(0)), "{name}");
        let mut lines = text.lines();
        for line in wanted {
            assert!(lines.any(|found| found.starts_with(line)), "{name}: no {line} in its place in\n{text}");
        }
        let file = std::env::temp_dir().join(format!("netkit-suggested-{}-{name}.toml", std::process::id()));
        std::fs::write(&file, &text).unwrap();
        let (report, reported, status) =
            run(&["check", file.to_str().unwrap(), capture, "-p", "unknown", "-f", "json"]);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(status, Some(0), "{name}: {report}{reported}");
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let explained = &report["captures"][0]["explained"];
        assert_eq!(explained["packets"]["percent"], 100.0, "{name}: {report:#}");
    }
}

/// A capture that cannot be described ends with the reason.
#[test]
fn nothing_to_suggest() {
    let (text, reported, status) = run(&["check", "--suggest", "fixtures/gne/gne-le-tcponly.pcap"]);
    assert_eq!((text.as_str(), status), ("", Some(1)));
    assert!(reported.contains("no length leads through them"), "{reported}");
    let (text, reported, status) =
        run(&["check", "--suggest", "fixtures/described/a2s.pcap", "--server", "127.0.0.1:9"]);
    assert_eq!(
        (text.as_str(), reported.as_str(), status),
        ("", "netkit: no UDP or TCP payload to describe\n", Some(1))
    );
}

/// Of a damaged capture, the part before the damage is described.
#[test]
fn a_cut_capture() {
    let bytes = std::fs::read("fixtures/described/luanti.pcap").unwrap();
    let file = std::env::temp_dir().join(format!("netkit-suggested-cut-{}.pcap", std::process::id()));
    std::fs::write(&file, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let (text, reported, status) = run(&["check", "--suggest", file.to_str().unwrap()]);
    std::fs::remove_file(&file).unwrap();
    assert_eq!(status, Some(3), "{reported}");
    assert!(text.contains("\nkind = { type = \"u8\"") && !reported.is_empty(), "{text}{reported}");
}
