//! Messages by number: the candidates for a field of type `message`, and the fields of each.

use super::hooks::Hook;
use super::{CARRIERS, Compiled, Compiler, MOST_FIELDS, lasting, statics};
use crate::codec::kinds::{By, Choice, Chosen, Settles};
use crate::codec::layout::{Field, Kind, Layout, Len, ValueName, When, bytes, flag, group, of};
use crate::codec::schema::known::{Found, used};
use crate::codec::schema::named::{identifier, leak};
use crate::codec::schema::text::{FieldText, IdText, MessageText, Word};
use crate::nearest::{hint, nearest};
use rustc_hash::FxHashMap;

/// The numbers of a message, as ranges.
type Ids = Vec<(u64, u64)>;

/// The bits that the number of a message rules out.
#[derive(Clone, Copy, Debug, Default)]
pub struct IdBits {
    /// Those by the numbers of all messages.
    pub bits: u32,
    /// If sender or conditions select some of the messages: the number's width, and all messages.
    pub varies: Option<(u32, &'static [Choice])>,
}

impl IdBits {
    /// Those by the numbers of the messages that may be there.
    pub fn of(&self, may: impl Fn(&Choice) -> bool) -> u32 {
        self.varies.map_or(self.bits, |(width, among)| ruled(width, among.iter().filter(|choice| may(choice))))
    }
}

/// The bits of a number of this width that the numbers of these messages leave out.
fn ruled<'c>(width: u32, among: impl Iterator<Item = &'c Choice>) -> u32 {
    let numbers = among.flat_map(|choice| choice.ids).map(|(least, most)| (most - least).saturating_add(1));
    let taken = numbers.fold(0, u64::saturating_add).max(1);
    width.saturating_sub(64 - (taken - 1).leading_zeros())
}

/// The name of a message that is named by its ids.
pub const BY_ID: &str = "{id}";

impl<'a> Compiler<'a> {
    /// Compiles a field of type `message`.
    pub fn chosen(&mut self, t: &'a FieldText, hook: u16) -> Compiled<Field> {
        let Some(by) = &t.by else { return t.fail("by is missing: the number that selects the message") };
        let (way, names) = self.by(by, t, t.hidden_id)?;
        let carrier = self.carrier();
        let of_text = match way {
            By::Field(name) => matches!(self.find(name.text), Some(Found::Field(place)) if self.known[place].text),
            By::Word(_) => false,
        };
        let among = self.choices(carrier, &names, of_text, t.line)?;
        if among.is_empty() && self.text.messages.iter().all(|m| m.message != carrier) {
            let whose =
                if carrier.is_empty() { " without message".into() } else { format!(" with message = {carrier:?}") };
            return t.fail(format!("by {by}, but there is no [[message]]{whose}"));
        }
        let width = match way {
            // A text counts as much as a number of 32 bits.
            By::Field(_) if of_text => 32,
            By::Field(name) => match self.find(name.text) {
                Some(Found::Field(place)) => self.known[place].width,
                _ => 0,
            },
            By::Word(number) => number.kind.width().map_or(7, |(bits, _)| bits),
        };
        if self.mistakes.is_empty() {
            self.meant(carrier, by, &names, t.line, if of_text { 64 } else { width }, among);
        }
        let bits = ruled(width, among.iter());
        let varies = among.iter().any(|choice| choice.from > 0 || !matches!(choice.when, When::Always));
        let varies = if varies { Some((width, among)) } else { None };
        for choice in among {
            let ids = if choice.any { IdBits::default() } else { IdBits { bits, varies } };
            self.id_bits.insert(std::ptr::from_ref(choice.field) as usize, ids);
        }
        if let By::Field(name) = way {
            self.uses(name.text, used::BY);
            let ranged = among.iter().find(|choice| choice.id().is_none());
            if let (Some(Found::Field(place)), Some(_)) = (self.find(name.text), ranged) {
                let place = self.known[place].place;
                self.all[place].ranged = true;
            }
        }
        let mut field = of(leak(&t.name), Kind::Chosen(lasting(Chosen::new(way, among))));
        field.flags |= flag::CARRIES;
        let Some(join) = &t.join else { return Ok(field) };
        let made = self.join(join, t, Some(lasting(field.clone())))?;
        let Some(when) = made.when else { return t.fail("join: if is missing: the condition that a part meets") };
        self.hooks[hook as usize].join = Some(made);
        let name = if self.known.iter().any(|known| known.name == "data") { leak(&t.name) } else { "data" };
        let mut part = bytes(name, Len::Rest).doc("a part of a longer message");
        part.when = when;
        part.hook = hook;
        field.when = When::Not(lasting(when));
        let mut both = crate::codec::layout::inline("", statics(vec![part, field]));
        both.flags |= flag::CARRIES;
        Ok(both)
    }

    /// The carrier of the messages in the field that is being compiled; "": the packet.
    fn carrier(&self) -> &'a str {
        let carrier = self.carriers.last().copied().unwrap_or("");
        let payload = self.text.payload.as_ref().map(|payload| payload.name.as_str());
        let Some(payload) = payload.filter(|payload| self.is_within(payload)) else { return carrier };
        // A message of the payload is a carrier of its own.
        let own = |m: &MessageText| m.name == carrier && m.lines.line < crate::codec::schema::compose::CARRIER;
        if self.text.messages.iter().any(own) { carrier } else { payload }
    }

    /// Advises on numbers that no packet can have, and on names without a message.
    fn meant(&mut self, carrier: &str, by: &str, names: &[ValueName], line: usize, width: u32, among: &[Choice]) {
        let text = self.text;
        let texts = text.messages.iter().filter(|m| m.message == carrier && m.name != BY_ID);
        // 7 means numbers of any size.
        let beyond = |id: u64| width != 7 && width < 64 && id >> width > 0 && (id as i64) >= 0;
        for text in texts {
            let Some(choice) = among.iter().find(|choice| choice.field.name == text.name) else { continue };
            if let Some((least, _)) = choice.ids.iter().find(|(least, _)| beyond(*least)) {
                let why = format!("{}: never selected: {least} does not fit into the {width} bits of {by}", text.name);
                self.advice.push((text.lines.at("id"), why));
            }
        }
        let any = among.iter().any(|choice| choice.any);
        let named = |value: u64| among.iter().any(|choice| choice.ids.iter().any(|(a, b)| (*a..=*b).contains(&value)));
        let without: Vec<&str> = names.iter().filter(|(value, _)| !named(*value)).map(|(_, name)| *name).collect();
        if !any && !without.is_empty() {
            self.advice.push((line, format!("{by}: no message has {}", without.join(", "))));
        }
    }

    /// The number that selects the message, and its names.
    fn by(&mut self, by: &str, t: &FieldText, hidden: bool) -> Compiled<(By, Vec<ValueName>)> {
        if let Some(mut number) = self.word_type(by, t.line)? {
            // A name that no header around it has.
            let mut name = "id".to_owned();
            while self.known.iter().any(|known| known.name == name && known.group.is_none()) {
                name.push('_');
            }
            number.set_name(leak(&name));
            number.flags |= flag::HIDDEN | flag::SELECTS | flag::REFERENCED;
            let _ = hidden;
            return Ok((By::Word(lasting(number)), Vec::new()));
        }
        match self.find(by) {
            Some(Found::Field(place)) => {
                let known = &self.known[place];
                if !known.number && !known.text {
                    return t.fail(format!("by: {by} is neither a number nor a text"));
                }
                Ok((By::Field(self.name(by)), known.names.clone()))
            }
            Some(Found::Other(names)) => Ok((By::Field(self.name(by)), names)),
            None => {
                let fields = self.known.iter().map(|known| known.name.as_str());
                let near = hint(nearest(by, fields));
                let why = format!("{}: by: no earlier field and no number type is called {by:?}{near}", t.name);
                Err((t.line, why))
            }
        }
    }

    /// The messages that another one carries; "": those of the packet itself.
    fn choices(
        &mut self,
        carrier: &'a str,
        names: &[ValueName],
        of_text: bool,
        line: usize,
    ) -> Compiled<&'static [Choice]> {
        if let Some(known) = self.choices.get(carrier) {
            return Ok(known);
        }
        if self.carriers.len() > CARRIERS {
            return Err((line, format!("messages in messages, more than {CARRIERS} deep")));
        }
        let mut choices: Vec<Choice> = Vec::new();
        let mut found: FxHashMap<(u64, &str, &str), &str> = FxHashMap::default();
        let text = self.text;
        for m in text.messages.iter().filter(|m| m.message == carrier) {
            let ids = self.ids(m, names, of_text);
            let ids = self.or_later(ids).unwrap_or_default();
            for id in ids.iter().filter(|(least, most)| least == most) {
                let condition = m.condition.as_deref().unwrap_or("");
                if let Some(twin) = found.insert((id.0, &m.from, condition), &m.name) {
                    let why =
                        format!("{}: {twin} has the same id and condition, so this one is never selected", m.name);
                    self.mistakes.push((m.lines.line, why));
                }
            }
            let each = match m.name == BY_ID {
                true => self.named_by_id(m, &ids, names, of_text),
                false => Ok(vec![(m.name.as_str(), ids)]),
            };
            for (name, ids) in self.or_later(each).unwrap_or_default() {
                let choice = self.choice(m, name, ids, of_text);
                choices.extend(self.or_later(choice));
            }
        }
        let list = statics(choices);
        self.choices.insert(carrier.into(), list);
        Ok(list)
    }

    fn ids(&self, m: &MessageText, names: &[ValueName], text: bool) -> Compiled<Ids> {
        let Some(ids) = &m.ids else {
            return match m.any {
                true => Ok(Vec::new()),
                false => Err((m.lines.line, format!("{}: id is missing: the number that names the message", m.name))),
            };
        };
        let one = |id: &IdText| match id {
            IdText::One(Word::Name(word)) if text => {
                let id = self.asked_text(word).id;
                Ok((id, id))
            }
            _ if text => Err((m.lines.at("id"), "id: expected a text: messages are found by one here".into())),
            IdText::Range(least, most) => Ok((*least, *most)),
            IdText::One(word) => match self.word(word, names) {
                Some(id) => Ok((id, id)),
                None => {
                    let word = if let Word::Name(name) = word { name.as_str() } else { "" };
                    let near = hint(nearest(word, names.iter().map(|(_, name)| *name)));
                    let why = format!("id: {word:?} is neither a number nor a name of one{near}");
                    Err((m.lines.at("id"), why))
                }
            },
        };
        ids.iter().map(one).collect()
    }

    /// The messages of `name = "{id}"`: one for each named number, or for each text.
    fn named_by_id(
        &self,
        m: &'a MessageText,
        ids: &[(u64, u64)],
        names: &[ValueName],
        of_text: bool,
    ) -> Compiled<Vec<(&'a str, Ids)>> {
        let fail = |why: String| Err((m.lines.at("name"), format!("name: {why}")));
        if of_text {
            let texts = m
                .ids
                .iter()
                .flatten()
                .filter_map(|id| if let IdText::One(Word::Name(text)) = id { Some(text) } else { None });
            return Ok(texts.zip(ids).map(|(text, id)| (text.as_str(), vec![*id])).collect());
        }
        let mut all = Vec::new();
        for (least, most) in ids {
            let within = names.iter().filter(|(number, _)| (*least..=*most).contains(number));
            let before = all.len();
            all.extend(within.map(|(number, name)| (*name, vec![(*number, *number)])));
            if all.len() == before {
                return fail(format!("{least} has no name: {BY_ID} takes it from the enumeration of by"));
            }
        }
        // Ids that are wrong have their own mistake.
        match m.ids.as_ref().is_none_or(Vec::is_empty) {
            true => fail(format!("{BY_ID} is for messages with ids")),
            false => Ok(all),
        }
    }

    fn choice(&mut self, m: &'a MessageText, name: &'a str, ids: Ids, text: bool) -> Compiled<Choice> {
        if name.is_empty() {
            return Err((m.lines.line, "name is missing: what the message is called".into()));
        }
        identifier(name, &[]).map_err(|why| (m.lines.at("name"), why))?;
        if self.carriers.contains(&name) {
            return Err((m.lines.line, format!("{name}: carries itself")));
        }
        let meaningless = [("route", m.route.is_some()), ("encoding", !m.encoding.is_empty())];
        if let Some((key, _)) = meaningless.iter().find(|(_, given)| *given) {
            return Err((m.lines.at(key), format!("{key} is for payloads of built-in protocols ([over])")));
        }
        let notes = self.notes.len();
        let when = match &m.condition {
            Some(text) => {
                let condition = self.condition(text, m.lines.at("if"), "if")?;
                for (name, value) in &condition.equal {
                    self.uses(name, used::EQUAL);
                    self.settles(name, Settles::Value(*value));
                }
                condition.when
            }
            None => When::Always,
        };
        let notes = self.noted_since(notes);
        let (known, left, listed) = (self.known.len(), self.left, self.listed);
        self.left = MOST_FIELDS;
        self.carriers.push(name);
        let opened = std::mem::take(&mut self.opened);
        let fields = self.body(m);
        let is_around = std::mem::replace(&mut self.opened, opened);
        self.carriers.pop();
        let fields = self.ended(fields?, known);
        let fields = if notes.is_empty() { fields } else { statics([notes, fields.to_vec()].concat()) };
        (self.left, self.listed) = (left, listed);
        self.known.truncate(known);
        let mut sets = Vec::new();
        for (name, value) in &m.sets {
            sets.push(self.set(name, m.lines.at("sets"), Some(value))?);
        }
        let mut field = group(leak(name), fields).doc(leak(&m.doc)).keep_empty();
        field.flags |= flag::MESSAGE;
        if !sets.is_empty() {
            field.hook = self.hooks.len() as u16;
            self.hooks.push(Hook { sets, ..Hook::default() });
        }
        let from = match m.from.as_str() {
            "client" => 1,
            "server" => 2,
            _ => 0,
        };
        let layout = lasting(Layout::new(leak(name), leak(&m.doc), fields));
        let text = match m.ids.as_deref() {
            Some(_) if text && m.name == BY_ID => Some(leak(name)),
            Some([IdText::One(Word::Name(id))]) if text && !m.any => Some(leak(id)),
            _ => None,
        };
        let field = lasting(field);
        if is_around {
            self.around.push(field);
        }
        Ok(Choice { field, ids: statics(ids), text, any: m.any, from, when, layout })
    }
}
