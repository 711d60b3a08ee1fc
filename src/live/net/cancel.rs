//! The request to stop, by the user or a deadline. Every wait and every loop that reads checks it.

use crate::live::NetError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest wait without a check of the request to stop.
pub const SLICE: Duration = Duration::from_millis(50);
/// The time that a conversation may still take to leave its peer after the request to stop.
pub const LEAVING: Duration = Duration::from_secs(1);

/// Set once, by Ctrl-C, or from a deadline on.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    set: Arc<AtomicBool>,
    /// The deadline, and the time that was allowed until then.
    deadline: Option<(Instant, Duration)>,
}

impl CancelToken {
    /// Requests an orderly stop from everything that checks this token, or tokens made from it.
    pub fn set(&self) {
        self.set.store(true, Ordering::Relaxed);
    }

    /// Whether the user wants to stop.
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed)
    }

    /// Returns the same token with a deadline: `most` from now on, or this token's own, if that is earlier.
    #[must_use]
    pub fn within(&self, most: Duration) -> CancelToken {
        let own = Instant::now().checked_add(most).map(|at| (at, most));
        let deadline = match (self.deadline, own) {
            (Some(old), Some(new)) => Some(if old.0 <= new.0 { old } else { new }),
            (old, new) => old.or(new),
        };
        CancelToken { set: Arc::clone(&self.set), deadline }
    }

    /// Checks whether to stop.
    ///
    /// # Errors
    /// [`NetError::Interrupted`] if the user wants to stop, [`NetError::MaxTime`] after the deadline.
    pub fn check(&self) -> Result<(), NetError> {
        match self.deadline {
            _ if self.is_set() => Err(NetError::Interrupted),
            Some((at, most)) if Instant::now() >= at => Err(NetError::MaxTime(most)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_the_deadline_and_both() {
        let token = CancelToken::default();
        assert!(token.check().is_ok());
        let over = token.within(Duration::ZERO);
        assert!(matches!(over.check(), Err(NetError::MaxTime(Duration::ZERO))) && !over.is_set());
        // The earlier deadline counts. A time beyond the clock's range is no deadline.
        assert!(over.within(Duration::from_secs(60)).check().is_err());
        let later = token.within(Duration::MAX).within(Duration::from_secs(3600));
        assert!(later.check().is_ok());
        token.set();
        assert!(matches!(later.check(), Err(NetError::Interrupted)) && later.is_set());
        assert!(matches!(over.check(), Err(NetError::Interrupted)), "the user comes first");
    }
}
