//! Dissection of bytes without a capture: single messages, or the payloads of dumped packets.

use super::identify::HELD_BYTES;
use crate::capture::Time;
use crate::dissect::dissector::{Dissector, Evidence, Observation};
use crate::dissect::{Dissection, FlowInfo, Options, Provenance, SessionReader, Sink};
use crate::flow::{Origin, Side, Transport};
use std::net::SocketAddr;

/// Up to this number the first payloads are tried with one more at a time, then all at once.
const EARLY: usize = 64;

/// The conversation of the given bytes, from their packets' headers.
#[derive(Clone, Copy, Debug)]
pub struct Carrier<'a> {
    /// UDP or TCP.
    pub transport: Transport,
    /// The addresses of both endpoints.
    pub ends: [SocketAddr; 2],
    /// The addresses as text.
    pub names: [&'a str; 2],
    /// TCP: the side that sent the SYN.
    pub opener: Option<Side>,
    /// TCP: whether the direction's own SYN is among the packets.
    pub begun: [bool; 2],
}

/// The payload of one packet.
#[derive(Clone, Copy, Debug)]
pub struct Payload<'a> {
    /// The sender's side.
    pub side: Side,
    /// TCP: this many bytes of the side's stream are missing before it.
    pub missing: u64,
    /// UDP: one datagram. TCP: the next bytes of the side's stream.
    pub bytes: &'a [u8],
    /// Its length on the wire.
    pub length: usize,
}

/// Dissects bytes without packet headers: one block of hex text.
pub fn dump(
    dissector: &dyn Dissector,
    bytes: &[u8],
    options: &Options,
    dissection: &mut Dissection,
    sink: &mut dyn Sink,
) {
    let transport = dissector.dump_transport()(options);
    let flow_info = FlowInfo::alone(transport, options);
    let payload = Payload { side: Side::A, missing: 0, bytes, length: bytes.len() };
    read(dissector, &flow_info, ["", ""], &[payload], dissection, sink);
}

/// Dissects the payloads of packets that are not from a capture: datagrams, or the segments of both
/// sides of a TCP conversation, in order. There are no frames and no times.
pub fn carried(
    dissector: &dyn Dissector,
    carrier: &Carrier<'_>,
    payloads: &[Payload<'_>],
    options: &Options,
    dissection: &mut Dissection,
    sink: &mut dyn Sink,
) {
    let &Carrier { transport, ends, names, opener, begun } = carrier;
    let flow_info = FlowInfo { ends: Some(ends), opener, begun, ..FlowInfo::alone(transport, options) };
    read(dissector, &flow_info, names, payloads, dissection, sink);
}

fn read(
    dissector: &dyn Dissector,
    flow_info: &FlowInfo<'_>,
    names: [&str; 2],
    payloads: &[Payload<'_>],
    dissection: &mut Dissection,
    sink: &mut dyn Sink,
) {
    let mut reader = SessionReader::new(dissector, flow_info).with(std::mem::take(dissection));
    for &Payload { side, missing, bytes, length } in payloads {
        if flow_info.transport == Transport::Udp {
            let place = Provenance { side, bytes, length, frame: 0, frames: &[], time: Time::default() };
            reader.datagram(&place, names, flow_info, sink);
            continue;
        }
        if missing > 0 {
            reader.gap(side, missing, names, flow_info, sink);
        }
        reader.bytes(side, bytes, Origin::default(), names, flow_info, sink);
    }
    let first = reader.client().or(flow_info.opener).unwrap_or(Side::A);
    for side in [first, first.other()] {
        reader.end(side, names, flow_info, sink);
    }
    *dissection = reader.dissection;
}

/// Finds the dissector for the payloads of packets, and the reason: by `--port`, `-p`, or by ports and bytes as in a
/// capture that ends with them. `None` if the evidence is not sufficient.
pub fn recognise(
    carrier: &Carrier<'_>,
    payloads: &[Payload<'_>],
    options: &Options,
) -> Option<(&'static dyn Dissector, &'static str)> {
    let &Carrier { transport, ends, .. } = carrier;
    for (port, name) in &options.ports {
        if ends.iter().any(|end| end.port() == *port)
            && let Some(dissector) = options.registry.by_name(name)
            && dissector.takes(transport, true)
        {
            return Some((dissector, "named by --port"));
        }
    }
    if let Some(named) = options.proto.as_deref().and_then(|name| options.registry.by_name(name)) {
        return named.takes(transport, false).then_some((named, "named by -p"));
    }
    // As in a capture: the first dissector with enough evidence, with one more payload at a time.
    let early =
        (1..payloads.len().min(EARLY)).find_map(|count| claimant(carrier, payloads.get(..count)?, false, options));
    early.or_else(|| claimant(carrier, payloads, true, options))
}

/// Asks every dissector. `last`: no more payload follows.
fn claimant(
    carrier: &Carrier<'_>,
    payloads: &[Payload<'_>],
    last: bool,
    options: &Options,
) -> Option<(&'static dyn Dissector, &'static str)> {
    let &Carrier { transport, ends, mut begun, .. } = carrier;
    let joined = beginnings(payloads, &mut begun);
    let payloads: Vec<_> = match transport {
        Transport::Udp => payloads.iter().map(|payload| (payload.side, payload.bytes, payload.length)).collect(),
        // In the order of each side's first bytes.
        Transport::Tcp => joined.iter().map(|(side, bytes)| (*side, bytes.as_slice(), bytes.len())).collect(),
    };
    let observation =
        Observation { transport, ends, payloads: &payloads, begun, last, few: false, time: None, options };
    let ranked = options.registry.iter().filter_map(|dissector| match dissector.identify(&observation) {
        evidence @ Evidence::Bits(bits, why) if evidence.suffices(false) => {
            Some(((!dissector.yields(), bits), dissector, why))
        }
        _ => None,
    });
    let ranked: Vec<_> = ranked.collect();
    // As in a capture: a built-in protocol comes first, and of two protocol files with equal evidence neither is taken.
    let best = ranked.iter().copied().reduce(|best, next| if next.0 > best.0 { next } else { best });
    let (rank, dissector, why) = best?;
    let is_tied = dissector.yields() && ranked.iter().filter(|(other, ..)| *other == rank).count() > 1;
    (!is_tied).then_some((dissector, why))
}

/// The first bytes of each side, up to its first gap.
fn beginnings(payloads: &[Payload<'_>], begun: &mut [bool; 2]) -> Vec<(Side, Vec<u8>)> {
    let mut all: Vec<(Side, Vec<u8>)> = Vec::new();
    let mut over = [false; 2];
    for payload in payloads {
        let side = payload.side;
        let mine = match all.iter_mut().position(|(s, _)| *s == side) {
            Some(at) => &mut all[at].1,
            None => {
                begun[side.index()] &= payload.missing == 0;
                all.push((side, Vec::new()));
                let last = all.len() - 1;
                &mut all[last].1
            }
        };
        over[side.index()] |= payload.missing > 0 && !mine.is_empty();
        if !over[side.index()] {
            let room = HELD_BYTES.saturating_sub(mine.len());
            mine.extend_from_slice(&payload.bytes[..payload.bytes.len().min(room)]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes after a gap do not continue those before it. A stream that was captured from its middle is read.
    #[test]
    fn beginnings_end_at_gaps() {
        let payload = |side, missing, bytes| Payload { side, missing, bytes, length: 2 };
        let payloads = [
            payload(Side::A, 0, b"ab"),
            payload(Side::B, 7, b"kl"),
            payload(Side::A, 0, b"cd"),
            payload(Side::B, 0, b"mn"),
            payload(Side::A, 1, b"xy"),
            payload(Side::A, 0, b"zz"),
        ];
        let mut begun = [true; 2];
        let all = beginnings(&payloads, &mut begun);
        assert_eq!(all, [(Side::A, b"abcd".to_vec()), (Side::B, b"klmn".to_vec())]);
        assert_eq!(begun, [true, false]);
    }
}
