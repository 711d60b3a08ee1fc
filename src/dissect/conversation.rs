//! Bytes of one conversation that come without a capture: from a socket, a block of hex text, an
//! answer at hand. One [`SessionReader`] owns what reading them needs and hands messages to a sink.

use super::dissector::{Dissector, Session, StreamEvent};
use super::message::{Draft, Out, Place, Sink};
use super::talk::Talk;
use crate::flow::{Origin, Side, Stream, Transport};
use std::net::SocketAddr;

/// A session, the unread bytes of both directions, and the message that is being made.
pub struct SessionReader {
    session: Box<dyn Session>,
    streams: [Stream; 2],
    draft: Draft,
}

impl SessionReader {
    /// Of a new conversation.
    pub fn new(dissector: &dyn Dissector, talk: &Talk<'_>) -> SessionReader {
        SessionReader::of(dissector.session(talk))
    }

    /// Of a session that another conversation has made.
    pub fn of(session: Box<dyn Session>) -> SessionReader {
        SessionReader { session, streams: Default::default(), draft: Draft::default() }
    }

    /// The same with memory that was used before; [`SessionReader::into_draft`] gives it back.
    #[must_use]
    pub fn with(self, draft: Draft) -> SessionReader {
        SessionReader { draft, ..self }
    }

    /// The memory, to be used again.
    pub fn into_draft(self) -> Draft {
        self.draft
    }

    /// One side sent these bytes: a datagram, or the next ones of its stream.
    pub fn bytes(
        &mut self,
        side: Side,
        bytes: &[u8],
        origin: Origin,
        names: [&str; 2],
        talk: &Talk<'_>,
        to: &mut dyn Sink,
    ) {
        let Origin { frame, time } = origin;
        match talk.transport {
            Transport::Udp => {
                let place = Place { side, bytes, length: bytes.len(), frame, frames: &[], time };
                self.session.datagram(&place, &mut Out::new(&mut self.draft, to, talk, names));
            }
            Transport::Tcp => {
                self.streams[side.index()].append(bytes, origin);
                self.event(side, StreamEvent::Data { new: bytes.len(), segments: &[0], frame }, names, talk, to);
            }
        }
    }

    /// So many bytes of a side's stream are missing: what was begun is never completed.
    pub fn gap(&mut self, side: Side, missing: u64, names: [&str; 2], talk: &Talk<'_>, to: &mut dyn Sink) {
        self.event(side, StreamEvent::Gap { missing }, names, talk, to);
        let stream = &mut self.streams[side.index()];
        let behind = stream.offset() + stream.bytes().len() as u64 + missing;
        stream.restart(behind);
    }

    /// A side's stream has ended.
    pub fn end(&mut self, side: Side, names: [&str; 2], talk: &Talk<'_>, to: &mut dyn Sink) {
        if talk.transport == Transport::Tcp {
            self.event(side, StreamEvent::End, names, talk, to);
        }
    }

    fn event(&mut self, side: Side, event: StreamEvent<'_>, names: [&str; 2], talk: &Talk<'_>, to: &mut dyn Sink) {
        let mut out = Out::new(&mut self.draft, to, talk, names);
        self.session.stream(side, &mut self.streams[side.index()], event, &mut out);
    }

    /// How many bytes of a side's stream make no whole message yet.
    pub fn unread(&self, side: Side) -> usize {
        self.streams[side.index()].bytes().len()
    }

    /// About how many bytes the session holds that grow with what was said.
    pub fn memory(&self) -> usize {
        self.session.memory()
    }

    /// The server of datagrams that belong to this conversation, and the session for them.
    pub fn expects(&mut self) -> Option<(SocketAddr, Box<dyn Session>)> {
        self.session.expects()
    }
}
