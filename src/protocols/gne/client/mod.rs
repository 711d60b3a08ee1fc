//! GneActor one side of a recorded GNE conversation to a live peer.
//!
//! The ports of the datagrams are live, and so are byte order and protocol version: a server of
//! another kind refuses the captured request, says in the refusal what it has, and is asked again
//! in its own dialect. Replies to pings go to the live requests. The connection is never left
//! without an ExitPacket: old servers never recover from that (README.md, "What harms
//! servers").

mod actor;
mod dialect;
mod handshake;
mod probe;

use super::PROTO;
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Life, Phase};
use crate::live::{Channel, OwnedMessage};
use dialect::{Dialect, clock, each, is_request};
use handshake::{Greeting, port};
use serde_json::{Value as Json, json};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Instant;

/// How many of the peer's pings wait for our reply.
const PINGS: usize = 1024;

/// How GNE's servers are asked, and its recorded conversations played.
pub struct GneClient;

impl Replay for GneClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(GneActor {
            life: Life::new(PROTO, context),
            greeting: Greeting::new(context.messages),
            dialect: Dialect { order: context.messages.iter().find_map(|m| m.said.version), short_pings: None },
            pings_set: context.options.settings.get("gne.build").is_some_and(|build| build != "auto"),
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
    /// Pings of the peer that wait for a reply.
    pings: VecDeque<u64>,
    /// Pings of ours, and when.
    asked: VecDeque<(u64, Instant)>,
}

fn packets(said: &OwnedMessage) -> &[Json] {
    said.fields.get("packets").and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn is_exit(said: &OwnedMessage) -> bool {
    said.message == "packets" && packets(said).iter().any(|p| p.get("id").is_some_and(|id| id == "exit"))
}

impl GneActor {
    fn own(&self, message: &'static str, fields: Json) -> OwnedMessage {
        OwnedMessage { version: self.dialect.order, ..self.life.message(message, fields) }
    }

    /// How the side that says this writes.
    fn speaks(&mut self, said: &OwnedMessage) {
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
    fn answering(&mut self, said: &mut OwnedMessage, now: Instant) {
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
            let said = self.own("client_port", json!({ "port": ours }));
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
