//! Encodings beside those of [`layout`](super::layout): each reads, writes and samples.
//!
//! | word | what it is |
//! |---|---|
//! | [`Parts`] | the bits of a number, by their places, as fields of their own |
//! | [`Constant`] | a value that is always the same, or a mark that may be missing |
//! | [`Region`] | a field in so many bytes: a length before it, an earlier one, or what others leave |
//! | [`Packed`] | a field whose bytes are compressed, or masked |
//! | [`Checksum`] | a CRC over other bytes of the packet |
//! | [`Extended`] | a number of which some values say that a longer one follows |
//! | [`Address`] | bytes with a notation of their own |
//! | [`Chosen`] | a message, found by an earlier number |
//!
//! Each is a [`Kind`](super::layout::Kind).

mod address;
pub mod catalogue;
mod checksum;
mod chosen;
mod constant;
mod converted;
mod deflating;
mod extended;
mod joined;
mod packed;
mod parts;
mod region;

pub use address::Address;
pub use checksum::{Checksum, Over};
pub use chosen::{By, Choice, Chosen, UNKNOWN};
pub use constant::Constant;
pub(super) use converted::to_utf16;
pub(super) use extended::extended;
pub use extended::{Extended, Head, Longer};
pub use joined::{Joined, wire};
pub use packed::{Packed, Packing};
pub use parts::{Part, Parts};
pub use region::{Extent, Region};

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
