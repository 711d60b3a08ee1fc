//! One page of a load's seconds, or of a probe's rounds: what they print as ndjson.

mod read;

pub use read::Rounds;

use super::charts::{Chart, Layer, Mark, Point, areas, chart, dots, line};
use super::figures::{Count, body, heading, region};
use super::scale::{Linear, Log, delay_label, plain, time_label};
use super::sections::nothing;
use super::{Html, section};
use serde_json::Value as Json;

/// The most steps of a picture, and of the table below it.
const STEPS: [usize; 2] = [180, 40];
/// The height of a picture.
const HEIGHT: u32 = 180;
/// The most targets in a chart. The table has all.
const DRAWN: usize = 6;
/// The failures of a load's sessions.
const FAILURES: [&str; 5] = ["refused", "silent", "dropped", "incomplete", "own"];

/// A series of a chart: its mark, its name and its column.
type Series = (Mark, String, usize);

/// Writes all sections, in the order of [`SECTIONS`].
pub fn sections(rounds: &Rounds, html: &mut Html) {
    section("overview", "Overview", html, |html| match rounds.is_load() {
        true => whole(rounds, html),
        false => targets(rounds, html),
    });
    section("rate", SECTIONS[1].1, html, |html| match rounds.is_load() {
        true => {
            let about = "Requests that were answered per second.";
            let requests = series(&["requests"]);
            let heading = Heading { id: "requests", title: "Requests a second", about };
            stacked(rounds, &heading, &requests, true, html);
            let active = series(&["active"]);
            let heading = Heading { id: "active", title: "Sessions under way", about: "The most in each step." };
            stacked(rounds, &heading, &active, false, html);
        }
        false => nothing("A probe sets the rate itself, so it does not show the server's.", html),
    });
    section("latency", SECTIONS[2].1, html, |html| {
        let names = ["p50", "p99", "max"];
        let load = [Mark::Line("client"), Mark::Dashes("client"), Mark::Round("client")].into_iter().zip(names);
        let colours = ["client", "server", "unknown"];
        let marks = colours.map(Mark::Line).into_iter().chain(colours.map(Mark::Dashes));
        let series: Vec<Series> = match rounds.is_load() {
            true => load.map(|(mark, name)| (mark, name.into(), Rounds::figure(name))).collect(),
            false => drawn(rounds, 0).zip(marks).map(|((_, name, column), mark)| (mark, name, column)).collect(),
        };
        let about = match rounds.is_load() {
            true => "From request to response: p50, p99 and the longest of each second.",
            false => "The median round trip of each round, by target.",
        };
        times(rounds, &Heading { id: "latencies", title: "Latency", about }, &series, html);
    });
    section("failures", SECTIONS[3].1, html, |html| match rounds.is_load() {
        true => {
            let about = "Sessions that failed per second.";
            let heading = Heading { id: "failed", title: "Failures a second", about };
            stacked(rounds, &heading, &series(&FAILURES), true, html);
            reasons(rounds, html);
        }
        false => {
            let about = "Rounds that failed, by target.";
            let series: Vec<Series> = drawn(rounds, 1).collect();
            let heading = Heading { id: "failed", title: "Failed rounds", about };
            stacked(rounds, &heading, &series, false, html);
        }
    });
}

/// The sections, as listed in the page's head.
pub const SECTIONS: [(&str, &str); 4] =
    [("overview", "Overview"), ("rate", "Rate"), ("latency", "Latency"), ("failures", "Failures")];

fn series(names: &[&str]) -> Vec<Series> {
    names.iter().enumerate().map(|(at, name)| (Mark::Area(at), (*name).into(), Rounds::figure(name))).collect()
}

/// Returns the first targets of a probe, each with its column of this kind.
fn drawn(rounds: &Rounds, kind: usize) -> impl Iterator<Item = Series> {
    let targets = rounds.targets.iter().take(DRAWN).enumerate();
    targets.map(move |(at, target)| (Mark::Area(at), target.name.clone(), Rounds::target(at)[kind]))
}

/// The heading of a chart.
struct Heading<'a> {
    id: &'static str,
    title: &'a str,
    about: &'a str,
}

/// Writes a chart of stacked areas.
fn stacked(rounds: &Rounds, heading: &Heading<'_>, series: &[Series], per_second: bool, html: &mut Html) {
    let Heading { id, title, about } = *heading;
    let columns: Vec<usize> = series.iter().map(|(.., column)| *column).collect();
    if columns.iter().all(|column| rounds.sum(*column) == 0.0) {
        return nothing(&format!("{title}: none."), html);
    }
    let steps = rounds.steps(&columns, STEPS[0], per_second);
    let total = |row: &Vec<Option<f64>>| row.iter().flatten().sum::<f64>();
    let top = steps.values.iter().map(total).fold(0.0, f64::max);
    let axis = Linear::new(top);
    let ticks: Vec<_> = axis.ticks().map(|tick| (axis.at(tick), plain(tick))).collect();
    let layer =
        |at: usize| steps.values.iter().map(|row| axis.at(row.get(at).copied().flatten().unwrap_or(0.0))).collect();
    let layers: Vec<Layer> = (0..columns.len()).map(|at| Layer { mark: at, values: layer(at) }).collect();
    let about = format!("{about} Each step is {}.", time_label(steps.step));
    let summary = format!("Highest {}.", plain(top));
    let seconds = steps.step * steps.values.len() as f64;
    // The most sessions of each second have no sum.
    let sum = |(_, name, column): &Series| match name.as_str() {
        "active" => String::new(),
        _ => Count(rounds.sum(*column) as u64).to_string(),
    };
    let legend = series.iter().map(|one| (one.0, one.1.as_str(), sum(one))).collect();
    let (about, summary, ticks, height) = (&about, &summary, &ticks, HEIGHT);
    chart(
        &Chart { title, about, summary, height, seconds: Some(seconds), ticks, legend },
        html,
        |html| areas(&layers, HEIGHT, html),
        |html| rows(rounds, id, title, series, per_second, html),
    );
}

/// Writes a chart of times on a logarithmic axis.
fn times(rounds: &Rounds, heading: &Heading<'_>, series: &[Series], html: &mut Html) {
    let Heading { id, title, about } = *heading;
    let columns: Vec<usize> = series.iter().map(|(.., column)| *column).collect();
    let steps = rounds.steps(&columns, STEPS[0], false);
    let known = || steps.values.iter().flatten().flatten().copied();
    if known().next().is_none() {
        return nothing("Nothing was answered, so the latency is unknown.", html);
    }
    // Less than a microsecond is below the clock's resolution.
    let (least, most) = (known().fold(f64::MAX, f64::min).max(0.001), known().fold(0.001, f64::max));
    let log = Log::new(least, most);
    let ticks: Vec<_> = log.ticks().map(|tick| (log.at(tick), delay_label(tick))).collect();
    let (about, summary) = (
        format!("{about} Each step is {}.", time_label(steps.step)),
        format!("From {} to {} ms.", plain(least), plain(most)),
    );
    let count = steps.values.len() as f64;
    let seconds = steps.step * count;
    let legend = series.iter().map(|(mark, name, _)| (*mark, name.as_str(), String::new())).collect();
    let (about, summary, ticks, height) = (&about, &summary, &ticks, HEIGHT);
    let points = |at: usize| {
        let rows = steps.values.iter().enumerate();
        rows.filter_map(move |(k, row)| {
            Some(Point { x: (k as f64 + 0.5) / count, y: log.at(row.get(at).copied().flatten()?) })
        })
    };
    chart(
        &Chart { title, about, summary, height, seconds: Some(seconds), ticks, legend },
        html,
        |html| {
            for (at, (mark, ..)) in series.iter().enumerate() {
                match mark {
                    Mark::Round(_) => dots(*mark, false, points(at), HEIGHT, html),
                    // The line bridges steps without data.
                    _ => line(*mark, points(at).map(Some), HEIGHT, html),
                }
            }
        },
        |html| rows(rounds, id, title, series, false, html),
    );
}

/// Writes the table below a chart.
fn rows(rounds: &Rounds, id: &'static str, title: &str, series: &[Series], per_second: bool, html: &mut Html) {
    let columns: Vec<usize> = series.iter().map(|(.., column)| *column).collect();
    let steps = rounds.steps(&columns, STEPS[1], per_second);
    region(id, &format!("{title}, in steps of {}", time_label(steps.step)), html, |html| {
        let names = series.iter().map(|(_, name, _)| (name.as_str(), "n"));
        heading(std::iter::once(("from (s)", "n")).chain(names), html);
        body(steps.values.iter().enumerate(), html, |(k, row), html| {
            html.el("th").attr("scope", "row").class("n").text(plain(k as f64 * steps.step));
            for value in row {
                html.el("td").class("n").text(value.map_or("–".into(), plain));
            }
        });
    });
}

/// Writes the figures of a whole load.
fn whole(rounds: &Rounds, html: &mut Html) {
    let Some(load) = rounds.whole.as_ref().and_then(Json::as_object) else {
        let [requests, seconds] = [rounds.sum(Rounds::figure("requests")), rounds.seconds];
        let text = format!("{} requests were answered in {} s.", Count(requests as u64), plain(seconds));
        html.el("p").text(text);
        return;
    };
    pairs("figures", "Figures of the whole run (times in ms)", "figure", "value", load, html);
    let kinds = load.get("kinds").and_then(Json::as_object).filter(|kinds| !kinds.is_empty());
    let Some(kinds) = kinds else { return };
    const FIGURES: [&str; 5] = ["requests", "p50", "p90", "p99", "max"];
    region("kinds", "From request to response by kind of message (ms)", html, |html| {
        heading(std::iter::once(("message", "t")).chain(FIGURES.map(|name| (name, "n"))), html);
        body(kinds, html, |(name, figures), html| {
            html.el("th").attr("scope", "row").class("t").short(120, name);
            for name in FIGURES {
                cell(name, figures.get(name).unwrap_or(&Json::Null), html);
            }
        });
    });
}

/// Writes the reasons of a load's failures.
fn reasons(rounds: &Rounds, html: &mut Html) {
    let reasons = rounds.whole.as_ref().and_then(|whole| whole.get("reasons")).and_then(Json::as_object);
    if let Some(reasons) = reasons.filter(|reasons| !reasons.is_empty()) {
        pairs("reasons", "Why sessions failed", "reason", "sessions", reasons, html);
    }
}

/// Writes the members of an object that are not objects themselves.
fn pairs(
    id: &'static str,
    caption: &str,
    key: &str,
    value: &str,
    object: &serde_json::Map<String, Json>,
    html: &mut Html,
) {
    region(id, caption, html, |html| {
        heading([(key, "t"), (value, "n")], html);
        body(
            object.iter().filter(|(name, value)| *name != "report" && !value.is_object()),
            html,
            |(name, value), html| {
                html.el("th").attr("scope", "row").class("t").short(120, name.replace('_', " "));
                cell(name, value, html);
            },
        );
    });
}

fn cell(name: &str, value: &Json, html: &mut Html) {
    let td = html.el("td").class("n").attr("data-c", name).attr("data-v", value);
    match value {
        Json::Null => td.text("–"),
        Json::Bool(yes) => td.text(if *yes { "yes" } else { "no" }),
        Json::Number(n) => {
            if let Some(count) = n.as_u64() {
                td.text(Count(count))
            } else {
                td.text(n)
            }
        }
        Json::String(text) => td.short(120, text),
        Json::Array(_) | Json::Object(_) => td.text("…"),
    }
}

/// Writes the targets of a probe.
fn targets(rounds: &Rounds, html: &mut Html) {
    region("targets", "Targets (round trips in ms)", html, |html| {
        let names = ["rounds", "ok", "sent", "answered", "lost", "shortest", "longest"].map(|name| (name, "n"));
        heading([("target", "t")].into_iter().chain(names).chain([("other outcomes", "t")]), html);
        body(&rounds.targets, html, |target, html| {
            html.el("th").attr("scope", "row").class("t").short(120, &target.name);
            let ok = target.outcomes.get("ok").copied().unwrap_or(0);
            let [sent, answered] = target.asked;
            for (name, n) in [("rounds", target.rounds), ("ok", ok), ("sent", sent), ("answered", answered)] {
                html.el("td").class("n").attr("data-c", name).attr("data-v", n).text(Count(n));
            }
            let lost = sent.saturating_sub(answered) as f64 / sent.max(1) as f64 * 100.0;
            html.el("td").class("n").text(if sent > 0 { format!("{lost:.1} %") } else { "–".into() });
            for time in [target.extremes.map(|(least, _)| least), target.extremes.map(|(_, most)| most)] {
                html.el("td").class("n").text(time.map_or("–".into(), plain));
            }
            let others = target.outcomes.iter().filter(|(name, _)| *name != "ok");
            let others: Vec<String> = others.map(|(name, n)| format!("{n} {name}")).collect();
            html.el("td").class("t").short(240, others.join(", "));
        });
    });
    if rounds.targets.len() > DRAWN {
        html.el("p").class("more").text(format_args!("The charts have the first {DRAWN} targets."));
    }
}
