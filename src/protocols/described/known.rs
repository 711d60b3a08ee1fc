//! What a file's names may refer to: earlier fields, and what is done with them.

use crate::codec::layout::When;

/// What is done with an earlier field: encode derives hidden ones from it.
pub mod used {
    /// A message is found by it.
    pub const BY: u8 = 1;
    /// It is a length or a count.
    pub const LENGTH: u8 = 2;
    /// Fields are there if bits of it are set.
    pub const PRESENCE: u8 = 4;
    /// A message's condition says what it is.
    pub const EQUAL: u8 = 8;
    /// Another view of its bits is shown.
    pub const VIEW: u8 = 16;
}

/// A field that later ones may refer to.
#[derive(Debug)]
pub struct Known {
    pub name: String,
    /// Its names: of its enumeration or flags.
    pub names: Vec<(u64, &'static str)>,
    /// It is a number.
    pub number: bool,
    /// It is a text that may be compared with others.
    pub text: bool,
    /// It has a mistake: nothing is known of it.
    pub wrong: bool,
    /// It is there by a condition only.
    pub conditional: bool,
    /// The scale of a length that it may be.
    pub scale: Option<(u32, u32)>,
    /// It stood in a group of this name, which is over.
    pub group: Option<String>,
    /// Its place among all fields.
    pub place: usize,
    /// How many bits it has; 7 where that differs.
    pub width: u32,
}

/// One field of the file, and what is done with it.
#[derive(Debug)]
pub struct Use {
    pub line: usize,
    pub name: String,
    pub hidden: bool,
    pub constant: bool,
    pub uses: u8,
    /// Messages that are found by it have several numbers.
    pub ranged: bool,
}

/// What a name refers to.
pub enum Found {
    /// An earlier field, by its place in the list of known ones.
    Field(usize),
    /// Something else, with the names of its values.
    Other(Vec<(u64, &'static str)>),
}

/// A condition, and what it asks.
pub struct Condition {
    pub when: When,
    /// The masks that it asks of earlier fields, by their name.
    pub masks: Vec<(&'static str, u64)>,
    /// It says what earlier fields are.
    pub equal: Vec<(&'static str, u64)>,
}
