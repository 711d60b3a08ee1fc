//! Analysis beyond a message's bytes: names of members, creates and their answers, the other byte order of an angle.

use super::commands::Version;
use super::layout::Message::{self, *};
use super::layout::{ALBEDO, AMBIENT, ENTITY, IDENTIFIER, OFFSET, PAN, ROLL, SKIN, TILT};
use super::members;
use super::reading::WireVariant;
use super::session::AcknexSession;
use crate::capture::time::ATTO_DIGITS;
use crate::codec::layout::{Field, Len, f64le, text, u64le};
use crate::codec::scale::Scale;
use crate::codec::{Level, Tree, Value};
use crate::dissect::delivery::{Event, Step};
use crate::dissect::{Dissection, Provenance, RelationKind, Role};
use crate::duration::Decimal;
use std::fmt;
use std::io::Write;

pub(super) static MEMBER: Field =
    text("member", Len::Rest).doc("the member of the engine's entity struct, as in A7 and A8").public();
pub(super) static REQUEST_FRAME: Field =
    u64le("request_frame").doc("the frame in which the client asked for this entity");
pub(super) static ROUND_TRIP: Field = f64le("round_trip_ms").doc("time since then").unit("ms");

/// The names of angles, in the vote's numbering.
const ANGLES: [Field; 3] = [PAN, TILT, ROLL];

/// The angles of one message, as their wire bytes if present.
#[derive(Clone, Copy, Debug, Default)]
struct Angles([Option<[u8; 2]>; 3]);

impl Angles {
    fn of(tree: &Tree, bytes: &[u8]) -> Angles {
        Angles(ANGLES.each_ref().map(|field| {
            let at = tree.find(field)?.bit as usize / 8;
            bytes.get(at..at + 2)?.try_into().ok()
        }))
    }

    /// Whether an angle differs between the two byte orders.
    fn doubtful(&self) -> bool {
        self.0.iter().flatten().any(|[high, low]| high != low)
    }
}

/// Shows each doubtful angle read low byte first: `pan 0.703`.
impl fmt::Display for Angles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for (field, bytes) in ANGLES.iter().zip(self.0) {
            if let Some(bytes) = bytes.filter(|[high, low]| high != low) {
                let degrees = Scale::Degrees.shown(i16::from_le_bytes(bytes).into());
                write!(f, "{comma}{} {degrees}", field.name)?;
                comma = ", ";
            }
        }
        Ok(())
    }
}

impl AcknexSession {
    /// Adds derived values and notes to the message in `dissection`.
    pub(super) fn analyse(
        &mut self,
        message: Message,
        reading: &WireVariant,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        match message {
            Update1 | Update2 | Update3 => self.update(reading, place, dissection),
            Skill | Skill3 if self.version == Version::A6 => member(dissection),
            Create => self.create(place, dissection),
            Join => dissection.delivery.push(Event::Step(Step::Asked)),
            Remove if dissection.from == Role::Client && self.version == Version::A6 => short_index(place, dissection),
            _ => {}
        }
    }

    fn update(&mut self, reading: &WireVariant, place: &Provenance<'_>, dissection: &mut Dissection) {
        if dissection.fault.is_some() {
            // The bits do not follow from the fields that are present, so the command is shown.
            dissection.tree.reveal(0);
            let undefined = dissection
                .fault
                .as_ref()
                .is_some_and(|f| matches!(f.reason, crate::codec::fault::Reason::Undefined(_)));
            if undefined {
                dissection.notes.error(
                    "acknex.undefined_parameter",
                    format_args!("a bit of the command that no manual defines: what follows the entity cannot be read"),
                );
            }
        }
        reading.note(self.version, &dissection.tree, &mut dissection.derived);
        let has = |field| dissection.tree.find(field).is_some();
        if !self.skin_noted
            && self.version == Version::A6
            && !reading.skin_by_bit
            && has(&SKIN)
            && (has(&AMBIENT) || has(&ALBEDO))
        {
            self.skin_noted = true;
            dissection.notes.note(
                "acknex.skin_order",
                format_args!(
                    "skin, ambient and albedo may be permuted: the specification's table has skin last, but its bit \
                     before theirs (-s acknex.skin=bit)"
                ),
            );
        }
        self.angles(place, dissection);
    }

    fn angles(&mut self, place: &Provenance<'_>, dissection: &mut Dissection) {
        if self.angles.settled().is_some() {
            return;
        }
        let angles = Angles::of(&dissection.tree, place.bytes);
        if self.asked.angle_le.is_none() && angles.doubtful() {
            dissection.notes.note("acknex.angle_other_reading", format_args!("read low byte first: {angles}"));
        }
        let entity = dissection.tree.number(&ENTITY).filter(|_| dissection.fault.is_none());
        let Some(entity) = entity.map(|n| n as i16) else { return };
        let in_use = self.angle_le();
        for (which, bytes) in angles.0.iter().enumerate() {
            let settled = bytes.and_then(|bytes| self.angles.see(entity, which, bytes));
            if let Some(le) = settled.filter(|le| *le != in_use) {
                let [be_step, le_step] = self.angles.mean_steps();
                let (now, word) = if le { ("low", "le") } else { ("high", "be") };
                dissection.notes.warn(
                    "acknex.angle_order",
                    format_args!(
                        "angles have their {now} byte first: mean steps are {le_step:.2} degrees low byte first, \
                         {be_step:.2} high byte first (-s acknex.angle={word} reads all lines so)"
                    ),
                );
            }
        }
    }

    fn create(&mut self, place: &Provenance<'_>, dissection: &mut Dissection) {
        let Some(identifier) = dissection.tree.number(&IDENTIFIER).map(|n| n as i16) else { return };
        match dissection.from {
            Role::Client => {
                dissection.delivery.push(Event::Request);
                self.creates.ask(identifier, dissection.target(place), place.time);
            }
            Role::Server => match self.creates.answer(identifier) {
                Some((request, asked)) => {
                    let after = place.time.since(asked) as i64;
                    dissection.delivery.push(Event::Answer(after));
                    dissection.derived.push(&REQUEST_FRAME, Value::UInt(request.frame), 0, 0);
                    let (source, text) = dissection.source();
                    let value = place.time.attos().saturating_sub(asked.attos());
                    // Writing to memory cannot fail.
                    let _ = write!(text, "{}", Decimal { value, digits: ATTO_DIGITS - 3 });
                    let len = text.len() as u32;
                    dissection.derived.set_source(source);
                    dissection.derived.push(&ROUND_TRIP, Value::Json { start: 0, len }, 0, 0);
                    dissection.relate(Level::Note, "acknex.create_answered", |note| {
                        note.to(RelationKind::Answers, request, after).text("answers the client's create in frame ");
                        note.frame().text(": the only exact round trip there is");
                    });
                }
                None => dissection.notes.note(
                    "acknex.identifier_unknown",
                    format_args!("no client's open request in this capture has identifier {identifier}"),
                ),
            },
            Role::Unknown => {}
        }
    }
}

fn member(dissection: &mut Dissection) {
    let Some(offset) = dissection.tree.number(&OFFSET).map(|n| n as i64) else { return };
    let (source, text) = dissection.source();
    if members::write_name(offset, text) {
        let bits = text.len() as u32 * 8;
        dissection.derived.set_source(source);
        dissection.derived.push(&MEMBER, Value::Text { bit: 0, bits }, 0, 0);
    } else if dissection.fault.is_none() {
        dissection.notes.note(
            "acknex.unknown_offset",
            format_args!("the entity struct of A7 and A8 has no member at offset {offset}"),
        );
    }
}

/// Notes that the only entity number of A6 with 32 bits may have 16.
fn short_index(place: &Provenance<'_>, dissection: &mut Dissection) {
    if dissection.fault.is_some() && place.length == 3 {
        dissection.notes.note(
            "acknex.short_index",
            format_args!("two bytes are left: perhaps a Short, as all other entity numbers are"),
        );
    }
}
