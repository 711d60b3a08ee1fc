//! A short text of every form, and the decisions between forms.

use super::{read, read_with};
use netkit::capture::hextext::Form::{self, *};
use netkit::capture::hextext::HexText;

pub(super) const WELCOME: &str = "0801000100";
pub(super) fn bytes(hex: &str) -> Vec<u8> {
    hex::decode(hex).unwrap()
}

pub(super) fn one(form: Form, text: &str, expected: &[u8]) {
    let found = read(text.as_bytes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let (_, _, line, _) = found.first().cloned().unwrap_or((form, None, 0, vec![]));
    assert_eq!(found, [(form, None, line, expected.to_vec())], "{text}");
}

#[test]
fn short_texts() {
    let welcome = bytes(WELCOME);
    for (form, text) in [
        (Plain, "0801000100"),
        (Plain, "  08 01 00\t01 00  "),
        (Plain, "0801 0001 00"),
        (Plain, "0801\n0001 00\n"),
        (Plain, "08:01:00:01:00"),
        (Plain, "08:01:00:\n01:00"),
        (Plain, "08-01-00-01-00"),
        (Plain, "08, 01, 00, 01, 00,"),
        (Plain, "08;01;00;01;00;"),
        (Plain, "08 01 # welcome, 99\n/* 77\n66 */ 00 01 00 // 55\n\n\n# end\n"),
        (HexList, "0x08 0x01 0x00 0x01 0x00"),
        (HexList, "0x08,0x01,0X00,\n0x01,0x00"),
        (HexList, "0x0801000100"),
        (HexList, "0x0801, 0x0001, 0x00"),
        (Array, "{ 0x08, 0x01, 0x00, 0x01, 0x00, };"),
        (Array, "[0x08, 0x01, 0x00,\n\n0x01, 0x00]"),
        (Array, "let x: &'static [u8; 5] = &[0x08, 0x01, 0x00, 0x01, 0x00]; // it's"),
        (Array, "vec![0x08, 0x01, 0x00, 0x01, 0x00]"),
        (Array, "const uint8_t x[5] =\n{\n0x08, 0x01, /* } */ 0x00, 0x01, 0x00\n};"),
        (Array, "bytes([0x08, 0x01, 0x00, 0x01, 0x00])"),
        (Array, "new byte[] { 0x08, 0x01, 0x00, 0x01, 0x00 };"),
        (Array, "data := []byte{0x08, 0x01, 0x00, 0x01, 0x00}"),
        (Array, "Buffer.from(new Uint8Array([0x08, 0x01, 0x00, 0x01, 0x00]));"),
        (Escaped, r"\x08\x01\x00\x01\x00"),
        (Escaped, r#""\x08\x01\x00\x01\x00""#),
        (Escaped, r#"b"\x08\x01\0\x01\0""#),
        (Escaped, r"x = b'\x08\x01\x00\x01\x00'"),
        (Escaped, "const char x[] =\n\"\\x08\\x01\"\n\"\\x00\\x01\\x00\";"),
        (Escaped, "\"\\x08\\x01\" + \\\n '\\x00\\x01\\x00'"),
        (Xxd, "00000000: 0801 0001 00                             ....."),
        (Xxd, "00000000: 0801 0001 00"),
        (Xxd, "0000: 08 01 00 01 00"),
        (Hexdump, "00000000  08 01 00 01 00   |.....|\n00000005"),
        (Od, "000000 08 01 00 01 00\n000005"),
        (Od, "0000000 08 01 00 01 00\n0000005"),
        (Wireshark, "0000   08 01 00 01 00   ....."),
        (Wireshark, "0000  08 01 00 01 00"),
        (Wireshark, "0000 08 01 00 01 00"),
    ] {
        one(form, text, &welcome);
    }
    one(Plain, "0000", &[0, 0]);
    one(Escaped, r#"b"ab""#, b"ab");
    one(Escaped, r"b'\x03abc\n\r\t\\\'\0'", b"\x03abc\n\r\t\\'\0");
    assert_eq!(read(b"").unwrap(), []);
    assert_eq!(read(b"\n \n# 08\n").unwrap(), []);
}

#[test]
fn text_columns_that_look_like_hex() {
    one(Xxd, "00000000: 6162 6364  abcd", b"abcd");
    one(Xxd, "00000000: 6162 6364 6162 6364  abcdabcd", b"abcdabcd");
    one(Hexdump, "00000000  61 62 63 64 |abcd|", b"abcd");
    one(Wireshark, "0000   61 62 63 64   abcd", b"abcd");
    one(Wireshark, "0000   61 62 63 64 61 62 63 64   abcdabcd", b"abcdabcd");
    // The first line shows that there is a text column.
    let dump = "0000  31 20 20 20 20 20 20 20  1\n0008  30 30 20 30 30 20 30 30  00 00 00";
    one(Wireshark, dump, b"1       00 00 00");
    one(Wireshark, "0000  20 20 61 20   a", b"  a ");
    one(Xxd, "0000: 207c 007c   |.|", b" |\0|");
    let stream = "00000000  47 45 54 20 2f 20 48 54  54 50 2f 31   GET / HT TP/1";
    one(Od, stream, b"GET / HTTP/1");
}

#[test]
fn a_line_each() {
    let lines = |text: &[u8]| {
        let found = read_with(HexText::new(text).lines(true)).unwrap();
        found.into_iter().map(|(_, _, line, b)| (line, b)).collect::<Vec<_>>()
    };
    assert_eq!(lines(b"0801\n02\n\n03"), [(1, vec![8, 1]), (2, vec![2]), (4, vec![3])]);
    assert_eq!(lines(b"0x08\n\\x02\n\"\\x03\""), [(1, vec![8]), (2, vec![2]), (3, vec![3])]);
    let dump = lines(b"0000  08 01\n0002  00\n0000  02");
    assert_eq!(dump, [(1, vec![8, 1, 0]), (3, vec![2])]);
}

#[test]
fn a_message_does_not_wait_for_the_next_one() {
    // The text after the first message would be refused, so reading it would show.
    for text in ["0801\n\nxx", "{0x08, 0x01};\nxx", "0000  08 01\n0002\nxx", "\"\\x08\\x01\";\nxx"] {
        let mut reader = HexText::new(text.as_bytes());
        assert_eq!(reader.next().unwrap().unwrap().bytes, [8, 1], "{text}");
        assert!(reader.next().is_err(), "{text}");
        assert!(reader.next().unwrap().is_none(), "{text}");
    }
}
