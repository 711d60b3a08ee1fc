//! `--link`: reads the input twice, first for the relations, then for the messages. A file is opened again; a pipe's
//! data is kept in memory up to a limit.

use super::interrupt::stop;
use super::join::Join;
use super::notify::{notify, warn};
use super::{follow, input, read};
use crate::capture::Input;
use crate::cli::Global;
use crate::dissect::{Linked, Links, Options};
use crate::plural::Plural;
use crate::read::Any;
use crate::render::Files;
use std::io::{Cursor, Read};
use std::path::Path;

/// Opens an input: followed, with its relations, which are read first, or plain.
///
/// # Errors
/// Fails if it cannot be opened or read.
pub fn open(
    path: &Path,
    follow: bool,
    link: bool,
    options: &Options,
    global: &Global,
) -> anyhow::Result<(Input, Option<Linked>)> {
    if follow {
        return Ok((follow::open(path)?, None));
    }
    let (linked, reader) = match link {
        true => first(path, options, global).map(|(linked, reader)| (Some(linked), reader))?,
        false => (None, input::open(path)?),
    };
    Ok((Input::new(reader)?.reopening(input::again(path)), linked))
}

/// Reads the relations of an input. Returns them, and the input to read for the messages.
///
/// # Errors
/// Fails if it cannot be opened or read.
fn first(path: &Path, options: &Options, global: &Global) -> anyhow::Result<(Linked, Box<dyn Read + Send>)> {
    let (options, quiet) = (&reading(options), Global::silent());
    let mut reading = Links::new(options.limits.lists.links);
    let is_file = std::fs::metadata(path).is_ok_and(|about| about.is_file());
    if is_file && path.as_os_str() != "-" {
        // The second reading reports the errors. Nothing is called unanswered if it did not reach the end.
        let whole = Input::new(input::open(path)?)
            .is_ok_and(|input| whole(input.reopening(input::again(path)), options, &quiet, &mut reading));
        return Ok((counted(reading.finish(whole)), input::open(path)?));
    }
    let (limit, mut rest) = (options.limits.lists.link_bytes, input::open(path)?);
    let mut held = Vec::new();
    rest.by_ref().take(limit as u64).read_to_end(&mut held)?;
    let mut next = [0];
    let cut = held.len() >= limit && rest.read(&mut next)? > 0;
    if stop().is_set() {
        notify(global, format_args!("--link: stopped before the input's end, so that nothing was printed"));
    }
    let held = std::sync::Arc::<[u8]>::from(held);
    let again = || Cursor::new(std::sync::Arc::clone(&held));
    let whole = Input::new(Box::new(again())).is_ok_and(|input| whole(input, options, &quiet, &mut reading));
    if cut {
        warn(format_args!(
            "--link: only the first {} of {} were read ahead: later messages have no links, and nothing is \
                 called unanswered (--limit link_bytes=N holds more; a file has no such limit)",
            Plural(limit, "byte"),
            input::name(path)
        ));
        let next = Cursor::new(next);
        return Ok((counted(reading.finish(false)), Box::new(again().chain(next).chain(rest))));
    }
    Ok((counted(reading.finish(whole)), Box::new(again())))
}

/// Reads the relations of an input. Returns whether its end was reached.
fn whole(input: Input, options: &Options, quiet: &Global, reading: &mut Links) -> bool {
    matches!(read::whole(input, options, quiet, &mut Any(reading)), Ok(None))
}

/// Reads the relations of several files that are read as one.
///
/// # Errors
/// Fails if one of them is not a capture.
pub fn joined(join: Join, options: &Options) -> anyhow::Result<Linked> {
    let (options, quiet) = (&reading(options), Global::silent());
    let mut reading = Links::new(options.limits.lists.links);
    let (capture, broken) = join.silent().open(&Files::default(), &quiet)?;
    let read = read::frames(capture, options, &quiet, &mut Any(&mut reading));
    Ok(counted(reading.finish(matches!(read, Ok(None)) && !broken.any())))
}

/// Returns the options for reading the relations.
fn reading(options: &Options) -> Options {
    Options { wants: Links::READS, ..options.clone() }
}

fn counted(linked: Linked) -> Linked {
    if linked.lost() > 0 {
        warn(format_args!(
            "--link: missing from some messages: {} (--limit links=N raises the limit)",
            Plural(linked.lost(), "relation")
        ));
    }
    linked
}
