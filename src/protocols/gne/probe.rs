//! Asking a GNE server: a request that reads the same in both byte orders and never matches, so
//! that the refusal tells version, game and byte order; the full handshake only on request.
//!
//! Each refusal leaks a socket in the server, so there is one and no more. Who is accepted must
//! leave by the rule: exit, then wait for the server's end. A 0.70 server accepts nobody any more
//! after a connection that ended otherwise.

use crate::live::NetError;
use crate::live::OwnedMessage;
use crate::live::net::Link;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{Ask, Carrier, Failure, Findings, Method, Outcome, Probe, Unexpected};
use crate::protocols::hawknl;
use serde_json::{Value as Json, json};
use std::time::Duration;

/// How GNE's servers are asked.
pub struct Probing;

static METHODS: [Method; 1] = [Method {
    name: "",
    carrier: Carrier::Tcp,
    rank: 130,
    why: "stops a Riptide server that has not been recognised before; nano's servers close",
}];

/// How long the server's own end may take.
const ENDING: Duration = Duration::from_secs(2);
/// The first ping of a connection is answered up to 250 ms late: it is not counted.
const WARM_UP: u32 = 1;
/// After so many unanswered pings in a row the application is taken for one that answers none.
const DEAF: u32 = 2;
/// Clocks further apart than this do not tell the same kind of time.
const SAME_CLOCK: f64 = 366.0 * 86400.0;

impl Probe for Probing {
    fn port(&self) -> Option<u16> {
        None
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(2)
    }

    fn methods(&self) -> &'static [Method] {
        &METHODS
    }

    fn answers(&self) -> &'static [&'static str] {
        &["connection_refused", "connection_accepted"]
    }

    fn run(&self, _course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let refusal = identify(ask, findings)?;
        match ask.connect {
            true => connect(&refusal, ask, findings),
            false => Ok(()),
        }
    }
}

fn trouble(trouble: NetError) -> Failure {
    Failure::from_net_error(trouble, Carrier::Tcp)
}

/// One request that nobody accepts: the refusal.
fn identify(ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<OwnedMessage, Failure> {
    let mut link = ask.open(Carrier::Tcp, Some("le"))?;
    let mut aside = Unexpected::default();
    let nobody = json!({
        "version": 255, "sub_version": 255, "build": 65535, "game": "", "user_version": u32::MAX,
        "max_rate": 0, "unreliable": false,
    });
    let sent = link.send("connection_request", &nobody).map_err(trouble)?;
    let until = sent + ask.timeout;
    loop {
        let heard = match link.recv(until) {
            Ok(Some(heard)) => heard,
            Ok(None) => break,
            Err(error) => return Err(aside.at_end(trouble(error), ask, Carrier::Tcp, link.raw())),
        };
        match (heard.message, &heard.fault) {
            ("connection_refused", None) => {
                let took = heard.since(sent);
                tell(&heard, findings);
                findings.sample("refusal", Some(took));
                findings.note("one round trip only: every refusal costs the server a socket");
                return Ok(heard);
            }
            ("connection_accepted", _) => {
                leave(&mut link);
                let text = "the server accepts a request that no server can match";
                return Err(Failure::new(Outcome::Broken, text, "this is hardly a GNE server"));
            }
            (_, None) if heard.proto == hawknl::PROTO && heard.number("length").is_some() => {
                let text = format!("a HawkNL frame that was never finished: {}", hex::encode(&heard.bytes));
                return Err(Failure::new(
                    Outcome::Broken,
                    text,
                    "the server ended in the middle of an answer: see its log",
                ));
            }
            (_, None) if heard.proto == hawknl::PROTO => {
                let text = format!(
                    "a HawkNL frame, but not GNE's: {}",
                    hex::encode(heard.bytes.get(..24).unwrap_or(&heard.bytes))
                );
                let failure = Failure::new(Outcome::OtherProtocol, text, "another game over HawkNL: check the port");
                return Err(failure.with("other", "hawknl"));
            }
            _ => aside.put(heard),
        }
    }
    let advice = "not GNE, or of protocol builds 1 to 3, or a 0.70 server that has gone deaf: restart it and try again";
    Err(aside.verdict(ask, Carrier::Tcp, link.raw(), "the connection request", advice))
}

/// What the refusal tells.
fn tell(refusal: &OwnedMessage, findings: &mut Findings<'_>) {
    let number = |name: &str| refusal.number(name).unwrap_or(0);
    let build = number("build");
    let version = format!("{}.{}.{build}", number("version"), number("sub_version"));
    findings.find("gne", Carrier::Tcp, Some(version));
    findings.fact("game", refusal.fields.get("game").cloned().unwrap_or(Json::Null));
    findings.fact("user_version", number("user_version"));
    let order = match refusal.version {
        Some("le") => "little-endian",
        Some("be") => "big-endian",
        _ => "unknown",
    };
    findings.fact("byte_order", order);
}

/// The full handshake with the server's own values, pings, and the exit.
fn connect(refusal: &OwnedMessage, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
    let mut link = ask.open(Carrier::Tcp, refusal.version)?;
    let mut refused = false;
    let result = talk(&mut link, refusal, &mut refused, ask, findings);
    if !refused {
        leave(&mut link);
    }
    result
}

fn talk(
    link: &mut Link<'_>,
    refusal: &OwnedMessage,
    refused: &mut bool,
    ask: &Ask<'_>,
    findings: &mut Findings<'_>,
) -> Result<(), Failure> {
    let mut request = json!({"max_rate": 0, "unreliable": false});
    for name in ["version", "sub_version", "build", "game", "user_version"] {
        if let Some(value) = refusal.fields.get(name) {
            request[name] = value.clone();
        }
    }
    // Nothing was sent: then there is nothing to leave either.
    *refused = true;
    link.send("connection_request", &request).map_err(trouble)?;
    *refused = false;
    let until = ask.until();
    loop {
        let Some(heard) = link.recv(until).map_err(trouble)? else {
            let text = "the server refuses strangers, but does not answer a request of its own kind";
            return Err(Failure::new(Outcome::Silent, text, "a 0.70 server that has gone deaf: restart it"));
        };
        match (heard.message, &heard.fault) {
            ("connection_accepted", None) => {
                findings.fact("accepted", true);
                findings.fact("max_rate", heard.fields.get("max_rate").cloned().unwrap_or(Json::Null));
                break;
            }
            ("connection_refused", None) => {
                *refused = true;
                let text = "the server refuses though version, game and user version are its own";
                return Err(Failure::new(Outcome::Rejected, text, "its application refuses this client: see its log"));
            }
            (_, Some(fault)) => {
                let text = format!("a broken answer: {fault}");
                return Err(Failure::new(Outcome::Broken, text, "-v shows the tree"));
            }
            _ => {}
        }
    }
    pings(link, refusal.number("build").unwrap_or(0), ask, findings)
}

fn pings(link: &mut Link<'_>, build: u64, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
    let mut missed = 0;
    let mut first = None;
    for ping in 0..ask.samples + WARM_UP {
        let id = ping + 1;
        let packet = match build {
            0..=5 => json!({"id": "ping", "is_request": true, "req_id": id}),
            _ => json!({"id": "ping", "req_id": id, "t2": {"sec": 0, "usec": 0}, "t3": {"sec": 0, "usec": 0}}),
        };
        let sent = link.send("packets", &json!({"packets": [packet]})).map_err(trouble)?;
        let until = sent + ask.timeout.min(Duration::from_secs(1));
        let mut took = None;
        while took.is_none() {
            let Some(heard) = link.recv(until).map_err(trouble)? else { break };
            if heard.message != "packets" {
                continue;
            }
            let empty = Vec::new();
            let packets = heard.fields.get("packets").and_then(Json::as_array).unwrap_or(&empty);
            if packets.iter().any(|packet| packet.get("id") == Some(&json!("exit"))) {
                let advice = "the server's application has ended it: see its log";
                return Err(Failure::new(Outcome::Closed, "the server ends the connection", advice));
            }
            if packets.iter().any(|packet| is_reply(packet, id)) {
                took = Some(heard.since(sent));
                offset(&heard, findings);
            }
        }
        missed = if took.is_some() { 0 } else { missed + 1 };
        match ping < WARM_UP {
            true => first = took,
            false => findings.sample("ping", took),
        }
        if missed >= DEAF && findings.samples.iter().all(|s| s.method != "ping" || s.rtt.is_none()) {
            // Not answering is no loss: the library leaves it to the application.
            findings.samples.retain(|s| s.method != "ping");
            findings.note("accepted, but the application does not answer pings: the refusal's time is all there is");
            return Ok(());
        }
        if ping + 1 < ask.samples + WARM_UP {
            ask.pause(sent, Duration::ZERO)?;
        }
    }
    if let Some(first) = first {
        findings.fact("first_ping_ms", milliseconds(first));
        findings.note("the first ping is not counted: a new connection is polled only after up to 250 ms");
    }
    Ok(())
}

/// Is this packet the answer to that ping?
fn is_reply(packet: &Json, id: u32) -> bool {
    let ping = packet.get("id") == Some(&json!("ping")) && packet.get("req_id") == Some(&json!(id));
    let answered = match packet.get("is_request") {
        Some(request) => request == &json!(false),
        None => {
            packet.get("t2").is_some_and(|t2| t2.get("sec") != Some(&json!(0)) || t2.get("usec") != Some(&json!(0)))
        }
    };
    ping && answered
}

/// The difference of the clocks, where they are of the same kind.
fn offset(heard: &OwnedMessage, findings: &mut Findings<'_>) {
    let pings = heard.derived.get("pings").and_then(Json::as_array);
    let offset = pings.and_then(|pings| pings.iter().find_map(|ping| ping.get("offset")?.as_f64()));
    if let Some(offset) = offset.filter(|offset| offset.abs() < SAME_CLOCK) {
        findings.fact("clock_offset_s", offset);
    }
}

/// Leaves an accepted connection: exit, and wait for the server's.
fn leave(link: &mut Link<'_>) {
    link.leave();
    if link.has_ended() || link.send("packets", &json!({"packets": [{"id": "exit"}]})).is_err() {
        return;
    }
    link.drain(ENDING);
    link.finish();
}
