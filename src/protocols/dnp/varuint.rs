//! The variable-length number of the engine's file writer (read in its source): the two top bits of the first byte are
//! the number of bytes that follow, and the highest bits come first.

use crate::codec::layout::{Field, Order, u32le};
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Stop, Value, Writer, bits, digits};

/// The largest number.
const LARGEST: u64 = (1 << 30) - 1;

/// The codec.
#[derive(Debug)]
pub struct VarUInt;

/// The value of a form that is longer than necessary.
static NUMBER: Field = u32le("number").hidden();

/// The number of bytes that a number takes.
fn bytes(n: u64) -> u32 {
    1 + (n > 0x3f) as u32 + (n > 0x3fff) as u32 + (n > 0x3f_ffff) as u32
}

/// The bits of a number in `bytes` bytes, highest byte first.
fn form(n: u64, bytes: u32) -> u64 {
    n | (bytes as u64 - 1) << (bytes * 8 - 2)
}

impl Custom for VarUInt {
    fn like(&self) -> Option<&'static Field> {
        static NUMBER: Field = crate::codec::layout::u64le("");
        Some(&NUMBER)
    }

    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let Some(first) = reader.peek(8) else { return Err(reader.short(field, start, 8, String::new())) };
        let count = 8 * (1 + (first >> 6) as u32);
        let Some(all) = reader.peek(count) else {
            let limit = format!("{} bytes follow the first", count / 8 - 1);
            return Err(reader.short(field, start, count as u64, limit));
        };
        let number = bits::swap(all, count) & bits::mask(count - 2);
        reader.skip(count);
        if bytes(number) * 8 == count {
            reader.tree().push(field, Value::UInt(number), start, count);
        } else {
            reader.tree().push(&NUMBER, Value::UInt(number), start, count);
            reader.tree().push(field, Value::Raw { bit: start, bits: count }, start, count);
        }
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(given) = writer.input(field) else { return Err(writer.missing(field)) };
        if given.get("raw").is_some() {
            return writer.put_raw_form(given);
        }
        let number = given.as_u64().or_else(|| digits::unsigned(given.as_str()?.trim()));
        let Some(number) = number.filter(|n| *n <= LARGEST) else {
            return Err(WriteStop::Error(writer.wrong("a whole number up to 1073741823", given)));
        };
        let count = bytes(number);
        writer.put(form(number, count), count * 8, Order::Big);
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let count = 1 + sampler.below(4) as u32;
        let number = sampler.below(1 << (count * 8 - 2));
        let count = bytes(number);
        sampler.put(form(number, count), count * 8, Order::Big);
        Ok(())
    }

    fn describe(&self) -> &'static str {
        "two bits for the size, then u6, u14, u22 or u30, big-endian"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::Tree;
    use crate::codec::layout::{Len, custom, text};
    use serde_json::json;

    static TABLE: [Field; 2] = [custom("n", &VarUInt), text("name", Len::Prefix(&LENGTH))];
    static LENGTH: Field = custom("name_length", &VarUInt);

    fn read(hex: &str) -> String {
        let bytes = hex::decode(hex).unwrap();
        let mut tree = Tree::default();
        let outcome = Reader::new(&bytes, &mut tree).named("dnp", "m").read(&TABLE);
        let mut text = Vec::new();
        crate::codec::json::fields_json(&tree, crate::codec::Sources { main: &bytes, more: &[] }, &mut text);
        outcome.fault().map_or(String::new(), |f| f.to_string() + " ") + std::str::from_utf8(&text).unwrap()
    }

    #[test]
    fn the_edges_of_each_length() {
        for (n, hex) in [
            (0, "00"),
            (63, "3f"),
            (64, "4040"),
            (0x3fff, "7fff"),
            (0x4000, "804000"),
            (0x3f_ffff, "bfffff"),
            (0x40_0000, "c0400000"),
            (LARGEST, "ffffffff"),
        ] {
            assert_eq!(read(&format!("{hex}0161")), json!({"n": n, "name": "a"}).to_string());
            let written = Writer::new(&json!({"n": n, "name": "a"})).write(&TABLE).unwrap();
            assert_eq!(hex::encode(written), format!("{hex}0161"));
        }
        assert!(Writer::new(&json!({"n": LARGEST + 1, "name": "a"})).write(&TABLE).is_err());
    }

    #[test]
    fn longer_forms_are_kept() {
        let text = read("4001400161");
        let want = json!({"n": {"raw": "4001", "bits": 16}, "name_length": {"raw": "4001", "bits": 16}, "name": "a"});
        let got: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(got, want);
        assert_eq!(hex::encode(Writer::new(&got).write(&TABLE).unwrap()), "4001400161");
    }

    #[test]
    fn what_is_too_short() {
        assert_eq!(
            read("80ff"),
            "dnp.m.n: needs 24 bits at bit 0, 16 left (2 bytes follow the first) {\"unparsed\":\"80ff\"}"
        );
        assert!(read("000261").starts_with("dnp.m.name: needs 24 bits at bit 8, 16 left (length 2 from name_length)"));
    }
}
