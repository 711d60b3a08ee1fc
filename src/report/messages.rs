//! The messages of the page: those that are kept, and their data.

use super::{Context, Html};
use crate::dissect::{Message, Options};

/// Messages with their trees and bytes, up to a bound.
#[derive(Debug)]
pub struct Messages {
    limit: usize,
}

impl Messages {
    /// At most `limit` messages.
    pub fn new(limit: usize, _: &Options) -> Messages {
        Messages { limit }
    }

    /// A message.
    pub fn message(&mut self, _: &Message<'_>) {}

    /// The section.
    pub fn section(&self, _: &Context<'_>, _: &mut Html) {
        let _ = self.limit;
    }
}
