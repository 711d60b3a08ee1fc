//! Keeps the peer's messages for the comparison, within a limit on memory, and counts the others.

use crate::message::OwnedMessage;

/// The peer's messages.
#[derive(Debug)]
pub struct Kept {
    /// The first of them.
    pub messages: Vec<OwnedMessage>,
    /// The number of messages that arrived when there was no room any more.
    pub more: u64,
    room: usize,
}

impl Kept {
    /// Creates an empty list, whose messages may take this many bytes of memory.
    pub fn new(room: usize) -> Kept {
        Kept { messages: Vec::new(), more: 0, room }
    }

    /// Adds a message.
    pub fn push(&mut self, decoded: OwnedMessage) {
        // The list grows to twice its length, so each entry needs twice its own memory.
        let taken = size_of::<OwnedMessage>() + decoded.weight();
        if self.more > 0 || taken > self.room {
            self.more += 1;
            return;
        }
        self.room -= taken;
        self.messages.push(decoded);
    }

    /// The number of messages that have arrived.
    pub fn count(&self) -> u64 {
        self.messages.len() as u64 + self.more
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_has_no_room_is_counted() {
        let decoded = || OwnedMessage::default().with_fields(json!({"unparsed": "ff".repeat(100)}));
        let mut kept = Kept::new(1 << 20);
        (0..10_000).for_each(|_| kept.push(decoded()));
        assert_eq!(kept.count(), 10_000);
        // They take many times the memory of their texts, and still less than the limit.
        assert!((400..2000).contains(&kept.messages.len()), "{}", kept.messages.len());
        // A small message after a large one is not kept either, because the beginning is compared.
        let mut kept = Kept::new(4096);
        let mut large = OwnedMessage::default();
        large.set_bytes(vec![0; 4096]);
        kept.push(large);
        kept.push(OwnedMessage::default());
        assert_eq!((kept.messages.len(), kept.more), (0, 2));
    }
}
