//! Recognition and dissection of any protocol. No protocol is known here.
//!
//! A [`Dissector`], usually a [`Protocol`], describes a protocol: its tables, its recognition, the
//! state for a new conversation. A [`Session`] is that state: it reads a conversation's datagrams and
//! streams into [`Dissection`]s. The [`Inspector`] classifies the conversations of the flow table,
//! feeds their sessions, and passes each [`Message`] to a [`Sink`].

mod account;
mod conversation;
pub(crate) mod counts;
mod decision;
pub(crate) mod delivery;
pub(crate) mod dissector;
mod document;
mod encoder;
mod facts;
mod farewell;
pub(crate) mod flow_info;
pub(crate) mod framed;
#[doc(hidden)]
pub mod inspector;
pub(crate) mod limits;
mod links;
pub(crate) mod looks;
mod lookup;
pub(crate) mod message;
pub(crate) mod numbered;
pub(crate) mod options;
mod outline;
mod part;
pub(crate) mod payload;
mod protocol;
mod public;
mod relations;
pub(crate) mod role;
mod scratch;
mod wants;

#[cfg(feature = "cli")]
pub(crate) use self::{
    inspector::sideless::Sideless,
    inspector::unclaimed::{UnclaimedFlow, Unlike},
    links::Linked,
    part::Part,
};
pub use account::Account;
pub(crate) use account::{Amount, BackwardStep, CutFrames, DuplicatePackets, UNDECIDED};
pub(crate) use conversation::SessionReader;
pub use decision::{Closed, Decision};
pub use delivery::{Event, Events, Handled, Link};
#[doc(hidden)]
pub use dissector::PortNames;
pub(crate) use dissector::Senders;
pub use dissector::{Dissector, Evidence, NoteDoc, Observation, Registry, Session, Setting, StreamEvent, Table};
pub use document::document;
#[cfg(feature = "cli")]
pub(crate) use document::message_names;
pub(crate) use encoder::Rewriter;
pub use encoder::{Encoder, Line};
pub use facts::Facts;
pub use farewell::Farewell;
pub use flow_info::FlowInfo;
pub(crate) use flow_info::Roles;
pub use framed::{Framed, Next, Pdu, StreamState};
pub use inspector::counters::Counters;
pub use inspector::{Inspector, dump};
pub use limits::Limits;
pub(crate) use limits::LiveCaps;
#[doc(hidden)]
pub use limits::{LIMITS, PeerCaps};
pub(crate) use links::NOTES as LINK_NOTES;
pub(crate) use links::{LinkedSink, Links};
pub(crate) use looks::like as looks_like;
pub(crate) use message::Nowhere;
pub use message::{Dissection, Message, Out, Provenance, Sink};
pub(crate) use message::{GAP, Unit, UnitKind};
pub(crate) use options::Settings;
pub use options::{Options, Server};
#[doc(hidden)]
pub use outline::{Outline, StreamFrame};
pub use protocol::Protocol;
pub use public::Public;
#[cfg(feature = "cli")]
pub(crate) use relations::Expected;
pub(crate) use relations::{Arrival, FrameLines};
pub use relations::{RelatedNote, Relation, RelationKind, Relations, Target};
pub use role::Role;
pub use scratch::Scratch;
pub use wants::Wants;
