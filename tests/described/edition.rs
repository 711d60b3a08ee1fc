//! Numbers of several sizes, lists with an end mark, notations: their fields, the bytes that encode writes, and the
//! mistakes in them.

use crate::described::words::{encoded, plain, read};
use netkit::protocols::described::load;
use serde_json::json;

/// The mistake that the loader reports for these packet fields.
fn mistake(fields: &str) -> String {
    let file = format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}");
    load("test.toml", &file).expect_err(fields).reason
}

#[test]
fn bytes_with_a_notation() {
    let file = "a = \"ipv6\"\nb = \"mac\"\nc = \"uuid\"\nd = \"ipv6[*]\"";
    let bytes = "fe800000000000000000000000000001\
                 02005e100001\
                 123e4567e89b12d3a456426614174000\
                 00000000000000000000000000000000";
    assert_eq!(
        plain(file, &hex::decode(bytes).unwrap()),
        json!({
            "a": "fe80::1",
            "b": "02:00:5e:10:00:01",
            "c": "123e4567-e89b-12d3-a456-426614174000",
            "d": ["::"],
        })
    );
    // The mask of a STUN server.
    let masked = "a = { type = \"ipv6\", xor = \"2112a442000102030405060708090a0b\" }";
    assert_eq!(plain(masked, &hex::decode("21129442000102030405060708090a0a").unwrap()), json!({"a": "0:3000::1"}));
    assert!(mistake("a = { type = \"mac\", scale = 2 }").contains("scale is for whole numbers"));
    assert!(mistake("a = \"ipv5\"").contains("did you mean"));
}

#[test]
fn numbers_that_say_that_a_longer_one_follows() {
    let web = "n = { type = \"u8\", 126 = \"u16\", 127 = \"u64\" }\nv = { type = \"bytes\", size = 1 }";
    assert_eq!(plain(web, b"\x7dx"), json!({"n": 125, "v": "78"}));
    assert_eq!(plain(web, b"\x7e\x01\x00x"), json!({"n": 256, "v": "78"}));
    assert_eq!(plain(web, b"\x7f\0\0\0\0\0\x01\0\0x"), json!({"n": 65536, "v": "78"}));
    // A longer form than needed is shown with its bytes.
    assert_eq!(plain(web, b"\x7e\x00\x05x"), json!({"n": {"raw": "7e0005", "bits": 24}, "v": "78"}));
    // As a length: before the field, and as a hidden field further ahead.
    let size = "v = { type = \"bytes\", size = { type = \"u8\", 254 = \"u16\" } }\nz = \"u8\"";
    let long = [&b"\xfe\x01\x2c"[..], &[7; 300], b"z"].concat();
    assert_eq!(plain(size, &long), json!({"v": "07".repeat(300), "z": 122}));
    assert_eq!(plain(size, b"\x02abz"), json!({"v": "6162", "z": 122}));
    assert_eq!(plain(size, b"\xfe\0\x02abz")["v_length"], json!({"raw": "fe0002", "bits": 24}));
    let hidden = "n = { type = \"u8\", 254 = \"u16\", hidden = true }\nk = \"u8\"\nv = { type = \"bytes\", size = \"n\" }\nz = \"u8\"";
    let long = [&b"\xfe\x01\x2ck"[..], &[7; 300], b"z"].concat();
    assert_eq!(plain(hidden, &long), json!({"k": 107, "v": "07".repeat(300), "z": 122}));
    assert_eq!(plain(hidden, b"\x01kvz"), json!({"k": 107, "v": "76", "z": 122}));
    assert!(plain(hidden, b"\xfe\0\x01kvz").get("n").is_some());
    for (fields, why) in [
        ("n = { type = \"u8\", 300 = \"u16\" }", "300: the number is at most 255"),
        ("n = { type = \"u8\", 3 = \"text\" }", "3: expected u8, u16, u32 or u64"),
        ("n = { type = \"varint\", 3 = \"u8\" }", "not for varint"),
        ("n = { type = \"text\", 3 = \"u8\" }", "is for numbers and counts"),
        ("n = { type = \"u8\", 3 = { plus = 1 } }", "3: type is missing"),
        ("n = { type = \"u8\", 3 = { type = \"u8\", plsu = 1 } }", "did you mean \"plus\""),
    ] {
        assert!(mistake(fields).contains(why), "{fields}: {}", mistake(fields));
    }
}

#[test]
fn options_of_coap() {
    let option = "options = { type = \"option[*]\", until = 0xff, or_end = true }\npayload = { type = \"bytes\", optional = true }\n\
        [struct.option]\nhead = { type = \"u8\", bits = { more = { at = \"7..4\", hidden = true }, size = { at = \"3..0\", hidden = true } } }\n\
        delta = { of = \"more\", 13 = { type = \"u8\", plus = 13 }, 14 = { type = \"u16\", plus = 269 } }\n\
        value = { type = \"bytes\", size = { type = \"size\", 13 = { type = \"u8\", plus = 13 }, 14 = { type = \"u16\", plus = 269 } } }";
    let one = |delta: u32, value: &str| json!({"delta": delta, "value": value});
    assert_eq!(
        plain(option, b"\xb1a\x01b\xffhi"),
        json!({"options": [one(11, "61"), one(0, "62")], "payload": "6869"})
    );
    assert_eq!(plain(option, b"\xb1a"), json!({"options": [one(11, "61")]}));
    // The mark, and no bytes after it.
    assert_eq!(plain(option, b"\xb1a\xff"), json!({"options": [one(11, "61")], "options_end": 255}));
    assert_eq!(plain(option, b""), json!({"options": []}));
    assert_eq!(plain(option, b"\xd1\x00a"), json!({"options": [one(13, "61")]}));
    assert_eq!(plain(option, b"\xe0\x01\x00"), json!({"options": [one(525, "")]}));
    let long = [&b"\x0d\x02"[..], &[7; 15]].concat();
    assert_eq!(plain(option, &long), json!({"options": [one(0, &"07".repeat(15))]}));
    let longer = [&b"\xee\x01\x00\x00\x01"[..], &[7; 270]].concat();
    assert_eq!(plain(option, &longer), json!({"options": [one(525, &"07".repeat(270))]}));
    // 15 is not a valid form of a length: it is shown, and encoded again.
    let reserved = [&b"\x0f"[..], &[7; 15]].concat();
    assert_eq!(plain(option, &reserved)["options"][0]["size"], json!(15));
    plain(option, b"\xd1");
    plain(option, b"\x0d\x40a");
}

#[test]
fn counts_that_count_more() {
    let less = "v = { type = \"u8[u8]\", plus = -1 }\nz = \"u8\"";
    assert_eq!(plain(less, b"\x01abz"), json!({"v": [97, 98], "z": 122}));
    let more = "n = { type = \"u8\", hidden = true }\nv = { type = \"u8[n]\", plus = 2 }\nz = \"u8\"";
    assert_eq!(plain(more, b"\x04abz"), json!({"v": [97, 98], "z": 122}));
    assert!(plain(more, b"\x01abz")["unparsed"].is_string());
    let number = "n = { type = \"u8\", plus = -1 }";
    assert_eq!(plain(number, b"\x01"), json!({"n": 2}));
    assert!(mistake("v = { type = \"u8[*]\", plus = 1 }").contains("plus is for numbers and counts"));
    assert!(mistake("v = { type = \"u8[3]\", plus = 1 }").contains("no earlier field"));
}

/// Lengths of BER: above 127, only longer forms.
#[test]
fn short_forms_have_a_largest_number() {
    let file = "n = { type = \"u8\", most = 127, 129 = \"u8\", 130 = \"u16\" }\nz = \"u8\"";
    for (bytes, n) in [(&b"\x7fz"[..], 127), (b"\x81\x80z", 128), (b"\x81\xffz", 255), (b"\x82\x01\0z", 256)] {
        assert_eq!(plain(file, bytes), json!({"n": n, "z": 122}));
        let text = format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{file}");
        assert_eq!(encoded(&text, &json!({"n": n, "z": 122})).unwrap(), bytes);
    }
    // A form that is too long, and a short one that is too large.
    assert_eq!(plain(file, b"\x81\x7fz")["n"], json!({"raw": "817f", "bits": 16}));
    assert_eq!(plain(file, b"\x80z")["n"], json!({"raw": "80", "bits": 8}));
    let long = [&b"\x81\xc8"[..], &[b'x'; 200]].concat();
    let text = "v = { type = \"text\", size = { type = \"u8\", most = 127, 129 = \"u8\" } }";
    assert_eq!(plain(text, &long), json!({"v": "x".repeat(200)}));
    // A region that is cut, with its length in another form, and one that is less than what it counts.
    let region = "v = { type = \"s\", size = { type = \"u8\", plus = 1, 1 = { type = \"u16\", plus = -2 } } }\n[struct.s]\nx = \"bytes\"";
    for packet in [&b"\x01\0\x0b\x0c\x01\0"[..], b"\x01\0\x02\x0c", b"\x09\x01", b"\0"] {
        assert_eq!(plain(region, packet), json!({"unparsed": hex::encode(packet)}));
    }
    let list = "n = { type = \"u8[u8]\", most = 1, 9 = \"u16\" }";
    assert_eq!(plain(list, b"\x09\0\x02ab"), json!({"n": [97, 98]}));
    assert_eq!(plain(list, b"\x01a"), json!({"n": [97]}));
}

#[test]
fn lists_that_go_on_while_an_element_says_so() {
    let chain = "v = { type = \"link[*]\", while = \"link.more\" }\nz = \"u8\"\n\
        [struct.link]\nhead = { type = \"u8\", bits = { id = \"6..0\", more = 7 } }\nb = \"u8\"";
    assert_eq!(
        plain(chain, b"\x81a\x02bz"),
        json!({"v": [{"id": 1, "more": true, "b": 97}, {"id": 2, "more": false, "b": 98}], "z": 122})
    );
    assert_eq!(plain(chain, b"\x02bz"), json!({"v": [{"id": 2, "more": false, "b": 98}], "z": 122}));
    plain(chain, b"\x81a\x82b");
    plain(chain, b"\x81a\x82");
    plain(chain, b"");
    let numbers = "v = { type = \"u8[*]\", while = \"v != 0\" }\nz = \"u8\"";
    assert_eq!(plain(numbers, b"ab\0z"), json!({"v": [97, 98, 0], "z": 122}));
    let words =
        "v = { type = \"word[*]\", while = \"word.text != ''\" }\nz = \"u8\"\n[struct.word]\ntext = \"string8\"";
    assert_eq!(plain(words, b"\x01a\0z"), json!({"v": [{"text": "a"}, {"text": ""}], "z": 122}));
    for (fields, why) in [
        ("v = { type = \"u8[u8]\", while = \"v\" }", "while is for lists T[*]"),
        ("a = \"u8\"\nv = { type = \"u8[*]\", while = \"a\" }", "the condition does not use v or a field of it"),
        ("v = { type = \"u8[*]\", while = \"v\", until = 0 }", "without another end"),
        ("v = { type = \"s[*]\", while = \"s.x\" }\n[struct.s]\na = \"u8\"", "memory is called \"s.x\""),
    ] {
        assert!(mistake(fields).contains(why), "{fields}: {}", mistake(fields));
    }
}

#[test]
fn texts_are_compared_byte_by_byte() {
    let file = "protocol = \"toy\"\n[packet.fields]\nword = \"string8\"\n\
        body = { type = \"message\", by = \"word\", if = \"word != 'stop'\" }\nrest = { type = \"bytes\", if = \"word == 'stop'\" }\n\
        [[message]]\nid = \"Costarring\"\nname = \"one\"\n[[message]]\nid = \"\u{e4}\"\nname = \"two\"\n";
    assert_eq!(read(file, b"\x0aCostarring")[0]["message"], "one");
    assert_eq!(read(file, b"\x0aliquid\0\0\0\0")[0]["message"], "unknown");
    assert_eq!(read(file, "\x02\u{e4}".as_bytes())[0]["message"], "two");
    assert_eq!(read(file, b"\x04stop!")[0]["fields"]["rest"], "21");
    assert_eq!(read(file, b"\x00")[0]["message"], "unknown");
}

#[test]
fn what_has_no_effect_is_refused() {
    let head = "protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\nname = \"string8\"\nseq = \"u16\"\nbody = { type = \"message\", by = \"u8\" }\n";
    let message = "[[message]]\nid = 1\nname = \"say\"\n[message.fields]\ntext = \"string8\"\n";
    let why = |more: &str| load("test.toml", &format!("{head}{message}{more}")).expect_err(more);
    for (more, part) in [
        ("[recognise]\nserver = \"name == 'x'\"\n", "a condition here can use numbers only"),
        (
            "[numbers.all]\nnumber = \"packet.seq\"\nif = \"packet.name == 'x'\"\n",
            "a condition here can use numbers only",
        ),
        ("[numbers.all]\nnumber = \"packet.seq\"\nif = \"xyz.seq == 1\"\n", "no message \"xyz\" has fields"),
        (
            "[[message]]\nid = 2\nname = \"part\"\n[message.fields]\nk = \"u8\"\nn = \"u8\"\nt = \"string8\"\n\
             d = { type = \"bytes\", join = { if = \"t == 'x'\", index = \"k\", count = \"n\" } }\n",
            "a condition here can use numbers only",
        ),
        (
            "[[message]]\nid = 2\nname = \"inner\"\n[message.fields]\nseq = \"u8\"\nb = { type = \"message\", by = \"u8\" }\n\
             [[message]]\nid = 1\nname = \"leaf\"\nmessage = \"inner\"\n",
            "seq: a header around inner has the name, too",
        ),
        (
            "[memory]\nstate = 0\n[numbers.all]\nnumber = \"packet.seq\"\nif = \"state == 1\"\n",
            "if: state: only fields",
        ),
        ("[numbers.all]\nnumber = \"packet.seq\"\nif = \"from == client\"\n", "if: from: only fields"),
        (
            "[[message]]\nid = 2\nname = \"reply\"\nfields = { no = \"u8\" }\n\
             [requests.all]\nasks = \"say\"\nanswers = \"reply\"\nby = \"no\"\n",
            "by: say has no field no",
        ),
    ] {
        assert!(why(more).reason.contains(part), "{more}: {}", why(more));
    }
}

#[test]
fn names_that_point_back() {
    let file = "a = { type = \"string8[*]\", until = 0, joined = \".\", back = 0xc000 }\n\
        b = { type = \"string8[*]\", until = 0, joined = \".\", back = 0xc000 }\nz = \"u8\"";
    let shown = |a: &str, b: &str| json!({"a": a, "b": b, "z": 122});
    let table = file.replace("0xc000", "{ at = \"low 14 bits\", from = \"packet\" }");
    assert_eq!(plain(&table, b"\x01a\x02bc\0\x01d\xc0\x02z"), shown("a.bc", "d.bc"));
    let fifteen = file.replace("0xc000", "{ at = \"low 15 bits\" }");
    assert_eq!(plain(&fifteen, b"\x01a\x02bc\0\x01d\x80\x02z"), shown("a.bc", "d.bc"));
    assert_eq!(plain(file, b"\x01a\x02bc\0\x01d\xc0\x02z"), shown("a.bc", "d.bc"));
    assert_eq!(plain(file, b"\x01a\x02bc\0\xc0\x00z"), shown("a.bc", "a.bc"));
    assert_eq!(plain(file, b"\0\0z"), shown("", ""));
    // If encode would write a name differently (in full, or with another pointer), its bytes are shown in a second
    // field.
    let out = plain(file, b"\x01a\x02bc\0\x01d\x02bc\0z");
    assert_eq!(out, json!({"a": "a.bc", "b": "d.bc", "b_wire": "016402626300", "z": 122}));
    assert_eq!(plain(file, b"\x01a\x01a\0\xc0\x02z")["b"], "a");
    // They count as long as they have the same text.
    let whole = format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{file}");
    let line =
        |b: &str| encoded(&whole, &json!({"a": "a.bc", "b": b, "b_wire": "016402626300", "z": 122})).map(hex::encode);
    assert_eq!(line("d.bc"), Ok("0161026263000164026263007a".into()));
    let longer = json!({"a": "a.bc", "b": "d.bc", "b_wire": "016402626300ffff", "z": 122});
    assert_eq!(encoded(&whole, &longer).map(hex::encode), Ok("0161026263000164c0027a".into()));
    assert_eq!(line("x.bc"), Ok("0161026263000178c0027a".into()));
    // Invalid text, or text that contains the separator, cannot be shown as a name.
    assert_eq!(plain(file, b"\x03a.b\0\0z")["a"], json!({"raw": "03612e6200", "bits": 40}));
    assert_eq!(plain(file, b"\x01\xff\0\xc0\x00z")["a"], json!({"raw": "01ff00", "bits": 24}));
    // Loops, pointers that do not point back, invalid lengths, and truncated names.
    for packet in [
        &b"\xc0\x00"[..],
        b"\x01a\xc0\x00",
        b"\x01a\0\xc0\x03z",
        b"\x01a\0\xc0\x09z",
        b"\x81a\0z",
        b"\x05ab",
        b"\x01a",
        b"\x01a\0\xc0",
    ] {
        assert!(plain(file, packet).get("unparsed").is_some(), "{packet:x?}");
    }
    let many = [&b"\x01a".repeat(200)[..], b"\0\0z"].concat();
    assert!(plain(file, &many).get("unparsed").is_some());
    // Under a length in a field of its own, and in lists.
    let list = "n = { type = \"u8\", hidden = true }\nv = { type = \"r\", size = \"n\" }\nw = \"r[*]\"\n[struct.r]\n\
        a = { type = \"string8[*]\", until = 0, joined = \".\", back = 0xc000 }";
    assert_eq!(
        plain(list, b"\x03\x01a\0\xc0\x01\x01b\xc0\x01"),
        json!({"v": {"a": "a"}, "w": [{"a": "a"}, {"a": "b.a"}]})
    );
    // Without pointers.
    let alone = "a = { type = \"string8[*]\", until = 0, joined = \"/\" }\nz = \"u8\"";
    assert_eq!(plain(alone, b"\x01a\x02bc\0z"), json!({"a": "a/bc", "z": 122}));
    let long = [&b"\xc8"[..], &[b'x'; 200], b"\0z"].concat();
    assert_eq!(plain(alone, &long), json!({"a": "x".repeat(200), "z": 122}));
}

#[test]
fn several_ends_that_are_not_there() {
    let file = "a = { type = \"u8[*]\", until = 3, or_end = true }\nb = { type = \"text\", until = \"/\", or_end = true }\n\
        c = { type = \"text\", until = \"/\", or_end = true }";
    for packet in [&b"\x01"[..], b"\x01\x03", b"\x01\x03a", b"\x01\x03a/", b"\x01\x03a/b", b"\x01\x03/", b"\x03", b""] {
        plain(file, packet);
    }
}
