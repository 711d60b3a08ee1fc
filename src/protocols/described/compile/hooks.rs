//! What a session does at a field: change what is remembered, put parts together.

use crate::codec::layout::{Field, Name, When};

/// What the session does at a field.
#[derive(Debug, Default)]
pub struct Hook {
    /// What the field, or the message, changes: the name, the side it is for, and the value (`None`:
    /// the field's own).
    pub sets: Vec<Set>,
    /// Its bytes are a part of something longer.
    pub join: Option<&'static Join>,
    /// A number that is hidden: the masks that fields ask of it, and those that also ask for more.
    pub presence: Option<(Vec<u64>, u64)>,
}

/// A change of what a conversation remembers.
#[derive(Debug)]
pub struct Set {
    /// The place among what is remembered.
    pub memory: usize,
    /// Only for messages of the client (0) or the server (1).
    pub side: Option<usize>,
    /// The new value; `None`: that of the field.
    pub value: Option<u64>,
}

/// How parts are put together.
#[derive(Debug)]
pub struct Join {
    /// Its number among all.
    pub number: usize,
    pub when: Option<When>,
    pub key: Vec<Name>,
    pub index: Option<Name>,
    pub offset: Option<Name>,
    pub count: Option<Name>,
    pub total: Option<Name>,
    pub remaining: Option<Name>,
    /// The count-down is a flag that says: it is the last.
    pub negated: bool,
    /// The whole is a packet.
    pub is_packet: bool,
    /// What the whole is; empty: bytes, or a packet.
    pub whole: std::sync::OnceLock<&'static [Field]>,
}
