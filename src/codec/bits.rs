//! Reads and writes bits at any offset, least significant first. All numbers are built on it.
//!
//! Bit `k` of a message is bit `k mod 8` (least significant = 0) of byte `k / 8`. A byte-aligned
//! little-endian number is the special case of an offset divisible by 8; a big-endian number
//! additionally has its bytes swapped.

use super::layout::Order;
use std::borrow::Cow;

/// Returns `count` (at most 64) bits of `data` from bit `at` on. Bits past the end read as zero.
#[inline(always)]
pub fn get(data: &[u8], at: usize, count: u32) -> u64 {
    let (byte, shift) = (at / 8, (at % 8) as u32);
    let word = match data.get(byte..byte + 8) {
        Some(eight) => u64::from_le_bytes(eight.try_into().unwrap_or_default()),
        None => tail(data, byte),
    };
    let mut value = word >> shift;
    if shift + count > 64 {
        value |= (data.get(byte + 8).copied().unwrap_or(0) as u64) << (64 - shift);
    }
    value & mask(count)
}

/// As [`get`], but faster for most numbers, which have one or two whole bytes. Saves about 30 of 2,330 instructions per
/// ndjson message (see [`crate::render`]).
#[inline(always)]
pub fn number(data: &[u8], at: usize, count: u32) -> u64 {
    if at.is_multiple_of(8)
        && let Some(rest) = data.get(at / 8..)
    {
        match (count, rest) {
            (8, [byte, ..]) => return (*byte).into(),
            (16, [low, high, ..]) => return u16::from_le_bytes([*low, *high]).into(),
            _ => {}
        }
    }
    get(data, at, count)
}

/// Returns the last bytes of `data`, from `byte` on, as a little-endian number.
#[inline]
fn tail(data: &[u8], byte: usize) -> u64 {
    let rest = data.get(byte..).unwrap_or(&[]);
    match data.last_chunk::<8>() {
        Some(_) if rest.is_empty() => 0,
        // The last eight bytes, without those before `byte`. `rest` has at most seven bytes.
        Some(last) => u64::from_le_bytes(*last) >> (8 * (8 - rest.len().min(8))),
        None => {
            let mut eight = [0; 8];
            eight.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(eight)
        }
    }
}

/// A mask of the lowest `count` bits.
#[inline(always)]
pub const fn mask(count: u32) -> u64 {
    if count >= 64 { u64::MAX } else { (1 << count) - 1 }
}

/// Swaps the bytes of a number of `count` bits, if that is a whole number of bytes; others are
/// returned unchanged.
#[inline(always)]
pub const fn swap(value: u64, count: u32) -> u64 {
    if count == 0 || !count.is_multiple_of(8) { value } else { value.swap_bytes() >> (64 - count) }
}

/// Returns the position of bit `k` if bits count from the highest bit of each byte.
fn highest_first(k: usize) -> usize {
    k / 8 * 8 + 7 - k % 8
}

/// Returns `count` bits from bit `at` on. The highest bit of each byte comes first.
#[cold]
pub fn from_highest(data: &[u8], at: usize, count: u32) -> u64 {
    (0..count as usize).fold(0, |number, k| number << 1 | get(data, highest_first(at + k), 1))
}

/// Returns whole bytes from any bit offset.
pub fn bytes(data: &[u8], bit: u32, bits: u32) -> Cow<'_, [u8]> {
    match bit % 8 {
        0 => data.get(bit as usize / 8..(bit + bits) as usize / 8).unwrap_or(&[]).into(),
        _ => (0..bits / 8).map(|k| get(data, (bit + k * 8) as usize, 8) as u8).collect(),
    }
}

/// Sign-extends a number of `count` bits.
#[inline(always)]
pub const fn signed(value: u64, count: u32) -> i64 {
    match count {
        1..=63 => ((value << (64 - count)) as i64) >> (64 - count),
        _ => value as i64,
    }
}

/// Swaps the bytes of a number if the order is big-endian.
fn ordered(value: u64, count: u32, order: Order) -> u64 {
    if order == Order::Big { swap(value & mask(count), count) } else { value }
}

/// A growing bit string; the unused bits of the last byte are zero.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitBuf {
    bytes: Vec<u8>,
    len: usize,
}

/// Appends a base-128 number, the lowest seven bits first.
pub(crate) fn varint(mut v: u64, out: &mut Vec<u8>) {
    while v > 0x7f {
        out.push(v as u8 | 0x80);
        v >>= 7;
    }
    out.push(v as u8);
}

impl BitBuf {
    /// Appends a base-128 number, at any bit.
    pub fn put_varint(&mut self, mut v: u64) {
        while v > 0x7f {
            self.put(v & 0x7f | 0x80, 8);
            v >>= 7;
        }
        self.put(v, 8);
    }

    /// The length in bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Appends the lowest `count` bits of `value`.
    pub fn put(&mut self, value: u64, count: u32) {
        let (mut value, mut count) = (value & mask(count), count as usize);
        while count > 0 {
            let shift = self.len % 8;
            if shift == 0 {
                self.bytes.push(0);
            }
            let last = self.bytes.len() - 1;
            self.bytes[last] |= (value << shift) as u8;
            let step = (8 - shift).min(count);
            (value, count, self.len) = (value >> step, count - step, self.len + step);
        }
    }

    /// Appends whole bytes, at any bit offset.
    pub fn put_bytes(&mut self, bytes: &[u8]) {
        if self.len.is_multiple_of(8) {
            self.bytes.extend_from_slice(bytes);
            self.len += bytes.len() * 8;
        } else {
            bytes.iter().for_each(|b| self.put(*b as u64, 8));
        }
    }

    /// Overwrites `count` bits from bit `at` on; all of them must have been written before.
    pub fn patch(&mut self, at: usize, value: u64, count: u32) {
        for k in 0..count as usize {
            let (byte, bit) = ((at + k) / 8, (at + k) % 8);
            if let Some(b) = self.bytes.get_mut(byte) {
                *b = *b & !(1 << bit) | (((value >> k) & 1) as u8) << bit;
            }
        }
    }

    /// Appends a number in this order. [`Order::Conversation`] counts as little-endian.
    pub fn put_number(&mut self, value: u64, count: u32, order: Order) {
        let at = self.len;
        match order {
            Order::HighestBit => {
                self.put(0, count);
                self.patch_number(at, value, count, order);
            }
            _ => self.put(ordered(value, count, order), count),
        }
    }

    /// Overwrites a number, as [`put_number`](BitBuf::put_number).
    pub fn patch_number(&mut self, at: usize, value: u64, count: u32, order: Order) {
        match order {
            Order::HighestBit => {
                (0..count).for_each(|k| self.patch(highest_first(at + k as usize), value >> (count - 1 - k), 1));
            }
            _ => self.patch(at, ordered(value, count, order), count),
        }
    }

    /// The number at bit `at`, as [`put_number`](BitBuf::put_number).
    pub fn number_at(&self, at: usize, count: u32, order: Order) -> u64 {
        match order {
            Order::HighestBit => from_highest(&self.bytes, at, count),
            _ => ordered(get(&self.bytes, at, count), count, order),
        }
    }

    /// Removes everything from bit `at` on, and returns it.
    pub fn split_off(&mut self, at: usize) -> BitBuf {
        let mut off = BitBuf::default();
        if at.is_multiple_of(8) {
            off.bytes = self.bytes.split_off((at / 8).min(self.bytes.len()));
            off.len = self.len.saturating_sub(at);
        } else {
            (at..self.len).step_by(64).for_each(|k| {
                let count = (self.len - k).min(64) as u32;
                off.put(get(&self.bytes, k, count), count);
            });
            self.bytes.truncate(at.div_ceil(8));
            let last = at % 8;
            if let Some(byte) = self.bytes.last_mut() {
                *byte &= (1 << last) - 1;
            }
        }
        self.len = self.len.min(at);
        off
    }

    /// The bytes, the last one padded with zeros.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, the last one padded with zeros.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bits_round_trip(values in prop::collection::vec((any::<u64>(), 1u32..=64), 0..20)) {
            let mut buf = BitBuf::default();
            values.iter().for_each(|(v, n)| buf.put(*v, *n));
            let mut at = 0;
            for (v, n) in values {
                prop_assert_eq!(get(buf.bytes(), at, n), v & mask(n));
                at += n as usize;
            }
            prop_assert_eq!(at, buf.len());
        }

        #[test]
        fn the_short_way_reads_the_same(data in prop::collection::vec(any::<u8>(), 0..12), at in 0usize..120, count in 0u32..=64) {
            prop_assert_eq!(number(&data, at, count), get(&data, at, count));
            for count in [8, 16] {
                prop_assert_eq!(number(&data, at / 8 * 8, count), get(&data, at / 8 * 8, count));
            }
        }

        #[test]
        fn split_off_and_put_round_trip(bits in prop::collection::vec(0u64..2, 0..200), at in 0usize..200) {
            let mut whole = BitBuf::default();
            bits.iter().for_each(|b| whole.put(*b, 1));
            let mut buf = whole.clone();
            let at = at.min(bits.len());
            let off = buf.split_off(at);
            prop_assert_eq!((buf.len(), off.len()), (at, bits.len() - at));
            (0..off.len()).for_each(|k| buf.put(get(off.bytes(), k, 1), 1));
            prop_assert_eq!(buf.bytes(), whole.bytes());
        }
    }

    #[test]
    fn numbers_at_their_edges() {
        assert_eq!(get(&[0x34, 0x12], 0, 16), 0x1234);
        assert_eq!(swap(0x3412, 16), 0x1234);
        assert_eq!(get(&[0xff; 9], 1, 64), u64::MAX);
        assert_eq!(get(&[], 77, 64), 0);
        assert_eq!(signed(0xff, 8), -1);
        assert_eq!(signed(u64::MAX, 64), -1);
        assert_eq!(signed(1, 1), -1);
    }
}
