//! Converts values to bits: numbers, text and bytes, and the marks of their end.

use super::put::raw_form;
use super::{Cursor, RawBits, WriteStop, Writer};
use crate::codec::half_text::float_bits;
use crate::codec::layout::{Charset, Field, Kind, Len, Order, Show, Sign, flag};
use crate::codec::{bits, digits, kinds};
use crate::plural::Plural;
use serde_json::Value as Json;

/// Parses a whole number: a JSON number, text (decimal, or 0x..) or a boolean.
pub(in crate::codec) fn plain_number(value: &Json) -> Option<i128> {
    match value {
        Json::Number(n) => n.as_u64().map(i128::from).or(n.as_i64().map(i128::from)).or_else(|| {
            let f = n.as_f64()?;
            (f.fract() == 0.0 && f.abs() < 2f64.powi(64)).then_some(f as i128)
        }),
        Json::String(s) => digits::whole(s.trim()),
        Json::Bool(b) => Some(*b as i128),
        _ => None,
    }
}

impl<'a> Writer<'a> {
    /// Parses a truth value: a JSON boolean, or its text.
    pub(in crate::codec) fn truth(value: &Json) -> Option<bool> {
        value.as_bool().or_else(|| value.as_str()?.parse().ok())
    }

    /// Writes the number before a field's content.
    pub(in crate::codec) fn put_prefix(&mut self, prefix: &'static Field, n: u64) -> Result<(), WriteStop> {
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

    pub(in crate::codec) fn put_number(&mut self, field: &'static Field, n: i128) -> Result<(), WriteStop> {
        match field.kind {
            Kind::UInt { bits, order } | Kind::Int { bits, order } => {
                self.within(field, n)?;
                self.put(n as u64, bits as u32, order);
                Ok(())
            }
            Kind::VarInt { sign, max_groups } => {
                let Some(v) = sign.write(n) else {
                    let (least, most) = sign.range();
                    return Err(self.fail(format!("{n} is out of range: {least} to {most}")));
                };
                if (64 - v.leading_zeros()).div_ceil(7) > max_groups as u32 {
                    return Err(
                        self.fail(format!("{n} is out of range: it needs more than {}", Plural(max_groups, "byte")))
                    );
                }
                self.put_varint(v);
                Ok(())
            }
            Kind::Extended(extended) => extended.write(n, self),
            Kind::Numeral(numeral) => numeral.put(n, self),
            _ => Ok(()),
        }
    }

    /// Checks that a number is in the range of a field.
    pub(in crate::codec) fn within(&self, field: &Field, n: i128) -> Result<(), WriteStop> {
        // Only a boolean has none.
        let (least, most) = field.kind.range().unwrap_or((0, 1));
        match (least..=most).contains(&n) {
            true => Ok(()),
            false => Err(self.fail(format!("{n} is out of range: {least} to {most}"))),
        }
    }

    /// Returns the raw number of a given value, by the form in which the field is shown.
    pub(in crate::codec) fn number(&self, field: &'static Field, value: &Json) -> Result<i128, WriteStop> {
        match field.show {
            Show::Enum(names) => {
                if let Some(found) = value.as_str().and_then(|s| names.iter().find(|(_, n)| *n == s)) {
                    // Negative ones are in two's complement.
                    return Ok(if field.kind.is_signed() { found.0 as i64 as i128 } else { found.0 as i128 });
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
                    Some(v) if v.is_finite() => Ok(scale.raw(v)),
                    _ => Err(WriteStop::Error(self.wrong("a number", value))),
                }
            }
            Show::Time { clock, .. } => {
                let time = value.as_str().and_then(|text| clock.number(text));
                time.or_else(|| plain_number(value)).ok_or_else(|| {
                    let example = clock.number("2026-11-24T14:00:53Z");
                    let form = example.map_or_else(String::new, |number| clock.text(number));
                    WriteStop::Error(self.wrong(&format!("a time in UTC, such as {form}, or a number"), value))
                })
            }
            Show::Plain | Show::Asked(_) => {
                plain_number(value).ok_or_else(|| WriteStop::Error(self.wrong("a whole number", value)))
            }
        }
    }

    pub(in crate::codec) fn leaf_value(&mut self, field: &'static Field, value: &'a Json) -> Result<u64, WriteStop> {
        let raw = raw_form(value).transpose().map_err(|what| self.fail(what))?;
        let given = raw.is_some();
        match field.kind {
            Kind::Text { len, charset } => {
                let content = match (raw, value.as_str()) {
                    (Some(raw), _) => raw,
                    (None, Some(text)) => RawBits::whole(self.encode_text(text, charset)?),
                    (None, None) => return Err(WriteStop::Error(self.wrong("text", value))),
                };
                self.put_extent(len, content, given)?;
                Ok(value.as_str().map_or(0, |text| field.text_id(text.chars())))
            }
            Kind::Bytes { len } => {
                let content = self.hex_or_raw(value)?;
                self.put_extent(len, content, given)?;
                Ok(0)
            }
            Kind::Numeral(numeral) => numeral.write(field, value, raw, self),
            _ if given => {
                let RawBits { bytes, count } = raw.unwrap_or_default();
                self.put_raw(&bytes, count);
                if let Kind::VarInt { sign, .. } = field.kind {
                    let groups = bytes.iter().zip((0..64).step_by(7));
                    return Ok(
                        sign.read(groups.fold(0, |n, (group, shift)| n | (*group as u64 & 0x7f) << shift)) as u64
                    );
                }
                let mut read = bits::BitBuf::default();
                read.put_bytes(&bytes);
                if let Some(extended) = kinds::extended(field) {
                    return Ok(extended.at(&read, 0, None).1);
                }
                let (_, order) = field.kind.width().unwrap_or((64, Order::Little));
                Ok(read.number_at(0, (count as u32).min(64), order.within(self.order)))
            }
            Kind::Address(address) => match value.as_str().and_then(|text| address.parse(text)) {
                Some(bytes) => {
                    self.out.put_bytes(&bytes);
                    Ok(bytes.iter().take(8).fold(0, |number, byte| number << 8 | *byte as u64))
                }
                None => Err(WriteStop::Error(self.wrong(address.about(), value))),
            },
            Kind::Bool { bits } => {
                let v = match (Writer::truth(value), plain_number(value)) {
                    (Some(set), _) => set as u64,
                    (None, Some(n @ (0 | 1))) => n as u64,
                    _ => return Err(WriteStop::Error(self.wrong("true or false", value))),
                };
                self.out.put(v, bits as u32);
                Ok(v)
            }
            Kind::Float { bits, order } => {
                let Some(v) = value.as_f64().or_else(|| value.as_str().and_then(|s| s.trim().parse::<f64>().ok()))
                else {
                    return Err(WriteStop::Error(self.wrong("a number", value)));
                };
                let v = if let Show::Scaled(scale) = field.show { scale.raw_float(v, bits) } else { v };
                let (pattern, finite) = float_bits(v, bits);
                if !finite && v.is_finite() {
                    return Err(self.fail(format!("{v} is out of range for {bits} bits")));
                }
                self.put(pattern, bits as u32, order);
                Ok(pattern)
            }
            _ => {
                let mut n = self.number(field, value)?;
                // Flags are unsigned: the highest bit is one of them.
                if let (Show::Flags(_), true) = (field.show, n >= 0) {
                    n = match field.kind {
                        Kind::Int { bits, .. } if n <= bits::mask(bits as u32) as i128 => {
                            bits::signed(n as u64, bits as u32) as i128
                        }
                        Kind::VarInt { sign: Sign::Zigzag | Sign::Complement | Sign::Complement32, .. } => {
                            n as u64 as i64 as i128
                        }
                        _ => n,
                    };
                }
                self.put_number(field, n)?;
                Ok(n as u64)
            }
        }
    }

    pub(in crate::codec) fn encode_text(&self, text: &str, charset: Charset) -> Result<Vec<u8>, WriteStop> {
        match charset {
            Charset::Utf8 => Ok(text.as_bytes().to_vec()),
            Charset::Utf16(order) => Ok(kinds::to_utf16(text, order.within(self.order))),
            Charset::Latin1 => text
                .chars()
                .map(|c| u8::try_from(c as u32).map_err(|_| self.fail(format!("{c:?} is not a Latin-1 character"))))
                .collect(),
        }
    }

    /// Whether a text that is not given is an empty one.
    pub(super) fn may_be_empty(&self, field: &'static Field) -> bool {
        let hidden = field.is(flag::HIDDEN) && !field.is(flag::SELECTS) && !(self.broken && self.explicit);
        hidden || field.is(flag::OMIT_EMPTY) && !self.broken
    }

    /// Writes the number before a field's content as it is given.
    pub(in crate::codec) fn put_given(&mut self, prefix: &'static Field, given: &'a Json) -> Result<(), WriteStop> {
        match prefix.kind {
            Kind::Custom(_) if raw_form(given).is_none() => {
                let n = self.number(prefix, given)?;
                self.put_prefix(prefix, u64::try_from(n).unwrap_or(u64::MAX))
            }
            _ => self.leaf_value(prefix, given).map(drop),
        }
    }

    /// Writes the content of text or bytes, with its length or terminator.
    pub(in crate::codec) fn put_extent(&mut self, len: Len, content: RawBits, raw: bool) -> Result<(), WriteStop> {
        let RawBits { bytes, count } = content;
        let size = count.div_ceil(8);
        match len {
            Len::Prefix(prefix) => {
                match self.given_prefix(prefix) {
                    Some(given) => self.put_given(prefix, given)?,
                    None => self.put_prefix(prefix, size as u64)?,
                }
                self.put_raw(&bytes, count);
            }
            Len::Const(n) if size != n as usize => {
                return Err(self.fail(format!("expected {}, got {size}", Plural(n, "byte"))));
            }
            Len::Bits(n) if count != n as usize && count != (n as usize).div_ceil(8) * 8 => {
                return Err(self.fail(format!("expected {n} bits, got {count}")));
            }
            Len::Bits(n) => self.put_raw(&bytes, n as usize),
            Len::Padded(n) if size > n as usize => {
                return Err(self.fail(format!("at most {}, got {size}", Plural(n, "byte"))));
            }
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
            Len::Field(ref name) => {
                self.counted(name, size as u64)?;
                self.put_raw(&bytes, count);
            }
            Len::Through(ends) if !ends.fit(&bytes) && !self.broken => {
                return Err(self.fail("expected one of its end characters as the last, and none before it".into()));
            }
            Len::Through(ends) if ends.between().is_some_and(|end| bytes.last() != Some(&end)) => {
                self.put_raw(&bytes, count);
                self.out.put_bytes(&[ends.any[0]]);
                self.open_end();
            }
            Len::Const(_) | Len::Through(_) | Len::Rest => self.put_raw(&bytes, count),
        }
        Ok(())
    }
}
