//! A protocol that is known at compile time, as most are.

use super::dissector::{Dissector, Evidence, Observation, Session};
use super::encoder::Encoder;
use super::facts::Facts;
use super::flow_info::FlowInfo;
use super::options::Options;

/// The [`Dissector`] of a protocol that is known at compile time: a `static`.
///
/// A dissector that is built at run time implements the trait itself.
pub struct Protocol {
    /// The protocol's constant properties.
    pub facts: Facts,
    /// See [`Dissector::identify`]; [`unknown`](Protocol::unknown) for one that is read only if the user names it.
    pub identify: fn(&Observation<'_>) -> Evidence,
    /// See [`Dissector::session`].
    pub session: fn(&FlowInfo<'_>) -> Box<dyn Session>,
    /// See [`Dissector::encoder`].
    pub encoder: fn(&Options) -> Box<dyn Encoder>,
}

impl Protocol {
    /// Returns no evidence: the protocol cannot be recognised.
    pub fn unknown(_observation: &Observation<'_>) -> Evidence {
        Evidence::No
    }
}

impl Dissector for Protocol {
    fn facts(&self) -> &Facts {
        &self.facts
    }

    fn identify(&self, observation: &Observation<'_>) -> Evidence {
        if self.facts.transports.contains(&observation.transport) { (self.identify)(observation) } else { Evidence::No }
    }

    fn session(&self, flow_info: &FlowInfo<'_>) -> Box<dyn Session> {
        (self.session)(flow_info)
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        (self.encoder)(options)
    }
}
