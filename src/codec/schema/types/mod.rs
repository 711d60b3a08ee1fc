//! Types of a protocol file: words, structs, lists, and the other keys of a field.

mod constants;
mod contents;
mod lists;
mod misplaced;
mod numbers;
mod numerals;
mod parts;

use super::compile::{Compiled, Compiler, lasting, packed, padded, statics, takes_the_rest};
use super::known::{Found, used};
use super::text::{FieldText, SizeText, ValueText};
use crate::codec::kinds::{Address, Extent, Packing, Ratio, Settles, catalogue};
use crate::codec::layout::{Field, Kind, Len, Order, Other, Show, flag, of, switch};
use crate::codec::reader::least_bits;
use crate::codec::schema::Form;
use crate::codec::schema::named::{identifier, leak};
use crate::codec::{bits, digits};
use crate::nearest::{hint, nearest};
use crate::plural::Plural;

/// The names of types.
pub const WORDS: &str = "u8 u16 u24 u32 u40 u48 u56 u64 i8 i16 i24 i32 i40 i48 i56 i64 f16 f32 f64 bool bit \
    varint varint32 svarint svarint32 zigzag zigzag32 string8 string16 string32 cstring text bytes ipv4 ipv6 mac uuid crc32 crc16 payload message fault bits(1) crc8 crc64";

/// Other names of types. A list of `byte` is bytes, as in the first schemas.
pub const ALIASES: &[(&str, &str)] = &[
    ("byte", "u8"),
    ("sbyte", "i8"),
    ("char", "i8"),
    ("short", "i16"),
    ("ushort", "u16"),
    ("int", "i32"),
    ("integer", "i32"),
    ("uint", "u32"),
    ("long", "i64"),
    ("ulong", "u64"),
    ("float", "f32"),
    ("gsingle", "f32"),
    ("double", "f64"),
    ("gdouble", "f64"),
    ("varulong", "varint"),
    ("varlong", "zigzag"),
    ("vector", "f32[3]"),
    ("vector2", "f32[2]"),
    ("vector3", "f32[3]"),
    ("quaternion", "f32[4]"),
    ("color", "f32[4]"),
    ("color3", "f32[3]"),
    ("dvector", "f64[3]"),
    ("point", "i32[2]"),
    ("point3", "i32[3]"),
];

/// The most bytes that compressed fields unpack to, unless they set another limit.
const MOST: u64 = 1 << 20;

/// The end of a field with a size, and the factor for its number.
#[derive(Clone, Copy)]
struct Size {
    extent: Extent,
    scale: Ratio,
}

/// The type that C names `uint16`, `int32_t` or `float32`.
fn of_c(kind: &str) -> Option<String> {
    let kind = kind.strip_suffix("_t").unwrap_or(kind);
    let (letter, bits) = [("uint", 'u'), ("int", 'i'), ("float", 'f')]
        .into_iter()
        .find_map(|(word, letter)| Some((letter, kind.strip_prefix(word)?)))?;
    Some(format!("{letter}{bits}"))
}

impl<'a> Compiler<'a> {
    /// Compiles a field with all of its keys.
    pub fn shaped(&mut self, t: &'a FieldText, all: &'a [FieldText], hook: u16) -> Compiled<Field> {
        let kind = t.kind.trim();
        // What keys a type has is known of one that exists.
        if t.of.is_none() && !self.is_type(kind, t.line)? {
            return self.no_type(t, kind);
        }
        if let Some(why) = misplaced::misplaced(t, self.text, self.form()) {
            return t.fail(why);
        }
        if t.prefix.is_some() && !self.has_prefix(t, kind)? {
            return t.fail("prefix is for what has its length or count before it");
        }
        if !t.bits.is_empty() || t.of.is_some() && t.cases.is_empty() {
            return self.parts(t, kind);
        }
        if t.by.is_some() && kind != "message" {
            return t.fail(format!("by is for messages, not for {kind}"));
        }
        // The content decides whether it is a region of its own.
        let own = t.size.is_some();
        let listed = self.listed;
        if own {
            self.listed = 0;
        }
        let extent = if let Some(size) = &t.size { Some(self.extent(size, t, all)?) } else { None };
        let extent = match self.list_ends(t, kind)? {
            Some(_) if extent.is_some() => return t.fail("size and until exclude each other in a list"),
            Some(end) => Some(Size { extent: Extent::Until(end), scale: Ratio::ONE }),
            None => extent,
        };
        // A length before the field is written when it is known, so later bytes move.
        let moves =
            matches!(extent, Some(Size { extent: Extent::Prefix(_), .. })) || t.compressed.is_some() || t.xor.is_some();
        self.moving += usize::from(moves);
        let typed = self.typed(t, kind, all, hook, extent);
        self.moving -= usize::from(moves);
        let (mut field, extent) = typed?;
        if let (Some(Size { extent: Extent::Const(bytes), .. }), None) = (extent, &t.compressed) {
            let least = least_bits(&field).div_ceil(8);
            if least > u64::from(bytes) {
                return t.fail(format!("size: {} cannot have the {least} of {kind}", Plural(u64::from(bytes), "byte")));
            }
        }
        if let Some(radix) = t.number {
            field = self.numeral(t, radix, &field)?;
        }
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
        }
        if let Some(join) = &t.join
            && kind != "message"
        {
            let made = self.join(join, t, None)?;
            self.hooks[hook as usize].join = Some(made);
        }
        if t.value.is_none() {
            numbers::close(&mut field, t)?;
        }
        let most = t.most.unwrap_or(MOST).min(1 << 26) as usize;
        let inflated = match &t.inflated {
            Some(name) => {
                if !matches!(self.find(name), Some(Found::Field(_))) {
                    return Err(self.nothing(t.line, &format!("{}: inflated", t.name), name));
                }
                self.uses(name, used::LENGTH);
                self.settles(name, Settles::Length);
                Some(self.name(name))
            }
            None => None,
        };
        if let Some(packing) = self.packing(t)? {
            field = packed(field, packing, most, inflated, &t.name);
        }
        if let Some(xor) = &t.xor {
            let packing = self.mask(t, xor, &field)?;
            field = packed(field, packing, usize::MAX, None, &t.name);
        }
        let plus = t.size.as_ref().map_or(0, |size| size.plus);
        match extent {
            Some(Size { extent, scale }) => field = padded(field, extent, scale, plus, t.align, &t.name),
            None if t.align > 0 && takes_the_rest(&field) => {
                return t.fail("align: it takes everything up to the end, so nothing can follow");
            }
            None if t.align > 0 => field = padded(field, Extent::Own, Ratio::ONE, 0, t.align, &t.name),
            None => {}
        }
        Ok(field)
    }

    /// The key of a field that is combined with it.
    fn mask(&self, t: &FieldText, xor: &ValueText, field: &Field) -> Compiled<Packing> {
        // A wide key is as wide as the number, or each number of the list.
        let number = match &field.kind {
            Kind::Array { of, .. } => &of.kind,
            kind => kind,
        };
        let width = number.width().filter(|(bits, _)| bits.is_multiple_of(8));
        if number.is_number() && width.is_none() {
            return t.fail("xor is for text, bytes, and numbers of whole bytes");
        }
        Ok(match xor {
            ValueText::Number(n @ 0..256) => Packing::Xor(lasting([*n as u8])),
            ValueText::Number(n) => match (u64::try_from(*n), width) {
                (Ok(key), Some((bits, order))) if key <= bits::mask(bits) => {
                    let mut bytes = bits::BitBuf::default();
                    bytes.put_number(key, bits, order);
                    Packing::Xor(statics(bytes.into_bytes()))
                }
                (_, Some((bits, _))) => {
                    return t.fail(format!("xor: expected 0 to {}, got {n}", bits::mask(bits)));
                }
                _ => return t.fail("xor: expected a number up to 255, hex digits, or an earlier field"),
            },
            ValueText::Text(key) => match (hex::decode(key), self.find(key)) {
                (Ok(key), _) if !key.is_empty() => Packing::Xor(statics(key)),
                (_, Some(Found::Field(place))) => {
                    let known = &self.known[place];
                    let wide = known.width > 8 && known.width.is_multiple_of(8);
                    let (bits, order) =
                        if wide { width.unwrap_or((known.width, known.order)) } else { (8, Order::Little) };
                    Packing::XorField(self.name(key), (bits / 8) as u8, order)
                }
                _ => return Err(self.nothing(t.line, &format!("{}: xor", t.name), key)),
            },
            ValueText::Float(_) => return t.fail("xor: expected a number, hex digits, or an earlier field"),
        })
    }

    /// Whether there is a length or a count before the field.
    fn has_prefix(&self, t: &FieldText, kind: &str) -> Compiled<bool> {
        let times = kind.strip_suffix(']').and_then(|kind| kind.rsplit('[').next());
        let words = [t.size.as_ref().map(|size| size.word.as_str()), times.map(str::trim)];
        for word in words.into_iter().flatten() {
            if self.word_type(word, t.line)?.is_some() {
                return Ok(true);
            }
        }
        Ok(["string8", "string16", "string32"].contains(&kind))
    }

    /// The end of a field with a size.
    fn extent(&mut self, size: &SizeText, t: &FieldText, all: &[FieldText]) -> Compiled<Size> {
        let scale = size.scale.unwrap_or(Ratio::ONE);
        if !size.cases.is_empty() {
            let number = self.extended(t, &size.word, 0, &size.cases, size.most)?;
            return Ok(Size { extent: Extent::Prefix(prefix(number, t, "length", all)?), scale });
        }
        if size.most.is_some() {
            return t.fail("size: most is for numbers with a longer form (as 13 = \"u8\")");
        }
        if let Some(bytes) = digits::unsigned::<u32>(&size.word) {
            if size.plus != 0 {
                return t.fail("size: plus is for numbers on the wire");
            }
            if size.scale.is_some() || bytes > 1 << 24 {
                return t.fail("size: expected a number of bytes up to 2^24");
            }
            return Ok(Size { extent: Extent::Const(bytes), scale });
        }
        if let Some(number) = self.word_type(&size.word, t.line)? {
            if matches!(number.kind, Kind::Float { .. } | Kind::Bool { .. }) {
                return t.fail(format!("size: {} is not a whole number", size.word));
            }
            return Ok(Size { extent: Extent::Prefix(prefix(number, t, "length", all)?), scale });
        }
        match self.find(&size.word) {
            Some(Found::Field(place)) if self.known[place].number => {
                let scale = size.scale.or(self.known[place].scale).unwrap_or(Ratio::ONE);
                self.uses(&size.word, used::LENGTH);
                self.settles(&size.word, Settles::Length);
                Ok(Size { extent: Extent::Field(self.name(&size.word)), scale })
            }
            Some(Found::Other(_)) => Ok(Size { extent: Extent::Field(self.name(&size.word)), scale }),
            Some(_) => t.fail(format!("size: {} is not a number", size.word)),
            None => Err(self.nothing(t.line, &format!("{}: size", t.name), &size.word)),
        }
    }

    /// Compiles numbers, structs, messages, checksums.
    fn other(&mut self, t: &'a FieldText, kind: &'a str, hook: u16) -> Compiled<Field> {
        if self.encoding.is_some() && kind == "message" {
            return t.fail("the messages of payloads are found by the protocol that carries them");
        }
        if kind == "message" {
            return self.chosen(t, hook);
        }
        if self.form() != Form::Sequence {
            if let Some(number) = self.number_type(t, kind)? {
                return Ok(number);
            }
            if let Some(fields) = self.grouped(t, kind)? {
                return Ok(fields);
            }
            return self.no_type(t, kind);
        }
        if kind == "fault" {
            let why = if t.doc.is_empty() { "what follows is not described" } else { leak(&t.doc) };
            return Ok(switch("", &[], Other::Fault(why)));
        }
        if t.join.is_some() {
            return t.fail(format!("join is for bytes and messages, not for {kind}"));
        }
        if let Some(address) = Address::named(kind) {
            self.know(t, &t.name, false, Vec::new(), t.hidden);
            return Ok(of("", Kind::Address(address)));
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
        self.no_type(t, kind)
    }

    /// Whether there is such a type, or may be: lists and bits are judged later.
    fn is_type(&self, kind: &str, line: usize) -> Compiled<bool> {
        Ok(self.form() != Form::Sequence
            || kind.is_empty()
            || kind.contains(['[', '('])
            || kind == "u4"
            || self.words().any(|word| word == kind)
            || Address::named(kind).is_some()
            || catalogue::by_name(kind).is_some()
            || self.word_type(kind, line)?.is_some())
    }

    /// Refuses a type that does not exist.
    pub(super) fn no_type<T>(&self, t: &FieldText, kind: &str) -> Compiled<T> {
        let why = match (kind, self.form()) {
            ("u4", Form::Sequence) => ": half of a byte is a number, a size, a count or the key of a message".into(),
            ("string", Form::Sequence) => ": string8, string16 and string32 have a length of their own; lengths = \"u16\" gives string one, for the file".into(),
            (kind, _) if kind.contains('[') && !kind.contains(']') => ": a ] is missing".into(),
            _ => {
                let near = of_c(kind).filter(|word| self.words().any(|own| own == word));
                hint(near.as_deref().or_else(|| nearest(kind, self.words().chain(ALIASES.iter().map(|(word, _)| *word)))))
            }
        };
        t.fail(format!("no type {kind:?}{}{why}", self.in_encoding()))
    }

    /// Compiles a struct, in an object of its own or in its parent's.
    fn grouped(&mut self, t: &'a FieldText, kind: &str) -> Compiled<Option<Field>> {
        let before = self.known.len();
        let Some(kind) = self.structure(kind, t)? else { return Ok(None) };
        let fields = kind.fields();
        let carries = fields.iter().fold(0, |flags, field| flags | field.flags) & flag::CARRIES;
        let mut field = match t.inline {
            true => crate::codec::layout::inline("", fields),
            false => {
                self.close(before, &t.name);
                let mut group = of(leak(&t.name), kind);
                if self.is_referred(&t.name) {
                    group.flags |= flag::REFERENCED;
                }
                group
            }
        };
        field.flags |= carries;
        Ok(Some(field))
    }

    /// Sets name, documentation and flags.
    fn say(&mut self, field: &mut Field, t: &FieldText) -> Compiled<()> {
        field.doc = leak(&t.doc);
        if !t.unit.is_empty() {
            field.unit = leak(&t.unit);
            if let (Kind::Array { count, of }, None) = (&field.kind, self.encoded(t.kind.trim())) {
                let mut of = (*of).clone();
                of.unit = field.unit;
                field.kind = Kind::Array { count: *count, of: lasting(of) };
            }
        }
        if t.hidden && t.kind != "message" {
            field.flags |= flag::HIDDEN;
            if self.selects(&t.name) {
                field.flags |= flag::SELECTS;
            }
        }
        if self.is_referred(&t.name) && !matches!(field.kind, Kind::Struct(_) | Kind::Ring { .. } | Kind::Inline(_)) {
            field.flags |= flag::REFERENCED;
        }
        if let (Kind::Text { .. }, true) = (&field.kind, field.is(flag::REFERENCED)) {
            field.show = Show::Asked(self.texts);
        }
        let content = matches!(field.kind, Kind::Text { .. } | Kind::Bytes { .. }) || self.form() == Form::Members;
        if t.optional && t.value.is_none() && content {
            field.flags |= flag::OMIT_EMPTY;
        }
        if t.padded {
            let Kind::Bytes { len: Len::Rest } = field.kind else { return t.fail("padded is for bytes up to the end") };
            field.flags |= flag::PADDED;
        }
        if let Some(default) = &t.default
            && field.default.is_none()
        {
            let message = self.message_name();
            self.defaults.push((message, leak(&t.name), default.clone()));
        }
        Ok(())
    }
}

/// The number before a list or text. Its name is the given one, or one that no other field of its group has.
fn prefix(mut number: Field, t: &FieldText, what: &str, all: &[FieldText]) -> Compiled<&'static Field> {
    let taken = |name: &str| all.iter().any(|t| t.name == name);
    let own = match &t.prefix {
        Some(name) => {
            let good = identifier(name, &["unparsed", "unended"]);
            let good = if taken(name) { Err(format!("another field is called {name}")) } else { good };
            good.map_err(|why| (t.line, format!("{}: prefix: {why}", t.name)))?;
            name.clone()
        }
        None => {
            let mut own = format!("{}_{what}", t.name);
            while taken(&own) {
                own.push('_');
            }
            own
        }
    };
    number.set_name(leak(&own));
    Ok(lasting(number))
}
