//! Facts about a protocol that a file needs but its tables do not contain: the number that identifies a message, its
//! carriers, the settings used in conditions.

/// The facts that a protocol's tables do not contain, for `netkit fields NAME --as-toml`.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// The name of the number at the start of every message that identifies it.
    pub by: &'static str,
    /// The version that is read by default.
    pub version: &'static str,
    /// The ports of its servers over UDP; `None` if it does not use UDP.
    pub udp: Option<&'static [u16]>,
    /// The frames of its messages in a TCP stream; empty if it does not use TCP.
    pub tcp: &'static [StreamFrame],
    /// Whether it uses WebSocket.
    pub websocket: bool,
    /// Whether a datagram or WebSocket message may contain several messages.
    pub several: bool,
    /// Numbers whose messages are distinguished by fixed bits of their flags, with their common name.
    pub carriers: &'static [(u64, &'static str)],
    /// The choices that conditions of the tables refer to: their name, the name of the file's setting, and the names of
    /// its values from 0 on. Those of the protocol's own settings may be omitted.
    pub choices: &'static [(&'static str, &'static str, &'static [&'static str])],
    /// The setting for the byte order of numbers in the conversation's order; its values are be and le.
    pub order: &'static str,
    /// The setting for the number of bytes before the first message; may be empty.
    pub skip: &'static str,
    /// The facts that the file omits, each with its reason in a sentence.
    pub left_out: &'static [&'static str],
}

/// The frame header before each message of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamFrame {
    /// The versions that have it; empty: all.
    pub versions: &'static [&'static str],
    /// The name of the number before the length, which is part of the message, as the length is then; may be empty.
    pub header: &'static str,
    /// The name of the length.
    pub length: &'static str,
}

impl Outline {
    /// A protocol over UDP of one version, whose messages begin with the number `by`.
    pub const fn new(by: &'static str) -> Outline {
        Outline {
            by,
            version: "",
            udp: Some(&[]),
            tcp: &[],
            websocket: false,
            several: false,
            carriers: &[],
            choices: &[],
            order: "",
            skip: "",
            left_out: &[],
        }
    }
}
