//! Payloads that pitaya and cherry compress: one whole zlib stream (RFC 1950).

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// Nothing larger is inflated.
pub const LARGEST: usize = 16 << 20;

/// Does a handshake body begin as a zlib stream?
pub fn begins(body: &[u8]) -> bool {
    matches!(body, [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..])
}

/// The inflate state, made when it is needed first.
#[derive(Debug, Default)]
pub struct Zlib(Option<Box<Decompress>>);

impl Zlib {
    /// Replaces what `out` holds by the inflated bytes. False: `input` is not one whole zlib
    /// stream, or would be too large.
    pub fn inflate(&mut self, input: &[u8], out: &mut Vec<u8>) -> bool {
        out.clear();
        if input.len() < 8 {
            // Two bytes of head, a block, four of checksum.
            return false;
        }
        let state = self.0.get_or_insert_with(|| Box::new(Decompress::new(true)));
        state.reset(true);
        loop {
            if out.len() == out.capacity() {
                if out.len() >= LARGEST {
                    return false;
                }
                out.reserve(out.len().max(1024).min(LARGEST - out.len()));
            }
            let (read, written) = (state.total_in(), out.len());
            let rest = input.get(read as usize..).unwrap_or_default();
            match state.decompress_vec(rest, out, FlushDecompress::None) {
                Ok(Status::StreamEnd) => return state.total_in() == input.len() as u64 && out.len() <= LARGEST,
                Ok(_) if state.total_in() == read && out.len() == written && out.len() < out.capacity() => {
                    return false;
                }
                Ok(_) => {}
                Err(_) => return false,
            }
        }
    }
}

/// `bytes` as one zlib stream.
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
            assert!(zlib.inflate(&packed, &mut out));
            assert_eq!(out, text);
            assert!(!zlib.inflate(&packed[..packed.len() - 1], &mut out));
            packed.push(0);
            assert!(!zlib.inflate(&packed, &mut out));
        }
        assert!(!zlib.inflate(&[0x78; 400], &mut out));
    }
}
