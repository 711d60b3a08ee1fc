//! A limit on the size of a file.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of bytes that a file may still take, shared by all its writers.
#[derive(Clone, Debug)]
pub struct Bound(Arc<AtomicUsize>);

impl Default for Bound {
    /// No limit.
    fn default() -> Bound {
        Bound::new(usize::MAX)
    }
}

impl Bound {
    /// A limit of this many bytes.
    pub fn new(bytes: usize) -> Bound {
        Bound(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Takes room for this many bytes. Returns false, and takes nothing, if there is not enough.
    pub fn take(&self, bytes: usize) -> bool {
        let taken = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn bytes_are_shared() {
        use crate::capture::Bound;

        let bound = Bound::new(10);
        assert!(bound.take(7) && !bound.clone().take(4) && bound.take(3));
        assert!(Bound::default().take(usize::MAX));
    }
}
