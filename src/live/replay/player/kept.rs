//! The peer's messages that are kept for the comparison: as many as the limit has room for, and how
//! many came beside them.

use crate::message::OwnedMessage;

/// The peer's messages.
#[derive(Debug)]
pub struct Kept {
    /// The first of them.
    pub messages: Vec<OwnedMessage>,
    /// How many came after there was no room any more.
    pub more: u64,
    room: usize,
}

impl Kept {
    /// None so far; they may take so many bytes of memory.
    pub fn new(room: usize) -> Kept {
        Kept { messages: Vec::new(), more: 0, room }
    }

    /// One more has come.
    pub fn push(&mut self, said: OwnedMessage) {
        // The list grows to twice its length.
        let taken = size_of::<OwnedMessage>() + said.weight();
        if self.more > 0 || taken > self.room {
            self.more += 1;
            return;
        }
        self.room -= taken;
        self.messages.push(said);
    }

    /// How many have come.
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
        let said = || OwnedMessage::default().with_fields(json!({"unparsed": "ff".repeat(100)}));
        let mut kept = Kept::new(1 << 20);
        (0..10_000).for_each(|_| kept.push(said()));
        assert_eq!(kept.count(), 10_000);
        // Many times what the texts take, and still less than the limit.
        assert!((400..2000).contains(&kept.messages.len()), "{}", kept.messages.len());
        // A small one behind a large one is not kept either: what is compared is the beginning.
        let mut kept = Kept::new(4096);
        let mut large = OwnedMessage::default();
        large.set_bytes(vec![0; 4096]);
        kept.push(large);
        kept.push(OwnedMessage::default());
        assert_eq!((kept.messages.len(), kept.more), (0, 2));
    }
}
