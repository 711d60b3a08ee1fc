//! The network: sockets with deadlines, names, and the exchange as a capture.
//!
//! A [`Wire`] carries the bytes of one conversation and records them.

pub(crate) mod cancel;
mod open;
pub(in crate::live) mod own_port;
mod reach;
pub(crate) mod record;
pub(in crate::live) mod socket;
pub(crate) mod target;
pub(crate) mod wire;

#[cfg(feature = "cli")]
pub(crate) use self::{reach::is_private, record::now};
pub use cancel::CancelToken;
pub use open::Open;
pub use record::Recorder;
pub use target::Target;
pub(crate) use target::resolve;
pub use wire::Wire;
