//! A message in a message, chosen by an earlier number: headers in headers, several messages in a datagram, payloads by
//! their id.

use crate::codec::context::{FROM, LIKELY_FROM};
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Kind, Layout, Name, When, bytes, flag, group, text, uint};
use crate::codec::node::Value;
use crate::codec::reader::{TRAILING, raw_or_bytes};
use crate::codec::walk::{self, Wire};
use crate::codec::writer::{Cursor, WriteStop};
use crate::codec::{EncodeError, Reader, Sampler, Writer, names};
use serde_json::Value as Json;

/// The place of the number that chooses a message.
#[derive(Clone, Copy, Debug)]
pub enum By {
    /// An earlier field.
    Field(Name),
    /// A field directly before the message.
    Word(&'static Field),
}

/// A message that may be chosen.
#[derive(Debug)]
pub struct Choice {
    /// A group with its name and fields, and the flag of a message of its own.
    pub field: &'static Field,
    /// The numbers that choose it, as ranges.
    pub ids: &'static [(u64, u64)],
    /// Its id, if it has only one and that is a text.
    pub text: Option<&'static str>,
    /// Whether it takes every number that no other message has.
    pub any: bool,
    /// The sender: 1 for the client, 2 for the server, 0 for both.
    pub from: u64,
    /// The condition under which it is chosen.
    pub when: When,
    /// Its place in the list of all messages.
    pub layout: &'static Layout,
}

impl Choice {
    fn has(&self, id: u64) -> bool {
        self.ids.iter().any(|(least, most)| (*least..=*most).contains(&id))
    }

    /// Whether this side may send it. 0: the sender is unknown.
    pub fn is_from(&self, from: u64) -> bool {
        self.from == 0 || from == 0 || self.from == from
    }

    /// Whether it may contain another message.
    pub fn carries(&self) -> bool {
        self.layout.fields.iter().any(|field| field.is(flag::CARRIES))
    }

    /// Returns its number, if it has only one.
    pub fn id(&self) -> Option<u64> {
        match self.ids {
            [(least, most)] if least == most && !self.any => Some(*least),
            _ => None,
        }
    }
}

/// A message chosen by an earlier number.
#[derive(Debug)]
pub struct Chosen {
    /// The place of the number.
    pub by: By,
    /// The messages, in the order in which they are tried.
    pub among: &'static [Choice],
    /// The single numbers, ascending, with the places of their messages in `among`. Ranges are not included.
    pub exact: Vec<(u64, u16)>,
    /// The places of the messages with ranges.
    pub ranged: Vec<u16>,
}

const fn part(mut field: Field, flags: u32) -> Field {
    field.flags |= flags;
    field
}

static ID: Field = uint("id", 64).doc("a number that no message has");
static ID_TEXT: Field = text("id", crate::codec::layout::Len::Rest).doc("an id that no message has");
static DATA: Field = bytes("data", crate::codec::layout::Len::Rest).doc("what it has");

/// A message whose number no message has.
pub static UNKNOWN: Field = part(group("unknown", &UNKNOWN_FIELDS), flag::MESSAGE | flag::KEEP_EMPTY);
static UNKNOWN_FIELDS: [Field; 2] = [
    part(uint("id", 64).doc("a number that no message has"), 0),
    bytes("data", crate::codec::layout::Len::Rest).doc("what it has"),
];

impl Chosen {
    /// Creates a message field with these messages.
    pub fn new(by: By, among: &'static [Choice]) -> Chosen {
        let (mut exact, mut ranged) = (Vec::new(), Vec::new());
        for (place, choice) in among.iter().enumerate() {
            match choice.ids {
                ids if !choice.any && !ids.is_empty() && ids.iter().all(|(least, most)| least == most) => {
                    exact.extend(ids.iter().map(|(id, _)| (*id, place as u16)));
                }
                [] => {}
                _ => ranged.push(place as u16),
            }
        }
        exact.sort_unstable();
        Chosen { by, among, exact, ranged }
    }

    /// Returns the first message that fits. If the sender is unknown and messages of both sides fit, the likely sender
    /// decides.
    fn choose(
        &self,
        id: u64,
        value: impl Fn(u16) -> Option<u64>,
        holds: impl Fn(&When) -> bool,
    ) -> Option<&'static Choice> {
        let at = self.exact.partition_point(|(other, _)| *other < id);
        let rest = self.exact.get(at..).unwrap_or_default();
        let exact = rest.get(..rest.iter().take_while(|(other, _)| *other == id).count()).unwrap_or_default();
        // The usual case: one message has the number, and both sides may send it at any time.
        if let ([(_, place)], []) = (exact, &self.ranged[..])
            && let Some(choice) = self.among.get(*place as usize)
            && choice.from == 0
            && matches!(choice.when, When::Always)
        {
            return Some(choice);
        }
        let from = value(FROM).unwrap_or(0);
        match self.pick(id, exact, from, &holds) {
            // Messages of both sides fit: the likely sender decides.
            Some((_, true)) if from == 0 => match value(LIKELY_FROM) {
                Some(likely @ 1..) => self.pick(id, exact, likely, &holds).map(|(choice, _)| choice),
                _ => None,
            },
            Some((choice, _)) => Some(choice),
            None => {
                let fits = |choice: &&Choice| choice.is_from(from) && holds(&choice.when);
                self.among.iter().find(|choice| choice.any && choice.ids.is_empty() && fits(choice))
            }
        }
    }

    /// Returns the first message of the file that fits, and whether one that another side sends fits, too.
    fn pick(
        &self,
        id: u64,
        exact: &[(u64, u16)],
        from: u64,
        holds: &impl Fn(&When) -> bool,
    ) -> Option<(&'static Choice, bool)> {
        let mut found: Option<(u16, &'static Choice)> = None;
        let mut several = false;
        let mut consider = |place: u16| {
            let Some(choice) = self.among.get(place as usize) else { return };
            // Skips messages that cannot change the result.
            let decided = |(first, best): (u16, &Choice)| first < place && (from > 0 || choice.from == best.from);
            if found.is_some_and(decided) || !choice.is_from(from) || !holds(&choice.when) {
                return;
            }
            several |= found.is_some_and(|(_, best)| best.from != choice.from);
            if found.is_none_or(|(first, _)| place < first) {
                found = Some((place, choice));
            }
        };
        exact.iter().for_each(|(_, place)| consider(*place));
        for place in &self.ranged {
            if self.among.get(*place as usize).is_some_and(|choice| choice.has(id)) {
                consider(*place);
            }
        }
        found.map(|(_, choice)| (choice, several))
    }

    /// Returns the messages with that number, whoever sends them.
    pub fn with(&self, id: u64) -> impl Iterator<Item = (usize, &'static Choice)> + '_ {
        self.among.iter().enumerate().filter(move |(_, choice)| choice.has(id) || choice.any && choice.ids.is_empty())
    }
}

impl Chosen {
    pub(in crate::codec) fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let mut word = None;
        let id = match self.by {
            By::Field(ref name) => match reader.known(name) {
                Some(id) => id,
                None => return Ok(()),
            },
            By::Word(number) => {
                let (mark, scope) = (reader.tree().nodes().len(), reader.tree().scope.len());
                walk::field(number, reader)?;
                word = Some(mark);
                // A number in a longer form than it needs is shown as its bits.
                let id = reader.tree().scope.of(number).unwrap_or(0);
                reader.tree().scope.truncate(scope);
                id
            }
        };
        let choice = self.choose(id, |slot| reader.context.as_ref()?.value(slot), |when| reader.holds(when));
        let exclusive = reader.listed == 0;
        let start = reader.position();
        if choice.is_none() && reader.is_open_ended() {
            let have = reader.left() as u64;
            let reason = Reason::Undefined("no message has this number, so its end is not known");
            return Err(reader.broken(field, Fault::new(reason, start, 0, have)));
        }
        let Some(choice) = choice else {
            // The number is shown as the message's id, whether it is directly before the message or earlier.
            let found = match self.by {
                By::Word(_) => word.and_then(|word| reader.tree().nodes().get(word)).copied(),
                By::Field(ref name) => reader.tree().nodes().iter().rev().find(|node| name.is_of(node.field)).copied(),
            };
            word.into_iter().for_each(|word| reader.tree().truncate(word));
            let here = reader.tree().current_source();
            let (value, bit, bits) = match found.filter(|node| node.source == here) {
                Some(node) if node.number().is_none() => (node.value, node.bit, node.bits),
                Some(node) => (Value::UInt(id), node.bit, node.bits),
                None => (Value::UInt(id), start, 0),
            };
            let number = matches!(value, Value::UInt(_));
            let node = reader.tree().open(&UNKNOWN, Value::Group, start);
            reader.tree().push(if number { &ID } else { &ID_TEXT }, value, bit, bits);
            let bits = reader.end() - start;
            reader.tree().push(&DATA, raw_or_bytes(start, bits), start, bits);
            reader.seek(start + bits);
            reader.tree().close(node, start + bits);
            return Ok(());
        };
        if let (Some(word), None) = (word, choice.id()) {
            reader.tree().reveal(word);
        }
        if reader.depth() >= super::DEEPEST {
            let have = reader.left() as u64;
            return Err(reader.broken(field, Fault::new(Reason::Depth, start, 0, have)));
        }
        let Kind::Struct(fields) = choice.field.kind else { return Ok(()) };
        let group = reader.enter(choice.field)?;
        let done = walk::walk(fields, reader);
        if done.is_ok() && exclusive {
            reader.rest(&TRAILING);
        }
        reader.leave(choice.field, group, done.is_ok());
        done
    }

    pub(in crate::codec) fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(value) = writer.input(field) else {
            return if writer.broken { Err(WriteStop::Broken) } else { Ok(()) };
        };
        let Some(fields) = value.as_object() else { return Err(WriteStop::Error(writer.wrong("a message", value))) };
        // The message's place in `among`. A message without one has an unknown number.
        let about = fields.get("");
        let place = about.and_then(|about| about.get("place")).and_then(Json::as_u64);
        let choice = place.and_then(|place| self.among.get(place as usize));
        if let By::Word(number) = self.by {
            let at = writer.position() as u32;
            let id = fields.get("id").filter(|_| choice.is_none());
            match (writer.input(number), id, choice.and_then(Choice::id)) {
                (Some(given), ..) | (None, Some(given), _) => _ = writer.leaf_value(number, given)?,
                (None, None, Some(id)) => writer.put_number(number, id as i128)?,
                (None, None, None) => return Err(writer.missing(number)),
            }
            let _ = at;
        }
        writer.names.push(field.name);
        let table: &'static [Field] = match choice.map(|choice| &choice.field.kind) {
            Some(Kind::Struct(table)) => table,
            _ => &UNKNOWN_FIELDS,
        };
        let derived = about.and_then(|about| about.get("derived"));
        let used = if choice.is_some() { vec![""] } else { vec!["", "id"] };
        writer.cursors.push(Cursor::Object { fields, derived, used, table });
        let scope = writer.scope.len();
        let done = match choice {
            Some(_) => walk::walk(table, writer),
            None => walk::field(&DATA, writer),
        };
        // The message itself may have a field of that name.
        let done = done.and_then(|()| match names::has(TRAILING.name, table) {
            true => Ok(()),
            false => walk::field(&TRAILING, writer),
        });
        writer.leave(choice.map_or(&UNKNOWN, |choice| choice.field), scope, done.is_ok());
        done
    }

    pub(in crate::codec) fn sample(&self, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let single: Vec<&Choice> = self.among.iter().filter(|choice| choice.id().is_some()).collect();
        let Some(choice) = single.get(sampler.below(single.len() as u64) as usize) else { return Ok(()) };
        let id = choice.id().unwrap_or(0);
        match self.by {
            By::Field(ref name) => sampler.complete_with(name, id),
            By::Word(number) => sampler.put_prefix(number, id)?,
        }
        let Kind::Struct(fields) = choice.field.kind else { return Ok(()) };
        walk::walk(fields, sampler)
    }

    pub(in crate::codec) fn describe(&self) -> &'static str {
        match self.by {
            By::Field(_) => "a message, by an earlier number",
            By::Word(_) => "a message, by the number before it",
        }
    }
}
