//! Reads one packet: walks the tables with the conversation's values.

use super::Description;
use super::lines::Nameless;
use super::state::State;
use super::unended::Begins;
use crate::codec::layout::{Field, flag};
use crate::codec::reader::TRAILING;
use crate::codec::{Context, Fault, Reader, Stop, Tree};
use std::cell::Cell;

/// Reused memory for reading a packet, shared by all conversations.
#[derive(Debug, Default)]
pub struct Work {
    /// The packet's fields.
    pub tree: Tree,
    /// The reason why reading ended early, when evidence is weighed.
    pub fault: Option<Fault>,
    /// Inflated, joined and decoded bytes: sources 1 and up.
    pub sources: Vec<Vec<u8>>,
    /// The number of sources in use.
    pub used: usize,
    /// Its innermost messages.
    pub found: super::lines::Found,
    /// For joined messages.
    pub whole: Tree,
    pub whole_found: super::lines::Found,
    pub whole_packet: Tree,
    pub whole_fields: Tree,
    pub from: Vec<crate::dissect::Arrival>,
}

/// The cap on unpacked sources of one packet.
const MOST_SOURCES: usize = 250;

impl Work {
    /// Whether the packet has a known message.
    pub fn has_message(&self) -> bool {
        self.tree.nodes().iter().any(|node| node.field.is(flag::MESSAGE))
    }

    /// A new source: its number and its buffer.
    pub fn source(&mut self) -> Option<(u8, &mut Vec<u8>)> {
        next_source(&mut self.sources, &mut self.used)
    }
}

fn next_source<'s>(sources: &'s mut Vec<Vec<u8>>, used: &mut usize) -> Option<(u8, &'s mut Vec<u8>)> {
    if *used >= MOST_SOURCES {
        return None;
    }
    if sources.len() == *used {
        sources.push(Vec::new());
    }
    *used += 1;
    let buffer = sources.get_mut(*used - 1)?;
    buffer.clear();
    Some((*used as u8, buffer))
}

/// The context for reading a packet.
pub struct Known<'a> {
    pub description: &'static Description,
    pub state: State<'a>,
    /// The remembered values that were used, as bits.
    pub used: Cell<u64>,
    /// The sources.
    pub sources: &'a mut Vec<Vec<u8>>,
    pub used_sources: &'a mut usize,
}

impl<'a> Known<'a> {
    /// A context that has used no remembered value yet. The sources are [`Work::sources`] and [`Work::used`].
    #[inline]
    pub fn new(
        description: &'static Description,
        state: State<'a>,
        sources: &'a mut Vec<Vec<u8>>,
        used_sources: &'a mut usize,
    ) -> Known<'a> {
        Known { description, state, used: Cell::new(0), sources, used_sources }
    }
}

impl Context for Known<'_> {
    #[inline]
    fn value(&self, slot: u16) -> Option<u64> {
        if let Some(place) = self.state.place(slot) {
            self.used.set(self.used.get() | 1 << place);
        }
        self.state.value(slot)
    }

    fn take_source(&mut self) -> Option<(u8, Vec<u8>)> {
        next_source(self.sources, self.used_sources).map(|(number, buffer)| (number, std::mem::take(buffer)))
    }

    fn give_source(&mut self, source: u8, bytes: Vec<u8>) {
        if let Some(place) = self.sources.get_mut((source as usize).wrapping_sub(1)) {
            *place = bytes;
        }
    }
}

/// Reads a packet or a joined message into a tree. `source`: the source with its bytes.
pub fn read(
    fields: &'static [Field],
    bytes: &[u8],
    length: usize,
    source: u8,
    known: &mut Known<'_>,
    tree: &mut Tree,
) -> Option<Fault> {
    tree.clear();
    tree.set_source(source);
    let name = known.description.facts.name;
    let outcome = Reader::new(bytes, tree)
        .named(name, known.description.nameless.name(Nameless::Packet))
        .wire_length(length)
        .context(known)
        .read(fields);
    let end = bytes.len().min(crate::codec::reader::LONGEST) as u32 * 8;
    if outcome.stop.is_none() && outcome.bits < end {
        let (bit, bits) = (outcome.bits, end - outcome.bits);
        let value = if bits % 8 == 0 && bit % 8 == 0 {
            crate::codec::Value::Bytes { bit, bits }
        } else {
            crate::codec::Value::Raw { bit, bits }
        };
        tree.push(&TRAILING, value, bit, bits);
    }
    // Faults are large and rare, so none is moved unless there is one.
    outcome.stop.is_some().then(|| outcome.fault()).flatten()
}

/// Finds the end of the message at the beginning of these bytes.
pub fn end_of(description: &'static Description, state: State<'_>, bytes: &[u8], work: &mut Work) -> Begins {
    work.used = 0;
    work.tree.clear();
    let mut known = Known::new(description, state, &mut work.sources, &mut work.used);
    let outcome = Reader::new(bytes, &mut work.tree).open_ended().context(&mut known).read(description.packet);
    match outcome.stop {
        // A message without bytes would never end.
        None if outcome.bits == 0 => Begins::Nothing,
        None => Begins::Message(0, outcome.bits.div_ceil(8) as usize, 0),
        Some(Stop::Fault(fault)) if fault.is_cut() => {
            let needed = (u64::from(fault.bit) + fault.need).div_ceil(8);
            Begins::More(usize::try_from(needed).unwrap_or(usize::MAX).max(bytes.len() + 1))
        }
        Some(_) => Begins::Nothing,
    }
}
