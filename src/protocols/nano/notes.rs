//! The notes of nano's analysis.

use crate::dissect::dissector::{note, warning};
use crate::dissect::{GAP, NoteDoc, payload};
use crate::protocols::websocket;

/// All notes.
pub const NOTES: &[NoteDoc] = &[
    note("nano.answers", "a response: the frame of its request, and the time between"),
    note("nano.answered_before", "a request whose response the capture has just before it"),
    warning("nano.unmatched_response", "a response whose id no open request has; a note where it is the next one's"),
    warning("nano.id_reused", "a request with the id of one that is still open"),
    warning("nano.unknown_code", "a code that the dictionary lacks; a note where no dictionary was seen"),
    warning("nano.before_ack", "data from the client before its ack, or from the server before its handshake"),
    warning("nano.handshake_failed", "the server's answer has a code other than 200"),
    note("nano.handshake_again", "a second handshake from the same side"),
    warning("nano.wrong_direction", "what only the other side sends"),
    note("nano.name_cut", "a handshake with routes or names of fields that are too long to be shown whole"),
    warning("nano.inflates_too_far", "a compressed payload that would be many times its size: left as it is"),
    warning("nano.not_json", "the body of a handshake or kick is not JSON"),
    warning("nano.not_zlib", "compressed is set, but there is no whole zlib stream"),
    warning("nano.protobuf", "where and why pomelo-protobuf could not be read on"),
    note("nano.unknown_member", "JSON with a member that the schema lacks"),
    payload::TRAILING,
    note("nano.protos_unknown", "the server uses protos that the client had cached: not in this capture"),
    warning("nano.id_overlong", "an id longer than it has to be, or above 64 bits"),
    warning("nano.route_not_utf8", "a route that is not a text"),
    warning("nano.reserved_flags", "flags 64 or 128, which no program uses"),
    warning("nano.unexpected_body", "a heartbeat or ack with a body"),
    warning("nano.id_danger", "an id from 2^31 to 2^32-1 towards a server: hangs pomelo and pinus"),
    note("nano.over_limit", "a body over 65536 bytes towards a server: nano refuses it"),
    note("nano.http_answer", "bytes that begin HTTP/1.: an HTTP port was asked"),
    note("nano.heartbeat_late", "a heartbeat later than twice sys.heartbeat after the side's one before"),
    note("nano.id_zero", "a request with the id 0: servers do not answer it"),
    note("nano.server_kind", "which server it is, by the keys of its handshake"),
    warning("websocket.package_cut", "an unfinished package, given up because a message begins anew"),
    note("websocket.many_frames", "a later package of a message in many frames: its first package lists them"),
    websocket::notes::UNMASKED,
    websocket::notes::REFUSED,
    GAP,
];
