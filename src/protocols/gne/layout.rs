//! GNE's messages: tables only. Source: the specification's sixth draft, corrected by the library's code and by
//! captures (README.md, "Handshake", "Packets").
//!
//! Numbers are in the connection's byte order, which follows from the request's build field. A packet has no length:
//! nothing after a packet without a layout can be read.

use self::Message::*;
use super::embedded::Embedded;
use crate::codec::Layout;
use crate::codec::layout::*;
use crate::dissect::{Role, Table};

messages! {
    /// GNE's messages.
    pub enum Message {
        ConnectionRequest = "connection_request",
        ClientPort = "client_port",
        ConnectionRefused = "connection_refused",
        ConnectionAccepted = "connection_accepted",
        Packets = "packets",
    }
}

/// The setting for the ping form of protocol builds up to 5: 1 for the short form.
pub const SHORT_PING: &str = "short ping";

/// The mark after the last packet, and in place of an absent embedded packet.
pub const END: u8 = 255;

/// The packets of the library itself.
pub const IDS: &[(u64, &str)] = &[
    (0, "packet"),
    (1, "custom"),
    (2, "exit"),
    (3, "rate_adjust"),
    (4, "ping"),
    (5, "channel"),
    (6, "object_creation"),
    (7, "object_update"),
    (8, "object_death"),
];

pub const VERSION: Field = u8("version").doc("protocol version, 0");
pub const SUB_VERSION: Field = u8("sub_version").doc("protocol sub-version, 0");
pub const BUILD: Field = u16c("build").doc("protocol build, 1 to 7: its zero byte shows the byte order");
pub const GAME: Field = text("game", Len::Padded(32)).doc("the game's name, at most 31 characters");
pub const USER_VERSION: Field = u32c("user_version").doc("the game's own version");
pub const MAX_RATE: Field = u32c("max_rate").doc("what the sender is willing to receive, 0: no limit").unit("bytes/s");
pub const UNRELIABLE: Field = gbool("unreliable").doc("whether the client wants UDP, too");
pub const PORT: Field = i32c("port");
pub const LIST: Field = array("packets", Count::Until(END), &ELEMENT).payloads();
pub const ID: Field = u8("id");
pub const IS_REQUEST: Field = gbool("is_request");
pub const REQ_ID: Field = u32c("req_id");
pub const T2: Field = gtime("t2");
const MAGIC: Field = tag("magic", 24, 0x45_4e_47).doc("\"GNE\"");

/// A boolean of a byte.
pub const fn gbool(name: &'static str) -> Field {
    boolean(name, 8)
}

/// A time or duration in seconds and microseconds.
pub const fn gtime(name: &'static str) -> Field {
    group(name, &GTIME)
}

/// A packet within a packet, or `null`.
pub const fn embedded(name: &'static str) -> Field {
    custom(name, &Embedded)
}

/// The fields of a [`gtime`].
pub static GTIME: [Field; 2] = [
    i32c("sec").doc("seconds").unit("s"),
    i32c("usec").doc("microseconds, 0 to 999999: readers normalise others").unit("us"),
];

static REQUEST: [Field; 8] = [MAGIC, VERSION, SUB_VERSION, BUILD, GAME, USER_VERSION, MAX_RATE, UNRELIABLE];

static REFUSED: [Field; 7] =
    [MAGIC, tag("accepted", 8, 0).doc("0: refused"), VERSION, SUB_VERSION, BUILD, GAME, USER_VERSION];

static ACCEPTED: [Field; 4] = [
    MAGIC,
    gbool("accepted").doc("any value but 0"),
    MAX_RATE,
    PORT.doc("the server's UDP port for this client, -1 for none; not in the 8 byte form").when(left(8)),
];

static CLIENT_PORT: [Field; 1] = [PORT.doc("the UDP port from which the client sends, 0 to 65535")];

static PACKETS: [Field; 1] = [LIST.doc("the packets of this frame or datagram, closed by 255")];

static ELEMENT: Field = group("packet", &PACKET);

/// One packet, on the top level or embedded.
pub static PACKET: [Field; 2] = [
    ID.names(IDS).referenced().doc("9 to 15 are reserved, 16 to 254 the application's: a schema has their fields"),
    switch(ID.name, &CASES, Other::Ask),
];

/// The fields after each id of the library.
pub static CASES: [Case; 9] = [
    Case { value: 0, fields: &[] },
    Case {
        value: 1,
        fields: &[bytes("data", Len::Prefix(&CUSTOM_LENGTH)).doc("custom: raw bytes of the application")],
    },
    Case { value: 2, fields: &[] },
    Case {
        value: 3,
        fields: &[u32c("rate")
            .doc("rate_adjust: what the sender is willing to receive from now on, 0: no limit")
            .unit("bytes/s")],
    },
    Case { value: 4, fields: &PING },
    Case {
        value: 5,
        fields: &[
            embedded("packet").doc("channel: the packet sent over it"),
            u8("channel").doc("the channel"),
            u8("source").doc("who sent it, 0: not known"),
        ],
    },
    Case { value: 6, fields: &OBJECT },
    Case { value: 7, fields: &OBJECT },
    Case { value: 8, fields: &OBJECT },
];

static CUSTOM_LENGTH: Field = u16c("length");

static OBJECT: [Field; 2] = [
    embedded("packet").doc("object packets: the packet for the object"),
    u16c("object_id").doc("the object, numbered by the server from 1; 65535: not set"),
];

/// A ping, in the form that [`SHORT_PING`] selects.
pub static PING: [Field; 4] = [
    IS_REQUEST.doc("ping, build 5 and earlier").when(When::Setting(SHORT_PING, 1)),
    REQ_ID.doc("ping: the same in request and reply"),
    T2.doc("when the request was received, by the replier's clock; 0: a request").when(LONG),
    gtime("t3").doc("when the reply was sent, by the replier's clock").when(LONG),
];

const LONG: When = When::Setting(SHORT_PING, 0);

/// The messages that only the client sends.
pub static CLIENT: [Layout; 2] = [
    ConnectionRequest.layout("the first frame: who the client is, and what it wants", &REQUEST),
    ClientPort.layout("the third frame, where UDP was granted: the client's UDP port", &CLIENT_PORT),
];

/// The messages that only the server sends.
pub static SERVER: [Layout; 2] = [
    ConnectionRefused.layout("the answer to a request that does not match: the server's own values", &REFUSED),
    ConnectionAccepted.layout("the answer that opens the connection", &ACCEPTED),
];

/// The messages that both send, over TCP and UDP.
pub static BOTH: [Layout; 1] = [Packets.layout("a list of packets: all that follows the handshake", &PACKETS)];

/// All tables, including the carrier's.
pub static TABLES: [Table; 4] = [
    Table { version: "", from: Role::Client, layouts: &CLIENT },
    Table { version: "", from: Role::Server, layouts: &SERVER },
    Table { version: "", from: Role::Unknown, layouts: &BOTH },
    Table { version: "", from: Role::Unknown, layouts: &crate::protocols::hawknl::FRAME },
];
