//! The changes that the user's rules make to a recorded message.

use crate::live::rules::Put;
use std::time::Duration;

/// The changes that the rules make to a recorded message.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// The new values and their places.
    pub puts: Vec<Put>,
    /// The additional delay before it is sent, in real time, whatever the speed.
    pub delay: Duration,
    /// The number of copies that are sent in addition.
    pub copies: u32,
    /// The rules that were applied.
    pub rules: Vec<usize>,
    /// The reason why a rule cannot be applied.
    pub wrong: Option<String>,
}
