//! A snapshot as a page for a terminal.

use super::Look;
use crate::plural::Plural;
use crate::printable::Printable;
use crate::stats::aligned::fitted;
use crate::stats::table::Table;
use std::fmt::Write as _;

/// The columns that are omitted first on a narrow terminal.
const SPARE: [&str; 14] = [
    "end_by",
    "idle",
    "bytes",
    "proto",
    "client",
    "messages",
    "faults",
    "lost_share",
    "server",
    "byte_rate",
    "resent_share",
    "end",
    "server_rtt_p50",
    "client_rtt_p50",
];
/// The lines that a table has besides its rows: an empty one, the title, two of headings.
const AROUND: usize = 4;
/// With fewer rows than this for both tables, only one of them is shown.
const FEW: usize = 4;

/// The rows of both tables that a terminal shows: those of the messages first, then those of the conversations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    /// The table that scrolls, and the only one where there is no room for both.
    pub table: usize,
    /// The first row shown.
    pub from: [usize; 2],
    /// The number of rows shown. Drawing sets it, and limits `from`, so that no row stays empty.
    pub shown: [usize; 2],
}

impl Scroll {
    /// Moves by this number of rows, up if it is negative.
    pub fn move_by(&mut self, rows: isize) {
        let from = &mut self.from[self.table & 1];
        *from = from.saturating_add_signed(rows);
    }

    /// The number of rows of a page.
    pub fn page(&self) -> isize {
        (self.shown[self.table & 1].max(1)).cast_signed()
    }
}

impl Look {
    /// Chooses the table that scrolls: the conversations, unless only the messages have the column of the order.
    pub fn choose(&self, sorted: &str, scroll: &mut Scroll) {
        scroll.table = usize::from(self.flows.place(sorted).is_some() || self.messages.place(sorted).is_none());
    }

    /// The snapshot for a terminal of this size, with as many rows as there is room for; without a height, all rows.
    /// Shows the column of the order.
    pub fn screen(
        &self,
        name: &str,
        sorted: &str,
        size: (usize, Option<usize>),
        colour: bool,
        scroll: &mut Scroll,
        out: &mut String,
    ) {
        let (width, height) = size;
        let lines = self.head(name, width, out);
        let tables = [(&self.messages, "Messages"), (&self.flows, "Conversations")];
        // The keys need one line.
        let few = height.is_some_and(|height| height < lines + 1 + 2 * AROUND + FEW);
        let chosen = scroll.table & 1;
        let drawn: &[usize] = if few { &[chosen] } else { &[0, 1] };
        let room = height.map(|height| height.saturating_sub(lines + 1 + AROUND * drawn.len()).max(1));
        for &k in drawn {
            let (table, title) = tables[k];
            let all = table.rows.len();
            let other = if few { 0 } else { tables[1 - k].0.rows.len() };
            // Half of the rows, and those that the other table leaves free.
            let half = |room: usize| (room / drawn.len()).max(room.saturating_sub(other)).max(1);
            let shown = room.map_or(all, |room| all.min(half(room)));
            let from = scroll.from[k].min(all - shown);
            (scroll.from[k], scroll.shown[k]) = (from, shown);
            let by = format!(" by {}", if table.place(sorted).is_some() { sorted } else { "byte_rate" });
            let keys = if k == chosen { "; j k scroll" } else { "" };
            let more = match shown < all {
                true => format!(" ({} to {} of {all}{keys})", from + 1, from + shown),
                false => String::new(),
            };
            let _ = writeln!(out, "\n{title}{by}{more}");
            match all {
                0 => out.push_str("none so far\n"),
                _ => {
                    let part = Table { rows: table.rows[from..from + shown].to_vec(), ..table.clone() };
                    fitted(&part, width, &SPARE, colour, out);
                }
            }
        }
    }

    /// Writes the sums, and returns the number of their lines.
    fn head(&self, name: &str, width: usize, out: &mut String) -> usize {
        let [messages, bytes, faults, flows] = self.totals;
        let [rate, byte_rate] = self.rates;
        let over = if self.last { "in all" } else { "now" };
        let figures = format!(": {rate:.1} messages/s, {byte_rate:.0} B/s {over}");
        let mut parts = vec![
            shortened(&Printable(name).to_string(), width.saturating_sub(figures.chars().count())) + &figures,
            format!("{}, {} in {:.1} s", Plural(messages, "message"), Plural(bytes, "byte"), self.duration),
            format!("{}", Plural(flows, "conversation")),
        ];
        if faults > 0 {
            parts.push(format!("{}", Plural(faults, "fault")));
        }
        let (mut lines, mut column) = (1, 0);
        for part in parts {
            let long = part.chars().count() + 2;
            if column > 0 && column + long > width {
                out.push('\n');
                (lines, column) = (lines + 1, 0);
            }
            out.push_str(if column > 0 { "; " } else { "" });
            out.push_str(&part);
            column += long;
        }
        out.push('\n');
        lines
    }
}

/// The end of a name, if there is no room for all of it.
fn shortened(name: &str, room: usize) -> String {
    let long = name.chars().count();
    match long <= room {
        true => name.into(),
        false => "…".chars().chain(name.chars().skip(long - room.saturating_sub(1).min(long))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::table::{Column, Shape, column};

    const ROWS: [Column<u64>; 2] = [column("flow", |k| (*k).into()), column("bytes", |k| (*k).into())];

    /// Five rows of messages, and 20 of conversations.
    fn look() -> Look {
        let table = |kind, rows: std::ops::Range<u64>| {
            Table::of(Shape { kind, title: "", keys: 1 }, &ROWS, &rows.collect::<Vec<_>>())
        };
        let (messages, flows) = (table("message", 100..105), table("flow", 1..21));
        let (totals, rates) = ([20, 2000, 0, 20], [0.0; 2]);
        Look { seconds: 1.0, last: false, totals, rates, time: None, duration: 1.0, messages, flows }
    }

    /// The page's lines, and the numbers of the rows shown.
    fn page(height: usize, scroll: &mut Scroll) -> (Vec<String>, Vec<u64>) {
        let mut text = String::new();
        look().screen("a.pcap", "bytes", (80, Some(height)), false, scroll, &mut text);
        let lines: Vec<String> = text.lines().map(Into::into).collect();
        assert!(lines.len() < height, "a line remains for the keys: {text}");
        let tables = lines.iter().skip_while(|line| !line.is_empty());
        let rows = tables.filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
        (lines, rows)
    }

    #[test]
    fn twelve_rows_show_conversations_and_scroll() {
        let mut scroll = Scroll::default();
        look().choose("bytes", &mut scroll);
        let (lines, rows) = page(12, &mut scroll);
        assert!(lines.contains(&"Conversations by bytes (1 to 5 of 20; j k scroll)".into()), "{lines:?}");
        assert_eq!(rows, [1, 2, 3, 4, 5]);
        scroll.move_by(1);
        assert_eq!(page(12, &mut scroll).1, [2, 3, 4, 5, 6]);
        scroll.move_by(scroll.page());
        assert_eq!(page(12, &mut scroll).1, [7, 8, 9, 10, 11]);
        scroll.move_by(isize::MAX);
        assert_eq!(page(12, &mut scroll).1, [16, 17, 18, 19, 20]);
        // G shows the last rows, and k moves from there at once.
        scroll.move_by(-1);
        assert_eq!(page(12, &mut scroll).1, [15, 16, 17, 18, 19]);
        scroll.move_by(isize::MIN);
        assert_eq!(page(12, &mut scroll).1, [1, 2, 3, 4, 5]);
        // The other table, whose rows all have room.
        scroll.table = 0;
        let (lines, rows) = page(12, &mut scroll);
        assert!(lines.contains(&"Messages by bytes".into()), "{lines:?}");
        assert_eq!(rows, [100, 101, 102, 103, 104]);
    }

    #[test]
    fn only_the_chosen_table_scrolls() {
        let mut scroll = Scroll { table: 1, ..Scroll::default() };
        scroll.move_by(3);
        let (lines, rows) = page(24, &mut scroll);
        assert_eq!(rows[..6], [100, 101, 102, 103, 104, 4], "{lines:?}");
        assert_eq!(rows.len(), 24 - 3 - 2 * AROUND);
    }
}
