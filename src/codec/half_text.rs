//! Converts binary16 numbers to decimal text and back, and numbers to the bits of floats. `half` knows the layout, but
//! has no shortest text. Its conversion from f64 does not always round to nearest: depending on the processor, it
//! truncates the lower half of the double first, or rounds twice.

use half::f16;

/// The bit pattern of infinity without the sign. Finite numbers are below it.
const INFINITE: u16 = 0x7c00;

/// Returns the value with the fewest digits that converts back to these bits. Of several such values, returns the
/// nearest; of two equally near, the even one: 0x3ca3 is 1.159, 0x7bff is 65500, 0x3480 (0.28125) is 0.2812.
pub fn shortest(bits: u16) -> f64 {
    let exact = f16::from_bits(bits).to_f64();
    if exact == 0.0 || !exact.is_finite() {
        return exact;
    }
    let magnitude = exact.abs().log10().floor() as i32;
    for digits in 1..=5 {
        let shift = digits - 1 - magnitude;
        // The significand has 11 bits and the power of five at most 28, so no product is rounded.
        let v = if shift >= 0 {
            (exact * 10f64.powi(shift)).round_ties_even() / 10f64.powi(shift)
        } else {
            (exact / 10f64.powi(-shift)).round_ties_even() * 10f64.powi(-shift)
        };
        if nearest(v) == bits {
            return v;
        }
    }
    exact
}

/// Returns the bits of the nearest number, ties to even; infinity from 65520 on.
pub fn nearest(v: f64) -> u16 {
    let guess = f16::from_f64(v).to_bits();
    let (sign, bits) = (guess & 0x8000, guess & 0x7fff);
    if v.is_nan() || v.is_infinite() {
        return guess;
    }
    // Infinity counts as 65536 here, the next number after the finite ones.
    let value = |bits: u16| if bits == INFINITE { 65536.0 } else { f16::from_bits(bits).to_f64() };
    let middle = |below: u16| (value(below) + value(below + 1)) / 2.0;
    // Above the midpoint, or on it with an odd number below.
    let rises = |below: u16| v.abs() > middle(below) || v.abs() == middle(below) && below & 1 == 1;
    let nearest = match bits {
        bits if bits < INFINITE && rises(bits) => bits + 1,
        bits if bits > 0 && !rises(bits - 1) => bits - 1,
        bits => bits,
    };
    sign | nearest
}

/// Returns the bits of the nearest float of this width, and whether it is finite.
pub fn float_bits(v: f64, bits: u8) -> (u64, bool) {
    match bits {
        16 => {
            let bits = nearest(v);
            (bits as u64, f16::from_bits(bits).is_finite())
        }
        32 => ((v as f32).to_bits() as u64, (v as f32).is_finite()),
        _ => (v.to_bits(), v.is_finite()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_number_comes_back() {
        for bits in 0..=u16::MAX {
            if f16::from_bits(bits).is_finite() {
                let v = shortest(bits);
                assert_eq!(nearest(v), bits, "{v}");
                assert!(format!("{v:e}").len() <= 12, "{v:e} of {bits:04x}");
            }
        }
        assert_eq!(shortest(0x3ca3), 1.159);
        assert_eq!(shortest(0x7bff), 65500.0);
        assert!(shortest(0x8000).is_sign_negative());
    }

    #[test]
    fn the_last_digit_is_the_nearest_or_even() {
        // 0.00667 is nearer to 0x1ed5 (0.006671906) than to 0x1ed4 (0.006668091), by 3 parts in 10^9.
        for (bits, v) in [(0x1ed4, 0.006668), (0x1ed5, 0.00667), (0x03db, 5.88e-5), (0x0001, 6e-8)] {
            assert_eq!(shortest(bits), v);
        }
        for (bits, v) in [(0x3480, 0.2812), (0x3580, 0.3438), (0x4020, 2.062), (0x40a0, 2.312), (0x2400, 0.015625)] {
            assert_eq!(shortest(bits), v);
        }
    }

    #[test]
    fn the_middle_of_two_numbers_is_the_even_one() {
        for bits in 0..INFINITE - 1 {
            let (low, high) = (f16::from_bits(bits).to_f64(), f16::from_bits(bits + 1).to_f64());
            let middle = (low + high) / 2.0;
            let even = bits + (bits & 1);
            assert_eq!(nearest(middle), even);
            assert_eq!((nearest(middle.next_down()), nearest(middle.next_up())), (bits, bits + 1));
            assert_eq!(nearest(-middle.next_up()), 0x8000 | (bits + 1));
        }
        assert_eq!((nearest(65519.99), nearest(65520.0), nearest(f64::NEG_INFINITY)), (0x7bff, INFINITE, 0xfc00));
    }
}
