//! The byte that selects the message: few values, which come by turns and say what follows and how long the packet is.

use super::numbers::Number;
use super::sample::Sent;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The number of shuffles that show what pairs say by chance.
const SHUFFLES: usize = 4;
/// The bytes that are tried.
const TRIED: usize = 24;
/// The most kinds of a protocol.
const MOST_KINDS: usize = 64;
/// The bytes after the kind that it may determine.
const AFTER: usize = 4;
/// The factor by which the evidence of a byte counts less for each byte before it.
const FARTHER: f64 = 0.95;
/// The share of the best evidence with which an earlier byte is the kind.
const MUCH: f64 = 0.6;
/// The largest step of a number that counts slowly.
const SLOW: u8 = 8;
/// The fewest bits that a kind says of its packet.
const LEAST: f64 = 0.25;
/// The packets for each value of a kind within a kind.
const OFTEN_INNER: usize = 6;

/// A byte that selects the message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// Its offset.
    pub at: usize,
    /// Whether its lower four bits are none of it.
    pub high: bool,
    /// The number of its values.
    pub values: usize,
    /// The bits of information that it has about the lengths of packets and the bytes after it.
    pub bits: f64,
    /// Its own entropy in bits.
    own: f64,
}

/// Finds the byte between `from` and `to`, which all packets have, outside of the numbers in them. `inner`: the packets
/// are of one kind already.
pub fn kind(packets: &[&Sent], from: usize, to: usize, numbers: &[Number], inner: bool) -> Option<Kind> {
    let free = |at: &usize| !numbers.iter().any(|number| (number.at..number.end()).contains(at));
    let tried = |high| -> Vec<(f64, Kind)> {
        (from..to.min(from + TRIED))
            .filter(free)
            .filter_map(|at| candidate(packets, at, high))
            .filter(|kind| kind.bits >= LEAST)
            .filter(|kind| !inner || packets.len() >= OFTEN_INNER * kind.values)
            .map(|kind| (kind.bits / kind.own.max(1.0) * FARTHER.powi((kind.at - from) as i32), kind))
            .collect()
    };
    let mut found = tried(false);
    if found.is_empty() && !inner {
        found = tried(true);
    }
    // What follows the kind depends on it, and says something of its packet, too: the first of those that say much.
    let best = found.iter().map(|(score, _)| *score).fold(0.0, f64::max);
    found.retain(|(score, _)| *score >= best * MUCH);
    found.first().map(|(_, kind)| *kind)
}

impl Kind {
    /// Its value in a packet.
    pub fn of(&self, sent: &Sent) -> u8 {
        value(sent, self.at, self.high)
    }
}

fn value(sent: &Sent, at: usize, high: bool) -> u8 {
    sent.bytes[at] >> if high { 4 } else { 0 }
}

fn candidate(packets: &[&Sent], at: usize, high: bool) -> Option<Kind> {
    let mut counts = [0usize; 256];
    let mut last: FxHashMap<(usize, bool), u8> = FxHashMap::default();
    let (mut turns, mut ascents) = (0, 0);
    for sent in packets {
        let value = value(sent, at, high);
        counts[usize::from(value)] += 1;
        if let Some(before) = last.insert((sent.flow, sent.by_server), value) {
            turns += usize::from(before != value);
            ascents += usize::from((1..=SLOW).contains(&value.wrapping_sub(before)));
        }
    }
    let values = counts.iter().filter(|count| **count > 0).count();
    let few = (2..=MOST_KINDS).contains(&values) && packets.len() >= 2 * values;
    // A number that counts slowly, or the high byte of one: all of its steps go up.
    if !few || ascents * 10 > turns * 9 && turns >= SLOW.into() {
        return None;
    }
    let mut bits = 0.0;
    for by_server in [false, true] {
        let side: Vec<&Sent> = packets.iter().copied().filter(|sent| sent.by_server == by_server).collect();
        let share = side.len() as f64 / packets.len() as f64;
        let value = |sent: &&Sent| value(sent, at, high);
        let mut reported = information(side.iter().map(|sent| (value(sent), sent.length)));
        for after in at + 1..=at + AFTER {
            reported +=
                information(side.iter().map(|sent| (value(sent), sent.bytes.get(after).copied()))) / AFTER as f64;
        }
        bits += share * reported;
    }
    let (own, _) = entropy(packets.iter().map(|sent| value(sent, at, high)), packets.len() as f64);
    Some(Kind { at, high, values, bits, own })
}

/// The mutual information of pairs in bits, less what as many random pairs have: few pairs always have some.
fn information<A: Copy + Eq + Hash, B: Copy + Eq + Hash>(pairs: impl Iterator<Item = (A, B)>) -> f64 {
    let pairs: Vec<(A, B)> = pairs.collect();
    let mut others: Vec<B> = pairs.iter().map(|(_, b)| *b).collect();
    let joint = |others: &[B]| entropy(pairs.iter().zip(others).map(|((a, _), b)| (*a, *b)), pairs.len() as f64).0;
    let reported = joint(&others);
    let mut random = Random(1);
    let mut chance = f64::INFINITY;
    for _ in 0..SHUFFLES {
        for at in (1..others.len()).rev() {
            others.swap(at, random.below(at + 1));
        }
        chance = chance.min(joint(&others));
    }
    if pairs.is_empty() { 0.0 } else { (chance - reported).max(0.0) }
}

/// Numbers for shuffling: the same ones each time, so that a capture always gives the same file.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        // The multiplier and the increment of Knuth's MMIX.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// The entropy of values in bits, and how many different ones there are.
pub fn entropy<T: Eq + Hash>(values: impl Iterator<Item = T>, count: f64) -> (f64, usize) {
    let mut counts: FxHashMap<T, u32> = FxHashMap::default();
    for value in values {
        *counts.entry(value).or_default() += 1;
    }
    let bits: f64 = counts.values().map(|n| f64::from(*n) / count).map(|share| -share * share.log2()).sum();
    (bits + 0.0, counts.len())
}
