//! Facts about traffic for the author of a protocol file: misfits, and the reason why a conversation is not claimed.

use super::Described;
use super::evidence::{self, Rejection};
use super::fit::{self, Misfit};
use crate::codec::kinds::Choice;
use crate::dissect::{Message, Observation};
use crate::flow::Transport;
use std::net::SocketAddr;

impl Described {
    /// The misfit of a message of this protocol; `None`: it fits its file. `before`: the bytes of its packet before its
    /// own. The result's `bits` count everything that is unexplained.
    pub fn misfit(&self, message: &Message<'_>, before: usize) -> Option<Misfit> {
        fit::of_line(self.0, message, before)
    }

    /// The reason why it does not claim a conversation with this beginning.
    pub(crate) fn rejection(&self, observation: &Observation<'_>) -> Rejection {
        evidence::rejection(self.0, observation)
    }

    /// Whether every byte of its streams belongs to a packet. End marks of lines do not.
    pub(crate) fn counts_all_bytes(&self) -> bool {
        self.0.tcp.as_ref().is_some_and(|(_, frames)| frames.have_lengths())
    }

    /// The messages that were not seen, each with its sender: `pong (server)`. `seen`: called with the name, and 1 for
    /// the client, 2 for the server, 0 for either.
    pub(crate) fn unseen(&self, seen: &dyn Fn(&str, u64) -> bool) -> Vec<String> {
        let all: Vec<(&str, &Choice)> = self
            .0
            .carried
            .iter()
            .flat_map(|(carrier, list)| list.iter().map(move |choice| (*carrier, choice)))
            .collect();
        let mut there: Vec<bool> = all.iter().map(|(_, choice)| seen(choice.field.name, choice.from)).collect();
        // The carrier of a message that was seen was seen too.
        for _ in 0..all.len() {
            let carriers: Vec<&str> =
                all.iter().zip(&there).filter(|(_, there)| **there).map(|((c, _), _)| *c).collect();
            let before = there.iter().filter(|there| **there).count();
            for ((_, choice), there) in all.iter().zip(&mut there) {
                *there |= carriers.contains(&choice.field.name);
            }
            if there.iter().filter(|there| **there).count() == before {
                break;
            }
        }
        let side = |choice: &Choice| match choice.from {
            1 => " (client)",
            2 => " (server)",
            _ => "",
        };
        let missing = all.iter().zip(there).filter(|(_, there)| !there);
        let mut names: Vec<String> =
            missing.map(|((_, choice), _)| format!("{}{}", choice.field.name, side(choice))).collect();
        let mut known = std::collections::HashSet::new();
        names.retain(|name| known.insert(name.clone()));
        names
    }

    /// Whether one of the endpoints has a port of the file.
    pub(crate) fn has_port(&self, transport: Transport, ends: &[SocketAddr; 2]) -> bool {
        evidence::port(self.0, transport, ends)
    }
}
