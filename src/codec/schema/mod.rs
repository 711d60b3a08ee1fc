//! Payload schemas: the user's own layouts for what is opaque to the protocol, in TOML.
//!
//! ```toml
//! proto = "riptide"
//!
//! [[message]]
//! id = 7
//! name = "position"
//! [message.fields]
//! entity   = "ushort"
//! position = "vector3"
//! heading  = { type = "short", scale = 0.01, unit = "deg" }
//! items    = "thing[]"
//!
//! [struct.thing]
//! name = "string"
//! hp   = "int"
//! ```
//!
//! Where nothing on the wire says how payloads are encoded, a message (or the whole file) names its
//! `encoding`; fields of protobuf messages have a `tag`, members of JSON objects may be `optional`.
//!
//! A schema is compiled to the same tables as the protocols' own messages, once for each encoding
//! that the protocol has for values; so it is read, written, sampled and documented by the same
//! engine. The tables live as long as the program: there are as many as the files have messages.

mod compile;
mod named;
mod parse;
mod types;

use super::layout::{Count, Field};
use crate::printable::Printable;
use thiserror::Error;

/// A schema file that is wrong: where, and why.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}: line {line}: {}", Printable(.file), Printable(.reason))]
pub struct SchemaError {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong, and what was expected.
    pub reason: String,
}

/// The words that schemas may use for a protocol, and what they are on the wire.
#[derive(Debug)]
pub struct Encoding {
    /// A name for people: `2.0`.
    pub name: &'static str,
    /// The versions of the protocol (as in the output) that encode values so; empty: a message of a
    /// schema says itself which encoding it has, where there are several.
    pub versions: &'static [&'static str],
    /// How a message's fields come together.
    pub form: Form,
    /// What messages are found by.
    pub keys: &'static Keys,
    /// The words, and a field of that type; its name is replaced.
    pub types: &'static [(&'static str, Field)],
    /// The number in front of `T[]`; `None`: arrays need a count of their own.
    pub length: Option<&'static Field>,
    /// The word for a byte: arrays of it are shown as hex.
    pub byte: &'static str,
    /// How arrays of a word are encoded, where not one element after the other.
    pub array: Option<ArrayOf>,
    /// `bits(n)` is a type.
    pub bits: bool,
}

/// How the fields of a message stand on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One after the other.
    Sequence,
    /// Each behind its number, in any order, as protobuf has it.
    Tagged,
    /// As the members of a JSON object. The tables say what may stand there: text is a string, a
    /// float a number, an integer a number without a fraction, bytes are any value.
    Members,
}

/// What a protocol's payloads are found by.
#[derive(Debug)]
pub struct Keys {
    /// The messages that carry payloads.
    pub carriers: &'static [&'static str],
    /// The lowest and the highest number that `id` may be; `None`: there are no ids.
    pub ids: Option<(u64, u64)>,
    /// The words that `route` may be; none of them: any.
    pub routes: Option<&'static [&'static str]>,
    /// Names that no field of a message may have: those of the fields beside which they stand.
    pub taken: &'static [&'static str],
}

/// The field for an array of that word.
pub type ArrayOf = fn(word: &str, count: Count) -> Option<Field>;

/// What a message's schema is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key<'a> {
    /// A message or packet id, or a first byte.
    Number(u64),
    /// A route, or another word.
    Word(&'a str),
    /// Nothing of that kind.
    None,
}

/// One message of a schema, compiled.
#[derive(Clone, Debug)]
pub struct SchemaMessage {
    /// Its name.
    pub name: &'static str,
    /// One line about it.
    pub doc: &'static str,
    /// The protocol's message that carries it (`reliable_message`); empty: any.
    pub message: String,
    /// The id, if it is found by one.
    pub number: Option<u64>,
    /// The route or word, if it is found by one; `*` at its end stands for anything.
    pub word: Option<String>,
    /// Who sends it; empty: both.
    pub from: String,
    /// The fields, for each of the protocol's encodings: `None` where a type does not exist there.
    pub fields: Vec<Option<&'static [Field]>>,
}

/// All schemas of a run.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    protos: Vec<(String, Vec<SchemaMessage>)>,
}

impl Schemas {
    /// Adds the schema in `text`, read from `file`. `encodings` tells a protocol's encodings, or
    /// `None` for a name that is no protocol.
    ///
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn add(
        &mut self,
        file: &str,
        text: &str,
        encodings: &dyn Fn(&str) -> Option<&'static [Encoding]>,
    ) -> Result<(), SchemaError> {
        let parsed = parse::parse(file, text)?;
        let Some(known) = encodings(&parsed.proto) else {
            return Err(SchemaError {
                file: file.into(),
                line: parsed.proto_line,
                reason: format!("no protocol {:?} that takes schemas", parsed.proto),
            });
        };
        let messages = compile::compile(file, &parsed, known)?;
        match self.protos.iter_mut().find(|(p, _)| *p == parsed.proto) {
            Some((_, list)) => list.extend(messages),
            None => self.protos.push((parsed.proto, messages)),
        }
        Ok(())
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.protos.is_empty()
    }

    /// The messages of a protocol.
    pub fn messages(&self, proto: &str) -> &[SchemaMessage] {
        self.protos.iter().find(|(p, _)| p == proto).map_or(&[], |(_, list)| list)
    }

    /// The schema for a payload: the first that names its direction, or else one for both; a word
    /// of its own goes before one that ends with `*`, and a longer one of those before a shorter.
    pub fn find(&self, proto: &str, message: &str, key: Key<'_>, from: &str) -> Option<&SchemaMessage> {
        let fits = |m: &&SchemaMessage| {
            (m.message.is_empty() || m.message == message) && (m.from.is_empty() || m.from == from)
        };
        let exact = |m: &&SchemaMessage| match key {
            Key::Number(n) => m.number == Some(n),
            Key::Word(w) => m.word.as_deref() == Some(w),
            Key::None => m.number.is_none() && m.word.is_none(),
        };
        let list = self.messages(proto);
        let word = if let Key::Word(word) = key { word } else { "" };
        let any = |m: &&SchemaMessage| match m.word.as_deref() {
            Some(pattern) => pattern.strip_suffix('*').is_some_and(|begin| word.starts_with(begin)),
            None => m.number.is_none() && !m.message.is_empty(),
        };
        // Of equals the first: `max_by_key` takes the last one.
        let best = |test: &dyn Fn(&&SchemaMessage) -> bool| {
            list.iter().rev().filter(|m| fits(m) && test(m)).max_by_key(|m| {
                let pattern = m.word.as_ref().map_or(0, String::len);
                (pattern, !m.from.is_empty(), !m.message.is_empty())
            })
        };
        best(&exact).or_else(|| best(&any))
    }
}

impl SchemaMessage {
    /// The fields in an encoding, by its index.
    pub fn fields(&self, encoding: usize) -> Option<&'static [Field]> {
        self.fields.get(encoding).copied().flatten()
    }
}
