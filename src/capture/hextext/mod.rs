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
mod dump;
mod error;
mod lexer;
mod lines;
mod offset;
mod plain;
mod source;
mod tcpdump;

pub use error::{HexError, HexErrorKind};

use dump::Dump;
use error::Line;
use lines::{Comments, Lines};
use offset::{Column, Offset};
use plain::Plain;
use source::Source;
use std::io::BufRead;

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

/// Reads messages from hex text, each as soon as its end is known.
#[derive(Debug)]
pub struct HexText<R> {
    lines: Lines<R>,
    comments: Comments,
    bytes: Vec<u8>,
    state: State,
    first: usize,
    /// The line read last begins the next message.
    held: bool,
    over: bool,
    line_each: bool,
    /// The length of the array before, for the `_len = N` line of `xxd -i`.
    array: Option<u64>,
}

/// What the message so far is.
#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    /// tcpdump's packet line came; its bytes are due.
    Packet,
    Plain(Plain),
    Dump(Dump),
    Source(Box<Source>),
}

/// What a line did to a message.
#[derive(Debug)]
enum Step {
    /// The message may go on.
    More,
    /// It is complete with this line.
    Done,
    /// It was complete before this line.
    Before,
}

impl<R: BufRead> HexText<R> {
    /// A reader of the text.
    pub fn new(input: R) -> Self {
        Self {
            lines: Lines::new(input),
            comments: Comments::default(),
            bytes: Vec::new(),
            state: State::Idle,
            first: 0,
            held: false,
            over: false,
            line_each: false,
            array: None,
        }
    }

    /// Whether each line of a form without offsets is a message of its own. By default lines
    /// are joined until a blank one, as long messages are wrapped.
    #[must_use]
    pub fn lines(mut self, each: bool) -> Self {
        self.line_each = each;
        self
    }

    /// The next message; None at the end of the input, and after an error.
    // No iterator: the message borrows the reader's buffer.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Block<'_>>, HexError> {
        if self.over {
            return Ok(None);
        }
        self.bytes.clear();
        let read = self.read();
        self.over = !matches!(read, Ok(Some(_)));
        Ok(read?.map(|form| Block {
            bytes: &self.bytes,
            line: self.first,
            form,
            layer: match form {
                Form::Tcpdump => tcpdump::layer(&self.bytes),
                Form::Wireshark => Layer::Unknown,
                _ => Layer::Payload,
            },
        }))
    }

    fn read(&mut self) -> Result<Option<Form>, HexError> {
        loop {
            if !std::mem::take(&mut self.held) && !self.lines.advance()? {
                self.comments.finish()?;
                return self.finish();
            }
            if self.lines.line().text.trim().is_empty() && !self.comments.is_open() {
                match &self.state {
                    State::Idle => continue,
                    State::Source(source) if source.is_open() => continue,
                    _ => return self.finish(),
                }
            }
            let mark = self.comments.mark();
            match self.line()? {
                Step::More => {}
                Step::Done => return self.finish(),
                Step::Before => {
                    self.held = true;
                    self.comments.reset(mark);
                    return self.finish();
                }
            }
        }
    }

    /// Reads the line in hand.
    fn line(&mut self) -> Result<Step, HexError> {
        let line = self.lines.line();
        let shown = line.text.trim_start();
        if !self.comments.is_open() {
            match &mut self.state {
                State::Idle if tcpdump::is_packet_line(shown) => {
                    self.first = line.number;
                    self.state = State::Packet;
                    return Ok(Step::More);
                }
                State::Idle => {
                    if let Some(offset) = Offset::first(line)? {
                        self.first = line.number;
                        self.state = State::Dump(Dump::new(line, &offset));
                    }
                }
                State::Packet => match Offset::find(line) {
                    Some(offset) if offset.column == Column::ZeroX => {
                        self.state = State::Dump(Dump::new(line, &offset));
                    }
                    // With -v the packet line goes on in lines that are indented.
                    _ if line.text.starts_with([' ', '\t']) => return Ok(Step::More),
                    _ => return Ok(Step::Before),
                },
                _ => {}
            }
        }
        if let State::Dump(dump) = &mut self.state {
            if dump.form() == Form::Tcpdump && tcpdump::is_packet_line(shown) {
                return Ok(Step::Before);
            }
            // A text column may hold anything, so that only whole lines can be comments.
            if shown.starts_with('#') || shown.starts_with("//") {
                return Ok(Step::More);
            }
            return dump.line(line, &mut self.bytes);
        }
        let code = self.comments.blank(line);
        if code.text.trim().is_empty() {
            return Ok(Step::More);
        }
        if matches!(self.state, State::Idle) {
            if let Some(found) = self.array
                && let Some((at, declared)) = length_line(code.text)
            {
                if found != declared {
                    let kind = HexErrorKind::Length { declared, found };
                    return Err(HexError::at(code, at, kind));
                }
                return Ok(Step::More);
            }
            self.first = line.number;
            self.state = if is_source(code.text) {
                State::Source(Box::default())
            } else {
                State::Plain(Plain::default())
            };
        }
        let (step, complete) = match &mut self.state {
            State::Plain(plain) => (
                plain.line(code, &mut self.bytes).map(|()| Step::More)?,
                true,
            ),
            State::Source(source) => {
                let step = source.line(code, &mut self.bytes)?;
                (step, source.has_bytes() && !source.is_open())
            }
            _ => (Step::More, false),
        };
        Ok(match step {
            Step::More if self.line_each && complete => Step::Done,
            step => step,
        })
    }

    /// At the end of a message, or of the input.
    fn finish(&mut self) -> Result<Option<Form>, HexError> {
        let line = Line {
            number: self.first,
            text: "",
        };
        let form = match std::mem::take(&mut self.state) {
            State::Idle => return Ok(None),
            State::Packet => return Err(HexError::at(line, 0, HexErrorKind::NoPacket)),
            State::Plain(_) => Form::Plain,
            State::Dump(dump) => {
                dump.finish(line, &self.bytes)?;
                dump.form()
            }
            State::Source(source) => source.finish()?,
        };
        if self.bytes.is_empty() {
            return Err(HexError::at(line, 0, HexErrorKind::NoBytes));
        }
        self.array = (form == Form::Array).then_some(self.bytes.len() as u64);
        Ok(Some(form))
    }
}

/// Whether a line that is no dump is source code rather than plain digits.
fn is_source(text: &str) -> bool {
    let text = text.trim_start();
    let number = text.starts_with("0x") || text.starts_with("0X");
    let plain = text.starts_with(|c: char| c.is_ascii_digit());
    number
        || !plain
            && (text.contains(['"', '\'', '\\', '{', '[', '(', '='])
                || text.contains("0x")
                || text.contains("0X"))
}

/// The line that `xxd -i` prints behind an array, `unsigned int name_len = 5;`: where the number
/// stands, and what it is.
fn length_line(text: &str) -> Option<(usize, u64)> {
    let (name, value) = text.split_once('=')?;
    let at = text.len() - value.trim_start().len();
    let number = value.trim().strip_suffix(';')?.trim_end();
    name.trim_end().ends_with("_len").then_some(())?;
    Some((at, number.parse().ok()?))
}

/// Refuses a message that `more` bytes would make too long.
fn push_room(line: Line<'_>, at: usize, have: usize, more: usize) -> Result<(), HexError> {
    if more > MAX_MESSAGE.saturating_sub(have) {
        return Err(HexError::at(line, at, HexErrorKind::LongMessage));
    }
    Ok(())
}
