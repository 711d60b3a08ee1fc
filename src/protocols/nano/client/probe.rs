//! Asking a server of the nano family: handshake, and by its answer which server it is.
//!
//! No data package is ever sent: a default pomelo or pinus process ends at an empty or truncated
//! one. Round trips are measured with what the server answers by itself: handshakes before the ack
//! (nano, pitaya), heartbeats after it (pomelo, pinus), pings of WebSocket.

use super::super::layout::BODY;
use super::super::layout::Message::*;
use super::super::payload::JSON;
use super::Line::{self, Carrier as FromCarrier, Package};
use super::family::{Family, accepted, tell};
use super::{NanoClient, hello};
use crate::dissect::Role;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::strangers::stranger;
use crate::live::probe::{Ask, Carrier, ConnectData, Failure, Findings, Method, Outcome, Probe, Servers, Session};
use crate::message::OwnedMessage;
use crate::protocols::websocket::layout::CODE as CLOSE_CODE;
use crate::protocols::websocket::layout::Message::{Close, UpgradeResponse};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

static SERVERS: Servers = Servers {
    port: None,
    timeout: Duration::from_secs(3),
    answers: &[Handshake.name(), UpgradeResponse.name()],
    methods: &[
        Method {
            name: "",
            carrier: Carrier::Tcp,
            rank: 140,
            why: "stops a Riptide server that has not been recognised before; for GNE it is garbage in a handshake",
        },
        Method { name: "", carrier: Carrier::Ws, rank: 150, why: "an HTTP request: as the handshake" },
    ],
};

/// How long a second handshake is waited for, where nothing else tells the family.
const SECOND: Duration = Duration::from_millis(500);
/// pomelo and pinus send a heartbeat of their own right after the ack. It comes one round trip later,
/// and no later than this; else it would be taken for the answer to ours, and every answer after it.
const UNASKED: Duration = Duration::from_millis(50);
/// How long a polite end may take.
const ENDING: Duration = Duration::from_millis(500);

impl Probe for NanoClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn data(&self, data: &ConnectData) -> Result<Json, String> {
        match data {
            ConnectData::Values(values) => Ok(values.clone()),
            _ => Err("the handshake's \"user\" is a JSON object, as {\"token\":\"..\"}".into()),
        }
    }

    fn run(&self, course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let session = Session::open(ask, self, course.carrier, None, ask.options)?;
        let mut client = Client { session, hands: 0, asks: Asks::Handshake, hello: hello(ask.data) };
        let result = client.flow_info(ask, findings);
        client.leave();
        let Client { session, .. } = client;
        let at_end = |failure| session.unexpected.at_end(failure, ask, course.carrier, session.raw());
        if findings.found.is_some() { result } else { result.map_err(at_end) }
    }
}

/// What is asked for a round trip.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    Handshake,
    Heartbeat,
    Ping,
}

pub struct Client<'a> {
    pub(super) session: Session<'a>,
    /// Answers to handshakes so far.
    hands: u32,
    pub(super) asks: Asks,
    /// Our handshake.
    hello: String,
}

impl Client<'_> {
    /// What an error tells of this family.
    fn told<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        result.map_err(|failure| {
            let ended = failure.details.get("ended") == Some(&json!(true));
            if !ended || !self.session.raw().is_empty() {
                return failure;
            }
            let text = "the server ends the connection without a word";
            let advice = "nano's own check of handshakes refuses netkit's, or the server is of another protocol";
            Failure::new(Outcome::Closed, text, advice)
        })
    }

    pub(super) fn recv(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        let message = self.session.recv(until);
        self.told(message)
    }

    /// Handshake, family, round trips, ack.
    fn flow_info(&mut self, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let carrier = self.session.carrier();
        let begun = self.session.begin();
        let mut sent = self.told(begun)?;
        if carrier == Carrier::Ws {
            self.upgraded(ask)?;
            // By the actor, as soon as it could.
            sent = self.session.last_sent();
        }
        let Some(answer) = self.answer(ask.until())? else {
            let advice = match carrier {
                Carrier::Tcp => "a WebSocket port answers nothing to raw TCP: try --transport ws, or check the port",
                _ => "it speaks WebSocket, but no handshake of this family: check the path",
            };
            return Err(self.session.verdict(ask, "the handshake", advice));
        };
        let took = answer.since(sent);
        let said = answer.derived(&JSON).cloned().unwrap_or(Json::Null);
        findings.find("nano", carrier, None);
        findings.fact("handshake_ms", milliseconds(took));
        accepted(&said, answer.text(&BODY).unwrap_or_default())?;
        let sys = said.get("sys").cloned().unwrap_or(Json::Null);
        tell(&sys, &said, findings);
        let mut family = Family::of(&sys);
        if family == Family::Unknown && carrier == Carrier::Tcp {
            self.shake()?;
            family = match self.answer(Instant::now() + SECOND.min(ask.timeout))? {
                Some(_) => Family::Handshakes("nano or pitaya (a second handshake is answered)"),
                None => Family::Heartbeats("pomelo or pinus (a second handshake is ignored)"),
            };
        }
        if let Some(found) = &mut findings.found {
            found.family = family.name().map(String::from);
        }
        match (carrier, family) {
            (Carrier::Ws, _) => {
                self.acknowledge()?;
                self.samples(Asks::Ping, ask, findings)
            }
            (_, Family::Heartbeats(_)) => {
                self.acknowledge()?;
                self.quiet(Instant::now() + took + UNASKED)?;
                self.samples(Asks::Heartbeat, ask, findings)?;
                if sys.get("heartbeat").is_none() {
                    findings.note("the server names no heartbeat interval: it need not answer heartbeats");
                }
                Ok(())
            }
            _ => {
                self.samples(Asks::Handshake, ask, findings)?;
                self.acknowledge()
            }
        }
    }

    fn acknowledge(&mut self) -> Result<(), Failure> {
        let sent = self.session.play(HandshakeAck.name(), None, json!({}));
        self.told(sent).map(|_| ())
    }

    pub(super) fn shake(&mut self) -> Result<Instant, Failure> {
        let sent = self.session.send(Handshake.name(), &json!({"body": self.hello}));
        self.told(sent)
    }

    /// The server's handshake.
    fn answer(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        while let Some(heard) = self.recv(until)? {
            match (Line::of(&heard), &heard.fault) {
                (Package(Handshake), None) if heard.from == Role::Server => {
                    self.hands += 1;
                    self.session.accept(&heard)?;
                    return Ok(Some(heard));
                }
                _ if self.session.carrier() == Carrier::Tcp
                    && stranger(self.session.raw()).is_some_and(|stranger| stranger.name == "HTTP") =>
                {
                    let text = "an HTTP server answers: this may be a WebSocket port";
                    return Err(Failure::new(Outcome::Closed, text, "try --transport ws, or ws://HOST:PORT/PATH"));
                }
                _ => self.other(heard)?,
            }
        }
        Ok(None)
    }

    pub(super) fn other(&mut self, heard: OwnedMessage) -> Result<(), Failure> {
        if heard.fault.is_none() {
            self.session.accept(&heard)?;
        }
        match (Line::of(&heard), &heard.fault) {
            (Package(Kick), None) => {
                let reason = heard.text(&BODY).unwrap_or_default().to_string();
                let failure = Failure::new(
                    Outcome::Rejected,
                    format!("the server kicks: {reason}"),
                    "the server's application refuses this client: see its log",
                );
                Err(failure.with("reason", reason))
            }
            (FromCarrier(Close), None) => {
                let code = heard.number(&CLOSE_CODE);
                let text =
                    format!("the server closes the WebSocket{}", code.map_or(String::new(), |c| format!(": {c}")));
                Err(Failure::new(Outcome::Closed, text, "see the server's log").with("code", json!(code)))
            }
            _ => {
                self.session.unexpected.put(heard);
                Ok(())
            }
        }
    }

    fn quiet(&mut self, until: Instant) -> Result<(), Failure> {
        while let Some(heard) = self.recv(until)? {
            if heard.message != Heartbeat {
                self.other(heard)?;
            }
        }
        Ok(())
    }

    /// Leaves: a half-close, which all of them answer with theirs; before it WebSocket's own close.
    fn leave(&mut self) {
        if self.session.goodbye() && self.hands > 0 && self.session.carrier() == Carrier::Ws {
            let until = Instant::now() + ENDING;
            while let Ok(Some(heard)) = self.session.recv(until) {
                if heard.message == Close {
                    break;
                }
            }
        }
        self.session.finish();
        if self.hands > 0 {
            self.session.drain(ENDING);
        }
    }
}
