//! The network: sockets with deadlines, names, and the exchange as a capture.
//!
//! A [`Link`] is one conversation with a live peer. What it sends is written by the protocol's
//! encoder and what comes back is read by its session, as in a capture. Every byte that is sent
//! passes one [`gate`]: an empty datagram, a truncated message or an unfinished frame never leaves.

pub mod gate;
pub(crate) mod link;
pub(crate) mod record;
pub(crate) mod stop;
pub(crate) mod target;
pub(crate) mod trouble;

pub use link::{Heard, Link, Open, Watch, weight};
pub use record::Recorder;
pub use stop::Stop;
pub use target::{Target, resolve};
pub use trouble::Trouble;
