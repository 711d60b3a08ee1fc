//! Files with one mistake each: refused when they are loaded, with the line.

use crate::common::fixture;
use crate::described::cases::pcap;
use crate::described::run;
use netkit::protocols::described::{KEYS, load};

#[test]
fn each_is_refused_by_its_line() {
    for (file, line, what) in [
        ("unknown-key", 21, "did you mean \"unit\"?"),
        ("unknown-type", 28, "no type \"u9\""),
        ("later-field", 138, "did you mean \"data_length\"?"),
        ("bits-overlap", 20, "bit 11 is in two parts"),
        ("no-by", 30, "did you mean \"command\"?"),
        ("numbers-unknown", 36, "no message has such a field"),
        ("hidden-range", 9, "range of ids does not determine it"),
        ("struct-ring", 85, "contains itself"),
        ("not-toml", 6, "column 12"),
    ] {
        let path = fixture(&format!("mistakes/{file}.toml"));
        let reported = run(&["decode", &pcap("enet"), "-p", &path.display().to_string()]);
        let why = String::from_utf8(reported.stderr).unwrap();
        assert_eq!(reported.status.code(), Some(2), "{file}: {why}");
        assert!(why.contains(&format!("{file}.toml: line {line}: ")) && why.contains(what), "{file}: {why}");
        assert!(reported.stdout.is_empty(), "{file}");
    }
}

/// The line and the reason why this file is refused.
fn refused(text: &str) -> (usize, String) {
    let error = load("test.toml", text).expect_err(text);
    (error.line, error.reason)
}

/// Encode finds a message by its name: two of one name, with other ids, are one message with both, or a mistake.
#[test]
fn a_name_is_of_one_message() {
    let file = |more: &str| {
        let message =
            |id: u8, from: &str| format!("[[message]]\nid = {id}\nname = \"chat\"\n{from}fields = {{ b = \"u16\" }}\n");
        let [a, b] = if more.is_empty() {
            [String::new(), String::new()]
        } else {
            ["client", "server"].map(|side| format!("from = \"{side}\"\n"))
        };
        format!(
            "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\nmessage = {{ type = \"message\", by = \"u8\" }}\n{}{}",
            message(1, &a),
            message(2, &b)
        )
    };
    assert!(refused(&file("")).1.contains("an earlier message has this name"));
    assert!(load("test.toml", &file("sides")).is_ok());
}

/// A file with two messages and this `[probe]`, whose keys begin in line 14.
fn probe(keys: &str) -> String {
    let head = "protocol = \"toy\"\nencoding = \"be\"\n[[message]]\nid = 1\nname = \"a\"\nfrom = \"client\"\n\
        fields = { token = { type = \"u16\", default = 0 } }\n";
    format!(
        "{head}[[message]]\nid = 2\nname = \"b\"\nfrom = \"server\"\nfields = {{ name = \"string8\" }}\n[probe]\n{keys}"
    )
}

#[test]
fn every_key_says_what_it_expects() {
    let head = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n";
    for (field, what) in [
        ("a = 3", "expected a table"),
        ("a = \"bits(2)be\"\nb = \"bit\"", "b: it begins within a byte"),
        ("a = \"bits(4)\"\nb = \"bits(4)be\"", "b: it begins within a byte"),
        ("a = { type = \"bits(2)be\", value = 2 }\nb = \"u8\"", "b: it begins within a byte"),
        ("a = { type = 3 }", "type: expected text"),
        ("a = { type = \"u8\", hidden = 1 }", "hidden: expected true or false"),
        ("a = { type = \"u8\", scale = 0 }", "scale: expected a number above 0"),
        ("a = { type = \"bool\", scale = 2 }", "scale is for numbers"),
        ("a = { type = \"u32\", size = 2 }", "size: 2 bytes cannot have the 4 of u32"),
        ("a = { type = \"crc33\", over = \"before\" }", "no type \"crc33\""),
        ("a = { type = \"masage\", by = \"u8\" }", "no type \"masage\", did you mean \"message\"?"),
        ("a = \"uint8_t\"", "did you mean \"u8\"?"),
        ("a = \"flaot\"", "did you mean \"float\"?"),
        ("a = \"u8[4\"", "a ] is missing"),
        ("a = { type = \"u8\", enum = \"none\" }", "no [enum.none]"),
        ("a = { type = \"u8\", flags = { x = 3 } }", "not one bit"),
        ("a = { type = \"u8\", closed = true }", "closed is for numbers with an enum"),
        ("a = { type = \"u8\", if = \"b == 1\" }", "no earlier field, setting or memory is called \"b\""),
        ("a = { type = \"u8\", if = \"left x\" }", "expected a number of bytes"),
        ("a = \"u8\"\nb = { type = \"u8\", if = \"a == 1 or\" }", "joined by and, or, and brackets, got"),
        ("a = \"u8\"\nb = { type = \"u8\", if = \"(a == 1\" }", "the closing ) is missing"),
        ("a = \"u8\"\nb = { type = \"u8\", if = \"a in [1, 2\" }", "the closing ] is missing"),
        ("a = \"u8\"\nb = { type = \"u8\", if = \"a in 7..3\" }", "7..3 is empty"),
        ("a = \"u8\"\nb = { type = \"u8\", if = \"a == 'x'\" }", "a is a number, not a text"),
        ("a = \"string8\"\nb = { type = \"u8\", if = \"a == 1\" }", "a is a text: compare it with one in quotes"),
        ("a = \"string8\"\nb = { type = \"u8\", if = \"a == 'x\" }", "the closing ' is missing"),
        ("a = \"string8\"\nb = { type = \"u8\", if = \"a < 'x'\" }", "expected == or !="),
        ("a = { type = \"u8[3]\", until = 0 }", "until: is for text, bytes and lists T[*]"),
        ("a = { type = \"u8[*]\", until = \"xy\" }", "until: a list has one end character"),
        (
            "a = { type = \"u8[*]\", until = \"x\", or_end = true }",
            "or_end is for text, bytes, and lists up to a number",
        ),
        ("a = { type = \"u8[*]\", until = \"x\", size = \"u8\" }", "size and until exclude each other"),
        ("a = { type = \"text\", until = \"xy\", hidden = true }", "which character ended it"),
        ("a = { type = \"text\", until = \"x\", hidden = true, if = \"left 1\" }", "whether it is present"),
        ("a = { type = \"text\", size = \"u99\" }", "memory is called \"u99\""),
        ("a = { type = \"text\", size = \"f32\" }", "not a whole number"),
        ("a = { type = \"u8\", until = \"x\" }", "until and charset are for text and bytes"),
        ("a = { type = \"text\", until = \"\" }", "at least one character"),
        ("a = { type = \"text\", charset = \"utf-9\" }", "did you mean \"utf-8\"?"),
        ("a = { type = \"u8\", bits = { b = 8 } }", "bit 8 of 8 bits"),
        ("a = { type = \"u8\", bits = { b = \"x\" } }", "the highest and the lowest"),
        ("a = { type = \"i8\", bits = { b = 1 } }", "not of i8"),
        ("a = { of = \"b\", bits = { c = 1 } }", "called \"b\""),
        ("a = { type = \"u8\", value = 256 }", "out of range"),
        // 2^64 + 1.
        ("a = { type = \"u64\", value = 18446744073709551617 }", "value: expected a number or a text"),
        ("a = { type = \"bytes[2]\", value = \"xy\" }", "expected hex"),
        ("a = { type = \"u8\", optional = true }", "value is missing"),
        ("a = { type = \"u8\", hidden = true }", "encode could not restore it"),
        ("a = { type = \"message\" }", "by is missing"),
        ("a = { type = \"message\", by = \"u8\" }", "there is no [[message]] without message"),
        ("a = { type = \"u8\", bits = { a = \"5..0\" } }", "a part has the name of its number"),
        ("a = \"u8\"\nb = { of = \"a\", bits = { c = 9 } }", "bit 9 of 8 bits"),
        (
            "a = { type = \"text\", until = \"x\", charset = \"utf-16le\" }",
            "the end of UTF-16 text cannot be recognised",
        ),
        ("a = { type = \"u8\", by = \"u8\" }", "by is for messages"),
        ("a = { type = \"bytes\", compressed = \"zip\" }", "did you mean \"gzip\"?"),
        ("a = { type = \"bytes\", compressed = \"zlib\", inflated = \"b\" }", "called \"b\""),
        ("a = { type = \"crc32\" }", "over: expected packet, before, after"),
        ("a = { type = \"crc32\", over = \"pakcet\" }", "did you mean \"packet\"?"),
        ("a = { type = \"crc32\", over = \"packet\", holds = \"b\" }", "called \"b\""),
        ("a = { type = \"crc32\", over = \"packet\", order = \"xe\" }", "expected be or le"),
        ("a = { type = \"u8\", sets = \"b\" }", "[memory] has no \"b\""),
        ("a = { type = \"bytes\", xor = 300 }", "a number up to 255"),
        ("a = { type = \"bytes\", join = { key = [\"b\"] } }", "called \"b\""),
        ("a = { type = \"bytes\", join = { index = \"a\" } }", "not an earlier number"),
        ("a = { type = \"bytes\", join = { } }", "expected index and count"),
        ("a = \"u8[]\"", "the number of elements is missing"),
        ("a = \"u8[b]\"", "called \"b\""),
        ("a = \"u8[bool]\"", "bool is not a whole number"),
        ("n = { type = \"u8\", scale = 4 }\na = \"bytes[n]\"", "write type = \"bytes\", size = \"n\""),
        ("n = { type = \"u8\", scale = 4 }\na = \"u16[n]\"", "write type = \"u16[*]\", size = \"n\""),
        ("a = \"u8[f32]\"", "f32 is not a whole number"),
        ("a = \"u8[99999999999]\"", "no earlier field"),
        ("a = \"bits(65)\"", "expected 1 to 64"),
        ("a = \"u8\"\na = \"u8\"", "duplicate key"),
        ("a = \"text\"\nb = \"cstring\"", "takes everything up to the end"),
        ("\"a b\" = \"u8\"", "letters, digits and _"),
        ("unparsed = \"u8\"", "the name is taken"),
    ] {
        let (line, why) = refused(&format!("{head}{field}\n"));
        assert!(why.contains(what), "{field}: {why}");
        assert!((4..=5).contains(&line), "{field}: line {line}: {why}");
    }
    for (text, line, what) in [
        ("", 1, "protocol is missing"),
        ("protocol = \"riptide\"", 1, "built-in"),
        ("protocol = \"a b\"", 1, "expected a name"),
        ("protocol = \"toy\"\nencoding = \"middle\"", 2, "expected be or le"),
        ("protocol = \"toy\"\n[packet.fields]\na = \"u16\"", 3, "encoding is missing"),
        ("protocol = \"toy\"\n[tcp]\nports = [70000]", 3, "70000 is not a port"),
        ("protocol = \"toy\"\n[tcp]\nframe = { length = \"u7\" }\n[packet.fields]\na = \"u8\"", 3, "not a number type"),
        ("protocol = \"toy\"\n[tcp]\nframe = { most = 3 }", 3, "expected one of length"),
        ("protocol = \"toy\"\n[tcp]\nports = [1]\n[packet.fields]\na = \"u8\"", 2, "frame is missing"),
        ("protocol = \"toy\"\n[tcp]\nframe = { length = \"u32\", most = 16777217 }", 3, "at most 16777216"),
        (
            "protocol = \"toy\"\n[settings]\nx = 0\n[packet.fields]\na = \"u8\"\n[tcp]\n\
             frame = [\n  { length = \"u8\" },\n  { until = \"x\", if = \"x == 1\" },\n]",
            9,
            "never used: the one before it has no if",
        ),
        ("protocol = \"toy\"\n[[message]]\nname = \"a\"", 2, "id is missing"),
        ("protocol = \"toy\"\n[[message]]\nid = 1\nid = 2", 4, "duplicate key"),
        ("protocol = \"toy\"\n[[message]]\nid = 1", 2, "name is missing"),
        ("protocol = \"toy\"\n[[message]]\nid = 1\nname = \"a\"\nfrom = \"me\"", 5, "client or server"),
        ("protocol = \"toy\"\n[[message]]\nid = \"9..1\"\nname = \"a\"", 3, "expected \"0x80..0x9f\""),
        (
            "protocol = \"toy\"\n[[message]]\nid = 1\nname = \"a\"\n[[message]]\nid = 1\nname = \"b\"",
            5,
            "has the same id and condition",
        ),
        (
            "protocol = \"toy\"\n[[message]]\nid = 1\nname = \"a\"\n[[message]]\nid = 1\nname = \"b\"\nmessage = \"z\"",
            8,
            "no message \"z\"",
        ),
        (
            "protocol = \"toy\"\n[[message]]\nid = 1\nname = \"a\"\n[[message]]\nid = 1\nname = \"b\"\nmessage = \"a\"",
            8,
            "no field of type message",
        ),
        ("protocol = \"toy\"\n[memory]\nx = \"y\"\n[packet.fields]\na = \"u8\"", 3, "expected a number, true, false"),
        ("protocol = \"toy\"\n[numbers.a]\nper = []", 2, "number is missing"),
        ("protocol = \"toy\"\n[requests.a]\nasks = \"b\"", 2, "asks and answers"),
        (
            "protocol = \"toy\"\n[requests.a]\nasks = \"b\"\nanswers = \"c\"\n[packet.fields]\na = \"u8\"",
            3,
            "no message \"b\"",
        ),
        ("protocol = \"toy\"\n[recognise]\npackets = 0", 3, "expected 1 to 64"),
        ("protocol = \"toy\"\n[recognise]\nserver = \"x == 1\"\n[packet.fields]\na = \"u8\"", 3, "called \"x\""),
        ("protocol = \"toy\"\n[udp]\nports = 1", 3, "expected a list of numbers"),
        ("protocol = \"toy\"\n[websocket]\npath = 1", 3, "path: expected text"),
        ("protocol = \"toy\"\n[settings]\nx = 1.5", 3, "expected a number or a name"),
        ("protocol = \"toy\"\n[enum.x]\na = \"b\"", 3, "expected a whole number"),
        ("protocol = \"toy\"\n[enum.x]\n'a\"b' = 1", 3, "a name has no quotes, backslashes or control characters"),
        ("protocol = \"toy\"\n[flags.x]\n\"a\\nb\" = 1", 3, "a name has no quotes, backslashes or control characters"),
        ("protocol = \"toy\"\n[struct.x]\n[packet.fields]\na = \"x\"", 2, "struct x has no fields"),
        ("protocol = \"toy\"\ndoc = 1", 2, "doc: expected text"),
        ("protocol = \"toy\"\n[[message]]\nid = 1\nname = \"a\"\nany = 1", 5, "any: expected true or false"),
        ("protocol = \"toy\"\n[[message]]\nid = 1\nname = \"a\"\nsets = { x = 1 }", 5, "[memory] has no \"x\""),
        ("protocol = \"toy\"\n[[message]]\nid = 1\nname = \"a\"\nif = \"x\"", 5, "called \"x\""),
        ("protocol = \"toy\"\n[probe]\nsend = \"a\"", 2, "expected send and answer"),
        (&probe("answer = \"b\"\nsend = \"c\""), 15, "no message \"c\""),
        (&probe("send = \"b\"\nanswer = \"b\""), 14, "the client does not send \"b\""),
        (&probe("send = \"a\"\nanswer = \"a\""), 15, "the server does not send \"a\""),
        (&probe("send = \"a\"\nanswer = \"b\"\ntell = \"nam\""), 16, "did you mean \"name\"?"),
        (&probe("send = \"a\"\nanswer = \"b\"\nexpect = { q = 1 }"), 16, "b has no field \"q\""),
        (&probe("send = \"a\"\nanswer = \"b\"\nexpect = 1"), 16, "expected a table"),
        (&probe("send = \"a\"\nanswer = \"b\"\nretries = 11"), 16, "expected 0 to 10"),
        (&probe("send = \"a\"\nanswer = \"b\"\nagain = { tokn = \"b.name\" }"), 16, "did you mean \"token\"?"),
        (&probe("send = \"a\"\nanswer = \"b\"\nagain = { token = \"name\" }"), 16, "expected MESSAGE.FIELD"),
        (&probe("send = \"a\"\nanswer = \"b\"\nfields = { token = 70000 }"), 14, "out of range"),
        (&probe("send = \"a\"\nanswer = \"b\"\nfields = { tokn = 7 }"), 14, "tokn"),
        ("protocol = \"toy\"\nprotcol = 1", 2, "did you mean \"protocol\"?"),
    ] {
        let (at, why) = refused(text);
        assert!(why.contains(what), "{text}: {why}");
        assert_eq!(at, line, "{text}: {why}");
    }
}

/// The beginning of the file for a section of `mistakes/keys.txt`.
fn head(name: &str) -> &'static str {
    match name {
        "none" => "",
        "toy" => "protocol = \"toy\"\n",
        "field" => "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n",
        // Two numbered messages, one of which has a list.
        "two" => {
            "protocol = \"toy\"\nencoding = \"be\"\n[[message]]\nid = 1\nname = \"a\"\nfrom = \"client\"\n\
             fields = { seq = \"u16\" }\n[[message]]\nid = 2\nname = \"b\"\nfrom = \"server\"\n\
             fields = { seq = \"u16\", list = \"r[u8]\" }\n[struct.r]\nlow = \"u8\"\nhigh = \"u8\"\n"
        }
        other => panic!("no head {other:?}"),
    }
}

/// The sections of `mistakes/keys.txt`: `# TABLE.KEY HEAD`, the text, and `> LINE WHY`; LINE counts from the text's
/// first line.
fn sections() -> Vec<(String, String, usize, String)> {
    let text = std::fs::read_to_string(fixture("mistakes/keys.txt")).unwrap();
    let mut all = Vec::new();
    for section in text.split("# ").skip(1) {
        let (title, rest) = section.split_once('\n').unwrap();
        let (key, name) = title.split_once(' ').unwrap_or_else(|| panic!("{title:?}"));
        let (body, end) = rest.rsplit_once("> ").unwrap_or_else(|| panic!("{title}: no mistake"));
        let (line, why) = end.trim_end().split_once(' ').unwrap();
        let line = head(name).lines().count() + line.parse::<usize>().unwrap();
        all.push((key.to_owned(), format!("{}{body}", head(name)), line, why.to_owned()));
    }
    all
}

#[test]
fn every_key_of_the_language_has_its_mistakes() {
    let sections = sections();
    for (key, text, line, why) in &sections {
        let (at, reported) = refused(text);
        assert_eq!((at, &*reported), (*line, &**why), "{key}: {text}");
    }
    let keys: Vec<String> =
        KEYS.iter().flat_map(|(table, keys)| keys.split(' ').map(move |key| format!("{table}.{key}"))).collect();
    assert!(keys.len() > 100, "{keys:?}");
    for key in &keys {
        assert!(sections.iter().any(|(of, ..)| of == key), "mistakes/keys.txt has no mistake for {key}");
    }
    for (of, ..) in &sections {
        assert!(keys.contains(of), "{of} is not a key of the language");
    }
}

/// A file with a key in its table, and the key's line.
fn placed(table: &str, key: &str, value: &str) -> (String, usize) {
    let (before, line) = match table {
        "file" if key == "protocol" => ("KEY".to_owned(), 1),
        "file" => ("protocol = \"toy\"\nKEY".to_owned(), 2),
        "frame" => ("protocol = \"toy\"\n[tcp]\nframe = { KEY }".to_owned(), 3),
        "message" => ("protocol = \"toy\"\n[[message]]\nKEY".to_owned(), 3),
        "field" => (format!("{}a = {{ KEY }}", head("field")), 4),
        "size" => (format!("{}a = {{ type = \"text\", size = {{ KEY }} }}", head("field")), 4),
        "case" => (format!("{}a = {{ type = \"u8\", 7 = {{ KEY }} }}", head("field")), 4),
        "number" => (format!("{}a = {{ type = \"text\", number = {{ KEY }} }}", head("field")), 4),
        "back" => (format!("{}a = {{ type = \"string8[*]\", back = {{ KEY }} }}", head("field")), 4),
        "part" => (format!("{}a = {{ type = \"u8\", bits = {{ b = {{ KEY }} }} }}", head("field")), 4),
        "join" => (format!("{}a = {{ type = \"bytes\", join = {{ KEY }} }}", head("field")), 4),
        "first" => ("protocol = \"toy\"\n[settings]\nx = { KEY }".to_owned(), 3),
        "numbers" | "requests" => (format!("protocol = \"toy\"\n[{table}.a]\nKEY"), 3),
        "place" => ("protocol = \"toy\"\n[numbers.a]\nnumber = { KEY }".to_owned(), 3),
        "by" => ("protocol = \"toy\"\n[requests.a]\nby = { KEY }".to_owned(), 3),
        _ => (format!("protocol = \"toy\"\n[{table}]\nKEY"), 3),
    };
    (before.replace("KEY", &format!("{key} = {value}")), line)
}

/// No key takes a date; a misspelt key is refused, with a list of the valid keys.
#[test]
fn no_key_takes_what_is_of_no_use_to_it() {
    for (table, keys) in KEYS {
        for key in keys.split(' ') {
            let (text, line) = placed(table, key, "1979-05-27");
            let (at, why) = refused(&text);
            assert!(at == line && why.contains("expected "), "{table}.{key}: {at}: {why}");
            assert!(!why.starts_with("no key"), "{table}.{key}: the list has a key that nothing reads: {why}");
            let (text, line) = placed(table, &format!("{key}zz"), "1");
            let (at, why) = refused(&text);
            assert_eq!(at, line, "{table}.{key}: {why}");
            assert!(why.starts_with(&format!("no key \"{key}zz\" here")), "{table}.{key}: {why}");
            let named = match why.split_once(", did you mean ") {
                Some((_, near)) => keys.split(' ').any(|known| near == format!("{known:?}?")),
                None => why.rsplit(": there are ").next().unwrap().split(", ").any(|known| known == key),
            };
            assert!(named, "{table}.{key}: {why}");
        }
    }
}

/// The page about protocol files explains each key.
#[test]
fn the_page_has_every_key() {
    let page = include_str!("../../src/docs/protocol_files.md");
    let words: std::collections::HashSet<&str> =
        page.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).collect();
    for (table, keys) in KEYS {
        for key in keys.split(' ') {
            assert!(words.contains(key), "{table}.{key} is not on the page");
        }
    }
}
