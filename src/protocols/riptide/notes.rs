//! The notes of Riptide's analysis.

use crate::dissect::dissector::{error, note, warning};
use crate::dissect::{GAP, NoteDoc, payload};

/// All notes.
pub const NOTES: &[NoteDoc] = &[
    note("riptide.acked_by", "an ack: which messages it acknowledges for the first time, and after how long"),
    note("riptide.resent", "copy 2 or more of a reliable message that no ack has named yet"),
    note("riptide.duplicate", "copy 2 or more of a reliable message that was acknowledged already"),
    warning("riptide.given_up", "copy 15, the library's last: 2.0 drops the message, 2.1 and later the connection"),
    note("riptide.goes_on", "a copy after that: its application allows more, or the network repeated one"),
    warning("riptide.never_acked", "a disconnect, while reliable messages are not acknowledged: which"),
    note("riptide.gap", "a new message more than one above the newest: how many are missing"),
    note("riptide.late", "a new message with a number below the newest"),
    warning("riptide.gap_bug", "a jump at which the receiving library is known to fail"),
    warning(
        "riptide.handled_twice",
        "a copy that passes the receiver's filter: its application gets the message again",
    ),
    warning("riptide.never_handled", "a message that the receiver's filter drops, although it never got it before"),
    warning("riptide.ack_ahead", "an ack for a message newer than the newest it says it has: the 2.0 bug at work"),
    warning("riptide.acked_unseen", "an ack of a message that is not in this capture"),
    note("riptide.server_stopped_misencoded", "05 05: server_stopped as 2.1.0 to 2.2.0 pack it"),
    note("riptide.pending", "a connect from the server: the application decides later"),
    warning("riptide.unknown_type", "a type above the known ones"),
    payload::TRAILING,
    warning("riptide.trailing", "bytes after a whole message"),
    warning("riptide.unexpected_data", "data after a reason that has none"),
    warning("riptide.message_id", "an id longer than it has to be, or above 65535: the library uses another"),
    error("riptide.empty_datagram", "a datagram of 0 bytes: a C# server on Linux never reads again"),
    note("riptide.version", "the conversation is read as another version from here on"),
    note("riptide.too_big", "longer than the library's default limit"),
    GAP,
];
