//! The recorded peer's first message, by which the live peer is known, and who else comes.

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

/// How many bytes of a stranger are shown.
const SHOWN: usize = 16;

/// What a connection has turned out to be.
pub enum Seen {
    /// No whole message yet.
    Nothing,
    /// It has sent the recorded opening.
    Opening,
    /// Somebody else: why it is not played.
    Stranger(String),
    /// It has ended.
    Gone,
}

/// What is known of the peer that is wanted.
pub struct Opening<'o> {
    conversation: &'o Conversation,
    options: &'o Options,
    /// Makes the actor of a session.
    actor: &'o dyn Fn() -> Box<dyn Actor>,
    /// The messages that begin a session, where the protocol lists them; else the recorded first one.
    names: Vec<&'static str>,
    /// The protocol lists them.
    listed: bool,
}

impl<'o> Opening<'o> {
    /// The opening of the recording, for one who plays its server: as a client it would have to speak
    /// first itself. `options`: the session's; `actor` makes one for it.
    pub fn new(
        conversation: &'o Conversation,
        role: Role,
        options: &'o Options,
        actor: &'o dyn Fn() -> Box<dyn Actor>,
    ) -> Opening<'o> {
        let mut opening = Opening { conversation, options, actor, names: Vec::new(), listed: false };
        if role == Role::Server {
            let first = conversation.messages.iter().find(|m| m.said.from == Role::Client);
            opening.names = actor().rules().opens[0].to_vec();
            opening.listed = !opening.names.is_empty();
            if !opening.listed {
                opening.names.extend(first.map(|m| m.said.message));
            }
        }
        opening
    }

    /// May the peer begin with anything?
    pub fn is_anybody(&self) -> bool {
        self.names.is_empty()
    }

    /// What is waited for: `riptide.connect`.
    pub fn name(&self) -> String {
        match self.names.first() {
            Some(name) => format!("{}.{name}", self.conversation.dissector.name()),
            None => "anything".into(),
        }
    }

    /// A conversation with somebody of whom nothing is known yet.
    pub fn exchange<'a>(&self, open: &Open<'a>, ends: [SocketAddr; 2]) -> Exchange<'a> {
        Exchange::new(Setup { observer: None, ..open.setup(ends) }, self.options)
    }

    /// Does this message begin the recorded conversation?
    pub fn is(&self, message: &OwnedMessage) -> bool {
        if self.names.contains(&message.message) {
            return message.fault.is_none();
        }
        // A recording without its beginning: its first message is none that begins a session.
        let begins = || {
            let mut actor = (self.actor)();
            actor.recv(message, Instant::now(), &mut Outbox::default());
            (Phase::Asked..Phase::Over).contains(&actor.life().phase)
        };
        !self.listed && message.fault.is_none() && begins()
    }

    /// What the first bytes of a stream show.
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

    /// Do the first bytes of a stream show another protocol?
    fn is_foreign(&self, setup: &Setup<'_>, bytes: &[u8]) -> bool {
        bytes.len() >= stranger::ENOUGH && stranger::first(setup, bytes).is_some()
    }

    /// Why somebody is not played who did not send the opening.
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

    /// The first message, without what the recording says of its version.
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
