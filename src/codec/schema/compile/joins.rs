//! The rules for joining parts, and the content of the joined bytes.

use super::hooks::Join;
use super::{Compiled, Compiler, Later, lasting, statics};
use crate::codec::kinds::{By, Chosen, Ratio};
use crate::codec::layout::{Field, Kind, Name, flag, of};
use crate::codec::schema::known::Found;
use crate::codec::schema::text::{FieldText, JoinText};
use crate::nearest::{hint, nearest};

/// The most fields of a key.
pub const KEY_FIELDS: usize = 8;

impl<'a> Compiler<'a> {
    /// Compiles the rules for joining a field's parts.
    pub fn join(&mut self, join: &JoinText, t: &FieldText, own: Option<&'static Field>) -> Compiled<&'static Join> {
        let fail = |why: &str| t.fail(format!("join: {why}"));
        let when = match &join.condition {
            Some(text) => Some(self.of_numbers(text, t.line, &format!("{}: join: if", t.name))?),
            None => None,
        };
        let name = |this: &Self, name: &Option<String>| -> Compiled<Option<Name>> {
            let Some(name) = name else { return Ok(None) };
            match this.find(name) {
                Some(Found::Field(place)) if this.known[place].number => Ok(Some(this.name(name))),
                Some(_) => t.fail(format!("join: {name} is not an earlier number")),
                None => Err(this.nothing(t.line, &format!("{}: join", t.name), name)),
            }
        };
        let (negated, remaining) = match &join.remaining {
            Some(text) => match text.strip_prefix("not ") {
                Some(flag) => (true, Some(flag.trim().to_owned())),
                None => (false, Some(text.clone())),
            },
            None => (false, None),
        };
        if join.key.len() > KEY_FIELDS {
            return fail(&format!("key: more than {KEY_FIELDS} fields"));
        }
        let mut key = Vec::new();
        for part in &join.key {
            match self.find(part) {
                Some(Found::Field(place)) if !self.known[place].number => {
                    return fail(&format!("key: {part} is not a number: bytes may be a u32, u64, or several numbers"));
                }
                Some(_) => key.push(self.name(part)),
                None => return Err(self.nothing(t.line, &format!("{}: join: key", t.name), part)),
            }
        }
        let scale = |name: &Option<String>| match name.as_deref().and_then(|name| self.find(name)) {
            Some(Found::Field(place)) => self.known[place].scale.unwrap_or(Ratio::ONE),
            _ => Ratio::ONE,
        };
        let scales = [scale(&join.offset), scale(&join.total)];
        let made = Join {
            number: self.later.len(),
            when,
            key,
            index: name(self, &join.index)?,
            offset: name(self, &join.offset)?,
            count: name(self, &join.count)?,
            total: name(self, &join.total)?,
            scales,
            remaining: name(self, &remaining)?,
            negated,
            is_packet: join.is.as_deref() == Some("packet"),
            whole: std::sync::OnceLock::new(),
        };
        match (made.index, made.offset, made.count, made.total, made.remaining) {
            (Some(_), None, Some(_), None, None) | (Some(_), None, None, None, Some(_)) => {}
            (None, Some(_), Some(_), None, None) | (None, Some(_), None, Some(_), None) => {}
            _ => return fail("expected index and count, offset and count (or total), or index and remaining"),
        }
        let carried = join.is.as_deref().is_some_and(|is| is != "packet" && !(is == "message" && own.is_some()));
        if join.by.is_some() && !carried {
            return fail("by is for wholes that are messages of a carrier (is)");
        }
        let made = lasting(made);
        if let Some(payload) = self.text.payload.as_ref().filter(|payload| join.is.as_ref() == Some(&payload.name)) {
            // The names of the carrier are not those of the whole.
            let known = std::mem::take(&mut self.known);
            let opened = self.opened;
            let whole = self.structure(&payload.name, t);
            (self.known, self.opened) = (known, opened);
            if let Some(Kind::Struct(fields)) = whole? {
                _ = made.whole.set(fields);
            }
            self.later.push(Later { join: made, line: t.line, is: None, by: None, own });
            return Ok(made);
        }
        self.later.push(Later { join: made, line: t.line, is: join.is.clone(), by: join.by.clone(), own });
        Ok(made)
    }

    /// Finds the content of joined bytes, after all messages are compiled.
    pub(super) fn joins(&mut self) -> Compiled<()> {
        for later in std::mem::take(&mut self.later) {
            let Some(is) = &later.is else { continue };
            let wrong = |why: String| (later.line, format!("join: is: {why}"));
            let fields = match (is.as_str(), later.own) {
                ("packet", _) => continue,
                ("message", Some(own)) => std::slice::from_ref(own),
                (carrier, _) => {
                    let carrier = if carrier == "message" { "" } else { carrier };
                    let Some(among) = self.choices.get(carrier).copied() else {
                        let all = self.choices.keys().map(String::as_str).chain(["packet", "message"]);
                        let near = hint(nearest(carrier, all));
                        return Err(wrong(format!("no message {carrier:?} carries others{near}")));
                    };
                    let by = later.by.as_deref().unwrap_or("u8");
                    let Some(mut number) = self.word_type(by, later.line)? else {
                        return Err(wrong(format!("by: {by:?} is not a number type: expected u8, u16, varint, ..")));
                    };
                    number.set_name("id");
                    number.flags |= flag::HIDDEN | flag::REFERENCED;
                    let chosen = Chosen::new(By::Word(lasting(number)), among);
                    let mut field = of("message", Kind::Chosen(lasting(chosen)));
                    field.flags |= flag::CARRIES;
                    statics(vec![field])
                }
            };
            _ = later.join.whole.set(fields);
        }
        Ok(())
    }
}
