//! Axes: the position of a value between two limits, and the round numbers that label it.

/// The width of a chart's picture, in units of its `viewBox`; the units of its height are pixels.
pub const ACROSS: f64 = 1000.0;

/// An axis from 0 to a round number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Linear {
    step: f64,
    steps: usize,
}

impl Linear {
    /// Returns an axis for values up to `top`, with about four steps.
    pub fn new(top: f64) -> Linear {
        let top = if top.is_finite() && top > 0.0 { top } else { 1.0 };
        let step = round_up(top / 4.0, &[1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0]);
        Linear { step, steps: (top / step - 1e-9).ceil().max(1.0) as usize }
    }

    /// Returns the upper limit.
    pub fn top(self) -> f64 {
        self.step * self.steps as f64
    }

    /// Returns the position of a value, from 0 to 1.
    pub fn at(self, value: f64) -> f64 {
        (value / self.top()).clamp(0.0, 1.0)
    }

    /// Returns the labelled values.
    pub fn ticks(self) -> impl Iterator<Item = f64> {
        (0..=self.steps).map(move |k| k as f64 * self.step)
    }
}

/// A logarithmic axis of whole decades.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Log {
    low: i32,
    high: i32,
}

impl Log {
    /// Returns an axis for values between these.
    pub fn new(least: f64, most: f64) -> Log {
        let low = least.max(1e-12).log10().floor() as i32;
        Log { low, high: (most.max(1e-12).log10().ceil() as i32).max(low + 1) }
    }

    /// Returns the position of a value, from 0 to 1.
    pub fn at(self, value: f64) -> f64 {
        let decades = f64::from(self.high - self.low);
        ((value.max(1e-12).log10() - f64::from(self.low)) / decades).clamp(0.0, 1.0)
    }

    /// Returns the labelled values: one a decade.
    pub fn ticks(self) -> impl Iterator<Item = f64> {
        (self.low..=self.high).map(|power| 10f64.powi(power))
    }
}

/// Returns the round times between 0 and `seconds`, at most about seven.
pub fn times(seconds: f64) -> Vec<f64> {
    if !seconds.is_finite() || seconds <= 0.0 {
        return vec![0.0];
    }
    let wanted = seconds / 6.0;
    let step = match wanted {
        w if w <= 10.0 => round_up(w, &[1.0, 2.0, 5.0, 10.0]),
        w if w <= 3600.0 => {
            let steps = [15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1200.0, 1800.0, 3600.0];
            steps.into_iter().find(|step| *step >= w).unwrap_or(3600.0)
        }
        w => round_up(w / 3600.0, &[1.0, 2.0, 3.0, 6.0, 12.0, 24.0, 100.0]) * 3600.0,
    };
    (0..=(seconds / step + 1e-9) as usize).map(|k| k as f64 * step).collect()
}

/// Returns the smallest of these factors, times a power of ten, that is at least `value`.
fn round_up(value: f64, factors: &[f64]) -> f64 {
    let ten = 10f64.powf(value.log10().floor());
    factors.iter().map(|factor| factor * ten).find(|n| *n >= value * 0.999_999).unwrap_or(10.0 * ten)
}

/// Formats a time of an axis: `250 ms`, `12 s`, `3:05`, `2:00:00`.
pub fn time_label(seconds: f64) -> String {
    match seconds {
        0.0 => "0".into(),
        s if s < 1.0 => format!("{} ms", plain(s * 1e3)),
        s if s < 120.0 => format!("{} s", plain(s)),
        s if s < 7200.0 => format!("{}:{:02}", s as u64 / 60, s as u64 % 60),
        s => format!("{}:{:02}:{:02}", s as u64 / 3600, s as u64 / 60 % 60, s as u64 % 60),
    }
}

/// Formats a delay of an axis, given in milliseconds: `10 µs`, `1 ms`, `10 s`.
pub fn delay_label(millis: f64) -> String {
    match millis {
        ms if ms < 0.000_999 => format!("{} ns", plain(ms * 1e6)),
        ms if ms < 0.999 => format!("{} µs", plain(ms * 1e3)),
        ms if ms < 999.9 => format!("{} ms", plain(ms)),
        ms => format!("{} s", plain(ms / 1e3)),
    }
}

/// Formats a number without needless digits.
pub fn plain(x: f64) -> String {
    let decimals = match x.abs() {
        x if x >= 100.0 => 0,
        x if x >= 10.0 => 1,
        x if x >= 1.0 => 2,
        _ => 3,
    };
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers_above_their_values() {
        for (top, end, ticks) in [(0.0, 1.0, 5), (7.0, 8.0, 5), (100.0, 100.0, 5), (1021.0, 1200.0, 5), (0.3, 0.3, 4)] {
            let axis = Linear::new(top);
            assert!((axis.top() - end).abs() < 1e-9, "{top}: {}", axis.top());
            assert_eq!(axis.ticks().count(), ticks, "{top}");
            assert!(axis.at(top) <= 1.0 && axis.at(axis.top()) == 1.0);
        }
        let log = Log::new(0.3, 844.0);
        assert_eq!(log.ticks().collect::<Vec<_>>(), [0.1, 1.0, 10.0, 100.0, 1000.0]);
        assert!((log.at(10.0) - 0.5).abs() < 1e-9 && log.at(1e9) == 1.0 && log.at(-3.0) == 0.0);
        assert_eq!(Log::new(5.0, 5.0).ticks().count(), 2);
    }

    #[test]
    fn times_are_round_and_few() {
        for seconds in [1e-6, 0.004, 0.7, 1.0, 18.4, 59.0, 61.0, 300.0, 7199.0, 7201.0, 86_400.0, 1e7] {
            let ticks = times(seconds);
            assert!((2..=9).contains(&ticks.len()), "{seconds}: {ticks:?}");
            assert!(ticks.last().is_some_and(|last| *last <= seconds * 1.000_001), "{seconds}: {ticks:?}");
        }
        assert_eq!(times(0.0), [0.0]);
        assert_eq!(times(f64::NAN), [0.0]);
        let labels = |list: &[f64]| list.iter().map(|s| time_label(*s)).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(&[0.0, 0.25, 2.5, 119.0, 125.0, 7325.0]), "0 250 ms 2.5 s 119 s 2:05 2:02:05");
        let labels = |list: &[f64]| list.iter().map(|s| delay_label(*s)).collect::<Vec<_>>().join(" ");
        assert_eq!(labels(&[0.0001, 0.01, 1.0, 100.0, 1000.0, 1e5]), "100 ns 10 µs 1 ms 100 ms 1 s 100 s");
    }
}
