//! Suppositions about a conversation that is undecided: its sides, and the values that its missing beginning would have
//! set, are tried.

use super::Description;
use crate::flow::Side;

/// The most suppositions that are tried.
const MOST: usize = 32;

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

    /// The suppositions to try if the facts do not suffice. `begun`: the capture has the conversation's beginning.
    pub fn others(&self, description: &Description, begun: bool) -> Vec<Supposed> {
        let sided = self.server.is_none() && description.choices().any(|choice| choice.from > 0);
        let servers = if sided { vec![Some(Side::A), Some(Side::B)] } else { vec![self.server] };
        let mut all: Vec<Supposed> =
            servers.into_iter().map(|server| Supposed { server, memory: self.memory.clone() }).collect();
        for (index, values) in description.tries.iter().filter(|_| !begun) {
            if all.len() * values.len() > MOST {
                break;
            }
            let with = |one: &Supposed, value: u64| {
                let mut one = one.clone();
                if let Some(place) = one.memory.get_mut(*index) {
                    *place = [value; 2];
                }
                one
            };
            all = all.iter().flat_map(|one| values.iter().map(|value| with(one, *value))).collect();
        }
        all
    }

    /// The sender as a number.
    pub fn from(&self, side: Side) -> u64 {
        self.server.map_or(0, |server| 1 + u64::from(server == side))
    }
}
