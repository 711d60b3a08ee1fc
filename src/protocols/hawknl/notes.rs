//! The notes about frames.

use crate::dissect::NoteDoc;

/// A frame that was never finished.
pub const UNFINISHED: NoteDoc = NoteDoc {
    code: "hawknl.unfinished",
    level: "warning",
    doc: "the stream ends inside a frame; a note for a lone header, which ends many sessions",
};

/// No frame at all.
pub const OUT_OF_SYNC: NoteDoc = NoteDoc {
    code: "hawknl.out_of_sync",
    level: "error",
    doc: "bytes where a header should be: the library never recovers, here the next header is searched",
};
