//! Reads values from bits: numbers, and the range of text and bytes.

use super::Reader;
use crate::codec::bits;
use crate::codec::context::{Context, NoContext};
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::half_text::float_bits;
use crate::codec::layout::{Charset, Count, Field, Kind, Len, Look, Name, Order, Show, When, flag};
use crate::codec::node::{Node, Value};
use crate::codec::scale::Scale;

impl<'a> Reader<'a> {
    #[inline]
    pub(in crate::codec) fn need(&mut self, field: &'static Field, start: u32, need: u64) -> Result<(), Stop> {
        if need <= (self.end - start) as u64 { Ok(()) } else { Err(self.short(field, start, need, String::new())) }
    }

    #[inline(always)]
    pub(in crate::codec) fn take(&mut self, count: u32, order: Order) -> u64 {
        let value = bits::number(self.data, self.at as usize, count);
        self.at += count;
        match order {
            Order::Little => value,
            Order::Big => bits::swap(value, count),
            Order::Conversation if self.order == Order::Big => bits::swap(value, count),
            Order::Conversation => value,
            Order::HighestBit => bits::from_highest(self.data, (self.at - count) as usize, count),
        }
    }

    /// Reads the hidden number before the content of a field that began at `start`. If the number alone would not
    /// reproduce its bits, it is shown as a raw field of its own.
    pub(in crate::codec) fn prefix(
        &mut self,
        field: &'static Field,
        prefix: &'static Field,
        start: u32,
    ) -> Result<i64, Stop> {
        match prefix.kind {
            Kind::UInt { bits, order } => {
                self.need(field, start, (self.at - start) as u64 + bits as u64)?;
                Ok(self.take(bits as u32, order).min(i64::MAX as u64) as i64)
            }
            Kind::Int { bits, order } => {
                self.need(field, start, (self.at - start) as u64 + bits as u64)?;
                Ok(bits::signed(self.take(bits as u32, order), bits as u32))
            }
            Kind::VarInt { max_groups, sign } => {
                let at = self.at;
                let number = self.groups(field, max_groups, start)?;
                if !number.exact {
                    self.show_prefix(prefix, at, number.count * 8);
                }
                Ok(sign.read(number.value).min(i64::MAX as i128) as i64)
            }
            Kind::Extended(extended) => {
                let at = self.at;
                let (number, exact) = extended.number(field, self, start)?;
                if !exact {
                    self.show_prefix(prefix, at, self.at - at);
                }
                Ok(number.min(i64::MAX as u64) as i64)
            }
            Kind::Custom(codec) => {
                let mark = self.tree.nodes().len();
                codec.read(prefix, self)?;
                // A codec shows a number, or raw bits after a hidden number.
                let node = self.tree.nodes().get(mark).copied();
                let value = node.and_then(|n| n.number()).unwrap_or(0);
                self.tree.truncate(mark);
                if let Some(node) = node.filter(|node| node.field.is(flag::HIDDEN)) {
                    self.show_prefix(prefix, node.bit, node.bits);
                }
                Ok(value.min(i64::MAX as u64) as i64)
            }
            _ => Ok(0),
        }
    }

    /// Shows a hidden number's bits next to its field. An element of a list has no room for them: then the whole list
    /// is shown as raw bits.
    #[cold]
    fn show_prefix(&mut self, prefix: &'static Field, bit: u32, bits: u32) {
        let parent = self.tree.open.last().and_then(|node| self.tree.nodes().get(*node as usize));
        match parent.map(|node| node.value) {
            Some(Value::List) => self.odd = true,
            _ if prefix.name.is_empty() => {}
            _ => _ = self.tree.push(prefix, Value::Raw { bit, bits }, bit, bits),
        }
    }

    /// Removes the bits of a hidden number that [`Reader::show_prefix`] has just shown.
    #[cold]
    fn hide_prefix(&mut self, prefix: &'static Field, bit: u32) {
        let last = self.tree.nodes().len().wrapping_sub(1);
        let shown = |node: &Node| std::ptr::eq(node.field, prefix) && node.bit == bit;
        if self.tree.nodes().get(last).is_some_and(shown) {
            self.tree.truncate(last);
        }
    }

    /// Reads the count before an array that a [`Custom`](crate::codec::walk::Custom) codec reads. Returns the number of
    /// elements.
    ///
    /// # Errors
    /// A fault of `field` if the count could not be read.
    pub fn count(&mut self, field: &'static Field, count: &Count) -> Result<u64, Stop> {
        let start = self.at;
        Ok(match *count {
            Count::Const(n) => n as u64,
            Count::Prefix(prefix) => self.prefix(field, prefix, start)?.max(0) as u64,
            Count::Field(ref name) => self.known(name).unwrap_or(0),
            Count::Until(_) | Count::UntilOrEnd(_) | Count::While(_) | Count::Rest => self.left() as u64,
        })
    }

    /// Returns the number that is shown for a float with these bits, and whether it converts back to them.
    #[cold]
    pub(super) fn scaled(&self, value: Value, scale: Scale, pattern: u64, bits: u8) -> (Value, bool) {
        let raw = match value {
            Value::F16(bits) => half::f16::from_bits(bits).to_f64(),
            Value::F32(v) => v.into(),
            Value::F64(v) => v,
            _ => 0.0,
        };
        let shown = scale.float(raw, bits, |back| float_bits(back, bits).0 == pattern);
        (Value::F64(shown.unwrap_or(raw)), shown.is_some())
    }

    pub(super) fn groups(&mut self, field: &'static Field, max: u16, start: u32) -> Result<Groups, Stop> {
        let (mut value, mut count, mut lost) = (0u64, 0u32, false);
        loop {
            if self.end - self.at < 8 {
                let need = (self.at - start) as u64 + 8;
                return Err(self.short(field, start, need, "the last group says that more follow".into()));
            }
            if count >= max as u32 {
                let have = (self.end - start) as u64;
                return Err(self.broken(
                    field,
                    Fault { limit: format!("at most {max} groups"), ..Fault::new(Reason::TooLong, start, 0, have) },
                ));
            }
            let group = self.take(8, Order::Little);
            let low = group & 0x7f;
            match count {
                0..=8 => value |= low << (7 * count),
                9 => {
                    value |= low << 63;
                    lost |= low > 1;
                }
                _ => lost |= low != 0,
            }
            count += 1;
            if group & 0x80 == 0 {
                let exact = !lost && (low != 0 || count == 1);
                return Ok(Groups { value, count, exact });
            }
        }
    }

    /// Returns the range of the content of text or bytes, and moves past it.
    pub(in crate::codec) fn extent(&mut self, field: &'static Field, len: Len, start: u32) -> Result<(u32, u32), Stop> {
        let bits = match len {
            Len::Const(n) | Len::Padded(n) => n as u64 * 8,
            Len::Bits(n) => n as u64,
            Len::Prefix(prefix) => {
                let n = self.prefix(field, prefix, start)?;
                let content = (n.max(0) as u64).saturating_mul(8);
                let whole = content.saturating_add((self.at - start) as u64);
                if n < 0 || whole > (self.end - start) as u64 {
                    // The field's raw bits begin with the length.
                    self.hide_prefix(prefix, start);
                    let limit = format!("length {n} from {}", prefix.name);
                    return Err(self.short(field, start, whole, limit));
                }
                content
            }
            Len::Field(ref name) => {
                let n = self.known(name).unwrap_or(0);
                let whole = n.saturating_mul(8);
                if whole > (self.end - start) as u64 {
                    return Err(self.short(field, start, whole, format!("length {n} from {name}")));
                }
                whole
            }
            Len::Until(stop) => {
                let (at, all) = (self.at as usize, (self.end - self.at) as usize / 8);
                let found = match at % 8 {
                    0 => memchr::memchr(stop, self.data.get(at / 8..at / 8 + all).unwrap_or(&[])),
                    _ => (0..all).position(|k| bits::get(self.data, at + k * 8, 8) == u64::from(stop)),
                };
                let Some(n) = found else {
                    let have = (self.end - start) as u64;
                    let reason = if self.is_cut() { Reason::Cut } else { Reason::Unterminated };
                    return Err(self.broken(field, Fault::new(reason, start, 0, have)));
                };
                let bit = self.at;
                self.at += n as u32 * 8 + 8;
                return Ok((bit, n as u32 * 8));
            }
            Len::Through(ends) => {
                let (data, at, all) = (self.data, self.at as usize, (self.end - self.at) as usize / 8);
                let length = ends.length((0..all).map(|k| bits::get(data, at + k * 8, 8) as u8));
                // What the capture cut off may belong to it, unless it ends before.
                let ended = |length: usize| {
                    length.checked_sub(1).is_some_and(|k| ends.any.contains(&(bits::get(data, at + k * 8, 8) as u8)))
                };
                let Some(length) = length.filter(|(length, _)| !self.is_cut() || ended(*length)) else {
                    let have = self.left() as u64;
                    let reason = if self.is_cut() { Reason::Cut } else { Reason::Unterminated };
                    return Err(self.broken(field, Fault::new(reason, start, 0, have)));
                };
                let (length, shown) = length;
                let bit = self.at;
                self.at += length as u32 * 8;
                return Ok((bit, shown as u32 * 8));
            }
            Len::Rest => {
                if self.wire_end > self.end {
                    let need = (self.wire_end - start) as u64;
                    return Err(self.short(field, start, need, String::new()));
                }
                (self.end - self.at) as u64
            }
        };
        let bit = self.at;
        self.need(field, start, (bit - start) as u64 + bits)?;
        self.at += bits as u32;
        Ok((bit, bits as u32))
    }

    pub(in crate::codec) fn text_value(
        &mut self,
        field: &'static Field,
        len: Len,
        charset: Charset,
        start: u32,
    ) -> Result<Value, Stop> {
        let (bit, mut bits) = self.extent(field, len, start)?;
        let whole = Value::Raw { bit, bits };
        let content = &*bits::bytes(self.data, bit, bits);
        let mut text = content;
        if let Len::Padded(_) = len {
            let end = memchr::memchr(0, content).unwrap_or(content.len());
            if content[end..].iter().any(|b| *b != 0) {
                return Ok(whole);
            }
            text = &content[..end];
            bits = end as u32 * 8;
        }
        Ok(match charset {
            Charset::Latin1 => Value::Latin1 { bit, bits },
            Charset::Utf8 if std::str::from_utf8(text).is_ok() => Value::Text { bit, bits },
            Charset::Utf8 | Charset::Utf16(_) => whole,
        })
    }

    /// Returns the number that represents a text in conditions and in message ids.
    pub(super) fn text_id(&self, field: &'static Field, value: Value) -> u64 {
        match value {
            Value::Latin1 { bit, bits } => field.text_id(bits::bytes(self.data, bit, bits).iter().map(|b| *b as char)),
            Value::Text { bit, bits } => {
                let bytes = bits::bytes(self.data, bit, bits);
                std::str::from_utf8(&bytes).map_or(0, |text| field.text_id(text.chars()))
            }
            _ => 0,
        }
    }

    /// Returns the length of a range without its last bits, if these make no whole byte and are zero.
    #[inline(never)]
    fn unpadded(&self, bit: u32, bits: u32) -> u32 {
        let odd = bits % 8;
        let zero = bits::get(self.data, (bit + bits - odd) as usize, odd) == 0;
        if zero { bits - odd } else { bits }
    }

    /// Reads a field of bytes.
    #[inline(always)]
    pub(super) fn bytes(&mut self, field: &'static Field, len: Len) -> Result<(), Stop> {
        let start = self.at;
        let (bit, mut bits) = match len {
            // The usual case, without the cost of a result that may be a fault.
            Len::Rest if self.wire_end <= self.end => {
                self.at = self.end;
                (start, self.end - start)
            }
            _ => self.extent(field, len, start)?,
        };
        if field.is(flag::PADDED) && bits % 8 != 0 {
            bits = self.unpadded(bit, bits);
        }
        if bits == 0 && field.is(flag::OMIT_EMPTY) {
            return Ok(());
        }
        if field.is(flag::REFERENCED) {
            self.tree.scope.push(field, 0, start, true);
        }
        self.tree.push(field, raw_or_bytes(bit, bits), start, self.at - start);
        Ok(())
    }

    /// Rejects a number that a closed enumeration does not have.
    pub(super) fn defined(&mut self, field: &'static Field, value: u64, start: u32) -> Result<(), Stop> {
        match field.show {
            Show::Enum(names) if field.is(flag::CLOSED) && names.iter().all(|(known, _)| *known != value) => {
                self.at = start;
                let have = self.left() as u64;
                let reason = Reason::Undefined("a value that is not in its enumeration");
                Err(self.broken(field, Fault::new(reason, start, 0, have)))
            }
            _ => Ok(()),
        }
    }

    /// Returns the value of an earlier field, or of the conversation.
    #[inline]
    pub fn known(&self, name: &Name) -> Option<u64> {
        self.tree.scope.get(name).or_else(|| self.context.as_ref()?.value(name.slot()?))
    }

    /// Whether a condition holds here.
    pub fn holds(&self, when: &When) -> bool {
        when.holds(&mut { self }) == Some(true)
    }
}

impl Look for &Reader<'_> {
    fn value(&mut self, name: &Name) -> Option<u64> {
        self.known(name)
    }

    fn left(&mut self, bits: u32) -> Option<bool> {
        Some(Reader::left(self) >= bits)
    }

    fn setting(&mut self, name: &str) -> u64 {
        self.context.as_ref().map_or(NoContext.setting(name), |context| context.setting(name))
    }
}

pub(super) struct Groups {
    pub value: u64,
    pub count: u32,
    pub exact: bool,
}

pub(in crate::codec) fn raw_or_bytes(bit: u32, bits: u32) -> Value {
    if bits.is_multiple_of(8) { Value::Bytes { bit, bits } } else { Value::Raw { bit, bits } }
}
