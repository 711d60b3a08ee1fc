//! Numbers as decimal text. All functions append.

/// A whole number.
#[inline]
pub fn int<N: itoa::Integer>(n: N, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
}

/// The digits of the numbers with at most three, and how many there are. Saves 69 of 2,672
/// instructions a message of ndjson, 100 of 4,341 of json, 66 of 4,029 of a summary (see
/// [`crate::render`]).
pub(super) static SMALL: [[u8; 4]; 1000] = {
    let mut table = [[0; 4]; 1000];
    let mut n = 0;
    while n < 1000 {
        let digits = [b'0' + (n / 100) as u8, b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8];
        table[n] = match n {
            0..10 => [digits[2], 0, 0, 1],
            10..100 => [digits[1], digits[2], 0, 2],
            _ => [digits[0], digits[1], digits[2], 3],
        };
        n += 1;
    }
    table
};

/// An unsigned whole number; most that are written are small.
#[inline]
pub fn uint(n: u64, out: &mut Vec<u8>) {
    if n < 1000
        && let Some(digits) = SMALL.get(n as usize)
    {
        let end = out.len() + digits[3] as usize;
        out.extend_from_slice(digits);
        return out.truncate(end);
    }
    int(n, out);
}

/// Eight times the digit 0.
pub(super) const ZEROS: u64 = u64::from_le_bytes([b'0'; 8]);

/// The values of a number's eight digits, the first one in the lowest byte: lanes of four digits are
/// split into two of two, and these into two of one, all lanes at once. For microseconds that saves
/// 164 of 2,767 instructions a message of ndjson, 163 of 4,404 of json, 163 of 4,126 of a summary (see
/// [`crate::render`]).
#[inline(always)]
pub(super) fn eight_digits(n: u64) -> u64 {
    let fours = (n / 10_000) | ((n % 10_000) << 32);
    // x * 10486 / 2^20 is x / 100, and x * 103 / 2^10 is x / 10, for numbers of that many digits.
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds | ((fours - hundreds * 100) << 16);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | ((twos - tens * 10) << 8)
}

/// The lowest `count` (at most 18) decimal digits of a number, including leading zeros.
#[inline]
pub fn digits(n: u64, count: usize, out: &mut Vec<u8>) {
    match count {
        // Microseconds: the resolution of nearly all captures.
        6 => {
            let [_, _, six @ ..] = (eight_digits(n % 1_000_000) + ZEROS).to_le_bytes();
            out.extend_from_slice(&six);
        }
        _ => {
            let digit = |place: u32| b'0' + (n / 10u64.pow(place) % 10) as u8;
            out.extend((0..count.min(18) as u32).rev().map(digit));
        }
    }
}

/// Hours, minutes and seconds of two digits each, separated by colons.
#[inline]
pub fn time_of_day(hours: u64, minutes: u64, seconds: u64, out: &mut Vec<u8>) {
    digits(hours, 2, out);
    out.push(b':');
    digits(minutes, 2, out);
    out.push(b':');
    digits(seconds, 2, out);
}

/// The shortest text that converts back to the same binary64 number, `1.0` for whole ones. JSON has
/// no infinity; the reader shows those raw, so they never get here.
#[inline]
pub fn f64(v: f64, out: &mut Vec<u8>) {
    match v.is_finite() {
        true => out.extend_from_slice(zmij::Buffer::new().format_finite(v).as_bytes()),
        false => out.extend_from_slice(b"null"),
    }
}

/// As [`f64()`], for a binary32 number.
#[inline]
pub fn f32(v: f32, out: &mut Vec<u8>) {
    match v.is_finite() {
        true => out.extend_from_slice(zmij::Buffer::new().format_finite(v).as_bytes()),
        false => out.extend_from_slice(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;

    #[test]
    fn numbers_are_short_and_whole_ones_have_a_point() {
        let cases = [(1.0, "1.0"), (-0.0, "-0.0"), (0.1, "0.1"), (1e300, "1e+300"), (f64::NAN, "null")];
        cases.into_iter().for_each(|(v, text)| assert_eq!(written(|out| f64(v, out)), text));
        assert_eq!(written(|out| f32(0.1, out)), "0.1");
        assert_eq!(written(|out| f32(16777216.0, out)), "16777216.0");
    }

    #[test]
    fn small_numbers_and_zeros_in_front() {
        for n in (0..100_000).chain((0..1000).flat_map(|k| [k * 99_991, 99_999_500 + k])).chain([u64::MAX]) {
            assert_eq!(written(|out| uint(n, out)), n.to_string());
        }
        assert_eq!(written(|out| digits(987_654, 6, out)), "987654");
        assert_eq!(written(|out| digits(1, 6, out)), "000001");
        assert_eq!(written(|out| digits(20, 3, out)), "020");
        assert_eq!(written(|out| digits(123_456_789, 9, out)), "123456789");
        assert_eq!(written(|out| digits(7, 0, out)), "");
        assert_eq!(written(|out| time_of_day(23, 9, 50, out)), "23:09:50");
        assert_eq!(written(|out| time_of_day(0, 0, 0, out)), "00:00:00");
    }
}
