//! Styles and helpers for all parts of the screen.

use super::record::{FAULT, WARNING};
use super::store::Sums;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::Line;
use unicode_width::UnicodeWidthStr;

/// Secondary text.
pub const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// The style of the selection.
pub const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
/// The style of emphasis.
pub const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);

/// Writes a line. If it is wider than the area, its last column shows that.
pub fn put(line: &Line<'_>, area: Rect, row: u16, to: &mut Buffer) {
    if row < area.height {
        to.set_line(area.x, area.y + row, line, area.width);
        if line.width() > usize::from(area.width) && area.width > 0 {
            // Half of a wide character would hide it.
            if let Some(before) = area.right().checked_sub(2).and_then(|column| to.cell_mut((column, area.y + row)))
                && before.symbol().width() > 1
            {
                before.set_symbol(" ");
            }
            to.set_stringn(area.right() - 1, area.y + row, "…", 1, Style::default());
        }
    }
}

/// The end of a text that is longer than this many characters.
pub fn end_of(text: &str, room: usize) -> String {
    match text.chars().count().checked_sub(room) {
        None | Some(0) => text.into(),
        Some(over) => format!("…{}", text.chars().skip(over + 1).collect::<String>()),
    }
}

/// The colour of a severity, beside its sign or word.
pub fn severity(number: u8, colour: bool) -> Style {
    match number {
        _ if !colour => Style::default(),
        FAULT | 3 => BOLD.fg(Color::Red),
        WARNING => BOLD.fg(Color::Yellow),
        _ => Style::default(),
    }
}

/// The time from the first message to the last.
pub fn seconds(sums: &Sums) -> f64 {
    sums.span.1.saturating_sub(sums.span.0) as f64 / 1e9
}

/// The first row of a pane.
pub fn title(text: &str, focused: bool, area: Rect, to: &mut Buffer) {
    let sign = if focused { "▶ " } else { "─ " };
    let rule = "─".repeat(area.width.into());
    to.set_stringn(area.x, area.y, rule, area.width.into(), DIM);
    let style = if focused { BOLD } else { DIM };
    to.set_stringn(area.x, area.y, format!("{sign}{text} "), area.width.into(), style);
}
