//! `netkit decode` with several threads: each renders messages, and their text is put in order.

use super::merging::{Maker, Receiver, merged};
use super::output::Printer;
use super::read::ReadSummary;
use super::sink::CaptureSink;
use netkit::capture::{Capture, Time};
use netkit::dissect::{Message, Options};
use netkit::render::{Part, Renderer, Row, RowMaker};

/// Prints a capture with `count` threads.
///
/// # Errors
/// None; errors while reading are part of the returned summary.
pub fn capture(
    capture: Capture,
    options: &Options,
    count: usize,
    printer: &mut Printer,
) -> anyhow::Result<ReadSummary> {
    printer.begin();
    if let Some((makers, pick, renderer)) = printer.row_makers(count + 1) {
        return merged(capture, options, makers, pick, &mut Drawn(renderer));
    }
    let (parts, pick, renderer) = printer.parts(count + 1);
    merged(capture, options, parts, pick, renderer)
}

/// A table.
struct Drawn<'a>(&'a mut Renderer);

impl Maker<Option<Row>> for RowMaker {
    fn origin(&mut self, time: Time) {
        RowMaker::origin(self, time);
    }

    fn message(&mut self, message: &Message<'_>, out: &mut Vec<Option<Row>>) {
        out.push(self.row(message));
    }
}

impl Receiver<Option<Row>> for Drawn<'_> {
    fn receive(&mut self, rows: &[Option<Row>]) {
        self.0.rows(rows);
    }
}

impl Maker<u8> for Part {
    fn origin(&mut self, time: Time) {
        Part::origin(self, time);
    }

    #[inline]
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<u8>) {
        Part::message(self, message, out);
    }
}

impl Receiver<u8> for Renderer {
    fn receive(&mut self, text: &[u8]) {
        self.rendered(text);
    }

    fn done(&self) -> bool {
        self.failed().is_some()
    }
}
