//! What a message looks like: trees for people, JSON for programs. Consumers of the codec's
//! [`Tree`](crate::codec::Tree); nothing in them knows any protocol.
//!
//! Every renderer appends to one buffer that is written in blocks ([`Output`]); none allocates per
//! message in the steady state. [`Renderer`] is the one that the commands use.

pub mod bytes;
pub mod envelope;
pub mod envelope_cache;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod golden;
pub mod gutter;
pub mod human;
pub mod json;
pub mod leaf;
pub mod line_writer;
pub mod ndjson;
pub mod output;
pub mod palette;
mod parts;
pub mod renderer;
mod style;
pub mod summary;
pub mod table;
mod times;
pub mod tree;
mod tree_text;

pub use json::Json;
pub use ndjson::Ndjson;
pub use output::Output;
pub use parts::{Chunk, Merge, Part};
pub use renderer::{Format, Renderer};
pub use style::Style;
pub use table::Rows;
pub use times::{Clock, TimeForm};
pub use tree::Trees;
