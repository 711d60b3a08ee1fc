//! The examples of <https://protobuf.dev/programming-guides/encoding/>, and messages that libraries accept.

use super::*;
use crate::codec::layout::*;
use crate::codec::{Reader, Sources, Tree, Writer};
use serde_json::{Value as Json, json};

const fn record(number: u32, wire: WireType, packed: bool) -> Record {
    Record { number, wire, packed }
}

static INNER: Message = Message { fields: &[svarint("a", 10)], records: &[record(1, WireType::Varint, false)] };
static PACKED: Field = svarint("int32", 10);
static TEXT: Field = text("string", Len::Rest);
static MESSAGE: Message = Message {
    fields: &[
        svarint("a", 10),
        text("b", Len::Rest),
        of("c", Kind::Protobuf(&INNER)),
        array("e", Count::Rest, &TEXT),
        zigzag("z", 10),
        array("f", Count::Rest, &PACKED),
        boolean("yes", 8),
        f64le("d"),
    ],
    records: &[
        record(1, WireType::Varint, false),
        record(2, WireType::Bytes, false),
        record(3, WireType::Bytes, false),
        record(4, WireType::Bytes, false),
        record(5, WireType::Varint, false),
        record(6, WireType::Varint, true),
        record(7, WireType::Varint, false),
        record(8, WireType::Fixed64, false),
    ],
};
static TABLE: [Field; 1] = [of("", Kind::Protobuf(&MESSAGE))];

fn read(hex: &str) -> (Json, String) {
    let bytes = hex::decode(hex.replace(' ', "")).unwrap();
    let mut tree = Tree::default();
    let outcome = Reader::new(&bytes, &mut tree).named("p", "m").read(&TABLE);
    let mut text = Vec::new();
    crate::codec::json::fields_json(&tree, Sources { main: &bytes, more: &[] }, &mut text);
    (serde_json::from_slice(&text).unwrap(), outcome.fault().map_or(String::new(), |f| f.to_string()))
}

fn both(hex: &str, want: Json) {
    assert_eq!(read(hex), (want.clone(), String::new()));
    let written = Writer::new(&want).write(&TABLE).unwrap();
    assert_eq!(hex::encode(written), hex.replace(' ', ""), "{want}");
}

#[test]
fn examples_of_the_documentation() {
    both("08 9601", json!({"a": 150}));
    both("08 feffffffffffffffff01", json!({"a": -2}));
    both("12 07 74657374696e67", json!({"b": "testing"}));
    both("1a 03 08 9601", json!({"c": {"a": 150}}));
    both("28 03", json!({"z": -2}));
    both("32 06 03 8e02 9ea705", json!({"f": [3, 270, 86942]}));
    both("22 01 31 22 00", json!({"e": ["1", ""]}));
    both("38 01", json!({"yes": true}));
    both("41 000000000000f83f", json!({"d": 1.5}));
    both("1a 00", json!({"c": {}}));
    both("", json!({}));
}

#[test]
fn unknown_records_are_shown() {
    both(
        "08 01 50 9601 5d 01020304",
        json!({"a": 1, "unknown": [
        {"number": 10, "varint": 150}, {"number": 11, "fixed32": "01020304"}]}),
    );
    // Between others; with a wire type other than the table's; a group nested in a group.
    both(
        "08 01 11 0102030405060708 28 02",
        json!({"a": 1, "z": 1, "unknown": [
        {"number": 2, "fixed64": "0102030405060708"}]}),
    );
    both(
        "5a 02 abcd 63 6b 6c 64",
        json!({"unknown": [
        {"number": 11, "bytes": "abcd"}, {"number": 12, "group": "6b6c64"}]}),
    );
}

#[test]
fn non_canonical_messages_have_their_bytes() {
    let referenced = |hex: &str, mut want: Json| {
        want["wire"] = hex.replace(' ', "").into();
        both(hex, want);
    };
    // Records of several fields between one another.
    let mixed = json!({"a": 2, "e": ["a", "b"], "z": 1, "f": [1, 2]});
    referenced("30 01 22 01 61 08 01 30 02 22 01 62 08 02 28 02", mixed);
    // The last value counts. Any order is accepted, and so are separate and packed lists, several times, and longer
    // keys and lengths.
    referenced("08 01 08 02", json!({"a": 2}));
    referenced("12 01 61 08 01", json!({"a": 1, "b": "a"}));
    referenced("30 01 32 02 02 03 30 04", json!({"f": [1, 2, 3, 4]}));
    referenced("22 01 61 08 01 22 01 62", json!({"a": 1, "e": ["a", "b"]}));
    referenced("8800 01", json!({"a": 1}));
    referenced("12 8100 61", json!({"b": "a"}));
    referenced("32 00", json!({"f": []}));
    // A value's longer varint form is shown raw and needs no `wire`.
    both("08 8100", json!({"a": {"raw": "8100", "bits": 16}}));
    both("38 02", json!({"yes": {"raw": "02", "bits": 8}}));
    both("38 8100", json!({"yes": {"raw": "8100", "bits": 16}}));
    both("12 01 ff", json!({"b": {"raw": "ff", "bits": 8}}));
}

#[test]
fn edited_fields_win_over_the_original_bytes() {
    let edited = json!({"a": 2, "b": "a", "wire": "1201610801"});
    assert_eq!(hex::encode(Writer::new(&edited).write(&TABLE).unwrap()), "0802120161");
    let same = json!({"a": 1, "b": "a", "wire": "1201610801"});
    assert_eq!(hex::encode(Writer::new(&same).write(&TABLE).unwrap()), "1201610801");
    // Tools write 1.0 as 1.
    let number = json!({"a": 1, "d": 1, "wire": "41000000000000f03f0801"});
    assert_eq!(hex::encode(Writer::new(&number).write(&TABLE).unwrap()), "41000000000000f03f0801");
    let further = json!({"a": 1, "b": "a", "wire": "1201610801", "d": 1.5});
    assert_eq!(hex::encode(Writer::new(&further).write(&TABLE).unwrap()), "080112016141000000000000f83f");
}

/// A field that the capture cut, and a cut between two fields, are no mistakes of the sender.
#[test]
fn what_the_capture_lacks_is_cut() {
    for hex in ["0801120961", "0801"] {
        let (bytes, mut tree) = (hex::decode(hex).unwrap(), Tree::default());
        let outcome = Reader::new(&bytes, &mut tree).wire_length(20).read(&TABLE);
        assert!(outcome.fault().is_some_and(|fault| fault.is_cut()), "{hex}");
    }
}

#[test]
fn faults_name_the_field() {
    let broken = |hex: &str, want: Json, fault: &str| assert_eq!(read(hex), (want, fault.into()));
    broken(
        "08 01 12 09 61",
        json!({"a": 1, "unparsed": "120961"}),
        "p.m.b: needs 88 bits at bit 16, 24 left (the length before it)",
    );
    broken(
        "08 01 08",
        json!({"a": 1, "unparsed": "08"}),
        "p.m.a: needs 16 bits at bit 16, 8 left (a varint without an end)",
    );
    broken("0f", json!({"unparsed": "0f"}), "p.m: no such wire type at bit 0, 8 bits left");
    broken("00", json!({"unparsed": "00"}), "p.m: no field has this number at bit 0, 8 bits left");
    broken("5c", json!({"unparsed": "5c"}), "p.m: a group that never began at bit 0, 8 bits left");
    broken("5b 0801", json!({"unparsed": "5b0801"}), "p.m: needs 32 bits at bit 0, 24 left (a varint without an end)");
    broken(
        "08 01 1a 02 08 80 28 02",
        json!({"a": 1, "unparsed": "08802802"}),
        "p.m.c.a: needs 24 bits at bit 32, 16 left (a varint without an end)",
    );
    broken(
        "ffffffffffffffffffff01",
        json!({"unparsed": "ffffffffffffffffffff01"}),
        "p.m: too long a number at bit 0, 88 bits left (at most 10 groups)",
    );
}

#[test]
fn encode_errors_name_the_field() {
    let error = |fields: Json| Writer::new(&fields).write(&TABLE).unwrap_err().to_string();
    assert_eq!(error(json!({"aa": 1})), "aa: unknown field, did you mean \"a\"?");
    assert_eq!(error(json!({"c": {"a": "x"}})), "c.a: expected a whole number, got \"x\"");
    assert_eq!(error(json!({"e": ["x", 1]})), "e[1]: expected text, got 1");
    assert_eq!(
        error(json!({"unknown": [{"number": 0, "varint": 1}]})),
        "fields: expected a number, and one of varint, fixed32, fixed64, bytes, group, got {\"number\":0,\"varint\":1}"
    );
}

/// A list of megabytes is shown only up to the cap.
#[test]
fn a_list_without_measure() {
    let count = crate::codec::reader::MOST_NODES + 10;
    let mut bytes = vec![0x32];
    let mut length = count;
    while length > 0x7f {
        bytes.push(length as u8 & 0x7f | 0x80);
        length >>= 7;
    }
    bytes.push(length as u8);
    bytes.resize(bytes.len() + count, 1);
    let mut tree = Tree::default();
    let fault = Reader::new(&bytes, &mut tree).read(&TABLE).fault().expect("a fault");
    assert!(fault.to_string().contains("impossible count") && fault.limit.starts_with("more than"), "{fault}");
    assert!(tree.nodes().len() <= crate::codec::reader::MOST_NODES + 1);
}
