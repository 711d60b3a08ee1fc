//! A capture over time as a text chart: bars for steps of time, stacked by message or by direction, with axes and
//! units.

use super::timeline::{round_step, step_text, widening};
use crate::capture::{Time, TimeSpec};
use crate::dissect::{Message, Role, Sink};
use crate::plural::Plural;
use crate::read::CaptureSink;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The largest number of steps; with a longer capture the steps widen.
const STEPS: usize = 2048;
/// The height of the chart in lines.
const HEIGHT: usize = 12;
/// The largest number of layers with separate characters; further ones are `other`.
const LAYERS: usize = 6;
/// The largest number of names that are counted; the largest of these layers are shown.
const NAMES: usize = 256;
/// The width in columns without a terminal.
const WIDTH: usize = 80;

/// The property by which a bar is stacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stacked {
    /// The message's name.
    Message,
    /// The sender: client, server or unknown.
    Direction,
}

crate::named!(Stacked: Message = "message", Direction = "direction");

/// Counts messages and bytes by step of time and layer.
#[derive(Debug)]
pub struct Plot {
    by: Stacked,
    since: Option<TimeSpec>,
    start: Option<i64>,
    /// The time from the capture's first frame to the start of the chart, in nanoseconds.
    before: i64,
    step: i64,
    last: usize,
    layers: FxHashMap<&'static str, Vec<u64>>,
}

/// Bytes over time in steps of equal length.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// The length of a step, in seconds.
    pub step: f64,
    /// The layers: their names, and the bytes of every step.
    pub layers: Vec<(&'static str, Vec<u64>)>,
    /// The number of steps.
    pub steps: usize,
}

impl Series {
    /// The duration in seconds.
    pub fn seconds(&self) -> f64 {
        self.step * self.steps as f64
    }

    /// The bytes of all layers by step.
    pub fn totals(&self) -> Vec<u64> {
        (0..self.steps).map(|k| self.layers.iter().filter_map(|(_, values)| values.get(k)).sum()).collect()
    }
}

impl Plot {
    /// A plot without messages. It begins with the capture, or later at `since`.
    pub fn new(by: Stacked, since: Option<TimeSpec>) -> Plot {
        Plot { by, since, start: None, before: 0, step: 1_000_000, last: 0, layers: FxHashMap::default() }
    }

    /// A plot of these layers.
    #[cfg(test)]
    pub(crate) fn of(by: Stacked, layers: &[(&'static str, &[u64])]) -> Plot {
        let mut plot = Plot::new(by, None);
        plot.last = layers.iter().map(|(_, steps)| steps.len()).max().unwrap_or(1).max(1) - 1;
        plot.layers = layers.iter().map(|(name, steps)| (*name, steps.to_vec())).collect();
        plot
    }

    /// Merges neighbouring steps.
    fn widen(&mut self) {
        let together = widening(self.step);
        self.step = self.step.saturating_mul(together as i64);
        self.last /= together;
        for steps in self.layers.values_mut() {
            *steps = steps.chunks(together).map(|some| some.iter().sum()).collect();
        }
    }

    /// Whether there is no message.
    pub(crate) fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// The shortest round step in nanoseconds of which at most `most` cover the whole plot.
    pub(crate) fn round_step(&self, most: usize) -> i64 {
        round_step((self.last as i64 + 1).saturating_mul(self.step), most, self.step)
    }

    /// The bytes in round steps of this length, or of the plot's own if that is longer.
    pub(crate) fn series(&self, step: i64) -> Series {
        let together = (step / self.step).max(1) as usize;
        let steps = if self.is_empty() { 0 } else { self.last / together + 1 };
        let join = |values: Vec<u64>| {
            let mut joined: Vec<u64> = values.chunks(together).map(|part| part.iter().sum()).collect();
            joined.resize(steps, 0);
            joined
        };
        let layers = self.stacked().into_iter().map(|(name, values)| (name, join(values))).collect();
        Series { step: self.step as f64 * together as f64 / 1e9, layers, steps }
    }

    /// The layers, the largest first; the smallest ones are combined.
    fn stacked(&self) -> Vec<(&'static str, Vec<u64>)> {
        let mut layers: Vec<_> = self.layers.iter().map(|(name, steps)| (*name, steps.clone())).collect();
        layers.sort_by_key(|(name, steps)| (std::cmp::Reverse(steps.iter().sum::<u64>()), *name));
        if layers.len() > LAYERS {
            let mut rest = vec![0; self.last + 1];
            for (_, steps) in layers.drain(LAYERS - 1..) {
                rest.iter_mut().zip(steps).for_each(|(sum, n)| *sum += n);
            }
            layers.push(("other", rest));
        }
        layers
    }

    /// The index of a layer's character: a side has the same one in every capture.
    fn mark(&self, at: usize, name: &str) -> usize {
        match (self.by, name) {
            (Stacked::Message, _) => at,
            (Stacked::Direction, "client") => 0,
            (Stacked::Direction, "server") => 1,
            (Stacked::Direction, _) => 2,
        }
    }

    /// Appends the chart. `colours` are codes for the layers, and `reset` is the code that ends them; without colours
    /// the layers differ by their characters.
    pub fn text(&self, width: Option<usize>, colours: &[&str], reset: &str, out: &mut String) {
        if self.is_empty() {
            out.push_str("no message\n");
            return;
        }
        let label = 10;
        let room = width.unwrap_or(WIDTH).saturating_sub(label + 1).max(10);
        let column = self.round_step(room);
        let Series { layers, steps: columns, step: seconds } = self.series(column);
        // The bytes per second of each column and layer.
        let bar = |k: usize| layers.iter().map(|(_, bytes)| bytes[k] as f64 / seconds).collect::<Vec<_>>();
        let bars: Vec<Vec<f64>> = (0..columns).map(bar).collect();
        let top = bars.iter().map(|bar| bar.iter().sum::<f64>()).fold(0.0, f64::max);
        let (unit, scale) = unit(top);
        let top = nice(top / scale);
        for row in (0..HEIGHT).rev() {
            let (low, high) = (row as f64 / HEIGHT as f64, (row + 1) as f64 / HEIGHT as f64);
            let label_here = row + 1 == HEIGHT || row == HEIGHT / 2 - 1;
            let _ = match label_here {
                true => write!(out, "{:>w$} ┤", format!("{} {unit}", short(top * high)), w = label - 1),
                false => write!(out, "{:>w$} │", "", w = label - 1),
            };
            let mut line = String::new();
            for bar in &bars {
                // The layer in the middle of this cell, from the bottom.
                let middle = (low + high) / 2.0 * top * scale;
                let mut sum = 0.0;
                let layer = bar.iter().position(|n| {
                    sum += n;
                    sum > middle
                });
                // A bar above 0 has at least a small mark, but less than a full cell.
                let least = row == 0 && sum > 0.0;
                let largest = || (0..bar.len()).max_by(|a, b| bar[*a].total_cmp(&bar[*b]));
                match (layer, largest().filter(|_| least)) {
                    (Some(at), _) => cell(self.mark(at, layers[at].0), false, colours, reset, &mut line),
                    (None, Some(at)) => cell(self.mark(at, layers[at].0), true, colours, reset, &mut line),
                    (None, None) => line.push(' '),
                }
            }
            let _ = writeln!(out, "{}", line.trim_end_matches(' '));
        }
        let _ = writeln!(out, "{:>w$} └{}", "0", "─".repeat(columns), w = label - 1);
        let at = |columns: usize| format!("{} s", short((self.before as f64 + column as f64 * columns as f64) / 1e9));
        let (middle, end) = (at(columns / 2), at(columns));
        let mut axis = at(0);
        for (text, at) in [(middle, columns / 2), (end.clone(), columns.saturating_sub(end.chars().count()))] {
            if at > axis.chars().count() + 1 {
                axis += &" ".repeat(at - axis.chars().count());
                axis += &text;
            }
        }
        let _ = writeln!(out, "{:>label$} {axis}", "");
        let _ = writeln!(out, "{:>label$} a column is {}; {unit} by {}", "", step_text(column), self.by.name());
        for (at, (name, counts)) in layers.iter().enumerate() {
            let mut mark = String::new();
            cell(self.mark(at, name), false, colours, reset, &mut mark);
            let total = counts.iter().sum::<u64>();
            let _ = writeln!(out, "{:>label$} {mark} {name}: {}", "", Plural(total as usize, "byte"));
        }
    }
}

/// Appends the character of a layer; `small` is for less than half a cell.
fn cell(at: usize, small: bool, colours: &[&str], reset: &str, out: &mut String) {
    const MARKS: [char; LAYERS] = ['█', '▓', '▒', '░', '#', '·'];
    let (colour, reset) = colours.get(at).map_or(("", ""), |colour| (*colour, reset));
    let mark = match colours.is_empty() {
        _ if small => '▁',
        true => MARKS[at.min(LAYERS - 1)],
        false => '█',
    };
    out.push_str(colour);
    out.push(mark);
    out.push_str(reset);
}

/// The unit and factor for numbers up to `top`.
pub(crate) fn unit(top: f64) -> (&'static str, f64) {
    match top {
        t if t >= 1e6 => ("MB/s", 1e6),
        t if t >= 1e4 => ("kB/s", 1e3),
        _ => ("B/s", 1.0),
    }
}

/// The next round number: `top` or slightly more.
pub(crate) fn nice(top: f64) -> f64 {
    if top <= 0.0 {
        return 1.0;
    }
    let ten = 10f64.powf(top.log10().floor());
    let steps = [1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.into_iter().map(|step| step * ten).find(|n| *n >= top * 0.999_999).unwrap_or(10.0 * ten)
}

/// A number with few digits.
pub(crate) fn short(x: f64) -> String {
    let decimals = match x {
        x if x >= 100.0 => 0,
        x if x >= 10.0 => 1,
        x if x >= 0.1 => 2,
        _ => 3,
    };
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

impl CaptureSink for Plot {
    fn origin(&mut self, time: Time) {
        if self.start.is_none() {
            let first = time.near_nanos();
            let since = self.since.map(|since| i64::try_from(since.nanos(time)).unwrap_or(i64::MAX));
            let start = since.unwrap_or(first).max(first);
            (self.start, self.before) = (Some(start), start.saturating_sub(first));
        }
    }
}

impl Sink for Plot {
    fn message(&mut self, message: &Message<'_>) {
        let nanos = message.place.time.near_nanos();
        let since = nanos.saturating_sub(*self.start.get_or_insert(nanos)).max(0);
        while since / self.step >= STEPS as i64 {
            self.widen();
        }
        let step = (since / self.step) as usize;
        self.last = self.last.max(step);
        let name = match (self.by, message.dissection.from) {
            (Stacked::Message, _) => message.dissection.message,
            (Stacked::Direction, Role::Client) => "client",
            (Stacked::Direction, Role::Server) => "server",
            (Stacked::Direction, Role::Unknown) => "unknown",
        };
        let name = if self.layers.len() < NAMES || self.layers.contains_key(name) { name } else { "other" };
        let steps = self.layers.entry(name).or_default();
        if steps.len() <= step {
            steps.resize(step + 1, 0);
        }
        if let Some(bytes) = steps.get_mut(step) {
            *bytes += message.counted();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        for (top, want) in [(0.0, 1.0), (0.9, 1.0), (1.0, 1.0), (23.0, 25.0), (999.0, 1000.0), (61.0, 80.0)] {
            assert!((nice(top) - want).abs() < 1e-9, "{top} {}", nice(top));
        }
        assert_eq!([0.0, 0.025, 2.5, 12.34, 1234.5].map(short), ["0", "0.025", "2.5", "12.3", "1234"]);
        assert_eq!((unit(9_999.0).0, unit(10_000.0).0, unit(2e6).0), ("B/s", "kB/s", "MB/s"));
    }

    #[test]
    fn steps_widen_and_nothing_is_lost() {
        let mut plot = Plot::new(Stacked::Message, None);
        plot.layers.insert("a", vec![1, 2, 3]);
        plot.layers.insert("b", vec![5]);
        plot.last = 2;
        plot.widen();
        assert_eq!((plot.layers["a"].as_slice(), plot.layers["b"].as_slice()), (&[3, 3][..], &[5][..]));
        assert_eq!((plot.last, plot.step), (1, 2_000_000));
        plot.layers.insert("a", vec![1; 11]);
        plot.last = 10;
        plot.widen();
        assert_eq!((plot.layers["a"].as_slice(), plot.last, plot.step), (&[5, 5, 1][..], 2, 10_000_000));
        plot.layers.insert("a", vec![3, 3]);
        plot.last = 1;
        for k in 0..20 {
            plot.layers.insert(["c", "d", "e", "f", "g", "h"][k % 6], vec![1, 1]);
        }
        let layers = plot.stacked();
        assert_eq!((layers.len(), layers[0].0, layers[LAYERS - 1].0), (LAYERS, "a", "other"));
        assert_eq!(layers.iter().flat_map(|(_, steps)| steps).sum::<u64>(), 6 + 5 + 12);
    }

    #[test]
    fn no_byte_is_lost_between_round_steps() {
        let plot = Plot::of(Stacked::Message, &[("a", &[1, 2, 3, 4, 5, 6, 7]), ("b", &[10])]);
        for (most, millis) in [(1, 10), (2, 5), (3, 5), (4, 2), (7, 1), (100, 1)] {
            let step = plot.round_step(most);
            let series = plot.series(step);
            assert_eq!(step, millis * 1_000_000, "{most}");
            assert!(series.steps <= most, "{most}");
            assert_eq!(series.totals().iter().sum::<u64>(), 38, "{most}");
            assert!(series.layers.iter().all(|(_, values)| values.len() == series.steps));
        }
    }
}
