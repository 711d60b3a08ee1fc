//! Numbers in text: their values, and the texts that encode writes.

use crate::described::words::{encoded, fields, read};
use serde_json::json;

/// A file whose packet has these fields.
fn file(fields: &str) -> String {
    format!("protocol = \"toy\"\nencoding = \"be\"\n[packet.fields]\n{fields}\n")
}

#[test]
fn a_text_that_is_a_number_is_shown_as_one() {
    let decimal = file("n = { type = \"text\", until = \":\", number = { text = \"dec\" } }");
    for (text, value) in [
        ("0:", json!(0)),
        ("42:", json!(42)),
        ("-7:", json!(-7)),
        ("18446744073709551615:", json!(u64::MAX)),
        // The same number in another form.
        ("007:", json!({"raw": "303037", "bits": 24})),
        ("+5:", json!({"raw": "2b35", "bits": 16})),
        ("-0:", json!({"raw": "2d30", "bits": 16})),
    ] {
        assert_eq!(fields(&decimal, text.as_bytes())["n"], value, "{text}");
    }
    let hex = file("n = { type = \"string8\", number = { text = \"hex\" } }");
    assert_eq!(fields(&hex, b"\x021f")["n"], 31);
    assert_eq!(fields(&hex, b"\x021F")["n"], json!({"raw": "3146", "bits": 16}));
    assert_eq!(fields(&hex, b"\x040X1F")["n"], json!({"raw": "30583146", "bits": 32}));
    // A text of a fixed size begins with zeros.
    let fixed = file("n = { type = \"text\", size = 3, number = { text = \"dec\" }, enum = { welcome = 1 } }");
    assert_eq!([&fields(&fixed, b"001")["n"], &fields(&fixed, b"372")["n"]], [&json!("welcome"), &json!(372)]);
}

#[test]
fn what_is_no_number_or_too_large_is_a_fault() {
    let decimal = file("n = { type = \"text\", until = \":\", number = { text = \"dec\" } }");
    for (text, why) in [
        ("x:", "a text that is not a number"),
        (":", "a text that is not a number"),
        ("1 :", "a text that is not a number"),
        ("0x10:", "a text that is not a number"),
        ("18446744073709551616:", "does not fit into 64 bits"),
        ("-9223372036854775809:", "does not fit into 64 bits"),
        ("12", "no end"),
    ] {
        let line = &read(&decimal, text.as_bytes())[0];
        let fault = line["fault"]["text"].as_str().unwrap_or_default();
        assert!(fault.contains(why), "{text}: {line}");
        assert_eq!(line["fields"]["unparsed"], hex::encode(text), "{line}");
    }
}

#[test]
fn numbers_in_text_are_lengths_counts_and_ids() {
    let length = file(
        "n = { type = \"text\", until = \":\", number = { text = \"dec\" }, hidden = true }\n\
         v = { type = \"text\", size = \"n\" }\nz = \"u8\"",
    );
    assert_eq!(fields(&length, b"5:hello!"), json!({"v": "hello", "z": 33}));
    assert_eq!(fields(&length, b"12:hello, world!"), json!({"v": "hello, world", "z": 33}));
    // Another form of the length is shown, so that encode gives it back.
    assert_eq!(fields(&length, b"05:hello!"), json!({"n": {"raw": "3035", "bits": 16}, "v": "hello", "z": 33}));
    let line = &read(&length, b"9:hello!")[0];
    assert!(line["fault"]["text"].as_str().unwrap().contains("length 9 from n"), "{line}");

    let count = file(
        "n = { type = \"text\", size = 2, number = { text = \"hex\" }, hidden = true }\nlist = \"u8[n]\"\nz = \"u8\"",
    );
    assert_eq!(fields(&count, b"02\x01\x02\x03"), json!({"list": [1, 2], "z": 3}));

    let id = "protocol = \"toy\"\n[packet.fields]\n\
        code = { type = \"text\", until = \" \", number = { text = \"dec\" }, hidden = true }\n\
        body = { type = \"message\", by = \"code\" }\n\
        [[message]]\nid = 7\nname = \"seven\"\n[message.fields]\nx = { type = \"u8\", if = \"code == 7\" }\n\
        [[message]]\nid = 404\nname = \"missing\"\n[message.fields]\nwhy = \"text\"\n";
    assert_eq!(read(id, b"7 x")[0]["message"], "seven");
    let line = &read(id, b"404 gone")[0];
    assert_eq!((&line["message"], &line["fields"]["why"]), (&json!("missing"), &json!("gone")));
    assert_eq!(read(id, b"5 x")[0]["message"], "unknown");
}

#[test]
fn encode_writes_what_is_not_shown() {
    let both = file(
        "n = { type = \"text\", until = \":\", number = { text = \"dec\" }, hidden = true }\n\
         m = { type = \"text\", size = 3, number = { text = \"dec\" }, hidden = true }\n\
         a = { type = \"bytes\", size = \"n\" }\nb = { type = \"bytes\", size = \"m\" }\n\
         c = { type = \"text\", until = \";\", number = { text = \"dec\" }, default = -3 }",
    );
    // The first length has more digits than before anything was written.
    let written = encoded(&both, &json!({"a": "61".repeat(12), "b": "62"}));
    assert_eq!(written.unwrap(), b"12:001aaaaaaaaaaaab-3;");
    let why = encoded(&both, &json!({"a": "", "b": "62".repeat(1000), "c": 1})).unwrap_err();
    assert!(why.contains("m is at most 999"), "{why}");
    let hex = file("n = { type = \"text\", number = { text = \"hex\" } }");
    assert_eq!(encoded(&hex, &json!({"n": 0xbeef})).unwrap(), b"beef");
    assert!(encoded(&hex, &json!({"n": -1})).unwrap_err().contains("out of range: 0 to"));
}
