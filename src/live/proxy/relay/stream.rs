//! A stream's two sockets, and the bytes between them.

use super::config::Config;
use super::counts::Counts;
use super::half::{End, Half, Place, Socket};
use super::measured::Measured;
use super::passed::{Addresses, Ended, RelayOutput, Topic};
use crate::flow::Transport;
use crate::live::net::now as time_of_day;
use crate::live::net::own_port::check_stream;
use crate::live::proxy::path::Path;
use crate::live::proxy::{Direction, Impairments, Passing, Watch};
use mio::event::Event;
use mio::net::TcpStream;
use mio::{Interest, Registry, Token};
use std::io::{self, ErrorKind, Read};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The maximum number of bytes that wait in one direction. Beyond it, the sender waits.
const MOST: usize = 256 << 10;
/// The number of reads in one direction before others have their turn.
const READS: usize = 8;

/// The time when a pair continues.
pub enum Turn {
    /// Never: it has ended.
    Over,
    /// At this time.
    At(Instant),
    /// After the others had their turn.
    Again,
    /// When a socket is ready.
    Wait,
}

/// A client's connection, and the proxy's connection to the server.
pub struct Pair {
    addresses: Addresses,
    sockets: [Socket; 2],
    halves: [Half; 2],
    connected: bool,
}

/// Makes closing the socket reset the connection.
pub fn reset(stream: &TcpStream) {
    let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
}

impl Pair {
    /// Creates the pair of a client's connection, and starts to connect to the server.
    pub fn new(
        client: TcpStream,
        address: SocketAddr,
        config: &Config,
        begun: Instant,
        number: u64,
        registry: &Registry,
        tokens: [Token; 2],
    ) -> io::Result<Pair> {
        let server = TcpStream::connect(config.target).inspect_err(|_| reset(&client))?;
        let own = [client.local_addr()?, server.local_addr()?];
        let mut sockets =
            [client, server].map(|socket| Socket { socket, readable: true, writable: true, broken: false });
        for (end, token) in sockets.iter_mut().zip(tokens) {
            // A relay that collects small segments adds its own delay.
            let _ = end.socket.set_nodelay(true);
            registry.register(&mut end.socket, token, Interest::READABLE | Interest::WRITABLE)?;
        }
        let halves = [0, 1]
            .map(|direction| Half::new(Path::new(config.seed, number, direction).towards(config.target.ip(), begun)));
        let addresses = Addresses { ends: [address, config.target], own };
        Ok(Pair { addresses, sockets, halves, connected: false })
    }

    /// Returns the addresses of the client and the server.
    pub fn ends(&self) -> [SocketAddr; 2] {
        self.addresses.ends
    }

    /// Returns the number of bytes that wait, in both directions.
    pub fn queued(&self) -> usize {
        self.halves.iter().map(|half| half.bytes).sum()
    }

    /// Records that a socket is ready.
    pub fn ready(&mut self, which: usize, event: &Event) {
        let end = &mut self.sockets[which];
        end.readable |= event.is_readable() || event.is_read_closed() || event.is_error();
        end.writable |= event.is_writable() || event.is_write_closed() || event.is_error();
    }

    /// Deregisters the closed sockets.
    pub fn deregister(&mut self, registry: &Registry) {
        for end in &mut self.sockets {
            let _ = registry.deregister(&mut end.socket);
        }
    }

    /// Reads and writes as much as possible.
    pub fn go(
        &mut self,
        config: &Config,
        counts: &mut Counts,
        measured: &mut [Measured; 2],
        buffer: &mut [u8],
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) -> Turn {
        if !self.connected {
            let server = &self.sockets[1].socket;
            match server.take_error() {
                Ok(None) => match server.peer_addr() {
                    Ok(_) => match check_stream(&server.into()) {
                        Ok(()) => self.connected = true,
                        Err(error) => return self.unreached(&error, counts, watch, out),
                    },
                    Err(error) if error.kind() == ErrorKind::NotConnected => {}
                    Err(error) => return self.unreached(&error, counts, watch, out),
                },
                Ok(Some(error)) | Err(error) => return self.unreached(&error, counts, watch, out),
            }
            if self.connected {
                let own = &mut self.addresses.own[1];
                *own = self.sockets[1].socket.local_addr().unwrap_or(*own);
            }
        }
        let (mut next, mut again): (Option<Instant>, bool) = (None, false);
        for &direction in Direction::ALL {
            again |= self.read(direction, config, counts, buffer, watch, out);
            next = [next, self.waiting(direction, config, counts.arrivals(), watch, out)].into_iter().flatten().min();
            // The client's bytes wait until the server is connected.
            let open = self.connected || direction == Direction::Down;
            let to = &mut self.sockets[direction.other().index()];
            let (half, addresses) = (&mut self.halves[direction.index()], self.addresses);
            let written = match open {
                true => {
                    let impairments = &config.impairments[direction.index()];
                    let measured = (!impairments.is_none()).then_some((&mut measured[direction.index()], impairments));
                    half.write(to, &mut counts.directions[direction.index()], measured, addresses, direction, out)
                }
                false => Ok(None),
            };
            match written {
                Ok(at) => {
                    next = [next, at].into_iter().flatten().min();
                    let (from, half) = (&self.sockets[direction.index()], &self.halves[direction.index()]);
                    // No further event reports bytes that waited for room.
                    let open = self.connected || direction == Direction::Up;
                    again |= open && from.readable && !half.has_ended() && half.bytes < MOST && !half.held;
                }
                Err(()) => {
                    again = true;
                    self.broken(direction.other(), config, counts, watch, out);
                }
            }
        }
        if self.connected && self.halves.iter().all(Half::is_over) {
            self.close(counts, out);
            if let Some(watch) = watch {
                out.held(watch.forget(Transport::Tcp, self.ends()));
            }
            return Turn::Over;
        }
        match (again, next) {
            (true, _) => Turn::Again,
            (false, Some(at)) => Turn::At(at),
            (false, None) => Turn::Wait,
        }
    }

    /// Makes closing the sockets reset the connection, if it was reset.
    fn close(&self, counts: &mut Counts, out: &mut dyn RelayOutput) {
        let (addresses, time) = (self.addresses, time_of_day());
        let mut any = false;
        for &direction in Direction::ALL {
            let half = &self.halves[direction.index()];
            if half.takes() {
                continue;
            }
            any = true;
            reset(&self.sockets[direction.other().index()].socket);
            if !half.lost {
                out.ended(&Ended { addresses, direction, arrived: false, reset: true, time });
            }
        }
        counts.reset += u64::from(any);
    }

    fn unreached(
        &mut self,
        error: &io::Error,
        counts: &mut Counts,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) -> Turn {
        let [client, _] = self.ends();
        out.note(Topic::Server, format!("{client}: the server cannot be reached: {error}"));
        counts.refused += u64::from(error.kind() == ErrorKind::ConnectionRefused);
        self.halves[Direction::Up.index()].lose(out);
        self.halves[Direction::Down.index()].reset = Some(Instant::now());
        self.close(counts, out);
        if let Some(watch) = watch {
            out.held(watch.forget(Transport::Tcp, self.ends()));
        }
        Turn::Over
    }

    /// Reads the available bytes. Returns whether there are more than the budget allows.
    fn read(
        &mut self,
        direction: Direction,
        config: &Config,
        counts: &mut Counts,
        buffer: &mut [u8],
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) -> bool {
        let addresses = self.addresses;
        let ends = addresses.ends;
        let from = &mut self.sockets[direction.index()];
        let half = &mut self.halves[direction.index()];
        let impairments = &config.impairments[direction.index()];
        if direction == Direction::Down && !self.connected {
            return false;
        }
        for _ in 0..READS {
            if !from.readable || half.has_ended() || half.bytes >= MOST || half.held {
                return false;
            }
            let read = from.socket.read(buffer);
            // After the read, so that the delay is not shorter than requested.
            let now = Instant::now();
            let end = match read {
                // The failed write has taken the error.
                Ok(0) if from.broken => End::Reset,
                Ok(0) => End::Fin,
                Ok(length) => {
                    let received = buffer.get(..length).unwrap_or_default();
                    let number = counts.arrivals() + 1;
                    let counts = &mut counts.directions[direction.index()];
                    counts.arrived += 1;
                    counts.bytes += length as u64;
                    let time = time_of_day();
                    let passing = watch.as_mut().map(|watch| watch.bytes(ends, direction, received, time, now));
                    let passing = passing.unwrap_or_default();
                    let frame = watch.as_ref().map_or(0, |watch| watch.frame());
                    let place = Place { number, addresses, direction, time, frame };
                    let broken = passing.broken.is_some();
                    if let Some(why) = passing.broken {
                        out.note(Topic::Other, format!("{}: {why}: the connection is reset", ends[0]));
                    }
                    let counts = &mut counts.corrupted;
                    if half.take(impairments, received, passing, place, now, counts, out) && !broken {
                        continue;
                    }
                    self.reset(config, now);
                    End::Reset
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock && !from.broken => {
                    from.readable = false;
                    return false;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => End::Reset,
            };
            self.ended(direction, end, config, counts, now, watch, out);
            return false;
        }
        true
    }

    /// Resets both sides, after the bytes that have arrived before.
    fn reset(&mut self, config: &Config, now: Instant) {
        let after = |half: &Half, impairments: &Impairments| (now + impairments.delay).max(half.last);
        let due = self.halves.iter().zip(&config.impairments).map(|(half, impairments)| after(half, impairments)).max();
        self.halves.iter_mut().for_each(|half| half.reset = due);
    }

    /// Records that the sender of this direction takes no more, since it has reset the connection. What it sent before is
    /// still read and passed on.
    fn broken(
        &mut self,
        direction: Direction,
        config: &Config,
        counts: &Counts,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) {
        self.halves[direction.other().index()].lose(out);
        let from = &mut self.sockets[direction.index()];
        (from.readable, from.broken) = (true, true);
        let half = &self.halves[direction.index()];
        if half.fin.is_some() && half.reset.is_none() {
            self.ended(direction, End::Reset, config, counts, Instant::now(), watch, out);
        }
    }

    /// Handles the end of a direction, which is sent after all bytes before it, and with the same delay.
    #[allow(clippy::too_many_arguments, reason = "one end")]
    fn ended(
        &mut self,
        direction: Direction,
        end: End,
        config: &Config,
        counts: &Counts,
        now: Instant,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) {
        let (time, reset, addresses) = (time_of_day(), end == End::Reset, self.addresses);
        let impairments = &config.impairments[direction.index()];
        let half = &mut self.halves[direction.index()];
        if let Some(watch) = watch {
            let passing = watch.ended(addresses.ends, direction, reset, time);
            let place = Place { number: counts.arrivals(), addresses, direction, time, frame: watch.frame() };
            if end == End::Fin || !passing.seen.is_empty() {
                let impairments = Impairments { reset: 0.0, ..impairments.clone() };
                half.take(&impairments, &[], passing, place, now, &mut 0, out);
            }
        }
        // The proxy itself resets both sides.
        if half.reset.is_some() {
            return;
        }
        out.ended(&Ended { addresses, direction, arrived: true, reset, time });
        let due = Some((now + impairments.delay).max(half.last));
        match end {
            End::Fin => half.fin = due,
            End::Reset => {
                // The receiver of both half-closes has no connection any more.
                let [fin, other] = [direction, direction.other()].map(|direction| self.halves[direction.index()].fin);
                if fin.is_none() || other.is_none() {
                    self.halves[direction.index()].reset = due.max(fin);
                }
                self.halves[direction.other().index()].lose(out);
            }
        }
    }

    /// Passes bytes that waited too long for the rest of their message. Returns the time when the next ones must pass.
    fn waiting(
        &mut self,
        direction: Direction,
        config: &Config,
        number: u64,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) -> Option<Instant> {
        let watch = watch.as_mut().filter(|_| self.halves[direction.index()].takes())?;
        let (addresses, now) = (self.addresses, Instant::now());
        let ends = addresses.ends;
        match watch.deadline(ends, direction) {
            Some(at) if at <= now => {
                let gone = Some(watch.overdue(ends, direction, now));
                let passing = Passing { gone, held: watch.is_held(ends, direction), ..Passing::default() };
                let place = Place { number, addresses, direction, time: time_of_day(), frame: watch.frame() };
                let impairments = Impairments { reset: 0.0, ..config.impairments[direction.index()].clone() };
                self.halves[direction.index()].take(&impairments, &[], passing, place, now, &mut 0, out);
                watch.deadline(ends, direction).filter(|at| *at > now)
            }
            at => at,
        }
    }
}
