//! What becomes of each recorded message, and what is answered live.

use super::super::layout;
use super::{LARGEST_ID, NanoActor, Request, hello, route};
use crate::dissect::Role;
use crate::live::OwnedMessage;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded, without};
use crate::live::replay::{Life, Phase, Rules};
use crate::protocols::websocket;
use crate::protocols::websocket::upgrade;
use serde_json::{Map, Value as Json, json};
use std::time::Instant;

/// The line of a request that the server's answer must prove to have read.
const KEY: &str = "sec-websocket-key";

static RULES: Rules = Rules {
    empty: "",
    broken: "; an empty or cut data package ends a pomelo server",
    live: &[("heartbeat", "heartbeats")],
    opens: [&[], &[]],
    closes: &["kick"],
    answers: &["handshake", "handshake_ack", "response"],
    others: &[("push", "pushes")],
    volatile: &[(&[], &["id", "route", "route_code", "flags", "mask"])],
    decided: &[(&["response"], &["id"])],
};

impl Actor for NanoActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn rules(&self) -> &'static Rules {
        &RULES
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let said = &message.said;
        if said.message == "request" && said.fault.is_none() && said.from == Role::Client {
            let recorded = said.number("id").unwrap_or(0);
            self.taken.insert(recorded);
            let route = route(said).unwrap_or_default().to_string();
            self.requests.push(Request { recorded, frame: message.frame, route, live: None });
        }
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if said.proto == websocket::NAME {
            return match said.message {
                // What the carrier is, is the live session's business.
                "upgrade_request" | "upgrade_response" if said.from != self.life.role => Disposition::Live("upgrades"),
                "upgrade_request" | "upgrade_response" => Disposition::Send,
                "ping" | "pong" => Disposition::Live("pings and pongs"),
                "close" => Disposition::Live("close frames"),
                _ => Disposition::Danger(
                    "a WebSocket message without a package: it ends a pomelo server's connection".into(),
                ),
            };
        }
        match said.message {
            "kick" if said.from == Role::Client => Disposition::Danger("a kick is the server's: pomelo closes".into()),
            name if layout::layout(name).is_none() || matches!(name, "data" | "unknown") => {
                Disposition::Danger("no message of the protocol".into())
            }
            "request" if said.text("route") == Some("") => Disposition::Danger("a request without a route".into()),
            _ if self.is_raw(message) => Disposition::Danger(format!(
                "route code {} without its dictionary: the live server's handler of that number would run; \
                 -s nano.dict=FILE gives the recorded one",
                said.number("route_code").unwrap_or_default()
            )),
            _ => RULES.disposition(message),
        }
    }

    fn decides(&self, said: &OwnedMessage, path: &str) -> bool {
        let large = path == "id" && said.number("id").is_none_or(|id| id > LARGEST_ID);
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
                ..self.life.message("upgrade_request", json!({ "head": head }))
            });
        } else if !self.websocket && !self.has_handshake {
            let said = self.life.message("handshake", json!({"body": hello(self.life.data.as_ref())}));
            self.handshake(said, out);
        }
    }

    fn waits(&mut self, message: &Recorded, _now: Instant) -> Option<&'static str> {
        let (said, phase) = (&message.said, self.life.phase);
        let behind = |least: Phase, what: &'static str| (phase < least).then_some(what);
        match (said.message, self.life.role) {
            ("upgrade_request", _) => None,
            ("upgrade_response", _) => self.key.is_none().then_some("the client's upgrade"),
            ("handshake", Role::Client) => behind(Phase::Open, "the answer to the upgrade"),
            ("handshake" | "kick", _) => behind(Phase::Asked, "the client's handshake"),
            ("handshake_ack", _) => behind(Phase::Answered, "the answer to the handshake"),
            ("response", Role::Server) => {
                let (id, frame) = (said.number("id").unwrap_or(0), message.frame);
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
        match (said.message, self.life.role) {
            ("upgrade_request", _) => {
                let head = self.upgrade(said.text("head").unwrap_or_default());
                self.key = upgrade::header(&head, KEY).map(String::from);
                out.say.push_back(said.with("head", head));
            }
            ("upgrade_response", _) => {
                let head = self.upgraded(said.text("head").unwrap_or_default());
                out.say.push_back(said.with("head", head));
                self.life.phase = Phase::Open;
            }
            ("handshake", Role::Client) => self.handshake(said, out),
            ("handshake", _) => {
                self.answered(&said);
                out.say.push_back(said);
            }
            ("handshake_ack", _) => self.acknowledge(said, now, out),
            ("request", Role::Client) => {
                let id = self.id(said.number("id").unwrap_or(0));
                self.asked.insert(id, now);
                let said = self.routed(said.with("id", id), message, out);
                out.say.push_back(said);
            }
            ("response", Role::Server) => {
                let (id, frame) = (said.number("id").unwrap_or(0), message.frame);
                let request = self.requests.iter().rev().find(|r| r.recorded == id && r.frame <= frame);
                let Some(live) = request.and_then(|r| r.live) else {
                    return Err("the live client has not made this request".into());
                };
                out.say.push_back(said.with("id", live));
            }
            _ => {
                let said = self.routed(said, message, out);
                out.say.push_back(said);
            }
        }
        Ok(())
    }

    fn recv(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        match (said.message, self.life.role) {
            ("upgrade_request", Role::Server) => {
                self.key = said.text("head").and_then(|head| upgrade::header(head, KEY)).map(String::from);
                return Handling::Session;
            }
            ("upgrade_response", Role::Client) => {
                if said.derived("status").and_then(Json::as_u64) != Some(101) {
                    let status = said.derived("status").map(ToString::to_string).unwrap_or_default();
                    self.life.end(format!("no WebSocket there: the upgrade is answered with HTTP status {status}"));
                    return Handling::Session;
                }
                let answer = said.text("head").and_then(|head| upgrade::header(head, "sec-websocket-accept"));
                if self.key.as_deref().is_some_and(|key| answer != Some(&upgrade::accept(key))) {
                    self.life.end("the upgrade is granted, but not to our key: it is no WebSocket server");
                    return Handling::Session;
                }
                self.life.reach(Phase::Open);
                if !self.has_handshake {
                    let said = self.life.message("handshake", json!({"body": hello(self.life.data.as_ref())}));
                    self.handshake(said, out);
                }
                return Handling::Session;
            }
            ("ping", _) => {
                let fields = said.fields.as_object().cloned().unwrap_or_default();
                let pong = self.control("pong", fields);
                out.live(pong);
                return Handling::Session;
            }
            ("pong", _) => return Handling::Session,
            ("close", _) => {
                let fields = said.fields.as_object().cloned().unwrap_or_default();
                if self.life.phase != Phase::Over {
                    let close = self.control("close", fields);
                    out.live(close);
                    self.parted = true;
                    self.life.end("the WebSocket was closed");
                }
                return Handling::Session;
            }
            ("handshake", Role::Client) => {
                self.answered(said);
                if self.life.phase == Phase::Answered && !self.has_ack {
                    let ack = self.life.message("handshake_ack", json!({}));
                    self.acknowledge(ack, now, out);
                }
            }
            ("handshake", _) => self.life.reach(Phase::Asked),
            ("handshake_ack", _) => self.life.reach(Phase::Working),
            ("heartbeat", Role::Server) => {
                // As pomelo does; nano's clients do not mind.
                let beat = self.life.message("heartbeat", json!({}));
                out.live(beat);
                return Handling::Session;
            }
            ("heartbeat", _) => return Handling::Session,
            ("request", Role::Server) => {
                let (route, id) = (route(said).unwrap_or_default(), said.number("id"));
                if let Some(open) = self.requests.iter_mut().find(|r| r.live.is_none() && r.route == route) {
                    open.live = id;
                } else {
                    out.remark(format!(
                        "a request for {route:?} that the capture does not have stays without an answer"
                    ));
                }
            }
            ("response", Role::Client) => {
                if let Some(at) = said.number("id").and_then(|id| self.asked.remove(&id)) {
                    out.counts.round_trip(now.saturating_duration_since(at));
                }
            }
            ("kick", Role::Client) => {
                let reason = said.text("body").unwrap_or_default().to_string();
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
            let said = self.life.message("heartbeat", json!({}));
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
            fields.insert("code".into(), 1000.into());
            let close = self.control("close", fields);
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
        let meaning = said.derived("json").or_else(|| said.derived("message")).cloned();
        match said.message {
            "upgrade_request" | "upgrade_response" => Json::Null,
            // What differs from server to server: tables, times, intervals.
            "handshake" if said.from == Role::Server => json!({"code": meaning.unwrap_or_default().get("code")}),
            // What it calls itself and which tables it has is the session's.
            "handshake" => meaning.unwrap_or_default().get("user").cloned().unwrap_or_default(),
            _ => match (meaning, said.fields.get("payload")) {
                (Some(meaning), _) => meaning,
                (None, Some(payload @ Json::Object(_))) => payload.clone(),
                (None, _) => without(&said.fields, RULES.volatile(said.message)),
            },
        }
    }

    fn sure(&self, _said: &OwnedMessage) -> bool {
        true
    }
}
