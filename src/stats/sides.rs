//! The two sides of a conversation, with their names in tables.

use super::Flow;
use super::table::Cell;
use crate::flow::{End, Side};
use std::net::IpAddr;

/// The client's side of a conversation; the first sender's if the client is not known.
pub fn client(flow: &Flow) -> Side {
    flow.server.map_or(Side::A, Side::other)
}

/// The name of a side of a conversation.
pub fn role(flow: &Flow, side: Side) -> &'static str {
    match flow.server {
        Some(server) if server == side => "server",
        Some(_) => "client",
        None if side == Side::A => "first",
        None => "second",
    }
}

/// The side that has this name among [`role`]'s, in a conversation with this server.
pub fn side_named(server: Option<Side>, name: &str) -> Side {
    match (name, server) {
        ("server", Some(server)) => server,
        ("client", Some(server)) => server.other(),
        ("second", _) => Side::B,
        _ => Side::A,
    }
}

/// The `ADDR:PORT` of a side.
pub fn end_text(flow: &Flow, side: Side) -> Cell {
    flow.ends.map_or(Cell::Null, |ends| Cell::Text(ends[side.index()].to_string()))
}

/// Whether one end is a multicast or broadcast address: answers come from other addresses, in other conversations.
pub fn is_to_group(flow: &Flow) -> bool {
    let is_group = |ip: IpAddr| match ip {
        // The broadcast address of most networks, too.
        IpAddr::V4(ip) => ip.is_multicast() || ip.octets()[3] == 255,
        IpAddr::V6(ip) => ip.is_multicast(),
    };
    flow.ends.is_some_and(|ends| ends.iter().any(|end| is_group(end.ip())))
}

/// The end of a conversation's transport.
pub fn transport_end(flow: &Flow) -> Cell {
    let by = flow.closing.by;
    // A reset takes precedence over the FIN of the other side.
    let rst = by.contains(&Some(End::Rst)).then_some(End::Rst);
    let name = match rst.or(by[0]).or(by[1]) {
        Some(End::Fin) => "fin",
        Some(End::Rst) => "rst",
        Some(End::Reused) => "reused",
        Some(End::Evicted) => "evicted",
        Some(End::Capture) | None => "capture",
    };
    name.into()
}
