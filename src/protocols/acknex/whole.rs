//! Whether a datagram can be read to its end. This shows who sent it, the width of its coordinates, and whether it is
//! of this protocol at all.

use super::a5;
use super::commands::Version;
use super::reading::{self, Asked, WireVariant};
use crate::codec::{Reader, Tree};
use crate::dissect::Role;

/// The findings of a walk through a datagram's messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Walk {
    /// Every byte belongs to a message, nothing broke, and the capture has all bytes.
    pub whole: bool,
    /// There was an update with a position, or the beginning of one.
    pub position: bool,
    /// The command that ended the walk because this sender does not have it.
    pub other: Option<u8>,
}

/// One datagram and its readings.
#[derive(Clone, Copy, Debug)]
pub struct Datagram<'a> {
    /// Its captured bytes.
    pub bytes: &'a [u8],
    /// Its length on the wire.
    pub length: usize,
    /// The edition.
    pub version: Version,
    /// The readings that are known so far.
    pub reading: WireVariant,
    /// Whether the width of coordinates is known.
    pub width_known: bool,
}

impl<'a> Datagram<'a> {
    /// A datagram without the bytes to skip.
    pub fn new(asked: &Asked, version: Version, bytes: &'a [u8], length: usize) -> Datagram<'a> {
        Datagram {
            bytes: bytes.get(asked.skip..).unwrap_or(&[]),
            length: length.saturating_sub(asked.skip),
            version,
            reading: asked.reading(version),
            width_known: asked.fixed.is_some(),
        }
    }

    /// Walks through the messages that `from` sends. For an unknown sender, only messages that are the same in both
    /// directions.
    pub fn walk(&self, from: Role, fixed: bool, tree: &mut Tree) -> Walk {
        let mut reading = WireVariant { fixed, ..self.reading };
        let mut walk = Walk::default();
        let mut rest = self.bytes;
        while let Some(&command) = rest.first() {
            let Some(layout) = self.version.book().find(from, command) else {
                walk.other = Some(command);
                return walk;
            };
            tree.clear();
            let outcome = Reader::new(rest, tree).context(&mut reading).read(layout.fields);
            walk.position |= tree.find(&reading::POSITION).is_some();
            if outcome.stop.is_some() {
                return walk;
            }
            rest = rest.get((outcome.bits as usize / 8).max(1)..).unwrap_or(&[]);
        }
        walk.whole = !self.bytes.is_empty() && self.bytes.len() == self.length;
        walk
    }

    /// Whether it is whole as sent by `from`, with a width that is possible.
    pub fn whole(&self, from: Role, tree: &mut Tree) -> bool {
        let walk = self.walk(from, self.reading.fixed, tree);
        // Without a position, the width makes no difference.
        walk.whole || walk.position && !self.width_known && self.walk(from, !self.reading.fixed, tree).whole
    }

    /// Finds the sender by the bytes alone. `true`: the datagram is whole as that sender's.
    pub fn sender(&self, tree: &mut Tree) -> (Role, bool) {
        let one_way = match self.walk(Role::Unknown, false, tree).other {
            Some(0x02 | 0x09) => Some(Role::Client),
            Some(0x05 | 0x06 | 0x12 | 0x40..=0xff) => Some(Role::Server),
            _ => None,
        };
        if let Some(role) = one_way {
            return (role, self.whole(role, tree));
        }
        match [Role::Client, Role::Server].map(|role| self.whole(role, tree)) {
            [true, false] => (Role::Client, true),
            [false, true] => (Role::Server, true),
            _ => (Role::Unknown, false),
        }
    }

    /// Whether it begins with A5's info, possibly after filler bytes.
    pub fn marks_a5(&self) -> bool {
        let fill = self.bytes.iter().take_while(|b| **b == 0x01).count();
        let rest = self.bytes.get(fill..).unwrap_or(&[]);
        rest.split_first().is_some_and(|(command, rest)| *command == 0x07 && rest.starts_with(&a5::SYNC.to_le_bytes()))
    }
}
