//! Numbers of which the receiver lists what has arrived. They are sent once, so that the list shows the losses of the
//! whole path, wherever it was captured.

use super::{Counts, SKIPPED};

/// A message that lists which of the other side's numbers have arrived. A number missing in it never arrives: the
/// receiver drops it when a later one has come. Numbers begin at 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrivals {
    /// The number of this message.
    pub number: i64,
    /// The newest number that has arrived.
    pub newest: i64,
    /// Bit k is set if the number `newest - 1 - k` has arrived.
    pub bits: u32,
    /// The number of valid bits.
    pub width: u8,
}

/// The numbers of one side of which the other side lists what has arrived.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Listed {
    /// The newest number in the capture.
    sent: Option<i64>,
    /// The newest number listed.
    listed: Option<i64>,
}

impl Listed {
    /// Records a message of this side.
    pub fn message(&mut self, number: i64, counts: &mut Counts) {
        counts.lists[0] += 1;
        counts.lists[1] += u64::from(self.sent.is_some_and(|sent| number <= sent));
        self.sent = self.sent.max(Some(number));
    }

    /// Records what has arrived of this side's messages, by a message of the other side.
    ///
    /// Each number counts once. If the numbers from one list to the next are all covered, they count as they are: the
    /// newest has arrived, and those before it less often than others. If not, only those before the newest count.
    pub fn list(&mut self, list: &Arrivals, counts: &mut Counts) {
        let width = i64::from(list.width.min(32));
        // A list of the first numbers is whole.
        let before = self.listed.or((list.newest <= width).then_some(0));
        let step = before.map(|before| list.newest.saturating_sub(before));
        if step.is_some_and(|step| (-SKIPPED..=0).contains(&step)) {
            // The message is older than the last one, or repeats it.
            self.listed = before;
            return;
        }
        self.listed = Some(list.newest);
        let whole = step.filter(|step| (1..=width + 1).contains(step));
        let covered = whole.map_or(width, |step| step - 1);
        let mut lost_before = false;
        for bit in (0..covered).rev() {
            let lost = list.bits >> bit & 1 == 0;
            counts.listed[usize::from(lost)] += 1;
            if lost_before {
                counts.listed_in_a_row[usize::from(!lost)] += 1;
            }
            lost_before = lost;
        }
        match (whole, step) {
            (Some(_), _) => {
                counts.listed[0] += 1;
                counts.listed_in_a_row[1] += u64::from(lost_before);
            }
            (None, Some(step @ 1..=SKIPPED)) => counts.unlisted += (step - 1 - width) as u64,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::estimate::{Numbered, estimate};
    use super::super::tests::Channel;
    use super::super::{Counts, Path};
    use super::{Arrivals, Listed};
    use crate::random::Random;
    use crate::traffic::histogram::Delays;
    use std::collections::BTreeSet;

    fn list(newest: i64, bits: u32) -> Arrivals {
        Arrivals { number: 1, newest, bits, width: 8 }
    }

    /// The counts after these lists: listed, lost in a row, unlisted.
    fn counted(lists: &[(i64, u32)]) -> ([u64; 2], [u64; 2], u64) {
        let (mut all, mut counts) = (Listed::default(), Counts::default());
        lists.iter().for_each(|(newest, bits)| all.list(&list(*newest, *bits), &mut counts));
        (counts.listed, counts.listed_in_a_row, counts.unlisted)
    }

    #[test]
    fn each_number_counts_once() {
        // 1 and 4 arrive, then 5, which is repeated; an older list comes late.
        assert_eq!(counted(&[(0, 0), (4, 0b100), (5, 0b1001), (5, 0b1001), (4, 0b100)]), ([3, 2], [1, 1], 0));
        // The numbers before those of the first list are not known, and neither is how many there are.
        assert_eq!(counted(&[(500, 0b1111_1110)]), ([7, 1], [0, 0], 0));
        // 8 of the 11 numbers between two lists are covered.
        assert_eq!(counted(&[(1, 0), (13, 0xff)]), ([9, 0], [0, 0], 3));
        // Numbers that begin again, and those of any bytes.
        assert_eq!(counted(&[(5000, 0xff), (2, 1)]).0, [16 - 7, 7]);
        counted(&[(i64::MIN, 0), (i64::MAX, 0), (i64::MIN, u32::MAX), (-1, 7), (0, 0)]);
    }

    /// A session of messages that list the last eight numbers of the other side. A receiver takes newer numbers alone.
    /// Returns for each direction the losses, and whether the interval holds their share; `None` if that is unknown.
    fn session(loss: [f64; 2], burst: f64, pace: [f64; 2], captured_late: bool, seed: u64) -> [Option<bool>; 2] {
        let mut random = Random::of(seed, &[]);
        let mut channels = loss.map(|loss| Channel::lossy(loss, burst));
        let (mut path, mut sent, mut lost) = (Path::default(), [0; 2], [0; 2]);
        let mut got: [BTreeSet<i64>; 2] = Default::default();
        for _ in 0..2000 {
            let side = usize::from(random.unit() * (pace[0] + pace[1]) > pace[0]);
            let newest = got[side].last().copied().unwrap_or(0);
            let bits = (0..8).map(|bit| u32::from(got[side].contains(&(newest - 1 - bit))) << bit).sum();
            sent[side] += 1;
            let arrivals = Arrivals { number: sent[side], newest, bits, width: 8 };
            let drops = channels[side].drops(&mut random);
            // The capture is at the client, the side 0, or at the server.
            if !drops || captured_late == (side == 1) {
                path.arrivals(side, &arrivals);
            }
            match drops {
                true => lost[side] += 1,
                false => drop(got[1 - side].insert(sent[side])),
            }
        }
        let (counts, trips) = ([path.counts(0), path.counts(1)], Delays::default());
        let of = |side: usize| Numbered { counts: &counts[side], trips: &trips, messages: sent[side] as u64 };
        [(0, 1), (1, 0)].map(|(own, other)| {
            let [_, low, high] = estimate(of(own), of(other)).loss?;
            let truth = f64::from(lost[own]) / sent[own] as f64;
            Some(low <= truth && truth <= high)
        })
    }

    /// The intervals hold the share that was dropped in 95 % of all sessions. It is unknown where one side sends so few
    /// messages that they do not cover the numbers of the other.
    #[test]
    fn lists_of_arrivals_show_the_loss_of_the_whole_path() {
        let losses = [[0.0, 0.01], [0.05, 0.1], [0.2, 0.02], [0.3, 0.3]];
        for (burst, pace, most_unknown) in
            [(1.0, [1.0, 1.0], 0.0), (4.0, [1.0, 1.0], 0.0), (1.0, [3.0, 1.0], 0.0), (4.0, [1.0, 20.0], 0.55)]
        {
            let [mut all, mut held, mut unknown] = [0.0; 3];
            for (k, loss) in losses.into_iter().enumerate() {
                for seed in 0..50 {
                    let late = seed % 2 == 0;
                    for holds in session(loss, burst, pace, late, seed * 1000 + k as u64) {
                        all += 1.0;
                        held += f64::from(u8::from(holds == Some(true)));
                        unknown += f64::from(u8::from(holds.is_none()));
                    }
                }
            }
            let text = format!("burst {burst}, {pace:?}: {held} held, {unknown} unknown of {all}");
            assert!(held >= 0.95 * (all - unknown) && unknown <= most_unknown * all, "{text}");
        }
    }
}
