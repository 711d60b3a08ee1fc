//! Plays one side of a captured conversation to a live peer.
//!
//! A [`Recording`] holds the conversations of a capture as messages. The protocol's
//! [actor](crate::live::replay::actor::Actor) sorts one side's messages into a [`Plan`] and keeps the live session. A
//! [`Player`], a state machine without sockets and clock, sends them in time. `play` drives it with `Sockets`. The
//! received messages are compared with the capture (`compare`), and a [`Report`] shows the result.

pub(crate) mod actor;
mod asking;
mod changed;
mod compare;
mod drive;
mod edit;
mod life;
#[cfg(feature = "cli")]
pub(crate) mod listed;
mod numbers;
mod opening;
mod outbox;
mod plan;
mod player;
mod received;
mod recording;
mod report;
mod sockets;
mod unacknowledged;
mod waiting;
mod written;

pub use actor::{Actor, Cause, Counts, Disposition, Handling, Outbox, Recorded, Replay, ReplayContext, RoundTrip};
pub use asking::Repeats;
pub use compare::Divergence;
pub use drive::{LINGER, Order};
pub use edit::Changes;
pub use life::{Life, Phase, Rules};
pub use numbers::{Numbering, Numbers, Window};
#[doc(hidden)]
pub use plan::Unsent;
pub use plan::{Choices, Plan};
pub use player::{Action, Channels, Pace, Player};
#[cfg(feature = "cli")]
pub(crate) use player::{Ending, Progress, Settings};
pub use received::Arrival;
pub(crate) use received::Received;
pub use recording::{Conversation, Recording};
pub use report::Report;
pub use unacknowledged::Unacknowledged;
pub use waiting::Waiting;
