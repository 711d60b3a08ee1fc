//! The evidence in the first packets of a conversation.

use super::Description;
use super::agreement::agreement;
use super::fit::{Misfit, of_packet};
use super::frames::Begins;
use super::reader::{Work, end_of};
use super::recognise::weigh_packet;
use super::session::Explained;
use super::session::step::first;
use super::state::State;
use crate::dissect::{Evidence, Observation};
use crate::flow::{Side, Transport};
use std::net::SocketAddr;

/// The bits of evidence that are enough for a claim without a port.
const SURE: u32 = 32;
/// The bits of evidence for a port of the file.
const PORT: u32 = 15;
/// The number of packets that are weighed, of streams and for constants: further ones add nothing.
const WEIGHED: usize = 8;
/// The number of datagrams whose shapes are compared. All of them have to fit.
const COMPARED: usize = 24;
/// The most bits that the length of another shape adds, and the number of shapes from which on they count.
const SHAPE: (u32, usize) = (2, 6);
/// The reason with too few bits for a claim.
const FITS_OTHERS: &str = "packets that fit its file, but would fit others, too";
/// The number of bytes that are shown of a stream without messages.
const FIRST: usize = 48;

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

/// A packet that does not fit.
#[derive(Clone, Debug)]
pub struct Broken {
    /// Its number among the packets, from 1.
    pub number: usize,
    /// Its sender's side.
    pub side: Side,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The place and cause.
    pub misfit: Misfit,
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
    /// Too few packets: their number, and the number that is needed.
    Few(usize, usize),
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
        (_, Weighed { packets, needed, .. }) if packets == 0 => Rejection::Few(packets, needed),
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
    let port = port(description, observation.transport, &observation.ends);
    let mut weighed = Weighed {
        carrier: None,
        packets: 0,
        needed: description.packets,
        total: 0,
        port,
        misfit: false,
        last: observation.last,
        broken: None,
        framing: None,
    };
    if observation.transport == Transport::Tcp
        && description.websocket.is_some()
        && let Some(evidence) = upgrade(description, observation, port)
    {
        weighed.carrier = Some(evidence);
        return weighed;
    }
    let server = Side::BOTH.into_iter().find(|side| {
        let own = observation.ends[side.index()].port();
        let other = observation.ends[side.other().index()].port();
        let known = |port: u16| description.ports(observation.transport).any(|p| p == port);
        known(own) && !known(other)
    });
    let from = |side: Side| match server {
        Some(server) if server == side => 2,
        Some(_) => 1,
        None => 0,
    };
    let mut memory: Vec<[u64; 2]> = description.first_memory();
    let values = description.settings_of(observation.options);
    let (mut work, mut packets, mut bits, mut best) = (Work::default(), 0usize, 0u32, 0u32);
    // The lengths of packets with known messages, and what they add.
    let (mut shapes, mut shaped): (Vec<usize>, u32) = (Vec::new(), 0);
    let mut broken = None;
    let mut weigh = |bytes: &[u8], length: usize, side: Side, tried: u32| -> bool {
        let found = weigh_packet(description, bytes, length, &mut work, (&mut memory, &values), from(side));
        if let Some(found) = found {
            // Chance matches are more likely at one of several places.
            let found = found.saturating_sub(tried);
            packets += 1;
            // Constants that are the same in every packet count once. Further packets count for the part that may
            // differ.
            best = best.max(found);
            if packets <= WEIGHED {
                bits += (found / 4).min(8);
            }
            // A foreign packet of another length would end elsewhere: a third of its bits is independent of the others.
            if work.has_message() && !shapes.contains(&length) {
                shaped += if shapes.is_empty() { 0 } else { (found / 3).min(SHAPE.0) };
                shapes.push(length);
            }
        } else if explain && broken.is_none() {
            let misfit = of_packet(description, &work.tree, work.fault.as_ref(), bytes.len());
            broken = misfit.map(|misfit| Broken { number: packets + 1, side, bytes: bytes.to_vec(), misfit });
        }
        found.is_some()
    };
    let (mut misfit, mut agreed) = (false, 0);
    match observation.transport {
        Transport::Udp => {
            let flow_info = observation.flow_info();
            let mut beside = Explained::new(description, &flow_info);
            for (side, bytes, length) in observation.payloads.iter().take(COMPARED) {
                if !weigh(bytes, *length, *side, 0) && !beside.explains(*side, bytes, *length, &flow_info) {
                    misfit = true;
                    break;
                }
            }
            if !misfit {
                agreed = agreement(description, observation.payloads.iter().take(COMPARED), &flow_info);
            }
        }
        Transport::Tcp => {
            let Some(frame) = description.frame(&values) else {
                weighed.carrier = Some(Evidence::No);
                return weighed;
            };
            let mut measured = Work::default();
            for (side, bytes, _) in observation.payloads {
                let sent = from(*side);
                let memory = description.first_memory();
                let mut ends = |bytes: &[u8]| {
                    let state = State { memory: &memory, values: &values, from: sent, likely: sent };
                    end_of(description, state, bytes, &mut measured)
                };
                // A stream that is captured from its middle need not begin with a message.
                let begun = observation.begun[side.index()];
                let (mut at, mut tried) = (0, 0);
                if !begun {
                    let (mut work, from) = (Work::default(), from(*side));
                    let mut fits = |message: &[u8]| {
                        let mut memory = description.first_memory();
                        weigh_packet(description, message, message.len(), &mut work, (&mut memory, &values), from)
                            .is_some()
                    };
                    let at_once = matches!(frame.begins(bytes, &mut ends), Begins::Message(header, length, _)
                        if bytes.get(header..header + length).is_some_and(&mut fits));
                    if !at_once && let Some(found) = first(frame, bytes, bytes.len(), (&mut fits, &mut ends)) {
                        at = found;
                        tried = found.ilog2() + 1;
                    }
                }
                // Later messages may depend on the other side's messages in between.
                for k in 0..WEIGHED / 2 {
                    let rest = bytes.get(at..).unwrap_or_default();
                    match frame.begins(rest, &mut ends) {
                        Begins::Message(header, length, behind) if header + length + behind > 0 => {
                            let message = rest.get(header..header + length).unwrap_or_default();
                            if length > 0 && !weigh(message, length, *side, tried) {
                                misfit |= begun
                                    && k == 0
                                    && (*side == observation.payloads[0].0 || description.memory.is_empty());
                                break;
                            }
                            at += header + length + behind;
                        }
                        Begins::Nothing => {
                            misfit |= begun;
                            if explain && begun {
                                weighed.framing = Some((*side, rest.iter().take(FIRST).copied().collect()));
                            }
                            break;
                        }
                        _ => break,
                    }
                }
            }
        }
    }
    // One endpoint of a foreign conversation has this port by chance in one of 2^15.
    let same = bits.saturating_sub(best / 4).min(best);
    let shaped = if misfit || shapes.len() < SHAPE.1 { 0 } else { shaped };
    let total = best + same.max(shaped) + agreed + if port { PORT } else { 0 };
    Weighed { packets, total, misfit, broken, ..weighed }
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
            let bits = (description.path.len() as u32).saturating_sub(1) * 5 + if port { 15 } else { 0 };
            Evidence::Bits(bits, "the path of its WebSocket")
        }
        (false, false, true) => Evidence::Bits(Evidence::CLAIM, "a port of its file, and a WebSocket"),
        (false, false, false) => Evidence::No,
    })
}
