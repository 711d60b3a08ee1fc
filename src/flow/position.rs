//! The position up to which the streams of a conversation were read.

use super::key::Key;
use super::{Conversation, Side, Table, Transport};
use std::net::SocketAddr;

/// The position up to which a stream of a conversation was read.
#[derive(Debug)]
pub struct Position<'t, S> {
    /// The conversation.
    pub conversation: &'t Conversation<S>,
    /// The side with the address `src`.
    pub side: Side,
    /// The offset of that side's first byte that was not consumed yet.
    pub offset: u64,
}

impl<S: Default> Table<S> {
    /// The position up to which the stream from `src` to `dst` was read; `None` if there is no such conversation.
    pub fn position(&mut self, src: SocketAddr, dst: SocketAddr) -> Option<Position<'_, S>> {
        let key = Key { transport: Transport::Tcp, src: &src, dst: &dst };
        let entry = self.entry(&key)?;
        let side = key.sender(&entry.conversation)?;
        let offset = entry.offset(side);
        Some(Position { conversation: &entry.conversation, side, offset })
    }
}
