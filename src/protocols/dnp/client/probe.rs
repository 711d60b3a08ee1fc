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
use crate::live::probe::{Ask, Carrier, Failure, Findings, Method, Outcome, Probe, Sampler, Servers, Session, session};
use crate::message::OwnedMessage;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

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
/// Requests are not sent faster than this.
const SPACING: Duration = Duration::from_millis(100);
/// So often somebody who has not answered yet is asked.
const TRIES_TO_FIND: u32 = 3;
const CLOSES: u32 = 3;
const BETWEEN_CLOSES: Duration = Duration::from_millis(10);

impl Probe for DnpClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn run(&self, _course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        identify(ask, findings)?;
        match ask.connect {
            true => connect(ask, findings),
            false => Ok(()),
        }
    }
}

/// The result of a whole acknowledge.
fn result_of(heard: &OwnedMessage) -> Option<String> {
    let whole = heard.message == ConnectionAcknowledge && heard.fault.is_none();
    let result = heard.field(&RESULT).filter(|_| whole && !heard.has(&UNPARSED))?;
    Some(result.as_str().map_or(result.to_string(), String::from))
}

/// Requests that nobody can accept, and their answers: who is there, and how far away.
fn identify(ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
    let mut session = Session::open(ask, &DnpClient, Carrier::Udp, None, ask.options)?;
    for number in 0..ask.samples.max(TRIES_TO_FIND) {
        let enough = if findings.found.is_some() { ask.samples.max(1) } else { TRIES_TO_FIND };
        if number >= enough {
            break;
        }
        let sent = session.send(ConnectionRequest.name(), &json!({"protocols": [NOBODYS]}))?;
        let mut took = None;
        while took.is_none() {
            let Some(heard) = session.recv(sent + ask.timeout)? else { break };
            match result_of(&heard) {
                Some(result) => {
                    took = Some(heard.since(sent));
                    answer(&result, &heard, &mut session, findings)?;
                }
                None => session.unexpected.put(heard),
            }
        }
        if findings.found.is_some() {
            // The first requests may have been lost.
            while (findings.samples.len() as u32) < number {
                findings.sample("identify", None);
            }
            findings.sample("identify", took);
        }
        if number + 1 < ask.samples {
            let next = sent + ask.interval.max(SPACING);
            // Copies of the answer would look like answers to the next request.
            while let Some(heard) = session.recv(next)? {
                match result_of(&heard) {
                    Some(_) => findings.duplicates += 1,
                    None => session.unexpected.put(heard),
                }
            }
        }
    }
    if findings.found.is_none() {
        let advice = "nothing there, a firewall, or another protocol: check the port (3413 as a rule)";
        return Err(session.verdict(ask, "connection_request (00 01 00 ff ff)", advice));
    }
    findings.note("round trips include the server's tick where it reads its socket in its frames (C++ and the engine: 16.7 ms at 60 Hz)");
    Ok(())
}

fn answer(
    result: &str,
    heard: &OwnedMessage,
    session: &mut Session<'_>,
    findings: &mut Findings<'_>,
) -> Result<(), Failure> {
    if findings.found.is_none() {
        findings.find("dnp", Carrier::Udp, None);
        findings.fact("answer", result);
    }
    match result {
        "no_common_protocol" => Ok(()),
        "accepted" => {
            let protocol = heard.number(&PROTOCOL);
            close(session);
            findings.fact(PROTOCOL.name, json!(protocol));
            findings.note("the server accepts protocol 65535, which no known program has; the connection was closed");
            Ok(())
        }
        other => {
            let text = format!("a DNP server that takes nobody: {other}");
            let advice = "it is not listening: start its listening, or look for the server's real port";
            Err(Failure::new(Outcome::Rejected, text, advice).with("reason", other))
        }
    }
}

/// Ends the connection that may be there.
fn close(session: &mut Session<'_>) {
    session.leaving();
    for copy in 0..CLOSES {
        if copy > 0 {
            std::thread::sleep(BETWEEN_CLOSES);
        }
        // Nothing can be done where it does not go out.
        let _ = session.send(ConnectionClose.name(), &json!({}));
    }
}

/// The full handshake, round trips inside the connection, and the close.
fn connect(ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
    let session = Session::open(ask, &DnpClient, Carrier::Udp, None, ask.options)?;
    let mut connection = Connection {
        session,
        accepted: None,
        result: None,
        volunteered: Default::default(),
        links: Vec::new(),
        lost: 0,
        acknowledged: false,
    };
    let result = connection.flow_info(ask, findings);
    connection.session.leave();
    result
}

/// A connection, and what the server has volunteered.
struct Connection<'a> {
    session: Session<'a>,
    accepted: Option<Json>,
    result: Option<String>,
    volunteered: std::collections::BTreeMap<&'static str, u64>,
    links: Vec<Json>,
    lost: u32,
    acknowledged: bool,
}

/// How many link states are reported.
const LINKS: usize = 64;

impl Connection<'_> {
    fn flow_info(&mut self, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let until = self.session.begin()? + ask.timeout * TRIES;
        while self.result.is_none() {
            let Some(heard) = self.session.recv(until)? else { break };
            self.message(heard, None, findings)?;
        }
        match self.result.as_deref() {
            Some("accepted") => {}
            Some("no_common_protocol") => {
                let text = "the server speaks DNP, but not version 1";
                let advice = "the server is newer or older than this program";
                return Err(Failure::new(Outcome::OtherVersion, text, advice));
            }
            Some(other) => {
                let text = format!("the server refuses the connection: {other}");
                let advice = "the server takes no more clients, or is not listening: see its log";
                return Err(Failure::new(Outcome::Rejected, text, advice).with("reason", other));
            }
            None => {
                let text = "the server answers to identification, but not to a request for a connection";
                return Err(Failure::new(Outcome::Silent, text, "the acknowledge may be lost: try again"));
            }
        }
        findings.fact("connected", true);
        findings.fact(PROTOCOL.name, self.accepted.take().unwrap_or(Json::Null));
        session::series(self, ask.samples, ask.timeout, &|| ask.interval.max(SPACING), ask, findings)?;
        let understood = ask.samples > self.lost && self.acknowledged;
        findings.fact("long_messages", understood);
        if !understood && ask.samples > 0 {
            findings.note("long messages are not acknowledged: the peer is older than library 1.2 or engine 1.24, or the packet was lost");
        }
        findings.fact("volunteered", json!(self.volunteered));
        findings.fact("link_states", Json::Array(std::mem::take(&mut self.links)));
        Ok(())
    }
}

impl<'a> Sampler<'a> for Connection<'a> {
    fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    fn ask(&mut self, number: u32) -> Result<Instant, Failure> {
        self.acknowledged = false;
        self.session.send(LongMessage.name(), &json!({"number": number, "flags": [], "data": ""}))
    }

    fn message(
        &mut self,
        heard: OwnedMessage,
        number: Option<u32>,
        _findings: &mut Findings<'_>,
    ) -> Result<bool, Failure> {
        if heard.fault.is_some() {
            return Ok(false);
        }
        self.session.accept(&heard)?;
        if let Some(result) = result_of(&heard) {
            self.accepted = heard.field(&PROTOCOL).cloned();
            self.result = Some(result);
            return Ok(false);
        }
        match Message::named(heard.message) {
            Some(ReliableAcknowledge) => {
                self.acknowledged = true;
                return Ok(number.is_some() && heard.number(&NUMBER) == number.map(u64::from));
            }
            Some(ConnectionClose) => {
                let advice = "the server's application has ended it: see its log";
                return Err(Failure::new(Outcome::Closed, "the server closes the connection", advice));
            }
            message => {
                *self.volunteered.entry(heard.message).or_default() += 1;
                if message == Some(LinkState) && self.links.len() < LINKS {
                    self.links.push(heard.to_json().clone());
                }
            }
        }
        Ok(false)
    }

    fn sampled(&mut self, number: u32, took: Option<Duration>, findings: &mut Findings<'_>) -> bool {
        self.lost += u32::from(took.is_none());
        if number == 0 && took.is_none() {
            // Not understood: an older peer, which ignores all of them.
            return false;
        }
        findings.sample(LongMessage.name(), took);
        true
    }
}
