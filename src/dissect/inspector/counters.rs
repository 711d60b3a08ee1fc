//! The counters of an inspector.

use super::{SidelessList, Unclaimed};
use crate::dissect::Account;
use std::collections::BTreeMap;

/// Counters for `-v` and the end of a run.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Counters {
    /// Conversations claimed, by protocol and reason.
    pub claimed: BTreeMap<(&'static str, &'static str), u64>,
    /// Conversations that two protocols from files fit equally well, so that neither claims them.
    pub tied: BTreeMap<(&'static str, &'static str), u64>,
    /// Packets of conversations without a known protocol, by transport.
    pub foreign: BTreeMap<&'static str, u64>,
    /// Conversations without a known protocol, and those whose claim was withdrawn.
    pub unclaimed: Unclaimed,
    /// Claimed conversations with unknown sides.
    pub(crate) sideless: SidelessList,
    /// The bytes of claimed conversations' streams that their receivers acknowledged, and the capture never had.
    pub(crate) missed_bytes: u64,
    /// The TCP segments of claimed conversations whose bytes fit nowhere, so that they were not read.
    pub(crate) ignored_segments: u64,
    /// The account of all conversations.
    pub account: Account,
}

impl Counters {
    /// Adds another inspector's counters.
    pub fn add(&mut self, other: &Counters) {
        for (what, n) in &other.claimed {
            *self.claimed.entry(*what).or_default() += n;
        }
        for (what, n) in &other.tied {
            *self.tied.entry(*what).or_default() += n;
        }
        for (what, n) in &other.foreign {
            *self.foreign.entry(what).or_default() += n;
        }
        self.unclaimed.add(&other.unclaimed);
        self.sideless.add(&other.sideless);
        self.missed_bytes += other.missed_bytes;
        self.ignored_segments += other.ignored_segments;
        self.account.add(&other.account);
    }
}
