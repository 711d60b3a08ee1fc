//! What becomes of each recorded message, and what is answered live.

use super::super::layout::Message::*;
use super::super::layout::{BODY, CODE, FLAGS, ID, PAYLOAD, ROUTE};
use super::super::payload;
use super::Line::{self, Carrier, Package};
use super::{LARGEST_ID, NanoActor, Request, hello, route};
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, without};
use crate::live::replay::{Life, Phase, Rules};
use crate::message::OwnedMessage;
use crate::protocols::websocket;
use crate::protocols::websocket::layout::Message::{Close, Ping, Pong, UpgradeRequest, UpgradeResponse};
use crate::protocols::websocket::layout::{CODE as CLOSE_CODE, HEAD, STATUS};
use crate::protocols::websocket::upgrade;
use serde_json::{Map, Value as Json, json};
use std::time::Instant;

/// The line of a request that the server's answer must prove to have read.
const KEY: &str = "sec-websocket-key";

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
        let said = &message.said;
        if said.message == Request && said.fault.is_none() && said.from == Role::Client {
            let recorded = said.number(&ID).unwrap_or(0);
            self.taken.insert(recorded);
            let route = route(said).unwrap_or_default().to_string();
            self.requests.push(Request { recorded, frame: message.frame, route, live: None });
        }
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if said.proto == websocket::NAME {
            return match Line::of(said) {
                // What the carrier is, is the live session's business.
                Carrier(UpgradeRequest | UpgradeResponse) if said.from != self.life.role => {
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
        match Line::of(said) {
            Package(Kick) if said.from == Role::Client => {
                Disposition::Danger("a kick is the server's: pomelo closes".into())
            }
            Carrier(_) | Package(Data | Unknown) | Line::Other => {
                Disposition::Danger("no message of the protocol".into())
            }
            Package(Request) if said.text(&ROUTE) == Some("") => {
                Disposition::Danger("a request without a route".into())
            }
            _ if self.is_raw(message) => Disposition::Danger(format!(
                "route code {} without its dictionary: the live server's handler of that number would run; \
                 -s nano.dict=FILE gives the recorded one",
                said.number(&CODE).unwrap_or_default()
            )),
            _ => RULES.disposition(message),
        }
    }

    fn decides(&self, said: &OwnedMessage, path: &str) -> bool {
        let large = path == ID.name && said.number(&ID).is_none_or(|id| id > LARGEST_ID);
        large || RULES.decides(said.message, path)
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
            let said = self.life.message(Handshake.name(), json!({"body": hello(self.life.data.as_ref())}));
            self.handshake(said, out);
        }
    }

    fn waits(&mut self, message: &Recorded, _now: Instant) -> Option<&'static str> {
        let (said, phase) = (&message.said, self.life.phase);
        let behind = |least: Phase, what: &'static str| (phase < least).then_some(what);
        match (Line::of(said), self.life.role) {
            (Carrier(UpgradeRequest), _) => None,
            (Carrier(UpgradeResponse), _) => self.key.is_none().then_some("the client's upgrade"),
            (Package(Handshake), Role::Client) => behind(Phase::Open, "the answer to the upgrade"),
            (Package(Handshake | Kick), _) => behind(Phase::Asked, "the client's handshake"),
            (Package(HandshakeAck), _) => behind(Phase::Answered, "the answer to the handshake"),
            (Package(Response), Role::Server) => {
                let (id, frame) = (said.number(&ID).unwrap_or(0), message.frame);
                let request = self.requests.iter().rev().find(|r| r.recorded == id && r.frame <= frame);
                behind(Phase::Working, "the client's handshake_ack")
                    .or_else(|| request.is_some_and(|r| r.live.is_none()).then_some("the client's request"))
            }
            (_, Role::Server) => behind(Phase::Working, "the client's handshake_ack"),
            _ => behind(Phase::Working, "the answer to the handshake"),
        }
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let said = message.said.clone();
        match (Line::of(&said), self.life.role) {
            (Carrier(UpgradeRequest), _) => {
                let head = self.upgrade(said.text(&HEAD).unwrap_or_default());
                self.key = upgrade::header(&head, KEY).map(String::from);
                out.say.push_back(said.with(&HEAD, head));
            }
            (Carrier(UpgradeResponse), _) => {
                let head = self.upgraded(said.text(&HEAD).unwrap_or_default());
                out.say.push_back(said.with(&HEAD, head));
                self.life.phase = Phase::Open;
            }
            (Package(Handshake), Role::Client) => self.handshake(said, out),
            (Package(Handshake), _) => {
                self.answered(&said);
                out.say.push_back(said);
            }
            (Package(HandshakeAck), _) => self.acknowledge(said, now, out),
            (Package(Request), Role::Client) => {
                let id = self.id(said.number(&ID).unwrap_or(0));
                self.asked.insert(id, now);
                let said = self.routed(said.with(&ID, id), message, out);
                out.say.push_back(said);
            }
            (Package(Response), Role::Server) => {
                let (id, frame) = (said.number(&ID).unwrap_or(0), message.frame);
                let request = self.requests.iter().rev().find(|r| r.recorded == id && r.frame <= frame);
                let Some(live) = request.and_then(|r| r.live) else {
                    return Err("the live client has not made this request".into());
                };
                out.say.push_back(said.with(&ID, live));
            }
            _ => {
                let said = self.routed(said, message, out);
                out.say.push_back(said);
            }
        }
        Ok(())
    }

    fn recv(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        match (Line::of(said), self.life.role) {
            (Carrier(UpgradeRequest), Role::Server) => {
                self.key = said.text(&HEAD).and_then(|head| upgrade::header(head, KEY)).map(String::from);
                return Handling::Session;
            }
            (Carrier(UpgradeResponse), Role::Client) => {
                if said.derived(&STATUS).and_then(Json::as_u64) != Some(101) {
                    let status = said.derived(&STATUS).map(ToString::to_string).unwrap_or_default();
                    self.life.end(format!("no WebSocket there: the upgrade is answered with HTTP status {status}"));
                    return Handling::Session;
                }
                let answer = said.text(&HEAD).and_then(|head| upgrade::header(head, "sec-websocket-accept"));
                if self.key.as_deref().is_some_and(|key| answer != Some(&upgrade::accept(key))) {
                    self.life.end("the upgrade is granted, but not to our key: it is no WebSocket server");
                    return Handling::Session;
                }
                self.life.reach(Phase::Open);
                if !self.has_handshake {
                    let said = self.life.message(Handshake.name(), json!({"body": hello(self.life.data.as_ref())}));
                    self.handshake(said, out);
                }
                return Handling::Session;
            }
            (Carrier(Ping), _) => {
                let fields = said.to_json().as_object().cloned().unwrap_or_default();
                let pong = self.control(Pong, fields);
                out.live(pong);
                return Handling::Session;
            }
            (Carrier(Pong), _) => return Handling::Session,
            (Carrier(Close), _) => {
                let fields = said.to_json().as_object().cloned().unwrap_or_default();
                if self.life.phase != Phase::Over {
                    let close = self.control(Close, fields);
                    out.live(close);
                    self.parted = true;
                    self.life.end("the WebSocket was closed");
                }
                return Handling::Session;
            }
            (Package(Handshake), Role::Client) => {
                self.answered(said);
                if self.life.phase == Phase::Answered && !self.has_ack {
                    let ack = self.life.message(HandshakeAck.name(), json!({}));
                    self.acknowledge(ack, now, out);
                }
            }
            (Package(Handshake), _) => self.life.reach(Phase::Asked),
            (Package(HandshakeAck), _) => self.life.reach(Phase::Working),
            (Package(Heartbeat), Role::Server) => {
                // As pomelo does; nano's clients do not mind.
                let beat = self.life.message(Heartbeat.name(), json!({}));
                out.live(beat);
                return Handling::Session;
            }
            (Package(Heartbeat), _) => return Handling::Session,
            (Package(Request), Role::Server) => {
                let (route, id) = (route(said).unwrap_or_default(), said.number(&ID));
                if let Some(open) = self.requests.iter_mut().find(|r| r.live.is_none() && r.route == route) {
                    open.live = id;
                } else {
                    out.remark(format!(
                        "a request for {route:?} that the capture does not have stays without an answer"
                    ));
                }
            }
            (Package(Response), Role::Client) => {
                if let Some(at) = said.number(&ID).and_then(|id| self.asked.remove(&id)) {
                    out.counts.round_trip(now.saturating_duration_since(at));
                }
            }
            (Package(Kick), Role::Client) => {
                let reason = said.text(&BODY).unwrap_or_default().to_string();
                self.life.end(format!("kick {reason}"));
            }
            _ => {}
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let beats = self.life.role == Role::Client && self.life.phase == Phase::Working && !self.life.probe;
        let interval = self.interval.filter(|_| beats)?;
        let beat = self.beat.get_or_insert(now + interval);
        if now >= *beat {
            *beat = now + interval;
            let said = self.life.message(Heartbeat.name(), json!({}));
            out.live(said);
        }
        self.beat
    }

    fn leave(&mut self, out: &mut Outbox) {
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

    fn identity(&self, said: &OwnedMessage) -> String {
        match route(said) {
            Some(route) => format!("{} {route}", said.message),
            None => said.message.into(),
        }
    }

    fn content(&self, said: &OwnedMessage) -> Json {
        // What is carried: JSON, or what protos name.
        let meaning = said.derived(&payload::JSON).or_else(|| said.derived(&payload::MESSAGE)).cloned();
        match Line::of(said) {
            Carrier(UpgradeRequest | UpgradeResponse) => Json::Null,
            // What differs from server to server: tables, times, intervals.
            Package(Handshake) if said.from == Role::Server => json!({"code": meaning.unwrap_or_default().get("code")}),
            // What it calls itself and which tables it has is the session's.
            Package(Handshake) => meaning.unwrap_or_default().get("user").cloned().unwrap_or_default(),
            _ => match (meaning, said.field(&PAYLOAD)) {
                (Some(meaning), _) => meaning,
                (None, Some(payload @ Json::Object(_))) => payload.clone(),
                (None, _) => without(said.to_json(), RULES.volatile(said.message)),
            },
        }
    }

    fn sure(&self, _said: &OwnedMessage) -> bool {
        true
    }
}
