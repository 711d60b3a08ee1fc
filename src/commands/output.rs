//! Output of messages: selection, counting, printing.

use super::gates::{Pick, merged};
use super::notify::notify;
use super::redact;
use super::usage::Usage;
use crate::cli::{Color, Format, Global, Output};
use crate::platform;
use netkit::capture::{Capture, Time};
use netkit::dissect::{Message, Options, Sink, Wants};
use netkit::filter::Names;
use netkit::printable::Lines;
use netkit::read::{CaptureSink, Gate, Summary};
use netkit::render::{self, Columns, Details, Files, Renderer, Style};
use std::io::{self, IsTerminal, Write};
use std::path::Path;

/// When printed output has to be flushed.
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
    /// For an input that is followed, is stdin, or has an end.
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
    live: Live,
    /// Print the account at the end.
    pub account: bool,
    /// Stdout is a terminal.
    pub watched: bool,
}

impl Printer {
    /// A printer to stdout. `files`: where several are read.
    ///
    /// # Errors
    /// Wrong `--columns`.
    pub fn new(
        output: &Output,
        global: &Global,
        pick: Pick,
        time: Option<render::TimeForm>,
        options: &Options,
        files: Option<Files>,
    ) -> anyhow::Result<Printer> {
        // A line above the summaries helps people; programs would take it for a message.
        let style = Style { time, heading: io::stdout().is_terminal(), ..style(global, output.bytes) };
        // Files are written elsewhere.
        let Format::Printed(format) = output.format else {
            return Err(Usage("it is no form of messages".into()).into());
        };
        let details = Details { columns: columns(output, options)?, files };
        let renderer = Renderer::with(format, style, &details, stdout());
        let watched = io::stdout().is_terminal();
        Ok(Printer { renderer, pick: pick.count(output.count), live: Live::No, account: false, watched })
    }

    /// Can several threads render parts of it?
    pub fn divides(&self) -> bool {
        self.pick.divides() && self.renderer.part().is_some()
    }

    /// What is read of messages.
    pub fn reads(&self) -> Wants {
        self.pick.reads() | self.renderer.reads()
    }

    /// Prints a capture with `count` threads: each renders messages, and their text is put in order.
    pub fn divided(&mut self, capture: Capture, options: &Options, count: usize) -> Summary {
        self.begin();
        let parts = std::iter::from_fn(|| self.renderer.part()).take(count + 1).collect();
        merged(capture, options, parts, &mut self.pick, &mut self.renderer)
    }

    /// Sets when output has to be flushed.
    pub fn live(&mut self, live: Live) {
        self.live = live;
    }

    /// Is there nothing more to print: enough was printed, or the reader is gone?
    pub fn done(&self) -> bool {
        self.pick.done() || self.renderer.failed().is_some()
    }

    /// Completes the output.
    ///
    /// # Errors
    /// The error that stopped the output.
    pub fn finish(mut self, global: &Global) -> anyhow::Result<u8> {
        if self.account {
            self.renderer.account(&self.pick.account);
        }
        self.renderer.finish()?;
        if let Some(warning) = self.renderer.warning() {
            notify(global, format_args!("netkit: {warning}"));
        }
        Ok(!self.pick.holds(global) as u8)
    }
}

/// May messages have headers around them, and share a packet?
pub fn packets(options: &Options) -> bool {
    options.registry.iter().any(|dissector| !dissector.headers().is_empty())
}

/// `--columns`, looked up. With `-p`, fields of other protocols are wrong.
fn columns(output: &Output, options: &Options) -> anyhow::Result<Option<Columns>> {
    let separated = output.format.is(&[render::Format::CSV, render::Format::TSV]);
    if output.columns.is_empty() {
        return Ok((separated && packets(options)).then(Columns::usual_of_packets));
    }
    if !separated && !output.format.is(&[render::Format::SUMMARY]) {
        return Err(Usage("--columns: only with -f csv, tsv and summary".into()).into());
    }
    let columns = Columns::parse(&output.columns, options.proto.as_deref(), &Names::new(options));
    Ok(Some(columns.map_err(|error| Usage(format!("--columns: {error}")))?))
}

impl CaptureSink for Printer {
    fn gate(&mut self) -> Option<&mut dyn Gate> {
        Some(&mut self.pick)
    }

    fn origin(&mut self, time: Time) {
        self.renderer.origin(time);
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
        if !self.pick.wants(message) {
            return;
        }
        match self.pick.selection.redact {
            false => self.renderer.message(message),
            true => self.redacted(message),
        }
    }
}

impl Printer {
    /// Prints a message with other addresses, words and bytes.
    #[cold]
    fn redacted(&mut self, message: &Message<'_>) {
        redact::shown(true, message, |message| self.renderer.message(message));
    }
}

/// The style for this terminal, pipe or file.
pub fn style(global: &Global, bytes: bool) -> Style {
    let terminal = io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let colour = match global.color {
        Color::Auto => terminal && !no_color,
        Color::Always => true,
        Color::Never => false,
    };
    Style { width: width(terminal), colour, verbose: global.verbose > 0, bytes, ..Style::default() }
}

/// The terminal's width, or `COLUMNS` if set; `None` if output is not a terminal.
fn width(terminal: bool) -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|v| v.parse().ok()).filter(|w| *w >= 20);
    match terminal {
        true => set.or_else(|| terminal_size::terminal_size().map(|(w, _)| w.0 as usize)).or(Some(80)),
        false => set,
    }
}

/// The size of a pipe's buffer: with the usual 64 KiB, context switches between writer and reader
/// cost more than the decoding.
const PIPE: usize = 1 << 20;

/// Stdout, unbuffered if the platform allows it: the renderer has a buffer and writes large blocks.
fn stdout() -> Box<dyn Write + Send> {
    platform::large_pipe(PIPE);
    match platform::stdout() {
        Some(own) => Box::new(own),
        None => Box::new(io::stdout()),
    }
}

/// Prints text to stdout as [`text`] does; in colour, what the palette has is let through. The parts
/// that quote a capture have been escaped before they were coloured.
pub fn page(page: &str, colour: bool) -> io::Result<()> {
    if !colour {
        return text(page.as_bytes());
    }
    let mut out = io::stdout().lock();
    let mut rest = page;
    while let Some(at) = rest.find("\x1b[") {
        let (before, behind) = rest.split_at(at);
        write!(out, "{}", Lines(before))?;
        let end = behind.char_indices().skip(2).find(|(_, c)| !(c.is_ascii_digit() || *c == ';'));
        // Only colours: whatever else begins so is escaped.
        let long = if let Some((end, 'm')) = end { end + 1 } else { 0 };
        out.write_all(&behind.as_bytes()[..long])?;
        let shown = usize::from(long == 0);
        write!(out, "{}", Lines(&behind[long..long + shown]))?;
        rest = &behind[long + shown..];
    }
    write!(out, "{}", Lines(rest))
}

/// Prints text to stdout. It may quote schemas and values from the wire, so control characters are
/// escaped.
pub fn text(text: &[u8]) -> io::Result<()> {
    write!(io::stdout(), "{}", Lines(String::from_utf8_lossy(text)))
}
