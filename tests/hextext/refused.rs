//! Refused texts, with the exact place and reason.

use super::read;

fn refused(text: impl AsRef<[u8]>) -> String {
    let text = text.as_ref();
    match read(text) {
        Ok(found) => format!("nothing: read as {found:?}"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn places_and_reasons() {
    let mut wrong = Vec::new();
    for (text, place, part) in [
        ("08 01\n00 0g", (2, 5), "'g' is not a hex digit"),
        ("0801é", (1, 5), "'é' is not a hex digit"),
        ("é", (1, 1), "'é'"),
        ("hello world", (1, 1), "'h'"),
        ("0801000", (1, 1), "an odd number of hex digits (7) in \"0801000\""),
        ("08 1 00", (1, 4), "odd number of hex digits (1) in \"1\""),
        ("08,,01", (1, 4), "','"),
        ("08::01", (1, 3), "':'"),
        ("fe80:0001", (1, 5), "':'"),
        ("08\u{a0}01", (1, 3), "'\\u{a0}'"),
        ("0801#02", (1, 5), "'#'"),
        ("/* 08 01\n02", (1, 1), "'/' is never closed"),
        ("08 01\n0x02", (2, 2), "'x' is not a hex digit"),
        // An offset, or data.
        ("0000 0801 0001", (1, 1), "\"0000 0801 0001\" could begin with an offset"),
        ("0000 08", (1, 1), "could begin with an offset"),
        ("00000000 08010001", (1, 1), "could begin with an offset"),
        ("0010 08 01 00", (1, 1), "could begin with an offset"),
        ("0010  08", (1, 1), "could begin with an offset"),
        ("0801\n0010 08 01 00", (2, 1), "could begin with an offset"),
        ("0010 0801 0001\n0014 0801", (2, 1), "could begin with an offset"),
        ("0000000 0108 0100", (1, 1), "words of `hexdump`"),
        ("0000000 010 001 000", (1, 1), "words of `hexdump`"),
        ("0000000  16  32  48", (1, 1), "words of `hexdump`"),
        // A text column, or data.
        ("61 62 63 64  abcd", (1, 14), "\"abcd\" could be the text column or more bytes"),
        ("0000  30 30 20 30 30 20 30 30  00 00 00", (1, 32), "\"00 00 00\" could be the text"),
        ("00000000: 6162 6364  abce", (1, 25), "has 'e' where the byte is 0x64"),
        ("00000000  08 01  |...|", (1, 18), "\"|...|\" does not have one character"),
        ("00000000  61 62  |ac|", (1, 20), "has 'c' where the byte is 0x62"),
        ("00000000: 08010001 00000000  ........", (1, 1), "could be `xxd -e`"),
        ("00000000: 08010001", (1, 1), "could be `xxd -e`"),
        ("00000000: 34333231  1234", (1, 21), "has '1' where the byte is 0x34"),
        ("00000000: 00000111 00000010  ..", (1, 30), "does not have one character"),
        // Offsets that do not continue.
        ("00000010: 0801", (1, 1), "begins at offset 00000010, not at 0"),
        ("0000: 0801\n0003: 00", (2, 1), "offset 0003 where 0x2 is expected"),
        ("0000: 0801 0001\n0002: 00", (2, 1), "offset 0002 where 0x4 is expected"),
        ("0000  08 01\n0801", (2, 1), "offset 0801 where 0x2 is expected"),
        ("0000  08 01\n08 01", (2, 1), "expected an offset here, 0x2"),
        ("0000  08 01\nhello", (2, 1), "expected an offset here, 0x2"),
        ("00000000  08 01  |..|\n00000003", (2, 1), "offset 00000003 where 0x2 is expected"),
        ("0000  08 0g", (1, 11), "'g' is not a hex digit"),
        ("0000  08 01  00", (1, 14), "the text column has '0' where the byte is 0x08"),
        ("0000  08 0102", (1, 10), "\"0102\" is not as long as the groups"),
        ("0000: 0801 00 0001", (1, 15), "\"0001\" is not as long as the groups"),
        ("0000: 0801 000", (1, 12), "odd number of hex digits (3)"),
        ("0000  08 01\n\n0002", (3, 1), "\"0002\" could begin with an offset"),
        // Repeated lines.
        ("*\n0000  08", (1, 1), "'*' is not a hex digit"),
        ("0000  08 01\n*", (2, 1), "there is no line after it"),
        ("0000  08 01\n*\n*", (3, 1), "there is no line before it"),
        ("0000  08 01\n*\n0005  00", (3, 1), "offset 0005 where 0x2 is expected"),
        ("0000000 08 01\n*\n0000020", (3, 1), "could be octal, decimal or hex"),
        // Source code.
        ("{ 0x08, 1 }", (1, 9), "\"1\" has no 0x"),
        ("bytes([8, 1, 0])", (1, 8), "\"8\" has no 0x"),
        ("0x08, 01", (1, 7), "\"01\" has no 0x"),
        ("0x08, 0x1", (1, 9), "odd number of hex digits (1)"),
        ("0x08, 0x0g", (1, 10), "'g' is not a hex digit"),
        ("uint16_t x[] = { 0x0801 };", (1, 18), "0x0801 in an array"),
        ("{ 0x08, 0x01", (1, 1), "'{' is never closed"),
        ("{ 0x08 ]", (1, 8), "']' is unexpected here"),
        ("[0x08; 5]", (1, 6), "';' is unexpected here"),
        ("hello 0x08", (1, 1), "'h' is unexpected here"),
        ("{0x08}; char b[] = {0x09};", (1, 9), "'c' is unexpected here"),
        ("[[0x08], [0x09]]", (1, 8), "',' is unexpected here"),
        ("int x = 5;", (1, 9), "\"5\" has no 0x"),
        ("use foo(bar);", (1, 1), "no hex bytes follow"),
        ("char a_len[] = {0x08};\nunsigned int a_len = 2;", (2, 22), "the declared length is 2, but the array has 1"),
        ("\"0801\"", (1, 1), "without \\x escapes"),
        ("\"\\x08", (1, 1), "'\"' is never closed"),
        (r#""\x8""#, (1, 5), "'\"' is not a hex digit"),
        (r#""\x08\q""#, (1, 6), "the escape \\q is not read"),
        (r#""\x08\012""#, (1, 6), "the escape \\0 is not read"),
        ("\"\\x08é\"", (1, 6), "'é' is unexpected here"),
        (r#"r"\x08""#, (1, 1), "'r' is unexpected here"),
        (r"\x08 01", (1, 6), "'0' is unexpected here"),
        (r"\x08\n", (1, 5), "the escape \\n is not read"),
        (r#"printf "\x08""#, (1, 1), "'p' is unexpected here"),
        ("#define X \"\\x08\"", (1, 1), "'#' is unexpected here"),
        ("b\"\"", (1, 1), "no hex bytes"),
        // tcpdump.
        ("12:00:00.000000 IP a > b: UDP", (1, 1), "a tcpdump line without bytes"),
        ("IP a > b: UDP\n0801", (1, 1), "a tcpdump line without bytes"),
        ("\t0x0000:  4500 0g", (1, 17), "'g' is not a hex digit"),
        ("0x0010:  4500", (1, 3), "begins at offset 0010"),
    ] {
        let error = refused(text);
        let (line, column) = place;
        let place = format!("line {line}, column {column}: ");
        if !error.starts_with(&place) || !error.contains(part) {
            wrong.push(format!("{text:?}: expected {place}{part}, got {error}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn characters_are_named() {
    for (text, character) in
        [(&b"08 0g"[..], Some('g')), (b"08 \xff", Some('\u{fffd}')), (b"080", None), (b"0000  08 01\n@", Some('@'))]
    {
        assert_eq!(read(text).unwrap_err().character, character);
    }
}

#[test]
fn fixtures() {
    let words = include_str!("../../fixtures/hex/refused-hexdump-words.txt");
    assert!(refused(words).contains("use `hexdump -C`"));
    let turned = include_str!("../../fixtures/hex/refused-xxd-e.txt");
    let reason = "line 7, column 56: the text column has '.' where the byte is 0x73";
    assert_eq!(refused(turned), reason);
    let stray = include_str!("../../fixtures/hex/refused-stray.txt");
    assert_eq!(refused(stray), "line 1, column 11: 'g' is not a hex digit");
}

#[test]
fn too_long() {
    let line = vec![b'0'; (16 << 20) + 1];
    assert!(refused(&line).contains("line of more than 16 MiB"));
    let star = "0000000000  00 01\n*\nffffffffe0\n";
    assert!(refused(star).contains("message of more than 64 MiB"));
    assert!(refused("[x]".repeat(100)).contains("line 1, column 151: '[' is unexpected here"));
    let wide = format!("0000: {}", "00".repeat(257));
    assert!(refused(wide).contains("more than 256 bytes"));
}
