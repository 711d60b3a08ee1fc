//! The time units of a pcapng interface: powers of ten or of two, with an offset.

use super::Time;

/// The time base of an interface: `if_tsresol` and `if_tsoffset`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    unit: Unit,
    /// Seconds to add.
    offset: i64,
}

#[derive(Clone, Copy, Debug)]
enum Unit {
    /// A separate variant, so that the common divisions are by constants.
    Micros,
    Nanos,
    /// 10^-n seconds.
    Decimal(u8),
    /// 2^-n seconds, n below 128.
    Binary(u8),
}

impl Clock {
    /// The clock described by the values of `if_tsresol` and `if_tsoffset`.
    pub(super) fn new(resolution: u8, offset: i64) -> Clock {
        let unit = match resolution {
            6 => Unit::Micros,
            9 => Unit::Nanos,
            n @ 0..=127 => Unit::Decimal(n),
            n => Unit::Binary(n & 127),
        };
        Clock { unit, offset }
    }

    /// The time that is `units` after the epoch.
    ///
    /// Powers of two are shown with nine digits, or more if neighbouring values would look the
    /// same. Digits beyond 10^-18 s are cut off.
    #[inline]
    pub(super) fn time(self, units: u64) -> Time {
        let (secs, frac, digits) = match self.unit {
            Unit::Micros => (units / 1_000_000, units % 1_000_000, 6),
            Unit::Nanos => (units / 1_000_000_000, units % 1_000_000_000, 9),
            Unit::Decimal(n @ 0..=18) => {
                let second = 10u64.pow(n.into());
                (units / second, units % second, n)
            }
            Unit::Decimal(n) => {
                let attos = 10u64.checked_pow(u32::from(n) - 18).map_or(0, |unit| units / unit);
                (attos / ATTOS, attos % ATTOS, 18)
            }
            Unit::Binary(n) => {
                let digits = (u32::from(n) * 30_103 / 100_000 + 1).clamp(9, 18);
                let wide = u128::from(units);
                let second = 1u128 << n;
                // At most 64 + 60 bits (10^18 has 60), which fits into 128.
                let frac = (wide % second * 10u128.pow(digits)) >> n;
                ((wide / second) as u64, frac as u64, digits as u8)
            }
        };
        let secs = i64::try_from(secs).unwrap_or(i64::MAX).saturating_add(self.offset);
        Time { secs, frac, digits }
    }
}

const ATTOS: u64 = 1_000_000_000_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        let shown = |resolution, offset, units| {
            let time = Clock::new(resolution, offset).time(units);
            assert!(u128::from(time.frac) < 10u128.pow(time.digits.into()), "{time:?}");
            time.to_string()
        };
        assert_eq!(shown(6, 0, 1_700_000_000_000_001), "1700000000.000001");
        assert_eq!(shown(9, -5, 1_700_000_000_000_000_001), "1699999995.000000001");
        assert_eq!(shown(0, 0, 7), "7");
        assert_eq!(shown(3, 0, 7001), "7.001");
        assert_eq!(shown(12, 0, 5_000_000_000_001), "5.000000000001");
        assert_eq!(shown(19, 0, 10_000_000_000_000_000_019), "1.000000000000000001");
        assert_eq!(shown(127, 0, u64::MAX), "0.000000000000000000");
        assert_eq!(shown(0x80, 0, 3), "3.000000000");
        assert_eq!(shown(0x80 | 10, 1, 1025), "2.000976562");
        assert_eq!(shown(0x80 | 32, 0, 1 << 31), "0.5000000000");
        for resolution in 0..=255 {
            for units in [0, 1, u64::MAX / 2, u64::MAX] {
                shown(resolution, i64::MAX, units);
                shown(resolution, i64::MIN, units);
            }
        }
    }
}
