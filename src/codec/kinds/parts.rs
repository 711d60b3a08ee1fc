//! Shows the bits of a number as fields: flags, small numbers, presence bits.

use crate::codec::context::Within;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Kind, Name, Order, Show, flag};
use crate::codec::node::Value;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer, bits};

/// One part of a number.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Its lowest bit; 0 is the number's lowest.
    pub low: u8,
    /// The number of its bits.
    pub bits: u8,
    /// The first bit and the number of bits of the range that it is shown at: its own bits if they are adjacent on the
    /// wire, else those of the whole number.
    shown: (u8, u8),
    /// The mask of its bits, from its lowest up, without those that its flags leave to other parts.
    mask: u64,
    /// Whether it is a boolean.
    truth: bool,
    /// Whether it is in two's complement.
    signed: bool,
}

impl Part {
    /// Creates the part of this number that has `bits` bits from `low` on and is shown as `field`. `view`: the number
    /// is an earlier field.
    pub fn new(low: u8, bits: u8, field: &Field, number: &Field, view: bool) -> Part {
        let (width, order) = number.kind.width().unwrap_or((8, Order::Little));
        let same_byte = low / 8 == (low + bits.max(1) - 1) / 8;
        let shown = match order {
            _ if view => (0, 0),
            Order::Big if width > 8 && same_byte => ((width as u8 / 8 - 1 - low / 8) * 8 + low % 8, bits),
            Order::Big | Order::Conversation if width > 8 => (0, width as u8),
            _ => (low, bits),
        };
        let others = if let Show::Flags(flags) = field.show { flags.fixed_mask } else { 0 };
        Part {
            low,
            bits,
            shown,
            mask: bits::mask(bits as u32) & !others,
            truth: matches!(field.kind, Kind::Bool { .. }),
            signed: matches!(field.kind, Kind::Int { .. }),
        }
    }

    /// The part's value in a number; that of a signed part in two's complement of 64 bits.
    fn of(self, number: u64) -> u64 {
        let value = number >> self.low & self.mask;
        if self.signed { bits::signed(value, self.bits.into()) as u64 } else { value }
    }

    /// The part's bits in a number.
    fn place(self, value: u64) -> u64 {
        (value & bits::mask(self.bits.into())) << self.low
    }

    /// The value as it is shown.
    fn value(self, value: u64) -> Value {
        match (self.truth, self.signed) {
            (true, _) => Value::Bool(value == 1),
            (_, true) => Value::Int(value as i64),
            _ => Value::UInt(value),
        }
    }
}

/// The bits of a number, each part a field in the number's place. Bits in no part should be zero; if they are not, the
/// number itself is shown beside its parts.
#[derive(Debug)]
pub struct Parts {
    /// The number: an unsigned one of whole bytes.
    pub number: &'static Field,
    /// The places of the parts.
    pub places: &'static [Part],
    /// The parts, then the number.
    pub fields: &'static [Field],
    /// Set if the number is an earlier field of this name. The parts are then another view of its bits.
    pub of: Option<Name>,
}

impl Parts {
    fn each(&self) -> impl Iterator<Item = (&'static Field, Part)> {
        self.fields.iter().zip(self.places.iter().copied())
    }

    fn width(&self) -> (u32, Order) {
        self.number.kind.width().unwrap_or((8, Order::Little))
    }

    fn within(&self, part: Part) -> Within {
        let (width, order) = self.width();
        Within { width, order, low: part.low, mask: part.mask << part.low }
    }

    /// Shows the parts. Returns the mask of all bits that belong to a part.
    fn show(&self, number: u64, start: u32, reader: &mut Reader<'_>) -> Result<u64, Stop> {
        let tree = reader.tree();
        let (mut named, mut undefined) = (0, None);
        for (field, part) in self.fields.iter().zip(self.places) {
            let value = part.of(number);
            // If the number shown for a part does not convert back to it, the whole number is shown, too.
            let meant = if part.signed { (value as i64).into() } else { value.into() };
            if !field.is(flag::WIDE) || field.survives(meant) {
                named |= part.mask << part.low;
            }
            if field.is(flag::CLOSED)
                && let Show::Enum(names) = field.show
                && names.iter().all(|(known, _)| *known != value)
            {
                undefined = Some(field);
                break;
            }
            tree.push(field, part.value(value), start + part.shown.0 as u32, part.shown.1 as u32);
            if field.is(flag::REFERENCED) {
                tree.scope.push_part(field, value, start, true, self.within(*part));
            }
        }
        match undefined {
            None => Ok(named),
            Some(field) => {
                let have = reader.left() as u64;
                let fault = Fault::new(Reason::Undefined("a value that is not in its enumeration"), start, 0, have);
                Err(reader.broken(field, fault))
            }
        }
    }

    /// Returns the given value of a part.
    fn given(field: &'static Field, writer: &mut Writer<'_>) -> Result<Option<u64>, WriteStop> {
        let Some(value) = writer.input(field) else { return Ok(None) };
        writer.names.push(field.name);
        let number = match (&field.kind, Writer::truth(value)) {
            (Kind::Bool { .. }, Some(set)) => set as i128,
            _ => writer.number(field, value)?,
        };
        writer.within(field, number)?;
        writer.names.pop();
        Ok(Some(number as u64))
    }

    fn write_number(&self, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let (at, (width, order)) = (writer.out.len(), self.width());
        let whole = match writer.input(self.number) {
            Some(value) => {
                writer.names.push(self.number.name);
                writer.leaf_value(self.number, value)?;
                writer.names.pop();
                Some(writer.out.number_at(at, width, order))
            }
            None => None,
        };
        let mut number = whole.unwrap_or(0);
        let mut missing = None;
        let mut entries = Vec::new();
        for (field, part) in self.each() {
            // The whole number decides, also about a part that could not be shown.
            let given = match whole {
                Some(_) => writer.input(field).map(|_| 0),
                None => Self::given(field, writer)?,
            };
            let value = match (whole, given, field.default) {
                (Some(number), ..) => part.of(number),
                (None, Some(value), _) => value,
                (None, None, Some(default)) => default as u64,
                (None, None, None) => {
                    // A boolean that is not given is false.
                    if !(field.is_hidden() || matches!(field.kind, Kind::Bool { .. }) && !writer.broken) {
                        missing = missing.or(Some(field));
                    }
                    0
                }
            };
            number |= part.place(value);
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
            writer.scope.push_part(field, value, at as u32, given, self.within(part));
        }
        Ok(())
    }
}

impl Parts {
    pub(in crate::codec) fn read(&self, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        if let Some(of) = &self.of {
            let Some(number) = reader.known(of) else { return Ok(()) };
            return self.show(number, start, reader).map(|_| ());
        }
        let (width, order) = self.width();
        reader.need(self.fields.first().unwrap_or(self.number), start, width as u64)?;
        let number = reader.take(width, order);
        if self.number.is(flag::REFERENCED) {
            reader.tree().scope.push(self.number, number, start, true);
        }
        let named = self.show(number, start, reader)?;
        // Its bits above the width are zero.
        if number & !named != 0 {
            let node = reader.tree().push(self.number, Value::Raw { bit: start, bits: width }, start, width);
            reader.tree().reveal(node);
        }
        Ok(())
    }

    pub(in crate::codec) fn write(&self, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(of) = &self.of else { return self.write_number(writer) };
        let mut known = Vec::new();
        for (field, part) in self.each() {
            let given = Self::given(field, writer)?;
            known.push((field, given.is_some(), part));
            let Some(value) = given else { continue };
            let mask = part.mask << part.low;
            let number = writer.known(of).unwrap_or(0);
            writer.complete(of, number & !mask | part.place(value));
            if writer.known(of).unwrap_or(0) & mask != part.place(value) {
                let shown = |value| match part.value(value) {
                    Value::Int(value) => value.to_string(),
                    _ => value.to_string(),
                };
                let what = format!("{}, but {of} has {} there", shown(value), shown(part.of(number)));
                return Err(WriteStop::Error(writer.error_at(field.name, what)));
            }
        }
        // Later fields may ask for a part, or set it.
        let Some(number) = writer.scope.entry(of).copied() else { return Ok(()) };
        for (field, given, part) in known.into_iter().filter(|(field, ..)| field.is(flag::REFERENCED)) {
            match number.part(part.low, part.mask << part.low) {
                Some(place) => {
                    let given = given || number.given;
                    writer.scope.push_part(field, part.of(number.value), number.bit, given, place);
                }
                // In a number of varying size, only values that are given are known.
                None if given => {
                    let at = writer.out.len() as u32;
                    writer.scope.push_part(field, part.of(number.value), at, true, self.within(part));
                }
                None => {}
            }
        }
        Ok(())
    }

    pub(in crate::codec) fn sample(&self, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        if let Some(of) = &self.of {
            let (at, number) = (sampler.out.len() as u32, sampler.scope.get(of).unwrap_or(0));
            for (field, part) in self.each().filter(|(field, _)| field.is(flag::REFERENCED)) {
                sampler.scope.push_part(field, part.of(number), at, true, self.within(part));
            }
            return Ok(());
        }
        let (at, (width, order)) = (sampler.out.len(), self.width());
        let mut number = 0;
        for (field, part) in self.each() {
            let any = part.of(sampler.next() << part.low);
            let value = match field.show {
                Show::Enum(names) => names.get(sampler.below(names.len() as u64) as usize).map_or(any, |(n, _)| *n),
                _ => any,
            };
            number |= part.place(value);
            sampler.scope.push_part(field, value, at as u32, false, self.within(part));
        }
        sampler.put(number, width, order);
        Ok(())
    }

    pub(in crate::codec) fn bits(&self) -> u32 {
        if self.of.is_some() { 0 } else { self.width().0 }
    }

    pub(in crate::codec) fn describe(&self) -> &'static str {
        if self.of.is_some() { "a view on bits" } else { "bits of a number" }
    }
}
