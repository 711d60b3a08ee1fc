//! What becomes of the messages: selected, counted, printed; and what the exit status says of them.

use crate::cli::{Color, FailOn, Format, Global, Output};
use netkit::codec::Level;
use netkit::filter::Filter;
use netkit::printable::Lines;
use netkit::protocols::{Message, Sink};
use netkit::render::{self, Renderer, Style};
use std::io::{self, IsTerminal, Write};

/// Prints the messages that were asked for.
pub struct Printer {
    renderer: Renderer,
    flow: Option<u64>,
    filter: Option<Filter>,
    left: Option<u64>,
    fail_on: Option<FailOn>,
    /// How many messages were printed.
    pub printed: u64,
    /// One was found that the exit status has to tell of.
    pub failed: bool,
}

impl Printer {
    /// A printer to stdout.
    pub fn new(output: &Output, global: &Global, flow: Option<u64>, filter: Option<Filter>) -> Printer {
        let style = style(global, output.bytes);
        let format = match output.format {
            Format::Tree => render::Format::Tree,
            Format::Summary => render::Format::Summary,
            Format::Table => render::Format::Table,
            Format::Ndjson => render::Format::Ndjson,
            Format::Json => render::Format::Json,
        };
        let renderer = Renderer::new(format, style, Box::new(io::stdout()));
        Printer { renderer, flow, filter, left: output.count, fail_on: output.fail_on, printed: 0, failed: false }
    }

    /// Is there no need to go on: enough was printed, or nobody reads it?
    pub fn done(&self) -> bool {
        self.left == Some(0) || self.renderer.failed().is_some()
    }

    /// Writes out what is waiting, for whoever watches.
    pub fn flush(&mut self) {
        self.renderer.flush();
    }

    /// Completes the output.
    ///
    /// # Errors
    /// What stopped the writing.
    pub fn finish(mut self) -> anyhow::Result<u8> {
        self.renderer.finish()?;
        Ok(self.failed as u8)
    }
}

impl Sink for Printer {
    fn message(&mut self, message: &Message<'_>) {
        if self.flow.is_some_and(|flow| flow != message.talk.flow) || self.done() {
            return;
        }
        if self.filter.as_ref().is_some_and(|filter| !filter.matches(message)) {
            return;
        }
        if let Some(left) = &mut self.left {
            *left -= 1;
        }
        if let Some(least) = self.fail_on {
            let warned = message.draft.notes.worst().is_some_and(|level| level >= Level::Warning);
            self.failed |= message.draft.fault.is_some() || least == FailOn::Warning && warned;
        }
        self.printed += 1;
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
    Style { width: width(terminal), colour, verbose: global.verbose > 0, bytes }
}

/// The terminal's width; `COLUMNS` where it is set; `None` where output is no terminal.
fn width(terminal: bool) -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|v| v.parse().ok()).filter(|w| *w >= 20);
    match terminal {
        true => set.or_else(|| terminal_size::terminal_size().map(|(w, _)| w.0 as usize)).or(Some(80)),
        false => set,
    }
}

/// A line for people on stderr, where they want any.
pub fn say(global: &Global, text: std::fmt::Arguments<'_>) {
    if !global.quiet {
        // Nothing can be done where stderr is gone.
        let _ = writeln!(io::stderr(), "{}", Lines(text));
    }
}
