//! Messages as bytes: their own part of a record.

use super::events;
use super::row::{Row, role};
use crate::capture::Time;
use crate::codec::packed::{Known, Numbers, Unpack, put, put_bytes, put_signed};
use crate::codec::{Fault, Level, Reason};
use crate::dissect::{Dissection, Farewell, Message, Relation, RelationKind, Target, Unit, UnitKind};
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
    /// The frames that contain it.
    pub frames: Vec<u64>,
    /// The time of the last of them.
    pub time: Time,
    /// The sender's side.
    pub side: Side,
}

/// Appends a message. The parts that most messages lack have a bit each, which says that they follow.
pub fn pack(message: &Message<'_>, numbers: &mut Numbers, out: &mut Vec<u8>) {
    let Message { dissection, place, .. } = *message;
    let Dissection { packet, tree, derived, notes, related, delivery, part, farewell, fault, .. } = dissection;
    let (more, hidden) = (message.sources().more, related.hidden());
    // Statistics do not count the lines of a carrier alone as answers.
    let carrier = dissection.unit.filter(|unit| unit.kind == UnitKind::Carrier);
    let present = [
        !delivery.is_empty(),
        notes.iter().next().is_some(),
        related.iter().next().is_some(),
        !hidden.is_empty(),
        !more.is_empty(),
        !packet.is_empty(),
        !derived.is_empty(),
        !place.frames.is_empty(),
        part.is_some(),
        farewell.is_some(),
        fault.is_some(),
        carrier.is_some(),
    ];
    put(present.iter().rev().fold(0, |bits, part| bits << 1 | u64::from(*part)), out);
    put_signed(place.time.secs.wrapping_sub(whole_secs(place.time.near_nanos())), out);
    put(place.time.frac, out);
    out.extend_from_slice(&[place.time.digits, place.side.index() as u8]);
    put(place.length as u64, out);
    put_bytes(place.bytes, out);
    let [version, schema] = [dissection.version, dissection.schema].map(|name| name.unwrap_or(NONE));
    numbers.heading([dissection.proto, dissection.message, version, schema], out);
    tree.pack(numbers, out);
    let [has_delivery, has_notes, has_related, has_hidden, has_more, has_packet, has_derived, has_frames, ..] = present;
    if has_delivery {
        put(delivery.len() as u64, out);
        let origin = (place.frame, place.time.near_nanos());
        delivery.iter().for_each(|event| events::pack(*event, origin, numbers, out));
    }
    if has_notes {
        put(notes.iter().count() as u64, out);
        for (note, text) in notes.iter() {
            out.push(note.level as u8);
            numbers.name(note.code, out);
            put_bytes(text.as_bytes(), out);
        }
    }
    if has_related {
        put(related.iter().count() as u64, out);
        for relation in related.iter() {
            out.push(relation.kind as u8 | u8::from(relation.several) << 7 | u8::from(relation.after.is_some()) << 6);
            put_target(relation.target, out);
            relation.after.into_iter().for_each(|after| put_signed(after, out));
        }
    }
    if has_hidden {
        put(hidden.len() as u64, out);
        hidden.iter().for_each(|target| put_target(*target, out));
    }
    if has_more {
        put(more.len() as u64, out);
        more.iter().for_each(|source| put_bytes(source, out));
    }
    for (has, tree) in [(has_packet, packet), (has_derived, derived)] {
        if has {
            tree.pack(numbers, out);
        }
    }
    if has_frames {
        put(place.frames.len() as u64, out);
        place.frames.iter().for_each(|frame| put(*frame, out));
    }
    if let Some((part, of)) = part {
        [*part, *of].into_iter().for_each(|number| put(u64::from(number), out));
    }
    if let Some(Farewell { code, words }) = farewell.as_deref() {
        [code, words].into_iter().for_each(|text| put_bytes(text.as_bytes(), out));
    }
    if let Some(Fault { reason, path, bit, need, have, limit }) = fault {
        let number = REASONS.iter().position(|own| own == reason).unwrap_or(REASONS.len());
        out.push(number as u8);
        if let Reason::Undefined(what) = reason {
            numbers.name(what, out);
        }
        [u64::from(*bit), *need, *have].into_iter().for_each(|number| put(number, out));
        [path, limit].into_iter().for_each(|text| put_bytes(text.as_bytes(), out));
    }
    if let Some(Unit { start, end, .. }) = carrier {
        [start, end.saturating_sub(start)].into_iter().for_each(|number| put(number, out));
    }
}

fn put_target(target: Target, out: &mut Vec<u8>) {
    put(target.frame, out);
    put(u64::from(target.index), out);
}

fn target(from: &mut Unpack<'_>) -> Option<Target> {
    Some(Target { frame: from.number()?, index: u32::try_from(from.number()?).ok()? })
}

/// The seconds of a row's time: those of the message differ only in broken captures.
fn whole_secs(nanos: i64) -> i64 {
    nanos.div_euclid(1_000_000_000)
}

/// Written for a name that is not there.
const NONE: &str = "-";
const REASONS: [Reason; 6] =
    [Reason::Short, Reason::Cut, Reason::Unterminated, Reason::Count, Reason::TooLong, Reason::Depth];

/// Reads what [`pack`] has appended; `None`: it is something else.
pub fn unpack(row: &Row, record: &[u8], known: &Known) -> Option<Parts> {
    let from = &mut Unpack(record);
    let mut present = from.number()?;
    // Whether the next part is there.
    let mut has = || {
        let has = present & 1 != 0;
        present >>= 1;
        has
    };
    let secs = from.signed()?.wrapping_add(whole_secs(row.nanos));
    let time = Time { secs, frac: from.number()?, digits: from.byte()? };
    let side = if from.byte()? == 0 { Side::A } else { Side::B };
    let length = usize::try_from(from.number()?).ok()?;
    let bytes = from.bytes()?.to_vec();
    let [proto, message, version, schema] = known.heading(from.number()?)?;
    let there = |name: &'static str| (name != NONE).then_some(name);
    let mut dissection = Dissection::default();
    (dissection.proto, dissection.message) = (proto, message);
    (dissection.version, dissection.schema) = (there(version), there(schema));
    (dissection.from, dissection.index) = (role(row.from), row.index);
    dissection.tree.unpack(known, from)?;
    // The number of elements of the next part.
    let mut count = |from: &mut Unpack<'_>| if has() { from.number() } else { Some(0) };
    for _ in 0..count(from)? {
        dissection.delivery.push(events::unpack((row.frame, row.nanos), known, from)?);
    }
    for _ in 0..count(from)? {
        let level = Level::ALL.get(usize::from(from.byte()?)).copied()?;
        let (code, text) = (known.name(from.number()?)?, std::str::from_utf8(from.bytes()?).ok()?);
        dissection.notes.add(level, code, format_args!("{text}"));
    }
    for _ in 0..count(from)? {
        let first = from.byte()?;
        let kind = RelationKind::ALL.get(usize::from(first & 0x3f))?.0;
        let target = target(from)?;
        let after = if first & 0x40 != 0 { Some(from.signed()?) } else { None };
        dissection.related.push(Relation { kind, target, several: first & 0x80 != 0, after });
    }
    for _ in 0..count(from)? {
        dissection.related.may_answer(target(from)?);
    }
    for _ in 0..count(from)? {
        dissection.source().1.extend_from_slice(from.bytes()?);
    }
    for tree in [&mut dissection.packet, &mut dissection.derived] {
        if has() {
            tree.unpack(known, from)?;
        }
    }
    let mut frames = Vec::new();
    if has() {
        frames = (0..from.number()?).map(|_| from.number()).collect::<Option<Vec<u64>>>()?;
    }
    if has() {
        dissection.part = Some((u32::try_from(from.number()?).ok()?, u32::try_from(from.number()?).ok()?));
    }
    if has() {
        let mut text = || Some(std::str::from_utf8(from.bytes()?).ok()?.into());
        dissection.farewell = Some(Box::new(Farewell { code: text()?, words: text()? }));
    }
    if has() {
        let number = usize::from(from.byte()?);
        let reason = match REASONS.get(number) {
            Some(reason) => *reason,
            None => Reason::Undefined(known.name(from.number()?)?),
        };
        let (bit, need, have) = (u32::try_from(from.number()?).ok()?, from.number()?, from.number()?);
        let mut text = || Some(String::from_utf8_lossy(from.bytes()?).into_owned());
        dissection.fault = Some(Fault { reason, path: text()?, bit, need, have, limit: text()? });
    }
    if has() {
        let start = from.number()?;
        let end = start.saturating_add(from.number()?);
        dissection.unit = Some(Unit { start, end, kind: UnitKind::Carrier });
    }
    Some(Parts { dissection, bytes, length, frames, time, side })
}
