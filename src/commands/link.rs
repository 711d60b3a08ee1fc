//! `--link`: the input is read twice, first for the relations, then for the messages. A file is
//! opened again; of a pipe as much is held as a limit allows.

use super::input;
use super::interrupt::stop;
use super::join::Join;
use super::notify::notify;
use super::read;
use super::sink::{Any, CaptureSink};
use crate::cli::Global;
use netkit::capture::{Decoded, Frame, Input, Time};
use netkit::dissect::{Linked, LinkedSink, Links, Message, Options, Sink};
use netkit::plural::Plural;
use netkit::render::Files;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

/// The relations of an input, and the input, to be read for the messages.
///
/// # Errors
/// It cannot be opened or read.
pub fn first(path: &Path, options: &Options, global: &Global) -> anyhow::Result<(Linked, Box<dyn Read + Send>)> {
    let quiet = quiet(global);
    let mut reading = Reading(Links::new(options.limits.lists.links));
    let is_file = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    if is_file && path.as_os_str() != "-" {
        // What is wrong with it is told by the second reading.
        let _ = Input::new(input::open(path)?).map(|input| read::whole(input, options, &quiet, &mut Any(&mut reading)));
        return Ok((told(reading.0.finish(true), global), input::open(path)?));
    }
    let (limit, mut rest) = (options.limits.lists.link_bytes, input::open(path)?);
    let mut held = Vec::new();
    rest.by_ref().take(limit as u64).read_to_end(&mut held)?;
    let mut next = [0];
    let cut = held.len() >= limit && rest.read(&mut next)? > 0;
    if stop().is_set() {
        notify(global, format_args!("netkit: --link: stopped before the input's end, so that nothing was printed"));
    }
    let held = std::sync::Arc::<[u8]>::from(held);
    let again = || Cursor::new(std::sync::Arc::clone(&held));
    let _ = Input::new(Box::new(again())).map(|input| read::whole(input, options, &quiet, &mut Any(&mut reading)));
    if cut {
        notify(
            global,
            format_args!(
                "netkit: --link: only the first {} of {} were read ahead, nothing is said of what comes behind, and \
                 nothing is called unanswered: --limit link_bytes=N holds more, a file has no such limit",
                Plural(limit, "byte"),
                input::name(path)
            ),
        );
        let next = Cursor::new(next);
        return Ok((told(reading.0.finish(false), global), Box::new(again().chain(next).chain(rest))));
    }
    Ok((told(reading.0.finish(true), global), Box::new(again())))
}

/// The relations of several files that are read as one.
///
/// # Errors
/// One of them is no capture.
pub fn joined(files: &[PathBuf], options: &Options, global: &Global) -> anyhow::Result<Linked> {
    let quiet = quiet(global);
    let mut reading = Reading(Links::new(options.limits.lists.links));
    let (capture, _) = Join::new(files)?.open(&Files::default(), &quiet)?;
    let _ = read::frames(capture, options, &quiet, &mut Any(&mut reading));
    Ok(told(reading.0.finish(true), global))
}

/// What is wrong with the input is told by the second reading.
fn quiet(global: &Global) -> Global {
    Global { color: global.color, quiet: true, verbose: 0 }
}

fn told(linked: Linked, global: &Global) -> Linked {
    if linked.lost() > 0 {
        notify(
            global,
            format_args!(
                "netkit: --link: {} not remembered, so that some messages lack them: --limit links=N raises that",
                Plural(linked.lost(), "relation")
            ),
        );
    }
    linked
}

struct Reading(Links);

impl Sink for Reading {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
    }
}

impl CaptureSink for Reading {}

/// A sink of the second reading.
pub struct Second<'a, S>(LinkedSink<'a, S>);

impl<'a, S: CaptureSink> Second<'a, S> {
    /// Passes messages on to `sink`, with what `linked` adds.
    pub fn new(sink: &'a mut S, linked: Linked) -> Second<'a, S> {
        Second(LinkedSink { sink, linked })
    }
}

impl<S: CaptureSink> Sink for Second<'_, S> {
    fn message(&mut self, message: &Message<'_>) {
        self.0.message(message);
    }
}

impl<S: CaptureSink> CaptureSink for Second<'_, S> {
    fn begin(&mut self) {
        self.0.sink.begin();
    }

    fn frame(&mut self, time: Time) {
        self.0.sink.frame(time);
    }

    fn raw(&mut self, frame: &Frame<'_>, decoded: &Decoded<'_>) {
        self.0.sink.raw(frame, decoded);
    }

    fn go_on(&mut self, waits: &dyn Fn() -> bool) -> bool {
        self.0.sink.go_on(waits)
    }
}
