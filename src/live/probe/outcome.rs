//! How a probe ended, and what to do about it.

use super::Carrier;
use crate::live::NetError;
use serde_json::{Map, Value as Json};
use std::fmt;

/// How it ended: the names are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// A server of the protocol answers.
    Ok,
    /// The name does not resolve.
    ResolveFailed,
    /// No way to the host.
    NoRoute,
    /// Nothing listens on the port.
    Refused,
    /// Nothing came back.
    Silent,
    /// What came back is another protocol's.
    OtherProtocol,
    /// A server of the protocol, of another version than the one asked for.
    OtherVersion,
    /// The server refuses this client.
    Rejected,
    /// The server has no place left.
    Full,
    /// The server leaves it to its application, which has not decided.
    Pending,
    /// The server ended the connection.
    Closed,
    /// The answer is the protocol's, but broken.
    Broken,
    /// The overall deadline has passed.
    TimedOut,
    /// The user wanted to stop.
    Interrupted,
    /// This side failed: no socket, no file.
    #[default]
    Failed,
}

impl Outcome {
    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::ResolveFailed => "resolve_failed",
            Outcome::NoRoute => "no_route",
            Outcome::Refused => "refused",
            Outcome::Silent => "silent",
            Outcome::OtherProtocol => "other_protocol",
            Outcome::OtherVersion => "other_version",
            Outcome::Rejected => "rejected",
            Outcome::Full => "full",
            Outcome::Pending => "pending",
            Outcome::Closed => "closed",
            Outcome::Broken => "broken",
            Outcome::TimedOut => "timed_out",
            Outcome::Interrupted => "interrupted",
            Outcome::Failed => "failed",
        }
    }

    /// Of several methods' outcomes the highest is told: who answered anything comes first.
    pub const fn weight(self) -> u8 {
        match self {
            Outcome::NoRoute | Outcome::ResolveFailed => 0,
            Outcome::Refused => 1,
            Outcome::Silent => 2,
            Outcome::Closed => 3,
            Outcome::OtherProtocol => 4,
            Outcome::Broken => 5,
            Outcome::Failed => 6,
            _ => 7,
        }
    }
}

/// Why a probe went no further.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The stable outcome.
    pub outcome: Outcome,
    /// What was seen.
    pub text: String,
    /// What to do, in one line.
    pub advice: String,
    /// More for programs: the server's reason, data, the other protocol.
    pub details: Box<Map<String, Json>>,
}

impl Failure {
    /// A failure with its text and advice.
    pub fn new(outcome: Outcome, text: impl Into<String>, advice: impl Into<String>) -> Failure {
        Failure { outcome, text: text.into(), advice: advice.into(), details: Box::default() }
    }

    /// Adds a detail for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Json>) -> Failure {
        self.details.insert(key.into(), value.into());
        self
    }

    /// The user wanted to stop.
    pub fn interrupted() -> Failure {
        Failure::new(Outcome::Interrupted, "interrupted", "the server was left properly")
    }

    /// What a socket's trouble means.
    pub fn from_net_error(trouble: NetError, carrier: Carrier) -> Failure {
        let (outcome, advice) = match &trouble {
            NetError::Refused => {
                let text = match carrier {
                    Carrier::Udp => "the host answers with ICMP port unreachable: nothing listens on that UDP port",
                    _ => "nothing listens on that TCP port",
                };
                let advice = "check the port, and that the server runs and is bound to this address";
                return Failure::new(Outcome::Refused, text, advice);
            }
            NetError::NoRoute(_) => (Outcome::NoRoute, "check the address, and this host's network and routes"),
            NetError::NoAnswer => {
                (Outcome::Silent, "a firewall drops it, or the host is down: check the address and the port's filter")
            }
            NetError::Closed { .. } => {
                (Outcome::Closed, "the server may be of another protocol, or refuses without a word: see its log")
            }
            NetError::Endless { .. } | NetError::Flood { .. } => {
                (Outcome::Broken, "this is hardly a server of this protocol")
            }
            NetError::Stuck(_) => (Outcome::Broken, "the server reads nothing: it hangs, or its buffers are full"),
            NetError::Interrupted => return Failure::interrupted(),
            NetError::MaxTime(_) => {
                (Outcome::TimedOut, "give it more time with --max-time; the server was left properly")
            }
            NetError::InUse => (Outcome::Failed, "this host has no free port left, or another program has it"),
            NetError::Gate(_) | NetError::Encode(_) => (Outcome::Failed, "this is a fault of netkit, or of -s"),
            NetError::Record(_) => (Outcome::Failed, "check the --pcap file and its file system"),
            NetError::Foreign(_) => (Outcome::OtherProtocol, "check the port"),
            NetError::Io(_) => (Outcome::Failed, "the system's own error: see its text"),
        };
        let failure = Failure::new(outcome, trouble.to_string(), advice);
        match trouble {
            NetError::NoAnswer => failure.with("connected", false),
            NetError::Closed { .. } => failure.with("ended", true),
            _ => failure,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.outcome.name(), self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    /// What the system says of addresses that it cannot reach; no test may send to one.
    #[test]
    fn no_way_to_the_host() {
        for kind in [ErrorKind::NetworkUnreachable, ErrorKind::HostUnreachable, ErrorKind::AddrNotAvailable] {
            for carrier in [Carrier::Udp, Carrier::Tcp, Carrier::Ws] {
                for trouble in [NetError::of(Error::from(kind)), NetError::of_datagram(Error::from(kind))] {
                    let failure = Failure::from_net_error(trouble, carrier);
                    assert_eq!(failure.outcome, Outcome::NoRoute, "{failure}");
                    assert_eq!(failure.outcome.name(), "no_route");
                    assert!(failure.text.starts_with("no route: ") && failure.advice.contains("routes"), "{failure}");
                }
            }
        }
        // Any other answer tells more about a server than this.
        let others = [Outcome::Refused, Outcome::Silent, Outcome::Closed, Outcome::Broken, Outcome::Ok];
        assert!(others.iter().all(|other| other.weight() > Outcome::NoRoute.weight()));
    }
}
