//! Payload schemas: the user's own layouts for payloads that are opaque to the protocol, in TOML.
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
//! If nothing on the wire identifies the encoding of payloads, a message (or the whole file) names its `encoding`.
//! Fields of protobuf messages have a `tag`. Members of JSON objects may be `optional`.
//!
//! A schema is compiled to the same tables as the protocols' own messages, once for each encoding that the protocol has
//! for values. The same engine reads, writes, samples and documents it. The tables live as long as the program; their
//! number is that of the messages in the files.
//!
//! Protocol files are of the same language: `text` is a file's structure, `parse` reads it from TOML, `compile` and
//! `types` make tables of it. What a session does with these is above the codec.

pub(crate) mod compile;
pub(crate) mod compose;
pub(crate) mod known;
pub(crate) mod named;
pub(crate) mod names;
pub(crate) mod parse;
pub(crate) mod reading;
pub(crate) mod respell;
pub(crate) mod text;
pub(crate) mod types;

use super::layout::{Count, Field};
use crate::printable::Printable;
use thiserror::Error;

/// An invalid schema file: the place and the reason.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}: line {line}: {}", Printable(.file), Printable(.reason))]
pub struct SchemaError {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The mistake, and what was expected.
    pub reason: String,
}

/// The type names that schemas may use for a protocol, and their encoding on the wire.
#[derive(Debug)]
pub struct Encoding {
    /// The name shown: `2.0`.
    pub name: &'static str,
    /// The versions of the protocol (as in the output) with this encoding. Empty: the wire does not identify it. If
    /// there are several, a message of a schema then names its encoding.
    pub versions: &'static [&'static str],
    /// The arrangement of a message's fields.
    pub form: Form,
    /// The keys that select a schema for a payload.
    pub keys: &'static Keys,
    /// The type names, and a field of each type; its name is replaced.
    pub types: &'static [(&'static str, Field)],
    /// The number that precedes `T[]`; `None`: arrays need an explicit count.
    pub length: Option<&'static Field>,
    /// The type name of a byte: arrays of it are shown as hex.
    pub byte: &'static str,
    /// The encoding of arrays of a type, if it is not a sequence of elements.
    pub array: Option<ArrayOf>,
    /// Whether `bits(n)` is a type.
    pub bits: bool,
}

pub(crate) use super::layout::type_words as words;

/// The arrangement of a message's fields on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// One after the other.
    Sequence,
    /// Each preceded by its number, in any order, as in protobuf.
    Tagged,
    /// As the members of a JSON object. The tables decide which values are allowed: text is a string, a float is a
    /// number, an integer is a number without a fraction, bytes are any value.
    Members,
}

/// The keys that select schemas for a protocol's payloads.
#[derive(Debug)]
pub struct Keys {
    /// The messages that carry payloads.
    pub carriers: &'static [&'static str],
    /// The range of `id`; `None`: there are no ids.
    pub ids: Option<(u64, u64)>,
    /// The words allowed as `route`; empty: any.
    pub routes: Option<&'static [&'static str]>,
    /// Reserved names: those of the fields beside the payload's.
    pub taken: &'static [&'static str],
}

/// The keys where no payload is looked up.
pub(crate) static NO_KEYS: Keys = Keys { carriers: &[], ids: None, routes: None, taken: &[] };

/// Returns the field for an array of that type.
pub(crate) type ArrayOf = fn(word: &str, count: Count) -> Option<Field>;

/// The key by which a payload's schema is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key<'a> {
    /// A message or packet id, or a first byte.
    Number(u64),
    /// A route, or another name.
    Word(&'a str),
    /// Neither.
    None,
}

/// One message of a schema, compiled.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct SchemaMessage {
    /// Its name.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// The protocol's message that carries it (`reliable_message`); empty: any.
    pub message: String,
    /// The id, if an id selects it.
    pub number: Option<u64>,
    /// The route, if a route selects it. A `*` at its end matches anything.
    pub word: Option<String>,
    /// The sender's role; empty: both.
    pub from: String,
    /// The fields, for each of the protocol's encodings: `None` if a type does not exist there.
    pub fields: Vec<Option<&'static [Field]>>,
}

/// All schemas of a run.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    protos: Vec<(String, Vec<SchemaMessage>)>,
}

impl Schemas {
    /// Adds the schema in `text`, read from `file`. `encodings` returns a protocol's encodings, or
    /// `None` for an unknown protocol.
    ///
    /// # Errors
    /// The first error, with its line.
    pub fn add(
        &mut self,
        file: &str,
        text: &str,
        encodings: &dyn Fn(&str) -> Option<&'static [Encoding]>,
    ) -> Result<(), SchemaError> {
        let mut parsed = parse::parse(file, text)?;
        let fail = |(line, reason)| SchemaError { file: file.into(), line, reason };
        let Some(over) = parsed.over.take() else {
            let why = "proto is missing: expected proto = \"NAME\", the protocol whose payloads these are";
            return Err(fail((1, why.into())));
        };
        let Some(known) = encodings(&over.protocol) else {
            return Err(fail((over.line, format!("no protocol {:?} that takes schemas", over.protocol))));
        };
        let first = |wrong: compile::Mistakes| wrong.into_iter().min_by_key(|(line, _)| *line).unwrap_or_default();
        let wrong = respell::respell(&mut parsed, known);
        let messages = if wrong.is_empty() { compile::payloads(&parsed, &over, known) } else { Err(wrong) };
        let messages = messages.map_err(|wrong| fail(first(wrong)))?;
        match self.protos.iter_mut().find(|(p, _)| *p == over.protocol) {
            Some((_, list)) => list.extend(messages),
            None => self.protos.push((over.protocol, messages)),
        }
        Ok(())
    }

    /// Whether there are no schemas.
    pub fn is_empty(&self) -> bool {
        self.protos.is_empty()
    }

    /// Returns the messages of a protocol.
    pub fn messages(&self, proto: &str) -> &[SchemaMessage] {
        self.protos.iter().find(|(p, _)| p == proto).map_or(&[], |(_, list)| list)
    }

    /// Returns the schema for a payload. An exact id or route has precedence over a route that ends with `*`, and a
    /// longer route over a shorter one. Next, one direction has precedence over both, and one carrier over any. Of
    /// equals, the first counts.
    pub(crate) fn find(&self, proto: &str, message: &str, key: Key<'_>, from: &str) -> Option<&SchemaMessage> {
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
        // Of equals, the first counts. `max_by_key` returns the last one, hence the reversal.
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
    /// Returns the fields in an encoding, by its index.
    pub fn fields(&self, encoding: usize) -> Option<&'static [Field]> {
        self.fields.get(encoding).copied().flatten()
    }
}
