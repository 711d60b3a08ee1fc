//! Decides whether and when each recorded message is sent, and handles each live message.

use super::super::layout::Message::{self, *};
use super::super::layout::{ID, PORT};
use super::super::pings::{self, PINGS};
use super::dialect::{LARGEST, each, is_request};
use super::handshake::{self, port};
use super::{Datagrams, GneActor, is_exit, only_replies, packets};
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Cause, Disposition, Handling, Outbox, Recorded, without};
use crate::live::replay::{Life, Phase, Rules};
use crate::message::{Channel, OwnedMessage};
use crate::protocols::hawknl;
use serde_json::Value as Json;
use std::time::{Duration, Instant};

/// The shortest time that a client which has sent its exit gives the server to close the connection.
const CLOSING: Duration = Duration::from_secs(2);

pub static RULES: Rules = Rules {
    empty: "an empty datagram or frame ends the connection",
    broken: "; old servers stop serving anybody",
    live: &[],
    opens: [&[], &[]],
    closes: &[],
    answers: &[ConnectionAccepted.name(), ClientPort.name()],
    others: &[],
    volatile: &[(&[Packets.name()], &[]), (&[], &[PORT.name])],
    decided: &[(&[], &[PORT.name])],
};

impl Actor for GneActor {
    fn life(&self) -> &Life {
        &self.life
    }

    fn disposition(&mut self, message: &Recorded) -> Disposition {
        let decoded = &message.decoded;
        if message.length > 0 && message.notes.contains(&"hawknl.unfinished") {
            // A peer that has left no longer receives them.
            return Disposition::Live("frames that the other side's end has cut");
        }
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if decoded.proto == hawknl::PROTO {
            return Disposition::Danger("a HawkNL frame that is not a message of GNE".into());
        }
        if message.length > LARGEST {
            return Disposition::Danger(format!("{} bytes: the server's buffer holds {LARGEST} bytes", message.length));
        }
        if self.replies(message) {
            return Disposition::Live("replies to pings");
        }
        if is_exit(decoded) && *self.recorded_exit.get_or_insert(decoded.from) != decoded.from {
            return Disposition::Live("answers to exits");
        }
        Disposition::Send
    }

    fn begin(&mut self, _now: Instant, out: &mut Outbox) {
        self.datagram_port = out.datagram_port;
    }

    fn waits(&mut self, message: &Recorded, _now: Instant) -> Option<&'static str> {
        let (decoded, client) = (&message.decoded, self.life.role == Role::Client);
        match Message::named(decoded.message) {
            Some(ConnectionRequest) => None,
            Some(ConnectionAccepted | ConnectionRefused) => {
                (self.life.phase < Phase::Asked).then_some("the client's request")
            }
            _ if self.life.phase < Phase::Working => {
                Some(if client { "the answer to the request" } else { "the client's request" })
            }
            // With datagrams, the handshake has a third message.
            _ if !client && self.granted && self.datagrams == Datagrams::Unknown => Some("the client's port"),
            Some(ClientPort) => None,
            // The port goes first on the stream: 4 bytes sent before it would be read as the port.
            _ if decoded.channel == Channel::Main && self.port_due => Some("this side's port"),
            _ => None,
        }
    }

    fn cause(&self, decoded: &OwnedMessage) -> Cause {
        match packets(decoded) {
            // A clock decides when pings are sent, and the application whether they are answered.
            [ping] if decoded.message == Packets && ping.get(ID.name).is_some_and(|id| id == "ping") => {
                Cause::Others("pings")
            }
            _ => RULES.cause(decoded.message),
        }
    }

    fn parts(&self, decoded: OwnedMessage, each: &mut dyn FnMut(OwnedMessage)) {
        self.splitter.parts(decoded, self.dialect, each);
    }

    fn learn(&mut self, decoded: &mut dyn Iterator<Item = &OwnedMessage>) {
        decoded.for_each(|decoded| self.splitter.learn(decoded));
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        match Message::named(message.decoded.message) {
            Some(ConnectionRequest) => {
                self.life.phase = Phase::Asked;
                self.speaks(&message.decoded);
                self.greeting.request = Some(message.decoded.clone());
                out.messages.push_back(message.decoded.clone());
            }
            Some(ConnectionAccepted) => {
                self.life.phase = Phase::Working;
                let decoded = self.dialect.write(message, out)?;
                out.messages.push_back(match (port(&decoded), self.datagram_port, self.datagrams) {
                    (None, ..) => decoded,
                    (_, Some(ours), Datagrams::Unknown) => {
                        self.granted = true;
                        decoded.with(&PORT, ours)
                    }
                    // The live client wants no datagrams.
                    _ => decoded.with(&PORT, -1),
                });
                if !self.granted {
                    self.datagrams = Datagrams::None;
                }
            }
            Some(ConnectionRefused) => {
                out.messages.push_back(message.decoded.clone());
                self.life.phase = Phase::Over;
            }
            Some(ClientPort) => {
                self.port_due = false;
                let ours = self.datagram_port.filter(|_| self.datagrams == Datagrams::Open);
                let ours = ours.ok_or("the live server grants no datagrams")?;
                let decoded = self.dialect.write(message, out)?;
                out.messages.push_back(if port(&decoded).is_some() { decoded.with(&PORT, ours) } else { decoded });
            }
            _ => self.packets(message, now, out)?,
        }
        Ok(())
    }

    fn recv(&mut self, decoded: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        if decoded.proto == hawknl::PROTO {
            return Handling::Session;
        }
        for ping in decoded.derived(&PINGS).and_then(Json::as_array).into_iter().flatten() {
            let id = ping.get(pings::REQ_ID.name).and_then(Json::as_u64);
            if ping.get(pings::REQUEST.name).is_some_and(|request| request == true) {
                id.into_iter().for_each(|id| self.reply(id, out));
            } else if let Some(at) = self.asked.iter().position(|(asked, _)| Some(*asked) == id) {
                let asked = self.asked.remove(at);
                asked
                    .iter()
                    .for_each(|(_, at)| out.counts.round_trip("ping", now.saturating_duration_since(*at), false));
            }
        }
        if only_replies(decoded) {
            return Handling::Session;
        }
        match Message::named(decoded.message) {
            Some(ConnectionRequest) => {
                self.life.reach(Phase::Asked);
                // The client's byte order holds for all that follows. A server with another order refuses the request.
                self.speaks(decoded);
                if !handshake::wants_datagrams(decoded) {
                    self.datagrams = Datagrams::None;
                }
            }
            Some(ConnectionAccepted) => self.accepted(decoded, out),
            Some(ConnectionRefused) if self.life.phase == Phase::Asked && self.refused(decoded, out) => {
                return Handling::Session;
            }
            Some(ConnectionRefused) => {
                self.life.end(handshake::why(decoded));
            }
            Some(ClientPort) => match port(decoded) {
                Some(theirs) => {
                    out.connect = Some(theirs);
                    self.datagrams = Datagrams::Open;
                }
                None => self.datagrams = Datagrams::None,
            },
            _ if is_exit(decoded) => {
                if self.exited {
                    // It answers our exit.
                    return Handling::Session;
                }
                self.exit(out);
                self.life.end("exit");
            }
            _ => {}
        }
        Handling::New
    }

    fn closes(&self, message: &Recorded) -> bool {
        is_exit(&message.decoded)
    }

    fn leave(&mut self, out: &mut Outbox) {
        // We exit even before the acceptance arrives: it may be under way.
        let accepted = match self.life.role {
            Role::Client => self.life.phase == Phase::Asked || self.life.phase == Phase::Working,
            _ => self.life.phase == Phase::Working,
        };
        if accepted && !self.exited {
            self.exit(out);
        }
    }

    fn awaits_end(&self) -> Option<Duration> {
        (self.life.role == Role::Client && self.exited).then(|| self.life.timeout.max(CLOSING))
    }

    fn identity(&self, decoded: &OwnedMessage) -> String {
        let ids: Vec<String> = packets(decoded)
            .iter()
            .map(|p| match p.get(ID.name) {
                Some(Json::String(name)) => name.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            })
            .collect();
        let message = if decoded.channel == Channel::Datagrams { "datagram" } else { decoded.message };
        format!("{message} {}", ids.join(" ")).trim_end().to_string()
    }

    fn content(&self, decoded: &OwnedMessage) -> Json {
        let mut fields = decoded.to_json().clone();
        each(&mut fields, &mut |id, ping| {
            if id == "ping" {
                let request = is_request(ping);
                ping.retain(|key, _| key == ID.name);
                ping.insert(pings::REQUEST.name.into(), request.into());
            }
        });
        without(&fields, RULES.volatile(decoded.message))
    }

    fn is_reliable(&self, decoded: &OwnedMessage) -> bool {
        decoded.channel == Channel::Main
    }
}
