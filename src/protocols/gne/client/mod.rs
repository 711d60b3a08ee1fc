//! Plays one side of a recorded GNE conversation to a live peer.
//!
//! The ports of the datagrams are live, and so are byte order and protocol version: a server of
//! another kind refuses the captured request, says in the refusal what it has, and is asked again
//! in its own dialect. Replies to pings go to the live requests. The connection is never left
//! without an ExitPacket: old servers never recover from that (README.md, "What harms
//! servers").

mod actor;
mod dialect;
mod handshake;
mod pieces;
mod probe;

use super::PROTO;
use super::layout::Message::{self, *};
use super::layout::{ID, IS_REQUEST, LIST, REQ_ID};
use crate::codec::reader::UNPARSED;
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Life, Phase};
use crate::message::{Channel, OwnedMessage};
use dialect::{Dialect, clock, each, is_request};
use handshake::{Greeting, port};
use pieces::Pieces;
use serde_json::{Map, Value as Json, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Instant;

/// How many of our pings wait for a reply.
const PINGS: usize = 1024;

/// How GNE's servers are asked, and its recorded conversations played.
pub struct GneClient;

impl Replay for GneClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(GneActor {
            life: Life::new(PROTO, &actor::RULES, context),
            greeting: Greeting::new(context.messages),
            dialect: Dialect { order: context.messages.iter().find_map(|m| m.said.version), short_pings: None },
            pings_set: context.options.settings.get("gne.build").is_some_and(|build| build != "auto"),
            exited: false,
            recorded_exit: None,
            beside: None,
            datagrams: Datagrams::Unknown,
            port_due: context.role == Role::Client && context.has(Role::Client, ClientPort.name()),
            granted: false,
            pieces: Pieces::default(),
            answering: None,
            asked: VecDeque::new(),
        })
    }

    fn is_of_streams(&self) -> bool {
        true
    }

    fn beside(&self, messages: &[Recorded], server: SocketAddr) -> Option<SocketAddr> {
        let accepted = messages.iter().find(|m| m.said.message == ConnectionAccepted)?;
        Some(SocketAddr::new(server.ip(), port(&accepted.said)?))
    }

    fn wants_beside(&self, messages: &[Recorded]) -> bool {
        // Whether the server grants them is the live one's business.
        messages.iter().any(|m| match Message::named(m.said.message) {
            Some(ConnectionRequest) => handshake::wants_datagrams(&m.said),
            Some(ConnectionAccepted) => port(&m.said).is_some(),
            _ => false,
        })
    }
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

struct GneActor {
    life: Life,
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
    /// We have named the port of ours.
    granted: bool,
    /// The recording has our client_port, and it is still to be said.
    port_due: bool,
    /// Packets behind which no others can be told from their bytes.
    pieces: Pieces,
    /// The recorded side replies to pings: over which transport, and in the form of build 5?
    answering: Option<(Channel, bool)>,
    /// Pings of ours, and when.
    asked: VecDeque<(u64, Instant)>,
}

fn packets(said: &OwnedMessage) -> &[Json] {
    said.field(&LIST).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn is_exit(said: &OwnedMessage) -> bool {
    said.message == Packets && packets(said).iter().any(|p| p.get(ID.name).is_some_and(|id| id == "exit"))
}

/// A reply to a ping.
fn is_reply(packet: &Json) -> bool {
    packet.as_object().is_some_and(|map| map.get(ID.name).is_some_and(|id| id == "ping") && !is_request(map))
}

/// Replies to pings, and nothing else.
fn only_replies(said: &OwnedMessage) -> bool {
    let all = packets(said);
    said.message == Packets && !all.is_empty() && all.iter().all(is_reply) && !said.has(&UNPARSED)
}

impl GneActor {
    fn own(&self, message: Message, fields: Json) -> OwnedMessage {
        OwnedMessage { version: self.dialect.order, ..self.life.message(message.name(), fields) }
    }

    /// How the side that says this writes.
    fn speaks(&mut self, said: &OwnedMessage) {
        self.dialect = Dialect::of(said);
        if self.pings_set {
            self.dialect.short_pings = None;
        }
    }

    fn exit(&mut self, out: &mut Outbox) {
        let exit = self.own(Packets, json!({"packets": [{"id": "exit"}]}));
        out.live(exit);
        self.exited = true;
    }

    /// Does this message reply to pings, and say nothing else? When that is said is up to the other
    /// side's pings: replies are made live, if the recorded side makes any.
    fn replies(&mut self, message: &Recorded) -> bool {
        let all = packets(&message.said);
        if message.said.from == self.life.role && all.iter().any(is_reply) {
            let short = all.iter().any(|p| is_reply(p) && p.get(IS_REQUEST.name).is_some());
            // The stream brings it for sure, so what goes over both goes there.
            if self.answering.is_none_or(|(channel, _)| channel == Channel::Beside) {
                self.answering = Some((message.said.channel, short));
            }
        }
        only_replies(&message.said)
    }

    /// The reply to a live ping, by our own clock, if the recorded side replies to any.
    fn reply(&mut self, id: u64, out: &mut Outbox) {
        let Some((channel, captured)) = self.answering.filter(|_| !self.exited && !self.life.probe) else { return };
        let (short, time) = (self.dialect.short_pings.unwrap_or(captured), clock());
        let ping = match short {
            true => json!({"id": "ping", "is_request": false, "req_id": id}),
            false => json!({"id": "ping", "req_id": id, "t2": time, "t3": time}),
        };
        let open = channel == Channel::Beside && self.datagrams == Datagrams::Open;
        let reply = self.own(Packets, json!({ "packets": [ping] }));
        out.live(OwnedMessage { channel: if open { Channel::Beside } else { Channel::Main }, ..reply });
    }

    /// Requests are ours from now on; replies among other packets are made live, too.
    fn asking(&mut self, said: &mut OwnedMessage, now: Instant) {
        let mut see = |id: &str, ping: &mut Map<String, Json>| {
            if id == "ping"
                && is_request(ping)
                && let Some(id) = ping.get(REQ_ID.name).and_then(Json::as_u64)
                && self.asked.len() < PINGS
            {
                self.asked.push_back((id, now));
            }
        };
        said.edit(|fields| {
            each(fields, &mut see);
            if let Some(Json::Array(list)) = fields.get_mut(LIST.name) {
                list.retain(|packet| !is_reply(packet));
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
        self.asking(&mut said, now);
        self.exited |= is_exit(&said);
        out.say.push_back(said);
        Ok(())
    }

    /// The server accepts: it tells whether there are datagrams, and to which port.
    fn accepted(&mut self, said: &OwnedMessage, out: &mut Outbox) {
        self.life.reach(Phase::Working);
        let (Some(theirs), Some(ours)) = (port(said), self.beside) else {
            self.datagrams = Datagrams::None;
            return;
        };
        out.connect = Some(theirs);
        self.datagrams = Datagrams::Open;
        if !self.greeting.has_client_port {
            // The server waits for it, whatever the captured one has done.
            let said = self.own(ClientPort, json!({ "port": ours }));
            out.live(said);
        }
    }

    /// The server refuses. One of the game but of another byte order or protocol version is asked
    /// again as it wants to be asked; `false`: nothing can be done.
    fn refused(&mut self, said: &OwnedMessage, out: &mut Outbox) -> bool {
        let Some(request) = self.greeting.again(said, out) else { return false };
        self.speaks(&request);
        out.reconnect = true;
        out.live(request);
        true
    }
}
