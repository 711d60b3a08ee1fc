//! Acknex's messages, A6 to A8: tables only. Source: the specification. A5's differences are in [`super::a5`].
//!
//! The tables also contain every reading that the specification leaves open. The byte order of angles is the
//! conversation's; the others depend on settings that [`super::reading::WireVariant`] provides.

use self::Message::*;
use super::flags::FlagWord;
use crate::codec::Layout;
use crate::codec::layout::*;
use crate::codec::scale::Scale;

messages! {
    /// Acknex's messages, of all versions.
    pub enum Message {
        Level = "level",
        Var = "var",
        String = "string",
        Remove = "remove",
        Entsound = "entsound",
        Effect = "effect",
        Local = "local",
        Skill = "skill",
        Skill3 = "skill3",
        Join = "join",
        Create = "create",
        Ping = "ping",
        Info = "info",
        Update1 = "update1",
        Update2 = "update2",
        Update3 = "update3",
        Unknown = "unknown",
        Fill = "fill",
    }
}

/// The command of a message that has only one.
pub(super) const fn command(value: u64) -> Field {
    tag("command", 8, value).doc("what message this is")
}

/// The command of an update: its lowest six bits select the parameters that follow.
pub(super) const fn update(base: i64) -> Field {
    u8("command").doc("bits 0 to 5: which parameters follow; they are set by the fields given").presence(base)
}

/// The parameters of these bits of an update are unknown, even their length.
pub(super) const fn undefined(bits: When) -> Field {
    switch("command", &[], Other::Fault("a parameter that no manual defines")).doc("no manual defines it").when(bits)
}

/// An angle: a signed 16 bit number in the byte order found for the conversation.
pub(super) const fn angle(field: Field, parameter: u8) -> Field {
    field.scaled(Scale::Degrees).unit("degrees").when(bit("command", parameter))
}

/// A value packed into a byte: 255 means `most`.
pub(super) const fn packed_byte(name: &'static str, most: u32) -> Field {
    u8(name).scaled(Scale::Ratio { num: most, den: 255 })
}

pub(super) const PAN: Field = i16c("pan");
pub(super) const TILT: Field = i16c("tilt");
pub(super) const ROLL: Field = i16c("roll");
pub(super) const AMBIENT: Field = packed_byte("ambient", 100);
pub(super) const ALBEDO: Field = u8("albedo");
pub(super) const SKIN: Field = u8("skin");
pub(super) const TEXT: Field = latin1("text", Len::Until(0));
pub(super) const PROTOCOL_VERSION: Field = u8("protocol_version");
pub(super) const SERVER_TIME: Field = f32le("server_time");
pub(super) const ENTITY: Field = i16le("entity").doc("the entity's number");
pub(super) const IDENTIFIER: Field =
    i16le("identifier").doc("the client's number for its request; the answer has it too");
pub(super) const ACTION: Field = i16le("action").doc("number of an action of the game");
pub(super) const OFFSET: Field = i16le("offset").doc("byte offset in the engine's entity struct; see member");
pub(super) const FILE_NAME: Field = latin1("file_name", Len::Until(0)).doc("name of the model file");
pub(super) const PLAYER_NAME: Field = latin1("player_name", Len::Until(0)).doc("the player's name");

/// Position: a Fixed without its lowest three bits, so 7 of its 10 fraction bits remain.
pub(super) static PACKED: Field = i24le("coordinate").scaled(Scale::Over(128)).unit("quants");
/// Fixed: 22.10.
pub(super) static FIXED: Field = i32le("value").scaled(Scale::Over(1024));
static FACTOR: Field = u16le("factor").scaled(Scale::Over(256));
static LENGTH: Field = i16le("var_length").doc("how many values follow");

pub(super) const START: Field = tuple("start", 3, &PACKED).doc("where it begins: x, y, z");
pub(super) const SKILL: Field = i32le("skill").scaled(Scale::Over(1024)).doc("its new value");
pub(super) const SKILLS: Field = tuple("skills", 3, &FIXED).doc("the new values of three members in a row");

/// `CPosition`: the width depends on the server's pos_resolution, the third coordinate on the entity's NOSEND_Z. No
/// message contains either.
pub(super) static POSITION: [Field; 4] = [
    inline("", &[position(3, &PACKED, "where it is: x, y, z; with acknex.position=packed")])
        .when(When::Setting("position", 0)),
    inline("", &[position(3, &FIXED, "where it is: x, y, z; with acknex.position=fixed")])
        .when(When::Setting("position", 1)),
    inline("", &[position(2, &PACKED, "where it is: x, y; with acknex.no_z=yes and acknex.position=packed")])
        .when(When::Setting("position", 2)),
    inline("", &[position(2, &FIXED, "where it is: x, y; with acknex.no_z=yes and acknex.position=fixed")])
        .when(When::Setting("position", 3)),
];

const fn position(coordinates: u32, of: &'static Field, doc: &'static str) -> Field {
    tuple("position", coordinates, of).doc(doc).when(bit("command", 0))
}

/// The size at which the entity is drawn.
pub(super) const fn scale(parameter: u8) -> Field {
    tuple("scale", 3, &FACTOR).doc("how large it is drawn: x, y, z").when(bit("command", parameter))
}

pub(super) const fn ambient(parameter: u8) -> Field {
    AMBIENT.doc("how bright it is by itself").unit("%").when(bit("command", parameter))
}

pub(super) const fn albedo(parameter: u8) -> Field {
    ALBEDO.doc("how it reflects light").when(bit("command", parameter))
}

pub(super) const fn skin(parameter: u8) -> Field {
    SKIN.doc("number of its skin").when(bit("command", parameter))
}

pub(super) const fn entity_type(parameter: u8) -> Field {
    latin1("type", Len::Until(0)).doc("name of its file: mdl, wmb, pcx").when(bit("command", parameter))
}

pub(super) const LIGHTRANGE: Field =
    packed_byte("lightrange", 2000).doc("how far its light reaches").unit("quants").when(bit("command", 0));
pub(super) const ALPHA: Field =
    packed_byte("alpha", 100).doc("how opaque it is, where it is translucent").unit("%").when(bit("command", 2));
const RED: Field = u8("red");
const GREEN: Field = u8("green");
const BLUE: Field = u8("blue");
pub(super) const RGB: Field = color(&[RED, GREEN, BLUE]).doc("the color of its light, with acknex.color=rgb");
pub(super) const BGR: Field = color(&[BLUE, GREEN, RED]).doc("the color of its light, with acknex.color=bgr");

const fn color(parts: &'static [Field]) -> Field {
    group("color", parts).keep_empty().when(bit("command", 1))
}

pub(super) const UNANSWERED: &str = "keep-alive of the client; not answered";
pub(super) const JOIN: &str = "the client asks to join; the server then sends info repeatedly";
pub(super) const CREATE: &str =
    "the client asks for an entity; the server's create with the same identifier is the answer";
pub(super) const CREATED: &str = "an entity was made, for the client that asked with this identifier";
pub(super) const REMOVE: &str = "the client asks to remove an entity";
pub(super) const SET_SKILL: &str = "a member of an entity has this value";
pub(super) const SET_SKILL3: &str = "values of three consecutive members of an entity";

pub(super) const LEVEL: Layout = Level.layout(
    "the client has loaded a level",
    &[command(0x09), latin1("level_name", Len::Until(0)).doc("name of the level's file")],
);
static VAR_FIELDS: [Field; 3] = [
    command(0x0a),
    i16le("index").doc("number of the variable"),
    array("values", Count::Prefix(&LENGTH), &FIXED).doc("its values").checked(),
];
pub(super) const VAR: Layout = Var.layout("a variable or array of the game has these values", &VAR_FIELDS);
pub(super) const STRING: Layout = String.layout(
    "a string of the game has this text",
    &[command(0x0b), i16le("index").doc("number of the string"), TEXT.doc("its text")],
);
pub(super) const REMOVED: Layout = Remove.layout("an entity is gone", &[command(0x04), ENTITY]);
pub(super) const ENTSOUND: Layout = Entsound.layout(
    "an entity makes a sound",
    &[
        command(0x05),
        ENTITY,
        i16le("sound").doc("number of the sound"),
        packed_byte("volume", 2000).doc("how loud"),
        i32le("handle").doc("handle of the sound on the server"),
    ],
);
static EFFECT_FIELDS: [Field; 5] = [
    command(0x06),
    ACTION,
    i16le("number").doc("how many particles"),
    START,
    tuple("velocity", 3, &FIXED).doc("how they move: x, y, z"),
];
pub(super) const EFFECT: Layout = Effect.layout("particles or a beam", &EFFECT_FIELDS);
pub(super) const LOCAL: Layout = Local.layout(
    "the client is to run a function with an entity",
    &[command(0x12), ENTITY, i16le("function").doc("number of the function")],
);

/// The messages that are the same in both directions.
pub static BOTH: [Layout; 4] = [
    VAR,
    STRING,
    Skill.layout(SET_SKILL, &[command(0x0e), ENTITY, OFFSET, SKILL]),
    Skill3.layout(SET_SKILL3, &[command(0x0f), ENTITY, OFFSET, SKILLS]),
];

/// The messages that only clients send.
pub static CLIENT: [Layout; 5] = [
    Join.layout(JOIN, &[command(0x02), PLAYER_NAME]),
    Create.layout(CREATE, &[command(0x03), FILE_NAME, START, ACTION, IDENTIFIER]),
    Remove.layout(REMOVE, &[command(0x04), i32le("entity").doc("the entity's number, here with 32 bits")]),
    Ping.layout(UNANSWERED, &[command(0x07)]),
    LEVEL,
];

/// The messages that only the server sends.
pub static SERVER: [Layout; 9] = [
    Create.layout(CREATED, &[command(0x03), ENTITY, IDENTIFIER]),
    REMOVED,
    ENTSOUND,
    EFFECT,
    Info.layout(
        "the server's clock",
        &[
            command(0x07),
            PROTOCOL_VERSION.doc("the only version on the wire; its values are not public"),
            SERVER_TIME.doc("the server's time; the unit is not stated"),
        ],
    ),
    LOCAL,
    Update1.layout(
        "what an entity looks like, as far as it has changed",
        &[
            update(0x40),
            ENTITY,
            undefined(bit("command", 5)),
            entity_type(0),
            scale(1),
            // The table of the specification has skin last, but gives it the bit before ambient.
            inline("", &[skin(2).doc("number of its skin, with acknex.skin=bit")]).when(When::Setting("skin", 1)),
            ambient(3),
            albedo(4),
            inline("", &[skin(2).doc("number of its skin, with acknex.skin=table")]).when(When::Setting("skin", 0)),
        ],
    ),
    Update2.layout(
        "where an entity is and what it does, as far as it has changed",
        &[
            update(0x80),
            ENTITY,
            inline("", &POSITION),
            angle(PAN, 1),
            angle(TILT, 2),
            angle(ROLL, 3),
            group(
                "frame",
                &[
                    i16le("current").doc("number of the frame"),
                    packed_byte("fraction", 1).doc("how far on the way to the next one"),
                    i16le("next").doc("number of the next frame"),
                ],
            )
            .doc("its animation")
            .keep_empty()
            .when(bit("command", 4)),
            custom("flags", &FlagWord).doc("bits 8 to 23 of the engine's entity flags").when(bit("command", 5)),
        ],
    ),
    Update3.layout(
        "an entity's light, color and texture, as far as they have changed",
        &[
            update(0xc0),
            ENTITY,
            undefined(When::Any(&[bit("command", 4), bit("command", 5)])),
            LIGHTRANGE,
            inline("", &[RGB]).when(When::Setting("color", 0)),
            inline("", &[BGR]).when(When::Setting("color", 1)),
            ALPHA,
            tuple("uv", 2, &FIXED).doc("offset or speed of its texture: u, v").when(bit("command", 3)),
        ],
    ),
];

/// A command that no table has.
pub static UNDEFINED: Layout = Unknown.layout(
    "a command that no table has",
    &[u8("command").doc("the command").referenced(), switch("command", &[], Other::Fault("no such command"))],
);
/// A command that only the other side sends.
pub static MISDIRECTED: Layout = Unknown.layout(
    "a command that only the other side sends",
    &[
        u8("command").doc("the command").referenced(),
        switch("command", &[], Other::Fault("a command of the other side")),
    ],
);
/// A command whose layout depends on its sender, which is unknown: this is not a fault. Every `unknown` is encoded with
/// it.
pub static UNREADABLE: [Layout; 1] = [Unknown.layout(
    "a command that cannot be read: no table has it, or its layout depends on who sent it",
    &[u8("command").doc("the command").referenced(), switch("command", &[], Other::Ask)],
)];
