//! Riptide live: one side of a conversation, recorded or a probe's.
//!
//! The peer decides the client id and what it acknowledges; sequence ids begin anew. Acks and
//! heartbeats are made live, recorded resends are not repeated. A probe plays an empty recording:
//! connect, welcome, acks and disconnect are the same actor's, heartbeats are asked by its sampler.

mod actor;
mod answer;
mod asked;
mod numbers;
mod probe;
mod race;
mod sampler;
mod stream;

use super::version::Version;
use crate::dissect::Role;
use crate::flow::Transport;
use crate::live::OwnedMessage;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Asking, Copies, Unacknowledged};
use crate::live::replay::{Life, Phase};
use actor::{REST, WINDOW};
use numbers::Received;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The library's interval of heartbeats, and of connects that nobody answers.
const HEARTBEAT: Duration = Duration::from_millis(1000);
/// What the library waits before a copy while no round trip is known.
const RESEND: Duration = Duration::from_millis(50);
/// A probe is in no hurry.
const RESEND_PROBE: Duration = Duration::from_millis(250);

/// So often the library sends a reliable message; then 2.1 and 2.2 end the connection.
const COPIES: u32 = 15;
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

struct RiptideActor {
    life: Life,
    version: Version,
    datagrams: bool,
    client_id: Option<u64>,
    /// The server has refused us.
    rejected: bool,
    next: u16,
    sent: Unacknowledged,
    received: Received,
    copies: Copies,
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
    /// The recording has the client's answer to the welcome.
    has_reply: bool,
    begun: bool,
    asap: bool,
    /// The number of our answer to the welcome.
    greeted: Option<u16>,
    /// Since when the goodbye waits for its time.
    parting: Option<Instant>,
}

impl RiptideActor {
    fn new(context: &ReplayContext<'_>) -> RiptideActor {
        let ours = |name: &str| {
            context.messages.iter().any(|m| m.said.from == context.role && m.said.message == name && !m.dropped)
        };
        let mut sent = Unacknowledged::new(if context.probe { RESEND_PROBE } else { RESEND }, context.timeout);
        if !context.probe {
            sent.most = COPIES;
        }
        let reply = |m: &Recorded| m.said.from == Role::Client && m.said.message == "welcome" && !m.dropped;
        RiptideActor {
            life: Life::new("riptide", context),
            version: context.version.and_then(Version::by_name).unwrap_or_else(|| version(context.messages)),
            datagrams: context.transport == Transport::Udp,
            client_id: None,
            rejected: false,
            next: 1,
            sent,
            received: Received::default(),
            copies: Copies::default(),
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
            has_reply: context.messages.iter().any(reply),
            begun: false,
            asap: context.asap,
            greeted: None,
            parting: None,
        }
    }

    fn message(&self, message: &'static str, fields: Json) -> OwnedMessage {
        OwnedMessage { version: Some(self.version.name()), ..self.life.message(message, fields) }
    }

    /// Everything of one session; another may follow.
    fn afresh(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        self.received = Received::default();
        self.copies = Copies::default();
        self.notified = Received::default();
        (self.next, self.next_notify) = (1, 1);
        self.life.afresh();
        self.client_id = None;
        (self.beat, self.asked, self.connect) = (None, None, None);
        (self.greeted, self.parting) = (None, None);
    }

    fn connect(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let mut asking = Asking::new(said, now, out);
        if self.life.probe {
            // A stream loses nothing.
            asking.most = if self.datagrams { TRIES } else { 1 };
        }
        self.connect = Some(asking);
        self.life.phase = Phase::Asked;
    }

    /// The disconnect, as often as it takes.
    fn goodbyes(&self) -> usize {
        if self.datagrams && !self.life.probe { GOODBYES } else { 1 }
    }

    /// The client's answer to the welcome.
    fn answer(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let id = self.client_id.unwrap_or(1);
        self.greeted = Some(self.next);
        self.numbered(said.with("client_id", id), now, out);
        self.life.phase = Phase::Working;
        if !self.life.probe {
            self.beat.get_or_insert(now + HEARTBEAT);
        }
    }

    /// Is the window full?
    fn crowded(&self) -> Option<&'static str> {
        (self.sent.len() >= WINDOW).then_some("an acknowledgement: 16 messages are on their way")
    }

    /// What a goodbye still waits for. A peer that goes on talking has no rest: it is left all the
    /// same.
    fn rests(&mut self, now: Instant) -> Option<&'static str> {
        let since = *self.parting.get_or_insert(now);
        match self.sent.is_empty() {
            false => Some("the last acknowledgements"),
            // By the recording's clock the goodbye has its time.
            true if !self.asap || self.settled(now) || now.saturating_duration_since(since) >= REST * 2 => None,
            true => Some("the peer's last copies"),
        }
    }

    /// Nobody answers the connect.
    fn silence(&self) -> String {
        let [own, others] = match self.version {
            Version::V21 | Version::V22 => [self.version.name(), "1.x or 2.0"],
            _ => [self.version.name(), "2.1 or 2.2"],
        };
        format!(
            "no answer to the connect of Riptide {own}: nothing listens there, or a server of {others}, \
             which does not hear it (netkit probe tells)"
        )
    }

    /// A reliable message is not acknowledged, however often it was sent.
    fn given_up(&mut self, said: &OwnedMessage, tries: u32, out: &mut Outbox) {
        let about = self.identity(said);
        let number = said.number("sequence_id").unwrap_or(0);
        let limit = if tries >= COPIES { ", as often as the library sends it" } else { "" };
        let what = format!("{about} (sequence id {number}) is not acknowledged after {tries} copies{limit}");
        match self.version {
            // They leave a peer that does not acknowledge.
            Version::V21 | Version::V22 if !self.life.probe => {
                let why = format!("the peer has stopped answering: {what}");
                self.life.end(why.clone());
                self.sent.abandon(out);
                out.trouble = Some(why);
            }
            _ => out.remark(what),
        }
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
