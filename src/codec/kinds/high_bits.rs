//! A number of some bits that stand from the highest bit of each byte on.

use crate::codec::fault::Stop;
use crate::codec::layout::{Field, Kind, flag};
use crate::codec::node::Value;
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer, bits};

/// `bits(n)be`: the highest bit first.
#[derive(Debug)]
pub struct HighBits {
    /// The number as it is shown and given: its width counts.
    pub of: &'static Field,
}

/// The place in the stream of bit `k`, counted from the highest of each byte.
fn place(k: usize) -> usize {
    k / 8 * 8 + 7 - k % 8
}

impl HighBits {
    fn width(&self) -> u32 {
        self.of.kind.width().map_or(8, |(bits, _)| bits)
    }

    fn put(&self, value: u64, out: &mut bits::BitBuf) {
        let (at, width) = (out.len(), self.width());
        out.put(0, width);
        for k in 0..width as usize {
            out.patch(place(at + k), value >> (width as usize - 1 - k), 1);
        }
    }
}

impl Custom for HighBits {
    fn like(&self) -> Option<&'static Field> {
        Some(self.of)
    }

    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let (start, width) = (reader.position(), self.width());
        reader.need(field, start, width as u64)?;
        let data = reader.data();
        let bit = |k: u32| bits::get(data, place((start + k) as usize), 1);
        let number = (0..width).fold(0, |number, k| number << 1 | bit(k));
        reader.skip(width);
        let value = match self.of.kind {
            Kind::Bool { .. } => Value::Bool(number == 1),
            Kind::Int { .. } => Value::Int(bits::signed(number, width)),
            _ => Value::UInt(number),
        };
        reader.tree().push(field, value, start, width);
        if field.is(flag::REFERENCED) {
            reader.tree().scope.push(field, number, start, true);
        }
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let at = writer.position() as u32;
        let number = match (writer.input(field), field.default) {
            (Some(value), _) => {
                writer.names.push(field.name);
                let number = match value.as_bool() {
                    Some(set) => set as i128,
                    None => writer.number(field, value)?,
                };
                let most = bits::mask(self.width());
                let told = u64::try_from(number).ok().filter(|n| *n <= most);
                let told = told.ok_or_else(|| writer.fail(format!("{number} is out of range: 0 to {most}")))?;
                writer.names.pop();
                told
            }
            (None, Some(default)) if !writer.broken => default as u64,
            (None, _) => return Err(writer.missing(field)),
        };
        self.put(number, &mut writer.out);
        if field.is(flag::REFERENCED) {
            writer.scope.push(field, number, at, true);
        }
        Ok(())
    }

    fn sample(&self, field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let (at, value) = (sampler.out.len() as u32, sampler.next() & bits::mask(self.width()));
        self.put(value, &mut sampler.out);
        if field.is(flag::REFERENCED) {
            sampler.scope.push(field, value, at, true);
        }
        Ok(())
    }

    fn bits(&self) -> Option<u32> {
        Some(self.width())
    }

    fn describe(&self) -> &'static str {
        "bits, the highest first"
    }
}
