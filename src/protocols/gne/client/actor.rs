//! What becomes of each recorded message, and what is answered live.

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
use std::time::Instant;

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
        let said = &message.said;
        if message.length > 0 && message.notes.contains(&"hawknl.unfinished") {
            // What a peer that has left does not get any more.
            return Disposition::Live("frames that the other side's end has cut");
        }
        if let Some(danger) = RULES.danger(message) {
            return danger;
        }
        if said.proto == hawknl::PROTO {
            return Disposition::Danger("a HawkNL frame that is no message of GNE".into());
        }
        if message.length > LARGEST {
            return Disposition::Danger(format!("{} bytes: a server's buffer has {LARGEST}", message.length));
        }
        if self.replies(message) {
            return Disposition::Live("replies to pings");
        }
        if is_exit(said) && *self.recorded_exit.get_or_insert(said.from) != said.from {
            return Disposition::Live("answers to exits");
        }
        Disposition::Send
    }

    fn begin(&mut self, _now: Instant, out: &mut Outbox) {
        self.beside = out.beside;
    }

    fn waits(&mut self, message: &Recorded, _now: Instant) -> Option<&'static str> {
        let (said, client) = (&message.said, self.life.role == Role::Client);
        match Message::named(said.message) {
            Some(ConnectionRequest) => None,
            Some(ConnectionAccepted | ConnectionRefused) => {
                (self.life.phase < Phase::Asked).then_some("the client's request")
            }
            _ if self.life.phase < Phase::Working => {
                Some(if client { "the answer to the request" } else { "the client's request" })
            }
            // The handshake has a third message where there are datagrams.
            _ if !client && self.granted && self.datagrams == Datagrams::Unknown => Some("the client's port"),
            Some(ClientPort) => None,
            // The stream has the port first: what overtakes it would be read as one.
            _ if said.channel == Channel::Main && self.port_due => Some("our port"),
            _ => None,
        }
    }

    fn cause(&self, said: &OwnedMessage) -> Cause {
        match packets(said) {
            // When somebody pings is up to a clock, and whether it is answered to the application.
            [ping] if said.message == Packets && ping.get(ID.name).is_some_and(|id| id == "ping") => {
                Cause::Others("pings")
            }
            _ => RULES.cause(said.message),
        }
    }

    fn parts(&self, said: OwnedMessage, each: &mut dyn FnMut(OwnedMessage)) {
        self.pieces.parts(said, self.dialect, each);
    }

    fn learn(&mut self, said: &mut dyn Iterator<Item = &OwnedMessage>) {
        said.for_each(|said| self.pieces.learn(said));
    }

    fn send(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        match Message::named(message.said.message) {
            Some(ConnectionRequest) => {
                self.life.phase = Phase::Asked;
                self.speaks(&message.said);
                self.greeting.request = Some(message.said.clone());
                out.say.push_back(message.said.clone());
            }
            Some(ConnectionAccepted) => {
                self.life.phase = Phase::Working;
                let said = self.dialect.write(message, out)?;
                out.say.push_back(match (port(&said), self.beside, self.datagrams) {
                    (None, ..) => said,
                    (_, Some(ours), Datagrams::Unknown) => {
                        self.granted = true;
                        said.with(&PORT, ours)
                    }
                    // The live client does not want them.
                    _ => said.with(&PORT, -1),
                });
                if !self.granted {
                    self.datagrams = Datagrams::None;
                }
            }
            Some(ConnectionRefused) => {
                out.say.push_back(message.said.clone());
                self.life.phase = Phase::Over;
            }
            Some(ClientPort) => {
                self.port_due = false;
                let ours = self.beside.filter(|_| self.datagrams == Datagrams::Open);
                let ours = ours.ok_or("the live server grants no datagrams")?;
                let said = self.dialect.write(message, out)?;
                out.say.push_back(if port(&said).is_some() { said.with(&PORT, ours) } else { said });
            }
            _ => self.packets(message, now, out)?,
        }
        Ok(())
    }

    fn recv(&mut self, said: &OwnedMessage, now: Instant, out: &mut Outbox) -> Handling {
        if said.proto == hawknl::PROTO {
            return Handling::Session;
        }
        for ping in said.derived(&PINGS).and_then(Json::as_array).into_iter().flatten() {
            let id = ping.get(pings::REQ_ID.name).and_then(Json::as_u64);
            if ping.get(pings::REQUEST.name).is_some_and(|request| request == true) {
                id.into_iter().for_each(|id| self.reply(id, out));
            } else if let Some(at) = self.asked.iter().position(|(asked, _)| Some(*asked) == id) {
                let asked = self.asked.remove(at);
                asked.iter().for_each(|(_, at)| out.counts.round_trip(now.saturating_duration_since(*at)));
            }
        }
        if only_replies(said) {
            return Handling::Session;
        }
        match Message::named(said.message) {
            Some(ConnectionRequest) => {
                self.life.reach(Phase::Asked);
                // The client's order is that of all that follows; a server that has another refuses.
                self.speaks(said);
                if !handshake::wants_datagrams(said) {
                    self.datagrams = Datagrams::None;
                }
            }
            Some(ConnectionAccepted) => self.accepted(said, out),
            Some(ConnectionRefused) if self.life.phase == Phase::Asked && self.refused(said, out) => {
                return Handling::Session;
            }
            Some(ConnectionRefused) => {
                self.life.end(handshake::why(said));
            }
            Some(ClientPort) => match port(said) {
                Some(theirs) => {
                    out.connect = Some(theirs);
                    self.datagrams = Datagrams::Open;
                }
                None => self.datagrams = Datagrams::None,
            },
            _ if is_exit(said) => {
                if self.exited {
                    // The answer to ours.
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
        is_exit(&message.said)
    }

    fn leave(&mut self, out: &mut Outbox) {
        // Also where the acceptance has not come: it may be under way.
        let accepted = match self.life.role {
            Role::Client => self.life.phase == Phase::Asked || self.life.phase == Phase::Working,
            _ => self.life.phase == Phase::Working,
        };
        if accepted && !self.exited {
            self.exit(out);
        }
    }

    fn awaits_end(&self) -> bool {
        self.life.role == Role::Client && self.exited
    }

    fn identity(&self, said: &OwnedMessage) -> String {
        let ids: Vec<String> = packets(said)
            .iter()
            .map(|p| match p.get(ID.name) {
                Some(Json::String(name)) => name.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            })
            .collect();
        let message = if said.channel == Channel::Beside { "datagram" } else { said.message };
        format!("{message} {}", ids.join(" ")).trim_end().to_string()
    }

    fn content(&self, said: &OwnedMessage) -> Json {
        let mut fields = said.to_json().clone();
        each(&mut fields, &mut |id, ping| {
            if id == "ping" {
                let request = is_request(ping);
                ping.retain(|key, _| key == ID.name);
                ping.insert(pings::REQUEST.name.into(), request.into());
            }
        });
        without(&fields, RULES.volatile(said.message))
    }

    fn sure(&self, said: &OwnedMessage) -> bool {
        said.channel == Channel::Main
    }
}
