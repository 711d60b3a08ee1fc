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
    /// For a hidden number: the masks that single conditions check, the bits that compound conditions check, and those
    /// that its content or views give back.
    pub presence: Option<(Vec<u64>, u64, u64)>,
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
