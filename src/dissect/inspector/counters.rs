//! What inspectors count.

use super::Unclaimed;
use std::collections::BTreeMap;

/// What was counted on the way, for `-v` and the end of a run.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Conversations claimed, by protocol and reason.
    pub claimed: BTreeMap<(&'static str, &'static str), u64>,
    /// Packets of conversations that are none of ours, by transport.
    pub foreign: BTreeMap<&'static str, u64>,
    /// Which ones these are, and which were given up.
    pub unclaimed: Unclaimed,
}

impl Counters {
    /// Counts what another inspector has counted too.
    pub fn add(&mut self, other: &Counters) {
        for (what, n) in &other.claimed {
            *self.claimed.entry(*what).or_default() += n;
        }
        for (what, n) in &other.foreign {
            *self.foreign.entry(what).or_default() += n;
        }
        self.unclaimed.add(&other.unclaimed);
    }
}
