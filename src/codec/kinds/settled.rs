//! Follows what encoding would write for a hidden number. If the number differs, it is shown.
//!
//! Encoding derives a hidden number from the fields that are present: the content that it counts, the fields whose
//! presence its bits mark, a message that requires a value. Fields with a condition, and those in other groups, may be
//! absent: only reading finds out. Such fields are preceded by a note, and the last field of the number's group
//! compares.

use crate::codec::Reader;
use crate::codec::layout::{Name, When};

/// A note on a hidden number, or the comparison at the end. It takes no bytes.
#[derive(Debug)]
pub struct Settled {
    /// The hidden number.
    pub name: Name,
    /// The condition of the field from which encoding derives the number.
    pub when: When,
    /// The contribution of that field.
    pub by: Settles,
}

/// The contribution of a field to a hidden number.
#[derive(Clone, Copy, Debug)]
pub enum Settles {
    /// The whole number: it is a length or count of the field.
    Length,
    /// These bits are set.
    Mask(u64),
    /// These bits are shown.
    View(u64),
    /// This value.
    Value(u64),
    /// None: nothing more follows. Fields that are always present with the number show these bits.
    End(u64),
}

impl Settled {
    pub(in crate::codec) fn read(&self, reader: &mut Reader<'_>) {
        if !reader.holds(&self.when) {
            return;
        }
        let scope = &mut reader.tree().scope;
        let Some(entry) = scope.entry(&self.name).copied() else { return };
        let (field, bit, value) = (entry.field, entry.bit, entry.value);
        let known = scope.settled(field, bit).unwrap_or(field.default.unwrap_or(0) as u64);
        if let Settles::End(shown) = self.by {
            let written = known & !shown | value & shown;
            if written != value {
                reader.tree().reveal_field(field, bit..=bit + entry.within.map_or(0, |within| within.width));
            }
            return;
        }
        let after = match self.by {
            Settles::Length => value,
            Settles::Mask(mask) => known | mask,
            Settles::View(mask) => known & !mask | value & mask,
            Settles::Value(value) => value,
            Settles::End(_) => known,
        };
        scope.settle(field, bit, after);
    }
}
