//! Messages identified by text, lists with an end mark, conditions with `or`: their fields, and the bytes that encode
//! writes.

use crate::described::words::{fields, plain, read};
use netkit::protocols::described::load;
use serde_json::json;

const COMMANDS: &str = r#"
protocol = "toy"
[packet.fields]
command = { type = "text", until = [" ", "\n"], or_end = true }
body    = { type = "message", by = "command" }
[[message]]
id = "get"
name = "get"
[message.fields]
key = "text"
[[message]]
id = ["set", "put"]
name = "set"
[message.fields]
pairs = "pair[*]"
[struct.pair]
key   = { type = "text", until = "\\" }
value = { type = "text", until = "\\", or_end = true }
"#;

#[test]
fn messages_by_text() {
    let line = &read(COMMANDS, b"get x")[0];
    assert_eq!(
        (&line["message"], &line["packet"], &line["fields"]),
        (&json!("get"), &json!({"command": "get "}), &json!({"key": "x"}))
    );
    let line = &read(COMMANDS, b"put\na\\1\\b\\2")[0];
    assert_eq!(line["message"], "set");
    let pairs = json!({"pairs": [{"key": "a", "value": "1"}, {"key": "b", "value": "2"}]});
    assert_eq!(line["fields"], pairs);
    // The end mark of the last text is shown, because nothing follows it.
    let line = &read(COMMANDS, b"put\na\\1\\")[0];
    assert_eq!(line["fields"], json!({"pairs": [{"key": "a", "value": "1\\"}]}));
    // The text of an unknown message is shown as its id.
    let line = &read(COMMANDS, b"gets x")[0];
    assert_eq!((&line["message"], &line["fields"]), (&json!("unknown"), &json!({"id": "gets ", "data": "78"})));
}

#[test]
fn a_hidden_text_is_that_of_the_message_or_none() {
    let file = "protocol = \"toy\"\n[packet.fields]\nword = { type = \"cstring\", hidden = true }\n\
        body = { type = \"message\", by = \"word\" }\n[[message]]\nid = \"hello\"\nname = \"hello\"\n\
        [message.fields]\nskip = { type = \"text\", until = \";\", hidden = true }\na = \"u8\"\n";
    let line = &read(file, b"hello\0;\x07")[0];
    assert_eq!((&line["message"], line.get("packet"), &line["fields"]), (&json!("hello"), None, &json!({"a": 7})));
    assert_eq!(fields(file, b"hello\0x;\x07"), json!({"skip": "x", "a": 7}));
    let line = &read(file, b"hallo\0;\x07")[0];
    assert_eq!((&line["message"], &line["packet"]), (&json!("unknown"), &json!({"word": "hallo"})));
    // A broken message encodes to the bytes that were there.
    let line = &read(file, b"hello\0;")[0];
    assert_eq!(line["message"], "hello");
}

#[test]
fn names_of_lines_are_free_for_messages() {
    let file = "protocol = \"toy\"\n[packet.fields]\nkind = \"u8\"\nbody = { type = \"message\", by = \"kind\", if = \"kind != 9\" }\n\
        [[message]]\nid = 0\nname = \"packet\"\nfields = { a = \"u8\" }\n[[message]]\nid = 1\nname = \"unknown\"\nfields = { b = \"u8\" }\n\
        [[message]]\nid = 2\nname = \"fragment\"\nfields = { c = \"u8\" }\n";
    for (packet, message, own) in [
        (b"\x00\x05", "packet", json!({"a": 5})),
        (b"\x01\x05", "unknown", json!({"b": 5})),
        (b"\x02\x05", "fragment", json!({"c": 5})),
        (b"\x03\x05", "toy.unknown", json!({"id": 3, "data": "05"})),
    ] {
        let line = &read(file, packet)[0];
        assert_eq!((&line["message"], &line["fields"]), (&json!(message), &own));
    }
    let line = &read(file, b"\x09")[0];
    assert_eq!((&line["message"], &line["fields"]), (&json!("toy.packet"), &json!({"kind": 9})));
}

#[test]
fn lists_up_to_a_character_or_a_mark() {
    let file = "a = { type = \"u8[*]\", until = \"\\n\" }\nb = \"u8\"";
    assert_eq!(plain(file, b"\x01\x02\n\x03"), json!({"a": [1, 2], "b": 3}));
    assert_eq!(plain(file, b"\n\x03"), json!({"a": [], "b": 3}));
    // The mark counts only at the beginning of an element.
    let words = "a = { type = \"u16[*]\", until = 10 }\nb = \"u8\"";
    assert_eq!(plain(words, b"\x01\x0a\x02\x0a\x0a\x03"), json!({"a": [266, 522], "b": 3}));
    // Without the mark the list is broken, and encodes to its bytes.
    plain(words, b"\x01\x0a\x02\x0b");
    plain(file, b"\x01\x02");
}

/// A list whose elements cannot have the end that is given is refused, with the one that they can have.
#[test]
fn the_end_of_a_list_suits_its_elements() {
    let file = |fields: &str| format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}\n");
    for (fields, hint) in [
        ("a = { type = \"u16[*]\", until = \"\\n\" }", "until = 10 ends the list in place of the next u16"),
        ("a = { type = \"string8[*]\", until = \";\" }", "until = 59 ends the list in place of the next string8"),
        ("a = { type = \"cstring[*]\", until = \"\\u0000\" }", "until = 0 ends the list in place"),
        (
            "a = { type = \"s[*]\", until = \"\\n\" }\n[struct.s]\nt = { type = \"text\", until = [\",\", \"\\n\"] }",
            "t ends with this character, too",
        ),
        (
            "a = { type = \"s[*]\", until = 10 }\n[struct.s]\nt = { type = \"text\", until = \",\", or_end = true }",
            "t goes on to the end (or_end): until = \"\\n\" ends both",
        ),
    ] {
        let why = load("test.toml", &file(fields)).unwrap_err().to_string();
        assert!(why.contains("line 4: a: until: ") && why.contains(hint), "{why}");
    }
    for (fields, packet, list) in [
        ("a = { type = \"cstring[*]\", until = 0 }\nz = \"u8\"", &b"x\0yz\0\0\x07"[..], json!(["x", "yz"])),
        ("a = { type = \"u16[*]\", until = 10 }\nz = \"u8\"", b"\x01\x0a\x0a\x07", json!([266])),
    ] {
        assert_eq!(plain(fields, packet), json!({"a": list, "z": 7}));
    }
    let parts = "a = { type = \"s[*]\", until = \"\\n\" }\nz = \"u8\"\n[struct.s]\nt = { type = \"text\", until = \",\", or_end = true }";
    assert_eq!(plain(parts, b"x,y\n\x07"), json!({"a": [{"t": "x"}, {"t": "y"}], "z": 7}));
}

#[test]
fn conditions_with_or_brackets_ranges_and_text() {
    let file = "a = \"u8\"\nt = \"string8\"\nb = { type = \"u8\", if = \"(a == 1 or a in 3..5, 9) and t == 'x and y'\" }\nrest = \"bytes\"";
    assert_eq!(plain(file, b"\x04\x07x and y\x07"), json!({"a": 4, "t": "x and y", "b": 7, "rest": ""}));
    assert_eq!(plain(file, b"\x01\x07x and y\x07"), json!({"a": 1, "t": "x and y", "b": 7, "rest": ""}));
    assert_eq!(plain(file, b"\x02\x07x and y\x07"), json!({"a": 2, "t": "x and y", "rest": "07"}));
    assert_eq!(plain(file, b"\x09\x01z\x07"), json!({"a": 9, "t": "z", "rest": "07"}));
    let not = "a = \"u8\"\nb = { type = \"u8\", if = \"not (a & 1 or a & 2)\" }\nrest = \"bytes\"";
    assert_eq!(plain(not, b"\x04\x07"), json!({"a": 4, "b": 7, "rest": ""}));
    assert_eq!(plain(not, b"\x05\x07"), json!({"a": 5, "rest": "07"}));
}

#[test]
fn lengths_that_count_more_and_padding() {
    // Type, length of both and the value, value: like the options of NTP and RADIUS.
    let option = "t = \"u8\"\nv = { type = \"bytes\", size = { type = \"u8\", plus = 2 } }\nz = \"u8\"";
    assert_eq!(plain(option, b"\x01\x04abz"), json!({"t": 1, "v": "6162", "z": 122}));
    assert_eq!(plain(option, b"\x01\x02z"), json!({"t": 1, "v": "", "z": 122}));
    // A length less than its own size is a fault.
    assert!(plain(option, b"\x01\x01abz")["unparsed"].is_string());
    // A length that counts less than there is.
    let less = "v = { type = \"bytes\", size = { type = \"u8\", plus = -1 } }\nz = \"u8\"";
    assert_eq!(plain(less, b"\x01abz"), json!({"v": "6162", "z": 122}));
    let field = "n = { type = \"u16\", hidden = true }\nv = { type = \"text\", size = { type = \"n\", plus = 4 }, align = 4 }\nz = \"u8\"";
    assert_eq!(plain(field, b"\0\x07abc\0z"), json!({"v": "abc", "z": 122}));
    assert_eq!(plain(field, b"\0\x08abcdz"), json!({"v": "abcd", "z": 122}));
    // Padding that encode would write differently, or that is cut off, is shown.
    assert_eq!(plain(field, b"\0\x06ab\0\x01z"), json!({"v": "ab", "v_padding": "0001", "z": 122}));
    let last = "l = { type = \"u8[u8]\", align = 4 }";
    assert_eq!(plain(last, b"\x02\x07\x08\0"), json!({"l": [7, 8]}));
    assert_eq!(plain(last, b"\x02\x07\x08"), json!({"l": [7, 8], "l_padding": ""}));
    // The character that ends a list counts.
    let ended = "l = { type = \"u8[*]\", until = \";\", align = 4 }\nz = \"u8\"";
    assert_eq!(plain(ended, b"AB;\0z"), json!({"l": [65, 66], "z": 122}));
    assert_eq!(plain(ended, b"ABC;z"), json!({"l": [65, 66, 67], "z": 122}));
    let string = "s = { type = \"string8\", align = 2 }\ng = { type = \"g\", align = 4 }\nz = \"u8\"\n[struct.g]\na = \"u8\"\nb = \"cstring\"";
    assert_eq!(plain(string, b"\x01a\0\x05x\0\0z"), json!({"s": "a", "g": {"a": 5, "b": "x"}, "z": 122}));
}

#[test]
fn one_message_for_many_ids() {
    let file = "protocol = \"toy\"\n[enum.kind]\nask = 1\ntell = 2\nshout = 7\n[packet.fields]\nkind = { type = \"u8\", enum = \"kind\", hidden = true }\n\
        body = { type = \"message\", by = \"kind\" }\n[[message]]\nid = [\"ask\", \"2..9\"]\nname = \"{id}\"\nfields = { a = \"u8\" }\n";
    for (packet, message) in [(b"\x01\x05", "ask"), (b"\x02\x05", "tell"), (b"\x07\x05", "shout")] {
        let line = &read(file, packet)[0];
        assert_eq!((&line["message"], &line["fields"], line.get("packet")), (&json!(message), &json!({"a": 5}), None));
    }
    assert_eq!(read(file, b"\x03\x05")[0]["message"], "unknown");
    let texts = "protocol = \"toy\"\n[packet.fields]\nkind = { type = \"cstring\", hidden = true }\n\
        body = { type = \"message\", by = \"kind\" }\n[[message]]\nid = [\"get\", \"put\"]\nname = \"{id}\"\nfields = { a = \"u8\" }\n";
    assert_eq!(read(texts, b"put\0\x05")[0]["message"], "put");
    let why = netkit::protocols::described::load("test.toml", &file.replace("\"ask\"", "3")).unwrap_err();
    assert!(why.reason.contains("3 has no name"), "{why}");
}

/// Encode refuses a value that decode would not read back.
#[test]
fn an_element_does_not_begin_with_the_mark() {
    use netkit::codec::Writer;
    use netkit::dissect::Dissector;
    let file = "protocol = \"toy\"\n[packet.fields]\na = { type = \"u8[*]\", until = 255 }\nb = { type = \"u8[*]\", until = \"\\n\" }\n";
    let toy = netkit::protocols::described::load("test.toml", file).unwrap();
    let table = toy.facts().tables[0].layouts.iter().find(|layout| layout.name == "packet").unwrap();
    let write = |value| Writer::new(&value).write(table.fields).map_err(|why| why.to_string());
    assert_eq!(write(json!({"a": [1], "b": [2]})).unwrap(), b"\x01\xff\x02\n");
    assert!(write(json!({"a": [255], "b": []})).unwrap_err().contains("begins with 0xff"));
    assert!(write(json!({"a": [], "b": [10]})).unwrap_err().contains("0x0a"));
}

/// The length decides which of several fields with one name is present; the given field does not change the length.
#[test]
fn padding_under_one_name() {
    let file = "n = { type = \"u8\", hidden = true }\nv = { type = \"bytes\", size = \"n\" }\n\
        p3 = { name = \"padding\", type = \"bytes[3]\", if = \"n & 1 and not n & 2\" }\n\
        p2 = { name = \"padding\", type = \"bytes[2]\", if = \"not n & 1 and n & 2\" }\n\
        p1 = { name = \"padding\", type = \"bytes[1]\", if = \"n & 1 and n & 2\" }\nz = \"u8\"";
    for (packet, v, padding) in [
        (&b"\x01a\0\0\0z"[..], "61", Some("000000")),
        (b"\x02ab\0\x01z", "6162", Some("0001")),
        (b"\x03abc\0z", "616263", Some("00")),
        (b"\x04abcdz", "61626364", None),
    ] {
        let shown = plain(file, packet);
        assert_eq!((shown["v"].as_str(), shown["padding"].as_str()), (Some(v), padding), "{shown}");
    }
}

/// Every mistake is reported with its line, also if one field has several references.
#[test]
fn all_mistakes_are_reported() {
    let file = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\na = \"u9\"\nb = { type = \"u8\", if = \"a == x\" }\n\
        c = { type = \"u8\", if = \"q\" }\nm = { type = \"message\", by = \"b\" }\n[[message]]\nid = 1\nname = \"one\"\n\
        [message.fields]\nd = \"u7\"\n[[message]]\nid = 2\nname = \"two\"\n[message.fields]\ne = { type = \"u8[w]\" }\n";
    let report: Vec<(usize, String)> = netkit::protocols::described::mistakes("toy.toml", file)
        .into_iter()
        .map(|mistake| (mistake.line, mistake.reason))
        .collect();
    let lines: Vec<usize> = report.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, [4, 6, 12, 17], "{report:?}");
}
