//! `--redact-unknown`: the conversations that no protocol claims, found by a reading of their own.

use super::read;
use crate::capture::{Body, Packet};
use crate::cli::Global;
use crate::dissect::{Closed, Message, Options, Sink};
use crate::flow::{Closing, Transport};
use crate::read::CaptureSink;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;

/// The cap on known conversations. Packets of further ones are left out.
const KNOWN: usize = 1 << 20;

/// A conversation, the same in both directions.
type Key = (Transport, SocketAddr, SocketAddr);

fn key(transport: Transport, [a, b]: [SocketAddr; 2]) -> Key {
    (transport, a.min(b), a.max(b))
}

/// The conversations of a capture, and whether no protocol claims them.
#[derive(Debug, Default)]
pub struct Unknown {
    known: HashMap<Key, bool>,
    /// The last conversation with messages that has ended.
    with_messages: u64,
}

impl Unknown {
    /// Reads a capture to find them.
    pub fn find(path: &Path, options: &Options, global: &Global) -> Unknown {
        let mut unknown = Unknown::default();
        // The reading that writes reports the same errors.
        let _ = read::file(path, options, global, &mut unknown);
        unknown
    }

    /// Whether no conversation between these endpoints is claimed.
    pub fn has(&self, packet: &Packet<'_>) -> bool {
        let transport = match packet.body {
            Body::Udp { .. } => Transport::Udp,
            Body::Tcp(_) => Transport::Tcp,
        };
        self.known.get(&key(transport, [packet.src, packet.dst])).is_some_and(|unknown| *unknown)
    }
}

impl Sink for Unknown {
    fn message(&mut self, _: &Message<'_>) {}

    fn ended(&mut self, flow: u64, _: Closing) {
        self.with_messages = flow;
    }

    fn closed(&mut self, closed: &Closed) {
        // One that was given up has messages, which are written as such.
        let unknown = closed.claim.is_none() && self.with_messages != closed.flow;
        let key = key(closed.transport, closed.ends);
        if self.known.len() < KNOWN || self.known.contains_key(&key) {
            *self.known.entry(key).or_insert(true) &= unknown;
        }
    }
}

impl CaptureSink for Unknown {
    fn reports(&self) -> bool {
        false
    }
}
