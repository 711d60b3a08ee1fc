//! Numbers: words, bits, and their display.

use super::super::compile::{Compiled, Compiler, lasting, statics};
use super::super::known::{Found, Known, used};
use super::super::text::{CaseText, FieldText};
use crate::codec::kinds::{Extended, Head, Longer, Ratio, Settles};
use crate::codec::layout::{Field, Flags, Kind, Order, Show, Sign, When, flag, uint};
use crate::codec::scale::Scale;
use crate::codec::schema::Form;
use crate::codec::schema::named::{leak, names};
use crate::codec::schema::reading::Named;
use crate::codec::{Clock, Writer, bits, describe, digits};

/// The bits of numbers for which any scale is exact.
pub(super) const EXACT: u32 = 48;

impl<'a> Compiler<'a> {
    /// The byte order of types without their own: that of the file which has the field.
    pub(super) fn big(&self) -> Option<bool> {
        match &self.text.payload {
            Some(payload) if self.is_within(&payload.name) => payload.big,
            _ => self.text.big,
        }
    }

    fn order(&self, suffix: &str, bits: u8, line: usize) -> Compiled<Option<Order>> {
        Ok(Some(match (suffix, self.big()) {
            ("le", _) => Order::Little,
            ("be", _) => Order::Big,
            ("", _) if bits <= 8 => Order::Little,
            ("", Some(true)) => Order::Big,
            ("", Some(false)) => Order::Little,
            ("", None) => {
                let why = "encoding is missing: the byte order of words: \"be\" or \"le\"";
                return Err((line, why.into()));
            }
            _ => return Ok(None),
        }))
    }

    /// The number type of a word: `u16`, `varint32`.
    pub fn word_type(&self, word: &str, line: usize) -> Compiled<Option<Field>> {
        let field = |kind| Field { kind, ..uint("", 8) };
        match self.encoded(word) {
            Some(number) if number.kind.is_number() => {
                let mut number = number.clone();
                number.set_name("");
                return Ok(Some(number));
            }
            None if self.form() == Form::Sequence => {}
            _ => return Ok(None),
        }
        let varint = |max_groups, sign| Ok(Some(field(Kind::VarInt { max_groups, sign })));
        match word {
            "varint" => return varint(10, Sign::None),
            "varint32" => return varint(5, Sign::None),
            "svarint" => return varint(10, Sign::Complement),
            "svarint32" => return varint(5, Sign::Complement32),
            "zigzag" => return varint(10, Sign::Zigzag),
            "zigzag32" => return varint(5, Sign::Zigzag),
            "bool" => return Ok(Some(field(Kind::Bool { bits: 8 }))),
            "bit" => return Ok(Some(field(Kind::Bool { bits: 1 }))),
            _ => {}
        }
        let Some(letter) = word.bytes().next().filter(|b| b"uif".contains(b)) else { return Ok(None) };
        let Some(rest) = word.get(1..) else { return Ok(None) };
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, suffix) = rest.split_at(end);
        let Some(bits) = digits::unsigned::<u8>(digits) else { return Ok(None) };
        let known = match letter {
            b'f' => [16, 32, 64].contains(&bits),
            _ => (8..=64).contains(&bits) && bits.is_multiple_of(8),
        };
        if !known || !["", "le", "be"].contains(&suffix) {
            return Ok(None);
        }
        let Some(order) = self.order(suffix, bits, line)? else { return Ok(None) };
        Ok(Some(field(match letter {
            b'u' => Kind::UInt { bits, order },
            b'i' => Kind::Int { bits, order },
            _ => Kind::Float { bits, order },
        })))
    }

    /// A number that exceeds what it counts, or that has a longer number after certain values. `largest`: above it, there
    /// are only longer forms.
    pub(super) fn extended(
        &mut self,
        t: &FieldText,
        word: &str,
        plus: i32,
        cases: &[CaseText],
        largest: Option<u64>,
    ) -> Compiled<Field> {
        let mut longer: Vec<Longer> = Vec::new();
        for case in cases {
            match self.word_type(&case.word, t.line)? {
                Some(number) if matches!(number.kind, Kind::UInt { .. }) => {
                    if longer.iter().any(|longer| longer.head == case.value) {
                        return t.fail(format!("{} is given twice", case.value));
                    }
                    longer.push(Longer { head: case.value, word: lasting(number), plus: case.plus.into() });
                }
                _ => return t.fail(format!("{}: expected u8, u16, u32 or u64, got {:?}", case.value, case.word)),
            }
        }
        let (head, most) = match self.word_type(word, t.line)? {
            Some(number) => match number.kind {
                Kind::UInt { bits, .. } => (Head::Word(lasting(number)), crate::codec::bits::mask(bits.into())),
                _ => {
                    return t
                        .fail(format!("plus and numbers that follow are for u8, u16, u32 and u64, not for {word}"));
                }
            },
            None => match self.find(word) {
                Some(Found::Field(place)) if self.known[place].number => {
                    self.uses(word, used::LENGTH);
                    self.settles(word, Settles::Length);
                    let width = self.known[place].width;
                    let most = if width == 7 { u64::MAX } else { crate::codec::bits::mask(width) };
                    (Head::Field(self.name(word)), most)
                }
                Some(_) => return t.fail(format!("{word} is not an earlier number")),
                None => return Err(self.nothing(t.line, &t.name, word)),
            },
        };
        if let Some(beyond) = longer.iter().find(|longer| longer.head > most) {
            return t.fail(format!("{}: the number is at most {most}", beyond.head));
        }
        let most = largest.unwrap_or(most);
        let kind = Kind::Extended(lasting(Extended { head, longer: statics(longer), plus: plus.into(), most }));
        Ok(Field { kind, ..uint("", 64) })
    }

    /// Compiles a number with its display.
    pub(super) fn number_type(&mut self, t: &'a FieldText, kind: &str) -> Compiled<Option<Field>> {
        let bits = self.encoding.is_none_or(|encoding| encoding.bits);
        let width = kind.strip_prefix("bits(").filter(|_| bits).and_then(|k| k.split_once(')'));
        let field = match width {
            None if t.of.is_some() => uint("", 64),
            Some((n, suffix)) if ["", "le", "be"].contains(&suffix) => {
                let Some(n @ 1..=64) = digits::unsigned::<u8>(n.trim()) else {
                    return t.fail(format!("bits: expected 1 to 64, got {n}"));
                };
                let order = if suffix == "be" { Order::HighestBit } else { Order::Little };
                let kind = if t.signed { Kind::Int { bits: n, order } } else { Kind::UInt { bits: n, order } };
                Field { kind, ..uint("", n) }
            }
            _ => match self.word_type(kind, t.line)? {
                Some(field) => field,
                None => return Ok(None),
            },
        };
        let mut field = self.shown(t, field, kind)?;
        if t.scale.is_some() && self.is_derived(&t.name, t.line) {
            // The scale is that of the length: `length_bits` is shown in bits.
            field.show = Show::Plain;
            field.flags &= !flag::WIDE;
        }
        let listed = t.kind.trim().ends_with(']');
        if !listed && (t.plus != 0 || !t.cases.is_empty()) {
            field.kind = self.extended(t, t.of.as_deref().unwrap_or(kind), t.plus, &t.cases, t.most)?.kind;
        }
        let whole = !matches!(field.kind, Kind::Float { .. });
        let names = describe::names(&field.show).unwrap_or_default();
        self.know(t, &t.name, whole, names, t.hidden);
        let (width, order) = field.kind.width().unwrap_or((7, Order::Little));
        if let Some(known) = self.known.last_mut() {
            (known.width, known.order) = (width, order);
            known.wide =
                matches!(field.kind, Kind::UInt { bits: 64, .. } | Kind::VarInt { max_groups: 10.., sign: Sign::None });
        }
        self.derived_or_default(t, &mut field, width)?;
        Ok(Some(field))
    }

    /// Sets what encoding writes for a number that is not given: what other fields say, or its default.
    pub(super) fn derived_or_default(&mut self, t: &FieldText, field: &mut Field, width: u32) -> Compiled<()> {
        let whole = !matches!(field.kind, Kind::Float { .. });
        if t.hidden && t.value.is_none() {
            let names = self.known.last().map(|known| known.names.clone()).unwrap_or_default();
            field.hook = self.presence(&t.name, width, &names);
        }
        if whole && (t.hidden || self.is_derived(&t.name, t.line)) && t.value.is_none() {
            // The smallest number that has a form.
            field.default = Some(if let Kind::Extended(number) = field.kind { (-number.plus).max(0) } else { 0 });
        }
        if let Some(default) = &t.default {
            let named = default.as_str().is_some_and(|name| known_names(&self.known).any(|known| known == name));
            let (least, most) = match field.kind {
                Kind::Bool { .. } => (0, 1),
                _ => field.kind.range().unwrap_or((i64::MIN.into(), u64::MAX.into())),
            };
            let number = default.as_i64().map(i128::from).or(default.as_u64().map(i128::from));
            let fits = number.is_some_and(|n| t.scale.is_some() || (least..=most).contains(&n));
            let flags = default.is_array() && t.flags.is_some();
            if !(named || fits || flags || default.is_boolean() || number.is_none() && default.is_number()) {
                let why = format!(
                    "{}: default: expected a number, {least} to {most}, or a name of it, got {default}",
                    t.name
                );
                return Err((t.line, why));
            }
        }
        let is_shown = matches!(field.kind, Kind::Float { .. }) || matches!(field.show, Show::Scaled(_));
        match (t.default.as_ref().filter(|default| default.is_number()), field.kind.width()) {
            // A default is what is shown; the wire has another number.
            (Some(default), Some((bits, order))) if is_shown => {
                let mut own = Field { when: When::Always, flags: 0, hook: 0, default: None, ..field.clone() };
                own.set_name(leak(&t.name));
                let given = serde_json::json!({ t.name.clone(): default });
                let written = Writer::new(&given).write_bits(std::slice::from_ref(lasting(own)));
                let written = written.map_err(|why| (t.line, format!("{}: default: {why}", t.name)))?;
                let raw = written.number_at(0, bits, order);
                let signed = matches!(field.kind, Kind::Int { .. });
                field.default = Some(if signed { bits::signed(raw, bits) } else { raw as i64 });
            }
            (Some(default), _) => field.default = default.as_i64().or(field.default),
            _ => {}
        }
        Ok(())
    }

    /// Sets unit, scale and names of a number.
    fn shown(&self, t: &FieldText, mut field: Field, kind: &str) -> Compiled<Field> {
        let fail = |why: String| (t.line, format!("{}: {why}", t.name));
        let whole = matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. });
        let float = matches!(field.kind, Kind::Float { .. });
        if (t.names.is_some() || t.flags.is_some() || t.rounded) && !whole {
            return Err(fail(format!("enum, flags and rounded are for whole numbers, not for {kind}")));
        }
        if t.scale.is_some() && !whole && !float {
            return Err(fail(format!("scale is for numbers, not for {kind}")));
        }
        field.show = self.show(t.scale, &t.names, &t.flags, &field.kind).map_err(fail)?;
        if t.scale.is_some() && !t.hidden && field.kind.width().is_some_and(|(bits, _)| bits > EXACT) {
            field.flags |= flag::WIDE;
        }
        if t.angle {
            field.show = Show::Scaled(Scale::Degrees);
        }
        if let Some(clock) = t.time {
            if let (numbers, false) = takes(clock, &field.kind) {
                return Err(fail(format!("time: {} is for {numbers}, not for {kind}", clock.name())));
            }
            field.show = Show::Time { clock, signed: field.kind.is_signed() };
        }
        if let (true, Some(Ratio { num, den })) = (t.rounded, t.scale) {
            field.show = Show::Scaled(Scale::Ratio { num, den });
        }
        Ok(field)
    }

    /// The display of a number.
    pub(super) fn show(
        &self,
        scale: Option<Ratio>,
        named: &Option<Named>,
        flags: &Option<Named>,
        kind: &Kind,
    ) -> Result<Show, String> {
        if let Some(named) = named {
            return Ok(Show::Enum(statics(names(named, &self.text.enums, "enum", kind)?)));
        }
        if let Some(named) = flags {
            let names = names(named, &self.text.flags, "flags", kind)?;
            if let Some((_, name)) = names.iter().find(|(mask, _)| !mask.is_power_of_two()) {
                return Err(format!("flag {name} is not one bit: expected 1, 2, 4, 8, .."));
            }
            let flags = Flags { names: statics(names), shift: 0, fixed_mask: 0, fixed: 0 };
            return Ok(Show::Flags(lasting(flags)));
        }
        let Some(Ratio { num, den }) = scale else { return Ok(Show::Plain) };
        let over = num == 1 && den.is_power_of_two();
        // Payloads of the built-in protocols are shown with few decimals.
        let few = self.encoding.is_some() && !matches!(kind, Kind::Float { .. });
        let ratio = if few { Scale::Ratio { num, den } } else { Scale::Exact { num, den } };
        Ok(Show::Scaled(if over { Scale::Over(den) } else { ratio }))
    }
}

/// Makes values without a name faults, if the field says so.
pub(super) fn close(field: &mut Field, t: &FieldText) -> Compiled<()> {
    match (t.closed, field.show) {
        (false, _) => Ok(()),
        (true, Show::Enum(_)) => {
            field.flags |= flag::CLOSED;
            Ok(())
        }
        _ => t.fail("closed is for numbers with an enum"),
    }
}

/// The numbers that a clock counts by, as text, and whether this is one of them.
fn takes(clock: Clock, kind: &Kind) -> (&'static str, bool) {
    let bits = match *kind {
        Kind::UInt { bits, .. } | Kind::Int { bits, .. } => bits,
        Kind::VarInt { max_groups: 10.., .. } => 64,
        _ => 0,
    };
    match clock {
        Clock::Unix => ("whole numbers of 32 bits or more", bits >= 32),
        Clock::UnixMillis => ("whole numbers of 40 bits or more", bits >= 40),
        Clock::Ntp => ("u64: seconds and their fraction", matches!(kind, Kind::UInt { bits: 64, .. })),
    }
}

/// The names of the newest number.
fn known_names(known: &[Known]) -> impl Iterator<Item = &'static str> + '_ {
    known.last().into_iter().flat_map(|known| known.names.iter().map(|(_, name)| *name))
}
