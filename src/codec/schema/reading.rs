//! Reads the TOML of schemas and of protocol files: values with their lines, and the keys of messages and fields that
//! both languages have.

use super::SchemaError;
use crate::codec::digits;
use crate::codec::kinds::Ratio;
use crate::nearest::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest schema file, in bytes.
pub(crate) const LONGEST: usize = 4 << 20;

/// Names and their numbers, in the file's order.
pub type Names = Vec<(String, i128)>;

/// An enumeration by its name, or given inline.
#[derive(Debug)]
pub enum Named {
    Reference(String),
    Here(Names),
}

/// The line of a table, and those of its keys.
#[derive(Debug, Default)]
pub struct Lines {
    pub line: usize,
    keys: Vec<(String, usize)>,
}

impl Lines {
    /// Creates the lines of a table in this line.
    pub fn of(line: usize) -> Lines {
        Lines { line, keys: Vec::new() }
    }

    /// Adds a key.
    pub fn add(&mut self, key: &str, line: usize) {
        self.keys.push((key.into(), line));
    }

    /// The line of a key.
    pub fn of_key(&self, key: &str) -> Option<usize> {
        self.keys.iter().find(|(known, _)| known == key).map(|(_, line)| *line)
    }

    /// The line of a key, or of the table if the key is absent.
    pub fn at(&self, key: &str) -> usize {
        self.of_key(key).unwrap_or(self.line)
    }
}

/// Reads a file's values, and finds their lines.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    pub(crate) file: &'a str,
    /// The offset of the end of each line.
    ends: Vec<usize>,
    /// The number of the first line.
    first: usize,
}

/// A key and its value.
pub(crate) type Item<'a, 'i> = (&'a Spanned<std::borrow::Cow<'i, str>>, &'a Spanned<DeValue<'i>>);

impl<'f> Reader<'f> {
    /// Creates a reader of this file.
    pub(crate) fn new(file: &'f str, text: &str, first: usize) -> Reader<'f> {
        Reader { file, ends: memchr::memchr_iter(b'\n', text.as_bytes()).collect(), first }
    }

    /// Returns the column of an offset, from 1.
    pub(crate) fn column(&self, text: &str, at: usize) -> usize {
        let line = 1 + self.line(at) - self.first;
        let start = if line > 1 { self.ends.get(line - 2).map_or(0, |end| end + 1) } else { 0 };
        text.get(start..at).map_or(1, |before| before.chars().count() + 1)
    }

    pub(crate) fn line(&self, at: usize) -> usize {
        self.first + self.ends.partition_point(|end| *end < at)
    }

    pub(crate) fn error(&self, at: usize, reason: String) -> SchemaError {
        SchemaError { file: self.file.into(), line: self.line(at), reason }
    }

    pub(crate) fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> SchemaError {
        self.error(value.span().start, format!("{key}: expected {expected}, got {}", value.get_ref().type_str()))
    }

    /// Returns the error that a key is not one of the known ones. These are separated by blanks.
    pub(crate) fn unknown(&self, item: Item<'_, '_>, known: &str) -> SchemaError {
        let key = item.0.get_ref();
        let reason = match nearest(key, known.split(' ')) {
            Some(near) => format!("no key {key:?} here, did you mean {near:?}?"),
            None => format!("no key {key:?} here: there are {}", known.replace(' ', ", ")),
        };
        self.error(item.0.span().start, reason)
    }

    pub(crate) fn text(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<String, SchemaError> {
        value.get_ref().as_str().map(Into::into).ok_or_else(|| self.wrong(key, value, "text"))
    }

    pub(crate) fn truth(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<bool, SchemaError> {
        value.get_ref().as_bool().ok_or_else(|| self.wrong(key, value, "true or false"))
    }

    /// Reads a number of either sign.
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

    /// Restores the order of the file from the keys' positions, because the parser's tables are unordered.
    pub(crate) fn in_order<'a, 'i>(&self, table: &'a DeTable<'i>) -> Vec<Item<'a, 'i>> {
        let mut items: Vec<Item<'a, 'i>> = table.iter().collect();
        items.sort_by_key(|(key, _)| key.span().start);
        items
    }

    /// Reads `[struct.X]` tables: the name, its line, its fields.
    pub(crate) fn structs<T>(
        &self,
        value: &Spanned<DeValue<'_>>,
        fields: impl Fn(&Spanned<DeValue<'_>>) -> Result<Vec<T>, SchemaError>,
    ) -> Result<Vec<(String, usize, Vec<T>)>, SchemaError> {
        let one = |(name, value): Item<'_, '_>| {
            Ok((name.get_ref().to_string(), self.line(name.span().start), fields(value)?))
        };
        self.table("struct", value)?.into_iter().map(one).collect()
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
            .map(|(name, v)| match name.get_ref().contains(|c: char| c.is_control() || matches!(c, '"' | '\\')) {
                false => Ok((name.get_ref().to_string(), self.whole(name.get_ref(), v)?)),
                true => {
                    let why = format!("{:?}: a name has no quotes, backslashes or control characters", name.get_ref());
                    Err(self.error(name.span().start, why))
                }
            })
            .collect()
    }

    pub(crate) fn named(&self, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Named, SchemaError> {
        match value.get_ref() {
            DeValue::String(name) => Ok(Named::Reference(name.to_string())),
            _ => self.names(key, value).map(Named::Here),
        }
    }

    /// Reads a scale exactly: `0.01`, `10` or `"1/128"`.
    pub(crate) fn scale(&self, value: &Spanned<DeValue<'_>>) -> Result<Ratio, SchemaError> {
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
            Some((num, den)) if num > 0 && den > 0 => Ok(Ratio { num, den }),
            _ => Err(self
                .error(value.span().start, "scale: expected a number above 0, such as 0.01, 10 or \"1/128\"".into())),
        }
    }
}
