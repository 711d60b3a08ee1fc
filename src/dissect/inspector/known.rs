//! The servers of recognised conversations: other conversations with one of them need less evidence, and the account
//! reports those that are not recognised nevertheless.

use crate::dissect::{Amount, FlowInfo, Role, Session};
use crate::flow::{Side, Transport};
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;
use std::net::SocketAddr;

/// The cap on stored endpoints.
const KNOWN: usize = 4096;
/// The cap on unclaimed conversations that wait for their server to be recognised.
const WAITING: usize = 4096;

/// An endpoint, with its transport.
type End = (Transport, SocketAddr);

/// Endpoints of recognised conversations, with the protocol.
#[derive(Default)]
pub(super) struct KnownServers {
    ends: FxHashMap<End, Known>,
    /// Whether an endpoint that was known before has turned out to be a server.
    pub found: bool,
    /// Unclaimed conversations whose endpoints were not known when they ended.
    waiting: Vec<(Transport, [SocketAddr; 2], Amount)>,
}

/// The facts about an endpoint.
struct Known {
    proto: &'static str,
    role: Role,
    /// The other endpoint of the first conversation.
    peer: SocketAddr,
    /// A session with the information that the server sends only once, and whether that is complete.
    teacher: Option<(Box<dyn Session>, bool)>,
}

impl KnownServers {
    /// Records a recognised conversation. Returns the amount of earlier unclaimed conversations that are now known to
    /// be with its server.
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
            let (role, peer) = (FlowInfo::role(server, side), ends[side.other().index()]);
            match self.ends.entry(end) {
                Entry::Vacant(place) => _ = place.insert(Known { proto, role, peer, teacher: None }),
                Entry::Occupied(mut place) => {
                    let known = place.get_mut();
                    let before = known.role;
                    known.role = match (before, role) {
                        (Role::Server, _) | (_, Role::Server) => Role::Server,
                        (Role::Client, _) | (_, Role::Client) => Role::Client,
                        // Several conversations share this endpoint.
                        (Role::Unknown, Role::Unknown) if known.peer != peer => Role::Server,
                        (Role::Unknown, Role::Unknown) => Role::Unknown,
                    };
                    self.found |= known.role == Role::Server && before != Role::Server;
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

    /// Whether this is an endpoint of a recognised conversation of this protocol.
    pub fn is(&self, transport: Transport, end: SocketAddr, proto: &str) -> bool {
        self.ends.get(&(transport, end)).is_some_and(|known| known.proto == proto)
    }

    /// The recognised server of a conversation, and its protocol.
    pub fn server(&self, transport: Transport, ends: [SocketAddr; 2]) -> Option<(Side, &'static str)> {
        let of = |side: Side| {
            let known = self.ends.get(&(transport, ends[side.index()]))?;
            (known.role == Role::Server).then_some((side, known.proto))
        };
        // If all peers communicate with each other, none of them is the server.
        match (of(Side::A), of(Side::B)) {
            (Some(_), Some(_)) => None,
            (one, other) => one.or(other),
        }
    }

    /// The server of a conversation that is being claimed: it has been recognised as one, or another conversation of
    /// this protocol shares this endpoint.
    pub fn shared(&self, transport: Transport, ends: [SocketAddr; 2], proto: &str) -> Option<Side> {
        let of = |side: &Side| {
            let known = self.ends.get(&(transport, ends[side.index()]));
            known.is_some_and(|known| {
                let another = known.role == Role::Unknown && known.peer != ends[side.other().index()];
                known.proto == proto && (known.role == Role::Server || another)
            })
        };
        let mut servers = Side::BOTH.into_iter().filter(of);
        servers.next().filter(|_| servers.next().is_none())
    }

    /// Stores the session that `sibling` creates, for reading other conversations with this server, unless there is one
    /// with as much information.
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
            self.found |= known.role != Role::Server;
            known.role = Role::Server;
            known.teacher = sibling().map(|session| (session, complete));
        }
    }

    /// A session with the information that this server sends only once.
    pub fn teacher(&self, transport: Transport, end: SocketAddr, proto: &str) -> Option<&dyn Session> {
        let known = self.ends.get(&(transport, end)).filter(|known| known.proto == proto)?;
        known.teacher.as_ref().map(|(session, _)| &**session)
    }

    /// Whether all information that this server sends only once is known.
    pub fn complete(&self, transport: Transport, end: SocketAddr, proto: &str) -> bool {
        let known = self.ends.get(&(transport, end)).filter(|known| known.proto == proto);
        known.and_then(|known| known.teacher.as_ref()).is_some_and(|(_, complete)| *complete)
    }

    /// Records an unclaimed conversation that ended before its endpoints were known: they may be recognised later.
    pub fn wait(&mut self, transport: Transport, ends: [SocketAddr; 2], amount: Amount) {
        if self.waiting.len() < WAITING {
            self.waiting.push((transport, ends, amount));
        }
    }
}
