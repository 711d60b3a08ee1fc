//! Receives and sends datagrams.

use super::passed::{Addresses, Arrival, Passed, RelayOutput, Sent, Topic};
use super::places::{Entry, udp};
use super::{BUDGET, Relay, UDP, token};
use crate::live::net::now as time_of_day;
use crate::live::proxy::path::{Lost, corrupt};
use crate::live::proxy::queue::Order;
use crate::live::proxy::{Direction, Watch};
use mio::Token;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// A datagram that waits.
#[derive(Clone)]
pub(super) struct Waiting {
    slot: usize,
    /// The conversation's number.
    number: u64,
    direction: Direction,
    bytes: Vec<u8>,
    arrival: Arrival,
    /// Whether it is a copy of a datagram that was already sent.
    copy: bool,
}

/// A socket that receives datagrams.
#[derive(Clone, Copy)]
pub(super) enum Receiver {
    /// The socket of all clients.
    Clients,
    /// The socket of one client's datagrams beside its stream.
    Datagrams(usize),
    /// The socket that represents a client towards the server.
    Server(usize),
}

impl Receiver {
    fn direction(self) -> Direction {
        match self {
            Receiver::Clients | Receiver::Datagrams(_) => Direction::Up,
            Receiver::Server(_) => Direction::Down,
        }
    }

    fn token(self) -> Token {
        match self {
            Receiver::Clients => UDP,
            Receiver::Server(slot) => token(slot, 0),
            Receiver::Datagrams(slot) => token(slot, 1),
        }
    }
}

/// The result of reading a socket.
enum Received {
    /// A datagram of the conversation in this slot, with its length.
    Datagram(usize, usize),
    /// An event that is not relayed.
    Other,
    Nothing,
}

impl Relay {
    /// Receives the datagrams of a socket.
    pub(super) fn read_socket(
        &mut self,
        receiver: Receiver,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut more = true;
        for _ in 0..BUDGET {
            match self.receive(receiver, &mut buffer, out) {
                Received::Datagram(slot, length) => {
                    self.pass(slot, receiver.direction(), buffer.get(..length).unwrap_or_default(), watch, out);
                }
                Received::Other => {}
                Received::Nothing => {
                    more = false;
                    break;
                }
            }
        }
        self.buffer = buffer;
        if more {
            self.again.insert(receiver.token());
        }
    }

    fn receive(&mut self, receiver: Receiver, buffer: &mut [u8], out: &mut dyn RelayOutput) -> Received {
        let arrived = match receiver {
            Receiver::Clients => self.udp.as_ref().map(|socket| socket.recv_from(buffer)),
            Receiver::Datagrams(slot) => {
                udp(&mut self.slots, slot).and_then(|(_, client)| Some(client.own_socket.as_ref()?.recv_from(buffer)))
            }
            Receiver::Server(slot) => udp(&mut self.slots, slot)
                .map(|(_, client)| client.socket.recv(buffer).map(|length| (length, client.target))),
        };
        match (arrived, receiver) {
            (None, _) => Received::Nothing,
            (Some(Err(error)), _) if error.kind() == ErrorKind::WouldBlock => Received::Nothing,
            (Some(Err(error)), Receiver::Server(slot)) => {
                self.refused(slot, &error, out);
                Received::Other
            }
            // An ICMP message about a client that is gone.
            (Some(Err(_)), _) => Received::Other,
            (Some(Ok((length, from))), Receiver::Clients) => match self.client(from, out) {
                Some(slot) => Received::Datagram(slot, length),
                None => Received::Other,
            },
            (Some(Ok((length, from))), Receiver::Datagrams(slot)) => match udp(&mut self.slots, slot) {
                Some((_, client)) if client.address.ip() == from.ip() => {
                    client.address = from;
                    Received::Datagram(slot, length)
                }
                // Datagrams from other addresses are dropped.
                _ => Received::Other,
            },
            (Some(Ok((length, _))), Receiver::Server(slot)) => Received::Datagram(slot, length),
        }
    }

    fn refused(&mut self, slot: usize, error: &io::Error, out: &mut dyn RelayOutput) {
        let Some((_, client)) = udp(&mut self.slots, slot) else { return };
        let (address, reported) = (client.address, std::mem::replace(&mut client.reported, true));
        self.counts.refused += 1;
        if !reported {
            let what = match error.kind() {
                ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => "the server's port is closed".into(),
                _ => error.to_string(),
            };
            out.note(Topic::Server, format!("{address}: {what}"));
        }
    }

    /// Relays a datagram.
    fn pass(
        &mut self,
        slot: usize,
        direction: Direction,
        received: &[u8],
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) {
        let now = Instant::now();
        // Due datagrams are sent as soon as possible, even while new ones keep arriving.
        self.serve(now, out);
        let time = time_of_day();
        let Some((number, client)) = udp(&mut self.slots, slot) else { return };
        client.last = now;
        let addresses = client.addresses();
        let arrival = self.counts.arrivals() + 1;
        let counts = &mut self.counts.directions[direction.index()];
        counts.arrived += 1;
        counts.bytes += received.len() as u64;
        let (verdict, seen) = match watch {
            Some(watch) => watch.datagram(addresses.ends, direction, received, time),
            None => Default::default(),
        };
        counts.edited += u64::from(seen.iter().any(|s| s.edited.as_ref().is_some_and(|e| e.not.is_none())));
        let forwarded = verdict.bytes.as_deref().unwrap_or(received);
        let mut passed = Passed {
            number: arrival,
            addresses,
            direction,
            datagram: true,
            received,
            time,
            delayed: Duration::ZERO,
            lost: None,
            copies: 0,
            reordered: false,
            corrupted: false,
            held: verdict.held,
            frame: watch.as_ref().map_or(0, |watch| watch.frame()),
            seen,
        };
        if verdict.held {
            let arrival = Arrival::new(&passed, now, out);
            let waiting = Waiting { slot, number, direction, bytes: received.to_vec(), arrival, copy: false };
            self.held.insert(passed.frame, waiting);
            return out.passed(passed);
        }
        if verdict.dropped {
            counts.dropped += 1;
            passed.lost = Some("dropped");
            return out.passed(passed);
        }
        let impairments = &self.config.impairments[direction.index()];
        let outcome = client.paths[direction.index()].datagram(impairments, forwarded.len(), now);
        counts.runs += u64::from(outcome.run);
        if let Some(why) = outcome.lost {
            let (count, why) = match why {
                Lost::Chance => (&mut counts.lost, "lost"),
                Lost::Outage => (&mut counts.outage, "outage"),
                Lost::QueueFull => (&mut counts.full, "queue_full"),
            };
            *count += 1;
            passed.lost = Some(why);
            return out.passed(passed);
        }
        let mut flipped = Vec::new();
        if let Some(number) = outcome.corrupt {
            flipped.extend_from_slice(forwarded);
            corrupt(&mut flipped, number);
            counts.corrupted += 1;
        }
        let forwarded = if outcome.corrupt.is_some() { &flipped } else { forwarded };
        let path = number * 2 + direction.index() as u64;
        let held = self.queue.has_after_next(path);
        let due = outcome.due + verdict.delay;
        passed.copies = verdict.copies + u32::from(outcome.twice);
        passed.delayed = due.saturating_duration_since(now);
        passed.reordered = outcome.reordered && !held;
        passed.corrupted = outcome.corrupt.is_some();
        let copies = passed.copies;
        let order = if passed.reordered { Order::AfterNext } else { Order::Due };
        let arrival = Arrival::new(&passed, now, out);
        let waiting =
            |copy| Waiting { slot, number, direction, bytes: forwarded.to_vec(), arrival: arrival.clone(), copy };
        // The memory besides a packet's bytes counts as well.
        let weight = forwarded.len() + size_of::<Waiting>() + 64;
        // All due packets are sent. Only a packet that waits for this one must follow it.
        let at_once = due <= now && !passed.reordered && !held;
        if at_once {
            if !self.send(slot, direction, forwarded, false, &arrival, now, out) {
                passed.lost = Some("unsent");
            }
        } else if self.queue.push(path, due, order, weight, waiting(false)).is_err() {
            counts.full += 1;
            passed.lost = Some("queue_full");
        }
        let lost = passed.lost.is_some();
        out.passed(passed);
        if at_once && !lost {
            report(addresses, direction, forwarded, &arrival, Duration::ZERO, out);
        }
        for _ in 0..if lost { 0 } else { copies } {
            let Some((_, client)) = udp(&mut self.slots, slot) else { return };
            let again = client.paths[direction.index()].again(
                &self.config.impairments[direction.index()],
                forwarded.len(),
                now,
            );
            let due = again.map(|due| due + verdict.delay);
            let counts = &mut self.counts.directions[direction.index()];
            counts.copies += 1;
            match due {
                Some(due) if at_once && due <= now => {
                    if self.send(slot, direction, forwarded, true, &arrival, now, out) {
                        report(addresses, direction, forwarded, &arrival, Duration::ZERO, out);
                    }
                }
                Some(due) if self.queue.push(path, due, Order::Copy, weight, waiting(true)).is_ok() => {}
                _ => counts.full += 1,
            }
        }
    }

    /// Passes or drops the datagrams that the user has decided about, or that have waited long enough. They are not
    /// impaired: the user wants to see them arrive.
    pub(super) fn release(&mut self, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn RelayOutput) {
        let Some(reader) = watch else { return };
        let now = Instant::now();
        let released = reader.release(now);
        for (frame, verdict) in released.datagrams {
            let Some(mut waiting) = self.held.remove(&frame) else { continue };
            let counts = &mut self.counts.directions[waiting.direction.index()];
            if verdict.dropped {
                counts.dropped += 1;
                out.dropped(waiting.arrival.number);
                continue;
            }
            if let Some(bytes) = verdict.bytes {
                counts.edited += u64::from(bytes != waiting.bytes);
                waiting.bytes = bytes;
            }
            let path = waiting.number * 2 + waiting.direction.index() as u64;
            let weight = waiting.bytes.len() + size_of::<Waiting>() + 64;
            let arrival = waiting.arrival.number;
            for copy in 0..=verdict.copies {
                let order = if copy > 0 { Order::Copy } else { Order::Due };
                let waiting = Waiting { copy: copy > 0, ..waiting.clone() };
                if self.queue.push(path, now + verdict.delay, order, weight, waiting).is_err() {
                    counts.full += 1;
                    if copy == 0 {
                        out.dropped(arrival);
                    }
                }
            }
        }
        let is_released = |entry: &Option<(u64, Entry)>| match entry {
            Some((_, Entry::Tcp(pair))) => released.streams.contains(&pair.ends()),
            _ => false,
        };
        let slots: Vec<usize> = if released.streams.is_empty() {
            Vec::new()
        } else {
            (0..self.slots.len()).filter(|slot| self.slots.get(*slot).is_some_and(is_released)).collect()
        };
        slots.into_iter().for_each(|slot| self.turn(slot, watch, out));
    }

    /// Sends the packets that are due, in order.
    pub(super) fn serve(&mut self, now: Instant, out: &mut dyn RelayOutput) {
        while let Some(Waiting { slot, number, direction, bytes, arrival, copy }) = self.queue.pop(now) {
            let client = udp(&mut self.slots, slot).filter(|(known, _)| *known == number);
            let at = Instant::now();
            match client.map(|(_, client)| client.addresses()) {
                Some(addresses) if self.send(slot, direction, &bytes, copy, &arrival, at, out) => {
                    report(addresses, direction, &bytes, &arrival, at.saturating_duration_since(arrival.at), out);
                }
                unsent => {
                    if unsent.is_none() {
                        self.counts.directions[direction.index()].unsent += 1;
                    }
                    // Copies have the number of the datagram itself.
                    if !copy {
                        out.dropped(arrival.number);
                    }
                }
            }
        }
    }

    /// Sends a datagram, and measures it. Returns whether the system accepted it.
    #[allow(clippy::too_many_arguments, reason = "one datagram")]
    fn send(
        &mut self,
        slot: usize,
        direction: Direction,
        bytes: &[u8],
        copy: bool,
        arrival: &Arrival,
        now: Instant,
        out: &mut dyn RelayOutput,
    ) -> bool {
        let Some((_, client)) = udp(&mut self.slots, slot) else { return false };
        let sent = match (direction, client.own_socket.as_ref().or(self.udp.as_ref())) {
            (Direction::Up, _) => client.socket.send(bytes),
            // The client has not sent a datagram yet.
            (Direction::Down, Some(_)) if client.address.port() == 0 => {
                self.counts.directions[direction.index()].unsent += 1;
                return false;
            }
            (Direction::Down, Some(socket)) => socket.send_to(bytes, client.address),
            (Direction::Down, None) => return false,
        };
        let highest = &mut client.highest[direction.index()];
        let (reordered, impairments) = (arrival.number < *highest, &self.config.impairments[direction.index()]);
        *highest = arrival.number.max(*highest);
        let counts = &mut self.counts.directions[direction.index()];
        match sent {
            Ok(_) => {
                counts.passed += 1;
                counts.reordered += u64::from(reordered && !copy);
                if !impairments.is_none() {
                    let (path, measured) =
                        (&mut client.paths[direction.index()], &mut self.measured[direction.index()]);
                    if !copy {
                        measured.delay(now.saturating_duration_since(arrival.at));
                    }
                    if let Some(rate) = impairments.rate {
                        let bytes = if rate.payload { bytes.len() } else { path.datagram_on_wire(bytes.len()) };
                        path.measure(bytes, now).into_iter().for_each(|bits| measured.rate(bits));
                    }
                }
            }
            Err(error) => {
                counts.unsent += 1;
                if direction == Direction::Up && error.kind() != ErrorKind::WouldBlock {
                    self.refused(slot, &error, out);
                }
                return false;
            }
        }
        true
    }
}

/// Reports a datagram that was sent.
fn report(
    addresses: Addresses,
    direction: Direction,
    bytes: &[u8],
    arrival: &Arrival,
    delayed: Duration,
    out: &mut dyn RelayOutput,
) {
    let time = time_of_day();
    out.sent(&Sent { arrival, addresses, direction, datagram: true, bytes, time, delayed });
}
