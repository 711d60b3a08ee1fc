//! What a run of the program remembers of the servers that it has asked, from one round to the next.

use crate::message::OwnedMessage;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is known of a server.
#[derive(Clone, Debug)]
pub struct Known {
    /// The version, or byte order, that it speaks.
    pub version: Option<&'static str>,
    /// Its answer, where that is needed to ask it.
    pub answer: Option<OwnedMessage>,
}

/// Servers, by protocol and address.
#[derive(Debug, Default)]
pub struct Memory(Mutex<HashMap<(&'static str, SocketAddr), Known>>);

impl Memory {
    fn lock(&self) -> MutexGuard<'_, HashMap<(&'static str, SocketAddr), Known>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of a server.
    pub fn known(&self, proto: &'static str, peer: SocketAddr) -> Option<Known> {
        self.lock().get(&(proto, peer)).cloned()
    }

    /// Remembers a server, or forgets it.
    pub fn put(&self, proto: &'static str, peer: SocketAddr, known: Option<Known>) {
        match known {
            Some(known) => _ = self.lock().insert((proto, peer), known),
            None => _ = self.lock().remove(&(proto, peer)),
        }
    }
}
