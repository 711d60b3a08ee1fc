//! The times that acknowledgements and answers took: over time, and as quantiles.

use super::super::charts::{Chart, Mark, Point, chart, dots, line};
use super::super::figures::{Count, Shown, body, heading, region, table};
use super::super::scale::{Log, delay_label, plain, time_label};
use super::super::{Context, Html, section};
use super::{nothing, side};
use crate::dissect::Role;
use crate::stats::connections::{longest, percentile};
use crate::stats::course::{Awaited, Course, ROLES};
use crate::stats::directions::{self, Sender};
use crate::stats::table::{Column, column};
use crate::stats::timeline::round_step;
use crate::stats::{Cell, Shape, Table};
use crate::traffic::histogram::Delays;

/// The height of a picture.
const HEIGHT: u32 = 180;
/// The most rows of the table below it.
const ROWS: usize = 40;

const COLUMNS: &str = "proto,from,delay,delays,p50,p90,p99,longest,jitter";

/// The delays of one protocol and side.
struct Measured {
    sender: Sender,
    delay: &'static str,
    delays: Delays,
}

const QUANTILES: [Column<Measured>; 7] = [
    column("delay", |m| m.delay.into()),
    column("delays", |m| m.delays.count().into()),
    column("p50", |m| percentile(&m.delays, 50.0)),
    column("p90", |m| percentile(&m.delays, 90.0)),
    column("p99", |m| percentile(&m.delays, 99.0)),
    column("longest", |m| longest(&m.delays)),
    column("jitter", |m| Cell::millis(m.delays.jitter())),
];

/// Returns the quantiles of all connections, by protocol and side.
pub fn quantiles(context: &Context<'_>) -> Table {
    let delays = |s: &Sender| {
        let (rtt, ack, response, ping) =
            (s.tally.rtt.clone(), s.tally.ack.clone(), s.tally.response.clone(), s.tally.ping.clone());
        [("rtt", rtt), ("ack", ack), ("response", response), ("ping", ping)]
    };
    let all = directions::summed(context.stats)
        .into_iter()
        .flat_map(|sender| delays(&sender).map(|(delay, delays)| Measured { sender: sender.clone(), delay, delays }));
    let rows: Vec<Measured> = all.filter(|measured| measured.delays.count() > 0).collect();
    let senders: Vec<Sender> = rows.iter().map(|measured| measured.sender.clone()).collect();
    let shape = Shape { kind: "quantiles", title: "", keys: 3 };
    Table::of(shape, &directions::SIDES, &senders).with(&QUANTILES, &rows)
}

/// Writes the section.
pub fn section_of(context: &Context<'_>, course: &Course, html: &mut Html) {
    section("round-trips", "Round trips", html, |html| {
        let quantiles = quantiles(context);
        if quantiles.rows.is_empty() {
            return nothing("No message in the capture is acknowledged or answered, so the delay is unknown.", html);
        }
        let caption = "Delays in ms, all connections; percentiles are within 1/64 of their value";
        let shown = Shown { id: "quantiles", caption, columns: COLUMNS, most: 100, more: "stats --delivery" };
        table(&quantiles, &shown, html);
        let seconds = context.stats.duration();
        one("ack-course", "Time to the acknowledgement", course, Awaited::Ack, seconds, html);
        one("answer-course", "Time to the response", course, Awaited::Answer, seconds, html);
        one("pong-course", "Round trips of pings", course, Awaited::Pong, seconds, html);
    });
}

/// Merges a side's delays of all steps.
fn whole(course: &Course, awaited: Awaited, role: Role) -> Delays {
    let mut sum = Delays::default();
    course.of(awaited, role).iter().for_each(|delays| sum.merge(delays));
    sum
}

fn millis(nanos: Option<i64>) -> f64 {
    nanos.unwrap_or(0) as f64 / 1e6
}

/// Formats a delay: `4.52 ms`.
pub fn delay(nanos: Option<i64>) -> String {
    nanos.map_or("–".into(), |nanos| match nanos as f64 / 1e6 {
        ms if ms < 1000.0 => format!("{} ms", plain(ms)),
        ms => format!("{} s", plain(ms / 1e3)),
    })
}

/// Returns an axis for all of these delays, and its labels.
pub fn axis<'a>(all: impl Iterator<Item = &'a Delays>) -> (Log, Vec<(f64, String)>) {
    let (mut least, mut most) = (f64::MAX, 0.0f64);
    for delays in all.filter(|delays| delays.count() > 0) {
        // Less than a microsecond is below the clock's resolution.
        least = least.min(millis(delays.percentile(0.0)).max(0.001));
        most = most.max(millis(delays.max()));
    }
    let log = Log::new(if least < f64::MAX { least } else { 1.0 }, most.max(0.001));
    (log, log.ticks().map(|tick| (log.at(tick), delay_label(tick))).collect())
}

/// Writes the table of a chart of quantiles; two runs side by side.
pub fn quantiles_of(title: &str, both: [Option<&Delays>; 2], html: &mut Html) {
    region("", &format!("{title} (ms)"), html, |html| {
        heading([("share with at most this delay", "t"), ("A", "n"), ("B", "n")], html);
        body([10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 100.0], html, |percent, html| {
            html.el("th").attr("scope", "row").class("t").text(format_args!("{percent} %"));
            for delays in both {
                let nanos = delays.and_then(|d| if percent < 100.0 { d.percentile(percent) } else { d.max() });
                html.el("td").class("n").text(nanos.map_or("–".into(), |_| plain(millis(nanos))));
            }
        });
    });
}

fn one(id: &'static str, title: &str, course: &Course, awaited: Awaited, seconds: f64, html: &mut Html) {
    let sides: Vec<(Role, Delays)> =
        ROLES.into_iter().map(|role| (role, whole(course, awaited, role))).filter(|(_, d)| d.count() > 0).collect();
    if sides.is_empty() {
        return;
    }
    let (log, ticks) = axis(sides.iter().map(|(_, delays)| delays));
    let step = course.step() as f64 / 1e9;
    let seconds = seconds.max(step);
    let what = match awaited {
        Awaited::Ack => "a message",
        Awaited::Answer => "a request",
        Awaited::Pong => "a ping",
    };
    let about = match course.points() {
        Some(_) => format!("Each dot is {what}, where its waiting ended; hollow: it was sent several times."),
        None => format!("Lines: median and p90 (broken) of each {}; dots: the longest.", time_label(step)),
    };
    let median = |d: &Delays| {
        format!("median {}, p90 {}, longest {}", delay(d.percentile(50.0)), delay(d.percentile(90.0)), delay(d.max()))
    };
    let words: Vec<String> =
        sides.iter().map(|(role, d)| format!("Sent by the {}: {}", role.name(), median(d))).collect();
    let summary = words.join(". ");
    let sent = |delays: &Delays| format!("delays {} · {}", Count(delays.count()), median(delays));
    let legend = sides.iter().map(|(role, delays)| (side(*role), role.name(), sent(delays))).collect();
    let (about, summary, ticks, height) = (&about, &summary, &ticks, HEIGHT);
    let roles: Vec<Role> = sides.iter().map(|(role, _)| *role).collect();
    chart(
        &Chart { title, about, summary, height, seconds: Some(seconds), ticks, legend },
        html,
        |html| {
            for role in &roles {
                let mark = side(*role);
                match course.points() {
                    Some(points) => {
                        for again in [false, true] {
                            let own =
                                points.iter().filter(|p| (p.awaited, p.waiting, p.again) == (awaited, *role, again));
                            let place = |p: &crate::stats::course::Point| Point {
                                x: p.at as f64 / 1e9 / seconds,
                                y: log.at(millis(Some(p.delay))),
                            };
                            dots(mark, again, own.map(place), HEIGHT, html);
                        }
                    }
                    None => steps(mark, course, awaited, *role, log, seconds, html),
                }
            }
        },
        |html| rows(id, title, course, awaited, &roles, html),
    );
}

/// Draws the quantiles of every step.
fn steps(mark: Mark, course: &Course, awaited: Awaited, role: Role, log: Log, seconds: f64, html: &mut Html) {
    let step = course.step() as f64 / 1e9;
    let of = |value: &dyn Fn(&Delays) -> Option<i64>| -> Vec<Option<Point>> {
        let steps = course.of(awaited, role).iter().enumerate();
        // The line bridges steps without messages: they have no delay.
        let known = steps.filter_map(|(k, delays)| Some((k, value(delays).filter(|_| delays.count() > 0)?)));
        known
            .map(|(k, nanos)| {
                let x = ((k as f64 + 0.5) * step / seconds).min(1.0);
                Some(Point { x, y: log.at(millis(Some(nanos))) })
            })
            .collect()
    };
    let colour = match mark {
        Mark::Round(colour) | Mark::Square(colour) | Mark::Line(colour) | Mark::Dashes(colour) => colour,
        Mark::Area(_) => "s0",
    };
    dots(mark, false, of(&Delays::max).into_iter().flatten(), HEIGHT, html);
    line(Mark::Dashes(colour), of(&|d| d.percentile(90.0)).into_iter(), HEIGHT, html);
    line(Mark::Line(colour), of(&|d| d.percentile(50.0)).into_iter(), HEIGHT, html);
}

fn rows(id: &'static str, title: &str, course: &Course, awaited: Awaited, roles: &[Role], html: &mut Html) {
    let longest = roles.iter().map(|role| course.of(awaited, *role).len()).max().unwrap_or(0);
    let whole = course.step().saturating_mul(longest as i64);
    let per = (round_step(whole, ROWS, course.step()) / course.step()) as usize;
    let step = course.step() as f64 * per as f64 / 1e9;
    let caption = format!("{title}, in steps of {}: how many, median and p90 in ms", time_label(step));
    region(id, &caption, html, |html| {
        let names = roles.iter().flat_map(|role| ["count", "median", "p90"].map(|what| [role.name(), what].join(" ")));
        heading(std::iter::once("from (s)".to_owned()).chain(names).map(|name| (name, "n")), html);
        body(0..longest.div_ceil(per), html, |k, html| {
            html.el("th").attr("scope", "row").class("n").text(plain(k as f64 * step));
            for role in roles {
                let mut sum = Delays::default();
                let part = course.of(awaited, *role).chunks(per).nth(k).unwrap_or(&[]);
                part.iter().for_each(|delays| sum.merge(delays));
                html.el("td").class("n").attr("data-c", "count").text(Count(sum.count()));
                for p in [50.0, 90.0] {
                    let nanos = sum.percentile(p);
                    let text = nanos.map_or("–".into(), |_| plain(millis(nanos)));
                    html.el("td").class("n").text(text);
                }
            }
        });
    });
}
