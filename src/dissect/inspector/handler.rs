//! Processes the events of the flow table: packets, stream data, ends, and the packets of conversations that another
//! thread reads.

use super::classification::Classified;
use super::identify::GONE;
use super::{Classification, Inspector, flow_info};
use crate::capture::Packet;
use crate::dissect::dissector::StreamEvent;
use crate::dissect::message::{Provenance, Sink};
use crate::dissect::{Amount, Closed};
use crate::flow::{Closing, Delivery, End, Gap, Handler, Moved, Report, Side, Stream, Transport};

impl<S: Sink> Handler<Classification> for Inspector<'_, S> {
    fn datagram(&mut self, c: &mut Classified, side: Side, packet: &Packet<'_>, payload: &[u8], length: usize) {
        self.sequence(c.serial);
        if let Classification::Dispatched(assignment) = c.state
            && assignment.generation == self.generation
        {
            self.dispatch(assignment, side, packet);
            return;
        }
        let place =
            Provenance { side, bytes: payload, length, frame: packet.frame, frames: packet.frames, time: packet.time };
        let flow_info = flow_info(c, self.options);
        // The usual case: no server was announced or found after the conversation was claimed.
        if let Classification::Claimed(owner) = &mut c.state
            && (owner.generation == self.generation || self.update(owner, c.transport, &c.ends))
        {
            let broken = self
                .run(&flow_info, c.names.of(&c.ends), owner.running(), |session, out| session.datagram(&place, out));
            owner.outcome.add(place.side, place.frame, self.emitted, broken);
            let watched = owner.watched();
            if broken || owner.reclassification.is_some() {
                self.reclassification(c, &place, broken);
            }
            if watched {
                self.watch_datagram(c, &place);
            }
            return;
        }
        if let Classification::Skipped = c.state {
            return;
        }
        if let Some(mut owner) = self.claimed(c, packet.frame) {
            let broken = self
                .run(&flow_info, c.names.of(&c.ends), owner.running(), |session, out| session.datagram(&place, out));
            owner.outcome.add(place.side, place.frame, self.emitted, broken);
            if let Some(pending) = &mut owner.weighed {
                pending.push(&place);
            }
            c.state = Classification::Claimed(owner);
            return;
        }
        match std::mem::take(&mut c.state) {
            Classification::Foreign(GONE) => c.state = Classification::Foreign(GONE),
            Classification::Foreign(generation) => {
                *self.counters.foreign.entry(c.transport.name()).or_default() += 1;
                c.state = Classification::Foreign(generation);
            }
            Classification::Dispatched(assignment) => {
                self.dispatch(assignment, side, packet);
                c.state = Classification::Dispatched(assignment);
            }
            before => {
                let mut pending =
                    if let Classification::Undecided(pending) = before { pending } else { Box::default() };
                pending.push(&place);
                self.settle(c, pending, false);
            }
        }
    }

    fn data(&mut self, c: &mut Classified, side: Side, stream: &mut Stream, delivery: &Delivery<'_>) {
        let event = StreamEvent::Data { new: delivery.new, segments: delivery.segments, frame: delivery.frame };
        self.stream_event(c, side, stream, event, delivery.frame, delivery.time);
    }

    fn gap(&mut self, c: &mut Classified, side: Side, stream: &mut Stream, gap: &Gap) {
        // The gaps before a conversation is claimed are passed on with its first messages.
        let undecided = matches!(c.state, Classification::Undecided(_));
        self.stream_event(c, side, stream, StreamEvent::Gap { missing: gap.missing }, gap.frame, gap.time);
        if !undecided && matches!(c.state, Classification::Claimed(_)) {
            self.sink.gap(c.id, side, gap.missing);
        }
    }

    fn end(&mut self, c: &mut Classified, side: Side, stream: &mut Stream, why: End, missing: u64) {
        self.stream_event(c, side, stream, StreamEvent::End { missing }, 0, c.last);
        if matches!(c.state, Classification::Claimed(_)) {
            if missing > 0 {
                self.sink.gap(c.id, side, missing);
            }
            self.sink.direction_ended(c.id, side, why);
        }
    }

    fn memory(&self, c: &Classified) -> Option<usize> {
        c.state.memory()
    }

    fn shared(&self, c: &Classified, each: &mut dyn FnMut(u64, usize)) {
        if let Classification::Claimed(owner) = &c.state {
            owner.session.shared(each);
        }
    }

    fn first_to_end(&self, c: &Classified) -> Side {
        let client = if let Classification::Claimed(owner) = &c.state { owner.session.client() } else { None };
        client.or(c.opener).unwrap_or(Side::A)
    }

    fn ending(&mut self, c: &mut Classified) {
        match std::mem::take(&mut c.state) {
            Classification::Undecided(pending) => self.settle_sure(c, pending),
            other => c.state = other,
        }
    }

    fn closed(&mut self, c: &mut Classified) {
        match std::mem::take(&mut c.state) {
            Classification::Undecided(pending) => {
                self.sequence(c.serial);
                self.settle(c, pending, true);
            }
            other => c.state = other,
        }
        self.weigh(c);
        if !self.reads(&c.ends) {
            return self.relieve();
        }
        self.account(c);
        if let Classification::Claimed(owner) = &c.state {
            self.end_sides(c, owner);
            let losses = c.losses.as_deref().copied().unwrap_or_default();
            for side in losses {
                self.counters.missed_bytes += side.missing;
                self.counters.ignored_segments += side.ignored;
            }
        }
        if let Classification::Foreign(generation) = c.state
            && generation != GONE
        {
            if c.transport == Transport::Tcp {
                let packets = c.packets.iter().sum::<u64>();
                *self.counters.foreign.entry(c.transport.name()).or_default() += packets;
            }
            self.counters.unclaimed.end(c);
        }
        let has_messages = match &c.state {
            Classification::Claimed(owner) => owner.has_messages(),
            Classification::Foreign(generation) => *generation == GONE,
            _ => false,
        };
        if has_messages {
            let losses = c.losses.as_deref().copied().unwrap_or_default();
            self.sink.ended(c.id, Closing { by: c.ended, first: c.first_ended, losses, packets: c.packets });
        }
        self.sink.closed(&Closed {
            flow: c.id,
            resumed: c.resumed,
            transport: c.transport,
            ends: c.ends,
            packets: c.packets.iter().sum(),
            bytes: c.bytes.iter().sum(),
            claim: match &c.state {
                Classification::Claimed(owner) => Some((owner.name, owner.delivered)),
                _ => None,
            },
        });
        self.relieve();
    }

    fn leaves(&self, c: &Classified) -> bool {
        self.may_leave
            && (self.dispatcher.is_some() || !self.reads(&c.ends))
            // A worker teaches nothing.
            && matches!(&c.state, Classification::Claimed(owner) if !owner.untaught && !owner.session.affects_others())
    }

    fn take(&mut self, c: &mut Classified, slot: u32, mut moved: Moved<Classification>) {
        if !self.reads(&c.ends) {
            c.state = Classification::Skipped;
            return;
        }
        let Some(dispatcher) = &mut self.dispatcher else { return };
        let (mut named, mut generation) = (false, self.generation);
        if let Classification::Claimed(owner) = &mut moved.conversation().state {
            // A worker never sees announcements.
            (named, generation) = (owner.named, std::mem::take(&mut owner.generation));
        }
        c.state = Classification::Dispatched(dispatcher.take(slot, self.sequence.1, moved, named, generation));
        // Later messages come from another thread, after those emitted here.
        self.sequence.0 = 0;
    }

    fn segment(&mut self, c: &mut Classified, side: Side, packet: &Packet<'_>) {
        self.sequence(c.serial);
        if let Classification::Dispatched(assignment) = c.state {
            if assignment.generation != self.generation {
                self.claimed(c, 0);
            }
            self.dispatch(assignment, side, packet);
        }
    }

    fn close(&mut self, c: &mut Classified, why: End) {
        self.sequence(c.serial);
        if let (Classification::Dispatched(assignment), Some(dispatcher)) = (&c.state, &mut self.dispatcher) {
            dispatcher.close(*assignment, self.sequence.1, why);
        }
        self.relieve();
    }

    fn epoch(&mut self) {
        if let Some(dispatcher) = &mut self.dispatcher {
            dispatcher.epoch(self.sequence.1 + 1);
            self.round();
        }
    }

    fn reports(&mut self, each: &mut dyn FnMut(&Report)) {
        if let Some(dispatcher) = &mut self.dispatcher {
            dispatcher.reports(each);
        }
    }
}

impl<S: Sink> Inspector<'_, S> {
    /// Adds a conversation that has ended to the account. If an earlier part of it was evicted, that was counted.
    fn account(&mut self, c: &Classified) {
        let amount =
            Amount { conversations: (!c.resumed).into(), packets: c.packets.iter().sum(), bytes: c.bytes.iter().sum() };
        let account = &mut self.counters.account;
        match c.state {
            Classification::Claimed(_) => account.claimed += amount,
            Classification::Foreign(GONE) => account.unclaimed += amount,
            _ if amount.bytes == 0 && c.transport == Transport::Tcp => account.silent += amount,
            _ => {
                account.unclaimed += amount;
                match self.known.server(c.transport, c.ends) {
                    Some((side, proto)) => {
                        account.at_claimed_servers += amount;
                        self.counters.unclaimed.at_server(c.ends[side.index()], proto);
                    }
                    None => self.known.wait(c.transport, c.ends, amount),
                }
            }
        }
    }
}
