//! The slots of the relayed conversations: accepts and removes clients.

use super::passed::{Addresses, Topic};
use super::status::Status;
use super::stream::{self, Pair};
use super::{BUDGET, Relay, RelayOutput, TCP, token};
use crate::flow::Transport;
use crate::live::net::now as time_of_day;
use crate::live::net::own_port::datagram_socket;
use crate::live::proxy::path::Path;
use crate::live::proxy::{MessageCounts, Opened, Watch};
use crate::plural::Plural;
use mio::Interest;
use mio::net::UdpSocket;
use rustc_hash::FxHashSet;
use std::io::{self, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

/// The time between a failed accept (no free file descriptor) and the next try.
const PAUSE: Duration = Duration::from_millis(100);

/// The size of the requested system buffer for a server's datagrams to one client. The system may grant less.
const RECEIVE_BUFFER: usize = 1 << 20;

/// A UDP client.
pub(super) struct Client {
    pub address: SocketAddr,
    pub socket: UdpSocket,
    pub own: SocketAddr,
    /// The proxy's address that it sends to: a socket of its own, if its datagrams are beside a stream.
    pub local: SocketAddr,
    pub own_socket: Option<UdpSocket>,
    /// The client of the stream beside which its datagrams are.
    pub of: Option<SocketAddr>,
    pub target: SocketAddr,
    pub paths: [Path; 2],
    /// The highest number of a packet that was sent, for both directions.
    pub highest: [u64; 2],
    pub last: Instant,
    pub reported: bool,
}

/// Opens a file descriptor that is given up when no other is free.
pub(super) fn spare_file() -> Option<std::net::UdpSocket> {
    std::net::UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).ok()
}

impl Client {
    /// Returns the addresses of both legs.
    pub fn addresses(&self) -> Addresses {
        Addresses { ends: [self.address, self.target], own: [self.local, self.own] }
    }
}

pub(super) enum Entry {
    Udp(Box<Client>),
    Tcp(Box<Pair>),
}

/// All slots: each conversation's number and its sockets.
pub(super) type Slots = Vec<Option<(u64, Entry)>>;

/// Returns the client in a slot that sends datagrams, and its conversation's number.
pub(super) fn udp(slots: &mut Slots, slot: usize) -> Option<(u64, &mut Client)> {
    match slots.get_mut(slot) {
        Some(Some((number, Entry::Udp(client)))) => Some((*number, client)),
        _ => None,
    }
}

/// The number of clients that are remembered as turned away.
const TURNED_AWAY: usize = 1 << 16;

impl Relay {
    fn is_full(&self) -> bool {
        self.slots.len() - self.free.len() - self.attached >= self.config.clients
    }

    /// Counts a client that is turned away, and reports it once.
    fn turn_away(&mut self, address: SocketAddr, why: &str, out: &mut dyn RelayOutput) {
        if self.turned_away.len() >= TURNED_AWAY {
            self.turned_away.clear();
        }
        if self.turned_away.insert(address) {
            self.counts.turned_away += 1;
            out.note(Topic::TurnedAway, format!("{address}: turned away: {why}"));
        }
    }

    /// Returns the reason why no more clients fit.
    fn full(&self) -> String {
        format!("already {} connected (--most-clients)", Plural(self.config.clients, "client"))
    }

    /// Resets a connection for which no file descriptor is free, since it would otherwise wait in vain.
    fn reset_one(&mut self, error: &io::Error, out: &mut dyn RelayOutput) -> bool {
        let (Some(listener), Some(spare)) = (&self.tcp, self.spare.take()) else { return false };
        drop(spare);
        let accepted = listener.accept();
        if let Ok((stream, _)) = &accepted {
            stream::reset(stream);
        }
        let address = accepted.map(|(_, address)| address);
        self.spare = spare_file();
        match address {
            Ok(address) => self.turn_away(address, &error.to_string(), out),
            Err(_) => return false,
        }
        true
    }

    /// Returns a slot for a conversation, and its number.
    fn place(&mut self) -> (usize, u64) {
        self.number += 1;
        self.counts.clients += 1;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.slots.len() - 1
        });
        (slot, self.number)
    }

    fn take(&mut self, slot: usize, number: u64, entry: Entry) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = Some((number, entry));
        }
    }

    pub(super) fn remove(&mut self, slot: usize) {
        if let Some((_, mut entry)) = self.slots.get_mut(slot).and_then(Option::take) {
            match &mut entry {
                Entry::Udp(client) => {
                    match &mut client.own_socket {
                        Some(socket) => {
                            self.attached -= 1;
                            drop(self.poll.registry().deregister(socket));
                        }
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

    /// Removes the clients that were idle for too long, and the sockets beside streams that have ended.
    pub(super) fn sweep(&mut self, now: Instant, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn RelayOutput) {
        let stream = |entry: &(u64, Entry)| match entry {
            (_, Entry::Tcp(pair)) => Some(pair.ends()[0]),
            (_, Entry::Udp(_)) => None,
        };
        let streams: FxHashSet<SocketAddr> = self.slots.iter().flatten().filter_map(stream).collect();
        // The ports beside a stream are named once: they stay as long as the stream, and no longer.
        let gone = |client: &Client| match client.of {
            Some(of) => !streams.contains(&of),
            None => now.saturating_duration_since(client.last) > self.config.idle,
        };
        let idle: Vec<(usize, [SocketAddr; 2], bool)> = self
            .slots
            .iter()
            .enumerate()
            .filter_map(|(slot, entry)| match entry {
                Some((_, Entry::Udp(client))) if gone(client) => {
                    Some((slot, client.addresses().ends, client.of.is_some()))
                }
                _ => None,
            })
            .collect();
        for (slot, ends, is_attached) in idle {
            if let Some(watch) = watch {
                out.held(watch.forget(Transport::Udp, ends));
            }
            let address = ends[0];
            let idle = self.config.idle;
            if !is_attached {
                out.note(Topic::Idle, format!("{address}: silent for {idle:?}: its socket is closed (--idle)"));
            }
            self.remove(slot);
        }
    }

    /// Returns the number of datagrams, and of bytes of streams, that are still to be sent.
    pub fn waiting(&self) -> [usize; 2] {
        let status = self.status(Instant::now(), None);
        [status.queued, status.stream_bytes]
    }

    /// Returns the state at this moment.
    pub(super) fn status(&self, now: Instant, messages: Option<[MessageCounts; 2]>) -> Status {
        let mut status = Status {
            elapsed: now.saturating_duration_since(self.begun),
            queued: self.queue.len() + self.held.len(),
            queued_bytes: self.queue.bytes(),
            counts: self.counts,
            messages,
            rates: self.samples.rates(now, &self.counts),
            ..Status::default()
        };
        for (_, entry) in self.slots.iter().flatten() {
            match entry {
                // Datagrams beside a stream are no client of their own.
                Entry::Udp(client) => status.datagram_clients += usize::from(client.own_socket.is_none()),
                Entry::Tcp(pair) => {
                    status.streams += 1;
                    status.stream_bytes += pair.queued();
                }
            }
        }
        status
    }

    /// Accepts the waiting connections.
    pub(super) fn accept(&mut self, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn RelayOutput) {
        for _ in 0..BUDGET {
            let Some(listener) = &self.tcp else { return };
            let (stream, address) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if self.reset_one(&error, out) => continue,
                Err(error) => {
                    out.note(Topic::TurnedAway, format!("a connection could not be accepted: {error}"));
                    self.accept_at = Some(Instant::now() + PAUSE);
                    return;
                }
            };
            if self.is_full() {
                stream::reset(&stream);
                let why = self.full();
                self.turn_away(address, &why, out);
                continue;
            }
            let (slot, number) = self.place();
            let tokens = [token(slot, 0), token(slot, 1)];
            match Pair::new(stream, address, &self.config, self.begun, number, self.poll.registry(), tokens) {
                Ok(pair) => {
                    if let Some(watch) = watch {
                        watch.opened(pair.ends(), time_of_day());
                    }
                    self.take(slot, number, Entry::Tcp(Box::new(pair)));
                    self.again.extend(tokens);
                }
                Err(error) => {
                    out.note(Topic::Server, format!("{address}: the server cannot be reached: {error}"));
                    self.counts.reset += 1;
                    self.free.push(slot);
                }
            }
        }
        self.again.insert(TCP);
    }

    /// Returns the slot of a client that sends datagrams, which may be new.
    pub(super) fn client(&mut self, address: SocketAddr, out: &mut dyn RelayOutput) -> Option<usize> {
        if let Some(slot) = self.clients.get(&address) {
            return Some(*slot);
        }
        if self.is_full() {
            let why = self.full();
            self.turn_away(address, &why, out);
            return None;
        }
        let (slot, number) = self.place();
        match self.to_the_server(slot) {
            Ok((socket, own)) => {
                let (local, target) = (self.local, self.config.target);
                let client = self.new_client([address, target], [local, own], socket, None, number);
                self.take(slot, number, Entry::Udp(Box::new(client)));
                self.clients.insert(address, slot);
                Some(slot)
            }
            Err(error) => {
                self.free.push(slot);
                self.counts.clients -= 1;
                self.turn_away(address, &format!("no socket to the server: {error}"), out);
                None
            }
        }
    }

    /// Relays datagrams beside a stream through these sockets.
    pub(super) fn open_for_datagrams(&mut self, opened: Opened, out: &mut dyn RelayOutput) {
        let (slot, number) = self.place();
        // It is not a client of its own.
        self.counts.clients -= 1;
        match self.datagram_client(opened, slot, number) {
            Ok(client) => {
                self.attached += 1;
                self.take(slot, number, Entry::Udp(Box::new(client)));
            }
            Err(error) => {
                out.note(Topic::TurnedAway, format!("no socket for a stream's datagrams: {error}"));
                self.free.push(slot);
            }
        }
    }

    fn datagram_client(&self, opened: Opened, slot: usize, number: u64) -> io::Result<Client> {
        let Opened { client, server, target, of } = opened;
        let (local, own) = (client.local_addr()?, server.local_addr()?);
        for socket in [&client, &server] {
            socket.set_nonblocking(true)?;
        }
        let [mut client, mut socket] = [client, server].map(UdpSocket::from_std);
        for (which, socket) in [&mut socket, &mut client].into_iter().enumerate() {
            self.poll.registry().register(socket, token(slot, which), Interest::READABLE)?;
        }
        // Its port becomes known with its first datagram.
        let address = SocketAddr::new(of.ip(), 0);
        Ok(self.new_client([address, target], [local, own], socket, Some((client, of)), number))
    }

    fn to_the_server(&self, slot: usize) -> io::Result<(UdpSocket, SocketAddr)> {
        let socket = datagram_socket(self.config.target)?;
        socket.set_nonblocking(true)?;
        let mut socket = UdpSocket::from_std(socket);
        let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(RECEIVE_BUFFER);
        self.poll.registry().register(&mut socket, token(slot, 0), Interest::READABLE)?;
        let own = socket.local_addr()?;
        Ok((socket, own))
    }

    fn new_client(
        &self,
        [address, target]: [SocketAddr; 2],
        [local, own]: [SocketAddr; 2],
        socket: UdpSocket,
        attached: Option<(UdpSocket, SocketAddr)>,
        number: u64,
    ) -> Client {
        let paths =
            [0, 1].map(|direction| Path::new(self.config.seed, number, direction).towards(target.ip(), self.begun));
        let (highest, last) = ([0; 2], Instant::now());
        let (own_socket, of) = attached.unzip();
        Client { address, socket, own, local, own_socket, of, target, paths, highest, last, reported: false }
    }
}
