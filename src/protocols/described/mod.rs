//! Protocols that a file describes: `--protocol-file game.toml`.
//!
//! [`load`] compiles a file to tables like those of the built-in protocols, and to the rules for conversations: joining
//! parts, remembering values, counting numbers. The result is a [`Dissector`] like any other.

mod about;
mod advice;
mod agreement;
#[cfg(feature = "cli")]
pub(crate) mod check;
mod client;
mod codes;
mod conditions;
mod description;
mod encode;
mod evidence;
#[cfg(feature = "cli")]
pub(crate) mod examples;
mod expected;
mod export;
mod fit;
mod frames;
mod import;
mod join;
mod judged;
mod key;
mod lines;
mod load;
mod mistakes;
mod over;
mod probe;
mod reader;
mod recognise;
mod session;
mod shown;
mod state;
mod streams;
#[cfg(feature = "cli")]
pub(crate) mod suggest;
mod supposed;
mod times;
mod traffic;
mod unended;
mod weighing;

#[cfg(feature = "cli")]
pub(crate) use self::{
    evidence::Rejection,
    fit::{Broken, Misfit, MisfitKind},
    mistakes::mistakes_over,
    over::{carrier, described},
    suggest::Collector,
};
#[doc(hidden)]
pub use crate::codec::schema::parse::KEYS;
pub(crate) use description::Description;
#[cfg(feature = "cli")]
pub(crate) use export::export;
#[doc(hidden)]
pub use import::{Imported, import};
pub use load::load;
#[doc(hidden)]
pub use load::load_over;
#[doc(hidden)]
pub use mistakes::mistakes;

use crate::dissect::{Dissector, Encoder, Evidence, Facts, FlowInfo, Observation, Options, Session};

/// A protocol that a file describes: a dissector like any other.
#[derive(Debug)]
pub struct Described(&'static Description);

impl Described {
    /// The compiled file.
    pub fn description(&self) -> &'static Description {
        self.0
    }
}

impl Dissector for Described {
    fn facts(&self) -> &Facts {
        &self.0.facts
    }

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        evidence::identify(self.0, observation)
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        Box::new(session::DescribedSession::new(self.0, flow_info))
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Writing::new(self.0, options))
    }
}
