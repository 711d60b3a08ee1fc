//! Probes a DNP server. The request offers only a protocol that does not exist, so it makes no connection and reaches
//! no application. The full handshake, which makes a player, is made only if the user asks for it.
//!
//! Only requests, closes, acknowledgements and parts of long messages without an end are sent: none of them reaches the
//! application. A connection is always closed, with three closes: servers have no timeout, and a close is not
//! acknowledged.

use super::super::layout::Message::{self, *};
use super::super::layout::{NUMBER, PROTOCOL, RESULT};
use super::{DnpClient, TRIES};
use crate::codec::reader::UNPARSED;
use crate::live::probe::{
    Carrier, Engine, Failure, Meaning, Method, Outcome, Probe, Question, Questions, Read, Refusal, Series, Servers,
};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::time::Duration;

static SERVERS: Servers = Servers {
    port: Some(super::super::session::PORT),
    timeout: Duration::from_secs(1),
    answers: &[ConnectionAcknowledge.name()],
    methods: &[Method {
        name: "",
        carrier: Carrier::Udp,
        rank: 10,
        why: "makes no connection; for the others it is not a message that an unknown address may send",
    }],
};

/// No program supports this protocol: every server answers that there is no common protocol.
const NOBODYS: u16 = 0xffff;
/// The answer of every server to that protocol.
const NO_COMMON: &str = "no_common_protocol";
/// The shortest interval between requests.
const SPACING: Duration = Duration::from_millis(100);
/// The most requests to a server that has not answered yet.
const TRIES_TO_FIND: u32 = 3;
/// The most link states that are reported.
const LINKS: usize = 64;

/// Refusals of a request that no server can accept.
static STRANGERS: &[Refusal] = &[Refusal::new(ConnectionAcknowledge.name(), "", Outcome::Rejected).saying(
    "a DNP server that accepts no clients: {}",
    "the program answers, but its DNP server is not in listening mode: start that, or look for the server's real port",
)];

/// Refusals of a request for a connection, and closes inside one.
static REFUSALS: &[Refusal] = &[
    Refusal::new(ConnectionAcknowledge.name(), NO_COMMON, Outcome::OtherVersion)
        .saying("the server speaks DNP, but not version 1", "the server is newer or older than this program"),
    Refusal::new(ConnectionAcknowledge.name(), "", Outcome::Rejected).saying(
        "the server refuses the connection: {}",
        "the server takes no more clients, or is not in listening mode: see its log",
    ),
    Refusal::new(ConnectionClose.name(), "", Outcome::Closed)
        .saying("the server closes the connection", "the server's application has ended it: see its log"),
];

impl Probe for DnpClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn questions(&self, _method: &Method) -> Box<dyn Questions + '_> {
        Box::new(Dnp::default())
    }
}

#[derive(Default)]
struct Dnp {
    /// A connection was requested.
    inside: bool,
    volunteered: BTreeMap<&'static str, u64>,
    links: Vec<Json>,
    acknowledged: bool,
    /// The number of the next part of a long message. One without an acknowledgement is sent again: the server takes only
    /// ten numbers from the first one that it lacks.
    next: u16,
    /// The number in the last question.
    asked: u16,
    /// `next` was sent before: an acknowledgement may be that of the earlier one.
    again: bool,
}

/// The result of a complete acknowledgement.
fn result_of(received: &OwnedMessage) -> Option<String> {
    let whole = received.message == ConnectionAcknowledge && !received.has(&UNPARSED);
    let result = received.field(&RESULT).filter(|_| whole)?;
    Some(result.as_str().map_or(result.to_string(), String::from))
}

impl Questions for Dnp {
    /// Sends requests that no server can accept, to identify the server and measure round trips. If the user asks for
    /// it, the full handshake and round trips inside the connection follow.
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let ask = engine.ask;
        engine.open(Carrier::Udp, None)?;
        let pause = ask.request.interval.max(SPACING);
        let series = Series { wait: ask.timeout, pause, ..Series::of(ask, "identify") };
        engine.series(self, &Series { count: ask.request.samples.max(1), patience: TRIES_TO_FIND, ..series })?;
        if engine.findings.found.is_none() {
            let advice = "nothing there, a firewall, or another protocol: check the port (3413 as a rule)";
            return Err(engine.silent("connection_request (00 01 00 ff ff)", advice));
        }
        engine.findings.note("round trips include the server's tick where it reads its socket in its frames (C++ and the engine: 16.7 ms at 60 Hz)");
        if !ask.request.connect {
            return Ok(());
        }
        self.inside = true;
        engine.open(Carrier::Udp, None)?;
        // Late answers to the identification arrive at the other socket. That made no connection to be closed.
        engine.keep();
        let until = engine.session()?.begin()? + ask.timeout * TRIES;
        let Some(accepted) = engine.wait(self, None, until)? else {
            let text = "the server answers to identification, but not to a request for a connection";
            return Err(Failure::new(Outcome::Silent, text, "the acknowledgement may be lost: try again"));
        };
        engine.findings.fact("connected", true);
        engine.findings.fields(&accepted, &[&PROTOCOL]);
        self.acknowledged = false;
        let trips = engine.series(self, &Series { method: LongMessage.name(), ..series }.at_most(1))?;
        let understood = trips.answered > 0 && self.acknowledged;
        engine.findings.fact("long_messages", understood);
        if !understood && ask.request.samples > 0 {
            engine.findings.note("long messages are not acknowledged: the peer is older than library 1.2 or engine 1.24, or the packet was lost");
        }
        engine.findings.fact("volunteered", json!(self.volunteered));
        engine.findings.fact("link_states", Json::Array(std::mem::take(&mut self.links)));
        Ok(())
    }

    fn question(&mut self, _number: u32) -> Question {
        self.asked = self.next;
        match self.inside {
            false => Question::new(ConnectionRequest.name(), json!({"protocols": [NOBODYS]})),
            true => Question::new(LongMessage.name(), json!({"number": self.next, "flags": [], "data": ""})),
        }
    }

    fn sampled(&mut self, took: Option<Duration>) {
        match took {
            Some(_) if self.inside => self.next += 1,
            None if self.inside => self.again = self.next == self.asked,
            _ => {}
        }
    }

    fn read(&mut self, received: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read {
        let result = result_of(received);
        let reason = result.as_deref().unwrap_or_default();
        Ok(match (Message::named(received.message), self.inside) {
            (Some(ConnectionAcknowledge), _) if result.is_none() => Meaning::Stray,
            (Some(ConnectionAcknowledge), false) => return self.identified(reason, received, number, engine),
            (_, false) => Meaning::Stray,
            (Some(ConnectionAcknowledge), _) if reason == "accepted" => Meaning::Answer,
            (Some(ConnectionAcknowledge | ConnectionClose), _) => Refusal::read(REFUSALS, received.message, reason),
            (Some(ReliableAcknowledge), _) => {
                self.acknowledged = true;
                let is_next = received.number(&NUMBER) == Some(u64::from(self.next));
                if is_next && self.again {
                    // Of which of the two is not known.
                    (self.next, self.again) = (self.next + 1, false);
                    return Ok(Meaning::Session);
                }
                if number.is_some() && is_next { Meaning::Answer } else { Meaning::Session }
            }
            (message, _) => {
                *self.volunteered.entry(received.message).or_default() += 1;
                if message == Some(LinkState) && self.links.len() < LINKS {
                    self.links.push(received.to_json().clone());
                }
                Meaning::Session
            }
        })
    }
}

impl Dnp {
    /// Handles the answer to a request that no server can accept.
    fn identified(
        &self,
        result: &str,
        received: &OwnedMessage,
        number: Option<u32>,
        engine: &mut Engine<'_, '_>,
    ) -> Read {
        if engine.findings.found.is_none() {
            engine.findings.find("dnp", Carrier::Udp, None);
        }
        match result {
            NO_COMMON => {}
            "accepted" => {
                engine.session()?.accept(received)?;
                engine.session()?.goodbye();
                engine.findings.fields(received, &[&PROTOCOL]);
                engine
                    .findings
                    .note("the server accepts protocol 65535, which no known program has; the connection was closed");
            }
            other => {
                engine.findings.fact("answer", other);
                return Ok(Refusal::read(STRANGERS, received.message, other));
            }
        }
        // A repeated answer would be taken for the answer to the next request.
        Ok(if number.is_some() { Meaning::Answer } else { Meaning::Again })
    }
}
