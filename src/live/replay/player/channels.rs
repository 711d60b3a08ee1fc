//! A conversation's exchanges: its own, and one for datagrams beside its stream.

use crate::dissect::{Options, Session};
use crate::flow::Transport;
use crate::live::NetError;
use crate::live::exchange::{Exchange, Setup};
use crate::message::{Channel, OwnedMessage};
use std::net::SocketAddr;
use std::time::Instant;

/// The exchanges of one session.
pub struct Channels<'a> {
    options: Options,
    pub(super) main: Exchange<'a>,
    /// We have called, and can call again.
    pub(super) caller: bool,
    session: Option<Box<dyn Session>>,
    beside: Option<Exchange<'a>>,
}

impl<'a> Channels<'a> {
    /// A conversation that we have begun (`caller`), or the peer. `options`: for sessions and
    /// encoders.
    pub fn new(setup: Setup<'a>, options: &Options, caller: bool) -> Channels<'a> {
        let main = Exchange::new(setup, options);
        Channels { options: options.clone(), main, caller, session: None, beside: None }
    }

    pub(super) fn get(&mut self, channel: Channel) -> Option<&mut Exchange<'a>> {
        match channel {
            Channel::Main => Some(&mut self.main),
            Channel::Beside => self.beside.as_mut(),
        }
    }

    /// The next message that came.
    pub(super) fn next(&mut self, channel: Channel) -> Option<OwnedMessage> {
        let message = self.get(channel)?.poll_message()?;
        self.look_beside();
        Some(OwnedMessage { channel, ..message })
    }

    pub(super) fn send(&mut self, message: &OwnedMessage, dangerous: bool, now: Instant) -> Result<(), NetError> {
        let Some(exchange) = self.get(message.channel) else {
            return Err(NetError::Encode("the peer has no port for datagrams".into()));
        };
        match dangerous {
            true => exchange.send_dangerous(message, now)?,
            false => exchange.send(message, now)?,
        }
        self.look_beside();
        Ok(())
    }

    /// The session for datagrams beside the stream, as soon as the stream has told.
    fn look_beside(&mut self) {
        if let Some((_, session)) = self.main.expects() {
            self.session = Some(session);
        }
    }

    /// A new connection takes the place of the one before.
    pub(super) fn reconnected(&mut self, ends: [SocketAddr; 2]) {
        let setup = self.main.setup().clone();
        // The numbers of this connection, and of the datagrams beside it.
        let flow = setup.flow + 2;
        self.main = Exchange::new(Setup { ends, flow, ..setup }, &self.options);
        (self.session, self.beside) = (None, None);
    }

    /// Both sides know each other's port for datagrams. `false`: the stream has not told of them.
    pub(super) fn connect_beside(&mut self, ours: u16, theirs: u16) -> bool {
        self.look_beside();
        if self.beside.is_some() {
            return false;
        }
        let Some(session) = self.session.take() else { return false };
        let setup = self.main.setup().clone();
        let [own, peer] = setup.ends;
        let ends = [SocketAddr::new(own.ip(), ours), SocketAddr::new(peer.ip(), theirs)];
        let setup = Setup { ends, transport: Transport::Udp, flow: setup.flow + 1, ..setup };
        self.beside = Some(Exchange::beside(setup, &self.options, session));
        true
    }
}
