//! The inspector in the terminal: a capture's messages as a list, a tree and bytes.
//!
//! A worker reads as `decode` does and keeps each message in a [`Store`]; a [`State`] changes with keys, and
//! is drawn as a pure function of itself. Nothing here reads or decides about protocols: lines come from the
//! renderers, conditions from filters.

mod ansi;
mod detail;
mod draw;
mod events;
mod figures;
pub mod fits;
mod frames;
pub mod held;
mod holding;
mod keeping;
mod kept;
mod keys;
mod layout;
mod packing;
mod paint;
mod panes;
mod prompt;
mod record;
mod row;
mod save;
mod screen;
mod seek;
mod sequence;
mod state;
mod store;
mod tables;
#[cfg(test)]
mod tests;

pub use crate::live::proxy::Holds;
pub use detail::Subject;
pub use draw::draw;
pub use frames::Frames;
pub use keeping::Keeping;
pub use keys::KEYS;
pub use record::Recorder;
pub use screen::{Input, Screen};
pub use state::State;
pub use store::{Progress, Receiving, Store};
