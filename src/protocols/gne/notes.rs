//! The notes of GNE's analysis.

use crate::dissect::NoteDoc;
use crate::dissect::dissector::note;
use crate::protocols::hawknl;

/// All notes, the carrier's first.
pub const NOTES: &[NoteDoc] = &[
    hawknl::notes::UNFINISHED,
    hawknl::notes::OUT_OF_SYNC,
    note("gne.order_unknown", "note", "a request or refusal whose build field shows no byte order: a prober's ff ff"),
    note("gne.refused", "note", "a refusal: the reason, with both sides' values; a warning for the byte order"),
    note("gne.size", "error", "a handshake message of another size than the library takes: 48, 44, 12, 4"),
    note("gne.game_name", "warning", "a game name without a zero byte, or with other bytes after it"),
    note("gne.port", "error", "a number that is not a port"),
    note("gne.udp_denied", "note", "the client asked for UDP and gets none"),
    note("gne.client_port_missing", "error", "the server gave a UDP port, but the client does not answer with its own"),
    note(
        "gne.unknown_id",
        "warning",
        "a packet without a layout: reserved, or of the application and without a schema",
    ),
    note("gne.trailing", "note", "bytes after the end marker"),
    note("gne.empty", "error", "a frame or datagram of 0 bytes: it ends the connection"),
    note("gne.frame_size", "error", "content over 512 bytes (handshake: 64): the receiver ends the connection"),
    note("gne.usec", "warning", "microseconds outside 0 to 999999"),
    note("gne.ping_reply", "note", "which request a ping answers; round trip and clock offset"),
    note(
        "gne.ping_unsolicited",
        "warning",
        "a ping reply without an open request; a note where that may be in bytes that cannot be read",
    ),
    note("gne.udp_source", "warning", "a datagram from another port than the client named"),
    note("gne.after_exit", "note", "packets after their sender's exit"),
];
