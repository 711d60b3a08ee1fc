//! The tunnels of a capture's packets.

use std::net::IpAddr;

/// The cap on distinct tunnels.
const MOST: usize = 64;

/// A tunnel, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// `gre`, `vxlan`, ...
    pub name: &'static str,
    /// The address of the sender.
    pub src: IpAddr,
    /// The address of the receiver.
    pub dst: IpAddr,
}

/// The outer addresses of tunnelled packets, with the number of packets. The inner addresses are in each
/// [`Packet`](super::Packet).
#[derive(Clone, Debug, Default)]
pub struct Tunnels {
    seen: Vec<(Tunnel, u64)>,
    rest: u64,
}

impl Tunnels {
    pub(super) fn add(&mut self, name: &'static str, src: IpAddr, dst: IpAddr) {
        let tunnel = Tunnel { name, src, dst };
        let room = self.seen.len() < MOST;
        match self.seen.iter_mut().find(|(seen, _)| *seen == tunnel) {
            Some((_, count)) => *count += 1,
            None if room => self.seen.push((tunnel, 1)),
            None => self.rest += 1,
        }
    }

    /// Each tunnel with its number of packets, in order of appearance; at most 64 tunnels.
    pub fn iter(&self) -> impl Iterator<Item = (Tunnel, u64)> + '_ {
        self.seen.iter().copied()
    }

    /// The number of packets in further tunnels.
    pub fn rest(&self) -> u64 {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tunnels_are_bounded_and_all_are_counted() {
        let mut tunnels = Tunnels::default();
        let end = |n: u32| IpAddr::from(n.to_be_bytes());
        (0..1000).for_each(|n| tunnels.add("gre", end(n), end(5)));
        tunnels.add("gre", end(0), end(5));
        tunnels.add("ipip", end(0), end(5));
        assert_eq!((tunnels.iter().count(), tunnels.rest()), (MOST, 1000 - 64 + 1));
        assert_eq!(tunnels.iter().next(), Some((Tunnel { name: "gre", src: end(0), dst: end(5) }, 2)));
    }
}
