//! Counts the messages to which rules were applied, and the reasons why they could not be.

use crate::codec::digits;
use crate::filter::Comparison;
use crate::nearest::{hint, nearest};
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// The most different reasons that are kept for a rule.
const REASONS: usize = 8;

/// The counts of one rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Messages that matched its expression.
    pub matched: u64,
    /// Messages to which it was applied.
    pub applied: u64,
    /// Messages to which it should have been applied, but could not be.
    pub not_applied: u64,
    /// The reasons, and the number of messages for each: at most eight reasons.
    pub reasons: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts a message to which the rule should be applied. `why_not` is the reason why it could not be.
    pub fn add(&mut self, why_not: Option<&str>) {
        let Some(why) = why_not else {
            self.applied += 1;
            return;
        };
        self.not_applied += 1;
        if let Some(count) = self.reasons.get_mut(why) {
            *count += 1;
        } else if self.reasons.len() < REASONS {
            self.reasons.insert(why.into(), 1);
        }
    }
}

/// A bound on the counts of all rules together: `--fail-on 'not_applied > 0'`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    figure: usize,
    comparison: Comparison,
    amount: u64,
}

impl Bound {
    const FIGURES: [&'static str; 3] = ["matched", "applied", "not_applied"];

    /// Returns the figure if it breaks the bound.
    pub fn broken<'t>(&self, tallies: impl IntoIterator<Item = &'t Tally>) -> Option<u64> {
        let figures = |tally: &Tally| [tally.matched, tally.applied, tally.not_applied];
        let sum = tallies.into_iter().map(|tally| figures(tally)[self.figure]).sum::<u64>();
        self.comparison.is(sum.cmp(&self.amount)).then_some(sum)
    }
}

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Bound, String> {
        let wrong = || format!("{text:?}: expected FIGURE > N or FIGURE < N, such as 'not_applied > 0'");
        let (name, comparison, amount) = Comparison::bound(text).ok_or_else(wrong)?;
        let Some(figure) = Bound::FIGURES.iter().position(|figure| *figure == name) else {
            let near = hint(nearest(name, Bound::FIGURES));
            return Err(format!("no figure {name:?}{near}: there are {}", Bound::FIGURES.join(", ")));
        };
        Ok(Bound { figure, comparison, amount: digits::unsigned(amount).ok_or_else(wrong)? })
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", Bound::FIGURES[self.figure], self.comparison.name(), self.amount)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_limit_of_edits() -> Result<(), String> {
        use crate::live::rules::{Bound, Tally};

        let bound: Bound = "not_applied > 0".parse()?;
        let mut tally = Tally::default();
        assert_eq!(bound.broken([&tally]), None);
        tally.add(Some("no field hp"));
        assert_eq!(bound.broken([&tally]), Some(1));
        assert!("not_aplied > 0".parse::<Bound>().unwrap_err().contains("not_applied"));
        Ok(())
    }
}
