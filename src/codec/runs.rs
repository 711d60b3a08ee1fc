//! Finds runs of text without special bytes, which can be copied or skipped at once.

/// A word of eight times the same byte.
pub const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The number of bytes before the first special one, eight at a time: `marks` sets the top bit of
/// each special byte of a word (bytes above a special one may be marked wrongly); `special` decides
/// for a single byte.
#[inline(always)]
pub fn before(bytes: &[u8], marks: impl Fn(u64) -> u64, special: impl Fn(u8) -> bool) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (k, word) in words.iter().enumerate() {
        let found = marks(u64::from_le_bytes(*word)) & eight(0x80);
        if found != 0 {
            return k * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    words.len() * 8 + rest.iter().take_while(|byte| !special(**byte)).count()
}
