//! One session among many: a player with sockets that never block.

use super::socket::{ReadOutcome, Socket};
use crate::dissect::Options;
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::pace::Pacer;
use crate::live::replay::{Action, Channels, Ending, Order, Plan, Player, Settings};
use crate::message::Channel;
use mio::event::Event;
use mio::{Registry, Token};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// The number of reads from one client before others have their turn.
const READS: usize = 16;
/// If clients are woken this late (p99), they no longer keep the time of the recording.
pub(super) const LATE: Duration = Duration::from_millis(50);
/// The data that all sessions have in common.
pub struct Shared<'s, 'a> {
    pub order: &'s Order<'a>,
    pub options: &'s Options,
    pub plan: &'s Plan,
    pub peer: SocketAddr,
}

/// The result of a session.
pub struct Ended {
    /// The player's result; `None` if there never was a connection.
    pub ending: Option<Ending>,
    /// Whether the peer has answered the handshake.
    pub connected: bool,
    /// The reason why no connection was made, or why it broke.
    pub error: Option<String>,
    /// Whether the peer or its system caused that explicitly, and not by silence.
    pub refused: bool,
    /// Whether this side lacked something that a socket needs.
    pub own: bool,
}

/// One session.
pub struct Client<'s, 'a> {
    slot: usize,
    begun: Instant,
    main: Socket,
    datagrams: Option<Socket>,
    player: Option<Player<'s, 'a>>,
    pacer: Pacer,
    answered: u64,
    /// The deadline for the connection that is being made.
    connecting: Option<Instant>,
    /// Whether it was asked to stop, with or without a player. Only the first request counts.
    stopped: bool,
    /// The deadline of the whole session, and the time allowed until then.
    deadline: Option<(Instant, Duration)>,
    error: Option<String>,
    refused: bool,
    own: bool,
    over: bool,
    /// The time until the peer answered the handshake, once it has.
    pub connected: Option<Duration>,
    /// Its time in the list of timers.
    pub wake: Option<Instant>,
    /// Whether its connection was counted.
    pub counted: bool,
    /// The resends that were counted already.
    pub resent: u64,
}

impl<'s, 'a> Client<'s, 'a> {
    /// Starts to connect to the peer.
    ///
    /// # Errors
    /// Returns the reason why that is not possible.
    pub fn begin(
        shared: &Shared<'s, 'a>,
        registry: &Registry,
        slot: usize,
        now: Instant,
    ) -> Result<Client<'s, 'a>, NetError> {
        let transport = shared.order.conversation.transport;
        let main = Socket::to(transport, shared.peer, registry, Token(2 * slot))?;
        let most = shared.order.most();
        Ok(Client {
            slot,
            begun: now,
            main,
            datagrams: None,
            player: None,
            pacer: Pacer::default(),
            answered: 0,
            connecting: Some(now + shared.order.timeout),
            stopped: false,
            deadline: now.checked_add(most).map(|at| (at, most)),
            error: None,
            refused: false,
            own: false,
            over: false,
            connected: None,
            wake: None,
            counted: false,
            resent: 0,
        })
    }

    /// Returns the player, once there is a connection.
    pub fn player(&mut self) -> Option<&mut Player<'s, 'a>> {
        self.player.as_mut()
    }

    /// Handles an event of one of its sockets.
    pub fn ready(&mut self, which: usize, event: &Event) {
        match (which, &mut self.datagrams) {
            (0, _) => self.main.ready(event),
            (_, Some(datagrams)) => datagrams.ready(event),
            _ => {}
        }
    }

    /// Whether the session is over.
    pub fn is_done(&self) -> bool {
        self.over || self.player.as_ref().is_some_and(Player::is_done)
    }

    /// Asks the session to leave.
    pub fn stop(&mut self, why: NetError, now: Instant) {
        if std::mem::replace(&mut self.stopped, true) {
            return;
        }
        match &mut self.player {
            Some(player) => player.stop(why, now),
            None => self.over = true,
        }
    }

    /// Returns the time at which it needs a turn, if no event arrives before.
    pub fn poll_timeout(&self, now: Instant) -> Instant {
        let own = match (&self.player, self.connecting) {
            (_, Some(until)) => until,
            (Some(player), None) => player.poll_timeout().unwrap_or(now + Duration::from_secs(1)),
            (None, None) => now,
        };
        let more = self.main.readable || self.datagrams.as_ref().is_some_and(|datagrams| datagrams.readable);
        // Unread data waits only for other clients' turns, or until it may be answered.
        let read = more.then(|| now + self.pacer.hold(now));
        let deadline = self.deadline.map(|(at, _)| at).filter(|_| !self.stopped);
        [Some(own), read, deadline].into_iter().flatten().min().unwrap_or(own)
    }

    /// Does everything that can be done now. `buffer` has room for the largest datagram.
    pub fn go(&mut self, shared: &Shared<'s, 'a>, registry: &Registry, buffer: &mut [u8], now: Instant) {
        if let Some((at, most)) = self.deadline
            && now >= at
        {
            self.stop(NetError::MaxTime(most), now);
        }
        if let Some(until) = self.connecting {
            match self.main.is_connected() {
                Ok(true) => self.open(shared, registry, now),
                Ok(false) if now < until => return,
                Ok(false) => return self.fail(NetError::NoAnswer, now),
                Err(error) => return self.fail(error, now),
            }
        }
        let Some(player) = &self.player else { return };
        // If this side was late, data that has arrived meanwhile shows that the server is not silent.
        let wake = player.poll_timeout();
        let late = !player.is_leaving() && wake.is_some_and(|at| at + LATE <= now);
        if late && self.pacer.hold(now).is_zero() {
            // The event that reports this data may not have been handled yet.
            self.main.readable = true;
            self.read(shared, registry, buffer, now);
        }
        let Some(player) = &mut self.player else { return };
        // The time from before the reading counts. Reading postpones the turn: a peer that keeps sending would postpone
        // that of a late client again and again.
        if wake.is_some_and(|at| at <= now) {
            player.handle_timeout(now);
        }
        self.act(shared, registry, now);
        let answered = self.player.as_ref().map_or(0, Player::answered);
        self.pacer.answered(answered - std::mem::replace(&mut self.answered, answered), now);
        if self.pacer.hold(now).is_zero() {
            self.read(shared, registry, buffer, now);
        }
        self.main.flush();
        if let Some(player) = &self.player
            && self.connected.is_none()
            && player.is_connected()
        {
            // Not `now`, which is from before the reading.
            self.connected = Some(self.begun.elapsed());
        }
    }

    /// Handles a new connection: the session begins, or continues on it.
    fn open(&mut self, shared: &Shared<'s, 'a>, registry: &Registry, now: Instant) {
        let Ok(own) = self.main.local() else { return self.fail(NetError::NoAnswer, now) };
        self.connecting = None;
        let ends = [own, shared.peer];
        if let Some(player) = &mut self.player {
            return player.connected(ends, now);
        }
        let order = shared.order;
        if order.wants_datagrams() {
            match Socket::bound(SocketAddr::new(own.ip(), 0), registry, Token(2 * self.slot + 1)) {
                Ok(socket) => self.datagrams = Some(socket),
                Err(error) => {
                    let error = NetError::of_datagram(error);
                    self.own |= error.is_own();
                    return self.fail(error, now);
                }
            }
        }
        let port = self.datagrams.as_ref().and_then(|socket| socket.local().ok()).map(|own| own.port());
        let client = u32::try_from(self.slot).unwrap_or(u32::MAX).saturating_add(1);
        // Received messages are counted but not kept, because they are compared with nothing.
        let settings = Settings { kept: 0, client, ..order.settings(shared.options, port) };
        let channels = Channels::new(order.setup(ends), shared.options, true);
        let (_, actor) = order.plan(shared.options);
        self.player = Some(Player::new(shared.plan, actor, channels, &settings, now));
        if self.stopped {
            self.over = true;
        }
        if let Some(player) = &mut self.player {
            player.handle_timeout(now);
        }
    }

    fn fail(&mut self, error: NetError, now: Instant) {
        self.connecting = None;
        let leaving = self.player.as_ref().is_some_and(Player::is_leaving);
        self.refused |= !leaving && matches!(error, NetError::Refused | NetError::Closed { .. });
        self.error.get_or_insert_with(|| error.to_string());
        match &mut self.player {
            Some(player) => player.failed(error, now),
            None => self.over = true,
        }
    }

    /// Executes the player's actions.
    fn act(&mut self, shared: &Shared<'s, 'a>, registry: &Registry, now: Instant) {
        let most = shared.options.limits.peer.live_unread_bytes;
        while let Some(action) = self.player.as_mut().and_then(Player::poll_action) {
            let done = match action {
                Action::Send(Channel::Main, bytes) => self.main.send(&bytes, most),
                Action::Send(Channel::Datagrams, bytes) => {
                    self.datagrams.as_mut().map_or(Ok(()), |socket| socket.send(&bytes, most))
                }
                Action::Finish => {
                    self.main.finish();
                    Ok(())
                }
                Action::Reconnect => self.reconnect(shared, registry, now),
                Action::ConnectDatagrams(port) => self.datagrams.as_ref().map_or(Ok(()), |socket| {
                    socket.connect(SocketAddr::new(shared.peer.ip(), port)).map_err(NetError::of_datagram)
                }),
            };
            if self.main.is_broken()
                && let Some(player) = &mut self.player
            {
                player.unwritten();
            }
            if let Err(error) = done {
                self.fail(error, now);
            }
        }
    }

    fn reconnect(&mut self, shared: &Shared<'s, 'a>, registry: &Registry, now: Instant) -> Result<(), NetError> {
        self.main.finish();
        self.main.deregister(registry);
        // The socket for datagrams stays: the server has not named its port yet, and the player knows ours.
        let main = Socket::to(Transport::Tcp, shared.peer, registry, Token(2 * self.slot));
        self.main = main.inspect_err(|error| self.own |= error.is_own())?;
        self.connecting = Some(now + shared.order.timeout);
        Ok(())
    }

    /// Passes received data to the player.
    fn read(&mut self, shared: &Shared<'s, 'a>, registry: &Registry, buffer: &mut [u8], now: Instant) {
        for _ in 0..READS {
            let datagrams = self.datagrams.as_mut().filter(|socket| socket.readable);
            let (channel, socket) = match datagrams {
                Some(socket) => (Channel::Datagrams, socket),
                None if self.main.readable && self.connecting.is_none() => (Channel::Main, &mut self.main),
                None => return,
            };
            let read = socket.read(buffer);
            let Some(player) = &mut self.player else { return };
            match read {
                Ok(ReadOutcome::Bytes(length)) => {
                    if length > 0 {
                        // Time may have passed on this side since `now`. The server's times are measured with the
                        // actual time.
                        player.recv(channel, buffer.get(..length).unwrap_or_default(), Instant::now());
                    }
                }
                Ok(ReadOutcome::Nothing) => {}
                Ok(ReadOutcome::End(reset)) => {
                    self.main.readable = false;
                    // A peer that is being left closes the stream as well.
                    self.refused |= !player.is_leaving();
                    player.closed(reset, now);
                }
                Err(error) => self.fail(error, now),
            }
            self.act(shared, registry, now);
            if self.is_done() {
                return;
            }
        }
    }

    /// Closes its sockets, and returns the result.
    pub fn end(mut self, registry: &Registry) -> Ended {
        self.main.deregister(registry);
        if let Some(datagrams) = &mut self.datagrams {
            datagrams.deregister(registry);
        }
        let mut ending = self.player.map(Player::ending);
        if let Some(ending) = ending.as_mut().filter(|_| !self.main.is_drained()) {
            ending.complete = false;
            self.error.get_or_insert("the server has not read all that was to be sent to it".into());
        }
        Ended { ending, connected: self.connected.is_some(), error: self.error, refused: self.refused, own: self.own }
    }
}
