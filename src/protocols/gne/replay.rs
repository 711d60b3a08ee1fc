//! Playing one side of a recorded GNE conversation to a live peer.
//!
//! The ports of the datagrams are live, replies to pings go to the live requests, and the
//! connection is never left without an ExitPacket: old servers never recover from that (probe.md,
//! step 4).

use super::packets::PROTO;
use crate::protocols::Role;
use crate::protocols::hawknl;
use crate::protocols::replay::{Actor, Cast, Channel, Fate, Heed, Outbox, Recorded, Replay, Said, without};
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The library's read buffer: what is longer ends the connection (facts, section 2).
const LARGEST: usize = 512;
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
            version: cast.messages.iter().find_map(|m| m.said.version),
            exited: false,
            recorded_exit: None,
            beside: None,
            connected: false,
            pings: VecDeque::new(),
            asked: VecDeque::new(),
        })
    }

    fn beside(&self, messages: &[Recorded], server: SocketAddr) -> Option<SocketAddr> {
        let accepted = messages.iter().find(|m| m.said.message == "connection_accepted")?;
        let port = u16::try_from(accepted.said.number("port")?).ok().filter(|port| *port > 0)?;
        Some(SocketAddr::new(server.ip(), port))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    New,
    Requested,
    Accepted,
    Over,
}

struct Playing {
    role: Role,
    state: State,
    why: Option<String>,
    version: Option<&'static str>,
    /// We have sent an ExitPacket.
    exited: bool,
    /// Who sent the capture's first ExitPacket: the other side's is the answer to it.
    recorded_exit: Option<Role>,
    /// The port of our datagrams.
    beside: Option<u16>,
    /// The peer has named its own.
    connected: bool,
    /// Pings of the peer that wait for a reply.
    pings: VecDeque<u64>,
    /// Pings of ours, and when.
    asked: VecDeque<(u64, Instant)>,
}

fn packets(said: &Said) -> impl Iterator<Item = &Json> {
    said.fields.get("packets").and_then(Json::as_array).into_iter().flatten()
}

fn is_exit(said: &Said) -> bool {
    said.message == "packets" && packets(said).any(|p| p.get("id").is_some_and(|id| id == "exit"))
}

/// Is a ping a request? Of the short form a field tells it, else an empty time.
fn is_request(ping: &Json) -> bool {
    match ping.get("is_request") {
        Some(flag) => flag == true || flag.as_u64().is_some_and(|n| n > 0),
        None => {
            let zero = |part: &str| ping.get("t2").and_then(|t| t.get(part)).and_then(Json::as_i64) == Some(0);
            zero("sec") && zero("usec")
        }
    }
}

fn is_ping(packet: &Json) -> bool {
    packet.get("id").is_some_and(|id| id == "ping")
}

impl Playing {
    fn exit(&self) -> Said {
        Said {
            proto: PROTO,
            message: "packets",
            version: self.version,
            from: self.role,
            fields: json!({"packets": [{"id": "exit"}]}),
            ..Said::default()
        }
    }

    /// Replies to pings answer what the live peer asked, by our own clock.
    fn answering(&mut self, said: &Said, now: Instant) -> Said {
        let mut said = said.clone();
        let list = said.fields.get_mut("packets").and_then(Json::as_array_mut);
        for packet in list.into_iter().flatten().filter(|p| is_ping(p)) {
            if is_request(packet) {
                if let Some(id) = packet.get("req_id").and_then(Json::as_u64)
                    && self.asked.len() < PINGS
                {
                    self.asked.push_back((id, now));
                }
                continue;
            }
            let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let time = json!({"sec": clock.as_secs() as i32, "usec": clock.subsec_micros()});
            let live = self.pings.pop_front();
            let Some(map) = packet.as_object_mut() else { continue };
            if let Some(id) = live {
                map.insert("req_id".into(), id.into());
            }
            for key in ["t2", "t3"] {
                map.get_mut(key).into_iter().for_each(|t| *t = time.clone());
            }
        }
        said
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
            _ if said.channel == Channel::Beside => self.connected,
            _ => self.state >= State::Accepted,
        }
    }

    fn say(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> bool {
        let said = self.answering(&message.said, now);
        let own = |said: Said, port: Option<u16>| match port {
            Some(port) if said.fields.get("port").is_some_and(|p| p.as_i64().is_some_and(|p| p > 0)) => {
                said.with("port", port)
            }
            _ => said,
        };
        match said.message {
            "connection_request" => {
                self.state = State::Requested;
                out.say.push_back(said);
            }
            "connection_accepted" => {
                self.state = State::Accepted;
                let said = own(said, self.beside);
                out.say.push_back(said);
            }
            "connection_refused" => {
                out.say.push_back(said);
                self.state = State::Over;
            }
            "client_port" => {
                if !self.connected {
                    out.remark("the server grants no datagrams: the client's port is not sent");
                    return false;
                }
                let said = own(said, self.beside);
                out.say.push_back(said);
            }
            _ => {
                self.exited |= is_exit(&said);
                out.say.push_back(said);
            }
        }
        true
    }

    fn heard(&mut self, said: &Said, now: Instant, out: &mut Outbox) -> Heed {
        if said.proto == hawknl::PROTO {
            return Heed::Session;
        }
        for ping in packets(said).filter(|p| is_ping(p)) {
            let id = ping.get("req_id").and_then(Json::as_u64);
            if is_request(ping) {
                self.pings.extend(id.filter(|_| self.pings.len() < PINGS));
            } else if let Some(at) = self.asked.iter().position(|(asked, _)| Some(*asked) == id) {
                let asked = self.asked.remove(at);
                asked.iter().for_each(|(_, at)| out.counts.round_trip(now.saturating_duration_since(*at)));
            }
        }
        match said.message {
            "connection_request" => self.state = self.state.max(State::Requested),
            "connection_accepted" => {
                self.state = self.state.max(State::Accepted);
                let port = said.number("port").and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0);
                if let Some(port) = port.filter(|_| self.beside.is_some()) {
                    out.connect = Some(port);
                    self.connected = true;
                }
            }
            "connection_refused" => {
                let text = |key: &str| said.fields.get(key).map(ToString::to_string).unwrap_or_default();
                self.why = Some(format!(
                    "refused: the server has version {}.{}.{}, game {}, user version {}, byte order {}: \
                     --edit 'message == connection_request: FIELD=VALUE' makes the request fit",
                    text("version"),
                    text("sub_version"),
                    text("build"),
                    text("game"),
                    text("user_version"),
                    said.version.unwrap_or("unknown"),
                ));
                self.state = State::Over;
            }
            "client_port" => {
                if let Some(port) =
                    said.number("port").and_then(|port| u16::try_from(port).ok()).filter(|port| *port > 0)
                {
                    out.connect = Some(port);
                    self.connected = true;
                }
            }
            _ if is_exit(said) => {
                if self.exited {
                    // The answer to ours.
                    return Heed::Session;
                }
                let exit = self.exit();
                out.live(exit);
                self.exited = true;
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
        if self.state == State::Accepted && !self.exited {
            let exit = self.exit();
            out.live(exit);
            self.exited = true;
        }
    }

    fn awaits_end(&self) -> bool {
        self.role == Role::Client && self.state >= State::Accepted && self.exited
    }

    fn identity(&self, said: &Said) -> String {
        let ids: Vec<String> = packets(said)
            .map(|p| match p.get("id") {
                Some(Json::String(name)) => name.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            })
            .collect();
        format!("{} {}", said.message, ids.join(" ")).trim_end().to_string()
    }

    fn content(&self, said: &Said) -> Json {
        let packets: Vec<Json> =
            packets(said)
                .map(|packet| {
                    if is_ping(packet) { json!({"id": "ping", "request": is_request(packet)}) } else { packet.clone() }
                })
                .collect();
        match said.message {
            "packets" => json!({"packets": packets, "unparsed": said.fields.get("unparsed")}),
            _ => without(&said.fields, &["port"]),
        }
    }

    fn sure(&self, said: &Said) -> bool {
        said.channel == Channel::Main
    }
}
