//! A CRC over other bytes of the packet. One that differs is shown as it is, with the computed one
//! beside it.

use super::COMPUTED;
use super::catalogue::Sum;
use crate::codec::fault::Stop;
use crate::codec::layout::{Field, Name, Order, When, flag};
use crate::codec::node::Value;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};

/// The bytes that a checksum is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// All, its own place being zero, or what it holds meanwhile.
    Packet,
    /// Those before it.
    Before,
    /// Those behind it.
    After,
}

/// A CRC.
#[derive(Debug)]
pub struct Checksum {
    /// The algorithm.
    pub sum: Sum,
    /// The byte order of the number.
    pub order: Order,
    /// What it is over.
    pub over: Over,
    /// The value that stands in its place while it is computed: its name, its byte order, and when
    /// it does.
    pub holds: Option<(Name, Order, When)>,
}

impl Checksum {
    /// Its width.
    pub fn bits(&self) -> u32 {
        self.sum.bits() as u32
    }

    /// The sum of a packet in which it stands at this byte. `holds`: what is there meanwhile.
    pub fn of(&self, packet: &[u8], at: usize, holds: u64) -> u64 {
        let size = self.bits() as usize / 8;
        let before = packet.get(..at).unwrap_or(packet);
        let after = packet.get(at + size..).unwrap_or_default();
        let own = holds.to_le_bytes();
        match self.over {
            Over::Before => self.sum.of(&[before]),
            Over::After => self.sum.of(&[after]),
            Over::Packet => self.sum.of(&[before, own.get(..size).unwrap_or(&own), after]),
        }
    }

    /// What stands in its place, in the order of its bytes.
    fn holds(&self, holds: impl Fn(&When) -> bool, known: impl Fn(&Name) -> Option<u64>) -> u64 {
        match &self.holds {
            Some((name, order, when)) if holds(when) => {
                let value = known(name).unwrap_or(0);
                if *order == Order::Big { crate::codec::bits::swap(value, self.bits()) } else { value }
            }
            _ => 0,
        }
    }
}

impl Checksum {
    pub(in crate::codec) fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        reader.need(field, start, self.bits() as u64)?;
        let told = reader.take(self.bits(), self.order);
        reader.tree().push(field, Value::UInt(told), start, self.bits());
        if field.is(flag::REFERENCED) {
            reader.tree().scope.push(field, told, start, true);
        }
        // Of a packet that was cut nobody knows it.
        if reader.wire_end > reader.end {
            return Ok(());
        }
        let holds = self.holds(|when| reader.holds(when), |name| reader.known(name));
        let computed = self.of(reader.data(), start as usize / 8, holds);
        if computed != told {
            reader.tree().push(&COMPUTED, Value::UInt(computed), start, 0);
        }
        Ok(())
    }

    pub(in crate::codec) fn write(
        &'static self,
        field: &'static Field,
        writer: &mut Writer<'_>,
    ) -> Result<(), WriteStop> {
        let at = writer.position();
        match writer.input(field) {
            Some(value) => {
                writer.names.push(field.name);
                let number = writer.number(field, value)?;
                let most = crate::codec::bits::mask(self.bits());
                let told = u64::try_from(number).ok().filter(|n| *n <= most);
                let told = told.ok_or_else(|| writer.fail(format!("{number} is out of range: 0 to {most}")))?;
                writer.names.pop();
                writer.put(told, self.bits(), self.order);
            }
            None if writer.broken => return Err(WriteStop::Broken),
            None => {
                let holds = self.holds(|when| writer.holds(when) == Some(true), |name| writer.known(name));
                writer.sums.push((at, self, holds));
                writer.put(0, self.bits(), self.order);
            }
        }
        Ok(())
    }

    pub(in crate::codec) fn sample(&self, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        // Over what comes before it, it can be told at once; else it is any number.
        let value = match self.over {
            Over::Before => self.sum.of(&[sampler.out.bytes()]),
            _ => sampler.next() & crate::codec::bits::mask(self.bits()),
        };
        sampler.put(value, self.bits(), self.order);
        Ok(())
    }

    pub(in crate::codec) fn describe(&self) -> &'static str {
        match self.over {
            Over::Packet => "a checksum over the packet",
            Over::Before => "a checksum over what stands before it",
            Over::After => "a checksum over what stands behind it",
        }
    }
}
