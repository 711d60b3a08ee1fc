//! The protocols: one folder each, with its tables (`layout.rs`), its memory (`session.rs`) and its
//! documentation. A sixth protocol is one more folder, and one more line in [`ALL`].

pub mod acknex;
pub mod delivery;
pub mod dissector;
pub mod dnp;
pub mod gne;
pub mod hawknl;
pub mod inspector;
pub mod message;
pub mod nano;
pub mod options;
pub mod payload;
pub mod probe;
pub mod replay;
pub mod riptide;
pub mod talk;
pub mod websocket;

pub use dissector::{Dissector, Encoder, Evidence, Line, NoteDoc, Session, Setting, Sight, StreamEvent, Table};
pub use inspector::{Counters, Inspector, Share};
pub use message::{Draft, Message, Out, Place, Sink};
pub use options::{Options, Server, Settings};
pub use probe::Probe;
pub use talk::{Role, Roles, Talk};

/// All dissectors, in the order in which they are listed and asked.
pub static ALL: [&dyn Dissector; 5] = [&riptide::Riptide, &dnp::Dnp, &nano::Nano, &gne::Gne, &acknex::Acknex];

/// The dissector of that name.
pub fn by_name(name: &str) -> Option<&'static dyn Dissector> {
    ALL.into_iter().find(|d| d.name() == name)
}

/// The dissector whose lines these are: its own, or its carrier's.
pub fn for_line(proto: &str) -> Option<&'static dyn Dissector> {
    by_name(proto).or_else(|| ALL.into_iter().find(|d| d.carriers().contains(&proto)))
}
