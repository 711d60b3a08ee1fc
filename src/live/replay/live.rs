//! The peer behind real sockets.

use super::engine::Peer;
use crate::dissect::{Options, Session};
use crate::flow::Transport;
use crate::live::net::{Link, Open, Stop, Trouble};
use crate::live::{Channel, OwnedMessage};
use std::collections::VecDeque;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::time::{Duration, Instant};

/// How often two sockets are looked at in turn.
const TURN: Duration = Duration::from_millis(2);

/// A peer: the conversation's socket, and perhaps one for datagrams beside it.
pub struct Live<'a> {
    open: Open<'a>,
    options: Options,
    main: Link<'a>,
    /// We have called, and can call again.
    caller: bool,
    websocket: bool,
    /// Bound, and not connected yet.
    socket: Option<UdpSocket>,
    session: Option<Box<dyn Session>>,
    beside: Option<Link<'a>>,
    inbox: VecDeque<OwnedMessage>,
    /// The datagram that is being put together.
    bundle: Vec<u8>,
}

impl<'a> Live<'a> {
    /// Goes to the peer.
    ///
    /// # Errors
    /// Why it is not reached.
    pub fn to(open: Open<'a>, options: &Options, websocket: bool) -> Result<Live<'a>, Trouble> {
        let main = Link::open(&open, options)?;
        Ok(Live { caller: true, ..Live::of(open, options, main, websocket) })
    }

    fn of(open: Open<'a>, options: &Options, mut main: Link<'a>, websocket: bool) -> Live<'a> {
        if websocket {
            // The heads before are no messages, and go as they are.
            main.upgraded();
        }
        Live {
            open,
            options: options.clone(),
            main,
            caller: false,
            websocket,
            socket: None,
            session: None,
            beside: None,
            inbox: VecDeque::new(),
            bundle: Vec::new(),
        }
    }

    /// The session for datagrams beside the stream, as soon as the stream has told.
    fn look_beside(&mut self) {
        if let Some((_, session)) = self.main.expects() {
            self.session = Some(session);
        }
    }
}

/// A port on which a peer is waited for.
pub enum Waiting {
    /// For its first datagram.
    Udp(UdpSocket),
    /// For its connection.
    Tcp(TcpListener),
}

impl Waiting {
    /// Listens.
    ///
    /// # Errors
    /// Those of the socket: the port is taken, or not ours.
    pub fn on(at: SocketAddr, transport: Transport) -> std::io::Result<Waiting> {
        match transport {
            Transport::Udp => Ok(Waiting::Udp(UdpSocket::bind(at)?)),
            Transport::Tcp => Ok(Waiting::Tcp(TcpListener::bind(at)?)),
        }
    }

    /// Where.
    ///
    /// # Errors
    /// Those of the socket.
    pub fn local(&self) -> std::io::Result<SocketAddr> {
        match self {
            Waiting::Udp(socket) => socket.local_addr(),
            Waiting::Tcp(listener) => listener.local_addr(),
        }
    }

    /// Waits for a peer. `open`'s own peer does not matter.
    ///
    /// # Errors
    /// Those of the sockets; that the user stopped waiting; [`Trouble::NoAnswer`] after `until`.
    pub fn peer<'a>(
        &self,
        mut open: Open<'a>,
        options: &Options,
        websocket: bool,
        stop: &Stop,
        until: Option<Instant>,
    ) -> Result<Live<'a>, Trouble> {
        let mut buffer = vec![0; 1 << 16];
        loop {
            if stop.is_set() {
                return Err(Trouble::Interrupted);
            }
            if until.is_some_and(|until| Instant::now() >= until) {
                return Err(Trouble::NoAnswer);
            }
            let again = |error: &std::io::Error| {
                matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut | std::io::ErrorKind::Interrupted
                )
            };
            match self {
                Waiting::Udp(socket) => {
                    socket.set_read_timeout(Some(crate::live::net::stop::SLICE)).map_err(Trouble::of_datagram)?;
                    match socket.recv_from(&mut buffer) {
                        // Nobody begins with an empty datagram.
                        Ok((0, _)) => {}
                        Ok((length, peer)) => {
                            open.peer = peer;
                            let socket = socket.try_clone().map_err(Trouble::of_datagram)?;
                            let first = buffer.get(..length);
                            let main = Link::answer(&open, options, socket, first)?;
                            return Ok(Live::of(open, options, main, websocket));
                        }
                        Err(error) if again(&error) => {}
                        // ICMP's answer to what was said to the peer before.
                        Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {}
                        Err(error) => return Err(Trouble::of_datagram(error)),
                    }
                }
                Waiting::Tcp(listener) => {
                    listener.set_nonblocking(true).map_err(Trouble::of)?;
                    match listener.accept() {
                        Ok((stream, peer)) => {
                            stream.set_nonblocking(false).map_err(Trouble::of)?;
                            open.peer = peer;
                            let main = Link::accepted(&open, options, stream)?;
                            return Ok(Live::of(open, options, main, websocket));
                        }
                        Err(error) if again(&error) => std::thread::sleep(Duration::from_millis(5)),
                        Err(error) => return Err(Trouble::of(error)),
                    }
                }
            }
        }
    }
}

impl Peer for Live<'_> {
    fn say(&mut self, said: &OwnedMessage, dangerous: bool) -> Result<(), Trouble> {
        let link = match said.channel {
            Channel::Main => &mut self.main,
            Channel::Beside => match &mut self.beside {
                Some(link) => link,
                None => return Err(Trouble::Encode("the peer has no port for datagrams".into())),
            },
        };
        let mut bytes = link.write_line(&said.line(1))?;
        if said.more || !self.bundle.is_empty() {
            self.bundle.append(&mut bytes);
            if said.more {
                return Ok(());
            }
            bytes = std::mem::take(&mut self.bundle);
        }
        match dangerous {
            true => link.send_dangerous(&bytes)?,
            false => link.send(&bytes)?,
        };
        self.look_beside();
        Ok(())
    }

    fn hear(&mut self, wait: Duration) -> Result<Option<OwnedMessage>, Trouble> {
        let until = Instant::now() + wait;
        loop {
            if let Some(said) = self.inbox.pop_front() {
                return Ok(Some(said));
            }
            if let Some(link) = &mut self.beside
                && let Some(heard) = link.poll()?
            {
                return Ok(Some(OwnedMessage { channel: Channel::Beside, ..heard }));
            }
            let turn = if self.beside.is_some() { until.min(Instant::now() + TURN) } else { until };
            if let Some(heard) = self.main.hear(turn)? {
                self.look_beside();
                return Ok(Some(heard));
            }
            if Instant::now() >= until {
                return Ok(None);
            }
        }
    }

    fn reconnect(&mut self) -> Result<(), Trouble> {
        if !self.caller {
            return Err(Trouble::Encode("who was called cannot connect again".into()));
        }
        self.main.finish();
        // The numbers of this connection, and of the datagrams beside it.
        self.open.flow += 2;
        let main = Link::open(&self.open, &self.options)?;
        let socket = self.socket.take();
        *self = Live { caller: true, socket, ..Live::of(self.open.clone(), &self.options, main, self.websocket) };
        Ok(())
    }

    fn open_beside(&mut self) -> Result<u16, Trouble> {
        let socket = UdpSocket::bind(SocketAddr::new(self.main.local().ip(), 0)).map_err(Trouble::of_datagram)?;
        let port = socket.local_addr().map_err(Trouble::of_datagram)?.port();
        self.socket = Some(socket);
        Ok(port)
    }

    fn connect_beside(&mut self, port: u16) -> Result<(), Trouble> {
        self.look_beside();
        let (Some(socket), Some(session)) = (self.socket.take(), self.session.take()) else { return Ok(()) };
        let peer = SocketAddr::new(self.main.peer().ip(), port);
        socket.connect(peer).map_err(Trouble::of_datagram)?;
        let open = Open { peer, transport: Transport::Udp, flow: self.open.flow + 1, ..self.open.clone() };
        self.beside = Some(Link::beside(&open, &self.options, socket, session)?);
        Ok(())
    }

    fn leave(&mut self) {
        self.main.leave();
        self.beside.iter_mut().for_each(Link::leave);
    }

    fn finish(&mut self) {
        self.main.finish();
    }
}
