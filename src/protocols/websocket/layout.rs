//! The carrier's own messages: HTTP heads, control frames, and data without a message. The heads of frames are
//! computed, see [`super::frame`].

use self::Message::*;
use crate::codec::Layout;
use crate::codec::layout::*;

messages! {
    /// The carrier's messages.
    pub enum Message {
        UpgradeRequest = "upgrade_request",
        UpgradeResponse = "upgrade_response",
        Ping = "ping",
        Pong = "pong",
        Close = "close",
        Text = "text",
        Binary = "binary",
        Frame = "frame",
    }
}

/// An HTTP head.
pub const HEAD: Field = text("head", Len::Rest).doc("the text with its empty line");
/// A refusal's body.
pub const BODY: Field = text("body", Len::Rest).doc("as many bytes as Content-Length says").omit_empty();
/// The mask of a client's frame.
pub const MASK: Field =
    bytes("mask", Len::Const(4)).doc("the key that the payload is masked with").omit_empty().public();
/// The content of a control frame.
pub const DATA: Field = bytes("data", Len::Rest).doc("what a pong gives back");
/// A close's code.
pub const CODE: Field = u16be("code").doc("why: 1000 done, 1002 protocol error, ..").when(left(8));
/// A close's reason.
pub const REASON: Field = text("reason", Len::Rest).doc("why, in words").when(left(1));
/// A frame's opcode.
pub const OPCODE: Field = uint("opcode", 4).doc("3 to 7 and 11 to 15 have no meaning").when(left(4));
/// The bytes of a text or binary message.
pub const PAYLOAD: Field =
    bytes("payload", Len::Rest).doc("the message, fragments joined; compressed if it does not inflate");

/// Derived: a request's target.
pub const TARGET: Field = text("target", Len::Rest).doc("the path asked for");
/// Derived: the extensions that were offered or agreed on.
pub const EXTENSIONS: Field = text("extensions", Len::Rest).doc("Sec-WebSocket-Extensions");
/// Derived: an answer's status.
pub const STATUS: Field = u16be("status").doc("101: from here on frames");
/// Derived: a frame's head, if the fields alone do not determine it.
pub const HEADER: Field = bytes("header", Len::Rest)
    .doc("the heads of the frames, one after the other, if the fields do not give them")
    .public();
/// Derived: the wire bytes of a message that inflates to nothing.
pub const COMPRESSED: Field = bytes("compressed", Len::Rest).doc("what inflates to nothing");

/// The layouts.
pub static LAYOUTS: [Layout; 8] = [
    UpgradeRequest.layout("the client's HTTP request to change to WebSocket", &[HEAD, BODY]),
    UpgradeResponse.layout("the server's HTTP answer", &[HEAD, BODY]),
    Ping.layout("asks for a pong", &[MASK, DATA]),
    Pong.layout("answers a ping", &[MASK, DATA]),
    Close.layout("ends the connection", &[MASK, CODE, REASON]),
    Text.layout("a text message without bytes, or one that broke", &[PAYLOAD]),
    Binary.layout("a binary message without bytes, or one that broke", &[PAYLOAD]),
    Frame.layout("a frame that is not part of a message; always with a fault", &[MASK, OPCODE]),
];

/// The derived fields.
pub static DERIVED: [Field; 5] = [TARGET, EXTENSIONS, STATUS, HEADER, COMPRESSED];
