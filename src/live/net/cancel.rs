//! The user's wish to stop, seen by every wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The longest that any wait goes without looking whether it is to stop.
pub const SLICE: Duration = Duration::from_millis(50);

/// Set once, by Ctrl-C.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// CancelToken, politely.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Is it time to stop?
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
