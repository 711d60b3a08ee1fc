//! Numbers shown as other numbers: fixed point, percentages, angles.
//!
//! The shown number of up to 48 bits always converts back to the raw one; of wider ones, and of floats, those do that
//! [`Scale::survives`] and [`Scale::float`] find.

use std::io::Write as _;

/// The conversion of a raw number to the number that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// raw / n, exact: n is a power of two.
    Over(u32),
    /// raw * num / den, with the fewest decimals (at most 3) that convert back.
    Ratio {
        /// Numerator.
        num: u32,
        /// Denominator.
        den: u32,
    },
    /// raw * num / den, not rounded.
    Exact {
        /// Numerator.
        num: u32,
        /// Denominator.
        den: u32,
    },
    /// A signed 16 bit angle: raw * 360 / 65535 degrees, in (-180, 180], as [`Scale::Ratio`].
    Degrees,
}

impl Scale {
    /// Returns the number shown for `raw`.
    pub fn shown(self, raw: f64) -> f64 {
        match self {
            Scale::Over(n) => raw / n as f64,
            Scale::Ratio { num, den } => fewest_digits(raw, num as f64 / den as f64, |v| self.back(v).round()),
            Scale::Exact { num, den } => raw * num as f64 / den as f64,
            // One step below -180 is the same direction as 180, and is shown as 180.
            Scale::Degrees if raw == -32768.0 => 180.0,
            Scale::Degrees => fewest_digits(raw, 360.0 / 65535.0, |v| self.back(v)),
        }
    }

    /// Returns the number shown for a float of this many bits; `None`: no number converts back to it. `same` compares
    /// with the float.
    pub fn float(self, raw: f64, bits: u8, same: impl Fn(f64) -> bool) -> Option<f64> {
        // Few decimals are enough for whole numbers only.
        let exact = match self {
            Scale::Ratio { num, den } => Scale::Exact { num, den }.shown(raw),
            other => other.shown(raw),
        };
        let near = [self.shown(raw), exact, exact.next_up(), exact.next_down()].into_iter();
        near.filter(|shown| shown.is_finite()).find(|shown| same(self.raw_float(*shown, bits)))
    }

    /// Returns the raw float of a shown number. Several of 64 bits may have the same shown number, which has as many:
    /// the one with few digits is meant.
    pub fn raw_float(self, shown: f64, bits: u8) -> f64 {
        let raw = self.back(shown);
        if bits == 64 { decimal(raw) } else { raw }
    }

    /// Whether the number shown for `raw` converts back to it.
    pub fn survives(self, raw: i128) -> bool {
        self.raw(self.shown(raw as f64)) == raw
    }

    /// Returns the raw whole number of a shown one, rounded half away from zero. It is not checked against the field's
    /// width.
    pub fn raw(self, shown: f64) -> i128 {
        self.back(shown).round() as i128
    }

    /// Returns the raw number of a shown one.
    fn back(self, shown: f64) -> f64 {
        match self {
            Scale::Over(n) => shown * n as f64,
            Scale::Ratio { num, den } | Scale::Exact { num, den } => shown * den as f64 / num as f64,
            Scale::Degrees => {
                let mut v = shown % 360.0;
                if v > 180.0 {
                    v -= 360.0;
                } else if v <= -180.0 {
                    v += 360.0;
                }
                // 180 is 32767.5, which rounds to 32768 and wraps to the smallest value.
                ((v * 65535.0 / 360.0).round() as i64) as i16 as f64
            }
        }
    }
}

/// Returns the number of twelve digits that is at most two steps from this one, else this one.
fn decimal(number: f64) -> f64 {
    let mut text = [0; 32];
    let mut rest = &mut text[..];
    if write!(rest, "{number:.11e}").is_err() {
        return number;
    }
    let left = rest.len();
    let text = text.get(..text.len() - left).and_then(|text| std::str::from_utf8(text).ok());
    let near = number.next_down().next_down()..=number.next_up().next_up();
    text.and_then(|text| text.parse().ok()).filter(|decimal| near.contains(decimal)).unwrap_or(number)
}

/// Returns the decimal nearest to the exact value with the fewest decimals, 0 to 3, that `back` converts to `raw`
/// again; the exact value if there is none.
fn fewest_digits(raw: f64, factor: f64, back: impl Fn(f64) -> f64) -> f64 {
    let exact = raw * factor;
    for unit in [1.0, 10.0, 100.0, 1000.0] {
        let v = (exact * unit).round() / unit;
        if back(v) == raw {
            return v;
        }
    }
    exact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_angle_gives_its_raw_value_back() {
        for raw in i16::MIN..=i16::MAX {
            let shown = Scale::Degrees.shown(raw.into());
            assert_eq!(Scale::Degrees.raw(shown), raw.into(), "{shown}");
            assert!(shown > -180.0 && shown <= 180.0, "{shown}");
        }
        assert_eq!(Scale::Degrees.shown(16384.0), 90.0);
        assert_eq!(Scale::Degrees.shown(32767.0), 179.997);
        assert_eq!(Scale::Degrees.shown(2184.0), 11.997);
        assert_eq!(Scale::Degrees.shown(-32768.0), 180.0);
    }

    #[test]
    fn doubles_of_few_digits_survive_any_factor() {
        for (num, den) in [(1, 10), (1, 100), (10, 1), (100, 1), (3, 7), (360, 65_535), (57_296, 1000)] {
            for scale in [Scale::Exact { num, den }, Scale::Ratio { num, den }] {
                for k in -20_000..20_000 {
                    for raw in [k as f64, k as f64 / 100.0, k as f64 / 4.0, k as f64 / 1e7, k as f64 * 12_345_671.0] {
                        assert!(scale.float(raw, 64, |back| back == raw).is_some(), "{raw} {scale:?}");
                    }
                }
            }
        }
        for number in [0.0, -0.0, f64::MAX, f64::MIN_POSITIVE, f64::INFINITY, 5e-324] {
            assert_eq!(decimal(number).to_bits(), number.to_bits());
        }
        assert!(decimal(f64::NAN).is_nan());
    }

    #[test]
    fn every_byte_of_a_ratio_gives_its_raw_value_back() {
        for num in [1, 100, 2000] {
            let scale = Scale::Ratio { num, den: 255 };
            (0..256).for_each(|raw| assert!(scale.survives(raw), "{raw}"));
        }
        assert_eq!(Scale::Ratio { num: 2000, den: 255 }.shown(128.0), 1004.0);
        assert_eq!(Scale::Ratio { num: 100, den: 255 }.shown(128.0), 50.0);
    }

    #[test]
    fn numbers_of_up_to_48_bits_survive_any_factor() {
        let factors = [1, 3, 7, 10, 255, 1000, 65_521, 999_999_937, u32::MAX];
        let edges = (0..48).flat_map(|bit| [(1i128 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        let raws: Vec<i128> = edges.chain((0..1000).map(|k| k * 281_474_976_711 % (1 << 48))).collect();
        for (num, den) in factors.iter().flat_map(|num| factors.map(|den| (*num, den))) {
            for scale in [Scale::Exact { num, den }, Scale::Ratio { num, den }, Scale::Over(den)] {
                for raw in &raws {
                    assert!(scale.survives(*raw) && scale.survives(-raw), "{raw} {scale:?}");
                }
            }
        }
        assert!(Scale::Over(1).survives(1 << 63) && !Scale::Over(1).survives((1 << 63) - 1));
    }
}
