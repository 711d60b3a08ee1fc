//! What the numbered messages of a connection and their acknowledgements tell of its path: which
//! transmissions were lost on the way to the place of the capture, and which behind it.
//!
//! A receiver that acknowledges every transmission with the numbers that it has (a bit field) says of
//! most transmissions whether they arrived, and so of most acknowledgements that are not in the
//! capture that they were sent. Where two sides number messages, gaps in the numbers of one and the
//! missing acknowledgements of it measure the same way twice. [`estimate`](estimate::estimate) puts both
//! together.

pub mod estimate;
mod tests;

use std::collections::VecDeque;

/// At most this many numbers wait for what acknowledges them.
const MOST: usize = 512;
/// Below this many numbers nothing is settled before its time.
const FEW: usize = 64;
/// After this many nanoseconds nothing more comes of a number.
const SETTLED: i64 = 5_000_000_000;
/// A side that skips more numbers begins anew.
const SKIPPED: i64 = 1000;
/// Nothing is sent again sooner than this many nanoseconds.
const LEAST_AGAIN: i64 = 10_000_000;
/// What comes later was sent again, where no round trip is known.
const LATE: i64 = 50_000_000;

/// Counts of what one side numbered. Those of several connections add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Numbers between others that are so near to one another in time that nothing was sent again there.
    pub numbers: u64,
    /// Of those: the first transmission was lost before the place of the capture.
    pub skipped: u64,
    /// Lost there, and so the next one; lost, and the next one not.
    pub skipped_in_a_row: [u64; 2],
    /// Numbers in the capture.
    pub seen: u64,
    /// Overtaken by a later number.
    pub overtaken: u64,
    /// Transmissions in the capture whose own acknowledgement is there.
    pub acked: u64,
    /// Those that arrived, although it is not.
    pub arrived: u64,
    /// Those that were lost behind the place of the capture.
    pub lost: u64,
    /// Those of which nobody knows.
    pub unknown: u64,
    /// Lost there, and so the next one; lost, and the next one not.
    pub lost_in_a_row: [u64; 2],
    /// Acknowledgements that are for one transmission each.
    pub reports: u64,
    /// Messages that were acknowledged.
    pub acks: u64,
    /// Acknowledgements behind the place of the capture after which nothing was sent again, and those
    /// after which it was, although nothing else acknowledged it.
    pub heeded: [u64; 2],
    /// Transmissions after the first.
    pub again: u64,
    /// How often the numbers jumped: of several spaces of numbers nothing is known.
    pub jumps: u64,
    /// Pings.
    pub pings: u64,
    /// Answers to them.
    pub pongs: u64,
}

impl Counts {
    /// Adds those of another connection.
    pub fn add(&mut self, other: &Counts) {
        let Counts { numbers, skipped, seen, overtaken, acked, arrived, lost, unknown, reports, acks, again, .. } =
            *other;
        self.numbers += numbers;
        self.skipped += skipped;
        self.seen += seen;
        self.overtaken += overtaken;
        self.acked += acked;
        self.arrived += arrived;
        self.lost += lost;
        self.unknown += unknown;
        self.reports += reports;
        self.acks += acks;
        self.again += again;
        self.pings += other.pings;
        self.jumps += other.jumps;
        self.pongs += other.pongs;
        for k in [0, 1] {
            self.skipped_in_a_row[k] += other.skipped_in_a_row[k];
            self.lost_in_a_row[k] += other.lost_in_a_row[k];
            self.heeded[k] += other.heeded[k];
        }
    }

    /// Transmissions in the capture.
    pub fn transmissions(&self) -> u64 {
        self.acked + self.arrived + self.lost + self.unknown
    }
}

/// An acknowledgement that answers one transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The number of that transmission.
    pub of: i64,
    /// A number that has arrived, before which the bits begin.
    pub base: i64,
    /// Bit k: whether the number `base - 1 - k` has arrived.
    pub bits: u32,
    /// How many bits there are.
    pub width: u8,
}

/// A number that waits for what becomes of it.
#[derive(Clone, Copy, Debug, Default)]
struct Number {
    /// How often it is in the capture.
    copies: u32,
    /// How many acknowledgements are for it alone.
    acks: u32,
    /// The copies that did not arrive, as acknowledgements tell.
    lost: u32,
    /// The first, the second and the last transmission; of a number that is missing, when a later one
    /// came, when the one before it did, and again when a later one did.
    times: [i64; 3],
    /// When the last transmission was acknowledged, and by how many acknowledgements.
    named_at: Option<i64>,
    names: u8,
    /// The first transmission was lost before the place of the capture.
    skipped: bool,
    /// An acknowledgement says that it arrived.
    named: bool,
    /// The first transmission in the capture arrived.
    first_arrived: bool,
}

impl Number {
    /// How many copies were sent before this time.
    fn sent_before(&self, time: i64) -> u32 {
        match self.times {
            [.., last] if last < time => self.copies,
            [_, second, _] if self.copies > 1 && second < time => 2,
            [first, ..] => u32::from(self.copies > 0 && first < time),
        }
    }
}

/// How long a connection's packets take, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// Nothing is sent again sooner, if that is known.
    again: Option<i64>,
    /// From the place of the capture to the sender and back, and what the sender waits above that.
    heeded: Option<i64>,
}

/// The numbers that were settled last.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    /// When the last two came that were not sent again before, and how many are missing behind them.
    came: [Option<i64>; 2],
    missing: u64,
    /// Was the last one lost behind the place of the capture, if that is known?
    lost: Option<bool>,
}

/// What one side numbered, as the capture has it.
#[derive(Clone, Debug, Default)]
struct Numbers {
    counts: Counts,
    before: Before,
    start: i64,
    waiting: VecDeque<Number>,
    /// The shortest time to an acknowledgement.
    quickest: Option<i64>,
    /// The time of the last message.
    now: i64,
}

impl Numbers {
    fn get_mut(&mut self, number: i64) -> Option<&mut Number> {
        self.waiting.get_mut(usize::try_from(number.checked_sub(self.start)?).ok()?)
    }

    fn sent(&mut self, number: i64, now: i64, times: Times) {
        self.now = now;
        let jumps = number.saturating_sub(self.start.saturating_add(self.waiting.len() as i64)) > SKIPPED;
        if self.waiting.is_empty() || jumps {
            self.counts.jumps += u64::from(!self.waiting.is_empty());
            while self.settle_first(times) {}
            self.start = number;
            self.before = Before::default();
        }
        if number < self.start {
            return;
        }
        let last = self.waiting.back().map_or(now, |last| last.times[0]);
        while self.start + self.waiting.len() as i64 <= number {
            self.waiting.push_back(Number { times: [now, last, now], ..Number::default() });
        }
        let newest = self.start + self.waiting.len() as i64 - 1;
        let (mut overtaken, mut heeded) = (false, None);
        if let Some(one) = self.get_mut(number) {
            match one.copies {
                0 => {
                    let late = now.saturating_sub(one.times[1]) >= times.again.unwrap_or(LATE);
                    (one.skipped, overtaken) = (number < newest && late, number < newest && !late);
                    one.times[0] = now;
                }
                1 => one.times[1] = now,
                _ => {}
            }
            if let Some(at) = one.named_at {
                match times.heeded.filter(|heeded| now.saturating_sub(at) >= heeded - heeded / 10) {
                    // The acknowledgement did not get there.
                    Some(_) if one.names == 1 => heeded = Some(false),
                    Some(_) => {}
                    None => one.names = u8::MAX,
                }
                if one.names != u8::MAX {
                    one.named_at = None;
                }
            }
            one.times[2] = now;
            one.copies = one.copies.saturating_add(1);
        }
        self.counts.overtaken += u64::from(overtaken);
        self.counts.heeded[1] += u64::from(heeded == Some(false));
        while self.waiting.len() > MOST
            || self.waiting.len() > FEW
                && self.waiting.front().is_some_and(|one| now.saturating_sub(one.times[2]) > SETTLED)
        {
            self.settle_first(times);
        }
    }

    fn report(&mut self, report: &Report, now: i64, times: Times) {
        self.counts.reports += 1;
        self.now = now;
        // When the transmission that it answers was sent, if there was one alone.
        let mut sent = None;
        if let Some(one) = self.get_mut(report.of) {
            one.acks = one.acks.saturating_add(1);
            sent = (one.copies == 1).then_some(one.times[0]);
        }
        self.named(report.of, None, now, times);
        if report.base != report.of {
            self.named(report.base, sent, now, times);
        }
        for bit in 0..report.width.min(32) {
            let number = report.base.saturating_sub(1 + i64::from(bit));
            if report.bits >> bit & 1 == 1 {
                if number != report.of {
                    self.named(number, sent, now, times);
                }
            } else if let (Some(one), Some(sent)) = (self.get_mut(number), sent) {
                // What was sent before the transmission that this answers has not arrived.
                one.lost = one.lost.max(one.sent_before(sent));
            }
        }
    }

    /// It has arrived: its first transmission, if that was the only one before `sent`.
    fn named(&mut self, number: i64, sent: Option<i64>, now: i64, times: Times) {
        let Some(one) = self.get_mut(number) else { return };
        one.named = true;
        one.first_arrived |= one.lost == 0 && sent.is_some_and(|sent| one.sent_before(sent) == 1);
        match (one.named_at, times.heeded) {
            (None, heeded) => (one.named_at, one.names) = (Some(now), if heeded.is_some() { 1 } else { u8::MAX }),
            // Both are there before it would be sent again.
            (Some(at), Some(heeded)) if now.saturating_sub(at) < heeded => one.names = one.names.saturating_add(1),
            (Some(_), None) => one.names = one.names.saturating_add(1),
            _ => {}
        }
    }

    fn settle_first(&mut self, times: Times) -> bool {
        let Some(one) = self.waiting.pop_front() else { return false };
        self.start += 1;
        settle(&one, &mut self.counts, &mut self.before, times);
        true
    }

    /// The counts, with what still waits.
    fn counts(&self, times: Times) -> Counts {
        let (mut counts, mut before) = (self.counts, self.before);
        for one in &self.waiting {
            let mut one = *one;
            // Its acknowledgement, or what is sent again, may be on its way.
            if one.acks == 0 && !one.named && one.copies > 0 {
                one.copies -= 1;
            }
            one.named_at =
                one.named_at.filter(|at| self.now.saturating_sub(*at) > times.again.unwrap_or(LATE).saturating_mul(2));
            settle(&one, &mut counts, &mut before, times);
        }
        counts
    }
}

/// Counts what became of a number.
fn settle(one: &Number, counts: &mut Counts, before: &mut Before, times: Times) {
    let missing = one.skipped || one.copies == 0;
    let near = |from: Option<i64>| {
        from.zip(times.again).is_some_and(|(from, again)| one.times[0].saturating_sub(from) < again)
    };
    if missing {
        before.missing += 1;
    } else {
        if near(before.came[0]) {
            counts.numbers += 1;
        }
        if before.missing > 0 && near(before.came[1]) {
            counts.numbers += before.missing;
            counts.skipped += before.missing;
            counts.skipped_in_a_row[0] += before.missing - 1;
            counts.skipped_in_a_row[1] += 1;
        }
        before.came = [before.came[1], Some(one.times[0])];
        before.missing = 0;
    }
    if one.copies == 0 {
        before.lost = None;
        return;
    }
    let acked = one.acks.min(one.copies);
    let arrived = acked.max(u32::from(one.named));
    let gone = one.lost.min(one.copies - arrived);
    let left = one.copies - acked - gone;
    let silent = u32::from(left > 0 && (one.first_arrived || acked == 0 && one.named));
    counts.seen += 1;
    counts.acked += u64::from(acked);
    counts.lost += u64::from(gone);
    counts.arrived += u64::from(silent);
    counts.unknown += u64::from(left - silent);
    counts.again += u64::from(one.copies - 1);
    counts.acks += u64::from(one.named);
    counts.heeded[0] += u64::from(one.named_at.is_some() && one.names == 1);
    let fate = match (gone, left) {
        (1.., _) => Some(true),
        (0, 0) => Some(false),
        _ => one.first_arrived.then_some(false),
    };
    if let (Some(true), Some(fate)) = (std::mem::replace(&mut before.lost, fate), fate) {
        counts.lost_in_a_row[usize::from(!fate)] += 1;
    }
}

/// A connection's path. Arrays are indexed by the side that numbers.
#[derive(Clone, Debug, Default)]
pub struct Path {
    sides: [Numbers; 2],
}

impl Path {
    /// A numbered message of this side is in the capture.
    pub fn sent(&mut self, side: usize, number: i64, now: i64) {
        let times = self.times(side);
        self.sides[side].sent(number, now, times);
    }

    fn times(&self, side: usize) -> Times {
        let [own, other] = [side, 1 - side].map(|side| self.sides[side].quickest);
        let Some((own, other)) = own.zip(other) else { return Times::default() };
        let trip = own.saturating_add(other);
        Times {
            again: Some(trip.saturating_add(trip / 10).max(LEAST_AGAIN)),
            heeded: Some(other.saturating_add(trip / 5)),
        }
    }

    /// A message of this side, sent once, was acknowledged after this time.
    pub fn acked(&mut self, side: usize, number: i64, trip: Option<i64>) {
        let numbers = &mut self.sides[side];
        if let Some(one) = numbers.get_mut(number) {
            one.named = true;
        }
        if let Some(trip) = trip.filter(|trip| *trip > 0) {
            numbers.quickest = Some(numbers.quickest.map_or(trip, |quickest| quickest.min(trip)));
        }
    }

    /// The other side answers a transmission of this one.
    pub fn report(&mut self, side: usize, report: &Report, now: i64) {
        let times = self.times(side);
        self.sides[side].report(report, now, times);
    }

    /// This side pings.
    pub fn ping(&mut self, side: usize) {
        self.sides[side].counts.pings += 1;
    }

    /// A ping of this side was answered.
    pub fn pong(&mut self, side: usize) {
        self.sides[side].counts.pongs += 1;
    }

    /// What became of what this side numbered.
    pub fn counts(&self, side: usize) -> Counts {
        self.sides[side].counts(self.times(side))
    }
}
