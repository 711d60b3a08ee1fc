//! Long messages: joins the parts of one direction.

use super::layout::{Message, ONE_VALUE, VALUES};
use super::runs::{Around, Mark};
use crate::codec::layout::{Field, Len, bytes, u32le};
use crate::codec::{Reader, Tree, Value};
use crate::dissect::{Arrival, Dissection};
use std::collections::BTreeMap;

/// The most bytes of parts that a direction holds for incomplete messages: some hundred times the longest message of
/// the programs' tests. Above it the oldest parts are dropped.
const HELD_BYTES: usize = 4 << 20;

pub(super) static MESSAGE: Field = bytes("message", Len::Rest).doc("the message, all parts joined");
pub(super) static PARTS: Field = u32le("parts").doc("the number of the message's parts");

/// The two commands that are sent in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinedKind {
    /// Command 10.
    Message = 0,
    /// Command 11.
    LinkState = 1,
}

impl JoinedKind {
    /// The kind of message that this message is a part of.
    pub fn of(message: Message) -> Option<JoinedKind> {
        match message {
            Message::LongMessage => Some(JoinedKind::Message),
            Message::LongLinkState => Some(JoinedKind::LinkState),
            _ => None,
        }
    }
}

/// The state of the message to which a new part belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// Something is still missing.
    Open,
    /// It belongs to no message: there is no `first` before it.
    Orphan,
    /// The message is complete, from the first number to the last.
    Whole(i64, i64),
}

/// Finds the message of the part `number` with these flags, from the runs before and after it. `origin` is the
/// connection's first number.
pub fn follow(number: i64, first: bool, last: bool, kind: JoinedKind, around: &Around, origin: i64) -> Chain {
    let begin = match around.before {
        _ if first => Some(number),
        None if number == origin => return Chain::Orphan,
        None => None,
        Some((from, run)) => match run.marks[kind as usize].tail {
            Mark::First(begin) => Some(begin),
            Mark::Last(_) => return Chain::Orphan,
            Mark::None if from <= origin && origin <= number => return Chain::Orphan,
            Mark::None | Mark::Wall => None,
        },
    };
    let end = match around.after.map(|run| run.marks[kind as usize].head) {
        _ if last => Some(number),
        Some(Mark::Last(end)) => Some(end),
        _ => None,
    };
    if let (Some(begin), Some(end)) = (begin, end) { Chain::Whole(begin, end) } else { Chain::Open }
}

#[derive(Clone, Debug)]
struct Part {
    /// The part's bytes of the message, followed by those of the data.
    bytes: Vec<u8>,
    /// The number of bytes that belong to the message: all of them in command 10.
    split: usize,
    read_only: bool,
    /// The datagram that contained it.
    from: Arrival,
}

/// The incomplete messages' parts of one kind and direction.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    held: BTreeMap<i64, Part>,
    bytes: usize,
    /// Parts up to this number may have been dropped.
    dropped: Option<i64>,
}

impl Parts {
    /// The number of bytes that the parts hold.
    pub fn memory(&self) -> usize {
        // A node of the map has room for several parts.
        self.bytes + self.held.len() * 2 * size_of::<(i64, Part)>()
    }

    /// Keeps a part.
    pub fn keep(&mut self, number: i64, message: &[u8], data: &[u8], read_only: bool, from: Arrival) {
        let bytes = [message, data].concat();
        self.bytes += bytes.len();
        self.held.insert(number, Part { bytes, split: message.len(), read_only, from });
        while self.bytes > HELD_BYTES {
            self.drop_first();
        }
    }

    /// Forgets the parts before a number.
    pub fn forget(&mut self, below: i64) {
        while self.held.first_key_value().is_some_and(|(number, _)| *number < below) {
            self.drop_first();
        }
    }

    fn drop_first(&mut self) {
        if let Some((number, part)) = self.held.pop_first() {
            self.bytes = self.bytes.saturating_sub(part.bytes.len());
            self.dropped = self.dropped.max(Some(number));
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.held.clear();
        (self.bytes, self.dropped) = (0, None);
    }
}

/// A joined message.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    message: Vec<u8>,
    data: Vec<u8>,
    /// The end of each part's data.
    ends: Vec<usize>,
    /// The flag of the first part.
    pub read_only: bool,
    /// The datagrams that contained the parts.
    from: Vec<Arrival>,
}

impl Joined {
    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.message.capacity()
            + self.data.capacity()
            + self.ends.capacity() * size_of::<usize>()
            + self.from.capacity() * size_of::<Arrival>()
    }

    /// Takes the parts from `begin` to `end`. `false`: some of them were dropped.
    pub fn take(&mut self, parts: &mut Parts, begin: i64, end: i64) -> bool {
        self.message.clear();
        self.data.clear();
        self.ends.clear();
        self.from.clear();
        if parts.dropped.is_some_and(|dropped| begin <= dropped) {
            return false;
        }
        while let Some((number, _)) = parts.held.range(begin..=end).next()
            && let number = *number
            && let Some(part) = parts.held.remove(&number)
        {
            parts.bytes = parts.bytes.saturating_sub(part.bytes.len());
            let (message, data) = part.bytes.split_at_checked(part.split).unwrap_or((&part.bytes, &[]));
            self.message.extend_from_slice(message);
            self.data.extend_from_slice(data);
            if self.ends.is_empty() {
                self.read_only = part.read_only;
            }
            self.ends.push(self.data.len());
            self.from.push(part.from);
        }
        true
    }

    /// Relates the datagram at hand to those of the other parts.
    pub fn relate(&self, here: Arrival, dissection: &mut Dissection) {
        dissection.related.joined_from(&self.from, here);
    }

    /// Shows the message, the number of its parts, and for a link_state its values. Returns false if the values cannot
    /// be read.
    pub fn show(&self, kind: JoinedKind, dissection: &mut Dissection) -> bool {
        let (source, buffer) = dissection.source();
        buffer.extend_from_slice(&self.message);
        let bits = self.message.len() as u32 * 8;
        dissection.derived.set_source(source);
        dissection.derived.push(&MESSAGE, Value::Bytes { bit: 0, bits }, 0, bits);
        dissection.derived.push(&PARTS, Value::UInt(self.ends.len() as u64), 0, 0);
        if kind == JoinedKind::Message {
            return true;
        }
        let (source, buffer) = dissection.source();
        buffer.extend_from_slice(&self.data);
        dissection.derived.set_source(source);
        self.values(&mut dissection.derived)
    }

    /// Appends the values, written as one count and list, or as one in each part.
    fn values(&self, tree: &mut Tree) -> bool {
        let mark = tree.nodes().len();
        if self.lists(tree, &[self.data.len()]).is_some() {
            return true;
        }
        tree.truncate(mark);
        if self.ends.len() > 1 && self.lists(tree, &self.ends).is_some() {
            return true;
        }
        tree.truncate(mark);
        false
    }

    /// Reads a count and values up to each of these ends.
    fn lists(&self, tree: &mut Tree, ends: &[usize]) -> Option<()> {
        let list = tree.open(&VALUES, Value::List, 0);
        let mut begin = 0;
        for end in ends {
            let part = self.data.get(..*end)?;
            let [low, high, ..] = part.get(begin..)? else { return None };
            let mut bit = (begin as u32 + 2) * 8;
            for _ in 0..u16::from_le_bytes([*low, *high]) {
                // If nothing is left, reading the first value stops here.
                let outcome = Reader::new(part, tree).starting_at(bit).read(&ONE_VALUE);
                if outcome.stop.is_some() {
                    return None;
                }
                bit = outcome.bits;
            }
            if bit as usize != end * 8 {
                return None;
            }
            begin = *end;
        }
        tree.close(list, begin as u32 * 8);
        Some(())
    }
}
