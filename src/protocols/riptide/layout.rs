//! Riptide's messages: tables only. Sources: the specification (2.0) and measurements of all wire families, 1.0 to 2.2.
//!
//! 1.x and 2.0 are byte aligned. 2.1 and 2.2 are one string of bits: a 4 bit type, then values of any width, least
//! significant bit first, without alignment.

use self::Message::*;
use crate::codec::Layout;
use crate::codec::layout::*;
use crate::dissect::Table;
use crate::dissect::role::Role;

messages! {
    /// Riptide's messages, of all versions.
    pub enum Message {
        Unreliable = "unreliable",
        UnreliableAutoRelay = "unreliable_auto_relay",
        Ack = "ack",
        AckExtra = "ack_extra",
        Connect = "connect",
        Reject = "reject",
        Heartbeat = "heartbeat",
        Disconnect = "disconnect",
        Notify = "notify",
        Reliable = "reliable",
        ReliableAutoRelay = "reliable_auto_relay",
        Welcome = "welcome",
        ClientConnected = "client_connected",
        ClientDisconnected = "client_disconnected",
        Unknown = "unknown",
    }
}

/// Reasons of a reject, 2.0.
pub const REJECT_20: &[(u64, &str)] = &[
    (0, "no_connection"),
    (1, "already_connected"),
    (2, "pending"),
    (3, "server_full"),
    (4, "rejected"),
    (5, "custom"),
];

/// Reasons of a reject, 2.1 and later: `pending` was removed, so the numbers after it moved.
pub const REJECT_21: &[(u64, &str)] =
    &[(0, "no_connection"), (1, "already_connected"), (2, "server_full"), (3, "rejected"), (4, "custom")];

/// Reasons of a disconnect, 2.0.
pub const DISCONNECT_20: &[(u64, &str)] = &[
    (0, "never_connected"),
    (1, "connection_rejected"),
    (2, "transport_error"),
    (3, "timed_out"),
    (4, "kicked"),
    (5, "server_stopped"),
    (6, "disconnected"),
];

/// Reasons of a disconnect, 2.1 and later.
pub const DISCONNECT_21: &[(u64, &str)] = &[
    (0, "never_connected"),
    (1, "connection_rejected"),
    (2, "transport_error"),
    (3, "timed_out"),
    (4, "kicked"),
    (5, "server_stopped"),
    (6, "disconnected"),
    (7, "poor_connection"),
];

pub const SEQUENCE: Field = u16le("sequence_id").doc("number of this reliable message, per direction, from 1");
pub const LAST: Field = u16le("last_received_seq_id").doc("the newest sequence id received");
pub const ACKS: Field = u16le("acks_bitfield").doc("bit i: the message last_received_seq_id - 1 - i was received");
pub const FOR_SEQ: Field = u16le("for_seq_id").doc("the message this acknowledges, where it is not the newest");
pub const CLIENT: Field = u16le("client_id").doc("the id that the server gave the client");
pub const NOTIFY_ACKS: Field = u8("acks");
pub const REASON: Field = u8("reason");
pub const IS_EXTRA: Field =
    boolean("is_extra", 1).doc("for_seq_id follows (2.1 sends it always)").default(0).referenced();
pub const PING: Field = u8("ping_id").doc("echoed by the server");
pub const RTT: Field = i16le("rtt").doc("the client's last round trip; -1: none yet").unit("ms").when(left(16));
const PAYLOAD: Field = payload("payload").doc("the application's values, without type information").padded();
pub const DATA: Field = payload("data").doc("the application's own data").omit_empty().padded();
pub const TRAILING: Field =
    bytes("trailing", Len::Rest).doc("bytes after the message: the library ignores them").omit_empty().padded();

/// A message type of one byte.
const fn byte_type(value: u64) -> Field {
    tag("type", 8, value).doc("message type")
}

/// A message type of four bits.
const fn nibble_type(value: u64) -> Field {
    tag("type", 4, value).doc("message type")
}

pub const ID: Field = u16le("message_id").doc("the application's message id").identifies();
const VAR_ID: Field = varint("message_id", 10).doc("the application's message id").referenced();

const UNRELIABLE: &str = "an application message that may be lost";
const RELIABLE: &str = "an application message that is resent until it is acknowledged";
const RELAY: &str = "as the message without auto_relay; the server passes it on to all other clients";
const ACK: &str = "acknowledges reliable messages";
const ACK_EXTRA: &str = "acknowledges a reliable message that is not the newest";
const CONNECT: &str = "the client asks to connect; from the server: wait, the application decides";
const REJECT: &str = "the server refuses the client";
const HEARTBEAT: &str = "the client's ping with its last round trip; the server echoes the id alone";
const DISCONNECT: &str = "the client leaves (no reason), or the server ends the connection";
const WELCOME: &str = "the server accepts the client, which sends the same message back";
const JOINED: &str = "another client has connected";
const LEFT: &str = "another client has left";
const UNKNOWN: &str = "a type above the known ones: the library takes it for reliable";
const NOTIFY: &str = "an unreliable message with acknowledgements of the other direction's";

/// 1.0 and 1.1.
pub static V10: [Layout; 11] = [
    Unreliable.layout(UNRELIABLE, &[byte_type(0), ID, PAYLOAD]),
    Ack.layout(ACK, &[byte_type(1), LAST, ACKS, TRAILING]),
    AckExtra.layout(ACK_EXTRA, &[byte_type(2), LAST, ACKS, FOR_SEQ, TRAILING]),
    Connect.layout(CONNECT, &[byte_type(3), DATA]),
    Heartbeat.layout(HEARTBEAT, &[byte_type(4), PING, RTT, TRAILING]),
    Disconnect.layout(DISCONNECT, &[byte_type(5), TRAILING]),
    Reliable.layout(RELIABLE, &[byte_type(6), SEQUENCE, ID, PAYLOAD]),
    Welcome.layout(WELCOME, &[byte_type(7), SEQUENCE, CLIENT, DATA]),
    ClientConnected.layout(JOINED, &[byte_type(8), SEQUENCE, CLIENT, TRAILING]),
    ClientDisconnected.layout(LEFT, &[byte_type(9), SEQUENCE, CLIENT, TRAILING]),
    Unknown.layout(UNKNOWN, &[u8("type"), SEQUENCE, PAYLOAD]),
];

/// 1.2.
pub static V12: [Layout; 13] = [
    Unreliable.layout(UNRELIABLE, &[byte_type(0), ID, PAYLOAD]),
    UnreliableAutoRelay.layout(RELAY, &[byte_type(1), ID, PAYLOAD]),
    Ack.layout(ACK, &[byte_type(2), LAST, ACKS, TRAILING]),
    AckExtra.layout(ACK_EXTRA, &[byte_type(3), LAST, ACKS, FOR_SEQ, TRAILING]),
    Connect.layout(CONNECT, &[byte_type(4), DATA]),
    Heartbeat.layout(HEARTBEAT, &[byte_type(5), PING, RTT, TRAILING]),
    Disconnect.layout(DISCONNECT, &[byte_type(6), TRAILING]),
    Reliable.layout(RELIABLE, &[byte_type(7), SEQUENCE, ID, PAYLOAD]),
    ReliableAutoRelay.layout(RELAY, &[byte_type(8), SEQUENCE, ID, PAYLOAD]),
    Welcome.layout(WELCOME, &[byte_type(9), SEQUENCE, CLIENT, DATA]),
    ClientConnected.layout(JOINED, &[byte_type(10), SEQUENCE, CLIENT, TRAILING]),
    ClientDisconnected.layout(LEFT, &[byte_type(11), SEQUENCE, CLIENT, TRAILING]),
    Unknown.layout(UNKNOWN, &[u8("type"), SEQUENCE, PAYLOAD]),
];

/// 2.0, as the specification has it.
pub static V20: [Layout; 12] = [
    Unreliable.layout(UNRELIABLE, &[byte_type(0), ID, PAYLOAD]),
    Ack.layout(ACK, &[byte_type(1), LAST, ACKS, TRAILING]),
    AckExtra.layout(ACK_EXTRA, &[byte_type(2), LAST, ACKS, FOR_SEQ, TRAILING]),
    Connect.layout(CONNECT, &[byte_type(3), DATA]),
    Reject.layout(REJECT, &[byte_type(4), REASON.names(REJECT_20), DATA]),
    Heartbeat.layout(HEARTBEAT, &[byte_type(5), PING, RTT, TRAILING]),
    Disconnect.layout(DISCONNECT, &[byte_type(6), REASON.names(DISCONNECT_20).when(left(8)), DATA]),
    Reliable.layout(RELIABLE, &[byte_type(7), SEQUENCE, ID, PAYLOAD]),
    Welcome.layout(WELCOME, &[byte_type(8), SEQUENCE, CLIENT, TRAILING]),
    ClientConnected.layout(JOINED, &[byte_type(9), SEQUENCE, CLIENT, TRAILING]),
    ClientDisconnected.layout(LEFT, &[byte_type(10), SEQUENCE, CLIENT, TRAILING]),
    Unknown.layout(UNKNOWN, &[u8("type"), SEQUENCE, PAYLOAD]),
];

/// 2.1 and 2.2: bit-packed.
pub static V21: [Layout; 12] = [
    Unreliable.layout(UNRELIABLE, &[nibble_type(0), VAR_ID, PAYLOAD]),
    Ack.layout(
        ACK,
        &[nibble_type(1), LAST, ACKS, IS_EXTRA, FOR_SEQ.when(When::Any(&[eq(IS_EXTRA.name, 1), left(16)])), TRAILING],
    ),
    Connect.layout(CONNECT, &[nibble_type(2), DATA]),
    Reject.layout(REJECT, &[nibble_type(3), REASON.names(REJECT_21), DATA]),
    Heartbeat.layout(HEARTBEAT, &[nibble_type(4), PING, RTT, TRAILING]),
    Disconnect.layout(DISCONNECT, &[nibble_type(5), REASON.names(DISCONNECT_21).when(left(8)), DATA]),
    Notify.layout(
        NOTIFY,
        &[
            nibble_type(6),
            LAST,
            NOTIFY_ACKS.doc("bit i: the notify message last_received_seq_id - 1 - i was received"),
            u16le("sequence_id").doc("number of this notify message, in a space of its own"),
            PAYLOAD,
        ],
    ),
    Reliable.layout(RELIABLE, &[nibble_type(7), SEQUENCE, VAR_ID, PAYLOAD]),
    Welcome.layout(WELCOME, &[nibble_type(8), SEQUENCE, CLIENT, TRAILING]),
    ClientConnected.layout(JOINED, &[nibble_type(9), SEQUENCE, CLIENT, TRAILING]),
    ClientDisconnected.layout(LEFT, &[nibble_type(10), SEQUENCE, CLIENT, TRAILING]),
    Unknown.layout(UNKNOWN, &[uint("type", 4), SEQUENCE, PAYLOAD]),
];

/// Whether a message has a number, by which it is acknowledged and resent.
pub fn is_numbered(message: Message) -> bool {
    matches!(message, Reliable | ReliableAutoRelay | Welcome | ClientConnected | ClientDisconnected)
}

/// All tables, by version.
pub static TABLES: [Table; 5] = [
    Table { version: "1.0", from: Role::Unknown, layouts: &V10 },
    Table { version: "1.2", from: Role::Unknown, layouts: &V12 },
    Table { version: "2.0", from: Role::Unknown, layouts: &V20 },
    Table { version: "2.1", from: Role::Unknown, layouts: &V21 },
    Table { version: "2.2", from: Role::Unknown, layouts: &V21 },
];
