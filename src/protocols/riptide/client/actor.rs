//! What becomes of each recorded message, and what is answered live.

use super::super::version::Version;
use super::numbers::is_numbered;
use super::{HEARTBEAT, RiptideActor, TRIES};
use crate::dissect::Role;
use crate::live::OwnedMessage;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded};
use crate::live::replay::{Life, Phase, Rules};
use serde_json::json;
use std::time::{Duration, Instant};

/// How many reliable messages are on their way at once: an ack names 17, and gaps above 32 meet
/// errors of the library (README.md, "Reliable layer").
pub const WINDOW: usize = 16;
/// How long the peer must have been at rest before the session is left: its copies of messages
/// whose acks were lost come 15 times, 50 ms apart.
pub const REST: Duration = Duration::from_millis(400);

static RULES: Rules = Rules {
    empty: "an empty datagram: a C# server on Linux stops reading for good",
    broken: "",
    live: &[("ack", "acks"), ("ack_extra", "acks"), ("heartbeat", "heartbeats")],
    opens: [&["connect"], &["welcome", "reject", "connect"]],
    closes: &["disconnect"],
    answers: &["welcome"],
    others: &[
        ("client_connected", "messages about other players"),
        ("client_disconnected", "messages about other players"),
    ],
    volatile: &[
        // What an id stands for in a session of another server is not comparable.
        (&["welcome", "client_connected", "client_disconnected"], &["sequence_id", "client_id"]),
        (&["notify"], &["sequence_id", "last_received_seq_id", "acks"]),
        (&[], &["sequence_id"]),
    ],
    decided: &[(&["notify"], &["sequence_id", "last_received_seq_id", "acks"]), (&[], &["sequence_id"])],
};

impl Actor for RiptideActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn rules(&self) -> &'static Rules {
        &RULES
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let said = &message.said;
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if said.message == "unknown" {
            return Disposition::Danger("a type that no library knows: it is taken for a reliable message".into());
        }
        let most = self.version.largest();
        if message.length > most {
            return Disposition::Danger(format!("{} bytes: a server's buffer has {most}", message.length));
        }
        match said.message {
            "connect" if std::mem::replace(&mut self.begun, true) && said.from == Role::Client => {
                Disposition::Live("repeated connects")
            }
            "disconnect" | "reject" => {
                self.begun = false;
                Disposition::Send
            }
            name if is_numbered(name) && said.derived("copy").is_some() => Disposition::Live("resends"),
            _ => RULES.disposition(message),
        }
    }

    fn decides(&self, said: &OwnedMessage, path: &str) -> bool {
        let answer = said.message == "welcome" && self.life.role == Role::Client && path == "client_id";
        answer || RULES.decides(said.message, path)
    }

    fn begin(&mut self, now: Instant, out: &mut Outbox) {
        if self.life.role == Role::Client && !self.has_connect {
            let fields = self.life.data.as_ref().map_or_else(|| json!({}), |data| json!({ "data": data }));
            let connect = self.message("connect", fields);
            self.connect(connect, now, out);
        }
    }

    fn waits(&mut self, message: &Recorded, now: Instant) -> Option<&'static str> {
        let name = message.said.message;
        let (client, phase) = (self.life.role == Role::Client, self.life.phase);
        match name {
            "connect" if client => None,
            "connect" | "reject" | "welcome" if !client => (phase < Phase::Asked).then_some("the client's connect"),
            _ if phase < Phase::Answered => Some(if client { "the welcome" } else { "the client's connect" }),
            "welcome" => None,
            "disconnect" => self.rests(now),
            // The client answers the welcome, and only then it is connected.
            "client_connected" | "client_disconnected" => self.crowded(),
            _ if phase < Phase::Working && (client || self.has_reply) => Some("the answer to the welcome"),
            // The server hears nobody before that: what overtakes the answer is lost.
            _ if self.greeted.is_some_and(|number| self.sent.waits(number)) => {
                Some("the acknowledgement of the answer to the welcome")
            }
            name if is_numbered(name) => self.crowded(),
            _ => None,
        }
    }

    fn unsendable(&mut self, said: &OwnedMessage) {
        if let Some(number) = said.number("sequence_id").filter(|_| is_numbered(said.message)) {
            self.sent.forget(number as u16);
            if number as u16 == self.next.wrapping_sub(1) {
                self.next = number as u16;
            }
        }
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let said = OwnedMessage { version: Some(self.version.name()), ..message.said.clone() };
        match (said.message, self.life.role) {
            ("connect", Role::Client) => {
                if self.life.phase != Phase::New {
                    self.afresh(out);
                }
                self.connect(said, now, out);
            }
            ("welcome", Role::Client) => self.answer(said, now, out),
            ("welcome", _) => {
                self.client_id = said.number("client_id");
                self.life.reach(Phase::Answered);
                self.numbered(said, now, out);
            }
            ("disconnect", _) => {
                self.sent.abandon(out);
                (0..self.goodbyes()).for_each(|_| out.say.push_back(said.clone()));
                self.life.phase = Phase::Over;
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

    fn recv(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        match (said.message, self.life.role) {
            _ if said.fault.is_some() => return Handling::New,
            ("ack" | "ack_extra", _) => {
                self.acknowledged(said, now, out);
                return Handling::Session;
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
                return Handling::Session;
            }
            ("heartbeat", _) => {
                let echo = self.message("heartbeat", json!({"ping_id": said.number("ping_id").unwrap_or(0)}));
                out.live(echo);
                return Handling::Session;
            }
            ("connect", Role::Client) => {
                // Wait: the application decides. No more connects.
                self.connect = None;
                return Handling::New;
            }
            ("connect", _) => {
                if self.life.phase == Phase::Over {
                    self.afresh(out);
                }
                let again = self.life.phase != Phase::New;
                self.life.reach(Phase::Asked);
                if !self.has_welcome && !again {
                    let welcome = self.message("welcome", json!({"client_id": 1}));
                    self.life.phase = Phase::Answered;
                    self.numbered(welcome, now, out);
                }
                return if again { Handling::Session } else { Handling::New };
            }
            ("welcome", Role::Client) => {
                self.connect = None;
                if !self.take(said, now, out) {
                    return Handling::Session;
                }
                // One that is new again is acknowledged, but the library answers the first alone.
                if self.life.phase >= Phase::Answered {
                    return Handling::Session;
                }
                self.client_id = said.number("client_id");
                self.life.reach(Phase::Answered);
                if !self.has_welcome {
                    let answer = self.message("welcome", json!({}));
                    self.answer(answer, now, out);
                }
            }
            ("welcome", _) => {
                if !self.take(said, now, out) {
                    return Handling::Session;
                }
                if said.number("client_id") != self.client_id {
                    out.remark("the client's welcome names another id than the one that it was given");
                }
                self.life.reach(Phase::Working);
            }
            ("reject" | "disconnect", _) => {
                if self.life.phase == Phase::Over {
                    return Handling::Session;
                }
                self.rejected |= said.message == "reject";
                self.life.end(RiptideActor::reason(said));
                self.sent.abandon(out);
            }
            ("notify", _) => {
                if let Some(number) = said.number("sequence_id")
                    && !self.notified.take(number as u16)
                {
                    return Handling::Session;
                }
            }
            (name, _) if (is_numbered(name) || name == "unknown") && !self.take(said, now, out) => {
                return Handling::Session;
            }
            _ => {}
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let mut next = None;
        let mut at = |when: Instant| next = Some(next.map_or(when, |n: Instant| n.min(when)));
        if let Some(asking) = &mut self.connect {
            // A probe's own deadline comes first.
            let (every, patience) = match self.life.probe {
                true => (self.life.timeout / TRIES, self.life.timeout * 2),
                false => (HEARTBEAT, self.life.timeout),
            };
            match asking.tick(every, patience, now, out) {
                Some(when) => at(when),
                None => {
                    let why = self.silence();
                    self.life.end(why.clone());
                    out.trouble = Some(why);
                }
            }
        }
        if self.life.phase == Phase::Over {
            self.connect = None;
            return None;
        }
        if !self.datagrams {
            // TCP brings them: only the acknowledgement is waited for.
            self.sent.resend = self.life.timeout;
        }
        let (when, lost) = self.sent.tick(now, out);
        when.into_iter().for_each(&mut at);
        if let Some((said, tries)) = lost {
            self.given_up(&said, tries, out);
        }
        if let Some(beat) = self.beat
            && self.life.phase == Phase::Working
            && self.life.role == Role::Client
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

    fn leave(&mut self, out: &mut Outbox) {
        self.sent.abandon(out);
        // A server of 2.1 and pytide read nothing more of a stream that they have rejected, but a goodbye:
        // without one their socket stays.
        let rejected = self.rejected && !self.datagrams && self.life.role == Role::Client;
        if rejected || self.life.phase != Phase::Over && self.life.phase != Phase::New {
            let fields = match self.life.role {
                Role::Server if !matches!(self.version, Version::V10 | Version::V12) => {
                    json!({"reason": "server_stopped"})
                }
                _ => json!({}),
            };
            let goodbye = self.message("disconnect", fields);
            (0..self.goodbyes()).for_each(|_| out.live(goodbye.clone()));
        }
        self.life.phase = Phase::Over;
    }

    fn identity(&self, said: &OwnedMessage) -> String {
        match said.fields.get("message_id") {
            Some(id) => format!("{} {id}", said.message),
            None => said.message.into(),
        }
    }

    fn sure(&self, said: &OwnedMessage) -> bool {
        is_numbered(said.message) || said.message == "connect"
    }
}
