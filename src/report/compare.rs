//! Compares two runs: the differences as `netkit diff` lists them, and both runs' curves in the same charts.

use super::charts::{Chart, Mark, Point, chart, line};
use super::figures::{Count, Shown, body, bytes, heading, region, table};
use super::scale::{Linear, plain, time_label};
use super::sections::delays::{axis, delay, quantiles_of};
use super::sections::{delivery, nothing, verdicts};
use super::{Context, Html, Run, section};
use crate::stats::plot::{Series, unit};
use crate::stats::timeline::STEPS;
use crate::stats::{diff, directions};
use crate::traffic::histogram::Delays;
use std::collections::BTreeMap;

/// The most differences that are listed.
const LISTED: usize = 300;
const HEIGHT: u32 = 180;

const COLUMNS: &str = "of,what,a,b,change";

/// The names of the two runs and the marks of their curves: the colours differ, and one line is dashed.
pub const RUNS: [(&str, Mark); 2] = [("A", Mark::Line("run-a")), ("B", Mark::Dashes("run-b"))];

/// Writes the section of differences.
pub fn changes(contexts: [&Context<'_>; 2], html: &mut Html) {
    section("changes", "What changed", html, |html| {
        let found = diff::compare(contexts[0].stats, contexts[1].stats, &[]);
        if found.notable().next().is_none() {
            return nothing("No notable difference: the same messages, fields, rates and delays in both.", html);
        }
        let rows = found.shown();
        let caption = "From A to B, most important first; rates a second, sizes in bytes, delays in ms";
        let more = "netkit diff lists all";
        table(&rows, &Shown { id: "differences", caption, columns: COLUMNS, most: LISTED, more }, html);
    });
}

/// Both runs' bytes over time, each from its own start.
pub fn curves(runs: [&Run; 2], html: &mut Html) {
    section("bandwidth", "Bandwidth", html, |html| {
        // Both runs have the same steps: shorter steps would have higher peaks.
        let step = runs.map(|run| run.by_message.round_step(STEPS)).into_iter().max().unwrap_or(1);
        let series = runs.map(|run| run.by_message.series(step));
        if series.iter().all(|one| one.steps == 0) {
            return nothing("No message in either capture.", html);
        }
        let rate = |one: &Series| -> Vec<f64> { one.totals().iter().map(|n| *n as f64 / one.step).collect() };
        let rates = [rate(&series[0]), rate(&series[1])];
        let top = rates.iter().flatten().copied().fold(0.0, f64::max);
        let (unit, scale) = unit(top);
        let axis = Linear::new(top / scale);
        let ticks: Vec<_> = axis.ticks().map(|tick| (axis.at(tick), format!("{} {unit}", plain(tick)))).collect();
        let seconds = series[0].seconds().max(series[1].seconds());
        let about = format!("Each from its own first frame, in steps of {}.", time_label(series[0].step));
        let text = |k: usize| {
            let all = series[k].totals().iter().sum::<u64>();
            let highest = rates[k].iter().copied().fold(0.0, f64::max);
            format!(
                "{} in {}, at most {} {unit}",
                bytes(all as f64),
                time_label(runs[k].stats.duration()),
                plain(highest / scale)
            )
        };
        let summary = format!("A: {}. B: {}.", text(0), text(1));
        let title = "Bytes per second";
        let legend = RUNS.iter().enumerate().map(|(k, (name, mark))| (*mark, *name, text(k))).collect();
        let (about, summary, ticks, height) = (&about, &summary, &ticks, HEIGHT);
        chart(
            &Chart { title, about, summary, height, seconds: Some(seconds), ticks, legend },
            html,
            |html| {
                for ((_, mark), (one, rates)) in RUNS.into_iter().zip(series.iter().zip(&rates)) {
                    let points = rates.iter().enumerate().map(|(k, rate)| {
                        let x = (k as f64 + 0.5) * one.step / seconds;
                        Some(Point { x: x.min(1.0), y: axis.at(rate / scale) })
                    });
                    line(mark, points, HEIGHT, html);
                }
            },
            |html| sums(&series, html),
        );
    });
}

/// Writes the table of bytes by message in both runs.
fn sums(series: &[Series; 2], html: &mut Html) {
    let mut names: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for (k, one) in series.iter().enumerate() {
        for (name, values) in &one.layers {
            names.entry(name).or_default()[k] += values.iter().sum::<u64>();
        }
    }
    region("bytes-by-message", "Bytes by message, the largest of each", html, |html| {
        heading([("message", "t"), ("A", "n"), ("B", "n")], html);
        body(&names, html, |(name, sums), html| {
            html.el("th").attr("scope", "row").class("t").short(60, name);
            for sum in sums {
                html.el("td").class("n").attr("data-c", "sum").text(Count(*sum));
            }
        });
    });
}

/// Writes the section of delays: quantiles of both runs.
pub fn delays(runs: [&Run; 2], html: &mut Html) {
    section("round-trips", "Round trips", html, |html| {
        let summed = runs.map(|run| directions::summed(&run.stats));
        let mut names: Vec<(&str, &str)> = Vec::new();
        for sum in summed.iter().flatten() {
            if !names.contains(&(sum.proto, sum.from)) {
                names.push((sum.proto, sum.from));
            }
        }
        let mut any = false;
        for (proto, from) in names {
            let of = |k: usize| summed[k].iter().find(|sum| (sum.proto, sum.from) == (proto, from));
            for what in ["acknowledgement", "answer", "pong"] {
                let pick = |k: usize| {
                    of(k).map(|sum| match what {
                        "acknowledgement" => &sum.tally.ack,
                        "answer" => &sum.tally.response,
                        _ => &sum.tally.ping,
                    })
                };
                let both = [pick(0), pick(1)].map(|delays| delays.filter(|d| d.count() > 0));
                if both.iter().any(Option::is_some) {
                    any = true;
                    quantile_chart(&format!("{proto}, sent by the {from}: time to the {what}"), both, html);
                }
            }
        }
        if !any {
            nothing("Nothing is acknowledged or answered in either capture.", html);
        }
    });
}

/// Draws the share of messages that waited at most each time, a curve for each run.
fn quantile_chart(title: &str, both: [Option<&Delays>; 2], html: &mut Html) {
    let (log, ticks) = axis(both.into_iter().flatten());
    let text = |delays: Option<&Delays>| match delays {
        Some(d) => format!(
            "{} · median {}, p90 {}, longest {}",
            Count(d.count()),
            delay(d.percentile(50.0)),
            delay(d.percentile(90.0)),
            delay(d.max())
        ),
        None => "none".into(),
    };
    let summary = format!("A: {}. B: {}.", text(both[0]), text(both[1]));
    let about = "The share of messages with at most this delay.";
    let legend = RUNS.into_iter().zip(both).map(|((name, mark), delays)| (mark, name, text(delays))).collect();
    chart(
        &Chart { title, about, summary: &summary, height: HEIGHT, seconds: None, ticks: &ticks, legend },
        html,
        |html| {
            for ((_, mark), delays) in RUNS.into_iter().zip(both) {
                let Some(delays) = delays else { continue };
                let points = (0..=100).map(|percent| {
                    let nanos = delays.percentile(f64::from(percent))?;
                    Some(Point { x: f64::from(percent) / 100.0, y: log.at(nanos as f64 / 1e6) })
                });
                line(mark, points, HEIGHT, html);
            }
        },
        |html| quantiles_of(title, both, html),
    );
}

/// Writes each run's verdicts and delivery, one run after the other.
pub fn each(runs: [&Run; 2], contexts: [&Context<'_>; 2], html: &mut Html) {
    section("verdicts", "Verdicts", html, |html| {
        for ((run, context), (name, _)) in runs.into_iter().zip(contexts).zip(RUNS) {
            html.el("h3").text(format_args!("{name}: {}", context.about.name));
            verdicts::plain(context, &run.noted, html);
        }
    });
    section("delivery", "Delivery", html, |html| {
        let tables = contexts.map(delivery::sides);
        if tables.iter().all(|table| table.rows.is_empty()) {
            return nothing("Nothing is numbered in either capture.", html);
        }
        for ((table, id), (name, _)) in tables.iter().zip(["delivery-a", "delivery-b"]).zip(RUNS) {
            match table.rows.is_empty() {
                true => nothing("Nothing is numbered in this capture.", html),
                false => delivery::side_table(id, &format!("{name}: numbered messages by sender"), table, html),
            }
        }
    });
}
