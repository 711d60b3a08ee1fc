//! The shared codec. A message's layout is written once, as a table, and walked in both directions.
//!
//! - [`layout`]: the vocabulary of the tables, all `const`: nothing is built at run time.
//! - `walk`: the one interpreter, generic over the direction; [`Custom`]: the codec of a field outside the vocabulary.
//! - [`Reader`]: bytes to a [`Tree`] of annotated fields; [`Writer`]: JSON values to bytes;
//!   [`Sampler`]: random valid messages, for tests.
//! - [`schema`]: the users' own tables, for payloads; protobuf is one of their encodings.
//! - [`Fault`]: a broken field: its position, the bits needed, the bits available, and the source of the limit.
//!
//! ```
//! use netkit::codec::{Reader, Tree, Writer, layout::*};
//! static PING: [Field; 2] = [u8("id"), i16le("rtt").unit("ms").when(left(16))];
//!
//! let mut tree = Tree::default();
//! let outcome = Reader::new(&[7, 0xff, 0xff], &mut tree).read(&PING);
//! assert!(outcome.stop.is_none());
//! assert_eq!(tree.nodes().len(), 2);
//!
//! let fields = serde_json::json!({"id": 7, "rtt": -1});
//! assert_eq!(Writer::new(&fields).write(&PING).unwrap(), [7, 0xff, 0xff]);
//! ```

pub(crate) mod bits;
pub(crate) mod calendar;
#[cfg(test)]
pub(crate) mod check;
pub(crate) mod context;
pub(crate) mod describe;
#[doc(hidden)]
pub mod digits;
pub(crate) mod fault;
pub(crate) mod half_text;
#[doc(hidden)]
pub mod json;
pub(crate) mod kinds;
#[macro_use]
pub mod layout;
pub(crate) mod names;
pub(crate) mod node;
pub(crate) mod note;
#[cfg(feature = "cli")]
pub(crate) mod packed;
pub(crate) mod protobuf;
pub(crate) mod quoted;
pub(crate) mod reader;
pub(crate) mod runs;
pub(crate) mod sampler;
pub(crate) mod scale;
pub mod schema;
pub(crate) mod tree;
pub(crate) mod walk;
pub(crate) mod writer;

#[doc(hidden)]
pub use calendar::Clock;
pub use context::{Context, Recalled, Scope};
pub use fault::{Fault, Reason, Stop};
pub(crate) use layout::Layout;
pub use node::{Node, Sources, Value};
pub use note::{Level, Note, Notes};
pub use reader::{Outcome, Reader};
pub use sampler::Sampler;
pub use scale::Scale;
pub use tree::Tree;
pub use walk::Custom;
pub use writer::{EncodeError, WriteStop, Writer};
