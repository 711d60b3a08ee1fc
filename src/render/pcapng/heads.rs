//! Caches the beginnings of a comment's first and last line, which are the same for many messages.

use super::options::{OWN, TREE};
use super::tree::word;
use crate::dissect::{Dissection, Message, Role};
use crate::render::line_writer::LineWriter;
use crate::render::summary;

/// The number of cached beginnings; a power of two.
const KEPT: usize = 256;

/// The beginnings of the latest messages.
#[derive(Debug, Default)]
pub struct Heads(Vec<Head>);

/// The beginnings of both lines.
#[derive(Clone, Debug, Default)]
pub struct Head {
    of: Option<Key>,
    /// `netkit: `, protocol, version, message, sender.
    pub first: Vec<u8>,
    /// The number of columns in the line so far, without `netkit: `.
    pub columns: usize,
    /// The form, `p`, `v`, `m`, `f`.
    pub last: Vec<u8>,
}

/// The values that determine them. Names are compared by address: an equal name at another address is formatted again.
#[derive(Clone, Copy, Debug)]
struct Key {
    proto: &'static str,
    version: &'static str,
    message: &'static str,
    from: Role,
    part: Option<(u32, u32)>,
}

impl Key {
    fn of(message: &Message<'_>) -> Key {
        let dissection = message.dissection;
        let version = dissection.version.unwrap_or_default();
        let Dissection { proto, message, from, part, .. } = *dissection;
        Key { proto, version, message, from, part }
    }

    fn is(&self, other: &Key) -> bool {
        let same = |a: &'static str, b: &'static str| std::ptr::eq(a, b);
        (self.from, self.part) == (other.from, other.part)
            && same(self.message, other.message)
            && same(self.proto, other.proto)
            && same(self.version, other.version)
    }
}

impl Heads {
    /// Returns the beginnings of the message's comment.
    pub fn of(&mut self, message: &Message<'_>) -> &Head {
        if self.0.is_empty() {
            self.0.resize(KEPT, Head::default());
        }
        let key = Key::of(message);
        // Names of a few bytes are next to each other in memory.
        let place = key.message.as_ptr().addr() / 4 * 4 + key.from as usize;
        let head = &mut self.0[place % KEPT];
        if !head.of.as_ref().is_some_and(|of| of.is(&key)) {
            head.make(key, message);
        }
        head
    }
}

impl Head {
    fn make(&mut self, key: Key, message: &Message<'_>) {
        let Head { first, last, .. } = self;
        first.clear();
        first.extend_from_slice(OWN.as_bytes());
        let mut line = LineWriter::new(first, false);
        summary::remark_head(message, &mut line);
        self.columns = line.column();
        last.clear();
        last.extend_from_slice(TREE.as_bytes());
        let mut named = |name: &str, value: &str| {
            last.extend_from_slice(name.as_bytes());
            word(value.as_bytes(), last);
        };
        named(" p=", key.proto);
        if let Some(version) = message.dissection.version {
            named(" v=", version);
        }
        named(" m=", key.message);
        if key.from != Role::Unknown {
            named(" f=", key.from.name());
        }
        self.of = Some(key);
    }
}
