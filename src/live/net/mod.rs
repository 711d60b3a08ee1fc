//! The network: sockets with deadlines, names, and the exchange as a capture.
//!
//! A [`Wire`] carries the bytes of one conversation and records them. A [`Link`] is an
//! [exchange](crate::live::exchange) with a wire.

pub(crate) mod cancel;
pub(crate) mod link;
mod reach;
pub(crate) mod record;
mod socket;
pub(crate) mod target;
pub(crate) mod wire;

pub use cancel::CancelToken;
pub use link::{Link, Open};
pub use reach::is_private;
pub use record::{Recorder, now};
pub use target::{Target, resolve};
pub use wire::Wire;
