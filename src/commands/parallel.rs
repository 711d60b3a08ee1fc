//! Reading of a capture with several threads: one reads the file and distributes its conversations
//! to lanes, which any of them dissects.

use super::read::{ReadSummary, dissect};
use super::sink::CaptureSink;
use netkit::capture::{Capture, Input, Packets};
use netkit::dissect::Options;
use netkit::dissect::inspector::{Crew, Dispatcher, Outlet, Worker};
use std::path::Path;
use std::thread;

/// Smaller files are done before a second thread has started.
const SMALL: u64 = 4 << 20;
/// The maximum number of threads: more would wait for the reader.
const MOST: usize = 8;

/// The number of threads worth using; `requested` is the user's choice.
pub fn threads(path: &Path, requested: Option<usize>, watched: bool) -> usize {
    let Some(about) = std::fs::metadata(path).ok().filter(|about| about.is_file()) else { return 1 };
    match requested {
        Some(n) => n.clamp(1, MOST),
        None if about.len() < SMALL || watched => 1,
        None => thread::available_parallelism().map_or(1, |n| n.get().min(MOST)),
    }
}

/// Reads a capture with as many threads as there are sinks of lanes; `mine` receives the messages
/// of those conversations that only one thread can read.
///
/// # Errors
/// It is not a capture; errors while reading are part of the returned summary.
pub fn shared<W: Worker>(
    input: Input,
    options: &Options,
    lanes: &mut [W],
    mine: &mut impl CaptureSink,
    outlet: &dyn Outlet,
) -> anyhow::Result<ReadSummary> {
    let mut packets = Packets::new(Capture::new(input)?).caps(options.limits.fragments);
    let helpers = lanes.len().saturating_sub(1);
    let crew = Crew::new(options, lanes, outlet);
    let mut seen = thread::scope(|scope| {
        let watch = crew.watch();
        for _ in 0..helpers {
            scope.spawn(|| crew.work());
        }
        let seen = dissect(&mut packets, options, Some(Dispatcher::new(&crew)), mine);
        crew.work();
        drop(watch);
        seen
    });
    for (counters, flows) in crew.counters() {
        seen.add(&counters, &flows);
    }
    Ok(seen)
}
