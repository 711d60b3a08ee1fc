//! The vocabulary of message layouts: plain `const` data, no closures, no macros.
//!
//! A layout reads like its specification. It states everything about a field, so that decoding, encoding,
//! documentation, random samples and the users' payload schemas all use the same table.
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

pub use kind::{Case, Count, Ends, Kind, Len, Order, Other};
pub(crate) use kind::{Charset, Sign};
pub(crate) use name::Key;
#[doc(hidden)]
pub use name::{Name, Text};
pub(crate) use when::Look;
pub use when::When;
pub use words::*;

use super::quoted::Quoted;

/// The name of a message without a layout in its protocol.
pub(crate) const UNKNOWN: &str = "unknown";

/// One message of a protocol: its name and its fields in wire order.
#[derive(Debug)]
pub struct Layout {
    /// The message's name, in snake_case: `link_update`.
    pub name: &'static str,
    /// One line of documentation.
    pub doc: &'static str,
    /// The fields, in wire order.
    pub fields: &'static [Field],
    /// Its index in its protocol's [`messages!`](macro@crate::messages); 0 if there is no such list.
    pub index: u16,
}

impl Layout {
    /// Creates a layout of a message that is in no list.
    pub const fn new(name: &'static str, doc: &'static str, fields: &'static [Field]) -> Layout {
        Layout { name, doc, fields, index: 0 }
    }
}

/// One field: its name, its encoding on the wire, the condition for its presence, the form in which it is shown.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name shown: the specification's, in snake_case.
    pub name: &'static str,
    /// The name as JSON writes it; [`Field::set_name`] keeps it and the key in step.
    pub(crate) quoted: Quoted,
    /// The hash by which names are compared.
    pub(crate) key: Key,
    /// One line of documentation; empty if the name suffices.
    pub doc: &'static str,
    /// The encoding on the wire.
    pub kind: Kind,
    /// The condition for the field's presence.
    pub when: When,
    /// The form in which the value is shown.
    pub show: Show,
    /// The unit, shown in text output: `ms`, `bytes/s`; or empty.
    pub unit: &'static str,
    /// The value encoded if none is given. `None`: the field must be given.
    pub default: Option<i64>,
    /// A set of the constants in `flag`.
    pub(crate) flags: u32,
    /// The session's action at this field: an index into a list of its own; 0: none.
    pub hook: u16,
}

/// An encoding's words. Each has the function that makes its field, with the arguments after the name: `short: i16le,
/// string: text(Len::Rest)`.
macro_rules! type_words {
    ($($word:ident: $make:ident $(($($given:expr),*))?),* $(,)?) => {
        &[$((stringify!($word), $make(stringify!($word) $($(, $given)*)?))),*]
    };
}
pub(crate) use type_words;

/// A value of a field, and its name.
pub(crate) type ValueName = (u64, &'static str);

/// The properties of a [`Field`].
pub(crate) mod flag {
    /// See [`Field::hidden`](super::Field::hidden).
    pub const HIDDEN: u32 = 1;
    /// See [`Field::referenced`](super::Field::referenced).
    pub const REFERENCED: u32 = 2;
    /// See [`Field::omit_empty`](super::Field::omit_empty).
    pub const OMIT_EMPTY: u32 = 4;
    /// See [`Field::keep_empty`](super::Field::keep_empty).
    pub const KEEP_EMPTY: u32 = 8;
    /// See [`Field::measures_rest`](super::Field::measures_rest).
    pub const MEASURES_REST: u32 = 16;
    /// See [`Field::padded`](super::Field::padded).
    pub const PADDED: u32 = 32;
    /// A payload for which the user may have a schema.
    pub const PAYLOAD: u32 = 64;
    /// Known from earlier messages, not in this message's bytes.
    pub const DERIVED: u32 = 128;
    /// A group that is a message of its own. The fields around it are its headers.
    pub const MESSAGE: u32 = 256;
    /// A field that may contain a [message](MESSAGE).
    pub const CARRIES: u32 = 1024;
    /// An element of a list that may contain a [message](MESSAGE).
    pub const ELEMENT: u32 = 4096;
    /// Not shown if the message's name implies it; shown if no message is known.
    pub const SELECTS: u32 = 8192;
    /// See [`Field::closed`](super::Field::closed).
    pub const CLOSED: u32 = 16384;
    /// Shown only together with the message's bytes.
    pub const BULK: u32 = 32768;
    /// See [`Field::checked`](super::Field::checked).
    pub const CHECKED: u32 = 512;
    /// A list that ends with a mark. If it breaks off before the mark, that is shown.
    pub const ENDED: u32 = 65536;
    /// See [`Field::presence`](super::Field::presence).
    pub const PRESENCE: u32 = 2048;
    /// See [`Field::opened`](super::Field::opened).
    pub const OPENED: u32 = 131_072;
    /// See [`Field::payloads`](super::Field::payloads).
    pub const PAYLOADS: u32 = 262_144;
    /// A scaled number that is so wide that the number shown may not convert back to it. If so, its bits are shown.
    pub(crate) const WIDE: u32 = 524_288;
    /// See [`Field::identifies`](super::Field::identifies).
    pub const IDENTIFIES: u32 = 2_097_152;
    /// An earlier number announces its size.
    pub(crate) const SIZED: u32 = 1_048_576;
    /// See [`Field::public`](super::Field::public).
    pub const PUBLIC: u32 = 4_194_304;
}

/// The form in which a value is shown, and given when encoding.
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
    /// As a point in time, see [`Clock`](super::calendar::Clock).
    Time {
        /// The clock that counts it.
        clock: super::calendar::Clock,
        /// Whether the number is a signed one.
        signed: bool,
    },
}

/// The bits of a [`Show::Flags`].
#[derive(Debug)]
pub struct Flags {
    /// The mask of one bit, and its name.
    pub names: &'static [(u64, &'static str)],
    /// An unknown bit is shown as its mask shifted left by this.
    pub shift: u8,
    /// The bits that are not flags, and not shown.
    pub fixed_mask: u64,
    /// The value written to the bits of `fixed_mask`.
    pub fixed: u64,
}
