//! The sockets of a proxy and their one event loop.
//!
//! mio carries it: of the kept event loops it is the one whose sockets are registered without
//! unsafe code (`polling` asks for that since 3.0), it has an unfinished `connect`, and runs on
//! Linux, macOS and Windows.
//!
//! Every UDP client has a socket of its own to the server, so that the server sees as many peers as
//! there are. A stream's bytes wait in order; half-closes and resets are passed on behind them.

mod config;
mod counts;
mod legs;
mod passed;
mod stream;

pub use config::Config;
pub use counts::{Counts, WayCounts};
pub use legs::Legs;
pub use passed::{Output, Passed};

use super::path::{Lost, Path};
use super::{Impairments, Opened, Queue, Watch, Way};
use crate::live::net::{CancelToken, now as time_of_day};
use mio::net::{TcpListener, UdpSocket};
use mio::{Events, Interest, Poll, Registry, Token};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};
use stream::{Pair, Turn};

const UDP: Token = Token(0);
const TCP: Token = Token(1);
/// The first token of a conversation: it has two.
const FIRST: usize = 2;
/// So many datagrams or connections are taken before others have their turn.
const BUDGET: usize = 64;
/// The longest without a look at the user's wish to stop.
const SLICE: Duration = Duration::from_millis(50);
/// The system's clock of waits is this coarse: the rest is waited for without sleeping.
const COARSE: Duration = Duration::from_millis(1);
/// How often idle clients are looked for.
const SWEEP: Duration = Duration::from_secs(1);
/// What the system is asked to hold of datagrams that were not read yet.
const RECEIVE_BUFFER: usize = 4 << 20;
/// So many ports of the system's choice are tried.
const PORTS: usize = 16;
/// So many of the ports that streams name are told.
const NAMED: usize = 100;
/// After a failed accept (no more files), the next try.
const PAUSE: Duration = Duration::from_millis(100);

/// A UDP client.
struct Client {
    address: SocketAddr,
    socket: UdpSocket,
    own: SocketAddr,
    /// Where it sends: its own socket, if its datagrams are beside a stream.
    local: SocketAddr,
    beside: Option<UdpSocket>,
    target: SocketAddr,
    paths: [Path; 2],
    last: Instant,
    told: bool,
}

enum Entry {
    Udp(Box<Client>),
    Tcp(Box<Pair>),
}

/// A datagram that waits.
struct Waiting {
    slot: usize,
    number: u64,
    way: Way,
    bytes: Vec<u8>,
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
    udp: Option<UdpSocket>,
    tcp: Option<TcpListener>,
    local: SocketAddr,
    slots: Vec<Option<(u64, Entry)>>,
    free: Vec<usize>,
    clients: FxHashMap<SocketAddr, usize>,
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
            number: 0,
            timers: BTreeSet::new(),
            again: BTreeSet::new(),
            accept_at: None,
            named: BTreeSet::new(),
            counts: Counts::default(),
            buffer: vec![0; 1 << 16],
        })
    }

    /// Where it listens.
    pub fn local(&self) -> SocketAddr {
        self.local
    }

    /// Relays until the user wants to stop.
    ///
    /// # Errors
    /// Those of the event loop, and of the output.
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
            if let Some(watch) = &mut watch
                && let Some(rules) = out.rules()
            {
                watch.replace(rules);
            }
            let mut ready = std::mem::take(&mut self.again);
            for event in events.iter() {
                ready.insert(event.token());
                self.mark(event);
            }
            if self.accept_at.is_some_and(|at| at <= Instant::now()) {
                self.accept_at = None;
                ready.insert(TCP);
            }
            for token in ready {
                match token {
                    UDP => self.hear_clients(&mut watch, out)?,
                    TCP => self.accept(&mut watch, out)?,
                    Token(at) => self.turn((at - FIRST) / 2, &mut watch, out)?,
                }
            }
            let now = Instant::now();
            while let Some(waiting) = self.queue.pop(now) {
                if self.slots.get(waiting.slot).and_then(Option::as_ref).is_some_and(|(n, _)| *n == waiting.number) {
                    self.send(waiting.slot, waiting.way, &waiting.bytes, out);
                }
            }
            while let Some((at, slot)) = self.timers.first().copied().filter(|(at, _)| *at <= now) {
                self.timers.remove(&(at, slot));
                self.turn(slot, &mut watch, out)?;
            }
            if now >= sweep {
                sweep = now + SWEEP;
                self.sweep(now);
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
    fn timeout(&self, now: Instant) -> Duration {
        if !self.again.is_empty() {
            return Duration::ZERO;
        }
        let timers = self.timers.first().map(|(at, _)| *at);
        let next = [self.queue.next(), timers, self.accept_at, self.change].into_iter().flatten().min();
        let wait = next.map_or(SLICE, |at| at.saturating_duration_since(now).min(SLICE));
        // Rounded up, it would be late.
        if wait < COARSE { Duration::ZERO } else { Duration::from_millis(wait.as_millis() as u64) }
    }

    fn mark(&mut self, event: &mio::event::Event) {
        let Some(at) = event.token().0.checked_sub(FIRST) else { return };
        if let Some(Some((_, Entry::Tcp(pair)))) = self.slots.get_mut(at / 2) {
            pair.ready(at % 2, event);
        }
    }

    fn turn(&mut self, slot: usize, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn Output) -> io::Result<()> {
        match self.slots.get_mut(slot) {
            Some(Some((_, Entry::Udp(client)))) => {
                if client.beside.is_some() {
                    self.hear_beside(slot, watch, out)?;
                }
                self.hear_server(slot, watch, out)
            }
            Some(Some((_, Entry::Tcp(pair)))) => {
                let turn = pair.go(&self.config, &mut self.counts, &mut self.buffer, watch, out)?;
                if let Some(watch) = watch {
                    let (opened, told) = watch.opened_beside();
                    told.into_iter().for_each(|text| out.note(text));
                    opened.into_iter().for_each(|opened| self.open_beside(opened, out));
                }
                let followed = watch.as_mut().is_some_and(|watch| watch.follows_beside());
                let named = watch.iter().filter(|_| !followed).flat_map(|watch| watch.named());
                for server in named.filter(|server| *server != self.config.target) {
                    if self.named.len() < NAMED && self.named.insert(server) {
                        out.note(format!(
                            "the server names {server} for datagrams beside its stream: they are not relayed, and go past the proxy"
                        ));
                    }
                }
                match turn {
                    Turn::Over => self.remove(slot),
                    Turn::At(at) => _ = self.timers.insert((at, slot)),
                    Turn::Again => _ = self.again.insert(Token(FIRST + 2 * slot)),
                    Turn::Wait => {}
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn is_full(&mut self) -> bool {
        let full = self.slots.len() - self.free.len() >= self.config.clients;
        self.counts.turned_away += u64::from(full);
        full
    }

    /// A place for a conversation: the slot, and its number.
    fn place(&mut self) -> (usize, u64) {
        self.number += 1;
        self.counts.clients += 1;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        (slot, self.number)
    }

    fn remove(&mut self, slot: usize) {
        if let Some((_, mut entry)) = self.slots.get_mut(slot).and_then(Option::take) {
            match &mut entry {
                Entry::Udp(client) => {
                    match &mut client.beside {
                        Some(socket) => drop(self.poll.registry().deregister(socket)),
                        None => drop(self.clients.remove(&client.address)),
                    }
                    let _ = self.poll.registry().deregister(&mut client.socket);
                }
                Entry::Tcp(pair) => pair.deregister(self.poll.registry()),
            }
            self.free.push(slot);
        }
        self.timers.retain(|(_, at)| *at != slot);
    }

    fn sweep(&mut self, now: Instant) {
        let gone = |client: &Client| now.saturating_duration_since(client.last) > self.config.idle;
        let idle: Vec<usize> = self
            .slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| matches!(slot, Some((_, Entry::Udp(client))) if gone(client)))
            .map(|(slot, _)| slot)
            .collect();
        idle.into_iter().for_each(|slot| self.remove(slot));
    }

    fn accept(&mut self, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn Output) -> io::Result<()> {
        for _ in 0..BUDGET {
            let Some(listener) = &self.tcp else { return Ok(()) };
            let (stream, address) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) => {
                    out.note(format!("a connection could not be taken: {error}"));
                    self.accept_at = Some(Instant::now() + PAUSE);
                    return Ok(());
                }
            };
            if self.is_full() {
                stream::reset(&stream);
                continue;
            }
            let (slot, number) = self.place();
            let tokens = [Token(FIRST + 2 * slot), Token(FIRST + 2 * slot + 1)];
            match Pair::new(stream, address, &self.config, number, self.poll.registry(), tokens) {
                Ok(pair) => {
                    if let Some(watch) = watch {
                        watch.opened(pair.ends(), time_of_day());
                    }
                    if let Some(place) = self.slots.get_mut(slot) {
                        *place = Some((number, Entry::Tcp(Box::new(pair))));
                    }
                    self.again.extend(tokens);
                }
                Err(error) => {
                    out.note(format!("{address}: the server is not reached: {error}"));
                    self.counts.reset += 1;
                    self.free.push(slot);
                }
            }
        }
        self.again.insert(TCP);
        Ok(())
    }

    fn hear_clients(&mut self, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn Output) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        for _ in 0..BUDGET {
            let Some(socket) = &self.udp else { break };
            let (length, address) = match socket.recv_from(&mut buffer) {
                Ok(came) => came,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.buffer = buffer;
                    return Ok(());
                }
                // An ICMP answer of a client that has gone.
                Err(_) => continue,
            };
            if let Some(slot) = self.client(address, out) {
                self.pass(slot, Way::Up, buffer.get(..length).unwrap_or_default(), watch, out)?;
            }
        }
        self.buffer = buffer;
        self.again.insert(UDP);
        Ok(())
    }

    /// The slot of a client, which may be new.
    fn client(&mut self, address: SocketAddr, out: &mut dyn Output) -> Option<usize> {
        if let Some(slot) = self.clients.get(&address) {
            return Some(*slot);
        }
        if self.is_full() {
            return None;
        }
        let (slot, number) = self.place();
        match self.socket(slot) {
            Ok((socket, own)) => {
                let paths = [0, 1].map(|way| Path::new(self.config.seed, number, way));
                let (local, target) = (self.local, self.config.target);
                let (beside, last, told) = (None, Instant::now(), false);
                let client = Client { address, socket, own, local, beside, target, paths, last, told };
                if let Some(place) = self.slots.get_mut(slot) {
                    *place = Some((number, Entry::Udp(Box::new(client))));
                }
                self.clients.insert(address, slot);
                Some(slot)
            }
            Err(error) => {
                out.note(format!("{address}: no socket to the server: {error}"));
                self.free.push(slot);
                self.counts.turned_away += 1;
                None
            }
        }
    }

    /// Datagrams beside a stream pass through these sockets.
    fn open_beside(&mut self, opened: Opened, out: &mut dyn Output) {
        let (slot, number) = self.place();
        // It is no client of its own.
        self.counts.clients -= 1;
        match self.beside(opened, slot, number) {
            Ok(client) => {
                if let Some(place) = self.slots.get_mut(slot) {
                    *place = Some((number, Entry::Udp(Box::new(client))));
                }
            }
            Err(error) => {
                out.note(format!("no socket for datagrams beside a stream: {error}"));
                self.free.push(slot);
            }
        }
    }

    fn beside(&self, opened: Opened, slot: usize, number: u64) -> io::Result<Client> {
        let Opened { client, server, target, of } = opened;
        let (local, own) = (client.local_addr()?, server.local_addr()?);
        for socket in [&client, &server] {
            socket.set_nonblocking(true)?;
        }
        let [mut client, mut socket] = [client, server].map(UdpSocket::from_std);
        register(self.poll.registry(), &mut socket, Token(FIRST + 2 * slot))?;
        register(self.poll.registry(), &mut client, Token(FIRST + 2 * slot + 1))?;
        let paths = [0, 1].map(|way| Path::new(self.config.seed, number, way));
        // Its port is known when it has sent something.
        let (address, beside) = (SocketAddr::new(of.ip(), 0), Some(client));
        Ok(Client { address, socket, own, local, beside, target, paths, last: Instant::now(), told: false })
    }

    /// What a client sends beside its stream; what others send there is dropped.
    fn hear_beside(
        &mut self,
        slot: usize,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut more = true;
        for _ in 0..BUDGET {
            let Some(Some((_, Entry::Udp(client)))) = self.slots.get_mut(slot) else { break };
            let Some(socket) = &client.beside else { break };
            match socket.recv_from(&mut buffer) {
                Ok((_, from)) if from.ip() != client.address.ip() => {}
                Ok((length, from)) => {
                    client.address = from;
                    self.pass(slot, Way::Up, buffer.get(..length).unwrap_or_default(), watch, out)?;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    more = false;
                    break;
                }
                Err(_) => {}
            }
        }
        self.buffer = buffer;
        if more {
            self.again.insert(Token(FIRST + 2 * slot + 1));
        }
        Ok(())
    }

    fn socket(&self, slot: usize) -> io::Result<(UdpSocket, SocketAddr)> {
        let any: IpAddr = match self.config.target {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let mut socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
        socket.connect(self.config.target)?;
        register(self.poll.registry(), &mut socket, Token(FIRST + 2 * slot))?;
        let own = socket.local_addr()?;
        Ok((socket, own))
    }

    fn hear_server(
        &mut self,
        slot: usize,
        watch: &mut Option<&mut Watch<'_, '_>>,
        out: &mut dyn Output,
    ) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut more = true;
        for _ in 0..BUDGET {
            let Some(Some((_, Entry::Udp(client)))) = self.slots.get_mut(slot) else { break };
            match client.socket.recv(&mut buffer) {
                Ok(length) => self.pass(slot, Way::Down, buffer.get(..length).unwrap_or_default(), watch, out)?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    more = false;
                    break;
                }
                Err(error) => self.refused(slot, &error, out),
            }
        }
        self.buffer = buffer;
        if more {
            self.again.insert(Token(FIRST + 2 * slot));
        }
        Ok(())
    }

    fn refused(&mut self, slot: usize, error: &io::Error, out: &mut dyn Output) {
        let Some(Some((_, Entry::Udp(client)))) = self.slots.get_mut(slot) else { return };
        self.counts.refused += 1;
        if !std::mem::replace(&mut client.told, true) {
            let what = match error.kind() {
                ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset => "the server's port is closed".into(),
                _ => error.to_string(),
            };
            out.note(format!("{}: {what}", client.address));
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
    ) -> io::Result<()> {
        let (now, time) = (Instant::now(), time_of_day());
        let Some(Some((number, Entry::Udp(client)))) = self.slots.get_mut(slot) else { return Ok(()) };
        client.last = now;
        let number = *number;
        let (ends, own) = ([client.address, client.target], [client.local, client.own]);
        let impairments = &self.config.impairments[way.index()];
        let counts = &mut self.counts.ways[way.index()];
        counts.came += 1;
        counts.bytes += came.len() as u64;
        let (verdict, seen) = match watch {
            Some(watch) => watch.datagram(ends, way, came, time),
            None => Default::default(),
        };
        counts.edited += u64::from(seen.iter().any(|s| s.edited.as_ref().is_some_and(|e| e.not.is_none())));
        let goes = verdict.bytes.as_deref().unwrap_or(came);
        let mut passed = Passed {
            ends,
            own,
            way,
            datagram: true,
            came,
            goes,
            time,
            delayed: Duration::ZERO,
            lost: None,
            copies: 0,
            behind: false,
            frame: watch.as_ref().map_or(0, |watch| watch.frame()),
            seen,
        };
        if verdict.dropped {
            counts.dropped += 1;
            passed.lost = Some("dropped");
            return out.passed(passed);
        }
        let fate = client.paths[way.index()].datagram(impairments, goes.len(), now);
        if let Some(why) = fate.lost {
            match why {
                Lost::Chance => counts.lost += 1,
                Lost::QueueFull => counts.full += 1,
            }
            passed.lost = Some(if why == Lost::Chance { "lost" } else { "queue_full" });
            return out.passed(passed);
        }
        let due = fate.due + verdict.delay;
        passed.copies = verdict.copies + u32::from(fate.twice);
        passed.delayed = due.saturating_duration_since(now);
        passed.behind = fate.behind;
        counts.copies += u64::from(passed.copies);
        counts.behind += u64::from(fate.behind);
        let times = 1 + passed.copies;
        if due <= now && !fate.behind && self.queue.is_empty() {
            for _ in 0..times {
                self.send(slot, way, goes, out);
            }
            return out.passed(passed);
        }
        let path = number * 2 + way.index() as u64;
        for k in 0..times {
            let waiting = Waiting { slot, number, way, bytes: goes.to_vec() };
            // What a packet takes beside its bytes counts as well.
            let weight = goes.len() + size_of::<Waiting>() + 64;
            if self.queue.push(path, due, fate.behind && k == 0, weight, waiting).is_err() {
                self.counts.ways[way.index()].full += 1;
                if k == 0 {
                    passed.lost = Some("queue_full");
                }
            }
        }
        out.passed(passed)
    }

    /// A datagram goes.
    fn send(&mut self, slot: usize, way: Way, bytes: &[u8], out: &mut dyn Output) {
        let Some(Some((_, Entry::Udp(client)))) = self.slots.get_mut(slot) else { return };
        let sent = match (way, client.beside.as_ref().or(self.udp.as_ref())) {
            (Way::Up, _) => client.socket.send(bytes),
            (Way::Down, Some(_)) if client.address.port() == 0 => return,
            (Way::Down, Some(socket)) => socket.send_to(bytes, client.address),
            (Way::Down, None) => return,
        };
        let counts = &mut self.counts.ways[way.index()];
        match sent {
            Ok(_) => counts.passed += 1,
            Err(error) => {
                counts.unsent += 1;
                if way == Way::Up && error.kind() != ErrorKind::WouldBlock {
                    self.refused(slot, &error, out);
                }
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

fn register(registry: &Registry, socket: &mut UdpSocket, token: Token) -> io::Result<()> {
    registry.register(socket, token, Interest::READABLE)
}
