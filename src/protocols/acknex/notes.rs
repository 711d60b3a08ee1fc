//! The notes of Acknex's analysis.

use crate::dissect::NoteDoc;
use crate::dissect::dissector::{error, note, warning};

/// All notes.
pub const NOTES: &[NoteDoc] = &[
    error("acknex.unknown_command", "a command that no table has: encrypted, a transport header, A5, another library"),
    error("acknex.wrong_direction", "a command that only the other side sends"),
    error("acknex.undefined_parameter", "an update with a bit that no manual defines"),
    warning("acknex.direction_unknown", "a command whose layout depends on who sent it, which is not known"),
    note("acknex.version", "the datagram that made the conversation a5"),
    note("acknex.position_width", "the datagram with which the width of coordinates changes"),
    note("acknex.angle_other_reading", "the byte order of angles is open: what they are low byte first"),
    warning("acknex.angle_order", "angles turn smoothly in the order that was not in use"),
    note("acknex.skin_order", "once a conversation: skin, ambient and albedo may be permuted"),
    note("acknex.create_answered", "the server's answer to a client's create, with the exact round trip"),
    note("acknex.identifier_unknown", "a create of the server that no client asked for"),
    warning("acknex.client_silent", "a client was silent for more than 5 s: the server drops it then"),
    note("acknex.unknown_offset", "a skill at an offset at which no member is known"),
    note("acknex.short_index", "a client's remove with two bytes: perhaps a 16 bit number"),
];
