//! Reads bytes of one conversation that do not come from a capture: from a socket, hex text, or a stored answer. A
//! [`SessionReader`] owns the necessary state and passes messages to a sink.

use super::dissector::{Dissector, Session, StreamEvent};
use super::flow_info::FlowInfo;
use super::message::{Dissection, Out, Provenance, Sink};
use crate::flow::{Origin, Side, Stream, Transport};
use std::net::SocketAddr;

/// A session, the unread bytes of both directions, and the memory of the current message.
pub(crate) struct SessionReader {
    session: Box<dyn Session>,
    streams: [Stream; 2],
    /// The memory, for reuse.
    pub dissection: Dissection,
}

impl SessionReader {
    /// A reader of a new conversation.
    pub fn new(dissector: &dyn Dissector, flow_info: &FlowInfo<'_>) -> SessionReader {
        SessionReader::of(dissector.session(flow_info))
    }

    /// A reader with a session that another conversation has created.
    pub fn of(session: Box<dyn Session>) -> SessionReader {
        SessionReader { session, streams: Default::default(), dissection: Dissection::default() }
    }

    /// Reuses memory, which is in [`SessionReader::dissection`] again.
    pub fn with(self, dissection: Dissection) -> SessionReader {
        SessionReader { dissection, ..self }
    }

    /// Reads bytes that one side sent: a datagram, or the next bytes of its stream.
    pub fn bytes(
        &mut self,
        side: Side,
        bytes: &[u8],
        origin: Origin,
        names: [&str; 2],
        flow_info: &FlowInfo<'_>,
        to: &mut dyn Sink,
    ) {
        let Origin { frame, time } = origin;
        match flow_info.transport {
            Transport::Udp => {
                let place = Provenance { side, bytes, length: bytes.len(), frame, frames: &[], time };
                self.datagram(&place, names, flow_info, to);
            }
            Transport::Tcp => {
                self.streams[side.index()].append(bytes, origin);
                self.event(side, StreamEvent::Data { new: bytes.len(), segments: &[0], frame }, names, flow_info, to);
            }
        }
    }

    /// Reads a datagram, which may be cut: `place` has its length on the wire.
    pub fn datagram(&mut self, place: &Provenance<'_>, names: [&str; 2], flow_info: &FlowInfo<'_>, to: &mut dyn Sink) {
        self.session.datagram(place, &mut Out::new(&mut self.dissection, to, flow_info, names));
    }

    /// Records that `missing` bytes of a side's stream are missing: an incomplete message is never completed.
    pub fn gap(&mut self, side: Side, missing: u64, names: [&str; 2], flow_info: &FlowInfo<'_>, to: &mut dyn Sink) {
        self.event(side, StreamEvent::Gap { missing }, names, flow_info, to);
        let stream = &mut self.streams[side.index()];
        let after = stream.offset() + stream.bytes().len() as u64 + missing;
        stream.restart(after);
    }

    /// The client's side, if the messages have revealed it.
    pub fn client(&self) -> Option<Side> {
        self.session.client()
    }

    /// Ends a side's stream.
    pub fn end(&mut self, side: Side, names: [&str; 2], flow_info: &FlowInfo<'_>, to: &mut dyn Sink) {
        if flow_info.transport == Transport::Tcp {
            self.event(side, StreamEvent::End { missing: 0 }, names, flow_info, to);
        }
    }

    fn event(
        &mut self,
        side: Side,
        event: StreamEvent<'_>,
        names: [&str; 2],
        flow_info: &FlowInfo<'_>,
        to: &mut dyn Sink,
    ) {
        let mut out = Out::new(&mut self.dissection, to, flow_info, names);
        self.session.stream(side, &mut self.streams[side.index()], event, &mut out);
    }

    /// The number of bytes in a side's stream that do not form a complete message yet.
    pub fn unread(&self, side: Side) -> usize {
        self.streams[side.index()].bytes().len()
    }

    /// The approximate number of bytes in the session that grow with the traffic.
    pub fn memory(&self) -> usize {
        self.session.memory()
    }

    /// The server of datagrams that belong to this conversation, and the session for them.
    pub fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        self.session.expects()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dissect::Message;
    use crate::protocols;

    struct Names(Vec<(&'static str, bool)>);

    impl Sink for Names {
        fn message(&mut self, message: &Message<'_>) {
            self.0.push((message.dissection.message, message.dissection.fault.is_some()));
        }
    }

    #[test]
    fn after_a_gap_it_goes_on() {
        let mut options = protocols::options();
        options.set("riptide.version=2.0").unwrap();
        let riptide = protocols::by_name("riptide").unwrap();
        let flow_info = FlowInfo::alone(Transport::Tcp, &options);
        let (mut reader, mut names) = (SessionReader::new(riptide, &flow_info), Names(Vec::new()));
        let ends = ["", ""];
        reader.bytes(Side::A, &[1, 0, 3, 5, 0], Origin::default(), ends, &flow_info, &mut names);
        assert_eq!((&names.0[..], reader.unread(Side::A)), (&[("connect", false)][..], 2));
        reader.gap(Side::A, 5, ends, &flow_info, &mut names);
        assert_eq!(reader.unread(Side::A), 0, "what was begun is never completed");
        let before = names.0.len();
        reader.bytes(Side::A, &[1, 0, 6], Origin::default(), ends, &flow_info, &mut names);
        assert_eq!(names.0[before..].last(), Some(&("disconnect", false)), "{:?}", names.0);
        reader.bytes(Side::B, &[9, 0, 7], Origin::default(), ends, &flow_info, &mut names);
        assert_eq!(reader.unread(Side::B), 3);
        let before = names.0.len();
        reader.end(Side::B, ends, &flow_info, &mut names);
        assert!(names.0.len() > before, "the end tells of what is unfinished");
    }
}
