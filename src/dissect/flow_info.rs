//! The facts about a conversation apart from its payload: endpoints, opener, the user's options.

use super::options::Options;
use super::role::Role;
use crate::capture::Leg;
use crate::flow::{Side, Transport};
use std::net::SocketAddr;

/// The conversation, as passed to its session.
#[derive(Clone, Copy, Debug)]
pub struct FlowInfo<'a> {
    /// The conversation's number, from 1; 0 in `dump`.
    pub flow: u64,
    /// The conversation's number in this process, from 1. It makes comparing number, transport and endpoints
    /// unnecessary. 0 if none was assigned, or if one of these was replaced.
    pub serial: u64,
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of both endpoints, by [`Side`]; `None` in `dump`.
    pub ends: Option<[SocketAddr; 2]>,
    /// TCP: the side that sent the SYN.
    pub opener: Option<Side>,
    /// TCP: whether the direction's own SYN is in the capture.
    pub begun: [bool; 2],
    /// The leg of a proxy's recording that the conversation is on.
    pub leg: Option<Leg>,
    /// The user's options.
    pub options: &'a Options,
}

impl<'a> FlowInfo<'a> {
    /// A conversation without number and addresses, from its beginning.
    pub fn alone(transport: Transport, options: &'a Options) -> FlowInfo<'a> {
        FlowInfo { flow: 0, serial: 0, transport, ends: None, opener: None, begun: [true; 2], leg: None, options }
    }

    /// A side's role, given the server's side.
    pub fn role(server: Option<Side>, side: Side) -> Role {
        match server {
            Some(s) if s == side => Role::Server,
            Some(_) => Role::Client,
            None => Role::Unknown,
        }
    }

    /// The side whose address satisfies a test, if only one does.
    fn only(&self, test: impl Fn(SocketAddr) -> bool) -> Option<Side> {
        match self.ends.map(|[a, b]| (test(a), test(b)))? {
            (true, false) => Some(Side::A),
            (false, true) => Some(Side::B),
            _ => None,
        }
    }

    /// The server's side according to `--server`.
    pub fn server_by_option(&self) -> Option<Side> {
        let Options { server, servers, .. } = self.options;
        let given = server.and_then(|server| self.only(|end| server.matches(end)));
        // In order: a proxy is the client of one of them.
        given.or_else(|| servers.iter().find_map(|server| self.only(|end| server.matches(end))))
    }

    /// The server's side according to `--from`, where `from` is the sender of the first packet.
    pub fn server_by_from(&self, from: Side) -> Option<Side> {
        match self.options.from? {
            Role::Server => Some(from),
            Role::Client => Some(from.other()),
            Role::Unknown => None,
        }
    }

    /// The server's side according to `--port N=proto`.
    pub fn server_by_named_port(&self, proto: &str) -> Option<Side> {
        self.only(|end| self.options.ports.iter().any(|(port, name)| *port == end.port() && name == proto))
    }

    /// The server's side according to the protocol's usual ports.
    pub fn server_by_port(&self, test: impl Fn(u16) -> bool) -> Option<Side> {
        self.only(|end| test(end.port()))
    }

    /// The server's side according to TCP: the one that received the connection.
    pub fn server_by_syn(&self) -> Option<Side> {
        self.opener.map(Side::other)
    }
}

/// The roles of the two sides, decided by the first evidence and not changed later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Roles(Option<Side>);

impl Roles {
    /// The roles as known without the payload.
    pub fn new(server: Option<Side>) -> Roles {
        Roles(server)
    }

    /// Records that `side` sent a message that only this role sends.
    pub fn learn(&mut self, side: Side, role: Role) {
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

    /// The client's side, if known.
    pub fn client(&self) -> Option<Side> {
        self.0.map(Side::other)
    }
}
