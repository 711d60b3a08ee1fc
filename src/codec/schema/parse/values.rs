//! Single values: numbers, words, texts.

use super::super::text::{ValueText, Word};
use super::{Done, Parser, Value};
use crate::codec::schema::reading::Item;
use crate::nearest::{hint, nearest};
use serde_json::Value as Json;
use toml::de::DeValue;

/// An integer of any radix, of at most 64 bits.
pub fn whole(value: &DeValue<'_>) -> Option<i128> {
    let n = value.as_integer()?;
    let n = i128::from_str_radix(&n.as_str().replace('_', ""), n.radix()).ok()?;
    (i128::from(i64::MIN)..=u64::MAX.into()).contains(&n).then_some(n)
}

impl Parser<'_> {
    pub(super) fn line(&self, item: &Item<'_, '_>) -> usize {
        self.reader.line(item.0.span().start)
    }

    pub(super) fn fail<T>(&self, item: &Item<'_, '_>, why: impl Into<String>) -> Done<T> {
        Err(self.reader.error(item.0.span().start, why.into()))
    }

    pub(super) fn word(&self, key: &str, value: &Value<'_>) -> Done<Word> {
        match value.get_ref() {
            DeValue::String(text) => Ok(Word::Name(text.to_string())),
            DeValue::Boolean(set) => Ok(Word::Number(*set as i128)),
            other => whole(other).map(Word::Number).ok_or_else(|| self.reader.wrong(key, value, "a number or a name")),
        }
    }

    /// Parses a text, or a list of texts.
    pub(super) fn texts(&self, key: &str, value: &Value<'_>) -> Done<Vec<String>> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|one| self.reader.text(key, one)).collect(),
            _ => Ok(vec![self.reader.text(key, value)?]),
        }
    }

    pub(super) fn order(&self, key: &str, value: &Value<'_>) -> Done<bool> {
        let text = self.reader.text(key, value)?;
        match text.as_str() {
            "be" => Ok(true),
            "le" => Ok(false),
            other => {
                let near = hint(nearest(other, ["be", "le"]));
                Err(self.reader.error(value.span().start, format!("{key}: expected be or le, got {other:?}{near}")))
            }
        }
    }

    pub(super) fn constant(&self, key: &str, value: &Value<'_>) -> Done<ValueText> {
        match value.get_ref() {
            DeValue::String(text) => Ok(ValueText::Text(text.to_string())),
            DeValue::Boolean(set) => Ok(ValueText::Number(*set as i128)),
            DeValue::Float(number) => {
                let parsed = number.as_str().replace('_', "").parse();
                parsed.map(ValueText::Float).map_err(|_| self.reader.wrong(key, value, "a number or a text"))
            }
            other => {
                whole(other).map(ValueText::Number).ok_or_else(|| self.reader.wrong(key, value, "a number or a text"))
            }
        }
    }

    /// Converts a value to JSON.
    pub(super) fn json(&self, key: &str, value: &Value<'_>) -> Done<Json> {
        Ok(match value.get_ref() {
            DeValue::String(text) => Json::from(text.as_ref()),
            DeValue::Boolean(set) => Json::from(*set),
            DeValue::Array(list) => list.iter().map(|one| self.json(key, one)).collect::<Done<Vec<_>>>()?.into(),
            DeValue::Table(table) => {
                let members = self.reader.in_order(table).into_iter();
                let member = |(name, value): Item<'_, '_>| Ok((name.get_ref().to_string(), self.json(key, value)?));
                Json::Object(members.map(member).collect::<Done<_>>()?)
            }
            DeValue::Float(number) => {
                let parsed = number.as_str().replace('_', "").parse::<f64>();
                parsed.ok().map(Json::from).ok_or_else(|| self.reader.wrong(key, value, "a value"))?
            }
            other => match whole(other) {
                Some(n) if n < 0 => Json::from(n as i64),
                Some(n) => Json::from(n as u64),
                None => return Err(self.reader.wrong(key, value, "a value")),
            },
        })
    }
}
