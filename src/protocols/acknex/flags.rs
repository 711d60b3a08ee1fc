//! The flags of an entity: 16 bits of the engine's flag word. Each is shown by name, or by its number in that word if
//! the engine's header has no name for it.

use crate::codec::layout::{Field, Flags, Order, u8, u16le};
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Stop, Value, Writer, digits};
use serde_json::Value as Json;

/// Bits 8 to 23 of the flag word; 11 and 15 have no name. Source: the engine's `atypes.h`, A7 and A8.
pub const NAMES: &[(u64, &str)] = &[
    (8, "invisible"),
    (9, "passable"),
    (10, "translucent"),
    (12, "overlay"),
    (13, "spotlight"),
    (14, "znear"),
    (16, "nofilter"),
    (17, "unlit"),
    (18, "shadow"),
    (19, "light"),
    (20, "nofog"),
    (21, "bright"),
    (22, "decal_metal"),
    (23, "cast"),
];

/// The number, in the flag word, of the first bit that is sent.
const FIRST: u64 = 8;
const BITS: u32 = 16;

/// The names by the masks of the two bytes.
static MASKS: [(u64, &str); NAMES.len()] = {
    let mut masks = [(0, ""); NAMES.len()];
    let mut k = 0;
    while k < NAMES.len() {
        masks[k] = (1 << (NAMES[k].0 - FIRST), NAMES[k].1);
        k += 1;
    }
    masks
};
static FLAGS: Flags = Flags { names: &MASKS, shift: 0, fixed_mask: 0, fixed: 0 };

/// One flag that is set.
static FLAG: Field = u8("flag").names(NAMES);

/// `Short Flags 8..23`: a list of the flags that are set, lowest bit first.
#[derive(Debug)]
pub struct FlagWord;

impl Custom for FlagWord {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let Some(word) = reader.peek(BITS) else { return Err(reader.short(field, start, BITS as u64, String::new())) };
        reader.skip(BITS);
        let tree = reader.tree();
        let list = tree.open(field, Value::List, start);
        for k in (0..BITS).filter(|k| word >> k & 1 == 1) {
            tree.push(&FLAG, Value::UInt(FIRST + k as u64), start + k, 1);
        }
        tree.close(list, start + BITS);
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(given) = writer.input(field) else { return Err(writer.missing(field)) };
        let word = match given {
            Json::Array(items) => items.iter().try_fold(0, |word, item| Some(word | one(item)?)),
            Json::String(text) => text
                .split(['|', ',', '+'])
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .try_fold(0, |word, name| Some(word | by_name(name)?)),
            // The whole word, as on the wire.
            _ => given.as_u64().filter(|word| *word < 1 << BITS),
        };
        let Some(word) = word else {
            let names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
            let expected = format!("a list of flags: {}, or numbers from 8 to 23", names.join(", "));
            let error = writer.wrong(&expected, given);
            return Err(WriteStop::Error(EncodeError { path: field.name.into(), ..error }));
        };
        writer.put(word, BITS, Order::Little);
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let word = sampler.below(1 << BITS);
        sampler.put(word, BITS, Order::Little);
        Ok(())
    }

    fn describe(&self) -> &'static str {
        "16 flags, little-endian"
    }

    fn word(&self) -> Option<&'static Field> {
        static WORD: Field = u16le("flags").flags(&FLAGS);
        Some(&WORD)
    }
}

/// The bit of one flag, given by name or by number in the flag word.
fn one(item: &Json) -> Option<u64> {
    if let Json::String(name) = item { by_name(name) } else { by_number(item.as_u64()?) }
}

fn by_name(name: &str) -> Option<u64> {
    let named = NAMES.iter().find(|(_, n)| *n == name).map(|(number, _)| *number);
    by_number(named.or_else(|| digits::unsigned(name))?)
}

fn by_number(number: u64) -> Option<u64> {
    let bit = number.checked_sub(FIRST)?;
    (bit < BITS as u64).then_some(1 << bit)
}
