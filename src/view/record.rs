//! A message as a record of bytes, which is opened again when it is looked at.

use crate::capture::{Leg, Time};
use crate::codec::packed::{Known, Numbers, Unpack, put, put_bytes, put_signed};
use crate::codec::{Fault, Level, Reason};
use crate::dissect::{Dissection, FlowInfo, Links, Message, Options, Provenance, Relation, RelationKind, Role, Sink};
use crate::dissect::{Linked, Target};
use crate::flow::{Side, Transport};
use crate::read::Maker;
use rustc_hash::{FxHashMap, FxHashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The worst finding in a message: 0 for none, then note, warning, error, fault.
pub type Severity = u8;
/// A message with a warning.
pub const WARNING: Severity = 2;
/// A message with a fault.
pub const FAULT: Severity = 4;

/// The part of each message that is known without opening its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The frame that completed it.
    pub frame: u64,
    /// When, in nanoseconds since 1970.
    pub nanos: i64,
    /// The conversation.
    pub flow: u32,
    /// The beginning of its record in its block.
    pub start: u32,
    /// Its place among the messages of its frame.
    pub index: u32,
    /// The number of its bytes.
    pub length: u16,
    /// The sender's role.
    pub from: u8,
    /// The worst of its notes, or its fault.
    pub severity: Severity,
}

/// The bytes of a row before its record; the record's length comes first.
const HEAD: usize = 4 + 8 + 8 + 4 + 4 + 2 + 2;

/// A conversation of kept messages.
#[derive(Clone, Debug)]
pub struct Conversation {
    /// Its number.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    ends: Option<[SocketAddr; 2]>,
    opener: Option<Side>,
    begun: [bool; 2],
    leg: Option<Leg>,
    /// Both ends as text.
    pub names: [String; 2],
    /// The protocol of its first message.
    pub proto: &'static str,
    /// The client's side according to its first message, or else the side that opened it.
    client: Side,
}

/// The state of the capture that recorders share.
#[derive(Debug, Default)]
pub struct About {
    /// The conversations that were seen.
    pub conversations: FxHashMap<u64, Arc<Conversation>>,
    /// The time of the first frame.
    pub origin: Option<Time>,
    /// The links of recorders that have ended.
    pub links: Vec<Links>,
}

/// Makes records, in one of several workers.
#[derive(Debug)]
pub struct Recorder {
    numbers: Numbers,
    about: Arc<Mutex<About>>,
    seen: FxHashSet<u64>,
    links: Links,
}

impl Recorder {
    pub(super) fn new(known: &Arc<Mutex<Known>>, about: &Arc<Mutex<About>>, links: usize) -> Recorder {
        let (numbers, about) = (Numbers::of(known), Arc::clone(about));
        Recorder { numbers, about, seen: FxHashSet::default(), links: Links::new(links) }
    }

    fn about(&self) -> MutexGuard<'_, About> {
        self.about.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn conversation(&mut self, message: &Message<'_>) {
        let about = message.flow_info;
        if self.seen.insert(about.flow) {
            let conversation = Conversation {
                flow: about.flow,
                transport: about.transport,
                ends: about.ends,
                opener: about.opener,
                begun: about.begun,
                leg: about.leg,
                names: message.names.map(String::from),
                proto: message.dissection.proto,
                client: match message.dissection.from {
                    Role::Client => message.place.side,
                    Role::Server => message.place.side.other(),
                    Role::Unknown => about.opener.unwrap_or(Side::A),
                },
            };
            self.about().conversations.insert(about.flow, Arc::new(conversation));
        }
    }
}

/// Its relations are known when it is done.
impl Drop for Recorder {
    fn drop(&mut self) {
        let links = std::mem::replace(&mut self.links, Links::new(0));
        self.about().links.push(links);
    }
}

impl Maker<u8> for Recorder {
    fn first(&mut self, time: Time) {
        self.about().origin.get_or_insert(time);
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) -> bool {
        self.conversation(message);
        self.links.message(message);
        let (dissection, place) = (message.dissection, message.place);
        let severity = match (&dissection.fault, dissection.notes.worst()) {
            (Some(_), _) => FAULT,
            (None, worst) => worst.map_or(0, |level| level as u8 + 1),
        };
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&place.frame.to_le_bytes());
        out.extend_from_slice(&place.time.near_nanos().to_le_bytes());
        out.extend_from_slice(&(message.flow_info.flow as u32).to_le_bytes());
        out.extend_from_slice(&dissection.index.to_le_bytes());
        out.extend_from_slice(&(place.length.min(0xffff) as u16).to_le_bytes());
        out.extend_from_slice(&[dissection.from as u8, severity]);
        pack(message, &mut self.numbers, out);
        let length = ((out.len() - start - HEAD) as u32).to_le_bytes();
        if let Some(place) = out.get_mut(start..start + 4) {
            place.copy_from_slice(&length);
        }
        true
    }
}

/// Gives each row and its record, of those that were appended.
pub fn records<'a>(mut bytes: &'a [u8], mut each: impl FnMut(Row, &'a [u8])) {
    while let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() {
        let mut head = Unpack(head);
        let mut part = |count: usize| {
            let mut number = [0; 8];
            let part = head.take(count).unwrap_or_default();
            number.iter_mut().zip(part).for_each(|(to, byte)| *to = *byte);
            u64::from_le_bytes(number)
        };
        let length = part(4) as usize;
        let (frame, nanos, flow, index) = (part(8), part(8) as i64, part(4) as u32, part(4) as u32);
        let (length_of, from, severity) = (part(2) as u16, part(1) as u8, part(1) as u8);
        let Some((record, rest)) = rest.split_at_checked(length) else { return };
        each(Row { frame, nanos, flow, start: 0, index, length: length_of, from, severity }, record);
        bytes = rest;
    }
}

fn pack(message: &Message<'_>, numbers: &mut Numbers, out: &mut Vec<u8>) {
    let (dissection, place) = (message.dissection, message.place);
    put_signed(place.time.secs, out);
    put(place.time.frac, out);
    out.push(place.time.digits);
    out.push(place.side.index() as u8);
    put(place.length as u64, out);
    put_bytes(place.bytes, out);
    put(place.frames.len() as u64, out);
    place.frames.iter().for_each(|frame| put(*frame, out));
    numbers.name(dissection.proto, out);
    numbers.name(dissection.message, out);
    for name in [dissection.version, dissection.schema] {
        numbers.name(name.unwrap_or(NONE), out);
    }
    let (part, of) = dissection.part.unwrap_or_default();
    put(u64::from(part), out);
    put(u64::from(of), out);
    for tree in [&dissection.packet, &dissection.tree, &dissection.derived] {
        tree.pack(numbers, out);
    }
    put(message.sources().more.len() as u64, out);
    message.sources().more.iter().for_each(|source| put_bytes(source, out));
    put(dissection.notes.iter().count() as u64, out);
    for (note, text) in dissection.notes.iter() {
        out.push(note.level as u8);
        numbers.name(note.code, out);
        put_bytes(text.as_bytes(), out);
    }
    put(dissection.related.iter().count() as u64, out);
    for relation in dissection.related.iter() {
        out.push(relation.kind as u8 | u8::from(relation.several) << 7 | u8::from(relation.after.is_some()) << 6);
        put(relation.target.frame, out);
        put(u64::from(relation.target.index), out);
        relation.after.into_iter().for_each(|after| put_signed(after, out));
    }
    out.push(u8::from(dissection.fault.is_some()));
    if let Some(Fault { reason, path, bit, need, have, limit }) = &dissection.fault {
        let number = REASONS.iter().position(|own| own == reason).unwrap_or(REASONS.len());
        out.push(number as u8);
        if let Reason::Undefined(what) = reason {
            numbers.name(what, out);
        }
        [u64::from(*bit), *need, *have].into_iter().for_each(|number| put(number, out));
        [path, limit].into_iter().for_each(|text| put_bytes(text.as_bytes(), out));
    }
}

/// Written for a name that is not there.
const NONE: &str = "-";
const REASONS: [Reason; 6] =
    [Reason::Short, Reason::Cut, Reason::Unterminated, Reason::Count, Reason::TooLong, Reason::Depth];
const LEVELS: [Level; 3] = [Level::Note, Level::Warning, Level::Error];
const ROLES: [Role; 3] = [Role::Client, Role::Server, Role::Unknown];

/// The role of a row's number.
pub fn role(number: u8) -> Role {
    ROLES.get(usize::from(number)).copied().unwrap_or_default()
}

/// A message that was opened again.
#[derive(Debug)]
pub struct Opened {
    dissection: Dissection,
    bytes: Vec<u8>,
    frames: Vec<u64>,
    length: usize,
    time: Time,
    side: Side,
    frame: u64,
    conversation: Arc<Conversation>,
}

impl Opened {
    /// Opens the record of a row; `None`: it is none.
    pub(super) fn of(row: &Row, record: &[u8], known: &Known, conversation: Arc<Conversation>) -> Option<Opened> {
        let from = &mut Unpack(record);
        let time = Time { secs: from.signed()?, frac: from.number()?, digits: from.byte()? };
        let side = if from.byte()? == 0 { Side::A } else { Side::B };
        let length = usize::try_from(from.number()?).ok()?;
        let bytes = from.bytes()?.to_vec();
        let frames = (0..from.number()?).map(|_| from.number()).collect::<Option<Vec<u64>>>()?;
        let mut names = [""; 4];
        for name in &mut names {
            *name = known.name(from.number()?)?;
        }
        let [proto, message, version, schema] = names;
        let there = |name: &'static str| (name != NONE).then_some(name);
        let part = (u32::try_from(from.number()?).ok()?, u32::try_from(from.number()?).ok()?);
        let mut dissection = Dissection::default();
        (dissection.proto, dissection.message) = (proto, message);
        (dissection.version, dissection.schema) = (there(version), there(schema));
        (dissection.from, dissection.index) = (role(row.from), row.index);
        dissection.part = Some(part).filter(|(_, of)| *of > 0);
        let Dissection { packet, tree, derived, .. } = &mut dissection;
        for tree in [packet, tree, derived] {
            tree.unpack(known, from)?;
        }
        for _ in 0..from.number()? {
            dissection.source().1.extend_from_slice(from.bytes()?);
        }
        for _ in 0..from.number()? {
            let level = LEVELS.get(usize::from(from.byte()?)).copied()?;
            let (code, text) = (known.name(from.number()?)?, std::str::from_utf8(from.bytes()?).ok()?);
            dissection.notes.add(level, code, format_args!("{text}"));
        }
        for _ in 0..from.number()? {
            let first = from.byte()?;
            let kind = RelationKind::ALL.get(usize::from(first & 0x3f))?.0;
            let target = Target { frame: from.number()?, index: u32::try_from(from.number()?).ok()? };
            let after = if first & 0x40 != 0 { Some(from.signed()?) } else { None };
            dissection.related.push(Relation { kind, target, several: first & 0x80 != 0, after });
        }
        if from.byte()? == 1 {
            let number = usize::from(from.byte()?);
            let reason = match REASONS.get(number) {
                Some(reason) => *reason,
                None => Reason::Undefined(known.name(from.number()?)?),
            };
            let (bit, need, have) = (u32::try_from(from.number()?).ok()?, from.number()?, from.number()?);
            let mut text = || Some(String::from_utf8_lossy(from.bytes()?).into_owned());
            dissection.fault = Some(Fault { reason, path: text()?, bit, need, have, limit: text()? });
        }
        Some(Opened { dissection, bytes, frames, length, time, side, frame: row.frame, conversation })
    }

    /// Adds what later messages tell.
    pub(super) fn link(&mut self, linked: &mut Linked, options: &Options) {
        struct Take(Option<Dissection>);
        impl Sink for Take {
            fn message(&mut self, message: &Message<'_>) {
                self.0 = Some(message.dissection.clone());
            }
        }
        let mut take = Take(None);
        self.with(options, |message| linked.message(message, &mut take));
        if let Some(dissection) = take.0 {
            self.dissection = dissection;
        }
    }

    /// The names of both sides, the client's first.
    pub fn sides(&self) -> [&str; 2] {
        let client = self.conversation.client;
        [client, client.other()].map(|side| &*self.conversation.names[side.index()])
    }

    /// Whether the client sent it.
    pub fn is_of_client(&self) -> bool {
        self.side == self.conversation.client
    }

    /// Its dissection.
    pub fn dissection(&self) -> &Dissection {
        &self.dissection
    }

    /// The frame that completed it.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// The bytes that nodes refer to.
    pub fn source(&self, number: u8) -> &[u8] {
        self.dissection.sources(&self.bytes).get(number)
    }

    /// Shows it as the message that it was.
    pub fn with<R>(&self, options: &Options, show: impl FnOnce(&Message<'_>) -> R) -> R {
        let Conversation { flow, transport, ends, opener, begun, leg, names, .. } = &*self.conversation;
        let place = Provenance {
            side: self.side,
            bytes: &self.bytes,
            length: self.length,
            frame: self.frame,
            frames: &self.frames,
            time: self.time,
        };
        let flow_info = FlowInfo {
            flow: *flow,
            serial: 0,
            transport: *transport,
            ends: *ends,
            opener: *opener,
            begun: *begun,
            leg: *leg,
            options,
        };
        let names = [&names[0][..], &names[1][..]];
        show(&Message { dissection: &self.dissection, place: &place, flow_info: &flow_info, names })
    }
}
