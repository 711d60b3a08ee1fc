//! From lines back to packets: what a line does not show is derived.
//!
//! The lines of one packet become one object that mirrors its fields, with an object for each
//! message; the tables write that.

use super::Description;
use super::session::DescribedSession;
use crate::codec::kinds::{By, Choice, Chosen};
use crate::codec::layout::{Field, Kind, Show, When, flag};
use crate::codec::{Context, EncodeError, Writer};
use crate::dissect::{Encoder, Line, Options, Rewriter, Role};
use crate::nearest::{hint, nearest};
use crate::protocols::websocket::rewrite;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};

/// How many conversations are remembered.
const FLOWS: usize = 4096;

/// Writes packets of a described protocol.
pub struct Writing {
    description: &'static Description,
    values: Vec<u64>,
    /// The parts of a packet so far.
    packet: Option<Begun>,
    /// What earlier lines of a conversation have changed.
    memory: FxHashMap<u64, Vec<[u64; 2]>>,
}

/// A packet whose last message has not come.
struct Begun {
    flow: u64,
    from: Role,
    parts: u64,
    of: u64,
    root: Json,
    broken: bool,
}

fn error(path: &str, what: impl Into<String>) -> EncodeError {
    EncodeError { path: path.into(), what: what.into() }
}

impl Writing {
    /// Of this protocol.
    pub fn new(description: &'static Description, options: &Options) -> Writing {
        let values = (0..description.values.len()).map(|k| description.setting(k, options)).collect();
        Writing { description, values, packet: None, memory: FxHashMap::default() }
    }

    fn memory_of(&self, line: &Line<'_>) -> Vec<[u64; 2]> {
        let first = || self.description.memory.iter().map(|(_, first)| [*first; 2]).collect();
        let mut memory: Vec<[u64; 2]> = self.memory.get(&line.flow).cloned().unwrap_or_else(first);
        let told = line.derived.and_then(|derived| derived.get("memory"));
        for (place, field) in self.description.memory_fields.iter().enumerate() {
            let Some(value) = told.and_then(|told| told.get(field.name)) else { continue };
            if let (Some(value), Some(sides)) = (number(field, value), memory.get_mut(place)) {
                *sides = [value; 2];
            }
        }
        memory
    }

    /// One line as an object that mirrors the packet.
    fn object(&self, line: &Line<'_>, memory: &[[u64; 2]]) -> Result<Json, EncodeError> {
        let mut packet = match line.packet {
            Some(Json::Object(map)) => map.clone(),
            Some(_) => return Err(error("packet", "expected an object")),
            None => Map::new(),
        };
        let mut fields = line.fields.as_object().cloned().unwrap_or_default();
        let unparsed = fields.remove("unparsed");
        let from = match line.from {
            Role::Client => 1,
            Role::Server => 2,
            Role::Unknown => 0,
        };
        let mut build = Build {
            description: self.description,
            message: line.message,
            from,
            derived: line.derived,
            memory,
            values: &self.values,
            packet: &mut packet,
            fields: &mut fields,
            placed: false,
            broken: line.broken || unparsed.is_some(),
            pending: Vec::new(),
        };
        let known = ["packet", "unknown", "fragment"].contains(&line.message);
        let path = if known { Vec::new() } else { build.path(line)? };
        let mut root = Map::new();
        build.level(self.description.packet, &path, "", &mut root)?;
        let placed = build.placed;
        if !placed && !known && !build.broken {
            return Err(error(
                "message",
                format!("no place for {:?}: the packet's fields do not lead to it", line.message),
            ));
        }
        for (name, value) in fields {
            root.entry(name).or_insert(value);
        }
        for (name, value) in packet {
            if let Some(other) = root.get(&name)
                && *other != value
            {
                return Err(error(&format!("packet.{name}"), "does not agree with the fields"));
            }
            root.entry(name).or_insert(value);
        }
        if let Some(unparsed) = unparsed {
            root.insert("unparsed".into(), unparsed);
        }
        Ok(Json::Object(root))
    }

    fn write(&mut self, line: &Line<'_>, root: &Json, broken: bool) -> Result<Vec<u8>, EncodeError> {
        let memory = self.memory_of(line);
        let from = match line.from {
            Role::Client => 1,
            Role::Server => 2,
            Role::Unknown => 0,
        };
        let mut context = Values { description: self.description, memory: &memory, values: &self.values, from };
        // Derived values of headers and messages stand in one object: those of wrapped bytes.
        let derived = line.derived;
        let writer = Writer::new(root).derived(derived).explicit().broken(broken).context(&mut context);
        let bytes = writer.write(self.description.written)?;
        if !self.description.memory.is_empty() {
            let mut session = DescribedSession::at(self.description, memory, self.values.clone(), line.from);
            let after = session.after(&bytes);
            if self.memory.len() >= FLOWS && !self.memory.contains_key(&line.flow) {
                self.memory.clear();
            }
            self.memory.insert(line.flow, after);
        }
        Ok(bytes)
    }
}

/// The number of a value as it is given.
fn number(field: &'static Field, value: &Json) -> Option<u64> {
    match value {
        Json::Number(n) => n.as_u64().or_else(|| n.as_i64().map(|n| n as u64)),
        Json::Bool(set) => Some(*set as u64),
        Json::String(text) => match field.show {
            Show::Enum(names) => names.iter().find(|(_, name)| name == text).map(|(n, _)| *n),
            _ => None,
        }
        .or_else(|| crate::codec::digits::whole(text).map(|n| n as u64)),
        _ => None,
    }
}

/// What conditions ask beside fields.
struct Values<'a> {
    description: &'static Description,
    memory: &'a [[u64; 2]],
    values: &'a [u64],
    from: u64,
}

impl Context for Values<'_> {
    fn known(&self, name: &str) -> Option<u64> {
        let named = |name: &str, side: usize| {
            let place = self.description.memory.iter().position(|(known, _)| *known == name)?;
            self.memory.get(place)?.get(side).copied()
        };
        named(name, if self.from == 2 { 1 } else { 0 })
            .or_else(|| self.description.remembered(name, &[], self.values))
            .or(match name {
                "from" => Some(self.from),
                _ => None,
            })
            .or_else(|| match name.split_once('.') {
                Some(("client", name)) => named(name, 0),
                Some(("server", name)) => named(name, 1),
                _ => None,
            })
    }
}

/// One line on its way into an object.
struct Build<'a> {
    description: &'static Description,
    message: &'a str,
    from: u64,
    derived: Option<&'a Json>,
    memory: &'a [[u64; 2]],
    values: &'a [u64],
    /// What is left of the headers' fields, and of the message's own.
    packet: &'a mut Map<String, Json>,
    fields: &'a mut Map<String, Json>,
    /// The message has its place.
    placed: bool,
    broken: bool,
    /// Numbers by which messages are found, for the levels around.
    pending: Vec<(String, Json)>,
}

impl Build<'_> {
    /// The messages that lead to the line's: carriers first.
    fn path(&self, line: &Line<'_>) -> Result<Vec<&'static Choice>, EncodeError> {
        let all =
            || self.description.carried.iter().flat_map(|(carrier, list)| list.iter().map(move |c| (*carrier, c)));
        let values =
            Values { description: self.description, memory: self.memory, values: self.values, from: self.from };
        let named = |name: &str| {
            let found: Vec<_> = all().filter(|(_, choice)| choice.field.name == name).collect();
            let side = |choice: &Choice| choice.from == 0 || self.from == 0 || choice.from == self.from;
            // What is remembered tells messages of the same name apart.
            let state = |choice: &Choice| remembered_holds(&choice.when, &values);
            let best = found.iter().find(|(_, c)| side(c) && state(c)).or(found.iter().find(|(_, c)| side(c)));
            best.or(found.first()).copied()
        };
        let Some((mut carrier, choice)) = named(self.message) else {
            let near = hint(nearest(self.message, all().map(|(_, choice)| choice.field.name)));
            return Err(error("message", format!("{} has no message {:?}{near}", line.proto, self.message)));
        };
        let mut path = vec![choice];
        while !carrier.is_empty() && path.len() < 16 {
            let Some((outer, choice)) = named(carrier) else { break };
            path.insert(0, choice);
            carrier = outer;
        }
        Ok(path)
    }

    /// Fills the object of one level of fields. `path`: the messages still to come.
    fn level(
        &mut self,
        fields: &'static [Field],
        path: &[&'static Choice],
        message: &str,
        into: &mut Map<String, Json>,
    ) -> Result<(), EncodeError> {
        let inner = path.is_empty() && self.message == message && !message.is_empty();
        for field in fields {
            match &field.kind {
                Kind::Inline(list) => self.level(list, path, message, into)?,
                Kind::Struct(list) if field.is(flag::CARRIES) => {
                    let mut group = Map::new();
                    self.level(list, path, message, &mut group)?;
                    if !group.is_empty() {
                        into.insert(field.name.into(), Json::Object(group));
                    }
                }
                Kind::Array { of, .. } if field.is(flag::CARRIES) && !inner => {
                    let mut element = Map::new();
                    let list = match &of.kind {
                        Kind::Struct(list) => *list,
                        _ => std::slice::from_ref(*of),
                    };
                    self.level(list, path, message, &mut element)?;
                    if !element.is_empty() {
                        into.insert(field.name.into(), Json::Array(vec![Json::Object(element)]));
                    }
                }
                Kind::Custom(codec) => {
                    if let Some(chosen) = codec.any().and_then(|any| any.downcast_ref::<Chosen>()) {
                        self.chosen(field, chosen, path, into)?;
                        continue;
                    }
                    match field.name.is_empty() {
                        true => self.level(codec.fields(), path, message, into)?,
                        false => self.take(field, into),
                    }
                }
                Kind::Array { count: crate::codec::layout::Count::Prefix(prefix), .. }
                | Kind::Text { len: crate::codec::layout::Len::Prefix(prefix), .. }
                | Kind::Bytes { len: crate::codec::layout::Len::Prefix(prefix) } => {
                    self.take(prefix, into);
                    self.take(field, into);
                }
                _ => self.take(field, into),
            }
        }
        self.presence(fields, into);
        for (name, value) in std::mem::take(&mut self.pending) {
            match crate::codec::names::has(&name, fields) {
                true => _ = into.entry(name).or_insert(value),
                false => self.pending.push((name, value)),
            }
        }
        Ok(())
    }

    /// Is it a line of no message of the file: a packet, an element, a part alone?
    fn nameless(&self) -> bool {
        ["packet", "unknown", "fragment"].contains(&self.message)
    }

    /// Moves a field's value, if there is one; else what encode writes where none is.
    fn take(&mut self, field: &'static Field, into: &mut Map<String, Json>) {
        if into.contains_key(field.name) || field.is(flag::DERIVED) {
            return;
        }
        let own =
            ["packet", "fragment"].contains(&self.message) || !self.placed && !self.packet.contains_key(field.name);
        let value = match self.packet.remove(field.name) {
            Some(value) => Some(value),
            None if own => self.own(field.name),
            None => None,
        };
        if let Some(value) = value {
            into.insert(field.name.into(), value);
        }
    }

    /// A field of the line's own, where the message itself has no such field.
    fn own(&mut self, name: &str) -> Option<Json> {
        let known = self.description.carried.iter().flat_map(|(_, list)| list.iter());
        let mut mine = known.filter(|choice| choice.field.name == self.message);
        let has = mine.any(|choice| crate::codec::names::has(name, choice.layout.fields));
        if has || self.message == "unknown" { None } else { self.fields.remove(name) }
    }

    /// A number that only says which fields are there: the bits of those given.
    fn presence(&self, fields: &'static [Field], into: &mut Map<String, Json>) {
        for field in fields {
            let number = matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. });
            if !number || into.contains_key(field.name) || matches!(field.when, When::Always) {
                continue;
            }
            let mut all = 0u64;
            for other in fields.iter().filter(|other| into.contains_key(other.name)) {
                match other.when {
                    When::Bit(name, bit) if name == field.name => all |= 1 << bit,
                    When::Mask(name, mask) if name == field.name => all |= mask,
                    _ => {}
                }
            }
            if all != 0 {
                into.insert(field.name.into(), all.into());
            }
        }
    }

    /// The place of a message.
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
            // No message is known: the numbers that are given lead to where none was found.
            None if self.nameless() => {
                let given = self.by(chosen, into).or_else(|| match chosen.by {
                    By::Word(number) => self.packet.get(number.name).and_then(Json::as_u64),
                    By::Field(_) => None,
                });
                let carries = |choice: &Choice| choice.layout.fields.iter().any(|field| field.is(flag::CARRIES));
                let values =
                    Values { description: self.description, memory: self.memory, values: self.values, from: self.from };
                let fits = |choice: &Choice| {
                    (choice.from == 0 || self.from == 0 || choice.from == self.from)
                        && remembered_holds(&choice.when, &values)
                };
                let outer = given.and_then(|id| chosen.with(id).find(|(_, choice)| carries(choice) && fits(choice)));
                match outer {
                    Some((place, choice)) => (place, choice, path),
                    None if self.message == "unknown" => return self.unknown(field, chosen, into),
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
            if self.nameless() && matches!(chosen.by, By::Word(_)) {
                self.packet.remove("id");
            }
            self.level(choice.layout.fields, rest, choice.field.name, &mut object)?;
            if let Some(trailing) = self.packet.remove("trailing") {
                object.insert("trailing".into(), trailing);
            }
        }
        into.insert(field.name.into(), Json::Object(object));
        Ok(())
    }

    /// All that is left is the message's own.
    fn level_of_message(&mut self, choice: &'static Choice, object: &mut Map<String, Json>) {
        let fields = std::mem::take(self.fields);
        object.extend(fields);
        for (message, name, value) in &self.description.defaults {
            let known = choice.field.name == *message && crate::codec::names::has(name, choice.layout.fields);
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
            let last = name.rsplit('.').next().unwrap_or(name);
            self.give(last, id);
        }
        object.insert(String::new(), Json::Null);
        self.placed = true;
        into.insert(field.name.into(), Json::Object(object));
        Ok(())
    }

    /// The number by which a message is found, where it is given at this level or above.
    fn by(&self, chosen: &Chosen, into: &Map<String, Json>) -> Option<u64> {
        let By::Field(name) = chosen.by else { return None };
        let name = name.rsplit('.').next().unwrap_or(name);
        let field = self.description.named(name)?;
        number(field, into.get(name).or_else(|| self.packet.get(name))?)
    }

    /// Writes the numbers by which a message is found.
    fn select(&mut self, chosen: &Chosen, choice: &Choice) {
        if let (By::Field(name), Some(id)) = (chosen.by, choice.id()) {
            let last = name.rsplit('.').next().unwrap_or(name);
            let signed = id as i64;
            let value = if signed < 0 { Json::from(signed) } else { Json::from(id) };
            self.give(last, value);
        }
        self.equal(&choice.when);
    }

    /// What a message's condition says of earlier fields.
    fn equal(&mut self, when: &When) {
        match when {
            When::Eq(name, value) => {
                let known = self.description.memory.iter().any(|(known, _)| known == name);
                if !known && *name != "from" {
                    self.give(name, Json::from(*value));
                }
            }
            When::All(all) => all.iter().for_each(|when| self.equal(when)),
            _ => {}
        }
    }

    /// Gives a number that nobody gave, at the level that has it.
    fn give(&mut self, name: &str, value: Json) {
        if self.description.named(name).is_some() {
            self.pending.push((name.into(), value));
        }
    }
}

/// Does a condition hold as far as what is remembered tells? Fields are not asked.
fn remembered_holds(when: &When, values: &Values<'_>) -> bool {
    let names = super::recognise::names(when);
    match when {
        When::All(all) => all.iter().all(|when| remembered_holds(when, values)),
        _ if names.iter().any(|name| values.known(name).is_none()) => true,
        _ => super::recognise::holds(when, &|name| values.known(name)),
    }
}

/// Adds the elements of another line of the same packet.
fn merge(root: &mut Json, more: Json, path: &str) -> Result<(), EncodeError> {
    let (Json::Object(map), Json::Object(more)) = (root, more) else { return Ok(()) };
    for (name, value) in more {
        match (map.get_mut(&name), value) {
            (None, value) => _ = map.insert(name, value),
            (Some(Json::Array(list)), Json::Array(elements))
                if elements.iter().any(holds_message) || list.iter().any(holds_message) =>
            {
                list.extend(elements);
            }
            (Some(known @ Json::Object(_)), value @ Json::Object(_)) => merge(known, value, &format!("{path}{name}."))?,
            (Some(known), value) if *known == value => {}
            (Some(_), _) if name == "unparsed" => {}
            _ => return Err(error(&format!("{path}{name}"), "differs from that of the packet's other parts")),
        }
    }
    Ok(())
}

/// Is a message somewhere inside?
fn holds_message(value: &Json) -> bool {
    value.as_object().is_some_and(|map| {
        map.contains_key("")
            || map.values().any(|value| {
                holds_message(value) || value.as_array().is_some_and(|list| list.iter().any(holds_message))
            })
            || !map.is_empty()
    })
}

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        if line.proto == crate::protocols::websocket::NAME {
            return crate::protocols::websocket::encode::encode(line);
        }
        let memory = self.memory_of(line);
        let root = self.object(line, &memory)?;
        let broken = line.broken || root.get("unparsed").is_some();
        self.write(line, &root, broken)
    }

    fn part(&mut self, line: &Line<'_>) -> Result<Option<Vec<u8>>, EncodeError> {
        let Some((part, of)) = line.part else {
            return match self.unfinished() {
                Some(why) => Err(why),
                None => self.encode(line).map(Some),
            };
        };
        let memory = self.memory_of(line);
        let root = self.object(line, &memory)?;
        let broken = line.broken || root.get("unparsed").is_some();
        let begun = match self.packet.take() {
            None if part == 1 => Begun { flow: line.flow, from: line.from, parts: 1, of, root, broken },
            None => return Err(error("part", format!("{part} of {of}, but part 1 is not before it"))),
            Some(mut begun)
                if begun.parts + 1 == part && begun.of == of && begun.flow == line.flow && begun.from == line.from =>
            {
                merge(&mut begun.root, root, "packet.")?;
                begun.parts = part;
                begun.broken |= broken;
                begun
            }
            Some(begun) => {
                let what = format!("part {} of {} is missing before this one", begun.parts + 1, begun.of);
                return Err(error("part", what));
            }
        };
        if begun.parts < begun.of {
            self.packet = Some(begun);
            return Ok(None);
        }
        self.write(line, &begun.root, begun.broken).map(Some)
    }

    fn unfinished(&mut self) -> Option<EncodeError> {
        let begun = self.packet.take()?;
        Some(error("part", format!("part {} of {} is missing at the end", begun.parts + 1, begun.of)))
    }

    fn frame(&self, message: &[u8], _line: &Line<'_>) -> Option<Vec<u8>> {
        self.description.tcp.as_ref()?.1.write(message)
    }

    fn websocket(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        use crate::protocols::websocket::frame::{opcode, write};
        self.description.websocket?;
        let key = (line.from == Role::Client).then_some([0x6e, 0x65, 0x74, 0x6b]);
        Some(write(opcode::BINARY, key, message))
    }

    fn rewriter(&self) -> Option<Box<dyn Rewriter>> {
        let ratio = crate::dissect::PeerCaps::default().inflate_ratio;
        self.description.websocket.map(|_| Box::new(rewrite::Frames::new(ratio)) as Box<dyn Rewriter>)
    }
}
