//! The targets of a file's names: earlier fields, and their uses.

use crate::codec::kinds::{Choice, Ratio};
use crate::codec::layout::{Order, ValueName, When};

/// A carrier's name, and the messages that it has.
pub type Carried = (&'static str, &'static [Choice]);

/// The uses of an earlier field: encode derives hidden fields from these.
pub mod used {
    /// A message is found by it.
    pub const BY: u8 = 1;
    /// It is a length or a count.
    pub const LENGTH: u8 = 2;
    /// Its bits mark the presence of fields.
    pub const PRESENCE: u8 = 4;
    /// A message's condition requires a value.
    pub const EQUAL: u8 = 8;
    /// Another view of its bits is shown.
    pub const VIEW: u8 = 16;
}

/// The list of fields that has a field, and the field's condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct At {
    /// The list's number.
    pub list: usize,
    /// The condition.
    pub condition: Option<String>,
}

impl At {
    /// Whether a field here is present whenever the other one is.
    pub fn is_present_with(&self, other: &At) -> bool {
        self.list == other.list && (self.condition.is_none() || self.condition == other.condition)
    }
}

/// A field that later ones may refer to.
#[derive(Debug, Default)]
pub struct Known {
    pub name: String,
    /// The names of its enumeration or flags.
    pub names: Vec<ValueName>,
    /// It is a number.
    pub number: bool,
    /// It is a text that may be compared with others.
    pub text: bool,
    /// It has a mistake, so its properties are unknown.
    pub wrong: bool,
    /// It has a condition.
    pub conditional: bool,
    /// Its place.
    pub at: At,
    /// Its scale as a length.
    pub scale: Option<Ratio>,
    /// The name of its group, which is closed.
    pub group: Option<String>,
    /// Its index among all fields.
    pub place: usize,
    /// The number of its bits; 7: variable.
    pub width: u32,
    /// The order of its bytes.
    pub order: Order,
    /// It is a number of 64 bits without a sign.
    pub wide: bool,
}

/// A field of the file, and its uses.
#[derive(Debug, Default)]
pub struct Use {
    pub line: usize,
    pub name: String,
    pub hidden: bool,
    pub constant: bool,
    pub uses: u8,
    /// Messages that are found by it have several numbers.
    pub ranged: bool,
    /// Encode writes it before later fields can determine it: a part of a number of varying size.
    pub early: bool,
    /// The bits that views do not show; `None`: it has no view.
    pub unseen: Option<u64>,
    /// The bits that follow from fields which are always present with it.
    pub settled: u64,
    /// Fields from which encode derives it may be absent.
    pub unsettled: bool,
    /// A field asks for it before encode knows it.
    pub asked: bool,
}

/// The target of a name.
pub enum Found {
    /// An earlier field, by its index in the list of known ones.
    Field(usize),
    /// The sender, a setting or a remembered value, with the names of its values.
    Other(Vec<ValueName>),
}

/// A condition, and its requirements.
pub struct Condition {
    pub when: When,
    /// The masks that it checks of earlier fields, by name.
    pub masks: Vec<(&'static str, u64)>,
    /// The values of earlier fields that it requires.
    pub equal: Vec<(&'static str, u64)>,
}
