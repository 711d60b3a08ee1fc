//! The wish to stop, seen by every wait and by every loop that reads: the user's, or a deadline.

use crate::live::NetError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest that any wait goes without looking whether it is to stop.
pub const SLICE: Duration = Duration::from_millis(50);
/// How long whoever is to stop may still take to leave a peer.
pub const LEAVING: Duration = Duration::from_secs(1);

/// Set once, by Ctrl-C; or from a moment on by the time.
#[derive(Clone, Debug, Default)]
pub struct CancelToken {
    set: Arc<AtomicBool>,
    /// The moment, and how long it was until then.
    deadline: Option<(Instant, Duration)>,
}

impl CancelToken {
    /// Stops whatever looks at it, and at tokens made of it, in an orderly way.
    pub fn set(&self) {
        self.set.store(true, Ordering::Relaxed);
    }

    /// Does the user want to stop?
    pub fn is_set(&self) -> bool {
        self.set.load(Ordering::Relaxed)
    }

    /// The same wish, and beside it a deadline: from now on so long, or the earlier one of this token.
    #[must_use]
    pub fn within(&self, most: Duration) -> CancelToken {
        let own = Instant::now().checked_add(most).map(|at| (at, most));
        let deadline = match (self.deadline, own) {
            (Some(old), Some(new)) => Some(if old.0 <= new.0 { old } else { new }),
            (old, new) => old.or(new),
        };
        CancelToken { set: Arc::clone(&self.set), deadline }
    }

    /// May it go on?
    ///
    /// # Errors
    /// [`NetError::Interrupted`] where the user wants to stop, [`NetError::MaxTime`] behind the
    /// deadline.
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
        // The earlier one counts, and a time that no clock has is none.
        assert!(over.within(Duration::from_secs(60)).check().is_err());
        let later = token.within(Duration::MAX).within(Duration::from_secs(3600));
        assert!(later.check().is_ok());
        token.set();
        assert!(matches!(later.check(), Err(NetError::Interrupted)) && later.is_set());
        assert!(matches!(over.check(), Err(NetError::Interrupted)), "the user comes first");
    }
}
