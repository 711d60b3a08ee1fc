//! The assignment of a conversation to a worker's shard.

/// The shard that reads a conversation.
#[derive(Clone, Copy, Debug)]
pub struct Assignment {
    pub(super) shard: u32,
    /// The conversation's slot in the table.
    pub(super) slot: u32,
    /// Whether it was claimed by name, see [`Owner::named`](super::classification::Owner).
    pub(super) named: bool,
    /// The generation of the claim.
    pub(super) generation: u64,
}
