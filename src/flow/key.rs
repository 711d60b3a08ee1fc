//! The key of a conversation: both ends, and a hash that is the same for both directions.

use super::{Side, Transport};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};

/// Set in the port of an IPv4 end, so that no IPv6 address is the same end.
const IPV4: u32 = 1 << 16;

/// One end in a form that is fast to compare and to hash. IPv6 scope and flow label are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
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
pub(super) struct Key {
    pub transport: Transport,
    pub src: Address,
    pub dst: Address,
}

impl Key {
    #[inline(always)]
    pub fn new(transport: Transport, src: &SocketAddr, dst: &SocketAddr) -> Key {
        Key { transport, src: Address::new(src), dst: Address::new(dst) }
    }

    /// The side that sent `packet`, if it belongs to the conversation whose first packet had the
    /// key `self`.
    #[inline(always)]
    pub fn sender(&self, packet: &Key) -> Option<Side> {
        if self.transport != packet.transport {
            None
        } else if self.src == packet.src && self.dst == packet.dst {
            Some(Side::A)
        } else if self.dst == packet.src && self.src == packet.dst {
            Some(Side::B)
        } else {
            None
        }
    }
}

/// Hashes keys.
///
/// The constants are random, so that no capture can be made whose conversations all have the same
/// hash. (rustc-hash alone would allow that: its collisions do not depend on a seed.)
#[derive(Debug)]
pub(super) struct Hasher([u64; 3]);

impl Hasher {
    pub fn new() -> Self {
        let state = RandomState::new();
        Hasher([0u64, 1, 2].map(|n| state.hash_one(n)))
    }

    /// The hash of a conversation, the same for both directions.
    #[inline(always)]
    pub fn hash(&self, key: &Key) -> u64 {
        // Addition is commutative, and `end` has mixed both operands well.
        let ends = self.end(key.src).wrapping_add(self.end(key.dst));
        ends ^ if key.transport == Transport::Tcp { self.0[2] } else { 0 }
    }

    #[inline(always)]
    fn end(&self, end: Address) -> u64 {
        fold(end.ip[1] ^ self.0[0], end.ip[0] ^ u64::from(end.port) << 40 ^ self.0[1])
    }
}

/// Folds both halves of the product.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
