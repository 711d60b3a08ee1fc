//! Which lane reads a conversation.

/// The lane that reads a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    pub(super) lane: u32,
    /// Its slot in the table.
    pub(super) slot: u32,
    /// As [`Owner::generation`](super::Owner).
    pub(super) generation: Option<u64>,
}
