//! (being written)

/// One of the two ends of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Sent the first packet seen.
    A,
    /// The other.
    B,
}
impl Side {
    /// The other one.
    pub const fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
    /// 0 or 1.
    pub const fn index(self) -> usize {
        self as usize
    }
}
/// What carries a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Datagrams.
    Udp,
    /// Streams.
    Tcp,
}
/// One direction's ordered bytes.
#[derive(Debug, Default)]
pub struct Stream {}
