//! How any protocol is recognised and read. Knows none.
//!
//! A [`Dissector`] describes a protocol: its tables, how it is recognised, a new conversation's
//! memory. A [`Session`] is that memory: it reads a conversation's datagrams and streams into
//! [`Dissection`]s. The [`Inspector`] finds out which dissector a conversation of the flow table belongs
//! to, feeds its session, and hands each [`Message`] to a [`Sink`].

pub(crate) mod delivery;
pub(crate) mod dissector;
mod document;
pub(crate) mod flow_info;
pub mod inspector;
pub(crate) mod limits;
pub(crate) mod looks;
pub(crate) mod message;
pub(crate) mod options;
pub(crate) mod payload;
mod registry;
mod scratch;

pub use delivery::{Event, Handled, Link};
pub use dissector::{Dissector, Encoder, Evidence, Line, NoteDoc, Observation, Session, Setting, StreamEvent, Table};
pub use document::document;
pub use flow_info::{FlowInfo, Role, Roles};
pub use inspector::{Counters, Inspector, Unclaimed, UnclaimedFlow, Withdrawn};
pub use limits::{LIMITS, Limit, Limits, PeerCaps};
pub use looks::like as looks_like;
pub use message::{Dissection, Message, Out, Provenance, Sink};
pub use options::{Options, Server, Settings};
pub use registry::Registry;
pub use scratch::Scratch;
