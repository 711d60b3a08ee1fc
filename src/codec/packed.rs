//! Trees as a few bytes a node, for messages that are kept by the million. Fields and names of the
//! tables are written as numbers, which a [`Known`] turns back.

pub(crate) use super::bits::varint as put;
use super::layout::Field;
use super::node::{Node, Value};
use super::tree::{NamePlace, Tree};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The names at the head of a message: protocol, message, version, schema.
pub(crate) type Heading = [&'static str; 4];

/// The values that numbers in packed messages refer to. All live as long as the program.
#[derive(Debug, Default)]
pub(crate) struct Known {
    fields: Vec<&'static Field>,
    names: Vec<&'static str>,
    headings: Vec<Heading>,
}

impl Known {
    /// The name of that number.
    pub fn name(&self, number: u64) -> Option<&'static str> {
        self.names.get(usize::try_from(number).ok()?).copied()
    }

    /// The heading of that number.
    pub fn heading(&self, number: u64) -> Option<Heading> {
        self.headings.get(usize::try_from(number).ok()?).copied()
    }

    fn field(&self, number: u64) -> Option<&'static Field> {
        self.fields.get(usize::try_from(number).ok()?).copied()
    }
}

/// The address and length of a name, which are hashed sooner than its text.
type Address = (usize, usize);

fn address(name: &'static str) -> Address {
    (name.as_ptr() as usize, name.len())
}

/// The numbers that one worker has given or has learned of.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    fields: FxHashMap<usize, u64>,
    names: FxHashMap<Address, u64>,
    headings: FxHashMap<[Address; 4], u64>,
    known: Arc<Mutex<Known>>,
}

impl Numbers {
    /// Numbers for this table, which several workers may share.
    pub fn of(known: &Arc<Mutex<Known>>) -> Numbers {
        Numbers { known: Arc::clone(known), ..Numbers::default() }
    }

    /// Appends the number of a name.
    pub fn name(&mut self, name: &'static str, out: &mut Vec<u8>) {
        let known = &self.known;
        put(*self.names.entry(address(name)).or_insert_with(|| add(&mut locked(known).names, name)), out);
    }

    /// Appends the number of a heading.
    pub fn heading(&mut self, heading: Heading, out: &mut Vec<u8>) {
        let (number, known) = (self.headings.entry(heading.map(address)), &self.known);
        put(*number.or_insert_with(|| add(&mut locked(known).headings, heading)), out);
    }

    fn field(&mut self, field: &'static Field, out: &mut Vec<u8>) {
        let address = std::ptr::from_ref(field) as usize;
        let known = &self.known;
        put(*self.fields.entry(address).or_insert_with(|| add(&mut locked(known).fields, field)), out);
    }
}

fn locked(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Appends to a list. Returns the number of the new entry.
fn add<T>(list: &mut Vec<T>, new: T) -> u64 {
    list.push(new);
    list.len() as u64 - 1
}

/// Appends a number that may be below 0.
pub(crate) fn put_signed(number: i64, out: &mut Vec<u8>) {
    put((number << 1 ^ number >> 63) as u64, out);
}

/// Appends bytes and how many they are.
pub(crate) fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Reads what these functions have appended.
#[derive(Debug)]
pub(crate) struct Unpack<'a>(pub &'a [u8]);

impl<'a> Unpack<'a> {
    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    /// The next byte.
    pub fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    /// The next number.
    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// The next number that may be below 0.
    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    /// The next bytes with their count.
    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let count = self.number()?;
        self.take(usize::try_from(count).ok()?)
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    /// A position, written relative to another one.
    fn near(&mut self, to: u32) -> Option<u32> {
        u32::try_from(self.signed()? + i64::from(to)).ok()
    }
}

/// A node's first byte: the kind of its value, its two flags, and these.
const MOVED: u8 = 0x40;
const MORE: u8 = 0x80;

fn kind(value: Value) -> u8 {
    match value {
        Value::Group => 0,
        Value::List => 1,
        Value::Null => 2,
        Value::Bool(false) => 3,
        Value::Bool(true) => 4,
        Value::UInt(_) => 5,
        Value::Int(_) => 6,
        Value::F16(_) => 7,
        Value::F32(_) => 8,
        Value::F64(_) => 9,
        Value::Bytes { .. } => 10,
        Value::Text { .. } => 11,
        Value::Latin1 { .. } => 12,
        Value::Json { .. } => 13,
        Value::Raw { .. } => 14,
    }
}

impl Tree {
    /// Appends the nodes.
    pub(crate) fn pack(&self, numbers: &mut Numbers, out: &mut Vec<u8>) {
        put(self.nodes.len() as u64, out);
        let mut expected = 0u32;
        for (at, node) in self.nodes.iter().enumerate() {
            let moved = node.bit != expected;
            let more = node.source != 0 || node.key != 0;
            let (moved_bit, more_bit) = (u8::from(moved) * MOVED, u8::from(more) * MORE);
            out.push(kind(node.value) | node.flags << 4 | moved_bit | more_bit);
            numbers.field(node.field, out);
            if moved {
                put_signed(i64::from(node.bit) - i64::from(expected), out);
            }
            put(u64::from(node.bits), out);
            if more {
                out.push(node.source);
                put(u64::from(node.key), out);
            }
            expected = node.bit;
            if node.nests() {
                put(u64::from(node.end).saturating_sub(at as u64), out);
            } else {
                expected = node.bit.saturating_add(node.bits);
            }
            pack_value(node, out);
        }
        put(self.keys.len() as u64, out);
        for NamePlace { source, start, len } in self.keys.iter().copied() {
            out.push(source);
            put(u64::from(start), out);
            put(u64::from(len), out);
        }
    }

    /// Fills this empty tree with nodes that were packed.
    pub(crate) fn unpack(&mut self, known: &Known, from: &mut Unpack<'_>) -> Option<()> {
        let (count, mut expected) = (from.number()?, 0u32);
        for at in 0..count {
            let first = from.byte()?;
            let field = known.field(from.number()?)?;
            let bit = if first & MOVED != 0 { from.near(expected)? } else { expected };
            let bits = from.small()?;
            let (source, key) = if first & MORE != 0 { (from.byte()?, from.small()?) } else { (0, 0) };
            let (nests, flags) = (first & 15 < 2, first >> 4 & 3);
            let end = at + if nests { from.number()? } else { 1 };
            expected = if nests { bit } else { bit.saturating_add(bits) };
            let value = value(first & 15, bit, from)?;
            self.nodes.push(Node { field, value, bit, bits, end: u32::try_from(end).ok()?, key, source, flags });
            self.has_derived |= flags & super::node::DERIVED != 0;
        }
        for _ in 0..from.number()? {
            self.keys.push(NamePlace { source: from.byte()?, start: from.small()?, len: from.small()? });
        }
        Some(())
    }
}

fn pack_value(node: &Node, out: &mut Vec<u8>) {
    match node.value {
        Value::UInt(number) => put(number, out),
        Value::Int(number) => put_signed(number, out),
        Value::F16(bits) => out.extend_from_slice(&bits.to_le_bytes()),
        Value::F32(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::F64(number) => out.extend_from_slice(&number.to_le_bytes()),
        Value::Bytes { bit: start, bits: length }
        | Value::Text { bit: start, bits: length }
        | Value::Latin1 { bit: start, bits: length }
        | Value::Raw { bit: start, bits: length }
        | Value::Json { start, len: length } => {
            put_signed(i64::from(start) - i64::from(node.bit), out);
            put(u64::from(length), out);
        }
        Value::Group | Value::List | Value::Null | Value::Bool(_) => {}
    }
}

fn value(kind: u8, near: u32, from: &mut Unpack<'_>) -> Option<Value> {
    Some(match kind {
        0 => Value::Group,
        1 => Value::List,
        2 => Value::Null,
        3 | 4 => Value::Bool(kind == 4),
        5 => Value::UInt(from.number()?),
        6 => Value::Int(from.signed()?),
        7 => Value::F16(u16::from_le_bytes(from.take(2)?.try_into().ok()?)),
        8 => Value::F32(f32::from_le_bytes(from.take(4)?.try_into().ok()?)),
        9 => Value::F64(f64::from_le_bytes(from.take(8)?.try_into().ok()?)),
        _ => {
            let (bit, bits) = (from.near(near)?, from.small()?);
            match kind {
                10 => Value::Bytes { bit, bits },
                11 => Value::Text { bit, bits },
                12 => Value::Latin1 { bit, bits },
                13 => Value::Json { start: bit, len: bits },
                14 => Value::Raw { bit, bits },
                _ => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for number in [0, 1, 127, 128, 0x3fff, 0x4000, u64::MAX >> 1, u64::MAX] {
            let mut out = Vec::new();
            put(number, &mut out);
            put_signed(number as i64, &mut out);
            let mut from = Unpack(&out);
            assert_eq!((from.number(), from.signed(), from.0.len()), (Some(number), Some(number as i64), 0));
        }
        assert_eq!(Unpack(&[0x80; 20]).number(), None);
        assert_eq!((Unpack(&[5, 1]).bytes(), Unpack(&[]).byte()), (None, None));
    }
}
