//! Datagrams that come, and that go.

use super::passed::{Addresses, Arrival, Output, Passed, Sent, Topic};
use super::places::udp;
use super::{BUDGET, Relay, UDP, token};
use crate::live::net::now as time_of_day;
use crate::live::proxy::path::{Lost, corrupt};
use crate::live::proxy::queue::Order;
use crate::live::proxy::{Watch, Way};
use mio::Token;
use std::io::{self, ErrorKind};
use std::time::{Duration, Instant};

/// A datagram that waits.
pub(super) struct Waiting {
    slot: usize,
    /// The conversation's number.
    number: u64,
    way: Way,
    bytes: Vec<u8>,
    arrival: Arrival,
    /// It was sent before.
    copy: bool,
}

/// A socket on which datagrams come.
#[derive(Clone, Copy)]
pub(super) enum Ear {
    /// That of all clients.
    Clients,
    /// That of one client's datagrams beside its stream.
    Beside(usize),
    /// The one that stands for a client before the server.
    Server(usize),
}

impl Ear {
    fn way(self) -> Way {
        match self {
            Ear::Clients | Ear::Beside(_) => Way::Up,
            Ear::Server(_) => Way::Down,
        }
    }

    fn token(self) -> Token {
        match self {
            Ear::Clients => UDP,
            Ear::Server(slot) => token(slot, 0),
            Ear::Beside(slot) => token(slot, 1),
        }
    }
}

/// What a socket had.
enum Heard {
    /// A datagram of the conversation in this place, so long.
    Datagram(usize, usize),
    /// Something that is not passed on.
    Other,
    Nothing,
}

impl Relay {
    /// Takes what has come on a socket.
    pub(super) fn hear(&mut self, ear: Ear, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn Output) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut more = true;
        for _ in 0..BUDGET {
            match self.receive(ear, &mut buffer, out) {
                Heard::Datagram(slot, length) => {
                    self.pass(slot, ear.way(), buffer.get(..length).unwrap_or_default(), watch, out);
                }
                Heard::Other => {}
                Heard::Nothing => {
                    more = false;
                    break;
                }
            }
        }
        self.buffer = buffer;
        if more {
            self.again.insert(ear.token());
        }
    }

    fn receive(&mut self, ear: Ear, buffer: &mut [u8], out: &mut dyn Output) -> Heard {
        let came = match ear {
            Ear::Clients => self.udp.as_ref().map(|socket| socket.recv_from(buffer)),
            Ear::Beside(slot) => {
                udp(&mut self.slots, slot).and_then(|(_, client)| Some(client.beside.as_ref()?.recv_from(buffer)))
            }
            Ear::Server(slot) => udp(&mut self.slots, slot)
                .map(|(_, client)| client.socket.recv(buffer).map(|length| (length, client.target))),
        };
        match (came, ear) {
            (None, _) => Heard::Nothing,
            (Some(Err(error)), _) if error.kind() == ErrorKind::WouldBlock => Heard::Nothing,
            (Some(Err(error)), Ear::Server(slot)) => {
                self.refused(slot, &error, out);
                Heard::Other
            }
            // An ICMP answer of a client that has gone.
            (Some(Err(_)), _) => Heard::Other,
            (Some(Ok((length, from))), Ear::Clients) => match self.client(from, out) {
                Some(slot) => Heard::Datagram(slot, length),
                None => Heard::Other,
            },
            (Some(Ok((length, from))), Ear::Beside(slot)) => match udp(&mut self.slots, slot) {
                Some((_, client)) if client.address.ip() == from.ip() => {
                    client.address = from;
                    Heard::Datagram(slot, length)
                }
                // What others send there is dropped.
                _ => Heard::Other,
            },
            (Some(Ok((length, _))), Ear::Server(slot)) => Heard::Datagram(slot, length),
        }
    }

    fn refused(&mut self, slot: usize, error: &io::Error, out: &mut dyn Output) {
        let Some((_, client)) = udp(&mut self.slots, slot) else { return };
        let (address, told) = (client.address, std::mem::replace(&mut client.told, true));
        self.counts.refused += 1;
        if !told {
            let what = match error.kind() {
                ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => "the server's port is closed".into(),
                _ => error.to_string(),
            };
            out.note(Topic::Server, format!("{address}: {what}"));
        }
    }

    /// A datagram came.
    fn pass(
        &mut self,
        slot: usize,
        way: Way,
        came: &[u8],
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) {
        let now = Instant::now();
        // Due datagrams are sent as soon as possible, even while new ones keep arriving.
        self.serve(now, out);
        let time = time_of_day();
        let Some((number, client)) = udp(&mut self.slots, slot) else { return };
        client.last = now;
        let addresses = client.addresses();
        let arrived = self.counts.arrivals() + 1;
        let counts = &mut self.counts.ways[way.index()];
        counts.came += 1;
        counts.bytes += came.len() as u64;
        let (verdict, seen) = match watch {
            Some(watch) => watch.datagram(addresses.ends, way, came, time),
            None => Default::default(),
        };
        counts.edited += u64::from(seen.iter().any(|s| s.edited.as_ref().is_some_and(|e| e.not.is_none())));
        let goes = verdict.bytes.as_deref().unwrap_or(came);
        let mut passed = Passed {
            number: arrived,
            addresses,
            way,
            datagram: true,
            came,
            time,
            delayed: Duration::ZERO,
            lost: None,
            copies: 0,
            behind: false,
            corrupted: false,
            frame: watch.as_ref().map_or(0, |watch| watch.frame()),
            seen,
        };
        if verdict.dropped {
            counts.dropped += 1;
            passed.lost = Some("dropped");
            return out.passed(passed);
        }
        let impairments = &self.config.impairments[way.index()];
        let fate = client.paths[way.index()].datagram(impairments, goes.len(), now);
        counts.runs += u64::from(fate.run);
        if let Some(why) = fate.lost {
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
        if let Some(number) = fate.corrupt {
            flipped.extend_from_slice(goes);
            corrupt(&mut flipped, number);
            counts.corrupted += 1;
        }
        let goes = if fate.corrupt.is_some() { &flipped } else { goes };
        let path = number * 2 + way.index() as u64;
        let held = self.queue.has_behind(path);
        let due = fate.due + verdict.delay;
        passed.copies = verdict.copies + u32::from(fate.twice);
        passed.delayed = due.saturating_duration_since(now);
        passed.behind = fate.behind && !held;
        passed.corrupted = fate.corrupt.is_some();
        let copies = passed.copies;
        let order = if passed.behind { Order::Behind } else { Order::Due };
        let arrival = Arrival::new(&passed, now, out);
        let waiting = |copy| Waiting { slot, number, way, bytes: goes.to_vec(), arrival: arrival.clone(), copy };
        // What a packet takes beside its bytes counts as well.
        let weight = goes.len() + size_of::<Waiting>() + 64;
        // All that was due has gone; only one that waits for this one has to come after it.
        let at_once = due <= now && !passed.behind && !held;
        if at_once {
            if !self.send(slot, way, goes, false, &arrival, now, out) {
                passed.lost = Some("unsent");
            }
        } else if self.queue.push(path, due, order, weight, waiting(false)).is_err() {
            counts.full += 1;
            passed.lost = Some("queue_full");
        }
        let lost = passed.lost.is_some();
        out.passed(passed);
        if at_once && !lost {
            report(addresses, way, goes, &arrival, Duration::ZERO, out);
        }
        for _ in 0..if lost { 0 } else { copies } {
            let Some((_, client)) = udp(&mut self.slots, slot) else { return };
            let again = client.paths[way.index()].again(&self.config.impairments[way.index()], goes.len(), now);
            let due = again.map(|due| due + verdict.delay);
            let counts = &mut self.counts.ways[way.index()];
            counts.copies += 1;
            match due {
                Some(due) if at_once && due <= now => {
                    if self.send(slot, way, goes, true, &arrival, now, out) {
                        report(addresses, way, goes, &arrival, Duration::ZERO, out);
                    }
                }
                Some(due) if self.queue.push(path, due, Order::Copy, weight, waiting(true)).is_ok() => {}
                _ => counts.full += 1,
            }
        }
    }

    /// Sends what is due, in the order in which it is.
    pub(super) fn serve(&mut self, now: Instant, out: &mut dyn Output) {
        while let Some(Waiting { slot, number, way, bytes, arrival, copy }) = self.queue.pop(now) {
            let client = udp(&mut self.slots, slot).filter(|(known, _)| *known == number);
            let at = Instant::now();
            match client.map(|(_, client)| client.addresses()) {
                Some(addresses) if self.send(slot, way, &bytes, copy, &arrival, at, out) => {
                    report(addresses, way, &bytes, &arrival, at.saturating_duration_since(arrival.at), out);
                }
                Some(_) => {}
                None => self.counts.ways[way.index()].unsent += 1,
            }
        }
    }

    /// Sends a datagram, and measures it. Returns whether the system took it.
    #[allow(clippy::too_many_arguments, reason = "one datagram")]
    fn send(
        &mut self,
        slot: usize,
        way: Way,
        bytes: &[u8],
        copy: bool,
        arrival: &Arrival,
        now: Instant,
        out: &mut dyn Output,
    ) -> bool {
        let Some((_, client)) = udp(&mut self.slots, slot) else { return false };
        let sent = match (way, client.beside.as_ref().or(self.udp.as_ref())) {
            (Way::Up, _) => client.socket.send(bytes),
            (Way::Down, Some(_)) if client.address.port() == 0 => return false,
            (Way::Down, Some(socket)) => socket.send_to(bytes, client.address),
            (Way::Down, None) => return false,
        };
        let highest = &mut client.highest[way.index()];
        let (behind, impairments) = (arrival.number < *highest, &self.config.impairments[way.index()]);
        *highest = arrival.number.max(*highest);
        let counts = &mut self.counts.ways[way.index()];
        match sent {
            Ok(_) => {
                counts.passed += 1;
                counts.behind += u64::from(behind && !copy);
                if !impairments.is_none() {
                    let (path, measured) = (&mut client.paths[way.index()], &mut self.measured[way.index()]);
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
                if way == Way::Up && error.kind() != ErrorKind::WouldBlock {
                    self.refused(slot, &error, out);
                }
                return false;
            }
        }
        true
    }
}

/// Reports a datagram that was sent.
fn report(addresses: Addresses, way: Way, bytes: &[u8], arrival: &Arrival, delayed: Duration, out: &mut dyn Output) {
    let time = time_of_day();
    out.sent(&Sent { arrival, addresses, way, datagram: true, bytes, time, delayed });
}
