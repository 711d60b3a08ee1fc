//! Packets in a stream: after a length, before a mark, or in WebSocket messages.

use super::super::frames::Begins;
use super::super::reader::Work;
use super::super::recognise::weigh_packet;
use super::super::state::sender;
use super::step::{Starts, Step};
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

    /// Whether a message that may begin here fits the file.
    fn fits(&self, side: Side, message: &[u8]) -> bool {
        let from = sender(self.role(side));
        let (mut work, mut memory) = (Work::default(), self.memory.clone());
        weigh_packet(self.description, message, message.len(), &mut work, (&mut memory, &self.values), from).is_some()
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
        let roles = Roles::new(self.server);
        let Channel::WebSocket(carrier) = &mut self.channel else { return };
        if !matches!(event, StreamEvent::Data { .. }) {
            carrier.end(side, stream, &roles, out);
        }
        if let StreamEvent::Gap { missing } = event {
            carrier.lose(side, missing);
        }
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
            let mut starts = std::mem::take(&mut self.starts[side.index()]);
            let step = starts
                .find(frame, stream, matches!(event, StreamEvent::Data { .. }), |message| self.fits(side, message));
            self.starts[side.index()] = starts;
            match step {
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
        match frame.begins(bytes) {
            Begins::Message(header, length, 0) => Next::Pdu(Pdu::whole((), header, length)),
            Begins::Message(0, 0, behind) => Next::Skip(behind),
            // The mark after this line is skipped with the next one.
            Begins::Message(header, length, _) => Next::Pdu(Pdu::whole((), header, length)),
            Begins::More if matches!(event, StreamEvent::Data { .. }) => Next::Wait,
            Begins::More => {
                let (header, length) = frame.announced(bytes).unwrap_or((0, bytes.len()));
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
    }
}
