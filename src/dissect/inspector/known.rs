//! The servers of recognised conversations: another conversation with one of them needs less evidence,
//! and where it is not recognised all the same, the account says so.

use crate::dissect::{Amount, FlowInfo, Role, Session};
use crate::flow::{Side, Transport};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;

/// How many ends are remembered.
const KNOWN: usize = 4096;
/// How many unclaimed conversations wait for a server of theirs to be recognised.
const WAITING: usize = 4096;

/// An end, by its transport.
type End = (Transport, SocketAddr);

/// Ends of recognised conversations, with the protocol.
#[derive(Default)]
pub(super) struct KnownServers {
    ends: FxHashMap<End, Known>,
    /// Unclaimed conversations whose ends were not known when they ended.
    waiting: Vec<(Transport, [SocketAddr; 2], Amount)>,
}

/// What is known of an end.
struct Known {
    proto: &'static str,
    role: Role,
    /// A session that knows what the server says once, and whether it knows all of that.
    teacher: Option<(Box<dyn Session>, bool)>,
}

impl KnownServers {
    /// A conversation was recognised. Returns what is now known to speak to its server, of those that ended before.
    pub fn claimed(
        &mut self,
        transport: Transport,
        ends: [SocketAddr; 2],
        proto: &'static str,
        server: Option<Side>,
    ) -> Amount {
        let mut found = Amount::default();
        for side in Side::BOTH {
            let end = (transport, ends[side.index()]);
            if self.ends.len() >= KNOWN && !self.ends.contains_key(&end) {
                continue;
            }
            let role = FlowInfo::role(server, side);
            match self.ends.entry(end) {
                Entry::Vacant(place) => _ = place.insert(Known { proto, role, teacher: None }),
                Entry::Occupied(mut place) => {
                    let known = place.get_mut();
                    known.role = match (known.role, role) {
                        (Role::Server, _) | (_, Role::Server) => Role::Server,
                        (Role::Client, _) => Role::Client,
                        // Several conversations have this end in common.
                        (Role::Unknown, _) => Role::Server,
                    };
                    if known.proto != proto {
                        (known.proto, known.teacher) = (proto, None);
                    }
                }
            }
            if role != Role::Client {
                let mut speaks = |(transport, ends, amount): &(Transport, [SocketAddr; 2], Amount)| {
                    let speaks = *transport == end.0 && ends.contains(&end.1);
                    if speaks {
                        found += *amount;
                    }
                    speaks
                };
                self.waiting.retain(|one| !speaks(one));
            }
        }
        found
    }

    /// Is this end one of a recognised conversation of this protocol?
    pub fn is(&self, transport: Transport, end: SocketAddr, proto: &str) -> bool {
        self.ends.get(&(transport, end)).is_some_and(|known| known.proto == proto)
    }

    /// The recognised server that a conversation speaks to, and its protocol.
    pub fn server(&self, transport: Transport, ends: [SocketAddr; 2]) -> Option<(Side, &'static str)> {
        let of = |side: Side| {
            let known = self.ends.get(&(transport, ends[side.index()]))?;
            (known.role == Role::Server).then_some((side, known.proto))
        };
        // Of peers that all speak to each other, none is the server.
        match (of(Side::A), of(Side::B)) {
            (Some(_), Some(_)) => None,
            (one, other) => one.or(other),
        }
    }

    /// Remembers a session that `sibling` makes, by which others with this server are read, unless there is one that
    /// knows as much.
    pub fn teach(
        &mut self,
        end: End,
        proto: &'static str,
        complete: bool,
        sibling: impl FnOnce() -> Option<Box<dyn Session>>,
    ) {
        if let Some(known) = self.ends.get_mut(&end)
            && known.proto == proto
            && known.teacher.as_ref().is_none_or(|(_, all)| complete && !all)
        {
            known.role = Role::Server;
            known.teacher = sibling().map(|session| (session, complete));
        }
    }

    /// A session that knows what this server says once.
    pub fn teacher(&self, transport: Transport, end: SocketAddr, proto: &str) -> Option<&dyn Session> {
        let known = self.ends.get(&(transport, end)).filter(|known| known.proto == proto)?;
        known.teacher.as_ref().map(|(session, _)| &**session)
    }

    /// Is all known that this server says once?
    pub fn complete(&self, transport: Transport, end: SocketAddr, proto: &str) -> bool {
        let known = self.ends.get(&(transport, end)).filter(|known| known.proto == proto);
        known.and_then(|known| known.teacher.as_ref()).is_some_and(|(_, complete)| *complete)
    }

    /// An unclaimed conversation has ended whose ends are not known: they may be recognised later.
    pub fn wait(&mut self, transport: Transport, ends: [SocketAddr; 2], amount: Amount) {
        if self.waiting.len() < WAITING {
            self.waiting.push((transport, ends, amount));
        }
    }
}
