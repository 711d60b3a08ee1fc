//! Relays, impairs and edits conversations in transit.
//!
//! [`Impairments`] describe the impairments of a direction. A `Path` decides the outcome of packet number n, which
//! depends only on the seed, the conversation, the direction and n, never on time. A `Queue` holds packets until they
//! are due. None of them has a socket or a clock. The [`relay`] has both.

mod collect;
mod datagram_ports;
mod direction;
mod expected;
mod holds;
mod impairments;
mod jitter;
mod like;
#[cfg(feature = "cli")]
pub(crate) mod notes;
#[cfg(feature = "cli")]
pub(crate) mod outcome;
mod path;
mod profile;
mod queue;
pub mod relay;
mod resent;
mod stream_buffer;
#[cfg(feature = "cli")]
pub(crate) mod summary;
mod waits;
mod watch;
mod writing;

#[cfg(test)]
mod tests;

pub use collect::{Collector, MessageCounts, Render, Seen};
pub use datagram_ports::DatagramPorts;
pub(crate) use datagram_ports::Opened;
pub use direction::Direction;
pub use expected::Delay;
pub use holds::Holds;
pub(crate) use holds::{Choice, Held, HeldOutcome};
pub use impairments::{Impairments, Loss};
pub(crate) use jitter::Quantiles;
pub use like::Like;
pub use profile::Profile;
pub(crate) use queue::Queue;
pub use relay::legs::LegWriter;
pub(crate) use stream_buffer::Gone;
pub(crate) use watch::Passing;
pub use watch::Watch;
