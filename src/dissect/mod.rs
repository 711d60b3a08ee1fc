//! How any protocol is recognised and read. Knows none.
//!
//! A [`Dissector`] describes a protocol: its tables, how it is recognised, a new conversation's
//! memory. A [`Session`] is that memory: it reads a conversation's datagrams and streams into
//! [`Draft`]s. The [`Inspector`] finds out which dissector a conversation of the flow table belongs
//! to, feeds its session, and hands each [`Message`] to a [`Sink`].

mod conversation;
pub mod delivery;
pub mod dissector;
mod document;
pub mod inspector;
pub mod limits;
pub mod message;
pub mod options;
pub mod payload;
mod registry;
mod scratch;
pub mod talk;

pub use conversation::SessionReader;
pub use dissector::{Dissector, Encoder, Evidence, Line, NoteDoc, Session, Setting, Sight, StreamEvent, Table};
pub use document::document;
pub use inspector::{Counters, Inspector, Share};
pub use message::{Draft, Message, Out, Place, Sink};
pub use options::{Options, Server, Settings};
pub use registry::Registry;
pub use scratch::Scratch;
pub use talk::{Role, Roles, Talk};
