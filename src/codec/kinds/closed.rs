//! A number all of whose values have names: any other is a fault.

use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Show};
use crate::codec::walk::{self, Custom};
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};

/// A number with a closed enumeration.
#[derive(Debug)]
pub struct Closed {
    /// The number.
    pub fields: &'static [Field; 1],
}

impl Custom for Closed {
    fn read(&self, _field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let (start, of) = (reader.position(), &self.fields[0]);
        let mark = reader.tree().nodes().len();
        walk::field(of, reader)?;
        let number = reader.tree().nodes().get(mark).and_then(|node| node.number());
        let known = |names: &[(u64, &str)]| number.is_none_or(|n| names.iter().any(|(known, _)| *known == n));
        if matches!(of.show, Show::Enum(names) if !known(names)) {
            reader.tree().truncate(mark);
            reader.seek(start);
            let have = reader.left() as u64;
            let reason = Reason::Undefined("a value that its enumeration does not have");
            return Err(reader.broken(of, Fault::new(reason, start, 0, have)));
        }
        Ok(())
    }

    fn write(&self, _field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        walk::field(&self.fields[0], writer)
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let of = &self.fields[0];
        let (Show::Enum(names), Some((bits, order))) = (of.show, of.kind.width()) else {
            return walk::field(of, sampler);
        };
        let value = names.get(sampler.below(names.len() as u64) as usize).map_or(0, |(value, _)| *value);
        let at = sampler.out.len() as u32;
        sampler.put(value, bits, order);
        sampler.scope.push(of, value, at, false);
        Ok(())
    }

    fn bits(&self) -> Option<u32> {
        self.fields[0].kind.width().map(|(bits, _)| bits)
    }

    fn describe(&self) -> &'static str {
        "one of the values that have names"
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }
}
