//! Riptide's reliable layer: matches acks with messages, and finds resends and duplicates (README.md, "Reliable
//! layer").

use super::layout::ID;
use super::receiver::Receiver;
use super::version::Version;
use crate::codec::Value;
use crate::codec::layout::{Count, Field, array, u16le, u32le};
use crate::dissect::delivery::{Arrivals, Event, Handled, Report, Step};
use crate::dissect::numbered::{Acknowledgement, Listed, NumberedCodes, ONE_SIDE, note_seen};
use crate::dissect::{Dissection, Provenance, Settings};
use crate::flow::Side;
use crate::plural::Plural;
use crate::traffic::sequence::{Acked, Seen, Sequence};

/// The number of messages that a direction remembers: far more than the library keeps unacknowledged.
const WINDOW: usize = 2048;

/// The transmissions after which the library gives a message up.
const ATTEMPTS: u32 = 15;

/// The time, in nanoseconds, by which a busy application may be late.
const TICK: i64 = 100_000_000;

/// The user's settings for giving up.
#[derive(Clone, Copy, Debug)]
pub struct Tries {
    /// The limit of transmissions: `riptide.attempts`.
    attempts: u32,
    /// From 2.1 on giving up ends the connection, unless the application forbids it: `riptide.quality`.
    drops: bool,
}

impl Default for Tries {
    fn default() -> Tries {
        Tries { attempts: ATTEMPTS, drops: true }
    }
}

impl Tries {
    /// Reads the settings.
    pub fn of(settings: &Settings) -> Tries {
        let attempts = settings.get("riptide.attempts").and_then(|text| text.parse().ok()).unwrap_or(ATTEMPTS);
        Tries { attempts, drops: settings.get("riptide.quality") != Some("off") }
    }

    /// Whether this transmission is the last before the message or the connection is given up.
    fn is_last(self, copy: u32, version: Version) -> bool {
        copy == self.attempts && (self.drops || !version.packed())
    }
}

pub(super) static ACKED: Field = array("acked", Count::Rest, &ACKED_ID).doc("messages that no earlier ack named");
static ACKED_ID: Field = u16le("sequence_id");
pub(super) static COPY: Field = u32le("copy").doc("which copy of the message this is");

const CODES: NumberedCodes = NumberedCodes {
    late: "riptide.late",
    gap: "riptide.gap",
    resent: "riptide.resent",
    duplicate: "riptide.duplicate",
    acked_by: "riptide.acked_by",
    acked_unseen: "riptide.acked_unseen",
};

/// The interval at which a client repeats its connect, in nanoseconds.
const CONNECTS: i64 = 1_000_000_000;

/// Both directions of a conversation.
#[derive(Debug)]
pub struct Reliable {
    sent: [Sequence; 2],
    /// The receiver of each side's messages.
    receivers: [Receiver; 2],
    /// The number, without wrap, from which on the state of each side's receiver is known.
    judged: [i64; 2],
    acknowledgement: Acknowledgement,
    /// A disconnect or reject was seen: the next connect starts afresh.
    ended: bool,
    /// The time of the last connect.
    asked: Option<i64>,
    tries: Tries,
    /// The side has sent a message more often than the limit, so its own limit is unknown.
    insists: [bool; 2],
    /// Each side's newest number of a notify message, as the side itself or an acknowledgement names it, without wrap.
    notified: [Option<i64>; 2],
}

impl Reliable {
    /// The state of a new conversation.
    pub fn new(tries: Tries) -> Reliable {
        let new = || Sequence::new(65536, WINDOW);
        Reliable {
            sent: [new(), new()],
            receivers: Default::default(),
            judged: [i64::MIN; 2],
            acknowledgement: Acknowledgement::default(),
            ended: false,
            asked: None,
            tries,
            insists: [false; 2],
            notified: [None; 2],
        }
    }

    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.sent.iter().map(Sequence::memory).sum::<usize>()
            + self.receivers.iter().map(Receiver::memory).sum::<usize>()
    }

    /// Handles a client's connect.
    pub fn connect(&mut self, place: &Provenance<'_>, dissection: &mut Dissection) {
        let now = place.time.near_nanos();
        let before = self.asked.replace(now);
        // A client that has acknowledged the welcome sends no connect again: another one has its address. A copy by the
        // network comes sooner.
        let is_another = self.sent[place.side.other().index()].has_acknowledged()
            && before.is_none_or(|before| now.saturating_sub(before) > CONNECTS);
        if self.ended || is_another {
            *self = Reliable { insists: self.insists, asked: self.asked, ..Reliable::new(self.tries) };
            dissection.delivery.push(Event::Begin);
        }
        if self.sent.iter().all(|sent| sent.newest().is_none()) {
            self.receivers.iter_mut().for_each(Receiver::begin);
        }
    }

    /// Handles a reject or disconnect.
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Handles a message with a sequence id.
    pub fn message(&mut self, sequence: u16, version: Version, place: &Provenance<'_>, dissection: &mut Dissection) {
        let side = &mut self.sent[place.side.index()];
        let newest = side.newest();
        let extended = side.extend(sequence);
        let index = dissection.target(place).index;
        let time = place.time.near_nanos();
        let seen = side.sent(extended, place.frame, index, time);
        let first = side.first().max(self.judged[place.side.index()]);
        let copy = if let Seen::Copy { before } = seen { before.copies + 1 } else { 1 };
        let insists = &mut self.insists[place.side.index()];
        let goes_on = !*insists && copy > 1 && self.tries.is_last(copy - 1, version);
        *insists |= copy > self.tries.attempts;
        let last_try = !*insists && self.tries.is_last(copy, version);
        let message_id = dissection.tree.number(&ID);
        // The receiver may have named a newer id than the capture has.
        let jump = self.receivers[place.side.index()].jump(sequence);
        let now = self.receivers[place.side.index()].take(version, sequence);
        // The tag counts how often the message reached the application. Before the capture's first id, and up to the end
        // of a gap of the capture, the count is unknown: transmissions may not be captured.
        let handled = side.get_mut(extended).filter(|_| extended >= first).map(|sent| {
            let before = sent.tag as u32;
            sent.tag += now as u64;
            Handled { now, before }
        });
        dissection.delivery.push(Event::Sent {
            number: sequence.into(),
            extended,
            seen,
            message_id,
            last_try,
            handled,
            acknowledged: true,
            changed: false,
        });
        if last_try && version.packed() {
            // Another try would follow the last one after the same interval.
            let interval = if let Seen::Copy { before } = seen { time.saturating_sub(before.last_time) } else { 0 };
            let patience = interval.saturating_mul(2).saturating_add(TICK);
            dissection.delivery.push(Event::Step(Step::LastTry { number: extended, patience }));
        }
        let notes = &mut dissection.notes;
        match handled {
            Some(Handled { now: true, before: 1.. }) => notes.warn(
                "riptide.handled_twice",
                format_args!("the receiver does not recognise the copy: the application gets the message again"),
            ),
            Some(Handled { now: false, before: 0 }) => notes.warn(
                "riptide.never_handled",
                format_args!(
                    "the receiver takes it for a copy, acknowledges it and drops it: the application never gets it"
                ),
            ),
            _ => {}
        }
        note_seen(seen, side, extended, newest, &CODES, place, dissection);
        let notes = &mut dissection.notes;
        match (seen, version) {
            (Seen::Ahead(missing @ 16..=79), Version::V20) if jump > 16 => notes.warn("riptide.gap_bug",
                format_args!("{} above the newest: a 2.0 receiver keeps its old last id and may handle messages twice", missing + 1),
            ),
            (Seen::Ahead(missing @ 31..), Version::V21 | Version::V22) if jump > 31 => notes.warn("riptide.gap_bug",
                format_args!("{} above the newest: a receiver up to 2.2.1 may ack messages that it never got, and drop them when they arrive", missing + 1),
            ),
            (Seen::Copy { .. }, _) => {
                dissection.derived.push(&COPY, Value::UInt(copy as u64), 0, 0);
                if last_try {
                    let then = match version.packed() {
                        true => "the connection is dropped without telling the peer",
                        false => "the message is dropped",
                    };
                    notes.warn("riptide.given_up",
                        format_args!("copy {copy} is the library's last try: then {then}"),
                    );
                }
                if goes_on {
                    notes.note("riptide.goes_on",
                        format_args!(
                            "copy {copy} follows the library's last try: its application allows more, or the network repeated one of them"
                        ),
                    );
                }
            }
            _ => {}
        }
    }

    /// Handles a complete ack.
    pub fn ack(
        &mut self,
        last: u16,
        bits: u16,
        extra: Option<u16>,
        place: &Provenance<'_>,
        dissection: &mut Dissection,
    ) {
        if let Some(id) = extra
            && (id.wrapping_sub(last) as i16) > 0
        {
            dissection.notes.warn(
                "riptide.ack_ahead",
                format_args!(
                    "for_seq_id {id} is newer than last_received_seq_id {last}: the receiver kept its old last id"
                ),
            );
        }
        let other = &mut self.sent[place.side.other().index()];
        if other.newest().is_none() {
            return;
        }
        let is_ahead = self.receivers[place.side.other().index()].names(last);
        self.acknowledgement.clear();
        let last = other.extend(last);
        if is_ahead {
            self.judged[place.side.other().index()] = last + 1;
        }
        let extra = extra.map(|id| other.extend(id));
        // A receiver that kept its old last id has bits of other ids.
        let width = if extra.is_some_and(|extra| extra > last) { 0 } else { 16 };
        let report = Report { of: extra.unwrap_or(last), base: last, bits: bits.into(), width };
        dissection.delivery.push(Event::Report(report));
        // Every ack repeats the last ids.
        let mut bits = bits & !other.settled_below(last);
        let by_bits = std::iter::from_fn(|| {
            let i = bits.trailing_zeros();
            bits &= bits.checked_sub(1)?;
            Some(last - 1 - i64::from(i))
        });
        for id in std::iter::once(last).chain(extra).chain(by_bits) {
            let acked = other.acknowledged(id);
            if acked != Acked::Again {
                dissection.delivery.push(Event::Acked { extended: id, acked });
                self.acknowledgement.name(id, acked);
            }
        }
        self.acknowledgement.sort();
        let ids = self.acknowledgement.acked();
        if ids.len() > 0 && dissection.wants().derived {
            let list = dissection.derived.open(&ACKED, Value::List, 0);
            for id in ids {
                dissection.derived.push(&ACKED_ID, Value::UInt(other.wire(id) as u64), 0, 0);
            }
            dissection.derived.close(list, 0);
        }
        let unseen = "lost by the capture, sent before it began, or never sent (the bug of 2.1 and 2.2)";
        self.acknowledgement.note(other, &CODES, unseen, place, dissection);
    }

    /// Handles a notify message: its number, and the acknowledgements of the other side's.
    pub fn notify(&mut self, own: u16, last: u16, bits: u16, side: Side, dissection: &mut Dissection) {
        let mut extend = |side: Side, wire: u16| {
            let newest = &mut self.notified[side.index()];
            // The nearest number; the first is what it is.
            let nearest = |newest: i64| newest + i64::from(wire.wrapping_sub(newest as u16) as i16);
            let number = newest.map_or(wire.into(), nearest);
            *newest = (*newest).max(Some(number));
            number
        };
        let (number, newest) = (extend(side, own), extend(side.other(), last));
        dissection.delivery.push(Event::Arrivals(Arrivals { number, newest, bits: bits.into(), width: 8 }));
    }

    /// Notes the messages that are unacknowledged when the connection ends. `captured`: the sides that have sent
    /// messages.
    pub fn never_acked(&self, role: impl Fn(Side) -> &'static str, captured: [bool; 2], dissection: &mut Dissection) {
        for side in [Side::A, Side::B] {
            let sent = &self.sent[side.index()];
            let (ids, forgotten) = (sent.unacknowledged().map(|(id, _)| id), sent.forgotten_unacknowledged);
            let listed = ids.clone().count() as u64;
            let total = listed + forgotten;
            if total > 0 {
                let who = role(side);
                let ids = match listed {
                    0 => "too long ago for their ids".into(),
                    _ => Listed::of(sent, ids).and(forgotten).to_string(),
                };
                let (messages, were) = (Plural(total, "reliable message"), if total == 1 { "was" } else { "were" });
                let one_side = if captured[side.other().index()] { "" } else { ONE_SIDE };
                dissection.notes.warn(
                    "riptide.never_acked",
                    format_args!("{messages} of the {who} {were} never acknowledged: {ids}{one_side}"),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Time;

    fn place(side: Side, millis: u64) -> Provenance<'static> {
        let time = Time { secs: (millis / 1_000) as i64, frac: millis % 1_000, digits: 3 };
        Provenance { side, bytes: &[], length: 5, frame: 1, frames: &[], time }
    }

    /// The receiver's results for these ids of the client, and the codes of the last message's notes.
    fn handled(connect: bool, version: Version, ids: &[u16]) -> (Vec<Option<Handled>>, Vec<&'static str>) {
        let (mut layer, mut dissection) = (Reliable::new(Tries::default()), Dissection::default());
        if connect {
            layer.connect(&place(Side::A, 0), &mut dissection);
        }
        let mut all = Vec::new();
        for id in ids {
            dissection.clear();
            layer.message(*id, version, &place(Side::A, 0), &mut dissection);
            all.extend(dissection.delivery.iter().filter_map(|event| match event {
                Event::Sent { handled, .. } => Some(*handled),
                _ => None,
            }));
        }
        (all, dissection.notes.iter().map(|(note, _)| note.code).collect())
    }

    /// The receiver names ids that the capture lacks: what its filter does is not known.
    #[test]
    fn a_gap_of_the_capture_is_not_the_receiver_s() {
        for named in [false, true] {
            let (mut layer, mut dissection) = (Reliable::new(Tries::default()), Dissection::default());
            layer.connect(&place(Side::A, 0), &mut dissection);
            for id in (1..=5).chain(41..=150) {
                if named && id == 41 {
                    layer.ack(40, u16::MAX, None, &place(Side::B, 0), &mut dissection);
                }
                layer.message(id, Version::V20, &place(Side::A, 0), &mut dissection);
                if named {
                    layer.ack(id, u16::MAX, None, &place(Side::B, 0), &mut dissection);
                }
            }
            let gap_bug = dissection.notes.iter().any(|(note, _)| note.code == "riptide.gap_bug");
            assert_eq!(gap_bug, !named);
            dissection.clear();
            layer.message(150, Version::V20, &place(Side::A, 0), &mut dissection);
            let twice = dissection.notes.iter().any(|(note, _)| note.code == "riptide.handled_twice");
            assert_eq!(twice, !named);
        }
    }

    /// The capture has an acknowledgement before its message: later messages are judged.
    #[test]
    fn an_acknowledgement_before_its_message() {
        let (mut layer, mut dissection) = (Reliable::new(Tries::default()), Dissection::default());
        layer.connect(&place(Side::A, 0), &mut dissection);
        for id in [1, 2] {
            layer.message(id, Version::V20, &place(Side::A, 0), &mut dissection);
        }
        layer.ack(3, 3, None, &place(Side::B, 0), &mut dissection);
        // The bug of 2.0: 21 is 18 above 3, and its copy passes.
        for id in [3, 21, 21] {
            dissection.clear();
            layer.message(id, Version::V20, &place(Side::A, 0), &mut dissection);
        }
        assert!(dissection.notes.iter().any(|(note, _)| note.code == "riptide.handled_twice"));
    }

    /// The first message of a capture may be an old one, sent again.
    #[test]
    fn messages_before_the_capture_are_acknowledged_in_it() {
        let (mut layer, mut dissection) = (Reliable::new(Tries::default()), Dissection::default());
        layer.message(480, Version::V22, &place(Side::A, 0), &mut dissection);
        dissection.clear();
        layer.ack(505, 0, None, &place(Side::B, 1), &mut dissection);
        let found = dissection.notes.iter().find(|(note, _)| note.code == "riptide.acked_unseen");
        let (_, text) = found.expect("the note");
        assert!(text.contains("sent before it began"), "{text}");
    }

    #[test]
    fn a_connect_after_an_acknowledged_welcome_is_another_client() {
        let (mut layer, mut dissection) = (Reliable::new(Tries::default()), Dissection::default());
        let mut begins = |layer: &mut Reliable, millis| {
            dissection.clear();
            layer.connect(&place(Side::A, millis), &mut dissection);
            dissection.delivery.contains(&Event::Begin)
        };
        // Repeated until the welcome arrives; copied by the network soon after.
        assert_eq!([0, 1_000].map(|millis| begins(&mut layer, millis)), [false; 2]);
        let mut other = Dissection::default();
        layer.message(1, Version::V22, &place(Side::B, 1_010), &mut other);
        assert!(!begins(&mut layer, 2_000), "the welcome was lost");
        layer.ack(1, 0, None, &place(Side::A, 2_020), &mut other);
        assert_eq!([2_030, 9_000, 9_010].map(|millis| begins(&mut layer, millis)), [false, true, false]);
    }

    /// Ids that are no longer remembered are counted, also where no other id can be listed.
    #[test]
    fn forgotten_ids_that_were_never_acknowledged_are_counted() {
        for (silent, text) in [
            (&[1][..], "1 reliable message of the client was never acknowledged: too long ago for their ids"),
            (&[1, 2040, 2050], "3 reliable messages of the client were never acknowledged: 2040, 2050 and 1 more"),
        ] {
            let (mut layer, mut dissection) = (Reliable::new(Tries::default()), Dissection::default());
            for id in 1..=WINDOW as u16 + 12 {
                dissection.clear();
                layer.message(id, Version::V20, &place(Side::A, 0), &mut dissection);
                if !silent.contains(&id) {
                    layer.ack(id, 0, None, &place(Side::B, 0), &mut dissection);
                }
            }
            dissection.clear();
            layer.never_acked(|_| "client", [true; 2], &mut dissection);
            assert_eq!(dissection.notes.iter().map(|(_, text)| text).collect::<Vec<_>>(), [text]);
        }
    }

    #[test]
    fn what_a_receiver_handles_twice_or_never_is_noted() {
        let took = |now, before| Some(Handled { now, before });
        // README.md, "Reliable layer": in 2.0 a jump of 17 to 80 does not update the newest id.
        let (all, notes) = handled(true, Version::V20, &[1, 21, 21]);
        assert_eq!(all, [took(true, 0), took(true, 0), took(true, 1)]);
        assert_eq!(notes, ["riptide.handled_twice", "riptide.resent"]);
        // In 2.2 a jump of 32 or more leaves the bits of other ids.
        let (all, notes) = handled(true, Version::V22, &[1, 2, 42, 33, 33]);
        assert_eq!(all[3..], [took(false, 0), took(false, 0)]);
        assert!(notes.contains(&"riptide.never_handled"), "{notes:?}");
        assert_eq!(handled(true, Version::V22, &[1, 1]).0, [took(true, 0), took(false, 1)]);
        // Messages before a capture that begins in the middle are unknown.
        assert_eq!(handled(false, Version::V22, &[500, 499]).0, [took(true, 0), None]);
    }
}
