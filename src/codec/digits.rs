//! Parses numbers as users write them: an optional minus sign, then digits, nothing else.
//!
//! Stricter than the standard library's parsers, which also accept a sign after a prefix or as part of an index: `0x-5`
//! must not be read as -5, nor `[+1]` as an index.

use std::str::FromStr;

/// Parses a whole number: `7`, `-7`, `0x1f`, `-0x1f`. No plus sign; at most one minus sign, at the start.
pub fn whole(text: &str) -> Option<i128> {
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let n = match rest.strip_prefix("0x").or(rest.strip_prefix("0X")) {
        Some(digits) => hex(digits)?,
        None => unsigned(rest)?,
    };
    // The negation cannot overflow: the digits alone are never negative.
    Some(if negative { -n } else { n })
}

/// Parses a hexadecimal number without prefix or sign.
pub fn hex(digits: &str) -> Option<i128> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
    plain.then(|| i128::from_str_radix(digits, 16).ok()).flatten()
}

/// Parses a decimal number without sign, as a number of the requested type.
pub fn unsigned<T: FromStr>(digits: &str) -> Option<T> {
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Parses a decimal number that may end in K, M or G (powers of 1024).
pub fn amount(text: &str) -> Option<usize> {
    let (number, shift) = match text.as_bytes().last()? {
        b'K' | b'k' => (text.get(..text.len() - 1)?, 10),
        b'M' | b'm' => (text.get(..text.len() - 1)?, 20),
        b'G' | b'g' => (text.get(..text.len() - 1)?, 30),
        _ => (text, 0),
    };
    unsigned::<usize>(number)?.checked_mul(1 << shift)
}

/// Parses a number with a fraction or an exponent: `-0.5`, `1e3`. No `+5`, no words (`inf`, `nan`).
pub fn real(text: &str) -> Option<f64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit() || c == '.').then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_sign_and_that_first() {
        assert_eq!([whole("0"), whole("-0"), whole("0x1F"), whole("-0X1f")], [0, 0, 31, -31].map(Some));
        let most = i128::MAX.to_string();
        assert_eq!((whole(&most), whole("0xffffffffffffffff")), (Some(i128::MAX), Some(u64::MAX as i128)));
        for wrong in [
            "",
            "-",
            "+",
            "+5",
            "--5",
            "-+5",
            "+-5",
            "0x",
            "-0x",
            "0x-5",
            "0x+5",
            "0x--5",
            "-0x-5",
            "0b1",
            "0b-1",
            "- 5",
            " 5",
            "5 ",
            "0x 5",
            "5-",
            "0x5-",
            "1_000",
            "٣",
            "170141183460469231731687303715884105728",
        ] {
            assert_eq!(whole(wrong), None, "{wrong:?}");
        }
        assert_eq!(
            [unsigned::<u8>("255"), unsigned("256"), unsigned("+5"), unsigned("-0")],
            [Some(255), None, None, None]
        );
        assert_eq!(
            [real("-1.5e2"), real(".5"), real("+1"), real("inf"), real("nan"), real("--1")].map(|x| x.is_some()),
            [true, true, false, false, false, false]
        );
    }

    proptest! {
        /// A written number is read back as itself. A sign in any other place is rejected.
        #[test]
        fn texts_and_numbers(n in -(1i128 << 100)..(1i128 << 100), at in 0usize..40, sign in "[-+ ]") {
            let sides = |n: i128| (if n < 0 { "-" } else { "" }, n.unsigned_abs());
            let (minus, size) = sides(n);
            for text in [format!("{minus}{size}"), format!("{minus}0x{size:x}"), format!("{minus}0X{size:X}")] {
                prop_assert_eq!(whole(&text), Some(n));
                let mut more = text.clone();
                more.insert_str(at.min(text.len()), &sign);
                let only_minus = sign == "-" && n > 0 && at == 0;
                prop_assert_eq!(whole(&more), only_minus.then_some(-n), "{}", more);
            }
        }

        /// Exactly the texts of one shape are numbers.
        #[test]
        fn one_shape(text in "[-+ 0-9a-fxXb]{0,8}") {
            let shape = regex_lite::Regex::new("^-?(0[xX][0-9a-fA-F]+|[0-9]+)$").unwrap();
            prop_assert_eq!(whole(&text).is_some(), shape.is_match(&text), "{}", text);
        }
    }
}
