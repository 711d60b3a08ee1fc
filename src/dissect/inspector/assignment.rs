//! The assignment of a conversation to a worker's shard.

/// The shard that reads a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    pub(super) shard: u32,
    /// The conversation's slot in the table.
    pub(super) slot: u32,
    /// The generation of the claim, see [`Owner::generation`](super::Owner).
    pub(super) generation: Option<u64>,
}
