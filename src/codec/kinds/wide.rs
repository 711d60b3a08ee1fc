//! Text in UTF-16, up to the end of its region.

use super::packed::sourced;
use crate::codec::fault::Stop;
use crate::codec::layout::Field;
use crate::codec::node::Value;
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};

/// UTF-16; what is none is shown raw.
#[derive(Debug)]
pub struct Wide {
    /// Most significant byte first.
    pub big: bool,
}

impl Wide {
    fn unit(&self, pair: &[u8]) -> u16 {
        let pair = [pair.first().copied().unwrap_or(0), pair.get(1).copied().unwrap_or(0)];
        if self.big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
    }

    fn bytes(&self, text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(|unit| if self.big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
    }
}

impl Custom for Wide {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let (start, bits) = (reader.position(), reader.end() - reader.position());
        let bytes = reader.data().get(start as usize / 8..(start + bits) as usize / 8).unwrap_or_default();
        let mut whole = bytes.len() % 2 == 0;
        let source = sourced(reader, |text| {
            for unit in char::decode_utf16(bytes.chunks_exact(2).map(|pair| self.unit(pair))) {
                let mut utf8 = [0; 4];
                match unit {
                    Ok(c) => text.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
                    Err(_) => whole = false,
                }
            }
        });
        reader.skip(bits);
        let raw = Value::Raw { bit: start, bits };
        match source.filter(|_| whole) {
            Some((source, length)) => {
                reader.tree().push_from(source, field, Value::Text { bit: 0, bits: length * 8 }, start, bits);
            }
            None => _ = reader.tree().push(field, raw, start, bits),
        }
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let Some(value) = writer.input(field) else { return Err(writer.missing(field)) };
        match value.as_str() {
            Some(text) => {
                let bytes = self.bytes(text);
                writer.put_bytes(&bytes);
                Ok(())
            }
            None if value.is_object() => writer.put_raw_form(value),
            None => Err(WriteStop::Error(writer.wrong("text", value))),
        }
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let length = sampler.below(9);
        let text: String = (0..length).map(|_| char::from(b'a' + sampler.below(26) as u8)).collect();
        sampler.out.put_bytes(&self.bytes(&text));
        Ok(())
    }

    fn takes_the_rest(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        if self.big { "text in UTF-16, big-endian" } else { "text in UTF-16, little-endian" }
    }
}
