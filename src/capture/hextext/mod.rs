//! Reads messages from hex text, in the forms used by tools and source code.
//!
//! | form | looks like |
//! |---|---|
//! | [`Form::Plain`] | `0801000100`, `08 01 00`, `08:01:00`, `08, 01` |
//! | [`Form::HexList`] | `0x08, 0x01`, `0x0801` |
//! | [`Form::Array`] | `unsigned char x[] = { 0x08, 0x01 };`, `vec![0x08]`, Wireshark's and `xxd -i` |
//! | [`Form::Escaped`] | `\x08\x01`, `"\x08\x01"`, `b"\x03abc"` |
//! | [`Form::Xxd`] | `00000000: 0801 0001 00  .....` |
//! | [`Form::Hexdump`] | `00000000  08 01 00 01 00  \|.....\|` |
//! | [`Form::Od`] | `000000 08 01 00 01 00` |
//! | [`Form::Tcpdump`] | `0x0000:  4500 0021 ...`, with or without its packet lines |
//! | [`Form::Wireshark`] | `0000   08 01 00 01 00   .....` |
//!
//! A message ends at a blank line, at an offset that returns to 0, or at the end of an array.
//! Comments (`#`, `//`, `/* */`) are skipped. A line `I TIME` or `O TIME` before a message is its
//! direction, as in text2pcap. Nothing is guessed: ambiguous text and characters that do not belong
//! to the form are rejected, with their position.

mod column;
mod comments;
mod dump;
mod error;
mod lexer;
mod line;
mod offset;
mod plain;
mod reader;
mod source;
mod tcpdump;

use super::LinkType;

pub use error::HexError;
pub use reader::HexText;

/// The largest number of bytes in a line of a dump: the maximum of `xxd -c`.
const MAX_COLUMNS: usize = 256;

/// The longest line in bytes.
pub(crate) const MAX_LINE: usize = 16 << 20;

/// The longest message in bytes.
pub(crate) const MAX_MESSAGE: usize = 64 << 20;

/// The form of a message's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Digits, with or without separators; also `xxd -p`.
    Plain,
    /// `0x08, 0x01` without brackets; longer numbers are bytes in the order written.
    HexList,
    /// An array of a programming language.
    Array,
    /// `\x08\x01`, in quotes or not.
    Escaped,
    /// `xxd`.
    Xxd,
    /// `hexdump -C`.
    Hexdump,
    /// `od -t x1`, and other dumps whose offsets have at least six digits.
    Od,
    /// `tcpdump -x`, `-xx`, `-X` and `-XX`.
    Tcpdump,
    /// Wireshark's and tshark's dump, whose offsets have four digits.
    Wireshark,
}

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// The message's bytes, at least one.
    pub bytes: &'a [u8],
    /// The line at which it begins, from 1.
    pub line: usize,
    /// The form of its text.
    pub form: Form,
    /// The first header of a packet that tcpdump printed, if it is known: the form does not show it.
    pub link: Option<LinkType>,
    /// The direction from a line `I TIME` or `O TIME` before the message, as in text2pcap: inbound (true) or outbound.
    pub inbound: Option<bool>,
}

/// The effect of a line on the current message.
#[derive(Debug)]
enum LineStep {
    /// The message may continue.
    More,
    /// The message is complete, including this line.
    Done,
    /// The message was complete before this line.
    Before,
}
