//! Derives the losses on a connection's path from its numbered messages and their acknowledgements: the transmissions
//! lost before the capture point, and those lost after it.
//!
//! A receiver that acknowledges every transmission with the numbers it has (a bit field) shows for most transmissions
//! whether they arrived. This also shows that most acknowledgements missing in the capture were sent. If both sides
//! number messages, the gaps in the numbers of one side and the missing acknowledgements from it measure the same
//! direction twice. [`estimate`](estimate::estimate) combines both.

pub mod estimate;
mod lists;
mod tests;

pub use lists::Arrivals;
use std::collections::VecDeque;

/// The largest number of numbers that wait for acknowledgements.
const MOST: usize = 512;
/// Up to this many waiting numbers none is settled by time.
const FEW: usize = 64;
/// The time in nanoseconds after which a number is settled.
const SETTLED: i64 = 5_000_000_000;
/// The time in nanoseconds for which open messages of other spaces are kept: as long as verdicts ask about.
const KEPT: i64 = 1_000_000_000;
/// Numbers that are further apart are of different spaces, whose distance is twice as large.
const APART: i64 = 1 << 48;
/// A side that skips more numbers has started a new space of numbers.
const SKIPPED: i64 = 1000;
/// The shortest time in nanoseconds after which a message is resent.
const LEAST_AGAIN: i64 = 10_000_000;
/// In a wait up to this time in nanoseconds, about the shortest one, a program with ticks may not read its socket at all.
const HARDLY_READS: i64 = LEAST_AGAIN + LEAST_AGAIN / 5;
/// Among this many times to an acknowledgement is one of a first transmission.
const ENOUGH: u32 = 16;
/// The share of a shortest time to an acknowledgement by which delays spread these times.
const SPREAD: f64 = 0.25;
/// The longest interval in nanoseconds at which a program reads its socket.
const LONGEST_TICK: i64 = 50_000_000;
/// The share of a wait by which it may vary.
const ROUNDED: f64 = 0.1;
/// The share of a wait after which a message was resent because no acknowledgement had reached the sender.
const WAITED: f64 = 0.94;
/// The shares of a wait by which a number comes after a later one: at most if it was overtaken, and if it may have been
/// resent.
const LATER: [f64; 2] = [1.0 / 12.0, 0.2];
/// The largest number of waits, and of transmissions lost before the capture that are assumed.
const MOST_WAITS: f64 = 50.0;
const MOST_MISSED: f64 = 4.0;
/// The time after which a late number counts as resent, if no round trip is known.
const LATE: i64 = 50_000_000;

/// Counts of one side's numbers. Those of several connections can be added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Numbers between two others that are so close in time that nothing was resent between them.
    pub numbers: u64,
    /// The part of `numbers` whose first transmission was lost before the capture point.
    pub skipped: u64,
    /// Numbers of `skipped` that are followed by another loss, and those that are not.
    pub skipped_in_a_row: [u64; 2],
    /// Missing numbers between two others that are further apart.
    pub apart: u64,
    /// Numbers whose first transmission was lost before the capture point, and the smallest and the largest number of
    /// their transmissions that may have been lost there before the first one in the capture.
    pub missed: [u64; 3],
    /// Transmissions lost before the capture point between two others of the same number.
    pub between: u64,
    /// Numbers that arrived at least one, two or three times the sender's wait after the one before: as many transmissions
    /// may have been lost before them without a trace.
    pub paused: [u64; 3],
    /// The sum of these times, in whole waits.
    pub pauses: u64,
    /// Numbers in the capture.
    pub seen: u64,
    /// Overtaken by a later number.
    pub overtaken: u64,
    /// Transmissions in the capture whose own acknowledgement is in the capture, too.
    pub acked: u64,
    /// Transmissions that arrived, although their acknowledgement is missing.
    pub arrived: u64,
    /// Transmissions lost after the capture point.
    pub lost: u64,
    /// Transmissions of which it is not known whether they arrived.
    pub unknown: u64,
    /// Transmissions of `lost` that are followed by another loss, and those that are not.
    pub lost_in_a_row: [u64; 2],
    /// Acknowledgements that are for one transmission each.
    pub reports: u64,
    /// Messages that were acknowledged.
    pub acks: u64,
    /// Acknowledgements after which nothing was resent, and those after which the message was resent although no other
    /// acknowledgement named it: the latter were lost after the capture point.
    pub heeded: [u64; 2],
    /// The part of `unknown` whose acknowledgement had time to arrive, of connections whose messages are acknowledged.
    pub unacked: u64,
    /// The part of `unknown` whose acknowledgement was still on its way when later numbers took their place.
    pub on_its_way: u64,
    /// Transmissions after the first of a message.
    pub again: u64,
    /// Messages that were resent before an acknowledgement could arrive.
    pub early: u64,
    /// The number of jumps of the numbers: nothing can be estimated over several spaces of numbers.
    pub jumps: u64,
    /// The number of pings.
    pub pings: u64,
    /// The number of pongs.
    pub pongs: u64,
    /// Numbers that the receiver lists as arrived, and those that it lists as lost on the whole path.
    pub listed: [u64; 2],
    /// Numbers lost according to these lists that are followed by another loss, and those that are not.
    pub listed_in_a_row: [u64; 2],
    /// Numbers between two lists that neither of them covers.
    pub unlisted: u64,
    /// Messages with such numbers, and those that did not come in order.
    pub lists: [u64; 2],
}

impl Counts {
    /// Counts a number in order, and the time since the one before in waits of the sender.
    fn pause(&mut self, waits: f64) {
        let pause = (waits + ROUNDED).min(MOST_WAITS) as u64;
        self.pauses += pause;
        self.paused.iter_mut().take(pause as usize).for_each(|count| *count += 1);
    }

    /// Counts a number that arrived after a later one, and the times since the one before it and since the first later
    /// one in waits of the sender.
    fn late(&mut self, since_earlier: f64, since_later: f64) {
        let most = since_earlier + ROUNDED;
        if most < 1.0 && since_later < LATER[1] {
            // It was not resent.
        } else if since_later < LATER[0] {
            // It was lost or overtaken.
            self.paused[0] += 1;
        } else {
            let least = (since_later - ROUNDED).ceil().clamp(1.0, MOST_MISSED);
            let missed = [1.0, least, most.clamp(least, MOST_WAITS)];
            self.missed.iter_mut().zip(missed).for_each(|(all, more)| *all += more as u64);
        }
    }

    /// Adds the counts of another connection.
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
        self.unacked += other.unacked;
        self.on_its_way += other.on_its_way;
        self.reports += reports;
        self.acks += acks;
        self.again += again;
        self.pings += other.pings;
        self.apart += other.apart;
        self.jumps += other.jumps;
        self.pongs += other.pongs;
        self.unlisted += other.unlisted;
        self.early += other.early;
        self.between += other.between;
        self.pauses += other.pauses;
        for k in 0..3 {
            self.missed[k] += other.missed[k];
            self.paused[k] += other.paused[k];
        }
        for k in [0, 1] {
            self.listed[k] += other.listed[k];
            self.listed_in_a_row[k] += other.listed_in_a_row[k];
            self.lists[k] += other.lists[k];
            self.skipped_in_a_row[k] += other.skipped_in_a_row[k];
            self.lost_in_a_row[k] += other.lost_in_a_row[k];
            self.heeded[k] += other.heeded[k];
        }
    }

    /// The number of transmissions in the capture.
    pub fn transmissions(&self) -> u64 {
        self.acked + self.arrived + self.lost + self.unknown
    }
}

/// An acknowledgement that answers one transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The number of that transmission.
    pub of: i64,
    /// A number that has arrived; the bits are about the numbers before it.
    pub base: i64,
    /// Bit k is set if the number `base - 1 - k` has arrived.
    pub bits: u32,
    /// The number of valid bits.
    pub width: u8,
}

/// A number that is not settled yet.
#[derive(Clone, Copy, Debug, Default)]
struct Number {
    /// The number of its transmissions in the capture.
    copies: u32,
    /// The number of acknowledgements for it alone.
    acks: u32,
    /// The time of the first of them.
    acked_at: Option<i64>,
    /// The number of transmissions that did not arrive, according to acknowledgements.
    lost: u32,
    /// The times of the first, the second and the last transmission. For a missing number: the time of a later number,
    /// of the one before it, and of the later one again.
    times: [i64; 3],
    /// The time of the first acknowledgement of the last transmission, and the number of these acknowledgements.
    named_at: Option<i64>,
    names: u8,
    /// Whether the first transmission was lost before the capture point.
    skipped: bool,
    /// Whether an acknowledgement shows that it arrived.
    named: bool,
    /// Whether the first transmission in the capture arrived.
    first_arrived: bool,
}

impl Number {
    /// Whether nothing has acknowledged it.
    fn is_open(&self) -> bool {
        self.copies > 0 && !self.named && self.acks == 0
    }

    /// The transmission of a resent message that an acknowledgement answers at this time, if that is known: its time.
    ///
    /// If only the `other` side acknowledges, it remains unknown: messages are resent where others are lost, and the
    /// share of those would be too high.
    #[cold]
    #[inline(never)]
    fn answered(&self, now: i64, times: Times, other: &Numbers) -> Option<i64> {
        let (quickest, again) = times.quickest.zip(times.again).filter(|_| other.waiting.len() >= ENOUGH as usize)?;
        let [first, second, last] = self.times;
        let took = |sent: i64| now.saturating_sub(sent);
        match took(last) {
            _ if self.copies == 0 => None,
            // It comes too early for the second transmission.
            _ if took(second) < quickest => Some(first),
            // For the one before the last it comes too late.
            last_took if (quickest..again).contains(&last_took) => Some(last),
            _ => None,
        }
    }

    /// Whether the first acknowledgement of the last transmission reaches the sender before that resends, if it is not
    /// lost.
    fn reaches_surely(&self, times: Times) -> bool {
        let in_time = |(at, [surely, _]): (i64, [i64; 2])| at.saturating_sub(self.times[2]) < surely;
        self.named_at.zip(times.heeded).is_some_and(in_time)
    }

    /// The number of transmissions before this time.
    fn sent_before(&self, time: i64) -> u32 {
        match self.times {
            [.., last] if last < time => self.copies,
            [_, second, _] if self.copies > 1 && second < time => 2,
            [first, ..] => u32::from(self.copies > 0 && first < time),
        }
    }
}

/// Delays of a connection, in nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// The shortest time to an acknowledgement, if it is known.
    quickest: Option<i64>,
    /// The shortest time after which a message is resent, if it is known.
    again: Option<i64>,
    /// The time that the sender waits before it resends, if it is known.
    wait: Option<i64>,
    /// The times after a transmission until which its acknowledgement reaches the sender before that resends: surely,
    /// and perhaps.
    heeded: Option<[i64; 2]>,
}

/// The numbers that were settled last.
#[derive(Clone, Copy, Debug, Default)]
struct Before {
    /// The times of the last two numbers that are not missing, and how many are missing after them.
    arrived: [Option<i64>; 2],
    missing: u64,
    /// Whether the last one was lost after the capture point, if that is known.
    lost: Option<bool>,
    /// If it was lost: the number of its transmissions that were lost there, and the time of the second one.
    gone: u32,
    second: Option<i64>,
}

impl Before {
    /// Counts whether a loss is followed by another one: the next transmission is of the next number, or of the same one
    /// if it was resent before.
    #[cold]
    #[inline(never)]
    fn follow(&self, next: &Number, was_lost: Option<bool>, counts: &mut Counts) {
        let [again, not] = &mut counts.lost_in_a_row;
        match was_lost {
            _ if self.second.is_some_and(|second| second < next.times[0]) => {
                *again += u64::from(self.gone.saturating_sub(1));
                *not += 1;
            }
            Some(true) => *again += 1,
            Some(false) => *not += 1,
            None => {}
        }
    }
}

/// The time that a sender waits before it resends.
#[derive(Clone, Copy, Debug, Default)]
struct Wait {
    time: i64,
    /// The last time between two transmissions of a number, and how many such times in a row were similar and longer.
    last: i64,
    longer: u32,
    /// Transmissions lost between others, if `time` is right: longer times may show that the sender waits longer now.
    lost: u64,
}

impl Wait {
    /// The number of longer times in a row after which the sender waits longer.
    const LONGER: u32 = 5;

    /// Records a time between two transmissions of a number. Returns the number of transmissions lost between others.
    fn add(&mut self, took: i64) -> u64 {
        let similar = |time: i64| (time - time / 4..=time.saturating_add(time / 4)).contains(&took);
        let mut lost = 0;
        if similar(self.time) {
            lost = self.lost;
            *self = Wait { time: self.time + (took - self.time) / 8, ..Wait::default() };
        } else if self.time == 0 || took < self.time {
            *self = Wait { time: took, ..Wait::default() };
        } else {
            self.lost += (took as f64 / self.time as f64).round().min(MOST_WAITS) as u64 - 1;
            self.longer = if similar(self.last) { self.longer + 1 } else { 1 };
            if self.longer >= Wait::LONGER {
                *self = Wait { time: took, ..Wait::default() };
            }
        }
        self.last = took;
        lost
    }
}

/// The numbers of one side, as seen in the capture.
#[derive(Clone, Debug, Default)]
struct Numbers {
    counts: Counts,
    before: Before,
    start: i64,
    waiting: VecDeque<Number>,
    /// Open messages of other spaces: their numbers, and the times of their last transmissions.
    aside: VecDeque<(i64, i64)>,
    /// The shortest time to an acknowledgement.
    quickest: Option<i64>,
    /// The longest time to the acknowledgement of a message sent once: a program that reads its socket at intervals
    /// answers up to one interval later.
    slowest: i64,
    /// The number of times from a first transmission to an acknowledgement, and the shortest of them. Those of a message
    /// that was resent may be for a later transmission: then they are too long.
    from_first: (u32, i64),
    /// The lower quartile of the times between two transmissions of a number, as they follow each other.
    resend: Option<i64>,
    wait: Wait,
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
            if !self.waiting.is_empty() {
                self.counts.jumps += 1;
                self.put_aside(now);
            }
            while self.settle_first(times) {}
            self.start = number;
            self.before = Before::default();
        }
        // Sums of numbers may be too large for 64 bits.
        let Some(index) = number.checked_sub(self.start).and_then(|index| usize::try_from(index).ok()) else {
            return self.sent_aside(number, now);
        };
        let last = self.waiting.back().map_or(now, |last| last.times[0]);
        let waits = |from: i64| times.wait.map_or(0.0, |wait| now.saturating_sub(from) as f64 / wait as f64);
        if self.waiting.len() <= index {
            self.counts.pause(waits(last));
        }
        while self.waiting.len() <= index {
            self.waiting.push_back(Number { times: [now, last, now], ..Number::default() });
        }
        let newest = self.waiting.len() - 1;
        let (mut overtaken, mut heeded, mut again) = (false, None, None);
        if let Some(one) = self.waiting.get_mut(index) {
            again = (one.copies > 0).then(|| now.saturating_sub(one.times[2])).filter(|took| *took >= LEAST_AGAIN);
            match one.copies {
                0 => {
                    let late = now.saturating_sub(one.times[1]) >= times.again.unwrap_or(LATE);
                    if index < newest {
                        (one.skipped, overtaken) = (late, !late);
                        self.counts.late(waits(one.times[1]), waits(one.times[0]));
                    }
                    one.times[0] = now;
                }
                1 => one.times[1] = now,
                _ => {}
            }
            if one.named_at.is_some() {
                let surely = one.reaches_surely(times);
                match times.wait.filter(|_| waits(one.times[2]) > WAITED) {
                    // The acknowledgement did not reach the sender.
                    Some(_) if surely && one.names == 1 => heeded = Some(false),
                    Some(_) if surely => {}
                    _ => one.names = u8::MAX,
                }
                if one.names != u8::MAX {
                    one.named_at = None;
                }
            }
            one.times[2] = now;
            one.copies = one.copies.saturating_add(1);
        }
        if let Some(took) = again {
            self.counts.between += self.wait.add(took);
            let quartile = self.resend.unwrap_or(took);
            self.resend = Some(if took < quartile { quartile - quartile / 32 * 3 } else { quartile + quartile / 32 });
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

    /// Keeps the open messages of the space that ends here.
    #[cold]
    #[inline(never)]
    fn put_aside(&mut self, now: i64) {
        let Numbers { waiting, aside, start, .. } = self;
        let open = (0i64..).zip(waiting.iter()).filter(|(_, one)| one.is_open());
        aside.extend(open.map(|(k, one)| (start.saturating_add(k), one.times[2])));
        self.limit_aside(now);
    }

    /// Keeps a message of another space, below the current one, as open.
    #[cold]
    #[inline(never)]
    fn sent_aside(&mut self, number: i64, now: i64) {
        if self.start.saturating_sub(number) > APART {
            self.aside.retain(|(known, _)| *known != number);
            self.aside.push_back((number, now));
            self.limit_aside(now);
        }
    }

    /// Forgets the oldest ones.
    fn limit_aside(&mut self, now: i64) {
        let is_old = |(_, at): &(i64, i64)| now.saturating_sub(*at) > KEPT;
        while self.aside.len() > MOST || self.aside.front().is_some_and(is_old) {
            self.aside.pop_front();
        }
    }

    fn report(&mut self, report: &Report, now: i64, times: Times, other: &Numbers) {
        self.counts.reports += 1;
        self.now = now;
        // The time of the transmission that this answers, if it is known.
        let (mut sent, mut trip) = (None, None);
        if let Some(one) = self.get_mut(report.of) {
            trip = (one.acks == 0 && one.copies > 0).then(|| now.saturating_sub(one.times[0]));
            one.acks = one.acks.saturating_add(1);
            one.acked_at.get_or_insert(now);
            sent = if one.copies == 1 { Some(one.times[0]) } else { one.answered(now, times, other) };
        }
        if let Some(trip) = trip.filter(|trip| *trip > 0) {
            let (count, shortest) = self.from_first;
            self.from_first = (count.saturating_add(1), if count > 0 { shortest.min(trip) } else { trip });
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
                // Transmissions before the one that this answers have not arrived.
                one.lost = one.lost.max(one.sent_before(sent));
            }
        }
    }

    /// Records that `number` has arrived: in its first transmission, if that was the only one before `sent`.
    fn named(&mut self, number: i64, sent: Option<i64>, now: i64, times: Times) {
        let Some(one) = self.get_mut(number) else { return };
        one.named = true;
        one.first_arrived |= one.lost == 0 && sent.is_some_and(|sent| one.sent_before(sent) == 1);
        match (one.named_at, times.heeded) {
            (None, _) => (one.named_at, one.names) = (Some(now), 1),
            (Some(_), Some([_, perhaps])) => {
                one.names = one.names.saturating_add(u8::from(now.saturating_sub(one.times[2]) < perhaps));
            }
            (Some(_), None) => {}
        }
    }

    /// Whether an acknowledgement of a transmission at this time would have arrived.
    fn is_late(&self, at: i64, times: Times) -> bool {
        let usual = times.again.unwrap_or(LATE).saturating_mul(2).max(self.slowest);
        self.now.saturating_sub(at) > usual
    }

    fn settle_first(&mut self, times: Times) -> bool {
        let Some(one) = self.waiting.pop_front() else { return false };
        self.start = self.start.saturating_add(1);
        self.counts.on_its_way += u64::from(one.is_open() && !self.is_late(one.times[2], times));
        settle(&one, false, &mut self.counts, &mut self.before, times);
        true
    }

    /// The counts, including numbers that are not settled yet.
    fn counts(&self, times: Times) -> Counts {
        let (mut counts, mut before) = (self.counts, self.before);
        for one in &self.waiting {
            let mut one = *one;
            // Its acknowledgement, or the resent message, may still be on its way. A receiver that reports each
            // transmission shows what was lost; without reports, silence does.
            let pending = one.is_open() && (counts.reports > 0 || !self.is_late(one.times[2], times));
            one.copies -= u32::from(pending);
            one.named_at =
                one.named_at.filter(|at| self.now.saturating_sub(*at) > times.again.unwrap_or(LATE).saturating_mul(2));
            settle(&one, pending, &mut counts, &mut before, times);
        }
        counts.unacked = if counts.acks > 0 { counts.unknown.saturating_sub(counts.on_its_way) } else { 0 };
        counts
    }
}

/// Counts the outcome of a number. `pending`: one more transmission, whose outcome is open.
fn settle(one: &Number, pending: bool, counts: &mut Counts, before: &mut Before, times: Times) {
    if one.copies == 0 && one.named {
        // An acknowledgement says that it has arrived: the capture lost it.
        before.lost = None;
        return;
    }
    let missing = one.skipped || one.copies == 0 && !pending;
    let near = |from: Option<i64>| {
        from.zip(times.again).is_some_and(|(from, again)| one.times[0].saturating_sub(from) < again)
    };
    if missing {
        before.missing += 1;
    } else {
        if near(before.arrived[0]) {
            counts.numbers += 1;
        }
        if before.missing > 0 && near(before.arrived[1]) {
            counts.numbers += before.missing;
            counts.skipped += before.missing;
            counts.skipped_in_a_row[0] += before.missing - 1;
            counts.skipped_in_a_row[1] += 1;
        } else {
            counts.apart += if times.again.and(before.arrived[1]).is_some() { before.missing } else { 0 };
        }
        before.arrived = [before.arrived[1], Some(one.times[0])];
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
    // A message may be resent before the acknowledgement of its first transmission can arrive. One that comes so early
    // that it cannot be for the second transmission is for the first.
    let second = one.times[1].saturating_add(times.quickest.unwrap_or(0));
    let first_acked = one.acked_at.is_some_and(|at| at < second);
    let silent = u32::from(left > 0 && (one.first_arrived && !first_acked || acked == 0 && one.named));
    counts.seen += 1;
    let waited = one.times[1].saturating_sub(one.times[0]);
    counts.early += u64::from(one.copies > 1 && times.quickest.is_some_and(|quickest| waited < quickest));
    counts.acked += u64::from(acked);
    counts.lost += u64::from(gone);
    counts.arrived += u64::from(silent);
    counts.unknown += u64::from(left - silent);
    counts.again += u64::from(one.copies - 1);
    counts.acks += u64::from(one.named);
    counts.heeded[0] += u64::from(one.names == 1 && one.reaches_surely(times));
    let was_lost = match (gone, left) {
        (1.., _) => Some(true),
        (0, 0) => Some(false),
        _ => one.first_arrived.then_some(false),
    };
    if before.lost == Some(true) {
        before.follow(one, was_lost, counts);
    }
    before.lost = was_lost;
    if gone > 0 {
        (before.gone, before.second) = (gone, (one.copies > 1).then_some(one.times[1]));
    }
}

/// The path of a connection. Arrays are indexed by the side that numbers its messages.
#[derive(Clone, Debug, Default)]
pub struct Path {
    sides: [Numbers; 2],
    listed: [lists::Listed; 2],
}

impl Path {
    /// Records a numbered message of this side.
    pub fn sent(&mut self, side: usize, number: i64, now: i64) {
        let times = self.times(side);
        self.sides[side].sent(number, now, times);
    }

    fn times(&self, side: usize) -> Times {
        let [own, other] = [side, 1 - side].map(|side| {
            let Numbers { quickest, from_first: (count, shortest), .. } = self.sides[side];
            quickest.or_else(|| (count >= ENOUGH).then_some(shortest))
        });
        let Some((own, other)) = own.zip(other) else { return Times { quickest: own, ..Times::default() } };
        let trip = own.saturating_add(other);
        // If its answers are spread more than delays are, the sender reads its socket at intervals: it may resend before
        // it reads what has arrived.
        let slowest = self.sides[1 - side].slowest;
        let has_ticks = slowest.saturating_sub(other) > (other as f64 * SPREAD) as i64;
        let until_read = if has_ticks { slowest.min(other.saturating_add(LONGEST_TICK)) } else { other };
        // A sender that does not know its round trip may resend sooner.
        let resend = self.sides[side].resend.map_or(i64::MAX, |resend| resend - resend / 10);
        let wait = self.sides[side].wait.time.max(trip.saturating_add(trip / 5)).max(LEAST_AGAIN);
        Times {
            wait: Some(wait),
            quickest: Some(own),
            again: Some(trip.saturating_add(trip / 10).min(resend).max(LEAST_AGAIN)),
            heeded: (wait > HARDLY_READS)
                .then(|| [until_read.saturating_add(trip / 10), other].map(|back| wait.saturating_sub(back))),
        }
    }

    /// Records the acknowledgement of a message of this side. `trip` is its delay if the message was sent only once.
    pub fn acked(&mut self, side: usize, number: i64, trip: Option<i64>) {
        let numbers = &mut self.sides[side];
        match numbers.get_mut(number) {
            Some(one) => one.named = true,
            None => numbers.aside.retain(|(known, _)| *known != number),
        }
        if let Some(trip) = trip.filter(|trip| *trip > 0) {
            numbers.quickest = Some(numbers.quickest.map_or(trip, |quickest| quickest.min(trip)));
            numbers.slowest = numbers.slowest.max(trip);
        }
    }

    /// The number of this side's messages that nothing has acknowledged, and that were sent for the last time at this
    /// time or later.
    pub fn open_since(&self, side: usize, time: i64) -> u64 {
        let Numbers { waiting, aside, .. } = &self.sides[side];
        let open = waiting.iter().filter(|one| one.is_open() && one.times[2] >= time).count();
        (open + aside.iter().filter(|(_, at)| *at >= time).count()) as u64
    }

    /// Records that the other side answers a transmission of this side.
    pub fn report(&mut self, side: usize, report: &Report, now: i64) {
        let times = self.times(side);
        let [a, b] = &mut self.sides;
        let (own, other) = if side == 0 { (a, b) } else { (b, a) };
        own.report(report, now, times, other);
    }

    /// Records a message of this side that lists which of the other side's have arrived.
    pub fn arrivals(&mut self, side: usize, arrivals: &Arrivals) {
        self.listed[side].message(arrivals.number, &mut self.sides[side].counts);
        self.listed[1 - side].list(arrivals, &mut self.sides[1 - side].counts);
    }

    /// Whether a side has listed what arrived.
    pub fn is_listed(&self) -> bool {
        self.sides.iter().any(|side| side.counts.lists[0] > 0)
    }

    /// Records a ping of this side.
    pub fn ping(&mut self, side: usize) {
        self.sides[side].counts.pings += 1;
    }

    /// Records an answer to a ping of this side.
    pub fn pong(&mut self, side: usize) {
        self.sides[side].counts.pongs += 1;
    }

    /// The counts of this side's numbers.
    pub fn counts(&self, side: usize) -> Counts {
        self.sides[side].counts(self.times(side))
    }
}
