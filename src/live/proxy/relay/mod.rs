//! The sockets of a proxy and their one event loop.
//!
//! mio carries it: of the kept event loops it is the one whose sockets are registered without
//! unsafe code (`polling` asks for that since 3.0), it has an unfinished `connect`, and runs on
//! Linux, macOS and Windows.
//!
//! Every UDP client has a socket of its own to the server, so that the server sees as many peers as
//! there are. A stream's bytes wait in order; half-closes and resets are passed on behind them.

mod alarm;
mod config;
mod counts;
mod datagrams;
mod direction;
mod legs;
mod measured;
mod passed;
mod places;
mod stream;
// What is particular to a platform stands in one folder, also where the library needs it.
#[path = "../../../platform/timer.rs"]
mod timer;

pub use config::Config;
pub use counts::{Counts, WayCounts};
pub use legs::Legs;
pub use measured::Measured;
pub use passed::{Arrival, Ended, Output, Passed, Sent, Topic};

use super::{Impairments, Queue, Watch};
use crate::live::net::CancelToken;
use alarm::Alarm;
use datagrams::{Ear, Waiting};
use mio::net::{TcpListener, UdpSocket};
use mio::{Events, Interest, Poll, Token};
use places::{Entry, Slots, spare_file};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use stream::Turn;

const UDP: Token = Token(0);
const TCP: Token = Token(1);
const ALARM: Token = Token(2);
/// The first token of a conversation: it has two.
const FIRST: usize = 3;
/// So many datagrams or connections are taken before others have their turn.
const BUDGET: usize = 64;
/// The longest without a look at the user's wish to stop.
const SLICE: Duration = Duration::from_millis(50);
/// How often idle clients are looked for.
const SWEEP: Duration = Duration::from_secs(1);
/// What the system is asked to hold of datagrams that were not read yet.
const RECEIVE_BUFFER: usize = 4 << 20;
/// So many ports of the system's choice are tried.
const PORTS: usize = 16;
/// So many of the ports that streams name are told.
const NAMED: usize = 100;

/// The token of a conversation's socket: 0 or 1.
fn token(slot: usize, which: usize) -> Token {
    Token(FIRST + 2 * slot + which)
}

/// A proxy's sockets.
pub struct Relay {
    config: Config,
    /// What is done to the directions where the timetable says nothing.
    base: [Impairments; 2],
    /// When the timetable began, and when it changes next.
    begun: Instant,
    change: Option<Instant>,
    poll: Poll,
    alarm: Alarm,
    udp: Option<UdpSocket>,
    tcp: Option<TcpListener>,
    local: SocketAddr,
    slots: Slots,
    free: Vec<usize>,
    clients: FxHashMap<SocketAddr, usize>,
    turned_away: FxHashSet<SocketAddr>,
    /// Held for the connection that comes when no other file is left.
    spare: Option<std::net::UdpSocket>,
    number: u64,
    queue: Queue<Waiting>,
    /// When streams want to go on.
    timers: BTreeSet<(Instant, usize)>,
    /// Where more was to be read than the budget allows.
    again: BTreeSet<Token>,
    accept_at: Option<Instant>,
    /// Ports for datagrams that streams have named: each is told once.
    named: BTreeSet<SocketAddr>,
    counts: Counts,
    measured: [Measured; 2],
    buffer: Vec<u8>,
}

impl Relay {
    /// Listens.
    ///
    /// # Errors
    /// Those of the sockets.
    pub fn bind(config: Config) -> io::Result<Relay> {
        let poll = Poll::new()?;
        // A port of the system's choice may be free for datagrams and taken for streams.
        let tries = if config.listen.port() == 0 { PORTS } else { 1 };
        let bound = (1..tries).find_map(|_| listen(&config).ok());
        let (mut udp, mut tcp, local) = bound.map_or_else(|| listen(&config), Ok)?;
        if let Some(socket) = &mut udp {
            // A burst that comes while something is printed must not be lost here.
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
            clients: FxHashMap::default(),
            turned_away: FxHashSet::default(),
            spare: spare_file(),
            number: 0,
            timers: BTreeSet::new(),
            again: BTreeSet::new(),
            accept_at: None,
            named: BTreeSet::new(),
            counts: Counts::default(),
            measured: Default::default(),
            buffer: vec![0; 1 << 16],
        })
    }

    /// Where it listens.
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// What impairments came to, up and down.
    pub fn measured(&self) -> &[Measured; 2] {
        &self.measured
    }

    /// Relays until the user wants to stop.
    ///
    /// # Errors
    /// Those of the event loop.
    pub fn run(
        &mut self,
        stop: &CancelToken,
        mut watch: Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) -> io::Result<Counts> {
        let mut events = Events::with_capacity(1024);
        let mut sweep = Instant::now() + SWEEP;
        self.begun = Instant::now();
        self.change = self.config.profile.is_some().then_some(self.begun);
        while !stop.is_set() {
            if self.change.is_some_and(|at| at <= Instant::now()) {
                self.turn_page();
            }
            let timeout = self.timeout(Instant::now());
            match self.poll.poll(&mut events, Some(timeout)) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                other => other?,
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
            self.due(&mut watch, out);
            for token in ready {
                match token {
                    UDP => self.hear(Ear::Clients, &mut watch, out),
                    TCP => self.accept(&mut watch, out),
                    Token(at) => self.turn((at - FIRST) / 2, &mut watch, out),
                }
                // Many who have something to say do not hold up what is due.
                self.due(&mut watch, out);
            }
            let now = Instant::now();
            if now >= sweep {
                sweep = now + SWEEP;
                self.sweep(now, &mut watch, out);
            }
        }
        Ok(self.counts)
    }

    /// The timetable says something else from now on.
    fn turn_page(&mut self) {
        let Some(profile) = &self.config.profile else { return };
        let time = self.begun.elapsed();
        self.config.impairments = profile.at(&self.base, time);
        self.change = profile.next(time).map(|at| self.begun + at);
    }

    /// How long nothing can happen but what sockets tell.
    fn timeout(&mut self, now: Instant) -> Duration {
        if !self.again.is_empty() {
            return Duration::ZERO;
        }
        let timers = self.timers.first().map(|(at, _)| *at);
        let next = [self.queue.next(), timers, self.accept_at, self.change].into_iter().flatten().min();
        self.alarm.wait(next, now, SLICE)
    }

    /// Does what is due.
    fn due(&mut self, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn Output) {
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

    fn turn(&mut self, slot: usize, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn Output) {
        match self.slots.get_mut(slot) {
            Some(Some((_, Entry::Udp(client)))) => {
                if client.beside.is_some() {
                    self.hear(Ear::Beside(slot), watch, out);
                }
                self.hear(Ear::Server(slot), watch, out);
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

    /// The datagrams that a stream has named: they are followed, or it is told that they are not.
    fn follow(&mut self, watch: &mut Watch<'_, '_>, out: &mut dyn Output) {
        let (opened, told) = watch.opened_beside();
        told.into_iter().for_each(|text| out.note(Topic::Other, text));
        opened.into_iter().for_each(|opened| self.open_beside(opened, out));
        if watch.follows_beside() {
            return;
        }
        for server in watch.named().filter(|server| *server != self.config.target) {
            if self.named.len() < NAMED && self.named.insert(server) {
                out.note(Topic::Other, format!(
                    "the server names {server} for datagrams beside its stream: they are not relayed, and go past the proxy"
                ));
            }
        }
    }
}

/// The sockets of both transports, on one port.
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
