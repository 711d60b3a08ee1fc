//! What comes in: recorded, read by the session, and waited for.

use super::super::record::now;
use super::super::stop::SLICE;
use super::super::trouble::{Trouble, waited};
use super::heard::Collect;
use super::{Link, talk};
use crate::capture::Time;
use crate::dissect::{Out, Place, StreamEvent};
use crate::flow::{Origin, Side, Transport};
use crate::live::OwnedMessage;
use std::time::{Duration, Instant};

/// No message of these protocols needs more bytes at once.
const UNREAD: usize = 1 << 20;
/// How much of what came is kept for a verdict on a stranger.
const KEPT: usize = 4096;
/// And of how many datagrams.
const KEPT_DATAGRAMS: usize = 8;

impl Link<'_> {
    /// The next message, waiting for it until then; `None`: none came.
    ///
    /// # Errors
    /// Why none can come any more.
    pub fn hear(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Trouble> {
        loop {
            if let Some(heard) = self.inbox.pop_front() {
                return Ok(Some(heard));
            }
            let left = until.saturating_duration_since(Instant::now());
            if !self.listen(left.min(SLICE))? && left.is_zero() {
                return Ok(None);
            }
        }
    }

    /// The next message, if it is there already.
    ///
    /// # Errors
    /// Why none can come any more.
    pub fn poll(&mut self) -> Result<Option<OwnedMessage>, Trouble> {
        if self.inbox.is_empty() {
            self.listen(Duration::ZERO)?;
        }
        Ok(self.inbox.pop_front())
    }

    /// Reads once. `false`: nothing came.
    pub(super) fn listen(&mut self, wait: Duration) -> Result<bool, Trouble> {
        if self.stop.is_set() && !self.leaving {
            return Err(Trouble::Interrupted);
        }
        if let Some(trouble) = &self.ended {
            return Err(match trouble {
                Trouble::Endless(most) => Trouble::Endless(*most),
                Trouble::Closed { reset } => Trouble::Closed { reset: *reset },
                _ => Trouble::Closed { reset: false },
            });
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let came = self.socket.read(&mut buffer, wait);
        let (time, at) = (now(), Instant::now());
        let datagrams = self.transport == Transport::Udp;
        let result = match came {
            Err(error) if waited(&error) => Ok(false),
            Err(error) if datagrams => Err(Trouble::of_datagram(error)),
            Err(error) => match Trouble::of(error) {
                closed @ Trouble::Closed { .. } => self.end(closed).map(|()| true),
                other => Err(other),
            },
            Ok(0) if !datagrams => self.end(Trouble::Closed { reset: false }).map(|()| true),
            Ok(length) => {
                let bytes = buffer.get(..length).unwrap_or_default();
                self.take(bytes, time, at).map(|()| true)
            }
        };
        self.buffer = buffer;
        result
    }

    pub(super) fn take(&mut self, bytes: &[u8], time: Time, at: Instant) -> Result<(), Trouble> {
        let datagrams = self.transport == Transport::Udp;
        match datagrams {
            true => self.tape.datagram(1, bytes, time),
            false => self.tape.data(1, bytes, time),
        }
        .map_err(Trouble::Record)?;
        let kept = bytes.get(..bytes.len().min(KEPT)).unwrap_or_default();
        if datagrams && self.raw.len() < KEPT_DATAGRAMS || self.raw.is_empty() {
            self.raw.push(kept.to_vec());
        } else if let Some(stream) = self.raw.first_mut().filter(|_| !datagrams) {
            let room = KEPT.saturating_sub(stream.len()).min(kept.len());
            stream.extend_from_slice(kept.get(..room).unwrap_or_default());
        }
        let first = *self.begun.get_or_insert(at);
        let messages = self.dissect(Side::B, bytes, first);
        if !messages.is_empty() || datagrams {
            self.begun = None;
        }
        self.inbox.extend(messages);
        if self.streams[Side::B.index()].bytes().len() > UNREAD {
            self.ended = Some(Trouble::Endless(UNREAD));
        }
        Ok(())
    }

    pub(super) fn end(&mut self, trouble: Trouble) -> Result<(), Trouble> {
        let reset = matches!(trouble, Trouble::Closed { reset: true });
        self.tape.ended(1, reset, now()).map_err(Trouble::Record)?;
        let first = self.begun.take().unwrap_or_else(Instant::now);
        let last = self.event(Side::B, StreamEvent::End, first);
        self.inbox.extend(last);
        self.ended = Some(trouble);
        Ok(())
    }

    /// The messages in some bytes of one direction, read by the session.
    pub(super) fn dissect(&mut self, side: Side, bytes: &[u8], first: Instant) -> Vec<OwnedMessage> {
        self.frame += 1;
        let (frame, time) = (self.frame, now());
        match self.transport {
            Transport::Udp => {
                let place = Place { side, bytes, length: bytes.len(), frame, frames: &[], time };
                let talk = talk(self.flow, self.role, self.transport, self.ends, &self.options);
                let mut collect = Collect { list: Vec::new(), first, watch: self.watch.as_ref(), text: Vec::new() };
                let names = [self.names[0].as_str(), self.names[1].as_str()];
                let mut out = Out::new(&mut self.draft, &mut collect, &talk, names);
                self.session.datagram(&place, &mut out);
                collect.list
            }
            Transport::Tcp => {
                self.streams[side.index()].append(bytes, Origin { frame, time });
                self.event(side, StreamEvent::Data { new: bytes.len(), segments: &[0], frame }, first)
            }
        }
    }

    pub(super) fn event(&mut self, side: Side, event: StreamEvent<'_>, first: Instant) -> Vec<OwnedMessage> {
        let talk = talk(self.flow, self.role, self.transport, self.ends, &self.options);
        let mut collect = Collect { list: Vec::new(), first, watch: self.watch.as_ref(), text: Vec::new() };
        let names = [self.names[0].as_str(), self.names[1].as_str()];
        let mut out = Out::new(&mut self.draft, &mut collect, &talk, names);
        self.session.stream(side, &mut self.streams[side.index()], event, &mut out);
        collect.list
    }

    /// Waits, at most so long, until the peer has ended its direction too; what it says is read.
    pub fn drain(&mut self, most: Duration) {
        let until = Instant::now() + most;
        while let Ok(Some(_)) = self.hear(until) {}
    }
}
