//! Output formats: text for people, JSON for programs. They print the codec's [`Tree`](crate::codec::Tree), and know no
//! protocol.
//!
//! Every renderer appends to one buffer that is written in blocks (`Output`). None allocates memory for each message
//! in the steady state. The commands use [`Renderer`].
//!
//! A path that exists for speed alone states the instructions that it saves per message. They are measured with
//! callgrind, with and without the path: two captures of regular Riptide messages, a release build without LTO and with
//! one codegen unit. A path that saves less than one in a hundred is not worth its lines.

#[cfg(feature = "cli")]
mod again;
pub(crate) mod bytes;
pub(crate) mod cells;
mod columns;
#[cfg(feature = "cli")]
mod context;
mod dialogue;
pub(crate) mod envelope;
pub(crate) mod envelope_cache;
mod files;
mod form;
mod format;
pub(crate) mod gutter;
mod hexdump;
pub(crate) mod human;
pub(crate) mod json;
pub(crate) mod leaf;
pub(crate) mod line_writer;
#[cfg(feature = "cli")]
mod literal;
#[cfg(feature = "cli")]
pub(crate) mod markdown;
pub(crate) mod ndjson;
pub(crate) mod output;
pub(crate) mod palette;
#[cfg(feature = "parquet")]
pub(crate) mod parquet;
#[cfg(feature = "cli")]
pub(crate) mod pcapng;
pub(crate) mod renderer;
mod style;
pub(crate) mod summary;
#[cfg(feature = "cli")]
pub(crate) mod table;
#[cfg(test)]
mod tests;
pub(crate) mod times;
pub(crate) mod tree;
mod tree_text;

#[cfg(feature = "cli")]
pub(crate) use self::{
    again::{Again, Compared},
    context::Context,
    literal::{Language, Literals},
    times::utc,
};
pub(crate) use columns::Columns;
pub(crate) use files::Files;
pub use form::Form;
pub use format::{Details, Format};
pub(crate) use json::Json;
pub use ndjson::Ndjson;
pub(crate) use output::Output;
pub use renderer::Renderer;
pub use style::Style;
#[cfg(feature = "cli")]
pub(crate) use table::Rows;
#[cfg(feature = "cli")]
pub(crate) use table::add_columns;
pub use times::TimeForm;
pub(crate) use tree::Trees;
