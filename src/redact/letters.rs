//! Letters of a text, and replacements of the same script and the same length in bytes.

/// The letters of each script, as ranges of code points with the same number of bytes in UTF-8 and in UTF-16.
///
/// Except for ASCII, both cases and rare letters of a script are in one row: with small rows, words of a dictionary
/// could be distinguished.
const SCRIPTS: &[&[(u32, u32)]] = &[
    &[(0x61, 0x7a)],
    &[(0x41, 0x5a)],
    &[(0x30, 0x39)],
    // Latin, IPA, combining marks, Greek, Cyrillic, Armenian, Hebrew, Arabic with its digits.
    &[(0xaa, 0xaa), (0xb5, 0xb5), (0xba, 0xba), (0xc0, 0xd6), (0xd8, 0xf6), (0xf8, 0x24f)],
    &[(0x250, 0x2af)],
    &[(0x300, 0x36f)],
    &[(0x386, 0x386), (0x388, 0x38a), (0x38c, 0x38c), (0x38e, 0x3a1), (0x3a3, 0x3ff)],
    &[(0x400, 0x481), (0x48a, 0x52f)],
    &[(0x531, 0x556), (0x561, 0x587)],
    &[(0x5d0, 0x5ea)],
    &[(0x620, 0x64a), (0x66e, 0x6d3), (0x6fa, 0x6ff)],
    &[(0x660, 0x669)],
    &[(0x6f0, 0x6f9)],
    // Devanagari, Thai, Georgian, Latin of Vietnamese, Greek with accents.
    &[(0x904, 0x94d), (0x958, 0x963)],
    &[(0x966, 0x96f)],
    &[(0xe01, 0xe3a), (0xe40, 0xe4e)],
    &[(0xe50, 0xe59)],
    &[(0x10d0, 0x10fa)],
    &[(0x1e00, 0x1eff)],
    // Tibetan, Burmese, Ethiopic, Canadian syllabics, Mongolian, Yi, Vai.
    &[(0xf40, 0xf6c), (0xf71, 0xf7d), (0xf90, 0xfbc)],
    &[(0x1000, 0x103f), (0x1050, 0x108f)],
    &[(0x1200, 0x135a), (0x1380, 0x138f)],
    &[(0x1401, 0x166c), (0x166f, 0x167f), (0x18b0, 0x18f5)],
    &[(0x1820, 0x1878), (0x1880, 0x18aa)],
    &[(0xa000, 0xa48c)],
    &[(0xa500, 0xa60b), (0xa610, 0xa61f)],
    // Hiragana and katakana, Bopomofo, Han, Hangul and its letters, full and half width.
    &[(0x3041, 0x3096), (0x30a1, 0x30fa), (0x30fc, 0x30fc)],
    &[(0x3105, 0x312f), (0x31a0, 0x31bf)],
    &[(0x3005, 0x3005), (0x3400, 0x4dbf), (0x4e00, 0x9fff), (0xf900, 0xfa6d)],
    &[(0x1100, 0x11ff)],
    &[(0xac00, 0xd7a3)],
    &[(0x3131, 0x318e)],
    &[(0xff10, 0xff19)],
    &[(0xff21, 0xff3a), (0xff41, 0xff5a)],
    &[(0xff66, 0xff9d)],
    // Han outside the first plane, letters of formulas (𝓕), emoji.
    &[(0x20000, 0x2a6df), (0x2a700, 0x2b738)],
    &[(0x1d400, 0x1d7ff)],
    &[(0x1f300, 0x1f64f), (0x1f680, 0x1f6d7), (0x1f900, 0x1f9ff)],
];

/// A letter, a digit or a combining mark, but no separator of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Letter {
    /// A character.
    Char(char),
    /// Half of a UTF-16 character, as in JSON escapes.
    Half(u16),
    /// A byte that is not UTF-8.
    Byte(u8),
}

impl Letter {
    /// The letter at the start of a text, its length in bytes, and whether it is escaped. `escapes`: the text is JSON,
    /// so that `\u00e4` is a letter.
    pub fn first(text: &[u8], escapes: bool) -> Option<(Letter, usize, bool)> {
        if escapes && text.starts_with(b"\\u") {
            let unit = escaped(text)?;
            let next = escaped(text.get(6..).unwrap_or_default());
            let pair = next.and_then(|low| char::decode_utf16([unit, low]).next()?.ok()).filter(|c| *c > '\u{ffff}');
            return match (char::from_u32(u32::from(unit)), pair) {
                (_, Some(c)) => is_letter(c).then_some((Letter::Char(c), 12, true)),
                (Some(c), _) => is_letter(c).then_some((Letter::Char(c), 6, true)),
                (None, _) => Some((Letter::Half(unit), 6, true)),
            };
        }
        let first = *text.first()?;
        if first.is_ascii() {
            return first.is_ascii_alphanumeric().then_some((Letter::Char(first.into()), 1, false));
        }
        let whole = (2..=text.len().min(4)).find_map(|long| std::str::from_utf8(&text[..long]).ok());
        match whole.and_then(|text| text.chars().next()) {
            Some(c) => is_letter(c).then_some((Letter::Char(c), c.len_utf8(), false)),
            None => Some((Letter::Byte(first), 1, false)),
        }
    }

    /// A random letter of the same script, possibly the same one.
    pub fn redrawn(self, random: u64) -> Letter {
        match self {
            Letter::Char(c) => Letter::Char(redrawn(c, random)),
            Letter::Half(unit) => Letter::Half(unit & 0xfc00 | (random & 0x3ff) as u16),
            // Whatever their encoding, nothing of them is kept. Without a first byte of a character, no run of these is
            // UTF-8: what was no text stays none.
            Letter::Byte(_) => Letter::Byte(0x80 | (random & 0x3f) as u8),
        }
    }

    /// Appends it in its original form: its bytes, or its escape.
    pub fn write(self, escaped: bool, out: &mut Vec<u8>) {
        let escape = |unit: u16, out: &mut Vec<u8>| out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
        match self {
            Letter::Char(c) if escaped => c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| escape(*unit, out)),
            Letter::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Letter::Half(unit) => escape(unit, out),
            Letter::Byte(byte) => out.push(byte),
        }
    }
}

/// The UTF-16 unit of an escape.
fn escaped(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

fn row(c: char) -> Option<&'static [(u32, u32)]> {
    let is_in = |ranges: &&&[(u32, u32)]| ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(c)));
    SCRIPTS.iter().find(is_in).copied()
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || row(c).is_some()
}

fn redrawn(c: char, random: u64) -> char {
    // A script without a row: the 128 code points around it.
    let around = [(u32::from(c) & !0x7f, u32::from(c) | 0x7f)];
    let ranges = row(c).unwrap_or(&around);
    let all: u64 = ranges.iter().map(|(first, last)| u64::from(last - first + 1)).sum();
    let mut at = (random % all) as u32;
    for (first, last) in ranges {
        match last - first + 1 {
            size if at < size => return char::from_u32(first + at).unwrap_or(c),
            size => at -= size,
        }
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_of_one_length_and_apart() {
        let all: Vec<(u32, u32)> = SCRIPTS.iter().flat_map(|row| row.iter().copied()).collect();
        for (k, (first, last)) in all.iter().enumerate() {
            assert!(first <= last && !all[..k].iter().any(|(a, b)| a <= last && first <= b), "{first:#x}");
        }
        for row in SCRIPTS {
            let ends = row.iter().flat_map(|(first, last)| [*first, *last]);
            let long = ends.map(|point| char::from_u32(point).expect("a character").len_utf8());
            assert_eq!(long.collect::<std::collections::BTreeSet<_>>().len(), 1, "{row:x?}");
        }
    }

    #[test]
    fn letters_and_what_is_none() {
        for (text, escapes, letter) in [
            ("a", false, Some((Letter::Char('a'), 1, false))),
            ("張偉", false, Some((Letter::Char('張'), 3, false))),
            ("\\u5f35x", true, Some((Letter::Char('張'), 6, true))),
            ("\\ud83d\\ude00", true, Some((Letter::Char('😀'), 12, true))),
            ("\\ud83d", true, Some((Letter::Half(0xd83d), 6, true))),
            ("\\u5f35", false, None),
            ("\\n", true, None),
            ("\\u000a", true, None),
            ("、", false, None),
            (" ", false, None),
            ("", false, None),
        ] {
            assert_eq!(Letter::first(text.as_bytes(), escapes), letter, "{text}");
        }
        assert_eq!(Letter::first(&[0xff, 0x41], false), Some((Letter::Byte(0xff), 1, false)));
    }

    /// The replacements of bytes that are not UTF-8 do not depend on them, and are not UTF-8 either.
    #[test]
    fn nothing_of_other_bytes_is_kept() {
        for byte in 0x80..=0xff {
            let drawn = |n: u64| match Letter::Byte(byte).redrawn(n) {
                Letter::Byte(other) => other,
                other => panic!("{other:?}"),
            };
            let all: std::collections::BTreeSet<u8> = (0..64).map(drawn).collect();
            assert!(all.iter().copied().eq(0x80..=0xbf), "{byte:#x}: {all:x?}");
        }
    }

    /// Every letter of a script is replaced by each letter of that script equally often.
    #[test]
    fn scripts_are_redrawn_as_a_whole() {
        for script in
            ["az", "ЁжїҐ", "張王李龘", "ひカ", "김한", "שם", "محمد", "स्", "ไท", "éßŁ", "ሀፀ", "ꀀꒌ", "ㅋㅎ", "𝓕𝕗"]
        {
            for c in script.chars() {
                let all: u32 = row(c).expect("a row").iter().map(|(first, last)| last - first + 1).sum();
                let drawn: std::collections::BTreeSet<char> = (0..u64::from(all)).map(|n| redrawn(c, n)).collect();
                assert_eq!(drawn.len() as u32, all, "{script}: {c}");
                assert!(drawn.contains(&c) && script.chars().all(|other| drawn.contains(&other)), "{script}: {c}");
            }
        }
    }
}
