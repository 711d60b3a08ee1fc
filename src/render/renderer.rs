//! One renderer for all formats: what the commands hand their messages to.

use super::table::ROWS;
use super::times::Clock;
use super::{Json, Ndjson, Output, Rows, Style, Trees, summary};
use crate::capture::Time;
use crate::dissect::{Message, Sink};
use std::io::{self, ErrorKind, Write};

/// How messages are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Annotated field trees, for people.
    Tree,
    /// One line a message, for people.
    Summary,
    /// A table, for people and few messages.
    Table,
    /// One line of JSON a message: values.
    Ndjson,
    /// One JSON array: values, types, ranges.
    Json,
}

/// Prints messages.
#[derive(Debug)]
pub struct Renderer {
    output: Output,
    form: Form,
}

/// Writes messages in one format.
#[derive(Debug)]
pub(super) enum Form {
    Tree(Trees),
    Summary(Style, Clock),
    Table(Rows),
    Ndjson(Ndjson),
    Json(Json),
}

impl Form {
    pub(super) fn new(format: Format, style: Style) -> Form {
        match format {
            Format::Json => Form::Json(Json::new(style.bytes, style.verbose)),
            Format::Ndjson => Form::Ndjson(Ndjson::new(style.bytes)),
            Format::Tree => Form::Tree(Trees::new(style)),
            Format::Summary => Form::Summary(style, Clock::default()),
            Format::Table => Form::Table(Rows::new(style)),
        }
    }

    /// A capture begins, at this time.
    pub(super) fn origin(&mut self, time: Time) {
        match self {
            Form::Tree(trees) => trees.clock.origin(time),
            Form::Summary(_, clock) => clock.origin(time),
            Form::Table(rows) => rows.clock.origin(time),
            Form::Ndjson(_) | Form::Json(_) => {}
        }
    }

    /// Appends one message.
    #[inline]
    pub(super) fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        match self {
            Form::Ndjson(ndjson) => ndjson.message(message, out),
            Form::Json(json) => json.message(message, out),
            Form::Tree(trees) => trees.message(message, out),
            Form::Summary(style, clock) => summary::line(message, *style, clock, out),
            Form::Table(rows) => rows.message(message),
        }
    }
}

impl Renderer {
    /// A renderer that writes to `to`, which needs no buffer of its own.
    pub fn new(format: Format, style: Style, to: Box<dyn Write>) -> Renderer {
        Renderer { output: Output::new(to), form: Form::new(format, style) }
    }

    /// Writes what a [`Part`](super::Part) has rendered: whole messages.
    #[inline]
    pub(super) fn rendered(&mut self, messages: &[u8]) {
        let out = self.output.buffer();
        match &mut self.form {
            Form::Json(json) => json.append(messages, out),
            _ => out.extend_from_slice(messages),
        }
        self.output.complete();
    }

    /// A capture begins with a frame of this time: relative times count from there. Without it they
    /// count from the first message.
    pub fn origin(&mut self, time: Time) {
        self.form.origin(time);
    }

    /// Somebody watches: write every message at once. Otherwise output comes in large blocks.
    pub fn flush_each(&mut self, live: bool) {
        self.output.live(live);
    }

    /// Writes what is waiting.
    pub fn flush(&mut self) {
        self.output.flush();
    }

    /// Why nothing is written any more.
    pub fn failed(&self) -> Option<&io::Error> {
        self.output.failed()
    }

    /// Is it that the reader has gone, which is no failure?
    pub fn closed(&self) -> bool {
        self.failed().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    }

    /// What the reader should know that is not in the output: a table that had no room for all.
    pub fn warning(&self) -> Option<String> {
        match &self.form {
            Form::Table(rows) if rows.left_out() > 0 => Some(format!(
                "table: the first {ROWS} messages; {} more are left out: use -f summary or ndjson",
                rows.left_out()
            )),
            _ => None,
        }
    }

    /// Completes the output: the array's end, the table, what is still waiting.
    ///
    /// # Errors
    /// What stopped the writing, now or before.
    pub fn finish(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Json(json) => json.finish(self.output.buffer()),
            Form::Table(rows) => rows.finish(self.output.buffer()),
            Form::Tree(_) | Form::Summary(..) | Form::Ndjson(_) => {}
        }
        self.output.finish()
    }
}

impl Sink for Renderer {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        self.form.message(message, self.output.buffer());
        self.output.complete();
    }
}
