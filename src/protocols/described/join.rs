//! Joins parts of a longer message: by an index and a count, by an offset and a count, or by an index and a count-down.

use super::conditions;
use super::key::Key;
use super::lines::visible;
use crate::codec::Tree;
use crate::codec::kinds::Ratio;
use crate::codec::layout::{Name, When};
use crate::codec::schema::compile::Join;
use crate::dissect::Arrival;
use rustc_hash::FxHasher;
use std::collections::VecDeque;
use std::hash::Hasher;

/// The caps on a joined message, on incomplete ones in one direction, and on keys of completed ones.
const LONGEST: usize = 1 << 20;
const WAITING: usize = 64;
const DONE: usize = 64;
/// The number of ends of messages that are kept for each key.
const ENDS: usize = 4;
/// The cap on parts of a joined message.
const PARTS: usize = 1 << 13;
/// The number of used buffers that are kept for reuse; `SPARE_BYTES`: their largest size.
const SPARE: usize = 8;
const SPARE_BYTES: usize = 1 << 16;
/// The memory of a part besides its bytes.
const PLACE: usize = size_of::<Part>();

/// The parts of one direction.
#[derive(Debug, Default)]
pub struct Parts {
    waiting: VecDeque<Waiting>,
    done: VecDeque<Done>,
    /// For count-downs: the place after the last part of the newest joined message.
    ends: VecDeque<(usize, Key, u64)>,
    bytes: usize,
    spare: Vec<(Vec<Part>, Vec<u8>)>,
}

/// A joined message, by which copies of its parts are known.
#[derive(Debug)]
struct Done {
    number: usize,
    key: Key,
    /// The place of each part, and the hash of its bytes, in order.
    parts: Vec<(u64, u64)>,
    /// The copies of its first parts since then, in order: another message with this key may begin with them.
    again: Vec<(Arrival, Vec<u8>)>,
}

impl Done {
    /// Whether a part is one of its own.
    fn has(&mut self, arrived: &Arrived<'_>) -> bool {
        let Ok(at) = self.parts.binary_search_by_key(&arrived.place, |(place, _)| *place) else { return false };
        if self.parts.get(at).is_none_or(|(_, known)| *known != hash(arrived.bytes)) {
            return false;
        }
        if at == 0 {
            self.again.clear();
        }
        if at == self.again.len() {
            self.again.push((arrived.from, arrived.bytes.to_vec()));
        }
        if self.again.len() == self.parts.len() {
            // All of it was sent again.
            self.again.clear();
        }
        true
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[derive(Debug)]
struct Waiting {
    join: usize,
    key: Key,
    parts: Vec<Part>,
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
struct Part {
    place: u64,
    start: u32,
    length: u32,
    from: Arrival,
    /// The number of parts that follow; 0: it is the last.
    remaining: u64,
}

/// A part that has arrived.
pub struct Arrived<'a> {
    pub key: Key,
    pub place: u64,
    pub count: Option<u64>,
    pub total: Option<u64>,
    pub remaining: Option<u64>,
    pub bytes: &'a [u8],
    pub from: Arrival,
}

/// A joined message, and the messages that its parts arrived in.
#[derive(Debug, Default)]
pub struct Whole {
    pub bytes: Vec<u8>,
    pub from: Vec<Arrival>,
}

/// Whether a condition holds for the fields before node `k`.
pub fn holds(when: &When, tree: &Tree, k: usize, known: &dyn Fn(&Name) -> Option<u64>) -> bool {
    let value = |name: &Name| visible(tree, k, name).and_then(|node| node.number()).or_else(|| known(name));
    conditions::holds(when, &value)
}

impl Join {
    /// Reads the part at node `k`; `None`: it is not a part.
    pub fn arrived<'a>(
        &self,
        tree: &Tree,
        k: usize,
        bytes: &'a [u8],
        from: Arrival,
        known: &dyn Fn(&Name) -> Option<u64>,
    ) -> Option<Arrived<'a>> {
        if self.when.as_ref().is_some_and(|when| !holds(when, tree, k, known)) {
            return None;
        }
        let value = |name: &Name| visible(tree, k, name).and_then(|node| node.number()).or_else(|| known(name));
        let number = |name: &Option<Name>| name.as_ref().and_then(value);
        let remaining = number(&self.remaining).map(|n| if self.negated { (n == 0) as u64 } else { n });
        let scaled = |n: u64, by: Ratio| n.saturating_mul(by.num.into()) / u64::from(by.den.max(1));
        let mut key = Key::default();
        for name in &self.key {
            key.push(value(name));
        }
        Some(Arrived {
            key,
            place: number(&self.index).or(number(&self.offset).map(|n| scaled(n, self.scales[0])))?,
            count: number(&self.count),
            total: number(&self.total).map(|n| scaled(n, self.scales[1])),
            remaining,
            bytes,
            from,
        })
    }
}

impl Parts {
    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        let spare = self.spare.iter().map(|(parts, bytes)| parts.capacity() * PLACE + bytes.capacity());
        let done = self.done.iter().map(|done| done.parts.capacity() * size_of::<(u64, u64)>());
        let again = self.done.iter().flat_map(|done| &done.again).map(|(_, bytes)| bytes.capacity());
        self.bytes + spare.sum::<usize>() + done.sum::<usize>() + again.sum::<usize>()
    }

    /// Adds a part. True: it completes a message, which is written to `whole`.
    pub fn take(&mut self, join: &Join, arrived: Arrived<'_>, whole: &mut Whole) -> bool {
        if join.remaining.is_none()
            && let Some(at) = self.done.iter().position(|done| (done.number, done.key) == (join.number, arrived.key))
        {
            if self.done.get_mut(at).is_some_and(|done| done.has(&arrived)) {
                return false;
            }
            // The key is used again, for another message, which may begin with the same bytes.
            let Some(done) = self.done.remove(at) else { return false };
            for ((place, _), (from, bytes)) in done.parts.iter().zip(&done.again) {
                if *place < arrived.place
                    && self.take(join, Arrived { place: *place, from: *from, bytes, ..arrived }, whole)
                {
                    return true;
                }
            }
        }
        let found = self.waiting.iter().position(|w| w.join == join.number && w.key == arrived.key);
        let at = match found {
            Some(at) => at,
            None => {
                if self.waiting.len() >= WAITING {
                    self.drop(0);
                }
                let (parts, bytes) = self.spare.pop().unwrap_or_default();
                self.waiting.push_back(Waiting { join: join.number, key: arrived.key, parts, bytes });
                self.waiting.len() - 1
            }
        };
        let Some(waiting) = self.waiting.get_mut(at) else { return false };
        let place = waiting.parts.partition_point(|part| part.place < arrived.place);
        let known = waiting.parts.get(place).filter(|part| part.place == arrived.place);
        match known.map(|part| waiting.of(part) == arrived.bytes) {
            // The key is used again: the parts so far are of a message that lacks some.
            Some(false) if join.remaining.is_none() => {
                self.drop(at);
                return self.take(join, arrived, whole);
            }
            Some(_) => return false,
            None => {}
        }
        // Parts that overlap others, or go beyond the whole, are of a message that was cut differently.
        let end = arrived.place.saturating_add(arrived.bytes.len() as u64);
        let is_over = |part: &Part| part.place.saturating_add(part.length.into()) > arrived.place;
        if let Some(total) = arrived.total
            && (end > total
                || waiting.parts.get(place).is_some_and(|next| next.place < end)
                || place > 0 && waiting.parts.get(place - 1).is_some_and(is_over))
        {
            return false;
        }
        if waiting.bytes.len() + arrived.bytes.len() > LONGEST || waiting.parts.len() >= PARTS {
            if join.remaining.is_some() {
                self.drop(at);
            }
            return false;
        }
        let part = Part {
            place: arrived.place,
            start: waiting.bytes.len() as u32,
            length: arrived.bytes.len() as u32,
            from: arrived.from,
            remaining: arrived.remaining.unwrap_or(0),
        };
        waiting.parts.insert(place, part);
        waiting.bytes.extend_from_slice(arrived.bytes);
        self.bytes += arrived.bytes.len() + PLACE;
        match join.remaining {
            Some(_) => self.count_down(join, at, place, whole),
            None => self.counted(join, at, &arrived, whole),
        }
    }

    /// Completes a message by its count of parts or bytes.
    fn counted(&mut self, join: &Join, at: usize, arrived: &Arrived<'_>, whole: &mut Whole) -> bool {
        let Some(waiting) = self.waiting.get(at) else { return false };
        let complete = match (arrived.count, arrived.total) {
            (Some(count), _) => waiting.parts.len() as u64 >= count,
            (None, Some(total)) => waiting.bytes.len() as u64 >= total,
            (None, None) => false,
        };
        if !complete {
            return false;
        }
        waiting.give(0..waiting.parts.len(), whole);
        let key = waiting.key;
        // The memory of the oldest one is used again.
        let oldest = if self.done.len() >= DONE { self.done.pop_front() } else { None };
        let mut parts = oldest.map(|done| done.parts).unwrap_or_default();
        parts.clear();
        parts.extend(waiting.parts.iter().map(|part| (part.place, hash(waiting.of(part)))));
        self.drop(at);
        self.done.push_back(Done { number: join.number, key, parts, again: Vec::new() });
        true
    }

    /// Completes a message by consecutive numbers up to a part with no remaining ones. Its first part follows the last
    /// part of another message, or has the first number that arrived.
    fn count_down(&mut self, join: &Join, at: usize, place: usize, whole: &mut Whole) -> bool {
        let Some(waiting) = self.waiting.get_mut(at) else { return false };
        let own = (join.number, waiting.key);
        let is_own = |(number, key, _): &(usize, Key, u64)| (*number, *key) == own;
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
        let mut ends = self.ends.iter().filter(|one| is_own(one)).map(|(.., end)| *end).peekable();
        // No message was completed before, or it follows one.
        let begun = ends.peek().is_none() || ends.any(|end| end == begin.place);
        // It follows the last part of another message, which still lacks its beginning.
        let begun = begun || first > 0 && next_to(&waiting.parts[first - 1], &begin);
        if !begun || end.remaining > 0 {
            // A new message may begin here even though the one before it was lost.
            if waiting.parts.len() > WAITING {
                waiting.parts.remove(0);
                self.bytes = self.bytes.saturating_sub(PLACE);
            }
            return false;
        }
        let parts = last - first + 1;
        if parts > 1 {
            waiting.give(first..last + 1, whole);
        }
        let end = end.place.wrapping_add(1);
        // The end of a copy does not take the place of the newest message's, but only a few are kept.
        self.ends.retain(|one| !is_own(one) || ![begin.place, end].contains(&one.2));
        if self.ends.iter().filter(|one| is_own(one)).count() >= ENDS
            && let Some(oldest) = self.ends.iter().position(is_own)
        {
            self.ends.remove(oldest);
        }
        if self.ends.len() >= DONE {
            self.ends.pop_front();
        }
        self.ends.push_back((own.0, own.1, end));
        self.keep(at, end);
        parts > 1
    }

    /// Keeps only the waiting parts from this place on.
    fn keep(&mut self, at: usize, from: u64) {
        let (mut parts, mut bytes) = self.spare.pop().unwrap_or_default();
        let Some(waiting) = self.waiting.get_mut(at) else { return };
        for part in waiting.parts.iter().filter(|part| part.place >= from) {
            parts.push(Part { start: bytes.len() as u32, ..*part });
            bytes.extend_from_slice(waiting.of(part));
        }
        let empty = parts.is_empty();
        std::mem::swap(&mut waiting.parts, &mut parts);
        std::mem::swap(&mut waiting.bytes, &mut bytes);
        self.give_back(parts, bytes);
        if empty { self.drop(at) } else { self.count() }
    }

    fn drop(&mut self, at: usize) {
        if let Some(gone) = self.waiting.remove(at) {
            self.give_back(gone.parts, gone.bytes);
            self.count();
        }
    }

    fn count(&mut self) {
        self.bytes = self.waiting.iter().map(|w| w.bytes.len() + w.parts.len() * PLACE).sum();
    }

    /// Keeps memory for reuse.
    fn give_back(&mut self, mut parts: Vec<Part>, mut bytes: Vec<u8>) {
        if self.spare.len() < SPARE && bytes.capacity() + parts.capacity() * PLACE <= SPARE_BYTES {
            parts.clear();
            bytes.clear();
            self.spare.push((parts, bytes));
        }
    }
}

impl Waiting {
    fn of(&self, part: &Part) -> &[u8] {
        self.bytes.get(part.start as usize..(part.start + part.length) as usize).unwrap_or_default()
    }

    /// Joins these parts in order.
    fn give(&self, range: std::ops::Range<usize>, whole: &mut Whole) {
        for part in self.parts.get(range).unwrap_or_default() {
            whole.bytes.extend_from_slice(self.of(part));
            whole.from.push(part.from);
        }
        whole.from.sort_unstable();
        whole.from.dedup();
    }
}
