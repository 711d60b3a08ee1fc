//! Plays one side of a recorded nano (pomelo, pinus, pitaya) conversation to a live peer.
//!
//! Handshake, acknowledgement and heartbeats are live; route codes follow the live dictionary, and
//! a response goes to the live request of the same route.

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

/// Ids up to here are right for every server: some take a bit 31 for a sign, and hang.
const LARGEST_ID: u64 = (1 << 28) - 1;
/// Any mask is as good as another: it hides nothing.
const MASK: &str = "6e6b7470";

/// A handshake of our own: what pomelo's servers demand, and nano's ignore.
const HELLO: &str = r#"{"sys":{"type":"netkit","version":"1.1.1"},"user":{}}"#;

/// The handshake, with what the application expects of its user.
fn hello(user: Option<&Json>) -> String {
    match user {
        None => HELLO.into(),
        Some(user) => json!({"sys": {"type": "netkit", "version": "1.1.1"}, "user": user}).to_string(),
    }
}

/// How servers of the nano family are asked, and recorded conversations played.
pub struct NanoClient;

impl Replay for NanoClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(NanoActor::new(context))
    }

    fn told(&self, messages: &[Recorded], earlier: &[Recorded]) -> Vec<String> {
        cached::told(messages, earlier)
    }
}

/// A request of the capture, and the live one that takes its place.
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
    /// The client's key, which the server answers.
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
    /// The WebSocket's close frame was sent.
    parted: bool,
}

/// What a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Line {
    /// One of the carrier's.
    Carrier(websocket::layout::Message),
    /// A package.
    Package(Message),
    /// None that either has.
    Other,
}

impl Line {
    fn of(said: &OwnedMessage) -> Line {
        let carrier = || websocket::layout::Message::named(said.message).map(Line::Carrier);
        Message::named(said.message).map(Line::Package).or_else(carrier).unwrap_or(Line::Other)
    }
}

/// A message's route, by whichever way it is known.
fn route(said: &OwnedMessage) -> Option<&str> {
    said.text(&ROUTE).or_else(|| said.derived(&ROUTE).and_then(Json::as_str))
}

/// Has the user written this code?
fn wants_code(message: &Recorded) -> bool {
    message.changed.puts.iter().any(|put| put.plain() == CODE.name)
}

impl NanoActor {
    fn new(context: &ReplayContext<'_>) -> NanoActor {
        let ours = |message: &str| context.has(context.role, message);
        let recorded = context.messages.iter().any(|m| m.said.message == UpgradeRequest);
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
            asked: BTreeMap::new(),
            interval: None,
            beat: None,
            has_upgrade: ours(UpgradeRequest.name()),
            has_handshake: ours(Handshake.name()),
            // A probe's comes when it has sampled what is answered before it.
            has_ack: ours(HandshakeAck.name()) || context.probe,
            parted: false,
        }
    }

    /// A frame of the carrier's own.
    fn control(&self, message: websocket::layout::Message, mut fields: Map<String, Json>) -> OwnedMessage {
        fields.remove(websocket::layout::MASK.name);
        if self.life.role == Role::Client {
            fields.insert(websocket::layout::MASK.name.into(), MASK.into());
        }
        OwnedMessage::new(websocket::NAME, message.name(), self.life.role, Json::Object(fields))
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
    fn routed(&self, said: OwnedMessage, message: &Recorded, out: &mut Outbox) -> OwnedMessage {
        // What the server numbers is numbered by its own dictionary, which is the recorded one; and
        // a code that the user has written is meant.
        if self.life.role == Role::Server || !said.has(&CODE) || wants_code(message) {
            return said;
        }
        let Some(name) = said.derived(&ROUTE).and_then(Json::as_str).map(String::from) else {
            out.remark("a route code that the capture's dictionary does not have is sent as it is");
            return said;
        };
        match self.dictionary.get(&name) {
            Some(code) => said.with(&CODE, *code),
            None => {
                let flags = said.field(&FLAGS).and_then(Json::as_array).cloned().unwrap_or_default();
                let flags: Vec<Json> = flags.into_iter().filter(|f| f != CODE.name).collect();
                let fields = without(said.to_json(), &[CODE.name]);
                said.with_fields(fields).with(&FLAGS, flags).with(&ROUTE, name)
            }
        }
    }

    /// A code of ours of which nobody knows what it stands for.
    fn is_raw(&self, message: &Recorded) -> bool {
        let said = &message.said;
        self.life.role == Role::Client
            && said.from == Role::Client
            && said.has(&CODE)
            && said.derived(&ROUTE).is_none()
            && !wants_code(message)
    }

    fn handshake(&mut self, said: OwnedMessage, out: &mut Outbox) {
        self.life.phase = Phase::Asked;
        // nano's own clients say nothing, and nano does not mind; pomelo refuses them.
        if said.text(&BODY).is_none_or(str::is_empty) {
            out.remark("the captured client's empty handshake is sent with a \"sys\", which pomelo and pinus ask for");
            out.say.push_back(said.with(&BODY, json!({"sys": {"type": "netkit", "version": "1.1.1"}}).to_string()));
            return;
        }
        // A client that says which dictionary it has is not sent another: we need the live one.
        let said = match said.text(&BODY).and_then(|body| serde_json::from_str::<Json>(body).ok()) {
            Some(mut body) => {
                let sys = body.get_mut("sys").and_then(Json::as_object_mut);
                let cached = sys.is_some_and(|sys| {
                    let dictionary = sys.remove("dictVersion").is_some();
                    sys.remove("protoVersion").is_some() || dictionary
                });
                if cached { said.with(&BODY, body.to_string()) } else { said }
            }
            None => said,
        };
        out.say.push_back(said);
    }

    /// The server's answer to the handshake.
    fn answered(&mut self, said: &OwnedMessage) {
        let body = said.derived(&JSON).unwrap_or(&Json::Null);
        let code = body.get("code").and_then(Json::as_u64);
        if let Some(code) = code.filter(|code| *code != 200) {
            self.life.end(format!("the handshake is answered with code {code}"));
            return;
        }
        let sys = body.get("sys").unwrap_or(&Json::Null);
        if let Some(dictionary) = sys.get("dict").and_then(Json::as_object) {
            self.dictionary = dictionary.iter().filter_map(|(k, v)| Some((k.clone(), v.as_u64()?))).collect();
        }
        let seconds = sys.get("heartbeat").and_then(Json::as_f64).filter(|s| *s > 0.0);
        self.interval = seconds.and_then(|s| Duration::try_from_secs_f64(s).ok());
        self.life.reach(Phase::Answered);
    }

    fn acknowledge(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        out.say.push_back(said);
        self.life.phase = Phase::Working;
        self.beat = self.interval.map(|interval| now + interval);
    }
}
