//! The outcome of a probe, and advice.

use super::Carrier;
use crate::live::NetError;
use serde_json::{Map, Value as Json};

/// The outcome of a probe. The names are stable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// A server of the protocol answers.
    Ok,
    /// The name does not resolve.
    ResolveFailed,
    /// There is no route to the host.
    NoRoute,
    /// Nothing listens on the port.
    Refused,
    /// Nothing was received.
    Silent,
    /// The response is another protocol's.
    OtherProtocol,
    /// The server has another version of the protocol than the one asked for.
    OtherVersion,
    /// The server refuses this client.
    Rejected,
    /// The server is full.
    Full,
    /// The server leaves the decision to its application, which has not decided.
    Pending,
    /// The server closed the connection.
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

crate::named!(Outcome:
    Ok = "ok", ResolveFailed = "resolve_failed", NoRoute = "no_route", Refused = "refused", Silent = "silent",
    OtherProtocol = "other_protocol", OtherVersion = "other_version", Rejected = "rejected", Full = "full",
    Pending = "pending", Closed = "closed", Broken = "broken", TimedOut = "timed_out", Interrupted = "interrupted",
    Failed = "failed",
);

impl Outcome {
    /// The priority of an outcome: of several methods' outcomes the highest is reported, so that any answer comes
    /// first.
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

/// The reason why a probe did not succeed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {text}", outcome.name())]
pub struct Failure {
    /// The stable outcome.
    pub outcome: Outcome,
    /// The observation.
    pub text: String,
    /// The advice, in one line.
    pub advice: String,
    /// Details for programs: the server's reason, data, the other protocol.
    pub details: Box<Map<String, Json>>,
}

/// The key of the detail that the peer closed the connection.
const ENDED: &str = "ended";

impl Failure {
    /// Creates a failure with its text and advice.
    pub fn new(outcome: Outcome, text: impl Into<String>, advice: impl Into<String>) -> Failure {
        Failure { outcome, text: text.into(), advice: advice.into(), details: Box::default() }
    }

    /// Whether the peer closed the connection.
    pub fn is_ended(&self) -> bool {
        self.details.contains_key(ENDED)
    }

    /// Adds a detail for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<Json>) -> Failure {
        self.details.insert(key.into(), value.into());
        self
    }

    /// Creates the failure of a probe that the user stopped.
    pub fn interrupted() -> Failure {
        Failure::new(Outcome::Interrupted, "interrupted", "the session was closed properly")
    }

    /// Converts an error of the network.
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
                (Outcome::Closed, "the server may speak another protocol, or refuse without an answer: see its log")
            }
            NetError::Endless { .. } | NetError::Flood { .. } => (Outcome::Broken, "this is probably another protocol"),
            NetError::Stuck(_) => (Outcome::Broken, "the server reads nothing: it hangs, or its buffers are full"),
            NetError::Interrupted => return Failure::interrupted(),
            NetError::MaxTime(_) => {
                (Outcome::TimedOut, "give it more time with --max-time; the session was closed properly")
            }
            NetError::InUse => (Outcome::Failed, "this host has no free port left, or another program has it"),
            NetError::Gate(_) | NetError::Encode(_) => {
                (Outcome::Failed, "check the settings (-s); otherwise this is a bug in netkit: please report it")
            }
            NetError::Foreign(_) => (Outcome::OtherProtocol, "check the port"),
            NetError::Io(_) => (Outcome::Failed, "this is an error of the operating system"),
        };
        let failure = Failure::new(outcome, trouble.to_string(), advice);
        match trouble {
            NetError::NoAnswer => failure.with("connected", false),
            NetError::Closed { .. } => failure.with(ENDED, true),
            _ => failure,
        }
    }
}

/// A method that was tried, and its outcome.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The protocol.
    pub proto: &'static str,
    /// The method's name; empty if the protocol has only one for this carrier.
    pub course: &'static str,
    /// The carrier.
    pub carrier: Carrier,
    /// The outcome.
    pub outcome: Outcome,
    /// The outcome in words.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    /// The system's errors for addresses that it cannot reach. No test may send to one.
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
        // Any other outcome reveals more about a server than this.
        let others = [Outcome::Refused, Outcome::Silent, Outcome::Closed, Outcome::Broken, Outcome::Ok];
        assert!(others.iter().all(|other| other.weight() > Outcome::NoRoute.weight()));
    }
}
