//! The gate that all outgoing bytes pass.
//!
//! An empty UDP datagram makes some servers stop reading, a truncated command makes others read past its end, an
//! unfinished frame leaves a connection that is never cleaned up. So the protocol's own session reads all outgoing
//! bytes, as the peer will. Bytes that are not whole messages, to the last byte, are not sent.

use crate::codec::layout::UNKNOWN;
use crate::dissect::{Role, Senders};
use crate::message::OwnedMessage;

/// The reason why bytes are not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There are no bytes at all.
    #[error("the packet is empty")]
    Empty,
    /// The bytes hold no message.
    #[error("the packet contains no message")]
    Nothing,
    /// A message in the bytes is broken.
    #[error("{0}")]
    Broken(String),
    /// A message in the bytes belongs to the other side.
    #[error("a {1} does not send {0}")]
    Misdirected(&'static str, &'static str),
    /// Bytes are left over: an unfinished frame, or bytes that belong to no message.
    #[error("bytes outside a complete message: {0}")]
    Unfinished(usize),
}

/// A session's reading of bytes that are about to be sent.
#[derive(Debug)]
pub struct Outgoing<'a> {
    /// Our role.
    pub role: Role,
    /// The number of bytes.
    pub length: usize,
    /// The messages.
    pub messages: &'a [OwnedMessage],
    /// The messages that only one of the sides sends.
    pub senders: Senders,
    /// The bytes of a stream that wait for more.
    pub unread: usize,
}

/// Checks whether these bytes may be sent.
///
/// # Errors
/// Returns the reason why not.
pub fn admit(reading: &Outgoing<'_>) -> Result<(), Refusal> {
    let Outgoing { role, length, messages, senders, unread } = *reading;
    if length == 0 {
        return Err(Refusal::Empty);
    }
    for message in messages {
        if let Some(fault) = &message.fault {
            return Err(Refusal::Broken(fault.clone()));
        }
        // A session may name the sender by the direction alone.
        let others = |(by, names): &(Role, &[&str])| *by == role.other() && names.contains(&message.message);
        if message.from == role.other() || message.message == UNKNOWN || senders.iter().any(others) {
            return Err(Refusal::Misdirected(message.message, role.name()));
        }
    }
    match (unread, messages.is_empty()) {
        (0, false) => Ok(()),
        (0, true) => Err(Refusal::Nothing),
        (unread, _) => Err(Refusal::Unfinished(unread)),
    }
}
