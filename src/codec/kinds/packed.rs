//! A field whose bytes are compressed or masked. Its content is read from the unpacked bytes.

use super::deflating;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Name, Order};
use crate::codec::node::Value;
use crate::codec::writer::WriteStop;
use crate::codec::{Context, EncodeError, Reader, Sampler, Writer, bits, walk};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::ops::Deref;

/// The transformation of the bytes.
#[derive(Clone, Copy, Debug)]
pub enum Packing {
    /// RFC 1950.
    Zlib,
    /// RFC 1951.
    Deflate,
    /// RFC 1952.
    Gzip,
    /// Each byte is combined by XOR with the next byte of this key, which repeats.
    Xor(&'static [u8]),
    /// Each byte is combined by XOR with the next one of an earlier number, of as many bytes in this order, which
    /// repeat.
    XorField(Name, u8, Order),
}

/// A field in packed bytes.
#[derive(Debug)]
pub struct Packed {
    /// The transformation.
    pub packing: Packing,
    /// The length in bits of the packed bytes. `None`: up to the end of their region.
    pub bits: Option<u32>,
    /// The cap on the unpacked bytes.
    pub most: usize,
    /// The earlier number that holds the length of the unpacked bytes.
    pub inflated: Option<Name>,
    /// The field; the unpacked bytes after it; the packed bytes, shown if packing again gives others.
    pub fields: &'static [Field; 3],
}

fn xor(bytes: &mut [u8], key: &[u8]) {
    bytes.iter_mut().zip(key.iter().cycle()).for_each(|(byte, key)| *byte ^= key);
}

/// The bytes of a key.
enum Key {
    Always(&'static [u8]),
    /// The first ones of these.
    Known([u8; 8], u8),
}

impl Deref for Key {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Key::Always(key) => key,
            Key::Known(key, bytes) => key.get(..*bytes as usize).unwrap_or(key),
        }
    }
}

impl Packed {
    fn compressed(&self) -> bool {
        !matches!(self.packing, Packing::Xor(_) | Packing::XorField(..))
    }

    /// Appends the unpacked bytes. Returns false if the packed ones are invalid, or the result is too long.
    fn unpack(&self, packed: &[u8], key: &[u8], out: &mut Vec<u8>) -> bool {
        let most = self.most as u64;
        match self.packing {
            Packing::Zlib => deflating::inflate(true, packed, most, out),
            Packing::Deflate => deflating::inflate(false, packed, most, out),
            Packing::Gzip => deflating::all(&mut flate2::bufread::GzDecoder::new(packed), most, out),
            Packing::Xor(_) | Packing::XorField(..) => {
                out.extend_from_slice(packed);
                xor(out, key);
                true
            }
        }
    }

    fn pack(&self, plain: &[u8], key: &[u8]) -> Vec<u8> {
        // Writing to a vector cannot fail.
        match self.packing {
            Packing::Zlib => deflating::deflate(true, plain, <[u8]>::to_vec),
            Packing::Deflate => deflating::deflate(false, plain, <[u8]>::to_vec),
            Packing::Gzip => {
                let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
                let _ = gzip.write_all(plain);
                gzip.finish().unwrap_or_default()
            }
            Packing::Xor(_) | Packing::XorField(..) => {
                let mut bytes = plain.to_vec();
                xor(&mut bytes, key);
                bytes
            }
        }
    }

    /// Whether packing gives these bytes.
    fn packs_to(&self, plain: &[u8], key: &[u8], packed: &[u8]) -> bool {
        match self.packing {
            Packing::Zlib => deflating::deflate(true, plain, |made| made == packed),
            Packing::Deflate => deflating::deflate(false, plain, |made| made == packed),
            _ => self.pack(plain, key) == packed,
        }
    }

    fn key(&self, known: impl Fn(&Name) -> Option<u64>) -> Key {
        match &self.packing {
            Packing::Xor(key) => Key::Always(key),
            Packing::XorField(name, bytes, order) => {
                let number = known(name).unwrap_or(0);
                let ordered = if *order == Order::Big { bits::swap(number, *bytes as u32 * 8) } else { number };
                Key::Known(ordered.to_le_bytes(), *bytes)
            }
            _ => Key::Always(&[]),
        }
    }

    /// Reads the unpacked bytes.
    fn inside(&self, plain: &[u8], source: u8, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let outer = reader.tree.current_source();
        let mut inner = Reader::new(plain, &mut *reader.tree).named(reader.proto, reader.message);
        inner.depth = reader.depth;
        inner.max_depth = reader.max_depth;
        inner.order = reader.order;
        if let Some(context) = &mut reader.context {
            inner.context = Some(&mut **context as &mut dyn Context);
        }
        inner.tree.set_source(source);
        let done = walk::field(&self.fields[0], &mut inner);
        if done.is_ok() {
            inner.rest(&self.fields[1]);
        }
        reader.tree.set_source(outer);
        done
    }
}

impl Packed {
    pub(in crate::codec) fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        let bits = self.bits.unwrap_or(reader.end() - start);
        reader.need(&self.fields[0], start, bits as u64)?;
        let key = self.key(|name| reader.known(name));
        if self.bits.is_none() && reader.is_cut() {
            let need = reader.left() as u64;
            return Err(reader.short(&self.fields[0], start, need, String::new()));
        }
        let packed = &*bits::bytes(reader.data(), start, bits);
        let taken = reader.context.as_mut().and_then(|context| context.take_source());
        let fault = |reader: &mut Reader<'_>, what: &'static str| {
            let have = (reader.end() - start) as u64;
            let field = if field.name.is_empty() { &self.fields[0] } else { field };
            reader.broken(field, Fault::new(Reason::Undefined(what), start, 0, have))
        };
        let Some((source, mut plain)) = taken else { return Err(fault(reader, "no room to unpack it")) };
        let whole = self.unpack(packed, &key, &mut plain);
        let mark = reader.tree.nodes().len();
        let (open, depth) = (reader.tree.open.len(), reader.depth);
        let inside = if whole { self.inside(&plain, source, reader) } else { Ok(()) };
        let again = self.compressed() && whole && inside.is_ok() && !self.packs_to(&plain, &key, packed);
        let length = plain.len() as u64;
        if let Some(context) = &mut reader.context {
            context.give_source(source, plain);
        }
        match inside {
            _ if !whole => return Err(fault(reader, "does not unpack")),
            // Ranges of the unpacked bytes mean nothing outside of them, so the whole field is broken.
            Err(_) => {
                reader.tree.truncate(mark);
                reader.tree.open.truncate(open);
                reader.depth = depth;
                return Err(fault(reader, "does not fit when it is unpacked"));
            }
            Ok(()) => {}
        }
        reader.seek(start + bits);
        if again {
            reader.tree.push(&self.fields[2], Value::Bytes { bit: start, bits }, start, bits);
        }
        if let Some(name) = self.inflated.filter(|name| reader.known(name) != Some(length)) {
            reader.tree.reveal_named(&name);
        }
        Ok(())
    }

    pub(in crate::codec) fn write(&self, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let at = writer.position();
        walk::field(&self.fields[0], writer)?;
        if let Some(rest) = writer.input(&self.fields[1]) {
            writer.put_raw_form(rest)?;
        }
        writer.close(at);
        let key = self.key(|name| writer.known(name));
        let plain = writer.out.split_off(at).into_bytes();
        let given = writer.derived_input(&self.fields[2]).and_then(|value| value.as_str());
        let given = given.and_then(|text| hex::decode(text).ok()).filter(|packed| {
            let mut unpacked = Vec::new();
            self.unpack(packed, &key, &mut unpacked) && unpacked == plain
        });
        let packed = given.unwrap_or_else(|| self.pack(&plain, &key));
        writer.put_bytes(&packed);
        self.inflated.as_ref().map_or(Ok(()), |name| writer.counted(name, plain.len() as u64))
    }

    pub(in crate::codec) fn sample(&self, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        let at = sampler.out.len();
        walk::field(&self.fields[0], sampler)?;
        sampler.ended = true;
        let plain = sampler.out.split_off(at).into_bytes();
        let key = self.key(|name| sampler.known(name));
        sampler.out.put_bytes(&self.pack(&plain, &key));
        if let Some(name) = &self.inflated {
            sampler.complete(name, plain.len() as u64);
        }
        Ok(())
    }

    pub(in crate::codec) fn describe(&self) -> &'static str {
        match self.packing {
            Packing::Zlib => "compressed (zlib)",
            Packing::Deflate => "compressed (deflate)",
            Packing::Gzip => "compressed (gzip)",
            Packing::Xor(_) | Packing::XorField(..) => "masked (xor)",
        }
    }
}
