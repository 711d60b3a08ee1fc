//! Probes a server of the nano family: a handshake, whose answer identifies the server.
//!
//! No data package is ever sent: a default pomelo or pinus process ends at an empty or truncated one. Round trips are
//! measured with packages that the server itself answers: handshakes before the ack (nano, pitaya), heartbeats after it
//! (pomelo, pinus), WebSocket pings.

use super::super::layout::BODY;
use super::super::layout::Message::*;
use super::super::payload::JSON;
use super::Line::{self, Carrier as FromCarrier, Package};
use super::answer::upgraded;
use super::family::{Family, accepted, report};
use super::{MASK, NanoClient, hello, interval};
use crate::dissect::Role;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{
    Ask, Carrier, ConnectData, Engine, Failure, Meaning, Method, Outcome, Probe, Question, Questions, Read, Refusal,
    Series, Servers,
};
use crate::message::OwnedMessage;
use crate::protocols::websocket;
use crate::protocols::websocket::layout::Message::{Close, Ping, Pong, UpgradeResponse};
use crate::protocols::websocket::layout::{CODE as CLOSE_CODE, DATA};
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

/// The longest wait for the answer to a second handshake, if nothing else identifies the family.
const SECOND: Duration = Duration::from_millis(500);
/// The longest wait for the heartbeat that pomelo and pinus send directly after the ack, one round trip later. Without
/// the wait it would be taken for the answer to ours, and so would every later one.
const UNASKED: Duration = Duration::from_millis(50);
/// The time in which a server that accepts no clients ends a connection that has sent no handshake.
const AT_ONCE: Duration = Duration::from_millis(250);

const FULL: &str = "it is full (pinus and pomelo: maxConnections), or refuses this address (their blacklist)";
/// The reason of a WebSocket that is closed without a code.
const UNNAMED: &str = "no code";

static REFUSALS: &[Refusal] = &[
    Refusal::new(Kick.name(), "", Outcome::Rejected)
        .saying("the server kicks: {}", "the server's application refuses this client: see its log"),
    Refusal::new(Close.name(), "", Outcome::Closed)
        .saying("the server closes the WebSocket: {}", "see the server's log"),
];

impl Probe for NanoClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn data(&self, data: &ConnectData) -> Result<Json, String> {
        match data {
            ConnectData::Values(values) => Ok(values.clone()),
            _ => Err("the handshake's \"user\" is a JSON object, such as {\"token\":\"..\"}".into()),
        }
    }

    fn questions(&self, method: &Method) -> Box<dyn Questions + '_> {
        Box::new(Nano { carrier: method.carrier, wants: UpgradeResponse.name(), hello: String::new(), late: 0 })
    }
}

/// The state of a probe.
struct Nano {
    carrier: Carrier,
    /// The name of the message that answers the current question.
    wants: &'static str,
    /// Our handshake.
    hello: String,
    /// The number of questions that count as lost, and whose answers are still to come.
    late: u32,
}

/// The data of a ping, which its pong repeats.
fn ping(number: u32) -> String {
    format!("{number:08x}")
}

impl Questions for Nano {
    /// Makes the handshake, finds the family, measures round trips, and acknowledges.
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        self.hello = hello(engine.ask.request.data.as_ref());
        let answered = self.shaken(engine).map_err(|failure| self.unspoken(failure, engine))?;
        let (ask, carrier) = (engine.ask, self.carrier);
        let took = answered.since(engine.session()?.last_sent);
        let decoded = answered.derived(&JSON).cloned().unwrap_or(Json::Null);
        engine.findings.find("nano", carrier, None);
        engine.findings.fact("handshake_ms", milliseconds(took));
        accepted(&decoded, answered.text(&BODY).unwrap_or_default())?;
        let sys = decoded.get("sys").cloned().unwrap_or(Json::Null);
        report(&sys, &decoded, &mut engine.findings);
        let mut family = Family::of(&sys);
        if family == Family::Unknown && carrier == Carrier::Tcp {
            // Its answer takes as long as the first one.
            family = match engine.question(self, 0, SECOND.max(took * 2).min(ask.timeout))? {
                Some(_) => Family::Handshakes("nano or pitaya (a second handshake is answered)"),
                None => Family::Heartbeats("pomelo or pinus (a second handshake is ignored)"),
            };
        }
        if let Some(found) = &mut engine.findings.found {
            found.family = family.name().map(String::from);
        }
        let early = carrier == Carrier::Tcp && !matches!(family, Family::Heartbeats(_));
        let method = match (carrier, early) {
            (Carrier::Ws, _) => "websocket ping",
            (_, true) => Handshake.name(),
            _ => Heartbeat.name(),
        };
        self.wants = if carrier == Carrier::Ws { Pong.name() } else { method };
        if !early {
            acknowledge(engine)?;
        }
        if method == Heartbeat.name() {
            engine.listen(self, Instant::now() + took + UNASKED)?;
        }
        // A server closes after twice its interval without a package.
        let silence = interval(&sys).map_or(Duration::MAX, |every| every.max(SECOND));
        let trips = engine.series(self, &Series { silence, ..Series::of(ask, method) }.at_most(2))?;
        if trips.answered == 0 && ask.request.samples > 0 {
            let note = format!("the server answers no {method}: the time of its first handshake is all there is");
            engine.findings.note(note);
        }
        if method == Heartbeat.name() && sys.get("heartbeat").is_none() {
            engine.findings.note("the server names no heartbeat interval: it need not answer heartbeats");
        }
        if early { acknowledge(engine) } else { Ok(()) }
    }

    fn question(&mut self, number: u32) -> Question {
        if self.wants == Pong.name() {
            let fields = json!({"mask": MASK, "data": ping(number)});
            return Question { proto: Some(websocket::NAME), ..Question::new(Ping.name(), fields) };
        }
        match self.wants == Heartbeat.name() {
            true => Question::new(Heartbeat.name(), json!({})),
            false => Question::new(Handshake.name(), json!({"body": self.hello})),
        }
    }

    fn sampled(&mut self, took: Option<Duration>) {
        self.late += u32::from(took.is_none() && self.wants != Pong.name());
    }

    fn read(&mut self, received: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read {
        let refused = |reason: &str| Refusal::read(REFUSALS, received.message, reason);
        Ok(match Line::of(received) {
            FromCarrier(UpgradeResponse) if self.wants == UpgradeResponse.name() => {
                if let Err(failure) = upgraded(received, engine) {
                    engine.session()?.abandon();
                    return Err(failure);
                }
                Meaning::Answer
            }
            _ if received.from != Role::Server => Meaning::Stray,
            // A stream keeps the order: the answers to what counts as lost come first.
            _ if received.message == self.wants && self.late > 0 => {
                self.late -= 1;
                Meaning::Session
            }
            // The server's own heartbeats are no answers.
            Package(Heartbeat) if number.is_none() => Meaning::Session,
            FromCarrier(Pong) if number.map(ping).as_deref() != received.text(&DATA) => Meaning::Session,
            _ if received.message == self.wants => Meaning::Answer,
            Package(Kick) => refused(received.text(&BODY).unwrap_or_default()),
            FromCarrier(Close) => {
                let code = received.number(&CLOSE_CODE);
                let read = refused(&code.map_or(UNNAMED.into(), |code| code.to_string()));
                match read {
                    // pinus closes so at once if it is full.
                    Meaning::Refused(failure) if code.is_none() && self.wants == Handshake.name() => {
                        Meaning::Refused(Failure { advice: unanswered(engine.ask), ..failure })
                    }
                    read => read,
                }
            }
            Package(Handshake | Heartbeat) => Meaning::Session,
            _ => Meaning::Stray,
        })
    }
}

/// The advice for a WebSocket that ends without an answer.
fn unanswered(ask: &Ask<'_>) -> String {
    let refuses = match ask.request.data {
        Some(_) => "the data of --connect-data",
        None => "netkit's: --connect-data provides its data",
    };
    // In a scan, any server of WebSocket may end here.
    let other = if ask.request.proto.is_none() { "; or it is of another protocol" } else { "" };
    format!("{FULL}; or its check of handshakes refuses {refuses}{other}")
}

fn acknowledge(engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
    engine.session()?.play(HandshakeAck.name(), None, json!({})).map(drop)
}

impl Nano {
    /// Waits for the answer to the handshake, over WebSocket after the upgrade.
    fn shaken(&mut self, engine: &mut Engine<'_, '_>) -> Result<OwnedMessage, Failure> {
        let ask = engine.ask;
        engine.open(self.carrier, None)?.begin()?;
        if self.carrier == Carrier::Ws && engine.wait(self, None, ask.until())?.is_none() {
            let advice = "nothing there that speaks HTTP: check the port, or use --transport tcp";
            return Err(engine.silent("an HTTP upgrade", advice));
        }
        self.wants = Handshake.name();
        engine.wait(self, None, ask.until())?.ok_or_else(|| {
            if self.carrier == Carrier::Ws {
                let advice = "it speaks WebSocket, but no handshake of this family: check the path";
                return engine.silent_on_carrier("the handshake", advice);
            }
            let advice = "a WebSocket port answers nothing to raw TCP: try --transport ws, or check the port";
            engine.silent("the handshake", advice)
        })
    }

    /// The failure when the server ends the connection without an answer. A second connection without a handshake shows
    /// whether it ends every connection or only those with ours. It sends a heartbeat, which every server of this family
    /// takes: pomelo and pinus see a connection with its first byte.
    fn unspoken(&mut self, failure: Failure, engine: &mut Engine<'_, '_>) -> Failure {
        if self.carrier == Carrier::Tcp && failure.details.get("stranger") == Some(&json!("HTTP")) {
            let text = "an HTTP server answers: this may be a WebSocket port";
            return Failure::new(Outcome::Closed, text, "try --transport ws, or ws://HOST:PORT/PATH");
        }
        let ended = failure.is_ended();
        if self.carrier == Carrier::Ws {
            // All that was received is the answer to the upgrade.
            let nothing = ended || failure.details.get("stranger") == Some(&json!("HTTP"));
            let gone = engine.sessions.iter().all(|session| session.gone);
            let text = "the server ends the connection after the upgrade, without an answer";
            return match nothing && gone && self.wants == Handshake.name() {
                true => Failure::new(Outcome::Closed, text, unanswered(engine.ask)),
                false => failure,
            };
        }
        if !ended || engine.session().is_ok_and(|session| session.has_data()) {
            return failure;
        }
        let begun = Instant::now();
        let silent = match engine.open(self.carrier, None) {
            Ok(session) => match session.send(super::super::NAME, Heartbeat.name(), &json!({})) {
                // Opening it took a round trip, and its end takes another one.
                Ok(sent) => engine.listen(self, sent + AT_ONCE + begun.elapsed()),
                Err(failure) => Err(failure),
            },
            Err(failure) => Err(failure),
        };
        match silent {
            Err(ended) if ended.outcome == Outcome::Closed => {
                let text = "the server ends every connection at once, even one without a handshake";
                Failure::new(Outcome::Closed, text, FULL)
            }
            _ => {
                let text = "the server ends the connection without an answer when it has the handshake";
                let refuses = match engine.ask.request.data {
                    Some(_) => "the data of --connect-data",
                    None => "netkit's: --connect-data provides the user's data",
                };
                let advice = format!(
                    "its check of handshakes (nano's HandshakeValidator) refuses {refuses}; or it is of another protocol"
                );
                Failure::new(Outcome::Closed, text, advice)
            }
        }
    }
}
