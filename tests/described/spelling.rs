//! Other spellings of types: the words of the first schemas, and halves of bytes.

use crate::described::words::{encoded, fields, plain, read};
use netkit::protocols::described::load;
use serde_json::json;

fn file(fields: &str) -> String {
    format!("protocol = \"toy\"\nencoding = \"be\"\nlengths = \"u8\"\n[packet.fields]\n{fields}\n")
}

fn refused(text: &str) -> (usize, String) {
    let error = load("test.toml", text).expect_err(text);
    (error.line, error.reason)
}

#[test]
fn words_of_the_first_schemas_are_types_of_every_file() {
    for (alias, word, bytes, value) in [
        ("byte", "u8", &b"\xff"[..], json!(255)),
        ("sbyte", "i8", b"\xff", json!(-1)),
        ("short", "i16", b"\xff\xfe", json!(-2)),
        ("ushort", "u16", b"\x01\x02", json!(258)),
        ("int", "i32", b"\xff\xff\xff\xfe", json!(-2)),
        ("uint", "u32", b"\xff\xff\xff\xfe", json!(4_294_967_294_u32)),
        ("long", "i64", b"\xff\xff\xff\xff\xff\xff\xff\xfe", json!(-2)),
        ("ulong", "u64", b"\0\0\0\0\0\0\x01\0", json!(256)),
        ("float", "f32", b"\x3f\x80\0\0", json!(1.0)),
        ("double", "f64", b"\x3f\xf0\0\0\0\0\0\0", json!(1.0)),
        ("varulong", "varint", b"\xac\x02", json!(300)),
        ("varlong", "zigzag", b"\x03", json!(-2)),
        ("vector2", "f32[2]", b"\x3f\x80\0\0\0\0\0\0", json!([1.0, 0.0])),
        ("byte[2]", "bytes[2]", b"\xaa\xbb", json!("aabb")),
    ] {
        for spelling in [alias, word] {
            assert_eq!(plain(&format!("a = \"{spelling}\""), bytes), json!({ "a": value }), "{spelling}");
        }
    }
    // In sizes, counts, keys of messages and longer forms, too; a struct of the name comes first.
    let sizes =
        "t = { type = \"text\", size = \"byte\" }\nl = \"ushort[byte]\"\nn = { type = \"byte\", 7 = \"ushort\" }";
    assert_eq!(plain(sizes, b"\x02hi\x01\0\x05\x07\x01\0"), json!({"t": "hi", "l": [5], "n": 256}));
    let own = "p = \"point\"\n[struct.point]\nx = \"u8\"\ny = \"u8\"";
    assert_eq!(plain(own, b"\x01\x02"), json!({"p": {"x": 1, "y": 2}}));
    let message = "protocol = \"toy\"\n[packet.fields]\nm = { type = \"message\", by = \"byte\" }\n[[message]]\nid = 1\nname = \"one\"\n[message.fields]\nx = \"byte\"";
    assert_eq!(read(message, b"\x01\x07")[0]["fields"], json!({"x": 7}));
}

#[test]
fn a_file_says_the_length_of_its_strings_and_lists() {
    let text = file(
        "s = \"string\"\nl = \"thing[]\"\nb = \"byte[]\"\nn = \"string[2]\"\n[struct.thing]\nname = \"string\"\nhp = \"short\"",
    );
    let all = b"\x02hi\x01\x01a\0\x05\x02\xaa\xbb\x01x\0";
    let shown = json!({"s": "hi", "l": [{"name": "a", "hp": 5}], "b": "aabb", "n": ["x", ""]});
    assert_eq!(fields(&text, all), shown);
    assert_eq!(encoded(&text, &shown).unwrap(), all);
    let wide = text.replace("\"u8\"", "\"ushort\"");
    assert_eq!(fields(&wide, b"\0\x02hi\0\0\0\0\0\0\0\0")["s"], "hi");
    for (text, line, what) in [
        (file("s = \"string\"").replace("u8", "f32"), 3, "lengths: expected u8, u16"),
        (file("s = \"string8\""), 3, "lengths has no effect"),
        (file("s = \"string\"").replace("lengths = \"u8\"\n", ""), 4, "lengths = \"u16\" gives string one"),
        (file("s = \"u8[]\"").replace("lengths = \"u8\"\n", ""), 4, "the number of elements is missing"),
    ] {
        let (at, why) = refused(&text);
        assert!(at == line && why.contains(what), "{text}: {at}: {why}");
    }
}

#[test]
fn words_of_a_payload_are_those_of_its_carrier_first() {
    use netkit::codec::schema::Schemas;
    let add = |text: &str| {
        Schemas::default().add("s.toml", text, &|name| Some(netkit::protocols::by_name(name)?.encodings()))
    };
    // Riptide has lists with a count of their own, DNP has not; both have the words of the other as aliases.
    add("proto = \"riptide\"\nencoding = \"le\"\n[[message]]\nid = 1\nname = \"a\"\nfields = { a = \"u16\", b = \"char\", c = \"point3\", d = \"ushort[]\" }").unwrap();
    add("proto = \"dnp\"\nlengths = \"u16\"\n[[message]]\nid = 1\nname = \"a\"\nfields = { a = \"sbyte\", b = \"vector3\", c = \"uint[]\", d = \"string\" }").unwrap();
    let own =
        add("proto = \"riptide\"\nlengths = \"u8\"\n[[message]]\nid = 1\nname = \"a\"\nfields = { d = \"ushort[]\" }")
            .unwrap_err();
    assert_eq!(own.line, 2);
    assert!(own.reason.contains("has its own"), "{own}");
}

/// Delta and length of an option of CoAP, in halves of one byte.
const OPTION: &str = "delta = { type = \"u4\", 13 = { type = \"u8\", plus = 13 }, 14 = { type = \"u16\", plus = 269 } }\n\
    value = { type = \"bytes\", size = { type = \"u4\", 13 = { type = \"u8\", plus = 13 }, 14 = { type = \"u16\", plus = 269 } } }";

#[test]
fn halves_of_a_byte_are_numbers_sizes_counts_and_keys() {
    assert_eq!(plain(OPTION, b"\x32ab"), json!({"delta": 3, "value": "6162"}));
    assert_eq!(plain(OPTION, b"\xd1\x05a"), json!({"delta": 18, "value": "61"}));
    assert_eq!(plain(OPTION, b"\xe0\x00\x01"), json!({"delta": 270, "value": ""}));
    let long = [&b"\xed\x00\x00\x00"[..], &[7; 13]].concat();
    assert_eq!(plain(OPTION, &long), json!({"delta": 269, "value": "07".repeat(13)}));
    // A longer form than the number needs has its head shown.
    let odd = [&b"\x1e\x00\x00"[..], &[7; 269]].concat();
    assert_eq!(plain(OPTION, &odd)["delta"], 1);
    let numbers =
        "version = { type = \"u4\", enum = { four = 4 } }\nwords = { type = \"u4\", unit = \"words\" }\nlast = \"u8\"";
    assert_eq!(plain(numbers, b"\x45\x07"), json!({"version": "four", "words": 5, "last": 7}));
    let both = "a = \"u8[u4]\"\nb = { type = \"bytes\", size = \"u4\" }";
    assert_eq!(plain(both, b"\x21\x01\x02\x09"), json!({"a": [1, 2], "b": "09"}));
    let count = "a = { type = \"u4\", 15 = \"u16\" }\nb = { type = \"u8[u4]\", 15 = \"u8\" }";
    let list = [&b"\xff\x01\x00\x10"[..], &[1; 16]].concat();
    assert_eq!(plain(count, &list), json!({"a": 256, "b": vec![1; 16]}));
    let key = "protocol = \"toy\"\n[packet.fields]\nflags = \"u4\"\nbody = { type = \"message\", by = \"u4\" }\n\
        [[message]]\nid = 3\nname = \"three\"\n[message.fields]\nx = \"u8\"";
    let line = &read(key, b"\x53\x07")[0];
    assert_eq!(
        (&line["message"], &line["packet"]["flags"], &line["fields"]),
        (&json!("three"), &json!(5), &json!({"x": 7}))
    );
    // The number of a message that has several is shown, as that of a byte is.
    let several = key.replace("id = 3", "id = [3, \"8..9\"]");
    let line = &read(&several, b"\x59\x07")[0];
    assert_eq!((&line["message"], &line["packet"]), (&json!("three"), &json!({"flags": 5, "body_id": 9})));
    let line = &read(&key.replace("id = 3", "any = true"), b"\x5f\x07")[0];
    assert_eq!((&line["message"], &line["packet"]), (&json!("three"), &json!({"flags": 5, "body_id": 15})));
    let when = "k = \"u8\"\na = { type = \"u4\", if = \"k == 1\" }\nb = { type = \"u4\", if = \"k == 1\" }";
    assert_eq!(plain(when, b"\x01\x23"), json!({"k": 1, "a": 2, "b": 3}));
    assert_eq!(plain(when, b"\x02"), json!({"k": 2}));
}

#[test]
fn the_sizes_of_options_are_written() {
    let text = file(&format!("{OPTION}\ns = \"string\""));
    for length in [0usize, 12, 13, 268, 269, 70_000] {
        let given = json!({"delta": length, "value": "07".repeat(length), "s": ""});
        match encoded(&text, &given) {
            Ok(bytes) => assert_eq!(fields(&text, &bytes), given),
            Err(why) => assert!(length == 70_000 && why.contains("no form has room"), "{length}: {why}"),
        }
    }
}

#[test]
fn a_half_needs_its_other_half() {
    for (fields, line, what) in [
        ("a = \"u4\"", 5, "a: u4 is half of a byte"),
        ("a = \"u4\"\nb = \"u8\"\nc = \"u4\"", 5, "a: u4 is half of a byte"),
        ("a = \"u8\"\nb = { type = \"text\", size = \"u4\" }\nc = \"u8\"", 6, "b: u4 is half of a byte"),
        (
            "k = \"u8\"\na = \"u4\"\nb = { type = \"u4\", if = \"k == 1\" }",
            7,
            "b: two u4 in one byte need the same condition",
        ),
        ("a = { type = \"u4\", value = 3 }\nb = \"u4\"", 5, "a: value is not for u4"),
        ("a = { type = \"u4\", size = \"u8\" }\nb = \"u4\"", 5, "a: size is not for u4"),
        ("a = { type = \"u4\", 16 = \"u8\" }\nb = \"u4\"", 5, "a: 16: the number is at most 15"),
        ("a = \"u4\"\nb = { type = \"u4\", enum = { x = 16 } }", 6, "b: x = 16: the number is 0 to 15"),
        ("a = \"u4\"\nb = { type = \"u4\", hidden = true }", 6, "b: hidden, but encode could not restore it"),
        ("a = \"u4[2]\"", 5, "no type \"u4\": half of a byte"),
    ] {
        let (at, why) = refused(&file(fields).replace("lengths = \"u8\"", "doc = \"\""));
        assert!(at == line && why.contains(what), "{fields}: {at}: {why}");
    }
}
