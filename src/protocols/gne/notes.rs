//! The notes of GNE's analysis.

use crate::dissect::dissector::{error, note, warning};
use crate::dissect::{GAP, NoteDoc};
use crate::protocols::hawknl;

/// All notes, the carrier's first.
pub const NOTES: &[NoteDoc] = &[
    hawknl::notes::UNFINISHED,
    hawknl::notes::OUT_OF_SYNC,
    note("gne.order_unknown", "a request or refusal whose build field shows no byte order: a prober's ff ff"),
    note("gne.refused", "a refusal: the reason, with both sides' values; a warning for the byte order"),
    error("gne.size", "a handshake message of another size than the library takes: 48, 44, 12, 4"),
    warning("gne.game_name", "a game name without a zero byte, or with other bytes after it"),
    error("gne.port", "a number that is not a port"),
    note("gne.udp_denied", "the client asked for UDP and gets none"),
    error("gne.client_port_missing", "the server gave a UDP port, but the client does not answer with its own"),
    warning("gne.unknown_id", "a packet without a layout: reserved, or of the application and without a schema"),
    note("gne.trailing", "bytes after the end marker"),
    error("gne.empty", "a frame or datagram of 0 bytes: it ends the connection"),
    error("gne.frame_size", "content over 512 bytes (handshake: 64): the receiver ends the connection"),
    warning("gne.usec", "microseconds outside 0 to 999999"),
    note("gne.ping_reply", "which request a ping answers; round trip and clock offset"),
    warning(
        "gne.ping_unsolicited",
        "a ping reply without an open request; a note where that may be before the capture, or in bytes that cannot be \
         read",
    ),
    warning("gne.udp_source", "a datagram from another port than the client named"),
    note("gne.after_exit", "packets after their sender's exit"),
    GAP,
];
