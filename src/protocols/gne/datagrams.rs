//! GNE over UDP: each datagram is a list of packets without a header. A datagram does not identify its connection: only
//! the server's address and the port in its acceptance do.

use super::PROTO;
use super::link::{Link, Shared, lock};
use super::packets::packets;
use crate::codec::Value;
use crate::codec::layout::{Field, u64le};
use crate::dissect::{FlowInfo, Out, Provenance, Role, Session};
use crate::flow::Side;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

/// Derived, see its documentation.
pub static TCP_FLOW: Field = u64le("tcp_flow").doc("the TCP conversation of the same connection");

/// A UDP conversation of a connection.
#[derive(Clone, Debug)]
pub struct GneDatagramSession {
    link: Shared,
    /// The address where the server receives; `None`: the user named the port.
    server: Option<SocketAddr>,
}

impl GneDatagramSession {
    /// The datagrams of a connection whose acceptance named this address.
    pub fn of(link: &Shared, server: SocketAddr) -> GneDatagramSession {
        GneDatagramSession { link: Arc::clone(link), server: Some(server) }
    }

    /// The datagrams of an unknown connection.
    pub fn alone(flow_info: &FlowInfo<'_>) -> GneDatagramSession {
        let mut link = Link::new(flow_info.options);
        // Whether the capture has its first datagrams is unknown.
        link.pings.unsure = flow_info.ends.is_some();
        GneDatagramSession { link: Arc::new(Mutex::new(link)), server: None }
    }

    fn role(&self, side: Side, flow_info: &FlowInfo<'_>) -> Role {
        let server = match (self.server, flow_info.ends) {
            // The client may use any port: the library does not check it.
            (Some(server), Some([a, b])) => match (a == server, b == server) {
                (true, false) => Some(Side::A),
                (false, true) => Some(Side::B),
                _ => None,
            },
            _ => flow_info.server_by_option().or_else(|| flow_info.server_by_from(Side::A)),
        };
        FlowInfo::role(server, side)
    }
}

/// The index of a party of a connection.
pub fn party(role: Role, side: Side) -> usize {
    match role {
        Role::Client => 0,
        Role::Server => 1,
        Role::Unknown => side.index(),
    }
}

impl Session for GneDatagramSession {
    /// The stream of the same link counts its pings too: it may end first.
    fn memory(&self) -> usize {
        lock(&self.link).pings.memory()
    }

    fn affects_others(&self) -> bool {
        true
    }

    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        let (role, flow_info) = (self.role(place.side, out.flow_info), out.flow_info);
        let mut link = lock(&self.link);
        let dissection = out.begin(PROTO);
        dissection.from = role;
        packets(party(role, place.side), flow_info, place, dissection, &mut link);
        if link.tcp_flow > 0 {
            dissection.derived.push(&TCP_FLOW, Value::UInt(link.tcp_flow), 0, 0);
        }
        if let (Role::Client, Some(named), Some(ends)) = (role, link.client_port, flow_info.ends) {
            let port = ends[place.side.index()].port();
            if port != named {
                dissection.notes.warn(
                    "gne.udp_source",
                    format_args!("from port {port}, but the client named {named}: still accepted"),
                );
            }
        }
        drop(link);
        out.emit(place);
    }

    fn server(&self, flow_info: &FlowInfo<'_>) -> Option<Side> {
        Side::BOTH.into_iter().find(|side| self.role(*side, flow_info) == Role::Server)
    }

    fn sibling(&self, _flow_info: &FlowInfo<'_>) -> Option<Box<dyn Session>> {
        Some(Box::new(self.clone()))
    }
}
