//! Plays one side of a recorded GNE conversation to a live peer.
//!
//! Datagram ports, byte order and protocol version are the live peer's. A server that differs refuses the captured
//! request; its refusal contains its version and byte order, and a second request is sent with them. Live ping requests
//! are answered with live replies. An accepted connection always ends with an ExitPacket: old servers never recover
//! from a connection without one (README.md, "What harms servers").

mod actor;
mod dialect;
mod handshake;
mod probe;
mod splitter;

use super::PROTO;
use super::layout::Message::{self, *};
use super::layout::{ID, IS_REQUEST, LIST, REQ_ID};
use crate::codec::reader::UNPARSED;
use crate::dissect::Role;
use crate::live::replay::actor::{Actor, Outbox, Recorded, Replay, ReplayContext};
use crate::live::replay::{Life, Phase};
use crate::message::{Channel, OwnedMessage};
use dialect::{Dialect, each, is_request, ping};
use handshake::{Greeting, port};
use serde_json::{Map, Value as Json, json};
use splitter::PacketSplitter;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Instant;

/// The most pings of ours that wait for a reply.
const PINGS: usize = 1024;

/// Probes GNE servers and replays recorded GNE conversations.
pub struct GneClient;

impl Replay for GneClient {
    fn actor(&self, context: &ReplayContext<'_>) -> Box<dyn Actor> {
        Box::new(GneActor {
            life: Life::new(PROTO, &actor::RULES, context),
            greeting: Greeting::new(context.messages),
            dialect: Dialect { order: context.messages.iter().find_map(|m| m.decoded.version), short_pings: None },
            pings_set: context.options.settings.get("gne.build").is_some_and(|build| build != "auto"),
            exited: false,
            recorded_exit: None,
            datagram_port: None,
            datagrams: Datagrams::Unknown,
            port_due: context.role == Role::Client && context.has(Role::Client, ClientPort.name()),
            granted: false,
            splitter: PacketSplitter::default(),
            answering: None,
            asked: VecDeque::new(),
        })
    }

    fn is_of_streams(&self) -> bool {
        true
    }

    fn datagram_address(&self, messages: &[Recorded], server: SocketAddr) -> Option<SocketAddr> {
        let accepted = messages.iter().find(|m| m.decoded.message == ConnectionAccepted)?;
        Some(SocketAddr::new(server.ip(), port(&accepted.decoded)?))
    }

    fn wants_datagrams(&self, messages: &[Recorded]) -> bool {
        // The live server decides whether it grants them.
        messages.iter().any(|m| match Message::named(m.decoded.message) {
            Some(ConnectionRequest) => handshake::wants_datagrams(&m.decoded),
            Some(ConnectionAccepted) => port(&m.decoded).is_some(),
            _ => false,
        })
    }
}

/// Whether there are datagrams beside the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Datagrams {
    /// The handshake has not decided yet.
    Unknown,
    /// The peer has sent its port.
    Open,
    /// No: everything goes over the stream, as in the library.
    None,
}

struct GneActor {
    life: Life,
    greeting: Greeting,
    /// The live server's dialect, which both sides use.
    dialect: Dialect,
    /// The user set `gne.build`: pings keep their captured form.
    pings_set: bool,
    /// We have sent an ExitPacket.
    exited: bool,
    /// The sender of the capture's first ExitPacket. The other side's exit answers it.
    recorded_exit: Option<Role>,
    /// Our datagram port.
    datagram_port: Option<u16>,
    datagrams: Datagrams,
    /// We have sent our datagram port.
    granted: bool,
    /// The recording has our `client_port`, and it is not sent yet.
    port_due: bool,
    /// Known packets of unknown length, for splitting lists.
    splitter: PacketSplitter,
    /// Transport and form (`true`: short) of the recorded side's ping replies, if it sends any.
    answering: Option<(Channel, bool)>,
    /// Our unanswered pings, each with its sending time.
    asked: VecDeque<(u64, Instant)>,
}

fn packets(decoded: &OwnedMessage) -> &[Json] {
    decoded.field(&LIST).and_then(Json::as_array).map_or(&[], Vec::as_slice)
}

fn is_exit(decoded: &OwnedMessage) -> bool {
    decoded.message == Packets && packets(decoded).iter().any(|p| p.get(ID.name).is_some_and(|id| id == "exit"))
}

/// Whether a packet is a reply to a ping.
fn is_reply(packet: &Json) -> bool {
    packet.as_object().is_some_and(|map| map.get(ID.name).is_some_and(|id| id == "ping") && !is_request(map))
}

/// Whether a message contains ping replies and nothing else.
fn only_replies(decoded: &OwnedMessage) -> bool {
    let all = packets(decoded);
    decoded.message == Packets && !all.is_empty() && all.iter().all(is_reply) && !decoded.has(&UNPARSED)
}

impl GneActor {
    fn own(&self, message: Message, fields: Json) -> OwnedMessage {
        OwnedMessage { version: self.dialect.order, ..self.life.message(message.name(), fields) }
    }

    /// Adopts the dialect of this message's sender.
    fn speaks(&mut self, decoded: &OwnedMessage) {
        self.dialect = Dialect::of(decoded);
        if self.pings_set {
            self.dialect.short_pings = None;
        }
    }

    fn exit(&mut self, out: &mut Outbox) {
        let exit = self.own(Packets, json!({"packets": [{"id": "exit"}]}));
        out.live(exit);
        self.exited = true;
    }

    /// Whether this message contains only ping replies. They are not replayed: live replies are sent instead, if the
    /// recorded side sends any.
    fn replies(&mut self, message: &Recorded) -> bool {
        let all = packets(&message.decoded);
        if message.decoded.from == self.life.role && all.iter().any(is_reply) {
            let short = all.iter().any(|p| is_reply(p) && p.get(IS_REQUEST.name).is_some());
            // The stream is reliable, so it is preferred if replies were sent over both.
            if self.answering.is_none_or(|(channel, _)| channel == Channel::Datagrams) {
                self.answering = Some((message.decoded.channel, short));
            }
        }
        only_replies(&message.decoded)
    }

    /// Answers a live ping with our own clock's time, if the recorded side answers pings.
    fn reply(&mut self, id: u64, out: &mut Outbox) {
        let Some((channel, captured)) = self.answering.filter(|_| !self.exited && !self.life.probe) else { return };
        let ping = ping(self.dialect.short_pings.unwrap_or(captured), false, &id.into());
        let open = channel == Channel::Datagrams && self.datagrams == Datagrams::Open;
        let reply = self.own(Packets, json!({ "packets": [ping] }));
        out.live(OwnedMessage { channel: if open { Channel::Datagrams } else { Channel::Main }, ..reply });
    }

    /// Remembers our ping requests, and removes replies among other packets: live ones are sent instead.
    fn asking(&mut self, decoded: &mut OwnedMessage, now: Instant) {
        let mut see = |id: &str, ping: &mut Map<String, Json>| {
            if id == "ping"
                && is_request(ping)
                && let Some(id) = ping.get(REQ_ID.name).and_then(Json::as_u64)
                && self.asked.len() < PINGS
            {
                self.asked.push_back((id, now));
            }
        };
        decoded.edit(|fields| {
            each(fields, &mut see);
            if let Some(Json::Array(list)) = fields.get_mut(LIST.name) {
                list.retain(|packet| !is_reply(packet));
            }
        });
    }

    /// Sends a list of packets over the transport that is available.
    fn packets(&mut self, message: &Recorded, now: Instant, out: &mut Outbox) -> Result<(), String> {
        let mut decoded = self.dialect.write(message, out)?;
        if decoded.channel == Channel::Datagrams && self.datagrams == Datagrams::None {
            if packets(&decoded).is_empty() {
                return Err("there are no datagrams that it could open".into());
            }
            out.remark("no datagrams are granted: the captured ones go over the stream, as the library's do");
            decoded.channel = Channel::Main;
        }
        self.asking(&mut decoded, now);
        self.exited |= is_exit(&decoded);
        out.messages.push_back(decoded);
        Ok(())
    }

    /// Handles an acceptance, which says whether there are datagrams and to which port.
    fn accepted(&mut self, decoded: &OwnedMessage, out: &mut Outbox) {
        self.life.reach(Phase::Working);
        let (Some(theirs), Some(ours)) = (port(decoded), self.datagram_port) else {
            self.datagrams = Datagrams::None;
            return;
        };
        out.connect = Some(theirs);
        self.datagrams = Datagrams::Open;
        if !self.greeting.has_client_port {
            // The server waits for it, whether or not the captured client sent one.
            let decoded = self.own(ClientPort, json!({ "port": ours }));
            out.live(decoded);
        }
    }

    /// Handles a refusal: sends one more request with the server's byte order and version. `false`: that is not
    /// possible.
    fn refused(&mut self, decoded: &OwnedMessage, out: &mut Outbox) -> bool {
        let Some(request) = self.greeting.again(decoded, out) else { return false };
        self.speaks(&request);
        out.reconnect = true;
        out.live(request);
        true
    }
}
