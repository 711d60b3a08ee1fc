//! Represents names as numbers, so that fields are found without comparing texts.

use super::Field;
use std::fmt::{Display, Formatter};

/// A name's hash. Different names nearly always have different hashes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(u32);

impl Key {
    /// Returns the key of a name (FNV-1a, 32 bits).
    pub const fn new(name: &str) -> Key {
        let bytes = name.as_bytes();
        Key::of(bytes, 0, bytes.len())
    }

    const fn of(bytes: &[u8], mut at: usize, end: usize) -> Key {
        let mut hash = 0x811c_9dc5_u32;
        while at < end {
            hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
            at += 1;
        }
        Key(hash)
    }

    /// Returns the key of a group in another one.
    pub const fn within(self, outer: Key) -> Key {
        Key((outer.0.rotate_left(5) ^ self.0).wrapping_mul(0x0100_0193))
    }
}

/// A table's reference to an earlier field of the message, or to a value of the conversation.
///
/// ```
/// use netkit::codec::layout::*;
/// let name = Name::new("head.kind");
/// assert_eq!(name.text, "head.kind");
/// assert_eq!(name.last(), "kind");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Name {
    /// As it is written: `kind`, or `head.kind` for a field of an earlier group, `head.flags.kind` of a group in it.
    pub text: &'static str,
    /// The field; `None` for a value of the conversation alone.
    field: Option<Key>,
    /// The groups that contained the field.
    group: Option<Key>,
    /// The slot in the [`Context`](crate::codec::Context) whose value counts if no field has one.
    slot: Option<u16>,
}

impl Name {
    /// Creates a reference to an earlier field.
    pub const fn new(text: &'static str) -> Name {
        let bytes = text.as_bytes();
        // From the last name on: the field, its group, the groups around it.
        let (mut end, mut at) = (bytes.len(), bytes.len());
        let (mut field, mut group): (Option<Key>, Option<Key>) = (None, None);
        loop {
            if at == 0 || bytes[at - 1] == b'.' {
                let key = Key::of(bytes, at, end);
                (field, group) = match (field, group) {
                    (None, _) => (Some(key), None),
                    (field, None) => (field, Some(key)),
                    (field, Some(inner)) => (field, Some(inner.within(key))),
                };
                if at == 0 {
                    break;
                }
                (end, at) = (at - 1, at - 1);
            } else {
                at -= 1;
            }
        }
        Name { text, field, group, slot: None }
    }

    /// Sets the slot of the conversation whose value counts if no field has one.
    pub const fn or_slot(self, slot: Option<u16>) -> Name {
        Name { slot, ..self }
    }

    /// Creates a reference to a value of the conversation alone.
    pub const fn of_slot(text: &'static str, slot: u16) -> Name {
        Name { field: None, slot: Some(slot), ..Name::new(text) }
    }

    /// The slot of the conversation's value.
    pub fn slot(&self) -> Option<u16> {
        self.slot
    }

    /// The name without its groups.
    pub fn last(&self) -> &'static str {
        self.text.rsplit_once('.').map_or(self.text, |(_, last)| last)
    }

    /// Whether a field has this name.
    #[inline]
    pub(crate) fn is_of(&self, field: &Field) -> bool {
        self.field == Some(field.key)
    }

    /// Whether the name has exactly these groups, or none.
    #[inline]
    pub(crate) fn is_in(&self, group: Option<Key>) -> bool {
        self.group == group
    }

    /// Whether the name has a group.
    pub(crate) fn has_group(&self) -> bool {
        self.group.is_some()
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text)
    }
}

/// A text that others are compared with. Like a number, it is compared by its position among all such texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text, without the byte that ends it.
    pub text: &'static str,
    /// Its place in [`Show::Asked`](super::Show::Asked), from 1.
    pub(crate) id: u64,
}
