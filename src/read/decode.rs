//! A capture's messages, passed to a function.

use super::drive::Drive;
use super::sink::CaptureSink;
use super::summary::Summary;
use crate::capture::{Capture, CaptureError, Input};
use crate::dissect::{Message, Options, Sink};
use std::io::Read;

/// Reads a capture, and passes each message to a function. If the capture ends early, open streams are still read to
/// their ends; [`Summary::error`] has the reason, and its counters what was skipped.
///
/// # Errors
/// The input is not a capture.
pub fn decode(
    reader: impl Read + Send + 'static,
    options: &Options,
    each: impl FnMut(&Message<'_>),
) -> Result<Summary, CaptureError> {
    let capture = Capture::new(Input::new(Box::new(reader))?)?;
    Ok(Drive::new(options).read(capture, &mut Each(each)))
}

/// Passes each message to a function.
struct Each<F>(F);

impl<F: FnMut(&Message<'_>)> Sink for Each<F> {
    fn message(&mut self, message: &Message<'_>) {
        (self.0)(message);
    }
}

impl<F: FnMut(&Message<'_>)> CaptureSink for Each<F> {}
