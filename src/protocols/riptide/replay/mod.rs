//! Playing one side of a recorded Riptide conversation to a live peer.
//!
//! The peer decides the client id and what it acknowledges; sequence ids begin anew. Acks and
//! heartbeats are made live (facts, sections 6 and 7), recorded resends are not repeated.

mod actor;
mod numbers;

use super::version::Version;
use crate::dissect::Role;
use crate::flow::Transport;
use crate::live::replay::Unacknowledged;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::live::{Channel, OwnedMessage};
use numbers::Received;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The library's interval of heartbeats, and of connects that nobody answers.
const HEARTBEAT: Duration = Duration::from_millis(1000);
/// What the library waits before a copy while no round trip is known.
const RESEND: Duration = Duration::from_millis(50);

/// The protocol's part in replays.
pub struct Replaying;

impl Replay for Replaying {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(Playing::new(context))
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

struct Playing {
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
    connect: Option<(OwnedMessage, Instant, Instant)>,
    /// When the peer last said something that had to be acknowledged.
    stirred: Option<Instant>,
    /// The recording has a connect, or a welcome, of ours.
    has_connect: bool,
    has_welcome: bool,
    begun: bool,
}

impl Playing {
    fn new(context: &ReplayContext<'_>) -> Playing {
        let ours = |name: &str| {
            context.messages.iter().any(|m| m.said.from == context.role && m.said.message == name && !m.dropped)
        };
        Playing {
            role: context.role,
            version: version(context.messages),
            datagrams: context.transport == Transport::Udp,
            timeout: context.timeout,
            state: State::New,
            why: None,
            client_id: None,
            next: 1,
            sent: Unacknowledged::new(RESEND, context.timeout),
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
        self.connect = Some((said.clone(), now, now));
        self.state = State::Asked;
        out.say.push_back(said);
    }

    /// The client's answer to the welcome.
    fn answer(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let id = self.client_id.unwrap_or(1);
        self.numbered(said.with("client_id", id), now, out);
        self.state = State::Connected;
        self.beat.get_or_insert(now + HEARTBEAT);
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
