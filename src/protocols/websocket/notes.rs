//! The notes of the carrier's analysis. A dissector over WebSocket lists these as well.

use crate::dissect::NoteDoc;
use crate::dissect::dissector::warning;

/// A client's frame without mask.
pub const UNMASKED: NoteDoc = warning("websocket.unmasked", "a client's frame without mask: most servers refuse it");
/// A status other than 101.
pub const REFUSED: NoteDoc = warning("websocket.refused", "the upgrade was answered with a status other than 101");
