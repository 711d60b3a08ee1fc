//! The sockets of a proxy and their one event loop.
//!
//! It uses mio. Of the maintained event loops, mio is the one whose sockets are registered without unsafe code
//! (`polling` requires it since 3.0). It supports an unfinished `connect`, and runs on Linux, macOS and Windows.
//!
//! Every UDP client has its own socket to the server, so that the server sees as many peers as there are. A stream's
//! bytes wait in order. Half-closes and resets are relayed after them.

mod alarm;
mod config;
mod counts;
mod datagrams;
mod half;
pub(super) mod legs;
mod measured;
mod passed;
mod places;
mod status;
mod stream;
// Platform-specific code is in one folder, even if the library needs it.
#[path = "../../../platform/timer.rs"]
mod timer;

pub use config::Config;
pub use counts::{Counts, DirectionCounts};
pub use measured::Measured;
pub use passed::{Ended, Passed, RelayOutput, Sent, Topic};
pub use status::Status;

use super::{Impairments, Queue, Watch};
use crate::live::net::CancelToken;
use alarm::Alarm;
use datagrams::{Receiver, Waiting};
use mio::net::{TcpListener, UdpSocket};
use mio::{Events, Interest, Poll, Token};
use places::{Entry, Slots, spare_file};
use rustc_hash::{FxHashMap, FxHashSet};
use status::Samples;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use stream::Turn;

const UDP: Token = Token(0);
const TCP: Token = Token(1);
const ALARM: Token = Token(2);
/// The first token of a conversation. Each has two.
const FIRST: usize = 3;
/// The number of datagrams or connections that are handled before others have their turn.
const BUDGET: usize = 64;
/// The longest wait before the user's request to stop is checked.
const SLICE: Duration = Duration::from_millis(50);
/// The interval of the search for idle clients, and of the samples for rates.
const SWEEP: Duration = Duration::from_secs(1);
/// The size of the requested system buffer for unread datagrams.
const RECEIVE_BUFFER: usize = 4 << 20;
/// The number of ports chosen by the system that are tried.
const PORTS: usize = 16;
/// The maximum number of ports named by streams that are reported.
const NAMED: usize = 100;

/// Returns the token of a conversation's socket: 0 or 1.
fn token(slot: usize, which: usize) -> Token {
    Token(FIRST + 2 * slot + which)
}

/// A proxy's sockets.
pub struct Relay {
    config: Config,
    /// The impairments without the timetable.
    base: [Impairments; 2],
    /// The start of the timetable, and the time of its next change.
    begun: Instant,
    change: Option<Instant>,
    poll: Poll,
    alarm: Alarm,
    udp: Option<UdpSocket>,
    tcp: Option<TcpListener>,
    local: SocketAddr,
    slots: Slots,
    free: Vec<usize>,
    /// The number of slots of datagrams beside a stream, which are no clients of their own.
    attached: usize,
    clients: FxHashMap<SocketAddr, usize>,
    turned_away: FxHashSet<SocketAddr>,
    /// Kept open to be replaced by a connection if no other file descriptor is free.
    spare: Option<std::net::UdpSocket>,
    number: u64,
    queue: Queue<Waiting>,
    /// The datagrams that wait for the user, by the number of their packet.
    held: FxHashMap<u64, Waiting>,
    /// The times when streams continue.
    timers: BTreeSet<(Instant, usize)>,
    /// The sockets with more data than the budget allows.
    again: BTreeSet<Token>,
    accept_at: Option<Instant>,
    /// Ports for datagrams that streams have named. Each is reported once.
    named: BTreeSet<SocketAddr>,
    counts: Counts,
    measured: [Measured; 2],
    samples: Samples,
    buffer: Vec<u8>,
}

impl Relay {
    /// Opens the sockets and listens.
    ///
    /// # Errors
    /// Returns the errors of the sockets.
    pub fn bind(config: Config) -> io::Result<Relay> {
        let poll = Poll::new()?;
        // A port chosen by the system may be free for datagrams and taken for streams.
        let tries = if config.listen.port() == 0 { PORTS } else { 1 };
        let bound = (1..tries).find_map(|_| listen(&config).ok());
        let (mut udp, mut tcp, local) = bound.map_or_else(|| listen(&config), Ok)?;
        if let Some(socket) = &mut udp {
            // A burst of packets must not be lost here while output is printed.
            let _ = socket2::SockRef::from(&*socket).set_recv_buffer_size(RECEIVE_BUFFER);
            poll.registry().register(socket, UDP, Interest::READABLE)?;
        }
        if let Some(listener) = &mut tcp {
            poll.registry().register(listener, TCP, Interest::READABLE)?;
        }
        Ok(Relay {
            alarm: Alarm::new(poll.registry(), ALARM),
            queue: Queue::new(config.queue),
            base: config.impairments.clone(),
            begun: Instant::now(),
            change: None,
            config,
            poll,
            udp,
            tcp,
            local,
            slots: Vec::new(),
            free: Vec::new(),
            attached: 0,
            clients: FxHashMap::default(),
            turned_away: FxHashSet::default(),
            held: FxHashMap::default(),
            spare: spare_file(),
            number: 0,
            timers: BTreeSet::new(),
            again: BTreeSet::new(),
            accept_at: None,
            named: BTreeSet::new(),
            counts: Counts::default(),
            measured: Default::default(),
            samples: Samples::new(Instant::now()),
            buffer: vec![0; 1 << 16],
        })
    }

    /// Returns the address on which it listens.
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// Returns the measured figures of impairments, for both directions.
    pub fn measured(&self) -> &[Measured; 2] {
        &self.measured
    }

    /// Relays until the user requests a stop.
    ///
    /// # Errors
    /// Returns the errors of the event loop.
    pub fn run(
        &mut self,
        stop: &CancelToken,
        mut watch: Option<&mut Watch<'_, '_>>,
        out: &mut dyn RelayOutput,
    ) -> io::Result<Counts> {
        let mut events = Events::with_capacity(1024);
        let mut sweep = Instant::now() + SWEEP;
        self.begun = Instant::now();
        self.samples = Samples::new(self.begun);
        self.change = self.config.profile.is_some().then_some(self.begun);
        while !stop.is_set() {
            let timeout = self.timeout(Instant::now());
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                other => other?,
            }
            // Before the packets that have arrived.
            if self.change.is_some_and(|at| at <= Instant::now()) {
                self.turn_page();
            }
            if let Some(rules) = out.rules()
                && let Some(watch) = &mut watch
            {
                watch.replace(rules);
            }
            let mut ready = std::mem::take(&mut self.again);
            for event in events.iter().filter(|event| event.token() != ALARM) {
                ready.insert(event.token());
                self.mark(event);
            }
            if self.accept_at.is_some_and(|at| at <= Instant::now()) {
                self.accept_at = None;
                ready.insert(TCP);
            }
            self.release(&mut watch, out);
            self.due(&mut watch, out);
            for token in ready {
                match token {
                    UDP => self.read_socket(Receiver::Clients, &mut watch, out),
                    TCP => self.accept(&mut watch, out),
                    Token(at) => self.turn((at - FIRST) / 2, &mut watch, out),
                }
                // Due packets must not wait for many busy sockets.
                self.due(&mut watch, out);
            }
            let now = Instant::now();
            if out.asks_for_status() {
                out.status(&self.status(now, watch.as_mut().map(|watch| watch.messages())));
            }
            if now >= sweep {
                sweep = now + SWEEP;
                self.samples.add(now, &self.counts);
                self.sweep(now, &mut watch, out);
            }
        }
        Ok(self.counts)
    }

    /// Applies the current settings of the timetable.
    fn turn_page(&mut self) {
        let Some(profile) = &self.config.profile else { return };
        let time = self.begun.elapsed();
        self.config.impairments = profile.at(&self.base, time);
        self.change = profile.next(time).map(|at| self.begun + at);
    }

    /// Returns the time until the next event that does not come from a socket.
    fn timeout(&mut self, now: Instant) -> Duration {
        if !self.again.is_empty() {
            return Duration::ZERO;
        }
        let timers = self.timers.first().map(|(at, _)| *at);
        let next = [self.queue.next(), timers, self.accept_at, self.change].into_iter().flatten().min();
        self.alarm.wait(next, now, SLICE)
    }

    /// Sends the packets and continues the streams that are due.
    fn due(&mut self, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn RelayOutput) {
        if self.queue.is_empty() && self.timers.is_empty() {
            return;
        }
        let now = Instant::now();
        self.serve(now, out);
        while let Some((at, slot)) = self.timers.first().copied().filter(|(at, _)| *at <= now) {
            self.timers.remove(&(at, slot));
            self.turn(slot, watch, out);
        }
    }

    fn mark(&mut self, event: &mio::event::Event) {
        let Some(at) = event.token().0.checked_sub(FIRST) else { return };
        if let Some(Some((_, Entry::Tcp(pair)))) = self.slots.get_mut(at / 2) {
            pair.ready(at % 2, event);
        }
    }

    fn turn(&mut self, slot: usize, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn RelayOutput) {
        match self.slots.get_mut(slot) {
            Some(Some((_, Entry::Udp(client)))) => {
                if client.own_socket.is_some() {
                    self.read_socket(Receiver::Datagrams(slot), watch, out);
                }
                self.read_socket(Receiver::Server(slot), watch, out);
            }
            Some(Some((_, Entry::Tcp(pair)))) => {
                let turn = pair.go(&self.config, &mut self.counts, &mut self.measured, &mut self.buffer, watch, out);
                if let Some(watch) = watch {
                    self.follow(watch, out);
                }
                match turn {
                    Turn::Over => self.remove(slot),
                    Turn::At(at) => _ = self.timers.insert((at, slot)),
                    Turn::Again => _ = self.again.insert(token(slot, 0)),
                    Turn::Wait => {}
                }
            }
            _ => {}
        }
    }

    /// Follows the datagrams that a stream has named, or reports that it does not.
    fn follow(&mut self, watch: &mut Watch<'_, '_>, out: &mut dyn RelayOutput) {
        let (opened, messages) = watch.opened_for_datagrams();
        messages.into_iter().for_each(|text| out.note(Topic::Other, text));
        opened.into_iter().for_each(|opened| self.open_for_datagrams(opened, out));
        if watch.follows_datagrams() {
            return;
        }
        for server in watch.named().filter(|server| *server != self.config.target) {
            if self.named.len() < NAMED && self.named.insert(server) {
                out.note(
                    Topic::Other,
                    format!("the server names {server} for datagrams: they are not relayed, and bypass the proxy"),
                );
            }
        }
    }
}

/// Opens the sockets of both transports, on one port.
fn listen(config: &Config) -> io::Result<(Option<UdpSocket>, Option<TcpListener>, SocketAddr)> {
    let mut local = config.listen;
    let udp = if config.udp { Some(UdpSocket::bind(local)?) } else { None };
    if let Some(socket) = &udp {
        local = socket.local_addr()?;
    }
    let tcp = if config.tcp { Some(TcpListener::bind(local)?) } else { None };
    if let Some(listener) = &tcp {
        local = listener.local_addr()?;
    }
    Ok((udp, tcp, local))
}
