//! Fields as lines of the language.

use super::Export;
use super::conditions::{Scope, Terms};
use super::lines::{Line, quoted};
use crate::codec::layout::{Case, Charset, Count, Field, Kind, Len, Order, Other, Show, Sign, When, flag};
use crate::codec::scale::Scale;

/// The keys of a field, the type first.
type Keys = Vec<(&'static str, String)>;

/// A field's keys, for each form that it has: with the term by which the form is told.
type Forms = Vec<(Option<String>, Keys)>;

/// Where fields stand.
pub struct Place {
    /// The message's name, then more that tells it from others: for names of enumerations.
    pub names: Vec<String>,
    pub scope: Scope,
}

/// A field that cannot be said, and why: nothing behind it can be, either.
struct Unsaid(String);

impl Export<'_> {
    /// Fields one behind the other; false: the rest of them could not be said.
    pub fn fields(&mut self, fields: &'static [Field], when: &[Terms], place: &mut Place, out: &mut Vec<Line>) -> bool {
        for field in fields {
            let before = out.len();
            let Err(Unsaid(why)) = self.field(field, when, place, out) else { continue };
            out.truncate(before);
            for terms in self.joined(when, &field.when, place).unwrap_or_else(|_| when.to_vec()) {
                let name = fresh("undescribed", out);
                let mut line = Line::field(&name, &condition(vec![("type", quoted("payload"))], &terms, ""));
                line.comments.push(format!("{}: {why}", if field.name.is_empty() { "next" } else { field.name }));
                out.push(line);
            }
            // Without a condition everything behind it is lost; with one, what excludes it is not.
            if matches!(field.when, When::Always) {
                return false;
            }
        }
        true
    }

    fn joined(&mut self, when: &[Terms], own: &When, place: &Place) -> Result<Vec<Terms>, Unsaid> {
        let own = self.alternatives(own, &place.scope).map_err(Unsaid)?;
        Ok(when.iter().flat_map(|terms| own.iter().map(move |more| [&terms[..], more].concat())).collect())
    }

    fn field(
        &mut self,
        field: &'static Field,
        when: &[Terms],
        place: &mut Place,
        out: &mut Vec<Line>,
    ) -> Result<(), Unsaid> {
        let when = self.joined(when, &field.when, place)?;
        match &field.kind {
            Kind::Inline(fields) => {
                let before = out.len();
                return match self.fields(fields, &when, place, out) {
                    true => Ok(()),
                    false => {
                        let why = out.iter().skip(before).flat_map(|line| line.comments.first());
                        let why = why.last().cloned().unwrap_or_default();
                        Err(Unsaid(why))
                    }
                };
            }
            Kind::Switch { on, cases, other } => return self.switch((*on, *cases, other), field, &when, place, out),
            _ => {}
        }
        let forms = self.keys(field, place)?;
        for terms in &when {
            for (more, keys) in &forms {
                let all: Terms = terms.iter().cloned().chain(more.clone()).collect();
                // What tells it from others of its name.
                let word = all.last().and_then(|term| term.rsplit(' ').next());
                let hint = word.filter(|word| word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
                let line = Line::beside(out, field.name, &condition(keys.clone(), &all, field.doc), hint);
                out.push(line);
            }
        }
        let names = if let Show::Enum(names) = field.show { names } else { &[] };
        let names: &'static [(u64, &'static str)] = match field.kind {
            Kind::Bool { .. } => &[(0, "false"), (1, "true")],
            _ => names,
        };
        place.scope.push((field.name, field.name.into(), names));
        Ok(())
    }

    /// The fields of each value of an earlier one.
    fn switch(
        &mut self,
        (on, cases, other): (&'static str, &'static [Case], &Other),
        field: &'static Field,
        when: &[Terms],
        place: &mut Place,
        out: &mut Vec<Line>,
    ) -> Result<(), Unsaid> {
        let term = |export: &mut Self, when: When, place: &Place| export.alternatives(&when, &place.scope).map_err(Unsaid);
        let and = |more: Vec<Terms>| -> Vec<Terms> {
            when.iter().flat_map(|terms| more.iter().map(|more| [&terms[..], more].concat()).collect::<Vec<_>>()).collect()
        };
        for case in cases {
            let mark = place.scope.len();
            let terms = and(term(self, When::Eq(on, case.value), place)?);
            self.fields(case.fields, &terms, place, out);
            place.scope.truncate(mark);
        }
        let rest = match cases {
            [] => when.to_vec(),
            cases => {
                let values: Vec<u64> = cases.iter().map(|case| case.value).collect();
                // Numbers from 0 on need no list.
                let terms = match values.iter().copied().eq(0..values.len() as u64) {
                    true => vec![vec![format!("{on} >= {}", values.len())]],
                    false => {
                        let list: Vec<String> = values.iter().map(u64::to_string).collect();
                        vec![vec![format!("{on} not in {}", list.join(", "))]]
                    }
                };
                and(terms)
            }
        };
        let why = match other {
            Other::Fields(fields) => {
                self.fields(fields, &rest, place, out);
                return Ok(());
            }
            Other::Fault(why) => *why,
            Other::Ask => "what follows is not described",
        };
        let _ = field;
        for terms in rest {
            let name = fresh("undefined", out);
            out.push(Line::field(&name, &condition(vec![("type", quoted("fault"))], &terms, why)));
        }
        Ok(())
    }

    fn keys(&mut self, field: &'static Field, place: &mut Place) -> Result<Forms, Unsaid> {
        let mut forms = self.typed(field, place)?;
        for (_, keys) in &mut forms {
            let shown = match &field.kind {
                Kind::Array { of, .. } => of,
                Kind::Custom(codec) => codec.word().unwrap_or(field),
                _ => field,
            };
            self.shown(shown, field.name, place, keys)?;
            let unit = if field.unit.is_empty() { shown.unit } else { field.unit };
            if !unit.is_empty() {
                keys.push(("unit", quoted(unit)));
            }
            if let (Some(default), Kind::UInt { .. } | Kind::Int { .. } | Kind::Bool { .. }) = (field.default, &field.kind) {
                keys.push(("default", default.to_string()));
            }
            if field.is(flag::HIDDEN) {
                keys.push(("hidden", "true".into()));
            }
            if field.is(flag::CHECKED) {
                keys.push(("checked", "true".into()));
            }
            if field.is(flag::OMIT_EMPTY) && matches!(field.kind, Kind::Text { .. } | Kind::Bytes { .. }) {
                keys.push(("optional", "true".into()));
            }
            if field.is(flag::PADDED) {
                keys.push(("padded", "true".into()));
            }
        }
        Ok(forms)
    }

    fn typed(&mut self, field: &'static Field, place: &mut Place) -> Result<Forms, Unsaid> {
        let one = |keys: Keys| Ok(vec![(None, keys)]);
        match &field.kind {
            Kind::Struct(fields) => {
                let mark = place.scope.len();
                let mut lines = Vec::new();
                let whole = self.fields(fields, &[Vec::new()], place, &mut lines);
                place.scope.truncate(mark);
                if !whole {
                    let why = lines.iter().flat_map(|line| &line.comments).next();
                    return Err(Unsaid(why.cloned().unwrap_or_default()));
                }
                let wanted = wanted(field.name, &place.names);
                one(vec![("type", quoted(&self.pool.structure(&wanted, lines)))])
            }
            Kind::Array { count, of } => {
                let mut more = Vec::new();
                let times = match count {
                    Count::Const(n) => n.to_string(),
                    Count::Rest => "*".into(),
                    Count::Field(name) => (*name).into(),
                    Count::Prefix(prefix) => {
                        if prefix.name != format!("{}_count", field.name) {
                            more.push(("prefix", quoted(prefix.name)));
                        }
                        self.word(prefix)?
                    }
                    Count::Until(_) => return Err(Unsaid("a list that ends with a mark".into())),
                };
                let mut forms = Forms::new();
                for (term, keys) in self.typed(of, place)? {
                    let [("type", element)] = &keys[..] else {
                        return Err(Unsaid("a list of what needs more than a type".into()));
                    };
                    let kind = format!("{}[{times}]", element.trim_matches('"'));
                    let keys = [&[("type", quoted(&kind))][..], &more].concat();
                    forms.push((term, keys));
                }
                Ok(forms)
            }
            Kind::Text { len, charset } => {
                let mut keys = self.content("text", *len, field)?;
                if *charset == Charset::Latin1 {
                    keys.push(("charset", quoted("latin1")));
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
                None => Err(Unsaid(format!("{}: the language has no word for it", codec.describe()))),
            },
            Kind::Derived => Err(Unsaid("known from earlier messages only".into())),
            kind => match kind.width() {
                Some((bits, Order::Conversation)) => {
                    let orders = self.orders().map_err(Unsaid)?;
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

    /// The word of a number.
    fn word(&self, field: &Field) -> Result<String, Unsaid> {
        match &field.kind {
            Kind::Bool { bits: 1 } => Ok("bit".into()),
            Kind::Bool { .. } => Ok("bool".into()),
            Kind::VarInt { max_groups, sign } => {
                let short = *max_groups <= 5;
                Ok(match sign {
                    Sign::None => if short { "varint32" } else { "varint" },
                    Sign::Zigzag => if short { "zigzag32" } else { "zigzag" },
                    Sign::Complement => "svarint",
                    Sign::Complement32 => "svarint32",
                }
                .into())
            }
            kind => match kind.width() {
                Some((bits, order)) => self.number(letter(kind), bits as u8, order),
                None => Err(Unsaid("a number that the language has no word for".into())),
            },
        }
    }

    /// The word of a number of fixed size.
    pub fn number_word(&self, bits: u8, order: Order) -> String {
        self.number('u', bits, order).unwrap_or_default()
    }

    fn number(&self, letter: char, bits: u8, order: Order) -> Result<String, Unsaid> {
        Ok(match (bits, order) {
            (8, _) => format!("{letter}8"),
            (_, Order::Conversation) => return Err(Unsaid("a number in the conversation's byte order".into())),
            (bits, order) if bits.is_multiple_of(8) => match (order == Order::Big, self.big) {
                (true, true) | (false, false) => format!("{letter}{bits}"),
                (true, false) => format!("{letter}{bits}be"),
                (false, true) => format!("{letter}{bits}le"),
            },
            (bits, _) if letter == 'u' => format!("bits({bits})"),
            (bits, _) => return Err(Unsaid(format!("a signed number of {bits} bits"))),
        })
    }

    /// Text and bytes, by where they end.
    fn content(&mut self, word: &str, len: Len, field: &Field) -> Result<Keys, Unsaid> {
        let plain = |word: &str| vec![("type", quoted(word))];
        Ok(match len {
            Len::Rest => plain(word),
            Len::Const(n) => [plain(word), vec![("size", n.to_string())]].concat(),
            Len::Field(name) => [plain(word), vec![("size", quoted(name))]].concat(),
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
            Len::Padded(n) => return Err(Unsaid(format!("text in {n} bytes that zeros fill up"))),
            Len::Bits(n) => return Err(Unsaid(format!("{n} bits"))),
        })
    }

    /// Names, flags, scale.
    fn shown(&mut self, field: &Field, name: &str, place: &Place, keys: &mut Keys) -> Result<(), Unsaid> {
        match &field.show {
            Show::Plain => {}
            Show::Enum(names) => {
                let wanted = wanted(name, &place.names);
                keys.push(("enum", quoted(&self.pool.names(&wanted, names))));
            }
            Show::Flags(flags) if flags.shift == 0 && flags.fixed_mask == 0 => {
                let wanted = wanted(name, &place.names);
                keys.push(("flags", quoted(&self.pool.flags(&wanted, flags.names))));
            }
            Show::Flags(_) => return Err(Unsaid("flags of which some bits are fixed".into())),
            Show::Scaled(Scale::Degrees) => keys.push(("angle", "true".into())),
            Show::Scaled(scale) => {
                let (num, den, rounded) = match *scale {
                    Scale::Over(den) => (1, den, false),
                    Scale::Exact { num, den } => (num, den, false),
                    Scale::Ratio { num, den } => (num, den, true),
                    Scale::Degrees => return Ok(()),
                };
                keys.push(("scale", quoted(&format!("{num}/{den}"))));
                if rounded {
                    keys.push(("rounded", "true".into()));
                }
            }
        }
        Ok(())
    }
}

fn letter(kind: &Kind) -> char {
    match kind {
        Kind::Int { .. } => 'i',
        Kind::Float { .. } => 'f',
        _ => 'u',
    }
}

/// With the condition and the documentation.
fn condition(mut keys: Keys, terms: &[String], doc: &str) -> Keys {
    if !terms.is_empty() {
        keys.push(("if", quoted(&terms.join(" and "))));
    }
    if !doc.is_empty() {
        keys.push(("doc", quoted(doc)));
    }
    keys
}

/// A name that no line has.
fn fresh(name: &str, lines: &[Line]) -> String {
    let taken = |name: &str| lines.iter().any(|line| line.name == name);
    let numbered = (2..).map(|k| format!("{name}_{k}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}

/// The names that something of a field's may have, the best first.
fn wanted(name: &str, place: &[String]) -> Vec<String> {
    let mut all = vec![name.to_owned()];
    let mut own = name.to_owned();
    for (k, part) in place.iter().enumerate() {
        own = if k == 0 { format!("{part}_{own}") } else { format!("{own}_{part}") };
        all.push(own.clone());
    }
    all
}
