//! Numbers in packets: they count, follow the clock, give a length, repeat what the other side sent.

use super::frame::number;
use super::sample::Sent;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A step of more than this is no count.
const LARGEST_STEP: u64 = 32;
/// The fewest steps, lengths or echoes that are evidence.
const FEWEST: usize = 6;
/// The newest numbers of the other side that an acknowledgement may name.
const NEWEST: usize = 16;

/// A number in the packets of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Its offset.
    pub at: usize,
    /// Its bytes: 1, 2 or 4.
    pub width: usize,
    /// Whether its first byte is the highest; `None`: the packets do not show it.
    pub big: Option<bool>,
    /// Its purpose.
    pub does: Does,
}

/// The purpose of a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// It always has this value.
    Constant,
    /// It counts the packets of its sender: the share of steps by one, in per cent.
    Counts(usize),
    /// It follows the clock: units a second.
    Clock(f64),
    /// It is the number of bytes after it, and this much more, in this share of packets, in per cent.
    Length(i64, usize),
    /// It is a number that the other side counted, in this share of packets, in per cent.
    Acknowledges(usize),
}

impl Number {
    /// The bytes after it.
    pub fn end(&self) -> usize {
        self.at + self.width
    }

    /// Its vote on the order of bytes: 1 for the highest first, -1 for the lowest first.
    pub fn vote(&self) -> i32 {
        match self.big.filter(|_| self.width > 1) {
            Some(true) => 1,
            Some(false) => -1,
            None => 0,
        }
    }

    fn read(&self, sent: &Sent) -> Option<u64> {
        read(sent, self.at, self.width, self.big.unwrap_or(true))
    }
}

fn read(sent: &Sent, at: usize, width: usize, big: bool) -> Option<u64> {
    Some(number(sent.bytes.get(at..at + width)?, big))
}

/// The lengths, counters and clocks between `from` and `to` in packets that all have these bytes, by their offsets.
pub fn numbers(packets: &[&Sent], from: usize, to: usize, likely: Option<bool>) -> Vec<Number> {
    let mut found: Vec<Number> = Vec::new();
    let mut at = from;
    while at < to {
        let number = length(packets, at, to)
            .or_else(|| counter(packets, at, from, to, likely))
            .or_else(|| clock(packets, at, to));
        match number {
            Some(number) => {
                // A counter may begin before the byte that counts.
                found.retain(|other| other.end() <= number.at);
                at = number.end();
                found.push(number);
            }
            None => at += 1,
        }
    }
    found
}

fn shapes(at: usize, to: usize) -> impl Iterator<Item = (usize, bool)> {
    [(4, true), (4, false), (2, true), (2, false), (1, true)].into_iter().filter(move |(width, _)| at + width <= to)
}

/// A number of the bytes after it, in most of the packets; larger in none.
fn length(packets: &[&Sent], at: usize, to: usize) -> Option<Number> {
    for (width, big) in shapes(at, to) {
        let mut differences: FxHashMap<i64, usize> = FxHashMap::default();
        let mut lengths = FxHashSet::default();
        for sent in packets {
            let value = read(sent, at, width, big)?;
            let after = (sent.length - at - width) as i64;
            *differences.entry(i64::try_from(value).unwrap_or(i64::MAX).saturating_sub(after)).or_default() += 1;
            lengths.insert(sent.length);
        }
        let Some((plus, hits)) = differences.into_iter().max_by_key(|(plus, hits)| (*hits, -plus.abs())) else {
            continue;
        };
        let share = hits * 100 / packets.len();
        if lengths.len() >= 3 && hits >= FEWEST && share >= 90 && (-32..=16).contains(&plus) {
            return Some(Number { at, width, big: (width > 1).then_some(big), does: Does::Length(plus, share) });
        }
    }
    None
}

/// The steps of a number from packet to packet of each sender, and how many packets and values there are.
struct Steps {
    steps: Vec<u64>,
    values: usize,
}

fn steps(packets: &[&Sent], at: usize, width: usize, big: bool) -> Steps {
    let mut last: FxHashMap<(usize, bool), u64> = FxHashMap::default();
    let mut values = FxHashSet::default();
    let mut steps = Vec::new();
    for sent in packets {
        let Some(value) = read(sent, at, width, big) else { continue };
        values.insert(value);
        if let Some(before) = last.insert((sent.flow, sent.by_server), value) {
            steps.push(value.wrapping_sub(before) & (u64::MAX >> (64 - 8 * width)));
        }
    }
    Steps { steps, values: values.len() }
}

/// The share of steps by one in per cent, if the number counts: small steps forward; what is sent again goes back.
fn counts(packets: &[&Sent], at: usize, width: usize, big: bool) -> Option<usize> {
    let Steps { steps, values } = steps(packets, at, width, big);
    let full = u64::MAX >> (64 - 8 * width);
    let small = steps.iter().filter(|step| **step <= LARGEST_STEP || full - **step < LARGEST_STEP).count();
    let forward = steps.iter().filter(|step| (1..=LARGEST_STEP).contains(*step)).count();
    let ones = steps.iter().filter(|step| **step == 1).count();
    let regular = small * 20 >= steps.len() * 19 && forward * 2 >= steps.len() && forward >= FEWEST;
    (regular && values >= FEWEST && ones * 4 >= forward).then(|| ones * 100 / steps.len())
}

/// Whether the second byte changes where the first begins again, and nowhere else.
fn carried(packets: &[&Sent], low: usize, high: usize) -> bool {
    let mut last: FxHashMap<(usize, bool), (u8, u8)> = FxHashMap::default();
    let (mut changes, mut carries) = (0, 0);
    for sent in packets {
        let now = (sent.bytes[low], sent.bytes[high]);
        if let Some(before) = last.insert((sent.flow, sent.by_server), now) {
            changes += usize::from(before.1 != now.1);
            carries += usize::from(before.1.wrapping_add(1) == now.1 && now.0 < before.0);
        }
    }
    carries > 0 && carries * 10 >= changes * 9
}

/// A counter whose lowest byte is at `at`, as wide as the bytes beside it agree.
fn counter(packets: &[&Sent], at: usize, from: usize, to: usize, likely: Option<bool>) -> Option<Number> {
    let share = counts(packets, at, 1, true)?;
    // A carry shows the order of bytes: the byte beside it changes where the lowest one begins again.
    let carries = |width, begin, big| counts(packets, begin, width, big).is_some();
    let changes = |at: usize| packets.iter().any(|sent| sent.bytes[at] != packets[0].bytes[at]);
    let zero =
        |range: std::ops::Range<usize>| packets.iter().all(|sent| sent.bytes[range.clone()].iter().all(|b| *b == 0));
    let wide = |big: bool, width: usize| -> Option<usize> {
        let begin = if big { (at + 1).checked_sub(width)? } else { at };
        let others = if big { begin..at } else { at + 1..at + width };
        (begin >= from && begin + width <= to && others.clone().all(|other| changes(other) || zero(other..other + 1)))
            .then_some(begin)
            .filter(|begin| carries(width, *begin, big))
    };
    let proven = |big: bool| {
        let other =
            if big { at.checked_sub(1).filter(|other| *other >= from) } else { Some(at + 1).filter(|o| *o < to) };
        other.is_some_and(|other| carried(packets, at, other)) && wide(big, 2).is_some()
    };
    let order = match (proven(true), proven(false)) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    };
    let orders = if let Some(big) = order.or(likely) { vec![big] } else { vec![true, false] };
    for (width, big) in [4, 2].into_iter().flat_map(|width| orders.iter().map(move |big| (width, *big))) {
        if let Some(begin) = wide(big, width) {
            return Some(Number { at: begin, width, big: Some(big), does: Does::Counts(share) });
        }
    }
    Some(Number { at, width: 1, big: None, does: Does::Counts(share) })
}

/// A number that grows with the time at a constant rate.
fn clock(packets: &[&Sent], at: usize, to: usize) -> Option<Number> {
    for (width, big) in [(4, true), (4, false), (2, true), (2, false)].into_iter().filter(|(width, _)| at + width <= to)
    {
        let mut last: FxHashMap<(usize, bool), (u64, i64)> = FxHashMap::default();
        let mut rates: Vec<f64> = Vec::new();
        let full = u64::MAX >> (64 - 8 * width);
        for sent in packets {
            let value = read(sent, at, width, big)?;
            let (before, time) = *last.entry((sent.flow, sent.by_server)).or_insert((value, sent.time));
            // At least 50 ms, so that the rate is not that of rounding.
            if sent.time - time >= 50_000_000 {
                let step = value.wrapping_sub(before) & full;
                rates.push(step as f64 * 1e9 / (sent.time - time) as f64);
                last.insert((sent.flow, sent.by_server), (value, sent.time));
            }
        }
        if rates.len() < FEWEST {
            continue;
        }
        rates.sort_by(f64::total_cmp);
        let rate = |share: usize| rates[(rates.len() - 1) * share / 100];
        let (low, middle, high) = (rate(15), rate(50), rate(85));
        let unit = [1.0, 1000.0, 1e6].into_iter().find(|unit| (middle / unit - 1.0).abs() < 0.03);
        if let Some(unit) = unit.filter(|unit| low > unit * 0.85 && high < unit * 1.15) {
            return Some(Number { at, width, big: Some(big), does: Does::Clock(unit) });
        }
    }
    None
}

/// A number that counts, and its packets.
pub struct Counter<'a> {
    pub packets: Vec<&'a Sent>,
    pub number: Number,
}

/// The numbers between `from` and `to` that repeat what the other side counted shortly before.
pub fn acknowledged(all: &[Sent], packets: &[&Sent], from: usize, to: usize, counted: &[Counter<'_>]) -> Vec<Number> {
    let mut found = Vec::new();
    for Counter { packets: group, number: counter } in counted.iter().filter(|one| one.number.width > 1) {
        let numbered: FxHashSet<*const Sent> = group.iter().map(|sent| std::ptr::from_ref(*sent)).collect();
        let examined: FxHashSet<*const Sent> = packets.iter().map(|sent| std::ptr::from_ref(*sent)).collect();
        // A sender's number precedes what it acknowledges.
        let same = group.len() == packets.len() && group[0].time == packets[0].time;
        for at in (from..(to + 1).saturating_sub(counter.width)).filter(|at| !same || *at >= counter.end()) {
            let mut newest: FxHashMap<(usize, bool), VecDeque<u64>> = FxHashMap::default();
            let (mut hits, mut tried, mut values) = (0, 0, FxHashSet::default());
            for sent in all {
                if examined.contains(&std::ptr::from_ref(sent))
                    && let Some(list) = newest.get(&(sent.flow, !sent.by_server))
                    && let Some(value) = read(sent, at, counter.width, counter.big.unwrap_or(true))
                {
                    tried += 1;
                    // It names the number, or the one after it.
                    hits += usize::from(list.contains(&value) || list.contains(&value.wrapping_sub(1)));
                    values.insert(value);
                }
                if numbered.contains(&std::ptr::from_ref(sent))
                    && let Some(value) = counter.read(sent)
                {
                    let list = newest.entry((sent.flow, sent.by_server)).or_default();
                    list.push_back(value);
                    if list.len() > NEWEST {
                        list.pop_front();
                    }
                }
            }
            let known = found.iter().any(|other: &Number| other.at < at + counter.width && at < other.end());
            if !known && tried >= FEWEST && values.len() >= FEWEST && hits * 10 >= tried * 9 {
                let does = Does::Acknowledges(hits * 100 / tried);
                found.push(Number { at, width: counter.width, big: counter.big, does });
            }
        }
    }
    found.sort_by_key(|number| number.at);
    found
}
