//! Bytes over time, stacked by message and by direction.

use super::super::charts::{Chart, Mark, areas, chart, entry};
use super::super::figures::{Count, bytes, region};
use super::super::scale::{Linear, plain, time_label};
use super::super::{Html, section};
use super::nothing;
use crate::stats::Plot;
use crate::stats::plot::unit;

/// The steps of a picture, at most: finer ones would be needles.
const STEPS: usize = 180;
/// The rows of the table below it.
const ROWS: usize = 40;

/// Bytes over time in steps of equal length.
#[derive(Clone, Debug)]
pub struct Series {
    /// The length of a step, in seconds.
    pub step: f64,
    /// The layers: their names, and the bytes of every step.
    pub layers: Vec<(&'static str, Vec<u64>)>,
    /// How many steps.
    pub steps: usize,
}

impl Series {
    /// Of a plot, in at most so many steps.
    pub fn new(plot: &Plot, most: usize) -> Series {
        let (step, steps) = plot.steps();
        let per = steps.div_ceil(most.max(1)).max(1);
        let join = |values: Vec<u64>| {
            let mut joined: Vec<u64> = values.chunks(per).map(|part| part.iter().sum()).collect();
            joined.resize(steps.div_ceil(per), 0);
            joined
        };
        let layers = plot.stacked().into_iter().map(|(name, values)| (name, join(values))).collect();
        Series { step: step as f64 * per as f64 / 1e9, layers, steps: steps.div_ceil(per) }
    }

    /// How long it is, in seconds.
    pub fn seconds(&self) -> f64 {
        self.step * self.steps as f64
    }

    /// The bytes of all layers by step.
    pub fn totals(&self) -> Vec<u64> {
        (0..self.steps).map(|k| self.layers.iter().filter_map(|(_, values)| values.get(k)).sum()).collect()
    }
}

/// The section.
pub fn section_of(by_message: &Plot, by_direction: &Plot, html: &mut Html) {
    section("bandwidth", "Bandwidth", html, |html| {
        if by_message.steps().1 == 0 {
            return nothing("No message: nothing was sent.", html);
        }
        one("by-message", "Bytes a second by message", by_message, 200, html, |at, _| at);
        one("by-direction", "Bytes a second by sender", by_direction, 110, html, |_, name| match name {
            "client" => 0,
            "server" => 1,
            _ => 5,
        });
    });
}

fn one(id: &'static str, title: &str, plot: &Plot, height: u32, html: &mut Html, mark: impl Fn(usize, &str) -> usize) {
    let series = Series::new(plot, STEPS);
    let top = series.totals().into_iter().max().unwrap_or(0) as f64 / series.step;
    let (unit, scale) = unit(top);
    let axis = Linear::new(top / scale);
    let ticks: Vec<_> = axis.ticks().map(|tick| (axis.at(tick), format!("{} {unit}", plain(tick)))).collect();
    let about = format!("Each step is {}; what is sent in it, a second.", time_label(series.step));
    let layers: Vec<(usize, Vec<f64>)> = series
        .layers
        .iter()
        .enumerate()
        .map(|(at, (name, values))| {
            let shares = values.iter().map(|n| axis.at(*n as f64 / series.step / scale)).collect();
            (mark(at, name), shares)
        })
        .collect();
    let sums: Vec<u64> = series.layers.iter().map(|(_, values)| values.iter().sum()).collect();
    let all = sums.iter().sum::<u64>().max(1);
    let named: Vec<String> =
        series.layers.iter().zip(&sums).map(|((name, _), sum)| format!("{name} {}", bytes(*sum as f64))).collect();
    let summary = format!("Highest {} {unit}. {}.", plain(top / scale), named.join(", "));
    let shown = Chart { title, about: &about, summary: &summary, height, seconds: series.seconds(), ticks: &ticks };
    chart(
        &shown,
        html,
        |html| {
            for (((name, _), (mark, _)), sum) in series.layers.iter().zip(&layers).zip(&sums) {
                let share = *sum as f64 / all as f64 * 100.0;
                entry(Mark::Area(*mark), name, format_args!("{} · {share:.1} %", bytes(*sum as f64)), html);
            }
        },
        |html| areas(&layers, height, html),
        |html| rows(id, title, &Series::new(plot, ROWS), html),
    );
}

/// The table: bytes by step and layer, and their sums.
fn rows(id: &'static str, title: &str, series: &Series, html: &mut Html) {
    let caption = format!("{title}: bytes in steps of {}", time_label(series.step));
    region(id, &caption, html, |html| {
        html.el("thead").with(|html| {
            html.el("tr").with(|html| {
                html.el("th").attr("scope", "col").class("n").text("from (s)");
                for (name, _) in &series.layers {
                    html.el("th").attr("scope", "col").class("n").short(60, name);
                }
                html.el("th").attr("scope", "col").class("n").text("all");
            });
        });
        let totals = series.totals();
        html.el("tbody").with(|html| {
            for (k, total) in totals.iter().enumerate() {
                html.line().el("tr").with(|html| {
                    html.el("th").attr("scope", "row").class("n").text(plain(k as f64 * series.step));
                    for (_, values) in &series.layers {
                        html.el("td").class("n").text(Count(values.get(k).copied().unwrap_or(0)));
                    }
                    html.el("td").class("n").text(Count(*total));
                });
            }
        });
        html.el("tfoot").with(|html| {
            html.el("tr").with(|html| {
                html.el("th").attr("scope", "row").class("n").text("all");
                let sums = series.layers.iter().map(|(_, values)| values.iter().sum::<u64>());
                for sum in sums.chain([totals.iter().sum()]) {
                    html.el("td").class("n").attr("data-c", "sum").text(Count(sum));
                }
            });
        });
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::Stacked;

    #[test]
    fn no_byte_is_lost_between_steps() {
        let plot = Plot::of(Stacked::Message, &[("a", &[1, 2, 3, 4, 5, 6, 7]), ("b", &[10])]);
        for most in [1, 2, 3, 7, 100] {
            let series = Series::new(&plot, most);
            assert!(series.steps <= most, "{most}");
            assert_eq!(series.totals().iter().sum::<u64>(), 38, "{most}");
            assert!(series.layers.iter().all(|(_, values)| values.len() == series.steps));
        }
    }
}
