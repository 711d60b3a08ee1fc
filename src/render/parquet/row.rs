//! The columns around the fields in a row: the envelope before them, related messages, notes and faults after them.

use super::column::{Column, LEVEL};
use super::shred::Others;
use crate::dissect::Message;

/// Fills the columns around the fields, in their order. Missing values are skipped.
pub struct Row<'a> {
    /// All columns.
    pub columns: &'a mut [Column],
    /// The number of the row.
    pub row: usize,
    /// The next column.
    pub at: usize,
    /// The approximate number of bytes in the row so far.
    pub bytes: usize,
}

impl Row<'_> {
    fn next(&mut self) -> &mut Column {
        self.at += 1;
        &mut self.columns[self.at - 1]
    }

    /// Adds a value at this definition level. `put` writes it, and returns its approximate number of bytes.
    fn put<T>(&mut self, definition: i16, value: Option<T>, put: impl FnOnce(&mut Column, T) -> usize) {
        let row = self.row;
        let column = self.next();
        if let Some(value) = value {
            column.level(row, definition, 0);
            let taken = put(column, value);
            self.bytes += taken;
        }
    }

    /// Adds a whole number.
    pub fn int(&mut self, value: Option<i64>) {
        self.put(1, value, |column, value| {
            column.int(value);
            LEVEL
        });
    }

    /// Adds a word of the program.
    pub fn word(&mut self, value: Option<&'static str>) {
        self.put(1, value, |column, value| {
            column.word(value);
            LEVEL
        });
    }

    /// Adds a text of which there are few different ones.
    pub fn text(&mut self, value: Option<&str>) {
        self.put(1, value, |column, value| LEVEL + column.again(value.as_bytes()));
    }

    /// Adds bytes.
    pub fn leaf(&mut self, value: Option<&[u8]>) {
        self.put(1, value, |column, value| LEVEL + column.bytes(|out| out.extend_from_slice(value)));
    }

    /// Adds a list of numbers.
    pub fn numbers(&mut self, numbers: &[u64]) {
        let row = self.row;
        let column = self.next();
        for (k, number) in numbers.iter().enumerate() {
            column.level(row, 3, (k > 0).into());
            column.int(*number as i64);
        }
        self.bytes += numbers.len() * LEVEL;
    }

    /// Adds a list of groups of texts.
    fn list<'t, const N: usize>(&mut self, elements: impl Iterator<Item = [&'t [u8]; N]>) {
        let mut level = 0;
        for element in elements {
            for (k, text) in element.into_iter().enumerate() {
                let column = &mut self.columns[self.at + k];
                column.level(self.row, 4, level);
                self.bytes += LEVEL + column.bytes(|out| out.extend_from_slice(text));
            }
            level = 1;
        }
        self.at += N;
    }

    /// Adds the message's relations to other messages.
    pub fn related(&mut self, message: &Message<'_>) {
        let [kind, frame, index, after] = [0, 1, 2, 3].map(|k| self.at + k);
        let mut level = 0;
        for relation in message.dissection.related.iter() {
            let part = relation.index().map(i64::from);
            // The number nearest to the decimal number of milliseconds in ndjson.
            let millis = relation.after.map(|nanos| nanos as f64 / 1e6);
            let present = |there: bool| if there { 4 } else { 3 };
            let definitions = [4, 4, present(part.is_some()), present(millis.is_some())];
            (self.columns[self.at..].iter_mut().zip(definitions))
                .for_each(|(column, definition)| column.level(self.row, definition, level));
            self.bytes += 4 * LEVEL + self.columns[kind].again(relation.kind.name().as_bytes());
            self.columns[frame].int(relation.target.frame as i64);
            part.into_iter().for_each(|part| self.columns[index].int(part));
            millis.into_iter().for_each(|millis| self.columns[after].f64(millis));
            level = 1;
        }
        self.at += 4;
    }

    /// Adds the message's notes.
    pub fn notes(&mut self, message: &Message<'_>) {
        let notes = message.dissection.notes.iter();
        self.list(notes.map(|(note, text)| [note.level.name().as_bytes(), note.code.as_bytes(), text.as_bytes()]));
    }

    /// Adds the values that have no column of their own.
    pub fn others(&mut self, others: &Others) {
        self.list(others.iter().map(|(path, json)| [path, json]));
    }

    /// Adds the message's fault. `text` is scratch memory.
    pub fn fault(&mut self, message: &Message<'_>, text: &mut Vec<u8>) {
        let Some(fault) = &message.dissection.fault else {
            self.at += 5;
            return;
        };
        text.clear();
        // Writing to memory cannot fail.
        let _ = std::io::Write::write_fmt(text, format_args!("{fault}"));
        let bytes = |column: &mut Column, text: &[u8]| column.bytes(|out| out.extend_from_slice(text));
        self.put(2, Some(fault.path.as_bytes()), bytes);
        for number in [i64::from(fault.bit), fault.need as i64, fault.have as i64] {
            self.put(2, Some(number), |column, number| {
                column.int(number);
                0
            });
        }
        self.put(2, Some(text.as_slice()), bytes);
    }
}
