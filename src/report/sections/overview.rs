//! The overview: sums, files, times, conversations and messages.

use super::super::charts::{Layer, areas};
use super::super::figures::{Count, Shown, bytes, region, table, table_with};
use super::super::scale::{ACROSS, time_label};
use super::super::{Context, Html, section};
use crate::capture::Time;
use crate::render::utc;
use crate::stats::timeline::STEPS;
use crate::stats::{Cell, Plot, tables};
use std::collections::BTreeSet;

/// The most conversations that are listed.
const FLOWS: usize = 100;
/// The most kinds of messages that are listed.
const KINDS: usize = 200;

const FLOW_COLUMNS: &str = "flow,proto,version,transport,client,server,client_messages,server_messages,client_bytes,server_bytes,\
    start,duration,end,end_by,end_reason,end_data,transport_end,last_message";
const MESSAGE_COLUMNS: &str =
    "proto,message,messages,message_share,faults,bytes,byte_share,byte_rate,size_mean,size_max,reliable";
const SCHEMA_COLUMNS: &str = "proto,schema,messages,message_share,bytes,byte_share,size_mean,size_max";

/// Returns the protocols, with their versions.
pub fn protocols(context: &Context<'_>) -> String {
    let names: BTreeSet<String> = context
        .stats
        .flows
        .iter()
        .filter(|flow| !flow.proto.is_empty())
        .map(|flow| match flow.version {
            Some(version) => format!("{} {version}", flow.proto),
            None => flow.proto.to_owned(),
        })
        .collect();
    let kinds = || context.stats.kinds.keys().map(|(line, _)| (*line).to_owned()).collect::<BTreeSet<String>>();
    // Hex text has no conversations.
    let names = if names.is_empty() { kinds() } else { names };
    names.into_iter().collect::<Vec<_>>().join(", ")
}

/// Writes the sums in large type.
pub fn tiles(context: &Context<'_>, html: &mut Html) {
    let stats = context.stats;
    html.line().el("dl").class("tiles").with(|html| {
        let sums = [
            ("messages", "Messages", stats.messages, ""),
            ("bytes", "Bytes", stats.bytes, ""),
            ("conversations", "Conversations", stats.flows.len() as u64, ""),
            ("faults", "Faults", stats.faults, "bad"),
            ("warnings", "With warnings", stats.warnings, "doubt"),
        ];
        for (id, name, n, alarm) in sums {
            let class = if n > 0 { alarm } else { "" };
            html.el("div").attr("class", class).with(|html| {
                html.el("dt").text(name);
                html.el("dd").with(|html| {
                    html.el("data").attr("data-sum", id).attr("value", n).text(Count(n));
                });
            });
        }
        html.el("div").with(|html| {
            html.el("dt").text("Duration");
            html.el("dd").with(|html| {
                let seconds = stats.duration();
                html.el("data").attr("data-sum", "duration").attr("value", seconds).text(format_args!("{seconds:.3}"));
                html.el("small").text(" s");
            });
        });
    });
}

/// Writes a fact: its name and its value.
fn fact(name: &str, html: &mut Html, value: impl FnOnce(&mut Html)) {
    html.el("div").with(|html| {
        html.el("dt").text(name);
        html.el("dd").with(value);
    });
}

/// Writes a time in whole seconds.
pub fn second(at: Time, html: &mut Html) {
    time(Time { secs: at.secs, frac: 0, digits: 0 }, html);
}

/// Writes a point in time.
pub fn time(at: Time, html: &mut Html) {
    let text = utc(at);
    html.el("time").attr("datetime", &text).text(text.replace('T', " ").trim_end_matches('Z'));
    html.text(" UTC");
}

/// Draws all bytes over time in one strip, which shows where there is traffic.
fn strip(plot: &Plot, duration: f64, html: &mut Html) {
    const HEIGHT: u32 = 56;
    let series = plot.series(plot.round_step(STEPS));
    let totals = series.totals();
    let top = totals.iter().copied().max().unwrap_or(0).max(1) as f64;
    if series.steps < 3 {
        return;
    }
    html.line().el("div").class("strip").with(|html| {
        let svg = html.el("svg").class("plot").attr("viewBox", format_args!("0 0 {ACROSS} {HEIGHT}"));
        svg.attr("height", HEIGHT).attr("preserveAspectRatio", "none").attr("aria-hidden", true).with(|html| {
            let values = totals.iter().map(|n| *n as f64 / top).collect();
            areas(&[Layer { mark: 0, values }], HEIGHT, html);
        });
        let rate = bytes(top / series.step);
        html.el("p").text(format_args!(
            "Bytes over {}, from the first frame on: at most {rate}/s in steps of {}",
            time_label(duration),
            time_label(series.step)
        ));
    });
}

/// Writes the section.
pub fn section_of(context: &Context<'_>, plot: &Plot, html: &mut Html) {
    section("overview", "Overview", html, |html| {
        let (stats, about) = (context.stats, context.about);
        tiles(context, html);
        strip(plot, stats.duration(), html);
        html.line().el("dl").class("facts").with(|html| {
            match about.files.is_empty() {
                true => fact("Capture", html, |html| _ = html.text(&about.name)),
                false => fact("Captures, joined", html, |html| _ = html.text(about.files.join(", "))),
            }
            fact("Protocols", html, |html| {
                let protocols = protocols(context);
                html.text(if protocols.is_empty() { "none that is known" } else { &protocols });
            });
            if let Some(start) = context.start.or(stats.first) {
                fact("First frame", html, |html| time(start, html));
            }
            if let (Some(first), Some(last)) = (stats.first, stats.last) {
                fact("Messages from", html, |html| time(first, html));
                fact("to", html, |html| time(last, html));
            }
            if context.frames > 0 {
                fact("Frames read", html, |html| _ = html.text(Count(context.frames)));
            }
            let left_out = about.account.to_string();
            if !left_out.is_empty() {
                fact("Left out", html, |html| _ = html.text(&left_out));
            }
            for doubt in about.account.doubts() {
                fact("Doubtful", html, |html| _ = html.text(&doubt));
            }
            if stats.duration() > 0.0 {
                let rate = stats.bytes as f64 / stats.duration();
                fact("Mean rate", html, |html| {
                    let messages = stats.messages as f64 / stats.duration();
                    html.text(format_args!("{messages:.1} messages/s, {}/s", bytes(rate)));
                });
            }
            if !about.selected.is_empty() {
                fact("Only", html, |html| html.el("code").text(about.selected.join(" ")));
            }
        });
        let flows = tables::flows(stats);
        if !flows.rows.is_empty() {
            let more = "netkit stats --by flow lists all";
            let columns = FLOW_COLUMNS;
            table(
                &flows,
                &Shown {
                    id: "flows",
                    caption: "Conversations in order of their first messages",
                    columns,
                    most: FLOWS,
                    more,
                },
                html,
            );
        }
        if stats.unlisted > 0 {
            let past = Count(stats.unlisted);
            html.el("p").class("more").text(format_args!("messages of further conversations: {past}"));
        }
        let messages = tables::messages(stats);
        if !messages.rows.is_empty() {
            let (columns, more) = (MESSAGE_COLUMNS, "netkit stats --by message lists all");
            let shown = Shown { id: "kinds", caption: "Messages, most bytes first", columns, most: KINDS, more };
            let share = messages.place("byte_share");
            table_with(&messages, &shown, html, |row, column, html| match (column, share.and_then(|at| row.get(at))) {
                ("byte_share", Some(Cell::Share(share))) => {
                    bar(*share, html);
                    html.text(format_args!("{:.1} %", share * 100.0));
                    true
                }
                _ => false,
            });
        }
        let schemas = tables::schemas(stats);
        if !schemas.rows.is_empty() {
            let (columns, more) = (SCHEMA_COLUMNS, "netkit stats --by message lists all");
            let shown = Shown { id: "schemas", caption: "Payloads by schema", columns, most: KINDS, more };
            table(&schemas, &shown, html);
        }
        peers(context, html);
    });
}

/// Draws a share as a bar in a cell.
fn bar(share: f64, html: &mut Html) {
    let svg = html.el("svg").class("bar").attr("viewBox", "0 0 100 8").attr("preserveAspectRatio", "none");
    svg.attr("width", 60).attr("height", 8).attr("aria-hidden", true).with(|html| {
        html.el("rect").class("track").attr("width", 100).attr("height", 8);
        html.el("rect").class("value").attr("width", format_args!("{:.1}", share * 100.0)).attr("height", 8);
    });
}

fn peers(context: &Context<'_>, html: &mut Html) {
    let peers = tables::peers(context.stats);
    if peers.rows.is_empty() {
        return;
    }
    html.line().el("details").with(|html| {
        html.el("summary").text(format_args!("Peers ({})", peers.rows.len()));
        let columns = "peer,flows,messages_sent,messages_received,bytes_sent,bytes_received";
        let more = "netkit stats --by peer lists all";
        table(&peers, &Shown { id: "peers", caption: "Peers, most bytes first", columns, most: FLOWS, more }, html);
    });
}

/// Writes the names and sums of two captures side by side.
pub fn two(contexts: [&Context<'_>; 2], html: &mut Html) {
    region("sums", "Sums of both", html, |html| {
        html.el("thead").with(|html| {
            html.el("tr").with(|html| {
                html.el("td").text("");
                for (name, context) in ["A", "B"].iter().zip(contexts) {
                    html.el("th").attr("scope", "col").class("n").with(|html| {
                        html.el("b").attr("class", format_args!("run-{}", name.to_lowercase())).text(name);
                        html.text(" ").short(80, &context.about.name);
                    });
                }
            });
        });
        html.el("tbody").with(|html| {
            let mut row = |name: &str, id: &str, of: &dyn Fn(&Context<'_>) -> (String, String)| {
                html.line().el("tr").with(|html| {
                    html.el("th").attr("scope", "row").class("t").text(name);
                    for context in contexts {
                        let (exact, text) = of(context);
                        html.el("td").class("n").attr("data-c", id).attr("data-v", exact).text(text);
                    }
                });
            };
            let count = |n: u64| (n.to_string(), Count(n).to_string());
            row("Protocols", "protocols", &|context| (String::new(), protocols(context)));
            row("Messages", "messages", &|context| count(context.stats.messages));
            row("Bytes", "bytes", &|context| count(context.stats.bytes));
            row("Conversations", "conversations", &|context| count(context.stats.flows.len() as u64));
            row("Conversations of no known protocol", "unclaimed", &|context| {
                count(context.about.account.unclaimed.conversations)
            });
            row("Limits reached", "limits", &|context| count(context.about.account.limits.values().sum()));
            row("Faults", "faults", &|context| count(context.stats.faults));
            row("With warnings", "warnings", &|context| count(context.stats.warnings));
            row("Duration", "duration", &|context| {
                let seconds = context.stats.duration();
                (seconds.to_string(), format!("{seconds:.3} s"))
            });
        });
    });
}
