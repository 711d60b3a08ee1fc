//! What DNP's analysis may say.

use crate::protocols::NoteDoc;

const fn note(code: &'static str, level: &'static str, doc: &'static str) -> NoteDoc {
    NoteDoc { code, level, doc }
}

/// All notes.
pub const NOTES: &[NoteDoc] = &[
    note("dnp.acknowledges", "note", "success for a command that was seen: which, and the time since its last copy"),
    note("dnp.acknowledge_repeated", "note", "success for a command that was acknowledged before"),
    note("dnp.acknowledge_failed", "warning", "failed for a command that was seen: the sender resends at once"),
    note("dnp.acknowledge_unknown", "note", "an acknowledge, and no command of that number was seen"),
    note("dnp.retransmission", "note", "a copy with equal bytes, half of dnp.resend or more after the last"),
    note("dnp.duplicate", "note", "a copy with equal bytes sooner than that: the network made it"),
    note("dnp.changed_copy", "warning", "the same number with other bytes: receivers keep the first"),
    note("dnp.gap", "note", "a new number past the next one: which are missing"),
    note("dnp.out_of_order", "note", "a new number behind the highest"),
    note("dnp.out_of_window", "warning", "a new number 10 or more past the lowest missing one: receivers drop it"),
    note("dnp.number_65535", "warning", "a number that is no part of the count"),
    note("dnp.unacknowledged", "warning", "a connection's first close: numbers that nobody acknowledged"),
    note("dnp.request_repeated", "note", "a request before the answer to the one before"),
    note("dnp.request_while_connected", "warning", "a request after an accepting acknowledge: servers ignore it"),
    note("dnp.connection_refused", "note", "an acknowledge with another result than accepted"),
    note("dnp.link_accepted", "note", "link_up: the link_state it accepts"),
    note("dnp.link_refused", "note", "link_down: the link_state it refuses"),
    note("dnp.link_ended", "note", "link_down: the link in force that it ends"),
    note("dnp.link_unknown", "warning", "link_up or link_down without a link_state or link"),
    note("dnp.link_id_in_use", "warning", "a link_state for an id in force: receivers do not answer it"),
    note("dnp.link_id_collision", "warning", "a link_state for an id that the other side offers: neither is answered"),
    note("dnp.link_up_missing", "warning", "an update read by a link_state that nobody has accepted"),
    note("dnp.unknown_types", "warning", "an update of a link whose link_state is not known: see dnp.types"),
    note("dnp.index_out_of_range", "error", "an update with an index that the link's list does not have"),
    note("dnp.unknown_type", "error", "a value type above 37"),
    note("dnp.read_only_update", "warning", "an update of a read-only link by the side that did not offer it"),
    note("dnp.orphan_part", "note", "a part without a first part in front of it"),
    note("dnp.values_unreadable", "warning", "a joined long_link_state whose data is no list of values"),
    note("dnp.trailing_bytes", "warning", "bytes behind the last field"),
    note("dnp.unknown_command", "warning", "a command above 11"),
    note("dnp.before_acknowledge", "note", "a message of the server before its acknowledge: clients may drop it"),
    note("dnp.after_close", "note", "anything after a close and before the next request"),
    note("dnp.long_message_dropped", "warning", "a first part before the last part of the message before"),
    note("dnp.bare_link_id", "note", "an update that ends after a link_id: the sender's state was destroyed"),
    note("dnp.values_lost", "warning", "255 values of one link: the C++ library never sends the others"),
    note("dnp.flags_ignored", "note", "a link_state with more flags than read_only: receivers take it as read-write"),
    note("dnp.old_long_message", "note", "reliable messages that are parts of a long one: the engine 1.24 to 1.32.2"),
    note("dnp.specification_layout", "note", "a link_update that ends exactly only as the specification has it"),
    note("dnp.python_vectors", "note", "a link_state that breaks behind a float: the Python library's vectors"),
];
