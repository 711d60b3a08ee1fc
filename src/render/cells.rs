//! One value in a table of separated values: RFC 4180, with any separator.
//!
//! Quoting is four lines; a crate for it would want the whole cell as text first, while these are
//! appended from JSON that is already there.

use crate::printable::{Printable, tricky};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::Write as _;

/// A text as a cell: in quotes where it contains the separator, a quote or a line feed.
///
/// Control and invisible characters are escaped as on the terminal, so that a row is always one
/// line. A text that a spreadsheet would calculate (it begins with `=`, `+`, `-` or `@`) gets an
/// apostrophe in front: it may have come from anybody.
pub fn text(text: &str, separator: u8, out: &mut Vec<u8>) {
    let shown = match text.chars().any(|c| c.is_control() || tricky(c)) {
        true => Cow::Owned(Printable(text).to_string()),
        false => Cow::Borrowed(text),
    };
    let formula = shown.starts_with(['=', '+', '-', '@']);
    quoted(formula, shown.as_bytes(), separator, out);
}

/// A JSON value as a cell: strings without their quotes, null as nothing, arrays and objects as
/// they are.
pub fn json(value: &[u8], separator: u8, out: &mut Vec<u8>) {
    match value {
        b"null" | b"" => {}
        [b'"', inside @ .., b'"'] => match std::str::from_utf8(inside) {
            Ok(inside) if !inside.contains('\\') => text(inside, separator, out),
            // A JSON body may hold half of a surrogate pair: it is shown as it was sent.
            _ => match serde_json::from_slice::<String>(value) {
                Ok(whole) => text(&whole, separator, out),
                Err(_) => text(&String::from_utf8_lossy(inside), separator, out),
            },
        },
        [b'[' | b'{', ..] => {
            let shown = crate::printable::Json(String::from_utf8_lossy(value)).to_string();
            quoted(false, one_line(&shown).as_bytes(), separator, out);
        }
        // Numbers, true, false.
        _ => quoted(false, value, separator, out),
    }
}

/// A JSON body may contain line feeds between its values, and characters that are invisible.
fn one_line(json: &str) -> Cow<'_, str> {
    if !json.chars().any(|c| c.is_control() || tricky(c)) {
        return Cow::Borrowed(json);
    }
    let mut text = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Between values: inside strings they are escaped already.
            c if c.is_control() => text.push(' '),
            // Writing to a string cannot fail.
            c if tricky(c) => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| _ = write!(text, "\\u{unit:04x}")),
            c => text.push(c),
        }
    }
    Cow::Owned(text)
}

fn quoted(formula: bool, text: &[u8], separator: u8, out: &mut Vec<u8>) {
    let care = text.iter().any(|b| matches!(b, b'"' | b'\n' | b'\r') || *b == separator);
    out.extend_from_slice(if care { b"\"" } else { b"" });
    out.extend_from_slice(if formula { b"'" } else { b"" });
    if !care {
        return out.extend_from_slice(text);
    }
    for part in text.split_inclusive(|b| *b == b'"') {
        out.extend_from_slice(part);
        if part.ends_with(b"\"") {
            out.push(b'"');
        }
    }
    out.push(b'"');
}

/// Appends what can be displayed as a cell that needs no quotes: a number.
pub fn plain(value: impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{value}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(value: &str, separator: u8) -> String {
        let mut out = Vec::new();
        json(value.as_bytes(), separator, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_and_their_cells() {
        for (value, csv) in [
            ("null", ""),
            ("12", "12"),
            ("-12.5", "-12.5"),
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
            // Texts that a spreadsheet would calculate; numbers are numbers.
            (r#""=1+1""#, "'=1+1"),
            (r#""-2+3""#, "'-2+3"),
            (r#""+4\",\"""#, r#""'+4"",""""#),
            (r#""@SUM(1)""#, "'@SUM(1)"),
            (r#""\t=1""#, "\\t=1"),
            ("[1,2]", r#""[1,2]""#),
            ("[1]", "[1]"),
            (r#"["a"]"#, r#""[""a""]""#),
            ("{\"a\":\n1,\"b\":\"\u{202e}\"}", "\"{\"\"a\"\": 1,\"\"b\"\":\"\"\\u202e\"\"}\""),
        ] {
            assert_eq!(cell(value, b','), csv, "{value}");
        }
        assert_eq!(cell("[1,2]", b'\t'), "[1,2]");
        assert_eq!(cell(r#""a,b""#, b'\t'), "a,b");
        assert_eq!(cell(r#""a\tb""#, b'\t'), "a\\tb");
    }
}
