//! `netkit check --suggest`: a first file for traffic of an unknown protocol, from what its bytes show by themselves.
//!
//! Constants, the byte that selects the message, counters and clocks, lengths, acknowledgements and texts are found in
//! the packets of one server; each field's `doc` has its evidence. The rest is written as bytes. The file loads, and
//! explains at least the frame.

mod frame;
mod kind;
mod layout;
mod numbers;
mod sample;
#[cfg(test)]
mod tests;
mod write;

use crate::dissect::Server;
use kind::Kind;
use numbers::{Counter, Does, Number};
pub use sample::{Collector, NoSample};
use sample::{Sample, Sent};

/// The fewest packets of a kind that gets a message of its own.
const FEWEST: usize = 4;
/// The fewest packets in which bytes that never change are a constant.
const CONSTANT: usize = 8;
/// The bytes of a packet that are examined.
const DEEP: usize = 64;
/// The most kinds within kinds.
const DEEPEST: usize = 3;
/// The unknown bytes between two numbers of a header.
const NEAR: usize = 4;

/// Packets that have the same fields from one offset on, up to the byte that divides them into kinds, or to their ends.
#[derive(Debug)]
struct Node<'a> {
    packets: Vec<&'a Sent>,
    from: usize,
    /// The end of the bytes that all packets have.
    to: usize,
    /// The end of its fields: where those of its kinds begin.
    end: usize,
    kind: Option<Kind>,
    numbers: Vec<Number>,
    kinds: Vec<(u8, Node<'a>)>,
}

impl Collector {
    /// Returns a file, in the language of protocol files, that describes the packets of the server that sent and
    /// received the most bytes, or of `server`.
    ///
    /// # Errors
    /// There are none, or they are streams whose frames cannot be found.
    pub fn suggest(self, server: Option<Server>) -> Result<String, NoSample> {
        self.sample(server).map(|sample| suggest(&sample))
    }
}

/// Writes a file that describes the sample.
fn suggest(sample: &Sample) -> String {
    let packets: Vec<&Sent> = sample.packets.iter().collect();
    let first = Node::new(packets.clone(), 0, 0, None);
    // The numbers that show the order of their bytes speak for those that do not.
    let mut votes = 0;
    first.each(&mut |node| votes += node.numbers.iter().map(Number::vote).sum::<i32>());
    let mut root = Node::new(packets, 0, 0, (votes != 0).then_some(votes > 0));
    root.constant();
    let mut counted = Vec::new();
    root.each(&mut |node| {
        let numbers = node.numbers.iter().filter(|number| matches!(number.does, Does::Counts(_)));
        counted.extend(numbers.map(|number| Counter { packets: node.packets.clone(), number: number.clone() }));
    });
    root.acknowledged(&sample.packets, &counted);
    write::file(sample, &root, votes >= 0)
}

impl<'a> Node<'a> {
    fn new(packets: Vec<&'a Sent>, from: usize, depth: usize, likely: Option<bool>) -> Node<'a> {
        let least = packets.iter().map(|sent| sent.bytes.len()).min().unwrap_or(0);
        // Farther bytes belong to what the packet carries.
        let to = least.min(DEEP).max(from);
        let mut numbers = numbers::numbers(&packets, from, to, likely);
        let inner = depth > 0;
        let kind = (depth < DEEPEST).then(|| kind::kind(&packets, from, to, &numbers, inner)).flatten();
        let Some(kind) = kind else { return Node { packets, from, to, end: to, kind, numbers, kinds: Vec::new() } };
        // What all kinds have is before them, up to the last number in a row of known bytes.
        let near = |end: usize, number: &Number| if number.at <= end + NEAR { number.end().max(end) } else { end };
        let end = numbers.iter().fold(kind.at + 1, near);
        numbers.retain(|number| number.at < end);
        let mut kinds = Vec::new();
        for id in 0..=u8::MAX {
            let group: Vec<&Sent> = packets.iter().copied().filter(|sent| kind.of(sent) == id).collect();
            if group.len() >= FEWEST {
                kinds.push((id, Node::new(group, end, depth + 1, likely)));
            }
        }
        Node { packets, from, to, end, kind: Some(kind), numbers, kinds }
    }

    fn each(&self, then: &mut impl FnMut(&Node<'a>)) {
        then(self);
        for (_, node) in &self.kinds {
            node.each(then);
        }
    }

    /// Adds the constant at the beginning of all packets.
    fn constant(&mut self) {
        let same = |at: &usize| self.packets.iter().all(|sent| sent.bytes[*at] == self.packets[0].bytes[*at]);
        let limits = [self.numbers.first().map(|number| number.at), self.kind.map(|kind| kind.at), Some(self.to)];
        let to = limits.into_iter().flatten().min().unwrap_or(0);
        let width = (0..to).take_while(same).count();
        if width > 0 && self.packets.len() >= CONSTANT {
            self.numbers.insert(0, Number { at: 0, width, big: None, does: Does::Constant });
        }
    }

    /// Finds the numbers that repeat what the other side counted. They count as well.
    fn acknowledged(&mut self, all: &[Sent], counted: &[Counter<'a>]) {
        let to = if self.kind.is_some() { self.end } else { self.to };
        for number in numbers::acknowledged(all, &self.packets, self.from, to, counted) {
            let taken = |at: usize, end: usize| at < number.end() && number.at < end;
            let same = self.numbers.iter().position(|n| n.at == number.at && n.width == number.width);
            if let Some(same) = same {
                self.numbers[same] = number;
            } else if !self.numbers.iter().any(|other| taken(other.at, other.end()))
                && !self.kind.is_some_and(|kind| taken(kind.at, kind.at + 1))
            {
                self.numbers.push(number);
            }
        }
        self.numbers.sort_by_key(|number| number.at);
        for (_, node) in &mut self.kinds {
            node.acknowledged(all, counted);
        }
    }

    /// The only sender of its packets.
    fn sender(&self) -> Option<&'static str> {
        match self.packets.iter().filter(|sent| sent.by_server).count() {
            0 => Some("client"),
            n if n == self.packets.len() => Some("server"),
            _ => None,
        }
    }
}
