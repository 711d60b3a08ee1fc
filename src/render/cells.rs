//! One value in a table of separated values: RFC 4180, with any separator.
//!
//! Quoting is a dozen lines. A crate for it would need the whole cell as text first, while these cells are appended
//! from existing JSON.

use crate::codec::runs::{before, eight};
use crate::printable::{Printable, tricky};
use std::fmt::Write as _;

/// Turns the JSON value from `start` to the end of `out` into a cell; nothing and null become empty cells. Numbers and
/// plain texts, the most frequent values, stay in place. `scratch` is for all others.
#[inline]
pub fn finish(start: usize, separator: u8, scratch: &mut Vec<u8>, out: &mut Vec<u8>) {
    match out.get(start..).unwrap_or_default() {
        [] | [b'0'..=b'9'] | [b'0'..=b'9' | b'-', .., b'0'..=b'9'] => {}
        [b'"', inside @ .., b'"'] if is_cell(inside, separator) => {
            out.pop();
            out.remove(start);
        }
        value => {
            scratch.clear();
            scratch.extend_from_slice(value);
            out.truncate(start);
            json(scratch, separator, out);
        }
    }
}

/// Whether the inside of a JSON string is already a cell: printable ASCII only, no quotes, escapes or separators, not a
/// formula.
fn is_cell(text: &[u8], separator: u8) -> bool {
    let marks = |word: u64| {
        let others = [b'"', b'\\', separator, 0x7f].map(|byte| (word ^ eight(byte)).wrapping_sub(eight(1)));
        (others.iter().fold(word.wrapping_sub(eight(b' ')), |all, one| all | one) & !word) | word
    };
    let special = |byte| !matches!(byte, b' '..=b'~') || matches!(byte, b'"' | b'\\') || byte == separator;
    !matches!(text, [b'=' | b'+' | b'-' | b'@', ..]) && before(text, marks, special) == text.len()
}

/// Whether all bytes are printable ASCII. The loop never ends early, so that the compiler can vectorise it.
fn plain(text: &[u8]) -> bool {
    text.iter().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'))
}

/// Writes a text as a cell, in quotes if it contains the separator or a quote.
///
/// Control and invisible characters are escaped as on the terminal, so that a row is always one line. A text that a
/// spreadsheet would calculate (it begins with `=`, `+`, `-` or `@`) gets an apostrophe in front, because it may be an
/// attacker's.
pub fn text(text: &str, separator: u8, out: &mut Vec<u8>) {
    let shown = Printable(text).to_string();
    quoted(shown.starts_with(['=', '+', '-', '@']), shown.as_bytes(), separator, out);
}

/// Writes a JSON value as a cell: strings without their quotes, null as nothing, all others unchanged.
fn json(value: &[u8], separator: u8, out: &mut Vec<u8>) {
    match value {
        b"null" | b"" => {}
        [b'"', inside @ .., b'"'] => match std::str::from_utf8(inside) {
            Ok(inside) if !inside.contains('\\') => text(inside, separator, out),
            // A JSON body may hold half of a surrogate pair, which is shown as it was sent.
            _ => match serde_json::from_slice::<String>(value) {
                Ok(whole) => text(&whole, separator, out),
                Err(_) => text(&String::from_utf8_lossy(inside), separator, out),
            },
        },
        _ if plain(value) => quoted(false, value, separator, out),
        _ => quoted(false, one_line(&String::from_utf8_lossy(value)).as_bytes(), separator, out),
    }
}

/// Replaces control characters between JSON values by blanks, and escapes invisible characters.
fn one_line(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Only between values: inside strings they are already escaped.
            ..' ' => text.push(' '),
            // Writing to a string cannot fail.
            c if c == '\u{7f}' || tricky(c) => {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(text, "\\u{unit:04x}"));
            }
            c => text.push(c),
        }
    }
    text
}

/// Writes a text without line feeds, in quotes if necessary; each quote in it is doubled.
fn quoted(formula: bool, text: &[u8], separator: u8, out: &mut Vec<u8>) {
    let around: &[u8] = if memchr::memchr2(b'"', separator, text).is_some() { b"\"" } else { b"" };
    out.extend_from_slice(around);
    out.extend_from_slice(if formula { b"'" } else { b"" });
    let mut rest = text;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        let (run, after) = rest.split_at(quote + 1);
        out.extend_from_slice(run);
        out.push(b'"');
        rest = after;
    }
    out.extend_from_slice(rest);
    out.extend_from_slice(around);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(value: &str, separator: u8) -> String {
        let (mut json, mut scratch, mut out) = (Vec::new(), Vec::new(), b"1,".to_vec());
        super::json(value.as_bytes(), separator, &mut json);
        out.extend_from_slice(value.as_bytes());
        finish(2, separator, &mut scratch, &mut out);
        assert_eq!(out.strip_prefix(b"1,"), Some(json.as_slice()));
        String::from_utf8(json).unwrap()
    }

    #[test]
    fn values_and_their_cells() {
        for (value, csv) in [
            ("null", ""),
            ("12", "12"),
            ("-12.5", "-12.5"),
            ("7", "7"),
            ("", ""),
            ("true", "true"),
            (r#""plain""#, "plain"),
            (r#""""#, ""),
            (r#""a,b""#, r#""a,b""#),
            (r#""say \"so\"""#, r#""say ""so""""#),
            (r#""two\nlines\r\u0000\u001b[2J""#, "two\\nlines\\r\\u{0}\\u{1b}[2J"),
            ("\"\u{202e}x\"", "\\u{202e}x"),
            (r#""C:\\x""#, "C:\\x"),
            (r#""\ud800""#, "\\ud800"),
            (r#""\ud83d\ude00""#, "😀"),
            // Texts that a spreadsheet would calculate. Numbers stay numbers.
            (r#""=1+1""#, "'=1+1"),
            (r#""-2+3""#, "'-2+3"),
            (r#""+4\",\"""#, r#""'+4"",""""#),
            (r#""@SUM(1)""#, "'@SUM(1)"),
            (r#""\t=1""#, "\\t=1"),
            ("[1,2]", r#""[1,2]""#),
            ("[1]", "[1]"),
            (r#"["a"]"#, r#""[""a""]""#),
            ("\n[1]", " [1]"),
            ("{\"a\":\n1,\"b\":\"\u{202e}\"}", "\"{\"\"a\"\": 1,\"\"b\"\":\"\"\\u202e\"\"}\""),
        ] {
            assert_eq!(cell(value, b','), csv, "{value}");
        }
        assert_eq!(cell("[1,2]", b'\t'), "[1,2]");
        assert_eq!(cell(r#""a,b""#, b'\t'), "a,b");
        assert_eq!(cell(r#""a\tb""#, b'\t'), "a\\tb");
    }
}
