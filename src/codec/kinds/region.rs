//! A field with a limited number of bytes. Nothing in it reads beyond them, and bytes that it leaves are shown.

use super::trailing;
use crate::codec::fault::Stop;
use crate::codec::layout::{Field, Kind, Name, When};
use crate::codec::reader::{UNENDED, raw_or_bytes};
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Value, Writer, bits, walk};
use std::ops::Range;

/// The end of a region.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// A number before it gives its length.
    Prefix(&'static Field),
    /// An earlier field gives its length.
    Field(Name),
    /// This many bytes.
    Const(u32),
    /// Up to this byte, which is not shown.
    Until(u8),
    /// The field's own length: such a region only adds padding.
    Own,
    /// Up to the end, less the bits of fields after it. Each has the condition for its presence.
    Less(&'static [(When, u32)]),
}

/// A factor above 0: a numerator and a denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    pub num: u32,
    pub den: u32,
}

impl Ratio {
    /// 1.
    pub const ONE: Ratio = Ratio { num: 1, den: 1 };
}

/// A field in a region of its own.
#[derive(Debug)]
pub struct Region {
    /// Its end.
    pub extent: Extent,
    /// The bytes per unit of the number.
    pub scale: Ratio,
    /// The number counts this many bytes more than the region has.
    pub plus: i32,
    /// Zeros follow, up to the next multiple of this many bytes; 0: none.
    pub align: u32,
    /// The field; the bytes that it may leave; the padding, shown if encoding would write another.
    pub fields: &'static [Field; 3],
}

impl Region {
    /// Creates the second field: the bytes that the first one leaves.
    pub const fn left(name: &'static str) -> Field {
        trailing(name)
    }

    fn bytes(&self, number: u64) -> u64 {
        let all = (number.saturating_mul(self.scale.num as u64)).div_ceil(self.scale.den.max(1) as u64);
        all.saturating_add_signed(-i64::from(self.plus))
    }

    /// Whether the number is less than the bytes that it counts besides the region's own.
    fn is_below(&self, number: u64) -> bool {
        self.plus > 0
            && number.saturating_mul(self.scale.num as u64).div_ceil(self.scale.den.max(1) as u64) < self.plus as u64
    }

    /// The number of padding bytes after this many bytes.
    fn padding(&self, bytes: u32) -> u32 {
        if self.align > 0 { bytes.next_multiple_of(self.align) - bytes } else { 0 }
    }

    /// Returns the number that encoding writes for this many bytes.
    fn number(&self, bytes: u64) -> Option<u64> {
        let scaled = bytes.checked_add_signed(self.plus.into())? * self.scale.den as u64;
        scaled.is_multiple_of(self.scale.num as u64).then(|| scaled / self.scale.num.max(1) as u64)
    }

    fn of(&self) -> &'static Field {
        &self.fields[0]
    }
}

/// Shows the length in these bits, unless node `before` already shows it in a longer form.
fn show_length(prefix: &'static Field, number: u64, before: usize, place: Range<u32>, reader: &mut Reader<'_>) {
    let tree = reader.tree();
    if tree.nodes().get(before).is_none_or(|node| !std::ptr::eq(node.field, prefix)) {
        let node = tree.push(prefix, Value::UInt(number), place.start, place.end - place.start);
        tree.reveal(node);
    }
}

impl Region {
    pub(in crate::codec) fn read(&self, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let before = reader.tree().nodes().len();
        let of = self.of();
        let (bits, limit) = match self.extent {
            Extent::Prefix(prefix) => {
                let number = reader.prefix(of, prefix, start)?.max(0) as u64;
                if !self.is_below(number) && self.number(self.bytes(number)) != Some(number) {
                    let place = start..reader.position();
                    show_length(prefix, number, before, place, reader);
                }
                (self.bytes(number).saturating_mul(8), Some((number, prefix.name)))
            }
            Extent::Field(ref name) => {
                let number = reader.known(name).unwrap_or(0);
                if !self.is_below(number) && self.number(self.bytes(number)) != Some(number) {
                    reader.tree().reveal_named(name);
                }
                (self.bytes(number).saturating_mul(8), Some((number, name.text)))
            }
            Extent::Const(bytes) => (bytes as u64 * 8, None),
            Extent::Until(end) => match memchr::memchr(end, &bits::bytes(reader.data(), start, reader.end() - start)) {
                Some(bytes) => (bytes as u64 * 8, None),
                None => {
                    let need = (reader.end() - start) as u64 + 8;
                    return Err(reader.short(of, start, need, format!("it ends with {end:#04x}")));
                }
            },
            Extent::Own => {
                walk::field(of, reader)?;
                self.read_padding(start, reader);
                return Ok(());
            }
            Extent::Less(bits) => {
                let after = bits.iter().filter(|(when, _)| reader.holds(when)).map(|(_, bits)| *bits as u64);
                ((reader.left() as u64).saturating_sub(after.sum()), None)
            }
        };
        let from = reader.position();
        // A number less than the bytes that it counts besides the region's own.
        let counted = limit.filter(|(number, _)| self.is_below(*number));
        if let Some((number, name)) = counted {
            reader.tree().truncate(before);
            let limit = format!("length {number} from {name}, which counts {} more", self.plus);
            return Err(reader.short(of, start, self.plus.unsigned_abs() as u64 * 8, limit));
        }
        let whole = bits.saturating_add((from - start) as u64);
        if whole > reader.end().saturating_sub(start) as u64 {
            // The length is among the bytes that are not parsed.
            reader.tree().truncate(before);
            let limit = limit.map_or(String::new(), |(number, name)| format!("length {number} from {name}"));
            return Err(reader.short(of, start, whole, limit));
        }
        let done = reader.within(from, from + bits as u32, |reader| {
            walk::field(of, reader)?;
            reader.rest(&self.fields[1]);
            Ok(())
        });
        if let (Ok(()), Extent::Until(_)) = (&done, self.extent) {
            reader.skip(8);
        }
        if let (Err(_), Extent::Until(_)) = (&done, self.extent) {
            let at = reader.position();
            reader.tree().push(&UNENDED, Value::Bool(true), at, 0);
        }
        if let (Err(_), Extent::Prefix(prefix), Some((number, _))) = (&done, self.extent, limit) {
            // The length cannot be computed from broken content.
            show_length(prefix, number, before, start..from, reader);
        }
        done?;
        self.read_padding(from, reader);
        Ok(())
    }

    /// Reads the padding of the bytes from `from` on. Shows it if it is incomplete or not all zeros.
    fn read_padding(&self, from: u32, reader: &mut Reader<'_>) {
        let at = reader.position();
        let padding = self.padding((at - from).div_ceil(8)) * 8;
        let bits = padding.min(reader.end() - at);
        let zero = bits::bytes(reader.data(), at, bits).iter().all(|byte| *byte == 0);
        if !zero || bits < padding {
            reader.tree().push(&self.fields[2], raw_or_bytes(at, bits), at, bits);
        }
        reader.skip(bits);
    }

    /// Writes the padding after this many bytes: the given one, or zeros.
    fn write_padding(&self, bytes: u64, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        match writer.input(&self.fields[2]) {
            Some(given) => writer.put_raw_form(given).map(drop),
            None => {
                writer.put_bytes(&vec![0; self.padding(bytes as u32) as usize]);
                Ok(())
            }
        }
    }

    pub(in crate::codec) fn write(&self, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let at = writer.position();
        let (of, left) = (self.of(), &self.fields[1]);
        let given = match self.extent {
            Extent::Prefix(prefix) => writer.given_prefix(prefix).map(|value| (prefix, value)),
            _ => None,
        };
        if let Some((prefix, value)) = given {
            writer.put_given(prefix, value)?;
        }
        let content = writer.position();
        let done = walk::field(of, writer);
        if done.is_ok()
            && let Some(rest) = writer.input(left)
        {
            writer.put_raw_form(rest)?;
        }
        if done.is_ok() {
            writer.close(content);
        }
        let bytes = ((writer.position() - content) / 8) as u64;
        // A field that was broken when it was read shows its length.
        if matches!(done, Err(WriteStop::Error(_))) || given.is_some() {
            return done.and_then(|()| self.write_padding(bytes, writer));
        }
        if done.is_err() && matches!(self.extent, Extent::Prefix(_) | Extent::Until(_)) {
            // The length, or the end byte, was not read.
            return done;
        }
        if matches!(self.extent, Extent::Until(_)) && writer.broke_off(of.name) {
            return Err(WriteStop::Broken);
        }
        let number = match self.extent {
            Extent::Prefix(_) | Extent::Field(_) => self.number(bytes).ok_or_else(|| {
                let Ratio { num, den } = self.scale;
                writer.fail(format!("{}: expected a multiple of {num}/{den} bytes, got {bytes}", of.name))
            })?,
            Extent::Const(most) if bytes != most as u64 && done.is_ok() => {
                return Err(writer.fail(format!("{}: expected {most} bytes, got {bytes}", of.name)));
            }
            _ => 0,
        };
        match self.extent {
            Extent::Prefix(prefix) => writer.insert(at, |writer| writer.put_prefix(prefix, number))?,
            Extent::Field(ref name) => writer.counted(name, number)?,
            Extent::Until(end) if bits::bytes(writer.out.bytes(), content as u32, bytes as u32 * 8).contains(&end) => {
                return Err(writer.fail(format!("{}: must not contain the byte {end:#04x} that ends it", of.name)));
            }
            Extent::Until(end) => writer.out.put_bytes(&[end]),
            _ => {}
        }
        // The end byte counts for the padding.
        let padded = bytes + u64::from(matches!(self.extent, Extent::Until(_)));
        done.and_then(|()| self.write_padding(padded, writer))
    }

    pub(in crate::codec) fn sample(&self, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let (at, ended) = (sampler.out.len(), std::mem::take(&mut sampler.ended));
        walk::field(self.of(), sampler)?;
        sampler.ended = ended;
        let content = sampler.out.split_off(at);
        let number = self.number(content.bytes().len() as u64).unwrap_or(0);
        match self.extent {
            Extent::Prefix(prefix) => sampler.put_prefix(prefix, number)?,
            Extent::Field(ref name) => _ = sampler.counted(name, number),
            _ => {}
        }
        sampler.out.put_bytes(content.bytes());
        if let Extent::Until(end) = self.extent {
            sampler.out.put_bytes(&[end]);
        }
        let ended = u32::from(matches!(self.extent, Extent::Until(_)));
        let padding = self.padding(content.bytes().len() as u32 + ended);
        sampler.out.put_bytes(&vec![0; padding as usize]);
        Ok(())
    }

    pub(in crate::codec) fn bits(&self) -> Option<u32> {
        match self.extent {
            Extent::Const(bytes) => bytes.checked_add(self.padding(bytes))?.checked_mul(8),
            Extent::Own => self.of().bits().map(|bits| bits + self.padding(bits.div_ceil(8)) * 8),
            _ => None,
        }
    }

    pub(in crate::codec) fn describe(&self) -> &'static str {
        match (self.extent, &self.of().kind) {
            (Extent::Prefix(_), _) => "in a length before it",
            (Extent::Field(_), _) => "in an earlier length",
            (Extent::Const(_), _) => "in a fixed length",
            (Extent::Own, _) => "with padding",
            (Extent::Until(_), _) => "up to a character",
            (Extent::Less(_), Kind::Array { .. }) => "up to the field after it",
            (Extent::Less(_), _) => "up to the end",
        }
    }
}
