//! (being written)
#![allow(missing_docs)]
mod conversation;
mod handler;
pub mod sequence;
mod stream;
pub use conversation::{Conversation, End, Side, Transport};
pub use handler::{Delivery, Gap, GapCause, Handler};
pub use stream::{Origin, Stream};
