//! Encodes lines as packets: values that a line does not show are derived.
//!
//! The lines of one packet become one object that mirrors its fields, with an object for each message. The tables
//! encode that object.

mod build;
mod merge;
mod values;

use super::Description;
use super::session::DescribedSession;
use super::state::{State, sender};
use crate::codec::{EncodeError, Writer};
use crate::dissect::{Encoder, Line, Options, Rewriter, Role};
use crate::protocols::websocket::rewrite;
use build::Build;
use merge::{lists, merge};
use rustc_hash::FxHashMap;
use serde_json::{Map, Value as Json};
use values::number;

/// The most conversations that are remembered.
const FLOWS: usize = 4096;

/// Encodes packets of a described protocol.
pub struct Writing {
    description: &'static Description,
    values: Vec<u64>,
    /// The lines of a packet so far.
    packet: Option<Begun>,
    /// The remembered values of each conversation after its earlier lines.
    memory: FxHashMap<u64, Vec<[u64; 2]>>,
    others: Others,
    /// The names of the lists that carry messages.
    lists: Vec<&'static str>,
}

/// Encodes datagrams of other files' protocols, which may be in the same conversation.
struct Others {
    /// Set if there are others.
    options: Option<Options>,
    encoders: Vec<(&'static str, Box<dyn Encoder>)>,
}

impl Others {
    fn new(own: &str, options: &Options) -> Others {
        let others = options.registry.iter().any(|other| other.reads_offered() && other.name() != own);
        Others { options: others.then(|| options.clone()), encoders: Vec::new() }
    }

    /// The encoder of another protocol.
    fn of(&mut self, proto: &str) -> Option<&mut (dyn Encoder + 'static)> {
        let place = self.encoders.iter().position(|(name, _)| *name == proto);
        let place = match place {
            Some(place) => place,
            None => {
                let options = self.options.as_ref()?;
                let other = options.registry.by_name(proto).filter(|other| other.reads_offered())?;
                self.encoders.push((other.name(), other.encoder(options)));
                self.encoders.len() - 1
            }
        };
        self.encoders.get_mut(place).map(|(_, encoder)| &mut **encoder)
    }
}

/// A packet whose last line has not arrived.
struct Begun {
    flow: u64,
    from: Role,
    parts: u64,
    of: u64,
    root: Json,
    broken: bool,
}

impl Begun {
    /// The error if the next line is not its next part.
    fn missing(&self, place: &str) -> EncodeError {
        error("part", format!("part {} of {} is missing {place}", self.parts + 1, self.of))
    }
}

fn error(path: &str, what: impl Into<String>) -> EncodeError {
    EncodeError { path: path.into(), what: what.into() }
}

impl Writing {
    /// An encoder for this protocol.
    pub fn new(description: &'static Description, options: &Options) -> Writing {
        let values = description.settings_of(options);
        let others = Others::new(description.facts.name, options);
        let lists = lists(description);
        Writing { description, values, packet: None, memory: FxHashMap::default(), others, lists }
    }

    fn memory_of(&self, line: &Line<'_>) -> Vec<[u64; 2]> {
        let known = self.memory.get(&line.flow).cloned();
        let mut memory = known.unwrap_or_else(|| self.description.first_memory());
        let known = line.derived.and_then(|derived| derived.get("memory"));
        for (place, field) in self.description.memory_fields.iter().enumerate() {
            let Some(value) = known.and_then(|known| known.get(field.name)) else { continue };
            if let (Some(value), Some(sides)) = (number(field, value), memory.get_mut(place)) {
                *sides = [value; 2];
            }
        }
        memory
    }

    /// Converts one line to an object that mirrors the packet.
    fn object(&self, line: &Line<'_>, memory: &[[u64; 2]]) -> Result<Json, EncodeError> {
        let mut packet = match line.packet {
            Some(Json::Object(map)) => map.clone(),
            Some(_) => return Err(error("packet", "expected an object")),
            None => Map::new(),
        };
        let mut fields = line.fields.as_object().cloned().unwrap_or_default();
        let unparsed = fields.remove("unparsed");
        let from = sender(line.from);
        let mut build = Build {
            description: self.description,
            message: line.message,
            state: State { memory, values: &self.values, from, likely: from },
            derived: line.derived,
            packet: &mut packet,
            fields: &mut fields,
            placed: false,
            broken: line.broken || unparsed.is_some(),
            pending: Vec::new(),
        };
        let known = self.description.nameless.named(line.message).is_some();
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
        let from = sender(line.from);
        let mut context = State { memory: &memory, values: &self.values, from, likely: from };
        // Derived values of headers and messages share one object: those of wrapped bytes.
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

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        if line.proto == crate::protocols::websocket::NAME {
            return crate::protocols::websocket::encode::encode(line);
        }
        if line.proto != self.description.facts.name
            && let Some(other) = self.others.of(line.proto)
        {
            return other.encode(line);
        }
        let memory = self.memory_of(line);
        let root = self.object(line, &memory)?;
        let broken = line.broken || root.get("unparsed").is_some();
        self.write(line, &root, broken)
    }

    fn part(&mut self, line: &Line<'_>) -> Result<Option<Vec<u8>>, EncodeError> {
        if line.proto != self.description.facts.name
            && let Some(other) = self.others.of(line.proto)
        {
            // A datagram of another protocol does not come within one of this.
            if let Some(why) = self.packet.take().map(|begun| begun.missing("before this one")) {
                return Err(why);
            }
            return other.part(line);
        }
        let Some((part, of)) = line.part else {
            return if let Some(why) = self.unfinished() { Err(why) } else { self.encode(line).map(Some) };
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
                merge(&mut begun.root, root, "packet.", &self.lists)?;
                begun.parts = part;
                begun.broken |= broken;
                begun
            }
            Some(begun) => return Err(begun.missing("before this one")),
        };
        if begun.parts < begun.of {
            self.packet = Some(begun);
            return Ok(None);
        }
        self.write(line, &begun.root, begun.broken).map(Some)
    }

    fn unfinished(&mut self) -> Option<EncodeError> {
        let others = self.others.encoders.iter_mut().find_map(|(_, encoder)| encoder.unfinished());
        let Some(begun) = self.packet.take() else { return others };
        Some(begun.missing("at the end"))
    }

    fn frame(&self, message: &[u8], line: &Line<'_>) -> Option<Vec<u8>> {
        match self.description.frame(&self.values) {
            Some(frame) => frame.write(message),
            None => self.websocket(message, line),
        }
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
