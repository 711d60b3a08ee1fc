//! Asking a Riptide server: connect, welcome, heartbeats, disconnect.
//!
//! Over UDP both wire forms are asked at once, each from a socket of its own: a 2.0 server ignores
//! the connect of 2.1 from an unknown endpoint, and the other way round. Over TCP 2.0 comes first:
//! a 2.1 server waits for the fourth byte of its length, but a 2.0 server would take the length of
//! 2.1 for a message to the application.
//!
//! 2.1 and later answer heartbeats only after the client's welcome, so the handshake is completed;
//! the server's application sees a client come and go. Every connect is followed by a disconnect,
//! also when nothing came back: the answer may have been lost, and the place be taken.

mod answer;
mod race;
mod talk;

use crate::live::NetError;
use crate::live::OwnedMessage;
use crate::live::net::Link;
use crate::live::probe::{Ask, Carrier, Failure, Findings, Method, Probe, Unexpected};
use race::race;
use serde_json::json;
use std::time::{Duration, Instant};
use talk::Received;

/// How Riptide's servers are asked.
pub struct Probing;

static METHODS: [Method; 3] = [
    Method {
        name: "",
        carrier: Carrier::Udp,
        rank: 20,
        why: "one byte, which servers of the others ignore from an unknown address",
    },
    Method { name: "2.0", carrier: Carrier::Tcp, rank: 110, why: "three bytes, for which all others wait for more" },
    Method {
        name: "2.2",
        carrier: Carrier::Tcp,
        rank: 120,
        why: "all other bytes over TCP stop a Riptide server: it must have been asked before",
    },
];

impl Probe for Probing {
    fn port(&self) -> Option<u16> {
        Some(7777)
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(5)
    }

    fn methods(&self) -> &'static [Method] {
        &METHODS
    }

    fn answers(&self) -> &'static [&'static str] {
        &["welcome", "reject"]
    }

    fn run(&self, course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let mut links = Vec::new();
        for version in ["2.2", "2.0"] {
            if course.name.is_empty() || course.name == version {
                links.push(Client::open(course.carrier, version, ask)?);
            }
        }
        let result = race(&mut links, ask, findings).and_then(|winner| {
            // The other socket's connect is ignored by this server: nobody is there to be left.
            let mut client = links.swap_remove(winner);
            links.clear();
            let result = client.talk(ask, findings);
            client.leave();
            result
        });
        links.iter_mut().for_each(Client::leave);
        result
    }
}

/// One socket, and what was heard on it.
struct Client<'a> {
    link: Link<'a>,
    carrier: Carrier,
    version: &'static str,
    aside: Unexpected,
    /// The server has our connect, as far as we know: it has to be left.
    open: bool,
    pending: bool,
    began: Instant,
    received: Received,
    id: u64,
    seen_ack: bool,
}

impl<'a> Client<'a> {
    fn open(carrier: Carrier, version: &'static str, ask: &Ask<'a>) -> Result<Client<'a>, Failure> {
        let mut options = ask.options.clone();
        // 2.1 and 2.2 are told apart by an ack: the session does that where nothing is set.
        let _ = options.set(if version == "2.0" { "riptide.version=2.0" } else { "riptide.version=auto" });
        Ok(Client {
            link: ask.open_with(carrier, Some(version), &options)?,
            carrier,
            version,
            aside: Unexpected::default(),
            open: false,
            pending: false,
            began: Instant::now(),
            received: Received::default(),
            id: 0,
            seen_ack: false,
        })
    }

    fn datagrams(&self) -> bool {
        self.carrier == Carrier::Udp
    }

    fn trouble(&self, trouble: NetError) -> Failure {
        Failure::from_net_error(trouble, self.carrier)
    }

    fn send(&mut self, message: &'static str, fields: serde_json::Value) -> Result<Instant, Failure> {
        self.link.send(message, &fields).map_err(|trouble| self.trouble(trouble))
    }

    /// Acknowledges a reliable message, so that the server does not send it again.
    fn reliable(&mut self, heard: &OwnedMessage) -> Result<(), Failure> {
        let Some(sequence) = heard.number("sequence_id").filter(|_| heard.message != "notify") else { return Ok(()) };
        self.received.take(sequence as u16);
        let fields = json!({"last_received_seq_id": self.received.last, "acks_bitfield": self.received.bits});
        self.send("ack", fields).map(|_| ())
    }

    /// Gives the place back.
    fn leave(&mut self) {
        self.link.leave();
        if std::mem::take(&mut self.open) {
            // Nothing can be done where it does not go out.
            let _ = self.link.send("disconnect", &json!({}));
        }
        self.link.finish();
    }
}
