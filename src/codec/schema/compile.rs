//! From a schema's words to tables: one for each encoding in which all its types exist.

use super::parse::{FieldText, File, MessageText, Named, Names};
use super::{Encoding, SchemaError, SchemaMessage};
use crate::codec::check;
use crate::codec::layout::{Count, Field, Flags, Kind, Len, Show, When, flag};
use crate::codec::scale::Scale;

/// How deep structs may stand in structs.
const DEPTH: usize = 16;

/// Compiles a file's messages.
pub fn compile(file: &str, text: &File, encodings: &'static [Encoding]) -> Result<Vec<SchemaMessage>, SchemaError> {
    text.messages.iter().map(|m| message(file, text, m, encodings)).collect()
}

fn message(
    file: &str,
    text: &File,
    m: &MessageText,
    encodings: &'static [Encoding],
) -> Result<SchemaMessage, SchemaError> {
    let fail = |line, reason: String| SchemaError { file: file.into(), line, reason };
    if m.id.is_none() && m.route.is_none() && m.message.is_empty() {
        return Err(fail(m.line, "a message needs an id, a route, or the protocol's message that carries it".into()));
    }
    if m.name.is_empty() {
        return Err(fail(m.line, "name is missing".into()));
    }
    identifier(&m.name).map_err(|why| fail(m.line, why))?;
    let mut fields = Vec::new();
    let mut first: Option<(usize, String)> = None;
    for encoding in encodings {
        let mut compiler = Compiler { text, encoding, open: Vec::new() };
        match compiler.list(&m.fields) {
            Ok(list) => {
                check::check(list).map_err(|why| fail(m.line, format!("{}{why}", m.name)))?;
                fields.push(Some(list));
            }
            Err(why) => {
                first.get_or_insert(why);
                fields.push(None);
            }
        }
    }
    // A type may be missing in one encoding; in all of them it is wrong.
    match (fields.iter().any(Option::is_some), first) {
        (false, Some((line, reason))) => Err(fail(line, reason)),
        (false, None) => Err(fail(m.line, "this protocol takes no schemas".into())),
        (true, _) => Ok(SchemaMessage {
            name: leak(&m.name),
            doc: leak(&m.doc),
            message: m.message.clone(),
            number: m.id,
            word: m.route.clone(),
            from: m.from.clone(),
            fields,
        }),
    }
}

/// Schemas live as long as the program; there are as many as the user's files have lines.
fn leak(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

fn identifier(name: &str) -> Result<(), String> {
    let good = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match (good, name) {
        (true, "unparsed" | "trailing") => Err(format!("{name}: the name is taken")),
        (true, _) => Ok(()),
        (false, _) => Err(format!("{name:?} is no name: letters, digits and _")),
    }
}

struct Compiler<'a> {
    text: &'a File,
    encoding: &'static Encoding,
    /// Structs on the way.
    open: Vec<&'a str>,
}

type Compiled<T> = Result<T, (usize, String)>;

impl<'a> Compiler<'a> {
    fn list(&mut self, texts: &'a [FieldText]) -> Compiled<&'static [Field]> {
        let mut fields = Vec::new();
        for (k, t) in texts.iter().enumerate() {
            let mut field = self.field(t)?;
            let later = texts[k + 1..]
                .iter()
                .any(|l| l.kind.contains(&format!("[{}]", t.name)) || condition_name(l) == Some(&t.name));
            if later {
                if !matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::Bool { .. } | Kind::VarInt { .. })
                {
                    return Err((
                        t.line,
                        format!("{}: a later field refers to it, so it has to be a whole number", t.name),
                    ));
                }
                field.flags |= flag::KEPT;
                // A count that is not given is counted.
                let counts = texts[k + 1..].iter().any(|l| l.kind.contains(&format!("[{}]", t.name)));
                field.default = counts.then_some(0);
            }
            fields.push(field);
        }
        Ok(Box::leak(fields.into_boxed_slice()))
    }

    fn field(&mut self, t: &'a FieldText) -> Compiled<Field> {
        let fail = |why: String| (t.line, why);
        identifier(&t.name).map_err(fail)?;
        let mut field = self.kind(t, t.kind.trim())?;
        field.set_name(leak(&t.name));
        field.doc = leak(&t.doc);
        if !t.unit.is_empty() {
            field.unit = leak(&t.unit);
        }
        let whole = matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. });
        if (t.scale.is_some() || t.names.is_some() || t.flags.is_some()) && !whole {
            return Err(fail(format!("{}: scale, enum and flags are for whole numbers, not for {}", t.name, t.kind)));
        }
        if let Some((num, den)) = t.scale {
            if matches!(field.kind, Kind::UInt { bits: 33.., .. } | Kind::Int { bits: 33.., .. } | Kind::VarInt { .. })
            {
                return Err(fail(format!("{}: scale is for numbers of up to 32 bits", t.name)));
            }
            field.show = Show::Scaled(if num == 1 && den.is_power_of_two() {
                Scale::Over(den)
            } else {
                Scale::Ratio { num, den }
            });
        }
        if let Some(named) = &t.names {
            let names = self.names(named, &self.text.enums, "enum").map_err(fail)?;
            field.show = Show::Enum(Box::leak(names.into_boxed_slice()));
        }
        if let Some(named) = &t.flags {
            let names = self.names(named, &self.text.flags, "flags").map_err(fail)?;
            if let Some((_, name)) = names.iter().find(|(mask, _)| !mask.is_power_of_two()) {
                return Err(fail(format!("{}: flag {name} is not one bit: expected 1, 2, 4, 8, ..", t.name)));
            }
            let flags = Flags { names: Box::leak(names.into_boxed_slice()), shift: 0, fixed_mask: 0, fixed: 0 };
            field.show = Show::Flags(Box::leak(Box::new(flags)));
        }
        if let Some(condition) = &t.condition {
            field.when = self.condition(condition).map_err(fail)?;
        }
        Ok(field)
    }

    fn names(&self, named: &Named, all: &[(String, Names)], what: &str) -> Result<Vec<(u64, &'static str)>, String> {
        let list = match named {
            Named::Here(list) => list,
            Named::Reference(name) => match all.iter().find(|(n, _)| n == name) {
                Some((_, list)) => list,
                None => {
                    let near = crate::nearest::nearest(name, all.iter().map(|(n, _)| n.as_str()));
                    return Err(format!("no [{what}.{name}]{}", crate::nearest::hint(near)));
                }
            },
        };
        let mut names: Vec<(u64, &'static str)> = list.iter().map(|(n, v)| (*v, leak(n))).collect();
        names.sort_unstable();
        match names.windows(2).find(|w| w[0].0 == w[1].0) {
            Some(twice) => Err(format!("{} and {} have the same value {}", twice[0].1, twice[1].1, twice[0].0)),
            None => Ok(names),
        }
    }

    /// `kind == 2`, `kind in 1, 2`, `flags & 4`.
    fn condition(&self, text: &str) -> Result<When, String> {
        let number = |t: &str| {
            let t = t.trim();
            let parsed = t.strip_prefix("0x").map_or_else(|| t.parse().ok(), |h| u64::from_str_radix(h, 16).ok());
            parsed.or((t == "true").then_some(1)).or((t == "false").then_some(0)).ok_or(format!("{t:?} is no number"))
        };
        if let Some((name, value)) = text.split_once("==") {
            return Ok(When::Eq(leak(name.trim()), number(value)?));
        }
        if let Some((name, values)) = text.split_once(" in ") {
            let values =
                values.trim().trim_start_matches('[').trim_end_matches(']').split(',').map(number).collect::<Result<
                    Vec<u64>,
                    String,
                >>(
                )?;
            return Ok(When::In(leak(name.trim()), Box::leak(values.into_boxed_slice())));
        }
        if let Some((name, mask)) = text.split_once('&') {
            let mask = number(mask)?;
            return match mask.is_power_of_two() {
                true => Ok(When::Bit(leak(name.trim()), mask.trailing_zeros() as u8)),
                false => Err(format!("{mask} is not one bit")),
            };
        }
        Err(format!("if: expected FIELD == N, FIELD in N, N or FIELD & BIT, got {text:?}"))
    }

    fn kind(&mut self, t: &'a FieldText, kind: &'a str) -> Compiled<Field> {
        let Some(open) = kind.rfind('[').filter(|_| kind.ends_with(']')) else { return self.single(t, kind) };
        let (element, times) = (kind[..open].trim(), kind[open + 1..kind.len() - 1].trim());
        if element == self.encoding.byte {
            return self.bytes(t, times);
        }
        let count = match times {
            "" => match self.encoding.length {
                Some(prefix) => Count::Prefix(named_prefix(prefix, &t.name)),
                None => {
                    return Err((
                        t.line,
                        format!(
                            "{}: arrays have no count of their own here: write {element}[5], {element}[FIELD] or {element}[*]",
                            t.name
                        ),
                    ));
                }
            },
            "*" => Count::Rest,
            n => match n.parse() {
                Ok(n) => Count::Const(n),
                Err(_) => Count::Field(leak(n)),
            },
        };
        if let Some(field) = self.encoding.array.and_then(|array| array(element, count)) {
            return Ok(field);
        }
        let mut of = self.kind(t, element)?;
        of.set_name(leak(element.split(['[', '(']).next().unwrap_or(element)));
        Ok(crate::codec::layout::array("", count, Box::leak(Box::new(of))))
    }

    fn bytes(&self, t: &FieldText, times: &str) -> Compiled<Field> {
        let len = match times {
            "" => match self.encoding.length {
                Some(prefix) => Len::Prefix(named_prefix(prefix, &t.name)),
                None => {
                    return Err((
                        t.line,
                        format!(
                            "{}: write {}[5], {}[FIELD] or {}[*]",
                            t.name, self.encoding.byte, self.encoding.byte, self.encoding.byte
                        ),
                    ));
                }
            },
            "*" => Len::Rest,
            n => match n.parse() {
                Ok(n) => Len::Const(n),
                Err(_) => Len::Field(leak(n)),
            },
        };
        Ok(crate::codec::layout::bytes("", len))
    }

    fn single(&mut self, t: &'a FieldText, kind: &'a str) -> Compiled<Field> {
        if let Some(n) =
            kind.strip_prefix("bits(").and_then(|k| k.strip_suffix(')')).and_then(|n| n.trim().parse::<u8>().ok())
            && self.encoding.bits
            && (1..=64).contains(&n)
        {
            return Ok(crate::codec::layout::uint("", n));
        }
        if let Some((_, field)) = self.encoding.types.iter().find(|(word, _)| *word == kind) {
            return Ok(copy(field, &t.name));
        }
        if let Some((name, _, fields)) = self.text.structs.iter().find(|(name, ..)| name == kind) {
            if self.open.contains(&name.as_str()) || self.open.len() >= DEPTH {
                return Err((t.line, format!("{}: struct {name} contains itself, or stands too deep", t.name)));
            }
            self.open.push(name);
            let list = self.list(fields)?;
            self.open.pop();
            return Ok(crate::codec::layout::group("", list));
        }
        let words =
            self.encoding.types.iter().map(|(word, _)| *word).chain(self.text.structs.iter().map(|(n, ..)| n.as_str()));
        let near = crate::nearest::nearest(kind, words);
        let why = format!(
            "{}: no type {kind:?} in the encoding {}{}",
            t.name,
            self.encoding.name,
            crate::nearest::hint(near)
        );
        Err((t.line, why))
    }
}

fn condition_name(t: &FieldText) -> Option<&str> {
    let text = t.condition.as_deref()?;
    Some(text.split(['=', '&', ' ']).next().unwrap_or("").trim())
}

/// The number in front of an array or text, under a name by which it can be shown and given.
fn named_prefix(prefix: &'static Field, name: &str) -> &'static Field {
    let mut copy = copy(prefix, name);
    copy.set_name(leak(&format!("{name}_length")));
    Box::leak(Box::new(copy))
}

/// A field like a template's. Templates hold statics only, so their parts can be shared.
fn copy(field: &'static Field, name: &str) -> Field {
    let kind = match &field.kind {
        Kind::Tag { bits, order, value } => Kind::Tag { bits: *bits, order: *order, value: *value },
        Kind::UInt { bits, order } => Kind::UInt { bits: *bits, order: *order },
        Kind::Int { bits, order } => Kind::Int { bits: *bits, order: *order },
        Kind::Float { bits, order } => Kind::Float { bits: *bits, order: *order },
        Kind::Bool { bits } => Kind::Bool { bits: *bits },
        Kind::VarInt { max_groups, zigzag } => Kind::VarInt { max_groups: *max_groups, zigzag: *zigzag },
        Kind::Text { len: Len::Prefix(prefix), charset } => {
            Kind::Text { len: Len::Prefix(named_prefix(prefix, name)), charset: *charset }
        }
        Kind::Text { len, charset } => Kind::Text { len: *len, charset: *charset },
        Kind::Bytes { len } => Kind::Bytes { len: *len },
        Kind::Struct(fields) => Kind::Struct(fields),
        Kind::Inline(fields) => Kind::Inline(fields),
        Kind::Array { count, of } => Kind::Array { count: *count, of },
        Kind::Switch { on, cases, other } => Kind::Switch { on, cases, other: *other },
        Kind::Derived => Kind::Derived,
        Kind::Custom(codec) => Kind::Custom(*codec),
    };
    Field {
        name: field.name,
        quoted: field.quoted,
        doc: field.doc,
        kind,
        when: field.when,
        show: field.show,
        unit: field.unit,
        default: field.default,
        flags: field.flags,
    }
}
