//! Runs of consecutive numbers, and the places in them where long messages begin and end.
//!
//! A long message's parts have consecutive numbers, but arrive in any order. A walk from each part back to its `first`
//! and forward to its `last` would take time proportional to the message's length, for each part. So every run
//! remembers its outermost marks. When a number joins two runs, their marks replace the walk.

use std::collections::BTreeMap;

/// A mark in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// No mark.
    #[default]
    None,
    /// The first part of a message.
    First(i64),
    /// The last part of a message.
    Last(i64),
    /// A broken part: nothing is known beyond it.
    Wall,
}

/// The outermost marks of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// The mark with the lowest number.
    pub head: Mark,
    /// The mark with the highest number.
    pub tail: Mark,
}

impl Marks {
    /// The marks of the part `number` with these flags.
    pub fn part(number: i64, first: bool, last: bool) -> Marks {
        match (first, last) {
            (true, true) => Marks { head: Mark::First(number), tail: Mark::Last(number) },
            (true, false) => Marks { head: Mark::First(number), tail: Mark::First(number) },
            (false, true) => Marks { head: Mark::Last(number), tail: Mark::Last(number) },
            (false, false) => Marks::default(),
        }
    }

    /// The marks of a part whose flags are unknown.
    pub const WALL: Marks = Marks { head: Mark::Wall, tail: Mark::Wall };

    fn then(self, after: Marks) -> Marks {
        Marks {
            head: if self.head == Mark::None { after.head } else { self.head },
            tail: if after.tail == Mark::None { self.tail } else { after.tail },
        }
    }
}

/// The two kinds of parts: commands 10 and 11. A part of one kind does not belong to messages of the other.
pub const KINDS: usize = 2;

/// A run: its last number, and its marks for each kind. Its first number is its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The last number.
    pub last: i64,
    /// The marks.
    pub marks: [Marks; KINDS],
}

/// The runs next to a number, as they were before it arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Around {
    /// The run that ends directly before it, with its first number.
    pub before: Option<(i64, Run)>,
    /// The run that begins directly after it.
    pub after: Option<Run>,
}

/// All runs of one direction.
#[derive(Clone, Debug, Default)]
pub struct Runs(BTreeMap<i64, Run>);

impl Runs {
    /// The number of bytes that they hold.
    pub fn memory(&self) -> usize {
        // A node of the map has room for several runs.
        self.0.len() * 2 * size_of::<(i64, Run)>()
    }

    /// Inserts a number that was not seen before, and returns the runs that it joins.
    pub fn insert(&mut self, number: i64, own: [Marks; KINDS]) -> Around {
        let after = match self.0.last_key_value() {
            Some((first, _)) if *first <= number => None,
            _ => self.0.remove(&(number + 1)),
        };
        let mut last = number;
        let mut marks = own;
        if let Some(run) = &after {
            last = run.last;
            marks = [0, 1].map(|k| marks[k].then(run.marks[k]));
        }
        let mut before = None;
        match self.0.range_mut(..number).next_back() {
            Some((first, run)) if run.last == number - 1 => {
                before = Some((*first, *run));
                run.marks = [0, 1].map(|k| run.marks[k].then(marks[k]));
                run.last = last;
            }
            _ => _ = self.0.insert(number, Run { last, marks }),
        }
        Around { before, after }
    }

    /// The lowest number, from `from` on, that was not seen.
    pub fn missing(&self, from: i64) -> i64 {
        match self.0.range(..=from).next_back() {
            Some((_, run)) if run.last >= from => run.last + 1,
            _ => from,
        }
    }

    /// Forgets the runs that end before a number.
    pub fn forget(&mut self, below: i64) {
        while let Some(run) = self.0.first_entry()
            && run.get().last < below
        {
            run.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_joins_its_neighbours() {
        let mut runs = Runs::default();
        let part = |n, first, last| [Marks::part(n, first, last), Marks::default()];
        assert_eq!(runs.insert(5, part(5, true, false)), Around::default());
        assert_eq!(runs.missing(5), 6);
        runs.insert(7, part(7, false, true));
        let around = runs.insert(6, part(6, false, false));
        assert_eq!(around.before.map(|(first, run)| (first, run.marks[0].tail)), Some((5, Mark::First(5))));
        assert_eq!(around.after.map(|run| run.marks[0].head), Some(Mark::Last(7)));
        assert_eq!(runs.0.len(), 1);
        assert_eq!((runs.missing(5), runs.missing(4), runs.missing(8)), (8, 4, 8));
        let around = runs.insert(8, part(8, false, true));
        assert_eq!(around.before.map(|(_, run)| run.marks[0].tail), Some(Mark::Last(7)));
        runs.forget(9);
        assert!(runs.0.is_empty());
    }

    #[test]
    fn runs_are_what_single_numbers_are() {
        // Any order of insertion gives the same runs, and the same lowest missing number.
        let mut state = 7u64;
        for _ in 0..200 {
            let (mut runs, mut seen) = (Runs::default(), std::collections::BTreeSet::new());
            for _ in 0..60 {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let n = (state >> 40) as i64 % 64;
                if seen.insert(n) {
                    runs.insert(n, [Marks::default(); KINDS]);
                }
                let missing = (0..).find(|k| !seen.contains(k));
                assert_eq!(Some(runs.missing(0)), missing);
            }
        }
    }
}
