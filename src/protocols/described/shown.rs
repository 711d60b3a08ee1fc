//! The fields of `derived`: joined messages, and the remembered values that a reading used.

use crate::codec::layout::{Count, Field, Len, array, bytes, flag, group, text, uint};

pub static FRAMES: Field = array("frames", Count::Rest, &FRAME);
pub static FRAME: Field = uint("frame", 64);
pub static JOINED_LENGTH: Field = uint("length", 32).doc("bytes of the whole");
pub static JOINED_NAME: Field = text("message", Len::Rest).doc("the message that the whole is").public();
pub static JOINED_BYTES: Field = bytes("bytes", Len::Rest).doc("the whole");
pub static JOINED_BULK: Field = {
    let mut field = bytes("bytes", Len::Rest).doc("the whole");
    field.flags |= flag::BULK;
    field
};
pub static JOINED_PACKET: Field = group("packet", &[]);
pub static JOINED_FIELDS: Field = group("fields", &[]).keep_empty();
pub static JOINED: Field = group("joined", &JOINED_FIELDS_ALL).doc("the whole that this part completed");
static JOINED_FIELDS_ALL: [Field; 6] = [
    array("frames", Count::Rest, &FRAME),
    uint("length", 32).doc("bytes of the whole"),
    text("message", Len::Rest).doc("the message that the whole is"),
    group("packet", &[]),
    group("fields", &[]),
    bytes("bytes", Len::Rest).doc("the whole"),
];
pub static MEMORY: Field = group("memory", &[]).doc("values of earlier messages that this message needed").public();
