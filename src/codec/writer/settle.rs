//! Sets earlier fields that follow from later ones: counts, lengths, and presence conditions.

use super::{Cursor, WriteStop, Writer};
use crate::codec::bits;
use crate::codec::context::{Context, NoContext};
use crate::codec::kinds::{Extended, Head};
use crate::codec::layout::{Count, Field, Kind, Look, Name, Order, When};
use crate::plural::Plural;

impl<'a> Writer<'a> {
    /// Writes, sets or checks the element count of an array written by a
    /// [`Custom`](crate::codec::walk::Custom) codec.
    ///
    /// # Errors
    /// If the number does not fit.
    pub fn put_count(&mut self, field: &'static Field, count: &Count, n: u64) -> Result<(), WriteStop> {
        match *count {
            Count::Const(exact) if n != exact as u64 => {
                Err(self.fail(format!("{}: expected {}, got {n}", field.name, Plural(exact, "element"))))
            }
            Count::Prefix(prefix) => match self.given_prefix(prefix) {
                Some(given) => self.put_given(prefix, given),
                None => self.put_prefix(prefix, n),
            },
            Count::Field(ref name) => self.counted(name, n),
            _ => Ok(()),
        }
    }

    /// Sets or checks the earlier field `name`, which counts the `n` elements or bytes of a list or text. It may count
    /// several of the same length.
    pub(in crate::codec) fn counted(&mut self, name: &Name, n: u64) -> Result<(), WriteStop> {
        let Some(entry) = self.scope.entry(name).filter(|entry| !entry.given) else { return Ok(()) };
        let (before, counted) = (entry.value, std::mem::replace(&mut entry.counted, true));
        let most = entry.most();
        match () {
            _ if counted && before != n => {
                let other = format!("{name} is also the length of another field, which has {before}");
                Err(self.fail(format!("a length of {n}, but {other}")))
            }
            _ if n > most => Err(self.fail(format!("a length of {n}, but {name} is at most {most}"))),
            _ => {
                self.complete(name, n);
                Ok(())
            }
        }
    }

    /// Sets the earlier field `name` to `value`, unless it was given.
    pub(in crate::codec) fn complete(&mut self, name: &Name, value: u64) {
        let Some(entry) = self.scope.entry(name) else { return };
        if entry.given {
            return;
        }
        entry.value = value;
        let (at, kind, within) = (entry.bit as usize, &entry.field.kind, entry.within);
        if let Some(within) = within {
            let number = within.patch(&mut self.out, at, value, self.order);
            return self.scope.renew(at as u32, number, within.width);
        }
        let (count, order) = match kind {
            Kind::UInt { bits, order } | Kind::Int { bits, order } => (*bits as u32, *order),
            Kind::Bool { bits } => (*bits as u32, Order::Little),
            Kind::VarInt { sign, .. } => {
                if let Some(groups) = sign.write(value as i64 as i128).or(sign.write(value as i128)) {
                    self.replace_varint(at, groups);
                }
                return;
            }
            Kind::Extended(extended) => return self.replace_extended(at, extended, value),
            Kind::Numeral(numeral) => {
                let (text, before) = numeral.replaced(self.out.bytes(), at, value);
                return self.replace(at, before, |writer| writer.put_bytes(&text));
            }
            _ => return,
        };
        self.out.patch_number(at, value, count, order.within(self.order));
        self.scope.renew(at as u32, value, count);
    }

    /// Replaces the base-128 number at bit `at` by another, which may be longer.
    fn replace_varint(&mut self, at: usize, groups: u64) {
        let mut end = at;
        while bits::get(self.out.bytes(), end, 8) & 0x80 != 0 && end < self.out.len() {
            end += 8;
        }
        self.replace(at, end + 8 - at, |writer| writer.put_varint(groups));
    }

    /// Replaces a number by another, which may have another size.
    fn replace_extended(&mut self, at: usize, extended: &'static Extended, number: u64) {
        let head = if let Head::Field(name) = &extended.head { self.known(name) } else { None };
        let (before, _) = extended.at(&self.out, at, head);
        // The head was set for the number that is replaced.
        if let Head::Field(name) = &extended.head
            && let Some(entry) = self.scope.entry(name)
        {
            entry.counted = false;
        }
        // The number is in range: the caller has checked that.
        self.replace(at, before, |writer| _ = extended.write(number as i128, writer));
    }

    /// Replaces the `before` bits at bit `at`.
    fn replace(&mut self, at: usize, before: usize, write: impl FnOnce(&mut Self)) {
        let following = self.out.split_off(at + before);
        self.out.split_off(at);
        write(self);
        let (after, place) = (self.out.len() - at, at as u32 + 1);
        self.put_raw(following.bytes(), following.len());
        self.moved(place, after as i64 - before as i64);
    }

    /// Inserts bits before those that are already at bit `at`.
    pub(in crate::codec) fn insert(
        &mut self,
        at: usize,
        write: impl FnOnce(&mut Self) -> Result<(), WriteStop>,
    ) -> Result<(), WriteStop> {
        let following = self.out.split_off(at);
        let done = write(self);
        let inserted = self.out.len() - at;
        self.put_raw(following.bytes(), following.len());
        self.moved(at as u32, inserted as i64);
        done
    }

    /// Moves all positions from bit `from` on by `by` bits.
    fn moved(&mut self, from: u32, by: i64) {
        self.scope.shift(from, by);
        let shift = |at: &mut usize| {
            if *at >= from as usize {
                *at = (*at as i64 + by).max(0) as usize
            }
        };
        // It is after the character that it belongs to: what is inserted there is after that, too.
        if self.open_end > from as usize {
            shift(&mut self.open_end);
        }
        self.measures.iter_mut().for_each(|(at, ..)| shift(at));
        self.sums.iter_mut().for_each(|(at, ..)| shift(at));
    }

    /// Returns the value of an earlier field, or of the conversation.
    pub(in crate::codec) fn known(&self, name: &Name) -> Option<u64> {
        self.scope.get(name).or_else(|| self.context.as_ref()?.value(name.slot()?))
    }

    /// Evaluates a presence condition on the fields written so far; `None` if it depends on the bytes left.
    pub(in crate::codec) fn holds(&self, when: &When) -> Option<bool> {
        when.holds(&mut { self })
    }

    /// Handles a missing field that is present while a bit is clear. If the field that is present while the bit is set
    /// is given, sets the bit and returns true, unless the number that holds the bit was given.
    pub(super) fn given_instead(&mut self, when: &When) -> bool {
        let (When::Clear(name, bit), Some(Cursor::Object { fields, table, .. })) = (when, self.cursors.last()) else {
            return false;
        };
        let other = |f: &&Field| matches!(f.when, When::Bit(n, b) if n.text == name.text && b == *bit);
        let Some(other) = table.iter().find(|f| other(f) && fields.contains_key(f.name)) else { return false };
        if self.scope.entry(name).is_none_or(|entry| entry.given) {
            return false;
        }
        self.make_true(&other.when);
        true
    }

    /// Sets the bit or value that a given conditional field depends on, unless that was given.
    pub(super) fn make_true(&mut self, when: &When) {
        // A length or count that is already set does not depend on later fields.
        let counts = |this: &mut Self, name: &Name| this.scope.entry(name).is_some_and(|entry| entry.counted);
        if when.names().first().is_some_and(|name| counts(self, name)) {
            return;
        }
        match when {
            When::Bit(name, bit) => {
                let value = self.scope.get(name).unwrap_or(0) | 1 << bit;
                self.complete(name, value);
            }
            When::Eq(name, value) => self.complete(name, *value),
            When::Any([first, ..]) => self.make_true(first),
            When::All(all) => all.iter().for_each(|when| self.make_true(when)),
            When::Mask(name, mask) => {
                let value = self.scope.get(name).unwrap_or(0) | mask;
                self.complete(name, value);
            }
            When::Set(name) if self.scope.get(name).unwrap_or(0) == 0 => self.complete(name, 1),
            _ => {}
        }
    }
}

impl Look for &Writer<'_> {
    fn value(&mut self, name: &Name) -> Option<u64> {
        self.known(name)
    }

    fn left(&mut self, _bits: u32) -> Option<bool> {
        None
    }

    fn setting(&mut self, name: &str) -> u64 {
        self.context.as_ref().map_or(NoContext.setting(name), |context| context.setting(name))
    }
}
