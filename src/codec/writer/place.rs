//! Tracks the writer's position in the input: the values that are given, the values that were used, and errors with
//! their path.

use super::{Cursor, EncodeError, WriteStop, Writer};
use crate::codec::layout::{Field, Kind};
use crate::codec::reader::UNENDED;
use crate::codec::{describe, names};
use serde_json::Value as Json;

impl<'a> Writer<'a> {
    /// Sets the fields of the innermost object's group.
    pub(in crate::codec) fn describe_group(&mut self, fields: &'static [Field]) {
        if let Some(Cursor::Object { table, .. }) = self.cursors.last_mut() {
            *table = fields;
        }
    }

    /// Checks that every key of the innermost object belongs to some field of its group.
    pub(in crate::codec) fn check_used(&self) -> Result<(), EncodeError> {
        let Some(Cursor::Object { fields, used, table, .. }) = self.cursors.last() else { return Ok(()) };
        let known = used.len() + fields.contains_key("unparsed") as usize;
        if fields.len() <= known {
            return Ok(());
        }
        let left = |key: &&str| *key != "unparsed" && !used.contains(key);
        let Some(key) = fields.keys().map(String::as_str).find(left) else { return Ok(()) };
        let mut all = Vec::new();
        names::in_group(table, &mut |field| all.push(field.name));
        all.dedup();
        let what = match crate::nearest::nearest(key, all.iter().copied()) {
            _ if all.contains(&key) => "must be absent, because of the values of other fields".into(),
            Some(near) => format!("unknown field{}", crate::nearest::hint(Some(near))),
            None if table.is_empty() => "unknown field".into(),
            None if all.is_empty() => "unknown field: none are expected".into(),
            None => format!("unknown field: there are {}", all.join(", ")),
        };
        Err(self.error_at(key, what))
    }

    /// Returns an unknown key of the innermost object that may be a misspelling of `field`.
    pub(super) fn mistaken(&self, field: &'static Field) -> Option<&'a str> {
        let Some(Cursor::Object { fields, used, table, .. }) = self.cursors.last() else { return None };
        let unknown =
            |key: &&str| *key != "unparsed" && !table.is_empty() && !used.contains(key) && !names::has(key, table);
        crate::nearest::nearest(field.name, fields.keys().map(String::as_str).filter(unknown))
    }

    /// Returns the value given for `field`, if any.
    pub fn input(&mut self, field: &'static Field) -> Option<&'a Json> {
        match self.cursors.last_mut()? {
            Cursor::Object { fields, used, .. } => {
                let found = fields.get(field.name)?;
                if !used.contains(&field.name) {
                    used.push(field.name);
                }
                Some(found)
            }
            Cursor::List { items, next, .. } => items.get(next.checked_sub(1)?),
        }
    }

    pub(in crate::codec) fn has(&self, field: &'static Field) -> bool {
        match self.cursors.last() {
            Some(Cursor::Object { fields, .. }) => fields.contains_key(field.name),
            _ => true,
        }
    }

    /// Whether the innermost object's group has another field of this name.
    pub(in crate::codec) fn has_twin(&self, field: &'static Field) -> bool {
        let Some(Cursor::Object { table, .. }) = self.cursors.last() else { return false };
        names::count(field.name, table) > 1
    }

    /// Whether the list of this name broke off before its end when it was read. No later field of its object is given
    /// then.
    pub(in crate::codec) fn broke_off(&mut self, list: &str) -> bool {
        if !self.broken || self.input(&UNENDED).is_none() {
            return false;
        }
        let Some(Cursor::Object { fields, table, .. }) = self.cursors.last() else { return false };
        let (mut after, mut later) = (false, false);
        names::in_group(table, &mut |field| {
            later |= after && field.name != list && fields.contains_key(field.name);
            after |= field.name == list;
        });
        !later
    }

    /// Whether the innermost object has a value of this name.
    pub(in crate::codec) fn has_name(&self, name: &str) -> bool {
        matches!(self.cursors.last(), Some(Cursor::Object { fields, .. }) if fields.contains_key(name))
    }

    /// Whether a field is given. A field without a name is given if one of its own fields is.
    pub(in crate::codec) fn gives(&self, field: &'static Field) -> bool {
        if field.is_inline() { field.kind.fields().iter().any(|field| self.gives(field)) } else { self.has(field) }
    }

    pub(in crate::codec) fn derived_input(&self, field: &'static Field) -> Option<&'a Json> {
        match self.cursors.last()? {
            Cursor::Object { derived, .. } => derived.and_then(|d| d.get(field.name)),
            Cursor::List { derived, next, .. } => derived.and_then(|d| d.get(next.checked_sub(1)?)),
        }
    }

    /// Returns the number before a field, if it is given.
    pub(in crate::codec) fn given_prefix(&mut self, prefix: &'static Field) -> Option<&'a Json> {
        match self.cursors.last() {
            Some(Cursor::Object { .. }) if !prefix.name.is_empty() => self.input(prefix),
            _ => None,
        }
    }

    /// Returns the error that something else was expected here.
    pub fn wrong(&self, expected: &str, got: &Json) -> EncodeError {
        let mut shown = got.to_string();
        if shown.len() > 60 {
            shown = shown.chars().take(57).collect::<String>() + "...";
        }
        self.error(format!("expected {expected}, got {shown}"))
    }

    /// Returns an error at this position.
    pub fn error(&self, what: String) -> EncodeError {
        let mut path = String::new();
        for (k, name) in self.names.iter().enumerate() {
            match name.is_empty() {
                // The index of a list's element is in the list's cursor.
                true => {
                    if let Some(Cursor::List { next, .. }) = self
                        .cursors
                        .iter()
                        .filter(|c| matches!(c, Cursor::List { .. }))
                        .nth(self.names[..k].iter().filter(|n| n.is_empty()).count())
                    {
                        path += &format!("[{}]", next.saturating_sub(1));
                    }
                }
                false if path.is_empty() => path += name,
                false => path += &format!(".{name}"),
            }
        }
        EncodeError { path: if path.is_empty() { "fields".into() } else { path }, what }
    }

    /// Returns an error at a member of this object.
    pub(in crate::codec) fn error_at(&self, name: &str, what: String) -> EncodeError {
        let mut error = self.error(what);
        error.path = if self.names.is_empty() { name.into() } else { format!("{}.{name}", error.path) };
        error
    }

    pub(in crate::codec) fn fail(&self, what: String) -> WriteStop {
        WriteStop::Error(self.error(what))
    }

    /// Returns the reason to stop at a required field that is not given: an error, or the end of a message that was
    /// broken here.
    pub fn missing(&mut self, field: &'static Field) -> WriteStop {
        if self.broken {
            return WriteStop::Broken;
        }
        if let Some(key) = self.mistaken(field) {
            return WriteStop::Error(self.error_at(key, format!("unknown field, did you mean {:?}?", field.name)));
        }
        let what = match field.kind {
            Kind::Derived => "not known: no earlier message has it; give it under derived".into(),
            _ => format!("required, but not given ({})", describe::kind(field)),
        };
        WriteStop::Error(self.error_at(field.name, what))
    }
}
