//! Payloads of a protocol whose messages are not described by a file: each message is compiled to one table for each
//! encoding that the protocol has for values.

use super::structs::is_tagged;
use super::{Compiled, Compiler, MOST_FIELDS, Mistakes, statics};
use crate::codec::digits;
use crate::codec::layout::{Field, Kind, of};
use crate::codec::schema::named::{identifier, leak};
use crate::codec::schema::text::{File, IdText, MessageText, OverText, Word};
use crate::codec::schema::{Encoding, Form, Keys, SchemaMessage};
use crate::nearest::{hint, nearest};
use rustc_hash::FxHashMap;

/// The most ids of a file: each of them has an entry.
const MOST_IDS: usize = 1 << 16;

/// Compiles the messages of a file over a protocol with these encodings. On error: all mistakes.
pub fn payloads(file: &File, over: &OverText, encodings: &'static [Encoding]) -> Result<Vec<SchemaMessage>, Mistakes> {
    let Some(first) = encodings.first() else {
        return Err(vec![(over.line, format!("{} takes no payloads of files", over.protocol))]);
    };
    let mut over = Over { file, over, encodings, keys: first.keys, compilers: Vec::new() };
    over.compilers.extend(encodings.iter().map(|encoding| Compiler::new(file, Some(encoding))));
    let (mut messages, mut wrong) = (Vec::new(), over.misplaced());
    let mut found = FxHashMap::default();
    for m in &file.messages {
        match over.message(m) {
            Ok(several) if messages.len() + several.len() > MOST_IDS => {
                wrong.push((m.lines.line, format!("more than {MOST_IDS} ids in a file")));
                break;
            }
            Ok(several) => {
                for one in &several {
                    let key = (one.number, one.word.clone(), one.message.clone(), one.from.clone());
                    if let Some(twin) = found.insert(key, one.name) {
                        let why = format!("{twin} is selected in the same way, so this one is never used");
                        wrong.push((m.lines.line, why));
                    }
                }
                messages.extend(several);
            }
            Err(mistakes) => wrong.extend(mistakes),
        }
    }
    if wrong.is_empty() { Ok(messages) } else { Err(wrong) }
}

/// The name of a message that has none: what it is found by, as a name (`id_7`, `Room_Say`).
fn name_of_key(m: &MessageText, carrier: &str) -> String {
    match (&m.route, m.ids.as_deref()) {
        (Some(route), _) if route.starts_with(|c: char| c.is_ascii_alphabetic()) => {
            let words = route.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join("_")
        }
        (_, Some([IdText::One(Word::Number(id)), ..])) => format!("id_{id}"),
        (_, Some([IdText::Range(least, _), ..])) => format!("id_{least}"),
        (Some(_), _) => "any".into(),
        _ if m.any => "any".into(),
        _ => carrier.into(),
    }
}

/// A file over a protocol.
struct Over<'a> {
    file: &'a File,
    over: &'a OverText,
    encodings: &'static [Encoding],
    keys: &'static Keys,
    /// One for each encoding.
    compilers: Vec<Compiler<'a>>,
}

impl<'a> Over<'a> {
    /// The tables of the file that describe conversations: those are the carrier's.
    fn misplaced(&self) -> Mistakes {
        let tables = "beside udp tcp websocket packet memory settings numbers requests recognise session probe";
        let given = tables.split(' ').filter_map(|table| Some((table, self.file.lines.of_key(table)?)));
        let over = &self.over.protocol;
        given.map(|(table, line)| (line, format!("{table} has no meaning over {over}, which has its own"))).collect()
    }

    fn message(&mut self, m: &'a MessageText) -> Result<Vec<SchemaMessage>, Mistakes> {
        let carrier = if m.message.is_empty() { &self.over.message } else { &m.message };
        let fail = |mistake| vec![mistake];
        let numbers = self.ids(m, carrier).map_err(fail)?;
        let name = if m.name.is_empty() { name_of_key(m, carrier) } else { m.name.clone() };
        identifier(&name, &[]).map_err(|why| fail((m.lines.at("name"), why)))?;
        let meaningless = [("if", m.condition.is_some()), ("sets", !m.sets.is_empty())];
        if let Some((key, _)) = meaningless.iter().find(|(_, given)| *given) {
            return Err(fail((m.lines.at(key), format!("{key} has no meaning over {}", self.over.protocol))));
        }
        if let Some(t) = m.fields.iter().find(|t| self.keys.taken.contains(&t.name.as_str())) {
            return t.fail("the name is taken by a field of the packet itself").map_err(fail);
        }
        let chosen = self.chosen(m).map_err(fail)?;
        let (mut fields, mut wrong) = (Vec::new(), Mistakes::new());
        for (k, compiler) in self.compilers.iter_mut().enumerate() {
            let compiled = match chosen.is_some_and(|chosen| chosen != k) {
                true => None,
                false => match compiler.payload(m) {
                    Ok(fields) => Some(fields),
                    Err(mistakes) => {
                        if wrong.is_empty() {
                            wrong = mistakes;
                        }
                        None
                    }
                },
            };
            fields.push(compiled);
        }
        // A type may be missing in some encodings, but not in all.
        if fields.iter().all(Option::is_none) {
            return Err(wrong);
        }
        let one = |number: Option<u64>, word: Option<String>| SchemaMessage {
            name: leak(&name),
            doc: leak(&m.doc),
            message: carrier.clone(),
            number,
            word,
            from: m.from.clone(),
            fields: fields.clone(),
        };
        Ok(match numbers.is_empty() {
            false => numbers.into_iter().map(|number| one(Some(number), None)).collect(),
            true if m.any => vec![one(None, Some("*".into()))],
            true => vec![one(None, m.route.clone())],
        })
    }

    /// The numbers of a message. Its key is checked against those of the protocol.
    fn ids(&self, m: &MessageText, carrier: &str) -> Compiled<Vec<u64>> {
        let keys = self.keys;
        if m.ids.is_none() && m.route.is_none() && !m.any && carrier.is_empty() {
            let why = "a message needs an id, a route, or the protocol's message that carries it";
            return Err((m.lines.line, why.into()));
        }
        if !carrier.is_empty() && !keys.carriers.contains(&carrier) {
            let near = nearest(carrier, keys.carriers.iter().copied());
            let (near, all) = (hint(near), keys.carriers.join(", "));
            let line = if m.message.is_empty() { self.over.line } else { m.lines.at("message") };
            return Err((line, format!("no message {carrier:?} carries payloads{near}: there are {all}")));
        }
        match (&m.route, keys.routes) {
            (Some(_), None) => {
                return Err((m.lines.at("route"), "payloads have no routes here: they are found by their id".into()));
            }
            (Some(route), Some(words @ [_, ..])) if route != "*" && !words.contains(&route.as_str()) => {
                return Err((m.lines.at("route"), format!("route: expected {}, got {route:?}", words.join(", "))));
            }
            _ => {}
        }
        let Some(ids) = &m.ids else { return Ok(Vec::new()) };
        let Some((least, most)) = keys.ids else {
            return Err((m.lines.at("id"), "payloads have no ids here: they are found by their route".into()));
        };
        let mut all = Vec::new();
        for id in ids {
            let (first, last) = match id {
                IdText::One(Word::Number(id)) => (*id, *id),
                IdText::Range(first, last) => (i128::from(*first), i128::from(*last)),
                IdText::One(Word::Name(word)) => match digits::whole(word) {
                    Some(id) => (id, id),
                    None => return Err((m.lines.at("id"), format!("id: expected a number, got {word:?}"))),
                },
            };
            let within = |id: &i128| (i128::from(least)..=i128::from(most)).contains(id);
            if let Some(id) = [first, last].into_iter().find(|id| !within(id)) {
                return Err((m.lines.at("id"), format!("id: expected {least} to {most}, got {id}")));
            }
            all.extend((first..=last).map(|id| id as u64));
        }
        Ok(all)
    }

    /// The index of the encoding that the message or its file names; `None`: all encodings.
    fn chosen(&self, m: &MessageText) -> Compiled<Option<usize>> {
        let (encodings, (whole, whole_line)) = (self.encodings, &self.file.encoding);
        let all = || encodings.iter().map(|e| e.name).collect::<Vec<_>>().join(", ");
        let on_the_wire = encodings.len() == 1 || encodings.iter().any(|e| !e.versions.is_empty());
        let (named, line) = match (m.encoding.as_str(), whole.as_str()) {
            ("", "") if !on_the_wire => return Err((m.lines.line, format!("encoding is missing: one of {}", all()))),
            ("", "") => return Ok(None),
            // The byte order of the language's own types.
            ("", "be" | "le") if on_the_wire => return Ok(None),
            ("", whole) => (whole, *whole_line),
            (own, _) => (own, m.lines.at("encoding")),
        };
        match encodings.iter().position(|e| e.name == named) {
            Some(k) => Ok(Some(k)),
            None => {
                let near = hint(nearest(named, encodings.iter().map(|e| e.name)));
                Err((line, format!("no encoding {named:?}{near}: there are {}", all())))
            }
        }
    }
}

impl<'a> Compiler<'a> {
    /// Compiles the fields of a message: in sequence, or each preceded by its number.
    pub(super) fn body(&mut self, m: &'a MessageText) -> Compiled<&'static [Field]> {
        match self.form() == Form::Tagged || self.encoding.is_none() && is_tagged(&m.fields) {
            true => Ok(statics(vec![of("", Kind::Protobuf(self.protobuf(&m.fields)?))])),
            false => self.list(&m.fields),
        }
    }

    /// Compiles the fields of a payload.
    fn payload(&mut self, m: &'a MessageText) -> Result<&'static [Field], Mistakes> {
        (self.left, self.listed, self.moving) = (MOST_FIELDS, 0, 0);
        self.known.clear();
        self.all.clear();
        let fields = match self.form() {
            Form::Members => self.list(&m.fields),
            Form::Tagged | Form::Sequence => self.body(m),
        };
        let fields = self.or_later(fields);
        self.check_hidden();
        // What a session does, or derives from other lines, is the carrier's.
        let over = self.encoding.map_or("", |encoding| encoding.name);
        if self.mistakes.is_empty() && (self.hooks.len() > 1 || !self.defaults.is_empty()) {
            let acts = |t: &&crate::codec::schema::text::FieldText| t.join.is_some() || t.hidden || t.default.is_some();
            let line = m.fields.iter().find(acts).map_or(m.lines.line, |t| t.line);
            let why = "join, conditions on bits of hidden numbers, and text defaults are not supported";
            self.mistakes.push((line, format!("{}: {why} in payloads of {over}", m.name)));
            self.hooks.truncate(1);
            self.defaults.clear();
        }
        let mistakes = std::mem::take(&mut self.mistakes);
        match fields {
            Some(fields) if mistakes.is_empty() => Ok(self.ended(fields, 0)),
            _ => Err(mistakes),
        }
    }
}
