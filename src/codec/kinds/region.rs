//! A field in so many bytes: nothing in it reads beyond them, and what it leaves is shown.

use super::trailing;
use crate::codec::bits;
use crate::codec::fault::Stop;
use crate::codec::layout::{Field, Kind, Name, When};
use crate::codec::reader::UNENDED;
use crate::codec::walk;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};

/// Where a region ends.
#[derive(Clone, Copy, Debug)]
pub enum Extent {
    /// A number before it.
    Prefix(&'static Field),
    /// An earlier field.
    Field(Name),
    /// So many bytes.
    Const(u32),
    /// Up to this byte, which is not shown.
    Until(u8),
    /// Up to the end, less what fields behind it need: when they are there, and their bits.
    Less(&'static [(When, u32)]),
}

/// A field in a region of its own.
#[derive(Debug)]
pub struct Region {
    /// Where it ends.
    pub extent: Extent,
    /// The number times this is the bytes: as numerator and denominator.
    pub scale: (u32, u32),
    /// The field, and the bytes that it may leave.
    pub fields: &'static [Field; 2],
}

impl Region {
    /// The second field: what the first leaves.
    pub const fn left(name: &'static str) -> Field {
        trailing(name)
    }

    fn bytes(&self, number: u64) -> u64 {
        (number.saturating_mul(self.scale.0 as u64)).div_ceil(self.scale.1.max(1) as u64)
    }

    /// The number that encoding writes for so many bytes.
    fn number(&self, bytes: u64) -> Option<u64> {
        let scaled = bytes * self.scale.1 as u64;
        scaled.is_multiple_of(self.scale.0 as u64).then(|| scaled / self.scale.0.max(1) as u64)
    }

    fn of(&self) -> &'static Field {
        &self.fields[0]
    }
}

impl Region {
    pub(in crate::codec) fn read(&self, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let of = self.of();
        let (bits, limit) = match self.extent {
            Extent::Prefix(prefix) => {
                let number = reader.prefix(of, prefix, start)?.max(0) as u64;
                if self.number(self.bytes(number)) != Some(number) {
                    let bits = reader.position() - start;
                    let node = reader.tree().push(prefix, crate::codec::Value::UInt(number), start, bits);
                    reader.tree().reveal(node);
                }
                (self.bytes(number).saturating_mul(8), Some((number, prefix.name)))
            }
            Extent::Field(ref name) => {
                let number = reader.known(name).unwrap_or(0);
                if self.number(self.bytes(number)) != Some(number) {
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
            Extent::Less(bits) => {
                let behind = bits.iter().filter(|(when, _)| reader.holds(when)).map(|(_, bits)| *bits as u64);
                ((reader.left() as u64).saturating_sub(behind.sum()), None)
            }
        };
        let from = reader.position();
        let whole = bits.saturating_add((from - start) as u64);
        if whole > reader.end().saturating_sub(start) as u64 {
            let limit = limit.map_or(String::new(), |(number, name)| format!("length {number} from {name}"));
            return Err(reader.short(of, start, whole, limit));
        }
        let done = reader.within((from, from + bits as u32), |reader| {
            walk::field(of, reader)?;
            reader.rest(&self.fields[1]);
            Ok(())
        });
        if let (Ok(()), Extent::Until(_)) = (&done, self.extent) {
            reader.skip(8);
        }
        if let (Err(_), Extent::Until(_)) = (&done, self.extent) {
            let at = reader.position();
            reader.tree().push(&UNENDED, crate::codec::Value::Bool(true), at, 0);
        }
        if let (Err(_), Extent::Prefix(prefix), Some((number, _))) = (&done, self.extent, limit) {
            // What broke inside does not tell the length any more.
            let node = reader.tree().push(prefix, crate::codec::Value::UInt(number), start, from - start);
            reader.tree().reveal(node);
        }
        done
    }

    pub(in crate::codec) fn write(&self, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let at = writer.position();
        let (of, left) = (self.of(), &self.fields[1]);
        let given = match self.extent {
            Extent::Prefix(prefix) => writer.given_prefix(prefix).map(|value| (prefix, value)),
            _ => None,
        };
        if let Some((prefix, value)) = given {
            writer.leaf_value(prefix, value)?;
        }
        let content = writer.position();
        let done = walk::field(of, writer);
        if done.is_ok()
            && let Some(rest) = writer.input(left)
        {
            writer.put_bits_of(rest)?;
        }
        if done.is_ok() {
            writer.close(content);
        }
        let bytes = ((writer.position() - content) / 8) as u64;
        // What was broken when it was read shows its length.
        if matches!(done, Err(WriteStop::Error(_))) || given.is_some() {
            return done;
        }
        if done.is_err() && matches!(self.extent, Extent::Prefix(_) | Extent::Until(_)) {
            // The length itself, or the end, was not read.
            return done;
        }
        if matches!(self.extent, Extent::Until(_)) && writer.broke_off(of.name) {
            return Err(WriteStop::Broken);
        }
        let number = match self.extent {
            Extent::Prefix(_) | Extent::Field(_) => self.number(bytes).ok_or_else(|| {
                let (num, den) = self.scale;
                writer.fail(format!("{}: {bytes} bytes are no multiple of {num}/{den}", of.name))
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
        done
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
        Ok(())
    }

    pub(in crate::codec) fn bits(&self) -> Option<u32> {
        match self.extent {
            Extent::Const(bytes) => bytes.checked_mul(8),
            _ => None,
        }
    }

    pub(in crate::codec) fn describe(&self) -> &'static str {
        match (self.extent, &self.of().kind) {
            (Extent::Prefix(_), _) => "in a length before it",
            (Extent::Field(_), _) => "in an earlier length",
            (Extent::Const(_), _) => "in a fixed length",
            (Extent::Until(_), _) => "up to a character",
            (Extent::Less(_), Kind::Array { .. }) => "up to what stands behind it",
            (Extent::Less(_), _) => "up to the end",
        }
    }
}
