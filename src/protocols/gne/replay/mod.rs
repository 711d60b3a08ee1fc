//! Playing one side of a recorded GNE conversation to a live peer.
//!
//! The ports of the datagrams are live, and so are byte order and protocol version: a server of
//! another kind refuses the captured request, says in the refusal what it has, and is asked again
//! in its own dialect. Replies to pings go to the live requests. The connection is never left
//! without an ExitPacket: old servers never recover from that (probe.md, step 4).

mod dialect;
mod handshake;

use super::packets::PROTO;
use crate::protocols::Role;
use crate::protocols::hawknl;
use crate::protocols::replay::{Actor, Cast, Channel, Fate, Heed, Outbox, Recorded, Replay, Said, without};
use dialect::{Dialect, LARGEST, clock, each, is_request};
use handshake::{Greeting, port};
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Instant;

/// How many of the peer's pings wait for our reply.
const PINGS: usize = 1024;

/// The protocol's part in replays.
pub struct Replaying;

impl Replay for Replaying {
    fn actor(&self, cast: &Cast<'_>) -> Box<dyn Actor> {
        Box::new(Playing {
            role: cast.role,
            state: State::New,
            why: None,
            greeting: Greeting::new(cast.messages),
            dialect: Dialect { order: cast.messages.iter().find_map(|m| m.said.version), short_pings: None },
            pings_set: cast.options.settings.get("gne.build").is_some_and(|build| build != "auto"),
            exited: false,
            recorded_exit: None,
            beside: None,
            datagrams: Datagrams::Unknown,
            pings: VecDeque::new(),
            asked: VecDeque::new(),
        })
    }

    fn beside(&self, messages: &[Recorded], server: SocketAddr) -> Option<SocketAddr> {
        let accepted = messages.iter().find(|m| m.said.message == "connection_accepted")?;
        Some(SocketAddr::new(server.ip(), port(&accepted.said)?))
    }

    fn wants_beside(&self, messages: &[Recorded]) -> bool {
        // Whether the server grants them is the live one's business.
        messages.iter().any(|m| match m.said.message {
            "connection_request" => handshake::wants_datagrams(&m.said),
            "connection_accepted" => port(&m.said).is_some(),
            _ => false,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    New,
    Requested,
    Accepted,
    Over,
}

/// Are there datagrams beside the stream?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Datagrams {
    /// The handshake has not told yet.
    Unknown,
    /// The peer has named its port.
    Open,
    /// No: all goes over the stream, as in the library.
    None,
}

struct Playing {
    role: Role,
    state: State,
    why: Option<String>,
    greeting: Greeting,
    /// How the live server writes, and so both sides.
    dialect: Dialect,
    /// `gne.build` says which form pings have: as captured.
    pings_set: bool,
    /// We have sent an ExitPacket.
    exited: bool,
    /// Who sent the capture's first ExitPacket: the other side's is the answer to it.
    recorded_exit: Option<Role>,
    /// The port of our datagrams.
    beside: Option<u16>,
    datagrams: Datagrams,
    /// Pings of the peer that wait for a reply.
    pings: VecDeque<u64>,
    /// Pings of ours, and when.
    asked: VecDeque<(u64, Instant)>,
}

fn packets(said: &Said) -> &[Json] {
    said.fields.get("packets").and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn is_exit(said: &Said) -> bool {
    said.message == "packets" && packets(said).iter().any(|p| p.get("id").is_some_and(|id| id == "exit"))
}

impl Playing {
    fn own(&self, message: &'static str, fields: Json) -> Said {
        Said { proto: PROTO, message, version: self.dialect.order, from: self.role, fields, ..Said::default() }
    }

    /// How the side that says this writes.
    fn speaks(&mut self, said: &Said) {
        self.dialect = Dialect::of(said);
        if self.pings_set {
            self.dialect.short_pings = None;
        }
    }

    fn exit(&mut self, out: &mut Outbox) {
        let exit = self.own("packets", json!({"packets": [{"id": "exit"}]}));
        out.live(exit);
        self.exited = true;
    }

    /// Requests are ours from now on, and replies answer what the live peer asked, by our own clock.
    fn answering(&mut self, said: &mut Said, now: Instant) {
        each(&mut said.fields, &mut |id, ping| {
            if id != "ping" {
                return;
            }
            if is_request(ping) {
                if let Some(id) = ping.get("req_id").and_then(Json::as_u64)
                    && self.asked.len() < PINGS
                {
                    self.asked.push_back((id, now));
                }
                return;
            }
            if let Some(id) = self.pings.pop_front() {
                ping.insert("req_id".into(), id.into());
            }
            let time = clock();
            for key in ["t2", "t3"] {
                ping.get_mut(key).into_iter().for_each(|t| *t = time.clone());
            }
        });
    }

    /// A list of packets, over whichever transport there is.
    fn packets(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let mut said = self.dialect.write(message, out)?;
        if said.channel == Channel::Beside && self.datagrams == Datagrams::None {
            if packets(&said).is_empty() {
                return Err("there are no datagrams that it could open".into());
            }
            out.remark("no datagrams are granted: the captured ones go over the stream, as the library's do");
            said.channel = Channel::Main;
        }
        self.answering(&mut said, now);
        self.exited |= is_exit(&said);
        out.say.push_back(said);
        Ok(())
    }

    /// The server accepts: it tells whether there are datagrams, and to which port.
    fn accepted(&mut self, said: &Said, out: &mut Outbox) {
        self.state = self.state.max(State::Accepted);
        let (Some(theirs), Some(ours)) = (port(said), self.beside) else {
            self.datagrams = Datagrams::None;
            return;
        };
        out.connect = Some(theirs);
        self.datagrams = Datagrams::Open;
        if !self.greeting.has_client_port {
            // The server waits for it, whatever the captured one has done.
            let said = self.own("client_port", json!({ "port": ours }));
            out.live(said);
        }
    }

    /// The server refuses. One of the game but of another byte order or protocol version is asked
    /// again as it wants to be asked; `false`: nothing can be done.
    fn refused(&mut self, said: &Said, out: &mut Outbox) -> bool {
        let Some(request) = self.greeting.again(said, out) else { return false };
        self.speaks(&request);
        out.reconnect = true;
        out.live(request);
        true
    }
}

impl Actor for Playing {
    fn fate(&mut self, message: &Recorded) -> Fate {
        let said = &message.said;
        if message.length == 0 {
            return Fate::Danger("an empty datagram or frame ends the connection".into());
        }
        if message.notes.contains(&"hawknl.unfinished") {
            // What a peer that has left does not get any more.
            return Fate::Live("frames that the other side's end has cut");
        }
        if let Some(fault) = &said.fault {
            return Fate::Danger(format!("broken: {fault}; old servers stop serving anybody"));
        }
        if said.proto == hawknl::PROTO {
            return Fate::Danger("a HawkNL frame that is no message of GNE".into());
        }
        if message.length > LARGEST {
            return Fate::Danger(format!("{} bytes: a server's buffer has {LARGEST}", message.length));
        }
        if is_exit(said) && *self.recorded_exit.get_or_insert(said.from) != said.from {
            return Fate::Live("answers to exits");
        }
        Fate::Say
    }

    fn begin(&mut self, _now: Instant, out: &mut Outbox) {
        self.beside = out.beside;
    }

    fn ready(&mut self, message: &Recorded, _now: Instant) -> bool {
        let said = &message.said;
        match (said.message, self.role) {
            ("connection_request", _) => true,
            ("connection_accepted" | "connection_refused", _) => self.state >= State::Requested,
            _ if said.channel == Channel::Beside => self.datagrams != Datagrams::Unknown,
            _ => self.state >= State::Accepted,
        }
    }

    fn say(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        match message.said.message {
            "connection_request" => {
                self.state = State::Requested;
                self.speaks(&message.said);
                self.greeting.request = Some(message.said.clone());
                out.say.push_back(message.said.clone());
            }
            "connection_accepted" => {
                self.state = State::Accepted;
                let said = self.dialect.write(message, out)?;
                out.say.push_back(match (port(&said), self.beside, self.datagrams) {
                    (None, ..) => said,
                    (_, Some(ours), Datagrams::Unknown) => said.with("port", ours),
                    // The live client does not want them.
                    _ => said.with("port", -1),
                });
            }
            "connection_refused" => {
                out.say.push_back(message.said.clone());
                self.state = State::Over;
            }
            "client_port" => {
                let ours = self.beside.filter(|_| self.datagrams == Datagrams::Open);
                let ours = ours.ok_or("the live server grants no datagrams")?;
                let said = self.dialect.write(message, out)?;
                out.say.push_back(if port(&said).is_some() { said.with("port", ours) } else { said });
            }
            _ => self.packets(message, now, out)?,
        }
        Ok(())
    }

    fn heard(&mut self, said: &Said, now: Instant, out: &mut Outbox) -> Heed {
        if said.proto == hawknl::PROTO {
            return Heed::Session;
        }
        for ping in said.derived("pings").and_then(Json::as_array).into_iter().flatten() {
            let id = ping.get("req_id").and_then(Json::as_u64);
            if ping.get("request").is_some_and(|request| request == true) {
                self.pings.extend(id.filter(|_| self.pings.len() < PINGS));
            } else if let Some(at) = self.asked.iter().position(|(asked, _)| Some(*asked) == id) {
                let asked = self.asked.remove(at);
                asked.iter().for_each(|(_, at)| out.counts.round_trip(now.saturating_duration_since(*at)));
            }
        }
        match said.message {
            "connection_request" => {
                self.state = self.state.max(State::Requested);
                // The client's order is that of all that follows; a server that has another refuses.
                self.speaks(said);
                if !handshake::wants_datagrams(said) {
                    self.datagrams = Datagrams::None;
                }
            }
            "connection_accepted" => self.accepted(said, out),
            "connection_refused" if self.state == State::Requested && self.refused(said, out) => {
                return Heed::Session;
            }
            "connection_refused" => {
                self.why = Some(handshake::why(said));
                self.state = State::Over;
            }
            "client_port" => match port(said) {
                Some(theirs) => {
                    out.connect = Some(theirs);
                    self.datagrams = Datagrams::Open;
                }
                None => self.datagrams = Datagrams::None,
            },
            _ if is_exit(said) => {
                if self.exited {
                    // The answer to ours.
                    return Heed::Session;
                }
                self.exit(out);
                self.why = Some("exit".into());
                self.state = State::Over;
            }
            _ => {}
        }
        Heed::New
    }

    fn tick(&mut self, _now: Instant, _out: &mut Outbox) -> Option<Instant> {
        None
    }

    fn settled(&self, _now: Instant) -> bool {
        true
    }

    fn over(&self) -> Option<String> {
        self.why.clone().filter(|_| self.state == State::Over)
    }

    fn closes(&self, message: &Recorded) -> bool {
        is_exit(&message.said)
    }

    fn leave(&mut self, out: &mut Outbox) {
        // Also where the acceptance has not come: it may be under way.
        let accepted = match self.role {
            Role::Client => self.state == State::Requested || self.state == State::Accepted,
            _ => self.state == State::Accepted,
        };
        if accepted && !self.exited {
            self.exit(out);
        }
    }

    fn awaits_end(&self) -> bool {
        self.role == Role::Client && self.exited
    }

    fn identity(&self, said: &Said) -> String {
        let ids: Vec<String> = packets(said)
            .iter()
            .map(|p| match p.get("id") {
                Some(Json::String(name)) => name.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            })
            .collect();
        format!("{} {}", said.message, ids.join(" ")).trim_end().to_string()
    }

    fn content(&self, said: &Said) -> Json {
        let mut fields = said.fields.clone();
        each(&mut fields, &mut |id, ping| {
            if id == "ping" {
                let request = is_request(ping);
                ping.retain(|key, _| key == "id");
                ping.insert("request".into(), request.into());
            }
        });
        match said.message {
            "packets" => fields,
            _ => without(&fields, &["port"]),
        }
    }

    fn sure(&self, said: &Said) -> bool {
        said.channel == Channel::Main
    }
}
