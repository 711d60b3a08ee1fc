//! Plays one side of a recorded nano (pomelo, pinus, pitaya) conversation to a live peer.
//!
//! Handshake, acknowledgement and heartbeats are live. Route codes follow the live dictionary, and a response goes to
//! the live request with the same route.

mod actor;
mod answer;
mod cached;
mod family;
mod probe;
mod upgrade;

use super::layout::Message::{self, *};
use super::layout::{BODY, CODE, FLAGS, ROUTE};
use super::payload::JSON;
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext, without};
use crate::live::replay::{Life, Phase};
use crate::message::OwnedMessage;
use crate::protocols::websocket;
use crate::protocols::websocket::layout::Message::UpgradeRequest;
use serde_json::{Map, Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// The largest id that every server accepts: some read bit 31 as a sign, and hang.
const LARGEST_ID: u64 = (1 << 28) - 1;
/// The mask of our frames. Any value is as good: it hides nothing.
const MASK: &str = "6e6b7470";

/// Our own handshake, with the members that pomelo servers require and nano servers ignore.
const HELLO: &str = r#"{"sys":{"type":"netkit","version":"1.1.1"},"user":{}}"#;

/// The handshake, with the user data that the application expects.
fn hello(user: Option<&Json>) -> String {
    match user {
        None => HELLO.into(),
        Some(user) => json!({"sys": {"type": "netkit", "version": "1.1.1"}, "user": user}).to_string(),
    }
}

/// Probes servers of the nano family and replays recorded conversations.
pub struct NanoClient;

impl Replay for NanoClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(NanoActor::new(context))
    }

    fn missing_settings(&self, messages: &[Recorded], earlier: &[Recorded]) -> Vec<String> {
        cached::missing_settings(messages, earlier)
    }
}

/// A request of the capture, and the live one that replaces it.
#[derive(Debug)]
struct Request {
    recorded: u64,
    frame: u64,
    route: String,
    live: Option<u64>,
}

struct NanoActor {
    life: Life,
    websocket: bool,
    host: String,
    path: Option<String>,
    /// The client's WebSocket key, which the server answers.
    key: Option<String>,
    /// The live dictionary: route to code.
    dictionary: BTreeMap<String, u64>,
    requests: Vec<Request>,
    /// Ids of the capture that are kept.
    taken: BTreeSet<u64>,
    ids: BTreeMap<u64, u64>,
    /// All ids from here up are taken or used.
    lowest: u64,
    asked: BTreeMap<u64, Instant>,
    interval: Option<Duration>,
    beat: Option<Instant>,
    has_upgrade: bool,
    has_handshake: bool,
    has_ack: bool,
    /// The WebSocket's close frame was sent.
    parted: bool,
    /// The client leaves as soon as the upgrade is granted.
    leaves: bool,
}

/// Returns the server's heartbeat interval, as its answer to the handshake names it.
fn interval(sys: &Json) -> Option<Duration> {
    let seconds = sys.get("heartbeat").and_then(Json::as_f64).filter(|s| *s > 0.0)?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// The kind of a line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// A message of the carrier.
    Carrier(websocket::layout::Message),
    /// A package.
    Package(Message),
    /// A message of neither.
    Other,
}

impl Line {
    fn of(decoded: &OwnedMessage) -> Line {
        let carrier = || websocket::layout::Message::named(decoded.message).map(Line::Carrier);
        Message::named(decoded.message).map(Line::Package).or_else(carrier).unwrap_or(Line::Other)
    }
}

/// A message's route, from the message or derived.
fn route(decoded: &OwnedMessage) -> Option<&str> {
    decoded.text(&ROUTE).or_else(|| decoded.derived(&ROUTE).and_then(Json::as_str))
}

/// Whether the user set the code.
fn wants_code(message: &Recorded) -> bool {
    message.changed.puts.iter().any(|put| put.plain() == CODE.name)
}

impl NanoActor {
    fn new(context: &ReplayContext<'_>) -> NanoActor {
        let ours = |message: &str| context.has(context.role, message);
        let recorded = context.messages.iter().any(|m| m.decoded.message == UpgradeRequest);
        let websocket = recorded || context.path.is_some();
        NanoActor {
            life: Life::new(super::NAME, &actor::RULES, context).at(if websocket { Phase::New } else { Phase::Open }),
            websocket,
            host: context.host.into(),
            path: context.path.map(String::from),
            key: None,
            dictionary: BTreeMap::new(),
            requests: Vec::new(),
            taken: BTreeSet::new(),
            ids: BTreeMap::new(),
            lowest: LARGEST_ID + 1,
            asked: BTreeMap::new(),
            interval: None,
            beat: None,
            has_upgrade: ours(UpgradeRequest.name()),
            has_handshake: ours(Handshake.name()),
            // A probe acknowledges after it has sampled the packages that are answered before the ack.
            has_ack: ours(HandshakeAck.name()) || context.probe,
            parted: false,
            leaves: false,
        }
    }

    /// A control frame or other message of the carrier.
    fn control(&self, message: websocket::layout::Message, mut fields: Map<String, Json>) -> OwnedMessage {
        fields.remove(websocket::layout::MASK.name);
        if self.life.role == Role::Client {
            fields.insert(websocket::layout::MASK.name.into(), MASK.into());
        }
        OwnedMessage::new(websocket::NAME, message.name(), self.life.role, Json::Object(fields))
    }

    /// The id for a request and its response.
    fn id(&mut self, recorded: u64) -> u64 {
        if recorded <= LARGEST_ID {
            return recorded;
        }
        let (taken, lowest) = (&self.taken, &mut self.lowest);
        *self.ids.entry(recorded).or_insert_with(|| {
            *lowest = (1..*lowest).rev().find(|id| !taken.contains(id)).unwrap_or(LARGEST_ID);
            *lowest
        })
    }

    /// Replaces a route code by that of the live dictionary.
    fn routed(&self, decoded: OwnedMessage, message: &Recorded, out: &mut Outbox) -> OwnedMessage {
        // A server uses its own dictionary, which is the recorded one. A code that the user set is kept.
        if self.life.role == Role::Server || !decoded.has(&CODE) || wants_code(message) {
            return decoded;
        }
        let Some(name) = decoded.derived(&ROUTE).and_then(Json::as_str).map(String::from) else {
            out.remark("a route code that the capture's dictionary does not have is sent as it is");
            return decoded;
        };
        match self.dictionary.get(&name) {
            Some(code) => decoded.with(&CODE, *code),
            None => {
                let flags = decoded.field(&FLAGS).and_then(Json::as_array).cloned().unwrap_or_default();
                let flags: Vec<Json> = flags.into_iter().filter(|f| f != CODE.name).collect();
                let fields = without(decoded.to_json(), &[CODE.name]);
                decoded.with_fields(fields).with(&FLAGS, flags).with(&ROUTE, name)
            }
        }
    }

    /// Whether a code of ours has no known route.
    fn is_raw(&self, message: &Recorded) -> bool {
        let decoded = &message.decoded;
        self.life.role == Role::Client
            && decoded.from == Role::Client
            && decoded.has(&CODE)
            && decoded.derived(&ROUTE).is_none()
            && !wants_code(message)
    }

    /// Sends a handshake that was not recorded.
    fn greet(&mut self, out: &mut Outbox) {
        let decoded = self.life.message(Handshake.name(), json!({"body": hello(self.life.data.as_ref())}));
        self.handshake(decoded, out);
    }

    fn handshake(&mut self, decoded: OwnedMessage, out: &mut Outbox) {
        self.life.phase = Phase::Asked;
        // nano's own clients send an empty handshake, and nano accepts it. pomelo refuses it.
        if decoded.text(&BODY).is_none_or(str::is_empty) {
            out.remark("the captured client's empty handshake is sent with a \"sys\", which pomelo and pinus ask for");
            out.messages
                .push_back(decoded.with(&BODY, json!({"sys": {"type": "netkit", "version": "1.1.1"}}).to_string()));
            return;
        }
        // A client that sends its dictionary's version gets no new one, but we need the live one.
        let decoded = match decoded.text(&BODY).and_then(|body| serde_json::from_str::<Json>(body).ok()) {
            Some(mut body) => {
                let sys = body.get_mut("sys").and_then(Json::as_object_mut);
                let cached = sys.is_some_and(|sys| {
                    let dictionary = sys.remove("dictVersion").is_some();
                    sys.remove("protoVersion").is_some() || dictionary
                });
                if cached { decoded.with(&BODY, body.to_string()) } else { decoded }
            }
            None => decoded,
        };
        out.messages.push_back(decoded);
    }

    /// Handles the server's answer to the handshake.
    fn answered(&mut self, decoded: &OwnedMessage) {
        let body = decoded.derived(&JSON).unwrap_or(&Json::Null);
        let code = body.get("code").and_then(Json::as_u64);
        if let Some(code) = code.filter(|code| *code != 200) {
            self.life.end(format!("the handshake is answered with code {code}"));
            return;
        }
        let sys = body.get("sys").unwrap_or(&Json::Null);
        if let Some(dictionary) = sys.get("dict").and_then(Json::as_object) {
            self.dictionary = dictionary.iter().filter_map(|(k, v)| Some((k.clone(), v.as_u64()?))).collect();
        }
        self.interval = interval(sys);
        self.life.reach(Phase::Answered);
    }

    fn acknowledge(&mut self, decoded: OwnedMessage, now: Instant, out: &mut Outbox) {
        out.messages.push_back(decoded);
        self.life.phase = Phase::Working;
        self.beat = self.interval.map(|interval| now + interval);
    }
}
