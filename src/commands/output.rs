//! Prints messages: selects, counts and renders them.

use super::gates::merged;
use crate::capture::{Capture, Time};
use crate::cli::{Color, Format, Global, OutputArgs};
use crate::dissect::{Message, Options, Sink, Wants};
use crate::filter::Names;
use crate::platform;
use crate::printable::Lines;
use crate::process::notify::notify;
use crate::process::pager::Paged;
use crate::process::parallel::Shared;
use crate::process::read;
use crate::process::stopped::ReadResult;
use crate::process::usage::{Usage, usage};
use crate::read::{CaptureSink, Gate, Pick, Summary};
use crate::redact::run;
use crate::render::{self, Columns, Context, Details, Files, Renderer, Style};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// The time when printed output must be flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Never.
    No,
    /// Before the next wait for input.
    Waiting,
    /// After each frame: a growing file may end inside a record for any length of time.
    Each,
}

impl Live {
    /// Returns the mode for an input that is followed, is stdin, or has an end.
    pub fn of(path: &Path, follow: bool) -> Live {
        match path.as_os_str() == "-" {
            _ if follow => Live::Each,
            true => Live::Waiting,
            false => Live::No,
        }
    }
}

/// Prints the selected messages.
pub struct Printer {
    renderer: Renderer,
    /// The selection.
    pub pick: Pick,
    context: Option<Context>,
    /// Whether messages are redacted, or printed with their context.
    special: bool,
    live: Live,
    /// Whether the account is printed at the end.
    pub account: bool,
    /// Whether stdout is a terminal.
    pub watched: bool,
}

impl Printer {
    /// Creates a printer to stdout, through a pager if `paged`. `files`: set if several are read.
    ///
    /// # Errors
    /// Fails if `--columns` is wrong.
    pub fn new(
        output: &OutputArgs,
        global: &Global,
        pick: Pick,
        time: Option<render::TimeForm>,
        options: &Options,
        files: Option<Files>,
        paged: bool,
    ) -> anyhow::Result<Printer> {
        // A line above the summaries helps people; programs would read it as a message.
        let style = Style { time, heading: io::stdout().is_terminal(), ..style(global, output.bytes) };
        // Formats of files are written elsewhere.
        let Format::Printed(format) = output.format else { return usage("it does not print messages") };
        let columns = chosen(&output.columns, output.format, options)?.or_else(|| format.columns(options));
        let details = Details { columns, files };
        let renderer =
            Renderer::with(format, style, &details, if paged { Box::new(Paged::new(stdout)) } else { stdout() });
        let watched = io::stdout().is_terminal();
        let mut pick = pick.count(output.count);
        pick.counts_trouble = watched;
        let special = pick.selection.redact;
        Ok(Printer { renderer, pick, context: None, special, live: Live::No, account: false, watched })
    }

    /// Also prints these numbers of messages before and after each matching one.
    ///
    /// # Errors
    /// Fails if the form needs all messages.
    pub fn around(&mut self, counts: [usize; 2], format: Format) -> anyhow::Result<()> {
        let Some(form) = self.renderer.part() else {
            let why = "--context: not with -f dialogue, nor with --time delta: a line depends on those before it";
            return usage(why);
        };
        self.context = Some(Context::new(counts, form, ["tree", "summary"].contains(&format.name())));
        self.special = true;
        Ok(())
    }

    /// Returns the parts of a message that are read.
    pub fn reads(&self) -> Wants {
        self.pick.reads() | self.renderer.reads()
    }

    /// Sets the time when output must be flushed.
    pub fn live(&mut self, live: Live) {
        self.live = live;
    }

    /// Whether there is nothing more to print: enough was printed, or the reader is gone.
    pub fn done(&self) -> bool {
        self.pick.done() && !self.context.as_ref().is_some_and(Context::goes_on) || self.renderer.failed().is_some()
    }

    /// Completes the output.
    ///
    /// # Errors
    /// Returns the error that stopped the output. That its reader is gone is an error of conditions, too: they were not
    /// tested to the end.
    pub fn finish(mut self, global: &Global) -> anyhow::Result<u8> {
        if self.account {
            self.renderer.account(&self.pick.account);
        }
        self.renderer.finish().map_err(|error| self.pick.unwritten(error))?;
        if let Some(warning) = self.renderer.warning() {
            notify(global, format_args!("{warning}"));
        }
        Ok(!self.pick.holds() as u8)
    }
}

/// Returns the columns that `--columns` names. With `-p`, fields of other protocols are errors.
pub fn chosen(names: &[String], format: Format, options: &Options) -> anyhow::Result<Option<Columns>> {
    if names.is_empty() {
        return Ok(None);
    }
    if !format.is(&[render::Format::CSV, render::Format::TSV, render::Format::SUMMARY]) {
        return usage("--columns: only with -f csv, tsv and summary");
    }
    let columns = Columns::parse(names, options.proto.as_deref(), &Names::new(options));
    Ok(Some(columns.map_err(|error| Usage(format!("--columns: {error}")))?))
}

impl Shared for Printer {
    fn divides(&self) -> bool {
        self.context.is_none() && self.pick.divides() && self.renderer.part().is_some()
    }

    fn watched(&self) -> bool {
        self.watched
    }

    /// Each thread renders messages, and their text is put in order.
    fn shared(&mut self, capture: Capture, options: &Options, count: usize) -> Summary {
        self.begin();
        let parts = std::iter::from_fn(|| self.renderer.part()).take(count + 1).collect();
        merged(capture, options, parts, &mut self.pick, &mut self.renderer)
    }

    /// Without a table of functions: printing is what has to be fast.
    fn alone(&mut self, capture: Capture, options: &Options, global: &Global) -> ReadResult {
        read::frames(capture, options, global, self)
    }
}

impl CaptureSink for Printer {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }

    fn origin(&mut self, time: Time) {
        self.renderer.origin(time);
        if let Some(context) = &mut self.context {
            context.origin(time);
        }
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        // With live input, output is flushed before the next wait.
        if self.live == Live::Each || self.live == Live::Waiting && waits() {
            self.renderer.flush();
        }
        !self.done()
    }
}

impl Sink for Printer {
    fn message(&mut self, message: &Message<'_>) {
        if self.special {
            self.specially(message);
        } else if self.pick.wants(message) {
            self.renderer.message(message);
        }
    }
}

impl Printer {
    /// Prints a message that fits, or is near to one that does; redacted if that was asked for.
    #[cold]
    fn specially(&mut self, message: &Message<'_>) {
        let fits = self.pick.wants(message);
        let (renderer, selection) = (&mut self.renderer, &self.pick.selection);
        match &mut self.context {
            Some(context) if fits || selection.spans(message) => {
                run::shown(selection.redact, message, |message| context.message(message, fits, renderer));
            }
            None if fits => run::shown(selection.redact, message, |message| renderer.message(message)),
            _ => {}
        }
    }
}

/// Returns the style for this terminal, pipe or file.
pub fn style(global: &Global, bytes: bool) -> Style {
    let terminal = io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let colour = match global.color {
        Color::Auto => terminal && !no_color && !dumb(),
        Color::Always => true,
        Color::Never => false,
    };
    Style { width: width(terminal), colour, verbose: global.verbose > 0, bytes, ..Style::default() }
}

/// Whether the terminal supports neither colours nor a pager nor pages, as `TERM` says.
pub fn dumb() -> bool {
    std::env::var_os("TERM").map_or(!platform::WINDOWS, |term| term == "dumb" || term.is_empty())
}

/// Whether the output is a terminal on which pages can be drawn.
pub fn draws() -> bool {
    io::stdout().is_terminal() && !dumb()
}

/// Returns the terminal's width, or `COLUMNS` if set; `None` if output is not a terminal.
fn width(terminal: bool) -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|v| v.parse().ok()).filter(|w| *w >= 20);
    if terminal { set.or_else(|| terminal_size::terminal_size().map(|(w, _)| w.0 as usize)).or(Some(80)) } else { set }
}

/// The size of a pipe's buffer. With the usual 64 KiB, context switches between writer and reader cost more than the
/// decoding.
const PIPE: usize = 1 << 20;

/// Returns stdout, unbuffered if the platform allows it: the renderer has a buffer and writes large blocks.
pub fn stdout() -> Box<dyn Write + Send> {
    platform::large_pipe(PIPE);
    match platform::stdout() {
        Some(own) => Box::new(own),
        None => Box::new(io::stdout()),
    }
}

/// Prints text to stdout like [`text`]; in colour, the palette's codes are kept. The parts that quote a capture were
/// escaped before they were coloured.
pub fn page(page: &str, colour: bool) -> io::Result<()> {
    if !colour {
        return text(page.as_bytes());
    }
    let mut out = io::stdout().lock();
    let mut rest = page;
    while let Some(at) = rest.find("\x1b[") {
        let (before, after) = rest.split_at(at);
        write!(out, "{}", Lines(before))?;
        let end = after.char_indices().skip(2).find(|(_, c)| !(c.is_ascii_digit() || *c == ';'));
        // Only colours are kept. All other escape sequences are escaped.
        let long = if let Some((end, 'm')) = end { end + 1 } else { 0 };
        out.write_all(&after.as_bytes()[..long])?;
        let shown = usize::from(long == 0);
        write!(out, "{}", Lines(&after[long..long + shown]))?;
        rest = &after[long + shown..];
    }
    write!(out, "{}", Lines(rest))
}

/// Prints text to stdout. It may quote schemas and values from the wire, so control characters are escaped.
pub fn text(text: &[u8]) -> io::Result<()> {
    write!(io::stdout(), "{}", Lines(String::from_utf8_lossy(text)))
}
