//! Reads a capture or hex text into a sink.

use super::capture::Keeper;
use super::interrupt::{self, stop};
use super::join::Join;
use super::notify::{notify, warn};
use super::stopped::{ReadResult, Stopped};
use super::{hex, input, unclaimed};
use crate::capture::{Capture, Input, Leg, Tunnel};
use crate::cli::Global;
use crate::dissect::{LIMITS, Options};
use crate::plural::Plural;
use crate::read::{Any, CaptureSink, Drive, Summary};
use crate::render::Files;
use anyhow::Context;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The limits whose note contains more.
const REPORTED_ELSEWHERE: [&str; 2] = ["conversations", "buffered_bytes"];

/// Reports the traffic that was left out, and with `-v` more.
fn print(seen: &mut Summary, global: &Global) {
    leg(seen.leg, global);
    if global.verbose > 0 {
        for ((proto, why), n) in &seen.counters.claimed {
            notify(global, format_args!("{} of {proto}: {why}", Plural(*n, "conversation")));
        }
        unclaimed::list(global, &mut seen.counters);
        for (why, n) in seen.others.iter() {
            notify(global, format_args!("{} without UDP or TCP: {why}", Plural(n, "frame")));
        }
        if seen.others.rest() > 0 {
            let n = seen.others.rest();
            notify(global, format_args!("frames without UDP or TCP for further reasons: {n}"));
        }
        for (Tunnel { name, src, dst }, n) in seen.tunnels.iter() {
            let packets = if n == 1 { "packet" } else { "packets" };
            notify(global, format_args!("{n} {packets} arrived through {name} from {src} to {dst}"));
        }
        if seen.tunnels.rest() > 0 {
            let n = seen.tunnels.rest();
            notify(global, format_args!("further tunnels: {n}"));
        }
        let flows = &seen.flows;
        for (n, what) in [
            (flows.reused, "conversations ended because their ports were used again"),
            (flows.missing_bytes, "bytes of TCP streams are not in the capture"),
            (flows.dropped_bytes, "bytes of TCP streams were dropped, unread"),
            (flows.ignored_segments, "TCP segments fit nowhere in their streams"),
        ] {
            if n > 0 {
                notify(global, format_args!("{n} {what}"));
            }
        }
    }
    unclaimed::warn(global, &mut seen.counters);
    if seen.flows.evicted > 0 {
        let (evicted, evicted_again) = (seen.flows.evicted, seen.flows.evicted_again);
        let n = evicted - evicted_again;
        let (conversations, verb) = (Plural(n, "conversation"), if n == 1 { "was" } else { "were" });
        let times = match evicted_again {
            0 => String::new(),
            _ => format!(", {evicted} times in all, and read on from the middle under the same number"),
        };
        warn(format_args!(
            "{conversations} {verb} given up to bound memory{times}: --limit raises conversations or buffered_bytes"
        ));
    }
    for (name, n) in seen
        .counters
        .account
        .limits
        .iter()
        .filter(|(name, _)| LIMITS.iter().any(|limit| limit.name == **name) && !REPORTED_ELSEWHERE.contains(name))
    {
        warn(format_args!("the limit {name} was reached {}: --limit {name}=N raises it", Plural(*n, "time")));
    }
}

/// Reports that one leg of a proxy's recording was read.
pub fn leg(one: Option<Leg>, global: &Global) {
    if let Some(leg) = one {
        let name = leg.name();
        notify(global, format_args!("a proxy's recording: only the {name}'s leg is read (--leg)"));
    }
}

/// Reports the results to the user, and the account to the sink. Returns the place where a signal stopped the reading.
///
/// # Errors
/// Returns the error that ended the capture early.
pub fn report(mut seen: Summary, global: &Global, sink: &mut impl CaptureSink) -> ReadResult {
    if sink.reports() {
        print(&mut seen, global);
        if seen.frames == 0 && seen.error.is_none() && !seen.stopped {
            notify(global, format_args!("the capture has no frames"));
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
        notify(global, format_args!("no UDP and no TCP: {}", seen.others));
    }
    let stopped = interrupt::status(false).filter(|_| seen.stopped);
    Ok(stopped.map(|_| Stopped { read: seen.frames, span: seen.span }))
}

/// Dissects a file, or stdin for `-`: a capture or hex text.
///
/// # Errors
/// Returns errors with the file's name. Everything before the error was passed on.
pub fn file(path: &Path, options: &Options, global: &Global, sink: &mut dyn CaptureSink) -> ReadResult {
    input::announce_wait(path, global);
    let read = || anyhow::Ok(Input::new(input::open(path)?)?.reopening(input::again(path)));
    read().and_then(|input| whole(input, options, global, &mut Any(sink))).with_context(|| input::name(path))
}

/// Dissects one file, or several [joined](Join) ones.
///
/// # Errors
/// Fails like [`file`]. Errors of joined files after the first were reported.
pub fn files(
    paths: &[PathBuf],
    join: bool,
    options: &Options,
    global: &Global,
    sink: &mut dyn CaptureSink,
) -> ReadResult {
    if let ([path], false) = (paths, join) {
        return file(path, options, global, sink);
    }
    let (capture, broken) = Join::new(paths)?.open(&Files::default(), global)?;
    sink.begin();
    let stopped = frames(capture, options, global, &mut Any(sink))?;
    broken.whole()?;
    Ok(stopped)
}

/// Dissects a capture or hex text.
///
/// # Errors
/// Fails like [`file`], without its name.
pub fn whole(input: Input, options: &Options, global: &Global, sink: &mut impl CaptureSink) -> ReadResult {
    sink.begin();
    // If the user stops the wait, there is no input, which is not an error.
    if input.data().is_empty() && !stop().is_set() {
        anyhow::bail!("it is empty");
    }
    if input.format().is_none() {
        return hex::text(BufReader::new(input), false, hex::Bytes::Detect, options, global, &mut Any(sink)).map_err(
            |error| match error.is::<hex::Unreadable>() {
                true => error,
                false => error.context("neither pcap nor pcapng, and no hex text"),
            },
        );
    }
    frames(Capture::new(input)?, options, global, sink)
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
