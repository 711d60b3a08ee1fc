//! Implements [`Wire`](crate::codec::walk::Wire) for the reader: the walk over the tables, field by field.

use super::list::{List, Remaining, least_bits};
use super::{Reader, TRAILING, UNENDED, UNPARSED};
use crate::codec::bits;
use crate::codec::context::Recalled;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::kinds::{LEVELS, Ring};
use crate::codec::layout::{Charset, Count, Field, Kind, Len, Name, Order, Show, Sign, flag};
use crate::codec::node::Value;
use crate::codec::walk::{self, Wire};

/// An open group.
#[derive(Clone, Copy)]
pub struct Group {
    /// The index of its node.
    node: usize,
    /// The scope's length before it.
    scope: usize,
}

impl Wire for Reader<'_> {
    type Stop = Stop;
    type Group = Group;
    type List = List;

    fn present(&mut self, field: &'static Field) -> Result<bool, Stop> {
        Ok(self.holds(&field.when))
    }

    #[inline(always)]
    fn unsigned(&mut self, field: &'static Field, bits: u8, order: Order) -> Result<(), Stop> {
        let start = self.at;
        self.need(field, start, bits as u64)?;
        let mut v = self.take(bits as u32, order);
        if let Show::Flags(flags) = field.show {
            v &= !flags.fixed_mask;
        }
        if field.flags & (flag::REFERENCED | flag::CLOSED | flag::WIDE) != 0 {
            self.defined(field, v, start)?;
            // Without a context nobody asks for an id.
            if field.is(flag::REFERENCED) && (self.context.is_some() || !field.is(flag::IDENTIFIES)) {
                self.tree.scope.push(field, v, start, true);
            }
            if field.is(flag::WIDE) && !field.survives(v.into()) {
                self.tree.push(field, Value::Raw { bit: start, bits: bits as u32 }, start, bits as u32);
                return Ok(());
            }
        }
        self.tree.push(field, Value::UInt(v), start, bits as u32);
        Ok(())
    }

    #[inline(always)]
    fn skips(&mut self, bits: u8) -> bool {
        let skips = self.tree.without_tags && self.depth == 0 && u32::from(bits) <= self.left();
        self.at += if skips { bits.into() } else { 0 };
        skips
    }

    #[inline(always)]
    fn opaque(&mut self, field: &'static Field, len: Len) -> Result<(), Stop> {
        self.bytes(field, len)
    }

    fn leaf(&mut self, field: &'static Field) -> Result<(), Stop> {
        let start = self.at;
        let (value, referenced) = match field.kind {
            Kind::UInt { bits, order } | Kind::Tag { bits, order, .. } => return self.unsigned(field, bits, order),
            Kind::Int { bits, order } => {
                self.need(field, start, bits as u64)?;
                let raw = self.take(bits as u32, order);
                let v = bits::signed(raw, bits as u32);
                // Flags are unsigned.
                let value = match field.show {
                    Show::Flags(_) => Value::UInt(raw),
                    _ if field.is(flag::WIDE) && !field.survives(v.into()) => {
                        Value::Raw { bit: start, bits: bits as u32 }
                    }
                    _ => Value::Int(v),
                };
                (value, v as u64)
            }
            Kind::Bool { bits } => {
                self.need(field, start, bits as u64)?;
                let v = self.take(bits as u32, Order::Little);
                let value = if v <= 1 { Value::Bool(v == 1) } else { Value::Raw { bit: start, bits: bits as u32 } };
                (value, v)
            }
            Kind::Float { bits, order } => {
                self.need(field, start, bits as u64)?;
                let v = self.take(bits as u32, order);
                let value = match bits {
                    16 => Value::F16(v as u16),
                    32 => Value::F32(f32::from_bits(v as u32)),
                    _ => Value::F64(f64::from_bits(v)),
                };
                let finite = match value {
                    Value::F16(h) => half::f16::from_bits(h).is_finite(),
                    Value::F32(x) => x.is_finite(),
                    Value::F64(x) => x.is_finite(),
                    _ => true,
                };
                let (value, finite) = match field.show {
                    Show::Scaled(scale) if finite => self.scaled(value, scale, v, bits),
                    _ => (value, finite),
                };
                (if finite { value } else { Value::Raw { bit: start, bits: bits as u32 } }, v)
            }
            Kind::VarInt { max_groups, sign } => {
                let n = self.groups(field, max_groups, start)?;
                let scaled = field.survives(sign.read(n.value));
                let raw = Value::Raw { bit: start, bits: n.count * 8 };
                match sign {
                    Sign::None if n.exact && scaled => (Value::UInt(n.value), n.value),
                    Sign::None => (raw, n.value),
                    // Later fields see the number that it means, in two's complement.
                    Sign::Zigzag | Sign::Complement | Sign::Complement32 => {
                        let number = sign.read(n.value) as i64;
                        let exact = n.exact && scaled && sign.write(number.into()) == Some(n.value);
                        (if exact { Value::Int(number) } else { raw }, number as u64)
                    }
                }
            }
            Kind::Extended(extended) => extended.read(field, self)?,
            Kind::Numeral(numeral) => numeral.read(field, self)?,
            Kind::Text { len, charset: Charset::Utf16(order) } => {
                let (bit, bits) = self.extent(field, len, start)?;
                if bits > 0 || !field.is(flag::OMIT_EMPTY) {
                    self.utf16(field, start, bit, bits, order);
                }
                return Ok(());
            }
            Kind::Text { len, charset } => {
                let value = self.text_value(field, len, charset, start)?;
                (value, if field.is(flag::REFERENCED) { self.text_id(field, value) } else { 0 })
            }
            Kind::Bytes { len } => return self.bytes(field, len),
            Kind::Parts(parts) => return parts.read(self),
            Kind::Constant(constant) => return constant.read(field, self),
            Kind::Region(region) => return region.read(self),
            Kind::Packed(packed) => return packed.read(field, self),
            Kind::Checksum(checksum) => return checksum.read(field, self),
            Kind::Chosen(chosen) => return chosen.read(field, self),
            Kind::Address(address) => return self.address(field, address),
            Kind::Protobuf(message) => return message.read(field, self),
            Kind::Custom(codec) => return codec.read(field, self),
            Kind::Settled(settled) => {
                settled.read(self);
                return Ok(());
            }
            // The walk opens these itself.
            Kind::Struct(_)
            | Kind::Ring { .. }
            | Kind::Inline(_)
            | Kind::Array { .. }
            | Kind::Switch { .. }
            | Kind::Derived => return Ok(()),
        };
        if let Some(number) = value.number().filter(|_| field.is(flag::CLOSED)) {
            self.defined(field, number, start)?;
        }
        if field.is(flag::OMIT_EMPTY) && matches!(value, Value::Text { bits: 0, .. } | Value::Latin1 { bits: 0, .. }) {
            return Ok(());
        }
        if field.is(flag::REFERENCED) {
            self.tree.scope.push(field, referenced, start, true);
        }
        let node = self.tree.push(field, value, start, self.at - start);
        let full = matches!(value, Value::Text { bits: 1.., .. } | Value::Latin1 { bits: 1.., .. });
        if field.is(flag::HIDDEN) && (matches!(value, Value::Raw { .. }) || full && !field.is(flag::SELECTS)) {
            // Encoding would write the usual form, which for text is nothing.
            self.tree.reveal(node);
        }
        Ok(())
    }

    fn derived(&mut self, field: &'static Field) -> Result<(), Stop> {
        let known = match &mut self.context {
            Some(context) => context.recall(field, &self.tree.scope),
            None => Recalled::Unknown,
        };
        match known {
            Recalled::Value(v) => {
                self.tree.push(field, Value::UInt(v), self.at, 0);
                self.tree.scope.push(field, v, self.at, true);
                Ok(())
            }
            Recalled::Unknown => Err(Stop::Unknown { bit: self.at }),
            Recalled::Fault(what) => Err(self.undefined(field, what)),
        }
    }

    #[inline]
    fn enter(&mut self, field: &'static Field) -> Result<Group, Stop> {
        if self.depth >= self.max_depth {
            let have = (self.end - self.at) as u64;
            return Err(self.broken(field, Fault::new(Reason::Depth, self.at, 0, have)));
        }
        self.depth += 1;
        let node = self.tree.open(field, Value::Group, self.at);
        self.tree.open.push(node as u32);
        Ok(Group { node, scope: self.tree.scope.len() })
    }

    #[inline]
    fn leave(&mut self, field: &'static Field, group: Group, whole: bool) {
        let Group { node, scope } = group;
        self.depth -= 1;
        self.tree.open.pop();
        self.tree.scope.leave(field, scope);
        if !whole && self.tree.nodes().len() == node + 1 && !field.is(flag::KEEP_EMPTY) {
            self.tree.truncate(node);
            return;
        }
        self.tree.close(node, self.at);
    }

    fn nest(&mut self, field: &'static Field, ring: &'static Ring) -> Result<(), Stop> {
        if self.tree.scope.nest(ring) {
            return Ok(());
        }
        let have = (self.end - self.at) as u64;
        let limit = format!("more than {LEVELS} levels");
        Err(self.broken(field, Fault { limit, ..Fault::new(Reason::Depth, self.at, 0, have) }))
    }

    fn unnest(&mut self) {
        self.tree.scope.unnest();
    }

    fn begin(&mut self, field: &'static Field, count: &'static Count, of: &'static Field) -> Result<List, Stop> {
        let (start, mark) = (self.at, self.tree.nodes().len());
        let mut count_node = None;
        let left = match *count {
            Count::Const(n) => Remaining::Elements(n as u64),
            Count::Prefix(prefix) => {
                let n = self.prefix(field, prefix, start)?;
                let (least, left) = ((n as u64).saturating_mul(least_bits(of)), (self.end - self.at) as u64);
                if field.is(flag::CHECKED) && (n < 0 || least > left) {
                    let limit = format!("count {n} from {}", prefix.name);
                    // The elements that the capture cut off are on the wire.
                    if n >= 0 && self.is_cut() && least <= (self.wire_end - self.at) as u64 {
                        return Err(self.short(field, start, (self.at - start) as u64 + least, limit));
                    }
                    let have = (self.end - start) as u64;
                    return Err(self.broken(field, Fault { limit, ..Fault::new(Reason::Count, start, 0, have) }));
                }
                let shown = self.tree.nodes().last().is_some_and(|node| std::ptr::eq(node.field, prefix));
                if !prefix.name.is_empty() && !shown {
                    let node = self.tree.push(prefix, Value::UInt(n.max(0) as u64), start, self.at - start);
                    self.tree.hide(node);
                    count_node = Some(node);
                }
                Remaining::Elements(n.max(0) as u64)
            }
            Count::Field(ref name) => Remaining::Elements(self.known(name).unwrap_or(0)),
            Count::Until(stop) => Remaining::Until(stop),
            Count::UntilOrEnd(mark) => Remaining::UntilOrEnd(mark),
            Count::While(when) => Remaining::While(when),
            Count::Rest => Remaining::Rest,
        };
        let scope = self.tree.scope.len();
        self.listed += 1;
        let node = self.tree.open(field, Value::List, self.at);
        self.tree.open.push(node as u32);
        Ok(List {
            start: (start, mark),
            node,
            count_node,
            left,
            last_at: self.at,
            started: false,
            of,
            scope,
            mark: None,
        })
    }

    #[inline]
    fn more(&mut self, field: &'static Field, list: &mut List) -> Result<bool, Stop> {
        self.more_of(field, list)
    }

    fn finish(&mut self, field: &'static Field, list: List, whole: bool) -> Result<(), Stop> {
        self.listed -= 1;
        self.tree.open.pop();
        if std::mem::take(&mut self.odd) {
            let (start, mark) = list.start;
            let bits = self.at - start;
            self.tree.truncate(mark);
            self.tree.push(field, Value::Raw { bit: start, bits }, start, bits);
            return Ok(());
        }
        self.tree.close(list.node, self.at);
        if let Some(mark) = list.mark {
            let at = self.at - 8;
            self.tree.push(mark, Value::UInt(mark.default.unwrap_or(0) as u64), at, 8);
        }
        if !whole && field.is(flag::ENDED) {
            self.tree.push(&UNENDED, Value::Bool(true), self.at, 0);
        }
        if let (false, Some(count)) = (whole, list.count_node) {
            self.tree.reveal(count);
        }
        Ok(())
    }

    #[inline]
    fn referenced(&self, name: &Name) -> Option<u64> {
        self.tree.scope.get(name)
    }

    #[inline]
    fn ask(&mut self, field: &'static Field, value: Option<u64>) -> Option<&'static [Field]> {
        if let Some(context) = &mut self.context { context.layout(field, value, &self.tree.scope) } else { None }
    }

    fn payload(&mut self, field: &'static Field, fields: &'static [Field]) -> Result<(), Stop> {
        let group = self.enter(field)?;
        // The remaining bytes follow the schema's fields, inside the payload.
        let done = walk::walk(fields, self).and_then(|()| walk::field(&TRAILING, self));
        if done.is_err() {
            if !self.unparsed {
                self.rest(&UNPARSED);
                self.unparsed = true;
            }
            // What they count or mark may be missing: encoding could not derive them.
            self.tree.reveal_from(group.node);
        }
        self.leave(field, group, true);
        done
    }

    #[cold]
    fn undefined(&mut self, field: &'static Field, what: &'static str) -> Stop {
        let have = (self.end - self.at) as u64;
        self.broken(field, Fault::new(Reason::Undefined(what), self.at, 0, have))
    }

    #[cold]
    fn unknown(&mut self) -> Stop {
        Stop::Unknown { bit: self.at }
    }
}
