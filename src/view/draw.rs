//! The screen as a function of the state.

use super::ansi::plain;
use super::keys::KEYS;
use super::layout::{LEAST, Pane};
use super::paint::{BOLD, DIM, SELECTED, end_of, put, seconds, severity, title};
use super::panes;
use super::prompt::Prompt;
use super::record::{FAULT, WARNING};
use super::sequence::sequence;
use super::state::{Sheet, State};
use super::store::{Progress, Sums};
use crate::plural::Plural;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Position, Rect};
use ratatui_core::style::Style;
use ratatui_core::text::{Line, Span};
use std::collections::BTreeSet;

/// Draws the screen; returns where the cursor is, if text is typed.
pub fn draw(state: &State, area: Rect, to: &mut Buffer) -> Option<Position> {
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("the terminal needs at least {} columns and {} rows", LEAST.0, LEAST.1);
        to.set_stringn(area.x, area.y, text, area.width.into(), Style::default());
        return None;
    }
    overview(state, state.areas.overview, to);
    let body = Rect { y: state.areas.overview.height, height: area.height - 1 - state.areas.overview.height, ..area };
    match state.sheet {
        Sheet::Help => help(body, to),
        Sheet::Conversations => panes::conversations(state, body, to),
        Sheet::Sequence => sequence(state, body, to),
        Sheet::Figures => state.figures.iter().for_each(|figures| figures.page(state.store.len(), body, to)),
        Sheet::Panes => {
            for (pane, area) in
                [(Pane::Messages, state.areas.list), (Pane::Tree, state.areas.tree), (Pane::Bytes, state.areas.bytes)]
            {
                if let Some(area) = area {
                    panes::pane(state, pane, area, to);
                }
            }
        }
    }
    status(state, state.areas.status, to)
}

/// The input and what is in it; a rate over time, on which the selected message is marked.
fn overview(state: &State, area: Rect, to: &mut Buffer) {
    let sums = state.store.sums();
    let conversations = state.store.conversations();
    let protos: BTreeSet<&str> = conversations.iter().map(|(about, _)| about.proto).collect();
    let mut spans = vec![Span::styled(end_of(&plain(&state.subject.name), usize::from(area.width) / 3), BOLD)];
    let mut add = |text: String, style: Style| {
        spans.push(Span::raw("  "));
        spans.push(Span::styled(text, style));
    };
    match state.store.progress() {
        Progress::Reading => add("reading".into(), DIM),
        Progress::Ended => {}
        Progress::Full => add("memory is full: not read to the end".into(), severity(FAULT, state.subject.colour)),
        Progress::Failed(_) => add("not read to the end".into(), severity(FAULT, state.subject.colour)),
    }
    add(Plural(sums.messages, "message").to_string(), Style::default());
    if state.store.missed() > 0 {
        let missed = Plural(state.store.missed(), "message");
        add(format!("{missed} not kept: input too fast"), severity(WARNING, state.subject.colour));
    }
    if let Some(holds) = &state.subject.holds {
        let count = holds.list().len();
        if count > 0 {
            add(format!("{count} held (H)"), BOLD);
        }
        if holds.full() > 0 {
            add(format!("{} not held: --most-held reached", holds.full()), severity(WARNING, state.subject.colour));
        }
        holds.expression().into_iter().for_each(|text| add(format!("holding {}", plain(&text)), DIM));
    }
    for (number, word) in [(FAULT, "fault"), (3, "error"), (WARNING, "warning")] {
        let count = sums.bad.get(usize::from(number)).copied().unwrap_or(0);
        if count > 0 {
            add(Plural(count, word).to_string(), severity(number, state.subject.colour));
        }
    }
    add(protos.into_iter().map(plain).collect::<Vec<_>>().join(", "), Style::default());
    add(Plural(conversations.len() as u64, "conversation").to_string(), Style::default());
    add(format!("{:.1} s", seconds(&sums)), Style::default());
    // The reason is longer than all before it.
    if let Progress::Failed(why) = state.store.progress() {
        add(plain(&why), severity(FAULT, state.subject.colour));
    }
    put(&Line::from(spans), area, 0, to);
    if area.height > 1 {
        sparkline(state, &sums, Rect { y: area.y + 1, height: 1, ..area }, to);
    }
}

/// Messages over time, a column each part of it; the one with the selected message is marked.
fn sparkline(state: &State, sums: &Sums, area: Rect, to: &mut Buffer) {
    const BARS: [&str; 8] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
    let (first, last) = sums.span;
    let columns = i128::from(area.width.max(1));
    let length = i128::from(last) - i128::from(first) + 1;
    let edge = |column: i128| i128::from(first) + length * column / columns;
    let starts: Vec<usize> =
        (0..=columns).map(|column| state.store.partition(|row| i128::from(row.nanos) < edge(column))).collect();
    let counts: Vec<usize> = starts.windows(2).map(|pair| pair[1].saturating_sub(pair[0])).collect();
    let most = counts.iter().max().copied().unwrap_or(0).max(1);
    let here = state.row().map(|row| (i128::from(row.nanos) - i128::from(first)) * columns / length);
    for (at, count) in counts.iter().enumerate() {
        let bar = if *count == 0 { " " } else { BARS[(count * 8).div_ceil(most).clamp(1, 8) - 1] };
        let marked = here == Some(at as i128);
        // A blank that is marked is seen, too.
        let style = if marked { SELECTED } else { DIM };
        to.set_stringn(area.x + at as u16, area.y, bar, 1, style);
    }
}

/// The typed line, the last report, or the most important keys.
fn status(state: &State, area: Rect, to: &mut Buffer) -> Option<Position> {
    to.set_style(area, Style::default());
    if let Some(prompt) = &state.prompt {
        return Some(typed(prompt, area, to));
    }
    let mut right = String::new();
    if state.paused {
        right += &format!("paused, {} more  ", state.waiting());
    }
    if let Some(fits) = &state.fits {
        let looking = if fits.looked < state.len { "+" } else { "" };
        right += &format!("{}{looking} match  ", fits.found.len());
    }
    right += &format!("{}/{}", state.shown().min(state.selected + 1), state.shown());
    let filter = || {
        let fits = state.fits.as_ref()?;
        Some(format!("{} {}", if fits.only { "only" } else { "find" }, fits.shown()))
    };
    let left = match &state.status {
        status if !status.is_empty() => plain(status),
        _ if state.held().is_some() => "E edit  a pass  X drop  A pass all  H next held".into(),
        _ => filter().map_or_else(|| "? keys  / find  F filter  Tab pane  q quit".into(), |text| plain(&text)),
    };
    let width = right.chars().count() as u16;
    let room = area.width.saturating_sub(width + 1);
    to.set_stringn(area.x, area.y, left, room.into(), Style::default());
    to.set_stringn(area.right().saturating_sub(width), area.y, right, width.into(), DIM);
    None
}

/// The line that is typed; under it where it is wrong and why, or the names that may follow.
fn typed(prompt: &Prompt, area: Rect, to: &mut Buffer) -> Position {
    let sign = prompt.asked.sign();
    let begin = sign.len() as u16;
    let room = usize::from(area.width.saturating_sub(begin + 1)).max(1);
    let skipped = prompt.cursor.saturating_sub(room);
    let shown: String = plain(&prompt.text).chars().skip(skipped).take(room).collect();
    put(&Line::from(vec![Span::styled(sign, BOLD), Span::raw(shown)]), area, 0, to);
    let column = |character: usize| begin + character.saturating_sub(skipped).min(room) as u16;
    if let Some(error) = prompt.error.as_ref().filter(|_| area.height > 2) {
        let at = column(error.at);
        to.set_stringn(area.x + at, area.y + 1, "^".repeat(error.len.max(1)), usize::from(area.width - at), BOLD);
        put(&Line::raw(plain(&error.what)), area, 2, to);
    }
    if !prompt.offered.is_empty() && area.height > 1 {
        let row = if prompt.error.is_some() { 2 } else { 1 };
        let names = plain(&prompt.offered.join("  "));
        to.set_stringn(area.x, area.y + row, " ".repeat(area.width.into()), area.width.into(), Style::default());
        put(&Line::from(vec![Span::styled("Tab: ", BOLD), Span::styled(names, DIM)]), area, row, to);
    }
    Position::new(area.x + column(prompt.cursor), area.y)
}

fn help(area: Rect, to: &mut Buffer) {
    let keys = KEYS.iter().map(|(keys, _)| keys.len()).max().unwrap_or(0).min(usize::from(area.width) / 2 - 2);
    // Small terminals show it without the title's row.
    let columns = if usize::from(area.height) <= KEYS.len() { 2 } else { 1 };
    let area = match columns {
        1 => area,
        _ => Rect { y: area.y.saturating_sub(1), height: area.height + 1, ..area },
    };
    if columns == 1 {
        title("Keys", true, area, to);
    }
    let each = KEYS.len().div_ceil(columns);
    let width = area.width / columns as u16;
    for (at, (key, what)) in KEYS.iter().enumerate() {
        let (x, y) = (area.x + (at / each) as u16 * width, area.y + 1 + (at % each) as u16);
        if y < area.bottom() {
            let key = if columns == 1 { format!("{key:keys$}  ") } else { format!("{key} ") };
            let line = Line::from(vec![Span::styled(key, BOLD), Span::raw(*what)]);
            to.set_line(x, y, &line, width.saturating_sub(u16::from(columns > 1)));
        }
    }
}
