//! The notes of Riptide's analysis.

use crate::dissect::dissector::note;
use crate::dissect::{NoteDoc, payload};

/// All notes.
pub const NOTES: &[NoteDoc] = &[
    note("riptide.acked_by", "note", "an ack: which messages it acknowledges for the first time, and after how long"),
    note("riptide.resent", "note", "copy 2 or more of a reliable message that no ack has named yet"),
    note("riptide.duplicate", "note", "copy 2 or more of a reliable message that was acknowledged already"),
    note(
        "riptide.given_up",
        "warning",
        "copy 15, the library's last: 2.0 drops the message, 2.1 and later the connection",
    ),
    note("riptide.goes_on", "note", "a copy after that: its application allows more, and nothing was given up"),
    note("riptide.never_acked", "warning", "a disconnect, while reliable messages are not acknowledged: which"),
    note("riptide.gap", "note", "a new message more than one above the newest: how many are missing"),
    note("riptide.late", "note", "a new message with a number below the newest"),
    note("riptide.gap_bug", "warning", "a jump at which the receiving library is known to fail"),
    note(
        "riptide.handled_twice",
        "warning",
        "a copy that passes the receiver's filter: its application gets the message again",
    ),
    note(
        "riptide.never_handled",
        "warning",
        "a message that the receiver's filter drops, although it never got it before",
    ),
    note(
        "riptide.ack_ahead",
        "warning",
        "an ack for a message newer than the newest it says it has: the 2.0 bug at work",
    ),
    note("riptide.acked_unseen", "warning", "an ack of a message that is not in this capture"),
    note("riptide.server_stopped_misencoded", "note", "05 05: server_stopped as 2.1.0 to 2.2.0 pack it"),
    note("riptide.pending", "note", "a connect from the server: the application decides later"),
    note("riptide.unknown_type", "warning", "a type above the known ones"),
    payload::TRAILING,
    note("riptide.trailing", "warning", "bytes after a whole message"),
    note("riptide.unexpected_data", "warning", "data after a reason that has none"),
    note("riptide.message_id", "warning", "an id longer than it has to be, or above 65535: the library uses another"),
    note("riptide.empty_datagram", "error", "a datagram of 0 bytes: a C# server on Linux never reads again"),
    note("riptide.version", "note", "the conversation is read as another version from here on"),
    note("riptide.too_big", "note", "longer than the library's default limit"),
];
