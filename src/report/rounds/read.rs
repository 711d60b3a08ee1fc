//! Reads the lines that a load prints each second, or that a probe prints after each round.

use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::io::{BufRead, Read};

/// The most bytes of a line. No line of a load or a probe is as long.
const LONGEST: u64 = 1 << 20;
/// The most seconds of a load, or results of a probe's rounds: a second for more than a day.
const POINTS: usize = 100_000;
/// The most targets, and the most different outcomes of each.
const TARGETS: usize = 256;

/// The value of a step of a chart to which several lines belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Joined {
    Sum,
    Mean,
    Most,
}

/// The figures of each line of a load. Times are in ms, and `null` without data.
#[rustfmt::skip]
const SECOND: [(&str, Joined); 10] = [
    ("requests", Joined::Sum), ("active", Joined::Most),
    ("refused", Joined::Sum), ("silent", Joined::Sum), ("dropped", Joined::Sum), ("own", Joined::Sum),
    ("incomplete", Joined::Sum), ("p50", Joined::Mean), ("p99", Joined::Most), ("max", Joined::Most),
];

/// The results of a target's rounds.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Its name, as the user gave it.
    pub name: String,
    /// Its rounds.
    pub rounds: u64,
    /// The rounds by their outcomes.
    pub outcomes: BTreeMap<String, u64>,
    /// The questions that were asked, and those that were answered.
    pub asked: [u64; 2],
    /// The shortest and the longest round trip in ms.
    pub extremes: Option<(f64, f64)>,
}

/// The figures of one line: columns and their values.
#[derive(Clone, Debug)]
struct Point {
    at: f64,
    length: f64,
    values: Vec<(usize, f64)>,
}

/// All lines of a load, or of a probe.
#[derive(Clone, Debug, Default)]
pub struct Rounds {
    points: Vec<Point>,
    /// The duration in seconds.
    pub seconds: f64,
    /// The time of a probe's first round, in seconds since 1970.
    start: Option<f64>,
    /// A load's last line, with the figures of the whole run.
    pub whole: Option<Json>,
    /// The targets of a probe, in their order.
    pub targets: Vec<Target>,
    /// The reason why the lines are incomplete.
    pub cut: Option<String>,
}

/// The values of columns in steps of equal length. Empty steps have none.
pub struct Steps {
    /// The length of a step in seconds.
    pub step: f64,
    /// The values of each step, in the order of the columns that were wanted.
    pub values: Vec<Vec<Option<f64>>>,
}

impl Rounds {
    /// Reads all lines. Those before a broken one count, and `cut` has the reason.
    ///
    /// # Errors
    /// Returns the reason why even the first line is of neither.
    pub fn read(mut input: impl BufRead) -> Result<Rounds, String> {
        let (mut rounds, mut line) = (Rounds::default(), Vec::new());
        for number in 1usize.. {
            line.clear();
            let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
            let taken = match read {
                Ok(0) => break,
                Ok(_) if line.trim_ascii().is_empty() => continue,
                Ok(_) if rounds.points.len() >= POINTS => Err(format!("only {POINTS} seconds or rounds are read")),
                Ok(_) => rounds.line(&line),
                Err(error) => Err(error.to_string()),
            };
            if let Err(why) = taken {
                let why = format!("line {number}: {why}");
                if rounds.points.is_empty() && rounds.whole.is_none() {
                    return Err(why);
                }
                rounds.cut = Some(why);
                return Ok(rounds);
            }
        }
        match (rounds.points.is_empty(), &rounds.whole) {
            (true, _) => return Err("no second of a load and no round of a probe has ended in it".into()),
            (false, None) if rounds.targets.is_empty() => {
                rounds.cut = Some("the last line, with the figures of the whole run, is missing".into());
            }
            _ => {}
        }
        Ok(rounds)
    }

    /// Whether these are the lines of a load.
    pub fn is_load(&self) -> bool {
        self.targets.is_empty()
    }

    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        let json: Json = serde_json::from_slice(line).map_err(|why| format!("invalid JSON: {why}"))?;
        let kind = |key: &str| json.get(key).and_then(Json::as_str);
        let begun = !self.points.is_empty();
        match (kind("report"), kind("type")) {
            (Some("interval"), _) if (!begun || self.is_load()) && self.whole.is_none() => self.second(&json),
            (Some("load"), _) if (!begun || self.is_load()) && self.whole.is_none() => {
                self.whole = Some(json);
                Ok(())
            }
            (_, Some("sample")) if !begun || !self.is_load() => Ok(()),
            (_, Some("summary")) if !begun || !self.is_load() => self.round(&json),
            (Some("interval" | "load"), _) | (_, Some("sample" | "summary")) => {
                Err("a page shows one load or one probe, and this line is of another".into())
            }
            _ => Err("neither a line of replay --clients -f ndjson nor one of probe --every -f ndjson".into()),
        }
    }

    /// Takes the counts and times of one second of a load.
    fn second(&mut self, json: &Json) -> Result<(), String> {
        let end = number(json, "seconds")?.filter(|end| *end >= self.seconds);
        let end = end.ok_or("its time is before that of the last line")?;
        let mut values = Vec::new();
        for (column, (name, joined)) in SECOND.iter().enumerate() {
            match number(json, name)? {
                Some(value) => values.push((column, value)),
                None if *joined == Joined::Sum => return Err(format!("{name} is missing")),
                None => {}
            }
        }
        let length = end - self.seconds;
        self.points.push(Point { at: self.seconds + length / 2.0, length, values });
        self.seconds = end;
        Ok(())
    }

    /// Takes the result of one target in one round of a probe.
    fn round(&mut self, json: &Json) -> Result<(), String> {
        let text = |key: &str| json.get(key).and_then(Json::as_str).ok_or(format!("{key} is missing"));
        let (name, outcome) = (text("target")?, text("outcome")?);
        let time = number(json, "time")?.ok_or("its time is missing: older versions printed none")?;
        let at = time - *self.start.get_or_insert(time);
        // A clock that was set back does not move rounds to before the first one.
        let at = at.max(self.seconds);
        let found = self.targets.iter().position(|target| target.name == name);
        let index = match found {
            Some(index) => index,
            None if self.targets.len() < TARGETS => {
                self.targets.push(Target { name: name.into(), ..Target::default() });
                self.targets.len() - 1
            }
            None => return Err(format!("more than {TARGETS} targets")),
        };
        let rtt = json.get("rtt").unwrap_or(&Json::Null);
        let [sent, received, min, median, max] =
            ["sent", "received", "min_ms", "median_ms", "max_ms"].map(|key| number(rtt, key));
        let (sent, received, min, median, max) = (sent?, received?, min?, median?, max?);
        if let Some(target) = self.targets.get_mut(index) {
            target.rounds += 1;
            let known = target.outcomes.len() < TARGETS || target.outcomes.contains_key(outcome);
            *target.outcomes.entry(if known { outcome } else { "others" }.into()).or_default() += 1;
            let counts = [sent, received].map(|count| count.unwrap_or(0.0) as u64);
            target.asked.iter_mut().zip(counts).for_each(|(sum, count)| *sum = sum.saturating_add(count));
            if let (Some(min), Some(max)) = (min, max) {
                let (least, most) = target.extremes.unwrap_or((min, max));
                target.extremes = Some((least.min(min), most.max(max)));
            }
        }
        let mut values: Vec<(usize, f64)> = median.map(|median| (2 * index, median)).into_iter().collect();
        let failed = !matches!(outcome, "ok" | "interrupted");
        values.push((2 * index + 1, f64::from(u8::from(failed))));
        self.points.push(Point { at, length: 0.0, values });
        self.seconds = at;
        Ok(())
    }

    /// Returns the column of a load's figure.
    pub fn figure(name: &str) -> usize {
        SECOND.iter().position(|(own, _)| *own == name).unwrap_or(0)
    }

    /// Returns the columns of a probe's target: its median round trip, and its failed rounds.
    pub fn target(index: usize) -> [usize; 2] {
        [2 * index, 2 * index + 1]
    }

    /// Returns the sum of a column.
    pub fn sum(&self, column: usize) -> f64 {
        self.points.iter().flat_map(|point| &point.values).filter(|(own, _)| *own == column).map(|(_, n)| n).sum()
    }

    /// Divides the whole time into at most `most` steps. `per_second`: sums are divided by the time that the lines of a
    /// step cover.
    pub fn steps(&self, columns: &[usize], most: usize, per_second: bool) -> Steps {
        let step = (self.seconds / most as f64).ceil().max(1.0);
        let count = ((self.seconds / step).ceil() as usize).clamp(1, most);
        let mut values = vec![vec![None; columns.len()]; count];
        let mut lines = vec![vec![0u32; columns.len()]; count];
        let mut lengths = vec![0.0; count];
        for point in &self.points {
            let at = ((point.at / step) as usize).min(count - 1);
            lengths[at] += point.length;
            for (column, value) in &point.values {
                let Some(place) = columns.iter().position(|own| own == column) else { continue };
                let joined = match self.is_load() {
                    true => SECOND.get(*column).map_or(Joined::Sum, |(_, joined)| *joined),
                    false => [Joined::Mean, Joined::Sum][column % 2],
                };
                let (old, n) = (&mut values[at][place], &mut lines[at][place]);
                *n += 1;
                *old = Some(match (*old, joined) {
                    (None, _) => *value,
                    (Some(old), Joined::Sum) => old + value,
                    (Some(old), Joined::Most) => value.max(old),
                    (Some(old), Joined::Mean) => old + (value - old) / f64::from(*n),
                });
            }
        }
        if per_second {
            for (row, length) in values.iter_mut().zip(lengths).filter(|(_, length)| *length > 0.0) {
                row.iter_mut().flatten().for_each(|value| *value /= length);
            }
        }
        Steps { step, values }
    }
}

/// Returns a number that is not negative; `None` if it is `null` or missing.
fn number(json: &Json, key: &str) -> Result<Option<f64>, String> {
    match json.get(key) {
        None | Some(Json::Null) => Ok(None),
        Some(value) => match value.as_f64().filter(|n| (0.0..1e15).contains(n)) {
            Some(number) => Ok(Some(number)),
            None => Err(format!("{key}: expected a number from 0 to 1e15, got {value}")),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(at: f64, requests: u64, p50: &str) -> String {
        format!(
            "{{\"report\":\"interval\",\"seconds\":{at},\"active\":3,\"refused\":1,\"silent\":0,\"dropped\":0,\"own\":0,\
             \"incomplete\":0,\"requests\":{requests},\"p50\":{p50},\"p99\":9.5,\"max\":20}}\n"
        )
    }

    fn read(text: &str) -> Result<Rounds, String> {
        Rounds::read(text.as_bytes())
    }

    #[test]
    fn seconds_become_steps() {
        let mut text: String = (1..=400).map(|n| second(f64::from(n), 10, "2.5")).collect();
        text += "{\"report\":\"load\"}\n";
        let rounds = read(&text).unwrap();
        assert!(rounds.cut.is_none() && rounds.is_load());
        let columns = ["requests", "refused", "p50", "max"].map(Rounds::figure);
        assert_eq!((rounds.seconds, rounds.sum(columns[0])), (400.0, 4000.0));
        for (most, step) in [(400, 1.0f64), (200, 2.0), (180, 3.0), (1, 400.0)] {
            let steps = rounds.steps(&columns, most, true);
            assert_eq!((steps.step, steps.values.len()), (step, (400.0 / step).ceil() as usize));
            let row = [Some(10.0), Some(1.0), Some(2.5), Some(20.0)];
            // Only sums are of a second.
            assert!(steps.values.iter().all(|own| own[0] == row[0] && own[1] == row[1]), "{most}");
        }
        let steps = rounds.steps(&columns, 180, false);
        assert_eq!(steps.values[0], [Some(30.0), Some(3.0), Some(2.5), Some(20.0)]);
    }

    #[test]
    fn broken_and_foreign_lines_are_named() {
        for (text, why) in [
            ("", "has ended"),
            ("{}\n", "neither a line of"),
            ("{\"report\":\"session\"}\n", "neither a line of"),
            ("{\"report\":\"interval\"", "invalid JSON"),
            ("{\"report\":\"interval\",\"seconds\":-1}", "seconds: expected a number from 0"),
            ("{\"report\":\"interval\",\"seconds\":1}", "requests is missing"),
            ("{\"type\":\"summary\",\"target\":\"a\",\"outcome\":\"ok\"}", "time is missing"),
            ("{\"type\":\"sample\"}\n", "has ended"),
            ("\u{0}\n", "invalid JSON"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
        let one = second(1.0, 1, "null");
        for (rest, why) in [
            ("{\"report\":\"inter", "line 2: invalid JSON"),
            (second(0.5, 1, "1").as_str(), "line 2: its time is before"),
            ("{\"type\":\"sample\"}\n", "line 2: a page shows one"),
            ("", "the last line"),
        ] {
            let rounds = read(&format!("{one}{rest}")).unwrap();
            assert!(rounds.cut.as_ref().is_some_and(|cut| cut.contains(why)), "{rest}: {:?}", rounds.cut);
            assert_eq!(rounds.points.len(), 1);
        }
    }

    #[test]
    fn rounds_of_a_probe_are_by_target() {
        let round = |time: f64, target: &str, outcome: &str, median: &str| {
            format!(
                "{{\"type\":\"sample\"}}\n{{\"type\":\"summary\",\"target\":\"{target}\",\"outcome\":\"{outcome}\",\"rtt\":\
                 {{\"sent\":4,\"received\":3,\"min_ms\":{median},\"median_ms\":{median},\"max_ms\":{median}}},\
                 \"time\":{time}}}\n"
            )
        };
        let text = [
            round(1000.0, "a", "ok", "5.0"),
            round(1000.1, "b", "no answer", "null"),
            round(1060.0, "a", "ok", "7.0"),
            // The clock was set back.
            round(1050.0, "b", "interrupted", "null"),
        ];
        let rounds = read(&text.concat()).unwrap();
        assert!(rounds.cut.is_none() && !rounds.is_load());
        let [a, b] = &rounds.targets[..] else { panic!("two targets: {rounds:?}") };
        assert_eq!((a.rounds, a.asked, a.extremes), (2, [8, 6], Some((5.0, 7.0))));
        assert_eq!((b.outcomes["no answer"], b.outcomes["interrupted"], b.extremes), (1, 1, None));
        assert_eq!((rounds.seconds, rounds.sum(Rounds::target(1)[1])), (60.0, 1.0));
        let steps = rounds.steps(&Rounds::target(0), 1, false);
        assert_eq!(steps.values, [[Some(6.0), Some(0.0)]]);
    }
}
