//! Numbers shown as other numbers: fixed point, percentages, angles.
//!
//! The shown number always converts back to the raw one.

/// The conversion of a raw integer to the number that is shown.
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
    pub fn shown(self, raw: i64) -> f64 {
        match self {
            Scale::Over(n) => raw as f64 / n as f64,
            Scale::Ratio { num, den } => fewest_digits(raw, num as f64 / den as f64, |v| self.raw(v)),
            Scale::Exact { num, den } => raw as f64 * num as f64 / den as f64,
            // One step below -180 is the same direction as 180, and is shown as 180.
            Scale::Degrees if raw == -32768 => 180.0,
            Scale::Degrees => fewest_digits(raw, 360.0 / 65535.0, |v| self.raw(v)),
        }
    }

    /// Returns the raw number of a shown one, rounded half away from zero. It is not checked against the field's width.
    pub fn raw(self, shown: f64) -> i64 {
        match self {
            Scale::Over(n) => (shown * n as f64).round() as i64,
            Scale::Ratio { num, den } => (shown * den as f64 / num as f64).round() as i64,
            Scale::Exact { num, den } => (shown * den as f64 / num as f64).round() as i64,
            Scale::Degrees => {
                let mut v = shown % 360.0;
                if v > 180.0 {
                    v -= 360.0;
                } else if v <= -180.0 {
                    v += 360.0;
                }
                // 180 is 32767.5, which rounds to 32768 and wraps to the smallest value.
                ((v * 65535.0 / 360.0).round() as i64) as i16 as i64
            }
        }
    }
}

/// Returns the decimal nearest to the exact value with the fewest decimals, 0 to 3, that `back` converts to `raw`
/// again; the exact value if there is none.
fn fewest_digits(raw: i64, factor: f64, back: impl Fn(f64) -> i64) -> f64 {
    let exact = raw as f64 * factor;
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
            let shown = Scale::Degrees.shown(raw as i64);
            assert_eq!(Scale::Degrees.raw(shown), raw as i64, "{shown}");
            assert!(shown > -180.0 && shown <= 180.0, "{shown}");
        }
        assert_eq!(Scale::Degrees.shown(0x4000), 90.0);
        assert_eq!(Scale::Degrees.shown(0x7fff), 179.997);
        assert_eq!(Scale::Degrees.shown(0x0888), 11.997);
        assert_eq!(Scale::Degrees.shown(-32768), 180.0);
    }

    #[test]
    fn every_byte_of_a_ratio_gives_its_raw_value_back() {
        for num in [1, 100, 2000] {
            let scale = Scale::Ratio { num, den: 255 };
            (0..256).for_each(|raw| assert_eq!(scale.raw(scale.shown(raw)), raw));
        }
        assert_eq!(Scale::Ratio { num: 2000, den: 255 }.shown(128), 1004.0);
        assert_eq!(Scale::Ratio { num: 100, den: 255 }.shown(128), 50.0);
    }
}
