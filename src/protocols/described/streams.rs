//! The first messages of both directions of a stream, in an order in which they may have been sent.

use super::frames::{Begins, Frame};
use super::reader::Work;
use super::session::step::first;
use super::weighing::{WEIGHED, Weighing};
use crate::dissect::Observation;
use crate::flow::Side;

/// The number of bytes that are shown of a stream without messages.
const FIRST: usize = 48;

/// A direction.
struct Direction<'a> {
    side: Side,
    /// The bytes that were not read yet.
    rest: &'a [u8],
    /// Whether the capture has its beginning.
    begun: bool,
    /// The bits by which chance matches are more likely.
    tried: u32,
    /// The number of its messages that fit.
    messages: usize,
    /// Whether the next one does not fit.
    stuck: bool,
}

/// The directions of a stream.
pub struct Streams<'a> {
    frame: &'a Frame,
    directions: Vec<Direction<'a>>,
    /// A direction whose beginning was captured does not begin with a message, or has bytes that are none.
    pub misfit: bool,
    /// The side and the first bytes that are no message.
    pub framing: Option<(Side, Vec<u8>)>,
}

impl<'a> Streams<'a> {
    /// The streams of a conversation, which may be captured from its middle. `search`: then messages may also begin
    /// inside of the bytes.
    pub fn new(frame: &'a Frame, observation: &Observation<'a>, weighing: &Weighing<'_>, search: bool) -> Streams<'a> {
        let (mut work, mut measured) = (Work::default(), Work::default());
        let direction = |(side, bytes, _): &(Side, &'a [u8], usize)| {
            let (side, begun) = (*side, observation.begun[side.index()]);
            let mut direction = Direction { side, rest: bytes, begun, tried: 0, messages: 0, stuck: false };
            // A stream that is captured from its middle need not begin with a message.
            if !begun && search {
                let mut ends = |bytes: &[u8]| weighing.end(bytes, side, &mut measured);
                let mut fits = |message: &[u8]| weighing.fits(message, side, &mut work);
                let at_once = matches!(frame.begins(bytes, &mut ends), Begins::Message(header, length, _)
                    if bytes.get(header..header + length).is_some_and(&mut fits));
                if !at_once && let Some(found) = first(frame, bytes, bytes.len(), (&mut fits, &mut ends)) {
                    direction.rest = bytes.get(found..).unwrap_or_default();
                    direction.tried = found.ilog2() + 1;
                }
            }
            direction
        };
        let directions = observation.payloads.iter().map(direction).collect();
        Streams { frame, directions, misfit: false, framing: None }
    }

    /// Weighs their messages, and returns those that fit. If a message does not, the other side may have to send
    /// one before it.
    pub fn read(&mut self, weighing: &mut Weighing<'_>) -> Vec<(Side, &'a [u8], usize)> {
        let mut messages = Vec::new();
        let (mut turn, mut idle, count) = (0, 0, self.directions.len());
        while idle < count {
            match self.next(turn, weighing) {
                Some(message) => {
                    messages.push(message);
                    idle = 0;
                }
                None => (turn, idle) = ((turn + 1) % count, idle + 1),
            }
        }
        // What the other directions send may depend on what the first one's missing messages have set.
        let failed = |(k, one): (usize, &Direction<'_>)| {
            one.begun && one.stuck && one.messages == 0 && (k == 0 || !weighing.has_memory())
        };
        self.misfit |= self.directions.iter().enumerate().any(failed);
        messages
    }

    /// Whether the lengths of all messages lead to the end of each direction's bytes: those of a foreign stream would end
    /// elsewhere.
    pub fn end_exactly(&self) -> bool {
        let ends = |direction: &Direction<'_>| {
            let mut rest = direction.rest;
            while let Begins::Message(header, length, _) = self.frame.begins(rest, &mut |_| Begins::Nothing)
                && header + length > 0
            {
                rest = rest.get(header + length..).unwrap_or_default();
            }
            direction.messages > 0 && rest.is_empty()
        };
        matches!(self.frame, Frame::Length { .. }) && self.directions.iter().all(ends)
    }

    /// Weighs the next message of a direction.
    fn next(&mut self, turn: usize, weighing: &mut Weighing<'_>) -> Option<(Side, &'a [u8], usize)> {
        let direction = self.directions.get_mut(turn)?;
        let Direction { side, rest, tried, .. } = *direction;
        while direction.messages < WEIGHED / 2 {
            let mut measured = Work::default();
            match self.frame.begins(direction.rest, &mut |bytes| weighing.end(bytes, side, &mut measured)) {
                Begins::Message(header, length, after) if header + length + after > 0 => {
                    let message = direction.rest.get(header..header + length).unwrap_or_default();
                    direction.stuck = length > 0 && !weighing.packet(message, length, side, tried);
                    if direction.stuck {
                        return None;
                    }
                    direction.rest = direction.rest.get(header + length + after..).unwrap_or_default();
                    direction.messages += 1;
                    if length > 0 {
                        return Some((side, message, length));
                    }
                }
                Begins::Nothing => {
                    self.misfit |= direction.begun;
                    if direction.begun {
                        self.framing = Some((side, rest.iter().take(FIRST).copied().collect()));
                    }
                    return None;
                }
                _ => return None,
            }
        }
        None
    }
}
