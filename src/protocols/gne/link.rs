//! The state that both transports of a connection share: byte order, build, pings, who has left.

use super::layout::SHORT_PING;
use super::pings::Pings;
use super::values;
use crate::codec::layout::{Field, Order};
use crate::codec::schema::Schemas;
use crate::codec::{Context, Scope};
use crate::dissect::payload::Made;
use crate::dissect::{Options, Role};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The newest build whose pings have the short form.
pub const SHORT_BUILD: u64 = 5;

/// A byte order's name in the output.
pub const fn order_name(order: Order) -> &'static str {
    match order {
        Order::Big => "be",
        _ => "le",
    }
}

/// Returns the byte order with that name.
pub fn order_by_name(name: &str) -> Option<Order> {
    match name {
        "le" => Some(Order::Little),
        "be" => Some(Order::Big),
        _ => None,
    }
}

/// Derives the byte order from a build field: all real builds are small, so one of the two bytes is zero.
pub const fn order_of_build(build: [u8; 2]) -> Option<Order> {
    match build {
        [0, 0] => None,
        [_, 0] => Some(Order::Little),
        [0, _] => Some(Order::Big),
        _ => None,
    }
}

/// The state of one connection, shared by its TCP and UDP conversations.
#[derive(Debug, Default)]
pub struct Link {
    /// `gne.endian`.
    set_order: Option<Order>,
    /// `gne.build`.
    set_build: Option<u64>,
    /// The request's byte order.
    pub request_order: Option<Order>,
    /// The refusal's byte order, used if the request leaves it open.
    pub refusal_order: Option<Order>,
    /// The request's build.
    pub build: Option<u64>,
    /// The number of the TCP conversation; 0 if there is none.
    pub tcp_flow: u64,
    /// The client's UDP port from its `client_port`.
    pub client_port: Option<u16>,
    /// The parties that have sent an exit.
    pub exited: [bool; 2],
    /// The pings of both transports.
    pub pings: Pings,
}

/// A connection that two sessions share.
pub type Shared = Arc<Mutex<Link>>;

/// Locks the connection. The state left by a session that panicked can still be used.
pub fn lock(link: &Shared) -> MutexGuard<'_, Link> {
    link.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    /// A new connection.
    pub fn new(options: &Options) -> Link {
        let set_order = options.settings.get("gne.endian").and_then(order_by_name);
        let set_build = options.settings.get("gne.build").and_then(|text| text.parse().ok());
        Link { set_order, set_build, ..Link::default() }
    }

    /// The byte order that a request or refusal itself shows.
    pub fn own_order(&self, build: Option<[u8; 2]>) -> Option<Order> {
        self.set_order.or_else(|| build.and_then(order_of_build))
    }

    /// The byte order of all other messages.
    pub fn order(&self) -> Option<Order> {
        self.set_order.or(self.request_order).or(self.refusal_order)
    }

    /// Learns the byte order from the port of an acceptance, if the capture lacks the request: these four bytes are no
    /// port in little-endian order, in which they would be read otherwise.
    pub fn learn_order(&mut self, port: Option<&[u8]>) {
        if let (None, Some([0, 0, high, low])) = (self.order(), port)
            && (*high, *low) != (0, 0)
        {
            self.request_order = Some(Order::Big);
        }
    }

    /// The context for reading numbers, pings and application packets in this byte order.
    pub fn reading<'a>(&self, order: Option<Order>, schemas: &'a Schemas, from: Role) -> WireFormat<'a> {
        let short_ping = self.set_build.or(self.build).is_some_and(|build| build <= SHORT_BUILD);
        let order = order.unwrap_or(Order::Little);
        WireFormat { order, short_ping, schemas, from: from.name(), made: Made::default() }
    }
}

/// The context of the tables.
#[derive(Debug)]
pub struct WireFormat<'a> {
    /// The byte order.
    pub order: Order,
    /// Pings have the form of builds up to 5.
    pub short_ping: bool,
    /// The user's schemas.
    pub schemas: &'a Schemas,
    /// The sender: schemas may differ by direction.
    pub from: &'a str,
    /// The sources that application packets make.
    pub made: Made,
}

impl Context for WireFormat<'_> {
    fn order(&self) -> Order {
        self.order
    }

    fn setting(&self, name: &str) -> u64 {
        (name == SHORT_PING && self.short_ping) as u64
    }

    fn take_source(&mut self) -> Option<(u8, Vec<u8>)> {
        self.made.take()
    }

    fn give_source(&mut self, source: u8, bytes: Vec<u8>) {
        self.made.give(source, bytes);
    }

    fn layout(&mut self, _field: &'static Field, value: Option<u64>, _scope: &Scope) -> Option<&'static [Field]> {
        values::fields(self.schemas, value?, self.from)
    }
}
