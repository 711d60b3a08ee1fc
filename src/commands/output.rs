//! What becomes of the messages: selected, counted, printed.

use super::gates::Pick;
use super::read::{CaptureSink, Live};
use crate::cli::{Color, Format, Global, Output, TimeForm};
use crate::platform;
use netkit::capture::Time;
use netkit::dissect::{Message, Sink};
use netkit::printable::Lines;
use netkit::render::{self, Merge, Part, Renderer, Style};
use std::io::{self, IsTerminal, Write};

/// Prints the messages that were asked for.
pub struct Printer {
    renderer: Renderer,
    format: render::Format,
    style: Style,
    /// Which ones.
    pub pick: Pick,
    left: Option<u64>,
    live: Live,
    /// Stdout is a terminal.
    pub watched: bool,
}

impl Printer {
    /// A printer to stdout.
    pub fn new(output: &Output, global: &Global, pick: Pick, time: Option<TimeForm>) -> Printer {
        let time = time.map(|form| match form {
            TimeForm::Relative => render::TimeForm::Relative,
            TimeForm::Delta => render::TimeForm::Delta,
            TimeForm::Utc => render::TimeForm::Utc,
            TimeForm::Epoch => render::TimeForm::Epoch,
        });
        let style = Style { time, ..style(global, output.bytes) };
        let format = match output.format {
            Format::Tree => render::Format::Tree,
            Format::Summary => render::Format::Summary,
            Format::Table => render::Format::Table,
            Format::Ndjson => render::Format::Ndjson,
            Format::Json => render::Format::Json,
        };
        let renderer = Renderer::new(format, style, stdout());
        let watched = io::stdout().is_terminal();
        Printer { renderer, format, style, pick, left: output.count, live: Live::No, watched }
    }

    /// Can several threads print parts of it? Not where a number of messages was asked for: only
    /// one that sees them all can count.
    pub fn divides(&self) -> bool {
        self.left.is_none() && self.part().is_some()
    }

    /// What one thread of several prints with.
    pub fn part(&self) -> Option<Part> {
        Part::new(self.format, self.style)
    }

    /// Prints what several threads have made: as much as can be now. Returns whose turn it is that
    /// has to be waited for.
    pub fn merge(&mut self, merge: &mut Merge) -> Option<usize> {
        merge.write(&mut self.renderer)
    }

    /// Somebody watches what comes in: it is shown before the next wait.
    pub fn live(&mut self, live: Live) {
        self.live = live;
    }

    /// Is there no need to go on: enough was printed, or nobody reads it?
    pub fn done(&self) -> bool {
        self.left == Some(0) || self.renderer.failed().is_some()
    }

    /// Completes the output.
    ///
    /// # Errors
    /// What stopped the writing.
    pub fn finish(mut self, global: &Global) -> anyhow::Result<u8> {
        self.renderer.finish()?;
        if let Some(warning) = self.renderer.warning() {
            say(global, format_args!("netkit: {warning}"));
        }
        Ok(!self.pick.holds(global) as u8)
    }
}

impl CaptureSink for Printer {
    fn begin(&mut self) {
        self.pick.begin();
    }

    fn frame(&mut self, time: Time) {
        if self.pick.selection.frame(time) {
            self.renderer.origin(time);
        }
    }

    fn go_on(&mut self, waits: impl FnOnce() -> bool) -> bool {
        // Whoever watches a live capture sees what has come before the next wait.
        if self.live == Live::Each || self.live == Live::Waiting && waits() {
            self.renderer.flush();
        }
        !self.done()
    }
}

impl Sink for Printer {
    fn message(&mut self, message: &Message<'_>) {
        match self.left {
            Some(0) => return,
            _ if !self.pick.wants(message) => return,
            Some(left) => self.left = Some(left - 1),
            None => {}
        }
        self.renderer.message(message);
    }
}

/// How to print for this terminal, pipe or file.
pub fn style(global: &Global, bytes: bool) -> Style {
    let terminal = io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
    let colour = match global.color {
        Color::Auto => terminal && !no_color,
        Color::Always => true,
        Color::Never => false,
    };
    Style { width: width(terminal), colour, verbose: global.verbose > 0, bytes, time: None }
}

/// The terminal's width; `COLUMNS` where it is set; `None` where output is no terminal.
fn width(terminal: bool) -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|v| v.parse().ok()).filter(|w| *w >= 20);
    match terminal {
        true => set.or_else(|| terminal_size::terminal_size().map(|(w, _)| w.0 as usize)).or(Some(80)),
        false => set,
    }
}

/// A pipe's buffer: with the usual 64 KiB, switching between writer and reader costs more than the
/// decoding.
const PIPE: usize = 1 << 20;

/// Stdout without a buffer of its own where there is one: the renderer has one, and writes large blocks.
fn stdout() -> Box<dyn Write + Send> {
    platform::large_pipe(PIPE);
    match platform::stdout() {
        Some(own) => Box::new(own),
        None => Box::new(io::stdout()),
    }
}

/// A line for people on stderr, where they want any.
pub fn say(global: &Global, text: std::fmt::Arguments<'_>) {
    if !global.quiet {
        // Nothing can be done where stderr is gone.
        let _ = writeln!(io::stderr(), "{}", Lines(text));
    }
}

/// Text for people, to stdout: names of schemas and values of the wire, which are quoted in it,
/// cannot paint the terminal.
pub fn text(text: &[u8]) -> io::Result<()> {
    write!(io::stdout(), "{}", Lines(String::from_utf8_lossy(text)))
}
