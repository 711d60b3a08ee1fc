//! Playing one side of a captured conversation to a live peer.
//!
//! A [`Recording`] holds the conversations of a capture as messages. The protocol's
//! [actor](crate::live::replay::actor::Actor) sorts one side's messages into a [`Plan`] and keeps the
//! live session; [`play`] says them in time to a [`Peer`]: real sockets ([`Live`]), or anything
//! else that takes messages. What came is compared with the capture ([`compare`]) and told in a
//! [`Report`].

pub mod actor;
mod compare;
mod drive;
mod edit;
mod engine;
mod live;
mod plan;
mod recording;
mod report;
mod unacknowledged;

pub use compare::{Divergence, compare};
pub use drive::Order;
pub use edit::Changes;
pub use engine::{Pace, Peer, Progress, Settings, play};
pub use live::{Live, Waiting};
pub use plan::{Plan, Step, Unsaid, Wishes};
pub use recording::{Conversation, Recording, RecordingError, between};
pub use report::Report;
pub use unacknowledged::Unacknowledged;
