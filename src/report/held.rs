//! The messages that a page shows, with their relations to later messages.

use super::entry::Entry;
use crate::dissect::{Relation, Target};
use crate::flow::Transport;
use crate::plural::Plural;
use rustc_hash::FxHashMap;

/// The most messages of a page: browsers limit the height of a list.
pub const MOST: usize = 500_000;

/// Protocol, version and message.
pub type Kind = (&'static str, Option<&'static str>, &'static str);

/// The endpoints of a conversation.
#[derive(Clone, Debug)]
pub struct Ends {
    /// Both addresses, by side.
    pub names: [String; 2],
    /// The server's side, if it is known.
    pub server: Option<usize>,
    /// UDP or TCP.
    pub transport: Transport,
    /// The number of its messages since the first one that is held.
    pub(super) messages: u64,
}

/// The messages that a page shows.
#[derive(Debug)]
pub struct Held<'a> {
    /// The messages, in the order of the capture.
    pub entries: Vec<&'a Entry>,
    /// All kinds of messages.
    pub kinds: &'a [Kind],
    /// The conversations.
    pub flows: &'a FxHashMap<u64, Ends>,
    /// The number of messages in the capture.
    pub seen: u64,
    /// The number of messages with a warning or a fault.
    pub warned: u64,
    /// Whether the limit of bytes, not that of messages, was reached.
    pub(super) heavy: bool,
    /// Relations of later messages to earlier ones, sorted by the earlier message.
    pub(super) later: Vec<(Target, Relation)>,
}

impl Held<'_> {
    /// Returns the relations of later messages to this one.
    pub fn later(&self, entry: &Entry) -> &[(Target, Relation)] {
        let start = self.later.partition_point(|(target, _)| *target < entry.own);
        let rest = self.later.get(start..).unwrap_or(&[]);
        let end = if entry.own.index == 0 { 0 } else { rest.partition_point(|(target, _)| *target == entry.own) };
        rest.get(..end).unwrap_or(&[])
    }

    /// Returns the number of messages that are left out.
    pub fn left_out(&self) -> u64 {
        self.seen.saturating_sub(self.entries.len() as u64)
    }

    /// Returns a sentence about the messages that are left out, if any are.
    pub fn omission(&self) -> Option<String> {
        if self.left_out() == 0 {
            return None;
        }
        if self.entries.is_empty() {
            return Some(format!("None of the {} is in this page.", Plural(self.seen, "message")));
        }
        let held = self.entries.iter().filter(|entry| entry.warned()).count() as u64;
        let which = match self.warned {
            0 => "the first".to_owned(),
            all if held == all => format!(
                "{} with a warning or a fault, those of its conversation around it, then the first",
                if all == 1 { "the one".to_owned() } else { format!("the {all}") }
            ),
            all => format!("{held} of the {all} with a warning or a fault"),
        };
        let why = match self.heavy {
            true => "With more, the page would be too large.",
            false if self.entries.len() >= MOST => "This is the most that a page can have.",
            false => "--messages N keeps more.",
        };
        Some(format!(
            "This page holds {} of {}: {which}. {why} Charts and tables are over all of them.",
            self.entries.len(),
            Plural(self.seen, "message"),
        ))
    }
}
