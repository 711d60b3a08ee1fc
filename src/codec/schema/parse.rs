//! The TOML side of schemas: the file's structure. [`super::compile`] interprets it.

use super::SchemaError;
use crate::codec::digits;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest schema file, in bytes.
pub(crate) const LONGEST: usize = 4 << 20;

/// A parsed schema file, its names not looked up yet.
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

/// Names and numbers, in the file's order.
pub type Names = Vec<(String, i128)>;

/// One `[[message]]`.
#[derive(Debug, Default)]
pub struct MessageText {
    pub line: usize,
    pub name: String,
    pub doc: String,
    pub message: String,
    pub id: Option<u64>,
    pub route: Option<String>,
    pub from: String,
    pub encoding: String,
    pub fields: Vec<FieldText>,
    /// The line of each key.
    pub lines: Vec<(String, usize)>,
}

impl MessageText {
    /// The line of a key, or of the message if the key is absent.
    pub fn at(&self, key: &str) -> usize {
        self.lines.iter().find(|(k, _)| k == key).map_or(self.line, |(_, line)| *line)
    }
}

/// One field: `name = "type"`, or a table.
#[derive(Debug, Default)]
pub struct FieldText {
    pub line: usize,
    pub name: String,
    pub kind: String,
    pub doc: String,
    pub unit: String,
    /// As numerator and denominator.
    pub scale: Option<(u32, u32)>,
    pub names: Option<Named>,
    pub flags: Option<Named>,
    pub condition: Option<String>,
    /// The field's number, where fields have one.
    pub tag: Option<u64>,
    /// Lists of numbers: packed after a single key.
    pub packed: Option<bool>,
    /// The member may be absent.
    pub optional: bool,
}

impl FieldText {
    /// Does it state something that only whole numbers can have?
    pub fn has_names(&self) -> bool {
        self.scale.is_some() || self.names.is_some() || self.flags.is_some()
    }
}

/// An enumeration by its name, or given inline.
#[derive(Debug)]
pub enum Named {
    Reference(String),
    Here(Names),
}

/// Parses the file's structure.
pub fn parse(file: &str, text: &str) -> Result<File, SchemaError> {
    if text.len() > LONGEST {
        let reason = format!("a schema of more than {LONGEST} bytes");
        return Err(SchemaError { file: file.into(), line: 1, reason });
    }
    let reader = Reader::new(file, text);
    let table = DeTable::parse(text).map_err(|e| reader.error(e.span().map_or(0, |s| s.start), e.message().into()))?;
    reader.file(table.get_ref())
}

/// A file's text, by the places of its values.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) file: &'a str,
    /// The offset of the end of each line.
    ends: Vec<usize>,
}

/// A key and its value.
pub(crate) type Item<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

impl<'f> Reader<'f> {
    /// Of this file.
    pub(crate) fn new(file: &'f str, text: &str) -> Reader<'f> {
        Reader { file, ends: memchr::memchr_iter(b'\n', text.as_bytes()).collect() }
    }

    /// The column of an offset, from 1.
    pub(crate) fn column(&self, text: &str, at: usize) -> usize {
        let line = self.line(at);
        let start = if line > 1 { self.ends.get(line - 2).map_or(0, |end| end + 1) } else { 0 };
        text.get(start..at).map_or(1, |before| before.chars().count() + 1)
    }

    pub(crate) fn line(&self, at: usize) -> usize {
        1 + self.ends.partition_point(|end| *end < at)
    }

    pub(crate) fn error(&self, at: usize, reason: String) -> SchemaError {
        SchemaError { file: self.file.into(), line: self.line(at), reason }
    }

    pub(crate) fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> SchemaError {
        self.error(value.span().start, format!("{key}: expected {expected}, got {}", value.get_ref().type_str()))
    }

    pub(crate) fn unknown(&self, item: Item<'_, '_>, known: &[&str]) -> SchemaError {
        let key = item.0.get_ref();
        let near = crate::nearest::nearest(key, known.iter().copied());
        let reason = format!("no key {key:?} here{}: there are {}", crate::nearest::hint(near), known.join(", "));
        self.error(item.0.span().start, reason)
    }

    pub(crate) fn text(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, SchemaError> {
        value.get_ref().as_str().map(Into::into).ok_or_else(|| self.wrong(key, value, "text"))
    }

    pub(crate) fn truth(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<bool, SchemaError> {
        value.get_ref().as_bool().ok_or_else(|| self.wrong(key, value, "true or false"))
    }

    /// A number of either sign.
    pub(crate) fn whole(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<i128, SchemaError> {
        let parse = |n: &toml::de::DeInteger<'_>| i128::from_str_radix(&n.as_str().replace('_', ""), n.radix()).ok();
        value.get_ref().as_integer().and_then(parse).ok_or_else(|| self.wrong(key, value, "a whole number"))
    }

    pub(crate) fn number(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<u64, SchemaError> {
        let number = value
            .get_ref()
            .as_integer()
            .and_then(|n| u64::from_str_radix(&n.as_str().replace('_', ""), n.radix()).ok());
        number.ok_or_else(|| self.wrong(key, value, "a number from 0 on"))
    }

    pub(crate) fn table<'a, 'i>(
        &self,
        key: &str,
        value: &'a Spanned<DeValue<'i>>,
    ) -> Result<Vec<Item<'a, 'i>>, SchemaError> {
        let table = value.get_ref().as_table().ok_or_else(|| self.wrong(key, value, "a table"))?;
        Ok(self.in_order(table))
    }

    /// The parser's tables are unordered: restores the order of the file from the keys' positions.
    pub(crate) fn in_order<'a, 'i>(&self, table: &'a DeTable<'i>) -> Vec<Item<'a, 'i>> {
        let mut items: Vec<Item<'a, 'i>> = table.iter().collect();
        items.sort_by_key(|(key, _)| key.span().start);
        items
    }

    fn file(&self, table: &DeTable<'_>) -> Result<File, SchemaError> {
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
        for item @ (key, value) in self.in_order(table) {
            match key.get_ref().as_ref() {
                "proto" => {
                    file.proto = self.text("proto", value)?;
                    file.proto_line = self.line(key.span().start);
                }
                "encoding" => {
                    file.encoding = self.text("encoding", value)?;
                    file.encoding_line = self.line(key.span().start);
                }
                "message" => {
                    let list =
                        value.get_ref().as_array().ok_or_else(|| self.wrong("message", value, "[[message]] tables"))?;
                    for message in list.iter() {
                        file.messages.push(self.message(message)?);
                    }
                }
                "struct" => {
                    for (name, fields) in self.table("struct", value)? {
                        let line = self.line(name.span().start);
                        file.structs.push((name.get_ref().to_string(), line, self.fields(fields)?));
                    }
                }
                "enum" => file.enums = self.name_tables("enum", value)?,
                "flags" => file.flags = self.name_tables("flags", value)?,
                _ => return Err(self.unknown(item, &["proto", "encoding", "message", "struct", "enum", "flags"])),
            }
        }
        if file.proto.is_empty() {
            return Err(self.error(
                0,
                "proto is missing: expected proto = \"NAME\", the protocol whose payloads these are".into(),
            ));
        }
        Ok(file)
    }

    pub(crate) fn name_tables(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<Vec<(String, Names)>, SchemaError> {
        self.table(key, value)?
            .into_iter()
            .map(|(name, v)| Ok((name.get_ref().to_string(), self.names(name.get_ref(), v)?)))
            .collect()
    }

    pub(crate) fn names(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Names, SchemaError> {
        self.table(key, value)?
            .into_iter()
            .map(|(name, v)| Ok((name.get_ref().to_string(), self.whole(name.get_ref(), v)?)))
            .collect()
    }

    fn message(&self, value: &Spanned<DeValue<'_>>) -> Result<MessageText, SchemaError> {
        let mut message = MessageText { line: self.line(value.span().start), ..MessageText::default() };
        for item @ (key, value) in self.table("message", value)? {
            message.lines.push((key.get_ref().to_string(), self.line(key.span().start)));
            match key.get_ref().as_ref() {
                "id" => message.id = Some(self.number("id", value)?),
                "route" => message.route = Some(self.text("route", value)?),
                "message" => message.message = self.text("message", value)?,
                "from" => {
                    message.from = self.text("from", value)?;
                    if !["client", "server"].contains(&message.from.as_str()) {
                        return Err(self.error(
                            value.span().start,
                            format!("from: expected client or server, got {:?}", message.from),
                        ));
                    }
                }
                "encoding" => message.encoding = self.text("encoding", value)?,
                "name" => message.name = self.text("name", value)?,
                "doc" => message.doc = self.text("doc", value)?,
                "fields" => message.fields = self.fields(value)?,
                _ => {
                    let known = ["id", "route", "message", "from", "encoding", "name", "doc", "fields"];
                    return Err(self.unknown(item, &known));
                }
            }
        }
        Ok(message)
    }

    fn fields(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<FieldText>, SchemaError> {
        self.table("fields", value)?.into_iter().map(|item| self.field(item)).collect()
    }

    fn field(&self, (name, value): Item<'_, '_>) -> Result<FieldText, SchemaError> {
        let mut field =
            FieldText { line: self.line(name.span().start), name: name.get_ref().to_string(), ..FieldText::default() };
        if let Some(kind) = value.get_ref().as_str() {
            field.kind = kind.into();
            return Ok(field);
        }
        for item @ (key, value) in self.table(&field.name.clone(), value)? {
            match key.get_ref().as_ref() {
                "type" => field.kind = self.text("type", value)?,
                "doc" => field.doc = self.text("doc", value)?,
                "unit" => field.unit = self.text("unit", value)?,
                "scale" => field.scale = Some(self.scale(value)?),
                "enum" => field.names = Some(self.named("enum", value)?),
                "flags" => field.flags = Some(self.named("flags", value)?),
                "if" => field.condition = Some(self.text("if", value)?),
                "tag" => field.tag = Some(self.number("tag", value)?),
                "packed" => field.packed = Some(self.truth("packed", value)?),
                "optional" => field.optional = self.truth("optional", value)?,
                _ => {
                    let known = ["type", "doc", "unit", "scale", "enum", "flags", "if", "tag", "packed", "optional"];
                    return Err(self.unknown(item, &known));
                }
            }
        }
        if field.kind.is_empty() {
            return Err(self.error(name.span().start, format!("{}: type is missing", field.name)));
        }
        Ok(field)
    }

    pub(crate) fn named(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Named, SchemaError> {
        match value.get_ref() {
            DeValue::String(name) => Ok(Named::Reference(name.to_string())),
            _ => self.names(key, value).map(Named::Here),
        }
    }

    /// `0.01`, `10` or `"1/128"`, exactly.
    pub(crate) fn scale(&self, value: &Spanned<DeValue<'_>>) -> Result<(u32, u32), SchemaError> {
        let text = match value.get_ref() {
            DeValue::Float(f) => f.as_str().to_string(),
            DeValue::Integer(n) if n.radix() == 10 => n.as_str().to_string(),
            DeValue::String(s) => s.to_string(),
            _ => String::new(),
        };
        let ratio = match text.split_once('/') {
            Some((a, b)) => digits::unsigned(a.trim()).zip(digits::unsigned(b.trim())),
            None => {
                let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
                let numerator = digits::unsigned(&format!("{whole}{fraction}"));
                numerator.zip(10u32.checked_pow(fraction.len() as u32))
            }
        };
        match ratio {
            Some((num, den)) if num > 0 && den > 0 => Ok((num, den)),
            _ => {
                Err(self.error(value.span().start, "scale: expected a number above 0, as 0.01, 10 or \"1/128\"".into()))
            }
        }
    }
}
