//! What is not due yet, in the order in which it comes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a packet waits for the one that it is to come after.
const PATIENCE: Duration = Duration::from_millis(100);

/// A packet that waits.
#[derive(Debug)]
struct Waiting<T> {
    packet: T,
    bytes: usize,
    path: u64,
}

/// When a packet comes beside the others of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// When it is due.
    Due,
    /// After the next one.
    Behind,
    /// It is a copy of the last one: when it is due, and after the next one if that one comes so.
    Copy,
}

/// Packets that wait, of both directions of all conversations.
#[derive(Debug)]
pub struct Queue<T> {
    waiting: BTreeMap<(Instant, u64), Waiting<T>>,
    /// The packet of each path that waits for the next one, and its copies.
    behind: BTreeMap<u64, Vec<(Instant, u64)>>,
    number: u64,
    bytes: usize,
    most: usize,
}

impl<T> Queue<T> {
    /// An empty queue for at most so many bytes.
    pub fn new(most: usize) -> Queue<T> {
        Queue { waiting: BTreeMap::new(), behind: BTreeMap::new(), number: 0, bytes: 0, most }
    }

    /// Adds a packet of a path. It is given back if there is no room.
    ///
    /// # Errors
    /// The packet.
    pub fn push(&mut self, path: u64, due: Instant, order: Order, bytes: usize, packet: T) -> Result<(), T> {
        if self.bytes.saturating_add(bytes) > self.most {
            return Err(packet);
        }
        self.bytes += bytes;
        self.number += 1;
        let mut key = (due, self.number);
        let held = self.behind.contains_key(&path);
        if order == Order::Behind && !held || order == Order::Copy && held {
            key.0 += PATIENCE;
            self.behind.entry(path).or_default().push(key);
        } else if order != Order::Copy {
            // What waits comes right after this one.
            for key in self.behind.remove(&path).unwrap_or_default() {
                if let Some(held) = self.waiting.remove(&key) {
                    self.number += 1;
                    self.waiting.insert((due, self.number), held);
                }
            }
        }
        self.waiting.insert(key, Waiting { packet, bytes, path });
        Ok(())
    }

    /// Does a packet of this path wait for the next one?
    pub fn has_behind(&self, path: u64) -> bool {
        self.behind.contains_key(&path)
    }

    /// When the next is due.
    pub fn next(&self) -> Option<Instant> {
        self.waiting.first_key_value().map(|((due, _), _)| *due)
    }

    /// The next packet that is due.
    pub fn pop(&mut self, now: Instant) -> Option<T> {
        let entry = self.waiting.first_entry().filter(|entry| entry.key().0 <= now)?;
        let key = *entry.key();
        let Waiting { packet, bytes, path } = entry.remove();
        self.bytes -= bytes;
        // None has come that it could go after.
        if self.behind.get(&path).is_some_and(|held| held.contains(&key)) {
            self.behind.remove(&path);
        }
        Some(packet)
    }

    /// Is nothing waiting?
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// How many bytes wait.
    #[cfg(test)]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
