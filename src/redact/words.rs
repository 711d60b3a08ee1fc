//! Replacement of words: letters become letters of the same script, digits become digits, lengths are kept.

use super::letters::Letter;
use crate::dissect::Public;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{BuildHasher, RandomState};

/// The cap on stored words; further ones are derived from a hash only, which two may share.
const MOST: usize = 200_000;
/// The longest word that is stored, in bytes.
const LONGEST: usize = 256;
/// The number of attempts to find an unused word.
const TRIES: u64 = 64;

/// The replacements of words.
#[derive(Debug, Default)]
pub struct Words {
    secret: RandomState,
    known: FxHashMap<Vec<u8>, Vec<Letter>>,
    taken: FxHashSet<Vec<Letter>>,
}

impl Words {
    /// A text of the same length, in which every word is replaced except for public ones. `escaped`: it is JSON, so
    /// that `\n` is not a letter.
    pub fn text(&mut self, text: &[u8], escaped: bool, public: &Public) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        for line in text.split_inclusive(|b| *b == b'\n') {
            let begins =
                |start: &&str| line.len() >= start.len() && line[..start.len()].eq_ignore_ascii_case(start.as_bytes());
            match public.lines.iter().any(begins) {
                true => out.extend_from_slice(line),
                false => self.line(line, escaped, public, &mut out),
            }
        }
        out
    }

    fn line(&mut self, line: &[u8], escaped: bool, public: &Public, out: &mut Vec<u8>) {
        let mut at = 0;
        while let Some(first) = line.get(at) {
            let rest = &line[at..];
            let Some((_, long, _)) = Letter::first(rest, escaped) else {
                // The digits of an escape are not letters.
                let long = match escaped && *first == b'\\' {
                    true if rest.get(1) == Some(&b'u') => 6,
                    true => 2,
                    false => 1,
                };
                let long = rest.len().min(long);
                out.extend_from_slice(&rest[..long]);
                at += long;
                continue;
            };
            let own = public.words.split_ascii_whitespace().filter(|own| {
                let is = rest.get(..own.len()).is_some_and(|word| own.as_bytes().eq_ignore_ascii_case(word));
                is && Letter::first(rest.get(own.len()..).unwrap_or_default(), escaped).is_none()
            });
            if let Some(long) = own.map(str::len).max() {
                out.extend_from_slice(&rest[..long]);
                at += long;
                continue;
            }
            let mut letters = Vec::new();
            let mut end = long;
            letters.extend(Letter::first(rest, escaped));
            while let Some(letter) = Letter::first(&rest[end..], escaped) {
                letters.push(letter);
                end += letter.1;
            }
            let other = self.word(&letters.iter().map(|(letter, ..)| *letter).collect::<Vec<_>>());
            other.iter().zip(&letters).for_each(|(letter, (_, _, escaped))| letter.write(*escaped, out));
            at += end;
        }
    }

    /// The replacement of this word.
    fn word(&mut self, word: &[Letter]) -> Vec<Letter> {
        let mut key = Vec::new();
        word.iter().for_each(|letter| letter.write(false, &mut key));
        if let Some(other) = self.known.get(&key) {
            return other.clone();
        }
        let mut other = Vec::new();
        for attempt in 0..TRIES {
            // Single letters may stay the same, so that nothing can be excluded; a whole word may not.
            let random = Random { secret: &self.secret, of: self.secret.hash_one((&key, attempt)) };
            other = word.iter().enumerate().map(|(k, letter)| letter.redrawn(random.number(k))).collect();
            if other != word && !self.taken.contains(&other) {
                break;
            }
        }
        if self.known.len() < MOST && key.len() <= LONGEST {
            self.taken.insert(other.clone());
            self.known.insert(key, other.clone());
        }
        other
    }

    /// The replacement of a member's name; numbers, which occur as keys of dictionaries, are kept.
    pub fn name(&mut self, name: &[u8], public: &Public) -> Vec<u8> {
        if name.iter().all(u8::is_ascii_digit) { name.to_vec() } else { self.text(name, true, public) }
    }

    /// Redacts JSON text: the strings in it.
    pub fn json(&mut self, text: &[u8], public: &Public) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        let mut at = 0;
        while at < text.len() {
            let quote = text[at..].iter().position(|b| *b == b'"').map_or(text.len(), |k| at + k + 1);
            out.extend_from_slice(&text[at..quote]);
            let mut end = quote;
            while let Some(byte) = text.get(end).filter(|byte| **byte != b'"') {
                end += if *byte == b'\\' { 2 } else { 1 };
            }
            let end = end.min(text.len());
            let after = text[(end + 1).min(text.len())..].iter().find(|b| !b.is_ascii_whitespace());
            match after == Some(&b':') {
                true => out.extend(self.name(&text[quote..end], public)),
                false => out.extend(self.text(&text[quote..end], true, public)),
            }
            at = (end + 1).min(text.len());
            out.extend_from_slice(&text[end..at]);
        }
        out
    }

    /// Other bytes: each differs from the original, and none is `never`.
    pub fn bytes(&self, bytes: &[u8], never: Option<u8>) -> Vec<u8> {
        let random = Random { secret: &self.secret, of: self.secret.hash_one(bytes) };
        let one = |(k, byte): (usize, &u8)| {
            let other = byte ^ (1 + random.byte(k) % 255);
            match never {
                Some(never) if other == never && *byte == never => other,
                Some(never) if other == never => byte ^ if byte ^ 0x55 == never { 0xaa } else { 0x55 },
                _ => other,
            }
        };
        bytes.iter().enumerate().map(one).collect()
    }
}

/// Random bytes from a secret and a number.
struct Random<'a> {
    secret: &'a RandomState,
    of: u64,
}

impl Random<'_> {
    fn number(&self, k: usize) -> u64 {
        self.secret.hash_one((self.of, k))
    }

    fn byte(&self, k: usize) -> u8 {
        let eight = self.secret.hash_one((self.of, k / 8)).to_le_bytes();
        eight[k % 8]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public() -> Public {
        Public { words: "http/1.1 get code", lines: &["upgrade:"] }
    }

    #[test]
    fn words_are_others_of_the_same_form() {
        let mut words = Words::default();
        let text = "GET /Room.Join HTTP/1.1\r\nUpgrade: websocket\r\nHost: grüße.example:80\r\n";
        let other = String::from_utf8(words.text(text.as_bytes(), false, &public())).unwrap();
        assert_eq!(other.len(), text.len());
        assert!(other.starts_with("GET /") && other.contains(" HTTP/1.1\r\nUpgrade: websocket\r\n"), "{other}");
        for (a, b) in text.chars().zip(other.chars()) {
            assert!(!b.is_control() || a == b);
        }
        let again = words.text(b"Join", false, &public());
        assert!(other.contains(std::str::from_utf8(&again).unwrap()), "the same word is the same everywhere");
        assert_ne!(again, b"Join");
        let mut seen = FxHashSet::default();
        for n in 0..90u8 {
            let word = [b'a' + n % 26, b'0' + n % 10];
            words.text(&word, false, &public());
            seen.insert(words.text(&word, false, &public()));
        }
        let all: FxHashSet<[u8; 2]> = (0..90u8).map(|n| [b'a' + n % 26, b'0' + n % 10]).collect();
        assert_eq!(seen.len(), all.len(), "one to one");
    }

    #[test]
    fn json_stays_json() {
        let mut words = Words::default();
        let text = r#"{"code":200,"user":{"na\"me":"J\u00f6rg \n x","list":[1.5,true,"12"],"17":""}}"#;
        let other = words.json(text.as_bytes(), &public());
        assert_eq!(other.len(), text.len());
        let value: serde_json::Value = serde_json::from_slice(&other).unwrap();
        assert_eq!(value["code"], 200);
        let user = value.as_object().unwrap().values().nth(1).unwrap().as_object().unwrap();
        assert!(user.contains_key("17"), "a number stays, as a name");
        assert!(!user.contains_key("list") && user.values().nth(1).unwrap()[0] == 1.5);
        // The same word has the same replacement, escaped or not.
        let [plain, escaped] = [r#"["Jörg"]"#, r#"["J\u00f6rg"]"#].map(|text| words.json(text.as_bytes(), &public()));
        let [plain, escaped] = [plain, escaped].map(|text| serde_json::from_slice::<serde_json::Value>(&text).unwrap());
        assert!(plain == escaped && plain[0] != "Jörg", "{plain}");
        // Any input ends.
        for text in ["\"", "\"\\", "a\"b\\\"", "\"\\u12", "{\"a\\"] {
            assert_eq!(words.json(text.as_bytes(), &public()).len(), text.len(), "{text}");
        }
    }

    #[test]
    fn no_byte_stays() {
        let words = Words::default();
        let bytes: Vec<u8> = (0..=255).collect();
        for never in [None, Some(0), Some(0x55)] {
            let other = words.bytes(&bytes, never);
            assert!(bytes.iter().zip(&other).all(|(a, b)| a != b), "{never:?}");
            assert!(!other.iter().zip(&bytes).any(|(b, a)| Some(*b) == never && Some(*a) != never), "{never:?}");
        }
    }

    /// This also holds if a byte would have become the value that ends them.
    #[test]
    fn no_byte_becomes_the_one_that_ends_them() {
        for never in [0u8, 0x55, 0xff] {
            for byte in [never ^ 0x55, never ^ 0xaa, never ^ 1] {
                for _ in 0..3000 {
                    let other = Words::default().bytes(&[byte], Some(never))[0];
                    assert!(other != byte && other != never, "{byte:#04x}, {never:#04x}: {other:#04x}");
                }
            }
        }
    }
}
