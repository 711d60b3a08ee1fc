//! Relays, impairs and edits conversations in transit.
//!
//! [`Impairments`] describe the impairments of a direction. A [`Path`] decides the outcome of packet number n, which
//! depends only on the seed, the conversation, the direction and n, never on time. A [`Queue`] holds packets until they
//! are due. None of them has a socket or a clock. The `relay`, in the feature `cli`, has both.

mod collect;
mod datagram_ports;
mod direction;
mod expected;
mod holds;
mod impairments;
mod jitter;
mod like;
mod path;
mod profile;
mod queue;
#[cfg(feature = "cli")]
pub mod relay;
mod resent;
mod stream_buffer;
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
#[cfg(feature = "cli")]
pub(crate) use holds::Choice;
pub use holds::{Held, HeldOutcome, Holds};
pub use impairments::{Impairments, Loss, Rate};
pub(crate) use jitter::Quantiles;
pub use like::Like;
pub use path::Path;
pub use profile::Profile;
pub use queue::Queue;
#[cfg(feature = "cli")]
pub use relay::LegWriter;
#[cfg(feature = "cli")]
pub(crate) use stream_buffer::Gone;
#[cfg(feature = "cli")]
pub(crate) use watch::Passing;
pub use watch::Watch;
