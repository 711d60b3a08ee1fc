//! The number of sessions that begin each second, by time: `--stages 10/s:30s,100/s:1m,0:10s`.

use crate::duration;
use std::str::FromStr;
use std::time::Duration;

/// Rates that are reached one after the other, each in its own time, as in k6's `ramping-arrival-rate`. Within a stage
/// the rate changes evenly. The first stage starts at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Stages(Vec<(f64, Duration)>);

impl FromStr for Stages {
    type Err = String;

    fn from_str(text: &str) -> Result<Stages, String> {
        let stages: Vec<(f64, Duration)> = text.split(',').map(stage).collect::<Result<_, _>>()?;
        if stages.iter().all(|(rate, _)| *rate == 0.0) {
            return Err("no session begins at 0/s".into());
        }
        Ok(Stages(stages))
    }
}

fn stage(text: &str) -> Result<(f64, Duration), String> {
    let example = || format!("{text:?}: expected RATE:TIME, such as 10/s:30s");
    let (rate, time) = text.trim().split_once(':').ok_or_else(example)?;
    let rate = rate.strip_suffix("/s").unwrap_or(rate).parse::<f64>().map_err(|_| example())?;
    if !(0.0..=1e5).contains(&rate) {
        return Err(format!("{text:?}: expected sessions per second from 0/s to 100000/s"));
    }
    Ok((rate, duration::between(time, Duration::from_millis(1), Duration::from_secs(86_400))?))
}

impl Stages {
    /// The time of all stages.
    pub fn whole(&self) -> Duration {
        self.0.iter().map(|(_, time)| *time).sum()
    }

    /// The number of sessions that have begun after some time.
    pub fn begun(&self, after: Duration) -> f64 {
        let (mut begun, mut before, mut left) = (0.0, 0.0, after);
        for (rate, time) in &self.0 {
            let part = left.min(*time).as_secs_f64();
            let reached = before + (rate - before) * part / time.as_secs_f64();
            begun += (before + reached) / 2.0 * part;
            (before, left) = (*rate, left.saturating_sub(*time));
        }
        begun
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn stages_are_added() -> Result<(), String> {
        use crate::live::load::Stages;
        use std::time::Duration;
        let stages: Stages = "10/s:30s,100/s:1m,0:10s".parse()?;
        assert_eq!(stages.whole(), Duration::from_secs(100));
        // A triangle, a trapezium, and a triangle.
        assert_eq!(stages.begun(Duration::from_secs(30)), 150.0);
        assert_eq!(stages.begun(Duration::from_secs(90)), 150.0 + 3300.0);
        assert_eq!(stages.begun(Duration::from_secs(1000)), 150.0 + 3300.0 + 500.0);
        for wrong in ["", "10/s", "10/s:", ":5s", "-1/s:5s", "10/s:5s,", "x:5s", "0:5s", "1e9/s:1s"] {
            assert!(wrong.parse::<Stages>().is_err(), "{wrong}");
        }
        Ok(())
    }
}
