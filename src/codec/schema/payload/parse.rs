//! Parses the structure of a schema file, which is TOML. [`super::compile`] interprets it.

use crate::codec::schema::SchemaError;
use crate::codec::schema::reading::{FieldHead, Item, LONGEST, MessageHead, Names, Reader};
use std::ops::Deref;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A parsed schema file, before its names are looked up.
#[derive(Debug)]
pub struct File {
    pub proto: String,
    pub proto_line: usize,
    /// The encoding of messages that name none; may be empty.
    pub encoding: String,
    pub encoding_line: usize,
    pub messages: Vec<MessageText>,
    pub structs: Vec<(String, usize, Vec<FieldText>)>,
    pub enums: Vec<(String, Names)>,
    pub flags: Vec<(String, Names)>,
}

/// One `[[message]]`.
#[derive(Debug, Default)]
pub struct MessageText {
    head: MessageHead,
    pub id: Option<u64>,
    pub route: Option<String>,
    pub encoding: String,
    pub fields: Vec<FieldText>,
}

impl Deref for MessageText {
    type Target = MessageHead;

    fn deref(&self) -> &MessageHead {
        &self.head
    }
}

impl MessageText {
    /// The name of a message that has none: what it is found by, as a name (`id_7`, `Room_Say`).
    fn name_of_key(&self) -> String {
        match (&self.route, self.id) {
            (Some(route), _) if route.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                let words = route.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
                words.collect::<Vec<_>>().join("_")
            }
            (_, Some(id)) => format!("id_{id}"),
            (Some(_), None) => "any".into(),
            (None, None) => self.message.clone(),
        }
    }
}

/// One field: `name = "type"`, or a table.
#[derive(Debug, Default)]
pub struct FieldText {
    head: FieldHead,
    /// The field's number, if fields have numbers.
    pub tag: Option<u64>,
    /// Whether a list of numbers is packed after a single key.
    pub packed: Option<bool>,
}

impl Deref for FieldText {
    type Target = FieldHead;

    fn deref(&self) -> &FieldHead {
        &self.head
    }
}

impl FieldText {
    /// Whether it states something that only whole numbers can have.
    pub fn has_names(&self) -> bool {
        self.scale.is_some() || self.names.is_some() || self.flags.is_some()
    }
}

/// Parses the file's structure.
pub fn parse(file: &str, text: &str) -> Result<File, SchemaError> {
    if text.len() > LONGEST {
        let reason = format!("a schema of more than {LONGEST} bytes");
        return Err(SchemaError { file: file.into(), line: 1, reason });
    }
    let reader = Reader::new(file, text);
    let table = DeTable::parse(text).map_err(|e| reader.error(e.span().map_or(0, |s| s.start), e.message().into()))?;
    Parser { reader }.file(table.get_ref())
}

/// The parser of schemas.
struct Parser<'a> {
    reader: Reader<'a>,
}

impl Parser<'_> {
    fn file(&self, table: &DeTable<'_>) -> Result<File, SchemaError> {
        let reader = &self.reader;
        let mut file = File {
            proto: String::new(),
            proto_line: 1,
            encoding: String::new(),
            encoding_line: 1,
            messages: vec![],
            structs: vec![],
            enums: vec![],
            flags: vec![],
        };
        for item @ (key, value) in reader.in_order(table) {
            match key.get_ref().as_ref() {
                "proto" => {
                    file.proto = reader.text("proto", value)?;
                    file.proto_line = reader.line(key.span().start);
                }
                "encoding" => {
                    file.encoding = reader.text("encoding", value)?;
                    file.encoding_line = reader.line(key.span().start);
                }
                "message" => {
                    let list = value
                        .get_ref()
                        .as_array()
                        .ok_or_else(|| reader.wrong("message", value, "[[message]] tables"))?;
                    for message in list.iter() {
                        file.messages.push(self.message(message)?);
                    }
                }
                "struct" => file.structs = reader.structs(value, |fields| self.fields(fields))?,
                "enum" => file.enums = reader.name_tables("enum", value)?,
                "flags" => file.flags = reader.name_tables("flags", value)?,
                _ => return Err(reader.unknown(item, "proto encoding message struct enum flags")),
            }
        }
        if file.proto.is_empty() {
            return Err(reader.error(
                0,
                "proto is missing: expected proto = \"NAME\", the protocol whose payloads these are".into(),
            ));
        }
        Ok(file)
    }

    fn message(&self, value: &Spanned<DeValue<'_>>) -> Result<MessageText, SchemaError> {
        let reader = &self.reader;
        let mut message = MessageText::default();
        message.head.lines.line = reader.line(value.span().start);
        for item @ (key, value) in reader.table("message", value)? {
            if reader.message_key(&mut message.head, item)? {
                continue;
            }
            match key.get_ref().as_ref() {
                "id" => message.id = Some(reader.number("id", value)?),
                "route" => message.route = Some(reader.text("route", value)?),
                "encoding" => message.encoding = reader.text("encoding", value)?,
                "fields" => message.fields = self.fields(value)?,
                _ => {
                    return Err(reader.unknown(item, "id route message from encoding name doc fields"));
                }
            }
        }
        if message.head.name.is_empty() {
            message.head.name = message.name_of_key();
        }
        Ok(message)
    }

    fn fields(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<FieldText>, SchemaError> {
        self.reader.table("fields", value)?.into_iter().map(|item| self.field(item)).collect()
    }

    fn field(&self, item: Item<'_, '_>) -> Result<FieldText, SchemaError> {
        let reader = &self.reader;
        let (head, items) = reader.field_head(item)?;
        let mut field = FieldText { head, ..FieldText::default() };
        for item @ (key, value) in items {
            if reader.field_key(&mut field.head, item)? {
                continue;
            }
            match key.get_ref().as_ref() {
                "tag" => field.tag = Some(reader.number("tag", value)?),
                "packed" => field.packed = Some(reader.truth("packed", value)?),
                _ => {
                    return Err(reader.unknown(item, "type doc unit scale enum flags if tag packed optional"));
                }
            }
        }
        if field.kind.is_empty() {
            return Err(reader.error(item.0.span().start, format!("{}: type is missing", field.name)));
        }
        Ok(field)
    }
}
