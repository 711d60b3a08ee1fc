//! The key of a packet's conversation: its endpoints, and a hash that is the same for both directions.

use super::{Conversation, Side, Transport};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};

/// Set in the port of an IPv4 endpoint, so that no IPv6 endpoint equals it.
const IPV4: u32 = 1 << 16;

/// An endpoint in a form that is fast to hash. IPv6 scope and flow label are omitted.
#[derive(Clone, Copy, Debug)]
struct Address {
    ip: [u64; 2],
    port: u32,
}

impl Address {
    #[inline(always)]
    fn new(end: &SocketAddr) -> Address {
        let port = u32::from(end.port());
        match end.ip() {
            IpAddr::V4(ip) => Address { ip: [0, u64::from(ip.to_bits())], port: port | IPV4 },
            IpAddr::V6(ip) => Address { ip: [(ip.to_bits() >> 64) as u64, ip.to_bits() as u64], port },
        }
    }
}

/// Sender, receiver and transport of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'a> {
    pub transport: Transport,
    pub src: &'a SocketAddr,
    pub dst: &'a SocketAddr,
}

impl Key<'_> {
    /// The side of a conversation that sent the packet; `None` if it belongs to another one.
    #[inline(always)]
    pub fn sender<S>(&self, conversation: &Conversation<S>) -> Option<Side> {
        let [a, b] = &conversation.ends;
        if self.transport != conversation.transport {
            None
        } else if same(a, self.src) && same(b, self.dst) {
            Some(Side::A)
        } else if same(b, self.src) && same(a, self.dst) {
            Some(Side::B)
        } else {
            None
        }
    }
}

/// Whether these are the same endpoint. IPv6 scope and flow label are ignored.
#[inline(always)]
fn same(one: &SocketAddr, other: &SocketAddr) -> bool {
    match (one, other) {
        (SocketAddr::V4(one), SocketAddr::V4(other)) => {
            one.ip().to_bits() == other.ip().to_bits() && one.port() == other.port()
        }
        (SocketAddr::V6(one), SocketAddr::V6(other)) => one.port() == other.port() && one.ip() == other.ip(),
        _ => false,
    }
}

/// Hashes keys.
///
/// The constants are random, so that nobody can make a capture whose conversations all have the same hash. (rustc-hash
/// alone would allow that: its collisions do not depend on a seed.)
#[derive(Debug)]
pub(super) struct Hasher([u64; 3]);

impl Hasher {
    pub fn new() -> Self {
        let state = RandomState::new();
        Hasher([0u64, 1, 2].map(|n| state.hash_one(n)))
    }

    /// The hash of a conversation, the same for both directions.
    #[inline(always)]
    pub fn hash(&self, key: &Key<'_>) -> u64 {
        // Addition is commutative, and `end` has mixed both operands well.
        let ends = self.end(Address::new(key.src)).wrapping_add(self.end(Address::new(key.dst)));
        ends ^ if key.transport == Transport::Tcp { self.0[2] } else { 0 }
    }

    #[inline(always)]
    fn end(&self, end: Address) -> u64 {
        fold(end.ip[1] ^ self.0[0], end.ip[0] ^ u64::from(end.port) << 40 ^ self.0[1])
    }
}

/// XORs both halves of the product.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
