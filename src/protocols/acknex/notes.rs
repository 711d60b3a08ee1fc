//! The notes of Acknex's analysis.

use crate::dissect::NoteDoc;
use crate::dissect::dissector::note;

/// All notes.
pub const NOTES: &[NoteDoc] = &[
    note(
        "acknex.unknown_command",
        "error",
        "a command that no table has: encrypted, a transport header, A5, another library",
    ),
    note("acknex.wrong_direction", "error", "a command that only the other side sends"),
    note("acknex.undefined_parameter", "error", "an update with a bit that no manual defines"),
    note("acknex.direction_unknown", "warning", "a command whose layout depends on who sent it, which is not known"),
    note("acknex.version", "note", "the datagram that made the conversation a5"),
    note("acknex.position_width", "note", "the datagram with which the width of coordinates changes"),
    note("acknex.angle_other_reading", "note", "the byte order of angles is open: what they are low byte first"),
    note("acknex.angle_order", "warning", "angles turn smoothly in the order that was not in use"),
    note("acknex.skin_order", "note", "once a conversation: skin, ambient and albedo may be permuted"),
    note("acknex.create_answered", "note", "the server's answer to a client's create, with the exact round trip"),
    note("acknex.identifier_unknown", "note", "a create of the server that no client asked for"),
    note("acknex.client_silent", "warning", "a client was silent for more than 5 s: the server drops it then"),
    note("acknex.unknown_offset", "note", "a skill at an offset at which no member is known"),
    note("acknex.short_index", "note", "a client's remove with two bytes: perhaps a 16 bit number"),
];
