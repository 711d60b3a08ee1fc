//! Types of the language for the kinds of the tables.

use super::Export;
use super::keys::{Forms, Inexpressible, Keys, Place, wanted};
use super::lines::quoted;
use crate::codec::describe;
use crate::codec::layout::{Charset, Count, Field, Kind, Len, Order, Sign, flag};

impl Export<'_> {
    /// The type and its further keys.
    pub(super) fn typed(&mut self, field: &'static Field, place: &mut Place) -> Result<Forms, Inexpressible> {
        let one = |keys: Keys| Ok(vec![(None, keys)]);
        match &field.kind {
            Kind::Struct(fields) => {
                let mark = place.scope.len();
                let mut lines = Vec::new();
                let whole = self.fields(fields, &[Vec::new()], place, &mut lines);
                place.scope.truncate(mark);
                if !whole {
                    let why = lines.iter().flat_map(|line| &line.comments).next();
                    return Err(Inexpressible(why.cloned().unwrap_or_default()));
                }
                let wanted = wanted(field.name, &place.names);
                one(vec![("type", quoted(&self.pool.structure(&wanted, lines)))])
            }
            Kind::Array { count, of } => {
                let mut more = Vec::new();
                let times = match count {
                    Count::Const(n) => n.to_string(),
                    Count::Rest => "*".into(),
                    Count::Field(name) => name.text.into(),
                    Count::Prefix(prefix) => {
                        if prefix.name != format!("{}_count", field.name) {
                            more.push(("prefix", quoted(prefix.name)));
                        }
                        self.word(prefix)?
                    }
                    Count::Until(_) | Count::UntilOrEnd(_) | Count::While(_) => {
                        return Err(Inexpressible("a list that ends with a mark".into()));
                    }
                };
                let mut forms = Forms::new();
                for (term, keys) in self.typed(of, place)? {
                    let [("type", element)] = &keys[..] else {
                        return Err(Inexpressible("a list of elements that need more than a type".into()));
                    };
                    let kind = format!("{}[{times}]", element.trim_matches('"'));
                    let keys = [&[("type", quoted(&kind))][..], &more].concat();
                    forms.push((term, keys));
                }
                Ok(forms)
            }
            Kind::Text { len, charset } => {
                let mut keys = self.content("text", *len, field)?;
                match charset {
                    Charset::Utf8 => {}
                    Charset::Latin1 => keys.push(("charset", quoted("latin1"))),
                    Charset::Utf16(Order::Big) => keys.push(("charset", quoted("utf-16be"))),
                    Charset::Utf16(_) => keys.push(("charset", quoted("utf-16le"))),
                }
                one(keys)
            }
            Kind::Bytes { len } => {
                let word = if field.is(flag::PAYLOAD) { "payload" } else { "bytes" };
                one(self.content(word, *len, field)?)
            }
            Kind::Tag { bits, order, value } => {
                let word = self.number('u', *bits, *order)?;
                one(vec![("type", quoted(&word)), ("value", value.to_string())])
            }
            Kind::Custom(codec) => match codec.word() {
                Some(word) => self.typed(word, place),
                None => Err(Inexpressible(format!("{}: the language has no type for it", codec.describe()))),
            },
            // Kinds that only files have are in no built-in table.
            Kind::Parts(_)
            | Kind::Constant(_)
            | Kind::Region(_)
            | Kind::Ring { .. }
            | Kind::Packed(_)
            | Kind::Checksum(_)
            | Kind::Chosen(_) => {
                Err(Inexpressible(format!("{}: files describe it with other types", describe::kind(field))))
            }
            Kind::Numeral(_) => Err(Inexpressible("a number in text".into())),
            Kind::Address(address) => one(vec![("type", quoted(address.name()))]),
            Kind::Derived => Err(Inexpressible("known from earlier messages only".into())),
            kind => match kind.width() {
                Some((bits, Order::Conversation)) => {
                    let orders = self.orders().map_err(Inexpressible)?;
                    let mut forms = Forms::new();
                    for (term, order) in orders.into_iter().zip([Order::Big, Order::Little]) {
                        let word = self.number(letter(kind), bits as u8, order)?;
                        forms.push((Some(term), vec![("type", quoted(&word))]));
                    }
                    Ok(forms)
                }
                _ => one(vec![("type", quoted(&self.word(field)?))]),
            },
        }
    }

    /// The word for a number.
    fn word(&self, field: &Field) -> Result<String, Inexpressible> {
        match &field.kind {
            Kind::Bool { bits: 1 } => Ok("bit".into()),
            Kind::Bool { .. } => Ok("bool".into()),
            Kind::VarInt { max_groups, sign } => Ok(match (sign, *max_groups <= 5) {
                (Sign::None, true) => "varint32",
                (Sign::None, false) => "varint",
                (Sign::Zigzag, true) => "zigzag32",
                (Sign::Zigzag, false) => "zigzag",
                (Sign::Complement, _) => "svarint",
                (Sign::Complement32, _) => "svarint32",
            }
            .into()),
            kind => match kind.width() {
                Some((bits, order)) => self.number(letter(kind), bits as u8, order),
                None => Err(Inexpressible("a number that the language has no word for".into())),
            },
        }
    }

    /// The word for a number of fixed size.
    pub fn number_word(&self, bits: u8, order: Order) -> String {
        self.number('u', bits, order).unwrap_or_default()
    }

    fn number(&self, letter: char, bits: u8, order: Order) -> Result<String, Inexpressible> {
        Ok(match (bits, order) {
            (8, _) => format!("{letter}8"),
            (_, Order::Conversation) => return Err(Inexpressible("a number in the conversation's byte order".into())),
            (bits, order) if bits.is_multiple_of(8) => match (order == Order::Big, self.big) {
                (true, true) | (false, false) => format!("{letter}{bits}"),
                (true, false) => format!("{letter}{bits}be"),
                (false, true) => format!("{letter}{bits}le"),
            },
            (bits, _) if letter == 'u' => format!("bits({bits})"),
            (bits, _) => return Err(Inexpressible(format!("a signed number of {bits} bits"))),
        })
    }

    /// Text and bytes, by their end.
    fn content(&mut self, word: &str, len: Len, field: &Field) -> Result<Keys, Inexpressible> {
        let plain = |word: &str| vec![("type", quoted(word))];
        Ok(match len {
            Len::Rest => plain(word),
            Len::Const(n) => [plain(word), vec![("size", n.to_string())]].concat(),
            Len::Field(name) => [plain(word), vec![("size", quoted(name.text))]].concat(),
            Len::Until(0) if word == "text" => plain("cstring"),
            Len::Until(stop) => [plain(word), vec![("until", format!("[{stop}]"))]].concat(),
            Len::Prefix(prefix) => {
                let number = self.word(prefix)?;
                let mut keys = match (word, &number[..]) {
                    ("text", "u8" | "u16" | "u32") => plain(&number.replace('u', "string")),
                    _ => [plain(word), vec![("size", quoted(&number))]].concat(),
                };
                if prefix.name != format!("{}_length", field.name) {
                    keys.push(("prefix", quoted(prefix.name)));
                }
                keys
            }
            Len::Through(ends) => {
                let mut keys = [plain(word), vec![("until", format!("{:?}", ends.any))]].concat();
                if ends.or_end {
                    keys.push(("or_end", "true".into()));
                }
                keys
            }
            Len::Padded(n) => return Err(Inexpressible(format!("text in {n} bytes that zeros fill up"))),
            Len::Bits(n) => return Err(Inexpressible(format!("{n} bits"))),
        })
    }
}

fn letter(kind: &Kind) -> char {
    match kind {
        Kind::Int { .. } => 'i',
        Kind::Float { .. } => 'f',
        _ => 'u',
    }
}
