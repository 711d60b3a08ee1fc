//! One renderer for all forms: a sink that prints messages.

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
    /// Creates a renderer that writes to `to`, which needs no buffering.
    pub fn new(format: Format, style: Style, to: Box<dyn Write + Send>) -> Renderer {
        Renderer::with(format, style, &Details::default(), to)
    }

    /// Creates a renderer like [`Renderer::new`], with details.
    pub fn with(format: Format, style: Style, details: &Details, to: Box<dyn Write + Send>) -> Renderer {
        let (mut output, mut form) = (Output::new(to), (format.form)(style, details));
        form.begin(output.buffer());
        Renderer { output, form, format, style, details: details.clone() }
    }

    /// Returns the parts of a message that are printed, for [`Options::wants`](crate::dissect::Options::wants).
    pub fn reads(&self) -> Wants {
        self.form.reads()
    }

    /// Returns a writer for one of several workers, whose text is then [appended](Renderer::rendered). Returns `None`
    /// if the form needs all messages.
    pub fn part(&self) -> Option<Box<dyn Form>> {
        let mut form = (self.format.form)(self.style, &self.details);
        form.divide().then_some(form)
    }

    /// Appends the text of a [part](Renderer::part): complete messages.
    #[inline]
    pub fn rendered(&mut self, messages: &[u8]) {
        self.form.append(messages, self.output.buffer());
        self.output.complete();
    }

    /// Appends the account of what was read and left out, as a last line of ndjson or a last element of json.
    pub fn account(&mut self, account: &Account) {
        self.form.account(account.json().to_string().as_bytes(), self.output.buffer());
        self.output.complete();
    }

    /// Sets the time of a capture's first frame, the origin of relative times. Otherwise they are relative to the first
    /// message.
    pub fn origin(&mut self, time: Time) {
        self.form.origin(time);
    }

    /// Writes the buffered output.
    pub fn flush(&mut self) {
        self.form.pause(self.output.buffer());
        self.output.flush();
    }

    /// Returns the error that stopped the output.
    pub fn failed(&self) -> Option<&io::Error> {
        self.output.failed()
    }

    /// Whether the output stopped because the reader closed the pipe, which is not a failure.
    pub fn closed(&self) -> bool {
        self.failed().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    }

    /// Returns a warning about the output: a table that omitted rows.
    pub fn warning(&self) -> Option<String> {
        self.form.warning()
    }

    /// Completes the output: the array's end, the table, the rest of the buffer.
    ///
    /// # Errors
    /// Returns the error that stopped the output, now or before.
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
