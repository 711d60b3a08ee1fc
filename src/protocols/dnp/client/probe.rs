//! Asking a DNP server: a request that offers no protocol there is, which makes no connection and
//! reaches no application; the full handshake only on request, for it makes a player.
//!
//! Only requests, closes, acknowledges and parts of long messages without an end are sent: none of
//! them reaches the application. A connection is always closed, three times over: servers have no
//! time-out, and a close is not acknowledged.

use super::super::layout::Message::{self, *};
use super::super::layout::{NUMBER, PROTOCOL, RESULT};
use super::{DnpClient, TRIES};
use crate::codec::reader::UNPARSED;
use crate::live::probe::{
    Carrier, Engine, Failure, Method, Outcome, Probe, Question, Questions, Read, Reading, Refusal, Series, Servers,
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
        why: "makes no connection; for the others it is no message that an unknown address may send",
    }],
};

/// No program speaks it: every server answers that there is no common protocol.
const NOBODYS: u16 = 0xffff;
/// What every server answers then.
const NO_COMMON: &str = "no_common_protocol";
/// Requests are not sent faster than this.
const SPACING: Duration = Duration::from_millis(100);
/// So often somebody who has not answered yet is asked.
const TRIES_TO_FIND: u32 = 3;
/// How many link states are reported.
const LINKS: usize = 64;

/// To a request that nobody can accept.
static STRANGERS: &[Refusal] = &[Refusal::new(ConnectionAcknowledge.name(), "", Outcome::Rejected).saying(
    "a DNP server that takes nobody: {}",
    "it is not listening: start its listening, or look for the server's real port",
)];

/// To a request for a connection, and inside one.
static REFUSALS: &[Refusal] = &[
    Refusal::new(ConnectionAcknowledge.name(), NO_COMMON, Outcome::OtherVersion)
        .saying("the server speaks DNP, but not version 1", "the server is newer or older than this program"),
    Refusal::new(ConnectionAcknowledge.name(), "", Outcome::Rejected).saying(
        "the server refuses the connection: {}",
        "the server takes no more clients, or is not listening: see its log",
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
    /// A connection was asked for.
    inside: bool,
    volunteered: BTreeMap<&'static str, u64>,
    links: Vec<Json>,
    acknowledged: bool,
}

/// The result of a whole acknowledge.
fn result_of(heard: &OwnedMessage) -> Option<String> {
    let whole = heard.message == ConnectionAcknowledge && !heard.has(&UNPARSED);
    let result = heard.field(&RESULT).filter(|_| whole)?;
    Some(result.as_str().map_or(result.to_string(), String::from))
}

impl Questions for Dnp {
    /// Requests that nobody can accept, and their answers: who is there, and how far away. Then, on
    /// request, the full handshake, and round trips inside the connection.
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
        let until = engine.open(Carrier::Udp, None)?.begin()? + ask.timeout * TRIES;
        let Some(accepted) = engine.wait(self, None, until)? else {
            let text = "the server answers to identification, but not to a request for a connection";
            return Err(Failure::new(Outcome::Silent, text, "the acknowledge may be lost: try again"));
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

    fn question(&mut self, number: u32) -> Question {
        match self.inside {
            false => Question::new(ConnectionRequest.name(), json!({"protocols": [NOBODYS]})),
            true => Question::new(LongMessage.name(), json!({"number": number, "flags": [], "data": ""})),
        }
    }

    fn read(&mut self, heard: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read {
        let result = result_of(heard);
        let reason = result.as_deref().unwrap_or_default();
        Ok(match (Message::named(heard.message), self.inside) {
            (Some(ConnectionAcknowledge), _) if result.is_none() => Reading::Stray,
            (Some(ConnectionAcknowledge), false) => return self.identified(reason, heard, number, engine),
            (_, false) => Reading::Stray,
            (Some(ConnectionAcknowledge), _) if reason == "accepted" => Reading::Answer,
            (Some(ConnectionAcknowledge | ConnectionClose), _) => Refusal::read(REFUSALS, heard.message, reason),
            (Some(ReliableAcknowledge), _) => {
                self.acknowledged = true;
                let answers = number.is_some() && heard.number(&NUMBER) == number.map(u64::from);
                if answers { Reading::Answer } else { Reading::Session }
            }
            (message, _) => {
                *self.volunteered.entry(heard.message).or_default() += 1;
                if message == Some(LinkState) && self.links.len() < LINKS {
                    self.links.push(heard.to_json().clone());
                }
                Reading::Session
            }
        })
    }
}

impl Dnp {
    /// The answer to a request that nobody can accept.
    fn identified(&self, result: &str, heard: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read {
        if engine.findings.found.is_none() {
            engine.findings.find("dnp", Carrier::Udp, None);
        }
        match result {
            NO_COMMON => {}
            "accepted" => {
                engine.session()?.accept(heard)?;
                engine.session()?.goodbye();
                engine.findings.fields(heard, &[&PROTOCOL]);
                engine
                    .findings
                    .note("the server accepts protocol 65535, which no known program has; the connection was closed");
            }
            other => {
                engine.findings.fact("answer", other);
                return Ok(Refusal::read(STRANGERS, heard.message, other));
            }
        }
        // Copies of the answer would look like answers to the next request.
        Ok(if number.is_some() { Reading::Answer } else { Reading::Again })
    }
}
