//! Impairments on a timetable: `from 10s to 20s: loss 5%/4, delay 80ms`.

use super::Impairments;
use crate::duration::between;
use std::time::Duration;

/// The maximum length of a timetable.
const LONGEST: Duration = Duration::from_secs(7 * 86_400);
/// The maximum number of periods.
const LINES: usize = 10_000;

/// One line: a period, and its settings.
#[derive(Clone, Debug, PartialEq)]
struct Period {
    from: Duration,
    to: Duration,
    /// The directions, the option's name and its value.
    knobs: Vec<([bool; 2], String, String)>,
}

/// A timetable of settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile(Vec<Period>);

impl Profile {
    /// Reads a timetable with one period per line; `#` begins a comment.
    ///
    /// ```text
    /// # when: what
    /// from 10s to 20s: loss 5%/4, delay 80ms
    /// from 20s to 30s: down rate 256kbit, up delay 200ms
    /// from 30s: network lte
    /// ```
    ///
    /// # Errors
    /// Returns the number of the line, and its error.
    pub fn parse(text: &str) -> Result<Profile, (usize, String)> {
        let mut periods = Vec::new();
        for (n, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if periods.len() == LINES {
                return Err((n + 1, format!("more than {LINES} periods")));
            }
            periods.push(period(line).map_err(|what| (n + 1, what))?);
        }
        match periods.is_empty() {
            true => Err((1, "no period: expected lines as 'from 10s to 20s: loss 5%/4, delay 80ms'".into())),
            false => Ok(Profile(periods)),
        }
    }

    /// Returns the impairments at a time: `base`, changed by the settings of all current periods in order.
    pub fn at(&self, base: &[Impairments; 2], time: Duration) -> [Impairments; 2] {
        let mut directions = base.clone();
        for period in self.0.iter().filter(|period| (period.from..period.to).contains(&time)) {
            for (turns, name, value) in &period.knobs {
                for (direction, _) in directions.iter_mut().zip(turns).filter(|(_, turn)| **turn) {
                    // The value was checked when the timetable was read.
                    let _ = direction.set(name, value);
                }
            }
        }
        directions
    }

    /// Returns the time of the next change.
    pub fn next(&self, time: Duration) -> Option<Duration> {
        let edges = self.0.iter().flat_map(|period| [period.from, period.to]);
        edges.filter(|edge| *edge > time && *edge < LONGEST).min()
    }

    /// Returns the impairments at the start of each period.
    pub fn all(&self, base: &[Impairments; 2]) -> Vec<[Impairments; 2]> {
        self.0.iter().map(|period| self.at(base, period.from)).collect()
    }
}

fn period(line: &str) -> Result<Period, String> {
    let shape = || "expected 'from TIME [to TIME]: NAME VALUE, ...'".to_string();
    let (when, what) = line.split_once(':').ok_or_else(shape)?;
    let words: Vec<&str> = when.split_whitespace().collect();
    let time = |text: &str| match text {
        "0" => Ok(Duration::ZERO),
        text => between(text, Duration::ZERO, LONGEST),
    };
    let (from, to) = match words[..] {
        ["from", from] => (time(from)?, LONGEST),
        ["from", from, "to", to] => (time(from)?, time(to)?),
        _ => return Err(shape()),
    };
    if to <= from {
        return Err(format!("it ends before it begins: {}", when.trim()));
    }
    let (mut turns, mut knobs) = ([true; 2], Vec::new());
    for part in what.split(',') {
        let mut words: Vec<&str> = part.split_whitespace().collect();
        match words.first() {
            Some(&"up") => turns = [true, false],
            Some(&"down") => turns = [false, true],
            Some(&"both") => turns = [true; 2],
            _ => {}
        }
        if matches!(words.first(), Some(&("up" | "down" | "both"))) {
            words.remove(0);
        }
        match words[..] {
            [name, value] => {
                Impairments::default().set(name, value).map_err(|what| format!("{name}: {what}"))?;
                knobs.push((turns, name.to_string(), value.to_string()));
            }
            _ => return Err(format!("{:?}: expected a name and a value, such as 'delay 80ms'", part.trim())),
        }
    }
    Ok(Period { from, to, knobs })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn a_timetable() {
        let text =
            "# a comment\nfrom 10s to 20s: loss 5%/4, delay 80ms # more\n\nfrom 15s: down rate 256kbit, up delay 1s\n";
        let profile = Profile::parse(text).unwrap();
        let base = [0, 1].map(|_| Impairments { delay: Duration::from_millis(5), ..Impairments::default() });
        assert_eq!(profile.at(&base, s(9)), base);
        let [up, down] = profile.at(&base, s(10));
        assert_eq!((up.delay.as_millis(), down.delay.as_millis(), up.loss.unwrap().share), (80, 80, 0.05));
        let [up, down] = profile.at(&base, s(15));
        assert_eq!((up.delay, down.delay.as_millis()), (s(1), 80));
        assert_eq!((up.rate, down.rate.map(|rate| rate.bits)), (None, Some(256_000)));
        let [up, down] = profile.at(&base, s(20));
        assert_eq!((up.delay, down.delay.as_millis(), up.loss), (s(1), 5, None));
        assert_eq!([0, 10, 15, 20].map(|n| profile.next(s(n))), [Some(s(10)), Some(s(15)), Some(s(20)), None]);
        assert_eq!(profile.all(&base).iter().filter_map(|[up, _]| up.only_for_datagrams()).next(), Some("loss"));
    }

    #[test]
    fn what_is_wrong_and_where() {
        let wrong = |text: &str, line: usize, what: &str| {
            let (at, why) = Profile::parse(text).unwrap_err();
            assert!(at == line && why.contains(what), "{at} {why}");
        };
        wrong("", 1, "no period");
        wrong("from 1s: delay 1s\nform 2s: delay 1s", 2, "expected 'from TIME [to TIME]");
        wrong("from 5s to 5s: delay 1s", 1, "ends before it begins");
        wrong("from 5s: delay", 1, "expected a name and a value");
        wrong("from 5s: dely 5ms", 1, "did you mean \"delay\"");
        wrong("from 5s: loss 5", 1, "expected a share");
    }
}
