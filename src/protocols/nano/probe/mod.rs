//! Asking a server of the nano family: handshake, and by its answer which server it is.
//!
//! No data package is ever sent: a default pomelo or pinus process ends at an empty or truncated
//! one. Round trips are measured with what the server answers by itself: handshakes before the ack
//! (nano, pitaya), heartbeats after it (pomelo, pinus), pings of WebSocket.

mod family;
mod samples;
mod upgrade;

use crate::dissect::Role;
use crate::live::NetError;
use crate::live::OwnedMessage;
use crate::live::net::Link;
use crate::live::probe::statistics::milliseconds;
use crate::live::probe::{Ask, Carrier, Failure, Findings, Method, Outcome, Probe, Unexpected};
use crate::protocols::websocket;
use family::{Family, accepted, tell};
use serde_json::{Value as Json, json};
use std::time::{Duration, Instant};

/// How servers of the nano family are asked.
pub struct Probing;

static METHODS: [Method; 2] = [
    Method {
        name: "",
        carrier: Carrier::Tcp,
        rank: 140,
        why: "stops a Riptide server that has not been recognised before; for GNE it is garbage in a handshake",
    },
    Method { name: "", carrier: Carrier::Ws, rank: 150, why: "an HTTP request: as the handshake" },
];

/// What pomelo's servers demand, and nano's ignore.
const HELLO: &str = r#"{"sys":{"type":"netkit","version":"1.1.1"},"user":{}}"#;
/// How long a second handshake is waited for, where nothing else tells the family.
const SECOND: Duration = Duration::from_millis(500);
/// pomelo and pinus send a heartbeat of their own right after the ack.
const UNASKED: Duration = Duration::from_millis(50);
/// How long a polite end may take.
const ENDING: Duration = Duration::from_millis(500);

impl Probe for Probing {
    fn port(&self) -> Option<u16> {
        None
    }

    fn timeout(&self) -> Duration {
        Duration::from_secs(3)
    }

    fn methods(&self) -> &'static [Method] {
        &METHODS
    }

    fn answers(&self) -> &'static [&'static str] {
        &["handshake", "upgrade_response"]
    }

    fn run(&self, course: &Method, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let link = ask.open(course.carrier, None)?;
        let mut client = Client { link, carrier: course.carrier, aside: Unexpected::default(), hands: 0 };
        let result = match course.carrier {
            Carrier::Ws => client.upgrade(ask).and_then(|()| client.talk(ask, findings)),
            _ => client.talk(ask, findings),
        };
        client.leave();
        match findings.found {
            Some(_) => result,
            None => result.map_err(|failure| client.aside.at_end(failure, ask, course.carrier, client.link.raw())),
        }
    }
}

struct Client<'a> {
    link: Link<'a>,
    carrier: Carrier,
    aside: Unexpected,
    /// Answers to handshakes so far.
    hands: u32,
}

impl Client<'_> {
    fn failure(&self, trouble: NetError) -> Failure {
        match trouble {
            NetError::Closed { .. } if self.link.raw().is_empty() => {
                let text = "the server ends the connection without a word";
                let advice = "nano's own check of handshakes refuses netkit's, or the server is of another protocol";
                Failure::new(Outcome::Closed, text, advice)
            }
            other => Failure::from_net_error(other, self.carrier),
        }
    }

    fn send(&mut self, message: &'static str, fields: &Json) -> Result<Instant, Failure> {
        self.link.send(message, fields).map_err(|trouble| self.failure(trouble))
    }

    fn recv(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        self.link.recv(until).map_err(|trouble| self.failure(trouble))
    }

    fn silence(&self, ask: &Ask<'_>, sent: &str, advice: &str) -> Failure {
        self.aside.verdict(ask, self.carrier, self.link.raw(), sent, advice)
    }

    /// Handshake, family, round trips, ack.
    fn talk(&mut self, ask: &Ask<'_>, findings: &mut Findings<'_>) -> Result<(), Failure> {
        let sent = self.shake()?;
        let Some(answer) = self.answer(ask.until())? else {
            let advice = match self.carrier {
                Carrier::Tcp => "a WebSocket port answers nothing to raw TCP: try --transport ws, or check the port",
                _ => "it speaks WebSocket, but no handshake of this family: check the path",
            };
            return Err(self.silence(ask, "the handshake", advice));
        };
        let took = answer.since(sent);
        let said = answer.derived.get("json").cloned().unwrap_or(Json::Null);
        findings.find("nano", self.carrier, None);
        findings.fact("handshake_ms", milliseconds(took));
        accepted(&said, answer.text("body").unwrap_or_default())?;
        let sys = said.get("sys").cloned().unwrap_or(Json::Null);
        tell(&sys, &said, findings);
        let mut family = Family::of(&sys);
        if family == Family::Unknown && self.carrier == Carrier::Tcp {
            self.shake()?;
            family = match self.answer(Instant::now() + SECOND.min(ask.timeout))? {
                Some(_) => Family::Handshakes("nano or pitaya (a second handshake is answered)"),
                None => Family::Heartbeats("pomelo or pinus (a second handshake is ignored)"),
            };
        }
        if let Some(found) = &mut findings.found {
            found.family = family.name().map(String::from);
        }
        match (self.carrier, family) {
            (Carrier::Ws, _) => {
                self.send("handshake_ack", &json!({}))?;
                self.samples("websocket ping", ask, findings, Client::ping)
            }
            (_, Family::Heartbeats(_)) => {
                self.send("handshake_ack", &json!({}))?;
                self.quiet(Instant::now() + UNASKED)?;
                self.samples("heartbeat", ask, findings, Client::heartbeat)?;
                if sys.get("heartbeat").is_none() {
                    findings.note("the server names no heartbeat interval: it need not answer heartbeats");
                }
                Ok(())
            }
            _ => {
                self.samples("handshake", ask, findings, Client::again)?;
                self.send("handshake_ack", &json!({})).map(|_| ())
            }
        }
    }

    fn shake(&mut self) -> Result<Instant, Failure> {
        self.send("handshake", &json!({"body": HELLO}))
    }

    /// The server's handshake.
    fn answer(&mut self, until: Instant) -> Result<Option<OwnedMessage>, Failure> {
        while let Some(heard) = self.recv(until)? {
            match (heard.message, &heard.fault) {
                ("handshake", None) if heard.from == Role::Server => {
                    self.hands += 1;
                    return Ok(Some(heard));
                }
                _ if self.carrier == Carrier::Tcp && heard.bytes.starts_with(b"HTTP/1.") => {
                    let text = "an HTTP server answers: this may be a WebSocket port";
                    return Err(Failure::new(Outcome::Closed, text, "try --transport ws, or ws://HOST:PORT/PATH"));
                }
                _ => self.other(heard)?,
            }
        }
        Ok(None)
    }

    fn other(&mut self, heard: OwnedMessage) -> Result<(), Failure> {
        match (heard.message, &heard.fault) {
            ("kick", None) => {
                let reason = heard.text("body").unwrap_or_default().to_string();
                let failure = Failure::new(
                    Outcome::Rejected,
                    format!("the server kicks: {reason}"),
                    "the server's application refuses this client: see its log",
                );
                Err(failure.with("reason", reason))
            }
            ("close", None) => {
                let code = heard.number("code");
                let text =
                    format!("the server closes the WebSocket{}", code.map_or(String::new(), |c| format!(": {c}")));
                Err(Failure::new(Outcome::Closed, text, "see the server's log").with("code", json!(code)))
            }
            _ => {
                self.aside.put(heard);
                Ok(())
            }
        }
    }

    fn quiet(&mut self, until: Instant) -> Result<(), Failure> {
        while let Some(heard) = self.recv(until)? {
            if heard.message != "heartbeat" {
                self.other(heard)?;
            }
        }
        Ok(())
    }

    /// Leaves: a half-close, which all of them answer with theirs; before it WebSocket's own close.
    fn leave(&mut self) {
        self.link.leave();
        if self.hands > 0 && self.carrier == Carrier::Ws {
            let fields = json!({"mask": "6e65746b", "code": 1000});
            let sent = self.link.send_as(websocket::NAME, "close", &fields);
            let until = Instant::now() + ENDING;
            while sent.is_ok() {
                match self.link.recv(until) {
                    Ok(Some(heard)) if heard.message != "close" => {}
                    _ => break,
                }
            }
        }
        self.link.finish();
        if self.hands > 0 {
            self.link.drain(ENDING);
        }
    }
}
