//! Claimed conversations in which no packet shows which side is the client.

use super::classification::{Classified, Owner};
use super::{Inspector, flow_info};
use crate::dissect::Sink;
use rustc_hash::FxHashSet;
use std::net::SocketAddr;

/// The number of them that are stored: those that began first.
const REMEMBERED: usize = 256;
/// The cap on conversations that are counted once, although they were evicted and returned.
const COUNTED: usize = 1 << 20;

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

/// All of them are counted; those stored are at most twice `REMEMBERED`.
#[derive(Clone, Debug, Default)]
pub struct SidelessList {
    stored: Vec<Sideless>,
    /// Their numbers, up to the cap, and the count of further ones.
    flows: FxHashSet<u64>,
    further: u64,
}

impl SidelessList {
    fn push(&mut self, one: Sideless) {
        if self.flows.len() >= COUNTED {
            self.further += u64::from(!self.flows.contains(&one.flow));
        } else if self.flows.insert(one.flow) {
            self.stored.push(one);
            if self.stored.len() >= 2 * REMEMBERED {
                self.first();
            }
        }
    }

    /// Adds the list of another inspector of the same capture.
    pub fn add(&mut self, other: &SidelessList) {
        self.stored.extend_from_slice(&other.stored);
        self.flows.extend(&other.flows);
        self.further += other.further;
        self.first();
    }

    /// The conversations that began first, in this order.
    pub fn first(&mut self) -> &[Sideless] {
        self.stored.sort_by_key(|one| one.flow);
        self.stored.dedup_by_key(|one| one.flow);
        self.stored.truncate(REMEMBERED);
        &self.stored
    }

    /// The number of all of them.
    pub fn count(&self) -> u64 {
        self.flows.len() as u64 + self.further
    }
}

impl<S: Sink> Inspector<'_, S> {
    /// Records a claimed conversation that has ended, if its sides are still unknown.
    #[cold]
    pub(super) fn end_sides(&mut self, c: &Classified, owner: &Owner) {
        if owner.has_messages() && owner.session.server(&flow_info(c, self.options)).is_none() {
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
            // It was evicted, and has come back.
            list.push(Sideless { flow, name: "toy", ends });
            assert!(list.stored.len() < 2 * REMEMBERED, "{}", list.stored.len());
        }
        let [mut all, other] = lists;
        all.add(&other);
        all.add(&other);
        assert_eq!(all.count(), 10 * REMEMBERED as u64);
        assert!(all.first().iter().map(|one| one.flow).eq(0..REMEMBERED as u64));
    }
}
