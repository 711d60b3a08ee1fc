//! The keys of the language, by table.

macro_rules! tables {
    ($($list:ident $name:literal: $keys:literal;)*) => {
        $(pub const $list: &str = $keys;)*

        /// All tables with their keys: those that the parser accepts, and lists in its errors.
        pub const KEYS: &[(&str, &str)] = &[$(($name, $keys)),*];
    };
}

tables! {
    FILE "file": "protocol proto doc encoding lengths over beside udp tcp websocket packet message struct enum flags memory \
    settings numbers requests recognise probe session version";
    OVER "over": "protocol";
    UDP "udp": "ports";
    TCP "tcp": "ports frame";
    WEBSOCKET "websocket": "ports path";
    FRAME "frame": "length plus header most until fields if";
    PACKET "packet": "fields";
    MESSAGE "message": "id any route message name doc if from encoding sets fields";
    FIELD "field": "type name doc unit scale enum flags closed if size until or_end bits of value optional hidden \
    hidden_id by join compressed inflated most over holds holds_order holds_if order sets default \
    charset xor inline padded rounded angle signed checked prefix align while plus joined back number time tag packed";
    SIZE "size": "type scale plus most";
    NUMBER "number": "text";
    BACK "back": "at from";
    CASE "case": "type plus";
    PART "part": "at hidden signed enum flags closed scale unit doc except";
    JOIN "join": "if key index offset count total remaining is by";
    FIRST "first": "default first doc";
    NUMBERS "numbers": "number if per ack ack_below ack_bits ack_ranges nack resent_as";
    PLACE "place": "field if from to";
    REQUESTS "requests": "asks answers by";
    BY "by": "ask answer";
    RECOGNISE "recognise": "server packets";
    PROBE "probe": "send fields answer expect again tell retries";
    SESSION "session": "opens opened closes fields keepalive every takes echoes differs";
}
