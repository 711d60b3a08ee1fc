//! Properties: a written form reads back as the same bytes or is refused as ambiguous, and no text makes the reader
//! panic.

use super::{read, read_with};
use netkit::capture::hextext::{Form, HexText};
use proptest::prelude::*;

/// Random bytes, bytes as in messages, and bytes that make a text column look like data.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![any::<u8>(), Just(0), prop::sample::select(b" 0123456789abcdefABCDEF|:*.>".to_vec()),];
    let alike = (byte.clone(), 1..120usize).prop_map(|(b, n)| vec![b; n]);
    prop_oneof![4 => prop::collection::vec(byte, 1..90), 1 => alike]
}

fn text_column(bytes: &[u8]) -> String {
    let shown = |b: &u8| {
        if matches!(b, b' '..=b'~') { char::from(*b) } else { '.' }
    };
    bytes.iter().map(shown).collect()
}

fn join(bytes: &[u8], group: usize, between: &str) -> String {
    bytes.chunks(group).map(hex::encode).collect::<Vec<_>>().join(between)
}

fn xxd(bytes: &[u8], columns: usize, group: usize) -> String {
    let width = columns * 2 + columns.div_ceil(group) - 1;
    bytes
        .chunks(columns)
        .enumerate()
        .map(|(i, c)| {
            let hex = join(c, group, " ");
            format!("{:08x}: {hex:width$}  {}\n", i * columns, text_column(c))
        })
        .collect()
}

fn hexdump(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut star = false;
    for (i, c) in bytes.chunks(16).enumerate() {
        let before = i.checked_sub(1).and_then(|i| bytes.chunks(16).nth(i));
        if before == Some(c) {
            text += if star { "" } else { "*\n" };
            star = true;
            continue;
        }
        star = false;
        let (left, right) = c.split_at(c.len().min(8));
        let hex = format!("{:23}  {:23}", join(left, 1, " "), join(right, 1, " "));
        text += &format!("{:08x}  {hex}  |{}|\n", i * 16, text_column(c));
    }
    text + &format!("{:08x}\n", bytes.len())
}

fn wireshark(bytes: &[u8], column: bool) -> String {
    let line = |(i, c): (usize, &[u8])| {
        let text = if column { text_column(c) } else { String::new() };
        format!("{:04x}   {:47}   {text}\n", i * 16, join(c, 1, " "))
    };
    bytes.chunks(16).enumerate().map(line).collect()
}

fn tcpdump(bytes: &[u8]) -> String {
    let line = |(i, c): (usize, &[u8])| {
        let text = text_column(c).replace(' ', ".");
        format!("\t0x{:04x}:  {:39}  {text}\n", i * 16, join(c, 2, " "))
    };
    bytes.chunks(16).enumerate().map(line).collect()
}

fn od(bytes: &[u8], octal: bool) -> String {
    let offset = |n: usize| {
        if octal { format!("{n:07o}") } else { format!("{n:06x}") }
    };
    let line = |(i, c): (usize, &[u8])| format!("{} {}\n", offset(i * 16), join(c, 1, " "));
    let lines: String = bytes.chunks(16).enumerate().map(line).collect();
    lines + &offset(bytes.len()) + "\n"
}

fn array(bytes: &[u8]) -> String {
    let list: String = bytes.iter().map(|b| format!("0x{b:02x}, ")).collect();
    let length = bytes.len();
    format!("unsigned char x[] = {{\n  {list}\n}};\nunsigned int x_len = {length};\n")
}

/// Python's repr of bytes.
fn python(bytes: &[u8]) -> String {
    let shown = |b: &u8| match b {
        b'\\' | b'\'' => format!("\\{}", char::from(*b)),
        b'\n' => "\\n".into(),
        b'\r' => "\\r".into(),
        b'\t' => "\\t".into(),
        b' '..=b'~' => char::from(*b).to_string(),
        _ => format!("\\x{b:02x}"),
    };
    format!("b'{}'\n", bytes.iter().map(shown).collect::<String>())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn sure_forms_read_back(bytes in message(), columns in 1..40usize) {
        let escapes: String = bytes.iter().map(|b| format!("\\x{b:02x}")).collect();
        for (form, text) in [
            (Form::Plain, join(&bytes, columns, "\n")),
            (Form::Plain, join(&bytes, 1, ":")),
            (Form::Plain, join(&bytes, 1, ", ")),
            (Form::HexList, format!("0x{}", join(&bytes, columns, ", 0x"))),
            (Form::Array, array(&bytes)),
            (Form::Escaped, escapes.clone()),
            (Form::Escaped, format!("\"{escapes}\"")),
            (Form::Escaped, python(&bytes)),
            (Form::Xxd, xxd(&bytes, columns, 2)),
            (Form::Xxd, xxd(&bytes, columns, 1)),
            (Form::Hexdump, hexdump(&bytes)),
            (Form::Od, od(&bytes, true)),
            // With six digits one byte is ambiguous: `000000 00` could be data in groups.
            (Form::Od, od(&bytes, bytes.len() == 1)),
            (Form::Tcpdump, tcpdump(&bytes)),
            (Form::Wireshark, wireshark(&bytes, false)),
        ] {
            let found = match read(text.as_bytes()) {
                Ok(found) => found,
                Err(e) => return Err(TestCaseError::fail(format!("{e}\n{text}"))),
            };
            prop_assert_eq!(found.len(), 1, "{}", &text);
            prop_assert_eq!(found[0].0, form, "{}", &text);
            prop_assert_eq!(&found[0].3, &bytes, "{}", &text);
        }
    }

    /// These forms may be refused as ambiguous, but are never read as other bytes.
    #[test]
    fn unsure_forms_are_never_misread(bytes in message(), cut in 0..40usize) {
        let little = |c: &[u8]| c.chunks(4).flat_map(|c| c.iter().rev().copied()).collect();
        let whole = bytes.len() / 4 * 4;
        let turned: Vec<u8> = little(&bytes[..whole]);
        // The output of xxd -e: the text column in the order of the bytes, the groups reversed.
        let xxd_e: String = bytes[..whole].chunks(16).zip(turned.chunks(16)).enumerate()
            .map(|(i, (b, t))| format!("{:08x}: {:35}  {}\n", i * 16, join(t, 4, " "), text_column(b)))
            .collect();
        let no_offset: String = xxd(&bytes, 16, 1).lines().map(|l| format!("{}\n", &l[10..])).collect();
        for text in [
            xxd(&bytes, 16, 4),
            xxd_e,
            wireshark(&bytes, true),
            join(&bytes, 1, " "),
            join(&bytes, 2, " "),
            no_offset,
            xxd(&bytes, 16, 2).lines().skip(cut % 3).map(|l| format!("{l}\n")).collect(),
            wireshark(&bytes, true).lines().map(|l| format!("{}\n", l.trim_end())).collect(),
        ] {
            for (_, _, _, found) in read(text.as_bytes()).unwrap_or_default() {
                prop_assert_eq!(&found, &bytes[..found.len()], "{}", &text);
                prop_assert!(found.len() == bytes.len() || found.len() == whole, "{}", &text);
            }
        }
    }

    #[test]
    fn no_text_panics(text in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&text);
        let _ = read_with(HexText::new(&text[..]).lines(true));
    }

    #[test]
    fn no_likely_text_panics(text in r#"(0x|\\x|[0-9a-f]{2}| |  |\n|0000|0010|:|\*|\||"|b"|'|[{}()\[\],;=#/+é\\]|/\*|\*/|IP a|x|\t){0,40}"#) {
        let _ = read(text.as_bytes());
        let _ = read_with(HexText::new(text.as_bytes()).lines(true));
    }

    /// A text with one changed character is refused, or has other bytes; but it never has more or fewer bytes if the
    /// form states their number.
    #[test]
    fn a_changed_character(
        bytes in message(),
        at in any::<prop::sample::Index>(),
        c in prop_oneof![any::<char>(), prop::sample::select(b" 0aA\n*|:\"'\\x,#/{".to_vec()).prop_map(char::from)],
    ) {
        for text in [xxd(&bytes, 16, 2), hexdump(&bytes), array(&bytes), python(&bytes)] {
            let mut chars: Vec<char> = text.chars().collect();
            chars[at.index(text.len())] = c;
            let text: String = chars.into_iter().collect();
            let found = read(text.as_bytes());
            // A comment hides the text after it, and `*` repeats up to the next offset.
            let open = matches!(c, '#' | '/') || text.contains("\n*");
            if let (Ok(found), true, false) = (found, text.starts_with("00000000 "), open) {
                let length: usize = found.iter().map(|m| m.3.len()).sum();
                prop_assert_eq!(length, bytes.len(), "{}", text);
            }
        }
    }
}
