//! Reads captures to their ends: into a function ([`decode`]), a sink, or divided among threads ([`Drive`]).

mod drive;
mod duplicates;
#[cfg(feature = "cli")]
pub(crate) mod hex;
#[cfg(feature = "cli")]
mod marks;
mod merging;
#[cfg(feature = "cli")]
mod notes;
#[cfg(feature = "cli")]
mod pick;
#[cfg(feature = "cli")]
mod picked;
mod runs;
#[cfg(feature = "cli")]
mod selection;
mod sink;
#[cfg(feature = "cli")]
mod stopped;
mod summary;

pub use drive::{Drive, Tap};
#[cfg(feature = "cli")]
pub(crate) use marks::Marks;
pub use merging::{Producer, Receiver};
#[cfg(feature = "cli")]
pub(crate) use notes::of_leg;
#[cfg(feature = "cli")]
pub(crate) use pick::{Expected, FailOn, Pick};
#[cfg(feature = "cli")]
pub(crate) use picked::{Picked, Selected};
#[cfg(feature = "cli")]
pub(crate) use selection::Selection;
pub use sink::{Any, CaptureSink, Gate};
#[cfg(feature = "cli")]
pub(crate) use stopped::Stopped;
pub use summary::Summary;

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
