//! The actions of a session at a field: change remembered values, join parts.

use crate::codec::kinds::Ratio;
use crate::codec::layout::{Field, Name, When};

/// The session's actions at a field.
#[derive(Debug, Default)]
pub struct Hook {
    /// The changes that the field, or its message, makes.
    pub sets: Vec<Set>,
    /// The joining of its bytes with other parts.
    pub join: Option<&'static Join>,
    /// For a hidden number: its bits on which later fields depend.
    pub presence: Option<Presence>,
}

/// The bits of a hidden number that later fields depend on.
#[derive(Debug, Default)]
pub struct Presence {
    /// The masks that single conditions check: encode sets those of the fields that are given.
    pub masks: Vec<u64>,
    /// The bits that other conditions check: encode does not set them.
    pub unset: u64,
    /// The bits that follow from the number's content or views.
    pub settled: u64,
}

impl Presence {
    /// Whether encode would derive another number from the fields that this one makes present.
    pub fn differs(&self, number: u64) -> bool {
        let set = self.masks.iter().filter(|mask| number & **mask != 0).fold(0, |all, mask| all | mask);
        (set ^ number | number & self.unset) & !self.settled != 0
    }
}

/// A change of a remembered value.
#[derive(Debug)]
pub struct Set {
    /// The index of the remembered value.
    pub memory: usize,
    /// The side whose value changes: client (0) or server (1); `None`: both.
    pub side: Option<usize>,
    /// The new value; `None`: the field's.
    pub value: Option<u64>,
}

/// The rules for joining parts.
#[derive(Debug)]
pub struct Join {
    /// Its number among all joins.
    pub number: usize,
    pub when: Option<When>,
    pub key: Vec<Name>,
    pub index: Option<Name>,
    pub offset: Option<Name>,
    pub count: Option<Name>,
    pub total: Option<Name>,
    /// The scales of the offset and of the total.
    pub scales: [Ratio; 2],
    pub remaining: Option<Name>,
    /// The count-down is a flag, and set in the last part.
    pub negated: bool,
    /// The joined bytes are a packet.
    pub is_packet: bool,
    /// The fields of the joined bytes; empty: bytes, or a packet.
    pub whole: std::sync::OnceLock<&'static [Field]>,
}
