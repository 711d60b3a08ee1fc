//! In the way of a conversation: what passes is relayed, impaired and edited.
//!
//! [`Impairments`] say what is done to a direction, a [`Path`] what becomes of its packet number n:
//! that depends on the seed, the conversation, the direction and n alone, never on time. A [`Queue`]
//! holds what is not due yet. Neither has a socket or a clock. The `relay`, in the feature `cli`,
//! has both.

mod impairments;
mod path;
mod queue;
#[cfg(feature = "cli")]
pub mod relay;
mod watch;
mod way;

#[cfg(test)]
mod tests;

pub use impairments::{Impairments, Loss, NETWORKS, Network, Rate, rate};
pub use path::{Fate, Lost, Path};
pub use queue::Queue;
#[cfg(feature = "cli")]
pub use relay::Legs;
pub use watch::{Collector, Edited, Render, Seen, Verdict, Watch};
pub use way::Way;
