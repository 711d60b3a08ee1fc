//! The readings of bytes that no manual defines: those in use and those that the user set.

use super::commands::Version;
use super::layout;
use crate::codec::layout::{Field, Order, group, u8};
use crate::codec::{Context, EncodeError, Tree, Value, digits};
use crate::dissect::{Options, Setting};
use serde_json::Value as Json;

/// The readings of one message. The default follows the specification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WireVariant {
    /// Angles have their low byte first.
    pub angle_le: bool,
    /// The coordinates of an update's position have 32 bits, not 24.
    pub fixed: bool,
    /// An update's position has x and y only.
    pub no_z: bool,
    /// The skin of an update is where its bit is, before ambient and albedo.
    pub skin_by_bit: bool,
    /// The colour's bytes are in the reverse order of the version's manual.
    pub other_color: bool,
}

impl Context for WireVariant {
    fn order(&self) -> Order {
        if self.angle_le { Order::Little } else { Order::Big }
    }

    fn setting(&self, name: &str) -> u64 {
        match name {
            _ if name == POSITION.name => self.fixed as u64 | (self.no_z as u64) << 1,
            _ if name == SKIN.name => self.skin_by_bit as u64,
            _ if name == COLOR.name => self.other_color as u64,
            _ => 0,
        }
    }
}

pub(super) static READING: Field = group("reading", &[]).doc("the readings that are not the usual ones");
static ANGLE: Field = u8("angle").names(&[(1, "le")]).doc("byte order of angles");
pub(super) static POSITION: Field = u8("position").names(&[(1, "fixed")]).doc("width of an update's coordinates");
static NO_Z: Field = u8("no_z").names(&[(1, "yes")]).doc("an update's position has x and y only");
static SKIN: Field = u8("skin").names(&[(1, "bit")]).doc("place of skin in an update");
static COLOR: Field = u8("color").names(&[(0, "rgb"), (1, "bgr")]).doc("order of a color's bytes");

impl WireVariant {
    /// Adds the readings that differ from the default and apply to some of `fields`.
    pub fn note(&self, version: Version, fields: &Tree, derived: &mut Tree) {
        if *self == WireVariant::default() {
            return;
        }
        let there = |any: &[&Field]| any.iter().any(|field| fields.find(field).is_some());
        let color = match version {
            Version::A5 => 0,
            Version::A6 => 1,
        };
        let notes: [(bool, &'static Field, u64); 5] = [
            (self.angle_le && there(&[&layout::PAN, &layout::TILT, &layout::ROLL]), &ANGLE, 1),
            (self.fixed && there(&[&POSITION]), &POSITION, 1),
            (self.no_z && there(&[&POSITION]), &NO_Z, 1),
            (
                self.skin_by_bit
                    && version == Version::A6
                    && there(&[&layout::SKIN])
                    && there(&[&layout::AMBIENT, &layout::ALBEDO]),
                &SKIN,
                1,
            ),
            (self.other_color && there(&[&layout::RGB]), &COLOR, color),
        ];
        if notes.iter().any(|(note, ..)| *note) {
            let node = derived.open(&READING, Value::Group, 0);
            for (_, field, value) in notes.iter().filter(|(note, ..)| *note) {
                derived.push(field, Value::UInt(*value), 0, 0);
            }
            derived.close(node, 0);
        }
    }

    /// Takes over the readings in a decoded line.
    pub fn of_line(mut self, version: Version, notes: &Json) -> Result<WireVariant, EncodeError> {
        let Some(notes) = notes.as_object() else { return Err(wrong("reading", "expected an object")) };
        for (key, value) in notes {
            let word = value.as_str().unwrap_or_default();
            match self.set(version, key, word) {
                Some(set) => self = set,
                None => return Err(wrong(key, &format!("no such reading: {value}"))),
            }
        }
        Ok(self)
    }

    /// Sets one reading from the word of a setting or a line.
    fn set(mut self, version: Version, key: &str, word: &str) -> Option<WireVariant> {
        match (key, word) {
            ("angle", "le" | "be") => self.angle_le = word == "le",
            ("position", "fixed" | "packed") => self.fixed = word == "fixed",
            ("no_z", "yes" | "no") => self.no_z = word == "yes",
            ("skin", "bit" | "table") => self.skin_by_bit = word == "bit",
            ("color", "rgb" | "bgr") => self.other_color = (word == "bgr") != (version == Version::A5),
            _ => return None,
        }
        Some(self)
    }
}

fn wrong(key: &str, what: &str) -> EncodeError {
    EncodeError { path: format!("derived.reading.{key}"), what: what.into() }
}

/// The user's settings, read once for each conversation.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// The edition; `None`: from the content.
    pub version: Option<Version>,
    /// Byte order of angles, `true` for low byte first; `None`: from the content.
    pub angle_le: Option<bool>,
    /// 32 bit coordinates; `None`: from the content.
    pub fixed: Option<bool>,
    /// Colour as blue, green, red; `None`: as in the version.
    bgr: Option<bool>,
    skin_by_bit: bool,
    no_z: bool,
    /// The number of bytes before the first command.
    pub skip: usize,
}

impl Asked {
    /// Reads the settings.
    pub fn of(options: &Options) -> Asked {
        let get = |key| options.settings.get(key);
        Asked {
            version: get("acknex.version").and_then(Version::named),
            angle_le: get("acknex.angle").map(|word| word == "le"),
            fixed: get("acknex.position").map(|word| word == "fixed"),
            bgr: get("acknex.color").map(|word| word == "bgr"),
            skin_by_bit: get("acknex.skin") == Some("bit"),
            no_z: get("acknex.no_z") == Some("yes"),
            skip: get("acknex.skip").and_then(digits::unsigned).unwrap_or(0),
        }
    }

    /// The readings that do not depend on the conversation's content.
    pub fn reading(&self, version: Version) -> WireVariant {
        WireVariant {
            angle_le: self.angle_le.unwrap_or(false),
            fixed: self.fixed.unwrap_or(false),
            no_z: self.no_z,
            skin_by_bit: self.skin_by_bit,
            other_color: self.bgr.is_some_and(|bgr| bgr != (version == Version::A5)),
        }
    }
}

/// The settings.
pub static SETTINGS: [Setting; 7] = [
    Setting::among(
        "acknex.version",
        &["auto", "a5", "a6"],
        "the edition; auto: a6, and a5 from the server's first info of A5's form on",
    ),
    Setting::among(
        "acknex.angle",
        &["auto", "be", "le"],
        "byte order of angles; auto: be as in the specification's example, until smooth turns say otherwise",
    ),
    Setting::among(
        "acknex.position",
        &["auto", "packed", "fixed"],
        "width of an update's coordinates, 24 or 32 bits; auto: by which of them datagrams can be read to their end",
    ),
    Setting::among(
        "acknex.skin",
        &["table", "bit"],
        "place of skin in update1 of a6: after albedo as in the specification's table, or by its bit before ambient",
    ),
    Setting::among("acknex.color", &["auto", "rgb", "bgr"], "order of a color's bytes; auto: rgb for a6, bgr for a5"),
    Setting::among("acknex.no_z", &["no", "yes"], "an update's position has x and y only (NOSEND_Z, A7.78 and later)"),
    Setting::text(
        "acknex.skip",
        "0",
        |text| match digits::unsigned::<u16>(text) {
            Some(_) => Ok(()),
            None => Err(format!("{text:?}: expected a number of bytes, 0 to 65535")),
        },
        "bytes of an unknown transport header before the first command of each datagram; they are not shown",
    ),
];
