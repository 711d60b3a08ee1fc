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
    /// Whether we have opened the connection, and can open another.
    pub(super) caller: bool,
    session: Option<Box<dyn Session>>,
    datagrams: Option<Exchange<'a>>,
}

impl<'a> Channels<'a> {
    /// Creates the exchange of a conversation that we have begun (`caller`), or the peer. `options` are for sessions
    /// and encoders.
    pub fn new(setup: Setup<'a>, options: &Options, caller: bool) -> Channels<'a> {
        let main = Exchange::new(setup, options);
        Channels { options: options.clone(), main, caller, session: None, datagrams: None }
    }

    pub(super) fn get(&mut self, channel: Channel) -> Option<&mut Exchange<'a>> {
        match channel {
            Channel::Main => Some(&mut self.main),
            Channel::Datagrams => self.datagrams.as_mut(),
        }
    }

    /// Returns the next received message.
    pub(super) fn next(&mut self, channel: Channel) -> Option<OwnedMessage> {
        let message = self.get(channel)?.poll_message()?;
        self.take_session();
        Some(OwnedMessage { channel, ..message })
    }

    pub(super) fn send(&mut self, message: &OwnedMessage, dangerous: bool, now: Instant) -> Result<(), NetError> {
        let Some(exchange) = self.get(message.channel) else {
            return Err(NetError::Encode("the peer has no port for datagrams".into()));
        };
        if dangerous {
            exchange.send_dangerous(message, now)?
        } else {
            exchange.send(message, now)?
        }
        self.take_session();
        Ok(())
    }

    /// Takes the session for datagrams beside the stream, once the stream has announced them.
    fn take_session(&mut self) {
        if let Some((_, session)) = self.main.expects() {
            self.session = Some(session);
        }
    }

    /// Replaces the connection by a new one.
    pub(super) fn reconnected(&mut self, ends: [SocketAddr; 2]) {
        let setup = self.main.setup().clone();
        // The connection has one number, and the datagrams beside it another.
        let flow = setup.flow + 2;
        self.main = Exchange::new(Setup { ends, flow, ..setup }, &self.options);
        (self.session, self.datagrams) = (None, None);
    }

    /// Creates the exchange beside the stream, now that both sides know each other's port. Returns false if there is
    /// one already, or the stream has not announced datagrams.
    pub(super) fn connect_datagrams(&mut self, ours: u16, theirs: u16) -> bool {
        self.take_session();
        if self.datagrams.is_some() {
            return false;
        }
        let Some(session) = self.session.take() else { return false };
        let setup = self.main.setup().clone();
        let [own, peer] = setup.ends;
        let ends = [SocketAddr::new(own.ip(), ours), SocketAddr::new(peer.ip(), theirs)];
        let setup = Setup { ends, transport: Transport::Udp, flow: setup.flow + 1, ..setup };
        self.datagrams = Some(Exchange::of_datagrams(setup, &self.options, session));
        true
    }
}
