//! pomelo-protobuf. It is similar to Google's, but only the protos contain the types, all signed integers are zigzag,
//! and repeated numbers follow one key and their count (README.md, "Payloads").
//!
//! Elements of one field may be scattered on the wire: they are collected first, then the nodes are made.

use super::protos::{Field, Kind, Protos, Rule};
use crate::codec::layout::{self, Len};
use crate::codec::tree::NamePlace;
use crate::codec::{Tree, Value, bits};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The deepest nesting of messages that is read.
const DEEPEST: usize = 64;
/// The most values that are read from one payload.
const MOST_CELLS: usize = 1 << 18;
/// The most values whose memory is kept for reuse.
const KEPT: usize = 4096;
/// No cell.
const NONE: u32 = u32::MAX;

static VALUE: layout::Field = layout::bytes("value", Len::Rest).doc("a value of the protos' type");

#[derive(Clone, Copy, Debug)]
enum Name {
    Element,
    Proto((u32, u32)),
    /// A map's own key, in the buffer for names.
    Own((u32, u32)),
}

/// A value, or a list or group of cells that are chained by `next`.
#[derive(Clone, Copy, Debug)]
struct Cell {
    name: Name,
    value: Value,
    start: usize,
    end: usize,
    first: u32,
    last: u32,
    next: u32,
}

/// Reused memory.
#[derive(Debug, Default)]
pub struct Scratch {
    cells: Vec<Cell>,
    slots: FxHashMap<(u32, u32), u32>,
    shared: FxHashMap<u32, u32>,
}

/// The place and cause of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// The offset in the payload.
    pub at: usize,
    /// The error.
    pub what: &'static str,
}

/// The place of the payload and of names.
pub struct PayloadPosition<'a> {
    /// The source of the payload.
    pub source: u8,
    /// The offset of its first byte there.
    pub start: usize,
    /// A source for names, and its buffer.
    pub names: (u8, &'a mut Vec<u8>),
}

/// Reads `payload` as `message`, and appends its nodes to `tree` as `field`. After an error, the values before it are
/// kept.
pub fn nodes(
    payload: &[u8],
    protos: &Protos,
    message: u32,
    field: &'static layout::Field,
    place: PayloadPosition<'_>,
    tree: &mut Tree,
    scratch: &mut Scratch,
) -> Result<(), Stopped> {
    let Scratch { cells, slots, shared } = scratch;
    cells.clear();
    // Clearing takes time proportional to the capacity, so that of one large payload is not kept.
    if slots.capacity() > KEPT {
        (*cells, *slots, *shared) = Default::default();
    }
    slots.clear();
    shared.clear();
    let PayloadPosition { source, start, names: (name_source, names) } = place;
    let mut reading = PayloadReader { bytes: payload, at: 0, base: start, protos, cells, slots, names };
    let root = reading.cell(Name::Element, Value::Group, 0);
    let read = root.and_then(|root| {
        let read = reading.body(message, root, payload.len(), 0);
        reading.ends(root);
        read
    });
    tree.set_source(source);
    let mut emit = Emit { cells, protos, base: start, names, name_source, shared, tree };
    emit.cell(0, Some(field));
    read
}

struct PayloadReader<'a> {
    bytes: &'a [u8],
    at: usize,
    base: usize,
    protos: &'a Protos,
    cells: &'a mut Vec<Cell>,
    slots: &'a mut FxHashMap<(u32, u32), u32>,
    names: &'a mut Vec<u8>,
}

impl PayloadReader<'_> {
    fn stop<T>(&self, at: usize, what: &'static str) -> Result<T, Stopped> {
        Err(Stopped { at, what })
    }

    fn cell(&mut self, name: Name, value: Value, start: usize) -> Result<u32, Stopped> {
        if self.cells.len() >= MOST_CELLS {
            return self.stop(start, "too many values");
        }
        self.cells.push(Cell { name, value, start, end: self.at, first: NONE, last: NONE, next: NONE });
        Ok(self.cells.len() as u32 - 1)
    }

    fn ends(&mut self, cell: u32) {
        let at = self.at;
        if let Some(cell) = self.cells.get_mut(cell as usize) {
            cell.end = at;
        }
    }

    fn append(&mut self, list: u32, cell: u32) {
        let Some(parent) = self.cells.get_mut(list as usize) else { return };
        let before = std::mem::replace(&mut parent.last, cell);
        if before == NONE {
            parent.first = cell;
        } else if let Some(before) = self.cells.get_mut(before as usize) {
            before.next = cell;
        }
    }

    fn varint(&mut self, end: usize) -> Result<u64, Stopped> {
        let start = self.at;
        let (mut value, mut shift) = (0u64, 0u32);
        loop {
            let Some(byte) = self.bytes.get(self.at).filter(|_| self.at < end) else {
                return self.stop(start, "a varint without an end");
            };
            self.at += 1;
            let low = (byte & 0x7f) as u64;
            if low != 0 && (shift > 63 || shift == 63 && low > 1) {
                return self.stop(start, "a varint over 64 bits");
            }
            value |= low.checked_shl(shift).unwrap_or(0);
            shift = shift.saturating_add(7);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
    }

    /// Skips `count` bytes, and returns the place where they begin.
    fn take(&mut self, count: u64, end: usize, what: &'static str) -> Result<usize, Stopped> {
        let start = self.at;
        match usize::try_from(count).ok().and_then(|n| start.checked_add(n)).filter(|after| *after <= end) {
            Some(after) => {
                self.at = after;
                Ok(start)
            }
            None => self.stop(start, what),
        }
    }

    fn range(&self, start: usize, end: usize) -> (u32, u32) {
        ((self.base + start) as u32 * 8, (end - start) as u32 * 8)
    }

    /// Reads all fields up to `end`.
    fn body(&mut self, message: u32, group: u32, end: usize, depth: usize) -> Result<(), Stopped> {
        let protos = self.protos;
        let Some(table) = protos.get(message) else { return self.stop(self.at, "the protos lack this message") };
        while self.at < end {
            let start = self.at;
            let tag = self.varint(end)? >> 3;
            let Some(field) = table.by_tag.get(&tag) else { return self.stop(start, "an unknown tag") };
            self.field(field, group, start, end, depth)?;
        }
        Ok(())
    }

    fn field(&mut self, field: &Field, group: u32, start: usize, end: usize, depth: usize) -> Result<(), Stopped> {
        let name = Name::Proto(field.name);
        let slot = self.slots.get(&(group, field.index)).copied();
        let cell = match field.rule {
            Rule::Single => self.value(field, name, end, depth)?,
            Rule::Repeated => {
                let counted = !matches!(field.kind, Kind::Text | Kind::Message(_) | Kind::Missing);
                let count = if counted { self.varint(end)? } else { 1 };
                let list = self.cell(name, Value::List, start)?;
                for _ in 0..count {
                    let cell = self.value(field, Name::Element, end, depth)?;
                    self.append(list, cell);
                }
                list
            }
            Rule::Pairs => {
                let pairs = match field.kind {
                    Kind::Message(message) => self.protos.get(message).map(|m| m.pair),
                    _ => None,
                };
                let Some([Some(key), Some(value)]) = pairs else {
                    return self.stop(start, "the protos lack this map's key and value");
                };
                let list = self.cell(name, Value::Group, start)?;
                for _ in 0..self.varint(end)? {
                    let key = self.key(&key, end)?;
                    let cell = self.value(&value, Name::Own(key), end, depth)?;
                    self.append(list, cell);
                }
                list
            }
        };
        let single = matches!(field.rule, Rule::Single);
        if !single {
            self.ends(cell);
        }
        // The elements are attached when all of them are read.
        match slot {
            None => self.attach(group, field, cell),
            Some(slot) if !single => self.join(slot, cell),
            // A repeated single field: the last value counts, in the place of the first.
            Some(slot) => {
                if let Some(new) = self.cells.get(cell as usize).copied()
                    && let Some(old) = self.cells.get_mut(slot as usize)
                {
                    *old = Cell { next: old.next, ..new };
                }
            }
        }
        Ok(())
    }

    fn attach(&mut self, group: u32, field: &Field, cell: u32) {
        self.slots.insert((group, field.index), cell);
        self.append(group, cell);
    }

    /// Adds the cells of one list to another.
    fn join(&mut self, list: u32, more: u32) {
        let Some(Cell { first, last, .. }) = self.cells.get(more as usize).copied() else { return };
        if first != NONE {
            self.append(list, first);
            if let Some(list) = self.cells.get_mut(list as usize) {
                list.last = last;
            }
        }
        self.ends(list);
    }

    /// A map's key, as text in the buffer for names.
    fn key(&mut self, field: &Field, end: usize) -> Result<(u32, u32), Stopped> {
        let start = self.names.len() as u32;
        match field.kind {
            Kind::Text => {
                let count = self.varint(end)?;
                let from = self.take(count, end, "a string beyond the end")?;
                let text = String::from_utf8_lossy(self.bytes.get(from..self.at).unwrap_or_default());
                self.names.extend_from_slice(text.as_bytes());
            }
            Kind::Unsigned | Kind::Bool | Kind::Zigzag => {
                let n = self.varint(end)?;
                let mut text = String::new();
                // Writing to a String cannot fail.
                let _ = match field.kind {
                    Kind::Zigzag => write!(text, "{}", unzigzag(n)),
                    _ => write!(text, "{n}"),
                };
                self.names.extend_from_slice(text.as_bytes());
            }
            _ => return self.stop(self.at, "a map's key of this type"),
        }
        Ok((start, self.names.len() as u32 - start))
    }

    fn value(&mut self, field: &Field, name: Name, end: usize, depth: usize) -> Result<u32, Stopped> {
        let start = self.at;
        let value = match field.kind {
            Kind::Unsigned => Value::UInt(self.varint(end)?),
            Kind::Zigzag => Value::Int(unzigzag(self.varint(end)?)),
            Kind::Bool => match self.varint(end)? {
                n @ (0 | 1) => Value::Bool(n == 1),
                n => Value::UInt(n),
            },
            Kind::Float => {
                self.take(4, end, "a float beyond the end")?;
                let x = f32::from_bits(bits::get(self.bytes, start * 8, 32) as u32);
                let (bit, bits) = self.range(start, self.at);
                if x.is_finite() { Value::F32(x) } else { Value::Raw { bit, bits } }
            }
            Kind::Double => {
                self.take(8, end, "a double beyond the end")?;
                let x = f64::from_bits(bits::get(self.bytes, start * 8, 64));
                let (bit, bits) = self.range(start, self.at);
                if x.is_finite() { Value::F64(x) } else { Value::Raw { bit, bits } }
            }
            Kind::Text => {
                let count = self.varint(end)?;
                let from = self.take(count, end, "a string beyond the end")?;
                let text = self.bytes.get(from..self.at).unwrap_or_default();
                let (bit, bits) = self.range(from, self.at);
                if std::str::from_utf8(text).is_ok() { Value::Text { bit, bits } } else { Value::Raw { bit, bits } }
            }
            Kind::Message(message) => {
                if depth >= DEEPEST {
                    return self.stop(start, "messages nested too deeply");
                }
                let count = self.varint(end)?;
                let from = self.take(count, end, "a message beyond the end")?;
                let inner = std::mem::replace(&mut self.at, from);
                let cell = self.cell(name, Value::Group, start)?;
                self.body(message, cell, inner, depth + 1)?;
                self.ends(cell);
                return Ok(cell);
            }
            Kind::Missing => return self.stop(start, "the protos lack this field's type"),
        };
        self.cell(name, value, start)
    }
}

fn unzigzag(n: u64) -> i64 {
    (n >> 1) as i64 ^ -((n & 1) as i64)
}

struct Emit<'a> {
    cells: &'a [Cell],
    protos: &'a Protos,
    base: usize,
    names: &'a mut Vec<u8>,
    name_source: u8,
    /// The places of the protos' names in `names`: each name is there once, however often it is used.
    shared: &'a mut FxHashMap<u32, u32>,
    tree: &'a mut Tree,
}

impl Emit<'_> {
    /// Emits a cell and all cells below it. The depth is limited by that of the reading.
    fn cell(&mut self, index: u32, root: Option<&'static layout::Field>) {
        let Some(cell) = self.cells.get(index as usize).copied() else { return };
        let (bit, bits) = ((self.base + cell.start) as u32 * 8, cell.end.saturating_sub(cell.start) as u32 * 8);
        let field = root.unwrap_or(&VALUE);
        let range = match cell.name {
            Name::Element => None,
            Name::Own(range) => Some(range),
            Name::Proto((place, len)) => {
                let (protos, names) = (self.protos, &mut *self.names);
                let start = *self.shared.entry(place).or_insert_with(|| {
                    names.extend_from_slice(protos.name(place, len).as_bytes());
                    names.len() as u32 - len
                });
                Some((start, len))
            }
        };
        let node = self.tree.push(field, cell.value, bit, bits);
        if let Some((start, len)) = range {
            self.tree.name_latest(NamePlace { source: self.name_source, start, len });
        }
        if let Value::Group | Value::List = cell.value {
            let mut next = cell.first;
            while let Some(below) = self.cells.get(next as usize) {
                let after = below.next;
                self.cell(next, None);
                next = after;
            }
            self.tree.close(node, bit + bits);
        }
    }
}
