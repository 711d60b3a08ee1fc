//! Structs that contain themselves.

use crate::described::words::{encoded, fields, read};
use netkit::protocols::described::load;
use serde_json::{Value as Json, json};

const HEAD: &str = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n";

/// A tree of numbers with a mark, in lists with a count.
const TREE: &str = "mark = \"u8\"\nnode = \"node\"\n[struct.node]\nhas = { type = \"u8\", value = 1, optional = true }\n\
    n = { type = \"u8\", if = \"has\" }\ninner = { type = \"node[u8]\", if = \"mark < 99\" }\nlast = { type = \"u8\", if = \"mark == 7\" }\n";

#[test]
fn names_are_those_of_the_own_level_or_outside_of_all() {
    let file = format!("{HEAD}{TREE}");
    assert_eq!(
        fields(&file, b"\x09\x01\x2a\x02\x00\x01\x2b\x01\x00"),
        json!({"mark": 9, "node": {"n": 42, "inner": [{"inner": []}, {"n": 43, "inner": [{"inner": []}]}]}})
    );
    // The mark is before the outermost level.
    assert_eq!(
        fields(&file, b"\x07\x01\x2a\x01\x00\x05\x06"),
        json!({"mark": 7, "node": {"n": 42, "inner": [{"inner": [], "last": 5}], "last": 6}})
    );
    let written = encoded(&file, &json!({"mark": 0, "node": {"inner": [{"n": 3, "inner": [{"inner": []}]}]}}));
    assert_eq!(written.unwrap(), b"\0\x01\x01\x03\x01\0");
}

#[test]
fn lengths_of_each_level_are_derived() {
    let file = format!(
        "{HEAD}node = \"node\"\n[struct.node]\nlength = {{ type = \"text\", until = \":\", number = {{ text = \"dec\" }}, hidden = true }}\n\
         name = {{ type = \"text\", size = \"length\" }}\ninner = {{ type = \"node[*]\", size = \"u16\" }}\n"
    );
    let packet = b"3:abc\0\x14\x31\x30:0123456789\0\0" as &[u8];
    let packet = [&packet[..6], b"\x0f", &packet[7..]].concat();
    assert_eq!(
        fields(&file, &packet),
        json!({"node": {"name": "abc", "inner": [{"name": "0123456789", "inner": []}]}})
    );
}

/// A packet of `count` levels, each in the one before it.
fn levels(count: usize) -> Vec<u8> {
    [vec![1; count - 1], vec![0]].concat()
}

#[test]
fn levels_are_bounded() {
    let file = format!(
        "{HEAD}node = \"node\"\n[struct.node]\nmore = {{ type = \"u8\" }}\nnode = {{ type = \"node\", if = \"more\" }}\n"
    );
    assert!(read(&file, &levels(16))[0].get("fault").is_none());
    for count in [17, 18, 1000, 60_000] {
        let line = &read(&file, &levels(count))[0];
        let why = line["fault"]["text"].as_str().unwrap();
        assert!(why.contains("nested too deeply") && why.contains("16 levels"), "{line}");
    }
    let nested = |count: usize| (1..count).fold(json!({"more": 0}), |inner, _| json!({"more": 1, "node": inner}));
    assert_eq!(encoded(&file, &json!({"node": nested(16)})).unwrap(), levels(16));
    let why = encoded(&file, &json!({"node": nested(17)})).unwrap_err();
    assert!(why.contains("at most 16 levels"), "{why}");
    // A level after a broken one: the next packet starts anew.
    assert!(read(&file, &levels(16))[0].get("fault").is_none());
}

#[test]
fn a_count_alone_makes_no_levels() {
    // Each level has two without a byte of their own, as long as there is a mark outside.
    let file = format!(
        "{HEAD}mark = \"u8\"\nnode = \"node\"\n[struct.node]\na = {{ type = \"node\", if = \"mark\" }}\n\
         b = {{ type = \"node\", if = \"mark\" }}\nlist = \"node[mark]\"\n"
    );
    let line = &read(&file, b"\xff")[0];
    assert!(line["fault"]["text"].as_str().unwrap().contains("nested too deeply"), "{line}");
}

#[test]
fn rings_through_other_structs() {
    let file = format!(
        "{HEAD}v = \"value\"\n[struct.value]\nkind = \"u8\"\nn = {{ type = \"u16\", if = \"kind == 0\" }}\n\
         list = {{ type = \"value[u8]\", if = \"kind == 1\" }}\npairs = {{ type = \"pair[u8]\", if = \"kind == 2\" }}\n\
         [struct.pair]\nkey = \"string8\"\nvalue = \"value\"\n"
    );
    let packet = b"\x02\x02\x01a\0\0\x07\x01b\x01\x01\x02\x01\x01c\x01\0";
    let wanted: Json = json!({"v": {"kind": 2, "pairs": [
        {"key": "a", "value": {"kind": 0, "n": 7}},
        {"key": "b", "value": {"kind": 1, "list": [{"kind": 2, "pairs": [{"key": "c", "value": {"kind": 1, "list": []}}]}]}},
    ]}});
    assert_eq!(fields(&file, packet), wanted);
    assert_eq!(encoded(&file, &wanted).unwrap(), packet);
}

/// A name from around the inner ring is that of the nearest level of the outer one, however many names that has.
#[test]
fn rings_in_rings() {
    let file = format!(
        "{HEAD}a = \"a\"\n[struct.a]\nmore = \"u8\"\nx = {{ type = \"u8\", value = 238, optional = true }}\n\
         n = {{ type = \"u8\", if = \"x\" }}\nb = {{ type = \"b\", if = \"more\" }}\n[struct.b]\n\
         z = {{ type = \"u8\", if = \"x\" }}\nb = {{ type = \"b[u8]\", if = \"more < 99\" }}\na = {{ type = \"a[u8]\", if = \"more < 99\" }}\n"
    );
    // The outer a has no x, the inner one has; its b, and the b in that, have z.
    let packet = b"\x09\0\x01\x09\xee\x2a\x05\x01\x06\0\0\0";
    let wanted = json!({"a": {"more": 9, "b": {"b": [], "a": [
        {"more": 9, "n": 42, "b": {"z": 5, "b": [{"z": 6, "b": [], "a": []}], "a": []}},
    ]}}});
    assert_eq!(fields(&file, packet), wanted);
    // The other way round.
    let packet = b"\x09\xee\x2a\x05\0\x01\x09\x01\0\0\0";
    let wanted = json!({"a": {"more": 9, "n": 42, "b": {"z": 5, "b": [], "a": [
        {"more": 9, "b": {"b": [{"b": [], "a": []}], "a": []}},
    ]}}});
    assert_eq!(fields(&file, packet), wanted);
}

#[test]
fn a_ring_that_nothing_ends_is_refused() {
    let node = |fields: &str| {
        format!("{HEAD}node = \"node\"\n[struct.node]\nx = \"u8\"\n{fields}\n[struct.other]\nnode = \"node\"\n")
    };
    for (fields, why) in [
        ("node = \"node\"", "nothing ends that"),
        ("nodes = \"node[3]\"", "nothing ends that"),
        ("nodes = \"node[u8]\"", "nothing ends that"),
        ("other = \"other\"", "nothing ends that"),
        ("nodes = { type = \"node[*]\", while = \"node.x\" }", "nothing ends that"),
        ("node = { type = \"node\", if = \"x\", inline = true }", "cannot be inline"),
        ("nodes = \"node[*]\"", "nothing in it can take everything up to the end"),
        ("node = { type = \"node\", if = \"x\" }\nrest = \"text\"", "nothing in it can take everything up to the end"),
    ] {
        let refused = load("test.toml", &node(fields)).expect_err(fields);
        assert!(refused.reason.contains(why), "{fields}: {refused}");
        assert!((4..10).contains(&refused.line), "{fields}: {refused}");
    }
    for fields in
        ["other = { type = \"other\", if = \"x\" }", "nodes = \"node[x]\"", "nodes = { type = \"node[*]\", until = 0 }"]
    {
        assert!(load("test.toml", &node(fields)).is_ok(), "{fields}");
    }
    let inline = format!(
        "{HEAD}n = {{ type = \"node\", inline = true }}\n[struct.node]\nx = \"u8\"\nnode = {{ type = \"node[u8]\", if = \"x\" }}\n"
    );
    assert!(load("test.toml", &inline).unwrap_err().reason.contains("cannot be inline"));
    let carries = "protocol = \"toy\"\n[packet.fields]\nnode = \"node\"\n[struct.node]\nx = \"u8\"\nm = { type = \"message\", by = \"x\" }\n\
        node = { type = \"node\", if = \"x\" }\n[[message]]\nid = 1\nname = \"one\"\n";
    assert!(load("test.toml", carries).unwrap_err().reason.contains("cannot contain messages"));
}

/// Every command that walks the tables ends.
#[test]
fn tables_that_contain_themselves_are_listed() {
    let file = crate::described::cases::toml("dht");
    let capture = crate::described::cases::pcap("dht");
    for args in [
        &["fields", "dht", "--protocol-file", &file][..],
        &["fields", "dht", "-f", "json", "--protocol-file", &file],
        &["decode", &capture, "-p", &file, "-f", "csv"],
        &["decode", &capture, "-p", &file, "-f", "table"],
        &["decode", &capture, "-p", &file, "-f", "json"],
        &["stats", &capture, "-p", &file, "--by", "entries.value.number"],
        &["diff", &capture, &capture, "-p", &file],
    ] {
        let done = crate::described::run(args);
        assert!(matches!(done.status.code(), Some(0)), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
        assert!(!done.stdout.is_empty(), "{args:?}");
    }
    let done =
        crate::described::run(&["decode", &capture, "-p", &file, "--filter", "entries.value.list.list.nothing == 3"]);
    assert_eq!(done.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&done.stderr).contains("no field \"nothing\""));
}
