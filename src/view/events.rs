//! Delivery events as bytes: a tag and numbers. Frames and times of earlier messages are relative to the message's own.

use crate::codec::packed::{Known, Numbers, Unpack, put_signed};
use crate::dissect::delivery::{Arrivals, Event, Handled, Link, Report, Step};
use crate::flow::Side;
use crate::traffic::sequence::{Acked, Seen, Sent};

/// The frame and the time of a message, in nanoseconds since 1970.
pub type Origin = (u64, i64);

/// Names of steps that have none.
const NONE: &str = "";

/// Appends an event.
pub fn pack(event: Event, origin: Origin, numbers: &mut Numbers, out: &mut Vec<u8>) {
    let mut put = |tag: u8, list: &[i64]| {
        out.push(tag);
        list.iter().for_each(|number| put_signed(*number, out));
    };
    let number = |number: u64| number.cast_signed();
    match event {
        Event::Begin => put(0, &[]),
        Event::Sent { number: own, extended, seen, message_id, last_try, handled, acknowledged, changed } => {
            let now = handled.is_some_and(|handled| handled.now);
            let flags = [last_try, acknowledged, now, handled.is_some(), message_id.is_some(), changed];
            let flags = flags.iter().rev().fold(0, |all, flag| all << 1 | i64::from(*flag));
            put(1, &[flags, number(own), extended.wrapping_sub(number(own))]);
            let before = handled.map(|handled| i64::from(handled.before));
            before.into_iter().chain(message_id.map(number)).for_each(|more| put_signed(more, out));
            let (tag, ahead, before) = match seen {
                Seen::Next => (0, None, None),
                Seen::Ahead(ahead) => (1, Some(i64::from(ahead)), None),
                Seen::Late => (2, None, None),
                Seen::Copy { before } => (3, None, Some(before)),
                Seen::Forgotten => (4, None, None),
            };
            out.push(tag);
            ahead
                .into_iter()
                .chain(before.into_iter().flat_map(|sent| flat(sent, origin)))
                .for_each(|n| put_signed(n, out));
        }
        Event::Acked { extended, acked } => {
            let (tag, first) = match acked {
                Acked::First(sent) => (0, Some(sent)),
                Acked::Again => (1, None),
                Acked::Unseen => (2, None),
                Acked::Unknown => (3, None),
            };
            put(2, &[extended, tag]);
            first.into_iter().flat_map(|sent| flat(sent, origin)).for_each(|n| put_signed(n, out));
        }
        Event::Report(Report { of, base, bits, width }) => {
            put(3, &[of, base.wrapping_sub(of), bits.into(), width.into()])
        }
        Event::Request => put(4, &[]),
        Event::Answer(after) => put(5, &[after]),
        Event::Unmatched => put(6, &[]),
        Event::Ping => put(7, &[]),
        Event::Pong(after) => put(8, &[after]),
        Event::CrossFlowPong { flow, side, after } => put(9, &[number(flow), side.index() as i64, after]),
        Event::StrayPong => put(10, &[]),
        Event::HiddenPong { flow, side } => put(11, &[number(flow), side.index() as i64]),
        Event::ShownPong { flow, side } => put(12, &[number(flow), side.index() as i64]),
        Event::Link(Link::Offered) => put(13, &[]),
        Event::Link(Link::Accepted) => put(14, &[]),
        Event::Link(Link::Refused) => put(15, &[]),
        Event::Link(Link::Ended(after)) => put(16, &[after]),
        Event::Arrivals(Arrivals { number, newest, bits, width }) => {
            put(17, &[number, newest, bits.into(), width.into()])
        }
        Event::Step(step) => {
            let (tag, of, name) = match step {
                Step::Asked => (0, 0, NONE),
                Step::Accepted => (1, 0, NONE),
                Step::Undecided => (2, 0, NONE),
                Step::Refused(name) => (3, 0, name),
                Step::Left(name) => (4, 0, name),
                Step::Kicked(name) => (5, 0, name),
                Step::TimedOut(after) => (6, after, NONE),
                Step::Poor => (7, 0, NONE),
                Step::Alive(nanos) => (8, nanos, NONE),
                Step::LastTry { number, .. } => (9, number, NONE),
                Step::LeftFor(name) => (10, 0, name),
                Step::Unacknowledged(after) => (11, after, NONE),
            };
            let patience = if let Step::LastTry { patience, .. } = step { patience } else { 0 };
            put(18, &[tag, of, patience]);
            numbers.name(name, out);
        }
        Event::AnsweredBefore => put(19, &[]),
        Event::HiddenAnswer => put(20, &[]),
        Event::ShownAnswer => put(21, &[]),
    }
}

fn flat(sent: Sent, (frame, time): Origin) -> [i64; 7] {
    [
        frame.wrapping_sub(sent.frame).cast_signed(),
        time.wrapping_sub(sent.time),
        sent.last_time.wrapping_sub(sent.time),
        sent.copies.into(),
        sent.acked.into(),
        sent.index.into(),
        sent.tag.cast_signed(),
    ]
}

fn sent(from: &mut Unpack<'_>, (frame, time): Origin) -> Option<Sent> {
    let frame = frame.wrapping_sub(from.signed()?.cast_unsigned());
    let time = time.wrapping_sub(from.signed()?);
    Some(Sent {
        frame,
        time,
        last_time: time.wrapping_add(from.signed()?),
        copies: from.signed()?.try_into().ok()?,
        acked: from.signed()? != 0,
        index: from.signed()?.try_into().ok()?,
        tag: from.signed()?.cast_unsigned(),
    })
}

fn side(from: &mut Unpack<'_>) -> Option<Side> {
    Side::BOTH.get(usize::try_from(from.signed()?).ok()?).copied()
}

/// The event that [`pack`] has appended; `None`: it is none.
pub fn unpack(origin: Origin, known: &Known, from: &mut Unpack<'_>) -> Option<Event> {
    Some(match from.byte()? {
        0 => Event::Begin,
        1 => {
            let flags = from.signed()?;
            let is = |bit: u32| flags >> bit & 1 == 1;
            let own = from.signed()?;
            let extended = own.wrapping_add(from.signed()?);
            let handled = match is(3) {
                true => Some(Handled { now: is(2), before: from.signed()?.try_into().ok()? }),
                false => None,
            };
            let message_id = if is(4) { Some(from.signed()?.cast_unsigned()) } else { None };
            let seen = match from.byte()? {
                0 => Seen::Next,
                1 => Seen::Ahead(from.signed()?.try_into().ok()?),
                2 => Seen::Late,
                3 => Seen::Copy { before: sent(from, origin)? },
                _ => Seen::Forgotten,
            };
            let number = own.cast_unsigned();
            let (last_try, acknowledged, changed) = (is(0), is(1), is(5));
            Event::Sent { number, extended, seen, message_id, last_try, handled, acknowledged, changed }
        }
        2 => {
            let extended = from.signed()?;
            let acked = match from.signed()? {
                0 => Acked::First(sent(from, origin)?),
                1 => Acked::Again,
                2 => Acked::Unseen,
                _ => Acked::Unknown,
            };
            Event::Acked { extended, acked }
        }
        3 => {
            let of = from.signed()?;
            let base = of.wrapping_add(from.signed()?);
            let (bits, width) = (from.signed()?.try_into().ok()?, from.signed()?.try_into().ok()?);
            Event::Report(Report { of, base, bits, width })
        }
        4 => Event::Request,
        5 => Event::Answer(from.signed()?),
        6 => Event::Unmatched,
        7 => Event::Ping,
        8 => Event::Pong(from.signed()?),
        9 => Event::CrossFlowPong { flow: from.signed()?.cast_unsigned(), side: side(from)?, after: from.signed()? },
        10 => Event::StrayPong,
        11 => Event::HiddenPong { flow: from.signed()?.cast_unsigned(), side: side(from)? },
        12 => Event::ShownPong { flow: from.signed()?.cast_unsigned(), side: side(from)? },
        13 => Event::Link(Link::Offered),
        14 => Event::Link(Link::Accepted),
        15 => Event::Link(Link::Refused),
        16 => Event::Link(Link::Ended(from.signed()?)),
        17 => {
            let (number, newest) = (from.signed()?, from.signed()?);
            let (bits, width) = (from.signed()?.try_into().ok()?, from.signed()?.try_into().ok()?);
            Event::Arrivals(Arrivals { number, newest, bits, width })
        }
        19 => Event::AnsweredBefore,
        20 => Event::HiddenAnswer,
        21 => Event::ShownAnswer,
        _ => {
            let (tag, of, patience) = (from.signed()?, from.signed()?, from.signed()?);
            let name = known.name(from.number()?)?;
            Event::Step(match tag {
                0 => Step::Asked,
                1 => Step::Accepted,
                2 => Step::Undecided,
                3 => Step::Refused(name),
                4 => Step::Left(name),
                5 => Step::Kicked(name),
                6 => Step::TimedOut(of),
                7 => Step::Poor,
                8 => Step::Alive(of),
                9 => Step::LastTry { number: of, patience },
                10 => Step::LeftFor(name),
                _ => Step::Unacknowledged(of),
            })
        }
    })
}
