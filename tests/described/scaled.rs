//! `scale` on all numbers, and keys of `xor` as wide as theirs: what is shown, and the bytes that encode writes.

use crate::described::words::{encoded, fields, plain};
use netkit::protocols::described::load;
use serde_json::{Value as Json, json};

/// The value of the field `a`, whose line ends like this.
fn one(rest: &str, packet: &[u8]) -> Json {
    plain(&format!("a = {{ {rest} }}"), packet)["a"].clone()
}

#[test]
fn wide_numbers_are_scaled_where_the_result_gives_them_back() {
    let ticks = "type = \"u64\", scale = 0.0000001, unit = \"s\"";
    assert_eq!(one(ticks, &15_000_000_u64.to_be_bytes()), json!(1.5));
    assert_eq!(one("type = \"i64le\", scale = 0.001", &(-1500_i64).to_le_bytes()), json!(-1.5));
    assert_eq!(
        one("type = \"u64\", scale = \"1/256\"", &(u64::MAX << 11).to_be_bytes()),
        json!(((u64::MAX << 11) as f64) / 256.0)
    );
    // A double has no number that gives it back: its bits are shown.
    for (kind, bytes) in [
        ("u64", u64::MAX.to_be_bytes()),
        ("i64", i64::MIN.wrapping_add(1).to_be_bytes()),
        ("u64le", 0x0123_4567_89ab_cdef_u64.to_le_bytes()),
    ] {
        let shown = one(&format!("type = \"{kind}\", scale = 0.001"), &bytes);
        assert_eq!(shown, json!({"raw": hex::encode(bytes), "bits": 64}), "{kind}");
    }
    assert_eq!(one("type = \"u48\", scale = 0.001", &[0xff; 6]), json!(281_474_976_710.655));
    assert_eq!(
        one("type = \"u64[2]\", scale = 0.5", &[[0; 8], [0xff; 8]].concat()),
        json!([0.0, {"raw": "ff".repeat(8), "bits": 64}])
    );
    assert_eq!(one("type = \"varint\", scale = 0.01", b"\xac\x02"), json!(3.0));
    // What a condition asks is the number, also if its bits are shown.
    let asked = "n = { type = \"u64\", scale = 0.1 }\nv = { type = \"u8\", if = \"n == 0x8000000000000001\" }";
    assert_eq!(
        plain(asked, b"\x80\0\0\0\0\0\0\x01\x07"),
        json!({"n": {"raw": "8000000000000001", "bits": 64}, "v": 7})
    );
    let longer = "type = \"u8\", 255 = \"u64\", scale = 0.1";
    assert_eq!(one(longer, b"\x05"), json!(0.5));
    assert_eq!(one(longer, b"\xff\xff\xff\xff\xff\xff\xff\xff\xff"), json!({"raw": "ff".repeat(9), "bits": 72}));
    let parts = "w = { type = \"u64\", bits = { high = { at = \"63..4\", scale = 0.5 }, low = \"3..0\" } }";
    assert_eq!(plain(parts, b"\0\0\0\0\0\0\0\x35"), json!({"high": 1.5, "low": 5}));
    assert_eq!(plain(parts, &[0xff; 8])["w"], json!({"raw": "ff".repeat(8), "bits": 64}));
}

#[test]
fn numbers_in_text_are_scaled() {
    let cents = "type = \"text\", until = \";\", number = { text = \"dec\" }, scale = 0.01";
    assert_eq!(one(cents, b"150;"), json!(1.5));
    assert_eq!(one(cents, b"-7;"), json!(-0.07));
    assert_eq!(one(cents, b"007;"), json!({"raw": "303037", "bits": 24}));
    assert_eq!(one(cents, b"18446744073709551615;"), json!({"raw": hex::encode("18446744073709551615"), "bits": 160}));
    let rounded = "type = \"text\", size = 3, number = { text = \"dec\" }, scale = \"100/255\", rounded = true";
    assert_eq!(one(rounded, b"128"), json!(50.0));
    // The scale of a hidden length is the unit of what it counts.
    let words = "n = { type = \"text\", until = \":\", number = { text = \"dec\" }, scale = 4, hidden = true }\nv = { type = \"text\", size = \"n\" }";
    assert_eq!(plain(words, b"2:abcdefgh"), json!({"v": "abcdefgh"}));
}

#[test]
fn floats_are_scaled() {
    let degrees = "type = \"f32\", scale = \"180/3\", unit = \"deg\"";
    assert_eq!(one(degrees, &1.5_f32.to_be_bytes()), json!(90.0));
    assert_eq!(one("type = \"f16\", scale = 0.5", b"\x3c\x00"), json!(0.5));
    assert_eq!(one("type = \"f64le\", scale = \"1/4\"", &0.1_f64.to_le_bytes()), json!(0.025));
    // 7 is 0.07 times 100, which no double is: the one with few digits is meant.
    assert_eq!(one("type = \"f64\", scale = 0.01", &7.0_f64.to_be_bytes()), json!(0.07));
    let nan = one(degrees, b"\x7f\xc0\0\x01");
    assert_eq!(nan, json!({"raw": "7fc00001", "bits": 32}));
    // Each float gives its bits back, as a number or raw; `plain` holds that.
    let mut raw = [0, 0];
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..2000 {
        bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        raw[0] += usize::from(one("type = \"f64\", scale = 0.3", &bits.to_be_bytes()).is_object());
        raw[1] += usize::from(one("type = \"f32\", scale = 0.3", &bits.to_be_bytes()[..4]).is_object());
    }
    // Floats of 32 bits are raw only if they are not finite. Of those of 64 bits, some have no double that gives them back.
    assert!(raw[1] < 40 && raw[0] < 1000, "{raw:?}");
    let text = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\na = { type = \"f32\", scale = 0.5 }";
    assert_eq!(encoded(text, &json!({"a": 0.75})).unwrap(), 1.5_f32.to_be_bytes());
    assert!(encoded(text, &json!({"a": 1e39})).unwrap_err().contains("out of range"));
}

/// A default is given as what is shown, not as the number on the wire.
#[test]
fn defaults_are_scaled() {
    let file = |fields: &str| format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}\n");
    for (field, written) in [
        ("type = \"f32\", default = 1", &1_f32.to_be_bytes()[..]),
        ("type = \"f64le\", default = 1.5", &1.5_f64.to_le_bytes()),
        ("type = \"f32\", scale = 0.5, default = 3", &6_f32.to_be_bytes()),
        ("type = \"u16\", scale = 0.01, default = 90", &9000_u16.to_be_bytes()),
        ("type = \"u16\", scale = 0.01, default = 90.5", &9050_u16.to_be_bytes()),
        ("type = \"i16le\", scale = 0.01, default = -0.5", &(-50_i16).to_le_bytes()),
        ("type = \"u8\", scale = 10, default = 300", &[30]),
    ] {
        assert_eq!(encoded(&file(&format!("a = {{ {field} }}")), &json!({})).unwrap(), written, "{field}");
        // Also in a struct.
        let inner = file(&format!("s = \"s\"\n[struct.s]\na = {{ {field} }}"));
        assert_eq!(encoded(&inner, &json!({"s": {}})).unwrap(), written, "{inner}");
    }
    let large = file("a = { type = \"u8\", scale = 10, default = 3000 }");
    let why = load("test.toml", &large).expect_err("300 is no u8").reason;
    assert!(why.contains("a: default: "), "{why}");
}

#[test]
fn keys_are_as_wide_as_their_numbers() {
    for (kind, key, packet, value) in [
        ("u16", "0x2112", &b"\x21\x13"[..], json!(1)),
        ("u16le", "0x2112", b"\x13\x21", json!(1)),
        ("u24", "0x102030", b"\x10\x20\x31", json!(1)),
        ("i32", "0x80000000", b"\x7f\xff\xff\xff", json!(-1)),
        ("u32le", "0x2112a442", b"\x42\xa4\x12\x20", json!(0x0100_0000)),
        ("u64", "0x2112a44200000000", b"\x21\x12\xa4\x42\0\0\0\x05", json!(5)),
        ("u64le", "0x2112a44200000000", b"\x05\0\0\0\x42\xa4\x12\x21", json!(5)),
        ("f32", "0xffff", b"\x3f\x80\xff\xff", json!(1.0)),
        ("u16[2]", "0x2112", b"\x21\x13\x21\x10", json!([1, 2])),
        ("u16le[2]", "0x2112", b"\x13\x21\x10\x21", json!([1, 2])),
        // One of up to 255 is combined with each byte.
        ("u16", "0xff", b"\xff\xfe", json!(1)),
    ] {
        assert_eq!(one(&format!("type = \"{kind}\", xor = {key}"), packet), value, "{kind} {key}");
    }
    let keyed = |key: &str, kind: &str, packet: &[u8]| {
        plain(&format!("k = \"{key}\"\na = {{ type = \"{kind}\", xor = \"k\" }}"), packet)["a"].clone()
    };
    assert_eq!(keyed("u16", "u16", b"\x21\x12\x21\x13"), json!(1));
    assert_eq!(keyed("u16", "u32le", b"\x21\x12\x13\x21\0\0"), json!(1));
    assert_eq!(keyed("u32le", "u16", b"\x12\x21\0\0\x21\x13"), json!(1));
    assert_eq!(keyed("u8", "u16", b"\xff\xff\xfe"), json!(1));
    // Of text and bytes, a wide number masks as its bytes are on the wire, as in WebSocket.
    assert_eq!(keyed("u32", "text", b"\x01\x02\x03\x04igohn"), json!("hello"));
    assert_eq!(keyed("u16le", "text", b"\x01\x02ig"), json!("he"));
    assert_eq!(keyed("u32", "ipv4", b"\x21\x12\xa4\x42\x5e\x12\xa4\x43"), json!("127.0.0.1"));
}

/// A number is the unit of a length only where it is the length.
#[test]
fn a_length_of_the_same_name_takes_no_scale() {
    let file = "protocol = \"toy\"\nencoding = \"be\"\n\
        [[message]]\nid = 1\nname = \"sprite\"\n[message.fields]\nsize = { type = \"u16\", scale = 0.01 }\n\
        [[message]]\nid = 2\nname = \"blob\"\n[message.fields]\nsize = { type = \"u16\", scale = 2 }\n\
        data = { type = \"bytes\", size = \"size\" }\n";
    assert_eq!(fields(file, b"\x01\0\x96"), json!({"size": 1.5}));
    assert_eq!(fields(file, b"\x02\0\x01\x07\x08"), json!({"size": 1, "data": "0708"}));
}
