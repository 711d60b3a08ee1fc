//! The delivery of numbered messages, by direction.

use super::super::charts::Mark;
use super::super::figures::{Count, Shown, table};
use super::super::scale::ACROSS;
use super::super::{Context, Html, section};
use super::nothing;
use super::requests::waiting;
use crate::dissect::Expected;
use crate::stats::{Cell, Shape, Table, connections, directions};

/// The most directions of connections that are listed.
const LISTED: usize = 60;

const SIDE_COLUMNS: &str = "proto,from,messages,sent,resent,duplicates,acked,never_acked,given_up,gaps,late,lost,handled_twice,\
    never_handled";
const COLUMNS: &str = "flow,connection,proto,from,messages,sent,resent,resent_share,duplicates,given_up,never_acked,gaps,late,\
    lost,handled_twice,never_handled,ack_p50,ack_p90,ack_max";
const PATH_COLUMNS: &str = "flow,connection,proto,from,loss,loss_low,loss_high,burst,delay_p50,jitter";
const LINK_COLUMNS: &str = "flow,connection,proto,from,offered,accepted,refused,ended,life_p50,life_p90,life_max";

/// Returns the sums of both sides.
pub fn sides(context: &Context<'_>) -> Table {
    let mut rows = directions::summed(context.stats);
    rows.retain(|sum| sum.tally.messages > 0);
    Table::of(Shape { kind: "side", title: "", keys: 2 }, &directions::SIDES, &rows).with(&connections::NUMBERED, &rows)
}

/// Writes the section.
pub fn section_of(context: &Context<'_>, html: &mut Html) {
    section("delivery", "Delivery", html, |html| {
        let sides = sides(context);
        let senders = directions::senders(context.stats);
        let (links, paths) = (connections::links(&senders), connections::paths(&senders));
        if sides.rows.is_empty() && links.rows.is_empty() && paths.rows.is_empty() {
            return nothing("No message in the capture is numbered, so losses are unknown.", html);
        }
        if !sides.rows.is_empty() {
            bars(&sides, html);
            side_table("delivery-sides", "Numbered messages by sender", &sides, html);
            html.line().el("details").with(|html| {
                let rows = connections::delivery(&senders);
                html.el("summary").text(format_args!("By connection ({})", rows.rows.len()));
                let caption = "Numbered messages by connection (delays in ms)";
                let more = "netkit stats --delivery lists all";
                table(&rows, &Shown { id: "delivery-rows", caption, columns: COLUMNS, most: LISTED, more }, html);
            });
            if context.stats.delivery.summed {
                let past = crate::stats::delivery::CONNECTIONS;
                html.el("p")
                    .class("more")
                    .text(format_args!("Connections after the first {past}: only sums are kept."));
            }
        }
        if !paths.rows.is_empty() {
            let caption =
                "Paths, estimated: the loss of each direction with its interval, the delay above the shortest in ms";
            let more = "netkit stats --delivery lists all";
            table(&paths, &Shown { id: "path-rows", caption, columns: PATH_COLUMNS, most: LISTED, more }, html);
        }
        waiting(context, Expected::Ack, html);
        if !links.rows.is_empty() {
            let (caption, more) = ("Links (lifetimes in ms)", "netkit stats --delivery lists all");
            table(&links, &Shown { id: "links", caption, columns: LINK_COLUMNS, most: LISTED, more }, html);
        }
    });
}

/// Writes the table of both sides' sums.
pub fn side_table(id: &'static str, caption: &str, sides: &Table, html: &mut Html) {
    table(sides, &Shown { id, caption, columns: SIDE_COLUMNS, most: LISTED, more: "netkit stats --delivery" }, html);
}

/// The parts of a bar: the figure, its mark and its name.
const PARTS: [(&str, usize, &str); 4] =
    [("messages", 0, "messages"), ("resent", 1, "resent"), ("duplicates", 2, "duplicates"), ("lost", 3, "lost")];

/// Draws a bar for each side: its messages, resends, duplicates and losses.
fn bars(sides: &Table, html: &mut Html) {
    let n = |row: &[Cell], name: &str| match sides.place(name).and_then(|at| row.get(at)) {
        Some(Cell::Int(n)) => *n,
        _ => 0,
    };
    let sum = |row: &[Cell]| PARTS.iter().map(|(figure, ..)| n(row, figure)).sum::<u64>();
    let most = sides.rows.iter().map(|row| sum(row)).max().unwrap_or(0).max(1);
    html.line().el("div").class("bars").with(|html| {
        html.el("ul").class("legend").with(|html| {
            for (figure, mark, name) in PARTS {
                let all = sides.rows.iter().map(|row| n(row, figure)).sum::<u64>();
                if all > 0 {
                    super::super::charts::entry(Mark::Area(mark), name, Count(all), html);
                }
            }
        });
        for row in &sides.rows {
            let (Some(Cell::Text(proto)), Some(Cell::Text(from))) = (row.first(), row.get(1)) else { continue };
            html.line().el("div").class("bar-row").with(|html| {
                html.el("span").class("name").text(format_args!("{proto} {from}"));
                let texts: Vec<String> =
                    PARTS.iter().map(|(figure, _, name)| format!("{} {name}", Count(n(row, figure)))).collect();
                let svg = html.el("svg").class("stack").attr("viewBox", format_args!("0 0 {ACROSS} 18"));
                let svg = svg.attr("preserveAspectRatio", "none").attr("height", 18).attr("role", "img");
                svg.attr("aria-label", format_args!("{from}: {}", texts.join(", "))).with(|html| {
                    let mut x = 0.0;
                    for (figure, mark, _) in PARTS {
                        let width = n(row, figure) as f64 / most as f64 * ACROSS;
                        if width > 0.0 {
                            let rect = html.el("rect").attr("x", super::super::charts::number(x)).attr("height", 18);
                            rect.attr("width", super::super::charts::number(width)).attr("fill", Mark::fill(mark));
                        }
                        x += width;
                    }
                });
            });
        }
    });
}
