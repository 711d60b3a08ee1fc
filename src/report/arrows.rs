//! Draws sequence diagrams: two lifelines with arrows between them, times at the left and notable facts at the right.
//!
//! Each kind of arrow differs by its form and by a word: a copy is dashed, an unanswered or unacknowledged message ends
//! in a cross, a joined message is double.

use super::Html;
use super::entry::Entry;
use crate::plural::Plural;

/// One row of a diagram: an arrow, or a line of text in place of arrows.
#[derive(Debug)]
pub enum Row<'a> {
    /// A message.
    Arrow(Arrow<'a>),
    /// The number of messages that are not drawn here.
    Left(u64),
    /// A silence, in nanoseconds.
    Pause(i128),
}

/// A message as an arrow.
#[derive(Debug)]
pub struct Arrow<'a> {
    /// The message.
    pub entry: &'a Entry,
    /// Whether the arrow points from the left endpoint to the right one.
    pub right: bool,
    /// Nanoseconds since the capture's first frame.
    pub time: i128,
    /// The text above the arrow.
    pub label: String,
    /// The words at its right.
    pub marks: Vec<String>,
    /// Whether it is a copy of an earlier message.
    pub copy: bool,
    /// Whether nothing answers or acknowledges it.
    pub lost: bool,
    /// The number of messages or frames it is joined from.
    pub joined: usize,
}

/// The width of a drawing.
const WIDTH: i64 = 800;
/// The x coordinates of the left and right lifelines.
const LINES: [i64; 2] = [110, 610];
/// The height of an arrow with its text, and of a row between arrows.
const ROW: i64 = 30;
const BETWEEN: i64 = 26;
/// The height of the endpoints' names.
const HEAD: i64 = 44;

/// Formats nanoseconds as seconds, with six decimals.
pub fn seconds(nanos: i128) -> String {
    let (sign, micros) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs() / 1000);
    format!("{sign}{}.{:06}", micros / 1_000_000, micros % 1_000_000)
}

/// An endpoint: its role, or nothing, and its address.
pub struct End<'a> {
    pub role: &'a str,
    pub name: &'a str,
}

/// Draws rows between two endpoints.
pub fn draw(rows: &[Row<'_>], ends: [End<'_>; 2], title: &str, html: &mut Html) {
    let height =
        HEAD + 16 + rows.iter().map(|row| if matches!(row, Row::Arrow(_)) { ROW } else { BETWEEN }).sum::<i64>();
    let svg = html.el("svg").attr("viewBox", format_args!("0 0 {WIDTH} {height}")).attr("role", "group");
    svg.attr("aria-label", title).with(|html| {
        for (x, End { role, name }) in LINES.into_iter().zip(ends) {
            let class = if role == "server" { "server" } else { "client" };
            html.el("text").class("end").attr("x", x).attr("y", 16).attr("text-anchor", "middle").text(role);
            let name_at = if role.is_empty() { 22 } else { 32 };
            let address =
                html.el("text").class("address").attr("x", x).attr("y", name_at).attr("text-anchor", "middle");
            address.with(|html| _ = html.short(64, name));
            vertical(class, x, HEAD, height, html);
        }
        let mut y = HEAD;
        for row in rows {
            html.line();
            match row {
                Row::Arrow(arrow) => {
                    y += ROW;
                    message(arrow, y - 6, html);
                }
                Row::Left(count) => {
                    y += BETWEEN;
                    between(y, format_args!("{} not drawn", Plural(*count, "message")), html);
                }
                Row::Pause(nanos) => {
                    y += BETWEEN;
                    between(y, format_args!("{}.{} s later", nanos / 1_000_000_000, nanos / 100_000_000 % 10), html);
                }
            }
        }
    });
}

fn vertical(class: &'static str, x: i64, from: i64, to: i64, html: &mut Html) {
    let line = html.el("line").attr("class", format_args!("life {class}"));
    let _ = line.attr("x1", x).attr("x2", x).attr("y1", from).attr("y2", to);
}

/// Writes the text of a row without an arrow, and breaks the lifelines there.
fn between(y: i64, text: std::fmt::Arguments<'_>, html: &mut Html) {
    for x in LINES {
        let _ = html.el("rect").class("break").attr("x", x - 3).attr("y", y - 17).attr("width", 6).attr("height", 10);
    }
    let middle = (LINES[0] + LINES[1]) / 2;
    html.el("text").class("between").attr("x", middle).attr("y", y - 8).attr("text-anchor", "middle").text(text);
}

fn message(arrow: &Arrow<'_>, y: i64, html: &mut Html) {
    let [from, to] = if arrow.right { LINES } else { [LINES[1], LINES[0]] };
    let forward = if arrow.right { 1 } else { -1 };
    let side = if arrow.right { "right" } else { "left" };
    let state = match (arrow.entry.warned(), arrow.lost, arrow.copy) {
        (true, ..) => " warned",
        (_, true, _) => " lost",
        (.., true) => " copy",
        _ => "",
    };
    html.el("g").attr("class", format_args!("arrow {side}{state}")).with(|html| {
        let time = html.el("text").class("time").attr("x", LINES[0] - 12).attr("y", y + 4).attr("text-anchor", "end");
        time.text(seconds(arrow.time));
        html.el("a").to(arrow.entry.place()).attr("tabindex", -1).with(|html| {
            let middle = (LINES[0] + LINES[1]) / 2;
            let above = if arrow.joined > 1 { 7 } else { 5 };
            html.el("text")
                .class("label")
                .attr("x", middle)
                .attr("y", y - above)
                .attr("text-anchor", "middle")
                .text(&arrow.label);
            // A cross replaces the arrowhead.
            let end = if arrow.lost { to - forward * 26 } else { to - forward * 2 };
            let dashes = if arrow.copy { "6 4" } else { "none" };
            for offset in if arrow.joined > 1 { &[-2, 2][..] } else { &[0] } {
                let line = html.el("line").attr("x1", from).attr("x2", end - forward * 6).attr("y1", y + offset);
                let _ = line.attr("y2", y + offset).attr("stroke-dasharray", dashes);
            }
            if arrow.lost {
                let (a, b) = (end - 5, end + 5);
                let cross = format!("M{a} {}L{b} {}M{a} {}L{b} {}", y - 5, y + 5, y + 5, y - 5);
                let _ = html.el("path").class("cross").attr("d", cross);
            } else {
                let back = end - forward * 9;
                let _ = html.el("path").class("tip").attr("d", format_args!("M{end} {y}L{back} {}V{}Z", y - 4, y + 4));
            }
        });
        if !arrow.marks.is_empty() {
            let sign = if arrow.entry.warned() { "! " } else { "" };
            let mark = html.el("text").class("mark").attr("x", LINES[1] + 12).attr("y", y + 4);
            mark.with(|html| _ = html.short(64, format_args!("{sign}{}", arrow.marks.join(", "))));
        }
    });
}
