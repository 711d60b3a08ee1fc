//! The reasons why the network, or this program itself, ends a conversation.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

/// An error of a socket or a conversation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// A TCP RST in response to the SYN, or ICMP port unreachable.
    #[error("the host refuses: nothing listens on that port")]
    Refused,
    /// The port belongs to another program, or did until a moment ago.
    #[error("that port is in use by another program: choose another, or port 0 for any")]
    InUse,
    /// There is no route to the host or its network, or ICMP reports it as unreachable.
    #[error("no route: {0}")]
    NoRoute(io::Error),
    /// TCP: the SYN was not answered.
    #[error("no answer to the connection attempt")]
    NoAnswer,
    /// The peer closed the stream.
    #[error("the peer ended the connection{}", if *.reset { " (reset)" } else { "" })]
    Closed {
        /// With a RST instead of a FIN.
        reset: bool,
    },
    /// The peer sends a message that is longer than any may be.
    #[error("{peer} sends an unfinished message of more than {most} bytes (--limit live_unread)")]
    Endless {
        /// The peer.
        peer: SocketAddr,
        /// The limit.
        most: usize,
    },
    /// The peer sends more at once, or requires more to be remembered, than any server does.
    #[error("the messages of {peer} take more than {most} bytes of memory (--limit live_kept)")]
    Flood {
        /// The peer.
        peer: SocketAddr,
        /// The limit.
        most: usize,
    },
    /// The peer uses another protocol.
    #[error("{0}")]
    Foreign(String),
    /// The peer does not read the data that is sent to it.
    #[error("the peer has not read any data for {:.1} s", .0.as_secs_f64())]
    Stuck(Duration),
    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,
    /// The overall deadline has passed.
    #[error("ended after {:.3} s (--max-time)", .0.as_secs_f64())]
    MaxTime(Duration),
    /// The [gate](super::exchange::gate) refused the data.
    #[error("not sent: {0}")]
    Gate(#[from] super::exchange::gate::Refusal),
    /// A message could not be written.
    #[error("not sent: {0}")]
    Encode(String),
    /// Anything else.
    #[error("{0}")]
    Io(io::Error),
}

impl NetError {
    /// Converts a socket's error.
    pub fn of(error: io::Error) -> NetError {
        match error.kind() {
            ErrorKind::ConnectionRefused => NetError::Refused,
            ErrorKind::AddrInUse => NetError::InUse,
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::AddrNotAvailable => {
                NetError::NoRoute(error)
            }
            ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::BrokenPipe => {
                NetError::Closed { reset: true }
            }
            _ => NetError::Io(error),
        }
    }

    /// Whether this side lacks something that a new socket needs: descriptors, ports, memory.
    #[cfg(feature = "cli")]
    pub(crate) fn is_own(&self) -> bool {
        match self {
            NetError::InUse | NetError::Io(_) => true,
            NetError::NoRoute(error) => error.kind() == ErrorKind::AddrNotAvailable,
            _ => false,
        }
    }

    /// As [`NetError::of`], for a datagram socket. Some systems report an ICMP response to it as a reset.
    pub fn of_datagram(error: io::Error) -> NetError {
        match NetError::of(error) {
            NetError::Closed { .. } => NetError::Refused,
            other => other,
        }
    }
}

/// Whether the error only means that a wait is over.
pub fn waited(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
