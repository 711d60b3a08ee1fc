//! The order of a table's rows.

use super::table::{Cell, Table};
use crate::nearest::{hint, nearest};

/// The order of the groups or rows, and the number shown.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// The column to sort by; if none is given, groups are sorted by time or else by bytes, and other tables keep their
    /// order.
    pub sort: Option<String>,
    /// The number of groups or rows shown.
    pub top: Option<usize>,
}

impl Order {
    /// The column to sort a table by, if one is given.
    ///
    /// # Errors
    /// An unknown column, with the nearest name and all names.
    pub(super) fn column(&self, table: &Table) -> Result<Option<usize>, String> {
        self.sort.as_ref().map(|name| table.place(name).ok_or_else(|| unknown(name, table))).transpose()
    }

    /// Sorts a table, if it has the column, and cuts it. Returns the number of rows that it omits.
    pub(super) fn arrange(&self, table: &mut Table) -> usize {
        if let Ok(Some(column)) = self.column(table) {
            by_column(table, column);
            // A title may name another order.
            table.shape.title = table.shape.title.split(',').next().unwrap_or_default();
        }
        let shown = self.top.unwrap_or(usize::MAX).min(table.rows.len());
        table.rows.drain(shown..).count()
    }
}

/// Sorts by a column: keys ascending, figures from the largest, with unknown values last.
pub(super) fn by_column(table: &mut Table, by: usize) {
    let figure = by >= table.shape.keys;
    let unknown = |row: &[Cell]| figure && row.get(by) == Some(&Cell::Null);
    table.rows.sort_by(|a, b| {
        let [first, second] = [a, b].map(|row| row.get(by..=by).unwrap_or_default());
        let order = if figure { compare(second, first) } else { compare(first, second) };
        unknown(a).cmp(&unknown(b)).then(order)
    });
}

/// The error for a column that a table does not have, with the nearest name and all names.
pub(super) fn unknown(name: &str, table: &Table) -> String {
    let near = hint(nearest(name, table.names()));
    format!("no column {name:?}{near}; there are {}", table.names().join(", "))
}

/// Compares numbers by value, then words, then empty cells.
pub(super) fn compare(a: &[Cell], b: &[Cell]) -> std::cmp::Ordering {
    use std::cmp::Ordering;
    let number = Cell::number;
    let word = |cell: &Cell| if let Cell::Text(text) = cell { Some(text.clone()) } else { None };
    let one = |(a, b): (&Cell, &Cell)| match (number(a), number(b)) {
        (Some(a), Some(b)) => a.total_cmp(&b),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => match (word(a), word(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            (a, b) => b.is_some().cmp(&a.is_some()),
        },
    };
    a.iter().zip(b).map(one).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}
