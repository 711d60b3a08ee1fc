//! Connects a player to real sockets and the clock.

use super::player::{Action, Player, Progress};
use crate::live::NetError;
use crate::live::net::socket::Other;
use crate::live::net::wire::Arrived;
use crate::live::net::{CancelToken, Open, Wire};
use crate::live::pace::Pacer;
use crate::message::Channel;
use std::collections::VecDeque;
use std::net::{SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

/// The turn of each of two sockets.
const TURN: Duration = Duration::from_millis(2);
/// The longest wait without checking the request to stop.
const LOOK: Duration = Duration::from_millis(10);
/// The number of reads before the clock is checked.
const READS: usize = 64;

/// A peer's sockets: the conversation's, and perhaps one for datagrams beside it.
pub(crate) struct Sockets<'a> {
    open: Open<'a>,
    main: Wire<'a>,
    /// Whether we have opened the connection, and can open another.
    pub caller: bool,
    /// A socket that is bound, and not connected yet.
    socket: Option<UdpSocket>,
    datagrams: Option<Wire<'a>>,
    /// Whether the last bytes arrived beside the stream, so that it is the stream's turn.
    turned: bool,
    /// Bytes that arrived before the session was played.
    first: Option<Vec<u8>>,
    /// The error after which nothing more arrives beside the stream. It is reported after the stream's data, which may
    /// be the peer's goodbye.
    deferred: Option<NetError>,
}

impl<'a> Sockets<'a> {
    /// Connects to the peer.
    ///
    /// # Errors
    /// Returns the reason why it is not reached.
    pub fn to(open: Open<'a>) -> Result<Sockets<'a>, NetError> {
        let main = open.connect()?;
        Ok(Sockets::of(open, main, true))
    }

    /// Takes a peer that has connected to us, with the bytes that it has sent.
    pub(super) fn from(open: Open<'a>, mut main: Wire<'a>, bytes: Vec<u8>) -> Sockets<'a> {
        let first = Some(bytes).filter(|bytes| !bytes.is_empty());
        if let Some(bytes) = &first {
            main.received(bytes);
        }
        Sockets { first, ..Sockets::of(open, main, false) }
    }

    fn of(open: Open<'a>, main: Wire<'a>, caller: bool) -> Sockets<'a> {
        Sockets { open, main, caller, socket: None, datagrams: None, turned: false, first: None, deferred: None }
    }

    /// Returns the parameters with which the conversation was opened.
    pub fn opened(&self) -> &Open<'a> {
        &self.open
    }

    /// Heeds this request to stop from now on, also while something is written.
    pub(super) fn heed(&mut self, stop: &CancelToken) {
        self.main.heed(stop);
        self.open.stop = stop.clone();
    }

    /// Our address and the peer's.
    pub fn ends(&self) -> [SocketAddr; 2] {
        self.main.ends()
    }

    /// Takes the last datagrams that others sent to the conversation's socket.
    pub(super) fn others(&mut self) -> VecDeque<Other> {
        self.main.others()
    }

    /// Opens a socket for datagrams beside the stream. Returns its port.
    ///
    /// # Errors
    /// Returns the socket's error.
    pub fn open_datagrams(&mut self) -> Result<u16, NetError> {
        let socket = UdpSocket::bind(SocketAddr::new(self.ends()[0].ip(), 0)).map_err(NetError::of_datagram)?;
        let port = socket.local_addr().map_err(NetError::of_datagram)?.port();
        self.socket = Some(socket);
        Ok(port)
    }

    fn perform(&mut self, action: Action, player: &mut Player<'_, '_>) -> Result<(), NetError> {
        match action {
            Action::Send(Channel::Main, bytes) => self.main.send(&bytes)?,
            Action::Send(Channel::Datagrams, bytes) => {
                self.datagrams.as_mut().map_or(Ok(()), |wire| wire.send(&bytes))?
            }
            Action::Finish => self.main.finish(),
            Action::Reconnect => {
                self.main.finish();
                let Open { transport, peer, timeout, recorder, ref stop, .. } = self.open;
                self.main = Wire::connect(transport, peer, timeout, recorder, stop)?;
                (self.datagrams, self.deferred) = (None, None);
                player.connected(self.main.ends(), Instant::now());
            }
            Action::ConnectDatagrams(port) => {
                if let Some(socket) = self.socket.take() {
                    let peer = SocketAddr::new(self.open.peer.ip(), port);
                    self.datagrams = Some(Wire::datagrams(socket, peer, self.open.recorder)?);
                }
            }
        }
        Ok(())
    }

    /// Waits for the next bytes on either socket, and passes them to the player. Returns false if none arrived.
    fn listen(&mut self, player: &mut Player<'_, '_>, until: Instant) -> Result<bool, NetError> {
        loop {
            if let Some(bytes) = self.first.take() {
                player.recv(Channel::Main, &bytes, Instant::now());
                return Ok(true);
            }
            let turned = std::mem::take(&mut self.turned);
            if !turned && datagram(&mut self.datagrams, &mut self.deferred, player) {
                self.turned = true;
                return Ok(true);
            }
            let left = until.saturating_duration_since(Instant::now());
            let wait = match self.datagrams {
                Some(_) if turned || self.deferred.is_some() => Duration::ZERO,
                Some(_) => left.min(TURN),
                None => left,
            };
            let arrived = self.main.recv(wait)?;
            // Datagrams that the peer sent before its goodbye on the stream are there by now. Some may be later than these
            // bytes: protocols with both do not depend on this order.
            if !matches!(arrived, Arrived::Nothing) {
                let most = if matches!(arrived, Arrived::End(_)) { READS * READS } else { READS };
                (0..most).take_while(|_| datagram(&mut self.datagrams, &mut self.deferred, player)).count();
            }
            match arrived {
                Arrived::Bytes(bytes, at) => player.recv(Channel::Main, bytes, at),
                Arrived::End(reset) => player.closed(reset, Instant::now()),
                Arrived::Nothing if self.deferred.is_some() => return self.deferred.take().map_or(Ok(false), Err),
                Arrived::Nothing if !turned && Instant::now() >= until => return Ok(false),
                Arrived::Nothing => continue,
            }
            return Ok(true);
        }
    }
}

/// Passes a datagram beside the stream that is already there to the player. Returns false if there is none.
fn datagram(datagrams: &mut Option<Wire<'_>>, deferred: &mut Option<NetError>, player: &mut Player<'_, '_>) -> bool {
    let Some(wire) = datagrams.as_mut().filter(|_| deferred.is_none()) else { return false };
    match wire.recv(Duration::ZERO) {
        Ok(Arrived::Bytes(bytes, at)) => player.recv(Channel::Datagrams, bytes, at),
        Ok(_) => return false,
        Err(error) => *deferred = Some(error),
    }
    deferred.is_none()
}

/// Plays a session to its end, or until a stop is requested: then the peer is left.
pub(crate) fn play(
    player: &mut Player<'_, '_>,
    sockets: &mut Sockets<'_>,
    stop: &CancelToken,
    progress: &mut dyn FnMut(&Progress),
) {
    let mut stopped = false;
    let (mut pacer, mut answered) = (Pacer::default(), 0);
    loop {
        player.handle_timeout(Instant::now());
        act(player, sockets);
        progress(&player.progress());
        if let Err(why) = stop.check()
            && !std::mem::replace(&mut stopped, true)
        {
            player.stop(why, Instant::now());
            act(player, sockets);
        }
        if player.is_done() {
            return;
        }
        let now = Instant::now();
        pacer.answered(player.answered() - std::mem::replace(&mut answered, player.answered()), now);
        let hold = pacer.hold(now);
        if !hold.is_zero() {
            std::thread::sleep(hold.min(LOOK));
            continue;
        }
        // After the first read, reads everything that is already there, but not without end: the clock and the user are
        // checked while data keeps on arriving.
        let mut turn = None;
        let mut until = player.poll_timeout().unwrap_or_else(Instant::now).min(Instant::now() + LOOK);
        for _ in 0..READS {
            match sockets.listen(player, until) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => player.failed(error, Instant::now()),
            }
            act(player, sockets);
            if player.is_done() {
                return;
            }
            until = Instant::now();
            if until >= *turn.get_or_insert(until + LOOK) || !stopped && stop.check().is_err() {
                break;
            }
        }
    }
}

/// Executes the player's actions.
fn act(player: &mut Player<'_, '_>, sockets: &mut Sockets<'_>) {
    while let Some(action) = player.poll_action() {
        let done = sockets.perform(action, player);
        if sockets.main.is_broken() {
            player.unwritten();
        }
        if let Err(error) = done {
            player.failed(error, Instant::now());
        }
    }
}
