//! Encodings beside those of [`layout`](super::layout): each reads, writes and samples.
//!
//! | word | what it is |
//! |---|---|
//! | [`Parts`] | the bits of a number, by their places, as fields of their own |
//! | [`Constant`] | a value that is always the same, or a mark that may be missing |
//! | [`Region`] | a field in so many bytes: a length before it, an earlier one, or what others leave |
//! | [`Until`] | text or bytes up to one of several characters, which belongs to it |
//! | [`Wide`] | text in UTF-16 |
//! | [`Address`] | an IPv4 address |
//! | [`Packed`] | a field whose bytes are compressed, or masked |
//! | [`Checksum`] | a CRC over other bytes of the packet |
//! | [`HighBits`] | a number of some bits, counted from the highest one of each byte |
//! | [`Closed`] | a number all of whose values have names |
//! | [`Chosen`] | a message, found by an earlier number |
//!
//! All of them are [`Custom`](super::walk::Custom)s: a table names them with
//! [`custom`](super::layout::custom).

mod address;
pub mod catalogue;
mod checksum;
mod chosen;
mod closed;
mod constant;
mod deflating;
mod high_bits;
mod packed;
mod parts;
mod region;
mod until;
mod wide;

pub use address::Address;
pub use checksum::{Checksum, Over};
pub use chosen::{By, Choice, Chosen, UNKNOWN};
pub use closed::Closed;
pub use constant::Constant;
pub use high_bits::HighBits;
pub use packed::{Packed, Packing};
pub use parts::{Part, Parts};
pub use region::{Extent, Region};
pub use until::Until;
pub use wide::Wide;

use super::layout::{Field, Len, bytes};

/// Messages in messages, and groups in groups, at most.
const DEEPEST: usize = 64;

/// A checksum that is not that of the bytes: the one computed, beside the field.
pub static COMPUTED: Field = {
    let mut field = super::layout::uint("computed", 64).hidden();
    field.hook = u16::MAX;
    field
};

/// Bytes that a region has behind its field.
pub const fn trailing(name: &'static str) -> Field {
    let mut field = bytes(name, Len::Rest).omit_empty();
    field.hook = u16::MAX;
    field
}
