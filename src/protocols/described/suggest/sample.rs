//! The traffic that a suggestion is made from: packets of one server, with their sender and time.

use super::frame::{Framing, Kept};
use crate::capture::{CaptureError, Decoded, Leg, Packet, Packets};
use crate::dissect::Server;
use crate::flow::{Caps, Conversation, Delivery, End, Gap, Handler, Side, Stream, Table, Transport};
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// The most bytes of all conversations that are kept.
const MOST_BYTES: usize = 64 << 20;
/// The most bytes of one direction of a stream that are kept.
const MOST_STREAM: usize = 1 << 20;
/// The bytes that a packet and a conversation cost beside their own.
const OVERHEAD: usize = 256;
/// The most packets that are examined.
const MOST_PACKETS: usize = 4000;
/// The bytes of a packet that are examined, from its first on.
pub const MOST_OF_A_PACKET: usize = 256;

/// A packet: a datagram, or a frame of a stream.
#[derive(Debug)]
pub struct Sent {
    /// The conversation's index.
    pub flow: usize,
    /// Whether the server sent it.
    pub by_server: bool,
    /// Nanoseconds since the epoch.
    pub time: i64,
    /// Its bytes on the wire.
    pub length: usize,
    /// The first of its bytes.
    pub bytes: Vec<u8>,
}

/// The traffic of one server.
#[derive(Debug)]
pub(crate) struct Sample {
    /// Whether its packets are frames of streams.
    pub tcp: bool,
    /// The server's port.
    pub port: u16,
    /// The number of conversations.
    pub flows: usize,
    /// The way to cut streams into frames; `None`: datagrams.
    pub framing: Option<Framing>,
    /// The packets in the order of their times.
    pub packets: Vec<Sent>,
}

/// The reason why there is nothing to describe.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum NoSample {
    /// No packet has bytes.
    #[error("no UDP or TCP payload to describe")]
    Empty,
    /// The streams of this server have no frames that can be found.
    #[error("{0}: its streams are not lines, and no length leads through them: what ends a message is not found")]
    Frames(SocketAddr),
}

/// A conversation: packets, or both directions of a stream with the times of their chunks.
#[derive(Debug, Default)]
pub struct Flow {
    packets: Vec<(Side, i64, usize, Vec<u8>)>,
    pub streams: [Kept; 2],
}

/// Collects the conversations of captures.
#[derive(Debug, Default)]
pub struct Collector {
    flows: Vec<(Transport, [SocketAddr; 2], Option<Side>, Flow)>,
    bytes: usize,
}

impl Collector {
    /// Reads a capture; of a proxy's recording the client's leg. Messages before an error are kept.
    ///
    /// # Errors
    /// Those of [`Packets::next`].
    pub fn read(&mut self, packets: &mut Packets) -> Result<(), CaptureError> {
        let mut table = Table::new(Caps::default());
        let read = loop {
            match packets.next() {
                Ok(Some(item)) => match item.decoded {
                    Decoded::Packet(packet) if packet.leg != Some(Leg::Server) => table.packet(&packet, self),
                    _ => {}
                },
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        table.finish(self);
        read
    }

    /// The packets of the server that sent and received the most bytes, or of `server`.
    ///
    /// # Errors
    /// There are none, or they are streams whose frames cannot be found.
    pub(super) fn sample(self, server: Option<Server>) -> Result<Sample, NoSample> {
        let servers = self.servers(server);
        let largest =
            servers.into_iter().filter(|(_, traffic)| traffic.bytes > 0).max_by_key(|(_, traffic)| traffic.bytes);
        let ((tcp, end), traffic) = largest.ok_or(NoSample::Empty)?;
        let mut framing = None;
        if tcp {
            let streams = traffic.flows.iter().flat_map(|(_, flow)| &flow.streams);
            framing = Some(Framing::of(streams).ok_or(NoSample::Frames(end))?);
        }
        let flows = traffic.flows.len();
        let mut packets = Vec::new();
        for (index, (side, flow)) in traffic.flows.into_iter().enumerate() {
            flow.packets(index, side, framing.as_ref(), &mut packets);
        }
        packets.sort_by_key(|sent| sent.time);
        packets.truncate(MOST_PACKETS);
        if packets.is_empty() {
            Err(NoSample::Empty)
        } else {
            Ok(Sample { tcp, port: end.port(), flows, framing, packets })
        }
    }

    /// The conversations of each server: of the named one; else of the side that opened nothing, has several peers, or
    /// did not send the first datagram.
    fn servers(self, named: Option<Server>) -> BTreeMap<Endpoint, Traffic> {
        let mut peers: BTreeMap<Endpoint, usize> = BTreeMap::new();
        for (transport, ends, ..) in &self.flows {
            for end in ends {
                *peers.entry((*transport == Transport::Tcp, *end)).or_default() += 1;
            }
        }
        let mut servers: BTreeMap<Endpoint, Traffic> = BTreeMap::new();
        for (transport, ends, opener, flow) in self.flows {
            let endpoint = |side: Side| (transport == Transport::Tcp, ends[side.index()]);
            let side = match (named, opener) {
                (Some(server), _) => [Side::A, Side::B].into_iter().find(|side| server.matches(ends[side.index()])),
                (None, Some(opener)) => Some(opener.other()),
                (None, None) if peers[&endpoint(Side::A)] > peers[&endpoint(Side::B)] => Some(Side::A),
                (None, None) => Some(Side::B),
            };
            if let Some(side) = side {
                let traffic = servers.entry(endpoint(side)).or_default();
                traffic.bytes += flow.size();
                traffic.flows.push((side, flow));
            }
        }
        servers
    }
}

/// Whether it is TCP, and the address.
type Endpoint = (bool, SocketAddr);

/// The conversations of a server, each with the server's side.
#[derive(Debug, Default)]
struct Traffic {
    bytes: usize,
    flows: Vec<(Side, Flow)>,
}

impl Flow {
    /// Adds its packets, or the frames of its streams.
    fn packets(self, flow: usize, server: Side, framing: Option<&Framing>, packets: &mut Vec<Sent>) {
        let mut push = |from: Side, time, length, bytes| {
            packets.push(Sent { flow, by_server: from == server, time, length, bytes });
        };
        for from in [Side::A, Side::B] {
            let frames = framing.map(|framing| framing.cut(&self.streams[from.index()])).unwrap_or_default();
            for (time, mut bytes) in frames.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
                let length = bytes.len();
                bytes.truncate(MOST_OF_A_PACKET);
                push(from, time, length, bytes);
            }
        }
        for (from, time, length, bytes) in self.packets {
            push(from, time, length, bytes);
        }
    }

    fn size(&self) -> usize {
        let streams: usize = self.streams.iter().map(|kept| kept.bytes.len()).sum();
        streams + self.packets.iter().map(|(.., length, _)| length).sum::<usize>()
    }
}

impl Handler<usize> for Collector {
    fn datagram(
        &mut self,
        flow: &mut Conversation<usize>,
        from: Side,
        packet: &Packet<'_>,
        bytes: &[u8],
        length: usize,
    ) {
        let kept = &bytes[..bytes.len().min(MOST_OF_A_PACKET)];
        if let (false, Some(flow)) = (bytes.is_empty(), self.flow(flow, kept.len())) {
            flow.packets.push((from, packet.time.near_nanos(), length, kept.to_vec()));
        }
    }

    fn data(&mut self, flow: &mut Conversation<usize>, from: Side, stream: &mut Stream, delivery: &Delivery<'_>) {
        let new = stream.bytes();
        if let Some(flow) = self.flow(flow, new.len()) {
            let kept = &mut flow.streams[from.index()];
            let room = if kept.broken { 0 } else { MOST_STREAM.saturating_sub(kept.bytes.len()).min(new.len()) };
            kept.bytes.extend_from_slice(&new[..room]);
            kept.times.push((kept.bytes.len(), delivery.time.near_nanos()));
        }
        let all = new.len();
        stream.consume(all);
    }

    fn gap(&mut self, flow: &mut Conversation<usize>, from: Side, _: &mut Stream, _: &Gap) {
        if let Some(flow) = self.flow(flow, 0) {
            flow.streams[from.index()].broken = true;
        }
    }

    fn end(&mut self, _: &mut Conversation<usize>, _: Side, _: &mut Stream, _: End, _: u64) {}

    fn closed(&mut self, _: &mut Conversation<usize>) {}
}

impl Collector {
    /// Returns the kept part of a conversation, if there is room for `more` bytes.
    fn flow(&mut self, flow: &mut Conversation<usize>, more: usize) -> Option<&mut Flow> {
        self.bytes += more + OVERHEAD;
        if self.bytes > MOST_BYTES {
            return None;
        }
        if flow.state == 0 {
            self.flows.push((flow.transport, flow.ends, flow.opener, Flow::default()));
            flow.state = self.flows.len();
        }
        self.flows.get_mut(flow.state - 1).map(|(.., kept)| kept)
    }
}
