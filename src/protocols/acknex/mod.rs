//! Acknex, the client/server protocol of 3D Gamestudio: A6 to A8 as specified, and A5 (5.230).
//!
//! A datagram holds any number of messages without header, length or acknowledgement; each message
//! is a line of its own. The specification leaves open how some bytes are read (the order of an
//! angle's bytes, the width of coordinates, ..): [`reading`] has the choices, and [`votes`] finds
//! two of them by what a conversation shows. No byte of a real engine was ever seen: everything
//! here follows the manuals.

pub mod a5;
mod analyse;
pub mod client;
pub mod commands;
pub mod creates;
pub mod encode;
pub mod flags;
pub mod layout;
pub mod members;
pub mod notes;
pub mod reading;
pub mod session;
#[cfg(test)]
mod tests;
pub mod votes;
pub mod whole;

use crate::codec::Tree;
use crate::codec::layout::Field;
use crate::dissect::{Dissector, Encoder, Evidence, NoteDoc, Options, Role, Session, Setting, Sight, Table, Talk};
use crate::flow::Transport;
use commands::Version;
use reading::Asked;
use whole::Datagram;

/// The default port of the engine's servers.
pub const PORT: u16 = 2300;

/// The dissector.
pub struct Acknex;

static DERIVED: [&Field; 4] = [&analyse::MEMBER, &analyse::REQUEST_FRAME, &analyse::ROUND_TRIP, &reading::READING];

impl Dissector for Acknex {
    fn name(&self) -> &'static str {
        "acknex"
    }

    fn about(&self) -> &'static str {
        "Acknex / 3D Gamestudio A5 to A8, over UDP"
    }

    fn tables(&self) -> &'static [Table] {
        &commands::TABLES
    }

    fn derived(&self) -> &'static [&'static Field] {
        &DERIVED
    }

    fn settings(&self) -> &'static [Setting] {
        &reading::SETTINGS
    }

    fn notes(&self) -> &'static [NoteDoc] {
        notes::NOTES
    }

    fn takes(&self, transport: Transport, _named: bool) -> bool {
        transport == Transport::Udp
    }

    /// Port 2300 alone says little, other libraries use it too: the first datagram has to be one
    /// that can be read to its end.
    fn identify(&self, sight: &Sight<'_>) -> Evidence {
        if sight.transport != Transport::Udp || !sight.ends.iter().any(|end| end.port() == PORT) {
            return Evidence::No;
        }
        let asked = Asked::of(sight.options);
        let Some((side, bytes, length)) = sight.said.iter().find(|(.., length)| *length > asked.skip) else {
            return Evidence::Maybe("nothing but empty datagrams on port 2300");
        };
        let talk = Talk {
            flow: 0,
            transport: sight.transport,
            ends: Some(sight.ends),
            opener: None,
            begun: sight.begun,
            options: sight.options,
        };
        let role = Talk::role(session::server_told(&talk), *side);
        let version = asked.version.unwrap_or(Version::A6);
        let datagram = Datagram::new(&asked, version, bytes, *length);
        let mut tree = Tree::default();
        let roles = [Role::Client, Role::Server];
        if roles.iter().any(|r| (role == *r || role == Role::Unknown) && datagram.whole(*r, &mut tree)) {
            return Evidence::Sure(40, "port 2300, and the first datagram can be read to its end");
        }
        if asked.version != Some(Version::A6) && role != Role::Client && datagram.marks_a5() {
            return Evidence::Sure(60, "port 2300, and the mark of A5's info");
        }
        Evidence::No
    }

    fn session(&self, talk: &Talk<'_>) -> Box<dyn Session> {
        Box::new(session::Conversation::new(talk))
    }

    fn encoder(&self, options: &Options) -> Box<dyn Encoder> {
        Box::new(encode::Writing::new(options))
    }
}
