//! Formats figures for people, and tables of them.

use super::Html;
use super::scale::plain;
use crate::stats::{Cell, Table};
use std::fmt;

/// A count with separators: `15,963`.
#[derive(Clone, Copy, Debug)]
pub struct Count(pub u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        for (k, digit) in digits.chars().enumerate() {
            if k > 0 && (digits.len() - k).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

/// Formats bytes in a suitable unit: `15.9 kB`.
pub fn bytes(n: f64) -> String {
    match n {
        n if n >= 999_950_000.0 => format!("{} GB", plain(n / 1e9)),
        n if n >= 999_950.0 => format!("{} MB", plain(n / 1e6)),
        n if n >= 1000.0 => format!("{} kB", plain(n / 1e3)),
        n => format!("{} B", plain(n)),
    }
}

/// Returns the last part of a path: a heading has no room for more.
pub fn short_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().filter(|last| !last.is_empty()).unwrap_or(name)
}

/// The presentation of a table.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Its id.
    pub id: &'static str,
    /// Its caption.
    pub caption: &'a str,
    /// Its columns, separated by commas as in `--columns`; the headings are their names, with spaces.
    pub columns: &'static str,
    /// The most rows.
    pub most: usize,
    /// The command that prints the remaining rows.
    pub more: &'a str,
}

/// Writes a table in a region that scrolls. Columns that hold only empty or usual values are left out.
pub fn table(table: &Table, shown: &Shown<'_>, html: &mut Html) {
    table_with(table, shown, html, |_, _, _| false);
}

/// Like [`table`]; `own` writes the cells that need more than their value, by row and column, and returns whether it
/// did.
pub fn table_with(
    table: &Table,
    shown: &Shown<'_>,
    html: &mut Html,
    own: impl Fn(&[Cell], &'static str, &mut Html) -> bool,
) {
    let place = |name: &str| table.place(name);
    let is_shown = |at: usize| {
        let usual = table.columns.get(at).map_or("-", |figure| figure.usual);
        let is_usual = |cell: &Cell| match cell {
            Cell::Null => true,
            Cell::Int(n) => n.to_string() == usual,
            Cell::Text(text) => text == usual,
            _ => false,
        };
        table.rows.iter().any(|row| row.get(at).is_some_and(|cell| !is_usual(cell)))
    };
    let columns: Vec<Column> = shown
        .columns
        .split(',')
        .filter_map(|name| Some((place(name)?, name)))
        .filter(|(at, _)| is_shown(*at))
        .map(|(at, name)| Column::new(table, at, name))
        .collect();
    let index = place("index");
    region(shown.id, shown.caption, html, |html| {
        heading(columns.iter().map(|column| (column.name.replace('_', " "), column.class)), html);
        body(table.rows.iter().take(shown.most), html, |row, html| {
            for column in &columns {
                let Some(cell) = row.get(column.at) else { continue };
                let exact = match cell {
                    Cell::Int(_) | Cell::Flag(_) => None,
                    cell => cell.printed(),
                };
                let mut td = html.el("td").class(column.class).attr("data-c", column.name);
                if let Some(exact) = exact {
                    td = td.attr("data-v", exact);
                }
                td.with(|html| match (column.name, cell) {
                    _ if own(row, column.name, html) => {}
                    ("frame", Cell::Int(frame)) => {
                        let index = index.and_then(|at| row.get(at));
                        place_link(*frame, if let Some(Cell::Int(k)) = index { Some(*k) } else { None }, html);
                    }
                    ("by_frame", Cell::Int(frame)) => place_link(*frame, None, html),
                    _ => column.cell(cell, html),
                });
            }
        });
    });
    let left = table.rows.len().saturating_sub(shown.most);
    if left > 0 {
        html.el("p").class("more").text(format_args!("and {} more: {}", Count(left as u64), shown.more));
    }
}

/// Writes the row of headings, each with the class of its column: `t` for text, `n` for numbers.
pub fn heading<N: fmt::Display>(names: impl IntoIterator<Item = (N, &'static str)>, html: &mut Html) {
    html.el("thead").with(|html| {
        html.el("tr").with(|html| {
            for (name, class) in names {
                html.el("th").attr("scope", "col").class(class).short(60, name);
            }
        });
    });
}

/// Writes the rows of a table.
pub fn body<R>(rows: impl IntoIterator<Item = R>, html: &mut Html, mut row: impl FnMut(R, &mut Html)) {
    html.el("tbody").with(|html| {
        for each in rows {
            html.line().el("tr").with(|html| row(each, html));
        }
    });
}

/// Writes a table with its caption, in a region that scrolls; an empty id is not written.
pub fn region(id: &'static str, caption: &str, html: &mut Html, rows: impl FnOnce(&mut Html)) {
    html.line().el("div").class("scroll").attr("role", "region").attr("aria-label", caption).attr("tabindex", 0).with(
        |html| {
            let table = html.el("table");
            let table = if id.is_empty() { table } else { table.attr("id", id) };
            table.with(|html| {
                html.el("caption").text(caption);
                rows(html);
            });
        },
    );
}

/// Writes a link to a message.
pub fn place_link(frame: u64, index: Option<u64>, html: &mut Html) {
    match index {
        Some(index) => html.el("a").to(format_args!("frame-{frame}-{index}")).text(format_args!("{frame}.{index}")),
        None => html.el("a").to(format_args!("frame-{frame}")).text(frame),
    }
}

/// A column that is shown.
struct Column {
    at: usize,
    name: &'static str,
    class: &'static str,
    digits: usize,
}

impl Column {
    fn new(table: &Table, at: usize, name: &'static str) -> Column {
        let cells = || table.rows.iter().filter_map(|row| row.get(at));
        // A column of figures may contain words; a change is a figure in words.
        let text = cells().all(|cell| matches!(cell, Cell::Text(_) | Cell::Flag(_) | Cell::Null)) && name != "change";
        let largest = cells().filter_map(|cell| if let Cell::Millis(x) = cell { Some(x.abs()) } else { None });
        let digits = match largest.fold(0.0, f64::max) {
            x if x < 10.0 => 3,
            x if x < 100.0 => 2,
            x if x < 10_000.0 => 1,
            _ => 0,
        };
        Column { at, name, class: if text { "t" } else { "n" }, digits }
    }

    fn cell(&self, cell: &Cell, html: &mut Html) {
        let digits = self.digits;
        match cell {
            Cell::Null => html.el("span").class("none").text("–"),
            Cell::Text(text) | Cell::Exact(_, text) => _ = html.short(120, text),
            // Numbers that identify something have no separators.
            Cell::Int(n) if matches!(self.name, "flow" | "connection" | "index" | "frame") => _ = html.text(n),
            Cell::Int(n) => _ = html.text(Count(*n)),
            Cell::Real(x, digits) => _ = html.text(format_args!("{x:.digits$}")),
            Cell::Seconds(x) => _ = html.text(format_args!("{x:.3}")),
            Cell::Millis(x) => _ = html.text(format_args!("{:.digits$}", cell.printed().unwrap_or(*x))),
            Cell::Share(x) => _ = html.text(format_args!("{:.1} %", x * 100.0)),
            Cell::Flag(yes) => _ = html.text(if *yes { "yes" } else { "no" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short() {
        let counts = [0, 999, 1000, 15_963, 1_234_567].map(|n| Count(n).to_string()).join(" ");
        assert_eq!(counts, "0 999 1,000 15,963 1,234,567");
        let sizes = [0.0, 999.0, 15_963.0, 999_999.0, 2.5e9].map(bytes).join(" ");
        assert_eq!(sizes, "0 B 999 B 16 kB 1 MB 2.5 GB");
    }
}
