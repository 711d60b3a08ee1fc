//! Decides whether and when each recorded message is sent, and handles each live message.

use super::super::layout::Message::{self, *};
use super::super::layout::{CLIENT, ID, LAST, NOTIFY_ACKS, PING, RTT, SEQUENCE, is_numbered};
use super::super::reliable::COPY;
use super::super::version::Version;
use super::introduced::Introduced;
use super::{HEARTBEAT, RiptideActor};
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Disposition, Handling, Outbox, Recorded};
use crate::live::replay::{Arrival, Life, Numbers, Phase, Rules};
use crate::message::OwnedMessage;
use serde_json::json;
use std::time::{Duration, Instant};

pub static RULES: Rules = Rules {
    empty: "an empty datagram: a C# server on Linux never reads again",
    broken: "",
    live: &[(Ack.name(), "acks"), (AckExtra.name(), "acks"), (Heartbeat.name(), "heartbeats")],
    opens: [&[Connect.name()], &[Welcome.name(), Reject.name(), Connect.name()]],
    closes: &[Disconnect.name()],
    answers: &[Welcome.name()],
    others: &[
        (ClientConnected.name(), "messages about other players"),
        (ClientDisconnected.name(), "messages about other players"),
    ],
    volatile: &[
        // Ids of two servers' sessions are not comparable.
        (&[Welcome.name(), ClientConnected.name(), ClientDisconnected.name()], &[SEQUENCE.name, CLIENT.name]),
        (&[Notify.name()], &[SEQUENCE.name, LAST.name, NOTIFY_ACKS.name]),
        (&[], &[SEQUENCE.name]),
    ],
    decided: &[(&[Notify.name()], &[SEQUENCE.name, LAST.name, NOTIFY_ACKS.name]), (&[], &[SEQUENCE.name])],
};

impl Actor for RiptideActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let decoded = &message.decoded;
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if decoded.message == Unknown {
            return Disposition::Danger("a type that no library knows: it is taken for a reliable message".into());
        }
        let most = self.version.largest();
        if message.length > most {
            return Disposition::Danger(format!("{} bytes: the server's buffer holds {most} bytes", message.length));
        }
        match Message::named(decoded.message) {
            Some(Connect) if std::mem::replace(&mut self.begun, true) && decoded.from == Role::Client => {
                Disposition::Live("repeated connects")
            }
            Some(Disconnect | Reject) => {
                self.begun = false;
                Disposition::Send
            }
            Some(message) if is_numbered(message) && decoded.derived(&COPY).is_some() => Disposition::Live("resends"),
            _ => RULES.disposition(message),
        }
    }

    fn decides(&self, decoded: &OwnedMessage, path: &str) -> bool {
        let answer = decoded.message == Welcome && self.life.role == Role::Client && path == CLIENT.name;
        answer || RULES.decides(decoded.message, path)
    }

    fn begin(&mut self, now: Instant, out: &mut Outbox) {
        if self.life.role == Role::Client && !self.has_connect {
            let fields = self.life.data.as_ref().map_or_else(|| json!({}), |data| json!({ "data": data }));
            let connect = self.message(Connect, fields);
            self.connect(connect, now, out);
        }
    }

    fn waits(&mut self, message: &Recorded, now: Instant) -> Option<&'static str> {
        let name = Message::named(message.decoded.message);
        let (client, phase) = (self.life.role == Role::Client, self.life.phase);
        match name {
            Some(Connect) if client => None,
            Some(Connect | Reject | Welcome) if !client => (phase < Phase::Asked).then_some("the client's connect"),
            _ if phase < Phase::Answered => Some(if client { "the welcome" } else { "the client's connect" }),
            Some(Welcome) => None,
            Some(Disconnect) => self.numbers.rests(now),
            // The client is connected only after it has answered the welcome.
            Some(ClientConnected | ClientDisconnected) => self.numbers.full(),
            _ if phase < Phase::Working && (client || self.has_reply) => Some("the answer to the welcome"),
            // Before that, the server ignores all other messages: one that overtakes the answer is lost.
            _ if self.greeted.is_some_and(|number| self.numbers.sent.waits(number)) => {
                Some("the acknowledgement of the answer to the welcome")
            }
            _ if !matches!(self.introduced, Introduced::Yes) => Some("an answer of the server after the handshake"),
            Some(message) if is_numbered(message) => self.numbers.full(),
            _ => None,
        }
    }

    fn numbers(&mut self) -> Option<&mut Numbers> {
        Some(&mut self.numbers)
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let decoded = OwnedMessage { version: Some(self.version.name()), ..message.decoded.clone() };
        match (Message::named(decoded.message), self.life.role) {
            (Some(Connect), Role::Client) => {
                if self.life.phase != Phase::New {
                    self.restart(out);
                }
                self.connect(decoded, now, out);
            }
            (Some(Welcome), Role::Client) => self.answer(decoded, now, out),
            (Some(Welcome), _) => {
                self.client_id = decoded.number(&CLIENT);
                self.life.reach(Phase::Answered);
                self.numbers.send(decoded, now, out);
            }
            (Some(Disconnect), _) => {
                self.numbers.sent.abandon(out);
                (0..self.goodbyes()).for_each(|_| out.messages.push_back(decoded.clone()));
                self.life.phase = Phase::Over;
            }
            (Some(Reject), _) => out.messages.push_back(decoded),
            (Some(Notify), _) => {
                let (last, bits) = (self.notified.newest(), self.notified.bits(8));
                let decoded = decoded.with(&LAST, last).with(&NOTIFY_ACKS, bits).with(&SEQUENCE, self.next_notify);
                self.next_notify = self.next_notify.wrapping_add(1);
                out.messages.push_back(decoded);
            }
            (Some(message), _) if is_numbered(message) => self.numbers.send(decoded, now, out),
            _ => out.messages.push_back(decoded),
        }
        Ok(())
    }

    fn recv(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        match (Message::named(decoded.message), self.life.role) {
            _ if decoded.fault.is_some() => return Handling::New,
            (Some(Ack | AckExtra), _) => {
                self.acknowledged(decoded, now, out);
                return Handling::Session;
            }
            (Some(Heartbeat), Role::Client) => {
                if let Some((ping, at)) = self.asked
                    && decoded.number(&PING) == Some(ping)
                {
                    let trip = now.saturating_duration_since(at);
                    self.last_trip = trip.as_millis().min(i16::MAX as u128) as i64;
                    out.counts.round_trip(Heartbeat.name(), trip, false);
                    self.smooths(trip);
                    self.asked = None;
                    self.is_introduced(true, now, out);
                }
                return Handling::Session;
            }
            (Some(Heartbeat), _) => {
                // A server learns its round trip from the client. pytide sends 0 at first.
                if let Some(millis) = decoded.number(&RTT).filter(|millis| *millis > 0) {
                    self.smooths(Duration::from_millis(millis));
                }
                let echo = self.message(Heartbeat, json!({"ping_id": decoded.number(&PING).unwrap_or(0)}));
                out.live(echo);
                return Handling::Session;
            }
            (Some(Connect), Role::Client) => {
                // The server asks to wait: its application decides. No more connects are sent.
                _ = self.life.answered();
                return Handling::New;
            }
            (Some(Connect), _) => {
                if self.life.phase == Phase::Over {
                    self.restart(out);
                }
                let again = self.life.phase != Phase::New;
                self.life.reach(Phase::Asked);
                if !self.has_welcome && !again {
                    let welcome = self.message(Welcome, json!({"client_id": 1}));
                    self.life.phase = Phase::Answered;
                    self.numbers.send(welcome, now, out);
                }
                return if again { Handling::Session } else { Handling::New };
            }
            (Some(Welcome), Role::Client) => {
                _ = self.life.answered();
                if !self.take(decoded, now, out) {
                    return Handling::Session;
                }
                // A second welcome with a new sequence id is acknowledged, but the library answers only the first.
                if self.life.phase >= Phase::Answered {
                    return Handling::Session;
                }
                self.client_id = decoded.number(&CLIENT);
                self.life.reach(Phase::Answered);
                if !self.has_welcome {
                    let answer = self.message(Welcome, json!({}));
                    self.answer(answer, now, out);
                }
            }
            (Some(Welcome), _) => {
                if !self.take(decoded, now, out) {
                    return Handling::Session;
                }
                if decoded.number(&CLIENT) != self.client_id {
                    out.remark("the client's welcome names another id than the one that it was given");
                }
                self.life.reach(Phase::Working);
            }
            (Some(Reject | Disconnect), _) => {
                if self.life.phase == Phase::Over {
                    return Handling::Session;
                }
                self.rejected |= decoded.message == Reject;
                self.life.end(RiptideActor::reason(decoded));
                self.numbers.sent.abandon(out);
            }
            (Some(Notify), _) => {
                if let Some(number) = decoded.number(&SEQUENCE)
                    && self.notified.take(number as i64) != Arrival::New
                {
                    return Handling::Session;
                }
            }
            (Some(message), _) if (is_numbered(message) || message == Unknown) && !self.take(decoded, now, out) => {
                return Handling::Session;
            }
            _ => {}
        }
        Handling::New
    }

    fn tick(&mut self, now: Instant, out: &mut Outbox) -> Option<Instant> {
        let version = self.version;
        let mut next = self.life.tick(|| RiptideActor::silence(version), now, out);
        if self.life.phase == Phase::Over {
            return None;
        }
        let mut at = |when: Instant| next = Some(next.map_or(when, |n: Instant| n.min(when)));
        if !self.datagrams {
            // TCP delivers them, so only the acknowledgement is awaited.
            self.numbers.sent.resend = self.life.timeout;
        }
        let (when, lost) = self.numbers.sent.tick(now, out);
        when.into_iter().for_each(&mut at);
        if let Some((decoded, tries)) = lost {
            self.given_up(&decoded, tries, out);
        }
        self.introduce(now);
        if let Some(beat) = self.beat
            && self.life.phase == Phase::Working
            && self.life.role == Role::Client
        {
            if now >= beat {
                let decoded = self.message(Heartbeat, json!({"ping_id": self.ping, "rtt": self.last_trip}));
                out.live(decoded);
                self.asked = Some((self.ping as u64, now));
                self.ping = self.ping.wrapping_add(1);
                self.beat = Some(now + HEARTBEAT);
            }
            self.is_introduced(false, now, out);
            at(self.beat.unwrap_or(now));
        }
        next
    }

    fn leave(&mut self, out: &mut Outbox) {
        self.numbers.sent.abandon(out);
        // A server of 2.1 and pytide ignore a stream that they have rejected, except for a goodbye. Without one their
        // socket stays open.
        // One that has not answered in time may read the connect later, and would keep its socket, too.
        let late = self.life.silent && self.life.probe;
        let kept = (self.rejected || late) && !self.datagrams && self.life.role == Role::Client;
        if kept || self.life.phase != Phase::Over && self.life.phase != Phase::New {
            let fields = match self.life.role {
                Role::Server if !matches!(self.version, Version::V10 | Version::V12) => {
                    json!({"reason": "server_stopped"})
                }
                _ => json!({}),
            };
            let goodbye = self.message(Disconnect, fields);
            (0..self.goodbyes()).for_each(|_| out.live(goodbye.clone()));
        }
        self.life.phase = Phase::Over;
    }

    fn identity(&self, decoded: &OwnedMessage) -> String {
        if let Some(id) = decoded.field(&ID) { format!("{} {id}", decoded.message) } else { decoded.message.into() }
    }

    fn is_reliable(&self, decoded: &OwnedMessage) -> bool {
        Message::named(decoded.message).is_some_and(|message| is_numbered(message) || message == Connect)
    }
}
