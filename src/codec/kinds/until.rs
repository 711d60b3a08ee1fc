//! Text or bytes up to one of several characters, or the end: what ended it is part of the value,
//! or encoding could not give it back.

use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Kind};
use crate::codec::node::Value;
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};

/// Text (or bytes) up to and including the first of some characters.
#[derive(Debug)]
pub struct Until {
    /// Text or bytes, for its values in JSON.
    pub of: &'static Field,
    /// The characters.
    pub ends: &'static [u8],
    /// It may also end with its region.
    pub or_end: bool,
}

impl Custom for Until {
    fn like(&self) -> Option<&'static Field> {
        Some(self.of)
    }

    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let rest = reader.data().get(start as usize / 8..reader.end() as usize / 8).unwrap_or_default();
        let length = match rest.iter().position(|byte| self.ends.contains(byte)) {
            Some(at) => at + 1,
            None if self.or_end => rest.len(),
            None => {
                let have = reader.left() as u64;
                return Err(reader.broken(field, Fault::new(Reason::Unterminated, start, 0, have)));
            }
        };
        let bits = length as u32 * 8;
        let text = matches!(self.of.kind, Kind::Text { .. });
        let value = match std::str::from_utf8(rest.get(..length).unwrap_or_default()) {
            Ok(_) if text => Value::Text { bit: start, bits },
            Err(_) if text => Value::Raw { bit: start, bits },
            _ => Value::Bytes { bit: start, bits },
        };
        reader.skip(bits);
        reader.tree().push(field, value, start, bits);
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(value) = writer.input(field) else { return Err(writer.missing(field)) };
        let from = writer.position() / 8;
        writer.names.push(field.name);
        writer.leaf_value(self.of, value)?;
        let written = writer.out.bytes().get(from..).unwrap_or_default();
        let early = written.iter().position(|byte| self.ends.contains(byte)).is_some_and(|at| at + 1 < written.len());
        let ended = written.last().is_some_and(|byte| self.ends.contains(byte));
        if early || !(ended || self.or_end || writer.broken) {
            return Err(writer.fail("expected exactly one of the characters that end it, as its last".into()));
        }
        writer.names.pop();
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let length = sampler.below(9);
        for _ in 0..length {
            let letter = b'A' + sampler.below(26) as u8;
            let free = if self.ends.contains(&letter) { b'_' } else { letter };
            sampler.out.put_bytes(&[free]);
        }
        if let Some(end) = self.ends.first() {
            sampler.out.put_bytes(&[*end]);
        }
        Ok(())
    }

    fn takes_the_rest(&self) -> bool {
        false
    }

    fn describe(&self) -> &'static str {
        "text up to one of several characters"
    }
}
