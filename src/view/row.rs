//! The part of each message that the list needs.

use crate::dissect::Role;

/// The worst finding in a message: 0 for none, then note, warning, error, fault.
pub type Severity = u8;
/// A message with a warning.
pub const WARNING: Severity = 2;
/// A message with a fault.
pub const FAULT: Severity = 4;

/// The part of each message that is known without opening its block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// The frame that completed it.
    pub frame: u64,
    /// When, in nanoseconds since 1970.
    pub nanos: i64,
    /// The conversation.
    pub flow: u32,
    /// The beginning of its record in its block.
    pub start: u32,
    /// Its place among the messages of its frame.
    pub index: u32,
    /// The number of its bytes.
    pub length: u16,
    /// The sender's role.
    pub from: u8,
    /// The worst of its notes, or its fault.
    pub severity: Severity,
}

const ROLES: [Role; 3] = [Role::Client, Role::Server, Role::Unknown];

/// The role of a row's number.
pub fn role(number: u8) -> Role {
    ROLES.get(usize::from(number)).copied().unwrap_or_default()
}
