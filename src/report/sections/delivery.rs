//! What became of numbered messages, by direction.

use super::super::charts::Mark;
use super::super::figures::{Count, Shown, table};
use super::super::scale::ACROSS;
use super::super::{Context, Html, section};
use super::nothing;
use super::requests::waiting;
use crate::dissect::Expected;
use crate::stats::directions;
use crate::stats::{Cell, Shape, Table, connections};

/// The directions of connections that are listed.
const LISTED: usize = 60;

static SIDES: Shape = Shape {
    kind: "side",
    title: "",
    keys: 2,
    columns: &[
        "proto",
        "from",
        "messages",
        "copies",
        "resent",
        "duplicates",
        "acked",
        "never_acked",
        "given_up",
        "gaps",
        "late",
        "lost",
        "handled_twice",
        "never_handled",
    ],
};
const SIDE_COLUMNS: [(&str, &str); 14] = [
    ("proto", "protocol"),
    ("from", "sent by"),
    ("messages", "messages"),
    ("copies", "copies"),
    ("resent", "resent"),
    ("duplicates", "again after ack"),
    ("acked", "acknowledged"),
    ("never_acked", "never"),
    ("given_up", "given up"),
    ("gaps", "gaps"),
    ("late", "late"),
    ("lost", "never came"),
    ("handled_twice", "handled twice"),
    ("never_handled", "never handled"),
];
const COLUMNS: [(&str, &str); 19] = [
    ("flow", "flow"),
    ("connection", "connection"),
    ("proto", "protocol"),
    ("from", "sent by"),
    ("messages", "messages"),
    ("copies", "copies"),
    ("resent", "resent"),
    ("resent_share", "share"),
    ("duplicates", "again after ack"),
    ("given_up", "given up"),
    ("never_acked", "never acked"),
    ("gaps", "gaps"),
    ("late", "late"),
    ("lost", "never came"),
    ("handled_twice", "handled twice"),
    ("never_handled", "never handled"),
    ("ack_p50", "ack median"),
    ("ack_p90", "p90"),
    ("ack_max", "longest"),
];
const LINK_COLUMNS: [(&str, &str); 11] = [
    ("flow", "flow"),
    ("connection", "connection"),
    ("proto", "protocol"),
    ("from", "offered by"),
    ("offered", "offered"),
    ("accepted", "accepted"),
    ("refused", "refused"),
    ("ended", "ended"),
    ("life_p50", "life median"),
    ("life_p90", "p90"),
    ("life_max", "longest"),
];

/// Both sides' sums.
pub fn sides(context: &Context<'_>) -> Table {
    let mut table = Table::new(&SIDES);
    for (proto, from, sum) in directions::summed(context.stats) {
        if sum.messages == 0 {
            continue;
        }
        // The sum of connections past the cap is of no protocol.
        let proto = if proto.is_empty() { "further connections" } else { proto };
        let counts = [
            sum.messages,
            sum.copies,
            sum.resent,
            sum.duplicates,
            sum.acked,
            sum.never_acked,
            sum.given_up,
            sum.gaps,
            sum.late,
            sum.lost,
            sum.handled_twice,
            sum.never_handled,
        ];
        table.rows.push([proto.into(), from.into()].into_iter().chain(counts.map(Cell::Int)).collect());
    }
    table
}

/// The section.
pub fn section_of(context: &Context<'_>, html: &mut Html) {
    section("delivery", "Delivery", html, |html| {
        let sides = sides(context);
        let links = connections::links(context.stats);
        if sides.rows.is_empty() && links.rows.is_empty() {
            return nothing("Nothing in it is numbered, so that nothing tells what was lost.", html);
        }
        if !sides.rows.is_empty() {
            bars(&sides, html);
            side_table("delivery-sides", "Numbered messages by sender", &sides, html);
            html.line().el("details").with(|html| {
                let rows = connections::delivery(context.stats);
                html.el("summary").text(format_args!("By connection ({})", rows.rows.len()));
                let caption = "Numbered messages by connection (delays in ms)";
                let more = "netkit stats --delivery lists all";
                table(&rows, &Shown { id: "delivery-rows", caption, columns: &COLUMNS, most: LISTED, more }, html);
            });
            if context.stats.delivery.summed {
                let past = crate::stats::delivery::CONNECTIONS;
                html.el("p")
                    .class("more")
                    .text(format_args!("Of connections past the {past}th only the sums are kept."));
            }
        }
        waiting(context, Expected::Ack, html);
        if !links.rows.is_empty() {
            let (caption, more) = ("Links (lives in ms)", "netkit stats --delivery lists all");
            table(&links, &Shown { id: "links", caption, columns: &LINK_COLUMNS, most: LISTED, more }, html);
        }
    });
}

/// The table of both sides' sums.
pub fn side_table(id: &'static str, caption: &str, sides: &Table, html: &mut Html) {
    table(sides, &Shown { id, caption, columns: &SIDE_COLUMNS, most: LISTED, more: "netkit stats --delivery" }, html);
}

/// The parts of a bar: the column, its mark, its name.
const PARTS: [(usize, usize, &str); 4] = [
    (2, 0, "first copies"),
    (4, 1, "resent before an acknowledgement"),
    (5, 2, "again after it"),
    (11, 3, "never came"),
];

/// A bar for each side: the copies it sent, by what they were.
fn bars(sides: &Table, html: &mut Html) {
    let n = |row: &[Cell], at: usize| if let Some(Cell::Int(n)) = row.get(at) { *n } else { 0 };
    let sum = |row: &[Cell]| PARTS.iter().map(|(at, ..)| n(row, *at)).sum::<u64>();
    let most = sides.rows.iter().map(|row| sum(row)).max().unwrap_or(0).max(1);
    html.line().el("div").class("bars").with(|html| {
        html.el("ul").class("legend").with(|html| {
            for (at, mark, name) in PARTS {
                let all = sides.rows.iter().map(|row| n(row, at)).sum::<u64>();
                if all > 0 {
                    super::super::charts::entry(Mark::Area(mark), name, Count(all), html);
                }
            }
        });
        for row in &sides.rows {
            let (Some(Cell::Text(proto)), Some(Cell::Text(from))) = (row.first(), row.get(1)) else { continue };
            html.line().el("div").class("bar-row").with(|html| {
                html.el("span").class("name").text(format_args!("{proto} {from}"));
                let told: Vec<String> =
                    PARTS.iter().map(|(at, _, name)| format!("{} {name}", Count(n(row, *at)))).collect();
                let svg = html.el("svg").class("stack").attr("viewBox", format_args!("0 0 {ACROSS} 18"));
                let svg = svg.attr("preserveAspectRatio", "none").attr("height", 18).attr("role", "img");
                svg.attr("aria-label", format_args!("{from}: {}", told.join(", "))).with(|html| {
                    let mut x = 0.0;
                    for (at, mark, _) in PARTS {
                        let width = n(row, at) as f64 / most as f64 * ACROSS;
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
