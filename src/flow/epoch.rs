//! When what conversations hold is looked at: after fixed amounts of traffic.
//!
//! What a conversation holds is known only to the thread that reads it. For the same conversations
//! to be evicted by any number of threads, the decision must depend on the packets alone. So time is
//! cut into epochs of a fixed amount of traffic. At the end of each, every thread reports what its
//! conversations hold; the reports of one epoch are counted at the end of the one that is [`LAG`]
//! later, when all threads have made them without anybody having waited. One thread alone counts by
//! the same rule.

use super::entry::Entry;
use super::{Conversation, Handler};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// So many epochs later the reports of an epoch are counted.
pub(super) const LAG: usize = 4;
/// The traffic of an epoch: this part of what may be buffered,
const PART: usize = 32;
/// at least so much,
const LEAST: usize = 4 << 10;
/// and at most.
const MOST: usize = 512 << 10;
/// What a packet counts beside its payload: sessions remember something of empty ones too.
const PACKET: usize = 64;

/// What a conversation held at the end of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Its place in the table.
    pub slot: u32,
    /// Its number.
    pub id: u64,
    /// How much it held by itself.
    pub bytes: usize,
    /// What it held together with others: what that is known by, and its bytes.
    pub shared: Vec<(u64, usize)>,
}

impl Report {
    /// Of a conversation that holds so many bytes by itself.
    pub(super) fn of<S>(slot: u32, conversation: &Conversation<S>, bytes: usize, handler: &impl Handler<S>) -> Report {
        let mut shared = Vec::new();
        handler.shared(conversation, &mut |key, bytes| shared.push((key, bytes)));
        Report { slot, id: conversation.id, bytes, shared }
    }
}

/// What was reported, and what was counted of it.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The traffic of an epoch, and what is left of this one's.
    span: usize,
    left: usize,
    /// Whose memory has changed in this epoch.
    changed: Vec<(u32, u64)>,
    /// Of the last epochs.
    reports: VecDeque<Vec<Report>>,
    spare: Vec<Report>,
    /// What is buffered, by the reports that were counted.
    pub counted: usize,
    /// What conversations hold together: by how many, and its bytes.
    shared: FxHashMap<u64, (usize, usize)>,
}

impl Ledger {
    pub fn new(most: usize) -> Ledger {
        let span = (most / PART).clamp(LEAST, MOST);
        Ledger {
            span,
            left: span,
            changed: Vec::new(),
            reports: VecDeque::new(),
            spare: Vec::new(),
            counted: 0,
            shared: FxHashMap::default(),
        }
    }

    /// A packet came. Does the epoch end with it?
    #[inline(always)]
    pub fn spend(&mut self, payload: usize) -> bool {
        self.left = self.left.saturating_sub(payload + PACKET);
        self.left == 0
    }

    /// What a conversation holds has changed, for the first time in this epoch.
    pub fn changed(&mut self, slot: u32, id: u64) {
        self.changed.push((slot, id));
    }

    /// The epoch has ended; `report` knows what a conversation holds, unless it is gone.
    pub fn end(&mut self, mut report: impl FnMut(u32, u64) -> Option<Report>) {
        self.left = self.span;
        let mut reports = std::mem::take(&mut self.spare);
        let changed = self.changed.drain(..);
        reports.extend(changed.filter_map(|(slot, id)| report(slot, id)));
        self.reports.push_back(reports);
    }

    /// The reports that are to be counted now.
    pub fn due(&mut self) -> Option<Vec<Report>> {
        if self.reports.len() > LAG { self.reports.pop_front() } else { None }
    }

    /// Counts what a conversation held.
    pub fn count<S>(&mut self, entry: &mut Entry<S>, report: &Report) {
        self.discount(entry);
        self.counted += report.bytes;
        entry.counted = report.bytes;
        for (key, bytes) in &report.shared {
            let (holders, size) = self.shared.entry(*key).or_insert((0, *bytes));
            if *holders == 0 {
                self.counted += *size;
            }
            *holders += 1;
        }
        entry.shared = report.shared.iter().map(|(key, _)| *key).collect();
    }

    /// What was counted of a conversation counts no more.
    pub fn discount<S>(&mut self, entry: &mut Entry<S>) {
        self.counted -= std::mem::take(&mut entry.counted);
        for key in std::mem::take(&mut entry.shared) {
            if let Some((holders, size)) = self.shared.get_mut(&key) {
                *holders -= 1;
                if *holders == 0 {
                    self.counted -= *size;
                    self.shared.remove(&key);
                }
            }
        }
    }

    /// Their memory is used again.
    pub fn used(&mut self, mut reports: Vec<Report>) {
        reports.clear();
        self.spare = reports;
    }
}
