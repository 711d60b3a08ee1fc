//! Protocols that a file describes: `--protocol-file game.toml`.
//!
//! [`load`] compiles a file to tables of the same kind as those of the built-in protocols, and to
//! what a conversation does between messages: put parts together, remember, count. The result is a
//! [`Dissector`] like any other.

mod about;
mod advice;
mod asked;
mod codes;
mod compile;
mod conditions;
mod description;
mod encode;
mod evidence;
mod expected;
mod export;
mod fit;
mod frames;
mod join;
mod judged;
mod key;
mod known;
mod lines;
mod load;
mod mistakes;
mod names;
mod parse;
mod probe;
mod reader;
mod recognise;
mod session;
mod shown;
mod text;
mod traffic;
mod types;

pub use description::Description;
pub use evidence::{Broken, Rejection};
pub use export::export;
pub use fit::{Misfit, MisfitKind};
pub use load::load;
pub use mistakes::mistakes;
pub use parse::KEYS;

use crate::codec::layout::Field;
use crate::dissect::{
    Dissector, Encoder, Evidence, FlowInfo, NoteDoc, Observation, Options, Outline, Public, Session, Setting, Table,
};
use crate::flow::Transport;

/// A protocol that a file describes: a dissector like any other.
#[derive(Debug)]
pub struct Described(&'static Description);

impl Described {
    /// What the file says.
    pub fn description(&self) -> &'static Description {
        self.0
    }
}

impl Dissector for Described {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn about(&self) -> &'static str {
        self.0.about
    }

    fn carriers(&self) -> &'static [&'static str] {
        if self.0.websocket.is_some() { &[crate::protocols::websocket::NAME] } else { &[] }
    }

    fn public(&self) -> Public {
        // What the file itself says of a conversation.
        Public { fields: &["memory", "mask", "header"], ..Public::default() }
    }

    fn outline(&self) -> Result<&Outline, &'static str> {
        Err("a file describes it already")
    }

    fn tables(&self) -> &'static [Table] {
        self.0.tables
    }

    fn headers(&self) -> &'static [Field] {
        self.0.headers
    }

    fn derived(&self) -> &'static [&'static Field] {
        self.0.derived
    }

    fn settings(&self) -> &'static [Setting] {
        self.0.settings
    }

    fn notes(&self) -> &'static [NoteDoc] {
        self.0.notes
    }

    fn takes(&self, transport: Transport, _named: bool) -> bool {
        match transport {
            Transport::Udp => self.0.udp.is_some(),
            Transport::Tcp => self.0.tcp.is_some() || self.0.websocket.is_some(),
        }
    }

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        evidence::identify(self.0, observation)
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        Box::new(session::DescribedSession::new(self.0, flow_info))
    }

    fn yields(&self) -> bool {
        true
    }

    fn port(&self) -> Option<u16> {
        self.0.ports(Transport::Udp).chain(self.0.ports(Transport::Tcp)).next()
    }

    fn ports(&self) -> Vec<u16> {
        self.0.ports(Transport::Udp).chain(self.0.ports(Transport::Tcp)).collect()
    }

    fn dump_transport(&self, _options: &Options) -> Transport {
        if self.0.udp.is_some() { Transport::Udp } else { Transport::Tcp }
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Writing::new(self.0, options))
    }
}
