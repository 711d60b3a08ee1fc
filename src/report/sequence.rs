//! Sequence diagrams of conversations.

use super::{Context, Html};
use crate::dissect::{Message, Options};

/// The messages that sequence diagrams show.
#[derive(Debug)]
pub struct Sequences {}

impl Sequences {
    /// None, where no message is kept.
    pub fn new(_: usize, _: &Options) -> Sequences {
        Sequences {}
    }

    /// A message.
    pub fn message(&mut self, _: &Message<'_>) {}

    /// The section.
    pub fn section(&self, _: &Context<'_>, _: &mut Html) {}
}
