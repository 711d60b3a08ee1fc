//! Storage of conversations, with lookup by hash and the order of last use.

use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No slot.
const NONE: u32 = u32::MAX;

/// Values with lookup by hash. Using a value costs a store; the least recently used one is found in logarithmic time,
/// amortised over the uses.
///
/// The map holds only hashes; values with the same hash are chained. That keeps addresses out of
/// the map: 16 bytes per conversation instead of 80.
#[derive(Debug)]
pub(super) struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// The first slot of each hash.
    heads: FxHashMap<u64, u32>,
    /// Slots without a value.
    free: Vec<u32>,
    /// The number of uses so far.
    now: u64,
    /// Each slot once, including free ones, with the time of its last use or an earlier one. So the first slot whose
    /// time is up to date is the least recently used.
    order: BinaryHeap<Reverse<(u64, u32)>>,
}

#[derive(Debug)]
struct Slot<T> {
    /// Boxed, so that a growing table moves pointers only.
    value: Option<Box<T>>,
    hash: u64,
    /// The time of its last use.
    used: u64,
    /// The next slot with the same hash.
    chain: u32,
}

impl<T> Slots<T> {
    pub fn new() -> Self {
        Slots { slots: Vec::new(), heads: FxHashMap::default(), free: Vec::new(), now: 0, order: BinaryHeap::new() }
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    #[inline(always)]
    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize)?.value.as_deref_mut()
    }

    /// The slot of the value with this hash that `matches` accepts, and the result of `matches`. The value becomes the
    /// most recently used one.
    #[inline(always)]
    pub fn find<R>(&mut self, hash: u64, matches: impl Fn(&T) -> Option<R>) -> Option<(u32, R)> {
        let mut index = *self.heads.get(&hash)?;
        loop {
            let slot = self.slots.get_mut(index as usize)?;
            if let Some(value) = &slot.value
                && let Some(answer) = matches(value)
            {
                self.now += 1;
                slot.used = self.now;
                return Some((index, answer));
            }
            index = slot.chain;
        }
    }

    /// Stores a value, as the most recently used one.
    pub fn insert(&mut self, hash: u64, value: T) -> u32 {
        let index = self.free.pop().unwrap_or(self.slots.len() as u32);
        let chain = self.heads.insert(hash, index).unwrap_or(NONE);
        self.now += 1;
        let slot = Slot { value: Some(Box::new(value)), hash, used: self.now, chain };
        match self.slots.get_mut(index as usize) {
            Some(old) => *old = slot,
            None => {
                self.slots.push(slot);
                self.order.push(Reverse((self.now, index)));
            }
        }
        index
    }

    /// Removes and returns a value.
    pub fn remove(&mut self, index: u32) -> Option<Box<T>> {
        let slot = self.slots.get_mut(index as usize)?;
        let value = slot.value.take()?;
        let (hash, chain) = (slot.hash, slot.chain);
        self.unchain(hash, index, chain);
        self.free.push(index);
        Some(value)
    }

    /// The least recently used slot.
    pub fn oldest(&mut self) -> Option<u32> {
        if self.len() == 0 {
            return None;
        }
        // Every iteration corrects one time, and a time becomes outdated only by a use. A free slot is sorted to the
        // end until it has a value again.
        while let Some(mut first) = self.order.peek_mut() {
            let Reverse((time, index)) = *first;
            let used = match self.slots.get(index as usize) {
                Some(Slot { value: Some(_), used, .. }) => *used,
                _ => self.now + 1,
            };
            if used == time {
                return Some(index);
            }
            *first = Reverse((used, index));
        }
        None
    }

    /// All slots with a value.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(index, slot)| Some((index as u32, slot.value.as_deref()?)))
    }

    /// Removes a slot from the chain of its hash.
    fn unchain(&mut self, hash: u64, index: u32, next: u32) {
        let Some(head) = self.heads.get_mut(&hash) else { return };
        if *head == index {
            if next == NONE {
                self.heads.remove(&hash);
            } else {
                *head = next;
            }
            return;
        }
        let mut at = *head;
        while let Some(slot) = self.slots.get_mut(at as usize) {
            if slot.chain == index {
                slot.chain = next;
                return;
            }
            at = slot.chain;
        }
    }
}
