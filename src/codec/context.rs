//! The inputs of a walk that are not in the table: values of earlier fields, and of earlier
//! messages.

use super::bits::{self, BitBuf};
use super::kinds::{LEVELS, Ring};
use super::layout::{Field, Key, Kind, Name, Order, flag};
use rustc_hash::FxHashMap;

/// The values of this message's earlier fields that later ones refer to.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    entries: Vec<Entry>,
    /// The places of texts that later texts may point back to, by the hash of the text.
    pub(super) texts: FxHashMap<u64, u32>,
    /// The values that encoding would write for hidden numbers, as far as fields with conditions determine them: the
    /// number's field, its position, and the value.
    settled: Vec<(&'static Field, u32, u64)>,
    /// The open levels of groups that contain themselves.
    levels: Vec<Level>,
}

/// A level of a group that contains itself.
#[derive(Clone, Debug)]
struct Level {
    ring: &'static Ring,
    /// The number of entries that precede its outermost level.
    floor: usize,
    /// The index of its outermost level.
    first: usize,
    /// The entries of the levels around it. Names in this level do not denote them.
    hidden: Vec<Entry>,
}

/// One value of a [`Scope`], and its position, so that a writer can fill it in later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub field: &'static Field,
    pub value: u64,
    pub bit: u32,
    pub given: bool,
    /// Whether a list or text already takes its length from this field.
    pub counted: bool,
    /// Set for a part of a number that begins at `bit`.
    pub within: Option<Within>,
    /// The groups that contained it, of those that the walk has left.
    pub group: Option<Key>,
}

/// A part of a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Within {
    /// The number's width and order.
    pub width: u32,
    pub order: Order,
    /// The part's lowest bit in the number, and the mask of all its bits there.
    pub low: u8,
    pub mask: u64,
}

impl Within {
    /// Sets the part in the number at bit `at`. Returns the number.
    pub fn patch(&self, out: &mut BitBuf, at: usize, value: u64, conversation: Order) -> u64 {
        let order = self.order.within(conversation);
        let number = out.number_at(at, self.width, order) & !self.mask | value << self.low & self.mask;
        out.patch_number(at, number, self.width, order);
        number
    }
}

impl Entry {
    /// The largest value that fits into its bits.
    pub fn most(&self) -> u64 {
        let width = || self.field.kind.width().map_or(u64::MAX, |(bits, _)| bits::mask(bits));
        let part = self.within.map_or(u64::MAX, |within| within.mask >> within.low);
        part.min(self.field.kind.range().map_or_else(width, |(_, most)| most as u64))
    }

    /// The place of these bits of it, if it is a number of fixed width or a part of one.
    pub fn part(&self, low: u8, mask: u64) -> Option<Within> {
        match self.within {
            Some(own) => Some(Within { low: own.low + low, mask: mask << own.low & own.mask, ..own }),
            None => self.field.kind.width().map(|(width, order)| Within { width, order, low, mask }),
        }
    }

    #[inline]
    fn is(&self, name: &Name) -> bool {
        name.is_of(self.field) && name.is_in(self.group)
    }
}

impl Scope {
    /// Returns the value of the nearest earlier field with this name.
    #[inline]
    pub fn get(&self, name: &Name) -> Option<u64> {
        self.entries.iter().rev().find(|e| e.is(name)).map(|e| e.value)
    }

    /// Returns the value of the nearest earlier field with the same name. Groups that the walk has left do not count.
    #[inline]
    pub fn of(&self, field: &Field) -> Option<u64> {
        let found = self.entries.iter().rev().find(|e| e.group.is_none() && e.field.key == field.key);
        found.map(|e| e.value)
    }

    /// Begins a level of a group that contains itself: names in it denote fields of its own, or around all of its levels.
    /// Returns false if there are too many levels.
    pub(super) fn nest(&mut self, ring: &'static Ring) -> bool {
        if self.levels.len() >= LEVELS {
            return false;
        }
        let (mut floor, mut first) = (self.entries.len(), self.levels.len());
        let mut at = first;
        // The entries of levels that another ring has begun anew are hidden already.
        while let Some(level) = at.checked_sub(1).and_then(|inner| self.levels.get(inner)) {
            if std::ptr::eq(level.ring, ring) {
                (floor, first) = (level.floor.min(floor), level.first);
                break;
            }
            at = level.first;
        }
        self.levels.push(Level { ring, floor, first, hidden: self.entries.split_off(floor) });
        true
    }

    /// Ends the innermost level.
    pub(super) fn unnest(&mut self) {
        let Some(level) = self.levels.pop() else { return };
        if !level.hidden.is_empty() {
            self.entries.truncate(level.floor);
            self.entries.extend(level.hidden);
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.texts.clear();
        self.settled.clear();
    }

    /// Notes what encoding would write for a hidden number.
    pub(super) fn settle(&mut self, field: &'static Field, bit: u32, value: u64) {
        self.settled.push((field, bit, value));
    }

    /// Returns what is noted of a hidden number, and forgets it.
    pub(super) fn settled(&mut self, field: &'static Field, bit: u32) -> Option<u64> {
        // Those of open groups: the others were forgotten at their end.
        let newest = self.settled.iter().enumerate().rev().take(64);
        let found = newest.into_iter().find(|(_, (of, at, _))| std::ptr::eq(*of, field) && *at == bit)?.0;
        Some(self.settled.swap_remove(found).2)
    }

    pub(super) fn push(&mut self, field: &'static Field, value: u64, bit: u32, given: bool) {
        self.entries.push(Entry { field, value, bit, given, counted: false, within: None, group: None });
    }

    /// As [`push`](Scope::push), for a part of a number.
    pub(super) fn push_part(&mut self, field: &'static Field, value: u64, bit: u32, given: bool, within: Within) {
        self.entries.push(Entry { field, value, bit, given, counted: false, within: Some(within), group: None });
    }

    /// Leaves a group: forgets its entries from `len` on, or keeps them under the group's name if it is referenced.
    #[inline]
    pub(super) fn leave(&mut self, group: &'static Field, len: usize) {
        if !group.is(flag::REFERENCED) {
            self.entries.truncate(len);
            return;
        }
        for entry in self.entries.iter_mut().skip(len) {
            entry.group = Some(entry.group.map_or(group.key, |inner| inner.within(group.key)));
        }
    }

    /// Moves all positions from bit `at` on by `bits`.
    pub(super) fn shift(&mut self, at: u32, bits: i64) {
        let moved = |bit: u32| (bit as i64 + bits).max(0) as u32;
        let hidden = self.levels.iter_mut().flat_map(|level| &mut level.hidden);
        self.entries
            .iter_mut()
            .chain(hidden)
            .filter(|entry| entry.bit >= at)
            .for_each(|entry| entry.bit = moved(entry.bit));
    }

    /// Sets the value of all parts of the number at bit `at`, and its own, if it has parts.
    pub(super) fn renew(&mut self, at: u32, number: u64, width: u32) {
        // A view of a number is among later entries.
        let near = |entry: &&Entry| entry.bit >= at || entry.within.is_some();
        let near = self.entries.iter().rev().take_while(near).count();
        let first = self.entries.len() - near;
        let Some(near) = self.entries.get_mut(first..) else { return };
        if near.iter().all(|entry| entry.bit != at || entry.within.is_none()) {
            return;
        }
        for entry in near.iter_mut().filter(|entry| entry.bit == at) {
            match (entry.within, &entry.field.kind) {
                (Some(within), kind) if within.width == width => {
                    let (value, bits) = (number & within.mask, within.mask.count_ones());
                    let value = value >> within.low;
                    entry.value = if let Kind::Int { .. } = kind { bits::signed(value, bits) as u64 } else { value };
                }
                (None, kind) if kind.width().is_some_and(|(own, _)| own == width) => entry.value = number,
                _ => {}
            }
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        self.entries.truncate(len);
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&mut self, name: &Name) -> Option<&mut Entry> {
        self.entries.iter_mut().rev().find(|e| e.is(name))
    }
}

/// The result of recalling a [`super::layout::Kind::Derived`] field from earlier messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// This value.
    Value(u64),
    /// Unknown: the rest cannot be read, but the bytes are not at fault.
    Unknown,
    /// The message contradicts what is known: a fault, with this reason.
    Fault(&'static str),
}

/// The slot of the sender: 1 for the client, 2 for the server, 0 if unknown.
pub const FROM: u16 = 0;
/// The slot of the likely sender.
pub const LIKELY_FROM: u16 = 1;

/// The conversation's state, as far as layouts need it. Sessions and encoders implement it.
pub trait Context {
    /// The byte order of fields in [`Order::Conversation`].
    fn order(&self) -> Order {
        Order::Little
    }

    /// Returns a value that tables refer to and that no earlier field has: from earlier messages, from a setting,
    /// `FROM` or `LIKELY_FROM`.
    fn value(&self, _slot: u16) -> Option<u64> {
        None
    }

    /// Takes memory for bytes that are not the message's own (inflated, joined), with its number among the
    /// [`Sources`](super::Sources). `None` if no memory is left. [`give_source`](Context::give_source) gives it back.
    fn take_source(&mut self) -> Option<(u8, Vec<u8>)> {
        None
    }

    /// Gives back a source, filled with these bytes.
    fn give_source(&mut self, _source: u8, _bytes: Vec<u8>) {}

    /// Returns the value of a setting that conditions refer to; see [`super::layout::When::Setting`].
    fn setting(&self, _name: &str) -> u64 {
        0
    }

    /// Returns the value of a derived field.
    fn recall(&mut self, _field: &'static Field, _scope: &Scope) -> Recalled {
        Recalled::Unknown
    }

    /// Returns fields from the user's schema: those of a payload, or those after `value` of a switch whose unlisted
    /// values are [`super::layout::Other::Ask`].
    fn layout(&mut self, _field: &'static Field, _value: Option<u64>, _scope: &Scope) -> Option<&'static [Field]> {
        None
    }
}

/// A context without state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoContext;

impl Context for NoContext {}
