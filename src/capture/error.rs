//! What can be wrong with a capture file, and where.

use crate::plural::Plural;
use std::{fmt, io};

/// A place in a capture file. Of a gzip or zstd file it is the place in what it unpacks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the start of the capture.
    pub offset: u64,
    /// The capture was unpacked on the way.
    pub packed: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unpacked = if self.packed { " of the unpacked capture" } else { "" };
        write!(f, "byte {}{unpacked}", self.offset)
    }
}

/// Why a capture could not be read, or not further. Every frame before the fault was given out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The first bytes are those of no capture format.
    #[error("neither pcap nor pcapng: it {}", Opening(.first))]
    NotACapture {
        /// The first bytes, up to four; none where the file is empty.
        first: Vec<u8>,
    },
    /// The first bytes are those of something that is neither a capture nor text.
    #[error("it is {}{what}, no capture{}", if *.packed { "packed, and inside is " } else { "" }, Unpack(.how))]
    Foreign {
        /// What it is, with its article.
        what: &'static str,
        /// The command that unpacks or converts it; empty where there is none.
        how: &'static str,
        /// That is what gzip or zstd unpacked to.
        packed: bool,
    },
    /// The reader failed, or the packed data are broken.
    #[error("cannot read on at {at}")]
    Read {
        /// How far reading got.
        at: Place,
        /// What the reader said.
        source: io::Error,
    },
    /// The file ends inside something.
    #[error(
        "the capture is cut after {frames}: it ends at {at}, inside the {what} that begins \
         at byte {start}: {} needed, {have} there",
        Plural(*need, "byte"),
        frames = Plural(*frames, "frame")
    )]
    Cut {
        /// Where the file ends.
        at: Place,
        /// What was being read.
        what: &'static str,
        /// Where that begins.
        start: u64,
        /// How many bytes it needs, as far as that is known.
        need: u64,
        /// How many bytes of it are there.
        have: u64,
        /// How many whole frames came before.
        frames: u64,
    },
    /// The gzip or zstd stream ends early, just behind a whole record.
    #[error("the packed file is cut after {frames}: it ends at {at}, before its own end", frames = Plural(*frames, "frame"))]
    CutPacked {
        /// Where the unpacked capture ends.
        at: Place,
        /// How many whole frames came before.
        frames: u64,
    },
    /// The file says something that cannot be.
    #[error("the capture is damaged after {frames}, at {at}: {flaw}", frames = Plural(*frames, "frame"))]
    Bad {
        /// Where the record or block begins that is wrong.
        at: Place,
        /// How many whole frames came before.
        frames: u64,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

/// What is wrong with a record or block of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The format's version is not one that this reader knows.
    #[error("version {major}.{minor} is not supported")]
    Version {
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// A record or block is longer than any that this reader takes.
    #[error("a length of {length} bytes, at most {most} are accepted")]
    TooLong {
        /// The length that was read.
        length: u32,
        /// The cap.
        most: u32,
    },
    /// A block's length has no room for its own header, or is no multiple of four.
    #[error("a block of type {kind:#x} with the impossible length {length}")]
    BlockLength {
        /// The block's type.
        kind: u32,
        /// The length that was read.
        length: u32,
    },
    /// A block's two lengths differ.
    #[error("the block's length is {first} at its start and {last} at its end")]
    Lengths {
        /// The length before the body.
        first: u32,
        /// The length behind the body.
        last: u32,
    },
    /// A section's byte-order magic is neither of the two.
    #[error("the byte-order magic is {magic:#010x}")]
    ByteOrder {
        /// What was read, as big-endian.
        magic: u32,
    },
    /// A packet is longer than the block that holds it.
    #[error("a packet of {length} bytes in a block with room for {room}")]
    Captured {
        /// The packet's captured length.
        length: u32,
        /// How many bytes the block has for it.
        room: u32,
    },
    /// A packet names an interface that its section has not described.
    #[error("interface {id}, but {known} are described")]
    Interface {
        /// The interface that the packet names.
        id: u32,
        /// How many interfaces the section has described so far.
        known: u32,
    },
    /// A section describes more interfaces than this reader keeps.
    #[error("more than {most} interfaces")]
    Interfaces {
        /// The cap.
        most: u32,
    },
}

/// What to do with a file that has to be unpacked.
struct Unpack<'a>(&'a str);

impl fmt::Display for Unpack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            how => write!(f, ": convert it first ({how})"),
        }
    }
}

/// How a file that is no capture begins, in words.
struct Opening<'a>(&'a [u8]);

impl fmt::Display for Opening<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("is empty");
        }
        write!(f, "begins with")?;
        self.0.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
    }
}
