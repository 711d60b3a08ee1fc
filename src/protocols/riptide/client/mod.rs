//! Plays one side of a Riptide conversation to a live peer, recorded or for a probe.
//!
//! The peer decides the client id and the acknowledgements; sequence ids begin anew. Acks and heartbeats are made live,
//! and recorded resends are not repeated. A probe plays an empty recording: the same actor sends connect, welcome, acks
//! and disconnect. The probe's sampler sends the heartbeats.

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
use crate::live::replay::{Life, Numbering, Numbers, Phase, Received, Repeats, Unacknowledged, Window};
use crate::message::OwnedMessage;
use crate::plural::Plural;
use introduced::Introduced;
use numbers::peer_ids;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The library's interval between heartbeats, and between unanswered connects.
const HEARTBEAT: Duration = Duration::from_millis(1000);
/// The library's wait before a resend while no round trip is known.
const RESEND: Duration = Duration::from_millis(50);
/// A probe resends more slowly.
const RESEND_PROBE: Duration = Duration::from_millis(250);

/// The library's limit of transmissions of a reliable message. After it 2.1 and 2.2 end the connection.
const COPIES: u32 = 15;
/// The library's limit of connects.
const TRIES: u32 = 5;
/// The number of disconnects: they are not acknowledged, and a server that does not know us ignores them.
const GOODBYES: usize = 3;

/// At most this many reliable messages are unacknowledged at a time: an ack covers 17, and gaps above 32 trigger errors
/// of the library (README.md, "Reliable layer").
const WINDOW: usize = 16;
/// The time without a message from the peer before the session is left: the peer resends messages whose acks were lost
/// 15 times, 50 ms apart.
const REST: Duration = Duration::from_millis(400);

static NUMBERING: Numbering = Numbering {
    field: &SEQUENCE,
    numbered: |name| Message::named(name).is_some_and(is_numbered),
    first: 1,
    modulus: 1 << 16,
    window: Window::Count(WINDOW),
    full: "an acknowledgement (16 messages are unacknowledged)",
    patience: Duration::from_millis(800),
};

/// Probes Riptide servers and replays recorded Riptide conversations.
pub struct RiptideClient;

impl Replay for RiptideClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(RiptideActor::new(context))
    }

    fn settings(&self, messages: &[Recorded]) -> Vec<String> {
        vec![format!("riptide.version={}", version(messages).name())]
    }
}

/// The version at the end of the recording: its first messages fit several.
fn version(messages: &[Recorded]) -> Version {
    let mut versions = messages.iter().rev().filter_map(|m| m.decoded.version);
    let last = versions.clone().next();
    // Only acks identify 2.1, and they arrive late.
    let name = versions.find(|v| *v == "2.1").or(last);
    name.and_then(Version::named).unwrap_or(Version::V20)
}

struct RiptideActor {
    life: Life,
    version: Version,
    datagrams: bool,
    client_id: Option<u64>,
    /// The server has rejected us.
    rejected: bool,
    numbers: Numbers,
    next_notify: u16,
    notified: Received,
    smooth: Option<Duration>,
    /// The last round trip, as the heartbeat carries it.
    last_trip: i64,
    ping: u8,
    beat: Option<Instant>,
    asked: Option<(u64, Instant)>,
    /// The recording has a connect of ours.
    has_connect: bool,
    has_welcome: bool,
    /// The recording has the client's answer to the welcome.
    has_reply: bool,
    begun: bool,
    /// The sequence id of our answer to the welcome.
    greeted: Option<u16>,
    introduced: Introduced,
    /// Messages are not sent by the recording's clock.
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
        let mut numbers = Numbers::new(&NUMBERING, sent, rest, context.asap);
        numbers.peer = peer_ids();
        RiptideActor {
            life: Life::new("riptide", &actor::RULES, context),
            version: context.version.and_then(Version::named).unwrap_or_else(|| version(context.messages)),
            datagrams,
            client_id: None,
            rejected: false,
            numbers,
            next_notify: 1,
            notified: peer_ids(),
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

    /// Resets the state of a session, so that another may follow.
    fn restart(&mut self, out: &mut Outbox) {
        self.numbers.restart(out);
        self.numbers.peer = peer_ids();
        self.notified = peer_ids();
        self.next_notify = 1;
        self.life.restart();
        self.client_id = None;
        (self.beat, self.asked, self.greeted) = (None, None, None);
    }

    fn connect(&mut self, decoded: OwnedMessage, now: Instant, out: &mut Outbox) {
        let timeout = self.life.timeout;
        // The probe's own timeout applies first, and a stream loses nothing.
        let tries = if self.datagrams { TRIES } else { 1 };
        let repeats = match self.life.probe {
            true => Repeats { every: timeout / TRIES, patience: timeout * 2, most: tries },
            false => Repeats { every: HEARTBEAT, patience: timeout, most: u32::MAX },
        };
        self.life.ask(decoded, repeats, now, out);
    }

    /// The number of disconnects to send.
    fn goodbyes(&self) -> usize {
        if self.datagrams && !self.life.probe { GOODBYES } else { 1 }
    }

    /// Sends the client's answer to the welcome.
    fn answer(&mut self, decoded: OwnedMessage, now: Instant, out: &mut Outbox) {
        let id = self.client_id.unwrap_or(1);
        self.greeted = Some(self.numbers.next());
        if self.asap {
            self.introduced = Introduced::No;
        }
        self.numbers.send(decoded.with(&CLIENT, id), now, out);
        self.life.phase = Phase::Working;
        if !self.life.probe {
            self.beat.get_or_insert(now + HEARTBEAT);
        }
    }

    /// The reason when the connect gets no answer.
    fn silence(version: Version) -> String {
        let [own, others] = match version {
            Version::V21 | Version::V22 => [version.name(), "1.x or 2.0"],
            _ => [version.name(), "2.1 or 2.2"],
        };
        format!(
            "no answer to the connect of Riptide {own}: nothing listens there, or a server of {others}, \
             which ignores it (netkit probe finds the version)"
        )
    }

    /// Handles a reliable message that was never acknowledged, after its last transmission.
    fn given_up(&mut self, decoded: &OwnedMessage, tries: u32, out: &mut Outbox) {
        let about = self.identity(decoded);
        let number = decoded.number(&SEQUENCE).unwrap_or(0);
        let limit = if tries >= COPIES { ", as often as the library sends it" } else { "" };
        let sent = Plural(tries, "transmission");
        let what = format!("{about} (sequence id {number}) was not acknowledged after {sent}{limit}");
        match self.version {
            // These versions disconnect from a peer that does not acknowledge.
            Version::V21 | Version::V22 if !self.life.probe => {
                let why = format!("the peer has stopped answering: {what}");
                self.life.end(why.clone());
                self.numbers.sent.abandon(out);
                out.trouble = Some(why);
            }
            _ => out.remark(what),
        }
    }

    /// The reason and data of the peer's reject or disconnect.
    fn reason(decoded: &OwnedMessage) -> String {
        let why = match decoded.field(&REASON) {
            Some(Json::String(name)) => format!("{}: {name}", decoded.message),
            Some(other) => format!("{}: reason {other}", decoded.message),
            None => decoded.message.to_string(),
        };
        // Bytes that end within a byte are an object.
        match decoded.field(&DATA).map(|data| data.get("raw").unwrap_or(data)) {
            Some(data) => format!("{why}, data {data}"),
            None => why,
        }
    }
}
