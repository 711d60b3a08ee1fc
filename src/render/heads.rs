//! The part of a line that is the same for many messages: conversation, protocol, direction,
//! addresses, message. It is half of a line, so it is kept ready.

use super::json_text::int;
use crate::flow::{Side, Transport};
use crate::protocols::{Message, Role};

/// How many lines are remembered; a power of two.
const SLOTS: usize = 256;

/// The last lines' parts, found by what they depend on.
#[derive(Debug, Default)]
pub struct Heads(Vec<Head>);

#[derive(Clone, Debug, Default)]
struct Head {
    key: Option<Key>,
    ends: [String; 2],
    text: Vec<u8>,
}

/// Names are compared by where they stand: the same name elsewhere is only made again.
#[derive(Clone, Copy, Debug)]
struct Key {
    flow: u64,
    proto: &'static str,
    message: &'static str,
    version: Option<&'static str>,
    from: Role,
    side: Side,
    transport: Option<Transport>,
}

impl Key {
    #[inline]
    fn new(message: &Message<'_>) -> Key {
        let (draft, talk) = (message.draft, message.talk);
        Key {
            flow: talk.flow,
            proto: draft.proto,
            message: draft.message,
            version: draft.version,
            from: draft.from,
            side: message.place.side,
            transport: talk.ends.map(|_| talk.transport),
        }
    }

    #[inline]
    fn is(&self, other: &Key) -> bool {
        self.flow == other.flow
            && std::ptr::eq(self.message, other.message)
            && std::ptr::eq(self.proto, other.proto)
            && match (self.version, other.version) {
                (Some(a), Some(b)) => std::ptr::eq(a, b),
                (a, b) => a.is_none() && b.is_none(),
            }
            && (self.from, self.side, self.transport) == (other.from, other.side, other.transport)
    }

    #[inline]
    fn slot(&self) -> usize {
        let name = self.message.as_ptr() as usize;
        (name ^ name >> 6 ^ (self.flow as usize) << 3 ^ (self.side as usize) << 2) & (SLOTS - 1)
    }
}

impl Heads {
    /// From `flow` (or `proto`, where there are no conversations) to `length`.
    #[inline]
    pub fn of(&mut self, message: &Message<'_>) -> &[u8] {
        if self.0.is_empty() {
            self.0.resize(SLOTS, Head::default());
        }
        let key = Key::new(message);
        let head = &mut self.0[key.slot()];
        // The same number may be another conversation's, in another capture.
        let known = head.key.is_some_and(|k| k.is(&key)) && head.ends == message.names;
        if !known {
            head.make(key, message);
        }
        &head.text
    }
}

impl Head {
    #[cold]
    fn make(&mut self, key: Key, message: &Message<'_>) {
        self.key = Some(key);
        for (kept, name) in self.ends.iter_mut().zip(message.names) {
            kept.clear();
            kept.push_str(name);
        }
        let out = &mut self.text;
        out.clear();
        if key.transport.is_some() {
            out.extend_from_slice(b"\"flow\":");
            int(key.flow, out);
            out.push(b',');
        }
        out.extend_from_slice(b"\"proto\":\"");
        out.extend_from_slice(key.proto.as_bytes());
        if let Some(version) = key.version {
            out.extend_from_slice(b"\",\"version\":\"");
            out.extend_from_slice(version.as_bytes());
        }
        out.extend_from_slice(b"\",\"from\":\"");
        out.extend_from_slice(key.from.name().as_bytes());
        if let Some(transport) = key.transport {
            out.extend_from_slice(match transport {
                Transport::Udp => b"\",\"transport\":\"udp",
                Transport::Tcp => b"\",\"transport\":\"tcp",
            });
            out.extend_from_slice(b"\",\"src\":\"");
            out.extend_from_slice(message.src().as_bytes());
            out.extend_from_slice(b"\",\"dst\":\"");
            out.extend_from_slice(message.dst().as_bytes());
        }
        out.extend_from_slice(b"\",\"message\":\"");
        out.extend_from_slice(key.message.as_bytes());
        out.extend_from_slice(b"\",\"length\":");
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{PLAIN, with};
    use super::*;

    #[test]
    fn the_same_number_in_another_capture_is_another_conversation() {
        with(&PLAIN, &[1], |message| {
            let mut heads = Heads::default();
            let first = heads.of(message).to_vec();
            assert_eq!(heads.of(message), first);
            let other = Message { names: ["127.0.0.1:9999", "127.0.0.1:58817"], ..*message };
            assert!(String::from_utf8_lossy(heads.of(&other)).contains("\"src\":\"127.0.0.1:9999\""));
            let place = crate::protocols::Place { side: Side::B, ..*message.place };
            let back = Message { place: &place, ..*message };
            assert!(String::from_utf8_lossy(heads.of(&back)).contains("\"dst\":\"127.0.0.1:3413\""));
            assert_eq!(heads.of(message), first);
        });
    }
}
