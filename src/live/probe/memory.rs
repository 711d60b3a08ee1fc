//! Remembers the servers that a run of the program has asked, from one round to the next.

use crate::message::OwnedMessage;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};

/// The answers by which servers were recognised, with their version, by protocol and address.
#[derive(Debug, Default)]
pub struct Memory(Mutex<HashMap<(&'static str, SocketAddr), OwnedMessage>>);

impl Memory {
    /// Returns the answer by which a server was recognised.
    pub fn known(&self, proto: &'static str, peer: SocketAddr) -> Option<OwnedMessage> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&(proto, peer)).cloned()
    }

    /// Remembers a server, or forgets it.
    pub fn put(&self, proto: &'static str, peer: SocketAddr, answer: Option<OwnedMessage>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match answer {
            Some(answer) => _ = all.insert((proto, peer), answer),
            None => _ = all.remove(&(proto, peer)),
        }
    }
}
