//! What is known about a conversation from outside its bytes: ends, who opened it, what the user said.

use super::options::Options;
use crate::flow::{Side, Transport};
use std::net::SocketAddr;

/// Who sent a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    /// The client.
    Client,
    /// The server.
    Server,
    /// Not known.
    #[default]
    Unknown,
}

impl Role {
    /// The word in the output.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Client => "client",
            Role::Server => "server",
            Role::Unknown => "unknown",
        }
    }

    /// The role of that name.
    pub fn by_name(name: &str) -> Option<Role> {
        [Role::Client, Role::Server, Role::Unknown].into_iter().find(|r| r.name() == name)
    }

    /// The other side's role.
    pub const fn other(self) -> Role {
        match self {
            Role::Client => Role::Server,
            Role::Server => Role::Client,
            Role::Unknown => Role::Unknown,
        }
    }
}

/// A conversation as its session sees it.
#[derive(Clone, Copy, Debug)]
pub struct FlowInfo<'a> {
    /// The conversation's number, from 1; 0 in `dump`.
    pub flow: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// Both ends, by [`Side`]; `None` in `dump`.
    pub ends: Option<[SocketAddr; 2]>,
    /// TCP: who sent the SYN.
    pub opener: Option<Side>,
    /// TCP: is the direction's own SYN in the capture?
    pub begun: [bool; 2],
    /// What the user said.
    pub options: &'a Options,
}

impl FlowInfo<'_> {
    /// A side's role, where `server` is the server's side.
    pub fn role(server: Option<Side>, side: Side) -> Role {
        match server {
            Some(s) if s == side => Role::Server,
            Some(_) => Role::Client,
            None => Role::Unknown,
        }
    }

    /// The side that alone satisfies a test of its address.
    fn only(&self, test: impl Fn(SocketAddr) -> bool) -> Option<Side> {
        match self.ends.map(|[a, b]| (test(a), test(b)))? {
            (true, false) => Some(Side::A),
            (false, true) => Some(Side::B),
            _ => None,
        }
    }

    /// The server's side by `--server`.
    pub fn server_by_option(&self) -> Option<Side> {
        let server = self.options.server?;
        self.only(|end| server.matches(end))
    }

    /// The server's side by `--from`, when `from` sends: a bare hex text has no addresses.
    pub fn server_by_from(&self, from: Side) -> Option<Side> {
        match self.options.from? {
            Role::Server => Some(from),
            Role::Client => Some(from.other()),
            Role::Unknown => None,
        }
    }

    /// The server's side by `--port N=proto`.
    pub fn server_by_named_port(&self, proto: &str) -> Option<Side> {
        self.only(|end| self.options.ports.iter().any(|(port, name)| *port == end.port() && name == proto))
    }

    /// The server's side by a port of the protocol's own.
    pub fn server_by_port(&self, test: impl Fn(u16) -> bool) -> Option<Side> {
        self.only(|end| test(end.port()))
    }

    /// The server's side by who opened the TCP connection.
    pub fn server_by_syn(&self) -> Option<Side> {
        self.opener.map(Side::other)
    }
}

/// Who is the server, settled by the first thing that tells it, and not changed later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Roles(Option<Side>);

impl Roles {
    /// By what was known from outside.
    pub fn new(server: Option<Side>) -> Roles {
        Roles(server)
    }

    /// `side` said something that only this role says.
    pub fn tell(&mut self, side: Side, role: Role) {
        let server = match role {
            Role::Server => side,
            Role::Client => side.other(),
            Role::Unknown => return,
        };
        self.0.get_or_insert(server);
    }

    /// The role of a side.
    pub fn of(&self, side: Side) -> Role {
        FlowInfo::role(self.0, side)
    }

    /// The client's side, where it is known.
    pub fn client(&self) -> Option<Side> {
        self.0.map(Side::other)
    }
}
