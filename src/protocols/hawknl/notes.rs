//! The notes about frames.

use crate::dissect::NoteDoc;
use crate::dissect::dissector::{error, warning};

/// A frame that was never finished.
pub const UNFINISHED: NoteDoc = warning(
    "hawknl.unfinished",
    "the stream ends inside a frame; a note for a lone header, which ends many sessions, and before missing bytes",
);

/// No frame at all.
pub const OUT_OF_SYNC: NoteDoc = error(
    "hawknl.out_of_sync",
    "bytes where a header should be: the library never recovers, here the next header is searched; a note after missing bytes",
);
