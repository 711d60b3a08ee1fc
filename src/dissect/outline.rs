//! What a file has to say of a protocol that its tables leave open: where the number stands by which a
//! message is found, what carries it, which settings its conditions ask.

/// What the tables of a protocol do not say by themselves, for `netkit fields NAME --as-toml`.
#[derive(Clone, Copy, Debug)]
pub struct Outline {
    /// The number with which every message begins, and by which it is found.
    pub by: &'static str,
    /// The version that is read where nobody says which.
    pub version: &'static str,
    /// The ports of its servers over UDP; `None`: it is not spoken over UDP.
    pub udp: Option<&'static [u16]>,
    /// How its messages stand in a TCP stream; empty: it is not spoken over TCP.
    pub tcp: &'static [StreamFrame],
    /// Is it spoken over WebSocket?
    pub websocket: bool,
    /// May a datagram, or a WebSocket message, hold several messages?
    pub several: bool,
    /// Numbers whose messages are told apart by the fixed bits of their flags, and what they are
    /// called together.
    pub carriers: &'static [(u64, &'static str)],
    /// What conditions of the tables ask: their name for it, that of the file's setting, and the
    /// names of its values from 0 on. Those of the protocol's settings need not be here.
    pub choices: &'static [(&'static str, &'static str, &'static [&'static str])],
    /// The setting that tells the byte order of numbers in the conversation's order, whose values are
    /// be and le.
    pub order: &'static str,
    /// The setting that tells how many bytes stand before the first message; or empty.
    pub skip: &'static str,
    /// What the file leaves out, and why: a sentence each.
    pub left_out: &'static [&'static str],
}

/// What stands before each message of a stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamFrame {
    /// The versions that have it; empty: all.
    pub versions: &'static [&'static str],
    /// The word before the length that belongs to the message, as the length then does; or empty.
    pub header: &'static str,
    /// The length's word.
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
