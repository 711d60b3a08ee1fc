//! The recorded peer's first message, by which the live peer is recognised. Other visitors are described.

use super::actor::{Actor, Outbox};
use super::life::Phase;
use super::player::stranger;
use super::recording::Conversation;
use crate::dissect::{Options, Role, looks};
use crate::live::exchange::{Exchange, Setup};
use crate::live::net::Open;
use crate::message::OwnedMessage;
use std::net::SocketAddr;
use std::time::Instant;

/// The number of bytes of a stranger that are shown.
const SHOWN: usize = 16;

/// The state of a new connection.
pub enum Seen {
    /// No whole message yet.
    Nothing,
    /// It has sent the recorded opening.
    Opening,
    /// Somebody else, who is not played for this reason.
    Stranger(String),
    /// It was closed.
    Gone,
}

/// The opening by which the wanted peer is recognised.
pub struct Opening<'o> {
    conversation: &'o Conversation,
    options: &'o Options,
    /// Creates the actor of a session.
    actor: &'o dyn Fn() -> Box<dyn Actor>,
    /// The messages that begin a session, if the protocol lists them; else the recorded first message.
    names: Vec<&'static str>,
    /// Whether the protocol lists them.
    listed: bool,
    /// The messages that end a session.
    closes: &'static [&'static str],
}

impl<'o> Opening<'o> {
    /// Creates the opening of the recording, if we play its server. If we play its client, we would have to send first,
    /// and any opening is accepted. `options` are the session's; `actor` creates one for it.
    pub fn new(
        conversation: &'o Conversation,
        role: Role,
        options: &'o Options,
        actor: &'o dyn Fn() -> Box<dyn Actor>,
    ) -> Opening<'o> {
        let rules = actor().rules();
        let mut opening =
            Opening { conversation, options, actor, names: Vec::new(), listed: false, closes: rules.closes };
        if role == Role::Server {
            let first = conversation.messages.iter().find(|m| m.decoded.from == Role::Client);
            opening.names = rules.opens[0].to_vec();
            opening.listed = !opening.names.is_empty();
            if !opening.listed {
                opening.names.extend(first.map(|m| m.decoded.message));
            }
        }
        opening
    }

    /// Whether the peer may begin with anything.
    pub fn is_anybody(&self) -> bool {
        self.names.is_empty()
    }

    /// The name of the opening: `riptide.connect`.
    pub fn name(&self) -> String {
        self.names.first().map_or("anything".into(), |name| format!("{}.{name}", self.conversation.dissector.name()))
    }

    /// Creates a conversation with somebody unknown.
    pub fn exchange<'a>(&self, open: &Open<'a>, ends: [SocketAddr; 2]) -> Exchange<'a> {
        Exchange::new(Setup { observer: None, ..open.setup(ends) }, self.options)
    }

    /// Whether this message begins the recorded conversation.
    pub fn is(&self, message: &OwnedMessage) -> bool {
        if self.names.contains(&message.message) {
            return message.fault.is_none();
        }
        // The recording lacks its beginning: its first message does not begin a session.
        let begins = || {
            let mut actor = (self.actor)();
            actor.recv(message, Instant::now(), &mut Outbox::default());
            (Phase::Asked..Phase::Over).contains(&actor.life().phase)
        };
        !self.listed && message.fault.is_none() && begins()
    }

    /// Whether this message ends a session: that of a peer that has left, and repeats its goodbye.
    pub fn is_goodbye(&self, message: &OwnedMessage) -> bool {
        self.closes.contains(&message.message) && message.fault.is_none()
    }

    /// Judges the first bytes of a stream.
    pub fn seen(&self, exchange: &mut Exchange<'_>, bytes: &[u8]) -> Seen {
        match exchange.poll_message() {
            Some(message) if self.is(&message) => Seen::Opening,
            Some(_) => Seen::Stranger(self.other(exchange.setup(), bytes)),
            None if exchange.has_ended() || self.is_foreign(exchange.setup(), bytes) => {
                Seen::Stranger(self.other(exchange.setup(), bytes))
            }
            None => Seen::Nothing,
        }
    }

    /// Whether the first bytes of a stream are another protocol's.
    fn is_foreign(&self, setup: &Setup<'_>, bytes: &[u8]) -> bool {
        bytes.len() >= stranger::ENOUGH && stranger::first(setup, bytes).is_some()
    }

    /// Returns the reason why a peer that did not send the opening is not played.
    pub fn other(&self, setup: &Setup<'_>, bytes: &[u8]) -> String {
        let (proto, [own, peer]) = (setup.dissector.name(), setup.ends);
        if let Some(what) = stranger::first(setup, bytes) {
            return what;
        }
        let recorded = self.conversation.version().unwrap_or("another version");
        if let Some(OwnedMessage { version: Some(version), message, fault: None, .. }) = self.read(setup, bytes)
            && version != recorded
            && self.names.contains(&message)
        {
            return format!("it sends {version}'s {message}, the recording is {proto} {recorded}");
        }
        let ports = [own.port(), peer.port()];
        let what = match looks::like(setup.transport, ports, bytes, &[]) {
            Some(like) => like.into(),
            None => {
                let shown = bytes.get(..SHOWN.min(bytes.len())).unwrap_or_default();
                format!("{}{}", hex::encode(shown), if bytes.len() > SHOWN { ".." } else { "" })
            }
        };
        format!("it sends {what}, not {}", self.name())
    }

    /// Reads the first message, without the recording's settings, such as its version.
    fn read(&self, setup: &Setup<'_>, bytes: &[u8]) -> Option<OwnedMessage> {
        let conversation = self.conversation;
        let mut options = self.options.clone();
        for setting in conversation.replay.settings(&conversation.messages) {
            let key = setting.split('=').next().unwrap_or_default();
            // A setting that has to have a value keeps it.
            let _ = options.set(&format!("{key}=auto"));
        }
        let mut exchange = Exchange::new(Setup { version: None, observer: None, ..setup.clone() }, &options);
        exchange.recv(bytes, Instant::now());
        exchange.poll_message()
    }
}
