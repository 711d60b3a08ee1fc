//! nano's packages: tables only. Sources: the specification, and the behaviour of real servers (README.md, "Packages"
//! and "Messages").
//!
//! A package is `type u8 | length u24 | body`. The body of a data package (type 4) is a message:
//! `flags u8 | id? | route or route_code? | payload`. Three bits of the flags are its kind.

use self::Message::*;
use crate::codec::layout::*;
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Fault, Layout, Reader, Reason, Sampler, Stop, Value, Writer, digits};
use crate::dissect::Table;
use crate::dissect::role::Role;
use crate::protocols::websocket;

messages! {
    /// nano's messages.
    pub enum Message {
        Handshake = "handshake",
        HandshakeAck = "handshake_ack",
        Heartbeat = "heartbeat",
        Kick = "kick",
        Request = "request",
        Notify = "notify",
        Response = "response",
        Push = "push",
        Data = "data",
        Unknown = "unknown",
    }
}

/// Package types.
pub mod package {
    /// A handshake in JSON, from either side.
    pub const HANDSHAKE: u8 = 1;
    /// The client is ready.
    pub const ACK: u8 = 2;
    /// A heartbeat from either side.
    pub const HEARTBEAT: u8 = 3;
    /// A message.
    pub const DATA: u8 = 4;
    /// The server ends the connection.
    pub const KICK: u8 = 5;
}

/// Names of the flags; the bits 0e are the message's type.
const FLAG_NAMES: &[(u64, &str)] = &[(0x01, "route_code"), (0x10, "compressed"), (0x20, "error")];
/// The payload is a zlib stream.
pub const COMPRESSED: u64 = 0x10;
/// The payload is an error, as in pitaya and cherry.
pub const ERROR: u64 = 0x20;
/// Bits that no implementation uses.
pub const RESERVED: u64 = 0xc0;
/// The message's type.
const TYPE_BITS: u64 = 0x0e;

const fn flags_of(kind: u64) -> Flags {
    Flags { names: FLAG_NAMES, shift: 0, fixed_mask: TYPE_BITS, fixed: kind << 1 }
}
static REQUEST_FLAGS: Flags = flags_of(0);
static NOTIFY_FLAGS: Flags = flags_of(1);
static RESPONSE_FLAGS: Flags = flags_of(2);
static PUSH_FLAGS: Flags = flags_of(3);

pub const LENGTH: Field = u24be("length").doc("bytes of the body, at most 16777215").measures_rest();
pub const ID: Field = varint("id", u16::MAX).doc("which request; its response has the same");
pub const ROUTE: Field = text("route", Len::Prefix(&ROUTE_LENGTH))
    .doc("who it is for: Room.Join, connector.entryHandler.enter, onMessage")
    .when(clear(FLAGS.name, 0));
static ROUTE_LENGTH: Field = u8("route_length");
pub const CODE: Field =
    u16be("route_code").doc("the route's number in the handshake's dictionary").when(bit(FLAGS.name, 0));
pub const PAYLOAD: Field = payload("payload").doc("the application's data: JSON, protobuf or anything");
pub const FLAGS: Field = u8("flags");
pub const BODY: Field = bytes("body", Len::Rest).doc("no program sends one, servers ignore it").omit_empty();
const JSON: Field = text("body", Len::Rest).doc("JSON; pitaya's server sends it as a zlib stream");

const fn flags(flags: &'static Flags) -> Field {
    FLAGS.flags(flags).doc("bit 0: route_code, 4: compressed, 5: error").default(flags.fixed as i64).referenced()
}

const fn package_type(value: u8) -> Field {
    tag("type", 8, value as u64).doc("package type")
}

const DATA: Field = package_type(package::DATA);

/// The layouts.
pub static LAYOUTS: [Layout; 10] = [
    Handshake.layout("first the client's, then the server's answer", &[package_type(1), LENGTH, JSON]),
    HandshakeAck.layout("the client has the answer: data may follow", &[package_type(2), LENGTH, BODY]),
    Heartbeat.layout("still there", &[package_type(3), LENGTH, BODY]),
    Kick.layout("the server ends the connection, perhaps with a reason", &[package_type(5), LENGTH, JSON]),
    Request.layout(
        "the client asks, a response follows",
        &[DATA, LENGTH, flags(&REQUEST_FLAGS), ID, ROUTE, CODE, PAYLOAD],
    ),
    Notify.layout(
        "a message of the client without a response",
        &[DATA, LENGTH, flags(&NOTIFY_FLAGS), ROUTE, CODE, PAYLOAD],
    ),
    Response.layout("the server answers a request", &[DATA, LENGTH, flags(&RESPONSE_FLAGS), ID, PAYLOAD]),
    Push.layout("a message of the server without a request", &[DATA, LENGTH, flags(&PUSH_FLAGS), ROUTE, CODE, PAYLOAD]),
    Data.layout("a data package that is none of these four; always with a fault", &[DATA, LENGTH, BAD_FLAGS]),
    Unknown.layout("no package begins here; always with a fault", &[TYPE]),
];

/// The first field of `unknown`.
pub const TYPE: Field = u8("type").doc("unknown package type");
const BAD_FLAGS: Field =
    Field { kind: Kind::Custom(&FlagsAndType), ..FLAGS.flags(&REQUEST_FLAGS).doc("as of the other messages") };
static MESSAGE_TYPE: Field = uint("type", 3).doc("bits 1 to 3 of the flags: 4 to 7 are no message types");

/// The layout of a package with this type and, if present, this flag byte.
pub fn of_package(kind: u8, flags: Option<u8>) -> Option<&'static Layout> {
    let message = match (kind, flags.map(|f| f >> 1 & 7)) {
        (package::HANDSHAKE, _) => Handshake,
        (package::ACK, _) => HandshakeAck,
        (package::HEARTBEAT, _) => Heartbeat,
        (package::KICK, _) => Kick,
        (package::DATA, Some(0)) => Request,
        (package::DATA, Some(1)) => Notify,
        (package::DATA, Some(2)) => Response,
        (package::DATA, Some(3)) => Push,
        (package::DATA, _) => Data,
        _ => return None,
    };
    Some(&LAYOUTS[message as usize])
}

/// The tables of nano and its carrier.
pub static TABLES: [Table; 2] = [
    Table { version: "", from: Role::Unknown, layouts: &LAYOUTS },
    Table { version: "", from: Role::Unknown, layouts: &websocket::layout::LAYOUTS },
];

/// A flag byte without a valid message type: shown as `flags` and `type`. Nothing after it can be read.
#[derive(Debug)]
struct FlagsAndType;

impl Custom for FlagsAndType {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let at = reader.position();
        let Some(byte) = reader.peek(8) else {
            return Err(reader.short(field, at, 8, "a message begins with its flags".into()));
        };
        reader.skip(8);
        reader.tree().push(field, Value::UInt(byte & !TYPE_BITS), at, 8);
        reader.tree().push(&MESSAGE_TYPE, Value::UInt(byte >> 1 & 7), at + 1, 3);
        let have = reader.left() as u64;
        Err(reader.broken(&MESSAGE_TYPE, Fault::new(Reason::Undefined("no such message type"), at + 8, 0, have)))
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(given) = writer.input(field) else { return Err(writer.missing(field)) };
        let bit = |item: &serde_json::Value| match item.as_str() {
            Some(name) => FLAG_NAMES.iter().find(|(_, n)| *n == name).map(|(bit, _)| *bit),
            None => item.as_u64().filter(|n| *n < 256),
        };
        let flags = given.as_array().and_then(|list| list.iter().try_fold(0, |all, item| bit(item).map(|b| all | b)));
        let Some(flags) = flags else {
            return Err(WriteStop::Error(writer.wrong("a list of flags: route_code, compressed, error", given)));
        };
        let kind = match writer.input(&MESSAGE_TYPE) {
            None => return Err(writer.missing(&MESSAGE_TYPE)),
            Some(given) => match given.as_u64().or_else(|| digits::unsigned(given.as_str()?.trim())) {
                Some(n @ 0..=7) => n,
                _ => return Err(WriteStop::Error(writer.wrong("a number from 0 to 7", given))),
            },
        };
        writer.put(flags & !TYPE_BITS | kind << 1, 8, Order::Little);
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let (flags, kind) = (sampler.below(256), 4 + sampler.below(4));
        sampler.put(flags & !TYPE_BITS | kind << 1, 8, Order::Little);
        Ok(())
    }

    fn describe(&self) -> &'static str {
        "flags, and a message type from 4 to 7 in the bits 0e"
    }
}
