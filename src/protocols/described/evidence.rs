//! The evidence that the first packets of a conversation give.

use super::Description;
use super::frames::Begins;
use super::reader::Work;
use super::recognise::weigh_packet;
use crate::dissect::{Evidence, Observation};
use crate::flow::{Side, Transport};

/// Bits of evidence that make a claim sure without a port.
const SURE: u32 = 32;
/// What a port of the file is worth.
const PORT: u32 = 15;
/// Packets are weighed up to this one: more say nothing new.
const WEIGHED: usize = 8;

/// The evidence in the first packets of a conversation.
pub fn identify(description: &'static Description, observation: &Observation<'_>) -> Evidence {
    let transport = observation.transport;
    let takes = match transport {
        Transport::Udp => description.udp.is_some(),
        Transport::Tcp => description.tcp.is_some() || description.websocket.is_some(),
    };
    if !takes {
        return Evidence::No;
    }
    let port = observation.ends.iter().any(|end| description.ports(transport).any(|port| port == end.port()));
    weigh(description, observation, port)
}

/// The evidence for a protocol. `port`: one end has a port of the file.
fn weigh(description: &'static Description, observation: &Observation<'_>, port: bool) -> Evidence {
    if observation.transport == Transport::Tcp
        && description.websocket.is_some()
        && let Some(evidence) = upgrade(description, observation, port)
    {
        return evidence;
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
    let mut memory: Vec<[u64; 2]> = description.memory.iter().map(|(_, first)| [*first; 2]).collect();
    let values = description.settings_of(observation.options);
    let (mut work, mut packets, mut bits, mut best) = (Work::default(), 0usize, 0u32, 0u32);
    let mut weigh = |bytes: &[u8], length: usize, side: Side| -> bool {
        let found = weigh_packet(description, bytes, length, &mut work, (&mut memory, &values), from(side));
        if let Some(found) = found {
            packets += 1;
            // The same constants in every packet say the same again: they count once, and what
            // further packets add is what may differ.
            best = best.max(found);
            bits += (found / 4).min(8);
        }
        found.is_some()
    };
    let mut misfit = false;
    match observation.transport {
        Transport::Udp => {
            for (side, bytes, length) in observation.payloads.iter().take(WEIGHED) {
                if !weigh(bytes, *length, *side) {
                    misfit = true;
                    break;
                }
            }
        }
        Transport::Tcp => {
            let Some(frame) = description.frame(&values) else { return Evidence::No };
            for (side, bytes, _) in observation.payloads {
                if !observation.begun[side.index()] {
                    continue;
                }
                let mut at = 0;
                // Later ones may depend on what the other side has said meanwhile.
                for k in 0..WEIGHED / 2 {
                    let rest = bytes.get(at..).unwrap_or_default();
                    match frame.begins(rest) {
                        Begins::Message(header, length, behind) if header + length + behind > 0 => {
                            let message = rest.get(header..header + length).unwrap_or_default();
                            if length > 0 && !weigh(message, length, *side) {
                                misfit |=
                                    k == 0 && (*side == observation.payloads[0].0 || description.memory.is_empty());
                                break;
                            }
                            at += header + length + behind;
                        }
                        Begins::Nothing => {
                            misfit = true;
                            break;
                        }
                        _ => break,
                    }
                }
            }
        }
    }
    let enough = packets >= description.packets || observation.last && packets > 0;
    if misfit && packets < description.packets || packets == 0 && observation.last {
        return Evidence::No;
    }
    if !enough {
        return Evidence::Bits(0, "too few packets yet");
    }
    // One end of a conversation of another protocol has this port by chance in one of 2^15.
    let total = best + bits.saturating_sub(best / 4).min(best) + if port { PORT } else { 0 };
    match total {
        SURE.. => Evidence::Bits(total.min(60), "constants, known numbers and exact ends of its file"),
        Evidence::CLAIM.. if port => Evidence::Bits(total, "a port of its file, and packets that fit it"),
        Evidence::CLAIM.. => Evidence::Bits(total, "packets that fit its file"),
        _ => Evidence::Bits(0, "packets that fit its file, but would fit others, too"),
    }
}

/// A WebSocket upgrade: its path, or a port of the file.
fn upgrade(description: &Description, observation: &Observation<'_>, port: bool) -> Option<Evidence> {
    let (_, bytes, _) = observation.payloads.iter().find(|(_, bytes, _)| bytes.starts_with(b"GET "))?;
    let line = bytes.get(4..)?;
    let target = line.split(|byte| *byte == b' ').next()?;
    let target = target.split(|byte| *byte == b'?').next()?;
    let same = !description.path.is_empty() && target == description.path.as_bytes();
    let other = !description.path.is_empty() && !same;
    Some(match (same, other, port) {
        (_, true, _) => Evidence::No,
        // The path alone: a byte of it in 2^5 others.
        (true, _, port) => {
            let bits = (description.path.len() as u32).saturating_sub(1) * 5 + if port { 15 } else { 0 };
            Evidence::Bits(bits, "the path of its WebSocket")
        }
        (false, false, true) => Evidence::Bits(Evidence::CLAIM, "a port of its file, and a WebSocket"),
        (false, false, false) => Evidence::No,
    })
}
