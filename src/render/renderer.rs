//! One renderer for all forms: the sink of the commands' messages.

use super::{Details, Form, Format, Output, Style};
use crate::capture::Time;
use crate::dissect::{Account, Message, Sink, Wants};
use std::io::{self, ErrorKind, Write};

/// Prints messages.
#[derive(Debug)]
pub struct Renderer {
    output: Output,
    form: Box<dyn Form>,
    format: Format,
    style: Style,
    details: Details,
}

impl Renderer {
    /// A renderer that writes to `to`, which needs no buffering.
    pub fn new(format: Format, style: Style, to: Box<dyn Write + Send>) -> Renderer {
        Renderer::with(format, style, &Details::default(), to)
    }

    /// As [`Renderer::new`], with details.
    pub fn with(format: Format, style: Style, details: &Details, to: Box<dyn Write + Send>) -> Renderer {
        let (mut output, mut form) = (Output::new(to), (format.form)(style, details));
        form.begin(output.buffer());
        Renderer { output, form, format, style, details: details.clone() }
    }

    /// What of a message is printed: what [`Options::wants`](crate::dissect::Options::wants) may be.
    pub fn reads(&self) -> Wants {
        self.form.reads()
    }

    /// Writes the messages of one of several workers, whose text is then [appended](Renderer::rendered);
    /// `None` if the form needs all messages.
    pub fn part(&self) -> Option<Box<dyn Form>> {
        let mut form = (self.format.form)(self.style, &self.details);
        form.divide().then_some(form)
    }

    /// Appends what a [part](Renderer::part) has written: complete messages.
    #[inline]
    pub fn rendered(&mut self, messages: &[u8]) {
        self.form.append(messages, self.output.buffer());
        self.output.complete();
    }

    /// Appends the account of what was read and left out: a last line of ndjson, a last element of json.
    pub fn account(&mut self, account: &Account) {
        self.form.account(account.json().to_string().as_bytes(), self.output.buffer());
        self.output.complete();
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
        self.form.pause(self.output.buffer());
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
        self.form.warning()
    }

    /// Completes the output: the array's end, the table, what is still buffered.
    ///
    /// # Errors
    /// The error that stopped the output, now or before.
    pub fn finish(&mut self) -> io::Result<()> {
        self.form.finish(self.output.buffer());
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
