//! The packets that are not due yet, in the order in which they are sent.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The longest time that a packet waits for the one that overtakes it.
const PATIENCE: Duration = Duration::from_millis(100);

/// A packet that waits.
#[derive(Debug)]
struct Waiting<T> {
    packet: T,
    bytes: usize,
    path: u64,
}

/// The order of a packet relative to the others of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// At its time.
    Due,
    /// After the next packet.
    AfterNext,
    /// A copy of the last packet: at its time, or after the next packet if the last one is, too.
    Copy,
}

/// The packets that wait, of both directions of all conversations.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    waiting: BTreeMap<(Instant, u64), Waiting<T>>,
    /// The packet of each path that waits for the next one, with its copies.
    after_next: BTreeMap<u64, Vec<(Instant, u64)>>,
    number: u64,
    bytes: usize,
    most: usize,
}

impl<T> Queue<T> {
    /// Creates an empty queue with this limit in bytes.
    pub fn new(most: usize) -> Queue<T> {
        Queue { waiting: BTreeMap::new(), after_next: BTreeMap::new(), number: 0, bytes: 0, most }
    }

    /// Adds a packet of a path.
    ///
    /// # Errors
    /// Returns the packet if there is no room.
    pub fn push(&mut self, path: u64, due: Instant, order: Order, bytes: usize, packet: T) -> Result<(), T> {
        if self.bytes.saturating_add(bytes) > self.most {
            return Err(packet);
        }
        self.bytes += bytes;
        self.number += 1;
        let mut key = (due, self.number);
        let held = self.after_next.contains_key(&path);
        if order == Order::AfterNext && !held || order == Order::Copy && held {
            key.0 += PATIENCE;
            self.after_next.entry(path).or_default().push(key);
        } else if order != Order::Copy {
            // The waiting packet follows this one immediately.
            for key in self.after_next.remove(&path).unwrap_or_default() {
                if let Some(held) = self.waiting.remove(&key) {
                    self.number += 1;
                    self.waiting.insert((due, self.number), held);
                }
            }
        }
        self.waiting.insert(key, Waiting { packet, bytes, path });
        Ok(())
    }

    /// Whether a packet of this path waits for the next one.
    pub fn has_after_next(&self, path: u64) -> bool {
        self.after_next.contains_key(&path)
    }

    /// Returns the time when the next packet is due.
    pub fn next(&self) -> Option<Instant> {
        self.waiting.first_key_value().map(|((due, _), _)| *due)
    }

    /// Returns the next packet that is due.
    pub fn pop(&mut self, now: Instant) -> Option<T> {
        let entry = self.waiting.first_entry().filter(|entry| entry.key().0 <= now)?;
        let key = *entry.key();
        let Waiting { packet, bytes, path } = entry.remove();
        self.bytes -= bytes;
        // No later packet arrived in time.
        if self.after_next.get(&path).is_some_and(|held| held.contains(&key)) {
            self.after_next.remove(&path);
        }
        Some(packet)
    }

    /// Whether no packet waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Returns the number of packets that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the number of bytes that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
