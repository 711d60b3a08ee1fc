//! Groups that contain themselves: lists in lists of bencode and Redis, compounds of NBT.

use crate::codec::layout::Field;
use std::sync::OnceLock;

/// The most levels of such groups in one another.
pub const LEVELS: usize = 16;

/// The fields of a group that contains itself. The places in it that are such a group, too, are compiled before its fields are known.
#[derive(Debug, Default)]
pub struct Ring(OnceLock<&'static [Field]>);

impl Ring {
    /// The fields; none as long as they are not closed.
    pub fn fields(&self) -> &'static [Field] {
        self.0.get().copied().unwrap_or_default()
    }

    /// Sets the fields, once.
    pub fn close(&self, fields: &'static [Field]) {
        // It is closed by the one group that it was made for.
        let _ = self.0.set(fields);
    }
}
