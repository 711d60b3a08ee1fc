//! The tables as text: types, sizes, conditions. `netkit fields`, the annotated JSON and the
//! documentation are generated from here.

use super::layout::{Charset, Count, Field, Kind, Len, Order, Other, Show, Sign, When, flag};
use crate::plural::Plural;

/// A field's type in short: `u16le`, `3 bits`, `text (u8 length)`.
pub fn kind(field: &Field) -> String {
    let number = |letter: char, bits: u8, order: Order| match (bits % 8, order) {
        (0, _) if bits == 8 => format!("{letter}8"),
        (0, Order::Little) => format!("{letter}{bits}le"),
        (0, Order::Big) => format!("{letter}{bits}be"),
        (0, Order::Conversation) => format!("{letter}{bits}"),
        _ => format!("{letter}{bits}"),
    };
    match &field.kind {
        Kind::Tag { bits, order, .. } | Kind::UInt { bits, order } => number('u', *bits, *order),
        Kind::Int { bits, order } => number('i', *bits, *order),
        Kind::Float { bits, order } => number('f', *bits, *order),
        Kind::Bool { bits: 1 } => "bit".into(),
        Kind::Bool { .. } => "bool".into(),
        Kind::VarInt { sign: Sign::Zigzag, .. } => "varint (zigzag)".into(),
        Kind::VarInt { sign: Sign::Complement | Sign::Complement32, .. } => "varint (signed)".into(),
        Kind::VarInt { .. } => "varint".into(),
        Kind::Text { len, charset: Charset::Utf8 } => format!("text{}", extent(len)),
        Kind::Text { len, charset: Charset::Latin1 } => format!("latin-1 text{}", extent(len)),
        Kind::Bytes { len: Len::Rest } if field.is(flag::PAYLOAD) => "payload (rest)".into(),
        Kind::Bytes { len } => format!("bytes{}", extent(len)),
        Kind::Struct(_) => "group".into(),
        Kind::Inline(_) => "fields".into(),
        Kind::Array { count, of } => format!("{}{}", inner(of), times(count)),
        Kind::Switch { on: "", .. } => "a fault".into(),
        Kind::Switch { on, .. } => format!("by {on}"),
        Kind::Derived => "derived".into(),
        Kind::Custom(codec) => codec.describe().into(),
    }
}

/// A field's type as a member of a JSON object.
pub fn member(field: &Field) -> String {
    match &field.kind {
        Kind::Text { .. } => "string".into(),
        Kind::Float { .. } => "number".into(),
        Kind::Int { .. } => "integer".into(),
        Kind::Bool { .. } => "true or false".into(),
        Kind::Struct(_) => "object".into(),
        Kind::Array { count: Count::Const(n), of } => format!("{}[{n}]", member(of)),
        Kind::Array { of, .. } => format!("{}[]", member(of)),
        _ => "any value".into(),
    }
}

fn inner(of: &Field) -> String {
    match &of.kind {
        Kind::Struct(_) => of.name.into(),
        Kind::Custom(codec) if !codec.fields().is_empty() => of.name.into(),
        _ => kind(of),
    }
}

fn extent(len: &Len) -> String {
    match len {
        Len::Const(n) => format!(" ({})", Plural(*n, "byte")),
        Len::Padded(n) => format!(" ({}, zero padded)", Plural(*n, "byte")),
        Len::Bits(n) => format!(" ({n} bits)"),
        Len::Prefix(prefix) => format!(" ({} length before it)", kind(prefix)),
        Len::Field(name) => format!(" (length: {name})"),
        Len::Until(0) => " (up to a zero byte)".into(),
        Len::Until(stop) => format!(" (up to {stop:#04x})"),
        Len::Rest => " (rest)".into(),
    }
}

fn times(count: &Count) -> String {
    match count {
        Count::Const(n) => format!("[{n}]"),
        Count::Prefix(prefix) => format!("[] ({} count before it)", kind(prefix)),
        Count::Field(name) => format!("[{name}]"),
        Count::Until(stop) => format!("[] (up to {stop:#04x})"),
        Count::Rest => "[] (rest)".into(),
    }
}

/// The field's size in bits, if it is fixed.
pub fn bits(field: &Field) -> Option<u32> {
    if !matches!(field.when, When::Always) {
        return None;
    }
    match &field.kind {
        Kind::Text { len: Len::Const(n) | Len::Padded(n), .. } | Kind::Bytes { len: Len::Const(n) } => Some(n * 8),
        Kind::Bytes { len: Len::Bits(n) } => Some(*n),
        Kind::Struct(fields) | Kind::Inline(fields) => fields.iter().map(bits).sum(),
        Kind::Array { count: Count::Const(n), of } => bits(of).map(|b| b * n),
        Kind::Derived => Some(0),
        other => other.width().map(|(bits, _)| bits),
    }
}

/// The field's condition as text; `None`: it is always present.
pub fn condition(when: &When) -> Option<String> {
    Some(match when {
        When::Always => return None,
        When::Bit(name, bit) => format!("if bit {bit} of {name} is set"),
        When::Clear(name, bit) => format!("if bit {bit} of {name} is not set"),
        When::Eq(name, value) => format!("if {name} is {value}"),
        When::In(name, values) => format!("if {name} is one of {values:?}"),
        When::Left(8) => "if a byte is left".into(),
        When::Left(bits) => format!("if {bits} bits are left"),
        When::Any(several) => several.iter().filter_map(condition).collect::<Vec<_>>().join(", or "),
        When::All(several) => several.iter().filter_map(condition).collect::<Vec<_>>().join(" and "),
        When::Not(When::Eq(name, value)) => format!("if {name} is not {value}"),
        When::Not(When::In(name, values)) => format!("if {name} is none of {values:?}"),
        When::Not(When::Below(name, than)) => format!("if {name} is at least {than}"),
        When::Not(When::Set(name)) => format!("if {name} is 0"),
        When::Not(when) => format!("not {}", condition(when).unwrap_or_default()),
        When::Below(name, than) => format!("if {name} is below {than}"),
        When::Mask(name, mask) => format!("if {name} & {mask:#x}"),
        When::Set(name) => format!("if {name} is not 0"),
        When::Setting(name, value) => format!("if the conversation's {name} is {value}"),
    })
}

/// Calls `each` once per field in wire order, with the nesting depth.
pub fn lines(fields: &'static [Field], each: &mut dyn FnMut(usize, &'static Field)) {
    Lines { each, seen: Vec::new() }.list(fields, 0);
}

struct Lines<'a> {
    each: &'a mut dyn FnMut(usize, &'static Field),
    /// The groups being listed: a table may contain itself.
    seen: Vec<*const Field>,
}

impl Lines<'_> {
    fn list(&mut self, fields: &'static [Field], depth: usize) {
        fields.iter().for_each(|f| self.field(f, depth));
    }

    fn field(&mut self, field: &'static Field, depth: usize) {
        let nameless = matches!(field.kind, Kind::Custom(codec) if field.name.is_empty() && !codec.fields().is_empty());
        if !nameless && !matches!(field.kind, Kind::Inline(_)) {
            (self.each)(depth, field);
        }
        if depth > 8 || self.seen.contains(&(field as *const Field)) {
            return;
        }
        self.seen.push(field);
        match &field.kind {
            Kind::Struct(fields) => self.list(fields, depth + 1),
            Kind::Inline(fields) => self.list(fields, depth),
            Kind::Custom(codec) => self.list(codec.fields(), depth + !nameless as usize),
            Kind::Array { of, .. } => match &of.kind {
                Kind::Struct(fields) => self.list(fields, depth + 1),
                Kind::Custom(codec) => self.list(codec.fields(), depth + 1),
                Kind::Switch { .. } | Kind::Inline(_) => self.field(of, depth + 1),
                _ => {}
            },
            Kind::Switch { cases, other, .. } => {
                cases.iter().for_each(|case| self.list(case.fields, depth + 1));
                if let Other::Fields(fields) = other {
                    self.list(fields, depth + 1);
                }
            }
            _ => {}
        }
        self.seen.pop();
    }
}

/// The names of an enumeration or of flags, with their values.
pub fn names(show: &Show) -> Option<Vec<(u64, &'static str)>> {
    match show {
        Show::Enum(names) => Some(names.to_vec()),
        Show::Flags(flags) => Some(flags.names.to_vec()),
        _ => None,
    }
}
