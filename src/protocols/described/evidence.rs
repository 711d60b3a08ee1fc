//! The evidence in the first packets of a conversation.

use super::Description;
use super::agreement::agreement;
use super::fit::Broken;
use super::recognise::END;
use super::session::Explained;
use super::streams::Streams;
use super::supposed::Supposed;
use super::times::Times;
use super::weighing::Weighing;
use crate::dissect::{Evidence, Observation};
use crate::flow::{Side, Transport};
use std::net::SocketAddr;

/// The bits of evidence that are enough for a claim without a port.
const SURE: u32 = 32;
/// The bits of evidence for a port of the file.
const PORT: u32 = 15;
/// The reason with too few bits for a claim.
const FITS_OTHERS: &str = "packets that fit its file, but would fit others, too";

/// The evidence in the first packets of a conversation.
pub fn identify(description: &'static Description, observation: &Observation<'_>) -> Evidence {
    match description.facts.transports.contains(&observation.transport) {
        true => weigh(description, observation, false).evidence(),
        false => Evidence::No,
    }
}

/// Whether one of the endpoints has a port of the file.
pub fn port(description: &Description, transport: Transport, ends: &[SocketAddr; 2]) -> bool {
    ends.iter().any(|end| description.ports(transport).any(|port| port == end.port()))
}

/// The reason why a file does not claim a conversation.
#[derive(Clone, Debug)]
pub enum Rejection {
    /// The file does not have this transport.
    Transport,
    /// The WebSocket has another path, or no port of the file.
    Path,
    /// A packet does not fit.
    Misfit(Broken),
    /// The stream of a side does not begin with a message. Contains its first bytes.
    Framing(Side, Vec<u8>),
    /// Too few packets.
    Few,
    /// The packets fit, but would also fit other protocols. Contains the bits of evidence.
    Bits(u32),
    /// The packets fit, but another protocol has more evidence.
    Less(u32),
}

/// Explains why the file does not claim a conversation.
pub fn rejection(description: &'static Description, observation: &Observation<'_>) -> Rejection {
    if !description.facts.transports.contains(&observation.transport) {
        return Rejection::Transport;
    }
    let weighed = weigh(description, observation, true);
    match (weighed.evidence(), weighed) {
        (_, Weighed { carrier: Some(Evidence::No), .. }) => Rejection::Path,
        (Evidence::Bits(bits @ Evidence::CLAIM.., _), _) => Rejection::Less(bits),
        (_, Weighed { broken: Some(broken), .. }) => Rejection::Misfit(broken),
        (_, Weighed { framing: Some((side, bytes)), .. }) => Rejection::Framing(side, bytes),
        (_, Weighed { packets: 0, .. }) => Rejection::Few,
        (_, weighed) => Rejection::Bits(weighed.total),
    }
}

/// The findings about the first packets.
struct Weighed {
    /// The evidence of the WebSocket, if there are no packets to weigh.
    carrier: Option<Evidence>,
    /// The number of packets that fit; `needed`: the number that must.
    packets: usize,
    needed: usize,
    /// The bits of evidence, with those of the port.
    total: u32,
    /// One endpoint has a port of the file.
    port: bool,
    /// A packet does not fit, or a stream does not begin with one.
    misfit: bool,
    /// No more payload will follow.
    last: bool,
    /// The first packet that does not fit.
    broken: Option<Broken>,
    /// A stream that does not begin with a message.
    framing: Option<(Side, Vec<u8>)>,
}

impl Weighed {
    /// Of no packet.
    fn new(description: &Description, observation: &Observation<'_>) -> Weighed {
        Weighed {
            carrier: None,
            packets: 0,
            needed: description.packets,
            total: 0,
            port: port(description, observation.transport, &observation.ends),
            misfit: false,
            last: observation.last,
            broken: None,
            framing: None,
        }
    }

    fn evidence(&self) -> Evidence {
        if let Some(evidence) = self.carrier {
            return evidence;
        }
        let Weighed { packets, needed, total, port, misfit, last, .. } = *self;
        let enough = packets >= needed || last && packets > 0;
        if misfit && packets < needed || packets == 0 && last {
            return Evidence::No;
        }
        if !enough {
            return Evidence::Bits(0, "too few packets yet");
        }
        match total {
            SURE.. => Evidence::Bits(total.min(60), "constants, known numbers and exact ends of its file"),
            Evidence::CLAIM.. if port => Evidence::Bits(total, "a port of its file, and packets that fit it"),
            Evidence::CLAIM.. => Evidence::Bits(total, "packets that fit its file"),
            // None of the packets so far is enough, and further ones would not change that.
            _ if misfit && last => Evidence::No,
            _ if misfit => Evidence::Bits(0, FITS_OTHERS),
            _ => Evidence::Bits(total, FITS_OTHERS),
        }
    }
}

/// Weighs the evidence for a protocol. `explain`: also finds the place where a packet does not fit.
fn weigh(description: &'static Description, observation: &Observation<'_>, explain: bool) -> Weighed {
    let weighed = Weighed::new(description, observation);
    if observation.transport == Transport::Tcp
        && description.websocket.is_some()
        && let Some(evidence) = upgrade(description, observation, weighed.port)
    {
        return Weighed { carrier: Some(evidence), ..weighed };
    }
    let known = Supposed::known(description, server_by_port(description, observation));
    let values = description.settings_of(observation.options);
    let weighed = weigh_supposed(observation, Weighing::new(description, &known, &values, explain), true);
    if observation.transport == Transport::Udp || weighed.total >= Evidence::CLAIM || weighed.carrier.is_some() {
        return weighed;
    }
    let others = known.others(description, observation.begun != [false; 2]);
    // One of several fits by chance more often.
    let tried = (others.len() + 1).ilog2();
    let all = others.iter().map(|other| {
        let weighed = weigh_supposed(observation, Weighing::new(description, other, &values, false), false);
        Weighed { total: weighed.total.saturating_sub(tried), ..weighed }
    });
    let best = all.max_by_key(|other| other.total);
    best.filter(|best| best.total > weighed.total).unwrap_or(weighed)
}

/// The side whose port is one of the file's, if the other's is not.
fn server_by_port(description: &Description, observation: &Observation<'_>) -> Option<Side> {
    let is_known = |side: Side| {
        let own = observation.ends[side.index()].port();
        description.ports(observation.transport).any(|port| port == own)
    };
    Side::BOTH.into_iter().find(|side| is_known(*side) && !is_known(side.other()))
}

/// Weighs the evidence for a protocol under a supposition. `search`: messages may also begin inside of a stream's bytes.
fn weigh_supposed(observation: &Observation<'_>, mut weighing: Weighing<'_>, search: bool) -> Weighed {
    let Weighing { description, supposed, values, explain, .. } = weighing;
    let mut weighed = Weighed::new(description, observation);
    weighing.times = Times::new(observation.time);
    let flow_info = observation.flow_info();
    let (mut agreed, mut exact) = (0, 0);
    match observation.transport {
        Transport::Udp => {
            let (mut own, mut others) = (Vec::new(), Explained::new(description, &flow_info));
            for datagram @ (side, bytes, length) in observation.payloads {
                if weighing.packet(bytes, *length, *side, 0) {
                    own.push(*datagram);
                } else if !others.explains(*datagram, &flow_info) {
                    weighed.misfit = true;
                    break;
                }
            }
            if !weighed.misfit {
                agreed = agreement(description, supposed, || own.iter().copied(), &flow_info);
                agreed += others.bits(observation, own.len());
            }
        }
        Transport::Tcp => {
            let Some(frame) = description.frame(values) else {
                weighed.carrier = Some(Evidence::No);
                return weighed;
            };
            let mut streams = Streams::new(frame, observation, &weighing, search);
            let messages = streams.read(&mut weighing);
            weighed.misfit = streams.misfit;
            exact = if weighing.packets > 0 && streams.end_exactly() { END } else { 0 };
            weighed.framing = streams.framing.filter(|_| explain);
            if !weighed.misfit && weighing.packets > 1 {
                agreed = agreement(description, supposed, || messages.iter().copied(), &flow_info);
            }
        }
    }
    weighed.packets = weighing.packets;
    // One endpoint of a foreign conversation has this port by chance in one of 2^15.
    weighed.total = weighing.bits(weighed.misfit) + agreed + exact + if weighed.port { PORT } else { 0 };
    weighed.broken = weighing.broken;
    weighed
}

/// The evidence of a WebSocket upgrade: its path, or a port of the file.
fn upgrade(description: &Description, observation: &Observation<'_>, port: bool) -> Option<Evidence> {
    let (_, bytes, _) = observation.payloads.iter().find(|(_, bytes, _)| bytes.starts_with(b"GET "))?;
    let line = bytes.get(4..)?;
    let target = line.split(|byte| *byte == b' ').next()?;
    let target = target.split(|byte| *byte == b'?').next()?;
    let same = !description.path.is_empty() && target == description.path.as_bytes();
    let other = !description.path.is_empty() && !same;
    Some(match (same, other, port) {
        (_, true, _) => Evidence::No,
        // The path alone: each byte counts 5 bits.
        (true, _, port) => {
            let path = (description.path.len() as u32).saturating_sub(1) * 5;
            // With a port of the file it is at least as sure as without a path in the file.
            let bits = if port { (path + PORT).max(Evidence::CLAIM) } else { path };
            Evidence::Bits(bits, "the path of its WebSocket")
        }
        (false, false, true) => Evidence::Bits(Evidence::CLAIM, "a port of its file, and a WebSocket"),
        (false, false, false) => Evidence::No,
    })
}
