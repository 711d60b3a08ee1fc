//! The file's rules for delivery, applied to a conversation. They lead to the same events, notes and relations as those
//! of the built-in protocols.

mod identified;
mod numbers;
mod path;
mod requests;
mod rules;

pub use numbers::{Named, space};
pub use path::{Fields, Path, Shown};
pub use rules::{Numbers, RangeEnds, Rules, What, compile};

use super::codes::Codes;
use super::key::Key;
use crate::codec::Fault;
use crate::codec::node::Node;
use crate::dissect::{Dissection, Event, Provenance};
use crate::flow::{Side, Transport};
use numbers::Spaces;
use requests::Questions;

/// The state of a conversation's numbers and requests.
#[derive(Debug, Default)]
pub struct Traffic {
    spaces: Spaces,
    questions: Questions,
}

impl Traffic {
    /// The state of a new conversation over this transport.
    pub fn over(transport: Transport) -> Traffic {
        Traffic { questions: Questions::new(transport == Transport::Udp), ..Traffic::default() }
    }

    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.spaces.memory() + self.questions.memory()
    }

    /// Begins the numbers and requests of another session.
    pub fn begin(&mut self, dissection: &mut Dissection) {
        self.spaces = Spaces::default();
        self.questions.begin();
        dissection.delivery.push(Event::Begin);
    }

    /// The side, the number in the statistics, and the key of each number space.
    pub fn spaces(&self) -> impl Iterator<Item = (Side, i64, Key)> + '_ {
        self.spaces.keys()
    }

    /// Whether an answer had the long key of its request.
    pub fn agrees(&self) -> bool {
        self.questions.agrees
    }

    /// The bits of the longest key that an answer had in common with its request.
    pub fn answered_bits(&self) -> u32 {
        self.questions.bits
    }

    /// Handles a line. `start`: the offset of its first byte in the packet. What a line has before the capture cut it
    /// counts; another fault shows that it is not what the rules are about, and a receiver drops a packet whose checksum is
    /// wrong.
    pub fn see(
        &mut self,
        rules: &Rules,
        place: &Provenance<'_>,
        start: u32,
        codes: &Codes,
        dissection: &mut Dissection,
    ) {
        let dropped = |dissection: &Dissection| dissection.notes.has(codes.checksum);
        if rules.is_empty() || !dissection.fault.as_ref().is_none_or(Fault::is_cut) || dropped(dissection) {
            return;
        }
        let mut copy_of = None;
        for (rule, numbers) in rules.numbers.iter().enumerate() {
            copy_of = self.spaces.numbered(rule, numbers, place, start, codes, dissection).or(copy_of);
            self.spaces.acknowledged(rule, numbers, place, start, codes, dissection);
        }
        for (rule, requests) in rules.requests.iter().enumerate() {
            self.questions.see(rule, requests, place, copy_of, codes, dissection);
        }
    }
}

/// Whether a header's field is in the bytes of an earlier part, and so was counted with it.
fn shared(node: &Node, start: u32, dissection: &Dissection) -> bool {
    dissection.part.is_some_and(|(part, _)| part > 1) && node.bit < start * 8
}

/// The values of these fields of a line.
pub fn key(fields: &[Path], line: Shown<'_>) -> Key {
    let mut key = Key::default();
    fields.iter().for_each(|field| key.push(field.number(line)));
    key
}

/// The same; `None` if the line is cut before one of them.
fn whole_key(fields: &[Path], line: Shown<'_>) -> Option<Key> {
    let cut = line.cut && fields.iter().any(|field| field.number(line).is_none());
    (!cut).then(|| key(fields, line))
}
