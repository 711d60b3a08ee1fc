//! Text tables with aligned columns, as wide as the terminal.
//!
//! If a table is too wide, first its headings take two lines, then dispensable columns are omitted, and finally it is
//! folded: further columns follow below, after the same keys. If output is not a terminal, each row is one line.

use super::figure::Figure;
use super::table::{Cell, Table};
use crate::printable::{Printable, tricky};
use crate::render::palette::{COLOURS, PLAIN, Palette};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// Columns to omit first if there is little room; `proto` only if it is the same in all rows: the overview shows it.
const SPARE: [&str; 8] =
    ["proto", "message_share", "transport", "size_max", "response_p99", "response_p90", "answered_p99", "answered_p90"];
/// The gap between two columns.
const GAP: usize = 2;
/// The maximum width of a text from any source.
const TEXT: usize = 60;

/// One column, as text.
struct Column {
    figure: &'static Figure,
    /// The lines of the heading.
    heading: Vec<String>,
    cells: Vec<String>,
    /// Whether it is right-aligned, for numbers.
    right: bool,
}

impl Column {
    fn new(table: &Table, place: usize, figure: &'static Figure) -> Column {
        let cells = || table.rows.iter().filter_map(|row| row.get(place));
        let largest = cells().filter_map(|c| if let Cell::Millis(x) = c { Some(x.abs()) } else { None });
        let digits = match largest.fold(0.0, f64::max) {
            x if x < 10.0 => 3,
            x if x < 100.0 => 2,
            _ => 1,
        };
        Column {
            figure,
            heading: vec![figure.heading()],
            cells: cells().map(|cell| text_of(cell, digits)).collect(),
            right: cells().any(|c| !matches!(c, Cell::Flag(_)) && c.number().is_some()),
        }
    }

    /// Whether any cell has information.
    fn is_informative(&self) -> bool {
        !self.figure.detail && self.cells.iter().any(|cell| cell != self.figure.usual && cell != "-")
    }

    fn width(&self) -> usize {
        let words = self.heading.iter().chain(&self.cells).map(String::as_str);
        words.map(UnicodeWidthStr::width).max().unwrap_or(0)
    }

    /// Makes the heading narrower, with two lines.
    fn narrow_heading(&mut self) {
        let name = self.figure.heading();
        let cuts = name.match_indices(['_', ' ']).map(|(at, _)| (&name[..at], &name[at + 1..]));
        if let Some((first, second)) = cuts.min_by_key(|(a, b)| a.len().max(b.len())) {
            self.heading = [first, second].map(String::from).into();
        }
    }
}

fn text_of(cell: &Cell, digits: usize) -> String {
    match cell {
        Cell::Null => "-".into(),
        // Text of a capture must not add control characters of its own between the colours.
        Cell::Text(text) if text.contains(|c: char| c.is_control() || tricky(c)) => {
            text_of(&Cell::Text(Printable(text).to_string()), digits)
        }
        Cell::Text(text) if text.width() > TEXT => {
            let mut room = TEXT - 1;
            let fits = |c: &char| {
                let width = unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
                room.checked_sub(width).map(|left| room = left).is_some()
            };
            text.chars().take_while(fits).chain(['…']).collect()
        }
        Cell::Text(text) | Cell::Exact(_, text) => text.clone(),
        Cell::Int(n) => n.to_string(),
        Cell::Real(x, digits) => format!("{x:.digits$}"),
        Cell::Seconds(x) => format!("{x:.3}"),
        Cell::Millis(x) => format!("{:.digits$}", cell.printed().unwrap_or(*x)),
        Cell::Share(x) => format!("{:.1}%", x * 100.0),
        Cell::Flag(yes) => if *yes { "yes" } else { "no" }.into(),
    }
}

/// Appends a table with aligned columns, without details and without columns that have no information. `width` is the
/// terminal's.
pub fn text(table: &Table, width: Option<usize>, colour: bool, out: &mut String) {
    let palette = if colour { &COLOURS } else { &PLAIN };
    let mut columns = columns_of(table);
    let keys = table.columns.get(..table.shape.keys).unwrap_or(&[]);
    if !table.shape.title.is_empty() {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}{}{}", palette.title, table.shape.title, palette.reset);
    }
    let Some(width) = width else { return block(&columns.iter().collect::<Vec<_>>(), palette, out) };
    if total(&columns) > width {
        columns.iter_mut().for_each(Column::narrow_heading);
    }
    for spare in SPARE {
        let dispensable = |c: &Column| spare != "proto" || c.cells.windows(2).all(|pair| pair[0] == pair[1]);
        if total(&columns) > width {
            columns.retain(|c| c.figure.name != spare || !dispensable(c));
        }
    }
    let keys = columns.iter().take_while(|c| keys.contains(&c.figure)).count();
    let (keys, mut rest) = columns.split_at(keys);
    loop {
        // There may be nothing besides the keys.
        let (here, following) = rest.split_at(fold(total(keys), rest, width).min(rest.len()));
        block(&keys.iter().chain(here).collect::<Vec<_>>(), palette, out);
        if following.is_empty() {
            return;
        }
        out.push('\n');
        rest = following;
    }
}

/// Appends a table with as many columns as fit, without folding; drops the columns in `spare` one by one.
pub fn fitted(table: &Table, width: usize, spare: &[&str], colour: bool, out: &mut String) {
    let mut columns = columns_of(table);
    if total(&columns) > width {
        columns.iter_mut().for_each(Column::narrow_heading);
    }
    for spare in spare {
        if total(&columns) > width {
            columns.retain(|column| column.figure.name != *spare);
        }
    }
    block(&columns.iter().collect::<Vec<_>>(), if colour { &COLOURS } else { &PLAIN }, out);
}

/// Appends a table with as many columns as fit: those that identify a row, and the others from the one with this index
/// on. Returns the number of the others.
#[cfg(feature = "cli")]
pub(crate) fn scrolled(table: &Table, width: usize, from: usize, colour: bool, out: &mut String) -> usize {
    let mut columns = columns_of(table);
    if total(&columns) > width {
        columns.iter_mut().for_each(Column::narrow_heading);
    }
    let keys = table.columns.get(..table.shape.keys).unwrap_or(&[]);
    let keys = columns.iter().take_while(|c| keys.contains(&c.figure)).count();
    let (keys, rest) = columns.split_at(keys);
    let from = from.min(rest.len().saturating_sub(1));
    let mut at = total(keys);
    let fit = rest.iter().skip(from).take_while(|c| {
        at += GAP + c.width();
        at <= width
    });
    let shown: Vec<&Column> = keys.iter().chain(fit).collect();
    block(&shown, if colour { &COLOURS } else { &PLAIN }, out);
    rest.len()
}

/// The width of the table without a limit.
pub fn width(table: &Table) -> usize {
    total(&columns_of(table))
}

/// The columns with information in any row, without details.
fn columns_of(table: &Table) -> Vec<Column> {
    let columns = table.columns.iter().enumerate().map(|(place, figure)| Column::new(table, place, figure));
    columns.filter(Column::is_informative).collect()
}

/// The number of columns next to the keys: as many as fit, at least one. A family (`ack_p50`, `ack_max`) is not split
/// if it fits as a whole.
fn fold(keys: usize, columns: &[Column], width: usize) -> usize {
    let mut at = keys;
    let fit = columns.iter().take_while(|c| {
        at += GAP + c.width();
        at <= width
    });
    let fit = fit.count();
    let splits_family = |count: &usize| {
        columns.get(count - 1..=*count).is_some_and(|pair| same_family(pair[0].figure.name, pair[1].figure.name))
    };
    (1..=fit).rev().find(|count| !splits_family(count)).unwrap_or(fit.max(1))
}

/// Whether the names, of several words each, have the same first or last word.
fn same_family(a: &str, b: &str) -> bool {
    let words = |name: &'_ str| Some((name.split_once('_')?.0.to_string(), name.rsplit_once('_')?.1.to_string()));
    matches!((words(a), words(b)), (Some(a), Some(b)) if a.0 == b.0 || a.1 == b.1)
}

fn total<'a>(columns: impl IntoIterator<Item = &'a Column>) -> usize {
    let widths = columns.into_iter().map(|c| c.width() + GAP);
    widths.sum::<usize>().saturating_sub(GAP)
}

/// The colour of a cell: names and sides as in decode, and figures that indicate problems.
fn colour_of(column: &str, cell: &str, palette: &'static Palette) -> &'static str {
    let nothing = cell == "-" || cell.trim_matches(|c| matches!(c, '0' | '.' | '%')).is_empty();
    match (column, cell) {
        ("message" | "schema" | "of", _) => palette.title,
        ("client", _) | ("from", "client") => palette.client,
        ("server", _) | ("from", "server") => palette.server,
        _ if nothing => "",
        ("faults" | "broken", _) => palette.error,
        (
            "warnings" | "resent" | "resent_share" | "missing" | "lost" | "lost_share" | "never_acked" | "unanswered"
            | "unmatched" | "refused" | "given_up" | "handled_twice" | "never_handled",
            _,
        )
        | ("transport_end", "rst")
        | ("what", "vanished" | "appeared") => palette.warning,
        _ => "",
    }
}

fn block(columns: &[&Column], palette: &'static Palette, out: &mut String) {
    let high = columns.iter().map(|c| c.heading.len()).max().unwrap_or(0);
    let rows = columns.iter().map(|c| c.cells.len()).max().unwrap_or(0);
    let columns: Vec<(&Column, usize)> = columns.iter().map(|c| (*c, c.width())).collect();
    // Headings are bottom-aligned.
    for k in 0..high + rows {
        let mut blanks_before = 0;
        for (column, width) in &columns {
            let (text, colour) = match k.checked_sub(high) {
                Some(row) => {
                    let text = column.cells.get(row).map_or("", String::as_str);
                    (text, colour_of(column.figure.name, text, palette))
                }
                None => {
                    let heading =
                        (k + column.heading.len()).checked_sub(high).map_or("", |k| column.heading[k].as_str());
                    (heading, palette.dim)
                }
            };
            let blanks = width.saturating_sub(text.width());
            let (before, after) = if column.right { (blanks, 0) } else { (0, blanks) };
            if !text.is_empty() {
                let reset = if colour.is_empty() { "" } else { palette.reset };
                let before = blanks_before + before;
                let _ = write!(out, "{:before$}{colour}{text}{reset}", "");
                blanks_before = after + GAP;
            } else {
                blanks_before += blanks + GAP;
            }
        }
        out.truncate(out.trim_end_matches(' ').len());
        out.push('\n');
    }
}
