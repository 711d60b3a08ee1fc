//! The times of losses and silences: for each side of each connection the five seconds with the most resends and
//! skipped numbers, its longest silence, and the losses along the capture.

use super::directions::directions;
use super::losses::{Silence, WINDOW};
use super::table::{Cell, Column, Shape, Table, column};
use super::timeline::{Most, blocks, columns, round_step, step_text};
use super::{Flow, Stats};
use crate::flow::Side;
use std::fmt::Write;

/// The shortest column of the axis, in nanoseconds: the steps of the data are shorter.
const LEAST: i64 = 100_000_000;
/// The shortest silence that is listed, in nanoseconds.
const SILENCE: i64 = 1_000_000_000;
/// The times of one side of a connection, in nanoseconds.
struct When {
    flow: u64,
    connection: u32,
    proto: &'static str,
    from: &'static str,
    /// The time of the capture's first message.
    first: i64,
    worst: Option<Most>,
    silence: Option<Silence>,
}

const COLUMNS: [Column<When>; 9] = [
    column("flow", |w| w.flow.into()),
    column("connection", |w| u64::from(w.connection).into()),
    column("proto", |w| w.proto.into()),
    column("from", |w| w.from.into()),
    column("worst_losses", |w| w.worst.map_or(Cell::Null, |most| most.messages.into())),
    column("worst_from", |w| seconds(w.worst.map(|most| most.from.saturating_sub(w.first)))),
    column("worst_to", |w| seconds(w.worst.map(|most| most.to.saturating_sub(w.first)))),
    column("silence", |w| seconds(w.silence.map(|silence| silence.length))),
    column("silence_from", |w| seconds(w.silence.map(|silence| silence.began.saturating_sub(w.first)))),
];

fn seconds(nanos: Option<i64>) -> Cell {
    nanos.map_or(Cell::Null, |nanos| Cell::Seconds(nanos as f64 / 1e9))
}

/// The table of the sides that lost messages or were silent for at least a second.
pub fn times(stats: &Stats) -> Table {
    let [first, last] = [stats.first, stats.last].map(|time| time.map_or(0, |time| time.near_nanos()));
    let each = directions(stats).filter_map(|(connection, from, direction)| {
        let flow = stats.flow(connection.flow)?;
        let side = if std::ptr::eq(direction, &connection.directions[0]) { Side::A } else { Side::B };
        // Silences are the conversation's, and known for its last connection only.
        let current = connection.own_proto.is_none() && stats.delivery.ordinal(flow.id) == connection.ordinal;
        Some(When {
            flow: flow.id,
            connection: connection.ordinal,
            proto: connection.proto(Some(flow)),
            from,
            first,
            worst: direction.losses.0.most(WINDOW).map(|most| Most { to: most.to.min(last), ..most }),
            silence: if current { flow.silence(side) } else { None },
        })
    });
    let silent = |row: &When| row.silence.is_some_and(|silence| silence.length >= SILENCE);
    let rows: Vec<When> = each.filter(|row| row.worst.is_some() || silent(row)).collect();
    let title = "When most was resent or missing in 5 s; the longest silence (s from the start)";
    Table::of(Shape { kind: "when", title, keys: 4 }, &COLUMNS, &rows)
}

impl Flow {
    /// The longest silence of a side, up to the last message of the conversation.
    fn silence(&self, side: Side) -> Option<Silence> {
        let mut silence = self.silences[side.index()];
        // Not the latest time: the clock may have been set back.
        let last = self.silences.iter().filter_map(|one| one.last).max();
        last.into_iter().for_each(|last| silence.until(last));
        (silence.length > 0).then_some(silence)
    }
}

/// Appends the losses along the capture: a line for each side with losses.
pub fn axis(stats: &Stats, width: usize, text: &mut String) {
    const NAME: usize = 33;
    let (Some(first), nanos) = (stats.first, (stats.duration() * 1e9) as i64) else { return };
    let step = round_step(nanos, width.saturating_sub(NAME + 1).max(10), LEAST);
    for (k, (connection, from, direction)) in
        directions(stats).filter(|(_, _, direction)| !direction.losses.0.steps().is_empty()).enumerate()
    {
        if k == 0 {
            // Writing to a string cannot fail, here and below.
            let _ = writeln!(text, "\nResent and missing along the capture; a column is {}", step_text(step));
        }
        let losses = direction.losses.0.along(first.near_nanos(), step, columns(nanos, step));
        // The most of any 5 s, as in the table: the columns' most would depend on the chart's width.
        let most = direction.losses.0.most(WINDOW);
        let most = most.map(|most| format!(", at most {} in {}", most.messages, step_text(most.to - most.from)));
        let name = format!("flow {} {from}{}", connection.flow, most.unwrap_or_default());
        let losses: Vec<f64> = losses.into_iter().map(|n| if n > 0.0 { n } else { f64::NAN }).collect();
        let _ = writeln!(text, "{name:<NAME$} {}", blocks(&losses, 0.0).trim_end());
    }
}
