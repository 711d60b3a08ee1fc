//! Hex text in the forms that people paste, read as messages.
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
//! A message ends at a blank line, where an offset goes back to 0, and where an array is closed.
//! Comments (`#`, `//`, `/* */`) are skipped. Nothing is guessed: text that could be read in two
//! ways is refused, as is every character that does not belong to the form, with its place.

mod column;
mod comments;
mod digits;
mod dump;
mod error;
mod lexer;
mod lines;
mod offset;
mod plain;
mod reader;
mod source;
mod tcpdump;

pub use error::{HexError, HexErrorKind};
pub use reader::HexText;

use error::Line;

/// The most bytes in a line of a dump: what `xxd -c` allows.
const MAX_COLUMNS: usize = 256;

/// The longest line in bytes.
pub const MAX_LINE: usize = 16 << 20;

/// The longest message in bytes.
pub const MAX_MESSAGE: usize = 64 << 20;

/// The form in which a message was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Digits, with or without separators; also `xxd -p`.
    Plain,
    /// `0x08, 0x01` without brackets; longer numbers are bytes in the written order.
    HexList,
    /// An array of a programming language.
    Array,
    /// `\x08\x01`, in quotes or not.
    Escaped,
    /// `xxd`.
    Xxd,
    /// `hexdump -C`.
    Hexdump,
    /// `od -t x1`, and other dumps whose offsets have six digits and more.
    Od,
    /// `tcpdump -x`, `-xx`, `-X` and `-XX`.
    Tcpdump,
    /// Wireshark's and tshark's dump, whose offsets have four digits.
    Wireshark,
}

/// What a message's bytes begin with, as far as the form tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layer {
    /// The message itself.
    Payload,
    /// An IPv4 or IPv6 header, by its own length.
    Ip,
    /// An Ethernet header with a whole IP packet behind it.
    Link,
    /// The form often holds whole frames, but not always: the bytes themselves must tell.
    Unknown,
}

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// Its bytes, at least one.
    pub bytes: &'a [u8],
    /// The line with which it begins, from 1.
    pub line: usize,
    /// How it was written.
    pub form: Form,
    /// What it begins with.
    pub layer: Layer,
}

/// What a line did to a message.
#[derive(Debug)]
enum LineStep {
    /// The message may go on.
    More,
    /// It is complete with this line.
    Done,
    /// It was complete before this line.
    Before,
}

/// Refuses a message that `more` bytes would make too long.
fn push_room(line: Line<'_>, at: usize, have: usize, more: usize) -> Result<(), HexError> {
    if more > MAX_MESSAGE.saturating_sub(have) {
        return Err(HexError::at(line, at, HexErrorKind::LongMessage));
    }
    Ok(())
}
