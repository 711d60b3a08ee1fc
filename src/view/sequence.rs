//! The selected message's conversation as a sequence: both sides, an arrow for each message, times.

use super::ansi;
use super::paint::{DIM, SELECTED, end_of, put, title};
use super::record::Opened;
use super::state::State;
use super::store::Progress;
use crate::dissect::RelationKind;
use crate::render::line_writer::LineWriter;
use crate::render::times::Clock;
use crate::render::{Style as Look, TimeForm, summary};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};

/// From this width on, times have the form that was chosen. Below it they are relative.
const TIMES: u16 = 80;
/// The widest label of an arrow, in columns.
const LABEL: usize = 100;

impl State {
    /// The positions of at most `most` shown messages of a conversation: from this position on, or back from it.
    pub fn along(&self, flow: u32, from: usize, forward: bool, most: usize) -> Vec<usize> {
        let shown = self.shown();
        self.store.rows(|row| {
            let fits = |at: &usize| self.number(*at).and_then(row).is_some_and(|row| row.flow == flow);
            match forward {
                true => (from..shown).filter(fits).take(most).collect(),
                false => (0..shown.min(from.saturating_add(1))).rev().filter(fits).take(most).collect(),
            }
        })
    }

    /// Moves the selection within its conversation.
    pub fn move_along(&mut self, by: isize) {
        let Some(flow) = self.row().map(|row| row.flow) else { return };
        let (from, far) = match by {
            isize::MIN => (0, 1),
            isize::MAX => (self.shown(), 1),
            by => (self.selected, by.unsigned_abs().saturating_add(1)),
        };
        // To either endpoint: the first one, seen from there.
        let forward = (by > 0) != (far == 1);
        let last = self.along(flow, from, forward, far).last().copied();
        self.selected = last.unwrap_or(self.selected);
        let at_end = by > 0 && self.store.progress() == Progress::Reading;
        self.at_end = at_end && self.along(flow, self.selected + 1, true, 1).is_empty();
    }
}

/// The parts of a row: times, both lifelines.
struct Columns {
    time: u16,
    left: u16,
    right: u16,
}

/// Draws the page.
pub fn sequence(state: &State, area: Rect, to: &mut Buffer) {
    let selected = state.current().and_then(|number| state.store.open(number));
    let (Some(flow), Some(selected)) = (state.row().map(|row| row.flow), selected) else {
        title("Sequence", true, area, to);
        return put(&Line::styled("no message so far", DIM), area, 1, to);
    };
    title(&format!("Sequence of conversation {flow}; Enter goes to the message"), true, area, to);
    let rows = usize::from(area.height.saturating_sub(2)).max(1);
    let mut shown = state.along(flow, state.selected, false, rows);
    shown.reverse();
    let after = state.along(flow, state.selected + 1, true, rows);
    let above = shown.len().saturating_sub(rows.saturating_sub(after.len()).max(rows.div_ceil(2)));
    shown.drain(..above);
    shown.extend(after);
    shown.truncate(rows);

    let (mut clock, form) = clock(state, area);
    let before = state.along(flow, shown.first().map_or(0, |at| at.saturating_sub(1)), false, 1);
    let open = |at: &usize| state.store.open(state.number(*at)?);
    // Times may be relative to the message above.
    before.iter().filter_map(open).for_each(|opened| _ = time(&opened, state, form, &mut clock));
    let messages: Vec<(usize, Opened, String)> = shown
        .iter()
        .filter_map(|at| {
            let opened = open(at)?;
            let time = time(&opened, state, form, &mut clock);
            Some((*at, opened, time))
        })
        .collect();
    let width = messages.iter().map(|(.., time)| time.chars().count()).max().unwrap_or(0) as u16;
    let columns = Columns { time: width, left: area.x + width + 1, right: area.right() - 1 };
    heads(&selected, area, &columns, to);
    let body = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
    for (row, (at, opened, time)) in (0..body.height).zip(&messages) {
        let line = Rect { y: body.y + row, height: 1, ..body };
        to.set_stringn(line.x, line.y, format!("{time:>0$}", usize::from(columns.time)), width.into(), DIM);
        arrow(opened, state, line.y, &columns, to);
        if *at == state.selected {
            to.set_style(line, SELECTED);
        }
    }
}

fn clock(state: &State, area: Rect) -> (Clock, TimeForm) {
    let mut clock = Clock::default();
    state.store.origin().into_iter().for_each(|time| clock.origin(time));
    let form = match state.subject.time {
        Some(form) if area.width >= TIMES || form == TimeForm::Delta => form,
        _ => TimeForm::Relative,
    };
    (clock, form)
}

fn time(opened: &Opened, state: &State, form: TimeForm, clock: &mut Clock) -> String {
    let mut out = Vec::new();
    opened.with(state.store.options(), |message| {
        clock.show(form, message.place.time, &mut LineWriter::new(&mut out, false));
    });
    String::from_utf8_lossy(&out).into_owned()
}

/// The names of both sides, above their lifelines.
fn heads(selected: &Opened, area: Rect, columns: &Columns, to: &mut Buffer) {
    let [left, right] = selected.sides();
    let half = usize::from((columns.right - columns.left) / 2);
    // Their ends differ: of addresses on one machine, the ports.
    let ([left, right], row) = ([left, right].map(|name| end_of(&ansi::plain(name), half)), area.y + 1);
    to.set_stringn(columns.left, row, left, half, Style::default());
    let start = (columns.right + 1).saturating_sub(right.chars().count() as u16);
    to.set_stringn(start, row, right, half, Style::default());
}

/// A message: an arrow from its sender's lifeline to the other, with what the message says. That of a resend is dashed.
fn arrow(opened: &Opened, state: &State, row: u16, columns: &Columns, to: &mut Buffer) {
    let &Columns { left, right, .. } = columns;
    let again = opened.dissection().related.iter().any(|one| one.kind == RelationKind::CopyOf);
    let inside = usize::from((right - left).saturating_sub(1));
    let shaft = if again { "╌" } else { "─" }.repeat(inside);
    to.set_stringn(left + 1, row, shaft, inside, DIM);
    let (begin, tip, end) =
        if opened.is_of_client() { ("├", (right - 1, "▶"), "│") } else { ("│", (left + 1, "◀"), "┤") };
    for (x, sign) in [(left, begin), (right, end), tip] {
        to.set_stringn(x, row, sign, 1, Style::default());
    }
    let room = inside.saturating_sub(6).min(LABEL);
    let look = Look { width: Some(room), colour: state.subject.colour, ..Look::default() };
    let mut out = Vec::new();
    opened.with(state.store.options(), |message| summary::label(message, look, &mut out));
    let mut label = ansi::lines(&out).pop().unwrap_or_default();
    label.spans.insert(0, Span::raw(" "));
    label.spans.push(Span::raw(" "));
    to.set_line(left + 3, row, &label, room as u16 + 2);
}
