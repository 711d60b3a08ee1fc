//! Playing one side of a captured conversation to a live peer.
//!
//! A [`Recording`] holds the conversations of a capture as messages. The protocol's
//! [actor](crate::live::replay::actor::Actor) sorts one side's messages into a [`Plan`] and keeps the
//! live session; a [`Player`] says them in time, a state machine without sockets and clock; [`play`]
//! drives it with [`Sockets`]. What came is compared with the capture (`compare`) and told in a
//! [`Report`].

pub mod actor;
mod asking;
mod changed;
mod compare;
mod copies;
mod drive;
mod edit;
mod life;
mod numbers;
mod opening;
mod outbox;
mod plan;
mod player;
mod recording;
mod report;
mod sockets;
mod unacknowledged;
mod waiting;
mod written;

pub use asking::{Asking, Repeats};
pub use changed::Changed;
pub use compare::Divergence;
pub use copies::Copies;
pub use drive::{LINGER, Order};
pub use edit::Changes;
pub use life::{Life, Phase, Rules};
pub use numbers::{Numbering, Numbers, Window};
pub use plan::{Plan, Step, Unsaid, Wishes};
pub use player::{Action, Channels, Ending, Pace, Player, Progress, Settings};
pub use recording::{Conversation, Recording, RecordingError, between};
pub use report::Report;
pub use sockets::{Sockets, play};
pub use unacknowledged::Unacknowledged;
pub use waiting::Waiting;
