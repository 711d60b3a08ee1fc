//! The shortest decimal for a binary16 number: `half` knows the layout, not the shortest text.

use half::f16;

/// The value whose text is the shortest that still gives these bits back: 0xa33c is -0.01447..,
/// 0x3ca3 is 1.159, 0x7bff is 65500.
pub fn shortest(bits: u16) -> f64 {
    let exact = f16::from_bits(bits).to_f64();
    if exact == 0.0 || !exact.is_finite() {
        return exact;
    }
    let magnitude = exact.abs().log10().floor() as i32;
    for digits in 1..=5 {
        let shift = digits - 1 - magnitude;
        let v = if shift >= 0 {
            (exact * 10f64.powi(shift)).round() / 10f64.powi(shift)
        } else {
            (exact / 10f64.powi(-shift)).round() * 10f64.powi(-shift)
        };
        if f16::from_f64(v).to_bits() == bits {
            return v;
        }
    }
    exact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finite_number_comes_back() {
        for bits in 0..=u16::MAX {
            if f16::from_bits(bits).is_finite() {
                let v = shortest(bits);
                assert_eq!(f16::from_f64(v).to_bits(), bits, "{v}");
                assert!(format!("{v:e}").len() <= 12, "{v:e} of {bits:04x}");
            }
        }
        assert_eq!(shortest(0x3ca3), 1.159);
        assert_eq!(shortest(0x7bff), 65500.0);
        assert!(shortest(0x8000).is_sign_negative());
    }
}
