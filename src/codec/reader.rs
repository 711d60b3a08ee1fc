//! Reading: bytes to a tree of annotated fields.

use super::bits;
use super::context::{Context, NoContext, Recalled};
use super::fault::{Fault, Reason, Stop};
use super::layout::{Charset, Count, Field, Kind, Len, Order, Show, When, flag};
use super::tree::{Tree, Value};
use super::walk::{self, Custom, Wire};

/// The bytes behind a broken field, last key of `fields`.
pub static UNPARSED: Field = super::layout::bytes("unparsed", Len::Rest).doc("what could not be read");

/// What payloads have left over behind their schema's fields.
pub static TRAILING: Field = super::layout::bytes("trailing", Len::Rest).doc("what is left over").omit_empty().padded();

/// The longest message: its bits can be counted in 32 bits.
pub const LONGEST: usize = (u32::MAX / 8) as usize;

/// How deep groups may nest: GNE's embedded packets need 512 levels, and their lists two more.
pub const MAX_DEPTH: usize = 514;

/// How a reading ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// How many bits were read; unparsed ones do not count.
    pub bits: u32,
    /// Why it ended early, if it did.
    pub stop: Option<Stop>,
}

impl Outcome {
    /// The fault, if there is one.
    pub fn fault(self) -> Option<Fault> {
        match self.stop {
            Some(Stop::Fault(fault)) => Some(fault),
            _ => None,
        }
    }
}

/// Reads one message's bytes into a tree.
///
/// It never panics and never allocates by a length that it has read. Whatever breaks, the fields
/// before it stay, and the bits from the broken field on stand under `unparsed`.
pub struct Reader<'a> {
    data: &'a [u8],
    /// Bits that are there.
    end: u32,
    /// Bits that were on the wire: more than `end` where the capture cut the frame.
    wire_end: u32,
    at: u32,
    order: Order,
    proto: &'a str,
    message: &'a str,
    depth: usize,
    max_depth: usize,
    tree: &'a mut Tree,
    context: Option<&'a mut dyn Context>,
    unparsed: bool,
    /// An element of the list at hand has a length or count of a form that its place among the
    /// others cannot show.
    odd: bool,
}

impl<'a> Reader<'a> {
    /// A reader of `data`, at most [`LONGEST`] bytes of it, which appends to `tree`.
    pub fn new(data: &'a [u8], tree: &'a mut Tree) -> Reader<'a> {
        let data = data.get(..LONGEST).unwrap_or(data);
        let end = data.len() as u32 * 8;
        Reader {
            data,
            end,
            wire_end: end,
            at: 0,
            order: Order::Little,
            proto: "",
            message: "",
            depth: 0,
            max_depth: MAX_DEPTH,
            tree,
            context: None,
            unparsed: false,
            odd: false,
        }
    }

    /// Names for the paths of faults: `riptide`, `reliable`.
    pub fn named(mut self, proto: &'a str, message: &'a str) -> Self {
        (self.proto, self.message) = (proto, message);
        self
    }

    /// The message had `length` bytes on the wire, of which the capture may hold fewer.
    pub fn wire_length(mut self, length: usize) -> Self {
        self.wire_end = (length.min(LONGEST) as u32 * 8).max(self.end);
        self
    }

    /// Starts at this bit.
    pub fn starting_at(mut self, bit: u32) -> Self {
        self.at = bit.min(self.end);
        self
    }

    /// Refuses groups nested deeper than this.
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = depth;
        self
    }

    /// What earlier messages tell.
    pub fn context(mut self, context: &'a mut dyn Context) -> Self {
        self.order = context.order();
        self.context = Some(context);
        self
    }

    /// Walks the table. On a fault, what was read stays, and the rest becomes `unparsed`.
    #[inline]
    pub fn read(mut self, fields: &'static [Field]) -> Outcome {
        match walk::walk(fields, &mut self) {
            Ok(()) => Outcome { bits: self.at, stop: None },
            Err(stop) => self.stopped(stop),
        }
    }

    #[cold]
    fn stopped(mut self, stop: Stop) -> Outcome {
        let bit = match &stop {
            Stop::Fault(fault) => fault.bit,
            Stop::Unknown { bit } => *bit,
        };
        if !self.unparsed {
            self.at = bit;
            self.rest(&UNPARSED);
        }
        Outcome { bits: bit, stop: Some(stop) }
    }

    /// Everything from here to the end becomes one node; nothing where nothing is left.
    fn rest(&mut self, field: &'static Field) {
        let (bit, bits) = (self.at, self.end - self.at.min(self.end));
        if bits > 0 {
            self.tree.push(field, raw_or_bytes(bit, bits), bit, bits);
            self.at = self.end;
        }
    }

    /// The next bit to be read.
    pub fn position(&self) -> u32 {
        self.at
    }

    /// How many bits the message has left on the wire.
    pub fn left(&self) -> u32 {
        self.wire_end - self.at.min(self.wire_end)
    }

    /// How many groups are open.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The tree being built.
    pub fn tree(&mut self) -> &mut Tree {
        self.tree
    }

    /// The bytes being read.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Looks at the next `count` (at most 64) bits; `None` where fewer are left.
    #[inline]
    pub fn peek(&self, count: u32) -> Option<u64> {
        (self.end - self.at >= count).then(|| bits::get(self.data, self.at as usize, count))
    }

    /// Steps over bits that [`Reader::peek`] has seen.
    pub fn skip(&mut self, count: u32) {
        self.at = (self.at + count).min(self.end);
    }

    /// The fault that `field`, which began at bit `start`, needs `need` bits.
    #[cold]
    pub fn short(&mut self, field: &'static Field, start: u32, need: u64, limit: String) -> Stop {
        let have = (self.end - start.min(self.end)) as u64;
        let reason = if self.wire_end > self.end && need <= (self.wire_end - start) as u64 {
            Reason::Cut
        } else {
            Reason::Short
        };
        self.broken(field, Fault { limit, ..Fault::new(reason, start, need, have) })
    }

    /// Adds the path to a fault, and goes back to where the field began.
    #[cold]
    pub fn broken(&mut self, field: &'static Field, mut fault: Fault) -> Stop {
        self.at = fault.bit;
        fault.path = self.tree.path(self.proto, self.message, field.name);
        Stop::Fault(fault)
    }

    #[inline]
    fn need(&mut self, field: &'static Field, start: u32, need: u64) -> Result<(), Stop> {
        match need <= (self.end - start) as u64 {
            true => Ok(()),
            false => Err(self.short(field, start, need, String::new())),
        }
    }

    #[inline]
    fn take(&mut self, count: u32, order: Order) -> u64 {
        let value = bits::get(self.data, self.at as usize, count);
        self.at += count;
        match order {
            Order::Little => value,
            Order::Big => bits::swap(value, count),
            Order::Conversation if self.order == Order::Big => bits::swap(value, count),
            Order::Conversation => value,
        }
    }

    /// Reads the hidden number in front of a field that began at `start`. A form that the number
    /// alone would not give back is shown after all, as a raw field of its own.
    fn prefix(&mut self, field: &'static Field, prefix: &'static Field, start: u32) -> Result<i64, Stop> {
        match prefix.kind {
            Kind::UInt { bits, order } => {
                self.need(field, start, (self.at - start) as u64 + bits as u64)?;
                Ok(self.take(bits as u32, order).min(i64::MAX as u64) as i64)
            }
            Kind::Int { bits, order } => {
                self.need(field, start, (self.at - start) as u64 + bits as u64)?;
                Ok(bits::signed(self.take(bits as u32, order), bits as u32))
            }
            Kind::VarInt { max_groups, zigzag } => {
                let at = self.at;
                let number = self.groups(field, max_groups, start)?;
                if !number.exact {
                    self.show_prefix(prefix, at, number.count * 8);
                }
                Ok(if zigzag { unzigzag(number.value) } else { number.value.min(i64::MAX as u64) as i64 })
            }
            Kind::Custom(codec) => {
                let mark = self.tree.nodes().len();
                codec.read(prefix, self)?;
                // A codec shows a number, or raw bits behind a hidden number.
                let node = self.tree.nodes().get(mark).copied();
                let value = node.and_then(|n| n.number()).unwrap_or(0);
                self.tree.truncate(mark);
                if let Some(node) = node.filter(|node| node.field.is(flag::HIDDEN)) {
                    self.show_prefix(prefix, node.bit, node.bits);
                }
                Ok(value.min(i64::MAX as u64) as i64)
            }
            _ => Ok(0),
        }
    }

    /// Shows a hidden number's bits beside the field they belong to. An element of a list has no
    /// place for that: then the list as a whole is shown as bits.
    #[cold]
    fn show_prefix(&mut self, prefix: &'static Field, bit: u32, bits: u32) {
        let parent = self.tree.open.last().and_then(|node| self.tree.nodes().get(*node as usize));
        match parent.map(|node| node.value) {
            Some(Value::List) => self.odd = true,
            _ if prefix.name.is_empty() => {}
            _ => _ = self.tree.push(prefix, Value::Raw { bit, bits }, bit, bits),
        }
    }

    /// How many elements a codec's own kind of array has; reads the number in front of them.
    ///
    /// # Errors
    /// A fault of `field`, where that number is not there.
    pub fn count(&mut self, field: &'static Field, count: &Count) -> Result<u64, Stop> {
        let start = self.at;
        Ok(match *count {
            Count::Const(n) => n as u64,
            Count::Prefix(prefix) => self.prefix(field, prefix, start)?.max(0) as u64,
            Count::Field(name) => self.tree.scope.get(name).unwrap_or(0),
            Count::Until(_) | Count::Rest => self.left() as u64,
        })
    }

    fn groups(&mut self, field: &'static Field, max: u16, start: u32) -> Result<Groups, Stop> {
        let (mut value, mut count, mut lost) = (0u64, 0u32, false);
        loop {
            if self.end - self.at < 8 {
                let need = (self.at - start) as u64 + 8;
                return Err(self.short(field, start, need, "the last group says that more follow".into()));
            }
            if count >= max as u32 {
                let have = (self.end - start) as u64;
                return Err(self.broken(
                    field,
                    Fault { limit: format!("at most {max} groups"), ..Fault::new(Reason::TooLong, start, 0, have) },
                ));
            }
            let group = self.take(8, Order::Little);
            let low = group & 0x7f;
            match count {
                0..=8 => value |= low << (7 * count),
                9 => {
                    value |= low << 63;
                    lost |= low > 1;
                }
                _ => lost |= low != 0,
            }
            count += 1;
            if group & 0x80 == 0 {
                let exact = !lost && (low != 0 || count == 1);
                return Ok(Groups { value, count, exact });
            }
        }
    }

    /// Where the content of text or bytes stands, the position moved behind it.
    fn extent(&mut self, field: &'static Field, len: Len, start: u32) -> Result<(u32, u32), Stop> {
        let bits = match len {
            Len::Const(n) | Len::Padded(n) => n as u64 * 8,
            Len::Bits(n) => n as u64,
            Len::Prefix(prefix) => {
                let n = self.prefix(field, prefix, start)?;
                let whole = (self.at - start) as u64 + (n.max(0) as u64).saturating_mul(8);
                if n < 0 || whole > (self.end - start) as u64 {
                    let limit = format!("length {n} from {}", prefix.name);
                    return Err(self.short(field, start, whole, limit));
                }
                n as u64 * 8
            }
            Len::Field(name) => {
                let n = self.tree.scope.get(name).unwrap_or(0);
                let whole = n.saturating_mul(8);
                if whole > (self.end - start) as u64 {
                    return Err(self.short(field, start, whole, format!("length {n} from {name}")));
                }
                whole
            }
            Len::Until(stop) => {
                let from = self.at as usize / 8;
                let rest = self.data.get(from..self.end as usize / 8).unwrap_or(&[]);
                let Some(n) = memchr::memchr(stop, rest) else {
                    let have = (self.end - start) as u64;
                    let reason = if self.wire_end > self.end { Reason::Cut } else { Reason::Unterminated };
                    return Err(self.broken(field, Fault::new(reason, start, 0, have)));
                };
                let bit = self.at;
                self.at += n as u32 * 8 + 8;
                return Ok((bit, n as u32 * 8));
            }
            Len::Rest => {
                if self.wire_end > self.end {
                    let need = (self.wire_end - start) as u64;
                    return Err(self.short(field, start, need, String::new()));
                }
                (self.end - self.at) as u64
            }
        };
        let bit = self.at;
        self.need(field, start, (bit - start) as u64 + bits)?;
        self.at += bits as u32;
        Ok((bit, bits as u32))
    }

    fn text_value(&mut self, field: &'static Field, len: Len, charset: Charset, start: u32) -> Result<Value, Stop> {
        let (bit, mut bits) = self.extent(field, len, start)?;
        let whole = Value::Raw { bit, bits };
        let aligned;
        let content: &[u8] = match bit % 8 {
            0 => self.data.get(bit as usize / 8..(bit + bits) as usize / 8).unwrap_or(&[]),
            _ => {
                aligned =
                    (0..bits / 8).map(|k| bits::get(self.data, (bit + k * 8) as usize, 8) as u8).collect::<Vec<u8>>();
                &aligned
            }
        };
        let mut text = content;
        if let Len::Padded(_) = len {
            let end = memchr::memchr(0, content).unwrap_or(content.len());
            if content[end..].iter().any(|b| *b != 0) {
                return Ok(whole);
            }
            text = &content[..end];
            bits = end as u32 * 8;
        }
        Ok(match charset {
            Charset::Latin1 => Value::Latin1 { bit, bits },
            Charset::Utf8 if std::str::from_utf8(text).is_ok() => Value::Text { bit, bits },
            Charset::Utf8 => whole,
        })
    }

    fn bytes_value(&mut self, field: &'static Field, len: Len, start: u32) -> Result<Value, Stop> {
        let (bit, mut bits) = self.extent(field, len, start)?;
        if field.is(flag::PADDED) && bits % 8 != 0 {
            let odd = bits % 8;
            if bits::get(self.data, (bit + bits - odd) as usize, odd) == 0 {
                bits -= odd;
            }
        }
        Ok(raw_or_bytes(bit, bits))
    }

    fn holds(&mut self, when: &When) -> bool {
        match when {
            When::Always => true,
            When::Bit(name, bit) => self.tree.scope.get(name).is_some_and(|v| v >> bit & 1 == 1),
            When::Clear(name, bit) => self.tree.scope.get(name).is_some_and(|v| v >> bit & 1 == 0),
            When::Eq(name, value) => self.tree.scope.get(name) == Some(*value),
            When::In(name, values) => self.tree.scope.get(name).is_some_and(|v| values.contains(&v)),
            When::Left(bits) => self.left() >= *bits,
            When::Any(several) => several.iter().any(|w| self.holds(w)),
            When::Setting(name, value) => match &self.context {
                Some(context) => context.setting(name) == *value,
                None => NoContext.setting(name) == *value,
            },
        }
    }
}

struct Groups {
    value: u64,
    count: u32,
    exact: bool,
}

fn unzigzag(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}

fn raw_or_bytes(bit: u32, bits: u32) -> Value {
    if bits.is_multiple_of(8) { Value::Bytes { bit, bits } } else { Value::Raw { bit, bits } }
}

/// Bits of the smallest form of a field: what one element of a list needs at least.
pub(super) fn least_bits(field: &Field) -> u64 {
    match (&field.when, &field.kind) {
        (
            When::Always,
            Kind::UInt { bits, .. }
            | Kind::Int { bits, .. }
            | Kind::Float { bits, .. }
            | Kind::Bool { bits }
            | Kind::Tag { bits, .. },
        ) => *bits as u64,
        (When::Always, Kind::Struct(fields) | Kind::Inline(fields)) => fields.iter().map(least_bits).sum(),
        (When::Always, Kind::VarInt { .. }) => 8,
        _ => 0,
    }
}

/// An open list.
pub struct List {
    /// Where its count stands, in bits and in nodes; itself where it has none.
    start: (u32, usize),
    node: usize,
    /// The hidden count in front of it.
    count_node: Option<usize>,
    left: Remaining,
    last_at: u32,
    started: bool,
}

enum Remaining {
    Elements(u64),
    Until(u8),
    Rest,
}

impl Wire for Reader<'_> {
    type Stop = Stop;
    /// Node index and the scope's length before the group.
    type Group = (usize, usize);
    type List = List;

    fn present(&mut self, field: &'static Field) -> Result<bool, Stop> {
        Ok(self.holds(&field.when))
    }

    #[inline]
    fn leaf(&mut self, field: &'static Field) -> Result<(), Stop> {
        let start = self.at;
        let (value, kept) = match field.kind {
            // Most fields are this: nothing is brought together with the others' ends.
            Kind::UInt { bits, order } => {
                self.need(field, start, bits as u64)?;
                let mut v = self.take(bits as u32, order);
                if let Show::Flags(flags) = field.show {
                    v &= !flags.fixed_mask;
                }
                if field.is(flag::KEPT) {
                    self.tree.scope.push(field, v, start, true);
                }
                self.tree.push(field, Value::UInt(v), start, bits as u32);
                return Ok(());
            }
            Kind::Int { bits, order } => {
                self.need(field, start, bits as u64)?;
                let v = bits::signed(self.take(bits as u32, order), bits as u32);
                (Value::Int(v), v as u64)
            }
            Kind::Tag { bits, order, .. } => {
                self.need(field, start, bits as u64)?;
                let v = self.take(bits as u32, order);
                (Value::UInt(v), v)
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
                (if finite { value } else { Value::Raw { bit: start, bits: bits as u32 } }, v)
            }
            Kind::VarInt { max_groups, zigzag } => {
                let n = self.groups(field, max_groups, start)?;
                let value = match (n.exact, zigzag) {
                    (false, _) => Value::Raw { bit: start, bits: n.count * 8 },
                    (true, false) => Value::UInt(n.value),
                    (true, true) => Value::Int(unzigzag(n.value)),
                };
                (value, n.value)
            }
            Kind::Text { len, charset } => (self.text_value(field, len, charset, start)?, 0),
            Kind::Bytes { len } => (self.bytes_value(field, len, start)?, 0),
            _ => (Value::Null, 0),
        };
        if field.is(flag::OMIT_EMPTY) && matches!(value, Value::Bytes { bits: 0, .. } | Value::Text { bits: 0, .. }) {
            return Ok(());
        }
        if field.is(flag::KEPT) {
            self.tree.scope.push(field, kept, start, true);
        }
        self.tree.push(field, value, start, self.at - start);
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
    fn enter(&mut self, field: &'static Field) -> Result<(usize, usize), Stop> {
        if self.depth >= self.max_depth {
            let have = (self.end - self.at) as u64;
            return Err(self.broken(field, Fault::new(Reason::Depth, self.at, 0, have)));
        }
        self.depth += 1;
        let node = self.tree.open(field, Value::Group, self.at);
        self.tree.open.push(node as u32);
        Ok((node, self.tree.scope.len()))
    }

    #[inline]
    fn leave(&mut self, field: &'static Field, (node, scope): (usize, usize), whole: bool) {
        self.depth -= 1;
        self.tree.open.pop();
        self.tree.scope.truncate(scope);
        if !whole && self.tree.nodes().len() == node + 1 && !field.is(flag::KEEP_EMPTY) {
            self.tree.truncate(node);
            return;
        }
        self.tree.close(node, self.at);
    }

    fn begin(&mut self, field: &'static Field, count: &'static Count, of: &'static Field) -> Result<List, Stop> {
        let (start, mark) = (self.at, self.tree.nodes().len());
        let mut count_node = None;
        let left = match *count {
            Count::Const(n) => Remaining::Elements(n as u64),
            Count::Prefix(prefix) => {
                let n = self.prefix(field, prefix, start)?;
                let impossible = n < 0 || (n as u64).saturating_mul(least_bits(of)) > (self.end - self.at) as u64;
                if field.is(flag::CHECKED) && impossible {
                    let have = (self.end - start) as u64;
                    let limit = format!("count {n} from {}", prefix.name);
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
            Count::Field(name) => Remaining::Elements(self.tree.scope.get(name).unwrap_or(0)),
            Count::Until(stop) => Remaining::Until(stop),
            Count::Rest => Remaining::Rest,
        };
        let node = self.tree.open(field, Value::List, self.at);
        self.tree.open.push(node as u32);
        Ok(List { start: (start, mark), node, count_node, left, last_at: self.at, started: false })
    }

    #[inline]
    fn more(&mut self, field: &'static Field, list: &mut List) -> Result<bool, Stop> {
        match &mut list.left {
            Remaining::Elements(0) => Ok(false),
            // An element that took no bits would let a count drive the loop by itself.
            Remaining::Elements(n) if list.started && self.at == list.last_at && *n > 1 => {
                let have = (self.end - self.at) as u64;
                Err(self.broken(field, Fault::new(Reason::Count, self.at, 0, have)))
            }
            Remaining::Elements(n) => {
                *n -= 1;
                (list.started, list.last_at) = (true, self.at);
                Ok(true)
            }
            Remaining::Until(stop) => match self.peek(8) {
                None => Err(self.short(field, self.at, 8, format!("the list ends with {stop:#04x}"))),
                Some(byte) if byte == *stop as u64 => {
                    self.at += 8;
                    Ok(false)
                }
                Some(_) => Ok(true),
            },
            Remaining::Rest => Ok(self.end > self.at && !(list.started && self.at == list.last_at)).inspect(|_| {
                (list.started, list.last_at) = (true, self.at);
            }),
        }
    }

    fn finish(&mut self, field: &'static Field, list: List, whole: bool) -> Result<(), Stop> {
        self.tree.open.pop();
        if std::mem::take(&mut self.odd) {
            let (start, mark) = list.start;
            let bits = self.at - start;
            self.tree.truncate(mark);
            self.tree.push(field, Value::Raw { bit: start, bits }, start, bits);
            return Ok(());
        }
        self.tree.close(list.node, self.at);
        if let (false, Some(count)) = (whole, list.count_node) {
            self.tree.reveal(count);
        }
        Ok(())
    }

    #[inline]
    fn kept(&self, name: &str) -> Option<u64> {
        self.tree.scope.get(name)
    }

    fn ask(&mut self, field: &'static Field, value: Option<u64>) -> Option<&'static [Field]> {
        match &mut self.context {
            Some(context) => context.layout(field, value, &self.tree.scope),
            None => None,
        }
    }

    fn payload(&mut self, field: &'static Field, fields: &'static [Field]) -> Result<(), Stop> {
        let group = self.enter(field)?;
        let done = walk::walk(fields, self);
        match &done {
            // What is left over stands behind the schema's fields, inside the payload.
            Ok(()) => walk::field(&TRAILING, self)?,
            Err(_) if !self.unparsed => {
                self.rest(&UNPARSED);
                self.unparsed = true;
            }
            Err(_) => {}
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

    fn custom(&mut self, field: &'static Field, codec: &'static dyn Custom) -> Result<(), Stop> {
        codec.read(field, self)
    }
}
