//! The conversations of a capture, as messages that can be played.

use super::changed::Changed;
use super::edit::{Changes, RuleCounters};
use crate::capture::{CaptureError, Decoded, Leg, Packets, Time};
use crate::dissect::{Dissector, Inspector, LiveCaps, Message, Options, Role, Sink};
use crate::filter::Filter;
use crate::flow::{Table, Transport};
use crate::live::Clients;
use crate::live::replay::actor::{Recorded, Replay};
use crate::message::{Channel, OwnedMessage};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// One conversation of the capture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Conversation {
    /// Its number, as `decode` shows it.
    pub flow: u64,
    /// Its protocol.
    pub dissector: &'static dyn Dissector,
    /// Plays its protocol.
    pub replay: &'static dyn Replay,
    /// UDP or TCP.
    pub transport: Transport,
    /// The client's and the server's address, if the roles are known; else in order.
    pub ends: [SocketAddr; 2],
    /// Whether the server is known.
    pub known: bool,
    /// The messages, in order.
    pub messages: Vec<Recorded>,
    /// Selects the messages of the live peer that are compared with them; `None`: all.
    pub compared: Option<Arc<Filter>>,
}

impl Conversation {
    /// The version of the last message that has one.
    pub fn version(&self) -> Option<&'static str> {
        self.messages.iter().rev().find_map(|m| m.decoded.version)
    }

    /// The time from the first to the last message.
    pub fn duration(&self) -> Duration {
        match (self.messages.first(), self.messages.last()) {
            (Some(first), Some(last)) => between(first, last),
            _ => Duration::ZERO,
        }
    }

    /// The carrier: `udp`, `tcp` or `ws`.
    pub fn carrier(&self) -> &'static str {
        if self.is_websocket() { "ws" } else { self.transport.name() }
    }

    /// Whether it can be played alone. Datagrams that belong to a stream are played with it.
    pub fn is_whole(&self) -> bool {
        self.transport == Transport::Tcp || !self.replay.is_of_streams()
    }

    /// Whether a WebSocket carries it.
    pub fn is_websocket(&self) -> bool {
        self.messages.iter().any(|m| m.decoded.proto != self.dissector.name() && m.decoded.message == "upgrade_request")
    }
}

/// The time from one message to a later one.
pub(crate) fn between(first: &Recorded, last: &Recorded) -> Duration {
    gap(first.time, last.time)
}

/// The time from one time to a later one.
pub fn gap(first: Time, last: Time) -> Duration {
    Duration::from_nanos(u64::try_from(last.nanos().saturating_sub(first.nanos())).unwrap_or(0))
}

/// The conversations of a capture that can be played.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Recording {
    /// The conversations, by number.
    pub flows: BTreeMap<u64, Conversation>,
    /// The name of the limit, if there were more messages than it allows. The recording is then only the beginning.
    pub cut: Option<&'static str>,
    /// The side of a proxy's recording that was read, if the other one was left out.
    pub leg: Option<Leg>,
}

/// The reason why there is nothing to play.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// The capture cannot be read.
    #[error(transparent)]
    Capture(#[from] CaptureError),
}

impl Recording {
    /// Reads a capture, and applies the `changes`.
    ///
    /// # Errors
    /// Returns the errors of the capture.
    pub fn read(
        mut packets: Packets,
        options: &Options,
        clients: &Clients,
        changes: &Changes,
    ) -> Result<Recording, RecordingError> {
        let mut collect = Collect {
            recording: Recording::default(),
            clients,
            changes,
            counters: RuleCounters::default(),
            caps: options.limits.live,
            messages: 0,
            bytes: 0,
        };
        let mut table = Table::new(options.limits.flow);
        let mut inspector = Inspector::new(options, &mut collect);
        while let Some(item) = packets.next()? {
            if let Decoded::Packet(packet) = item.decoded {
                table.packet(&packet, &mut inspector);
            }
        }
        table.finish(&mut inspector);
        collect.recording.leg = packets.capture().one_leg();
        Ok(collect.recording.finished())
    }

    fn finished(mut self) -> Recording {
        for conversation in self.flows.values_mut() {
            // Messages of both directions that are completed together are reported one direction after the other.
            conversation.messages.sort_by_key(|m| (m.time.nanos(), m.frame));
        }
        self.flows.retain(|_, c| !c.messages.is_empty());
        self
    }

    /// Returns a conversation, with the datagrams that belong to its stream: the one of that number, or the only one.
    ///
    /// # Errors
    /// Returns the reason why there is none.
    pub fn take(&mut self, flow: Option<u64>) -> Result<Conversation, String> {
        let number = match flow {
            Some(number) => number,
            None => {
                let mut alone = self.flows.values().filter(|c| c.is_whole());
                match (alone.next(), alone.next()) {
                    (Some(only), None) => only.flow,
                    (None, _) => return Err("no conversation that can be played".into()),
                    _ => return Err("several conversations: choose one with --flow N (--list shows them)".into()),
                }
            }
        };
        let conversation = self.flows.get(&number).ok_or("no such conversation: --list shows them")?;
        if !conversation.is_whole() {
            return Err("these datagrams belong to a stream, and are played with it: --list shows streams".into());
        }
        let datagrams = self.datagrams_of(conversation);
        let mut conversation = conversation.clone();
        for other in datagrams {
            let Some(other) = self.flows.get(&other) else { continue };
            conversation.messages.extend(other.messages.iter().cloned().map(|mut m| {
                m.decoded.channel = Channel::Datagrams;
                m
            }));
        }
        conversation.messages.sort_by_key(|m| (m.time.nanos(), m.frame));
        Ok(conversation)
    }

    /// Returns settings, from earlier connections to the same server, that a conversation needs to be read. The capture
    /// is to be read again with them.
    pub fn missing_settings(&self, conversation: &Conversation) -> Vec<String> {
        let server = conversation.ends[1];
        let before = self.flows.range(..conversation.flow).rev();
        let earlier = before
            .map(|(_, c)| c)
            .filter(|c| c.ends[1] == server && c.dissector.name() == conversation.dissector.name());
        let mut missing_settings =
            earlier.map(|c| conversation.replay.missing_settings(&conversation.messages, &c.messages));
        missing_settings.find(|settings| !settings.is_empty()).unwrap_or_default()
    }

    /// Returns the numbers of the conversations that belong to a stream: datagrams between its client and the address
    /// that it named.
    fn datagrams_of(&self, conversation: &Conversation) -> Vec<u64> {
        let [client, server] = conversation.ends;
        let at = conversation.replay.datagram_address(&conversation.messages, server);
        let Some(at) = at.filter(|_| conversation.transport == Transport::Tcp) else { return Vec::new() };
        let belongs = |c: &&Conversation| {
            c.transport == Transport::Udp && c.ends.contains(&at) && c.ends.iter().any(|end| end.ip() == client.ip())
        };
        self.flows.values().filter(belongs).map(|c| c.flow).collect()
    }
}

struct Collect<'a> {
    recording: Recording,
    clients: &'a Clients,
    changes: &'a Changes,
    counters: RuleCounters,
    caps: LiveCaps,
    messages: usize,
    bytes: usize,
}

impl Sink for Collect<'_> {
    fn message(&mut self, message: &Message<'_>) {
        let (Some(ends), Some(dissector)) =
            (message.flow_info.ends, message.flow_info.options.registry.for_line(message.dissection.proto))
        else {
            return;
        };
        let Some(replay) = self.clients.replay(dissector.name()) else { return };
        // Nothing is left out in the middle, because a beginning is played.
        if self.recording.cut.is_some() {
            return;
        }
        let decoded = OwnedMessage::of(message);
        self.messages += 1;
        self.bytes = self.bytes.saturating_add(decoded.weight() + size_of::<Recorded>() - size_of::<OwnedMessage>());
        if self.messages > self.caps.messages || self.bytes > self.caps.message_bytes {
            let full = self.messages > self.caps.messages;
            self.recording.cut = Some(if full { "replay_messages" } else { "replay_bytes" });
            return;
        }
        let mut recorded = Recorded {
            decoded,
            frame: message.place.frame,
            time: message.place.time,
            length: message.place.length,
            notes: message.dissection.notes.iter().map(|(note, _)| note.code).collect(),
            dropped: false,
            edited: false,
            changed: Changed::default(),
            captured: None,
        };
        self.changes.make(message, &mut recorded, &mut self.counters);
        let flow_info = message.flow_info;
        let conversation = self.recording.flows.entry(flow_info.flow).or_insert_with(|| Conversation {
            flow: flow_info.flow,
            dissector,
            replay,
            transport: flow_info.transport,
            ends,
            known: false,
            messages: Vec::new(),
            compared: self.changes.compared.clone(),
        });
        if !conversation.known && recorded.decoded.from != Role::Unknown {
            conversation.known = true;
            let by_client = (recorded.decoded.from == Role::Client) == (message.place.side.index() == 0);
            conversation.ends = if by_client { ends } else { [ends[1], ends[0]] };
        }
        conversation.messages.push(recorded);
    }
}
