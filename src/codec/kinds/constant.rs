//! A value that is always the same, such as the first bytes of a protocol, or a mark that may be missing.

use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Kind, Order, flag};
use crate::codec::node::Value;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer, bits};

/// A constant.
#[derive(Debug)]
pub struct Constant {
    /// The form in which it is shown, and in which another value may be given.
    pub of: &'static Field,
    /// Its bits on the wire; the last byte may have fewer.
    pub wire: &'static [u8],
    /// The number of bits.
    pub bits: u32,
    /// The number that it means, if it is one.
    pub number: Option<u64>,
    /// Whether it is present only if the bytes match.
    pub optional: bool,
    /// If it is optional: the fields that are present only with it.
    pub with: &'static [&'static str],
}

impl Constant {
    /// The number and its width, if it takes its bits from the highest one of each byte on.
    fn highest_first(&self) -> Option<(u64, u32)> {
        match (self.number, self.of.kind.width()) {
            (Some(number), Some((bits, Order::HighestBit))) => Some((number & bits::mask(bits), bits)),
            _ => None,
        }
    }

    fn is_at(&self, data: &[u8], at: u32) -> bool {
        if let Some((number, bits)) = self.highest_first() {
            return bits::from_highest(data, at as usize, bits) == number;
        }
        (0..self.bits).step_by(64).all(|k| {
            let count = (self.bits - k).min(64);
            bits::get(data, (at + k) as usize, count) == bits::get(self.wire, k as usize, count)
        })
    }

    fn value(&self, bit: u32) -> Value {
        match (self.number, &self.of.kind) {
            (Some(n), Kind::Int { .. }) => Value::Int(n as i64),
            (Some(n), _) => Value::UInt(n),
            (None, Kind::Text { .. }) => Value::Text { bit, bits: self.bits },
            (None, _) => Value::Bytes { bit, bits: self.bits },
        }
    }

    /// Returns the value that conditions see. It is not zero for an optional constant that is present.
    fn seen(&self) -> u64 {
        match self.number {
            Some(n) if n > 0 || !self.optional => n,
            _ => 1,
        }
    }

    fn put(&self, out: &mut bits::BitBuf) {
        if let Some((number, bits)) = self.highest_first() {
            return out.put_number(number, bits, Order::HighestBit);
        }
        (0..self.bits).step_by(64).for_each(|k| {
            let count = (self.bits - k).min(64);
            out.put(bits::get(self.wire, k as usize, count), count);
        });
    }
}

impl Constant {
    pub(in crate::codec) fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let there = reader.end().saturating_sub(start) >= self.bits;
        // Bytes that are not there yet may be these.
        let open = !there && reader.is_cut();
        if self.optional && !open && !(there && self.is_at(reader.data(), start)) {
            return Ok(());
        }
        reader.need(field, start, self.bits as u64)?;
        if !self.is_at(reader.data(), start) {
            let have = reader.left() as u64;
            let reason = Reason::Undefined("not the constant that belongs here");
            return Err(reader.broken(field, Fault::new(reason, start, 0, have)));
        }
        reader.skip(self.bits);
        reader.tree().push(field, self.value(start), start, self.bits);
        if field.is(flag::REFERENCED) {
            reader.tree().scope.push(field, self.seen(), start, true);
        }
        Ok(())
    }

    pub(in crate::codec) fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let at = writer.position();
        let given = writer.input(field);
        match given {
            Some(serde_json::Value::Bool(false)) if self.optional => return Ok(()),
            Some(value) if !value.is_boolean() => {
                writer.names.push(field.name);
                writer.leaf_value(self.of, value)?;
                writer.names.pop();
            }
            None if self.optional && !self.with.iter().any(|name| writer.has_name(name)) => return Ok(()),
            None if writer.broken => return Err(WriteStop::Broken),
            _ => self.put(&mut writer.out),
        }
        if field.is(flag::REFERENCED) {
            writer.scope.push(field, self.seen(), at as u32, true);
        }
        Ok(())
    }

    pub(in crate::codec) fn sample(&self, field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        if self.optional && sampler.below(2) == 0 {
            return Ok(());
        }
        let at = sampler.out.len() as u32;
        self.put(&mut sampler.out);
        sampler.scope.push(field, self.seen(), at, true);
        Ok(())
    }

    pub(in crate::codec) fn describe(&self) -> &'static str {
        if self.optional { "a constant, or nothing" } else { "a constant" }
    }
}
