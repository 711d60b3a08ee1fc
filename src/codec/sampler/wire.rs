//! Implements [`Wire`](crate::codec::walk::Wire) for the sampler: the walk over the tables, field by field.

use super::Sampler;
use crate::codec::context::Recalled;
use crate::codec::kinds::Ring;
use crate::codec::layout::{Count, Field, Kind, Name, Show, When, flag};
use crate::codec::walk::{self, Wire};
use crate::codec::{EncodeError, bits};

impl Wire for Sampler<'_> {
    type Stop = EncodeError;
    type Group = usize;
    type List = u64;

    fn present(&mut self, field: &'static Field) -> Result<bool, EncodeError> {
        // A switch that depends on a bit interprets the bit; it does not decide its value.
        if let (When::Bit(name, bit), false) = (&field.when, matches!(field.kind, Kind::Switch { .. })) {
            self.toss(name, *bit);
        }
        Ok(field.when.holds(self) == Some(true))
    }

    fn leaf(&mut self, field: &'static Field) -> Result<(), EncodeError> {
        let at = self.out.len();
        let mut referenced = 0;
        match field.kind {
            Kind::Tag { bits, order, value } => self.put(value, bits as u32, order),
            Kind::UInt { bits, order } | Kind::Int { bits, order } if field.is(flag::MEASURES_REST) => {
                self.measures.push((at, bits as u32, order));
                self.put(0, bits as u32, order);
            }
            Kind::UInt { bits, order } => {
                referenced = match field.show {
                    _ if field.is(flag::PRESENCE) => field.default.unwrap_or(0) as u64,
                    Show::Enum(names) if field.is(flag::CLOSED) || self.below(8) > 0 => {
                        names[self.below(names.len() as u64) as usize].0
                    }
                    Show::Flags(flags) => self.number(bits as u32) & !flags.fixed_mask | flags.fixed,
                    _ => self.number(bits as u32),
                };
                self.put(referenced, bits as u32, order);
            }
            Kind::Int { bits, order } => {
                referenced = bits::signed(self.number(bits as u32), bits as u32) as u64;
                self.put(referenced, bits as u32, order);
            }
            Kind::Float { bits, order } => {
                referenced = self.number(bits as u32);
                self.put(referenced, bits as u32, order);
            }
            Kind::Bool { bits } => {
                referenced = self.below(2);
                self.out.put(referenced, bits as u32);
            }
            Kind::VarInt { max_groups, sign } => {
                let width = (max_groups as u32 * 7).min(64);
                let groups = self.number(width) >> self.below(width as u64);
                referenced = sign.read(groups) as u64;
                self.out.put_varint(groups);
            }
            Kind::Text { len, charset } => self.content(len, Some(charset))?,
            Kind::Bytes { len } => self.content(len, None)?,
            Kind::Settled(_) => return Ok(()),
            Kind::Parts(parts) => return parts.sample(self),
            Kind::Constant(constant) => return constant.sample(field, self),
            Kind::Region(region) => return region.sample(self),
            Kind::Packed(packed) => return packed.sample(self),
            Kind::Checksum(checksum) => return checksum.sample(self),
            Kind::Chosen(chosen) => return chosen.sample(self),
            Kind::Extended(extended) => {
                referenced = self.below(12);
                extended.sample(referenced, self);
            }
            Kind::Numeral(numeral) => referenced = numeral.sample(self)?,
            Kind::Address(address) => {
                for _ in 0..address.bits() / 8 {
                    let byte = self.below(256);
                    self.out.put(byte, 8);
                }
            }
            Kind::Protobuf(message) => return message.sample(self),
            Kind::Custom(codec) => return codec.sample(field, self),
            // The walk opens these itself.
            Kind::Struct(_)
            | Kind::Ring { .. }
            | Kind::Inline(_)
            | Kind::Array { .. }
            | Kind::Switch { .. }
            | Kind::Derived => {}
        }
        if field.is(flag::REFERENCED) {
            self.scope.push(field, referenced, at as u32, false);
        }
        Ok(())
    }

    fn derived(&mut self, field: &'static Field) -> Result<(), EncodeError> {
        match self.context.as_mut().map(|c| c.recall(field, &self.scope)) {
            Some(Recalled::Value(v)) => {
                self.scope.push(field, v, self.out.len() as u32, true);
                Ok(())
            }
            _ => Err(self.undefined(field, "no earlier message has it")),
        }
    }

    fn enter(&mut self, _field: &'static Field) -> Result<usize, EncodeError> {
        self.depth += 1;
        Ok(self.scope.len())
    }

    fn leave(&mut self, field: &'static Field, scope: usize, _whole: bool) {
        self.depth -= 1;
        self.scope.leave(field, scope);
    }

    fn nest(&mut self, field: &'static Field, ring: &'static Ring) -> Result<(), EncodeError> {
        if self.scope.nest(ring) { Ok(()) } else { Err(self.undefined(field, "nested too deeply")) }
    }

    fn unnest(&mut self) {
        self.scope.unnest();
    }

    fn begin(
        &mut self,
        _field: &'static Field,
        count: &'static Count,
        _of: &'static Field,
    ) -> Result<u64, EncodeError> {
        self.count(count)
    }

    fn more(&mut self, _field: &'static Field, left: &mut u64) -> Result<bool, EncodeError> {
        let more = *left > 0;
        *left = left.saturating_sub(1);
        Ok(more)
    }

    fn finish(&mut self, field: &'static Field, _left: u64, _whole: bool) -> Result<(), EncodeError> {
        if let Kind::Array { count: Count::Until(stop), .. } = field.kind {
            self.out.put_bytes(&[stop]);
        }
        Ok(())
    }

    fn referenced(&self, name: &Name) -> Option<u64> {
        self.scope.get(name)
    }

    fn ask(&mut self, field: &'static Field, value: Option<u64>) -> Option<&'static [Field]> {
        self.context.as_mut()?.layout(field, value, &self.scope)
    }

    fn payload(&mut self, _field: &'static Field, fields: &'static [Field]) -> Result<(), EncodeError> {
        walk::walk(fields, self)?;
        self.ended = true;
        Ok(())
    }

    fn undefined(&mut self, field: &'static Field, what: &'static str) -> EncodeError {
        EncodeError { path: field.name.into(), what: what.into() }
    }

    fn unknown(&mut self) -> EncodeError {
        EncodeError { path: String::new(), what: "no layout is known".into() }
    }
}
