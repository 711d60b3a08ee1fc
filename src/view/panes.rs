//! The list of messages, the fields, the bytes; the list of conversations.

use super::ansi;
use super::detail::{TreeLine, per_row};
use super::holding;
use super::layout::Pane;
use super::paint::{BOLD, DIM, SELECTED, put, seconds, severity, title};
use super::record::{FAULT, WARNING};
use super::state::State;
use super::store::Progress;
use crate::codec::bits;
use crate::dissect::Target;
use crate::live::proxy::{Held, Holds};
use crate::message::OwnedMessage;
use crate::plural::Plural;
use crate::render::Style as Look;
use crate::render::summary;
use crate::render::times::Clock;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Modifier, Style};
use ratatui_core::text::{Line, Span};
use std::time::Instant;

/// Draws a pane with its title.
pub fn pane(state: &State, pane: Pane, area: Rect, to: &mut Buffer) {
    let focused = state.focus == pane;
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    match pane {
        Pane::Messages => {
            title(pane.title(), focused, area, to);
            messages(state, body, focused, to);
        }
        Pane::Tree => {
            title(&tree_title(state), focused, area, to);
            tree(state, body, focused, to);
        }
        Pane::Bytes => {
            title(&bytes_title(state), focused, area, to);
            bytes(state, body, focused, to);
        }
    }
}

/// Marks a row as selected; in a pane without the focus less so.
fn select(area: Rect, row: u16, focused: bool, to: &mut Buffer) {
    let style = if focused { SELECTED } else { Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED) };
    to.set_style(Rect { y: area.y + row, height: 1, ..area }, style);
}

fn messages(state: &State, area: Rect, focused: bool, to: &mut Buffer) {
    if state.shown() == 0 {
        let text = match state.store.progress() {
            Progress::Reading => "no message so far",
            _ if state.hiding().is_some() => "no message matches",
            _ => "no message of a known protocol",
        };
        return put(&Line::styled(text, DIM), area, 0, to);
    }
    let look = Look { width: Some(area.width.into()), colour: state.subject.colour, ..Look::default() };
    let look = Look { time: state.subject.time, ..look };
    let mut clock = Clock::default();
    state.store.origin().into_iter().for_each(|time| clock.origin(time));
    let mut out = Vec::new();
    let holds = state.subject.holds.as_ref().map(|holds| (holds, holds.list()));
    // Times may be relative to the message above.
    let above = state.top.checked_sub(1).and_then(|at| state.number(at)).and_then(|at| state.store.open(at));
    if let Some(opened) = above {
        opened.with(state.store.options(), |message| summary::line(message, look, &mut clock, &mut out));
    }
    for row in 0..area.height {
        let position = state.top + usize::from(row);
        let Some(opened) = state.number(position).and_then(|number| state.store.open(number)) else { break };
        out.clear();
        opened.with(state.store.options(), |message| summary::line(message, look, &mut clock, &mut out));
        if let Some(line) = ansi::lines(&out).first() {
            put(line, area, row, to);
        }
        if let Some(word) = holds.as_ref().and_then(|(holds, all)| waits(opened.target(), holds, all)) {
            let word = format!(" [{word}]");
            let width = word.chars().count() as u16;
            to.set_stringn(area.right().saturating_sub(width), area.y + row, word, area.width.into(), BOLD);
        }
        if position == state.selected {
            select(area, row, focused, to);
        }
    }
}

/// Returns the word for a message that waits at a proxy, or has waited.
fn waits(target: Target, holds: &Holds, all: &[Held]) -> Option<&'static str> {
    let is_held = all.iter().any(|held| held.target == target);
    if is_held { Some("held") } else { holds.outcome(target).map(holding::word) }
}

/// The name and description of the selected field; of a held message, how long it waits and how it will be changed.
fn tree_title(state: &State) -> String {
    if let Some(held) = state.held() {
        let left = held.until.saturating_duration_since(Instant::now()).as_secs();
        let edits = state.edits.get(&held.id).map(|text| format!(", edited: {text}")).unwrap_or_default();
        let failed = held.failed.map(|why| format!(", not passed: {why}")).unwrap_or_default();
        return ansi::plain(&format!("held, {left} s left{failed}{edits}"));
    }
    let Some(detail) = &state.detail else { return Pane::Tree.title().into() };
    match detail.node() {
        Some(node) if !node.field.doc.is_empty() => ansi::plain(&format!("{}: {}", node.field.name, node.field.doc)),
        Some(node) => ansi::plain(node.field.name),
        None => Pane::Tree.title().into(),
    }
}

fn tree(state: &State, area: Rect, focused: bool, to: &mut Buffer) {
    let Some(detail) = &state.detail else { return };
    let lines = detail.lines.iter().skip(detail.top).take(area.height.into());
    let edits = state.held().map(|held| state.edits(&held)).unwrap_or_default();
    let message = (!edits.is_empty()).then(|| detail.opened.with(state.store.options(), OwnedMessage::of));
    let path = |line: &TreeLine| detail.path(line.place?, message.as_ref()?);
    for (row, line) in (0..).zip(lines) {
        put(&line.line, area, row, to);
        let path = path(line);
        if let Some(edit) = edits.iter().find(|edit| path.as_deref() == Some(edit.path.trim_start_matches("fields."))) {
            let (text, at) = (ansi::plain(&format!(" -> {}", edit.value.text())), line.line.width() as u16);
            let room = area.width.saturating_sub(at);
            to.set_stringn(area.x + at.min(area.width), area.y + row, text, room.into(), BOLD);
        }
        if detail.top + usize::from(row) == detail.cursor {
            select(area, row, focused, to);
        }
    }
}

/// The place of the selected field in bytes, or in bits if it is not whole bytes.
fn bytes_title(state: &State) -> String {
    let Some(detail) = &state.detail else { return Pane::Bytes.title().into() };
    let (source, range) = detail.range();
    let of = match source {
        0 => String::new(),
        n => format!(" of source {n}"),
    };
    let (start, length) = (range.start, range.len());
    if length == 0 {
        return format!("{}{of}", Pane::Bytes.title());
    }
    if start % 8 == 0 && length % 8 == 0 {
        return format!("{} at {}{of}", Plural(length as u64 / 8, "byte"), start / 8);
    }
    let about = format!("{} at {}.{}{of}", Plural(length as u64, "bit"), start / 8, start % 8);
    if length > 8 || start % 8 + length > 8 {
        return about;
    }
    let byte = bits::get(detail.bytes(), start / 8 * 8, 8);
    let digit = |place: usize| match (start % 8..start % 8 + length).contains(&place) {
        true => char::from(b'0' + (byte >> place & 1) as u8),
        false => '.',
    };
    format!("{about}: {}", (0..8).rev().map(digit).collect::<String>())
}

fn bytes(state: &State, area: Rect, focused: bool, to: &mut Buffer) {
    let Some(detail) = &state.detail else { return };
    let (all, each) = (detail.bytes(), per_row(area.width));
    let (_, range) = detail.range();
    let marked = range.start / 8..range.end.div_ceil(8);
    for (row, chunk) in (0..area.height).zip(all.chunks(each).skip(detail.row)) {
        let start = (detail.row + usize::from(row)) * each;
        let mut spans = vec![Span::styled(format!("{start:04x} "), DIM)];
        let style = |at: usize| {
            let style = if marked.contains(&at) { SELECTED } else { Style::default() };
            let cursor = focused && at == detail.byte;
            if cursor { style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED) } else { style }
        };
        for (at, byte) in (start..).zip(chunk) {
            spans.push(Span::raw(if (at - start) % 8 == 0 && at > start { "  " } else { " " }));
            spans.push(Span::styled(format!("{byte:02x}"), style(at)));
        }
        let text = (each - chunk.len()) * 3 + 2 + usize::from(each > 8 && chunk.len() <= 8);
        spans.push(Span::raw(" ".repeat(text)));
        for (at, byte) in (start..).zip(chunk) {
            let shown = if matches!(byte, b' '..=b'~') { char::from(*byte) } else { '.' };
            spans.push(Span::styled(shown.to_string(), style(at)));
        }
        put(&Line::from(spans), area, row, to);
    }
}

/// All conversations, a line each.
pub fn conversations(state: &State, area: Rect, to: &mut Buffer) {
    title("Conversations; Enter shows the messages of one", true, area, to);
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    let (at, top) = state.conversation;
    let all = state.store.conversations();
    for (row, (about, sums)) in (0..body.height).zip(all.iter().skip(top)) {
        let bad = |number: u8| sums.bad.get(usize::from(number)).copied().unwrap_or(0);
        let mut spans = vec![Span::raw(format!(
            "{:>4} {} {:>7}  {:>8.3} s  ",
            about.flow,
            about.proto,
            sums.messages,
            seconds(sums)
        ))];
        for (number, word) in [(FAULT, "fault"), (3, "error"), (WARNING, "warning")] {
            if bad(number) > 0 {
                let text = format!("{}  ", Plural(bad(number), word));
                spans.push(Span::styled(text, severity(number, state.subject.colour)));
            }
        }
        let [a, b] = &about.names;
        spans.push(Span::raw(ansi::plain(&format!("{}  {a} - {b}", about.transport.name()))));
        put(&Line::from(spans), body, row, to);
        if top + usize::from(row) == at {
            select(body, row, true, to);
        }
    }
}
