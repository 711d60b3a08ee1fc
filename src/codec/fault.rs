//! Describes a broken field (the [`Fault`]), and the reason why a walk ended early (the [`Stop`]).

use std::fmt;

/// The reason why a walk ended before its table did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The bytes do not fit the table.
    Fault(Fault),
    /// Nothing is broken, but the rest cannot be interpreted: it follows an unknown packet id, or a link whose types
    /// were never announced. It is unparsed from this bit on.
    Unknown {
        /// The first bit that could not be interpreted.
        bit: u32,
    },
}

/// A broken field: the kind of fault, its position, the bits needed, the bits available, and the source of the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub reason: Reason,
    /// `riptide.reliable.sequence_id`, with `[2]` for elements of arrays.
    pub path: String,
    /// The field's first bit, from the start of the message.
    pub bit: u32,
    /// The bits needed from there (0 if unknown).
    pub need: u64,
    /// The bits left from there.
    pub have: u64,
    /// The source of the need or the limit, as text: `length 9 from name_length`; may be empty.
    pub limit: String,
}

/// The kind of a [`Fault`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The message ends before the field does.
    Short,
    /// The capture cut the frame: the bytes were on the wire, but are not in the file.
    Cut,
    /// The terminator of a text is missing.
    Unterminated,
    /// A count that is negative, or larger than the bytes that are left.
    Count,
    /// A varint with more groups than any reader accepts.
    TooLong,
    /// Groups are nested too deeply.
    Depth,
    /// The value is not defined, so its layout is unknown.
    Undefined(&'static str),
}

impl Fault {
    /// Creates a fault without a path; the walk adds the path.
    pub fn new(reason: Reason, bit: u32, need: u64, have: u64) -> Fault {
        Fault { reason, path: String::new(), bit, need, have, limit: String::new() }
    }

    /// Whether the capture lacks the last bytes of the message; those before may be right.
    pub fn is_cut(&self) -> bool {
        self.reason == Reason::Cut
    }
}

/// Shows everything on one line: `riptide.reliable.payload.name: needs 72 bits at bit 181, 40 left (length 9 from
/// name_length)`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { path, bit, need, have, limit, .. } = self;
        match self.reason {
            Reason::Short => write!(f, "{path}: needs {need} bits at bit {bit}, {have} left")?,
            Reason::Cut => write!(f, "{path}: needs {need} bits at bit {bit}, {have} captured")?,
            Reason::Unterminated => write!(f, "{path}: no end in the {have} bits from bit {bit}")?,
            Reason::Count => write!(f, "{path}: impossible count at bit {bit}, {have} bits left")?,
            Reason::TooLong => write!(f, "{path}: too long a number at bit {bit}, {have} bits left")?,
            Reason::Depth => write!(f, "{path}: nested too deeply at bit {bit}")?,
            Reason::Undefined(what) => write!(f, "{path}: {what} at bit {bit}, {have} bits left")?,
        }
        if limit.is_empty() { Ok(()) } else { write!(f, " ({limit})") }
    }
}
