//! Finds runs of text without special bytes, which can be copied or skipped at once.

/// Returns a word of eight equal bytes.
pub const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Returns the number of bytes before the first special one. Eight bytes are checked together: `marks` sets the top bit
/// of each special byte of a word, and may set other bits only above the first such byte. `special` checks a single
/// byte.
///
/// Saves 191 of 5,642 instructions per message as ndjson with a text of 75 letters, 625 of 11,007 per nano message with
/// a JSON object of 90 (see [`crate::render`]).
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
