//! One renderer for all formats: the sink of the commands' messages.

#[cfg(feature = "cli")]
use super::Rows;
use super::columns::Lines;
use super::dialogue::Dialogue;
use super::line_writer::LineWriter;
use super::times::Clock;
use super::{Columns, Files, Json, Ndjson, Output, Style, Trees, summary};
use crate::capture::Time;
use crate::dissect::{Message, Sink};
use std::io::{self, ErrorKind, Write};

/// The output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Annotated field trees, as text.
    Tree,
    /// One line of text per message.
    Summary,
    /// A table, as text, for few messages; with the feature `cli`.
    #[cfg(feature = "cli")]
    Table,
    /// One line of JSON per message: values.
    Ndjson,
    /// One JSON array: values, types, ranges.
    Json,
    /// A line of comma-separated values per message, behind a line of names: RFC 4180.
    Csv,
    /// The same, separated by tabs.
    Tsv,
    /// Conversations in two columns, as text: who says what.
    Dialogue,
}

/// What is printed beside the messages' own contents.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// The columns of summary, csv and tsv.
    pub columns: Option<Columns>,
    /// Where several files are read: which ones.
    pub files: Option<Files>,
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
    #[cfg(feature = "cli")]
    Table(Rows),
    Ndjson(Ndjson),
    Json(Json),
    Columns(Lines, Shape),
    Dialogue(Dialogue),
}

/// How columns are written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Separated(u8),
    Text(Style),
}

impl Form {
    pub(super) fn new(format: Format, style: Style, details: &Details) -> Form {
        let files = details.files.as_ref();
        let lines = |columns: &Columns, shape| Form::Columns(Lines::new(columns.clone(), style, files), shape);
        match (format, &details.columns) {
            (Format::Csv, columns) => lines(columns.as_ref().unwrap_or(&Columns::usual()), Shape::Separated(b',')),
            (Format::Tsv, columns) => lines(columns.as_ref().unwrap_or(&Columns::usual()), Shape::Separated(b'\t')),
            (Format::Summary, Some(columns)) => lines(columns, Shape::Text(style)),
            (Format::Ndjson, _) => Form::Ndjson(Ndjson::new(style.bytes).files(files)),
            (Format::Json, _) => Form::Json(Json::new(style.bytes, style.verbose).files(files)),
            (format, _) => Form::whole(format, style),
        }
    }

    /// A format that shows all of a message.
    fn whole(format: Format, style: Style) -> Form {
        match format {
            Format::Json => Form::Json(Json::new(style.bytes, style.verbose)),
            Format::Ndjson => Form::Ndjson(Ndjson::new(style.bytes)),
            Format::Tree => Form::Tree(Trees::new(style)),
            Format::Dialogue => Form::Dialogue(Dialogue::new(style)),
            Format::Summary | Format::Csv | Format::Tsv => Form::Summary(style, Clock::default()),
            #[cfg(feature = "cli")]
            Format::Table => Form::Table(Rows::new(style)),
        }
    }

    /// A capture begins, at this time.
    pub(super) fn origin(&mut self, time: Time) {
        match self {
            Form::Tree(trees) => trees.clock.origin(time),
            Form::Summary(_, clock) => clock.origin(time),
            #[cfg(feature = "cli")]
            Form::Table(rows) => rows.maker.origin(time),
            Form::Columns(lines, _) => lines.clock.origin(time),
            Form::Ndjson(_) | Form::Json(_) | Form::Dialogue(_) => {}
        }
    }

    /// What comes before the first message.
    fn begin(&self, out: &mut Vec<u8>) {
        match self {
            Form::Columns(lines, Shape::Separated(separator)) => lines.header(*separator, out),
            Form::Columns(lines, Shape::Text(style)) if style.heading => {
                let mut line = LineWriter::new(out, style.colour);
                line.paint(line.palette.dim);
                lines.heading(&mut line);
                line.reset();
                line.newline();
            }
            Form::Summary(style, _) if style.heading => summary::heading(*style, out),
            _ => {}
        }
    }

    /// Appends one message.
    #[inline(always)]
    pub(super) fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        match self {
            Form::Ndjson(ndjson) => ndjson.message(message, out),
            Form::Json(json) => json.message(message, out),
            Form::Tree(trees) => trees.message(message, out),
            Form::Summary(style, clock) => summary::line(message, *style, clock, out),
            #[cfg(feature = "cli")]
            Form::Table(rows) => rows.message(message),
            Form::Dialogue(dialogue) => dialogue.message(message, out),
            Form::Columns(lines, Shape::Separated(separator)) => lines.row(message, *separator, out),
            Form::Columns(lines, Shape::Text(style)) => {
                let mut line = LineWriter::new(out, style.colour);
                lines.text(message, *style, &mut line);
                line.newline();
            }
        }
    }
}

impl Renderer {
    /// A renderer that writes to `to`, which needs no buffering.
    pub fn new(format: Format, style: Style, to: Box<dyn Write + Send>) -> Renderer {
        Renderer::with(format, style, &Details::default(), to)
    }

    /// As [`Renderer::new`], with details.
    pub fn with(format: Format, style: Style, details: &Details, to: Box<dyn Write + Send>) -> Renderer {
        let (mut output, form) = (Output::new(to), Form::new(format, style, details));
        form.begin(output.buffer());
        Renderer { output, form }
    }

    /// Appends what a [`Part`](super::Part) has rendered: complete messages.
    #[inline]
    pub fn rendered(&mut self, messages: &[u8]) {
        let out = self.output.buffer();
        match &mut self.form {
            Form::Json(json) => json.append(messages, out),
            _ => out.extend_from_slice(messages),
        }
        self.output.complete();
    }

    /// What makes the rows of a table, for several threads; `None` for other formats.
    #[cfg(feature = "cli")]
    pub fn row_maker(&self) -> Option<super::RowMaker> {
        match &self.form {
            Form::Table(rows) => Some(rows.maker.clone()),
            _ => None,
        }
    }

    /// Adds rows to a table.
    #[cfg(feature = "cli")]
    pub fn rows(&mut self, added: &[Option<super::Row>]) {
        if let Form::Table(rows) = &mut self.form {
            rows.extend(added);
        }
    }

    /// The time of a capture's first frame, the origin of relative times. Without it they are
    /// relative to the first message.
    pub fn origin(&mut self, time: Time) {
        self.form.origin(time);
    }

    /// Live output: writes every message at once. Otherwise output is written in large blocks.
    pub fn flush_each(&mut self, live: bool) {
        self.output.live(live);
    }

    /// Writes what is buffered.
    pub fn flush(&mut self) {
        if let Form::Dialogue(dialogue) = &mut self.form {
            // Whoever waits for more sees what was said; the answer then has a line of its own.
            dialogue.flush(self.output.buffer());
        }
        self.output.flush();
    }

    /// The error that stopped the output.
    pub fn failed(&self) -> Option<&io::Error> {
        self.output.failed()
    }

    /// Is the error that the reader has closed the pipe, which is no failure?
    pub fn closed(&self) -> bool {
        self.failed().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    }

    /// A warning about the output: a table that omitted rows.
    pub fn warning(&self) -> Option<String> {
        match &self.form {
            #[cfg(feature = "cli")]
            Form::Table(rows) => rows.warning(),
            _ => None,
        }
    }

    /// Completes the output: the array's end, the table, what is still buffered.
    ///
    /// # Errors
    /// The error that stopped the output, now or before.
    pub fn finish(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Json(json) => json.finish(self.output.buffer()),
            #[cfg(feature = "cli")]
            Form::Table(rows) => rows.finish(self.output.buffer()),
            Form::Dialogue(dialogue) => dialogue.flush(self.output.buffer()),
            Form::Tree(_) | Form::Summary(..) | Form::Ndjson(_) | Form::Columns(..) => {}
        }
        self.output.finish()
    }
}

impl Sink for Renderer {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        match &mut self.form {
            Form::Ndjson(ndjson) => ndjson.print(message, &mut self.output),
            form => form.message(message, self.output.buffer()),
        }
        self.output.complete();
    }
}
