//! What is counted while a relay runs.

/// Of one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WayCounts {
    /// Datagrams, or pieces of streams, that came.
    pub came: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Datagrams and pieces that were passed on, copies among them.
    pub passed: u64,
    /// Lost by chance.
    pub lost: u64,
    /// Rows of packets that were lost by chance.
    pub runs: u64,
    /// Lost in outages.
    pub outage: u64,
    /// Lost because a queue was full.
    pub full: u64,
    /// Left out by a rule.
    pub dropped: u64,
    /// Changed by a rule.
    pub edited: u64,
    /// Sent twice.
    pub copies: u64,
    /// Sent after one that came later.
    pub behind: u64,
    /// With a bit flipped.
    pub corrupted: u64,
    /// Not sent: the system's buffer was full, or it refused.
    pub unsent: u64,
}

impl Counts {
    /// Returns how many datagrams and pieces of streams arrived in both directions: the number of the last.
    pub fn arrivals(&self) -> u64 {
        self.ways.iter().map(|way| way.came).sum()
    }
}

/// Of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Up and down.
    pub ways: [WayCounts; 2],
    /// Conversations.
    pub clients: u64,
    /// Clients that were turned away: there were too many.
    pub turned_away: u64,
    /// The server's port was closed.
    pub refused: u64,
    /// Connections that were reset by a side, or because the server was not reached.
    pub reset: u64,
}
