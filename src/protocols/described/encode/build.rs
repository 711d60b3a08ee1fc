//! Converts one line to an object that mirrors the packet.

use super::super::Description;
use super::super::lines::Nameless;
use super::super::state::State;
use super::error;
use super::values::{number, remembered_holds};
use crate::codec::EncodeError;
use crate::codec::kinds::{By, Choice, Chosen, Extent, Region};
use crate::codec::layout::{Count, Field, Kind, Len, When, flag};
use crate::codec::names::has;
use crate::dissect::Line;
use crate::nearest::{hint, nearest};
use serde_json::{Map, Value as Json};

/// The state of converting one line.
pub struct Build<'a> {
    pub description: &'static Description,
    pub message: &'a str,
    pub state: State<'a>,
    pub derived: Option<&'a Json>,
    /// The remaining fields of the headers; `fields`: those of the message.
    pub packet: &'a mut Map<String, Json>,
    pub fields: &'a mut Map<String, Json>,
    /// The message has been placed.
    pub placed: bool,
    pub broken: bool,
    /// Numbers by which messages are found, for the outer levels.
    pub pending: Vec<(String, Json)>,
}

impl Build<'_> {
    /// The messages that lead to the line's, carriers first.
    pub fn path(&self, line: &Line<'_>) -> Result<Vec<&'static Choice>, EncodeError> {
        let named = |name: &str| {
            let found: Vec<_> = self.carried().filter(|(_, choice)| choice.field.name == name).collect();
            let side = |choice: &Choice| choice.is_from(self.state.from);
            // Remembered values distinguish messages with the same name.
            let state = |choice: &Choice| remembered_holds(&choice.when, &self.state);
            let best = found.iter().find(|(_, c)| side(c) && state(c)).or(found.iter().find(|(_, c)| side(c)));
            best.or(found.first()).copied()
        };
        let Some((mut carrier, choice)) = named(self.message) else {
            let near = hint(nearest(self.message, self.carried().map(|(_, choice)| choice.field.name)));
            return Err(error("message", format!("{} has no message {:?}{near}", line.proto, self.message)));
        };
        let mut path = vec![choice];
        while !carrier.is_empty() && path.len() < 16 {
            let outer = if self.description.payload == carrier { self.around_payload() } else { named(carrier) };
            let Some((outer, choice)) = outer else { break };
            path.insert(0, choice);
            carrier = outer;
        }
        Ok(path)
    }

    /// All messages, each with its carrier.
    fn carried(&self) -> impl Iterator<Item = (&'static str, &'static Choice)> {
        self.description.carried.iter().flat_map(|(carrier, list)| list.iter().map(|choice| (*carrier, choice)))
    }

    /// The message around a payload: the one most of whose fields are given.
    fn around_payload(&self) -> Option<(&'static str, &'static Choice)> {
        let given = |choice: &Choice| {
            let fields = super::super::lines::header(choice.layout.fields);
            let shown = fields.iter().filter(|field| !field.is(flag::HIDDEN) && !field.name.is_empty());
            let names: Vec<&str> = shown.map(|field| field.name).collect();
            let there = names.iter().filter(|name| self.packet.contains_key(**name)).count();
            (there, std::cmp::Reverse(names.len()))
        };
        let around = self
            .carried()
            .filter(|(_, choice)| self.description.is_around(choice.field) && choice.is_from(self.state.from));
        // Of equals, the first.
        around.collect::<Vec<_>>().into_iter().rev().max_by_key(|(_, choice)| given(choice))
    }

    /// Fills the object of one level of fields. `path`: the messages still to be placed.
    pub fn level(
        &mut self,
        fields: &'static [Field],
        path: &[&'static Choice],
        message: &str,
        into: &mut Map<String, Json>,
    ) -> Result<(), EncodeError> {
        let inner = path.is_empty() && self.message == message && !message.is_empty();
        // Fields after the message are the header's, too: the message takes what is left.
        let [own, carriers] =
            [false, true].map(|carries| fields.iter().filter(move |f| f.is(flag::CARRIES) == carries));
        for field in own.chain(carriers) {
            match &field.kind {
                kind if field.is_inline() => {
                    // A length that is shown belongs to this group.
                    if let Kind::Region(Region { extent: Extent::Prefix(prefix), .. }) = kind {
                        self.take(prefix, into);
                    }
                    self.level(kind.fields(), path, message, into)?;
                }
                Kind::Struct(list) if field.is(flag::CARRIES) => {
                    let mut group = Map::new();
                    self.level(list, path, message, &mut group)?;
                    if !group.is_empty() {
                        into.insert(field.name.into(), Json::Object(group));
                    }
                }
                Kind::Array { of, .. } if field.is(flag::CARRIES) && !inner => {
                    let mut element = Map::new();
                    let list = if let Kind::Struct(list) = &of.kind { *list } else { std::slice::from_ref(*of) };
                    self.level(list, path, message, &mut element)?;
                    if !element.is_empty() {
                        into.insert(field.name.into(), Json::Array(vec![Json::Object(element)]));
                    }
                }
                Kind::Chosen(chosen) => self.chosen(field, chosen, path, into)?,
                Kind::Array { count: Count::Prefix(prefix), .. }
                | Kind::Text { len: Len::Prefix(prefix), .. }
                | Kind::Bytes { len: Len::Prefix(prefix) } => {
                    self.take(prefix, into);
                    self.take(field, into);
                }
                _ => self.take(field, into),
            }
        }
        self.presence(fields, into);
        for (name, value) in std::mem::take(&mut self.pending) {
            if has(&name, fields) { _ = into.entry(name).or_insert(value) } else { self.pending.push((name, value)) }
        }
        Ok(())
    }

    /// The kind of a line without a message.
    fn line(&self) -> Option<Nameless> {
        self.description.nameless.named(self.message)
    }

    /// Whether the line has no message of the file: a packet, an element, a part alone.
    fn nameless(&self) -> bool {
        self.line().is_some()
    }

    /// Moves a field's value, if there is one.
    fn take(&mut self, field: &'static Field, into: &mut Map<String, Json>) {
        if into.contains_key(field.name) || field.is(flag::DERIVED) {
            return;
        }
        let own = matches!(self.line(), Some(Nameless::Packet | Nameless::Fragment))
            || !self.placed && !self.packet.contains_key(field.name);
        let value = match self.packet.remove(field.name) {
            Some(value) => Some(value),
            None if own => self.own(field.name),
            None => None,
        };
        if let Some(value) = value {
            into.insert(field.name.into(), value);
        }
    }

    /// Takes a field of the line itself, if the message has no field with that name.
    fn own(&mut self, name: &str) -> Option<Json> {
        let mut mine = self.description.choices().filter(|choice| choice.field.name == self.message);
        let has = mine.any(|choice| has(name, choice.layout.fields));
        if has || self.line() == Some(Nameless::Unknown) { None } else { self.fields.remove(name) }
    }

    /// Sets numbers that only mark the presence of fields: the bits of the given fields.
    fn presence(&self, fields: &'static [Field], into: &mut Map<String, Json>) {
        for field in fields {
            let number = matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. });
            if !number || into.contains_key(field.name) || matches!(field.when, When::Always) {
                continue;
            }
            let mut all = 0u64;
            for other in fields.iter().filter(|other| into.contains_key(other.name)) {
                match other.when {
                    When::Bit(name, bit) if name.text == field.name => all |= 1 << bit,
                    When::Mask(name, mask) if name.text == field.name => all |= mask,
                    _ => {}
                }
            }
            if all != 0 {
                into.insert(field.name.into(), all.into());
            }
        }
    }

    /// Places a message.
    fn chosen(
        &mut self,
        field: &'static Field,
        chosen: &'static Chosen,
        path: &[&'static Choice],
        into: &mut Map<String, Json>,
    ) -> Result<(), EncodeError> {
        if self.placed {
            return Ok(());
        }
        if let (By::Word(number), false) = (chosen.by, self.nameless()) {
            self.take(number, into);
        }
        let (place, choice, rest) = match path.split_first() {
            Some((first, rest)) => {
                let place = chosen.among.iter().position(|choice| std::ptr::eq(choice.field, first.field));
                let Some(place) = place else { return Ok(()) };
                (place, *first, rest)
            }
            // No message is known: the given numbers select the level at which none was found.
            None if self.nameless() => {
                let given = self.by(chosen, into).or_else(|| match chosen.by {
                    By::Word(number) => self.packet.get(number.name).and_then(Json::as_u64),
                    By::Field(_) => None,
                });
                let fits =
                    |choice: &Choice| choice.is_from(self.state.from) && remembered_holds(&choice.when, &self.state);
                let outer = given.and_then(|id| chosen.with(id).find(|(_, choice)| choice.carries() && fits(choice)));
                match outer {
                    Some((place, choice)) => (place, choice, path),
                    None if self.line() == Some(Nameless::Unknown) => return self.unknown(field, chosen, into),
                    None => return Ok(()),
                }
            }
            None => return Ok(()),
        };
        self.select(chosen, choice);
        let mut object = Map::new();
        let mut about = Map::new();
        about.insert("place".into(), place.into());
        if let (true, Some(derived)) = (rest.is_empty(), self.derived) {
            about.insert("derived".into(), derived.clone());
        }
        object.insert(String::new(), Json::Object(about));
        let innermost = rest.is_empty() && choice.field.name == self.message;
        if innermost {
            self.placed = true;
            self.level_of_message(choice, &mut object);
        } else {
            if let (true, By::Word(number)) = (self.nameless(), chosen.by) {
                self.packet.remove(number.name);
            }
            self.level(choice.layout.fields, rest, choice.field.name, &mut object)?;
            if let Some(trailing) = self.packet.remove("trailing") {
                object.insert("trailing".into(), trailing);
            }
        }
        into.insert(field.name.into(), Json::Object(object));
        Ok(())
    }

    /// Moves all remaining fields to the message.
    fn level_of_message(&mut self, choice: &'static Choice, object: &mut Map<String, Json>) {
        let fields = std::mem::take(self.fields);
        object.extend(fields);
        for (message, name, value) in &self.description.defaults {
            let known = choice.field.name == *message && has(name, choice.layout.fields);
            if known && !object.contains_key(*name) && !self.broken {
                object.insert((*name).into(), value.clone());
            }
        }
        self.presence(choice.layout.fields, object);
    }

    fn unknown(
        &mut self,
        field: &'static Field,
        chosen: &'static Chosen,
        into: &mut Map<String, Json>,
    ) -> Result<(), EncodeError> {
        let mut object = std::mem::take(self.fields);
        if let (By::Field(name), Some(id)) = (chosen.by, object.get("id").cloned()) {
            self.give(name.last(), id);
        }
        object.insert(String::new(), Json::Null);
        self.placed = true;
        into.insert(field.name.into(), Json::Object(object));
        Ok(())
    }

    /// The number by which a message is found, if it is given at this level or above.
    fn by(&self, chosen: &Chosen, into: &Map<String, Json>) -> Option<u64> {
        let By::Field(name) = chosen.by else { return None };
        let name = name.last();
        let field = self.description.named(name)?;
        number(field, into.get(name).or_else(|| self.packet.get(name))?)
    }

    /// Writes the number by which a message is found.
    fn select(&mut self, chosen: &Chosen, choice: &Choice) {
        if let (By::Field(name), Some(text)) = (chosen.by, choice.text) {
            // Its end: the first possible one, if none is given.
            let end = match self.description.named(name.last()).map(|field| &field.kind) {
                Some(Kind::Text { len: Len::Through(ends), .. }) => ends.any.first().map(|b| *b as char),
                _ => None,
            };
            self.give(name.last(), text.chars().chain(end).collect::<String>().into());
        } else if let (By::Field(name), Some(id)) = (chosen.by, choice.id()) {
            self.give_number(name.last(), id);
        }
        self.equal(&choice.when);
    }

    /// Writes the earlier fields' values that a message's condition requires.
    fn equal(&mut self, when: &When) {
        match when {
            When::Eq(name, value) => {
                let known = self.description.memory.iter().any(|known| known.name == name.text);
                if !known && name.text != "from" {
                    self.give_number(name.text, *value);
                }
            }
            When::Is(name, text) => self.give(name.text, text.text.into()),
            When::All(all) => all.iter().for_each(|when| self.equal(when)),
            _ => {}
        }
    }

    /// As [`give`](Self::give), for a number; a negative one is in two's complement.
    fn give_number(&mut self, name: &str, value: u64) {
        let signed = self.description.named(name).is_some_and(|field| field.kind.is_signed());
        self.give(name, if signed { (value as i64).into() } else { value.into() });
    }

    /// Adds a value that was not given, at the level that has it.
    fn give(&mut self, name: &str, value: Json) {
        if self.description.named(name).is_some() {
            self.pending.push((name.into(), value));
        }
    }
}
