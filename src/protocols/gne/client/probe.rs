//! Probes a GNE server. The request reads the same in both byte orders and never matches, so that the refusal contains
//! the server's version, game and byte order. The full handshake is made only if the user asks for it.
//!
//! Each refusal leaks a socket in the server, so there is only one. An accepted client must leave properly: it sends an
//! exit and waits until the server closes. After a connection that ended otherwise, a 0.70 server accepts no more
//! clients.

use super::super::layout::Message::{self, *};
use super::super::layout::{BUILD, GAME, MAX_RATE, REQ_ID, SUB_VERSION, USER_VERSION, VERSION};
use super::super::link::SHORT_BUILD;
use super::super::pings::{OFFSET, PINGS};
use super::dialect::ping;
use super::{GneClient, is_exit, is_reply, packets};
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{
    Carrier, Engine, Failure, Findings, Meaning, Method, Outcome, Probe, Question, Questions, Read, Refusal, Series,
    Servers,
};
use crate::message::OwnedMessage;
use crate::protocols::hawknl;
use serde_json::{Value as Json, json};

static SERVERS: Servers = Servers {
    port: None,
    timeout: std::time::Duration::from_secs(2),
    answers: &[ConnectionRefused.name(), ConnectionAccepted.name()],
    methods: &[Method {
        name: "",
        carrier: Carrier::Tcp,
        rank: 130,
        why: "stops a Riptide server that has not been recognised before; nano's servers close",
    }],
};

/// The first ping of a connection is answered up to 250 ms late, so it is not counted.
const WARM_UP: u32 = 1;
/// After this many unanswered pings at the beginning, the application is assumed to answer none.
const DEAF: u32 = 2;
/// Clocks that differ by more do not count the same time.
const SAME_CLOCK: f64 = 366.0 * 86400.0;
/// The cost of a refusal for the server.
const COST: &str = "every refusal costs the server a socket";

static REFUSALS: &[Refusal] = &[
    Refusal::new(ConnectionRefused.name(), "", Outcome::Rejected).saying(
        "the server refuses though version, game and user version are its own",
        "its application refuses this client: see its log",
    ),
    Refusal::new(Packets.name(), "", Outcome::Closed)
        .saying("the server ends the connection", "the server's application has ended it: see its log"),
];

impl Probe for GneClient {
    fn servers(&self) -> &'static Servers {
        &SERVERS
    }

    fn costs(&self, connect: bool) -> Option<&'static str> {
        (!connect).then_some("each round would be refused, and every refusal costs the server a socket: --connect asks by the full handshake, which is refused once at most")
    }

    fn questions(&self, _method: &Method) -> Box<dyn Questions + '_> {
        Box::new(Gne::default())
    }
}

/// The state of a probe.
#[derive(Default)]
struct Gne {
    /// The server's refusal of a request with a foreign version.
    refusal: Option<OwnedMessage>,
    /// The full handshake has begun, with the server's own values.
    inside: bool,
}

impl Questions for Gne {
    /// Sends one request that no server accepts, unless its refusal is known from an earlier round. If the user asks
    /// for it, the full handshake with the server's own values and pings follow.
    fn ask(&mut self, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let ask = engine.ask;
        let known = ask.known().filter(|_| ask.request.connect);
        let mut took = None;
        let refusal = match known {
            Some(refusal) => {
                report(&refusal, &mut engine.findings);
                refusal
            }
            None => {
                engine.open(Carrier::Tcp, Some("le"))?;
                let Some((refusal, after)) = engine.question(self, 0, ask.timeout)? else {
                    let advice = "not GNE, or of protocol builds 1 to 3, or a 0.70 server that serves nobody any more: restart it and try again";
                    return Err(engine.silent("the connection request", advice));
                };
                report(&refusal, &mut engine.findings);
                engine.findings.leaves(format!("one round trip only: {COST}"));
                took = Some(after);
                refusal
            }
        };
        let version = refusal.version;
        self.refusal = Some(refusal.clone());
        if !ask.request.connect {
            engine.findings.sample("refusal", took);
            return Ok(());
        }
        ask.remember(Some(refusal));
        engine.part();
        let pinged = self.connect(version, engine);
        if let (Some(took), false) = (took, engine.findings.samples.iter().any(|sample| sample.method == "ping")) {
            // No ping was answered, so the refusal's time is the only sample.
            engine.findings.sample("refusal", Some(took));
        }
        pinged
    }

    fn question(&mut self, number: u32) -> Question {
        let Some(refusal) = &self.refusal else {
            let nobody = json!({
                "version": 255, "sub_version": 255, "build": 65535, "game": "", "user_version": u32::MAX,
                "max_rate": 0, "unreliable": false,
            });
            return Question::new(ConnectionRequest.name(), nobody);
        };
        let short = refusal.number(&BUILD).unwrap_or(0) <= SHORT_BUILD;
        Question::new(Packets.name(), json!({"packets": [ping(short, true, &(number + 1).into())]}))
    }

    fn read(&mut self, received: &OwnedMessage, number: Option<u32>, engine: &mut Engine<'_, '_>) -> Read {
        Ok(match Message::named(received.message) {
            Some(ConnectionRefused) if !self.inside => Meaning::Answer,
            Some(ConnectionAccepted) if !self.inside => {
                let text = "the server accepts a request that no server can match";
                Meaning::Refused(Failure::new(Outcome::Broken, text, "this is probably not a GNE server"))
            }
            Some(ConnectionAccepted) => Meaning::Answer,
            _ if received.proto == hawknl::PROTO => return Err(framed(received)),
            Some(ConnectionRefused) => {
                engine.ask.remember(None);
                engine.findings.leaves(COST);
                Refusal::read(REFUSALS, received.message, "")
            }
            Some(Packets) if is_exit(received) => Refusal::read(REFUSALS, received.message, ""),
            Some(Packets) if number.is_some_and(|ping| packets(received).iter().any(|p| answers(p, ping + 1))) => {
                offset(received, &mut engine.findings);
                Meaning::Answer
            }
            _ if self.inside => Meaning::Session,
            _ => Meaning::Stray,
        })
    }
}

impl Gne {
    /// Makes the full handshake with the server's own values, and pings.
    fn connect(&mut self, order: Option<&'static str>, engine: &mut Engine<'_, '_>) -> Result<(), Failure> {
        let ask = engine.ask;
        let mut request = json!({"max_rate": 0, "unreliable": false});
        for field in [VERSION, SUB_VERSION, BUILD, GAME, USER_VERSION] {
            if let Some(value) = self.refusal.as_ref().and_then(|refusal| refusal.field(&field)) {
                request[field.name] = value.clone();
            }
        }
        self.inside = true;
        engine.open(Carrier::Tcp, order)?.play(ConnectionRequest.name(), order, request)?;
        let Some(accepted) = engine.wait(self, None, ask.until())? else {
            let text = "the server refuses strangers, but does not answer a request of its own kind";
            return Err(Failure::new(Outcome::Silent, text, "a 0.70 server that serves nobody any more: restart it"));
        };
        engine.findings.fact("accepted", true);
        engine.findings.fields(&accepted, &[&MAX_RATE]);
        let series = Series { warm_up: WARM_UP, ..Series::of(ask, "ping") };
        let trips = engine.series(self, &series.at_most(DEAF))?;
        match trips.warm_up {
            _ if trips.answered == 0 => {
                // Unanswered pings are not a loss: the library leaves the answer to the application.
                engine
                    .findings
                    .note("accepted, but the application does not answer pings: the refusal's time is all there is");
            }
            Some(first) => {
                engine.findings.fact("first_ping_ms", milliseconds(first));
                engine
                    .findings
                    .note("the first ping is not counted: a new connection is polled only after up to 250 ms");
            }
            None => {}
        }
        Ok(())
    }
}

/// The failure for a HawkNL frame that contains nothing of GNE.
fn framed(received: &OwnedMessage) -> Failure {
    let bytes = hex::encode(received.bytes().get(..24).unwrap_or(received.bytes()));
    if received.number(&hawknl::LENGTH).is_some() {
        let text = format!("a HawkNL frame that was never finished: {bytes}");
        return Failure::new(Outcome::Broken, text, "the server ended in the middle of an answer: see its log");
    }
    let text = format!("a HawkNL frame, but not GNE's: {bytes}");
    Failure::new(Outcome::OtherProtocol, text, "another game over HawkNL: check the port").with("other", "hawknl")
}

/// Reports the values of a refusal.
fn report(refusal: &OwnedMessage, findings: &mut Findings<'_>) {
    let version = [VERSION, SUB_VERSION, BUILD].map(|field| refusal.number(&field).unwrap_or(0).to_string());
    findings.find("gne", Carrier::Tcp, Some(version.join(".")));
    findings.fields(refusal, &[&GAME, &USER_VERSION]);
    let order = match refusal.version {
        Some("le") => "little-endian",
        Some("be") => "big-endian",
        _ => "unknown",
    };
    findings.fact("byte_order", order);
}

/// Whether this packet answers that ping.
fn answers(packet: &Json, id: u32) -> bool {
    is_reply(packet) && packet.get(REQ_ID.name) == Some(&json!(id))
}

/// Reports the difference of the clocks, if they count the same time.
fn offset(received: &OwnedMessage, findings: &mut Findings<'_>) {
    let pings = received.derived(&PINGS).and_then(Json::as_array);
    let offset = pings.and_then(|pings| pings.iter().find_map(|ping| ping.get(OFFSET.name)?.as_f64()));
    if let Some(offset) = offset.filter(|offset| offset.abs() < SAME_CLOCK) {
        findings.fact("clock_offset_s", offset);
    }
}
