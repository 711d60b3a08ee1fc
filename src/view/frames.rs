//! The frames of the input, which are read again when they are written.

use std::path::Path;
use std::sync::Arc;

/// Writes the frames with these numbers into a new capture. Returns how many there were, or why it failed.
type Write = dyn Fn(&Path, &[u64]) -> Result<u64, String> + Send + Sync;

/// Access to the frames of the input.
#[derive(Clone)]
pub struct Frames(pub Arc<Write>);

impl std::fmt::Debug for Frames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Frames").finish_non_exhaustive()
    }
}
