//! Writing: JSON values to bytes, by the same tables.
//!
//! Lengths, counts, presence bits and tags are computed; where they are given they are written as
//! given, so that wrong packets can be made on purpose. `{"raw":"hex","bits":n}` is taken for any
//! leaf. A message that broke when it was read (`fault`, `unparsed`) is written up to its first
//! missing field, and then what could not be read.

use super::bits::{self, BitBuf};
use super::context::{Context, NoContext, Recalled, Scope};
use super::layout::{Charset, Count, Field, Kind, Len, Order, Show, When, flag};
use super::names;
use super::walk::{self, Custom, Wire};
use super::{Reader, Tree, describe, half_text};
use crate::printable::Printable;
use serde_json::{Map, Value as Json};
use thiserror::Error;

/// Why a message cannot be written: where, and what was expected there.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{}: {}", Printable(.path), Printable(.what))]
pub struct EncodeError {
    /// `links[0].values[1].index`.
    pub path: String,
    /// What is wrong, and what was expected.
    pub what: String,
}

/// Why a write ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteStop {
    /// The message broke here when it was read: what follows is its `unparsed`.
    Broken,
    /// It cannot be written.
    Error(EncodeError),
}

enum Cursor<'a> {
    /// An object, the derived values beside it, which of its keys were asked for, and the fields of
    /// its group, as far as the table says.
    Object {
        fields: &'a Map<String, Json>,
        derived: Option<&'a Json>,
        asked: Vec<&'static str>,
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
    out: BitBuf,
    root: &'a Json,
    cursors: Vec<Cursor<'a>>,
    names: Vec<&'static str>,
    scope: Scope,
    order: Order,
    context: Option<&'a mut dyn Context>,
    broken: bool,
    /// Hidden numbers that say how many bytes follow: where, how wide, which order.
    measures: Vec<(usize, u32, Order)>,
    unparsed: Option<&'a Json>,
    /// The first group that was given a field it does not have.
    surplus: Option<EncodeError>,
}

static EMPTY: std::sync::LazyLock<Map<String, Json>> = std::sync::LazyLock::new(Map::new);

impl<'a> Writer<'a> {
    /// A writer of the object `fields`.
    pub fn new(fields: &'a Json) -> Writer<'a> {
        let map = fields.as_object().unwrap_or(&EMPTY);
        Writer {
            out: BitBuf::default(),
            root: fields,
            cursors: vec![Cursor::Object { fields: map, derived: None, asked: Vec::new(), table: &[] }],
            names: Vec::new(),
            scope: Scope::default(),
            order: Order::Little,
            context: None,
            broken: map.contains_key("unparsed"),
            measures: Vec::new(),
            unparsed: map.get("unparsed"),
            surplus: None,
        }
    }

    /// The values under `derived`: types that the wire does not carry.
    pub fn derived(mut self, values: Option<&'a Json>) -> Self {
        if let Some(Cursor::Object { derived, .. }) = self.cursors.first_mut() {
            *derived = values;
        }
        self
    }

    /// The message broke when it was read: the first missing field ends it without an error.
    pub fn broken(mut self, broken: bool) -> Self {
        self.broken |= broken;
        self
    }

    /// `unparsed` alone does not say that the message broke: it may stand behind a whole one. Call
    /// it before [`Writer::broken`].
    pub fn whole(mut self) -> Self {
        self.broken = false;
        self
    }

    /// What earlier messages tell.
    pub fn context(mut self, context: &'a mut dyn Context) -> Self {
        self.order = context.order();
        self.context = Some(context);
        self
    }

    /// The message's bytes.
    ///
    /// # Errors
    /// The path of the first field that is missing, unknown, of the wrong kind or out of range.
    pub fn write(self, fields: &'static [Field]) -> Result<Vec<u8>, EncodeError> {
        Ok(self.write_bits(fields)?.into_bytes())
    }

    /// The message's bits, where the last byte may be incomplete.
    ///
    /// # Errors
    /// As [`Writer::write`].
    pub fn write_bits(mut self, fields: &'static [Field]) -> Result<BitBuf, EncodeError> {
        if !self.root.is_object() {
            return Err(self.wrong("an object of fields", self.root));
        }
        self.describe_group(fields);
        match walk::walk(fields, &mut self) {
            Ok(()) => {
                if let Some(error) = self.surplus.take() {
                    return Err(error);
                }
                self.check_asked()?;
            }
            Err(WriteStop::Broken) => {}
            Err(WriteStop::Error(error)) => return Err(error),
        }
        if let Some(rest) = self.unparsed {
            self.names = vec!["unparsed"];
            self.put_bits_of(rest).map_err(|stop| match stop {
                WriteStop::Error(error) => error,
                WriteStop::Broken => EncodeError { path: "unparsed".into(), what: "expected hex".into() },
            })?;
        }
        for (at, bits, order) in std::mem::take(&mut self.measures) {
            let behind = (self.out.len() - at).div_ceil(8) as u64 - bits as u64 / 8;
            self.out.patch(at, self.ordered(behind, bits, order), bits);
        }
        Ok(self.out)
    }

    /// The innermost object's group has these fields.
    fn describe_group(&mut self, fields: &'static [Field]) {
        if let Some(Cursor::Object { table, .. }) = self.cursors.last_mut() {
            *table = fields;
        }
    }

    /// Every key of the innermost object was asked for by some field of its group.
    fn check_asked(&self) -> Result<(), EncodeError> {
        let Some(Cursor::Object { fields, asked, table, .. }) = self.cursors.last() else { return Ok(()) };
        let known = asked.len() + fields.contains_key("unparsed") as usize;
        if fields.len() <= known {
            return Ok(());
        }
        let left = |key: &&str| *key != "unparsed" && !asked.contains(key);
        let Some(key) = fields.keys().map(String::as_str).find(left) else { return Ok(()) };
        let mut all = Vec::new();
        names::in_group(table, &mut |field| all.push(field.name));
        all.dedup();
        let what = match crate::nearest::nearest(key, all.iter().copied()) {
            _ if all.contains(&key) => "has no place here: other fields say that it is not there".into(),
            Some(near) => format!("unknown field{}", crate::nearest::hint(Some(near))),
            None if table.is_empty() => "unknown field".into(),
            None if all.is_empty() => "unknown field: there are none".into(),
            None => format!("unknown field: there are {}", all.join(", ")),
        };
        Err(self.error_at(key, what))
    }

    /// The key of the innermost object that is none of its group's, and may be meant for `field`.
    fn mistaken(&self, field: &'static Field) -> Option<&'a str> {
        let Some(Cursor::Object { fields, asked, table, .. }) = self.cursors.last() else { return None };
        let unknown =
            |key: &&str| *key != "unparsed" && !table.is_empty() && !asked.contains(key) && !names::has(key, table);
        crate::nearest::nearest(field.name, fields.keys().map(String::as_str).filter(unknown))
    }

    /// The value given for `field`, if any.
    pub fn input(&mut self, field: &'static Field) -> Option<&'a Json> {
        match self.cursors.last_mut()? {
            Cursor::Object { fields, asked, .. } => {
                let found = fields.get(field.name)?;
                if !asked.contains(&field.name) {
                    asked.push(field.name);
                }
                Some(found)
            }
            Cursor::List { items, next, .. } => items.get(next.checked_sub(1)?),
        }
    }

    fn has(&self, field: &'static Field) -> bool {
        match self.cursors.last() {
            Some(Cursor::Object { fields, .. }) => fields.contains_key(field.name),
            _ => true,
        }
    }

    fn derived_input(&self, field: &'static Field) -> Option<&'a Json> {
        match self.cursors.last()? {
            Cursor::Object { derived, .. } => derived.and_then(|d| d.get(field.name)),
            Cursor::List { derived, next, .. } => derived.and_then(|d| d.get(next.checked_sub(1)?)),
        }
    }

    /// The error that something else was expected here.
    pub fn wrong(&self, expected: &str, got: &Json) -> EncodeError {
        let mut shown = got.to_string();
        if shown.len() > 60 {
            shown = shown.chars().take(57).collect::<String>() + "...";
        }
        self.error(format!("expected {expected}, got {shown}"))
    }

    /// An error at this place.
    pub fn error(&self, what: String) -> EncodeError {
        let mut path = String::new();
        for (k, name) in self.names.iter().enumerate() {
            match name.is_empty() {
                // A list's element: its number stands in the list's cursor.
                true => {
                    if let Some(Cursor::List { next, .. }) = self
                        .cursors
                        .iter()
                        .filter(|c| matches!(c, Cursor::List { .. }))
                        .nth(self.names[..k].iter().filter(|n| n.is_empty()).count())
                    {
                        path += &format!("[{}]", next.saturating_sub(1));
                    }
                }
                false if path.is_empty() => path += name,
                false => path += &format!(".{name}"),
            }
        }
        EncodeError { path: if path.is_empty() { "fields".into() } else { path }, what }
    }

    /// An error at a member of this place.
    fn error_at(&self, name: &str, what: String) -> EncodeError {
        let mut error = self.error(what);
        error.path = match self.names.is_empty() {
            true => name.into(),
            false => format!("{}.{name}", error.path),
        };
        error
    }

    fn fail(&self, what: String) -> WriteStop {
        WriteStop::Error(self.error(what))
    }

    /// The field is needed and not given: an error, or the end of a message that broke here.
    pub fn missing(&mut self, field: &'static Field) -> WriteStop {
        if self.broken {
            return WriteStop::Broken;
        }
        if let Some(key) = self.mistaken(field) {
            return WriteStop::Error(self.error_at(key, format!("unknown field, did you mean {:?}?", field.name)));
        }
        let what = match field.kind {
            Kind::Derived => "not known: no earlier message tells it; give it under derived".into(),
            _ => format!("required, but not given ({})", describe::kind(field)),
        };
        WriteStop::Error(self.error_at(field.name, what))
    }

    /// Bits written so far.
    pub fn position(&self) -> usize {
        self.out.len()
    }

    /// Writes `count` bits of a number.
    pub fn put(&mut self, value: u64, count: u32, order: Order) {
        self.out.put(self.ordered(value, count, order), count);
    }

    /// Writes whole bytes.
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        self.out.put_bytes(bytes);
    }

    fn ordered(&self, value: u64, count: u32, order: Order) -> u64 {
        match (order, self.order) {
            (Order::Big, _) | (Order::Conversation, Order::Big) => bits::swap(value & bits::mask(count), count),
            _ => value,
        }
    }

    /// Writes a value given as `{"raw":"hex","bits":n}`.
    ///
    /// # Errors
    /// It is no such value.
    pub fn put_raw_form(&mut self, value: &'a Json) -> Result<(), WriteStop> {
        self.put_bits_of(value)
    }

    /// Writes, sets or checks how many elements a codec's own kind of array has.
    ///
    /// # Errors
    /// The number does not fit.
    pub fn put_count(&mut self, field: &'static Field, count: &Count, n: u64) -> Result<(), WriteStop> {
        match *count {
            Count::Const(exact) if n != exact as u64 => {
                Err(self.fail(format!("{}: expected {exact} elements, got {n}", field.name)))
            }
            Count::Prefix(prefix) => match self.given_prefix(prefix) {
                Some(given) => self.leaf_value(prefix, given).map(drop),
                None => self.put_prefix(prefix, n),
            },
            Count::Field(name) => {
                self.complete(name, n);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn put_bits_of(&mut self, value: &'a Json) -> Result<(), WriteStop> {
        let (bytes, count) = self.hex_or_raw(value)?;
        self.put_raw(&bytes, count);
        Ok(())
    }

    fn put_raw(&mut self, bytes: &[u8], count: usize) {
        self.out.put_bytes(&bytes[..count / 8]);
        if !count.is_multiple_of(8) {
            self.out.put(bytes[count / 8] as u64, count as u32 % 8);
        }
    }

    /// Hex text, or `{"raw":"hex","bits":n}`: the bytes, and how many bits of them count.
    fn hex_or_raw(&self, value: &Json) -> Result<(Vec<u8>, usize), WriteStop> {
        if let Some(raw) = raw_form(value) {
            return raw.map_err(|what| self.fail(what));
        }
        match value.as_str().map(hex::decode) {
            Some(Ok(bytes)) => Ok((bytes.clone(), bytes.len() * 8)),
            Some(Err(why)) => Err(self.fail(format!("expected hex: {why}"))),
            None => Err(WriteStop::Error(self.wrong("hex", value))),
        }
    }

    /// Writes the number in front of a field's content.
    fn put_prefix(&mut self, prefix: &'static Field, n: u64) -> Result<(), WriteStop> {
        match prefix.kind {
            Kind::Custom(codec) => {
                let number = Json::from(n);
                let mut inner = Writer::new(&number);
                inner.cursors = vec![Cursor::List { items: std::slice::from_ref(&number), derived: None, next: 1 }];
                codec.write(prefix, &mut inner)?;
                let (bytes, count) = (inner.out.bytes().to_vec(), inner.out.len());
                self.put_raw(&bytes, count);
                Ok(())
            }
            _ => self.put_number(prefix, n as i128),
        }
    }

    fn put_number(&mut self, field: &'static Field, n: i128) -> Result<(), WriteStop> {
        match field.kind {
            Kind::UInt { bits, order } => match u64::try_from(n) {
                Ok(v) if v <= bits::mask(bits as u32) => {
                    self.put(v, bits as u32, order);
                    Ok(())
                }
                _ => Err(self.fail(format!("{n} is out of range: 0 to {}", bits::mask(bits as u32)))),
            },
            Kind::Int { bits, order } => {
                let half = 1i128 << (bits - 1);
                match n >= -half && n < half {
                    true => {
                        self.put(n as u64, bits as u32, order);
                        Ok(())
                    }
                    false => Err(self.fail(format!("{n} is out of range: {} to {}", -half, half - 1))),
                }
            }
            Kind::VarInt { zigzag, max_groups } => {
                let range = if zigzag { i64::MIN as i128..=i64::MAX as i128 } else { 0..=u64::MAX as i128 };
                if !range.contains(&n) {
                    return Err(self.fail(format!("{n} is out of range: {} to {}", range.start(), range.end())));
                }
                let mut v = if zigzag { ((n as i64) << 1 ^ (n as i64) >> 63) as u64 } else { n as u64 };
                if (64 - v.leading_zeros()).div_ceil(7) > max_groups as u32 {
                    return Err(self.fail(format!("{n} is out of range: it needs more than {max_groups} bytes")));
                }
                while v > 0x7f {
                    self.out.put(v & 0x7f | 0x80, 8);
                    v >>= 7;
                }
                self.out.put(v, 8);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The raw number for a given value, by the way the field is shown.
    fn number(&self, field: &'static Field, value: &Json) -> Result<i128, WriteStop> {
        match field.show {
            Show::Enum(names) => {
                if let Some(found) = value.as_str().and_then(|s| names.iter().find(|(_, n)| *n == s)) {
                    return Ok(found.0 as i128);
                }
                plain_number(value).ok_or_else(|| {
                    let list: Vec<&str> = names.iter().map(|(_, n)| *n).collect();
                    WriteStop::Error(self.wrong(&format!("a number or one of {}", list.join(", ")), value))
                })
            }
            Show::Flags(flags) => {
                let one = |item: &Json| -> Option<u64> {
                    if let Some((bit, _)) = item.as_str().and_then(|s| flags.names.iter().find(|(_, n)| *n == s)) {
                        return Some(*bit);
                    }
                    u64::try_from(plain_number(item)?).ok().map(|n| n >> flags.shift)
                };
                let all = match value {
                    Json::Array(items) => items.iter().try_fold(0, |all, item| one(item).map(|bit| all | bit)),
                    Json::String(list) if plain_number(value).is_none() => list
                        .split(['|', ',', '+'])
                        .map(str::trim)
                        .filter(|s| !s.is_empty())
                        .try_fold(0, |all, s| one(&Json::from(s)).map(|bit| all | bit)),
                    _ => plain_number(value).and_then(|n| u64::try_from(n).ok()),
                };
                match all {
                    Some(bits) => Ok(((bits & !flags.fixed_mask) | flags.fixed) as i128),
                    None => {
                        let list: Vec<&str> = flags.names.iter().map(|(_, n)| *n).collect();
                        Err(WriteStop::Error(self.wrong(&format!("a list of flags: {}", list.join(", ")), value)))
                    }
                }
            }
            Show::Scaled(scale) => {
                match value.as_f64().or_else(|| value.as_str().and_then(|s| s.trim().parse().ok())) {
                    Some(v) if v.is_finite() => Ok(scale.raw(v) as i128),
                    _ => Err(WriteStop::Error(self.wrong("a number", value))),
                }
            }
            Show::Plain => plain_number(value).ok_or_else(|| WriteStop::Error(self.wrong("a whole number", value))),
        }
    }

    fn leaf_value(&mut self, field: &'static Field, value: &'a Json) -> Result<u64, WriteStop> {
        let raw = raw_form(value).transpose().map_err(|what| self.fail(what))?;
        match field.kind {
            Kind::Text { len, charset } => {
                let content = match (&raw, value.as_str()) {
                    (Some((bytes, count)), _) => (bytes.clone(), *count),
                    (None, Some(text)) => {
                        let bytes = self.encode_text(text, charset)?;
                        let count = bytes.len() * 8;
                        (bytes, count)
                    }
                    (None, None) => return Err(WriteStop::Error(self.wrong("text", value))),
                };
                self.put_extent(len, content, raw.is_some())?;
                Ok(0)
            }
            Kind::Bytes { len } => {
                let content = self.hex_or_raw(value)?;
                self.put_extent(len, content, raw.is_some())?;
                Ok(0)
            }
            _ if raw.is_some() => {
                let (bytes, count) = raw.unwrap_or_default();
                self.put_raw(&bytes, count);
                Ok(bits::get(&bytes, 0, (count as u32).min(64)))
            }
            Kind::Bool { bits } => {
                let v = match value {
                    Json::Bool(b) => *b as u64,
                    Json::String(s) if s == "true" => 1,
                    Json::String(s) if s == "false" => 0,
                    _ => match plain_number(value) {
                        Some(n @ (0 | 1)) => n as u64,
                        _ => return Err(WriteStop::Error(self.wrong("true or false", value))),
                    },
                };
                self.out.put(v, bits as u32);
                Ok(v)
            }
            Kind::Float { bits, order } => {
                let Some(v) = value.as_f64().or_else(|| value.as_str().and_then(|s| s.trim().parse::<f64>().ok()))
                else {
                    return Err(WriteStop::Error(self.wrong("a number", value)));
                };
                let (pattern, finite) = match bits {
                    16 => {
                        let bits = half_text::nearest(v);
                        (bits as u64, half::f16::from_bits(bits).is_finite())
                    }
                    32 => ((v as f32).to_bits() as u64, (v as f32).is_finite()),
                    _ => (v.to_bits(), v.is_finite()),
                };
                if !finite && v.is_finite() {
                    return Err(self.fail(format!("{v} is out of range for {bits} bits")));
                }
                self.put(pattern, bits as u32, order);
                Ok(pattern)
            }
            _ => {
                let n = self.number(field, value)?;
                self.put_number(field, n)?;
                Ok(n as u64)
            }
        }
    }

    fn encode_text(&self, text: &str, charset: Charset) -> Result<Vec<u8>, WriteStop> {
        match charset {
            Charset::Utf8 => Ok(text.as_bytes().to_vec()),
            Charset::Latin1 => text
                .chars()
                .map(|c| u8::try_from(c as u32).map_err(|_| self.fail(format!("{c:?} is not a Latin-1 character"))))
                .collect(),
        }
    }

    /// Writes the content of text or bytes with what tells where it ends.
    fn put_extent(&mut self, len: Len, (bytes, count): (Vec<u8>, usize), raw: bool) -> Result<(), WriteStop> {
        let size = count.div_ceil(8);
        match len {
            Len::Prefix(prefix) => {
                match self.given_prefix(prefix) {
                    Some(given) => drop(self.leaf_value(prefix, given)?),
                    None => self.put_prefix(prefix, size as u64)?,
                }
                self.put_raw(&bytes, count);
            }
            Len::Const(n) if size != n as usize => return Err(self.fail(format!("expected {n} bytes, got {size}"))),
            Len::Bits(n) if count != n as usize && count != (n as usize).div_ceil(8) * 8 => {
                return Err(self.fail(format!("expected {n} bits, got {count}")));
            }
            Len::Bits(n) => self.put_raw(&bytes, n as usize),
            Len::Padded(n) if size > n as usize => return Err(self.fail(format!("at most {n} bytes, got {size}"))),
            Len::Padded(n) => {
                self.put_raw(&bytes, count);
                self.out.put_bytes(&vec![0; n as usize - size]);
            }
            Len::Until(stop) => {
                if bytes.contains(&stop) && !raw {
                    return Err(self.fail(format!("must not contain the byte {stop:#04x} that ends it")));
                }
                self.put_raw(&bytes, count);
                self.out.put_bytes(&[stop]);
            }
            Len::Field(name) => {
                self.complete(name, size as u64);
                self.put_raw(&bytes, count);
            }
            Len::Const(_) | Len::Rest => self.put_raw(&bytes, count),
        }
        Ok(())
    }

    /// The number in front of a field, where it was given.
    fn given_prefix(&mut self, prefix: &'static Field) -> Option<&'a Json> {
        match self.cursors.last() {
            Some(Cursor::Object { .. }) if !prefix.name.is_empty() => self.input(prefix),
            _ => None,
        }
    }

    /// Sets the earlier field `name` to `value`, unless it was given.
    fn complete(&mut self, name: &str, value: u64) {
        let Some(entry) = self.scope.entry(name) else { return };
        if entry.given {
            return;
        }
        entry.value = value;
        let (at, kind) = (entry.bit as usize, &entry.field.kind);
        let (count, order) = match kind {
            Kind::UInt { bits, order } | Kind::Int { bits, order } => (*bits as u32, *order),
            Kind::Bool { bits } => (*bits as u32, Order::Little),
            _ => return,
        };
        self.out.patch(at, self.ordered(value, count, order), count);
    }

    /// What a presence condition says by the fields written so far; `None`: it depends on what is left.
    fn holds(&self, when: &When) -> Option<bool> {
        match when {
            When::Always => Some(true),
            When::Bit(name, bit) => Some(self.scope.get(name).is_some_and(|v| v >> bit & 1 == 1)),
            When::Clear(name, bit) => Some(self.scope.get(name).is_some_and(|v| v >> bit & 1 == 0)),
            When::Eq(name, value) => Some(self.scope.get(name) == Some(*value)),
            When::In(name, values) => Some(self.scope.get(name).is_some_and(|v| values.contains(&v))),
            When::Left(_) => None,
            When::Any(several) => {
                let all: Vec<Option<bool>> = several.iter().map(|w| self.holds(w)).collect();
                if all.contains(&Some(true)) {
                    Some(true)
                } else if all.contains(&None) {
                    None
                } else {
                    Some(false)
                }
            }
            When::Setting(name, value) => Some(match &self.context {
                Some(context) => context.setting(name) == *value,
                None => NoContext.setting(name) == *value,
            }),
        }
    }

    /// A field is given whose condition an earlier, not given field decides: make it so.
    fn make_true(&mut self, when: &When) {
        match when {
            When::Bit(name, bit) => {
                let value = self.scope.get(name).unwrap_or(0) | 1 << bit;
                self.complete(name, value);
            }
            When::Eq(name, value) => self.complete(name, *value),
            When::Any([first, ..]) => self.make_true(first),
            _ => {}
        }
    }
}

/// `{"raw":"hex","bits":n}`: the bytes and the bits that count.
fn raw_form(value: &Json) -> Option<Result<(Vec<u8>, usize), String>> {
    let map = value.as_object()?;
    let (raw, count) = (map.get("raw")?.as_str()?, map.get("bits")?.as_u64()? as usize);
    Some(match hex::decode(raw) {
        Err(why) => Err(format!("raw: expected hex: {why}")),
        Ok(bytes) if bytes.len() != count.div_ceil(8) => {
            Err(format!("raw: {} bytes do not hold {count} bits", bytes.len()))
        }
        Ok(bytes) => Ok((bytes, count)),
    })
}

/// A whole number, as JSON number or as text (decimal, or 0x..).
fn plain_number(value: &Json) -> Option<i128> {
    match value {
        Json::Number(n) => n.as_u64().map(i128::from).or(n.as_i64().map(i128::from)).or_else(|| {
            let f = n.as_f64()?;
            (f.fract() == 0.0 && f.abs() < 2f64.powi(64)).then_some(f as i128)
        }),
        Json::String(s) => match s.strip_prefix("0x").or(s.strip_prefix("0X")) {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => s.trim().parse().ok(),
        },
        Json::Bool(b) => Some(*b as i128),
        _ => None,
    }
}

/// The number that a count's bits stand for, in whatever form.
fn counted(prefix: &'static Field, bytes: &[u8]) -> Option<u64> {
    if let Kind::VarInt { .. } = prefix.kind {
        let groups = bytes.iter().zip((0..64).step_by(7));
        return Some(groups.fold(0, |n, (group, shift)| n | (*group as u64 & 0x7f) << shift));
    }
    let mut tree = Tree::default();
    Reader::new(bytes, &mut tree).read(std::slice::from_ref(prefix));
    tree.nodes().first()?.number()
}

/// An open list.
pub struct List {
    /// In a broken message this list ends it.
    ends: bool,
    count: &'static Count,
    length: usize,
}

impl Wire for Writer<'_> {
    type Stop = WriteStop;
    type Group = usize;
    type List = List;

    fn present(&mut self, field: &'static Field) -> Result<bool, WriteStop> {
        let nameless = matches!(field.kind, Kind::Switch { .. } | Kind::Inline(_));
        let holds = self.holds(&field.when);
        if nameless {
            return Ok(holds.unwrap_or(true));
        }
        let given = self.has(field) || matches!(field.kind, Kind::Tag { .. } | Kind::Derived) && holds == Some(true);
        if given && holds != Some(true) {
            self.make_true(&field.when);
        }
        match (given, holds) {
            (false, Some(true)) if field.default.is_some() => Ok(true),
            (false, Some(true)) if field.is(flag::OMIT_EMPTY) => Ok(false),
            (false, Some(true)) => Err(self.missing(field)),
            _ => Ok(given),
        }
    }

    fn leaf(&mut self, field: &'static Field) -> Result<(), WriteStop> {
        let at = self.out.len();
        if let Kind::Tag { bits, order, value } = field.kind {
            // A message type may be given as a number where the layout shows it.
            self.put(value, bits as u32, order);
            return Ok(());
        }
        let bare = matches!(self.cursors.last(), Some(Cursor::List { .. }));
        self.names.push(if bare { "" } else { field.name });
        let given = self.input(field);
        let value = match (given, field.kind.width(), field.default) {
            (Some(value), ..) => self.leaf_value(field, value)?,
            (None, Some((bits, order)), _) if field.is(flag::MEASURES_REST) => {
                self.measures.push((at, bits, order));
                self.put(0, bits, order);
                0
            }
            // In a message that broke, a shown field that is not given was never read.
            (None, Some((bits, order)), Some(default)) if !self.broken || field.is(flag::HIDDEN) => {
                self.put(default as u64, bits, order);
                default as u64
            }
            (None, ..) if field.is(flag::OMIT_EMPTY) => 0,
            (None, ..) => {
                self.names.pop();
                return Err(self.missing(field));
            }
        };
        self.names.pop();
        if field.is(flag::KEPT) {
            self.scope.push(field, value, at as u32, given.is_some());
        }
        Ok(())
    }

    fn derived(&mut self, field: &'static Field) -> Result<(), WriteStop> {
        let given = match self.derived_input(field) {
            Some(value) => Some(self.number(field, value)? as u64),
            None => None,
        };
        let known = match (given, &mut self.context) {
            (Some(v), _) => Recalled::Value(v),
            (None, Some(context)) => context.recall(field, &self.scope),
            (None, None) => Recalled::Unknown,
        };
        match known {
            Recalled::Value(v) => {
                self.scope.push(field, v, self.out.len() as u32, true);
                Ok(())
            }
            _ => Err(self.missing(field)),
        }
    }

    fn enter(&mut self, field: &'static Field) -> Result<usize, WriteStop> {
        let bare = matches!(self.cursors.last(), Some(Cursor::List { .. }));
        let Some(value) = self.input(field) else { return Err(self.missing(field)) };
        self.names.push(if bare { "" } else { field.name });
        let Some(fields) = value.as_object() else {
            let error = self.wrong("an object", value);
            return Err(WriteStop::Error(error));
        };
        let derived = self.derived_input(field);
        let table: &'static [Field] = if let Kind::Struct(table) = field.kind { table } else { &[] };
        self.cursors.push(Cursor::Object { fields, derived, asked: Vec::new(), table });
        Ok(self.scope.len())
    }

    fn leave(&mut self, _field: &'static Field, scope: usize, whole: bool) {
        if whole && self.surplus.is_none() {
            self.surplus = self.check_asked().err();
        }
        if whole || self.broken {
            self.cursors.pop();
            self.names.pop();
        }
        self.scope.truncate(scope);
    }

    fn begin(&mut self, field: &'static Field, count: &'static Count, _of: &'static Field) -> Result<List, WriteStop> {
        let derived = self.derived_input(field);
        let given = match count {
            Count::Prefix(prefix) => self.given_prefix(prefix),
            _ => None,
        };
        let bare = matches!(self.cursors.last(), Some(Cursor::List { .. }));
        let Some(value) = self.input(field) else { return Err(self.missing(field)) };
        self.names.push(if bare { "" } else { field.name });
        if raw_form(value).is_some() {
            // The bits of the whole list, its count among them.
            self.put_bits_of(value)?;
            self.cursors.push(Cursor::List { items: &[], derived, next: 0 });
            return Ok(List { ends: false, count: &Count::Rest, length: 0 });
        }
        let Some(items) = value.as_array() else { return Err(WriteStop::Error(self.wrong("a list", value))) };
        // A count is given where the list was not read to its end; or because of its form alone.
        let mut ends = given.is_some();
        match count {
            Count::Prefix(prefix) => match given {
                Some(value) if raw_form(value).is_some() => {
                    let (bytes, _) = self.hex_or_raw(value)?;
                    ends = counted(prefix, &bytes) != Some(items.len() as u64);
                    self.leaf_value(prefix, value)?;
                }
                Some(value) => {
                    let n = self.number(prefix, value)?;
                    match prefix.kind {
                        Kind::Custom(_) => self.put_prefix(prefix, n.max(0) as u64)?,
                        _ => self.put_number(prefix, n)?,
                    }
                }
                None => self.put_prefix(prefix, items.len() as u64)?,
            },
            Count::Const(n) if items.len() != *n as usize && !self.broken => {
                return Err(self.fail(format!("expected {n} elements, got {}", items.len())));
            }
            Count::Field(name) => self.complete(name, items.len() as u64),
            _ => {}
        }
        self.cursors.push(Cursor::List { items, derived, next: 0 });
        Ok(List { ends, count, length: items.len() })
    }

    fn more(&mut self, _field: &'static Field, list: &mut List) -> Result<bool, WriteStop> {
        let Some(Cursor::List { next, .. }) = self.cursors.last_mut() else { return Ok(false) };
        *next += 1;
        Ok(*next <= list.length)
    }

    fn finish(&mut self, _field: &'static Field, list: List, whole: bool) -> Result<(), WriteStop> {
        if whole || self.broken {
            self.cursors.pop();
            self.names.pop();
        }
        match list.count {
            _ if !whole => Ok(()),
            // A broken message's list has no end on the wire, or fewer elements than counted.
            Count::Until(_) if self.broken => Err(WriteStop::Broken),
            Count::Until(stop) => {
                self.out.put_bytes(&[*stop]);
                Ok(())
            }
            Count::Const(n) if self.broken && list.length < *n as usize => Err(WriteStop::Broken),
            _ if self.broken && list.ends => Err(WriteStop::Broken),
            _ => Ok(()),
        }
    }

    fn kept(&self, name: &str) -> Option<u64> {
        self.scope.get(name)
    }

    fn ask(&mut self, field: &'static Field, value: Option<u64>) -> Option<&'static [Field]> {
        match &mut self.context {
            Some(context) => context.layout(field, value, &self.scope),
            None => None,
        }
    }

    fn payload(&mut self, field: &'static Field, fields: &'static [Field]) -> Result<(), WriteStop> {
        // Hex is taken as it is, also where a schema knows the fields.
        if let Some(Cursor::Object { fields: given, .. }) = self.cursors.last()
            && given.get(field.name).is_some_and(|v| v.is_string() || raw_form(v).is_some())
        {
            return self.leaf(field);
        }
        let group = self.enter(field)?;
        self.describe_group(fields);
        if let Some(Cursor::Object { fields, .. }) = self.cursors.last()
            && let Some(rest) = fields.get("unparsed")
        {
            (self.broken, self.unparsed) = (true, Some(rest));
        }
        let done = walk::walk(fields, self).and_then(|()| walk::field(&super::reader::TRAILING, self));
        self.leave(field, group, done.is_ok());
        done
    }

    fn undefined(&mut self, field: &'static Field, what: &'static str) -> WriteStop {
        if self.broken {
            return WriteStop::Broken;
        }
        self.names.push(field.name);
        let error = self.fail(format!("{what}: its layout cannot be known"));
        self.names.pop();
        error
    }

    fn unknown(&mut self) -> WriteStop {
        // Decoding stopped here too; what stood behind is the line's `unparsed`.
        WriteStop::Broken
    }

    fn custom(&mut self, field: &'static Field, codec: &'static dyn Custom) -> Result<(), WriteStop> {
        codec.write(field, self)
    }
}

impl Kind {
    /// Width and order, where it is a number of fixed width.
    pub(super) const fn width(&self) -> Option<(u32, Order)> {
        match self {
            Kind::UInt { bits, order }
            | Kind::Int { bits, order }
            | Kind::Float { bits, order }
            | Kind::Tag { bits, order, .. } => Some((*bits as u32, *order)),
            Kind::Bool { bits } => Some((*bits as u32, Order::Little)),
            _ => None,
        }
    }
}
