//! Parts of something longer, put together: by an index and a count, by an offset and a count, by
//! an index and a count-down.

use super::compile::Join;
use super::conditions;
use super::lines::visible;
use crate::codec::Tree;
use crate::codec::layout::When;
use std::collections::VecDeque;

/// The cap on a whole, on wholes that wait in one direction, and on keys of those that came.
const LONGEST: usize = 1 << 20;
const WAITING: usize = 64;
const DONE: usize = 64;
/// The cap on parts of a whole.
const PARTS: usize = 1 << 16;
/// What a part's place costs beside its bytes.
const PLACE: usize = size_of::<Part>();

/// The parts of one direction.
#[derive(Debug, Default)]
pub struct Parts {
    waiting: VecDeque<Waiting>,
    done: VecDeque<(usize, Vec<u64>)>,
    /// For count-downs: behind the last part of the newest whole.
    ends: VecDeque<(usize, Vec<u64>, u64)>,
    bytes: usize,
}

#[derive(Debug)]
struct Waiting {
    join: usize,
    key: Vec<u64>,
    parts: Vec<Part>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    place: u64,
    start: u32,
    length: u32,
    frame: u64,
    /// How many follow; 0: it is the last.
    remaining: u64,
}

/// A part, as it came.
pub struct Came<'a> {
    pub key: Vec<u64>,
    pub place: u64,
    pub count: Option<u64>,
    pub total: Option<u64>,
    pub remaining: Option<u64>,
    pub bytes: &'a [u8],
    pub frame: u64,
}

/// Does a condition hold for what stands before node `k`?
pub fn holds(when: &When, tree: &Tree, k: usize, known: &dyn Fn(&str) -> Option<u64>) -> bool {
    let value = |name: &str| visible(tree, k, name).and_then(|node| node.number()).or_else(|| known(name));
    conditions::holds(when, &value)
}

impl Join {
    /// What the part at node `k` is a part of; `None`: it is none.
    pub fn came<'a>(
        &self,
        tree: &Tree,
        k: usize,
        bytes: &'a [u8],
        frame: u64,
        known: &dyn Fn(&str) -> Option<u64>,
    ) -> Option<Came<'a>> {
        if self.when.as_ref().is_some_and(|when| !holds(when, tree, k, known)) {
            return None;
        }
        let number = |name: &Option<&'static str>| {
            name.and_then(|name| visible(tree, k, name).and_then(|node| node.number()).or_else(|| known(name)))
        };
        let remaining = number(&self.remaining).map(|n| if self.negated { (n == 0) as u64 } else { n });
        let key = self.key.iter().map(|name| {
            visible(tree, k, name).and_then(|node| node.number()).or_else(|| known(name)).unwrap_or(u64::MAX)
        });
        Some(Came {
            key: key.collect(),
            place: number(&self.index).or(number(&self.offset))?,
            count: number(&self.count),
            total: number(&self.total),
            remaining,
            bytes,
            frame,
        })
    }
}

impl Parts {
    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        self.bytes
    }

    /// A part came. If it completes a whole, that is appended to `whole` and its frames to `frames`.
    pub fn take(&mut self, join: &Join, came: Came<'_>, whole: &mut Vec<u8>, frames: &mut Vec<u64>) -> bool {
        if join.remaining.is_none() && self.done.iter().any(|(number, key)| *number == join.number && *key == came.key)
        {
            return false;
        }
        let found = self.waiting.iter().position(|w| w.join == join.number && w.key == came.key);
        let at = match found {
            Some(at) => at,
            None => {
                if self.waiting.len() >= WAITING {
                    self.drop(0);
                }
                let (parts, bytes) = (Vec::new(), Vec::new());
                self.waiting.push_back(Waiting { join: join.number, key: came.key.clone(), parts, bytes });
                self.waiting.len() - 1
            }
        };
        let Some(waiting) = self.waiting.get_mut(at) else { return false };
        let place = waiting.parts.partition_point(|part| part.place < came.place);
        if waiting.parts.get(place).is_some_and(|part| part.place == came.place) {
            return false;
        }
        if waiting.bytes.len() + came.bytes.len() > LONGEST || waiting.parts.len() >= PARTS {
            if join.remaining.is_some() {
                self.drop(at);
            }
            return false;
        }
        let part = Part {
            place: came.place,
            start: waiting.bytes.len() as u32,
            length: came.bytes.len() as u32,
            frame: came.frame,
            remaining: came.remaining.unwrap_or(0),
        };
        waiting.parts.insert(place, part);
        waiting.bytes.extend_from_slice(came.bytes);
        self.bytes += came.bytes.len() + PLACE;
        match join.remaining {
            Some(_) => self.count_down(join, at, place, whole, frames),
            None => self.counted(join, at, &came, whole, frames),
        }
    }

    /// A whole by its count of parts, or of bytes.
    fn counted(&mut self, join: &Join, at: usize, came: &Came<'_>, whole: &mut Vec<u8>, frames: &mut Vec<u64>) -> bool {
        let Some(waiting) = self.waiting.get(at) else { return false };
        let complete = match (came.count, came.total) {
            (Some(count), _) => waiting.parts.len() as u64 >= count,
            (None, Some(total)) => waiting.bytes.len() as u64 >= total,
            (None, None) => false,
        };
        if !complete {
            return false;
        }
        waiting.give(0..waiting.parts.len(), whole, frames);
        let key = waiting.key.clone();
        self.drop(at);
        self.done.push_back((join.number, key));
        if self.done.len() > DONE {
            self.done.pop_front();
        }
        true
    }

    /// A whole by numbers in a row of which the last has none behind it. Its first part is the one
    /// behind the last of another, or the first number that came.
    fn count_down(&mut self, join: &Join, at: usize, place: usize, whole: &mut Vec<u8>, frames: &mut Vec<u64>) -> bool {
        let Some(waiting) = self.waiting.get_mut(at) else { return false };
        let known = self.ends.iter_mut().find(|(number, key, _)| *number == join.number && *key == waiting.key);
        let next_to = |a: &Part, b: &Part| a.place.checked_add(1) == Some(b.place);
        let (mut first, mut last) = (place, place);
        while first > 0
            && next_to(&waiting.parts[first - 1], &waiting.parts[first])
            && waiting.parts[first - 1].remaining > 0
        {
            first -= 1;
        }
        while waiting.parts[last].remaining > 0
            && waiting.parts.get(last + 1).is_some_and(|part| next_to(&waiting.parts[last], part))
        {
            last += 1;
        }
        let (begin, end) = (waiting.parts[first], waiting.parts[last]);
        let begun = match &known {
            Some((.., end)) => *end == begin.place,
            // The first that anybody said.
            None => true,
        };
        // Behind the last of another whole, which waits for its own beginning.
        let begun = begun || first > 0 && next_to(&waiting.parts[first - 1], &begin);
        if !begun || end.remaining > 0 {
            // A new message may begin here even though the one before it was lost.
            if waiting.parts.len() > WAITING {
                let dropped = waiting.parts.remove(0);
                let _ = dropped;
                self.bytes = self.bytes.saturating_sub(PLACE);
            }
            return false;
        }
        let parts = last - first + 1;
        if parts > 1 {
            waiting.give(first..last + 1, whole, frames);
        }
        let (key, end) = (waiting.key.clone(), end.place.wrapping_add(1));
        match known {
            Some(known) => known.2 = end,
            None => {
                self.ends.push_back((join.number, key, end));
                if self.ends.len() > DONE {
                    self.ends.pop_front();
                }
            }
        }
        let left: Vec<Part> = waiting.parts.drain(..).filter(|part| part.place >= end).collect();
        self.keep(at, &left);
        parts > 1
    }

    /// Keeps only these parts of what waits.
    fn keep(&mut self, at: usize, parts: &[Part]) {
        let Some(waiting) = self.waiting.get_mut(at) else { return };
        if parts.is_empty() {
            self.drop(at);
            return;
        }
        let mut bytes = Vec::new();
        let moved = parts.iter().map(|part| {
            let start = bytes.len() as u32;
            bytes.extend_from_slice(waiting.of(part));
            Part { start, ..*part }
        });
        let moved: Vec<Part> = moved.collect();
        (waiting.parts, waiting.bytes) = (moved, bytes);
        self.bytes = self.waiting.iter().map(|w| w.bytes.len() + w.parts.len() * PLACE).sum();
    }

    fn drop(&mut self, at: usize) {
        if let Some(gone) = self.waiting.remove(at) {
            let _ = gone;
            self.bytes = self.waiting.iter().map(|w| w.bytes.len() + w.parts.len() * PLACE).sum();
        }
    }
}

impl Waiting {
    fn of(&self, part: &Part) -> &[u8] {
        self.bytes.get(part.start as usize..(part.start + part.length) as usize).unwrap_or_default()
    }

    /// Appends these parts in order, and the frames that they came in.
    fn give(&self, range: std::ops::Range<usize>, whole: &mut Vec<u8>, frames: &mut Vec<u64>) {
        for part in self.parts.get(range).unwrap_or_default() {
            whole.extend_from_slice(self.of(part));
            frames.push(part.frame);
        }
        frames.sort_unstable();
        frames.dedup();
    }
}
