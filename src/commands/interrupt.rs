//! Ctrl-C, and the signals that ask a program to end: the first one is a wish to stop, the second
//! one ends the program.

use netkit::live::net::Stop;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

/// The number of Ctrl-C's signal, on every system.
const INTERRUPT: u8 = 2;

static STOP: OnceLock<Stop> = OnceLock::new();
/// The first signal that came; 0: none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// The user's wish to stop. From the first call on Ctrl-C, SIGTERM and SIGHUP set it, and what was
/// begun is completed: arrays get their end, servers their goodbye.
pub fn stop() -> &'static Stop {
    STOP.get_or_init(|| {
        let stop = Stop::default();
        // Where signals cannot be caught, they end the program as ever.
        let _ = catch(stop.clone());
        stop
    })
}

/// The exit status of what a signal has stopped, as shells have it: 130, 143, 129. `endless`: its
/// input has no end of its own, so that it is complete where Ctrl-C ends it.
pub fn status(endless: bool) -> Option<u8> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        INTERRUPT if endless => None,
        signal => Some(128 + signal),
    }
}

/// A signal came.
fn caught(signal: u8, stop: &Stop) {
    if SIGNAL.swap(signal, Ordering::Relaxed) == 0 {
        return stop.set();
    }
    super::outfile::abandon();
    std::process::exit(128 + i32::from(signal));
}

#[cfg(unix)]
fn catch(stop: Stop) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let mut wanted = vec![SIGINT, SIGTERM];
    // Under `nohup` it stays ignored.
    if !ignored(SIGHUP) {
        wanted.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(wanted)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            caught(signal as u8, &stop);
        }
    })?;
    Ok(())
}

/// Was the program started so that it ignores a signal? Known on Linux only.
#[cfg(unix)]
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 << (signal - 1) != 0)
}

#[cfg(not(unix))]
fn catch(stop: Stop) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || caught(INTERRUPT, &stop))
}
