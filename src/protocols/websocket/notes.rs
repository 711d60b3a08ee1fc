//! The notes of the carrier's analysis. A dissector over WebSocket lists these as well.

use crate::dissect::NoteDoc;

/// A client's frame without mask.
pub const UNMASKED: NoteDoc = NoteDoc {
    code: "websocket.unmasked",
    level: "warning",
    doc: "a client's frame without mask: most servers refuse it",
};
/// A status other than 101.
pub const REFUSED: NoteDoc = NoteDoc {
    code: "websocket.refused",
    level: "warning",
    doc: "the upgrade was answered with a status other than 101",
};
