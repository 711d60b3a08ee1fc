//! Talks to live peers: sockets with deadlines, probes, replays. Knows no protocol: each protocol has its own
//! [`Probe`](probe::Probe) and its own [`Replay`](replay::actor::Replay).

#[cfg(feature = "cli")]
mod background;
mod clients;
mod error;
pub(crate) mod exchange;
#[cfg(feature = "cli")]
pub(crate) mod load;
pub(crate) mod net;
mod pace;
pub mod probe;
#[cfg(feature = "cli")]
pub(crate) mod proxy;
pub mod replay;
pub(crate) mod rules;

#[cfg(feature = "cli")]
pub(crate) use background::Background;
pub use clients::{Client, Clients};
pub use error::NetError;
pub use exchange::collect::Observer;
#[doc(hidden)]
pub use exchange::gate;
pub use exchange::{Clock, Exchange, Setup};
pub use net::{CancelToken, Target};
#[doc(hidden)]
pub use net::{Open, Recorder, Wire};
