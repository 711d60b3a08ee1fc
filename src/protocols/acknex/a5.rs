//! The differences of A5 (5.230) from the specification: tables only. Source: the chapter "The A5 Client/Server
//! Protocol" of its SDK manual; `local` and `level` are taken over from A6.

use super::layout::Message::*;
use super::layout::*;
use crate::codec::Layout;
use crate::codec::layout::*;
use crate::codec::scale::Scale;

/// The first four bytes of every info, by which A5 is recognised.
pub const SYNC: u32 = 0x1119_1218;

const PLAYER: Field = i32le("player_dpid").doc("the player's id");
pub(super) const ENTITY_ID: Field = i32le("entity_dpid").doc("the entity's id");
static OFFSET16: Field = i16le("offset").scaled(Scale::Over(16));

/// The messages that are the same in both directions.
pub static BOTH: [Layout; 3] =
    [Fill.layout("nothing: fills a packet up to eight bytes", &[command(0x01)]), VAR, STRING];

/// The messages that only clients send.
pub static CLIENT: [Layout; 7] = [
    Join.layout(JOIN, &[command(0x02), PLAYER, PLAYER_NAME]),
    Create.layout(CREATE, &[command(0x03), PLAYER, FILE_NAME, START, ACTION, IDENTIFIER]),
    Remove.layout(REMOVE, &[command(0x04), ENTITY_ID]),
    Ping.layout(UNANSWERED, &[command(0x07), PLAYER]),
    LEVEL,
    Skill.layout(SET_SKILL, &[command(0x0e), ENTITY_ID, OFFSET, SKILL]),
    Skill3.layout(SET_SKILL3, &[command(0x0f), ENTITY_ID, OFFSET, SKILLS]),
];

/// The messages that only the server sends. The parameters of its updates are in the order of their bits.
pub static SERVER: [Layout; 11] = [
    Create.layout(CREATED, &[command(0x03), ENTITY, IDENTIFIER]),
    REMOVED,
    ENTSOUND,
    EFFECT,
    Info.layout(
        "the server's clock, sent with every frame",
        &[
            command(0x07),
            i32le("sync").doc("always 286855704").default(SYNC as i64),
            PROTOCOL_VERSION.doc("the version of the protocol"),
            SERVER_TIME.doc("the server's time"),
            f32le("frame_time").doc("how long the frame took"),
        ],
    ),
    Skill.layout(SET_SKILL, &[command(0x0e), ENTITY, OFFSET, SKILL]),
    Skill3.layout(SET_SKILL3, &[command(0x0f), ENTITY, OFFSET, SKILLS]),
    LOCAL,
    Update1.layout(
        "where an entity is and what it looks like, as far as it has changed",
        &[
            update(0x40),
            ENTITY,
            inline("", &POSITION),
            angle(PAN, 1),
            scale(2),
            entity_type(3),
            group(
                "frame",
                &[
                    i16le("current").doc("number of the frame"),
                    packed_byte("fraction", 1).doc("how far on the way to the next one"),
                ],
            )
            .doc("its animation")
            .keep_empty()
            .when(bit("command", 4)),
            u8("flags1").doc("flags of the entity").when(bit("command", 5)),
        ],
    ),
    Update2.layout(
        "an entity's light and turn, as far as they have changed",
        &[
            update(0x80),
            ENTITY,
            ambient(0),
            albedo(1),
            skin(2),
            angle(TILT, 3),
            angle(ROLL, 4),
            i16le("nextframe").doc("number of the next frame").when(bit("command", 5)),
        ],
    ),
    Update3.layout(
        "an entity's color and texture, as far as they have changed",
        &[
            update(0xc0),
            ENTITY,
            undefined(bit("command", 5)),
            LIGHTRANGE,
            inline("", &[BGR]).when(When::Setting("color", 0)),
            inline("", &[RGB]).when(When::Setting("color", 1)),
            ALPHA,
            tuple("uv", 2, &OFFSET16).doc("offset of its texture: u, v").when(bit("command", 3)),
            u8("flags2").doc("more flags of the entity").when(bit("command", 4)),
        ],
    ),
];
