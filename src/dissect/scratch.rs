//! Memory shared by sessions.

use std::any::Any;

/// A pool of memory of any type. Sessions borrow memory that they need only while they read a message; otherwise each
/// of 100,000 conversations would hold some.
///
/// ```
/// use netkit::dissect::Scratch;
/// let mut scratch = Scratch::default();
/// let mut buffer = scratch.take::<Vec<u8>>();
/// buffer.extend(*b"inflated");
/// scratch.give(buffer);
/// assert_eq!(*scratch.take::<Vec<u8>>(), b"inflated");
/// ```
#[derive(Default)]
pub struct Scratch(Vec<Box<dyn Any + Send>>);

/// More than the number of types that the protocols have.
const KINDS: usize = 16;

impl Scratch {
    /// Takes the memory of this type that was returned last; new memory if there is none.
    pub fn take<T: Any + Send + Default>(&mut self) -> Box<T> {
        let place = self.0.iter().position(|any| any.is::<T>());
        let found = place.map(|place| self.0.swap_remove(place));
        found.and_then(|any| any.downcast().ok()).unwrap_or_default()
    }

    /// Returns memory to the pool.
    pub fn give<T: Any + Send>(&mut self, memory: Box<T>) {
        if self.0.len() < KINDS {
            self.0.push(memory);
        }
    }
}

impl std::fmt::Debug for Scratch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scratch").field("kinds", &self.0.len()).finish()
    }
}

impl Clone for Scratch {
    /// A new, empty pool.
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}
