//! Payloads that pitaya and cherry compress: one whole zlib stream (RFC 1950).

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// The most bytes that are inflated.
pub const LARGEST: usize = 16 << 20;
/// The bytes that may always be inflated, however small the payload is.
pub const FREE: usize = 64 << 10;

/// The reason why nothing was inflated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Not one whole zlib stream.
    Broken,
    /// It would exceed the limit.
    TooLarge,
}

/// Whether a handshake body begins as a zlib stream.
pub fn begins(body: &[u8]) -> bool {
    matches!(body, [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..])
}

/// The inflate state, created on first use.
#[derive(Debug, Default)]
pub struct Zlib(Option<Box<Decompress>>);

impl Zlib {
    /// Replaces the content of `out` by the inflated bytes: at most `most`, and at most [`LARGEST`].
    ///
    /// # Errors
    /// `input` is not one whole zlib stream, or would be too large.
    pub fn inflate(&mut self, input: &[u8], most: usize, out: &mut Vec<u8>) -> Result<(), Unfit> {
        out.clear();
        if input.len() < 8 {
            // Two bytes of head, a block, four of checksum.
            return Err(Unfit::Broken);
        }
        let most = most.min(LARGEST);
        let state = self.0.get_or_insert_with(|| Box::new(Decompress::new(true)));
        state.reset(true);
        loop {
            if out.len() == out.capacity() {
                if out.len() >= most {
                    return Err(Unfit::TooLarge);
                }
                out.reserve_exact(out.len().max(1024).min(most - out.len()));
            }
            let (read, written) = (state.total_in(), out.len());
            let rest = input.get(read as usize..).unwrap_or_default();
            match state.decompress_vec(rest, out, FlushDecompress::None) {
                Ok(Status::StreamEnd) if out.len() > most => return Err(Unfit::TooLarge),
                Ok(Status::StreamEnd) if state.total_in() == input.len() as u64 => return Ok(()),
                Ok(Status::StreamEnd) => return Err(Unfit::Broken),
                Ok(_) if state.total_in() == read && out.len() == written && out.len() < out.capacity() => {
                    return Err(Unfit::Broken);
                }
                Ok(_) => {}
                Err(_) => return Err(Unfit::Broken),
            }
        }
    }
}

/// Compresses `bytes` to one zlib stream.
pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut state = Compress::new(Compression::default(), true);
    // Stored blocks take five bytes for each 65535, and a few around them.
    let mut out = Vec::with_capacity(bytes.len() + bytes.len() / 1000 + 64);
    // There is room for all of it, so one call ends the stream.
    let _ = state.compress_vec(bytes, &mut out, FlushCompress::Finish);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn whole_streams_only() {
        let (mut zlib, mut out) = (Zlib::default(), Vec::new());
        for text in [vec![], vec![b'a'; 7], (0..200_000u32).flat_map(u32::to_le_bytes).collect()] {
            let mut press = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
            press.write_all(&text).unwrap();
            let mut packed = press.finish().unwrap();
            assert_eq!(zlib.inflate(&packed, LARGEST, &mut out), Ok(()));
            assert_eq!(out, text);
            if text.len() > FREE {
                assert_eq!(zlib.inflate(&packed, text.len(), &mut out), Ok(()));
                assert_eq!(zlib.inflate(&packed, text.len() - 1, &mut out), Err(Unfit::TooLarge));
                assert_eq!(zlib.inflate(&packed, FREE, &mut out), Err(Unfit::TooLarge));
            }
            assert_eq!(zlib.inflate(&packed[..packed.len() - 1], LARGEST, &mut out), Err(Unfit::Broken));
            packed.push(0);
            assert_eq!(zlib.inflate(&packed, LARGEST, &mut out), Err(Unfit::Broken));
        }
        assert_eq!(zlib.inflate(&[0x78; 400], LARGEST, &mut out), Err(Unfit::Broken));
    }
}
