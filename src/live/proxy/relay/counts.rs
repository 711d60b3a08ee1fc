//! The counts of a running relay.

/// The counts of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectionCounts {
    /// Datagrams, or chunks of streams, that arrived.
    pub arrived: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Datagrams and chunks that were sent, including copies.
    pub passed: u64,
    /// Lost by chance.
    pub lost: u64,
    /// Bursts of packets that were lost by chance.
    pub runs: u64,
    /// Lost in outages.
    pub outage: u64,
    /// Lost because a queue was full.
    pub full: u64,
    /// Datagrams of which rules dropped everything.
    pub dropped: u64,
    /// Datagrams in which rules changed a field.
    pub edited: u64,
    /// Additional copies of datagrams, by a rule or by chance.
    pub copies: u64,
    /// Sent after a later packet.
    pub reordered: u64,
    /// With a bit flipped.
    pub corrupted: u64,
    /// Not sent, because the system's buffer was full or the system refused.
    pub unsent: u64,
}

impl Counts {
    /// Returns the number of datagrams and chunks that arrived in both directions, which is also the number of the
    /// last.
    pub fn arrivals(&self) -> u64 {
        self.directions.iter().map(|direction| direction.arrived).sum()
    }
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Up and down.
    pub directions: [DirectionCounts; 2],
    /// Conversations.
    pub clients: u64,
    /// Clients that were turned away because there were too many, or no socket for them.
    pub turned_away: u64,
    /// Datagrams and connections that the server refused, usually because its port was closed.
    pub refused: u64,
    /// Connections that were reset by a side, or because the server was unreachable.
    pub reset: u64,
}
