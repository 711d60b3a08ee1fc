//! What broke, and where: the five facts of a fault, and why a walk stopped.

use std::fmt;

/// Why a walk ended before its table did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The bytes do not fit the table.
    Fault(Fault),
    /// Nothing is broken, but what follows cannot be known: an unknown packet id, a link without
    /// types. The rest is unparsed from this bit on.
    Unknown {
        /// Where the part begins that could not be read.
        bit: u32,
    },
}

/// A broken field: what, where, how much it needed, how much was there, and who set the limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub reason: Reason,
    /// `riptide.reliable.sequence_id`, with `[2]` for elements of arrays.
    pub path: String,
    /// The field's first bit, from the start of the message.
    pub bit: u32,
    /// How many bits it needed from there (0 where that cannot be said).
    pub need: u64,
    /// How many bits were left.
    pub have: u64,
    /// What set the need or the limit, in words: `length 9 from name_length`; or empty.
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
    /// A count that is negative, or larger than what is left.
    Count,
    /// A number of more groups than any reader takes.
    TooLong,
    /// Nested too deeply.
    Depth,
    /// No such value is defined; its layout cannot be known.
    Undefined(&'static str),
}

impl Fault {
    /// A fault without place: the walk adds the path.
    pub fn new(reason: Reason, bit: u32, need: u64, have: u64) -> Fault {
        Fault { reason, path: String::new(), bit, need, have, limit: String::new() }
    }
}

/// One line with all five facts:
/// `riptide.reliable.payload.name: needs 72 bits at bit 181, 40 left (length 9 from name_length)`.
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
        match limit.is_empty() {
            true => Ok(()),
            false => write!(f, " ({limit})"),
        }
    }
}
