//! Memory that sessions use again.

use std::any::Any;

/// Memory of any kind, for whoever has the turn: what a session needs only while it reads a message
/// is not its own, or 100,000 conversations would each keep some.
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

/// More kinds than the protocols have.
const KINDS: usize = 16;

impl Scratch {
    /// What was last given back of this kind; a new one where there is none.
    pub fn take<T: Any + Send + Default>(&mut self) -> Box<T> {
        let place = self.0.iter().position(|any| any.is::<T>());
        let found = place.map(|place| self.0.swap_remove(place));
        found.and_then(|any| any.downcast().ok()).unwrap_or_default()
    }

    /// Gives it back.
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
    /// Another one, which has nothing yet.
    fn clone(&self) -> Scratch {
        Scratch::default()
    }
}
