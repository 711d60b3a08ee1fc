//! A CRC over other bytes of the packet. A wrong one is shown as it is, with the computed one beside it.

use super::COMPUTED;
use super::catalogue::Sum;
use crate::codec::fault::Stop;
use crate::codec::layout::{Field, Name, Order, When, flag};
use crate::codec::node::Value;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};

/// The bytes that a checksum covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    /// The whole packet, with zero or the checksum's `holds` in its own place.
    Packet,
    /// The bytes before it.
    Before,
    /// The bytes after it.
    After,
}

/// A CRC.
#[derive(Debug)]
pub struct Checksum {
    /// The algorithm.
    pub sum: Sum,
    /// The byte order of the number.
    pub order: Order,
    /// The bytes that it covers.
    pub over: Over,
    /// The value in its place during the computation: its name, its byte order and its condition. Zero without one.
    pub holds: Option<(Name, Order, When)>,
}

impl Checksum {
    /// The width in bits.
    pub fn bits(&self) -> u32 {
        self.sum.bits() as u32
    }

    /// Computes the checksum at byte `at` of a packet. `holds` is the value in its place meanwhile.
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

    /// Returns the value in its place during the computation, in the order of its bytes.
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
        let stored = reader.take(self.bits(), self.order);
        reader.tree().push(field, Value::UInt(stored), start, self.bits());
        if field.is(flag::REFERENCED) {
            reader.tree().scope.push(field, stored, start, true);
        }
        // The checksum of a cut packet cannot be computed.
        if reader.cut {
            return Ok(());
        }
        let holds = self.holds(|when| reader.holds(when), |name| reader.known(name));
        let computed = self.of(reader.data(), start as usize / 8, holds);
        if computed != stored {
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
                let stored = u64::try_from(number).ok().filter(|n| *n <= most);
                let stored = stored.ok_or_else(|| writer.fail(format!("{number} is out of range: 0 to {most}")))?;
                writer.names.pop();
                writer.put(stored, self.bits(), self.order);
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
        // Over the bytes before it, it can be computed at once. Otherwise it is any number.
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
            Over::Before => "a checksum over the bytes before it",
            Over::After => "a checksum over the bytes after it",
        }
    }
}
