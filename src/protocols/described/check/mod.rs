//! Checks a description by captures: counts, and the first of each finding, as text and as JSON.

mod excerpt;
mod json;
mod rejected;
mod tally;
mod text;

pub(crate) use tally::{CaptureTally, Seen};

use super::Described;
use crate::codec::schema::SchemaError;
use crate::read::Stopped;
use tally::Tally;

/// The findings for a file.
pub(crate) struct Findings {
    /// Its name.
    pub(crate) file: String,
    /// The protocol, if the file has no mistakes.
    pub(crate) described: Option<&'static Described>,
    /// The mistakes of the file.
    pub(crate) mistakes: Vec<SchemaError>,
    /// Those for each capture.
    pub(crate) captures: Vec<Capture>,
    /// The file's messages that occur in no capture; `None`: there are no captures.
    pub(crate) unseen: Option<Vec<String>>,
}

/// The findings for a capture.
pub(crate) struct Capture {
    /// Its name.
    pub(crate) name: String,
    /// The counts, and the first of each finding.
    pub(crate) tally: Tally,
    /// The place where a signal stopped the reading, if one did.
    pub(crate) stopped: Option<Stopped>,
    /// The reason why it could not be read to its end.
    pub(crate) error: Option<String>,
}

impl Findings {
    /// Whether a packet of a capture was tried.
    fn tried(&self) -> bool {
        self.captures.iter().any(|capture| capture.tally.tried() > 0)
    }

    /// Whether there are no errors. `empty`: captures without the protocol's packets are accepted.
    pub(crate) fn hold(&self, empty: bool) -> bool {
        self.mistakes.is_empty()
            && self.captures.iter().all(|capture| capture.tally.holds())
            && (self.tried() || empty || self.captures.is_empty())
    }
}
