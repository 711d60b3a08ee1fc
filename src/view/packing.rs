//! Messages as bytes: their own part of a record.

use super::events;
use super::row::{Row, role};
use crate::capture::Time;
use crate::codec::packed::{Known, Numbers, Unpack, put, put_bytes, put_signed};
use crate::codec::{Fault, Level, Reason};
use crate::dissect::{Dissection, Farewell, Message, Relation, RelationKind, Target};
use crate::flow::Side;

/// The parts of a message that was unpacked.
#[derive(Debug)]
pub struct Parts {
    /// Its dissection.
    pub dissection: Dissection,
    /// The captured bytes, and how many there were.
    pub bytes: Vec<u8>,
    /// See `bytes`.
    pub length: usize,
    /// The frames that it came in.
    pub frames: Vec<u64>,
    /// The time of the last of them.
    pub time: Time,
    /// The sender's side.
    pub side: Side,
}

/// Appends a message.
pub fn pack(message: &Message<'_>, numbers: &mut Numbers, out: &mut Vec<u8>) {
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
    let hidden = dissection.related.hidden();
    put(hidden.len() as u64, out);
    hidden.iter().for_each(|target| {
        put(target.frame, out);
        put(u64::from(target.index), out);
    });
    put(dissection.delivery.len() as u64, out);
    let origin = (place.frame, place.time.near_nanos());
    dissection.delivery.iter().for_each(|event| events::pack(*event, origin, numbers, out));
    out.push(u8::from(dissection.farewell.is_some()));
    if let Some(Farewell { code, words }) = dissection.farewell.as_deref() {
        [code, words].into_iter().for_each(|text| put_bytes(text.as_bytes(), out));
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

/// Reads what [`pack`] has appended; `None`: it is something else.
pub fn unpack(row: &Row, record: &[u8], known: &Known) -> Option<Parts> {
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
        let level = Level::ALL.get(usize::from(from.byte()?)).copied()?;
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
    for _ in 0..from.number()? {
        let target = Target { frame: from.number()?, index: u32::try_from(from.number()?).ok()? };
        dissection.related.may_answer(target);
    }
    for _ in 0..from.number()? {
        dissection.delivery.push(events::unpack((row.frame, row.nanos), known, from)?);
    }
    if from.byte()? == 1 {
        let mut text = || Some(std::str::from_utf8(from.bytes()?).ok()?.into());
        dissection.farewell = Some(Box::new(Farewell { code: text()?, words: text()? }));
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
    Some(Parts { dissection, bytes, length, frames, time, side })
}
