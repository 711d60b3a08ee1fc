//! What a conversation is found by: both ends, and a hash that is the same for both directions.

use super::{Side, Transport};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};

/// The port of an IPv4 end has this bit too: no IPv6 address is the same end.
const IPV4: u32 = 1 << 16;

/// One end, in a form that is compared and hashed at once. IPv6 scope and flow label, which no
/// packet needs, are no part of it.
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

/// Who sent a packet, to whom, and by what.
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

    /// Which side of a conversation sent this, if it belongs to the one whose first packet had the
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
/// The constants are random, so that a capture cannot be made whose conversations all share one
/// hash. (rustc-hash alone would allow that: its collisions do not depend on a seed.)
#[derive(Debug)]
pub(super) struct Hasher([u64; 3]);

impl Hasher {
    pub fn new() -> Self {
        let state = RandomState::new();
        Hasher([0u64, 1, 2].map(|n| state.hash_one(n)))
    }

    /// The hash of a conversation, whoever of the two sends.
    #[inline(always)]
    pub fn hash(&self, key: &Key) -> u64 {
        // The sum is the same in either order, and `end` has mixed each well.
        let ends = self.end(key.src).wrapping_add(self.end(key.dst));
        ends ^ if key.transport == Transport::Tcp { self.0[2] } else { 0 }
    }

    #[inline(always)]
    fn end(&self, end: Address) -> u64 {
        fold(end.ip[1] ^ self.0[0], end.ip[0] ^ u64::from(end.port) << 40 ^ self.0[1])
    }
}

/// Both halves of a product.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}
