//! Claimed conversations in which no packet shows which side is the client.

use super::classification::{Classified, Owner};
use super::{Inspector, flow_info};
use crate::dissect::Sink;
use std::net::SocketAddr;

/// The number of them that are stored: those that began first.
const REMEMBERED: usize = 256;

/// A conversation with messages whose senders are unknown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sideless {
    /// The conversation's number.
    pub flow: u64,
    /// The protocol as which it was read.
    pub name: &'static str,
    /// The addresses of both endpoints.
    pub ends: [SocketAddr; 2],
}

/// The stored ones, at most twice `REMEMBERED`.
#[derive(Clone, Debug, Default)]
pub struct SidelessList(Vec<Sideless>);

impl SidelessList {
    fn push(&mut self, one: Sideless) {
        self.0.push(one);
        if self.0.len() >= 2 * REMEMBERED {
            self.first();
        }
    }

    /// Adds the list of another inspector of the same capture.
    pub fn add(&mut self, other: &SidelessList) {
        self.0.extend_from_slice(&other.0);
        self.first();
    }

    /// The conversations that began first, in this order.
    pub fn first(&mut self) -> &[Sideless] {
        self.0.sort_by_key(|one| one.flow);
        self.0.truncate(REMEMBERED);
        &self.0
    }
}

impl<S: Sink> Inspector<'_, S> {
    /// Records a claimed conversation that has ended, if its sides are still unknown.
    #[cold]
    pub(super) fn end_sides(&mut self, c: &Classified, owner: &Owner) {
        if owner.has_messages() && owner.session.server(&flow_info(c, self.options)).is_none() {
            self.counters.account.sides_unknown += 1;
            self.counters.sideless.push(Sideless { flow: c.id, name: owner.name, ends: c.ends });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same conversations are listed, however they are distributed among inspectors, and few are stored.
    #[test]
    fn the_first_ones_are_stored() {
        let ends = ["10.0.0.1:1", "10.0.0.2:2"].map(|end| end.parse().unwrap());
        let mut lists = [SidelessList::default(), SidelessList::default()];
        for flow in (0..10 * REMEMBERED as u64).rev() {
            let list = &mut lists[flow as usize % 2];
            list.push(Sideless { flow, name: "toy", ends });
            assert!(list.0.len() < 2 * REMEMBERED, "{}", list.0.len());
        }
        let [mut all, other] = lists;
        all.add(&other);
        assert!(all.first().iter().map(|one| one.flow).eq(0..REMEMBERED as u64));
    }
}
