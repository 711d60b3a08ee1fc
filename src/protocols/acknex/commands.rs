//! The message of each command byte, by edition and direction.

use super::{a5, layout};
use crate::codec::Layout;
use crate::codec::layout::Kind;
use crate::dissect::{Role, Table};

/// An edition of the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// A5 5.230.
    A5,
    /// A6, A7, A8: as the specification has them.
    #[default]
    A6,
}

crate::named!(Version: A5 = "a5", A6 = "a6");

impl Version {
    /// Its messages.
    pub fn book(self) -> &'static Book {
        match self {
            Version::A5 => &A5,
            Version::A6 => &A6,
        }
    }
}

/// Layouts, and the index of each command's layout among them; [`NONE`]: the command has none.
#[derive(Debug)]
struct Chapter {
    layouts: &'static [Layout],
    index: [u8; 256],
}

const NONE: u8 = u8::MAX;

impl Chapter {
    const fn of(layouts: &'static [Layout]) -> Chapter {
        let mut index = [NONE; 256];
        let mut k = 0;
        while k < layouts.len() {
            let command = &layouts[k].fields[0];
            match (&command.kind, command.default) {
                (Kind::Tag { value, .. }, _) => index[*value as usize] = k as u8,
                // An update: all combinations of its six bits.
                (_, Some(base)) => {
                    let mut bits = 0;
                    while bits < 64 {
                        index[base as usize + bits] = k as u8;
                        bits += 1;
                    }
                }
                _ => {}
            }
            k += 1;
        }
        Chapter { layouts, index }
    }

    fn find(&self, command: u8) -> Option<&'static Layout> {
        let index = self.index.get(command as usize)?;
        self.layouts.get(*index as usize)
    }
}

/// The messages of one edition.
#[derive(Debug)]
pub struct Book {
    both: Chapter,
    client: Chapter,
    server: Chapter,
}

static A6: Book = Book {
    both: Chapter::of(&layout::BOTH),
    client: Chapter::of(&layout::CLIENT),
    server: Chapter::of(&layout::SERVER),
};
static A5: Book =
    Book { both: Chapter::of(&a5::BOTH), client: Chapter::of(&a5::CLIENT), server: Chapter::of(&a5::SERVER) };

impl Book {
    /// Returns the message that `from` sends with this command. For an unknown sender, only messages that are the same
    /// in both directions.
    #[inline]
    pub fn find(&self, from: Role, command: u8) -> Option<&'static Layout> {
        let own = match from {
            Role::Client => self.client.find(command),
            Role::Server => self.server.find(command),
            Role::Unknown => None,
        };
        own.or_else(|| self.both.find(command))
    }

    /// Whether either side sends this command.
    pub fn defines(&self, command: u8) -> bool {
        [&self.both, &self.client, &self.server].into_iter().any(|chapter| chapter.find(command).is_some())
    }

    /// Returns the message with that name that `from` sends.
    pub fn by_name(&self, from: Role, name: &str) -> Option<&'static Layout> {
        let own: &[Layout] = match from {
            Role::Client => self.client.layouts,
            Role::Server => self.server.layouts,
            Role::Unknown => &[],
        };
        own.iter().chain(self.both.layouts).find(|l| l.name == name)
    }

    /// The names of all messages.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        [&self.both, &self.client, &self.server].into_iter().flat_map(|chapter| chapter.layouts).map(|l| l.name)
    }
}

/// All tables, for the documentation.
pub static TABLES: [Table; 7] = [
    Table { version: "a6", from: Role::Unknown, layouts: &layout::BOTH },
    Table { version: "a6", from: Role::Client, layouts: &layout::CLIENT },
    Table { version: "a6", from: Role::Server, layouts: &layout::SERVER },
    Table { version: "a5", from: Role::Unknown, layouts: &a5::BOTH },
    Table { version: "a5", from: Role::Client, layouts: &a5::CLIENT },
    Table { version: "a5", from: Role::Server, layouts: &a5::SERVER },
    Table { version: "", from: Role::Unknown, layouts: &layout::UNREADABLE },
];
