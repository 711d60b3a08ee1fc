//! Inflates and deflates with state that each thread keeps. The state is larger than most packets; otherwise it would
//! be allocated and cleared for each of them.

use flate2::Compression;
use flate2::bufread::{DeflateDecoder, ZlibDecoder};
use flate2::write::{DeflateEncoder, ZlibEncoder};
use std::cell::RefCell;
use std::io::{Cursor, Read, Write};

/// Larger buffers are shrunk to this size when they are reused.
const KEPT: usize = 1 << 16;

#[derive(Default)]
struct Kept {
    from_zlib: Option<ZlibDecoder<Cursor<Vec<u8>>>>,
    from_deflate: Option<DeflateDecoder<Cursor<Vec<u8>>>>,
    to_zlib: Option<ZlibEncoder<Vec<u8>>>,
    to_deflate: Option<DeflateEncoder<Vec<u8>>>,
    spare: Vec<u8>,
}

thread_local! {
    static STATE: RefCell<Kept> = RefCell::default();
}

/// Copies the packed bytes into the memory of the previous ones.
fn copied(before: &mut Cursor<Vec<u8>>, packed: &[u8]) -> Cursor<Vec<u8>> {
    let mut bytes = std::mem::take(before).into_inner();
    bytes.clear();
    bytes.shrink_to(KEPT);
    bytes.extend_from_slice(packed);
    Cursor::new(bytes)
}

/// Appends at most `most` unpacked bytes. Returns false if they are invalid or more.
pub fn all(reader: &mut dyn Read, most: u64, out: &mut Vec<u8>) -> bool {
    reader.take(most + 1).read_to_end(out).is_ok_and(|read| read as u64 <= most)
}

/// Appends the unpacked bytes of a stream of RFC 1950 (`zlib`) or RFC 1951. Returns false if they are invalid or too
/// many, or if bytes follow the stream, which encoding would lose.
pub fn inflate(zlib: bool, packed: &[u8], most: u64, out: &mut Vec<u8>) -> bool {
    STATE.with_borrow_mut(|state| match zlib {
        true => {
            let decoder = state.from_zlib.get_or_insert_with(|| ZlibDecoder::new(Cursor::default()));
            let bytes = copied(decoder.get_mut(), packed);
            decoder.reset(bytes);
            all(decoder, most, out) && decoder.total_in() == packed.len() as u64
        }
        false => {
            let decoder = state.from_deflate.get_or_insert_with(|| DeflateDecoder::new(Cursor::default()));
            let bytes = copied(decoder.get_mut(), packed);
            decoder.reset(bytes);
            all(decoder, most, out) && decoder.total_in() == packed.len() as u64
        }
    })
}

/// Calls `done` with the packed bytes of a stream of RFC 1950 (`zlib`) or RFC 1951.
pub fn deflate<T>(zlib: bool, plain: &[u8], done: impl FnOnce(&[u8]) -> T) -> T {
    let packed = STATE.with_borrow_mut(|state| {
        let mut spare = std::mem::take(&mut state.spare);
        spare.clear();
        spare.shrink_to(KEPT);
        let level = Compression::default();
        // Writing to a vector cannot fail.
        match zlib {
            true => {
                let encoder = state.to_zlib.get_or_insert_with(|| ZlibEncoder::new(Vec::new(), level));
                let written = encoder.write_all(plain);
                written.and_then(|()| encoder.reset(spare)).unwrap_or_default()
            }
            false => {
                let encoder = state.to_deflate.get_or_insert_with(|| DeflateEncoder::new(Vec::new(), level));
                let written = encoder.write_all(plain);
                written.and_then(|()| encoder.reset(spare)).unwrap_or_default()
            }
        }
    });
    let result = done(&packed);
    STATE.with_borrow_mut(|state| state.spare = packed);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Kept state keeps nothing of earlier streams: it gives the same bytes as new state, also after broken streams.
    #[test]
    fn kept_state_is_as_new() {
        for round in 0..20u8 {
            let plain: Vec<u8> = (0..2000 * round as usize).map(|k| (k * k / 7) as u8 ^ round).collect();
            let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
            let mut raw = DeflateEncoder::new(Vec::new(), Compression::default());
            zlib.write_all(&plain).and_then(|()| raw.write_all(&plain)).expect("written");
            for (is_zlib, expected) in [(true, zlib.finish().expect("packed")), (false, raw.finish().expect("packed"))]
            {
                assert!(deflate(is_zlib, &plain, |packed| packed == expected), "round {round}");
                let mut out = Vec::new();
                assert!(!inflate(is_zlib, &[0xff, round, 3], 1 << 20, &mut out));
                out.clear();
                assert!(inflate(is_zlib, &expected, 1 << 20, &mut out) && out == plain);
                out.clear();
                assert!(plain.is_empty() || !inflate(is_zlib, &expected, plain.len() as u64 - 1, &mut out));
                out.clear();
                let after = [&expected[..], &[0]].concat();
                assert!(!inflate(is_zlib, &after, 1 << 20, &mut out));
            }
        }
    }
}
