//! The shared codec: a message's layout is written once, as a table, and walked in both directions.
//!
//! - [`layout`]: the vocabulary of the tables, all `const`: nothing is built at run time.
//! - [`walk`]: the one interpreter, generic over the direction ([`walk::Wire`]).
//! - [`Reader`]: bytes to a [`Tree`] of annotated fields; [`Writer`]: JSON values to bytes;
//!   [`Sampler`]: random valid messages, for tests.
//! - [`schema`]: the users' own tables, for payloads; [`protobuf`] is one of their encodings.
//! - [`Fault`]: what broke, where, how much it needed, how much there was, and what set the limit.
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

pub mod bits;
pub mod check;
pub mod context;
pub mod describe;
pub mod digits;
pub mod fault;
pub mod half_text;
pub mod json;
pub mod layout;
pub mod names;
pub mod node;
pub mod note;
pub mod protobuf;
pub mod quoted;
pub mod reader;
pub mod runs;
pub mod sampler;
pub mod scale;
pub mod schema;
pub mod tree;
pub mod walk;
pub mod writer;

pub use context::{Context, NoContext, Recalled, Scope};
pub use fault::{Fault, Reason, Stop};
pub use layout::{Field, Layout};
pub use node::{Node, Sources, Value};
pub use note::{Level, Note, Notes};
pub use reader::{Outcome, Reader};
pub use sampler::Sampler;
pub use tree::Tree;
pub use writer::{EncodeError, Writer};
