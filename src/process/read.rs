//! Reads a capture or hex text into a sink.

use super::capture::Keeper;
use super::interrupt::{self, stop};
use super::notify::{notify, subject, warn};
use super::stopped::ReadResult;
use crate::capture::{Capture, Input};
use crate::cli::Global;
use crate::dissect::Options;
use crate::read::hex::{self, Bytes, TextError};
use crate::read::{Any, CaptureSink, Drive, Stopped, Summary};
use std::fmt::Arguments;
use std::io::{BufRead, BufReader};

/// Reports the results to the user, and the account to the sink. Returns the place where a signal stopped the reading.
///
/// # Errors
/// Returns the error that ended the capture early.
pub fn report(mut seen: Summary, global: &Global, sink: &mut impl CaptureSink) -> ReadResult {
    let of = subject();
    if sink.reports() {
        for note in seen.notes(global.verbose > 0) {
            let text = note.text;
            if note.warns { warn(format_args!("{of}{text}")) } else { notify(global, format_args!("{of}{text}")) }
        }
        if seen.frames == 0 && seen.error.is_none() && !seen.stopped {
            notify(global, format_args!("{of}the capture has no frames"));
        }
    }
    sink.account(&seen.counters.account);
    if let Some(error) = seen.error {
        return Err(error.into());
    }
    if seen.packets == 0 && seen.others.total() > 0 {
        // Unsupported link types alone are an error, since nothing could be decoded.
        if seen.others.all_foreign() {
            anyhow::bail!("no frame could be read: {}", seen.others);
        }
        notify(global, format_args!("{of}no UDP or TCP packets: {}", seen.others));
    }
    let stopped = interrupt::status(false).filter(|_| seen.stopped);
    Ok(stopped.map(|_| Stopped { read: seen.frames, span: seen.span }))
}

/// Dissects a capture or hex text.
///
/// # Errors
/// Fails if it is neither, or with the error that ended it early. Everything before the error was passed on.
pub fn whole(input: Input, options: &Options, global: &Global, sink: &mut impl CaptureSink) -> ReadResult {
    sink.begin();
    // If the user stops the wait, there is no input, which is not an error.
    if input.data().is_empty() && !stop().is_set() {
        anyhow::bail!("it is empty");
    }
    if input.format().is_none() {
        let read = text(BufReader::new(input), false, Bytes::Detect, options, global, &mut Any(sink));
        return read.map_err(|error| match error.downcast_ref() {
            Some(TextError::Unreadable(_)) => error,
            _ => error.context("not pcap, pcapng or hex text"),
        });
    }
    frames(Capture::new(input)?, options, global, sink)
}

/// Dissects hex text; `lines`: each line of plain hex is one message.
///
/// # Errors
/// Fails like [`hex::text`].
pub fn text(
    reader: impl BufRead,
    lines: bool,
    bytes: Bytes,
    options: &Options,
    global: &Global,
    sink: &mut impl CaptureSink,
) -> ReadResult {
    let report = |detail: bool, text: Arguments<'_>| {
        if !detail || global.verbose > 0 {
            notify(global, text);
        }
    };
    let read = hex::text(reader, lines, bytes, options, &report, || stop().is_set(), sink)?;
    Ok(interrupt::status(false).map(|_| Stopped { read, span: None }))
}

/// Dissects an opened capture.
///
/// # Errors
/// Fails like [`whole`].
pub fn frames(capture: Capture, options: &Options, global: &Global, sink: &mut impl CaptureSink) -> ReadResult {
    report(drive(options).read(capture, sink), global, sink)
}

/// Reads captures until a signal stops it, and keeps their frames if a file is named.
pub fn drive(options: &Options) -> Drive<'_, Keeper> {
    Drive::new(options).until(|| stop().is_set()).tap(Keeper::take())
}
