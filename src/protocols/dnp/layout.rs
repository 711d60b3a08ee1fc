//! DNP's messages: tables only. One datagram is one message; all numbers are little-endian.
//!
//! Sources: the specification (Drag\[en\]gine wiki, gamedev:dnp) and, where the programs differ from it, measurements
//! of them (README.md): `link_update` has counts of one byte, an index and no types.

use self::Message::*;
use super::values::{BY_TYPE, TYPES};
use crate::codec::Layout;
use crate::codec::layout::*;
use crate::dissect::Table;
use crate::dissect::role::Role;

messages! {
    /// DNP's messages.
    pub enum Message {
        ConnectionRequest = "connection_request",
        ConnectionAcknowledge = "connection_acknowledge",
        ConnectionClose = "connection_close",
        UnreliableMessage = "unreliable_message",
        ReliableMessage = "reliable_message",
        LinkState = "link_state",
        ReliableAcknowledge = "reliable_acknowledge",
        LinkUp = "link_up",
        LinkDown = "link_down",
        LinkUpdate = "link_update",
        LongMessage = "long_message",
        LongLinkState = "long_link_state",
        Unknown = "unknown",
    }
}

/// The results of a connection_acknowledge.
pub static ANSWERS: [(u64, &str); 3] = [(0, "accepted"), (1, "rejected"), (2, "no_common_protocol")];

/// The results of a reliable_acknowledge.
pub static RESULTS: [(u64, &str); 2] = [(0, "success"), (1, "failed")];

/// The read-only bit in the flags of a link_state and a long_link_state.
pub const READ_ONLY: u64 = 1;

/// The bits of a message's parts: `first` and `last`, by [`JoinedKind`](super::joined::JoinedKind).
pub const PART_BITS: [(u64, u64); 2] = [(1, 2), (2, 4)];

static STATE_FLAGS: Flags = Flags { names: &[(READ_ONLY, "read_only")], shift: 0, fixed_mask: 0, fixed: 0 };
static PART_FLAGS: Flags = Flags { names: &[(1, "first"), (2, "last")], shift: 0, fixed_mask: 0, fixed: 0 };
static LONG_STATE_FLAGS: Flags =
    Flags { names: &[(READ_ONLY, "read_only"), (2, "first"), (4, "last")], shift: 0, fixed_mask: 0, fixed: 0 };

/// The fault of an index that the link's list does not have.
pub const OUT_OF_RANGE: &str = "the link has no value of this index";

/// The setting that chooses between the two layouts of link_update: 0 for the one that programs send.
pub const UPDATE_LAYOUT: &str = "dnp.link_update";

const fn command(code: u64) -> Field {
    tag("command", 8, code)
}

pub const NUMBER: Field =
    u16le("number").doc("number of this command in its direction: 0 to 65534, shared by commands 4, 5, 10 and 11");
pub const LINK_ID: Field = u16le("link_id").doc("the link; both sides choose from the same numbers");
pub const DATA: Field = payload("data").doc("the application's");

pub const PROTOCOLS: Field = array("protocols", Count::Prefix(&PROTOCOL_COUNT), &PROTOCOL);
pub const FLAGS: Field = u8("flags");
pub const RESULT: Field = u8("result");
pub const CONTENT: Field = bytes("message", Len::Prefix(&MESSAGE_LENGTH));
pub const TYPE: Field = u8("type").names(&TYPES).referenced();
pub const INDEX: Field = u16le("index").doc("place in the link's list of values, from 0").referenced();
pub const LINKS: Field = array("links", Count::Prefix(&UPDATE_LINK_COUNT), &LINK);

static PROTOCOL_COUNT: Field = u16le("protocol_count");
pub static PROTOCOL: Field = u16le("protocol");
static MESSAGE_LENGTH: Field = u16le("message_length");
static VALUE_COUNT: Field = u16le("value_count");
static UPDATE_LINK_COUNT: Field = u8("link_count");
static UPDATE_VALUE_COUNT: Field = u8("value_count");
static SPECIFIED_LINK_COUNT: Field = u16le("link_count");

static VALUE: Field = group("value", &[TYPE, BY_TYPE]);

/// The values of a state: type and value of each.
pub static VALUES: Field = array("values", Count::Prefix(&VALUE_COUNT), &VALUE);

/// One value of a state.
pub static ONE_VALUE: [Field; 1] = [group("value", &[TYPE, BY_TYPE])];

static LINK: Field =
    group("link", &[u16le("link_id").referenced(), array("values", Count::Prefix(&UPDATE_VALUE_COUNT), &UPDATED)]);
static UPDATED: Field =
    group("value", &[INDEX, derived("type").names(&TYPES).doc("as the link's link_state had it"), BY_TYPE]);
static SPECIFIED_LINK: Field = group("link", &[u16le("link_id"), array("values", Count::Prefix(&VALUE_COUNT), &VALUE)]);

/// All messages. The index is the command code; the last layout is for all other codes.
pub static LAYOUTS: [Layout; 13] = [
    ConnectionRequest
        .layout("the client asks for a connection", &[command(0), PROTOCOLS.doc("what the client speaks; DNP1 is 0")]),
    ConnectionAcknowledge.layout(
        "the server's answer",
        &[
            command(1),
            RESULT.names(&ANSWERS).referenced(),
            u16le("protocol").doc("what the server has chosen").when(eq("result", 0)),
        ],
    ),
    ConnectionClose.layout("either side ends the connection; there is no answer", &[command(2)]),
    UnreliableMessage.layout("a message that may be lost", &[command(3), DATA]),
    ReliableMessage.layout("a message that is resent until it is acknowledged", &[command(4), NUMBER, DATA]),
    LinkState.layout(
        "offers to share a state: its link id, and the types and values",
        &[
            command(5),
            NUMBER,
            LINK_ID,
            FLAGS.flags(&STATE_FLAGS).doc("read_only: only the sender may change values"),
            CONTENT.doc("names the state for the application"),
            array("values", Count::Prefix(&VALUE_COUNT), &VALUE),
        ],
    ),
    ReliableAcknowledge.layout(
        "a numbered command has come",
        &[
            command(6),
            NUMBER.doc("the other side's number"),
            RESULT.names(&RESULTS).doc("failed: the sender resends at once"),
        ],
    ),
    LinkUp.layout("accepts a link_state", &[command(7), LINK_ID]),
    LinkDown.layout("refuses a link_state, or ends a link", &[command(8), LINK_ID]),
    LinkUpdate.layout(
        "values of linked states that have changed",
        &[
            command(9),
            inline("wire", &[LINKS]).doc("as all programs send it").when(When::Setting(UPDATE_LAYOUT, 0)),
            inline("specification", &[array("links", Count::Prefix(&SPECIFIED_LINK_COUNT), &SPECIFIED_LINK)])
                .doc("as the specification has it; no program sends this")
                .when(When::Setting(UPDATE_LAYOUT, 1)),
        ],
    ),
    LongMessage.layout(
        "a part of a reliable message that is too long for one datagram",
        &[command(10), NUMBER, FLAGS.flags(&PART_FLAGS).doc("which part it is"), DATA],
    ),
    LongLinkState.layout(
        "a part of a link_state that is too long for one datagram",
        &[
            command(11),
            NUMBER,
            LINK_ID,
            FLAGS.flags(&LONG_STATE_FLAGS).doc("read_only, and which part it is"),
            CONTENT.doc("a part of the link_state's message"),
            bytes("data", Len::Rest).doc("a part of the link_state's count and values"),
        ],
    ),
    Unknown.layout("a command above 11: receivers ignore it", &[u8("command"), payload("data")]),
];

/// The layout of a datagram that begins with this byte.
pub fn by_command(first: Option<u8>) -> &'static Layout {
    let [.., unknown] = &LAYOUTS;
    first.and_then(|command| LAYOUTS.get(command as usize)).unwrap_or(unknown)
}

/// Whether a message has a number, by which it is acknowledged and resent.
pub fn is_numbered(message: Message) -> bool {
    matches!(message, ReliableMessage | LinkState | LongMessage | LongLinkState)
}

/// One version, the same in both directions.
pub static TABLES: [Table; 1] = [Table { version: "", from: Role::Unknown, layouts: &LAYOUTS }];
