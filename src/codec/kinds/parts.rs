//! The bits of a number as fields: flags, small numbers, presence bits.

use crate::codec::bits;
use crate::codec::context::Within;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Kind, Order, Show, flag};
use crate::codec::node::Value;
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};

/// One part of a number.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its lowest bit; 0 is the number's lowest.
    pub low: u8,
    /// How many bits it has.
    pub bits: u8,
}

/// The bits of a number, each part a field in the number's place. Bits in no part are zero; where
/// they are not, the number itself is shown beside its parts.
#[derive(Debug)]
pub struct Parts {
    /// The number: an unsigned one of whole bytes.
    pub number: &'static Field,
    /// The places of the parts.
    pub places: &'static [Part],
    /// The parts, then the number.
    pub fields: &'static [Field],
    /// The number is an earlier field of this name: these are another view of its bits.
    pub of: Option<&'static str>,
}

impl Parts {
    fn each(&self) -> impl Iterator<Item = (&'static Field, Part)> {
        self.fields.iter().zip(self.places.iter().copied())
    }

    /// The bits of a part within the number: all from its lowest to its highest, but for those that
    /// its flags leave to others.
    fn mask(field: &Field, part: Part) -> u64 {
        let others = if let Show::Flags(flags) = field.show { flags.fixed_mask } else { 0 };
        (bits::mask(part.bits as u32) & !others) << part.low
    }

    /// The bits that some part has.
    fn named(&self) -> u64 {
        self.each().fold(0, |all, (field, part)| all | Parts::mask(field, part))
    }

    fn width(&self) -> (u32, Order) {
        self.number.kind.width().unwrap_or((8, Order::Little))
    }

    /// The bits on the wire of a part: its own, where they are neighbours there.
    fn range(&self, part: Part, start: u32) -> (u32, u32) {
        let (width, order) = self.width();
        let (low, count) = (part.low as u32, part.bits as u32);
        let same_byte = low / 8 == (low + count - 1) / 8;
        match order {
            Order::Big if width > 8 && same_byte => (start + (width / 8 - 1 - low / 8) * 8 + low % 8, count),
            Order::Big | Order::Conversation if width > 8 => (start, width),
            _ => (start + low, count),
        }
    }

    fn show(&self, number: u64, start: u32, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let (width, order) = self.width();
        for (field, part) in self.each() {
            let value = (number & Parts::mask(field, part)) >> part.low;
            if let (true, Show::Enum(names)) = (field.is(flag::CLOSED), field.show)
                && names.iter().all(|(known, _)| *known != value)
            {
                let have = reader.left() as u64;
                let fault = Fault::new(Reason::Undefined("a value that its enumeration does not have"), start, 0, have);
                return Err(reader.broken(field, fault));
            }
            let (bit, count) = if self.of.is_some() { (start, 0) } else { self.range(part, start) };
            let shown = if let Kind::Bool { .. } = field.kind { Value::Bool(value == 1) } else { Value::UInt(value) };
            reader.tree().push(field, shown, bit, count);
            if field.is(flag::REFERENCED) {
                let within = Within { width, order, low: part.low, mask: Parts::mask(field, part) };
                reader.tree().scope.push_part(field, value, start, true, within);
            }
        }
        Ok(())
    }

    /// The given value of a part.
    fn given(&self, field: &'static Field, part: Part, writer: &mut Writer<'_>) -> Result<Option<u64>, WriteStop> {
        let Some(value) = writer.input(field) else { return Ok(None) };
        writer.names.push(field.name);
        let number = match (&field.kind, value.as_bool()) {
            (Kind::Bool { .. }, Some(set)) => set as i128,
            _ => writer.number(field, value)?,
        };
        let most = bits::mask(part.bits as u32);
        let found = u64::try_from(number).ok().filter(|n| *n <= most);
        let found = found.ok_or_else(|| writer.fail(format!("{number} is out of range: 0 to {most}")))?;
        writer.names.pop();
        Ok(Some(found))
    }

    fn write_number(&self, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let (at, (width, order)) = (writer.out.len(), self.width());
        let whole = match writer.input(self.number) {
            Some(value) => {
                writer.names.push(self.number.name);
                writer.leaf_value(self.number, value)?;
                writer.names.pop();
                Some(writer.ordered(bits::get(writer.out.bytes(), at, width), width, order))
            }
            None => None,
        };
        let mut number = whole.unwrap_or(0);
        let mut missing = None;
        let mut entries = Vec::new();
        for (field, part) in self.each() {
            let given = self.given(field, part, writer)?;
            let value = match (whole, given, field.default) {
                (Some(number), ..) => (number & Parts::mask(field, part)) >> part.low,
                (None, Some(value), _) => value,
                (None, None, Some(default)) => default as u64,
                (None, None, None) => {
                    // A boolean that is not given is not set.
                    if !(field.is(flag::HIDDEN) || matches!(field.kind, Kind::Bool { .. }) && !writer.broken) {
                        missing = missing.or(Some(field));
                    }
                    0
                }
            };
            number |= value << part.low;
            entries.push((field, value, given.is_some() || whole.is_some(), part));
        }
        let none = !entries.iter().any(|(_, _, given, _)| *given);
        if let Some(field) = missing.or(self.fields.first().filter(|_| writer.broken && none)) {
            return Err(writer.missing(field));
        }
        if whole.is_none() {
            writer.put(number, width, order);
        }
        if self.number.is(flag::REFERENCED) {
            writer.scope.push(self.number, number, at as u32, whole.is_some());
        }
        for (field, value, given, part) in entries {
            let within = Within { width, order, low: part.low, mask: Parts::mask(field, part) };
            writer.scope.push_part(field, value, at as u32, given, within);
        }
        Ok(())
    }
}

impl Custom for Parts {
    fn read(&self, _field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        if let Some(of) = self.of {
            let Some(number) = reader.known(of) else { return Ok(()) };
            return self.show(number, start, reader);
        }
        let (width, order) = self.width();
        reader.need(self.fields.first().unwrap_or(self.number), start, width as u64)?;
        let number = reader.take(width, order);
        if self.number.is(flag::REFERENCED) {
            reader.tree().scope.push(self.number, number, start, true);
        }
        self.show(number, start, reader)?;
        if number & !self.named() & bits::mask(width) != 0 {
            let node = reader.tree().push(self.number, Value::Raw { bit: start, bits: width }, start, width);
            reader.tree().reveal(node);
        }
        Ok(())
    }

    fn write(&self, _field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(of) = self.of else { return self.write_number(writer) };
        for (field, part) in self.each() {
            let Some(value) = self.given(field, part, writer)? else { continue };
            let mask = Parts::mask(field, part);
            let number = writer.known(of).unwrap_or(0);
            writer.complete(of, number & !mask | value << part.low);
            if writer.known(of).unwrap_or(0) & mask != value << part.low {
                let what = format!("{value}, but {of} has {} there", (number & mask) >> part.low);
                return Err(WriteStop::Error(writer.error_at(field.name, what)));
            }
        }
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        if self.of.is_some() {
            return Ok(());
        }
        let (at, (width, order)) = (sampler.out.len(), self.width());
        let mut number = 0;
        for (field, part) in self.each() {
            let any = (sampler.next() << part.low & Parts::mask(field, part)) >> part.low;
            let value = match field.show {
                Show::Enum(names) => names.get(sampler.below(names.len() as u64) as usize).map_or(any, |(n, _)| *n),
                _ => any,
            };
            number |= value << part.low;
            let within = Within { width, order, low: part.low, mask: Parts::mask(field, part) };
            sampler.scope.push_part(field, value, at as u32, false, within);
        }
        sampler.put(number, width, order);
        Ok(())
    }

    fn bits(&self) -> Option<u32> {
        Some(if self.of.is_some() { 0 } else { self.width().0 })
    }

    fn describe(&self) -> &'static str {
        if self.of.is_some() { "a view on bits" } else { "bits of a number" }
    }

    fn fields(&self) -> &'static [Field] {
        self.fields
    }
}
