//! Playing one side of a recorded nano (pomelo, pinus, pitaya) conversation to a live peer.
//!
//! Handshake, acknowledgement and heartbeats are live; route codes follow the live dictionary, and
//! a response goes to the live request of the same route (facts, sections 2 and 3).

use super::layout;
use crate::protocols::replay::{Actor, Cast, Fate, Heed, Outbox, Recorded, Replay, Said, without};
use crate::protocols::{Role, websocket};
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Ids up to here are right for every server: some take a bit 31 for a sign, and hang.
const LARGEST_ID: u64 = (1 << 28) - 1;
/// Any mask is as good as another: it hides nothing.
const MASK: &str = "6e6b7470";
/// What a server's key is joined with before it is hashed (RFC 6455, section 4.2.2).
const GUID: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The protocol's part in replays.
pub struct Replaying;

impl Replay for Replaying {
    fn actor(&self, cast: &Cast<'_>) -> Box<dyn Actor> {
        Box::new(Playing::new(cast))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// WebSocket: not yet upgraded.
    New,
    /// Packages may flow.
    Open,
    /// The client has sent its handshake.
    Asked,
    /// The server has answered.
    Answered,
    /// The client has acknowledged.
    Working,
    Over,
}

/// A request of the capture, and the live one that takes its place.
#[derive(Debug)]
struct Request {
    recorded: u64,
    frame: u64,
    route: String,
    live: Option<u64>,
}

struct Playing {
    role: Role,
    state: State,
    why: Option<String>,
    websocket: bool,
    host: String,
    path: Option<String>,
    /// The client's key, for the server's answer.
    key: Option<String>,
    /// The live dictionary: route to code.
    dictionary: BTreeMap<String, u64>,
    requests: Vec<Request>,
    /// Ids of the capture that are right as they are.
    taken: BTreeSet<u64>,
    ids: BTreeMap<u64, u64>,
    asked: BTreeMap<u64, Instant>,
    interval: Option<Duration>,
    beat: Option<Instant>,
    has_upgrade: bool,
    has_handshake: bool,
    has_ack: bool,
}

/// A message's route, by whichever way it is known.
fn route(said: &Said) -> Option<&str> {
    said.text("route").or_else(|| said.derived("route").and_then(Json::as_str))
}

impl Playing {
    fn new(cast: &Cast<'_>) -> Playing {
        let ours =
            |name: &str| cast.messages.iter().any(|m| m.said.from == cast.role && m.said.message == name && !m.dropped);
        let recorded = cast.messages.iter().any(|m| m.said.message == "upgrade_request");
        let websocket = recorded || cast.path.is_some();
        Playing {
            role: cast.role,
            state: if websocket { State::New } else { State::Open },
            why: None,
            websocket,
            host: cast.host.into(),
            path: cast.path.map(String::from),
            key: None,
            dictionary: BTreeMap::new(),
            requests: Vec::new(),
            taken: BTreeSet::new(),
            ids: BTreeMap::new(),
            asked: BTreeMap::new(),
            interval: None,
            beat: None,
            has_upgrade: ours("upgrade_request"),
            has_handshake: ours("handshake"),
            has_ack: ours("handshake_ack"),
        }
    }

    fn message(&self, message: &'static str, fields: Json) -> Said {
        Said { proto: super::NAME, message, from: self.role, fields, ..Said::default() }
    }

    /// A frame of the carrier's own.
    fn control(&self, message: &'static str, mut fields: Map<String, Json>) -> Said {
        fields.remove("mask");
        if self.role == Role::Client {
            fields.insert("mask".into(), MASK.into());
        }
        Said { proto: websocket::NAME, message, from: self.role, fields: Json::Object(fields), ..Said::default() }
    }

    /// The id that a request gets, and its response comes with.
    fn id(&mut self, recorded: u64) -> u64 {
        if recorded <= LARGEST_ID {
            return recorded;
        }
        let taken = &self.taken;
        let used: BTreeSet<u64> = self.ids.values().copied().collect();
        let free = || (1..=LARGEST_ID).rev().find(|id| !taken.contains(id) && !used.contains(id)).unwrap_or(LARGEST_ID);
        *self.ids.entry(recorded).or_insert_with(free)
    }

    /// The route as the live dictionary has it.
    fn routed(&self, said: Said, out: &mut Outbox) -> Said {
        // What the server numbers is numbered by its own dictionary, which is the recorded one.
        if self.role == Role::Server || said.fields.get("route_code").is_none() {
            return said;
        }
        let Some(name) = said.derived("route").and_then(Json::as_str).map(String::from) else {
            out.remark("a route code that the capture's dictionary does not have is sent as it is");
            return said;
        };
        match self.dictionary.get(&name) {
            Some(code) => said.with("route_code", *code),
            None => {
                let flags = said.fields.get("flags").and_then(Json::as_array).cloned().unwrap_or_default();
                let flags: Vec<Json> = flags.into_iter().filter(|f| f != "route_code").collect();
                let fields = without(&said.fields, &["route_code"]);
                Said { fields, ..said }.with("flags", flags).with("route", name)
            }
        }
    }

    /// The client's HTTP request: for the live host, without extensions, so that nobody compresses.
    fn upgrade(&self, head: &str) -> String {
        let mut lines = Vec::new();
        for (k, line) in head.trim_end().split("\r\n").enumerate() {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            match (k, name.as_str(), &self.path) {
                (0, _, Some(path)) => lines.push(format!("GET {path} HTTP/1.1")),
                (_, "sec-websocket-extensions", _) => {}
                (1.., "host", _) => lines.push(format!("Host: {}", self.host)),
                (1.., "origin", _) => lines.push(format!("Origin: http://{}", self.host)),
                _ => lines.push(line.into()),
            }
        }
        lines.join("\r\n") + "\r\n\r\n"
    }

    /// The server's HTTP answer, for the live client's key.
    fn upgraded(&self, head: &str) -> String {
        let mut lines = Vec::new();
        for line in head.trim_end().split("\r\n") {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            match (name.as_str(), &self.key) {
                ("sec-websocket-extensions", _) => {}
                ("sec-websocket-accept", Some(key)) => lines.push(format!("Sec-WebSocket-Accept: {}", accept(key))),
                _ => lines.push(line.into()),
            }
        }
        lines.join("\r\n") + "\r\n\r\n"
    }

    fn handshake(&mut self, said: Said, out: &mut Outbox) {
        self.state = State::Asked;
        // nano's own clients say nothing, and nano does not mind; pomelo refuses them (probe.md).
        if said.text("body").is_none_or(str::is_empty) {
            out.remark("the captured client's empty handshake is sent with a \"sys\", which pomelo and pinus ask for");
            out.say.push_back(said.with("body", json!({"sys": {"type": "netkit", "version": "1.1.1"}}).to_string()));
            return;
        }
        // A client that says which dictionary it has is not sent another: we need the live one.
        let said = match said.text("body").and_then(|body| serde_json::from_str::<Json>(body).ok()) {
            Some(mut body) => {
                let sys = body.get_mut("sys").and_then(Json::as_object_mut);
                let cached = sys.is_some_and(|sys| {
                    let dictionary = sys.remove("dictVersion").is_some();
                    sys.remove("protoVersion").is_some() || dictionary
                });
                if cached { said.with("body", body.to_string()) } else { said }
            }
            None => said,
        };
        out.say.push_back(said);
    }

    /// The server's answer to the handshake.
    fn answered(&mut self, said: &Said) {
        let body = said.derived("json").unwrap_or(&Json::Null);
        let code = body.get("code").and_then(Json::as_u64);
        if let Some(code) = code.filter(|code| *code != 200) {
            self.why = Some(format!("the handshake is answered with code {code}"));
            self.state = State::Over;
            return;
        }
        let sys = body.get("sys").unwrap_or(&Json::Null);
        if let Some(dictionary) = sys.get("dict").and_then(Json::as_object) {
            self.dictionary = dictionary.iter().filter_map(|(k, v)| Some((k.clone(), v.as_u64()?))).collect();
        }
        let seconds = sys.get("heartbeat").and_then(Json::as_f64).filter(|s| *s > 0.0);
        self.interval = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
        self.state = self.state.max(State::Answered);
    }

    fn acknowledge(&mut self, said: Said, now: Instant, out: &mut Outbox) {
        out.say.push_back(said);
        self.state = State::Working;
        self.beat = self.interval.map(|interval| now + interval);
    }

    fn close(&mut self, why: String) {
        self.why.get_or_insert(why);
        self.state = State::Over;
    }
}

/// The answer to a client's key.
fn accept(key: &str) -> String {
    let hash = sha1_smol::Sha1::from(format!("{key}{GUID}")).digest().bytes();
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |bits: u32| LETTERS.get((bits & 63) as usize).copied().unwrap_or(b'=') as char;
    let mut text = String::new();
    for chunk in hash.chunks(3) {
        let byte = |k: usize| chunk.get(k).copied().unwrap_or(0) as u32;
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        (0..4).for_each(|k| text.push(if k <= chunk.len() { letter(bits >> (18 - 6 * k)) } else { '=' }));
    }
    text
}

/// The value of a line of an HTTP head.
fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.split("\r\n").filter_map(|line| line.split_once(':'));
    lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

impl Actor for Playing {
    fn fate(&mut self, message: &Recorded) -> Fate {
        let said = &message.said;
        if said.message == "request" && said.fault.is_none() && said.from == Role::Client {
            let recorded = said.number("id").unwrap_or(0);
            self.taken.insert(recorded);
            let route = route(said).unwrap_or_default().to_string();
            self.requests.push(Request { recorded, frame: message.frame, route, live: None });
        }
        if let Some(fault) = &said.fault {
            return Fate::Danger(format!("broken: {fault}; an empty or cut data package ends a pomelo server"));
        }
        if said.proto == websocket::NAME {
            return match said.message {
                "upgrade_request" | "upgrade_response" => Fate::Say,
                "ping" | "pong" => Fate::Live("pings and pongs"),
                "close" => Fate::Live("close frames"),
                _ => Fate::Danger("a WebSocket message without a package: it ends a pomelo server's connection".into()),
            };
        }
        match said.message {
            "heartbeat" => Fate::Live("heartbeats"),
            "kick" if said.from == Role::Client => Fate::Danger("a kick is the server's: pomelo closes".into()),
            name if layout::layout(name).is_none() || matches!(name, "data" | "unknown") => {
                Fate::Danger("no message of the protocol".into())
            }
            "request" if said.text("route") == Some("") => Fate::Danger("a request without a route".into()),
            _ => Fate::Say,
        }
    }

    fn begin(&mut self, _now: Instant, out: &mut Outbox) {
        if self.role != Role::Client {
            return;
        }
        if self.websocket && !self.has_upgrade {
            let path = self.path.as_deref().unwrap_or("/");
            // The sample nonce of RFC 6455, section 1.2: it protects nothing.
            let head = format!(
                "GET {path} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                self.host
            );
            out.live(Said { proto: websocket::NAME, ..self.message("upgrade_request", json!({ "head": head })) });
        } else if !self.websocket && !self.has_handshake {
            let said = self.message(
                "handshake",
                json!({"body": json!({"sys": {"type": "netkit", "version": "1.1.1"}}).to_string()}),
            );
            self.handshake(said, out);
        }
    }

    fn ready(&mut self, message: &Recorded, _now: Instant) -> bool {
        let said = &message.said;
        match (said.message, self.role) {
            ("upgrade_request", _) => true,
            ("upgrade_response", _) => self.key.is_some(),
            ("handshake", Role::Client) => self.state >= State::Open,
            ("handshake", _) => self.state >= State::Asked,
            ("handshake_ack", _) => self.state >= State::Answered,
            ("response", Role::Server) => {
                let (id, frame) = (said.number("id").unwrap_or(0), message.frame);
                let request = self.requests.iter().rev().find(|r| r.recorded == id && r.frame <= frame);
                self.state >= State::Working && request.is_none_or(|r| r.live.is_some())
            }
            ("kick", _) => self.state >= State::Asked,
            _ => self.state >= State::Working,
        }
    }

    fn say(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let said = message.said.clone();
        match (said.message, self.role) {
            ("upgrade_request", _) => {
                let head = self.upgrade(said.text("head").unwrap_or_default());
                out.say.push_back(said.with("head", head));
            }
            ("upgrade_response", _) => {
                let head = self.upgraded(said.text("head").unwrap_or_default());
                out.say.push_back(said.with("head", head));
                self.state = State::Open;
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
                let said = self.routed(said.with("id", id), out);
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
                let said = self.routed(said, out);
                out.say.push_back(said);
            }
        }
        Ok(())
    }

    fn heard(&mut self, said: &Said, now: Instant, out: &mut Outbox) -> Heed {
        match (said.message, self.role) {
            ("upgrade_request", Role::Server) => {
                self.key = said.text("head").and_then(|head| header(head, "sec-websocket-key")).map(String::from);
            }
            ("upgrade_response", Role::Client) => {
                if said.derived("status").and_then(Json::as_u64) != Some(101) {
                    let status = said.derived("status").map(ToString::to_string).unwrap_or_default();
                    self.close(format!("the upgrade is answered with status {status}"));
                    return Heed::New;
                }
                self.state = self.state.max(State::Open);
                if !self.has_handshake {
                    let body = json!({"sys": {"type": "netkit", "version": "1.1.1"}}).to_string();
                    let said = self.message("handshake", json!({ "body": body }));
                    self.handshake(said, out);
                }
            }
            ("ping", _) => {
                let fields = said.fields.as_object().cloned().unwrap_or_default();
                let pong = self.control("pong", fields);
                out.live(pong);
                return Heed::Session;
            }
            ("pong", _) => return Heed::Session,
            ("close", _) => {
                let fields = said.fields.as_object().cloned().unwrap_or_default();
                if self.state != State::Over {
                    let close = self.control("close", fields);
                    out.live(close);
                    self.close("the WebSocket was closed".into());
                }
                return Heed::Session;
            }
            ("handshake", Role::Client) => {
                self.answered(said);
                if self.state == State::Answered && !self.has_ack {
                    let ack = self.message("handshake_ack", json!({}));
                    self.acknowledge(ack, now, out);
                }
            }
            ("handshake", _) => self.state = self.state.max(State::Asked),
            ("handshake_ack", _) => self.state = self.state.max(State::Working),
            ("heartbeat", Role::Server) => {
                // As pomelo does; nano's clients do not mind.
                let beat = self.message("heartbeat", json!({}));
                out.live(beat);
                return Heed::Session;
            }
            ("heartbeat", _) => return Heed::Session,
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
                self.close(format!("kick {reason}"));
            }
            _ => {}
        }
        Heed::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let interval = self.interval.filter(|_| self.role == Role::Client && self.state == State::Working)?;
        let beat = self.beat.get_or_insert(now + interval);
        if now >= *beat {
            *beat = now + interval;
            let said = self.message("heartbeat", json!({}));
            out.live(said);
        }
        self.beat
    }

    fn settled(&self, _now: Instant) -> bool {
        true
    }

    fn over(&self) -> Option<String> {
        self.why.clone().filter(|_| self.state == State::Over)
    }

    fn closes(&self, message: &Recorded) -> bool {
        message.said.message == "kick"
    }

    fn leave(&mut self, out: &mut Outbox) {
        // There is no goodbye package: the end of the stream is the goodbye.
        if self.websocket && self.state > State::New && self.state != State::Over {
            let mut fields = Map::new();
            fields.insert("code".into(), 1000.into());
            let close = self.control("close", fields);
            out.live(close);
        }
        self.state = State::Over;
    }

    fn identity(&self, said: &Said) -> String {
        match route(said) {
            Some(route) => format!("{} {route}", said.message),
            None => said.message.into(),
        }
    }

    fn content(&self, said: &Said) -> Json {
        let meaning = said.derived("json").cloned();
        match said.message {
            "upgrade_request" | "upgrade_response" => Json::Null,
            // What differs from server to server: tables, times, intervals.
            "handshake" if said.from == Role::Server => json!({"code": meaning.unwrap_or_default().get("code")}),
            // What it calls itself and which tables it has is the session's.
            "handshake" => meaning.unwrap_or_default().get("user").cloned().unwrap_or_default(),
            _ => match meaning {
                Some(meaning) => json!({"payload": meaning}),
                None => without(&said.fields, &["id", "route", "route_code", "flags", "mask"]),
            },
        }
    }

    fn sure(&self, _said: &Said) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_to_a_key() {
        // The example of RFC 6455, section 1.3.
        assert_eq!(accept("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
