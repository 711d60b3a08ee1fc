//! Conversations read by other threads have the same events, evictions and memory.

use super::*;
use crate::flow::{Carried, Moved, Partition, Report};
use proptest::prelude::*;
use std::collections::VecDeque;

/// The partition of a conversation, and the bytes it holds.
#[derive(Debug, Default)]
struct State {
    assigned: Option<(usize, u32)>,
    held: usize,
}

/// The events, by conversation.
#[derive(Debug, Default)]
struct Recorded {
    events: Vec<(u64, Event)>,
}

/// Remembers payloads, and hands conversations over to partitions, if there are any.
#[derive(Default)]
struct Split {
    recorded: Recorded,
    partitions: Vec<Partition<State>>,
    reports: VecDeque<Vec<Report>>,
    next: usize,
}

/// The handler of a partition.
struct Reads<'a>(&'a mut Recorded);

impl Reads<'_> {
    fn record(&mut self, c: &mut Conversation<State>, event: Event, held: usize) {
        c.state.held += held;
        self.0.events.push((c.id, event));
    }
}

impl Handler<State> for Reads<'_> {
    fn datagram(&mut self, c: &mut Conversation<State>, side: Side, _: &Packet<'_>, payload: &[u8], length: usize) {
        let event = Event::Datagram(c.id, side, payload.to_vec(), length);
        self.record(c, event, payload.len());
    }

    fn data(&mut self, c: &mut Conversation<State>, side: Side, stream: &mut Stream, delivery: &Delivery<'_>) {
        let event = Event::Datagram(c.id, side, stream.bytes().to_vec(), delivery.new);
        // A third is left unread.
        stream.consume(stream.bytes().len() / 3 * 2);
        self.record(c, event, delivery.new);
    }

    fn gap(&mut self, c: &mut Conversation<State>, side: Side, stream: &mut Stream, gap: &Gap) {
        let event = Event::Datagram(c.id, side, stream.bytes().to_vec(), gap.missing as usize);
        self.record(c, event, 0);
    }

    fn end(&mut self, c: &mut Conversation<State>, side: Side, stream: &mut Stream, why: End, missing: u64) {
        let event = Event::End(c.id, side, why, stream.bytes().to_vec());
        self.record(c, event, 0);
        if missing > 0 {
            self.record(c, Event::Gap(c.id, side, missing, 0, GapCause::End, Vec::new()), 0);
        }
    }

    fn closed(&mut self, c: &mut Conversation<State>) {
        let event = Event::Closed(c.id);
        self.record(c, event, 0);
    }

    fn memory(&self, c: &Conversation<State>) -> Option<usize> {
        Some(c.state.held)
    }

    fn shared(&self, c: &Conversation<State>, each: &mut dyn FnMut(u64, usize)) {
        each(c.id % 3, 1000);
    }
}

impl Handler<State> for Split {
    fn datagram(
        &mut self,
        c: &mut Conversation<State>,
        side: Side,
        packet: &Packet<'_>,
        payload: &[u8],
        length: usize,
    ) {
        match c.state.assigned {
            Some(_) => self.segment(c, side, packet),
            None => Reads(&mut self.recorded).datagram(c, side, packet, payload, length),
        }
    }

    fn data(&mut self, c: &mut Conversation<State>, side: Side, stream: &mut Stream, delivery: &Delivery<'_>) {
        assert!(c.state.assigned.is_none());
        Reads(&mut self.recorded).data(c, side, stream, delivery);
    }

    fn gap(&mut self, c: &mut Conversation<State>, side: Side, stream: &mut Stream, gap: &Gap) {
        assert!(c.state.assigned.is_none());
        Reads(&mut self.recorded).gap(c, side, stream, gap);
    }

    fn end(&mut self, c: &mut Conversation<State>, side: Side, stream: &mut Stream, why: End, missing: u64) {
        assert!(c.state.assigned.is_none());
        Reads(&mut self.recorded).end(c, side, stream, why, missing);
    }

    fn closed(&mut self, c: &mut Conversation<State>) {
        Reads(&mut self.recorded).closed(c);
    }

    fn memory(&self, c: &Conversation<State>) -> Option<usize> {
        c.state.assigned.is_none().then_some(c.state.held)
    }

    fn shared(&self, c: &Conversation<State>, each: &mut dyn FnMut(u64, usize)) {
        each(c.id % 3, 1000);
    }

    fn leaves(&self, c: &Conversation<State>) -> bool {
        // Handed over at the third packet or later.
        !self.partitions.is_empty() && c.state.assigned.is_none() && c.packets.iter().sum::<u64>() > 2
    }

    fn take(&mut self, c: &mut Conversation<State>, slot: u32, moved: Moved<State>) {
        self.next = (self.next + 1) % self.partitions.len();
        self.partitions[self.next].take(slot, moved);
        c.state.assigned = Some((self.next, slot));
    }

    fn segment(&mut self, c: &mut Conversation<State>, from: Side, packet: &Packet<'_>) {
        let (partition, slot) = c.state.assigned.expect("it was handed over");
        let Packet { frame, frames, time, .. } = *packet;
        let carried = Carried { frame, frames, time, body: packet.body.clone() };
        self.partitions[partition].packet(slot, from, carried, &mut Reads(&mut self.recorded));
    }

    fn close(&mut self, c: &mut Conversation<State>, why: End) {
        let (partition, slot) = c.state.assigned.expect("it was handed over");
        self.partitions[partition].close(slot, why, &mut Reads(&mut self.recorded));
    }

    fn epoch(&mut self) {
        let mut reports = Vec::new();
        let Split { partitions, recorded, .. } = self;
        partitions.iter_mut().for_each(|p| p.report(&mut reports, &Reads(recorded)));
        self.reports.push_back(reports);
    }

    fn reports(&mut self, each: &mut dyn FnMut(&Report)) {
        self.reports.pop_front().expect("an epoch").iter().for_each(each);
    }
}

/// A packet: conversation, sender, offset, length, and whether it is TCP, a SYN, or a FIN.
type Step = (u8, bool, u8, u16, u8);

/// The events with this many partitions, the counters, and the most bytes held at once.
fn run(steps: &[Step], caps: Caps, others: usize) -> (Recorded, Statistics, usize) {
    let mut split = Split { partitions: (0..others).map(|_| Partition::new(caps)).collect(), ..Split::default() };
    let mut table = Table::new(caps);
    let mut most = 0;
    for (n, (id, first, place, length, kind)) in steps.iter().enumerate() {
        let ends: [SocketAddr; 2] = [format!("10.0.0.{id}:5000"), "10.1.0.1:80".into()].map(|e| e.parse().unwrap());
        let payload = vec![*id; *length as usize];
        let seq = 1000 + u32::from(*place) * 40;
        let (ack, has_ack) = (1000 + u32::from(*place) * 20, kind % 2 == 0);
        let (syn, fin) = (*kind == 1, *kind == 3);
        let body = match id % 3 {
            0 => Body::Udp { payload: &payload, length: payload.len() },
            _ => {
                Body::Tcp(Segment { seq, ack, has_ack, syn, fin, payload: &payload, length: payload.len(), rst: false })
            }
        };
        let [src, dst] = if *first { ends } else { [ends[1], ends[0]] };
        let time = Time::micros(n as i64, 0);
        table.packet(&Packet { frame: n as u64 + 1, frames: &[], time, src, dst, leg: None, body }, &mut split);
        let held = split.partitions.iter().map(Partition::buffered).sum::<usize>();
        most = most.max(table.buffered() + held);
    }
    table.finish(&mut split);
    let mut statistics = table.statistics();
    split.partitions.iter().for_each(|p| statistics.add(&p.statistics()));
    (split.recorded, statistics, most)
}

proptest! {
    #[test]
    fn any_thread_reads(steps in prop::collection::vec((0..40u8, any::<bool>(), 0..60u8, 0..900u16, 0..12u8), 50..600)) {
        for caps in [
            Caps::default(),
            Caps { buffered_bytes: 20_000, ..Caps::default() },
            Caps { buffered_bytes: 0, ..Caps::default() },
            Caps { conversations: 7, held_bytes: 300, held_segments: 3, unread_bytes: 500, ..Caps::default() },
        ] {
            let (alone, counted, _) = run(&steps, caps, 0);
            for others in [1, 2, 4] {
                let (recorded, statistics, _) = run(&steps, caps, others);
                prop_assert_eq!(&alone.events, &recorded.events);
                prop_assert_eq!(counted, statistics);
            }
        }
    }
}

/// The cap applies to all partitions together, not to each.
#[test]
fn the_bound_holds_for_all_together() {
    // Datagrams of 900 bytes, all of them held, in 30 conversations in rotation.
    let steps: Vec<Step> = (0..8000).map(|n| (n as u8 % 30 * 3, true, 0, 900, 0)).collect();
    let caps = Caps { buffered_bytes: 1 << 20, ..Caps::default() };
    for others in [0, 1, 4] {
        let (recorded, statistics, most) = run(&steps, caps, others);
        let bound = caps.buffered_bytes + 5 * (caps.buffered_bytes / 32 + 1000);
        assert!(most <= bound, "{others}: {most} of {bound}");
        // The memory is really used.
        assert!(most > caps.buffered_bytes * 3 / 4, "{others}: {most} of {bound}");
        assert!(statistics.evicted > 50, "{others}: {}", statistics.evicted);
        let datagrams = recorded.events.iter().filter(|(_, event)| matches!(event, Event::Datagram(..))).count();
        assert_eq!(datagrams, steps.len());
    }
}
