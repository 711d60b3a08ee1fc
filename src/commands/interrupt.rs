//! Ctrl-C: the first one is a wish to stop, the second one ends the program.

use netkit::live::net::CancelToken;
use std::sync::OnceLock;

/// The status of what was stopped before its end, as shells have it.
pub const STATUS: u8 = 130;

static STOP: OnceLock<CancelToken> = OnceLock::new();

/// The user's wish to stop. From the first call on Ctrl-C sets it, and what was begun is completed:
/// arrays get their end, servers their goodbye.
pub fn stop() -> &'static CancelToken {
    STOP.get_or_init(|| {
        let stop = CancelToken::default();
        let by_user = stop.clone();
        // Where it cannot be caught, it ends the program as ever.
        let _ = ctrlc::set_handler(move || match by_user.is_set() {
            true => std::process::exit(STATUS.into()),
            false => by_user.set(),
        });
        stop
    })
}
