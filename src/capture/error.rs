//! Errors of capture files, and their positions.

use crate::plural::Plural;
use std::{fmt, io};

/// A position in a capture file. For a gzip or zstd file, the position in the unpacked data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the start of the capture.
    pub offset: u64,
    /// Whether the capture is compressed.
    pub packed: bool,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unpacked = if self.packed { " of the unpacked capture" } else { "" };
        write!(f, "byte {}{unpacked}", self.offset)
    }
}

/// The reasons for which a capture cannot be read, or not to its end. All frames before the fault have been returned.
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
    #[error("it is {}{what}, not a capture{}", if *.packed { "packed, and inside is " } else { "" }, Unpack(.how))]
    Foreign {
        /// The kind of file, with its article.
        what: &'static str,
        /// The command that unpacks or converts it; empty if there is none.
        how: &'static str,
        /// Whether it was inside a gzip or zstd file.
        packed: bool,
    },
    /// The reader failed, or the compressed data are broken.
    #[error("cannot read on at {at}")]
    Read {
        /// The position that reading reached.
        at: Place,
        /// The reader's error.
        source: io::Error,
    },
    /// The file ends inside a record or block.
    #[error(
        "the capture is truncated after {frames}: it ends at {at}, inside the {what} that begins \
         at byte {start}: {} needed, {have} there",
        Plural(*need, "byte"),
        frames = Plural(*frames, "frame")
    )]
    Cut {
        /// The end of the file.
        at: Place,
        /// The part that was being read.
        what: &'static str,
        /// The offset at which that begins, in bytes.
        start: u64,
        /// The number of bytes it needs, as far as known.
        need: u64,
        /// The number of bytes of it that are there.
        have: u64,
        /// The number of complete frames before it.
        frames: u64,
    },
    /// The gzip or zstd stream ends early, exactly after a complete record.
    #[error("the packed file is truncated after {frames}: it ends at {at}, before its own end", frames = Plural(*frames, "frame"))]
    CutPacked {
        /// The end of the unpacked capture.
        at: Place,
        /// The number of complete frames before it.
        frames: u64,
    },
    /// A limit was reached. The capture need not be damaged.
    #[error("not read further after {frames}, at {at}: {reached}", frames = Plural(*frames, "frame"))]
    Limit {
        /// The position that reading reached.
        at: Place,
        /// The number of complete frames before it.
        frames: u64,
        /// The limit.
        reached: Reached,
    },
    /// A record or block contradicts the format.
    #[error("the capture is damaged after {frames}, at {at}: {flaw}", frames = Plural(*frames, "frame"))]
    Bad {
        /// The start of the invalid record or block.
        at: Place,
        /// The number of complete frames before it.
        frames: u64,
        /// The mistake in it.
        flaw: Flaw,
    },
}

/// A limit of capture files that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {most} {what} (limit {name})")]
pub struct Reached {
    /// The limit's name.
    pub name: &'static str,
    /// The quantity that it bounds.
    pub what: &'static str,
    /// The largest number accepted.
    pub most: u64,
}

impl CaptureError {
    /// The limit that was reached, if one ended the capture.
    pub fn limit(&self) -> Option<Reached> {
        match self {
            CaptureError::Limit { reached, .. } => Some(*reached),
            CaptureError::Read { source, .. } => source.get_ref()?.downcast_ref::<Reached>().copied(),
            _ => None,
        }
    }
}

/// A mistake in a record or block of a capture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
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
        /// The value read, as big-endian.
        magic: u32,
    },
    /// A packet is longer than the block that holds it.
    #[error("a packet of {length} bytes in a block with room for {room}")]
    Captured {
        /// The packet's captured length.
        length: u32,
        /// The number of bytes that the block has for it.
        room: u32,
    },
    /// A packet refers to an interface that its section has not described.
    #[error("interface {id}, but {known} are described")]
    Interface {
        /// The interface that the packet refers to.
        id: u32,
        /// The number of interfaces that the section has described so far.
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
