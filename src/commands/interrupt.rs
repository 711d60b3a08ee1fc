//! Ctrl-C and termination signals: the first one requests a clean stop, a later one exits at once.
//!
//! `timeout` signals its child and then its whole group, a shell that goes passes on the hangup that
//! the terminal sends as well: what comes within [`SAME`] of the first one is the same wish. To exit
//! on it would leave servers without a goodbye, which some never recover from.

use crate::platform::{self, INTERRUPT};
use netkit::live::net::CancelToken;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// Signals that come so soon after each other are one. Leaving a server takes about as long.
const SAME: Duration = Duration::from_secs(1);

static STOP: OnceLock<CancelToken> = OnceLock::new();
/// When the first signal was received.
static SINCE: OnceLock<Instant> = OnceLock::new();
/// The first signal received; 0: none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// What a capture that runs does at the first signal, and before the program ends at once.
static CAPTURING: OnceLock<Capturing> = OnceLock::new();

/// Whom the first signal is for, and what ends it at once.
struct Capturing {
    ask: fn() -> bool,
    kill: fn(),
}

/// While a program captures for us, the first signal goes to `ask`: where it says `true`, the capture
/// ends, and sets [`stop`] behind what it has captured until then. `kill` is called before a second
/// signal ends the program.
pub fn while_capturing(ask: fn() -> bool, kill: fn()) {
    let _ = CAPTURING.set(Capturing { ask, kill });
    stop();
}

/// What is to be done where a second signal ends the program at once.
static AT_ONCE: OnceLock<fn()> = OnceLock::new();

/// Calls `clean` before a second signal ends the program at once; the first call counts.
pub fn before_exit(clean: fn()) {
    let _ = AT_ONCE.set(clean);
}

/// The flag for a clean stop. After the first call, Ctrl-C, SIGTERM and SIGHUP set it; output in
/// progress is completed, and servers are left in an orderly way.
pub fn stop() -> &'static CancelToken {
    STOP.get_or_init(|| {
        let stop = CancelToken::default();
        let ours = stop.clone();
        // Without signal handlers, signals just end the program.
        let _ = platform::catch_signals(move |signal| caught(signal, &ours));
        stop
    })
}

/// The exit status of a run stopped by a signal, as in shells: 130, 143, 129. `endless`: the input
/// has no end of its own, so Ctrl-C completes it.
pub fn status(endless: bool) -> Option<u8> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        INTERRUPT if endless => None,
        signal => Some(128 + signal),
    }
}

/// Whether SIGHUP asks for something else than to stop, and whether it has.
static KEEPS: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
/// SIGHUP's number.
const HANGUP: u8 = 1;

/// From now on SIGHUP does not stop the program: [`hung_up`] tells of it.
pub fn keep_on_hangup() {
    KEEPS.store(true, Ordering::Relaxed);
}

/// Has SIGHUP come since the last call?
pub fn hung_up() -> bool {
    ASKED.swap(false, Ordering::Relaxed)
}

/// Handles a signal.
fn caught(signal: u8, stop: &CancelToken) {
    if signal == HANGUP && KEEPS.load(Ordering::Relaxed) {
        return ASKED.store(true, Ordering::Relaxed);
    }
    if SIGNAL.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        SINCE.get_or_init(Instant::now);
        if CAPTURING.get().is_some_and(|capturing| (capturing.ask)()) {
            return;
        }
        return stop.set();
    }
    if SINCE.get_or_init(Instant::now).elapsed() < SAME {
        return;
    }
    if let Some(clean) = AT_ONCE.get() {
        clean();
    }
    if let Some(capturing) = CAPTURING.get() {
        (capturing.kill)();
    }
    std::process::exit(128 + i32::from(signal));
}
