//! The hash under which a conversation is found: the same for both directions.

use super::Transport;
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, SocketAddr};

/// Hashes the addresses of packets.
///
/// The constants are random, so that a capture cannot be made whose conversations all share one
/// hash. (rustc-hash alone would allow that: its collisions do not depend on a seed.)
#[derive(Debug)]
pub(super) struct Hasher([u64; 4]);

impl Hasher {
    pub fn new() -> Self {
        let state = RandomState::new();
        Hasher([0u64, 1, 2, 3].map(|n| state.hash_one(n)))
    }

    /// The hash of a conversation between two ends, in whichever order they are.
    #[inline]
    pub fn hash(&self, transport: Transport, src: SocketAddr, dst: SocketAddr) -> u64 {
        let (a, b) = (self.end(src), self.end(dst));
        // The sum is the same in either order, and `end` has mixed each well.
        fold(a.wrapping_add(b) ^ transport as u64, self.0[3] | 1)
    }

    #[inline(always)]
    fn end(&self, end: SocketAddr) -> u64 {
        let port = u64::from(end.port());
        match end.ip() {
            IpAddr::V4(ip) => fold(u64::from(ip.to_bits()) << 16 ^ port ^ self.0[0], self.0[2] | 1),
            IpAddr::V6(ip) => {
                let first = fold((ip.to_bits() >> 64) as u64 ^ self.0[0], port ^ self.0[1]);
                fold(first ^ ip.to_bits() as u64, self.0[2] | 1)
            }
        }
    }
}

/// Both halves of a product.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Whether two addresses are the same; IPv6 scope and flow label, which no packet needs, are not
/// compared.
#[inline(always)]
pub(super) fn same(a: &SocketAddr, b: &SocketAddr) -> bool {
    match (a, b) {
        (SocketAddr::V4(a), SocketAddr::V4(b)) => a.port() == b.port() && a.ip().to_bits() == b.ip().to_bits(),
        (SocketAddr::V6(a), SocketAddr::V6(b)) => a.port() == b.port() && a.ip() == b.ip(),
        _ => false,
    }
}
