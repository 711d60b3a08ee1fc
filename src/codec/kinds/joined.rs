//! Texts one after the other, shown as one: DNS names, which may continue at an earlier place in the packet.

use crate::codec::context::Scope;
use crate::codec::fault::{Fault, Reason, Stop};
use crate::codec::layout::{Field, Len, bytes};
use crate::codec::reader::raw_or_bytes;
use crate::codec::walk::Custom;
use crate::codec::writer::WriteStop;
use crate::codec::{EncodeError, Reader, Sampler, Writer};
use std::hash::Hasher;

/// The cap on texts in one field, and on places where it continues. Without it, each name of a list could follow all
/// names before it.
const MOST: usize = 128;

/// Texts with a length byte each, up to an empty one.
#[derive(Debug)]
pub struct Joined {
    /// The character that is shown between two texts.
    pub between: u8,
    /// The bits that mark the next two bytes as the place in the packet where the texts continue; 0: they never do.
    pub back: u16,
    /// Shows the field's bytes if encoding would write others.
    pub wire: &'static Field,
}

/// Creates the field that shows the bytes of a field of this name.
pub fn wire(name: &'static str) -> Field {
    let mut field = bytes("", Len::Rest).doc("its bytes, where encoding would write others");
    field.set_name(name);
    field
}

/// The texts that were found, and their form on the wire.
struct Found {
    /// The start and the length of each text.
    texts: [(u32, u8); MOST],
    count: usize,
    /// The number of texts in the field's own place.
    own: usize,
    /// The place of the other texts.
    place: Option<u32>,
    /// The byte after the field.
    end: usize,
}

impl Found {
    fn each<'d>(&self, data: &'d [u8]) -> impl Iterator<Item = &'d [u8]> + use<'d, '_> {
        let texts = self.texts.iter().take(self.count);
        texts.map(|(at, length)| data.get(*at as usize..*at as usize + *length as usize).unwrap_or_default())
    }
}

/// The reason why no texts were found.
enum Missing {
    /// The number of bytes that the packet would need.
    Bytes(usize),
    /// The mistake in the bytes.
    Wrong(&'static str),
}

impl Joined {
    /// Finds the texts from byte `at` on.
    fn find(&self, data: &[u8], at: usize) -> Result<Found, Missing> {
        let mut found = Found { texts: [(0, 0); MOST], count: 0, own: 0, place: None, end: at };
        // Each place must be before everything that was read, so that there are no loops.
        let (mut at, mut first, mut places) = (at, at, 0);
        loop {
            let Some(length) = data.get(at).copied() else { return Err(Missing::Bytes(at + 1)) };
            let head = (self.back >> 8) as u8;
            if head > 0 && length & head == head {
                let Some(low) = data.get(at + 1).copied() else { return Err(Missing::Bytes(at + 2)) };
                let place = (u16::from_be_bytes([length, low]) & !self.back) as usize;
                if place >= first {
                    return Err(Missing::Wrong("a pointer that does not point backwards"));
                }
                if found.place.is_none() {
                    (found.place, found.own, found.end) = (Some(place as u32), found.count, at + 2);
                }
                if places == MOST {
                    return Err(Missing::Wrong("too many places"));
                }
                (at, first, places) = (place, place, places + 1);
                continue;
            }
            at += 1;
            if length == 0 {
                if found.place.is_none() {
                    (found.own, found.end) = (found.count, at);
                }
                return Ok(found);
            }
            if length & head != 0 {
                return Err(Missing::Wrong("an invalid length"));
            }
            if at + length as usize > data.len() {
                return Err(Missing::Bytes(at + length as usize));
            }
            let Some(text) = found.texts.get_mut(found.count) else { return Err(Missing::Wrong("too many texts")) };
            *text = (at as u32, length);
            found.count += 1;
            at += length as usize;
        }
    }

    /// Returns the form that encoding writes: the number of texts in the own place, and the place of the others in
    /// `data`.
    fn canonical(&self, texts: &[&[u8]], scope: &Scope, data: &[u8]) -> (usize, Option<u32>) {
        let mut hashes = [0u64; MOST];
        hash(texts, &mut hashes);
        let there = |k: usize| {
            let place = scope.texts.get(hashes.get(k)?).copied().filter(|_| self.back > 0)?;
            let same = self.find(data, place as usize).is_ok_and(|known| {
                known.count == texts.len() - k && known.each(data).eq(texts.iter().skip(k).copied())
            });
            (same && place <= u32::from(!self.back)).then_some(place)
        };
        let known = (0..texts.len()).find_map(|k| there(k).map(|place| (k, Some(place))));
        known.unwrap_or((texts.len(), None))
    }

    /// Keeps the places of the texts that begin at `at`, except those found elsewhere.
    fn keep(&self, data: &[u8], at: usize, scope: &mut Scope) {
        let Ok(found) = self.find(data, at) else { return };
        let mut texts = [&[][..]; MOST];
        texts.iter_mut().zip(found.each(data)).for_each(|(to, text)| *to = text);
        let mut hashes = [0u64; MOST];
        hash(texts.get(..found.count).unwrap_or_default(), &mut hashes);
        for (hash, (at, _)) in hashes.iter().zip(&found.texts).take(found.own) {
            scope.texts.entry(*hash).or_insert(at - 1);
        }
    }

    /// Writes the texts, with a pointer to those that occur earlier.
    fn put(&self, text: &str, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let texts: Vec<&[u8]> = text.split(self.between as char).map(str::as_bytes).collect();
        let texts = if text.is_empty() { Vec::new() } else { texts };
        let head = (self.back >> 8) as u8;
        let fits = |text: &&[u8]| u8::try_from(text.len()).is_ok_and(|length| length > 0 && length & head == 0);
        if texts.len() > MOST || !texts.iter().all(fits) {
            let most = if head > 0 { (1 << head.trailing_zeros()) - 1 } else { 255 };
            return Err(
                writer.fail(format!("expected texts of 1 to {most} bytes, joined by {:?}", self.between as char))
            );
        }
        let (own, place) = self.canonical(&texts, &writer.scope, writer.out.bytes());
        for text in texts.iter().take(own) {
            writer.put_bytes(&[text.len() as u8]);
            writer.put_bytes(text);
        }
        match place {
            Some(place) => writer.put_bytes(&(place as u16 | self.back).to_be_bytes()),
            None => writer.put_bytes(&[0]),
        }
        Ok(())
    }
}

/// Computes hashes: one for the texts from each text to the last.
fn hash(texts: &[&[u8]], hashes: &mut [u64; MOST]) {
    let mut hasher = rustc_hash::FxHasher::default();
    for (text, hash) in texts.iter().zip(hashes).rev() {
        hasher.write_u8(text.len() as u8);
        hasher.write(text);
        *hash = hasher.clone().finish();
    }
}

impl Custom for Joined {
    fn read(&self, field: &'static Field, reader: &mut Reader<'_>) -> Result<(), Stop> {
        let start = reader.position();
        // A region limits the field's own bytes, but not the places before them.
        let data = reader.data().get(..reader.end() as usize / 8).unwrap_or_default();
        let found = match self.find(data, start as usize / 8) {
            Ok(found) => found,
            Err(Missing::Bytes(end)) => {
                let limit = "the length of a text".to_owned();
                return Err(reader.short(field, start, (end as u64 * 8).saturating_sub(start.into()), limit));
            }
            Err(Missing::Wrong(what)) => {
                let have = reader.left() as u64;
                return Err(reader.broken(field, Fault::new(Reason::Undefined(what), start, 0, have)));
            }
        };
        let bits = found.end as u32 * 8 - start;
        let mut texts = [&[][..]; MOST];
        texts.iter_mut().zip(found.each(data)).for_each(|(to, text)| *to = text);
        let texts = texts.get(..found.count).unwrap_or_default();
        let written = self.canonical(texts, &reader.tree().scope, data);
        reader.skip(bits);
        let between = self.between;
        let whole = reader.converted(field, start, start, bits, |out| {
            for (k, text) in texts.iter().enumerate() {
                out.extend_from_slice(if k > 0 { std::slice::from_ref(&between) } else { &[] });
                out.extend_from_slice(text);
            }
            texts.iter().all(|text| !text.contains(&between) && std::str::from_utf8(text).is_ok())
        });
        if whole && written != (found.own, found.place) {
            reader.tree().push(self.wire, raw_or_bytes(start, bits), start, bits);
        }
        self.keep(data, start as usize / 8, &mut reader.tree().scope);
        Ok(())
    }

    fn write(&self, field: &'static Field, writer: &mut Writer<'_>) -> Result<(), WriteStop> {
        let start = writer.position();
        let at = start / 8;
        let given = writer.input(self.wire);
        let Some(value) = writer.input(field) else { return Err(writer.missing(field)) };
        let mut written = false;
        // The original form counts if it has this text.
        if let (Some(original), Some(text)) = (given, value.as_str()) {
            writer.put_raw_form(original)?;
            let data = writer.out.bytes();
            let joined = |found: Found| found.each(data).collect::<Vec<_>>().join(&self.between);
            let whole = |found: &Found| found.end == data.len();
            written = self.find(data, at).is_ok_and(|found| whole(&found) && joined(found) == text.as_bytes());
            if !written {
                writer.out.split_off(start);
            }
        }
        match value.as_str() {
            _ if written => {}
            None => writer.put_raw_form(value)?,
            Some(text) => self.put(text, writer)?,
        }
        let mut scope = std::mem::take(&mut writer.scope);
        self.keep(writer.out.bytes(), at, &mut scope);
        writer.scope = scope;
        Ok(())
    }

    fn sample(&self, _field: &'static Field, sampler: &mut Sampler<'_>) -> Result<(), EncodeError> {
        sampler.out.put_bytes(b"\x01a\x00");
        Ok(())
    }

    fn converts(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        if self.back > 0 { "texts, which may go on earlier in the packet" } else { "texts, joined" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static WIRE: Field = bytes("wire", Len::Rest);

    #[test]
    fn a_chain_of_places_has_an_end() {
        let names = Joined { between: b'.', back: 0xc000, wire: &WIRE };
        // An empty name, and names that each continue at the one before.
        let chain = |length: u16| {
            let places = (0..length).map(|k| if k == 0 { 0xc000 } else { 0xc000 | (2 * k - 1) });
            [0].into_iter().chain(places.flat_map(u16::to_be_bytes)).collect::<Vec<u8>>()
        };
        let last = |length: u16| 2 * length as usize - 1;
        assert!(names.find(&chain(128), last(128)).is_ok_and(|found| found.count == 0 && found.end == 257));
        assert!(matches!(names.find(&chain(129), last(129)), Err(Missing::Wrong("too many places"))));
    }
}
