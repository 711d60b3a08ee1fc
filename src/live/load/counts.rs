//! The counts over many sessions: each has its name in the output and its words for people here, once.

use std::ops::{Index, IndexMut};

/// A count of sessions, or of their transmissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Sessions begun.
    Started,
    /// Handshakes that the server answered.
    Connected,
    /// Sessions that the server, or its host, refused.
    Refused,
    /// Sessions without any answer.
    Silent,
    /// Sessions that broke: the server closed them, or stopped answering.
    Dropped,
    /// Sessions for which this side had no descriptor, port or memory.
    Own,
    /// Sessions in which something could not be sent, or was not acknowledged.
    Incomplete,
    /// Sessions played whole.
    Finished,
    /// Sessions that left before their end, because the time was over.
    Left,
    /// Responses of the recording that did not arrive.
    Unanswered,
    /// Transmissions after the first one of a message.
    Resent,
}

/// The counts in the order of the output: the key, and the words of the text.
const COUNTS: [(Count, &str, &str); 11] = [
    (Count::Started, "started", "begun"),
    (Count::Connected, "connected", "connected"),
    (Count::Refused, "refused", "refused"),
    (Count::Silent, "silent", "without an answer"),
    (Count::Dropped, "dropped", "dropped"),
    (Count::Own, "own", "failed on this side"),
    (Count::Incomplete, "incomplete", "incomplete"),
    (Count::Finished, "finished", "finished"),
    (Count::Left, "left", "stopped at the end of the run"),
    (Count::Unanswered, "unanswered", "unanswered"),
    (Count::Resent, "resent", "resent"),
];

impl Count {
    /// Returns all counts with their keys.
    pub fn all() -> impl Iterator<Item = (Count, &'static str)> {
        COUNTS.into_iter().map(|(count, name, _)| (count, name))
    }

    /// Returns its words in the text.
    pub fn words(self) -> &'static str {
        COUNTS.iter().find(|(count, ..)| *count == self).map_or("", |(.., words)| words)
    }
}

/// The value of each count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts([u64; COUNTS.len()]);

impl Counts {
    /// Adds the values of `other`.
    pub fn add(&mut self, other: &Counts) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own += other);
    }

    /// Lists those of these counts that are not 0, each after a comma: `, 3 refused, 1 dropped`.
    pub fn list(&self, counts: &[Count]) -> String {
        let some = counts.iter().filter(|count| self[**count] > 0);
        some.map(|count| format!(", {} {}", self[*count], count.words())).collect()
    }
}

impl Index<Count> for Counts {
    type Output = u64;

    fn index(&self, count: Count) -> &u64 {
        &self.0[count as usize]
    }
}

impl IndexMut<Count> for Counts {
    fn index_mut(&mut self, count: Count) -> &mut u64 {
        &mut self.0[count as usize]
    }
}
