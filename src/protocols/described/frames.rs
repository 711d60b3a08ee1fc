//! Framing of messages in a stream: a length before each, or a mark after it.

use super::conditions;
use super::state::State;
use super::unended;
pub use super::unended::Begins;
use crate::codec::layout::{Field, Kind, Name, Sign, When};
use crate::codec::schema::compile::{Compiled, Compiler, lasting};
use crate::codec::schema::text::{FrameText, Ports};
use crate::codec::{Writer, bits};
use crate::nearest::{hint, nearest};

/// The longest message, unless the file sets another limit.
const MOST: u64 = 1 << 24;
/// The longest message that ends where its fields end, unless the file sets another limit.
const MOST_FIELDS: u64 = 1 << 20;

/// The framing of messages in a stream.
#[derive(Debug)]
pub enum Frame {
    /// A length before each message.
    Length {
        /// The number.
        number: &'static Field,
        /// The number exceeds the following bytes by this much.
        plus: i64,
        /// The number of bytes before the number. If there are any, both belong to the message.
        header: usize,
        /// The longest message.
        most: u64,
    },
    /// This mark after each message.
    Until(Vec<u8>),
    /// None: a message ends where its own fields end, after at most this many bytes.
    Fields(u64),
}

/// Reads the fields of the message at the beginning of these bytes. Finds their end, what is missing, or that the
/// message is broken.
pub type Ends<'a> = &'a mut dyn FnMut(&[u8]) -> Begins;

/// The framings of a stream: the first whose condition on the settings holds, else the last.
#[derive(Debug)]
pub struct Frames(Vec<(When, Frame)>);

impl Frames {
    /// Whether every byte of a stream belongs to a message or its length.
    pub fn have_lengths(&self) -> bool {
        self.0.iter().all(|(_, frame)| matches!(frame, Frame::Length { .. }))
    }

    /// Selects a framing by the values of the settings.
    pub fn of(&self, state: &State<'_>) -> Option<&Frame> {
        let found = self.0.iter().find(|(when, _)| conditions::holds(when, &|name| state.named(name)));
        found.or(self.0.last()).map(|(_, frame)| frame)
    }
}

/// Compiles the framing that a file describes.
pub fn compile(compiler: &mut Compiler<'_>, ports: &Ports, packet: &'static [Field]) -> Compiled<Frames> {
    if ports.frames.is_empty() {
        let why = "tcp: frame is missing: how messages are framed in the stream, as frame = { length = \"u16\" }";
        return Err((ports.line, why.into()));
    }
    let mut frames = Vec::new();
    for frame in &ports.frames {
        if frames.last().is_some_and(|(when, _)| matches!(when, When::Always)) {
            return Err((frame.line, "frame: never used: the one before it has no if".into()));
        }
        let when = match &frame.condition {
            None => When::Always,
            Some(text) => {
                let when = compiler.of_numbers(text, frame.line, "frame: if")?;
                let setting = |name: &Name| compiler.text.settings.iter().any(|first| first.name == name.text);
                if let Some(other) = when.names().into_iter().find(|name| !setting(name)) {
                    let why = format!("frame: if: {other} is none of [settings]: nothing else is known before a frame");
                    return Err((frame.line, why));
                }
                when
            }
        };
        frames.push((when, one(compiler, frame, packet)?));
    }
    Ok(Frames(frames))
}

fn one(compiler: &Compiler<'_>, frame: &FrameText, packet: &'static [Field]) -> Compiled<Frame> {
    if let Some(until) = &frame.until {
        if until.is_empty() {
            return Err((frame.line, "frame: until: expected at least one character".into()));
        }
        return Ok(Frame::Until(until.clone().into_bytes()));
    }
    let most = frame.most.unwrap_or(if frame.fields { MOST_FIELDS } else { MOST }).min(MOST);
    if frame.fields {
        return match unended::unended(packet, 0) {
            Some(why) => Err((frame.line, format!("frame: fields: {why}: the end of a message would not be known"))),
            None => Ok(Frame::Fields(most)),
        };
    }
    let word = |word: &str, key: &str| match compiler.word_type(word, frame.line)? {
        Some(field) if matches!(field.kind, Kind::UInt { .. } | Kind::Int { .. } | Kind::VarInt { .. }) => Ok(field),
        _ => {
            let known = ["u8", "u16", "u24", "u32", "u16le", "u16be", "u32le", "u32be", "varint", "varint32"];
            let near = hint(nearest(word, known));
            Err((frame.line, format!("frame: {key}: {word:?} is not a number type{near}")))
        }
    };
    let mut number = word(&frame.length, "length")?;
    number.set_name("length");
    let header = match frame.header.as_str() {
        "" => 0,
        text => match word(text, "header")?.kind {
            Kind::UInt { bits, .. } | Kind::Int { bits, .. } => bits as usize / 8,
            _ => return Err((frame.line, "frame: header: expected a word of a fixed size".into())),
        },
    };
    Ok(Frame::Length { number: lasting(number), plus: frame.plus, header, most })
}

impl Frame {
    /// Finds the message at the beginning of these bytes. `ends` reads its fields: the message's length, or what is
    /// missing.
    pub fn begins(&self, bytes: &[u8], ends: Ends<'_>) -> Begins {
        match self {
            Frame::Fields(most) => match ends(bytes) {
                Begins::Message(_, length, _) if length as u64 > *most => Begins::Nothing,
                Begins::More(needed) if needed as u64 > *most => Begins::Nothing,
                found => found,
            },
            Frame::Until(mark) => match memchr::memmem::find(bytes, mark) {
                Some(at) => Begins::Message(0, at, mark.len()),
                None if bytes.len() as u64 > MOST => Begins::Nothing,
                None => Begins::More(bytes.len() + 1),
            },
            Frame::Length { .. } => match self.announced(bytes) {
                Ok((before, length)) if bytes.len() < before + length => Begins::More(before + length),
                Ok((before, length)) => Begins::Message(before, length, 0),
                Err(begins) => begins,
            },
        }
    }

    /// Whether no end mark is in these bytes, of which the first ones were searched before.
    pub fn is_open(&self, bytes: &[u8], searched: usize) -> bool {
        let Frame::Until(mark) = self else { return false };
        let rest = bytes.get((searched + 1).saturating_sub(mark.len())..).unwrap_or_default();
        bytes.len() as u64 <= MOST && memchr::memmem::find(rest, mark).is_none()
    }

    /// The announced size of the message at the beginning of these bytes, even if not all of it is there: the bytes
    /// before it, and its length.
    ///
    /// # Errors
    /// [`Begins::More`] if not all of the length is there; [`Begins::Nothing`] if the framing has no length, or this one
    /// is negative or too large.
    pub fn announced(&self, bytes: &[u8]) -> Result<(usize, usize), Begins> {
        let Frame::Length { number, plus, header, most } = self else { return Err(Begins::Nothing) };
        let Some(rest) = bytes.get(*header..) else { return Err(Begins::More(bytes.len() + 1)) };
        let (value, size) = match number.kind {
            Kind::UInt { bits, order } | Kind::Int { bits, order } => {
                let size = bits as usize / 8;
                if rest.len() < size {
                    return Err(Begins::More(header + size));
                }
                let raw = bits::get(rest, 0, bits as u32);
                let big = order == crate::codec::layout::Order::Big;
                let raw = if big { bits::swap(raw, bits as u32) } else { raw };
                let signed = matches!(number.kind, Kind::Int { .. });
                (if signed { bits::signed(raw, bits as u32) as i128 } else { raw as i128 }, size)
            }
            _ => {
                let mut value = 0u128;
                let mut size = 0;
                loop {
                    let Some(group) = rest.get(size) else { return Err(Begins::More(bytes.len() + 1)) };
                    value |= (*group as u128 & 0x7f) << (7 * size);
                    size += 1;
                    if group & 0x80 == 0 {
                        break;
                    }
                    if size >= 10 {
                        return Err(Begins::Nothing);
                    }
                }
                let sign = if let Kind::VarInt { sign, .. } = number.kind { sign } else { Sign::None };
                (u64::try_from(value).map_or(i128::from(u64::MAX), |value| sign.read(value)), size)
            }
        };
        let length = value - *plus as i128;
        if !(0..=*most as i128).contains(&length) {
            return Err(Begins::Nothing);
        }
        // With a header, the number belongs to the message.
        Ok(if *header > 0 { (0, header + size + length as usize) } else { (size, length as usize) })
    }

    /// Frames a message for a stream; `None`: it contains its own end mark, or is too long.
    pub fn write(&self, message: &[u8]) -> Option<Vec<u8>> {
        let most = match self {
            Frame::Length { header: 0, most, .. } | Frame::Fields(most) => *most,
            _ => MOST,
        };
        if message.len() as u64 > most {
            return None;
        }
        match self {
            Frame::Until(mark) => {
                let clash = memchr::memmem::find(message, mark).is_some();
                (!clash).then(|| [message, mark].concat())
            }
            Frame::Length { header: 1.., .. } | Frame::Fields(_) => Some(message.to_vec()),
            Frame::Length { number, plus, .. } => {
                let length = message.len() as i64 + plus;
                let given = serde_json::json!({ "length": length });
                let mut framed = Writer::new(&given).write(std::slice::from_ref(number)).ok()?;
                framed.extend_from_slice(message);
                Some(framed)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::layout::{int, u16le, varint, zigzag};

    /// The length of a cut message is the one that framing waits for, also in more bytes than the number needs.
    #[test]
    fn a_cut_message_has_the_length_that_framing_waits_for() {
        static VARINT: Field = varint("length", 10);
        static WORD: Field = u16le("length");
        for (number, header, bytes, size) in [
            (&VARINT, 0, &[5, b'a'][..], (1, 5)),
            (&VARINT, 0, &[0x85, 0, b'a'], (2, 5)),
            (&WORD, 1, &[9, 4, 0, b'a'], (0, 7)),
        ] {
            let frame = Frame::Length { number, plus: 0, header, most: 100 };
            assert_eq!(frame.announced(bytes), Ok(size), "{bytes:?}");
            assert_eq!(frame.begins(bytes, &mut |_| Begins::Nothing), Begins::More(size.0 + size.1), "{bytes:?}");
        }
        let short = Frame::Length { number: &WORD, plus: 5, header: 0, most: 100 };
        assert_eq!(short.announced(&[4]), Err(Begins::More(2)));
        assert_eq!([[4, 0], [106, 0]].map(|bytes| short.announced(&bytes)), [Err(Begins::Nothing); 2]);
        // A number of 70 bits, to which one is added.
        let mut large = [0xff; 10];
        large[9] = 0x7f;
        let longer = Frame::Length { number: &VARINT, plus: -1, header: 0, most: 100 };
        assert_eq!(longer.announced(&large), Err(Begins::Nothing));
    }

    #[test]
    fn lengths_with_a_sign_are_read_as_they_are_written() {
        static ZIGZAG: Field = zigzag("length", 10);
        static SIGNED: Field = int("length", 16);
        let frame = |number| Frame::Length { number, plus: 0, header: 0, most: 1 << 20 };
        for (number, bytes) in [(&ZIGZAG, &b"\x0aabcde"[..]), (&SIGNED, b"\x05\0abcde")] {
            assert_eq!(frame(number).write(b"abcde").as_deref(), Some(bytes));
            assert_eq!(frame(number).announced(bytes), Ok((bytes.len() - 5, 5)));
        }
        // -3 and -1.
        assert_eq!(frame(&ZIGZAG).announced(&[5]), Err(Begins::Nothing));
        assert_eq!(frame(&SIGNED).announced(&[0xff, 0xff]), Err(Begins::Nothing));
    }

    #[test]
    fn nothing_longer_is_written_than_is_read() {
        static WORD: Field = u16le("length");
        for frame in [Frame::Length { number: &WORD, plus: 0, header: 0, most: 4 }, Frame::Fields(4)] {
            assert!(frame.write(b"abcd").is_some() && frame.write(b"abcde").is_none(), "{frame:?}");
        }
    }

    /// Only the new bytes are searched, and those before them in which the mark may begin.
    #[test]
    fn what_was_searched_for_the_end_mark_is_not_searched_again() {
        let frame = Frame::Until(b"ab".to_vec());
        assert!(frame.is_open(b"xxa", 0) && !frame.is_open(b"xxab", 3));
        assert!(frame.is_open(b"abyy", 2) && !frame.is_open(b"abyy", 1));
    }
}
