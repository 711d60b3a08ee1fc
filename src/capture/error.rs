//! Errors of capture files, and where they are.

use crate::plural::Plural;
use std::{fmt, io};

/// A position in a capture file. For a gzip or zstd file, the position in the unpacked data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the start of the capture.
    pub offset: u64,
    /// The capture is compressed.
    pub packed: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unpacked = if self.packed { " of the unpacked capture" } else { "" };
        write!(f, "byte {}{unpacked}", self.offset)
    }
}

/// Why a capture could not be read, or not further. All frames before the fault have been returned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// The first bytes are not those of a capture format.
    #[error("neither pcap nor pcapng: it {}", Opening(.first))]
    NotACapture {
        /// The first bytes, up to four; empty if the file is.
        first: Vec<u8>,
    },
    /// The first bytes are those of a format that is neither a capture nor text.
    #[error("it is {}{what}, no capture{}", if *.packed { "packed, and inside is " } else { "" }, Unpack(.how))]
    Foreign {
        /// What it is, with its article.
        what: &'static str,
        /// The command that unpacks or converts it; empty if there is none.
        how: &'static str,
        /// It was inside a gzip or zstd file.
        packed: bool,
    },
    /// The reader failed, or the compressed data are broken.
    #[error("cannot read on at {at}")]
    Read {
        /// How far reading got.
        at: Place,
        /// The reader's error.
        source: io::Error,
    },
    /// The file ends inside a record or block.
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
        /// Where that begins, in bytes.
        start: u64,
        /// How many bytes it needs, as far as known.
        need: u64,
        /// How many bytes of it are there.
        have: u64,
        /// How many complete frames came before.
        frames: u64,
    },
    /// The gzip or zstd stream ends early, exactly after a complete record.
    #[error("the packed file is cut after {frames}: it ends at {at}, before its own end", frames = Plural(*frames, "frame"))]
    CutPacked {
        /// Where the unpacked capture ends.
        at: Place,
        /// How many complete frames came before.
        frames: u64,
    },
    /// A limit was reached. The capture need not be damaged.
    #[error("not read further after {frames}, at {at}: {reached}", frames = Plural(*frames, "frame"))]
    Limit {
        /// How far reading got.
        at: Place,
        /// How many complete frames came before.
        frames: u64,
        /// The limit.
        reached: Reached,
    },
    /// A record or block contradicts the format.
    #[error("the capture is damaged after {frames}, at {at}: {flaw}", frames = Plural(*frames, "frame"))]
    Bad {
        /// The start of the invalid record or block.
        at: Place,
        /// How many complete frames came before.
        frames: u64,
        /// What is wrong with it.
        flaw: Flaw,
    },
}

/// A limit of capture files that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {most} {what} (limit {name})")]
pub struct Reached {
    /// Its name.
    pub name: &'static str,
    /// What it bounds.
    pub what: &'static str,
    /// How many are accepted.
    pub most: u64,
}

impl CaptureError {
    /// The limit that was reached, if that ended the capture.
    pub fn limit(&self) -> Option<Reached> {
        match self {
            CaptureError::Limit { reached, .. } => Some(*reached),
            CaptureError::Read { source, .. } => source.get_ref()?.downcast_ref::<Reached>().copied(),
            _ => None,
        }
    }
}

/// What is wrong with a record or block of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// The format's version is not supported.
    #[error("version {major}.{minor} is not supported")]
    Version {
        /// Major version.
        major: u16,
        /// Minor version.
        minor: u16,
    },
    /// A record or block exceeds the cap on its length.
    #[error("a length of {length} bytes, at most {most} are accepted")]
    TooLong {
        /// The length that was read.
        length: u32,
        /// The cap.
        most: u32,
    },
    /// A block's length is too small for its own header, or not a multiple of four.
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
        /// The length after the body.
        last: u32,
    },
    /// A section's byte-order magic has neither of the two values.
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
    /// A packet refers to an interface that its section has not described.
    #[error("interface {id}, but {known} are described")]
    Interface {
        /// The interface that the packet refers to.
        id: u32,
        /// How many interfaces the section has described so far.
        known: u32,
    },
    /// A section describes more interfaces than the cap.
    #[error("{0}")]
    Interfaces(Reached),
}

/// Advice for a file that has to be unpacked.
struct Unpack<'a>(&'a str);

impl fmt::Display for Unpack<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            how => write!(f, ": convert it first ({how})"),
        }
    }
}

/// Describes the first bytes of a file that is not a capture.
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
