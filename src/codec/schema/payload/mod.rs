//! Compiles a schema to tables: one for each encoding in which all its types exist.

pub mod parse;
mod types;

use crate::codec::check;
use crate::codec::layout::{Field, Flags, Kind, Show, When, flag, of};
use crate::codec::protobuf::{self, Message, Record, WireType};
use crate::codec::scale::Scale;
use crate::codec::schema::named::{condition, condition_name, identifier, leak, member, names};
use crate::codec::schema::reading::Named;
use crate::codec::schema::{Encoding, Form, Keys, SchemaError, SchemaMessage};
use parse::{FieldText, File, MessageText};
use rustc_hash::FxHashMap;
use types::earlier;

/// The cap on a message's fields, because structs can contain structs.
const MOST_FIELDS: usize = 1 << 13;

/// An error has a line and a reason.
pub type Compiled<T> = Result<T, (usize, String)>;

/// Compiles a file's messages.
pub fn compile(file: &str, text: &File, encodings: &'static [Encoding]) -> Result<Vec<SchemaMessage>, SchemaError> {
    let fail = |(line, reason)| SchemaError { file: file.into(), line, reason };
    let mut found = FxHashMap::default();
    for m in &text.messages {
        if let Some(twin) = found.insert((m.id, &m.route, &m.message, &m.from), &m.name) {
            return Err(fail((m.line, format!("{twin} is found in the same way: this one would never be used"))));
        }
    }
    text.messages.iter().map(|m| message(text, m, encodings).map_err(fail)).collect()
}

fn message(text: &File, m: &MessageText, encodings: &'static [Encoding]) -> Compiled<SchemaMessage> {
    let Some(first) = encodings.first() else { return Err((m.line, "this protocol takes no schemas".into())) };
    if m.id.is_none() && m.route.is_none() && m.message.is_empty() {
        let why = "a message needs an id, a route, or the protocol's message that carries it";
        return Err((m.line, why.into()));
    }
    keys(m, first.keys)?;
    identifier(&m.name, &[]).map_err(|why| (m.at("name"), why))?;
    if let Some(t) = m.fields.iter().find(|t| first.keys.taken.contains(&t.name.as_str())) {
        return t.fail("the name is taken by a field of the packet itself");
    }
    let chosen = chosen(text, m, encodings)?;
    let mut fields = Vec::new();
    let mut wrong = None;
    for (k, encoding) in encodings.iter().enumerate() {
        if chosen.is_some_and(|c| c != k) {
            fields.push(None);
            continue;
        }
        match (Compiler { text, encoding, open: Vec::new(), left: MOST_FIELDS }).message(m) {
            Ok(list) => fields.push(Some(list)),
            Err(why) => {
                wrong.get_or_insert(why);
                fields.push(None);
            }
        }
    }
    // A type may be missing in some encodings, but not in all.
    if let (false, Some(why)) = (fields.iter().any(Option::is_some), wrong) {
        return Err(why);
    }
    Ok(SchemaMessage {
        name: leak(&m.name),
        doc: leak(&m.doc),
        message: m.message.clone(),
        number: m.id,
        word: m.route.clone(),
        from: m.from.clone(),
        fields,
    })
}

/// Checks the message's id, route and carrier against the protocol's.
fn keys(m: &MessageText, keys: &Keys) -> Compiled<()> {
    if !m.message.is_empty() && !keys.carriers.contains(&m.message.as_str()) {
        let near = crate::nearest::nearest(&m.message, keys.carriers.iter().copied());
        let (hint, all) = (crate::nearest::hint(near), keys.carriers.join(", "));
        return Err((m.at("message"), format!("no message {:?} carries payloads{hint}: there are {all}", m.message)));
    }
    match (m.id, keys.ids) {
        (Some(_), None) => return Err((m.at("id"), "payloads have no ids here: they are found by their route".into())),
        (Some(id), Some((least, most))) if !(least..=most).contains(&id) => {
            return Err((m.at("id"), format!("id: expected {least} to {most}, got {id}")));
        }
        _ => {}
    }
    match (&m.route, keys.routes) {
        (Some(_), None) => Err((m.at("route"), "payloads have no routes here: they are found by their id".into())),
        (Some(route), Some(words @ [_, ..])) if route != "*" && !words.contains(&route.as_str()) => {
            Err((m.at("route"), format!("route: expected {}, got {route:?}", words.join(", "))))
        }
        _ => Ok(()),
    }
}

/// Returns the index of the encoding that the message or its file names; `None`: all encodings.
fn chosen(text: &File, m: &MessageText, encodings: &'static [Encoding]) -> Compiled<Option<usize>> {
    let all = || encodings.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
    let (named, line) = match (m.encoding.as_str(), text.encoding.as_str()) {
        ("", "") if encodings.len() > 1 && encodings.iter().all(|e| e.versions.is_empty()) => {
            return Err((m.line, format!("encoding is missing: one of {}", all())));
        }
        ("", "") => return Ok(None),
        ("", whole) => (whole, text.encoding_line),
        (own, _) => (own, m.at("encoding")),
    };
    match encodings.iter().position(|e| e.name == named) {
        Some(k) => Ok(Some(k)),
        None => {
            let near = crate::nearest::nearest(named, encodings.iter().map(|e| e.name));
            Err((line, format!("no encoding {named:?}{}: there are {}", crate::nearest::hint(near), all())))
        }
    }
}

/// Whether a field leaves nothing for the fields after it.
pub fn takes_the_rest(field: &Field) -> bool {
    match &field.kind {
        Kind::Array { of, .. } if takes_the_rest(of) => true,
        Kind::Struct(fields) => fields.iter().any(|f| matches!(f.when, When::Always) && takes_the_rest(f)),
        kind => kind.takes_the_rest(),
    }
}

/// Compiles the fields of one message for one encoding.
pub struct Compiler<'a> {
    pub text: &'a File,
    pub encoding: &'static Encoding,
    /// The structs that are being compiled.
    pub open: Vec<&'a str>,
    /// The number of fields that are still allowed.
    pub left: usize,
}

fn statics<T>(list: Vec<T>) -> &'static [T] {
    Box::leak(list.into_boxed_slice())
}

impl<'a> Compiler<'a> {
    fn message(&mut self, m: &'a MessageText) -> Compiled<&'static [Field]> {
        let list = match self.encoding.form {
            Form::Sequence | Form::Members => self.list(&m.fields)?,
            Form::Tagged => {
                let message = self.tagged(&m.fields)?;
                statics(vec![of("", Kind::Protobuf(message))])
            }
        };
        if self.encoding.form != Form::Members {
            check::check(list).map_err(|why| (m.line, format!("{}{why}", m.name)))?;
        }
        Ok(list)
    }

    /// Refuses too many fields, because each is compared with all others.
    fn room(&mut self, texts: &[FieldText]) -> Compiled<()> {
        match (self.left.checked_sub(texts.len()), texts.first()) {
            (Some(left), _) => self.left = left,
            (None, Some(t)) => {
                return Err((t.line, format!("more than {MOST_FIELDS} fields with those of all structs")));
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// Compiles fields in sequence, or the members of an object.
    pub fn list(&mut self, texts: &'a [FieldText]) -> Compiled<&'static [Field]> {
        let mut fields = Vec::new();
        self.room(texts)?;
        for (k, t) in texts.iter().enumerate() {
            let mut field = self.field(t, texts)?;
            let count = format!("[{}]", t.name);
            let counts = texts[k + 1..].iter().any(|l| l.kind.contains(&count));
            let refers = |l: &FieldText| l.condition.as_deref().is_some_and(|c| condition_name(c) == t.name);
            if counts || texts[k + 1..].iter().any(refers) {
                if !matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::Bool { .. } | Kind::VarInt { .. })
                {
                    let why = format!("{}: a later field refers to it, so it has to be a whole number", t.name);
                    return Err((t.line, why));
                }
                field.flags |= flag::REFERENCED;
                // A count that is not given is computed.
                field.default = counts.then_some(0);
            }
            let last = fields.len() + 1 == texts.len() || !matches!(field.when, When::Always);
            if self.encoding.form == Form::Sequence && !last && takes_the_rest(&field) {
                let why = format!("{}: takes everything up to the end, so no field can follow it", t.name);
                return Err((t.line, why));
            }
            fields.push(field);
        }
        Ok(statics(fields))
    }

    /// Compiles fields that are preceded by their numbers.
    pub fn tagged(&mut self, texts: &'a [FieldText]) -> Compiled<&'static Message> {
        let mut all = Vec::new();
        self.room(texts)?;
        for t in texts {
            let number = match t.tag {
                Some(n @ 1..=protobuf::LARGEST) => n as u32,
                Some(_) => return t.fail("tag: expected 1 to 536870911"),
                None => return t.fail("tag is missing: the field's number"),
            };
            if all.iter().any(|(r, _): &(Record, Field)| r.number == number) {
                return t.fail("another field has this tag");
            }
            let field = self.field(t, texts)?;
            let (wire, list) = match &field.kind {
                Kind::Array { of, .. } => (WireType::of(&of.kind), true),
                kind => (WireType::of(kind), false),
            };
            let packs = list && wire != WireType::Bytes;
            if t.packed.is_some() && !packs {
                return t.fail("packed is for lists of numbers");
            }
            all.push((Record { number, wire, packed: packs && t.packed.unwrap_or(true) }, field));
        }
        all.sort_by_key(|(record, _)| record.number);
        let (records, fields) = all.into_iter().unzip();
        Ok(Box::leak(Box::new(Message { fields: statics(fields), records: statics(records) })))
    }

    fn field(&mut self, t: &'a FieldText, all: &'a [FieldText]) -> Compiled<Field> {
        let fail = |why: String| (t.line, why);
        let form = self.encoding.form;
        match form {
            Form::Sequence => identifier(&t.name, &["unparsed", "trailing"]),
            Form::Tagged => identifier(&t.name, &protobuf::TAKEN),
            Form::Members => member(&t.name),
        }
        .map_err(fail)?;
        let misplaced = [
            ("tag", t.tag.is_some(), form == Form::Tagged),
            ("packed", t.packed.is_some(), form == Form::Tagged),
            ("optional", t.optional, form == Form::Members),
            ("if", t.condition.is_some(), form == Form::Sequence),
        ];
        if let Some((key, ..)) = misplaced.iter().find(|(_, given, right)| *given && !right) {
            return Err(fail(format!("{}: {key} has no meaning in the encoding {}", t.name, self.encoding.name)));
        }
        let mut field = self.kind(t, t.kind.trim(), all)?;
        field.set_name(leak(&t.name));
        field.doc = leak(&t.doc);
        if !t.unit.is_empty() {
            field.unit = leak(&t.unit);
        }
        if let Some(tag) = t.tag {
            let doc = if t.doc.is_empty() { "" } else { "; " };
            field.doc = leak(&format!("tag {tag}{doc}{}", t.doc));
        }
        if t.optional {
            field.flags |= flag::OMIT_EMPTY;
        }
        if let Some(text) = &t.condition {
            let name = condition_name(text);
            earlier(t, name, all)?;
            let referenced = all.iter().find(|other| other.name == name);
            let value = |word: &str| self.value(referenced?, word);
            field.when = condition(text, &value).map_err(fail)?;
        }
        Ok(field)
    }

    /// Returns the number of a name in a field's enumeration or flags.
    fn value(&self, field: &FieldText, word: &str) -> Option<u64> {
        let any = |named: &Named, all, what| names(named, all, what, &Kind::Derived).ok();
        let lists = [
            field.names.as_ref().and_then(|named| any(named, &self.text.enums, "enum")),
            field.flags.as_ref().and_then(|named| any(named, &self.text.flags, "flags")),
        ];
        lists.into_iter().flatten().flatten().find(|(_, name)| *name == word).map(|(value, _)| value)
    }

    /// Applies the schema's other statements about a number: unit, scale, names.
    pub fn shown(&self, t: &FieldText, mut field: Field) -> Compiled<Field> {
        let fail = |why: String| (t.line, why);
        if !t.unit.is_empty() {
            field.unit = leak(&t.unit);
        }
        let whole = matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. });
        if t.has_names() && !whole {
            return Err(fail(format!("{}: scale, enum and flags are for whole numbers, not for {}", t.name, t.kind)));
        }
        if let Some((num, den)) = t.scale {
            if matches!(field.kind, Kind::UInt { bits: 33.., .. } | Kind::Int { bits: 33.., .. }) {
                return Err(fail(format!("{}: scale is for numbers of up to 32 bits", t.name)));
            }
            let over = num == 1 && den.is_power_of_two();
            field.show = Show::Scaled(if over { Scale::Over(den) } else { Scale::Ratio { num, den } });
        }
        if let Some(named) = &t.names {
            field.show = Show::Enum(statics(names(named, &self.text.enums, "enum", &field.kind).map_err(fail)?));
        }
        if let Some(named) = &t.flags {
            let names = names(named, &self.text.flags, "flags", &field.kind).map_err(fail)?;
            if let Some((_, name)) = names.iter().find(|(mask, _)| !mask.is_power_of_two()) {
                return Err(fail(format!("{}: flag {name} is not one bit: expected 1, 2, 4, 8, ..", t.name)));
            }
            let flags = Flags { names: statics(names), shift: 0, fixed_mask: 0, fixed: 0 };
            field.show = Show::Flags(Box::leak(Box::new(flags)));
        }
        Ok(field)
    }
}
