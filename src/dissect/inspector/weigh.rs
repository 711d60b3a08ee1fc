//! Weighs the evidence for protocols named by the user. They are read in any case, but the user is shown which
//! conversations do not look like them, and what these look like instead.

use super::classification::{Classification, Classified, Owner, Pending};
use super::unclaimed::{Unlike, WEIGHED};
use super::{Inspector, flow_info};
use crate::dissect::dissector::{Evidence, Observation, StreamEvent};
use crate::dissect::{Provenance, Sink, looks_like};
use crate::flow::{Side, Stream, Transport};

/// The caps for each conversation: datagrams held, and bytes held of datagrams or of each side of a stream.
const DATAGRAMS: usize = 24;
const BYTES: usize = 4096;

/// The number of packets that must be read without a fault, and their number for each packet with one.
const READ_WELL: u64 = 8;
/// The bits of evidence with which a conversation looks like the protocol that the user named.
const LIKE: u32 = 4;

impl Owner {
    /// Holds new bytes of a stream, to be weighed.
    #[inline]
    pub(super) fn weigh_bytes(&mut self, side: Side, stream: &Stream, event: &StreamEvent<'_>) {
        let Some(pending) = self.weighed.as_deref_mut() else { return };
        let (held, missing) = (&mut pending.streams[side.index()], &mut pending.missing[side.index()]);
        match event {
            // Bytes after a gap do not follow those before it.
            StreamEvent::Data { new, .. } if *missing == 0 => {
                let bytes = stream.bytes();
                let free = BYTES.saturating_sub(held.len());
                held.extend(bytes[bytes.len() - new..].iter().take(free));
                pending.bytes = held.len().max(pending.bytes);
            }
            StreamEvent::Gap { .. } if held.is_empty() => pending.cut[side.index()] = true,
            StreamEvent::Gap { missing: more } if *missing == 0 => *missing = *more,
            _ => {}
        }
    }
}

impl<S: Sink> Inspector<'_, S> {
    /// Creates the memory for the first payloads of a conversation that the user has named.
    pub(super) fn weighed(&mut self) -> Option<Box<Pending>> {
        self.weighing += 1;
        (self.weighing <= WEIGHED).then(Box::default)
    }

    /// Holds a datagram of a claimed conversation, to be weighed, and does the further work.
    #[cold]
    #[inline(never)]
    pub(super) fn watch_datagram(&mut self, c: &mut Classified, place: &Provenance<'_>) {
        if let Classification::Claimed(owner) = &mut c.state
            && let Some(pending) = &mut owner.weighed
        {
            pending.push(place);
        }
        self.watch(c);
    }

    /// Does the further work on the packets of a claimed conversation.
    #[cold]
    pub(super) fn watch(&mut self, c: &mut Classified) {
        let Classification::Claimed(owner) = &mut c.state else { return };
        let full = owner
            .weighed
            .as_ref()
            .is_some_and(|pending| pending.datagrams.len() >= DATAGRAMS || pending.bytes >= BYTES);
        let untaught = owner.untaught;
        if full {
            self.weigh(c);
        }
        if untaught {
            self.teach_later(c);
        }
    }

    /// Whether its session knows the server's side.
    fn has_server(&self, c: &Classified) -> bool {
        matches!(&c.state, Classification::Claimed(owner) if owner.session.server(&flow_info(c, self.options)).is_some())
    }

    /// Checks whether a conversation looks like the protocol named by the user.
    pub(super) fn weigh(&mut self, c: &mut Classified) {
        let Classification::Claimed(owner) = &mut c.state else { return };
        let Some(pending) = owner.weighed.take() else { return };
        let (name, good, broken) = (owner.name, owner.outcome.good(), owner.outcome.broken());
        let payloads = pending.observation(c.transport);
        if payloads.iter().all(|(_, bytes, _)| bytes.is_empty()) {
            return;
        }
        let begun = pending.begun(c.syn_seen);
        let observation = Observation {
            transport: c.transport,
            ends: c.ends,
            payloads: &payloads,
            begun,
            last: true,
            few: false,
            time: pending.time(),
            options: self.options,
        };
        let (mut own, mut fits, mut other): (u32, bool, Option<(u32, &'static str)>) = (0, false, None);
        for dissector in self.options.registry.iter() {
            match dissector.identify(&observation) {
                Evidence::Bits(bits, _) if dissector.name() == name => (own, fits) = (bits, true),
                Evidence::Bits(bits, _) if bits >= Evidence::CLAIM => other = other.max(Some((bits, dissector.name()))),
                _ => {}
            }
        }
        let instead = other.filter(|(bits, _)| *bits > own).map(|(_, name)| name);
        let agrees = broken == 0 && owner.session.agrees();
        if (own >= LIKE || agrees) && (own >= Evidence::CLAIM || instead.is_none()) {
            self.counters.unclaimed.alike(c.ends);
            return;
        }
        let named = self.options.registry.by_name(name);
        let lenient = named.is_none_or(|named| named.lenient());
        // A message with an unknown number of a protocol from a file is read, and does not fit.
        let described = named.is_some_and(|named| named.yields());
        let many = good >= READ_WELL && !described;
        let reads_well = !lenient && (fits || many) && broken * READ_WELL <= good;
        // This is its server, and it is being tested with malformed packets, or the file describes only a part.
        let usual = named.is_some_and(|named| c.ends.iter().any(|end| named.ports().contains(&end.port())));
        let server = c.transport == Transport::Udp && !lenient && self.has_server(c);
        let tested = (usual || server) && good > 0 && (broken > 0 || described);
        // The middle of a stream may contain no evidence at all.
        let middle = c.transport == Transport::Tcp && begun == [false; 2];
        if instead.is_none() && (reads_well || tested || middle) {
            return;
        }
        let first = Side::BOTH.map(|side| {
            let bytes = payloads.iter().find(|(who, bytes, _)| *who == side && !bytes.is_empty());
            bytes.map_or(&[][..], |(_, bytes, _)| bytes)
        });
        let instead = instead.or_else(|| looks_like(c.transport, c.ends.map(|end| end.port()), first[0], first[1]));
        self.counters.unclaimed.unlike(Unlike { flow: c.id, ends: c.ends, name, bits: own, instead });
    }
}
