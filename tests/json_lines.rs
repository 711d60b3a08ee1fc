//! The keys of JSON lines have one order in all commands.

use crate::common::run;

/// The contract's order.
const ORDER: [&str; 22] = [
    "file",
    "file_frame",
    "frame",
    "frames",
    "time",
    "flow",
    "proto",
    "version",
    "from",
    "transport",
    "src",
    "dst",
    "message",
    "length",
    "packet",
    "fields",
    "derived",
    "related",
    "notes",
    "fault",
    "bytes",
    "edited",
];

/// The keys of a JSON object in their order, without those of inner objects.
fn keys(line: &str) -> Vec<String> {
    let (mut keys, mut depth, mut chars) = (Vec::new(), 0, line.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            '"' => {
                let mut text = String::new();
                while let Some(c) = chars.next() {
                    match c {
                        '\\' => text.extend(chars.next()),
                        '"' => break,
                        c => text.push(c),
                    }
                }
                if depth == 1 && chars.peek() == Some(&':') {
                    keys.push(text);
                }
            }
            _ => {}
        }
    }
    keys
}

#[test]
fn keys_are_in_one_order() {
    assert_eq!(keys(r#"{"a":{"x":[1]},"b":"c\":","d":1}"#), ["a", "b", "d"]);
    let (riptide, gne) = ("fixtures/riptide/edge22-udp.pcap", "fixtures/gne/gne-edge.pcap");
    let hex = "fixtures/hex/tcpdump-x.txt";
    let mut seen = std::collections::BTreeSet::new();
    for args in [
        &["decode", riptide, "-p", "riptide", "-f", "ndjson", "--bytes"][..],
        &["decode", riptide, "-p", "riptide", "-f", "json", "--bytes"],
        &["decode", gne, "-f", "ndjson", "--bytes"],
        &["decode", "fixtures/nano/nano-tcp-bad.pcap", "-f", "ndjson"],
        &["decode", "fixtures/dnp/dnp-states.pcap", "-f", "ndjson"],
        &["dump", hex, "-f", "ndjson", "--bytes"],
        &["dump", hex, "-f", "json"],
        &["stats", riptide, "-p", "riptide", "-f", "ndjson"],
        &["stats", riptide, "-p", "riptide", "--by", "flow", "-f", "ndjson"],
        &["stats", riptide, "-p", "riptide", "--delivery", "-f", "ndjson"],
        &["stats", riptide, "-p", "riptide", "--track", "riptide.message_id", "-f", "ndjson"],
        &["replay", riptide, "-p", "riptide", "--list", "-f", "ndjson"],
        &["replay", riptide, "-p", "riptide", "--flow", "1", "--dry-run", "-f", "ndjson"],
        &["replay", riptide, "-p", "riptide", "--flow", "1", "--to", "127.0.0.1:9", "-W", "100ms", "-f", "ndjson"],
        &["probe", "127.0.0.1:9", "-p", "riptide", "-W", "100ms", "-f", "ndjson"],
    ] {
        let done = run(&[args, &["-q"]].concat(), b"");
        let lines: Vec<&str> = done.text().lines().filter(|line| line.trim_start().starts_with('{')).collect();
        assert!(!lines.is_empty(), "{args:?}: {}", done.err);
        for line in lines {
            let places: Vec<usize> = keys(line).iter().filter_map(|key| ORDER.iter().position(|o| o == key)).collect();
            assert!(places.is_sorted(), "{args:?}: {line}");
            seen.extend(places);
        }
    }
    // These keys occurred in the test.
    for key in ["frame", "time", "flow", "proto", "from", "message", "fields", "derived", "notes", "fault", "bytes"] {
        assert!(seen.iter().any(|at| ORDER[*at] == key), "{key}");
    }
}
