//! What the user's rules made of a recorded message.

use crate::live::rules::Put;
use std::time::Duration;

/// What the rules made of a recorded message.
#[derive(Clone, Debug, Default)]
pub struct Changed {
    /// What was put where.
    pub puts: Vec<Put>,
    /// How much later it is said than it would have been: real time, whatever the speed.
    pub delay: Duration,
    /// It is said so often beside the first time.
    pub copies: u32,
    /// The rules that were followed.
    pub rules: Vec<usize>,
    /// Why one cannot be followed.
    pub wrong: Option<String>,
}
