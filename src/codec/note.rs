//! Diagnostics attached to a message: notes, warnings, errors, each with a stable code.

use std::fmt::Write;

/// The severity of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Informational.
    Note,
    /// Unusual.
    Warning,
    /// Broken.
    Error,
}

crate::named!(Level: Note = "note", Warning = "warning", Error = "error");

/// One note. [`Notes::text`] returns its text.
#[derive(Clone, Copy, Debug)]
pub struct Note {
    /// The severity.
    pub level: Level,
    /// The stable code: `riptide.resent`.
    pub code: &'static str,
    start: u32,
    end: u32,
}

/// The notes of one message. They are cleared and reused, which saves an allocation per message.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    list: Vec<Note>,
    texts: String,
    /// Whether texts are left out, because nobody reads them.
    without_texts: bool,
}

impl Notes {
    /// Removes all notes, but keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.texts.clear();
    }

    /// Sets whether texts are left out from now on, because nobody reads them.
    pub fn leave_out_texts(&mut self, leave_out: bool) {
        self.without_texts = leave_out;
    }

    /// Whether the texts are [left out](Notes::leave_out_texts).
    pub(crate) fn without_texts(&self) -> bool {
        self.without_texts
    }

    /// Adds a note; write its text with `format_args!`.
    pub fn add(&mut self, level: Level, code: &'static str, text: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        self.write(level, code, !self.without_texts, |texts| _ = texts.write_fmt(text));
    }

    /// Adds a note for information.
    #[inline]
    pub fn note(&mut self, code: &'static str, text: std::fmt::Arguments<'_>) {
        self.add(Level::Note, code, text);
    }

    /// Adds a warning.
    #[inline]
    pub fn warn(&mut self, code: &'static str, text: std::fmt::Arguments<'_>) {
        self.add(Level::Warning, code, text);
    }

    /// Adds an error.
    #[inline]
    pub fn error(&mut self, code: &'static str, text: std::fmt::Arguments<'_>) {
        self.add(Level::Error, code, text);
    }

    /// Adds a note whose text `write` appends, if it is `wanted`. For frequent notes, for which the formatting
    /// machinery would be too slow.
    #[inline]
    pub(crate) fn write(&mut self, level: Level, code: &'static str, wanted: bool, write: impl FnOnce(&mut String)) {
        let start = self.texts.len() as u32;
        if wanted {
            write(&mut self.texts);
        }
        self.list.push(Note { level, code, start, end: self.texts.len() as u32 });
    }

    /// The notes in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Note, &str)> {
        self.list.iter().map(|n| (n, self.text(n)))
    }

    /// A note's text.
    pub fn text(&self, note: &Note) -> &str {
        self.texts.get(note.start as usize..note.end as usize).unwrap_or("")
    }

    /// Whether there are no notes.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether there is a note with this code.
    pub fn has(&self, code: &str) -> bool {
        self.list.iter().any(|n| n.code == code)
    }

    /// The highest severity, if there are notes.
    pub fn worst(&self) -> Option<Level> {
        self.list.iter().map(|n| n.level).max()
    }
}
