//! Replacement of addresses: one to one, with addresses of the same kind.

use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{BuildHasher, RandomState};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The cap on stored addresses; further ones are derived from a hash only, which two may share.
const MOST: usize = 1 << 20;
/// The number of attempts to find an unused address.
const TRIES: u64 = 1000;

/// The replacements of addresses.
#[derive(Debug, Default)]
pub struct Addresses {
    secret: RandomState,
    known: FxHashMap<IpAddr, IpAddr>,
    /// All addresses in use, originals and replacements.
    taken: FxHashSet<IpAddr>,
}

impl Addresses {
    /// The replacement of this address.
    pub fn map(&mut self, ip: IpAddr) -> IpAddr {
        if alone(ip) {
            return ip;
        }
        if let Some(other) = self.known.get(&ip) {
            return *other;
        }
        let mut other = ip;
        for attempt in 0..TRIES {
            other = self.other(ip, attempt);
            if other != ip && !self.taken.contains(&other) {
                break;
            }
        }
        if self.known.len() < MOST {
            self.taken.extend([ip, other]);
            self.known.insert(ip, other);
        }
        other
    }

    fn other(&self, ip: IpAddr, attempt: u64) -> IpAddr {
        let random = self.secret.hash_one((ip, attempt));
        match ip {
            IpAddr::V4(ip) => IpAddr::V4(v4(ip, random as u32)),
            IpAddr::V6(ip) => match ip.to_ipv4_mapped() {
                Some(inner) => IpAddr::V6(v4(inner, random as u32).to_ipv6_mapped()),
                None => IpAddr::V6(v6(ip, random)),
            },
        }
    }
}

/// Whether there is only one address of its kind.
fn alone(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        IpAddr::V4(ip) => ip.is_unspecified() || ip.is_broadcast(),
        IpAddr::V6(ip) => ip.is_unspecified() || ip.is_loopback(),
    }
}

/// The kinds of IPv4 addresses that are preserved: the network, and the length of its prefix.
const NETWORKS: [(Ipv4Addr, u32); 8] = [
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];
/// For public addresses: the network for benchmarks, which nobody owns (RFC 2544).
const PUBLIC: (Ipv4Addr, u32) = (Ipv4Addr::new(198, 18, 0, 0), 15);

fn v4(ip: Ipv4Addr, random: u32) -> Ipv4Addr {
    let inside = |(network, bits): &(Ipv4Addr, u32)| (ip.to_bits() ^ network.to_bits()) >> (32 - bits) == 0;
    let (network, bits) = NETWORKS.into_iter().find(inside).unwrap_or(PUBLIC);
    let host = random & (u32::MAX >> bits);
    // Avoid a network's own address and its broadcast address.
    let host = if matches!(host & 0xff, 0 | 0xff) { host ^ 0x55 } else { host };
    Ipv4Addr::from_bits(network.to_bits() | host)
}

fn v6(ip: Ipv6Addr, random: u64) -> Ipv6Addr {
    let [first, second, ..] = ip.segments();
    let kept: [u16; 2] = match first {
        // Link-local; multicast keeps its flags and scope.
        0xfe80..=0xfebf => [0xfe80, 0],
        0xff00..=0xffff => [first, second],
        0xfc00..=0xfdff => [0xfd00, (random >> 48) as u16],
        // Documentation (RFC 3849).
        _ => [0x2001, 0xdb8],
    };
    let host = random.to_be_bytes();
    let word = |k: usize| u16::from_be_bytes([host[2 * k], host[2 * k + 1]]);
    Ipv6Addr::new(kept[0], kept[1], 0, 0, word(0), word(1), word(2), word(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind of an address, by its network.
    fn kind(ip: IpAddr) -> &'static str {
        match ip {
            IpAddr::V4(ip) if ip.is_loopback() => "loopback",
            IpAddr::V4(ip) if ip.is_private() => {
                ["10", "172", "192"][[10, 172, 192].iter().position(|n| *n == ip.octets()[0]).unwrap()]
            }
            IpAddr::V4(ip) if ip.is_link_local() => "link",
            IpAddr::V4(ip) if ip.is_multicast() => "multicast",
            IpAddr::V4(_) => "public",
            IpAddr::V6(ip) if ip.to_ipv4_mapped().is_some() => "mapped",
            IpAddr::V6(ip) if ip.is_unicast_link_local() => "link6",
            IpAddr::V6(ip) if ip.is_multicast() => "multicast6",
            IpAddr::V6(ip) if ip.is_unique_local() => "private6",
            IpAddr::V6(_) => "public6",
        }
    }

    #[test]
    fn one_to_one_and_of_one_kind() {
        let mut addresses = Addresses::default();
        let mut seen = FxHashSet::default();
        let list = ["127.0.0.1", "10.0.0.1", "172.31.0.1", "192.168.1.1", "169.254.1.1", "239.1.1.1", "8.8.8.8"];
        let list6 = ["fe80::1", "ff02::fb", "fd12::1", "2a00::1", "::ffff:10.0.0.1"];
        for text in list.iter().chain(&list6) {
            let ip: IpAddr = text.parse().unwrap();
            let other = addresses.map(ip);
            assert_ne!(ip, other, "{text}");
            assert_eq!(kind(ip), kind(other), "{text}: {other}");
            assert_eq!(addresses.map(ip), other);
            assert!(seen.insert(other));
        }
        for text in ["::1", "::", "0.0.0.0", "255.255.255.255"] {
            assert_eq!(addresses.map(text.parse().unwrap()).to_string(), text, "there is only one of it");
        }
        let other = v6("2a00::1".parse().unwrap(), 0x0102_0304_0506_0708);
        assert_eq!(other.to_string(), "2001:db8::102:304:506:708", "each of the random bytes");
        // After the addresses above.
        for n in 0x200..30_000u32 {
            let ip = IpAddr::V4(Ipv4Addr::from_bits(0xc0a8_0000 + n));
            let other = addresses.map(ip);
            assert!(other != ip && seen.insert(other), "{ip}: {other}");
        }
    }
}
