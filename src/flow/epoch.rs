//! Epochs: the intervals at which the memory of conversations is checked against the cap.
//!
//! Only the thread that reads a conversation knows the memory it holds. To evict the same conversations with any number
//! of threads, the decision must depend on the packets alone. So traffic is divided into epochs of a fixed amount. At
//! the end of each, every thread reports the memory of its conversations. The reports of an epoch are counted [`LAG`]
//! epochs later: normally all threads have sent them by then, so that nobody waits. A single thread counts by the same
//! rule.

use super::entry::Entry;
use super::{Conversation, Handler};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The number of epochs after which the reports of an epoch are counted.
pub(super) const LAG: usize = 4;
/// The traffic of an epoch is this fraction of the cap on buffered bytes,
const PART: usize = 32;
/// at least this,
const LEAST: usize = 4 << 10;
/// at most this.
const MOST: usize = 512 << 10;
/// The bytes counted for a packet besides its payload: sessions store something for empty packets, too.
const PACKET: usize = 64;

/// The memory that a conversation held at the end of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The conversation's slot in the table.
    pub slot: u32,
    /// The conversation's [serial number](Conversation::serial).
    pub serial: u64,
    /// The bytes that only this conversation holds.
    pub bytes: usize,
    /// The parts that it shares with other conversations: key and bytes.
    pub shared: Vec<(u64, usize)>,
}

impl Report {
    /// The report of a conversation that holds `bytes` on its own.
    pub(super) fn of<S>(slot: u32, conversation: &Conversation<S>, bytes: usize, handler: &impl Handler<S>) -> Report {
        let mut shared = Vec::new();
        handler.shared(conversation, &mut |key, bytes| shared.push((key, bytes)));
        Report { slot, serial: conversation.serial, bytes, shared }
    }
}

/// The steps that are due after a packet.
pub(super) struct Due {
    /// Another thread reads the conversation from now on.
    pub leaves: bool,
    /// The epoch ends.
    pub epoch: bool,
}

/// The reports, and the totals counted from them.
#[derive(Debug)]
pub(super) struct Ledger {
    /// The traffic of an epoch, and the rest of the current one's.
    span: usize,
    left: usize,
    /// The slots and serial numbers of conversations that had packets in this epoch.
    changed: Vec<(u32, u64)>,
    /// The reports of the last epochs.
    reports: VecDeque<Vec<Report>>,
    spare: Vec<Report>,
    /// The bytes buffered, according to the reports counted.
    pub counted: usize,
    /// The shared parts: by key, the number of holders and the bytes.
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

    /// Counts a packet of the conversation in this slot. The bytes that it holds now are asked for at the end of the
    /// epoch.
    #[inline(always)]
    pub fn packet<S>(&mut self, slot: u32, entry: &mut Entry<S>, payload: usize, handler: &impl Handler<S>) -> Due {
        if !std::mem::replace(&mut entry.changed, true) {
            self.changed.push((slot, entry.conversation.serial));
        }
        self.left = self.left.saturating_sub(payload + PACKET);
        Due { leaves: handler.leaves(&entry.conversation), epoch: self.left == 0 }
    }

    /// Ends the epoch. `report` returns the report of a conversation, unless that is closed.
    pub fn end(&mut self, mut report: impl FnMut(u32, u64) -> Option<Report>) {
        self.left = self.span;
        let mut reports = std::mem::take(&mut self.spare);
        let changed = self.changed.drain(..);
        reports.extend(changed.filter_map(|(slot, serial)| report(slot, serial)));
        self.reports.push_back(reports);
    }

    /// The reports to be counted now.
    pub fn due(&mut self) -> Option<Vec<Report>> {
        if self.reports.len() > LAG { self.reports.pop_front() } else { None }
    }

    /// Counts the memory of a conversation.
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

    /// Subtracts the counted memory of a conversation from the totals.
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

    /// Keeps the memory of counted reports for reuse.
    pub fn used(&mut self, mut reports: Vec<Report>) {
        reports.clear();
        self.spare = reports;
    }
}
