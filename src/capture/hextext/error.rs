//! Reasons and positions of rejected text.

use crate::printable::Printable;
use std::io;

/// The position at which hex text was rejected, and the reason.
///
/// Its `Display` is one line, `line 3, column 17: 'g' is not a hex digit`.
#[derive(Debug, thiserror::Error)]
#[error("line {line}, column {column}: {}", Printable(.kind))]
pub struct HexError {
    /// The line number, from 1.
    pub line: usize,
    /// The column number, from 1, in characters.
    pub column: usize,
    /// The offending character, if there is one.
    pub character: Option<char>,
    /// The reason.
    pub(crate) kind: HexErrorKind,
}

/// The start of a text, for an error: enough to find it, never a whole line.
pub(super) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 24;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

/// The reasons for which text is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HexErrorKind {
    /// A character that should be a hex digit.
    #[error("{0:?} is not a hex digit")]
    Stray(char),
    /// A character that the form uses, but not at this position.
    #[error("{0:?} is unexpected here: neither hex nor part of an array or a string of bytes")]
    Misplaced(char),
    /// Digits that do not make whole bytes.
    #[error("an odd number of hex digits ({count}) in \"{token}\"")]
    Odd {
        /// The number of digits.
        count: usize,
        /// The digits, or the first of them.
        token: String,
    },
    /// A first column that could be an offset or data.
    #[error(
        "\"{0}\" could begin with an offset or with data: remove the offset column, or join \
         the digits of each line"
    )]
    OffsetOrData(String),
    /// Output of hexdump or od with groups of more than one byte.
    #[error(
        "\"{0}\" looks like the words of `hexdump` or `od`, whose byte order depends on the \
         machine: use `hexdump -C`, `od -A x -t x1` or `xxd`"
    )]
    Words(String),
    /// A dump whose first offset is not 0.
    #[error(
        "the dump begins at offset {0}, not at 0: its first bytes are missing, or take the \
         offset column off"
    )]
    NotAtZero(String),
    /// An offset that does not continue the previous line.
    #[error("offset {found} where {expected:#x} is expected: lines are missing or repeated")]
    Gap {
        /// The offset as written.
        found: String,
        /// The number of bytes so far.
        expected: u64,
    },
    /// A line of a dump without the offset column.
    #[error("expected an offset here, {expected:#x}: separate messages of different forms by a blank line")]
    OffsetDue {
        /// The number of bytes so far.
        expected: u64,
    },
    /// A line of a dump that is longer than any tool prints.
    #[error("a line of a dump with more than {} bytes", super::MAX_COLUMNS)]
    WideDump,
    /// Groups of different lengths in a dump.
    #[error("\"{0}\" is not as long as the groups of digits before it")]
    Uneven(String),
    /// A text column that does not match the bytes.
    #[error("the text column has {found:?} where the byte is {byte:#04x}")]
    TextColumn {
        /// The character of the text column.
        found: char,
        /// The byte at that position.
        byte: u8,
    },
    /// A text column that is longer or shorter than the bytes.
    #[error("the text column \"{0}\" does not have one character for each byte before it")]
    TextLength(String),
    /// A text column that could be bytes as well.
    #[error("\"{0}\" could be the text column or more bytes: remove the text column")]
    TextOrData(String),
    /// `xxd -e` and `xxd -g 4` print the same form with different byte orders.
    #[error(
        "groups of {0} digits could be `xxd -e`, which reverses the bytes: use `xxd` \
         without -e and -g"
    )]
    GroupOrder(usize),
    /// A `*` without a line to repeat or without an end.
    #[error("'*' means repeated lines, but there is no line {0} it")]
    Star(&'static str),
    /// A `*` whose length depends on the number base of the offsets.
    #[error("offset {0} could be octal, decimal or hex, so that '*' has no sure length")]
    StarBase(String),
    /// A number without 0x among numbers with it.
    #[error("\"{0}\" has no 0x, so it could be decimal: write 0x.. numbers, or plain hex digits")]
    Decimal(String),
    /// An integer of several bytes in an array.
    #[error("0x{0} in an array is a number of several bytes, whose order is not known")]
    Wide(String),
    /// Quotes around text that could also be digits.
    #[error("a quoted string without \\x escapes: if it is hex, remove the quotes")]
    NoEscape,
    /// An escape that netkit does not read.
    #[error("the escape \\{0} is not read, only \\xHH with two digits, \\0 \\a \\b \\t \\n \\v \\f \\r \\\\ \\\" \\'")]
    Escape(char),
    /// Text before an array or string, but no array or string.
    #[error("no hex bytes follow this: netkit reads 0x.. arrays and \\x.. strings")]
    NoBytes,
    /// A bracket, quote or comment that is not closed.
    #[error("{0:?} is never closed")]
    Unclosed(char),
    /// A `_len = N` of `xxd -i` that differs from the array's length.
    #[error("the declared length is {declared}, but the array has {found} bytes")]
    Length {
        /// The length in the text.
        declared: u64,
        /// The bytes of the array before.
        found: u64,
    },
    /// A tcpdump packet line that no bytes follow.
    #[error("a tcpdump line without bytes after it: use tcpdump -x or -X")]
    NoPacket,
    /// A line over [`MAX_LINE`](super::MAX_LINE).
    #[error("a line of more than {} MiB", super::MAX_LINE >> 20)]
    LongLine,
    /// A message over [`MAX_MESSAGE`](super::MAX_MESSAGE).
    #[error("a message of more than {} MiB", super::MAX_MESSAGE >> 20)]
    LongMessage,
    /// The input could not be read.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl HexErrorKind {
    /// The offending character.
    pub(super) fn character(&self) -> Option<char> {
        match *self {
            Self::Stray(c) | Self::Misplaced(c) | Self::Escape(c) | Self::Unclosed(c) => Some(c),
            Self::TextColumn { found, .. } => Some(found),
            _ => None,
        }
    }
}
