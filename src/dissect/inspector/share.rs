//! Several inspectors of one capture, and what each has counted.

use super::Strangers;
use crate::dissect::{Message, Sink};
use std::collections::BTreeMap;

/// What was counted on the way, for `-v` and the end of a run.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// Conversations claimed, by protocol and reason.
    pub claimed: BTreeMap<(&'static str, &'static str), u64>,
    /// Packets of conversations that are none of ours, by transport.
    pub foreign: BTreeMap<&'static str, u64>,
    /// Which ones these are, and which were given up.
    pub strangers: Strangers,
}

/// Which of several inspectors this one is, that all see every packet of a capture: each reads the
/// conversations of its share, and passes over the others.
///
/// Everything that one conversation tells about another (known servers, announced ones, sessions
/// that [share what they learn](crate::dissect::Session::shares)) is done by all of them, so that each one's
/// messages are what a single inspector would have made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Which one, from 0.
    pub index: u64,
    /// How many there are, at least 1.
    pub of: u64,
}

impl Share {
    /// Everything.
    pub const ALL: Share = Share { index: 0, of: 1 };

    #[inline(always)]
    pub(super) fn has(self, flow: u64) -> bool {
        self.of <= 1 || flow % self.of == self.index
    }
}

/// The sink of conversations that are another one's share.
pub(super) struct Nobody;

impl Sink for Nobody {
    fn message(&mut self, _message: &Message<'_>) {}
}
