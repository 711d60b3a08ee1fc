//! How large a file may become.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many bytes a file may still take. All that write into it share one.
///
/// ```
/// use netkit::capture::Bound;
///
/// let bound = Bound::new(10);
/// assert!(bound.take(7) && !bound.clone().take(4) && bound.take(3));
/// assert!(Bound::default().take(usize::MAX));
/// ```
#[derive(Clone, Debug)]
pub struct Bound(Arc<AtomicUsize>);

impl Default for Bound {
    /// Whatever there is.
    fn default() -> Bound {
        Bound::new(usize::MAX)
    }
}

impl Bound {
    /// So many bytes.
    pub fn new(bytes: usize) -> Bound {
        Bound(Arc::new(AtomicUsize::new(bytes)))
    }

    /// Takes room for so many bytes, or none where there is not enough.
    pub fn take(&self, bytes: usize) -> bool {
        let taken = |left: usize| left.checked_sub(bytes);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }
}
