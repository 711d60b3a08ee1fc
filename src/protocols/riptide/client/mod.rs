//! Riptide live: one side of a conversation, recorded or a probe's.
//!
//! The peer decides the client id and what it acknowledges; sequence ids begin anew. Acks and
//! heartbeats are made live, recorded resends are not repeated. A probe plays an empty recording:
//! connect, welcome, acks and disconnect are the same actor's, heartbeats are asked by its sampler.

mod actor;
mod answer;
mod numbers;
mod probe;
mod race;
mod sampler;

use super::version::Version;
use crate::dissect::Role;
use crate::flow::Transport;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Asking, Unacknowledged};
use crate::live::{Channel, OwnedMessage};
use numbers::Received;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The library's interval of heartbeats, and of connects that nobody answers.
const HEARTBEAT: Duration = Duration::from_millis(1000);
/// What the library waits before a copy while no round trip is known.
const RESEND: Duration = Duration::from_millis(50);
/// A probe is in no hurry.
const RESEND_PROBE: Duration = Duration::from_millis(250);

/// So often the library asks to connect.
const TRIES: u32 = 5;
/// A disconnect is not acknowledged, and a server that does not know us ignores it.
const GOODBYES: usize = 3;

/// How Riptide's servers are asked, and its recorded conversations played.
pub struct RiptideClient;

impl Replay for RiptideClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(RiptideActor::new(context))
    }

    fn settings(&self, messages: &[Recorded]) -> Vec<String> {
        vec![format!("riptide.version={}", version(messages).name())]
    }
}

/// The version that the recording ends in: what it begins with fits several.
fn version(messages: &[Recorded]) -> Version {
    let mut versions = messages.iter().rev().filter_map(|m| m.said.version);
    let last = versions.clone().next();
    // 2.1 is known by its acks only, which come late.
    let name = versions.find(|v| *v == "2.1").or(last);
    name.and_then(Version::by_name).unwrap_or(Version::V20)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// Nothing was said yet.
    New,
    /// The client has asked.
    Asked,
    /// The server has said welcome.
    Welcomed,
    /// The client has answered.
    Connected,
    /// Left, refused, thrown out.
    Over,
}

struct RiptideActor {
    role: Role,
    version: Version,
    datagrams: bool,
    timeout: Duration,
    state: State,
    why: Option<String>,
    client_id: Option<u64>,
    next: u16,
    sent: Unacknowledged,
    received: Received,
    next_notify: u16,
    notified: Received,
    smooth: Option<Duration>,
    /// The last round trip, as the heartbeat tells it.
    last_trip: i64,
    ping: u8,
    beat: Option<Instant>,
    asked: Option<(u64, Instant)>,
    connect: Option<Asking>,
    /// When the peer last said something that had to be acknowledged.
    stirred: Option<Instant>,
    /// The recording has a connect, or a welcome, of ours.
    has_connect: bool,
    has_welcome: bool,
    begun: bool,
    /// What is asked behind the handshake is the sampler's.
    probe: bool,
}

impl RiptideActor {
    fn new(context: &ReplayContext<'_>) -> RiptideActor {
        let ours = |name: &str| {
            context.messages.iter().any(|m| m.said.from == context.role && m.said.message == name && !m.dropped)
        };
        RiptideActor {
            role: context.role,
            version: context.version.and_then(Version::by_name).unwrap_or_else(|| version(context.messages)),
            datagrams: context.transport == Transport::Udp,
            timeout: context.timeout,
            state: State::New,
            why: None,
            client_id: None,
            next: 1,
            sent: Unacknowledged::new(if context.probe { RESEND_PROBE } else { RESEND }, context.timeout),
            received: Received::default(),
            next_notify: 1,
            notified: Received::default(),
            smooth: None,
            last_trip: -1,
            ping: 0,
            beat: None,
            asked: None,
            connect: None,
            stirred: None,
            has_connect: ours("connect"),
            has_welcome: ours("welcome"),
            begun: false,
            probe: context.probe,
        }
    }

    fn message(&self, message: &'static str, fields: Json) -> OwnedMessage {
        OwnedMessage {
            proto: "riptide",
            message,
            version: Some(self.version.name()),
            from: self.role,
            fields,
            channel: Channel::Main,
            ..OwnedMessage::default()
        }
    }

    /// Everything of one session; another may follow.
    fn afresh(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        self.received = Received::default();
        self.notified = Received::default();
        (self.next, self.next_notify) = (1, 1);
        (self.state, self.why, self.client_id) = (State::New, None, None);
        (self.beat, self.asked, self.connect) = (None, None, None);
    }

    fn connect(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let mut asking = Asking::new(said, now, out);
        if self.probe {
            // A stream loses nothing.
            asking.most = if self.datagrams { TRIES } else { 1 };
        }
        self.connect = Some(asking);
        self.state = State::Asked;
    }

    /// The disconnect, as often as it takes.
    fn goodbyes(&self) -> usize {
        if self.datagrams && !self.probe { GOODBYES } else { 1 }
    }

    /// The client's answer to the welcome.
    fn answer(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let id = self.client_id.unwrap_or(1);
        self.numbered(said.with("client_id", id), now, out);
        self.state = State::Connected;
        if !self.probe {
            self.beat.get_or_insert(now + HEARTBEAT);
        }
    }

    fn end(&mut self, why: String) {
        self.state = State::Over;
        self.why = Some(why);
    }

    /// What the peer's refusal or goodbye says.
    fn reason(said: &OwnedMessage) -> String {
        match said.fields.get("reason") {
            Some(Json::String(name)) => format!("{}: {name}", said.message),
            Some(other) => format!("{}: reason {other}", said.message),
            None => said.message.to_string(),
        }
    }
}
