//! Converts JSON values to bytes, by the same tables.
//!
//! Tags are written from the table. Lengths, counts and presence bits are computed; if they are given, they are written
//! as given, so that invalid packets can be made on purpose. Any leaf may be given as `{"raw":"hex","bits":n}`. A
//! message that was broken when it was read (`fault`, `unparsed`) is written up to its first missing field, followed by
//! `unparsed`.

mod place;
mod put;
mod settle;
mod value;
mod wire;

use crate::codec::bits::BitBuf;
use crate::codec::context::{Context, Scope};
use crate::codec::kinds::Checksum;
use crate::codec::layout::{Field, Order};
use crate::codec::walk;
use crate::printable::Printable;
use serde_json::{Map, Value as Json};
use thiserror::Error;

/// Bits of their own.
#[derive(Default)]
pub(in crate::codec) struct RawBits {
    pub bytes: Vec<u8>,
    /// The number of bits that count.
    pub count: usize,
}

impl RawBits {
    /// Whole bytes.
    pub fn whole(bytes: Vec<u8>) -> RawBits {
        RawBits { count: bytes.len() * 8, bytes }
    }
}

/// The reason why a message cannot be encoded: the field, and what was expected there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}: {}", Printable(.path), Printable(.what))]
pub struct EncodeError {
    /// `links[0].values[1].index`.
    pub path: String,
    /// The mistake, and what was expected.
    pub what: String,
}

impl EncodeError {
    /// Creates an error at a path, with the mistake and what was expected.
    pub fn new(path: impl Into<String>, what: impl Into<String>) -> EncodeError {
        EncodeError { path: path.into(), what: what.into() }
    }
}

/// The reason why a walk ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteStop {
    /// The message was broken here when it was read. Its `unparsed` follows.
    Broken,
    /// It cannot be encoded.
    Error(EncodeError),
}

pub(in crate::codec) enum Cursor<'a> {
    /// An object, the derived values that go with it, the keys that were used, and the fields of its group, if the
    /// table lists them.
    Object {
        fields: &'a Map<String, Json>,
        derived: Option<&'a Json>,
        used: Vec<&'static str>,
        table: &'static [Field],
    },
    List {
        items: &'a [Json],
        derived: Option<&'a Json>,
        next: usize,
    },
}

/// Writes one message from JSON `fields`.
pub struct Writer<'a> {
    pub(in crate::codec) out: BitBuf,
    root: &'a Json,
    pub(in crate::codec) cursors: Vec<Cursor<'a>>,
    pub(in crate::codec) names: Vec<&'static str>,
    pub(in crate::codec) scope: Scope,
    order: Order,
    context: Option<&'a mut dyn Context>,
    pub(in crate::codec) broken: bool,
    /// Whether a broken message also gives its hidden numbers. Those that it does not give were not read.
    pub(in crate::codec) explicit: bool,
    /// Hidden numbers that hold the number of bytes after them: position, width, order.
    measures: Vec<(usize, u32, Order)>,
    unparsed: Option<&'a Json>,
    /// The position after a character that ends a text only if something follows it; 0: there is none.
    open_end: usize,
    /// The number of such characters in a row there.
    open_ends: usize,
    /// Checksums not written yet: the position, the checksum, and the value in its place meanwhile.
    pub(in crate::codec) sums: Vec<(usize, &'static Checksum, u64)>,
    /// The error of the first group that has an unknown field.
    pub(in crate::codec) surplus: Option<EncodeError>,
}

static EMPTY: std::sync::LazyLock<Map<String, Json>> = std::sync::LazyLock::new(Map::new);

impl<'a> Writer<'a> {
    /// Creates a writer of the object `fields`.
    pub fn new(fields: &'a Json) -> Writer<'a> {
        let map = fields.as_object().unwrap_or(&EMPTY);
        Writer {
            out: BitBuf::default(),
            root: fields,
            cursors: vec![Cursor::Object { fields: map, derived: None, used: Vec::new(), table: &[] }],
            names: Vec::new(),
            scope: Scope::default(),
            order: Order::Little,
            context: None,
            broken: map.contains_key("unparsed"),
            explicit: false,
            measures: Vec::new(),
            open_end: 0,
            open_ends: 0,
            sums: Vec::new(),
            unparsed: map.get("unparsed"),
            surplus: None,
        }
    }

    /// Sets the values under `derived`, which are not on the wire, such as types.
    pub fn derived(mut self, values: Option<&'a Json>) -> Self {
        if let Some(Cursor::Object { derived, .. }) = self.cursors.first_mut() {
            *derived = values;
        }
        self
    }

    /// Sets whether the message was broken when it was read. In a broken message, the first missing field is the end,
    /// and no error.
    pub fn broken(mut self, broken: bool) -> Self {
        self.broken |= broken;
        self
    }

    /// Allows `unparsed` after a complete message: it does not mean by itself that the message was broken. Call this
    /// before [`Writer::broken`].
    pub fn whole(mut self) -> Self {
        self.broken = false;
        self
    }

    /// Expects a broken message to give its hidden numbers, too. Those that it does not give were not read.
    pub fn explicit(mut self) -> Self {
        self.explicit = true;
        self
    }

    /// Sets the conversation's state.
    pub fn context(mut self, context: &'a mut dyn Context) -> Self {
        self.order = context.order();
        self.context = Some(context);
        self
    }

    /// Returns the message's bytes.
    ///
    /// # Errors
    /// The path of the first field that is missing, unknown, of the wrong kind or out of range.
    pub fn write(self, fields: &'static [Field]) -> Result<Vec<u8>, EncodeError> {
        Ok(self.write_bits(fields)?.into_bytes())
    }

    /// Ends the bytes that began at `from`. Removes characters at the end that end a text only if something follows.
    pub(in crate::codec) fn close(&mut self, from: usize) {
        if self.open_end > from && self.open_end == self.out.len() {
            let back = (self.open_ends * 8).min(self.open_end - from);
            self.out.split_off(self.open_end - back);
            self.open_end = 0;
        }
    }

    /// Notes that the last character ends a text, or a list, only if something follows it. Several in a row end empty
    /// texts.
    pub(in crate::codec) fn open_end(&mut self) {
        let next = self.open_end > 0 && self.open_end + 8 == self.out.len();
        self.open_ends = if next { self.open_ends + 1 } else { 1 };
        self.open_end = self.out.len();
    }

    /// Returns the message's bits. The last byte may be incomplete.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub(crate) fn write_bits(mut self, fields: &'static [Field]) -> Result<BitBuf, EncodeError> {
        if !self.root.is_object() {
            return Err(self.wrong("an object of fields", self.root));
        }
        self.describe_group(fields);
        match walk::walk(fields, &mut self) {
            Ok(()) => {
                if let Some(error) = self.surplus.take() {
                    return Err(error);
                }
                self.check_used()?;
            }
            Err(WriteStop::Broken) => {}
            Err(WriteStop::Error(error)) => return Err(error),
        }
        if let Some(rest) = self.unparsed {
            self.names = vec!["unparsed"];
            self.put_raw_form(rest).map_err(|stop| match stop {
                WriteStop::Error(error) => error,
                WriteStop::Broken => EncodeError::new("unparsed", "expected hex"),
            })?;
        }
        self.close(0);
        for (at, bits, order) in std::mem::take(&mut self.measures) {
            let after = (self.out.len() - at).div_ceil(8) as u64 - bits as u64 / 8;
            let most = crate::codec::bits::mask(bits);
            if after > most {
                return Err(EncodeError::new("length", format!("{after} bytes follow it, and it is at most {most}")));
            }
            self.out.patch_number(at, after, bits, order.within(self.order));
        }
        // The last one first, because a checksum may cover others.
        for (at, sum, holds) in std::mem::take(&mut self.sums).into_iter().rev() {
            let value = sum.of(self.out.bytes(), at / 8, holds);
            self.out.patch_number(at, value, sum.bits(), sum.order);
        }
        Ok(self.out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::layout::{Len, bytes, u8};
    use serde_json::json;

    #[test]
    fn a_rest_that_its_length_cannot_hold_is_refused() {
        static FIELDS: [Field; 2] = [u8("length").measures_rest(), bytes("data", Len::Rest)];
        let write = |length: usize| Writer::new(&json!({"data": "00".repeat(length)})).write(&FIELDS);
        assert_eq!(write(255).map(|written| written[0]), Ok(255));
        let why = write(256).unwrap_err().to_string();
        assert_eq!(why, "length: 256 bytes follow it, and it is at most 255");
    }
}
