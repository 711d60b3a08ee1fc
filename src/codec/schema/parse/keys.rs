//! The keys of the language, by table.

pub const FILE: &str = "protocol proto doc encoding lengths over beside udp tcp websocket packet message struct enum flags memory \
    settings numbers requests recognise probe session version";
pub const OVER: &str = "protocol";
pub const UDP: &str = "ports";
pub const TCP: &str = "ports frame";
pub const WEBSOCKET: &str = "ports path";
pub const FRAME: &str = "length plus header most until fields if";
pub const PACKET: &str = "fields";
pub const MESSAGE: &str = "id any route message name doc if from encoding sets fields";
pub const FIELD: &str = "type name doc unit scale enum flags closed if size until or_end bits of value optional hidden \
    hidden_id by join compressed inflated most over holds holds_order holds_if order sets default \
    charset xor inline padded rounded angle signed checked prefix align while plus joined back number time tag packed";
pub const SIZE: &str = "type scale plus most";
pub const NUMBER: &str = "text";
pub const BACK: &str = "at from";
pub const CASE: &str = "type plus";
pub const PART: &str = "at hidden signed enum flags closed scale unit doc except";
pub const JOIN: &str = "if key index offset count total remaining is by";
pub const FIRST: &str = "default first doc";
pub const NUMBERS: &str = "number if per ack ack_below ack_bits ack_ranges nack resent_as";
pub const PLACE: &str = "field if from to";
pub const REQUESTS: &str = "asks answers by";
pub const BY: &str = "ask answer";
pub const RECOGNISE: &str = "server packets";
pub const PROBE: &str = "send fields answer expect again tell retries";
pub const SESSION: &str = "opens opened closes fields keepalive every takes echoes differs";

/// All tables with their keys: those that the parser accepts, and lists in its errors.
pub const KEYS: &[(&str, &str)] = &[
    ("file", FILE),
    ("over", OVER),
    ("udp", UDP),
    ("tcp", TCP),
    ("websocket", WEBSOCKET),
    ("frame", FRAME),
    ("packet", PACKET),
    ("message", MESSAGE),
    ("field", FIELD),
    ("size", SIZE),
    ("number", NUMBER),
    ("back", BACK),
    ("case", CASE),
    ("part", PART),
    ("join", JOIN),
    ("first", FIRST),
    ("numbers", NUMBERS),
    ("place", PLACE),
    ("requests", REQUESTS),
    ("by", BY),
    ("recognise", RECOGNISE),
    ("probe", PROBE),
    ("session", SESSION),
];
