//! The vocabulary in which message layouts are written: plain `const` data, no closures, no macros.
//!
//! A layout reads like the specification it comes from. Everything about a field is stated here, so
//! that decoding, encoding, documentation, random samples and the users' payload schemas all use
//! the same table.
//!
//! ```
//! use netkit::codec::layout::*;
//! static LINK: [Field; 2] = [u16le("link_id"), array("values", Count::Prefix(&VALUE_COUNT), &VALUE)];
//! static VALUE_COUNT: Field = u8("value_count");
//! static VALUE: Field = u16le("value");
//! ```

mod kind;
#[macro_use]
mod messages;
mod name;
mod when;
mod words;

pub use kind::*;
pub(crate) use name::Key;
pub use name::{Name, Text};
pub(crate) use when::Look;
pub use when::When;
pub use words::*;

use super::quoted::Quoted;

/// The name of a message that no layout of its protocol has.
pub const UNKNOWN: &str = "unknown";

/// One message of a protocol: its name and its fields in wire order.
#[derive(Debug)]
pub struct Layout {
    /// The message's name, in snake_case: `link_update`.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// The fields, in wire order.
    pub fields: &'static [Field],
    /// Which of its protocol's [`messages!`](crate::messages) it is; 0 where there is no such list.
    pub index: u16,
}

impl Layout {
    /// A layout of a message that no list has.
    pub const fn new(name: &'static str, doc: &'static str, fields: &'static [Field]) -> Layout {
        Layout { name, doc, fields, index: 0 }
    }
}

/// One field: its name, its encoding on the wire, when it is present, how it is shown.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name shown: the specification's, in snake_case.
    pub name: &'static str,
    /// The name as JSON writes it; [`Field::set_name`] keeps it and the key in step.
    pub(crate) quoted: Quoted,
    /// What the name is compared by.
    pub(crate) key: Key,
    /// One line of documentation; empty where the name suffices.
    pub doc: &'static str,
    /// The encoding on the wire.
    pub kind: Kind,
    /// When the field is present.
    pub when: When,
    /// How the value is shown.
    pub show: Show,
    /// The unit, shown in text output: `ms`, `bytes/s`; or empty.
    pub unit: &'static str,
    /// The value encoded if none is given. `None`: the field must be given.
    pub default: Option<i64>,
    /// A set of the constants in [`flag`].
    pub flags: u32,
    /// What a session does at this field: an index into a list of its own; 0: nothing.
    pub hook: u16,
}

/// The particularities of a [`Field`].
pub mod flag {
    /// On the wire, but not among the fields shown in JSON: type bytes, lengths, end markers.
    pub const HIDDEN: u32 = 1;
    /// Later fields refer to this one by name: in conditions, cases, lengths, counts.
    pub const REFERENCED: u32 = 2;
    /// Not shown when it has no bytes.
    pub const OMIT_EMPTY: u32 = 4;
    /// A group or array that is shown once it has been reached, even if nothing of it could be
    /// read.
    pub const KEEP_EMPTY: u32 = 8;
    /// A hidden number that says how many bytes follow it up to the end of the message.
    pub const MEASURES_REST: u32 = 16;
    /// The rest of the message may end in padding: if the last bits do not make a whole byte and
    /// are all zero, they are not part of the value (bit-packed protocols).
    pub const PADDED: u32 = 32;
    /// A payload for which the user may have a schema.
    pub const PAYLOAD: u32 = 64;
    /// Known from earlier messages, not in this message's bytes.
    pub const DERIVED: u32 = 128;
    /// A group that is a message of its own: the fields around it are its headers.
    pub const MESSAGE: u32 = 256;
    /// A [message](MESSAGE) may stand in it.
    pub const CARRIES: u32 = 1024;
    /// An element of a list, in which a [message](MESSAGE) may stand.
    pub const ELEMENT: u32 = 4096;
    /// Not shown where the message's name tells it; shown where no message is known.
    pub const SELECTS: u32 = 8192;
    /// Its enumeration is closed: any other number is a fault.
    pub const CLOSED: u32 = 16384;
    /// Shown only where the message's bytes are.
    pub const BULK: u32 = 32768;
    /// A count larger than the bytes that are left is a fault of the count itself.
    pub const CHECKED: u32 = 512;
    /// A list that ends with a mark; one that broke off before it shows that it did.
    pub const ENDED: u32 = 65536;
    /// A number whose bits tell which later fields are present, computed from these when encoding.
    /// Its default is the value without any of them.
    pub const PRESENCE: u32 = 2048;
    /// A derived value that shows what is in the payload: paths that begin with `payload.` lead into it, too.
    pub const OPENED: u32 = 131_072;
}

/// How a value is shown, and given when encoding.
#[derive(Clone, Copy, Debug)]
pub enum Show {
    /// As it is.
    Plain,
    /// By its name; a value without a name is shown as its number.
    Enum(&'static [(u64, &'static str)]),
    /// As a list of the names of the set bits, from the lowest up; a bit without a name is shown as
    /// its mask.
    Flags(&'static Flags),
    /// Text as it is. Conditions and ids compare it with these texts, which are in ascending order.
    Asked(&'static [&'static str]),
    /// As another number, see [`Scale`](super::scale::Scale).
    Scaled(super::scale::Scale),
}

/// The bits of a [`Show::Flags`].
#[derive(Debug)]
pub struct Flags {
    /// Mask of one bit, and its name.
    pub names: &'static [(u64, &'static str)],
    /// An unknown bit is shown as its mask shifted left by this.
    pub shift: u8,
    /// Bits that are not flags: not shown.
    pub fixed_mask: u64,
    /// The value written to the bits of `fixed_mask`.
    pub fixed: u64,
}
