//! What is not due yet, in the order in which it comes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long a packet waits for the one that it is to come behind.
const PATIENCE: Duration = Duration::from_millis(100);

/// A packet that waits.
#[derive(Debug)]
struct Waiting<T> {
    packet: T,
    bytes: usize,
    path: u64,
}

/// Packets that wait, of both directions of all conversations.
#[derive(Debug)]
pub struct Queue<T> {
    waiting: BTreeMap<(Instant, u64), Waiting<T>>,
    /// The packet of each path that waits for the next one.
    behind: BTreeMap<u64, (Instant, u64)>,
    number: u64,
    bytes: usize,
    most: usize,
}

impl<T> Queue<T> {
    /// An empty queue for at most so many bytes.
    pub fn new(most: usize) -> Queue<T> {
        Queue { waiting: BTreeMap::new(), behind: BTreeMap::new(), number: 0, bytes: 0, most }
    }

    /// Adds a packet of a path; `behind`: it comes behind the next one of that path. It is given
    /// back if there is no room.
    ///
    /// # Errors
    /// The packet.
    pub fn push(&mut self, path: u64, due: Instant, behind: bool, bytes: usize, packet: T) -> Result<(), T> {
        if self.bytes.saturating_add(bytes) > self.most {
            return Err(packet);
        }
        self.bytes += bytes;
        self.number += 2;
        let key = match behind && !self.behind.contains_key(&path) {
            true => {
                let key = (due + PATIENCE, self.number);
                self.behind.insert(path, key);
                key
            }
            false => {
                // Who waits comes right behind this one.
                let held = self.behind.remove(&path).and_then(|key| self.waiting.remove(&key));
                if let Some(held) = held {
                    self.waiting.insert((due, self.number + 1), held);
                }
                (due, self.number)
            }
        };
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
        // None has come that it could go behind.
        if self.behind.get(&path) == Some(&key) {
            self.behind.remove(&path);
        }
        Some(packet)
    }

    /// Is nothing waiting?
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}
