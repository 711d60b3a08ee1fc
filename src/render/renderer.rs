//! One renderer for all formats: what the commands hand their messages to.

use super::table::ROWS;
use super::tree_text::{Clock, TimeForm};
use super::{Json, Ndjson, Output, Rows, Trees, summary};
use crate::capture::Time;
use crate::protocols::{Message, Sink};
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

/// What the output is for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Style {
    /// The terminal's width; `None` where output is no terminal.
    pub width: Option<usize>,
    /// ANSI colours.
    pub colour: bool,
    /// All bytes, all elements, documentation.
    pub verbose: bool,
    /// JSON: adds the messages' bytes.
    pub bytes: bool,
    /// How times are shown to people; `None`: as the format has them.
    pub time: Option<TimeForm>,
}

/// Prints messages.
#[derive(Debug)]
pub struct Renderer {
    output: Output,
    form: Form,
}

#[derive(Debug)]
enum Form {
    Tree(Trees),
    Summary(Style, Clock),
    Table(Rows),
    Ndjson(Ndjson),
    Json(Json),
}

impl Form {
    fn new(format: Format, style: Style) -> Form {
        match format {
            Format::Json => Form::Json(Json::new(style.bytes, style.verbose)),
            Format::Ndjson => Form::Ndjson(Ndjson::new(style.bytes)),
            Format::Tree => Form::Tree(Trees::new(style)),
            Format::Summary => Form::Summary(style, Clock::default()),
            Format::Table => Form::Table(Rows::new(style)),
        }
    }

    /// A capture begins, at this time.
    fn origin(&mut self, time: Time) {
        match self {
            Form::Tree(trees) => trees.clock.origin(time),
            Form::Summary(_, clock) => clock.origin(time),
            Form::Table(rows) => rows.clock.origin(time),
            Form::Ndjson(_) | Form::Json(_) => {}
        }
    }

    #[inline]
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
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

    /// Writes what several [`Part`]s have rendered of the same stretch of a capture, in the order
    /// in which one renderer would have.
    pub fn merge(&mut self, chunks: &[Chunk]) {
        let mut next: Vec<(usize, usize)> = vec![(0, 0); chunks.len()];
        let turn = |(chunk, (run, _)): (&Chunk, &(usize, usize))| chunk.runs.get(*run).map(|run| run.turn);
        loop {
            let open = chunks.iter().zip(&next).enumerate().filter_map(|(k, at)| Some((turn(at)?, k)));
            let Some((_, k)) = open.min() else { return };
            let (Some(chunk), Some((run, start))) = (chunks.get(k), next.get_mut(k)) else { return };
            let end = chunk.runs.get(*run).map_or(*start, |run| run.end);
            let bytes = chunk.bytes.get(*start..end).unwrap_or(&[]);
            let out = self.output.buffer();
            match &mut self.form {
                Form::Json(json) => json.append(bytes, out),
                _ => out.extend_from_slice(bytes),
            }
            (*run, *start) = (*run + 1, end);
            self.output.complete();
        }
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

/// Renders some of a capture's conversations; [`Renderer::merge`] puts them back in order.
#[derive(Debug)]
pub struct Part {
    form: Form,
    turn: u64,
    chunk: Chunk,
}

/// What a [`Part`] has rendered, and whose turn each piece of it was.
#[derive(Debug, Default)]
pub struct Chunk {
    bytes: Vec<u8>,
    runs: Vec<Run>,
}

impl Chunk {
    /// Is there no message in it?
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Text that nothing of another part stands between.
#[derive(Clone, Copy, Debug)]
struct Run {
    turn: u64,
    /// Where it ends in the chunk.
    end: usize,
}

impl Part {
    /// A part of what a renderer of this format writes; `None` for formats that have to see all
    /// messages, or that are for people, who do not read so fast.
    pub fn new(format: Format, style: Style) -> Option<Part> {
        // Times that count from the message before need that one, whoever prints it.
        let counted = style.time == Some(TimeForm::Delta);
        let form = match format {
            Format::Json => Form::Json(Json::new(style.bytes, style.verbose).continued()),
            Format::Summary if counted => return None,
            Format::Ndjson | Format::Summary => Form::new(format, style),
            Format::Tree | Format::Table => return None,
        };
        Some(Part { form, turn: 0, chunk: Chunk::default() })
    }

    /// As [`Renderer::origin`].
    pub fn origin(&mut self, time: Time) {
        self.form.origin(time);
    }

    /// What was rendered since the last call. `used` is one that has been merged: its memory is
    /// used again.
    pub fn take(&mut self, mut used: Chunk) -> Chunk {
        used.bytes.clear();
        used.runs.clear();
        std::mem::replace(&mut self.chunk, used)
    }
}

impl Sink for Part {
    #[inline]
    fn message(&mut self, message: &Message<'_>) {
        self.form.message(message, &mut self.chunk.bytes);
        let (turn, end) = (self.turn, self.chunk.bytes.len());
        match self.chunk.runs.last_mut() {
            Some(run) if run.turn == turn => run.end = end,
            _ => self.chunk.runs.push(Run { turn, end }),
        }
    }

    #[inline]
    fn turn(&mut self, turn: u64) {
        self.turn = turn;
    }
}
