//! Encodings beyond those of [`layout`](super::layout). Each reads, writes and samples.
//!
//! | word | what it is |
//! |---|---|
//! | [`Parts`] | the bits of a number, by their places, as fields of their own |
//! | [`Constant`] | a value that is always the same, or a mark that may be missing |
//! | [`Region`] | a field with a limited size: by a length before it, by an earlier field, or by what others leave |
//! | [`Packed`] | a field whose bytes are compressed, or masked |
//! | [`Checksum`] | a CRC over other bytes of the packet |
//! | [`Extended`] | a number of which some values announce a longer form |
//! | [`Numeral`] | a number in text |
//! | [`Address`] | bytes with a notation of their own |
//! | [`Ring`] | a group that contains itself |
//! | [`Chosen`] | a message, chosen by an earlier number |
//! | [`Settled`] | what encoding would write for a hidden number |
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
mod numeral;
mod packed;
mod parts;
mod region;
mod ring;
mod settled;

pub use address::Address;
pub use checksum::{Checksum, Over};
pub use chosen::{By, Choice, Chosen, UNKNOWN};
pub use constant::Constant;
pub(super) use converted::to_utf16;
pub(super) use extended::extended;
pub use extended::{Extended, Head, Longer};
pub use joined::{Joined, wire};
pub use numeral::{Numeral, Radix};
pub use packed::{Packed, Packing};
pub use parts::{Part, Parts};
pub use region::{Extent, Ratio, Region};
pub use ring::{LEVELS, Ring};
pub use settled::{Settled, Settles};

use super::layout::{Field, Len, bytes};

/// The maximum depth of messages and groups in each other.
const DEEPEST: usize = 64;

/// The computed checksum, shown beside a wrong one.
pub static COMPUTED: Field = {
    let mut field = super::layout::uint("computed", 64).hidden();
    field.hook = u16::MAX;
    field
};

/// Creates the field for a region's bytes after its own field.
pub const fn trailing(name: &'static str) -> Field {
    let mut field = bytes(name, Len::Rest).omit_empty();
    field.hook = u16::MAX;
    field
}
