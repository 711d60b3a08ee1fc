//! The gate that all bytes pass on their way out.
//!
//! An empty UDP datagram makes some servers deaf for good, a truncated command makes others read
//! past its end, an unfinished frame leaves a connection that is never cleaned up. So nothing is
//! sent that the protocol's own session, reading it as the peer will, does not read as whole
//! messages, to the last byte.

use crate::codec::layout::UNKNOWN;
use crate::dissect::{Role, Senders};
use crate::message::OwnedMessage;

/// Why something is not sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// No bytes at all.
    #[error("it is empty")]
    Empty,
    /// No message was read in it.
    #[error("it holds no message")]
    Nothing,
    /// A message in it broke.
    #[error("{0}")]
    Broken(String),
    /// It is no message of the side that we are.
    #[error("{0} is nothing that a {1} sends")]
    Misdirected(&'static str, &'static str),
    /// Bytes are left over: an unfinished frame, or what no message explains.
    #[error("{0} bytes of it are no whole message")]
    Unfinished(usize),
}

/// What a session read in bytes that are about to be sent.
#[derive(Debug)]
pub struct Reading<'a> {
    /// Who we are.
    pub role: Role,
    /// How many bytes there are.
    pub length: usize,
    /// The messages.
    pub messages: &'a [OwnedMessage],
    /// The messages that only one of the sides sends.
    pub senders: Senders,
    /// Bytes of a stream that wait for more to come.
    pub unread: usize,
}

/// May these bytes be sent?
///
/// # Errors
/// Why not.
pub fn admit(reading: &Reading<'_>) -> Result<(), Refusal> {
    let Reading { role, length, messages, senders, unread } = *reading;
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
