//! Packets in a stream: after a length, before a mark, or in WebSocket messages.

use super::super::frames::{Begins, Frame};
use super::super::reader::{Work, end_of};
use super::super::state::{State, sender};
use super::super::supposed::Supposed;
use super::super::weighing::Weighing;
use super::step::{SEARCHED, Starts, Step};
use super::{Channel, DescribedSession};
use crate::dissect::framed::{Framed, Next, Pdu, StreamState};
use crate::dissect::{Out, Provenance, Roles, StreamEvent};
use crate::flow::{Side, Stream};
use crate::protocols::websocket::{Carrier, CarrierStep, http};

impl DescribedSession {
    /// Decides the carrier of the packets by the first bytes of the conversation.
    pub(super) fn decide(&mut self, stream: &Stream, last: bool) {
        match http::begins(stream.bytes()) {
            _ if stream.bytes().is_empty() => {}
            Some(true) => {
                let carrier = Carrier::new(true, self.begun);
                self.channel = Channel::WebSocket(Box::new(carrier.inflating(self.ratio)));
            }
            Some(false) if self.description.tcp.is_some() && !self.websocket_port => self.channel = Channel::Tcp,
            // Frames of a WebSocket, from its middle.
            Some(false) => {
                let carrier = Carrier::new(false, [false; 2]);
                self.channel = Channel::WebSocket(Box::new(carrier.inflating(self.ratio)));
            }
            None if last => self.channel = Channel::Tcp,
            None => {}
        }
    }

    /// Finds the end of the message at the beginning of these bytes.
    fn end(&self, side: Side, bytes: &[u8], work: &mut Work) -> Begins {
        let from = sender(self.role(side));
        end_of(self.description, State { memory: &self.memory, values: &self.values, from, likely: from }, bytes, work)
    }

    /// Finds the first message of a direction. If the conversation's beginning is missing, also supposes what it has set.
    fn find(&mut self, frame: &Frame, side: Side, stream: &Stream, more: bool) -> Step {
        let starts = std::mem::take(&mut self.starts[side.index()]);
        let known = Supposed { server: self.server, memory: self.memory.clone() };
        let supposed = if self.resumes { known.others(self.description, false) } else { vec![known] };
        let places = SEARCHED.1 / supposed.len().max(1);
        let (mut found, mut waits): (Vec<(usize, Supposed)>, Option<Starts>) = (Vec::new(), None);
        for one in supposed {
            let (mut work, mut measured) = (Work::default(), Work::default());
            let weighing = Weighing::new(self.description, &one, &self.values, false);
            let mut fits = |message: &[u8]| weighing.fits(message, side, &mut work);
            let mut ends = |bytes: &[u8]| weighing.end(bytes, side, &mut measured);
            let mut searched = starts.clone();
            match searched.find(frame, stream, more, places, (&mut fits, &mut ends)) {
                Step::At(at) => found.push((at, one)),
                Step::Wait => waits = Some(searched),
                Step::Lost => {}
            }
        }
        let Some((at, first)) = found.first() else {
            let Some(searched) = waits else { return Step::Lost };
            self.starts[side.index()] = if self.resumes { starts.after(searched) } else { searched };
            return Step::Wait;
        };
        if found.iter().any(|(_, other)| other.memory != first.memory) && more && stream.bytes().len() < AMBIGUOUS {
            self.starts[side.index()] = starts;
            return Step::Wait;
        }
        if self.resumes {
            let alike = found.iter().all(|(_, other)| other.server == first.server);
            self.suppose(&Supposed { server: first.server.filter(|_| alike), memory: first.memory.clone() });
            self.resumes = false;
        }
        Step::At(*at)
    }

    /// Reads all WebSocket frames.
    pub(super) fn websocket(&mut self, side: Side, stream: &mut Stream, event: StreamEvent<'_>, out: &mut Out<'_>) {
        loop {
            let mut roles = Roles::new(self.server);
            let Channel::WebSocket(carrier) = &mut self.channel else { return };
            let step = carrier.step(side, stream, &mut roles, out);
            self.server = roles.client().map(Side::other).or(self.server);
            match step {
                CarrierStep::Wait => break,
                CarrierStep::Done => {}
                CarrierStep::Message => {
                    let Channel::WebSocket(carrier) = &mut self.channel else { return };
                    let message = carrier.take(side);
                    if let Some(missing) = message.gap {
                        self.stream.lose(side, missing);
                    }
                    let frames: &[u64] = if message.frames.len() > 1 { &message.frames } else { &[] };
                    let (bytes, origin) = (&message.bytes[..], message.origin);
                    let place =
                        Provenance { side, bytes, length: bytes.len(), frame: origin.frame, frames, time: origin.time };
                    self.packet(&place, message.unmasked, out);
                    if let Channel::WebSocket(carrier) = &mut self.channel {
                        carrier.give_back(side, message);
                    }
                }
            }
        }
        let mut roles = Roles::new(self.server);
        let Channel::WebSocket(carrier) = &mut self.channel else { return };
        if !matches!(event, StreamEvent::Data { .. }) {
            let missing = !matches!(event, StreamEvent::End { missing: 0 });
            carrier.end(side, stream, missing, &mut roles, out);
        }
        if let StreamEvent::Gap { missing } | StreamEvent::End { missing: missing @ 1.. } = event {
            carrier.lose(side, missing);
        }
    }
}

/// An incomplete message of one direction.
#[derive(Debug, Default)]
pub(super) struct Wait {
    /// The number of bytes that it needs at least.
    needed: usize,
    /// The number of bytes that were read to find its end, again and again.
    spent: usize,
    /// The number of bytes of the newest event.
    newest: usize,
}

/// The number of bytes of a direction before which suppositions that all fit are not chosen between.
const AMBIGUOUS: usize = 256;
/// The most values of a message whose memory is used again.
const KEPT: usize = 1 << 12;
/// The cap on the bytes that are read to find the end of a message, in lengths of the message.
const READ_AGAIN: usize = 32;

impl Wait {
    /// Whether to look for the message's end, now that there are `bytes`, of which `new` are new. A long message is not
    /// read again with every segment, except with one that is shorter than the one before, as the last one usually is.
    fn is_over(&mut self, bytes: usize, new: usize) -> bool {
        let before = std::mem::replace(&mut self.newest, new);
        let most = READ_AGAIN * if new < before { 2 } else { 1 };
        bytes >= self.needed && self.spent / most <= bytes
    }

    /// Notes that the message is incomplete.
    fn wait(&mut self, bytes: usize, needed: usize, again: bool) {
        self.needed = needed;
        self.spent += if again { bytes } else { 0 };
    }
}

/// Messages of a TCP stream.
impl Framed for DescribedSession {
    type Kind = ();

    fn state(&mut self) -> &mut StreamState {
        &mut self.stream
    }

    fn next(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) -> Next<()> {
        let bytes = stream.bytes();
        let Some(frame) = self.frame else { return Next::Skip(bytes.len()) };
        if bytes.is_empty() {
            return Next::Wait;
        }
        if self.lost[side.index()] {
            match self.find(frame, side, stream, matches!(event, StreamEvent::Data { .. })) {
                Step::At(at) => {
                    self.lost[side.index()] = false;
                    if at > 0 {
                        return Next::Skip(at);
                    }
                }
                Step::Wait => return Next::Wait,
                Step::Lost => return Next::Skip(bytes.len()),
            }
        }
        let data = if let StreamEvent::Data { new, .. } = event { Some(*new) } else { None };
        if let Some(new) = data {
            let wait = &mut self.waits[side.index()];
            if !wait.is_over(bytes.len(), new) {
                return Next::Wait;
            }
            // All bytes but the new ones were searched for the end mark.
            if wait.needed > 0 && frame.is_open(bytes, wait.needed - 1) {
                wait.needed = bytes.len() + 1;
                return Next::Wait;
            }
        }
        let mut work = self.work.take();
        let begins = frame.begins(bytes, &mut |bytes| self.end(side, bytes, work.get_or_insert_with(Default::default)));
        // The memory for a long message is not kept.
        self.work = work.filter(|work| work.tree.nodes().len() <= KEPT);
        match begins {
            Begins::More(needed) => {
                self.waits[side.index()].wait(bytes.len(), needed, matches!(frame, Frame::Fields(_)))
            }
            _ => self.waits[side.index()] = Wait::default(),
        }
        match begins {
            Begins::Message(header, length, 0) => Next::Pdu(Pdu::whole((), header, length)),
            Begins::Message(0, 0, following) => Next::Skip(following),
            // The mark after this line is skipped with the next one.
            Begins::Message(header, length, _) => Next::Pdu(Pdu::whole((), header, length)),
            Begins::More(_) if data.is_some() => Next::Wait,
            Begins::More(needed) => {
                // The end of the stream ends a line, unless bytes are missing before it.
                let ends = matches!((frame, event), (Frame::Until(_), StreamEvent::End { missing: 0 }));
                let known = if ends { bytes.len() } else { needed };
                // Nothing of a message is there as long as not all of its length is.
                let begun = if let Frame::Length { header: 0, .. } = frame { (bytes.len(), 1) } else { (0, known) };
                let (header, length) = frame.announced(bytes).unwrap_or(begun);
                let header = header.min(bytes.len());
                Next::Pdu(Pdu { kind: (), header, there: bytes.len() - header, length })
            }
            Begins::Nothing => {
                self.lost[side.index()] = true;
                Next::Pdu(Pdu::whole((), 0, bytes.len()))
            }
        }
    }

    fn pdu(&mut self, (): (), place: &Provenance<'_>, out: &mut Out<'_>) {
        self.packet(place, false, out);
    }

    fn lost(&mut self, side: Side) {
        self.lost[side.index()] = true;
        self.starts[side.index()] = Starts::default();
        self.waits[side.index()] = Wait::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes that are read to find the end of a message of this length, in segments of these sizes, over and over.
    fn read(length: usize, sizes: &[usize]) -> usize {
        let (mut wait, mut there, mut all) = (Wait::default(), 0, 0);
        for size in sizes.iter().cycle() {
            there += size;
            if wait.is_over(there, *size) {
                all += there;
                wait.wait(there, there + 1, true);
            }
            if there >= length {
                break;
            }
        }
        all
    }

    #[test]
    fn long_messages_are_not_read_again_with_every_segment() {
        for sizes in [&[1460][..], &[1], &[1460, 7], &[3, 2, 1], &[100, 1460]] {
            for length in [1 << 12, 1 << 16, 1 << 20] {
                let read = read(length, sizes);
                assert!(read <= (2 * READ_AGAIN + 2) * (length + 1460), "{read} bytes of {length} in {sizes:?}");
            }
        }
        // What is missing is known: nothing is read before.
        let mut wait = Wait::default();
        assert!(wait.is_over(10, 10));
        wait.wait(10, 5000, true);
        assert!(!wait.is_over(4999, 4989) && wait.is_over(5000, 1));
    }
}
