//! The network: sockets with deadlines, names, and the exchange as a capture.
//!
//! A [`Wire`] carries the bytes of one conversation and records them.

pub(crate) mod cancel;
mod open;
mod reach;
pub(crate) mod record;
pub(in crate::live) mod socket;
pub(crate) mod target;
pub(crate) mod wire;

pub use cancel::CancelToken;
pub use open::Open;
pub use reach::is_private;
pub use record::{Recorder, now};
pub use target::{Target, resolve};
pub use wire::Wire;
