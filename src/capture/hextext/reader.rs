//! The reader: assigns lines to messages, and determines the form of each message.

use super::comments::Comments;
use super::dump::Dump;
use super::error::{HexError, HexErrorKind};
use super::line::{Line, Lines, Pattern};
use super::offset::{Column, Offset};
use super::plain::Plain;
use super::source::Source;
use super::{Block, Form, LineStep, tcpdump};
use crate::codec::digits;
use regex_lite::Regex;
use std::io::BufRead;

/// Reads messages from hex text, each as soon as its end is known.
#[derive(Debug)]
pub struct HexText<R> {
    lines: Lines<R>,
    comments: Comments,
    bytes: Vec<u8>,
    state: State,
    first: usize,
    /// Whether the current line belongs to the next message.
    held: bool,
    over: bool,
    line_each: bool,
    /// Whether the bytes were derived from other frames: tshark also prints reassembled and unmasked data.
    derived: bool,
    /// The direction of the current message.
    inbound: Option<bool>,
    /// The length of the previous array, for the `_len = N` line of `xxd -i`.
    array: Option<u64>,
    /// The number of digits of the previous dump's offsets, if these are bare.
    offsets: Option<usize>,
}

/// The state of the current message.
#[derive(Debug, Default)]
enum State {
    #[default]
    Idle,
    /// After tcpdump's packet line: the bytes must follow.
    Packet,
    Plain(Plain),
    Dump(Dump),
    Source(Box<Source>),
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
            derived: false,
            inbound: None,
            array: None,
            offsets: None,
        }
    }

    /// Sets whether each line of a form without offsets is a separate message. By default lines are joined until a
    /// blank line, since long messages are wrapped.
    pub fn lines(mut self, each: bool) -> Self {
        self.line_each = each;
        self
    }

    /// The next message; None at the end of the input, and after an error.
    // Not an Iterator: the message borrows the reader's buffer.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Result<Option<Block<'_>>, HexError> {
        let mut form = None;
        while !self.over && form.is_none() {
            self.bytes.clear();
            (self.derived, self.inbound) = (false, None);
            let read = self.read();
            self.over = !matches!(read, Ok(Some(_)));
            // The frames already contain derived bytes.
            form = read?.filter(|_| !self.derived);
        }
        Ok(form.map(|form| Block {
            bytes: &self.bytes,
            line: self.first,
            form,
            inbound: self.inbound,
            link: (form == Form::Tcpdump).then(|| tcpdump::link(&self.bytes)).flatten(),
        }))
    }

    fn read(&mut self) -> Result<Option<Form>, HexError> {
        loop {
            if !std::mem::take(&mut self.held) && !self.lines.advance()? {
                self.comments.finish()?;
                return self.finish();
            }
            let before = self.comments.open;
            if self.lines.line().text.trim().is_empty() && before.is_none() {
                match &self.state {
                    State::Idle => continue,
                    State::Source(source) if source.is_open() => continue,
                    _ => return self.finish(),
                }
            }
            match self.line()? {
                LineStep::More => {}
                LineStep::Done => return self.finish(),
                LineStep::Before => {
                    self.held = true;
                    self.comments.open = before;
                    return self.finish();
                }
            }
        }
    }

    /// Processes the current line.
    fn line(&mut self) -> Result<LineStep, HexError> {
        let line = self.lines.line();
        let shown = line.text.trim();
        match &mut self.state {
            _ if self.comments.open.is_some() => {}
            State::Idle if tcpdump::is_packet_line(shown) => {
                self.first = line.number;
                self.state = State::Packet;
                return Ok(LineStep::More);
            }
            State::Idle if let Some(title) = tcpdump::title(shown) => {
                self.derived = title != "Frame";
                return Ok(LineStep::More);
            }
            State::Idle => {
                if let Some(inbound) = preamble(shown) {
                    self.inbound = inbound;
                    return Ok(LineStep::More);
                }
                // The length that ends a dump, after a blank line.
                let lone = line.text.trim_end();
                if self.offsets == Some(lone.len()) && line.digits(0) == lone {
                    return Err(line.error(0, HexErrorKind::OffsetOrData(lone.into())));
                }
                if let Some(offset) = Offset::first(line)? {
                    self.first = line.number;
                    self.state = State::Dump(Dump::new(line, offset));
                }
            }
            State::Packet => match Offset::find(line) {
                Some(offset) if offset.column == Column::ZeroX => {
                    self.state = State::Dump(Dump::new(line, offset));
                }
                // With -v the packet line continues on indented lines.
                _ if line.text.starts_with([' ', '\t']) => return Ok(LineStep::More),
                _ => return Ok(LineStep::Before),
            },
            _ => {}
        }
        if let State::Dump(dump) = &mut self.state {
            let begins = match dump.form {
                Form::Tcpdump => tcpdump::is_packet_line(shown),
                Form::Wireshark => tcpdump::title(shown).is_some(),
                _ => preamble(shown).is_some(),
            };
            // A text column may contain anything, so only whole lines can be comments.
            let comment = shown.starts_with('#') || shown.starts_with("//");
            return match (begins, comment) {
                (true, _) => Ok(LineStep::Before),
                (_, true) => Ok(LineStep::More),
                _ => dump.line(line, &mut self.bytes),
            };
        }
        let code = self.comments.blank(line);
        if code.text.trim().is_empty() {
            return Ok(LineStep::More);
        }
        if matches!(self.state, State::Idle) {
            if let Some(found) = self.array
                && let Some((at, declared)) = length_line(code.text)
            {
                let differs = || Err(code.error(at, HexErrorKind::Length { declared, found }));
                return if found == declared { Ok(LineStep::More) } else { differs() };
            }
            self.first = line.number;
            self.state =
                if is_source(code.text) { State::Source(Box::default()) } else { State::Plain(Plain::default()) };
        }
        let (step, complete) = match &mut self.state {
            State::Plain(plain) => (plain.line(code, &mut self.bytes).map(|()| LineStep::More)?, true),
            State::Source(source) => {
                let step = source.line(code, &mut self.bytes)?;
                (step, source.has_bytes() && !source.is_open())
            }
            _ => (LineStep::More, false),
        };
        Ok(match step {
            LineStep::More if self.line_each && complete => LineStep::Done,
            step => step,
        })
    }

    /// Checks the end of a message or of the input; returns the message's form.
    fn finish(&mut self) -> Result<Option<Form>, HexError> {
        let start = Line::start(self.first);
        let mut offsets = None;
        let form = match std::mem::take(&mut self.state) {
            State::Idle => return Ok(None),
            State::Packet => return Err(start.error(0, HexErrorKind::NoPacket)),
            State::Plain(_) => Form::Plain,
            State::Dump(dump) => {
                dump.finish(&self.bytes)?;
                offsets = (dump.offset.column == Column::Bare).then_some(dump.offset.digits);
                dump.form
            }
            State::Source(source) => source.finish()?,
        };
        if self.bytes.is_empty() {
            return Err(start.error(0, HexErrorKind::NoBytes));
        }
        self.offsets = offsets;
        self.array = (form == Form::Array).then_some(self.bytes.len() as u64);
        Ok(Some(form))
    }
}

static PREAMBLE: Pattern = Pattern::new(|| Regex::new(r"^(?:([IO])(?: \s*[\d.]*)?|\d[\d.]*\.[\d.]*)$").ok());
static LENGTH: Pattern = Pattern::new(|| Regex::new(r"^[^=]*_len\s*=\s*(\d+)\s*;\s*$").ok());

/// The direction in text2pcap's line before a message, `I 1700000000.25`: inbound, outbound, or unknown if the line has
/// a time only.
fn preamble(line: &str) -> Option<Option<bool>> {
    // A line of digits may be long, and no time is.
    let found = PREAMBLE.as_ref().filter(|_| line.len() < 80)?.captures(line)?;
    Some(found.get(1).map(|direction| direction.as_str() == "I"))
}

/// Whether a line that is not part of a dump is source code rather than plain digits.
fn is_source(text: &str) -> bool {
    let text = text.trim_start();
    let has_number = |text: &str| text.contains("0x") || text.contains("0X");
    let plain = text.starts_with(|c: char| c.is_ascii_digit());
    has_number(text.get(..2).unwrap_or_default())
        || !plain && (text.contains(['"', '\'', '\\', '{', '[', '(', '=']) || has_number(text))
}

/// The position and value of the number in the line that `xxd -i` prints after an array, `unsigned int name_len = 5;`.
fn length_line(text: &str) -> Option<(usize, u64)> {
    let found = LENGTH.as_ref()?.captures(text)?.get(1)?;
    Some((found.start(), digits::unsigned(found.as_str())?))
}
