//! Reads captures to their ends: into a function ([`decode`](crate::decode)), a sink, or divided among threads
//! ([`Drive`]).

pub(crate) mod decode;
mod drive;
mod duplicates;
#[cfg(feature = "cli")]
pub(crate) mod hex;
#[cfg(feature = "cli")]
mod marks;
mod merging;
#[cfg(feature = "cli")]
mod notes;
#[cfg(feature = "cli")]
mod pick;
#[cfg(feature = "cli")]
mod picked;
mod runs;
#[cfg(feature = "cli")]
mod selection;
mod sink;
#[cfg(feature = "cli")]
mod stopped;
mod summary;

pub use drive::Drive;
pub(crate) use drive::STACK;
#[cfg(feature = "cli")]
pub(crate) use drive::Tap;
#[cfg(feature = "cli")]
pub(crate) use marks::Marks;
pub use merging::{Producer, Receiver};
#[cfg(feature = "cli")]
pub(crate) use notes::of_leg;
#[cfg(feature = "cli")]
pub(crate) use pick::{Expected, FailOn, Pick};
#[cfg(feature = "cli")]
pub(crate) use picked::{Picked, Selected};
#[cfg(feature = "cli")]
pub(crate) use selection::Selection;
pub use sink::CaptureSink;
#[cfg(feature = "cli")]
pub(crate) use sink::{Any, Gate};
#[cfg(feature = "cli")]
pub(crate) use stopped::Stopped;
pub use summary::Summary;
