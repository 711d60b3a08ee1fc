//! Ctrl-C and termination signals: the first one requests a clean stop, a later one exits at once.
//!
//! `timeout` signals its child and then its whole group. A shell that exits passes on the hangup that the terminal also
//! sends. Signals within [`same`] of the first one therefore count as the same. Exiting on them would leave servers
//! without a goodbye, and some servers never recover from that.

use crate::live::net::CancelToken;
use crate::platform::{self, INTERRUPT};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// The time after the first signal in which this one counts as the same. Nobody presses Ctrl-C twice as fast; the
/// second one of a program may be late on a busy machine.
fn same(signal: u8) -> Duration {
    Duration::from_millis(if signal == INTERRUPT { 150 } else { 1000 })
}

static STOP: OnceLock<CancelToken> = OnceLock::new();
/// The time of the first signal.
static SINCE: OnceLock<Instant> = OnceLock::new();
/// The first signal received; 0: none.
static SIGNAL: AtomicU8 = AtomicU8::new(0);

/// The functions of a running capture, which are called at the first signal, and before the program exits at once.
static CAPTURING: OnceLock<Capturing> = OnceLock::new();

/// The functions of a running capture.
struct Capturing {
    ask: fn() -> bool,
    kill: fn(),
}

/// Passes the first signal to `ask` while a program captures. If `ask` returns true, the capture ends, and sets
/// [`stop`] after the frames captured so far. `kill` is called before a second signal ends the program.
pub fn while_capturing(ask: fn() -> bool, kill: fn()) {
    let _ = CAPTURING.set(Capturing { ask, kill });
    stop();
}

/// The function to call before a second signal ends the program at once.
static AT_ONCE: OnceLock<fn()> = OnceLock::new();

/// Calls `clean` before a second signal ends the program at once; the first call counts.
pub fn before_exit(clean: fn()) {
    let _ = AT_ONCE.set(clean);
}

/// Called at the first signal.
static AT_FIRST: OnceLock<Box<dyn Fn() + Send + Sync>> = OnceLock::new();

/// Calls `wake` at the first signal, for whoever waits for something else than input; the first call counts.
pub fn at_first(wake: impl Fn() + Send + Sync + 'static) {
    let _ = AT_FIRST.set(Box::new(wake));
    stop();
}

/// Returns the flag for a clean stop. After the first call, Ctrl-C, SIGTERM and SIGHUP set it. Output in progress is
/// completed, and servers are left in an orderly way.
pub fn stop() -> &'static CancelToken {
    STOP.get_or_init(|| {
        let stop = CancelToken::default();
        let ours = stop.clone();
        // Without signal handlers, a signal ends the program.
        let _ = platform::catch_signals(move |signal| caught(signal, &ours));
        stop
    })
}

/// Returns the exit status of a run stopped by a signal, as in shells: 130, 143, 129. `endless`: the input has no end
/// of its own, so Ctrl-C completes it.
pub fn status(endless: bool) -> Option<u8> {
    match SIGNAL.load(Ordering::Relaxed) {
        0 => None,
        INTERRUPT if endless => None,
        signal => Some(128 + signal),
    }
}

/// Whether SIGHUP has a meaning other than to stop, and whether it has arrived.
static KEEPS: AtomicBool = AtomicBool::new(false);
static ASKED: AtomicBool = AtomicBool::new(false);
/// SIGHUP's number.
const HANGUP: u8 = 1;

/// Makes SIGHUP no longer stop the program; [`hung_up`] reports it instead.
pub fn keep_on_hangup() {
    KEEPS.store(true, Ordering::Relaxed);
}

/// Whether SIGHUP has arrived since the last call.
pub fn hung_up() -> bool {
    ASKED.swap(false, Ordering::Relaxed)
}

/// The terminal is gone, which SIGHUP has not reported: a shell, or `nohup`, may keep it from programs.
pub fn terminal_gone() {
    KEEPS.store(false, Ordering::Relaxed);
    if SIGNAL.load(Ordering::Relaxed) == 0 {
        caught(HANGUP, stop());
    }
}

/// Whether further Ctrl-C are for another program.
static ONCE: AtomicBool = AtomicBool::new(false);

/// From now on only the first Ctrl-C counts: a pager reads the keys.
pub fn once() {
    stop();
    ONCE.store(true, Ordering::Relaxed);
}

/// Handles a signal.
fn caught(signal: u8, stop: &CancelToken) {
    if signal == HANGUP && KEEPS.load(Ordering::Relaxed) {
        return ASKED.store(true, Ordering::Relaxed);
    }
    if SIGNAL.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
        SINCE.get_or_init(Instant::now);
        AT_FIRST.get().into_iter().for_each(|wake| wake());
        if CAPTURING.get().is_some_and(|capturing| (capturing.ask)()) {
            return;
        }
        return stop.set();
    }
    let pager = signal == INTERRUPT && ONCE.load(Ordering::Relaxed);
    if pager || SINCE.get_or_init(Instant::now).elapsed() < same(signal) {
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
