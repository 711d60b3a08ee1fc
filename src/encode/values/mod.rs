//! JSON objects from a stream, one at a time, in constant memory: one per line, pretty-printed in sequence, or the
//! elements of one array.
//!
//! The end of an object is found by its brackets and strings alone; its content is parsed by
//! [`serde_json`]. So the nesting is known before anything recurses, an object is returned as soon
//! as its last byte has arrived, and a broken one does not affect the next.

mod scan;

use crate::capture::Time;
use crate::printable::Printable;
use scan::{ObjectEnd, Scan};
use serde_json::Value as Json;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::io::{self, Read};
use thiserror::Error;

/// The cap on nesting of objects and arrays: GNE's embedded packets need 512 levels.
pub const MAX_NESTING: usize = 2000;
/// The cap on the length of one object, in bytes.
pub const LONGEST: usize = 256 << 20;
/// The read size.
const CHUNK: usize = 64 << 10;

/// One object's text, and its position.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The object, from its opening brace to its closing one.
    pub text: &'a [u8],
    /// The line on which it begins, from 1.
    pub line: u64,
}

impl Text<'_> {
    /// Parses the object.
    ///
    /// # Errors
    /// The syntax error, with its line in the whole input.
    pub fn json(&self) -> Result<Json, TextError> {
        crate::codec::json::parsed(self.text).map_err(|error| {
            let line = self.line + (error.line() as u64).saturating_sub(1);
            // The library's message ends with the position, which counts from the object's start.
            let text = error.to_string();
            let what = text.split(" at line ").next().unwrap_or(&text);
            TextError::Syntax { line, what: format!("invalid JSON: {what} (column {})", error.column()) }
        })
    }
}

impl Text<'_> {
    /// The object's `time` with all digits: as a double it would lose nanoseconds.
    pub fn time(&self) -> Option<Time> {
        let members: BTreeMap<String, &RawValue> = serde_json::from_slice(self.text).ok()?;
        Time::decimal(members.get("time")?.get())
    }
}

/// The reasons for which there is no next object.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TextError {
    /// This object is broken; those after it can still be read.
    #[error("line {line}: {}", Printable(.what))]
    Syntax {
        /// The line, from 1.
        line: u64,
        /// The mistake, and the expected form.
        what: String,
    },
    /// Reading the input failed: nothing more can be read.
    #[error(transparent)]
    Input(#[from] io::Error),
}

/// Reads JSON objects from a stream.
pub struct Values<R> {
    input: R,
    /// The bytes read; those before `at` have been consumed.
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    line: u64,
    /// Whether the position is inside the array around all objects.
    in_array: bool,
    /// Whether an object was read since the last comma of that array.
    after_object: bool,
    begun: bool,
}

impl<R: Read> Values<R> {
    /// The objects of this input.
    pub fn new(input: R) -> Values<R> {
        Values {
            input,
            buffer: Vec::new(),
            at: 0,
            ended: false,
            line: 1,
            in_array: false,
            after_object: false,
            begun: false,
        }
    }

    /// Whether the next object has to be waited for: then output should be flushed first.
    pub fn waits(&self) -> bool {
        let rest = self.buffer.get(self.at..).unwrap_or(&[]).trim_ascii_start();
        memchr::memchr(b'\n', rest).is_none()
    }

    /// The next object; `None` at the end.
    ///
    /// # Errors
    /// [`TextError::Syntax`] if the text is not an object, is nested too deeply or is too long; the next call continues
    /// after it. [`TextError::Input`] if the input fails.
    #[allow(clippy::should_implement_trait, reason = "what it returns borrows the buffer")]
    pub fn next(&mut self) -> Result<Option<Text<'_>>, TextError> {
        loop {
            let Some(byte) = self.peek()? else {
                return match std::mem::take(&mut self.in_array) {
                    true => Err(self.syntax("the array is not closed: expected ]")),
                    false => Ok(None),
                };
            };
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                0xef if !self.begun && self.starts_with(b"\xef\xbb\xbf")? => self.at += 3,
                b'[' if !self.in_array => {
                    (self.in_array, self.after_object) = (true, false);
                    self.at += 1;
                }
                b']' if self.in_array => {
                    self.in_array = false;
                    self.at += 1;
                }
                b',' if self.in_array && self.after_object => {
                    self.after_object = false;
                    self.at += 1;
                }
                b'{' if self.in_array && self.after_object => {
                    self.after_object = false;
                    return Err(self.syntax("expected , or ] between objects of an array"));
                }
                b'{' => return self.object(),
                _ => {
                    let error = self.syntax("expected a JSON object: {\"proto\":..,\"message\":..,\"fields\":{..}}");
                    self.skip_line()?;
                    return Err(error);
                }
            }
            self.begun = true;
        }
    }

    fn object(&mut self) -> Result<Option<Text<'_>>, TextError> {
        self.begun = true;
        let start_line = self.line;
        let mut scan = Scan::default();
        loop {
            let found = scan.go(self.buffer.get(self.at..).unwrap_or(&[]));
            match found {
                ObjectEnd::Whole(length) => {
                    let from = self.at;
                    self.step(length);
                    self.after_object = true;
                    let text = self.buffer.get(from..from + length).unwrap_or(&[]);
                    return Ok(Some(Text { text, line: start_line }));
                }
                ObjectEnd::Broken(length, what) => {
                    self.step(length);
                    self.after_object = true;
                    return Err(TextError::Syntax { line: start_line, what });
                }
                ObjectEnd::Lost(length, what) => {
                    self.step(length);
                    self.skip_line()?;
                    self.after_object = true;
                    return Err(TextError::Syntax { line: start_line, what });
                }
                ObjectEnd::More if !self.fill()? => {
                    let what = "the object is not closed: expected }".into();
                    self.step(scan.at);
                    self.after_object = true;
                    return Err(TextError::Syntax { line: start_line, what });
                }
                ObjectEnd::More => {}
            }
        }
    }

    /// Consumes `length` bytes.
    fn step(&mut self, length: usize) {
        let passed = self.buffer.get(self.at..self.at + length).unwrap_or(&[]);
        self.line += memchr::memchr_iter(b'\n', passed).count() as u64;
        self.at += length;
    }

    fn syntax(&self, what: &str) -> TextError {
        TextError::Syntax { line: self.line, what: what.into() }
    }

    fn peek(&mut self) -> Result<Option<u8>, TextError> {
        while self.at >= self.buffer.len() {
            if !self.fill()? {
                return Ok(None);
            }
        }
        Ok(self.buffer.get(self.at).copied())
    }

    fn starts_with(&mut self, what: &[u8]) -> Result<bool, TextError> {
        while self.buffer.len() - self.at < what.len() && self.fill()? {}
        Ok(self.buffer.get(self.at..).unwrap_or(&[]).starts_with(what))
    }

    fn skip_line(&mut self) -> Result<(), TextError> {
        loop {
            let rest = self.buffer.get(self.at..).unwrap_or(&[]);
            match memchr::memchr(b'\n', rest) {
                Some(end) => {
                    self.at += end;
                    return Ok(());
                }
                None => self.at = self.buffer.len(),
            }
            if !self.fill()? {
                return Ok(());
            }
        }
    }

    /// Reads more; false at the end of the input.
    fn fill(&mut self) -> Result<bool, TextError> {
        if self.ended {
            return Ok(false);
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        let old = self.buffer.len();
        self.buffer.resize(old + CHUNK, 0);
        let read = loop {
            match self.input.read(self.buffer.get_mut(old..).unwrap_or(&mut [])) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done,
            }
        };
        self.buffer.truncate(old + *read.as_ref().unwrap_or(&0));
        self.ended = read? == 0;
        Ok(!self.ended)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns one byte at a time, like the slowest pipe.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let (Some((first, rest)), Some(place)) = (self.0.split_first(), out.first_mut()) else { return Ok(0) };
            (*place, self.0) = (*first, rest);
            Ok(1)
        }
    }

    fn all(text: &str) -> Vec<Result<(u64, String), String>> {
        fn collect(mut values: Values<impl Read>) -> Vec<Result<(u64, String), String>> {
            let mut list = Vec::new();
            loop {
                list.push(match values.next() {
                    Ok(None) => return list,
                    Ok(Some(text)) => match text.json() {
                        Ok(json) => Ok((text.line, json.to_string())),
                        Err(error) => Err(error.to_string()),
                    },
                    Err(error) => Err(error.to_string()),
                });
            }
        }
        let fast = collect(Values::new(text.as_bytes()));
        assert_eq!(fast, collect(Values::new(Slow(text.as_bytes()))));
        fast
    }

    fn good(text: &str) -> Vec<(u64, String)> {
        all(text).into_iter().map(|v| v.expect("an object")).collect()
    }

    #[test]
    fn lines_pretty_printed_and_arrays() {
        let two = vec![(1, "{\"a\":1}".into()), (2, "{\"b\":\"}\\\"\"}".into())];
        assert_eq!(good("{\"a\":1}\n{\"b\":\"}\\\"\"}\n"), two);
        assert_eq!(good("\u{feff}[{\"a\":1}\n,{\"b\":\"}\\\"\"}]"), two);
        assert_eq!(good("\n{\n \"a\":\n {\n}\n}{}"), [(2, "{\"a\":{}}".into()), (6, "{}".into())]);
        assert_eq!(good(""), []);
        assert_eq!(good("[]\n"), []);
    }

    #[test]
    fn a_broken_object_does_not_affect_the_next() {
        let list = all("{\"a\":1\n{\"b\":2}\n{\"c\":\"x\n{\"d\":4}\ngarbage\n{\"e\":]}\n{\"f\":x}\n{\"g\":7}");
        let ok: Vec<String> = list.iter().flatten().map(|(line, text)| format!("{line} {text}")).collect();
        assert_eq!(ok, ["2 {\"b\":2}", "4 {\"d\":4}", "8 {\"g\":7}"]);
        let errors: Vec<&str> =
            list.iter().filter_map(|v| v.as_ref().err()).map(|e| e.split(':').next().unwrap()).collect();
        assert_eq!(errors, ["line 1", "line 3", "line 5", "line 6", "line 7"]);
        assert!(all("{\"a\":")[0].is_err());
        assert!(all("[{}")[1].is_err());
        assert!(all("[{}{}]")[1].is_err());
    }

    #[test]
    fn depth_is_checked_before_anything_recurses() {
        let nested = |n: usize| format!("{{\"a\":{}{}}}\n{{}}", "[".repeat(n), "]".repeat(n));
        crate::encode::deeply(|| {
            assert_eq!(good(&nested(MAX_NESTING - 1)).len(), 2);
            let list = all(&nested(100_000));
            assert!(list[0].as_ref().is_err_and(|e| e.contains("2000 levels")));
            assert!(list[1].is_ok());
        })
        .unwrap();
    }

    #[test]
    fn an_object_is_there_with_its_last_byte() {
        let mut values = Values::new(Slow(b"{}\n{"));
        assert_eq!(values.next().unwrap().unwrap().text, b"{}");
        assert!(values.waits());
    }

    proptest! {
        #[test]
        fn any_text_ends(text in "[\\[\\]{}\",:\\\\ \na1]{0,60}") {
            let mut values = Values::new(text.as_bytes());
            for _ in 0..200 {
                match values.next() {
                    Ok(None) => return Ok(()),
                    Ok(Some(text)) => drop(text.json()),
                    Err(_) => {}
                }
            }
            prop_assert!(false, "no end in {text:?}");
        }
    }
}
