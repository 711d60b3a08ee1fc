//! Asking a GNE server: a request that reads the same in both byte orders and never matches, so
//! that the refusal tells version, game and byte order; the full handshake only on request.
//!
//! Each refusal leaks a socket in the server, so there is one and no more. Who is accepted must
//! leave by the rule: exit, then wait for the server's end. A 0.70 server accepts nobody any more
//! after a connection that ended otherwise.

use super::super::layout::Message::{self, *};
use super::super::layout::{BUILD, GAME, ID, IS_REQUEST, MAX_RATE, REQ_ID, SUB_VERSION, T2, USER_VERSION, VERSION};
use super::super::pings::{OFFSET, PINGS};
use super::{GneClient, is_exit, packets};
use crate::codec::layout::Field;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{Ask, Carrier, Failure, Findings, Method, Outcome, Probe, Sampler, Servers, Session, session};
use crate::message::OwnedMessage;
use crate::protocols::hawknl;
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

static SERVERS: Servers = Servers {
    port: None,
    timeout: Duration::from_secs(2),
    answers: &[ConnectionRefused.name(), ConnectionAccepted.name()],
    methods: &[Method {
        name: "",
        carrier: Carrier::Tcp,
        rank: 130,
        why: "stops a Riptide server that has not been recognised before; nano's servers close",
    }],
};

/// How long the server's own end may take.
const ENDING: Duration = Duration::from_secs(2);
/// The first ping of a connection is answered up to 250 ms late: it is not counted.
const WARM_UP: u32 = 1;
/// After so many unanswered pings in a row the application is taken for one that answers none.
const DEAF: u32 = 2;
/// Clocks further apart than this do not tell the same kind of time.
const SAME_CLOCK: f64 = 366.0 * 86400.0;

impl Probe for GneClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn run(&self, _course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let refusal = identify(ask, findings)?;
        match ask.connect {
            true => connect(&refusal, ask, findings),
            false => Ok(()),
        }
    }
}

/// One request that nobody accepts: the refusal.
fn identify(ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<OwnedMessage, Failure> {
    let mut session = Session::open(ask, &GneClient, Carrier::Tcp, Some("le"), ask.options)?;
    let nobody = json!({
        "version": 255, "sub_version": 255, "build": 65535, "game": "", "user_version": u32::MAX,
        "max_rate": 0, "unreliable": false,
    });
    let sent = session.send(ConnectionRequest.name(), &nobody)?;
    let until = sent + ask.timeout;
    loop {
        let heard = match session.recv(until) {
            Ok(Some(heard)) => heard,
            Ok(None) => break,
            Err(failure) => return Err(session.unexpected.at_end(failure, ask, Carrier::Tcp, session.raw())),
        };
        match (Message::named(heard.message), &heard.fault) {
            (Some(ConnectionRefused), None) => {
                let took = heard.since(sent);
                tell(&heard, findings);
                findings.sample("refusal", Some(took));
                findings.note("one round trip only: every refusal costs the server a socket");
                return Ok(heard);
            }
            (Some(ConnectionAccepted), _) => {
                session.accept(&heard)?;
                leave(&mut session);
                let text = "the server accepts a request that no server can match";
                return Err(Failure::new(Outcome::Broken, text, "this is hardly a GNE server"));
            }
            (_, None) if heard.proto == hawknl::PROTO && heard.number(&hawknl::LENGTH).is_some() => {
                let text = format!("a HawkNL frame that was never finished: {}", hex::encode(heard.bytes()));
                return Err(Failure::new(
                    Outcome::Broken,
                    text,
                    "the server ended in the middle of an answer: see its log",
                ));
            }
            (_, None) if heard.proto == hawknl::PROTO => {
                let text = format!(
                    "a HawkNL frame, but not GNE's: {}",
                    hex::encode(heard.bytes().get(..24).unwrap_or(heard.bytes()))
                );
                let failure = Failure::new(Outcome::OtherProtocol, text, "another game over HawkNL: check the port");
                return Err(failure.with("other", "hawknl"));
            }
            _ => session.unexpected.put(heard),
        }
    }
    let advice = "not GNE, or of protocol builds 1 to 3, or a 0.70 server that has gone deaf: restart it and try again";
    Err(session.verdict(ask, "the connection request", advice))
}

/// What the refusal tells.
fn tell(refusal: &OwnedMessage, findings: &mut Findings<'_>) {
    let number = |field: &Field| refusal.number(field).unwrap_or(0);
    let build = number(&BUILD);
    let version = format!("{}.{}.{build}", number(&VERSION), number(&SUB_VERSION));
    findings.find("gne", Carrier::Tcp, Some(version));
    findings.fact(GAME.name, refusal.field(&GAME).cloned().unwrap_or(Json::Null));
    findings.fact(USER_VERSION.name, number(&USER_VERSION));
    let order = match refusal.version {
        Some("le") => "little-endian",
        Some("be") => "big-endian",
        _ => "unknown",
    };
    findings.fact("byte_order", order);
}

/// The full handshake with the server's own values, pings, and the exit.
fn connect(refusal: &OwnedMessage, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
    let session = Session::open(ask, &GneClient, Carrier::Tcp, refusal.version, ask.options)?;
    let build = refusal.number(&BUILD).unwrap_or(0);
    let mut pings = Pings { session, build, missed: 0, first: None };
    let result = pings.flow_info(refusal, ask, findings);
    leave(&mut pings.session);
    result
}

/// Leaves an accepted connection: exit, and wait for the server's.
fn leave(session: &mut Session<'_>) {
    if session.goodbye() && session.awaits_end() {
        session.drain(ENDING);
        session.finish();
    }
}

/// An accepted connection.
struct Pings<'a> {
    session: Session<'a>,
    build: u64,
    /// Unanswered pings in a row.
    missed: u32,
    /// The first ping's round trip, which is not counted.
    first: Option<Duration>,
}

impl Pings<'_> {
    fn flow_info(&mut self, refusal: &OwnedMessage, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let mut request = json!({"max_rate": 0, "unreliable": false});
        for field in [VERSION, SUB_VERSION, BUILD, GAME, USER_VERSION] {
            if let Some(value) = refusal.field(&field) {
                request[field.name] = value.clone();
            }
        }
        self.session.play(ConnectionRequest.name(), refusal.version, request)?;
        let until = ask.until();
        loop {
            let Some(heard) = self.session.recv(until)? else {
                let text = "the server refuses strangers, but does not answer a request of its own kind";
                return Err(Failure::new(Outcome::Silent, text, "a 0.70 server that has gone deaf: restart it"));
            };
            if let Some(fault) = &heard.fault {
                let text = format!("a broken answer: {fault}");
                return Err(Failure::new(Outcome::Broken, text, "-v shows the tree"));
            }
            self.session.accept(&heard)?;
            match Message::named(heard.message) {
                Some(ConnectionAccepted) => {
                    findings.fact("accepted", true);
                    findings.fact(MAX_RATE.name, heard.field(&MAX_RATE).cloned().unwrap_or(Json::Null));
                    break;
                }
                Some(ConnectionRefused) => {
                    let text = "the server refuses though version, game and user version are its own";
                    let advice = "its application refuses this client: see its log";
                    return Err(Failure::new(Outcome::Rejected, text, advice));
                }
                _ => {}
            }
        }
        session::series(self, ask.samples + WARM_UP, ask.answer_wait(), &|| ask.interval, ask, findings)?;
        if let Some(first) = self.first {
            findings.fact("first_ping_ms", milliseconds(first));
            findings.note("the first ping is not counted: a new connection is polled only after up to 250 ms");
        }
        Ok(())
    }
}

impl<'a> Sampler<'a> for Pings<'a> {
    fn session(&mut self) -> &mut Session<'a> {
        &mut self.session
    }

    fn ask(&mut self, number: u32) -> Result<Instant, Failure> {
        let id = number + 1;
        let packet = match self.build {
            0..=5 => json!({"id": "ping", "is_request": true, "req_id": id}),
            _ => json!({"id": "ping", "req_id": id, "t2": {"sec": 0, "usec": 0}, "t3": {"sec": 0, "usec": 0}}),
        };
        self.session.send(Packets.name(), &json!({"packets": [packet]}))
    }

    fn message(
        &mut self,
        heard: OwnedMessage,
        number: Option<u32>,
        findings: &mut Findings<'_>,
    ) -> Result<bool, Failure> {
        if heard.message != Packets {
            return Ok(false);
        }
        self.session.accept(&heard)?;
        if is_exit(&heard) {
            let advice = "the server's application has ended it: see its log";
            return Err(Failure::new(Outcome::Closed, "the server ends the connection", advice));
        }
        let answered = number.is_some_and(|ping| packets(&heard).iter().any(|packet| is_reply(packet, ping + 1)));
        if answered {
            offset(&heard, findings);
        }
        Ok(answered)
    }

    fn sampled(&mut self, number: u32, took: Option<Duration>, findings: &mut Findings<'_>) -> bool {
        self.missed = if took.is_some() { 0 } else { self.missed + 1 };
        match number < WARM_UP {
            true => self.first = took,
            false => findings.sample("ping", took),
        }
        if self.missed < DEAF || findings.samples.iter().any(|s| s.method == "ping" && s.rtt.is_some()) {
            return true;
        }
        // Not answering is no loss: the library leaves it to the application.
        findings.samples.retain(|s| s.method != "ping");
        findings.note("accepted, but the application does not answer pings: the refusal's time is all there is");
        self.first = None;
        false
    }
}

/// Is this packet the answer to that ping?
fn is_reply(packet: &Json, id: u32) -> bool {
    let ping = packet.get(ID.name) == Some(&json!("ping")) && packet.get(REQ_ID.name) == Some(&json!(id));
    let answered = match packet.get(IS_REQUEST.name) {
        Some(request) => request == &json!(false),
        None => {
            packet.get(T2.name).is_some_and(|t2| t2.get("sec") != Some(&json!(0)) || t2.get("usec") != Some(&json!(0)))
        }
    };
    ping && answered
}

/// The difference of the clocks, where they are of the same kind.
fn offset(heard: &OwnedMessage, findings: &mut Findings<'_>) {
    let pings = heard.derived(&PINGS).and_then(Json::as_array);
    let offset = pings.and_then(|pings| pings.iter().find_map(|ping| ping.get(OFFSET.name)?.as_f64()));
    if let Some(offset) = offset.filter(|offset| offset.abs() < SAME_CLOCK) {
        findings.fact("clock_offset_s", offset);
    }
}
