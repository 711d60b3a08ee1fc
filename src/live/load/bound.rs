//! A bound on a figure: `--fail-on 'p99>200ms'`.

use super::Figures;
use super::counts::Count;
use crate::duration;
use crate::filter::Comparison;
use crate::nearest::{hint, nearest};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// Figures that are times; all others are counts.
const TIMES: [&str; 9] =
    ["p50", "p90", "p99", "max", "connect_p99", "late_p99", "stall_p50", "stall_max", "stall_every"];
/// Numbers besides the counts of sessions.
const NUMBERS: [&str; 4] = ["requests", "rate", "busiest_second", "stalls"];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    Count(f64),
    /// The percentage of the sessions that were begun.
    Percent(f64),
    Millis(f64),
}

/// A bound that a run must not break.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    text: String,
    name: &'static str,
    comparison: Comparison,
    amount: Amount,
}

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Bound, String> {
        let example = "expected NAME>AMOUNT or NAME<AMOUNT, such as p99>200ms, dropped>1% or connected<1000";
        let (name, comparison, amount) = Comparison::bound(text).ok_or_else(|| format!("{text:?}: {example}"))?;
        let all = || Count::all().map(|(_, name)| name).chain(NUMBERS).chain(TIMES);
        let Some(known) = all().find(|known| *known == name) else {
            let near = nearest(name, all());
            let names =
                if near.is_some() { String::new() } else { format!(": {}", all().collect::<Vec<_>>().join(", ")) };
            return Err(format!("no figure {name:?}{}{names}", hint(near)));
        };
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite() && *n >= 0.0);
        let amount = match (TIMES.contains(&known), amount.strip_suffix('%')) {
            (true, _) => {
                let time = duration::between(amount, Duration::ZERO, Duration::from_secs(86_400))?;
                Amount::Millis(time.as_secs_f64() * 1e3)
            }
            (false, Some(_)) if NUMBERS.contains(&known) => {
                return Err(format!("{known} does not count sessions: expected a number, such as {known}>100"));
            }
            (false, Some(percent)) => {
                Amount::Percent(number(percent).ok_or_else(|| format!("{amount:?}: a number is missing before %"))?)
            }
            (false, None) => Amount::Count(number(amount).ok_or_else(|| format!("{amount:?}: {example}"))?),
        };
        Ok(Bound { text: text.into(), name: known, comparison, amount })
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Bound {
    /// Returns the figure if the run broke the bound, else `None`. A time without data breaks any bound.
    pub fn broken(&self, figures: &Figures) -> Option<String> {
        let json = figures.json();
        let Some(value) = json.get(self.name).and_then(serde_json::Value::as_f64) else {
            return Some("there is no data to check".into());
        };
        let (value, shown) = match self.amount {
            Amount::Count(_) => (value, format!("{value}")),
            Amount::Millis(_) => (value, format!("{value} ms")),
            Amount::Percent(_) => {
                let part = if figures.all.counts[Count::Started] > 0 {
                    value / figures.all.counts[Count::Started] as f64 * 100.0
                } else {
                    0.0
                };
                (part, format!("{part:.3} %"))
            }
        };
        let (Amount::Count(limit) | Amount::Percent(limit) | Amount::Millis(limit)) = self.amount;
        value.partial_cmp(&limit).is_some_and(|order| self.comparison.is(order)).then_some(shown)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_of_limits() {
        use crate::live::load::Bound;
        for text in ["p99>200ms", "dropped > 1%", "connected < 1000", "max >= 2s"] {
            assert!(text.parse::<Bound>().is_ok(), "{text}");
        }
        for text in ["p99", "p98>1ms", "p99>1%", "dropped>1ms", "p99=1ms", "dropped>-1", "", "rate<90%", "stalls>5%"] {
            assert!(text.parse::<Bound>().is_err(), "{text}");
        }
    }
}
