//! Values that are not written in the language's own types: the words of a protocol whose payloads are described, fields
//! with tags, members of JSON objects.

use super::{Compiled, Compiler, lasting, statics, takes_the_rest};
use crate::codec::layout::{Charset, Field, Kind, Len, When, flag};
use crate::codec::protobuf::{self, Message, Record, WireType};
use crate::codec::schema::named::{identifier, leak, member};
use crate::codec::schema::text::FieldText;
use crate::codec::schema::{Encoding, Form};

/// The keys that only the language's own types have.
const OWN: &str = "size until or_end while number bits of value hidden hidden_id by join compressed inflated most sets default \
    charset xor inline joined plus align padded angle signed checked prefix";

/// The first such key of a field.
pub fn own_key(t: &FieldText) -> Option<&'static str> {
    t.first_of(OWN).or((!t.cases.is_empty()).then_some("plus"))
}

impl<'a> Compiler<'a> {
    /// The arrangement of the fields that are being compiled.
    pub fn form(&self) -> Form {
        self.encoding.map_or(Form::Sequence, |encoding| encoding.form)
    }

    /// The field of a word of the encoding.
    pub fn encoded(&self, word: &str) -> Option<&'static Field> {
        self.encoding?.types.iter().find(|(known, _)| *known == word).map(|(_, field)| field)
    }

    /// The words that a type may have, for suggestions.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let own = if self.form() == Form::Sequence { crate::codec::schema::types::WORDS } else { "" };
        let encoded = self.encoding.iter().flat_map(|encoding| encoding.types.iter().map(|(word, _)| *word));
        let structs = self.text.structs.iter().map(|(name, ..)| name.as_str());
        encoded.chain(own.split(' ')).chain(structs)
    }

    /// The words "in the encoding json", if the file's own types are not those of the encoding.
    pub fn in_encoding(&self) -> String {
        self.encoding.map_or(String::new(), |encoding| format!(" in the encoding {}", encoding.name))
    }

    /// Refuses a name, or a key, that has no meaning where fields are arranged in this way.
    pub fn suits(&self, t: &FieldText) -> Compiled<()> {
        let form = self.form();
        match form {
            Form::Sequence => identifier(&t.name, &["unparsed", "unended"]),
            Form::Tagged => identifier(&t.name, &protobuf::TAKEN),
            Form::Members => member(&t.name),
        }
        .map_err(|why| (t.line, why))?;
        let tagged = form == Form::Tagged;
        let misplaced = [
            ("tag", t.tag.is_some(), tagged),
            ("packed", t.packed.is_some(), tagged),
            ("optional", t.optional, form != Form::Tagged),
            ("if", t.condition.is_some(), form == Form::Sequence),
        ];
        let key = misplaced.iter().find(|(_, given, right)| *given && !right).map(|(key, ..)| *key);
        match key.or_else(|| own_key(t).filter(|_| form != Form::Sequence)) {
            None => Ok(()),
            Some(key) if self.encoding.is_some() => t.fail(format!("{key} has no meaning{}", self.in_encoding())),
            Some(key) => t.fail(format!("{key} is for structs and messages all of whose fields have a tag")),
        }
    }

    /// Compiles a type that is a word of the encoding, and no number.
    pub fn foreign(&mut self, t: &FieldText, kind: &str, all: &[FieldText]) -> Compiled<Option<Field>> {
        let Some(field) = self.encoded(kind).filter(|field| !field.kind.is_number()) else { return Ok(None) };
        let content = matches!(field.kind, Kind::Text { .. } | Kind::Bytes { .. });
        if let Some(key) = own_key(t) {
            // The language's own text and bytes have these keys.
            let own = ["text", "bytes", "cstring", "string8", "string16", "string32"].contains(&kind);
            return if own && self.form() == Form::Sequence {
                Ok(None)
            } else {
                t.fail(format!("{key} is not for {kind}"))
            };
        }
        if t.scale.is_some() || t.names.is_some() || t.flags.is_some() || t.closed || t.time.is_some() {
            return t.fail(format!("scale, enum and flags are for whole numbers, not for {kind}"));
        }
        if t.optional && !content && self.form() != Form::Members {
            return t.fail("optional is for text and bytes");
        }
        self.know(t, &t.name, false, Vec::new(), false);
        if let (Kind::Text { charset: Charset::Utf8, .. }, Some(known)) = (&field.kind, self.known.last_mut()) {
            known.text = true;
        }
        Ok(Some(self.copied(field, t, all)))
    }

    /// Copies a word's field. The length before it gets a name of its own.
    pub fn copied(&self, field: &'static Field, t: &FieldText, all: &[FieldText]) -> Field {
        let mut copy = field.clone();
        if let Kind::Text { len: Len::Prefix(prefix), charset } = field.kind {
            copy.kind = Kind::Text { len: Len::Prefix(counted(prefix, t, all)), charset };
        }
        copy.set_name("");
        copy
    }

    /// Compiles fields that are preceded by their numbers, whatever the fields around them are.
    pub fn protobuf(&mut self, texts: &'a [FieldText]) -> Compiled<&'static Message> {
        let (around, known) = (self.encoding.replace(&PROTOBUF), self.known.len());
        let message = self.tagged(texts);
        self.encoding = around;
        // Fields in any order cannot be referred to.
        self.known.truncate(known);
        message
    }

    /// Compiles fields that are preceded by their numbers.
    fn tagged(&mut self, texts: &'a [FieldText]) -> Compiled<&'static Message> {
        self.room(texts)?;
        let mut all: Vec<(Record, Field)> = Vec::new();
        for t in texts {
            let one = self.record(t, texts, &all);
            all.extend(self.or_later(one));
        }
        all.sort_by_key(|(record, _)| record.number);
        let (records, fields) = all.into_iter().unzip();
        Ok(lasting(Message { fields: statics(fields), records: statics(records) }))
    }

    fn record(
        &mut self,
        t: &'a FieldText,
        texts: &'a [FieldText],
        all: &[(Record, Field)],
    ) -> Compiled<(Record, Field)> {
        let number = match t.tag {
            Some(n @ 1..=protobuf::LARGEST) => n as u32,
            Some(_) => return t.fail("tag: expected 1 to 536870911"),
            None => return t.fail("tag is missing: the field's number"),
        };
        if all.iter().any(|(record, _)| record.number == number) {
            return t.fail("another field has this tag");
        }
        let mut field = self.field(t, texts)?;
        if all.iter().any(|(_, other)| other.name == field.name) {
            return t.fail("the name is given twice");
        }
        let (wire, list) = match &field.kind {
            Kind::Array { of, .. } => (WireType::of(&of.kind), true),
            kind => (WireType::of(kind), false),
        };
        let packs = list && wire != WireType::Bytes;
        if t.packed.is_some() && !packs {
            return t.fail("packed is for lists of numbers");
        }
        let doc = if t.doc.is_empty() { "" } else { "; " };
        field.doc = leak(&format!("tag {number}{doc}{}", t.doc));
        Ok((Record { number, wire, packed: packs && t.packed.unwrap_or(true) }, field))
    }

    /// Refuses an element that leaves nothing for the next one.
    pub fn repeats(&self, t: &FieldText, element: &str, of: &Field) -> Compiled<()> {
        let rest = self.encoding.is_some() && self.form() == Form::Sequence && takes_the_rest(of);
        match rest && matches!(of.when, When::Always) && !of.is(flag::CARRIES) {
            true => t.fail(format!("{element} takes everything up to the end: there is one at most")),
            false => Ok(()),
        }
    }
}

/// The encoding of fields with tags, wherever they are.
pub static PROTOBUF: Encoding = Encoding {
    name: "protobuf",
    versions: &[],
    form: Form::Tagged,
    keys: &crate::codec::schema::NO_KEYS,
    types: protobuf::WORDS,
    length: None,
    byte: "",
    array: None,
    bits: false,
};

/// The number before an array or text. Its name, by which it can be shown and given, is one that no other field of the
/// group has.
pub fn counted(prefix: &'static Field, t: &FieldText, all: &[FieldText]) -> &'static Field {
    let mut own = format!("{}_length", t.name);
    while all.iter().any(|t| t.name == own) {
        own.push('_');
    }
    let mut copy = prefix.clone();
    copy.set_name(leak(&own));
    lasting(copy)
}
