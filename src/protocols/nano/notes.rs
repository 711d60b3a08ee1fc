//! The notes of nano's analysis.

use crate::dissect::dissector::note;
use crate::dissect::{NoteDoc, payload};
use crate::protocols::websocket;

/// All notes.
pub const NOTES: &[NoteDoc] = &[
    note("nano.answers", "note", "a response: the frame of its request, and the time between"),
    note("nano.answered_before", "note", "a request whose response the capture has just before it"),
    note(
        "nano.unmatched_response",
        "warning",
        "a response whose id no open request has; a note where it is the next one's",
    ),
    note("nano.id_reused", "warning", "a request with the id of one that is still open"),
    note("nano.unknown_code", "warning", "a code that the dictionary lacks; a note where no dictionary was seen"),
    note("nano.before_ack", "warning", "data from the client before its ack, or from the server before its handshake"),
    note("nano.handshake_failed", "warning", "the server's answer has a code other than 200"),
    note("nano.handshake_again", "note", "a second handshake from the same side"),
    note("nano.wrong_direction", "warning", "what only the other side sends"),
    note("nano.name_cut", "note", "a handshake with routes or names of fields that are too long to be shown whole"),
    note("nano.inflates_too_far", "warning", "a compressed payload that would be many times its size: left as it is"),
    note("nano.not_json", "warning", "the body of a handshake or kick is not JSON"),
    note("nano.not_zlib", "warning", "compressed is set, but there is no whole zlib stream"),
    note("nano.protobuf", "warning", "where and why pomelo-protobuf could not be read on"),
    note("nano.unknown_member", "note", "JSON with a member that the schema lacks"),
    payload::TRAILING,
    note("nano.protos_unknown", "note", "the server uses protos that the client had cached: not in this capture"),
    note("nano.id_overlong", "warning", "an id longer than it has to be, or above 64 bits"),
    note("nano.route_not_utf8", "warning", "a route that is not a text"),
    note("nano.reserved_flags", "warning", "flags 64 or 128, which no program uses"),
    note("nano.unexpected_body", "warning", "a heartbeat or ack with a body"),
    note("nano.id_danger", "warning", "an id from 2^31 to 2^32-1 towards a server: hangs pomelo and pinus"),
    note("nano.over_limit", "note", "a body over 65536 bytes towards a server: nano refuses it"),
    note("nano.http_answer", "note", "bytes that begin HTTP/1.: an HTTP port was asked"),
    note("nano.heartbeat_late", "note", "a heartbeat later than twice sys.heartbeat after the side's one before"),
    note("nano.id_zero", "note", "a request with the id 0: servers do not answer it"),
    note("nano.server_kind", "note", "which server it is, by the keys of its handshake"),
    note("websocket.package_cut", "warning", "an unfinished package, given up because a message begins anew"),
    note("websocket.many_frames", "note", "not the first package of a message in many frames: listed there"),
    websocket::notes::UNMASKED,
    websocket::notes::REFUSED,
    note("tcp.gap", "warning", "bytes of the stream are missing before this message"),
];
