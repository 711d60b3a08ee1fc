//! Where conversations are kept: by hash, and in the order in which they were last used.

use rustc_hash::FxHashMap;

/// No slot.
const NONE: u32 = u32::MAX;

/// Values found by their hash, in the order of use. Each operation takes constant time.
///
/// The map knows only hashes; values with the same one are chained. That keeps addresses out of
/// the map: 16 bytes a conversation instead of 80.
#[derive(Debug)]
pub(super) struct Slots<T> {
    slots: Vec<Slot<T>>,
    /// The first slot of each hash.
    heads: FxHashMap<u64, u32>,
    /// Slots without a value.
    free: Vec<u32>,
    newest: u32,
    oldest: u32,
}

#[derive(Debug)]
struct Slot<T> {
    /// Boxed, so that a growing table moves pointers only.
    value: Option<Box<T>>,
    hash: u64,
    /// The next slot with the same hash.
    chain: u32,
    newer: u32,
    older: u32,
}

impl<T> Slots<T> {
    pub fn new() -> Self {
        Slots { slots: Vec::new(), heads: FxHashMap::default(), free: Vec::new(), newest: NONE, oldest: NONE }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    pub fn get(&self, index: u32) -> Option<&T> {
        self.slots.get(index as usize)?.value.as_deref()
    }

    pub fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        self.slots.get_mut(index as usize)?.value.as_deref_mut()
    }

    /// The slot of the value with this hash that `matches` accepts, and its answer.
    #[inline]
    pub fn find<R>(&self, hash: u64, matches: impl Fn(&T) -> Option<R>) -> Option<(u32, R)> {
        let mut index = *self.heads.get(&hash)?;
        loop {
            let slot = self.slots.get(index as usize)?;
            if let Some(answer) = slot.value.as_deref().and_then(&matches) {
                return Some((index, answer));
            }
            index = slot.chain;
        }
    }

    /// Keeps a value, as the one used last.
    pub fn insert(&mut self, hash: u64, value: T) -> u32 {
        let index = self.free.pop().unwrap_or(self.slots.len() as u32);
        let chain = self.heads.insert(hash, index).unwrap_or(NONE);
        let slot = Slot { value: Some(Box::new(value)), hash, chain, newer: NONE, older: NONE };
        match self.slots.get_mut(index as usize) {
            Some(old) => *old = slot,
            None => self.slots.push(slot),
        }
        self.link(index);
        index
    }

    /// Takes a value out.
    pub fn remove(&mut self, index: u32) -> Option<Box<T>> {
        let slot = self.slots.get_mut(index as usize)?;
        let value = slot.value.take()?;
        let (hash, chain) = (slot.hash, slot.chain);
        self.unlink(index);
        self.unchain(hash, index, chain);
        self.free.push(index);
        Some(value)
    }

    /// Makes a value the one used last.
    pub fn touch(&mut self, index: u32) {
        if self.newest != index && self.get(index).is_some() {
            self.unlink(index);
            self.link(index);
        }
    }

    /// The slot that was not used for the longest time.
    pub fn oldest(&self) -> Option<u32> {
        (self.oldest != NONE).then_some(self.oldest)
    }

    /// All slots with a value.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let slots = self.slots.iter().enumerate();
        slots.filter_map(|(index, slot)| Some((index as u32, slot.value.as_deref()?)))
    }

    /// Takes a slot out of the chain of its hash.
    fn unchain(&mut self, hash: u64, index: u32, next: u32) {
        let Some(head) = self.heads.get_mut(&hash) else {
            return;
        };
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

    /// Puts a slot at the newest end of the order.
    fn link(&mut self, index: u32) {
        let before = self.newest;
        if let Some(slot) = self.slots.get_mut(index as usize) {
            slot.older = before;
            slot.newer = NONE;
        }
        match self.slots.get_mut(before as usize) {
            Some(slot) => slot.newer = index,
            None => self.oldest = index,
        }
        self.newest = index;
    }

    /// Takes a slot out of the order.
    fn unlink(&mut self, index: u32) {
        let Some(slot) = self.slots.get(index as usize) else {
            return;
        };
        let (newer, older) = (slot.newer, slot.older);
        match self.slots.get_mut(newer as usize) {
            Some(slot) => slot.older = older,
            None => self.newest = older,
        }
        match self.slots.get_mut(older as usize) {
            Some(slot) => slot.newer = newer,
            None => self.oldest = newer,
        }
    }
}
