//! The conversations that are relayed, each in a place of its own: who comes, and who goes.

use super::stream::{self, Pair};
use super::{BUDGET, Output, Relay, TCP, token};
use crate::live::net::now as time_of_day;
use crate::live::proxy::path::Path;
use crate::live::proxy::{Opened, Watch};
use mio::Interest;
use mio::net::UdpSocket;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

/// After a failed accept (no more files), the next try.
const PAUSE: Duration = Duration::from_millis(100);

/// What the system is asked to hold of a server's datagrams to one client: not more than it allows.
const RECEIVE_BUFFER: usize = 1 << 20;

/// A UDP client.
pub(super) struct Client {
    pub address: SocketAddr,
    pub socket: UdpSocket,
    pub own: SocketAddr,
    /// Where it sends: its own socket, if its datagrams are beside a stream.
    pub local: SocketAddr,
    pub beside: Option<UdpSocket>,
    pub target: SocketAddr,
    pub paths: [Path; 2],
    pub last: Instant,
    pub told: bool,
}

pub(super) enum Entry {
    Udp(Box<Client>),
    Tcp(Box<Pair>),
}

/// All of them: the number of each, and its sockets.
pub(super) type Slots = Vec<Option<(u64, Entry)>>;

/// The client in a place that sends datagrams, and its conversation's number.
pub(super) fn udp(slots: &mut Slots, slot: usize) -> Option<(u64, &mut Client)> {
    match slots.get_mut(slot) {
        Some(Some((number, Entry::Udp(client)))) => Some((*number, client)),
        _ => None,
    }
}

impl Relay {
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

    fn take(&mut self, slot: usize, number: u64, entry: Entry) {
        if let Some(place) = self.slots.get_mut(slot) {
            *place = Some((number, entry));
        }
    }

    pub(super) fn remove(&mut self, slot: usize) {
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

    /// Removes those that have been silent for too long.
    pub(super) fn sweep(&mut self, now: Instant) {
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

    /// Takes the connections that wait.
    pub(super) fn accept(&mut self, watch: &mut Option<&mut Watch<'_, '_>>, out: &mut dyn Output) {
        for _ in 0..BUDGET {
            let Some(listener) = &self.tcp else { return };
            let (stream, address) = match listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => {
                    out.note(format!("a connection could not be taken: {error}"));
                    self.accept_at = Some(Instant::now() + PAUSE);
                    return;
                }
            };
            if self.is_full() {
                stream::reset(&stream);
                continue;
            }
            let (slot, number) = self.place();
            let tokens = [token(slot, 0), token(slot, 1)];
            match Pair::new(stream, address, &self.config, number, self.poll.registry(), tokens) {
                Ok(pair) => {
                    if let Some(watch) = watch {
                        watch.opened(pair.ends(), time_of_day());
                    }
                    self.take(slot, number, Entry::Tcp(Box::new(pair)));
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
    }

    /// The slot of a client that sends datagrams, which may be new.
    pub(super) fn client(&mut self, address: SocketAddr, out: &mut dyn Output) -> Option<usize> {
        if let Some(slot) = self.clients.get(&address) {
            return Some(*slot);
        }
        if self.is_full() {
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
                out.note(format!("{address}: no socket to the server: {error}"));
                self.free.push(slot);
                self.counts.turned_away += 1;
                None
            }
        }
    }

    /// Datagrams beside a stream pass through these sockets.
    pub(super) fn open_beside(&mut self, opened: Opened, out: &mut dyn Output) {
        let (slot, number) = self.place();
        // It is no client of its own.
        self.counts.clients -= 1;
        match self.beside(opened, slot, number) {
            Ok(client) => self.take(slot, number, Entry::Udp(Box::new(client))),
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
        for (which, socket) in [&mut socket, &mut client].into_iter().enumerate() {
            self.poll.registry().register(socket, token(slot, which), Interest::READABLE)?;
        }
        // Its port is known when it has sent something.
        let address = SocketAddr::new(of.ip(), 0);
        Ok(self.new_client([address, target], [local, own], socket, Some(client), number))
    }

    fn to_the_server(&self, slot: usize) -> io::Result<(UdpSocket, SocketAddr)> {
        let any: IpAddr = match self.config.target {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let mut socket = UdpSocket::bind(SocketAddr::new(any, 0))?;
        socket.connect(self.config.target)?;
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
        beside: Option<UdpSocket>,
        number: u64,
    ) -> Client {
        let paths = [0, 1].map(|way| Path::new(self.config.seed, number, way));
        Client { address, socket, own, local, beside, target, paths, last: Instant::now(), told: false }
    }
}
