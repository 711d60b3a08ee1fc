//! Numbers that look random but follow from a seed: an impairment must be the same in every run, on every machine and
//! with every version of a library.

/// SplitMix64 (Steele, Lea, Flood 2014): 64 bits of state; all seeds are equally good.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of a seed; for one of several purposes, independent of each other.
    pub fn of(seed: u64, purpose: &[u64]) -> Random {
        Random(purpose.iter().fold(seed, |state, part| Random(state ^ part.wrapping_mul(0xd1b5_4a32_d192_ed03)).bits()))
    }

    /// 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 up to, but not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns true with this probability.
    pub fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_numbers() {
        // The reference implementation's first outputs for the seed 1234567.
        let mut random = Random::of(1_234_567, &[]);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn shares_and_purposes() {
        let mut random = Random::of(7, &[]);
        let hits = (0..20_000).filter(|_| random.chance(0.3)).count() as f64;
        let sigma = (20_000.0f64 * 0.3 * 0.7).sqrt();
        assert!((hits - 6000.0).abs() < 3.0 * sigma, "{hits}");
        let first = |purpose: &[u64]| Random::of(7, purpose).bits();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert!(first(&[1, 2]) != first(&[2, 1]) && first(&[0]) != first(&[1]));
    }
}
