//! In the way of a conversation: what passes is relayed, impaired and edited.
//!
//! [`Impairments`] say what is done to a direction, a [`Path`] what becomes of its packet number n:
//! that depends on the seed, the conversation, the direction and n alone, never on time. A [`Queue`]
//! holds what is not due yet. Neither has a socket or a clock. The `relay`, in the feature `cli`,
//! has both.

mod beside;
mod collect;
mod expected;
mod impairments;
mod jitter;
mod lane;
mod like;
mod path;
mod profile;
mod queue;
#[cfg(feature = "cli")]
pub mod relay;
mod resent;
mod watch;
mod way;
mod writing;

#[cfg(test)]
mod tests;

pub use beside::Beside;
pub(crate) use beside::Opened;
pub use collect::{Collector, Render, Seen};
pub use expected::Delay;
pub use impairments::{Impairments, Loss, Rate};
pub(crate) use jitter::Quantiles;
#[cfg(feature = "cli")]
pub(crate) use lane::Gone;
pub use like::Like;
pub use path::Path;
pub use profile::Profile;
pub use queue::Queue;
#[cfg(feature = "cli")]
pub use relay::Legs;
#[cfg(feature = "cli")]
pub(crate) use watch::Passing;
pub use watch::Watch;
pub use way::Way;
