//! Decides whether and when each recorded message is sent, and handles each live message.

use super::super::layout::Message::*;
use super::super::layout::{BODY, CODE, FLAGS, ID, PAYLOAD, ROUTE};
use super::super::payload;
use super::Line::{self, Carrier, Package};
use super::{LARGEST_ID, NanoActor, Request, route};
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, without};
use crate::live::replay::{Life, Phase, Rules};
use crate::message::OwnedMessage;
use crate::protocols::websocket;
use crate::protocols::websocket::layout::Message::{Close, Ping, Pong, UpgradeRequest, UpgradeResponse};
use crate::protocols::websocket::layout::{CODE as CLOSE_CODE, HEAD, STATUS};
use crate::protocols::websocket::upgrade;
use serde_json::{Map, Value as Json, json};
use std::time::{Duration, Instant};

/// The header line of an upgrade request. The server's answer proves that it has read it.
const KEY: &str = "sec-websocket-key";
/// The longest wait for the answer to the upgrade by a client that leaves.
const GRANTED: Duration = Duration::from_millis(500);

pub static RULES: Rules = Rules {
    empty: "",
    broken: "; an empty or cut data package ends a pomelo server",
    live: &[(Heartbeat.name(), "heartbeats")],
    opens: [&[], &[]],
    closes: &[Kick.name()],
    answers: &[Handshake.name(), HandshakeAck.name(), Response.name()],
    others: &[(Push.name(), "pushes")],
    volatile: &[(&[], &[ID.name, ROUTE.name, CODE.name, FLAGS.name, websocket::layout::MASK.name])],
    decided: &[(&[Response.name()], &[ID.name])],
};

impl Actor for NanoActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let decoded = &message.decoded;
        if decoded.message == Request && decoded.fault.is_none() && decoded.from == Role::Client {
            let recorded = decoded.number(&ID).unwrap_or(0);
            self.taken.insert(recorded);
            let route = route(decoded).unwrap_or_default().to_string();
            self.requests.push(Request { recorded, frame: message.frame, route, live: None });
        }
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if decoded.proto == websocket::NAME {
            return match Line::of(decoded) {
                // The live session makes its own upgrade.
                Carrier(UpgradeRequest | UpgradeResponse) if decoded.from != self.life.role => {
                    Disposition::Live("upgrades")
                }
                Carrier(UpgradeRequest | UpgradeResponse) => Disposition::Send,
                Carrier(Ping | Pong) => Disposition::Live("pings and pongs"),
                Carrier(Close) => Disposition::Live("close frames"),
                _ => Disposition::Danger(
                    "a WebSocket message without a package: it ends a pomelo server's connection".into(),
                ),
            };
        }
        match Line::of(decoded) {
            Package(Kick) if decoded.from == Role::Client => {
                Disposition::Danger("a kick is the server's: pomelo closes".into())
            }
            Carrier(_) | Package(Data | Unknown) | Line::Other => {
                Disposition::Danger("not a message of the protocol".into())
            }
            Package(Request) if decoded.text(&ROUTE) == Some("") => {
                Disposition::Danger("a request without a route".into())
            }
            _ if self.is_raw(message) => Disposition::Danger(format!(
                "route code {} without its dictionary: the live server's handler of that number would run; \
                 -s nano.dict=FILE gives the recorded one",
                decoded.number(&CODE).unwrap_or_default()
            )),
            _ => RULES.disposition(message),
        }
    }

    fn decides(&self, decoded: &OwnedMessage, path: &str) -> bool {
        let large = path == ID.name && decoded.number(&ID).is_none_or(|id| id > LARGEST_ID);
        large || RULES.decides(decoded.message, path)
    }

    fn begin(&mut self, _now: Instant, out: &mut Outbox) {
        if self.life.role != Role::Client {
            return;
        }
        if self.websocket && !self.has_upgrade {
            let path = self.path.as_deref().unwrap_or("/");
            let head = format!(
                "GET {path} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n\r\n",
                self.host,
                upgrade::key()
            );
            self.key = upgrade::header(&head, KEY).map(String::from);
            out.live(OwnedMessage {
                proto: websocket::NAME,
                ..self.life.message(UpgradeRequest.name(), json!({ "head": head }))
            });
        } else if !self.websocket && !self.has_handshake {
            self.greet(out);
        }
    }

    fn waits(&mut self, message: &Recorded, _now: Instant) -> Option<&'static str> {
        let (decoded, phase) = (&message.decoded, self.life.phase);
        let after = |least: Phase, what: &'static str| (phase < least).then_some(what);
        match (Line::of(decoded), self.life.role) {
            (Carrier(UpgradeRequest), _) => None,
            (Carrier(UpgradeResponse), _) => self.key.is_none().then_some("the client's upgrade"),
            (Package(Handshake), Role::Client) => after(Phase::Open, "the answer to the upgrade"),
            (Package(Handshake | Kick), _) => after(Phase::Asked, "the client's handshake"),
            (Package(HandshakeAck), _) => after(Phase::Answered, "the answer to the handshake"),
            (Package(Response), Role::Server) => {
                let (id, frame) = (decoded.number(&ID).unwrap_or(0), message.frame);
                let request = self.requests.iter().rev().find(|r| r.recorded == id && r.frame <= frame);
                after(Phase::Working, "the client's handshake_ack")
                    .or_else(|| request.is_some_and(|r| r.live.is_none()).then_some("the client's request"))
            }
            (_, Role::Server) => after(Phase::Working, "the client's handshake_ack"),
            _ => after(Phase::Working, "the answer to the handshake"),
        }
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let decoded = message.decoded.clone();
        match (Line::of(&decoded), self.life.role) {
            (Carrier(UpgradeRequest), _) => {
                let head = self.upgrade(decoded.text(&HEAD).unwrap_or_default());
                self.key = upgrade::header(&head, KEY).map(String::from);
                out.messages.push_back(decoded.with(&HEAD, head));
            }
            (Carrier(UpgradeResponse), _) => {
                let head = self.upgraded(decoded.text(&HEAD).unwrap_or_default());
                out.messages.push_back(decoded.with(&HEAD, head));
                self.life.phase = Phase::Open;
            }
            (Package(Handshake), Role::Client) => self.handshake(decoded, out),
            (Package(Handshake), _) => {
                self.answered(&decoded);
                out.messages.push_back(decoded);
            }
            (Package(HandshakeAck), _) => self.acknowledge(decoded, now, out),
            (Package(Request), Role::Client) => {
                let id = self.id(decoded.number(&ID).unwrap_or(0));
                self.asked.insert(id, now);
                let decoded = self.routed(decoded.with(&ID, id), message, out);
                out.messages.push_back(decoded);
            }
            (Package(Response), Role::Server) => {
                let (id, frame) = (decoded.number(&ID).unwrap_or(0), message.frame);
                let request = self.requests.iter().rev().find(|r| r.recorded == id && r.frame <= frame);
                let Some(live) = request.and_then(|r| r.live) else {
                    return Err("the live client has not made this request".into());
                };
                out.messages.push_back(decoded.with(&ID, live));
            }
            _ => {
                let decoded = self.routed(decoded, message, out);
                out.messages.push_back(decoded);
            }
        }
        Ok(())
    }

    fn recv(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        match (Line::of(decoded), self.life.role) {
            (Carrier(UpgradeRequest), Role::Server) => {
                self.key = decoded.text(&HEAD).and_then(|head| upgrade::header(head, KEY)).map(String::from);
                return Handling::Session;
            }
            (Carrier(UpgradeResponse), Role::Client) => {
                if decoded.derived(&STATUS).and_then(Json::as_u64) != Some(101) {
                    let status = decoded.derived(&STATUS).map(ToString::to_string).unwrap_or_default();
                    self.life.end(format!("no WebSocket there: the upgrade is answered with HTTP status {status}"));
                    return Handling::Session;
                }
                let answer = decoded.text(&HEAD).and_then(|head| upgrade::header(head, "sec-websocket-accept"));
                if self.key.as_deref().is_some_and(|key| answer != Some(&upgrade::accept(key))) {
                    self.life.end("the upgrade is granted, but not to our key: this is not a WebSocket server");
                    return Handling::Session;
                }
                self.life.reach(Phase::Open);
                if self.leaves {
                    self.leave(out);
                } else if !self.has_handshake {
                    self.greet(out);
                }
                return Handling::Session;
            }
            (Carrier(Ping), _) => {
                let fields = decoded.to_json().as_object().cloned().unwrap_or_default();
                let pong = self.control(Pong, fields);
                out.live(pong);
                return Handling::Session;
            }
            (Carrier(Pong), _) => return Handling::Session,
            (Carrier(Close), _) => {
                let fields = decoded.to_json().as_object().cloned().unwrap_or_default();
                if self.life.phase != Phase::Over {
                    let close = self.control(Close, fields);
                    out.live(close);
                    self.parted = true;
                    self.life.end("the WebSocket was closed");
                }
                return Handling::Session;
            }
            (Package(Handshake), Role::Client) => {
                self.answered(decoded);
                if self.life.phase == Phase::Answered && !self.has_ack {
                    let ack = self.life.message(HandshakeAck.name(), json!({}));
                    self.acknowledge(ack, now, out);
                }
            }
            (Package(Handshake), _) => self.life.reach(Phase::Asked),
            (Package(HandshakeAck), _) => self.life.reach(Phase::Working),
            (Package(Heartbeat), Role::Server) => {
                // pomelo answers so too, and nano's clients accept it.
                let beat = self.life.message(Heartbeat.name(), json!({}));
                out.live(beat);
                return Handling::Session;
            }
            (Package(Heartbeat), _) => return Handling::Session,
            (Package(Request), Role::Server) => {
                let (route, id) = (route(decoded).unwrap_or_default(), decoded.number(&ID));
                if let Some(open) = self.requests.iter_mut().find(|r| r.live.is_none() && r.route == route) {
                    open.live = id;
                } else {
                    out.remark(format!("a request for {route:?} is not in the capture, so it gets no answer"));
                }
            }
            (Package(Response), Role::Client) => {
                if let Some(at) = decoded.number(&ID).and_then(|id| self.asked.remove(&id)) {
                    let subject = format!("{} {}", Request.name(), route(decoded).unwrap_or_default());
                    out.counts.round_trip(subject.trim_end(), now.saturating_duration_since(at), false);
                }
            }
            (Package(Kick), Role::Client) => {
                let reason = decoded.text(&BODY).unwrap_or_default().to_string();
                self.life.end(format!("kick {reason}"));
            }
            _ => {}
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        // Over TCP, heartbeats are questions of a probe.
        let own = self.websocket || !self.life.probe;
        let beats = own && self.life.role == Role::Client && self.life.phase == Phase::Working;
        let interval = self.interval.filter(|_| beats)?;
        let beat = self.beat.get_or_insert(now + interval);
        if now >= *beat {
            *beat = now + interval;
            let decoded = self.life.message(Heartbeat.name(), json!({}));
            out.live(decoded);
        }
        self.beat
    }

    fn leave(&mut self, out: &mut Outbox) {
        // nano closes a WebSocket only after its first message. Without one it keeps the socket, so the handshake is
        // sent even now, after the upgrade is granted.
        if self.websocket && self.life.role == Role::Client && self.key.is_some() {
            match self.life.phase {
                Phase::New => {
                    self.leaves = true;
                    return;
                }
                Phase::Open => self.greet(out),
                _ => {}
            }
        }
        // There is no goodbye package: the end of the stream is the goodbye.
        if self.websocket
            && self.life.phase > Phase::New
            && !self.parted
            && (self.life.probe || self.life.phase != Phase::Over)
        {
            let mut fields = Map::new();
            fields.insert(CLOSE_CODE.name.into(), 1000.into());
            let close = self.control(Close, fields);
            out.live(close);
        }
        self.life.phase = Phase::Over;
    }

    fn awaits_end(&self) -> Option<Duration> {
        (self.leaves && self.life.phase == Phase::New).then_some(GRANTED)
    }

    fn identity(&self, decoded: &OwnedMessage) -> String {
        if let Some(route) = route(decoded) { format!("{} {route}", decoded.message) } else { decoded.message.into() }
    }

    fn content(&self, decoded: &OwnedMessage) -> Json {
        // The payload's meaning: JSON, or the values of the protos.
        let meaning = decoded.derived(&payload::JSON).or_else(|| decoded.derived(&payload::MESSAGE)).cloned();
        match Line::of(decoded) {
            Carrier(UpgradeRequest | UpgradeResponse) => Json::Null,
            // The rest differs from server to server: tables, times, intervals.
            Package(Handshake) if decoded.from == Role::Server => {
                json!({"code": meaning.unwrap_or_default().get("code")})
            }
            // The client's name and its tables belong to the session.
            Package(Handshake) => meaning.unwrap_or_default().get("user").cloned().unwrap_or_default(),
            _ => match (meaning, decoded.field(&PAYLOAD)) {
                (Some(meaning), _) => meaning,
                (None, Some(payload @ Json::Object(_))) => payload.clone(),
                (None, _) => without(decoded.to_json(), RULES.volatile(decoded.message)),
            },
        }
    }

    fn is_reliable(&self, _sent: &OwnedMessage) -> bool {
        true
    }
}
