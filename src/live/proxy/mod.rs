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

#[cfg(test)]
mod tests;

pub use impairments::{Impairments, Loss, NETWORKS, Network, Rate, rate};
pub use path::{Fate, Lost, Path};
pub use queue::Queue;
#[cfg(feature = "cli")]
pub use relay::Legs;
pub use watch::{Collector, Edited, Seen, Verdict, Watch};

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

impl Way {
    /// Both.
    pub const BOTH: [Way; 2] = [Way::Up, Way::Down];

    /// 0 or 1.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The other one.
    pub fn other(self) -> Way {
        match self {
            Way::Up => Way::Down,
            Way::Down => Way::Up,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Way::Up => "up",
            Way::Down => "down",
        }
    }
}
