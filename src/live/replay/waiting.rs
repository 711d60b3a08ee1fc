//! Waits for a peer that sends the recorded opening, and plays it. All others are reported, and do not end the wait.

use super::opening::{Opening, Seen};
use super::sockets::Sockets;
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::error::waited;
use crate::live::exchange::Exchange;
use crate::live::net::cancel::SLICE;
use crate::live::net::socket::Other;
use crate::live::net::{Open, Wire};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::time::{Duration, Instant};

/// The interval between two checks of the connections.
const TURN: Duration = Duration::from_millis(5);
/// The number of connections that may wait with their first message. The oldest makes room for a new one.
const CALLERS: usize = 16;
/// The most bytes of a connection that are read at once.
const CHUNK: usize = 1 << 14;
/// Larger than any opening. A peer that has sent more without a whole message is a stranger.
const LARGEST: usize = 1 << 18;
/// The number of visitors that are listed.
const LISTED: usize = 20;
/// Larger than any datagram.
const DATAGRAM: usize = 1 << 16;

/// The time in which the sender of a datagram still waits for an answer. Later it sends the datagram again.
const RECENT: Duration = Duration::from_secs(1);

/// A port that waits for a peer.
pub enum Waiting {
    /// For its datagrams.
    Udp(UdpSocket),
    /// For its connection.
    Tcp(TcpListener),
}

impl Waiting {
    /// Listens on an address.
    ///
    /// # Errors
    /// Returns the socket's error: the port is taken, or not ours.
    pub fn on(at: SocketAddr, transport: Transport) -> std::io::Result<Waiting> {
        match transport {
            Transport::Udp => Ok(Waiting::Udp(UdpSocket::bind(at)?)),
            Transport::Tcp => Ok(Waiting::Tcp(TcpListener::bind(at)?)),
        }
    }

    /// Returns the local address.
    ///
    /// # Errors
    /// Returns the socket's error.
    pub fn local(&self) -> std::io::Result<SocketAddr> {
        match self {
            Waiting::Udp(socket) => socket.local_addr(),
            Waiting::Tcp(listener) => listener.local_addr(),
        }
    }
}

/// The visitors that were not played to the end. Each has a remark, and the number of times that it was made.
#[derive(Debug, Default)]
pub struct Visitors {
    list: Vec<(String, u64)>,
    /// The number of those that are not listed.
    more: u64,
    /// The time when the last of them arrived, or left.
    pub last: Option<Instant>,
    /// The reason why the last one was not played.
    pub why: Option<String>,
}

impl Visitors {
    /// Adds a visitor that is not played.
    fn stranger(&mut self, peer: SocketAddr, why: String) {
        self.note(format!("{peer} was not accepted: {why}"));
        self.why = Some(why);
    }

    fn note(&mut self, text: String) {
        self.last = Some(Instant::now());
        if let Some((_, times)) = self.list.iter_mut().find(|(known, _)| *known == text) {
            *times += 1;
        } else if self.list.len() < LISTED {
            self.list.push((text, 1));
        } else {
            self.more += 1;
        }
    }

    /// Returns the remarks about them.
    pub fn remarks(self) -> impl Iterator<Item = String> {
        let times = |(text, times): (String, u64)| if times > 1 { format!("{text} ({times} times)") } else { text };
        let more = (self.more > 0).then(|| format!("further peers that were not accepted: {}", self.more));
        self.list.into_iter().map(times).chain(more)
    }
}

/// A connection that has not sent a whole message yet.
struct Caller<'a> {
    stream: TcpStream,
    peer: SocketAddr,
    bytes: Vec<u8>,
    exchange: Exchange<'a>,
}

/// A port, the opening that is waited for, and the other visitors.
pub struct Acceptor<'w, 'a> {
    waiting: &'w Waiting,
    opening: Opening<'w>,
    callers: Vec<Caller<'a>>,
    /// The visitors that were not played to the end.
    pub visitors: Visitors,
    /// The peer that was played last and has left. Its goodbye may still be repeated.
    left: Option<SocketAddr>,
    /// Datagrams of others that arrived before that peer had left.
    early: VecDeque<Other>,
}

impl<'w, 'a> Acceptor<'w, 'a> {
    /// Creates an acceptor without visitors.
    pub fn new(waiting: &'w Waiting, opening: Opening<'w>) -> Acceptor<'w, 'a> {
        Acceptor {
            waiting,
            opening,
            callers: Vec::new(),
            visitors: Visitors::default(),
            left: None,
            early: VecDeque::new(),
        }
    }

    /// Returns the name of the opening.
    pub fn name(&self) -> String {
        self.opening.name()
    }

    /// Notes that the played peer has left, without more of the recording than its opening. `early`: the last
    /// datagrams that others have sent meanwhile.
    pub fn left(&mut self, peer: SocketAddr, mut early: VecDeque<Other>, why: &str) {
        early.retain(|early| early.time.elapsed() < RECENT);
        (self.left, self.early) = (Some(peer), early);
        let left = "left after sending only the recording's opening";
        self.visitors.note(format!("{peer} {left} ({why}): waiting for another peer"));
    }

    /// Waits for a peer that sends the recorded opening. The peer in `open` does not matter.
    ///
    /// # Errors
    /// Returns the errors of the sockets, the user's request to stop, or [`NetError::NoAnswer`] if nobody has arrived for
    /// `patience` after the last visitor, or until `until`.
    pub fn next(
        &mut self,
        open: &Open<'a>,
        patience: Duration,
        until: Option<Instant>,
    ) -> Result<(Sockets<'a>, SocketAddr), NetError> {
        let mut buffer = Vec::new();
        loop {
            open.stop.check()?;
            let late = self.visitors.last.and_then(|last| last.checked_add(patience));
            if late.into_iter().chain(until).any(|at| Instant::now() >= at) {
                return Err(NetError::NoAnswer);
            }
            let received = match self.waiting {
                Waiting::Udp(socket) => self.datagram(socket, open, &mut buffer)?,
                Waiting::Tcp(listener) => self.connections(listener, open, &mut buffer)?,
            };
            if let Some(received) = received {
                return Ok(received);
            }
        }
    }

    /// Waits a moment for a datagram.
    fn datagram(
        &mut self,
        socket: &UdpSocket,
        open: &Open<'a>,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<(Sockets<'a>, SocketAddr)>, NetError> {
        socket.set_nonblocking(false).map_err(NetError::of_datagram)?;
        socket.set_read_timeout(Some(SLICE)).map_err(NetError::of_datagram)?;
        buffer.resize(DATAGRAM, 0);
        let received = match self.early.pop_front() {
            Some(Other { from, bytes, .. }) => {
                buffer.iter_mut().zip(&bytes).for_each(|(to, byte)| *to = *byte);
                Ok((bytes.len(), from))
            }
            None => socket.recv_from(buffer),
        };
        let (length, peer) = match received {
            Ok(received) => received,
            Err(error) if waited(&error) => return Ok(None),
            // An ICMP response to data that was sent to an earlier peer.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset) => {
                return Ok(None);
            }
            Err(error) => return Err(NetError::of_datagram(error)),
        };
        let bytes = buffer.get(..length).unwrap_or_default();
        // No peer begins with an empty datagram.
        if bytes.is_empty() {
            return Ok(None);
        }
        let ends = [own_end(socket, peer)?, peer];
        if !self.opening.is_anybody() {
            let mut exchange = self.opening.exchange(open, ends);
            exchange.recv(bytes, Instant::now());
            let message = exchange.poll_message();
            if !message.as_ref().is_some_and(|message| self.opening.is(message)) {
                let leaves = message.is_some_and(|message| self.opening.is_goodbye(&message));
                if !leaves && self.left != Some(peer) {
                    self.visitors.stranger(peer, self.opening.other(exchange.setup(), bytes));
                }
                return Ok(None);
            }
        }
        let socket = socket.try_clone().map_err(NetError::of_datagram)?;
        let main = Wire::shared(socket, ends, open.recorder);
        Ok(Some((Sockets::from(Open { peer, ..open.clone() }, main, bytes.to_vec()), peer)))
    }

    /// Accepts a new connection, and checks all connections for a moment.
    fn connections(
        &mut self,
        listener: &TcpListener,
        open: &Open<'a>,
        buffer: &mut Vec<u8>,
    ) -> Result<Option<(Sockets<'a>, SocketAddr)>, NetError> {
        listener.set_nonblocking(true).map_err(NetError::of)?;
        match listener.accept() {
            Ok((stream, peer)) => {
                let Ok(own) = stream.local_addr() else { return Ok(None) };
                let exchange = self.opening.exchange(open, [own, peer]);
                let caller = Caller { stream, peer, bytes: Vec::new(), exchange };
                if self.opening.is_anybody() {
                    return admitted(caller, open).map(Some);
                }
                if self.callers.len() >= CALLERS {
                    let oldest = self.callers.remove(0);
                    self.visitors.stranger(oldest.peer, self.unread(&oldest));
                }
                caller.stream.set_nonblocking(true).map_err(NetError::of)?;
                self.visitors.last = Some(Instant::now());
                self.callers.push(caller);
            }
            // The peer gave up before its connection was accepted.
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
            Err(error) if waited(&error) => {}
            Err(error) => return Err(NetError::of(error)),
        }
        buffer.resize(CHUNK, 0);
        let (mut at, mut idle) = (0, true);
        while let Some(caller) = self.callers.get_mut(at) {
            let seen = match caller.stream.read(buffer) {
                Ok(0) => Seen::Gone,
                Ok(length) => {
                    idle = false;
                    self.visitors.last = Some(Instant::now());
                    let bytes = buffer.get(..length).unwrap_or_default();
                    caller.bytes.extend(bytes);
                    caller.exchange.recv(bytes, Instant::now());
                    match self.opening.seen(&mut caller.exchange, &caller.bytes) {
                        Seen::Nothing if caller.bytes.len() > LARGEST => {
                            Seen::Stranger(self.opening.other(caller.exchange.setup(), &caller.bytes))
                        }
                        seen => seen,
                    }
                }
                Err(error) if waited(&error) => Seen::Nothing,
                Err(_) => Seen::Gone,
            };
            match seen {
                Seen::Nothing => at += 1,
                Seen::Opening => return admitted(self.callers.remove(at), open).map(Some),
                Seen::Stranger(why) => {
                    let caller = self.callers.remove(at);
                    self.visitors.stranger(caller.peer, why);
                }
                Seen::Gone => {
                    let caller = self.callers.remove(at);
                    self.visitors.stranger(caller.peer, self.unread(&caller));
                }
            }
        }
        if idle {
            std::thread::sleep(TURN);
        }
        Ok(None)
    }

    /// Returns the remark about a connection without a whole message.
    fn unread(&self, caller: &Caller<'_>) -> String {
        match caller.bytes.is_empty() {
            true => "it has sent nothing".into(),
            false => self.opening.other(caller.exchange.setup(), &caller.bytes),
        }
    }

    /// Closes the connections that were not played, and reports them.
    pub fn close(&mut self) {
        for caller in std::mem::take(&mut self.callers) {
            self.visitors.stranger(caller.peer, self.unread(&caller));
        }
    }
}

/// Prepares a connection to be played.
fn admitted<'a>(caller: Caller<'a>, open: &Open<'a>) -> Result<(Sockets<'a>, SocketAddr), NetError> {
    let Caller { stream, peer, bytes, .. } = caller;
    stream.set_nonblocking(false).map_err(NetError::of)?;
    let main = Wire::stream(stream, peer, open.timeout, open.recorder, false, &open.stop)?;
    Ok((Sockets::from(Open { peer, ..open.clone() }, main, bytes), peer))
}

/// Returns our address in a conversation with a peer. If the socket is bound to any address, that is the one from which
/// the system sends to the peer.
fn own_end(socket: &UdpSocket, peer: SocketAddr) -> Result<SocketAddr, NetError> {
    let mut own = socket.local_addr().map_err(NetError::of_datagram)?;
    if own.ip().is_unspecified() {
        let there = UdpSocket::bind(SocketAddr::new(own.ip(), 0)).and_then(|socket| {
            socket.connect(peer)?;
            socket.local_addr()
        });
        own.set_ip(there.map_err(NetError::of_datagram)?.ip());
    }
    Ok(own)
}
