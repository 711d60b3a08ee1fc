//! Which tunnels a capture's packets came through.

use std::net::IpAddr;

/// How many tunnels are told apart.
const MOST: usize = 64;

/// A tunnel, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunnel {
    /// `gre`, `vxlan`, ...
    pub name: &'static str,
    /// Where it begins.
    pub src: IpAddr,
    /// Where it ends.
    pub dst: IpAddr,
}

/// The outer addresses of the packets that came through tunnels, and how many did; the inner ones
/// are those of each [`Packet`](super::Packet).
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

    /// Each tunnel with its packets, in order of appearance; the first 64 of them.
    pub fn iter(&self) -> impl Iterator<Item = (Tunnel, u64)> + '_ {
        self.seen.iter().copied()
    }

    /// Packets of further tunnels.
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
