//! Suppositions about a stream: while a conversation is undecided, its sides are tried if nothing shows them.

use super::Description;
use crate::flow::Side;

/// A supposition about a conversation.
#[derive(Clone, Debug)]
pub struct Supposed {
    /// The server.
    pub server: Option<Side>,
    /// The remembered values.
    pub memory: Vec<[u64; 2]>,
}

impl Supposed {
    /// The facts: the server, if a port shows it, and the first remembered values.
    pub fn known(description: &Description, server: Option<Side>) -> Supposed {
        Supposed { server, memory: description.first_memory() }
    }

    /// The suppositions to try if the facts do not suffice.
    pub fn others(&self, description: &Description) -> Vec<Supposed> {
        let sides = description.choices().any(|choice| choice.from > 0) && self.server.is_none();
        let servers = Side::BOTH.into_iter().filter(|_| sides);
        servers.map(|server| Supposed { server: Some(server), memory: self.memory.clone() }).collect()
    }

    /// The sender as a number.
    pub fn from(&self, side: Side) -> u64 {
        self.server.map_or(0, |server| 1 + u64::from(server == side))
    }
}
