//! Playing one side of a recorded Riptide conversation to a live peer.
//!
//! The peer decides the client id and what it acknowledges; sequence ids begin anew. Acks and
//! heartbeats are made live (facts, sections 6 and 7), recorded resends are not repeated.

use super::version::Version;
use crate::flow::Transport;
use crate::protocols::Role;
use crate::protocols::replay::{
    Actor, Cast, Channel, Fate, Heed, Outbox, Recorded, Replay, Said, Unacknowledged, without,
};
use serde_json::{Map, Value as Json, json};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The library's interval of heartbeats, and of connects that nobody answers.
const HEARTBEAT: Duration = Duration::from_millis(1000);
/// What the library waits before a copy while no round trip is known.
const RESEND: Duration = Duration::from_millis(50);
/// It never waits less than 10 ms; a tool that is not in a hurry waits a little longer.
const RESEND_LEAST: Duration = Duration::from_millis(25);
/// How many reliable messages are on their way at once: an ack names 17, and gaps above 32 meet
/// errors of the library (facts, section 7).
const WINDOW: usize = 16;
/// How long the peer must have been at rest before the session is left: its copies of messages
/// whose acks were lost come 15 times, 50 ms apart.
const REST: Duration = Duration::from_millis(400);
/// How many sequence ids are remembered: the library looks back 80.
const REMEMBERED: usize = 4096;
/// A disconnect is not acknowledged, and a server that does not know us ignores it.
const GOODBYES: usize = 3;

/// The protocol's part in replays.
pub struct Replaying;

impl Replay for Replaying {
    fn actor(&self, cast: &Cast<'_>) -> Box<dyn Actor> {
        Box::new(Playing::new(cast))
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

/// The sequence ids received in one direction.
#[derive(Debug, Default)]
struct Received {
    newest: i64,
    seen: BTreeSet<i64>,
}

impl Received {
    /// Takes a message in: `true`, if it was not there before.
    fn take(&mut self, number: u16) -> bool {
        let near = (number as i64 - self.newest).rem_euclid(65536);
        let extended = self.newest + if near < 32768 { near } else { near - 65536 };
        self.newest = self.newest.max(extended);
        let new = self.seen.insert(extended);
        while self.seen.len() > REMEMBERED {
            self.seen.pop_first();
        }
        new
    }

    /// The newest, and which of the ids before it are there. The id 0, before the first message,
    /// counts as received, as in the library.
    fn field(&self, width: u32) -> (u16, u64) {
        let there = |id: i64| id == 0 || self.seen.contains(&id);
        let bits = (0..width).filter(|i| there(self.newest - 1 - *i as i64)).fold(0, |bits, i| bits | 1 << i);
        (self.newest.rem_euclid(65536) as u16, bits)
    }
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
    connect: Option<(Said, Instant, Instant)>,
    /// When the peer last said something that had to be acknowledged.
    stirred: Option<Instant>,
    /// The recording has a connect, or a welcome, of ours.
    has_connect: bool,
    has_welcome: bool,
    begun: bool,
}

impl Playing {
    fn new(cast: &Cast<'_>) -> Playing {
        let ours =
            |name: &str| cast.messages.iter().any(|m| m.said.from == cast.role && m.said.message == name && !m.dropped);
        Playing {
            role: cast.role,
            version: version(cast.messages),
            datagrams: cast.transport == Transport::Udp,
            timeout: cast.timeout,
            state: State::New,
            why: None,
            client_id: None,
            next: 1,
            sent: Unacknowledged::new(RESEND, cast.timeout),
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

    fn message(&self, message: &'static str, fields: Json) -> Said {
        Said {
            proto: "riptide",
            message,
            version: Some(self.version.name()),
            from: self.role,
            fields,
            channel: Channel::Main,
            ..Said::default()
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

    /// A message with a number of our own.
    fn numbered(&mut self, said: Said, now: Instant, out: &mut Outbox) {
        let said = said.with("sequence_id", self.next);
        out.say.push_back(said.clone());
        // TCP does not lose anything; a copy would only be handled twice by old libraries.
        self.sent.push(self.next, said, now);
        self.next = self.next.wrapping_add(1);
    }

    /// Takes in a numbered message of the peer, and acknowledges it: `true`, if it is new.
    fn take(&mut self, said: &Said, now: Instant, out: &mut Outbox) -> bool {
        let Some(number) = said.number("sequence_id") else { return true };
        let number = number as u16;
        let new = self.received.take(number);
        out.counts.copies += !new as u64;
        self.stirred = Some(now);
        let (last, bits) = self.received.field(16);
        let mut fields = Map::new();
        fields.insert("last_received_seq_id".into(), last.into());
        fields.insert("acks_bitfield".into(), bits.into());
        let extra = last != number;
        let message = match self.version {
            Version::V21 | Version::V22 => {
                fields.insert("is_extra".into(), extra.into());
                if extra || self.version == Version::V21 {
                    fields.insert("for_seq_id".into(), number.into());
                }
                "ack"
            }
            _ if extra => {
                fields.insert("for_seq_id".into(), number.into());
                "ack_extra"
            }
            _ => "ack",
        };
        let ack = self.message(message, Json::Object(fields));
        out.live(ack);
        new
    }

    /// The peer acknowledges.
    fn acknowledged(&mut self, said: &Said, now: Instant, out: &mut Outbox) {
        let Some(last) = said.number("last_received_seq_id") else { return };
        let bits = said.number("acks_bitfield").unwrap_or(0);
        let by_bits = (0..16u16).filter(|i| bits >> i & 1 == 1).map(|i| (last as u16).wrapping_sub(1 + i));
        let named = std::iter::once(last as u16).chain(said.number("for_seq_id").map(|id| id as u16)).chain(by_bits);
        for id in named {
            if let Some(trip) = self.sent.acknowledged(id, now, out) {
                self.round_trip(trip, out);
            }
        }
    }

    /// The library's own smoothing (facts, section 6), and its wait before a copy (section 7).
    fn round_trip(&mut self, trip: Duration, out: &mut Outbox) {
        out.counts.round_trip(trip);
        let smooth = self.smooth.map_or(trip, |old| old.mul_f64(0.7) + trip.mul_f64(0.3));
        self.smooth = Some(smooth);
        self.sent.resend = smooth.mul_f64(1.2).max(RESEND_LEAST);
    }

    fn connect(&mut self, said: Said, now: Instant, out: &mut Outbox) {
        self.connect = Some((said.clone(), now, now));
        self.state = State::Asked;
        out.say.push_back(said);
    }

    /// The client's answer to the welcome.
    fn answer(&mut self, said: Said, now: Instant, out: &mut Outbox) {
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
    fn reason(said: &Said) -> String {
        match said.fields.get("reason") {
            Some(Json::String(name)) => format!("{}: {name}", said.message),
            Some(other) => format!("{}: reason {other}", said.message),
            None => said.message.to_string(),
        }
    }
}

/// Messages with a sequence id.
fn is_numbered(message: &str) -> bool {
    matches!(message, "reliable" | "reliable_auto_relay" | "welcome" | "client_connected" | "client_disconnected")
}

impl Actor for Playing {
    fn fate(&mut self, message: &Recorded) -> Fate {
        let said = &message.said;
        if message.length == 0 {
            return Fate::Danger("an empty datagram: a C# server on Linux stops reading for good".into());
        }
        if said.message == "unknown" || said.fault.is_some() {
            return Fate::Danger(match &said.fault {
                Some(fault) => format!("broken: {fault}"),
                None => "a type that no library knows: it is taken for a reliable message".into(),
            });
        }
        let most = self.version.largest();
        if message.length > most {
            return Fate::Danger(format!("{} bytes: a server's buffer has {most}", message.length));
        }
        match said.message {
            "ack" | "ack_extra" => Fate::Live("acks"),
            "heartbeat" => Fate::Live("heartbeats"),
            "connect" if std::mem::replace(&mut self.begun, true) && said.from == Role::Client => {
                Fate::Live("repeated connects")
            }
            "disconnect" | "reject" => {
                self.begun = false;
                Fate::Say
            }
            name if is_numbered(name) && said.derived("copy").is_some() => Fate::Live("resends"),
            _ => Fate::Say,
        }
    }

    fn begin(&mut self, now: Instant, out: &mut Outbox) {
        if self.role == Role::Client && !self.has_connect {
            let connect = self.message("connect", json!({}));
            self.connect(connect, now, out);
        }
    }

    fn ready(&mut self, message: &Recorded, now: Instant) -> bool {
        match (message.said.message, self.role) {
            ("connect", Role::Client) => true,
            ("connect" | "reject", _) => self.state >= State::Asked,
            ("welcome", Role::Client) => self.state >= State::Welcomed,
            ("welcome", _) => self.state >= State::Asked,
            ("disconnect", _) => self.state >= State::Welcomed && self.settled(now),
            (name, Role::Client) => self.state >= State::Connected && (!is_numbered(name) || self.sent.len() < WINDOW),
            (name, _) => self.state >= State::Welcomed && (!is_numbered(name) || self.sent.len() < WINDOW),
        }
    }

    fn say(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let said = Said { version: Some(self.version.name()), ..message.said.clone() };
        match (said.message, self.role) {
            ("connect", Role::Client) => {
                if self.state != State::New {
                    self.afresh(out);
                }
                self.connect(said, now, out);
            }
            ("welcome", Role::Client) => self.answer(said, now, out),
            ("welcome", _) => {
                self.client_id = said.number("client_id");
                self.state = self.state.max(State::Welcomed);
                self.numbered(said, now, out);
            }
            ("disconnect", _) => {
                self.sent.abandon(out);
                (0..if self.datagrams { GOODBYES } else { 1 }).for_each(|_| out.say.push_back(said.clone()));
                self.state = State::Over;
            }
            ("reject", _) => {
                out.say.push_back(said);
            }
            ("notify", _) => {
                let (last, bits) = self.notified.field(8);
                let said =
                    said.with("last_received_seq_id", last).with("acks", bits).with("sequence_id", self.next_notify);
                self.next_notify = self.next_notify.wrapping_add(1);
                out.say.push_back(said);
            }
            (name, _) if is_numbered(name) => self.numbered(said, now, out),
            _ => out.say.push_back(said),
        }
        Ok(())
    }

    fn heard(&mut self, said: &Said, now: Instant, out: &mut Outbox) -> Heed {
        match (said.message, self.role) {
            _ if said.fault.is_some() => return Heed::New,
            ("ack" | "ack_extra", _) => {
                self.acknowledged(said, now, out);
                return Heed::Session;
            }
            ("heartbeat", Role::Client) => {
                if let Some((ping, at)) = self.asked
                    && said.number("ping_id") == Some(ping)
                {
                    let trip = now.saturating_duration_since(at);
                    self.last_trip = trip.as_millis().min(i16::MAX as u128) as i64;
                    self.round_trip(trip, out);
                    self.asked = None;
                }
                return Heed::Session;
            }
            ("heartbeat", _) => {
                let echo = self.message("heartbeat", json!({"ping_id": said.number("ping_id").unwrap_or(0)}));
                out.live(echo);
                return Heed::Session;
            }
            ("connect", Role::Client) => {
                // Wait: the application decides. No more connects.
                self.connect = None;
                return Heed::New;
            }
            ("connect", _) => {
                if self.state == State::Over {
                    self.afresh(out);
                }
                let again = self.state != State::New;
                self.state = self.state.max(State::Asked);
                if !self.has_welcome && !again {
                    let welcome = self.message("welcome", json!({"client_id": 1}));
                    self.state = State::Welcomed;
                    self.numbered(welcome, now, out);
                }
                return if again { Heed::Session } else { Heed::New };
            }
            ("welcome", Role::Client) => {
                self.connect = None;
                if !self.take(said, now, out) {
                    return Heed::Session;
                }
                self.client_id = said.number("client_id");
                self.state = self.state.max(State::Welcomed);
                if !self.has_welcome {
                    let answer = self.message("welcome", json!({}));
                    self.answer(answer, now, out);
                }
            }
            ("welcome", _) => {
                if !self.take(said, now, out) {
                    return Heed::Session;
                }
                if said.number("client_id") != self.client_id {
                    out.remark("the client's welcome names another id than the one that it was given");
                }
                self.state = self.state.max(State::Connected);
            }
            ("reject" | "disconnect", _) => {
                if self.state == State::Over {
                    return Heed::Session;
                }
                self.end(Playing::reason(said));
                self.sent.abandon(out);
            }
            ("notify", _) => {
                if let Some(number) = said.number("sequence_id")
                    && !self.notified.take(number as u16)
                {
                    return Heed::Session;
                }
            }
            (name, _) if (is_numbered(name) || name == "unknown") && !self.take(said, now, out) => {
                return Heed::Session;
            }
            _ => {}
        }
        Heed::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let mut next = None;
        let mut at = |when: Instant| next = Some(next.map_or(when, |n: Instant| n.min(when)));
        if let Some((said, first, last)) = &mut self.connect {
            if now.saturating_duration_since(*first) >= self.timeout {
                self.state = State::Over;
                self.why = Some("no answer to the connect".into());
            } else {
                if now.saturating_duration_since(*last) >= HEARTBEAT {
                    *last = now;
                    out.counts.resent += 1;
                    out.say.push_back(said.clone());
                }
                at((*last + HEARTBEAT).min(*first + self.timeout));
            }
        }
        if self.state == State::Over {
            self.connect = None;
            return None;
        }
        if !self.datagrams {
            // TCP brings them: only the acknowledgement is waited for.
            self.sent.resend = self.timeout;
        }
        let (when, lost) = self.sent.tick(now, out);
        when.into_iter().for_each(&mut at);
        if lost {
            out.remark("reliable messages were not acknowledged in time");
        }
        if let Some(beat) = self.beat
            && self.state == State::Connected
            && self.role == Role::Client
        {
            if now >= beat {
                let said = self.message("heartbeat", json!({"ping_id": self.ping, "rtt": self.last_trip}));
                out.live(said);
                self.asked = Some((self.ping as u64, now));
                self.ping = self.ping.wrapping_add(1);
                self.beat = Some(now + HEARTBEAT);
            }
            at(self.beat.unwrap_or(now));
        }
        next
    }

    fn settled(&self, now: Instant) -> bool {
        let rest = if self.datagrams { REST } else { Duration::ZERO };
        self.sent.is_empty() && self.stirred.is_none_or(|at| now.saturating_duration_since(at) >= rest)
    }

    fn over(&self) -> Option<String> {
        self.why.clone().filter(|_| self.state == State::Over)
    }

    fn opens(&self, message: &Recorded) -> bool {
        matches!(
            (message.said.message, self.role),
            ("connect", Role::Client) | ("welcome" | "reject" | "connect", Role::Server)
        )
    }

    fn closes(&self, message: &Recorded) -> bool {
        message.said.message == "disconnect"
    }

    fn leave(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        if self.state != State::Over && self.state != State::New {
            let fields = match self.role {
                Role::Server if !matches!(self.version, Version::V10 | Version::V12) => {
                    json!({"reason": "server_stopped"})
                }
                _ => json!({}),
            };
            let goodbye = self.message("disconnect", fields);
            (0..if self.datagrams { GOODBYES } else { 1 }).for_each(|_| out.live(goodbye.clone()));
        }
        self.state = State::Over;
    }

    fn identity(&self, said: &Said) -> String {
        match said.fields.get("message_id") {
            Some(id) => format!("{} {id}", said.message),
            None => said.message.into(),
        }
    }

    fn content(&self, said: &Said) -> Json {
        match said.message {
            // What an id stands for in a session of another server is not comparable.
            "welcome" | "client_connected" | "client_disconnected" => {
                without(&said.fields, &["sequence_id", "client_id"])
            }
            "notify" => without(&said.fields, &["sequence_id", "last_received_seq_id", "acks"]),
            _ => without(&said.fields, &["sequence_id"]),
        }
    }

    fn sure(&self, said: &Said) -> bool {
        is_numbered(said.message) || said.message == "connect"
    }
}
