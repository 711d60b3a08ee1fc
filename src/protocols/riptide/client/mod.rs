//! Riptide live: one side of a conversation, recorded or a probe's.
//!
//! The peer decides the client id and what it acknowledges; sequence ids begin anew. Acks and
//! heartbeats are made live, recorded resends are not repeated. A probe plays an empty recording:
//! connect, welcome, acks and disconnect are the same actor's, heartbeats are asked by its sampler.

mod actor;
mod answer;
mod introduced;
mod numbers;
mod probe;
mod stream;

use super::layout::Message::{self, *};
use super::layout::{CLIENT, DATA, REASON, SEQUENCE, is_numbered};
use super::version::Version;
use crate::dissect::Role;
use crate::flow::Transport;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Life, Numbering, Numbers, Phase, Repeats, Unacknowledged, Window};
use crate::message::OwnedMessage;
use introduced::Introduced;
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

/// How many reliable messages are on their way at once: an ack names 17, and gaps above 32 meet
/// errors of the library (README.md, "Reliable layer").
const WINDOW: usize = 16;
/// How long the peer must have been at rest before the session is left: its copies of messages
/// whose acks were lost come 15 times, 50 ms apart.
const REST: Duration = Duration::from_millis(400);

static NUMBERING: Numbering = Numbering {
    field: &SEQUENCE,
    numbered: |name| Message::named(name).is_some_and(is_numbered),
    first: 1,
    modulus: 1 << 16,
    window: Window::Count(WINDOW),
    full: "an acknowledgement: 16 messages are on their way",
    patience: Duration::from_millis(800),
};

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
    numbers: Numbers,
    received: Received,
    next_notify: u16,
    notified: Received,
    smooth: Option<Duration>,
    /// The last round trip, as the heartbeat tells it.
    last_trip: i64,
    ping: u8,
    beat: Option<Instant>,
    asked: Option<(u64, Instant)>,
    /// The recording has a connect, or a welcome, of ours.
    has_connect: bool,
    has_welcome: bool,
    /// The recording has the client's answer to the welcome.
    has_reply: bool,
    begun: bool,
    /// The number of our answer to the welcome.
    greeted: Option<u16>,
    introduced: Introduced,
    /// The clock of the recording does not say when messages leave.
    asap: bool,
}

impl RiptideActor {
    fn new(context: &ReplayContext<'_>) -> RiptideActor {
        let ours = |message: Message| context.has(context.role, message.name());
        let (datagrams, resend) =
            (context.transport == Transport::Udp, if context.probe { RESEND_PROBE } else { RESEND });
        let rest = if datagrams { REST } else { Duration::ZERO };
        let mut sent = Unacknowledged::new(resend, context.timeout);
        if !context.probe {
            sent.most = COPIES;
        }
        RiptideActor {
            life: Life::new("riptide", &actor::RULES, context),
            version: context.version.and_then(Version::by_name).unwrap_or_else(|| version(context.messages)),
            datagrams,
            client_id: None,
            rejected: false,
            numbers: Numbers::new(&NUMBERING, sent, rest, context.asap),
            received: Received::default(),
            next_notify: 1,
            notified: Received::default(),
            smooth: None,
            last_trip: -1,
            ping: 0,
            beat: None,
            asked: None,
            has_connect: ours(Connect),
            has_welcome: ours(Welcome),
            has_reply: context.has(Role::Client, Welcome.name()),
            begun: false,
            greeted: None,
            introduced: Introduced::Yes,
            asap: context.asap,
        }
    }

    fn message(&self, message: Message, fields: Json) -> OwnedMessage {
        OwnedMessage { version: Some(self.version.name()), ..self.life.message(message.name(), fields) }
    }

    /// Everything of one session; another may follow.
    fn afresh(&mut self, out: &mut Outbox) {
        self.numbers.afresh(out);
        self.received = Received::default();
        self.notified = Received::default();
        self.next_notify = 1;
        self.life.afresh();
        self.client_id = None;
        (self.beat, self.asked, self.greeted) = (None, None, None);
    }

    fn connect(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let timeout = self.life.timeout;
        // A probe's own deadline comes first, and a stream loses nothing.
        let tries = if self.datagrams { TRIES } else { 1 };
        let repeats = match self.life.probe {
            true => Repeats { every: timeout / TRIES, patience: timeout * 2, most: tries },
            false => Repeats { every: HEARTBEAT, patience: timeout, most: u32::MAX },
        };
        self.life.ask(said, repeats, now, out);
    }

    /// The disconnect, as often as it takes.
    fn goodbyes(&self) -> usize {
        if self.datagrams && !self.life.probe { GOODBYES } else { 1 }
    }

    /// The client's answer to the welcome.
    fn answer(&mut self, said: OwnedMessage, now: Instant, out: &mut Outbox) {
        let id = self.client_id.unwrap_or(1);
        self.greeted = Some(self.numbers.next());
        if self.asap {
            self.introduced = Introduced::No;
        }
        self.numbers.send(said.with(&CLIENT, id), now, out);
        self.life.phase = Phase::Working;
        if !self.life.probe {
            self.beat.get_or_insert(now + HEARTBEAT);
        }
    }

    /// Nobody answers the connect.
    fn silence(version: Version) -> String {
        let [own, others] = match version {
            Version::V21 | Version::V22 => [version.name(), "1.x or 2.0"],
            _ => [version.name(), "2.1 or 2.2"],
        };
        format!(
            "no answer to the connect of Riptide {own}: nothing listens there, or a server of {others}, \
             which does not hear it (netkit probe tells)"
        )
    }

    /// A reliable message is not acknowledged, however often it was sent.
    fn given_up(&mut self, said: &OwnedMessage, tries: u32, out: &mut Outbox) {
        let about = self.identity(said);
        let number = said.number(&SEQUENCE).unwrap_or(0);
        let limit = if tries >= COPIES { ", as often as the library sends it" } else { "" };
        let what = format!("{about} (sequence id {number}) is not acknowledged after {tries} copies{limit}");
        match self.version {
            // They leave a peer that does not acknowledge.
            Version::V21 | Version::V22 if !self.life.probe => {
                let why = format!("the peer has stopped answering: {what}");
                self.life.end(why.clone());
                self.numbers.sent.abandon(out);
                out.trouble = Some(why);
            }
            _ => out.remark(what),
        }
    }

    /// What the peer's refusal or goodbye says.
    fn reason(said: &OwnedMessage) -> String {
        let why = match said.field(&REASON) {
            Some(Json::String(name)) => format!("{}: {name}", said.message),
            Some(other) => format!("{}: reason {other}", said.message),
            None => said.message.to_string(),
        };
        // Bytes that end within one are an object.
        match said.field(&DATA).map(|data| data.get("raw").unwrap_or(data)) {
            Some(data) => format!("{why}, data {data}"),
            None => why,
        }
    }
}
