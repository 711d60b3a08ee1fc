//! Ctrl-C, and the signals that ask a program to end: the first one is a wish to stop, the second
//! one ends the program.

use crate::platform::{self, INTERRUPT};
use netkit::live::net::CancelToken;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

static STOP: OnceLock<CancelToken> = OnceLock::new();
/// The first signal that came; 0: none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// The user's wish to stop. From the first call on Ctrl-C, SIGTERM and SIGHUP set it, and what was
/// begun is completed: arrays get their end, servers their goodbye.
pub fn stop() -> &'static CancelToken {
    STOP.get_or_init(|| {
        let stop = CancelToken::default();
        let ours = stop.clone();
        // Where signals cannot be caught, they end the program as ever.
        let _ = platform::catch_signals(move |signal| caught(signal, &ours));
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
fn caught(signal: u8, stop: &CancelToken) {
    if SIGNAL.swap(signal, Ordering::Relaxed) == 0 {
        return stop.set();
    }
    super::outfile::abandon();
    std::process::exit(128 + i32::from(signal));
}
