//! The tables as text: types, sizes, conditions. `netkit fields`, the annotated JSON and the
//! documentation are generated from here.

use super::kinds::{Extended, Head};
use super::layout::{Charset, Count, Field, Kind, Len, Name, Order, Other, Show, Sign, When, flag};
use crate::plural::Plural;

/// A field's type in short: `u16le`, `3 bits`, `text (u8 length)`.
pub fn kind(field: &Field) -> String {
    let number = |letter: char, bits: u8, order: Order| match (bits % 8, order) {
        (_, Order::HighestBit) if letter == 'i' => "signed bits, the highest first".into(),
        (_, Order::HighestBit) => "bits, the highest first".into(),
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
        Kind::Text { len: Len::Through(ends), .. } if ends.between().is_some() => "text up to a character".into(),
        Kind::Text { len: Len::Through(_), .. } | Kind::Bytes { len: Len::Through(_) } => {
            "text up to one of several characters".into()
        }
        Kind::Text { charset: Charset::Utf16(Order::Big), .. } => "text in UTF-16, big-endian".into(),
        Kind::Text { charset: Charset::Utf16(_), .. } => "text in UTF-16, little-endian".into(),
        Kind::Text { len, charset: Charset::Utf8 } => format!("text{}", extent(len)),
        Kind::Text { len, charset: Charset::Latin1 } => format!("latin-1 text{}", extent(len)),
        Kind::Bytes { len: Len::Rest } if field.is(flag::PAYLOAD) => "payload (rest)".into(),
        Kind::Bytes { len } => format!("bytes{}", extent(len)),
        Kind::Struct(_) => "group".into(),
        Kind::Ring { fields: [], .. } => "group, as around it".into(),
        Kind::Ring { .. } => "group".into(),
        Kind::Inline(_) => "fields".into(),
        Kind::Array { count, of } => format!("{}{}", inner(of), times(count)),
        Kind::Switch { on: Name { text: "", .. }, .. } => "a fault".into(),
        Kind::Switch { on, .. } => format!("by {on}"),
        Kind::Settled(_) => String::new(),
        Kind::Derived => "derived".into(),
        Kind::Parts(parts) => parts.describe().into(),
        Kind::Constant(constant) => constant.describe().into(),
        Kind::Region(region) => region.describe().into(),
        Kind::Packed(packed) => packed.describe().into(),
        Kind::Checksum(checksum) => checksum.describe().into(),
        Kind::Chosen(chosen) => chosen.describe().into(),
        Kind::Extended(extended) => sizes(extended),
        Kind::Numeral(numeral) => format!("number in text, {}{}", numeral.radix.name(), extent(&numeral.len)),
        Kind::Address(address) => address.about().into(),
        Kind::Protobuf(_) => "message".into(),
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
        Kind::Struct(_) | Kind::Ring { .. } => "object".into(),
        Kind::Array { count: Count::Const(n), of } => format!("{}[{n}]", member(of)),
        Kind::Array { of, .. } => format!("{}[]", member(of)),
        _ => "any value".into(),
    }
}

fn inner(of: &Field) -> String {
    match &of.kind {
        Kind::Inline(_) => kind(of),
        wrapping if !wrapping.fields().is_empty() => of.name.into(),
        Kind::Struct(_) | Kind::Ring { .. } => of.name.into(),
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
        Len::Through(_) => " (up to one of several bytes)".into(),
        Len::Rest => " (rest)".into(),
    }
}

fn sizes(extended: &Extended) -> String {
    let head = match extended.head {
        Head::Word(field) => kind(field),
        Head::Field(name) => name.text.into(),
    };
    let longer = extended.longer.iter().map(|longer| format!(", {} then {}", longer.head, kind(longer.word)));
    head + &longer.collect::<String>()
}

fn times(count: &Count) -> String {
    match count {
        Count::Const(n) => format!("[{n}]"),
        Count::Prefix(prefix) => format!("[] ({} count before it)", kind(prefix)),
        Count::Field(name) => format!("[{name}]"),
        Count::Until(stop) => format!("[] (up to {stop:#04x})"),
        Count::UntilOrEnd(mark) => format!("[] (up to {:#04x}, or rest)", mark.default.unwrap_or(0)),
        Count::While(when) => {
            let holds = condition(when).unwrap_or_default();
            format!("[] (while {})", holds.trim_start_matches("if "))
        }
        Count::Rest => "[] (rest)".into(),
    }
}

/// Returns the field's condition as text; `None` if the field is always present.
pub fn condition(when: &When) -> Option<String> {
    Some(match when {
        When::Always => return None,
        When::Bit(name, bit) => format!("if bit {bit} of {name} is set"),
        When::Clear(name, bit) => format!("if bit {bit} of {name} is not set"),
        When::Eq(name, value) => format!("if {name} is {value}"),
        When::Is(name, text) => format!("if {name} is {:?}", text.text),
        When::In(name, values) => format!("if {name} is one of {values:?}"),
        When::Left(8) => "if a byte is left".into(),
        When::Left(bits) => format!("if {bits} bits are left"),
        When::Any(several) => several.iter().filter_map(condition).collect::<Vec<_>>().join(", or "),
        When::All(several) => several.iter().filter_map(condition).collect::<Vec<_>>().join(" and "),
        When::Not(When::Eq(name, value)) => format!("if {name} is not {value}"),
        When::Not(When::Is(name, text)) => format!("if {name} is not {:?}", text.text),
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
    /// The groups that are being listed, because a table may contain itself.
    seen: Vec<*const Field>,
}

impl Lines<'_> {
    fn list(&mut self, fields: &'static [Field], depth: usize) {
        fields.iter().for_each(|f| self.field(f, depth));
    }

    fn field(&mut self, field: &'static Field, depth: usize) {
        let inline = field.is_inline();
        if !inline {
            (self.each)(depth, field);
        }
        if depth > 8 || self.seen.contains(&(field as *const Field)) {
            return;
        }
        self.seen.push(field);
        match &field.kind {
            Kind::Array { of, .. } => match &of.kind {
                Kind::Switch { .. } | Kind::Inline(_) => self.field(of, depth + 1),
                kind => self.list(kind.fields(), depth + 1),
            },
            Kind::Switch { cases, other, .. } => {
                cases.iter().for_each(|case| self.list(case.fields, depth + 1));
                if let Other::Fields(fields) = other {
                    self.list(fields, depth + 1);
                }
            }
            kind => self.list(kind.fields(), depth + !inline as usize),
        }
        self.seen.pop();
    }
}

/// Returns the names of an enumeration or of flags, with their values.
pub fn names(show: &Show) -> Option<Vec<(u64, &'static str)>> {
    match show {
        Show::Enum(names) => Some(names.to_vec()),
        Show::Flags(flags) => Some(flags.names.to_vec()),
        _ => None,
    }
}
