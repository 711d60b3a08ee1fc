//! Types of a protocol file: words, structs, lists, and what a field says beside its type.

use super::compile::{Compiled, Compiler, fixed, lasting, packed, region, statics};
use super::known::{Found, used};
use super::text::{FieldText, PartText, SizeText, ValueText};
use crate::codec::digits;
use crate::codec::kinds::{
    Address, Checksum, Closed, Constant, Extent, HighBits, Over, Packing, Part, Parts, Until, Wide, catalogue,
};
use crate::codec::layout::{
    Count, Field, Kind, Len, Order, Show, Sign, When, array, bytes, custom, flag, latin1, text, uint,
};
use crate::codec::scale::Scale;
use crate::codec::schema::named::{leak, names};
use crate::codec::schema::parse::Named;
use crate::codec::{Writer, bits};
use crate::nearest::{hint, nearest};
use crate::plural::Plural;

/// What a type is called, for suggestions.
const WORDS: [&str; 40] = [
    "u8",
    "u16",
    "u24",
    "u32",
    "u40",
    "u48",
    "u56",
    "u64",
    "i8",
    "i16",
    "i24",
    "i32",
    "i40",
    "i48",
    "i56",
    "i64",
    "f16",
    "f32",
    "f64",
    "bool",
    "varint",
    "varint32",
    "svarint",
    "svarint32",
    "zigzag",
    "zigzag32",
    "string8",
    "string16",
    "string32",
    "cstring",
    "text",
    "bytes",
    "ipv4",
    "crc32",
    "crc16",
    "payload",
    "message",
    "bits(1)",
    "crc8",
    "crc64",
];

/// Compressed fields unpack to no more, unless they say so.
const MOST: u64 = 1 << 20;

/// Where a field with a size ends, and what its number is multiplied with.
type Size = (Extent, (u32, u32));

/// The charset of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Letters {
    Utf8,
    Latin1,
    Wide { big: bool },
}

impl<'a> Compiler<'a> {
    fn order(&self, suffix: &str, bits: u8, line: usize) -> Compiled<Option<Order>> {
        Ok(Some(match (suffix, self.text.big) {
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

    /// The number that a word means: `u16`, `varint32`.
    pub fn word_type(&self, word: &str, line: usize) -> Compiled<Option<Field>> {
        let field = |kind| Field { kind, ..uint("", 8) };
        let varint = |max_groups, sign| Ok(Some(field(Kind::VarInt { max_groups, sign })));
        match word {
            "varint" => return varint(10, Sign::None),
            "varint32" => return varint(5, Sign::None),
            "svarint" => return varint(10, Sign::Complement),
            "svarint32" => return varint(5, Sign::Complement32),
            "zigzag" => return varint(10, Sign::Zigzag),
            "zigzag32" => return varint(5, Sign::Zigzag),
            "bool" => return Ok(Some(field(Kind::Bool { bits: 8 }))),
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

    /// A field in all that it says.
    pub fn shaped(&mut self, t: &'a FieldText, all: &'a [FieldText], hook: u16) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, format!("{}: {why}", t.name)));
        let kind = t.kind.trim();
        if !t.bits.is_empty() || t.of.is_some() {
            return self.parts(t, kind);
        }
        if t.by.is_some() && kind != "message" {
            return fail(format!("by is for messages, not for {kind}"));
        }
        // What is inside tells whether it is a region of its own.
        let own = t.size.is_some();
        let listed = self.listed;
        if own {
            self.listed = 0;
        }
        let extent = match &t.size {
            Some(size) => Some(self.extent(size, t, all)?),
            None => None,
        };
        let (mut field, extent) = self.typed(t, kind, all, hook, extent)?;
        self.listed = listed;
        if field.name.is_empty() && !matches!(field.kind, Kind::Inline(_)) && kind != "message" {
            field.set_name(leak(&t.name));
        }
        self.say(&mut field, t)?;
        if hook > 0 && kind != "message" {
            field.hook = hook;
        }
        if let Some(value) = &t.value {
            field = self.constant(field, t, value, all)?;
        } else if t.optional {
            return fail("optional is for constants: value is missing".into());
        }
        if let Some(join) = &t.join
            && kind != "message"
        {
            let made = self.join(join, t, None)?;
            self.hooks[hook as usize].join = Some(made);
        }
        if t.closed && t.value.is_none() {
            if !matches!(field.show, Show::Enum(_)) {
                return fail("closed is for numbers with an enum".into());
            }
            field = wrapped(field, |fields| custom("", lasting(Closed { fields })));
        }
        let most = t.most.unwrap_or(MOST).min(1 << 26) as usize;
        let inflated = match &t.inflated {
            Some(name) => {
                if !matches!(self.find(name), Some(Found::Field(_))) {
                    return Err(self.nothing(t.line, &format!("{}: inflated", t.name), name));
                }
                self.uses(name, used::LENGTH);
                Some(Self::bare(name))
            }
            None => None,
        };
        if let Some(packing) = self.packing(t)? {
            field = packed(field, packing, most, inflated, &t.name);
        }
        if let Some(xor) = &t.xor {
            let packing = match xor {
                ValueText::Number(n) if (0..256).contains(n) => Packing::Xor(lasting([*n as u8])),
                ValueText::Text(key) => match hex::decode(key) {
                    Ok(key) if !key.is_empty() => Packing::Xor(statics(key)),
                    _ if matches!(self.find(key), Some(Found::Field(_))) => Packing::XorField(Self::bare(key)),
                    _ => return Err(self.nothing(t.line, &format!("{}: xor", t.name), key)),
                },
                _ => return fail("xor: expected a number up to 255, hex digits, or an earlier field".into()),
            };
            field = packed(field, packing, usize::MAX, None, &t.name);
        }
        if let Some((extent, scale)) = extent {
            field = region(field, extent, scale, &t.name);
        }
        Ok(field)
    }

    /// Where a field with a size ends.
    fn extent(&mut self, size: &SizeText, t: &FieldText, all: &[FieldText]) -> Compiled<Size> {
        let scale = size.scale.unwrap_or((1, 1));
        if let Some(bytes) = digits::unsigned::<u32>(&size.word) {
            if size.scale.is_some() || bytes > 1 << 24 {
                return Err((t.line, format!("{}: size: expected a number of bytes up to 2^24", t.name)));
            }
            return Ok((Extent::Const(bytes), scale));
        }
        if let Some(number) = self.word_type(&size.word, t.line)? {
            if matches!(number.kind, Kind::Float { .. } | Kind::Bool { .. }) {
                return Err((t.line, format!("{}: size: {} is no whole number", t.name, size.word)));
            }
            return Ok((Extent::Prefix(prefix(number, &t.name, "length", all)), scale));
        }
        match self.find(&size.word) {
            Some(Found::Field(place)) if self.known[place].number => {
                let scale = size.scale.or(self.known[place].scale).unwrap_or((1, 1));
                self.uses(&size.word, used::LENGTH);
                Ok((Extent::Field(Self::bare(&size.word)), scale))
            }
            Some(Found::Other(_)) => Ok((Extent::Field(Self::bare(&size.word)), scale)),
            Some(_) => Err((t.line, format!("{}: size: {} is no number", t.name, size.word))),
            None => Err(self.nothing(t.line, &format!("{}: size", t.name), &size.word)),
        }
    }

    fn letters(&self, t: &FieldText) -> Compiled<Letters> {
        let known = ["utf-8", "ascii", "latin1", "utf-16be", "utf-16le", "utf-16"];
        Ok(match t.charset.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None | Some("utf-8" | "utf8" | "ascii" | "us-ascii") => Letters::Utf8,
            Some("latin1" | "latin-1" | "iso-8859-1") => Letters::Latin1,
            Some("utf-16be" | "utf16be") => Letters::Wide { big: true },
            Some("utf-16le" | "utf16le") => Letters::Wide { big: false },
            Some("utf-16" | "utf16") => Letters::Wide { big: self.text.big.unwrap_or(false) },
            Some(other) => {
                let near = hint(nearest(other, known));
                let why = format!("{}: charset: expected {}, got {other:?}{near}", t.name, known.join(", "));
                return Err((t.line, why));
            }
        })
    }

    /// Text or bytes.
    fn content(&self, t: &FieldText, letters: Option<Letters>, len: Len) -> Field {
        let _ = t;
        match letters {
            Some(Letters::Utf8) => text("", len),
            Some(Letters::Latin1) => latin1("", len),
            Some(Letters::Wide { big }) => custom("", lasting(Wide { big })),
            None => bytes("", len),
        }
    }

    /// The field of a type; what of its size it has taken itself is `None` afterwards.
    fn typed(
        &mut self,
        t: &'a FieldText,
        kind: &'a str,
        all: &'a [FieldText],
        hook: u16,
        extent: Option<Size>,
    ) -> Compiled<(Field, Option<Size>)> {
        let fail = |why: String| Err((t.line, format!("{}: {why}", t.name)));
        if kind.ends_with(']') {
            return Ok((self.repeated(t, kind, all, hook)?, extent));
        }
        let letters = match kind {
            "text" | "cstring" | "string8" | "string16" | "string32" => Some(self.letters(t)?),
            "bytes" | "payload" => None,
            _ => {
                if t.until.is_some() || t.charset.is_some() {
                    return fail(format!("until and charset are for text and bytes, not for {kind}"));
                }
                return Ok((self.other(t, kind, hook)?, extent));
            }
        };
        self.know(t, &t.name, (false, Vec::new()), t.hidden);
        let wide = matches!(letters, Some(Letters::Wide { .. }));
        let plain = t.until.is_none() && t.compressed.is_none() && t.xor.is_none() && !wide;
        if let Some(ends) = &t.until {
            return Ok((
                match ends[..] {
                    [one] if !t.or_end => self.content(t, letters, Len::Until(one)),
                    _ => {
                        let of = lasting(self.content(t, letters, Len::Rest));
                        custom("", lasting(Until { of, ends: statics(ends.clone()), or_end: t.or_end }))
                    }
                },
                extent,
            ));
        }
        let prefixed = |bits| match self.word_type(bits, t.line) {
            Ok(Some(number)) => Ok(prefix(number, &t.name, "length", all)),
            Ok(None) => Err((t.line, String::new())),
            Err(why) => Err(why),
        };
        match kind {
            "cstring" if wide => fail("a cstring in UTF-16 cannot be told from its bytes: use text with size".into()),
            "cstring" => Ok((self.content(t, letters, Len::Until(0)), extent)),
            "string8" | "string16" | "string32" => {
                let number = prefixed(match kind {
                    "string8" => "u8",
                    "string16" => "u16",
                    _ => "u32",
                })?;
                match plain {
                    true => Ok((self.content(t, letters, Len::Prefix(number)), extent)),
                    false if extent.is_some() => fail("size: a string has its own".into()),
                    false => Ok((self.content(t, letters, Len::Rest), Some((Extent::Prefix(number), (1, 1))))),
                }
            }
            "payload" => {
                let mut field = bytes("", Len::Rest);
                field.flags |= flag::PAYLOAD;
                Ok((field, extent))
            }
            // The plain forms of text and bytes have their length themselves.
            _ => Ok(match extent {
                Some((Extent::Prefix(number), (1, 1))) if plain => {
                    (self.content(t, letters, Len::Prefix(number)), None)
                }
                Some((Extent::Field(name), (1, 1))) if plain => (self.content(t, letters, Len::Field(name)), None),
                Some((Extent::Const(n), (1, 1))) if plain => (self.content(t, letters, Len::Const(n)), None),
                extent => (self.content(t, letters, Len::Rest), extent),
            }),
        }
    }

    /// Numbers, structs, messages, checksums.
    fn other(&mut self, t: &'a FieldText, kind: &'a str, hook: u16) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, format!("{}: {why}", t.name)));
        if kind == "message" {
            return self.chosen(t, hook);
        }
        if t.join.is_some() {
            return fail(format!("join is for bytes and messages, not for {kind}"));
        }
        if kind == "ipv4" {
            self.know(t, &t.name, (false, Vec::new()), t.hidden);
            return Ok(custom("", lasting(Address)));
        }
        if let Some(number) = self.number_type(t, kind)? {
            return Ok(number);
        }
        if let Some(sum) = catalogue::by_name(kind).filter(|_| kind.to_ascii_lowercase().starts_with("crc")) {
            return self.checksum(t, sum);
        }
        if let Some(fields) = self.grouped(t, kind)? {
            return Ok(fields);
        }
        let structs = self.text.structs.iter().map(|(name, ..)| name.as_str());
        let near = hint(nearest(kind, WORDS.into_iter().chain(structs)));
        fail(format!("no type {kind:?}{near}"))
    }

    /// A number that is shown as it says.
    fn number_type(&mut self, t: &'a FieldText, kind: &str) -> Compiled<Option<Field>> {
        let width = kind.strip_prefix("bits(").and_then(|k| k.split_once(')'));
        let mut high = false;
        let field = match width {
            Some((n, suffix)) if ["", "le", "be"].contains(&suffix) => {
                let Some(n @ 1..=64) = digits::unsigned::<u8>(n.trim()) else {
                    return Err((t.line, format!("{}: bits: expected 1 to 64, got {n}", t.name)));
                };
                high = suffix == "be";
                uint("", n)
            }
            _ => match self.word_type(kind, t.line)? {
                Some(field) => field,
                None => return Ok(None),
            },
        };
        let mut field = self.shown(t, field, kind)?;
        if t.scale.is_some() && self.is_derived(&t.name) {
            // The scale is that of the length: `length_bits` is shown in bits.
            field.show = Show::Plain;
        }
        let whole = !matches!(field.kind, Kind::Float { .. });
        let names = match field.show {
            Show::Enum(names) => names.to_vec(),
            Show::Flags(flags) => flags.names.to_vec(),
            _ => Vec::new(),
        };
        self.know(t, &t.name, (whole, names), t.hidden);
        let width = field.kind.width().map_or(7, |(bits, _)| bits);
        if let Some(known) = self.known.last_mut() {
            known.width = width;
        }
        if t.hidden && t.value.is_none() {
            let names = self.known.last().map(|known| known.names.clone()).unwrap_or_default();
            field.hook = self.presence(&t.name, width, &names);
        }
        if whole && (t.hidden || self.is_derived(&t.name)) && t.value.is_none() {
            field.default = Some(0);
        }
        if let Some(default) = t.default.as_ref().and_then(serde_json::Value::as_i64) {
            field.default = Some(default);
        }
        if high {
            let of = lasting(field.clone());
            field.kind = Kind::Custom(lasting(HighBits { of }));
        }
        Ok(Some(field))
    }

    /// Unit, scale, names of a number.
    fn shown(&self, t: &FieldText, mut field: Field, kind: &str) -> Compiled<Field> {
        let fail = |why: String| (t.line, format!("{}: {why}", t.name));
        let whole = matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. });
        if (t.scale.is_some() || t.names.is_some() || t.flags.is_some()) && !whole {
            return Err(fail(format!("scale, enum and flags are for whole numbers, not for {kind}")));
        }
        field.show = self.show((t.scale, &t.names, &t.flags), &field.kind).map_err(fail)?;
        Ok(field)
    }

    /// How a number is shown.
    fn show(
        &self,
        (scale, named, flags): (Option<(u32, u32)>, &Option<Named>, &Option<Named>),
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
            let flags = crate::codec::layout::Flags { names: statics(names), shift: 0, fixed_mask: 0, fixed: 0 };
            return Ok(Show::Flags(lasting(flags)));
        }
        let Some((num, den)) = scale else { return Ok(Show::Plain) };
        if matches!(kind, Kind::UInt { bits: 33.., .. } | Kind::Int { bits: 33.., .. }) {
            return Err("scale is for numbers of up to 32 bits".into());
        }
        let over = num == 1 && den.is_power_of_two();
        Ok(Show::Scaled(if over { Scale::Over(den) } else { Scale::Exact { num, den } }))
    }

    fn checksum(&mut self, t: &FieldText, sum: catalogue::Sum) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, format!("{}: {why}", t.name)));
        let known = ["packet", "before", "after"];
        let over = match t.over.as_deref() {
            Some("packet") => Over::Packet,
            Some("before") => Over::Before,
            Some("after") => Over::After,
            other => {
                let got = other.map_or(String::new(), |other| format!(", got {other:?}"));
                return fail(format!(
                    "over: expected {}{got}{}",
                    known.join(", "),
                    hint(nearest(other.unwrap_or(""), known))
                ));
            }
        };
        let big = t.big.or(self.text.big);
        if big.is_none() && sum.bits() > 8 {
            return fail("order is missing: the byte order of the sum: \"be\" or \"le\"".into());
        }
        let order = |big: Option<bool>| if big == Some(true) { Order::Big } else { Order::Little };
        let holds = match &t.holds {
            Some(name) => {
                if self.find(name).is_none() {
                    return Err(self.nothing(t.line, &format!("{}: holds", t.name), name));
                }
                let when = match &t.holds_if {
                    Some(text) => self.condition(text, t.line, &format!("{}: holds_if", t.name))?.when,
                    None => When::Always,
                };
                Some((Self::bare(name), order(t.holds_big.or(big)), when))
            }
            None => None,
        };
        self.know(t, &t.name, (true, Vec::new()), t.hidden);
        Ok(custom("", lasting(Checksum { sum, order: order(big), over, holds })))
    }

    /// A struct, in one object or in its parent's.
    fn grouped(&mut self, t: &'a FieldText, kind: &str) -> Compiled<Option<Field>> {
        let before = self.known.len();
        let Some(fields) = self.structure(kind, t)? else { return Ok(None) };
        let carries = fields.iter().fold(0, |flags, field| flags | field.flags) & flag::CARRIES;
        let mut field = match t.inline {
            true => crate::codec::layout::inline("", fields),
            false => {
                for known in self.known.iter_mut().skip(before).filter(|known| known.group.is_none()) {
                    known.group = Some(t.name.clone());
                }
                let mut group = crate::codec::layout::group(leak(&t.name), fields);
                if self.is_referred(&t.name) {
                    group.flags |= flag::REFERENCED;
                }
                group
            }
        };
        field.flags |= carries;
        Ok(Some(field))
    }

    /// `T[5]`, `T[FIELD]`, `T[u16]`, `T[*]`.
    fn repeated(&mut self, t: &'a FieldText, kind: &'a str, all: &'a [FieldText], hook: u16) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, format!("{}: {why}", t.name)));
        let Some(open) = kind.rfind('[') else { return fail(format!("no type {kind:?}: [ is missing")) };
        if kind.matches('[').count() > 16 {
            return fail("lists in lists, more than 16 deep".into());
        }
        let (Some(element), Some(times)) = (kind.get(..open), kind.get(open + 1..kind.len() - 1)) else {
            return fail(format!("no type {kind:?}"));
        };
        let (element, times) = (element.trim(), times.trim());
        let count = if times.is_empty() {
            return fail(format!("how many? expected {element}[5], {element}[FIELD], {element}[u16] or {element}[*]"));
        } else if times == "*" {
            Count::Rest
        } else if let Some(n) = digits::unsigned::<u32>(times) {
            if n > 1 << 24 {
                return fail(format!("{}: more than 2^24", Plural(n, "element")));
            }
            Count::Const(n)
        } else if let Some(number) = self.word_type(times, t.line)? {
            Count::Prefix(prefix(
                number,
                &t.name,
                if element == "bytes" || element == "text" { "length" } else { "count" },
                all,
            ))
        } else {
            match self.find(times) {
                Some(Found::Field(place)) if self.known[place].number => {
                    self.uses(times, used::LENGTH);
                    Count::Field(Self::bare(times))
                }
                Some(Found::Other(_)) => Count::Field(Self::bare(times)),
                Some(_) => return fail(format!("{times} is no number")),
                None => {
                    let fields = self.known.iter().map(|known| known.name.as_str());
                    let near = hint(nearest(times, fields));
                    return fail(format!("no field {times:?} stands before it{near}"));
                }
            }
        };
        if element == "bytes" || element == "text" {
            let letters = if element == "text" { Some(self.letters(t)?) } else { None };
            self.know(t, &t.name, (false, Vec::new()), t.hidden);
            let len = match count {
                Count::Const(n) => Len::Const(n),
                Count::Prefix(prefix) => Len::Prefix(prefix),
                Count::Field(name) => Len::Field(name),
                _ => Len::Rest,
            };
            let wide = matches!(letters, Some(Letters::Wide { .. }));
            if !wide && t.compressed.is_none() && t.xor.is_none() {
                return Ok(self.content(t, letters, len));
            }
            let mut field = self.content(t, letters, Len::Rest);
            field.set_name(leak(&t.name));
            let extent = match len {
                Len::Const(n) => Extent::Const(n),
                Len::Prefix(prefix) => Extent::Prefix(prefix),
                Len::Field(name) => Extent::Field(name),
                _ => return Ok(field),
            };
            return match self.packing(t)? {
                // The packed bytes have the length, so they are wrapped here already.
                Some(packing) => {
                    let inner = packed(field, packing, MOST as usize, None, &t.name);
                    Ok(region(inner, extent, (1, 1), &t.name))
                }
                None => Ok(region(field, extent, (1, 1), &t.name)),
            };
        }
        if element == "message" {
            return fail("a list of messages is a list of a struct that holds one".into());
        }
        self.listed += 1;
        let mark = (self.known.len(), self.all.len());
        let of = match element.ends_with(']') {
            true => self.repeated(t, element, all, hook),
            false => self.element(t, element, hook),
        };
        // A mistake inside has left it behind.
        self.listed = self.listed.saturating_sub(1);
        let mut of = of?;
        self.known.truncate(mark.0);
        self.know(t, &t.name, (false, Vec::new()), false);
        of.set_name(leak(element.split(['[', '(']).next().unwrap_or(element)));
        let carries = of.flags & flag::CARRIES;
        if carries != 0 {
            of.flags |= flag::ELEMENT;
        }
        if matches!(count, Count::Rest) && fixed(&of) == Some(0) {
            return fail(format!("{element} takes no bytes, so nobody knows how many there are"));
        }
        let mut field = array(leak(&t.name), count, lasting(of));
        field.flags |= carries;
        Ok(field)
    }

    /// One element of a list.
    fn element(&mut self, t: &'a FieldText, element: &'a str, hook: u16) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, format!("{}: {why}", t.name)));
        if let Some(number) = self.number_type(t, element)? {
            let mut number = number;
            number.default = None;
            return Ok(number);
        }
        let _ = hook;
        match element {
            "string8" | "string16" | "string32" | "cstring" => {
                let letters = Some(self.letters(t)?);
                let len = match element {
                    "cstring" => Len::Until(0),
                    word => {
                        let bits = match word {
                            "string8" => "u8",
                            "string16" => "u16",
                            _ => "u32",
                        };
                        let Some(number) = self.word_type(bits, t.line)? else { return fail("no length".into()) };
                        Len::Prefix(lasting(number))
                    }
                };
                if let Some(Letters::Wide { .. }) = letters {
                    return fail("a list of text in UTF-16 is a list of a struct that holds it".into());
                }
                return Ok(self.content(t, letters, len));
            }
            "ipv4" => return Ok(custom("", lasting(Address))),
            _ => {}
        }
        if let Some(fields) = self.structure(element, t)? {
            let carries = fields.iter().fold(0, |flags, field| flags | field.flags) & flag::CARRIES;
            let mut group = crate::codec::layout::group(leak(element), fields);
            group.flags |= carries;
            if carries != 0 {
                group.flags |= flag::KEEP_EMPTY;
            }
            return Ok(group);
        }
        let structs = self.text.structs.iter().map(|(name, ..)| name.as_str());
        let near = hint(nearest(element, WORDS.into_iter().chain(structs)));
        fail(format!("no type {element:?}{near}"))
    }

    /// A constant.
    fn constant(&mut self, field: Field, t: &FieldText, value: &ValueText, all: &[FieldText]) -> Compiled<Field> {
        let fail = |why: String| (t.line, format!("{}: value: {why}", t.name));
        let json = match value {
            ValueText::Number(n) if *n < 0 => serde_json::Value::from(*n as i64),
            ValueText::Number(n) => serde_json::Value::from(*n as u64),
            ValueText::Float(f) => serde_json::Value::from(*f),
            ValueText::Text(text) => serde_json::Value::from(text.as_str()),
        };
        let of = lasting(Field { when: When::Always, flags: 0, hook: 0, ..field.clone() });
        let given = serde_json::json!({ t.name.clone(): json });
        let written = Writer::new(&given).write_bits(std::slice::from_ref(of)).map_err(|why| fail(why.to_string()))?;
        let bits = written.len() as u32;
        if bits == 0 || bits > 1 << 15 {
            return Err(fail("expected 1 to 4096 bytes".into()));
        }
        let number = match of.kind {
            Kind::UInt { bits, order } | Kind::Int { bits, order } => {
                let raw = bits::get(written.bytes(), 0, bits as u32);
                let raw = if order == Order::Big { bits::swap(raw, bits as u32) } else { raw };
                Some(if let Kind::Int { .. } = of.kind { bits::signed(raw, bits as u32) as u64 } else { raw })
            }
            _ => None,
        };
        // What is there only with it.
        let asks = |other: &&FieldText| {
            let terms = other.condition.iter().flat_map(|text| text.split(" and "));
            terms.map(str::trim).any(|term| term == t.name)
        };
        let with: Vec<&'static str> = match t.optional {
            true => all.iter().filter(asks).map(|other| leak(&other.name)).collect(),
            false => Vec::new(),
        };
        let mut made = custom(
            field.name,
            lasting(Constant {
                of,
                wire: statics(written.into_bytes()),
                bits,
                number,
                optional: t.optional,
                with: statics(with),
            }),
        );
        made.flags |= field.flags | flag::HIDDEN;
        (made.doc, made.hook, made.when) = (field.doc, field.hook, field.when);
        Ok(made)
    }

    /// Name, documentation, flags.
    fn say(&mut self, field: &mut Field, t: &FieldText) -> Compiled<()> {
        field.doc = leak(&t.doc);
        if !t.unit.is_empty() {
            field.unit = leak(&t.unit);
            if let Kind::Array { count, of } = field.kind {
                let mut of = of.clone();
                of.unit = field.unit;
                field.kind = Kind::Array { count, of: lasting(of) };
            }
        }
        if t.hidden && t.kind != "message" {
            field.flags |= flag::HIDDEN;
            if self.selects(&t.name) {
                field.flags |= flag::SELECTS;
            }
        }
        if self.is_referred(&t.name) && !matches!(field.kind, Kind::Struct(_) | Kind::Inline(_)) {
            field.flags |= flag::REFERENCED;
        }
        if let Some(default) = &t.default
            && field.default.is_none()
        {
            let message = self.message_name();
            self.defaults.push((message, leak(&t.name), default.clone()));
        }
        Ok(())
    }

    /// The bits of a number.
    fn parts(&mut self, t: &'a FieldText, kind: &str) -> Compiled<Field> {
        let fail = |why: String| Err((t.line, format!("{}: {why}", t.name)));
        if t.bits.is_empty() {
            return fail("bits is missing: the parts of the number".into());
        }
        let number = match &t.of {
            None => match self.word_type(kind, t.line)? {
                Some(number) if matches!(number.kind, Kind::UInt { .. }) => number,
                Some(_) => return fail(format!("bits are of a u8, u16, u32 or u64, not of {kind}")),
                None => {
                    let near = hint(nearest(kind, WORDS));
                    return fail(format!("no type {kind:?}{near}"));
                }
            },
            Some(of) => match self.find(of) {
                Some(Found::Field(place)) if self.known[place].number => {
                    self.uses(of, used::VIEW);
                    uint("", 64)
                }
                Some(_) => return fail(format!("of: {of} is no number that stands before it")),
                None => return Err(self.nothing(t.line, &format!("{}: of", t.name), of)),
            },
        };
        let width = number.kind.width().map_or(64, |(bits, _)| bits);
        let mut taken = 0u64;
        let (mut fields, mut places) = (Vec::new(), Vec::new());
        for part in &t.bits {
            let count = part.high - part.low + 1;
            if part.high as u32 >= width {
                return fail(format!("{}: bit {} of {}", part.name, part.high, Plural(width, "bit")));
            }
            let mask = bits::mask(count as u32) << part.low;
            if taken & mask != 0 {
                let bit = (taken & mask).trailing_zeros();
                return Err((t.line, format!("{}: {}: bit {bit} is in two parts", t.name, part.name)));
            }
            taken |= mask;
            fields.push(self.part(t, part, count)?);
            places.push(Part { low: part.low, bits: count });
        }
        let mut raw = number;
        raw.set_name(leak(&t.name));
        raw.flags |= flag::HIDDEN;
        if self.is_referred(&t.name) && t.of.is_none() {
            raw.flags |= flag::REFERENCED;
            self.know(t, &t.name, (true, Vec::new()), false);
        }
        if t.of.is_none() {
            fields.push(raw.clone());
        }
        let of = t.of.as_deref().map(Self::bare);
        Ok(custom("", lasting(Parts { number: lasting(raw), places: statics(places), fields: statics(fields), of })))
    }

    fn part(&mut self, t: &FieldText, part: &PartText, count: u8) -> Compiled<Field> {
        let fail = |why: String| (t.line, format!("{}: {why}", part.name));
        crate::codec::schema::named::identifier(&part.name, &["unparsed"]).map_err(|why| (part.line, why))?;
        let named = part.names.is_some() || part.flags.is_some() || part.scale.is_some();
        let mut field = match count {
            1 if !named => crate::codec::layout::boolean(leak(&part.name), 1),
            n => uint(leak(&part.name), n),
        };
        field.show = self.show((part.scale, &part.names, &part.flags), &field.kind).map_err(fail)?;
        (field.doc, field.unit) = (leak(&part.doc), leak(&part.unit));
        if part.closed {
            if !matches!(field.show, Show::Enum(_)) {
                return Err(fail("closed is for numbers with an enum".into()));
            }
            field.flags |= flag::CLOSED;
        }
        if part.hidden {
            field.flags |= flag::HIDDEN;
            if self.selects(&part.name) {
                field.flags |= flag::SELECTS;
            }
        }
        if part.hidden || self.is_derived(&part.name) {
            field.default = Some(0);
        }
        if self.is_referred(&part.name) {
            field.flags |= flag::REFERENCED;
        }
        let names = match field.show {
            Show::Enum(names) => names.to_vec(),
            Show::Flags(flags) => flags.names.to_vec(),
            _ => Vec::new(),
        };
        if part.hidden {
            field.hook = self.presence(&part.name, count as u32, &names);
        }
        let t = FieldText { line: t.line, scale: part.scale, ..FieldText::default() };
        self.know(&t, &part.name, (true, names), part.hidden);
        if let Some(known) = self.known.last_mut() {
            known.width = count as u32;
        }
        Ok(field)
    }
}

/// A field inside another.
fn wrapped(mut field: Field, wrap: impl FnOnce(&'static [Field; 1]) -> Field) -> Field {
    let (when, flags) = (std::mem::replace(&mut field.when, When::Always), field.flags & flag::CARRIES);
    let mut outer = wrap(lasting([field]));
    outer.when = when;
    outer.flags |= flags;
    outer
}

/// The number before a list or text, by a name that no other field of its group has.
fn prefix(mut number: Field, name: &str, what: &str, all: &[FieldText]) -> &'static Field {
    let mut own = format!("{name}_{what}");
    while all.iter().any(|t| t.name == own) {
        own.push('_');
    }
    number.set_name(leak(&own));
    lasting(number)
}
