//! What a file says of delivery, and what a conversation has of it: the same events, notes and
//! relations as those of the built-in protocols follow from it.

mod identified;
mod numbers;
mod path;
mod requests;
mod rules;

pub use rules::{Rules, compile};

use super::codes::Codes;
use super::key::Key;
use crate::codec::node::Node;
use crate::dissect::{Dissection, Provenance};
use numbers::Spaces;
use path::Path;
use requests::Questions;

/// What a conversation has of numbers and questions.
#[derive(Debug, Default)]
pub struct Traffic {
    spaces: Spaces,
    questions: Questions,
}

impl Traffic {
    /// How many bytes it holds.
    pub fn memory(&self) -> usize {
        self.spaces.memory() + self.questions.memory()
    }

    /// A line came. `start`: the first of its bytes in the packet.
    pub fn see(
        &mut self,
        rules: &Rules,
        (place, start): (&Provenance<'_>, u32),
        codes: &Codes,
        dissection: &mut Dissection,
    ) {
        if rules.is_empty() || dissection.fault.is_some() {
            return;
        }
        for (rule, numbers) in rules.numbers.iter().enumerate() {
            self.spaces.numbered((rule, numbers), (place, start), codes, dissection);
            self.spaces.acknowledged((rule, numbers), (place, start), codes, dissection);
        }
        for (rule, requests) in rules.requests.iter().enumerate() {
            self.questions.see((rule, requests), place, codes, dissection);
        }
    }
}

/// Does a header's field stand in the bytes of an earlier part, with which it was counted?
fn shared(node: &Node, start: u32, dissection: &Dissection) -> bool {
    dissection.part.is_some_and(|(part, _)| part > 1) && node.bit < start * 8
}

/// The values of these fields of a line.
fn key(fields: &[Path], dissection: &Dissection) -> Key {
    let mut key = Key::default();
    fields.iter().for_each(|field| key.push(field.number(dissection)));
    key
}
