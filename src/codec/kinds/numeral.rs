//! Numbers that are written as text: lengths of bencode and Redis, counters of text protocols.

use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Len};
use crate::codec::node::Value;
use crate::codec::writer::{RawBits, WriteStop};
use crate::codec::{EncodeError, Reader, Sampler, Writer, bits};
use serde_json::Value as Json;

/// The digits of a number in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Radix {
    /// `-42`.
    Decimal,
    /// `1f`.
    Hex,
}

/// A number in text.
#[derive(Debug)]
pub struct Numeral {
    /// The text's length or end. A text of a fixed size is filled up with zeros in front.
    pub len: Len,
    /// Its digits.
    pub radix: Radix,
}

/// The reason why a text is not read as a number.
const NO_NUMBER: &str = "a text that is not a number";
const TOO_LARGE: &str = "a number that does not fit into 64 bits";

crate::named!(Radix: Decimal = "dec", Hex = "hex");

impl Radix {
    /// The smallest and the largest number.
    pub const fn range(self) -> (i128, i128) {
        match self {
            Radix::Decimal => (i64::MIN as i128, u64::MAX as i128),
            Radix::Hex => (0, u64::MAX as i128),
        }
    }
}

impl Numeral {
    /// The number of characters, if it is always the same.
    fn width(&self) -> usize {
        if let Len::Const(n) = self.len { n as usize } else { 0 }
    }

    /// The length in bits, if it is always the same.
    pub(in crate::codec) fn bits(&self) -> Option<u32> {
        if let Len::Const(n) = self.len { n.checked_mul(8) } else { None }
    }

    /// The largest number that has room.
    pub(in crate::codec) fn most(&self) -> u64 {
        let base = if self.radix == Radix::Hex { 16u64 } else { 10 };
        if let Len::Const(n) = self.len { base.checked_pow(n).map_or(u64::MAX, |beyond| beyond - 1) } else { u64::MAX }
    }

    /// Parses a number. The flag is false if encoding would write another text.
    fn parse(&self, text: &[u8]) -> Result<(i128, bool), &'static str> {
        let (sign, digits) = match (self.radix, text) {
            (Radix::Decimal, [sign @ (b'-' | b'+'), digits @ ..]) => (Some(*sign), digits),
            _ => (None, text),
        };
        let (prefixed, digits, base) = match (self.radix, digits) {
            (Radix::Hex, [b'0', b'x' | b'X', digits @ ..]) => (true, digits, 16),
            (Radix::Hex, digits) => (false, digits, 16),
            (Radix::Decimal, digits) => (false, digits, 10),
        };
        let mut number = if digits.is_empty() { Err(NO_NUMBER) } else { Ok(0i128) };
        for digit in digits {
            let value = (*digit as char).to_digit(base).ok_or(NO_NUMBER)?;
            // The rest of the text may still turn out to be no number.
            number = number.and_then(|number| {
                let more = number * i128::from(base) + i128::from(value);
                if more > u64::MAX.into() { Err(TOO_LARGE) } else { Ok(more) }
            });
        }
        let number = if sign == Some(b'-') { -number? } else { number? };
        if number < self.radix.range().0 {
            return Err(TOO_LARGE);
        }
        let mut exact = sign != Some(b'+') && !prefixed && !(sign.is_some() && number == 0);
        exact &= digits[0] != b'0' || digits.len() == 1 || text.len() == self.width();
        exact &= !digits.iter().any(u8::is_ascii_uppercase);
        Ok((number, exact))
    }

    /// The text that encoding writes.
    fn text(&self, number: i128) -> Vec<u8> {
        let width = self.width();
        let text = match self.radix {
            Radix::Decimal => format!("{number:0width$}"),
            Radix::Hex => format!("{number:0width$x}"),
        };
        text.into_bytes()
    }

    /// Reads the number; also returns it as later fields see it, in two's complement.
    pub(in crate::codec) fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(Value, u64), Stop> {
        let start = reader.position();
        let (bit, bits) = reader.extent(field, self.len, start)?;
        match self.parse(&bits::bytes(reader.data(), bit, bits)) {
            Ok((number, exact)) if !exact || !field.survives(number) => Ok((Value::Raw { bit, bits }, number as u64)),
            Ok((number @ ..0, _)) => Ok((Value::Int(number as i64), number as u64)),
            Ok((number, _)) => Ok((Value::UInt(number as u64), number as u64)),
            Err(why) => {
                let have = u64::from(reader.end() - start);
                Err(reader.broken(field, Fault::new(Reason::Undefined(why), start, 0, have)))
            }
        }
    }

    /// Writes a number.
    pub(in crate::codec) fn put(&self, number: i128, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let (least, most) = self.radix.range();
        if !(least..=most).contains(&number) {
            return Err(writer.fail(format!("{number} is out of range: {least} to {most}")));
        }
        writer.put_extent(self.len, RawBits::whole(self.text(number)), false)
    }

    /// Writes a given value: a number, or the text that was there in another form.
    pub(in crate::codec) fn write(
        &self,
        field: &'static Field,
        value: &Json,
        raw: Option<RawBits>,
        writer: &mut Writer<'_>,
    ) -> Result<u64, WriteStop> {
        let Some(raw) = raw else {
            let number = writer.number(field, value)?;
            self.put(number, writer)?;
            return Ok(number as u64);
        };
        let number = self.parse(&raw.bytes).map_or(0, |(number, _)| number as u64);
        writer.put_extent(self.len, raw, true)?;
        Ok(number)
    }

    /// Returns the text of a number that follows from others, with the byte that ends it, and the size in bits of the
    /// text at bit `at` that it replaces.
    pub(in crate::codec) fn replaced(&self, out: &[u8], at: usize, number: u64) -> (Vec<u8>, usize) {
        let number = if self.radix == Radix::Hex { i128::from(number) } else { i128::from(number as i64) };
        let mut text = self.text(number);
        let Len::Until(end) = self.len else { return (text, self.width() * 8) };
        text.push(end);
        let mut before = at;
        while before < out.len() * 8 && bits::get(out, before, 8) != u64::from(end) {
            before += 8;
        }
        (text, before + 8 - at)
    }

    /// Writes a small number, and returns it.
    pub(in crate::codec) fn sample(&self, sampler: &mut Sampler<'_>) -> Result<u64, EncodeError> {
        let number = sampler.below(12).min(self.most());
        let mut text = self.text(number.into());
        match self.len {
            Len::Prefix(prefix) => sampler.put_prefix(prefix, text.len() as u64)?,
            Len::Field(ref name) => {
                let size = sampler.counted(name, text.len() as u64) as usize;
                // A longer text begins with zeros.
                text.splice(0..0, std::iter::repeat_n(b'0', size.saturating_sub(text.len())));
            }
            Len::Until(end) => text.push(end),
            Len::Rest if std::mem::replace(&mut sampler.ended, true) => text.clear(),
            _ => {}
        }
        sampler.out.put_bytes(&text);
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_of_each_number_is_written_back() {
        let of = |len, radix| move |text: &str| Numeral { len, radix }.parse(text.as_bytes());
        let (decimal, hex) = (of(Len::Until(b' '), Radix::Decimal), of(Len::Until(b' '), Radix::Hex));
        for number in [0, 7, -1, 10, i64::MIN.into(), u64::MAX.into()] {
            assert_eq!(decimal(&number.to_string()), Ok((number, true)));
        }
        for (text, number) in [("007", 7), ("+5", 5), ("-0", 0), ("00", 0), ("-08", -8)] {
            assert_eq!(decimal(text), Ok((number, false)), "{text}");
        }
        for (text, number, exact) in [("1f", 31, true), ("1F", 31, false), ("0X1F", 31, false), ("0x1f", 31, false)] {
            assert_eq!(hex(text), Ok((number, exact)), "{text}");
        }
        for text in ["", "-", "+", "x", "1 ", "1.0", "--1", "0x1", "99999999999999999999x"] {
            assert_eq!(decimal(text), Err(NO_NUMBER), "{text}");
        }
        for text in ["18446744073709551616", "-9223372036854775809", "100000000000000000000000000000000000000000"] {
            assert_eq!(decimal(text), Err(TOO_LARGE), "{text}");
        }
        assert_eq!([hex("-1"), hex("0x"), hex("10000000000000000")], [Err(NO_NUMBER), Err(NO_NUMBER), Err(TOO_LARGE)]);
        let three = Numeral { len: Len::Const(3), radix: Radix::Decimal };
        assert_eq!([three.parse(b"007"), three.parse(b"-07")], [Ok((7, true)), Ok((-7, true))]);
        assert_eq!((three.text(7), three.text(-7), three.most()), (b"007".to_vec(), b"-07".to_vec(), 999));
    }
}
