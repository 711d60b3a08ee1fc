//! Bytes over time, stacked by message and by direction.

use super::super::charts::{Chart, Layer, Mark, areas, chart};
use super::super::figures::{Count, body, bytes, heading, region};
use super::super::scale::{Linear, plain, time_label};
use super::super::{Html, section};
use super::nothing;
use crate::stats::Plot;
use crate::stats::plot::{Series, unit};
use crate::stats::timeline::STEPS;

/// The most rows of the table below it.
const ROWS: usize = 40;

/// Writes the section.
pub fn section_of(by_message: &Plot, by_direction: &Plot, html: &mut Html) {
    section("bandwidth", "Bandwidth", html, |html| {
        if by_message.is_empty() {
            return nothing("No message: nothing was sent.", html);
        }
        one("by-message", "Bytes per second by message", by_message, 200, html, |at, _| at);
        one("by-direction", "Bytes per second by sender", by_direction, 110, html, |_, name| match name {
            "client" => 0,
            "server" => 1,
            _ => 5,
        });
    });
}

fn one(id: &'static str, title: &str, plot: &Plot, height: u32, html: &mut Html, mark: impl Fn(usize, &str) -> usize) {
    let series = plot.series(plot.round_step(STEPS));
    let top = series.totals().into_iter().max().unwrap_or(0) as f64 / series.step;
    let (unit, scale) = unit(top);
    let axis = Linear::new(top / scale);
    let ticks: Vec<_> = axis.ticks().map(|tick| (axis.at(tick), format!("{} {unit}", plain(tick)))).collect();
    let about = format!("Bytes per second, in steps of {}.", time_label(series.step));
    let layers: Vec<Layer> = series
        .layers
        .iter()
        .enumerate()
        .map(|(at, (name, values))| {
            let shares = values.iter().map(|n| axis.at(*n as f64 / series.step / scale)).collect();
            Layer { mark: mark(at, name), values: shares }
        })
        .collect();
    let sums: Vec<u64> = series.layers.iter().map(|(_, values)| values.iter().sum()).collect();
    let all = sums.iter().sum::<u64>().max(1);
    let named: Vec<String> =
        series.layers.iter().zip(&sums).map(|((name, _), sum)| format!("{name} {}", bytes(*sum as f64))).collect();
    let summary = format!("Highest {} {unit}. {}.", plain(top / scale), named.join(", "));
    let mut legend = Vec::new();
    for (((name, _), Layer { mark, .. }), sum) in series.layers.iter().zip(&layers).zip(&sums) {
        let share = *sum as f64 / all as f64 * 100.0;
        legend.push((Mark::Area(*mark), *name, format!("{} · {share:.1} %", bytes(*sum as f64))));
    }
    let (about, summary, ticks, seconds) = (&about, &summary, &ticks, Some(series.seconds()));
    chart(
        &Chart { title, about, summary, height, seconds, ticks, legend },
        html,
        |html| areas(&layers, height, html),
        |html| rows(id, title, &plot.series(plot.round_step(ROWS)), html),
    );
}

/// Writes the table: bytes by step and layer, and their sums.
fn rows(id: &'static str, title: &str, series: &Series, html: &mut Html) {
    let caption = format!("{title}: bytes in steps of {}", time_label(series.step));
    region(id, &caption, html, |html| {
        let names = series.layers.iter().map(|(name, _)| *name);
        heading(std::iter::once("from (s)").chain(names).chain(["all"]).map(|name| (name, "n")), html);
        let totals = series.totals();
        body(totals.iter().enumerate(), html, |(k, total), html| {
            html.el("th").attr("scope", "row").class("n").text(plain(k as f64 * series.step));
            for (_, values) in &series.layers {
                html.el("td").class("n").text(Count(values.get(k).copied().unwrap_or(0)));
            }
            html.el("td").class("n").text(Count(*total));
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
