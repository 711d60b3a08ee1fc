//! Votes on two readings that only a whole conversation can show: the byte order of angles and the width of
//! coordinates.

use rustc_hash::FxHashMap;

/// The number of samples that the angles need to decide.
const SAMPLES: u32 = 8;
/// The lead that settles the width.
const LEAD: u32 = 8;
/// The most entities whose last angles are kept. When there are more, all are forgotten and sampling begins anew; the
/// sums remain.
const ENTITIES: usize = 8192;

/// The vote for the byte order in which things turn in small steps.
#[derive(Clone, Debug, Default)]
pub struct AngleVote {
    /// The last bytes of pan, tilt and roll of each entity.
    last: FxHashMap<i16, [Option<[u8; 2]>; 3]>,
    samples: u32,
    /// Sums of the steps, high byte first and low byte first.
    sums: [u64; 2],
    settled: Option<bool>,
}

impl AngleVote {
    /// The number of bytes that it holds.
    pub fn memory(&self) -> usize {
        self.last.capacity() * size_of::<(i16, [Option<[u8; 2]>; 3])>()
    }

    /// Whether the low byte is first; `None`: not settled yet.
    pub fn settled(&self) -> Option<bool> {
        self.settled
    }

    /// Mean steps in degrees, high byte first and low byte first.
    pub fn mean_steps(&self) -> [f64; 2] {
        self.sums.map(|sum| sum as f64 / self.samples.max(1) as f64 * 360.0 / 65535.0)
    }

    /// Counts an angle (0 pan, 1 tilt, 2 roll) of an entity, given as its two bytes. Returns whether the low byte is
    /// first, if this sample settles it.
    pub fn see(&mut self, entity: i16, angle: usize, bytes: [u8; 2]) -> Option<bool> {
        if self.settled.is_some() {
            return None;
        }
        if self.last.len() >= ENTITIES && !self.last.contains_key(&entity) {
            self.last.clear();
        }
        let last = self.last.entry(entity).or_default().get_mut(angle)?.replace(bytes)?;
        // If one byte is unchanged, one of the orders always has a tiny step.
        if last[0] == bytes[0] || last[1] == bytes[1] {
            return None;
        }
        self.samples += 1;
        let steps = [
            step(u16::from_be_bytes(last), u16::from_be_bytes(bytes)),
            step(u16::from_le_bytes(last), u16::from_le_bytes(bytes)),
        ];
        self.sums = [self.sums[0] + steps[0], self.sums[1] + steps[1]];
        let [be, le] = self.sums;
        if self.samples < SAMPLES || be.min(le) * 2 > be.max(le) {
            return None;
        }
        self.settled = Some(le < be);
        self.last = FxHashMap::default();
        self.settled
    }
}

/// The size of the step in the shorter direction.
fn step(from: u16, to: u16) -> u64 {
    let distance = to.wrapping_sub(from);
    distance.min(distance.wrapping_neg()) as u64
}

/// The vote for the width with which more datagrams can be read to their end.
#[derive(Clone, Copy, Debug, Default)]
pub struct WidthVote {
    packed: u32,
    fixed: u32,
}

impl WidthVote {
    /// Whether the width is settled.
    pub fn settled(&self) -> bool {
        self.packed.abs_diff(self.fixed) >= LEAD
    }

    /// Whether the width is 32 bits, by the votes so far.
    pub fn fixed(&self) -> bool {
        self.fixed > self.packed
    }

    /// Counts a datagram. `packed`, `fixed`: it is whole with that width.
    pub fn see(&mut self, packed: bool, fixed: bool) {
        match (packed, fixed) {
            (true, false) => self.packed = self.packed.saturating_add(1),
            (false, true) => self.fixed = self.fixed.saturating_add(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_steps_settle_the_order_of_the_bytes() {
        let mut vote = AngleVote::default();
        let settled: Vec<bool> = (0..40u16).filter_map(|k| vote.see(7, 0, (k * 455 + 77).to_le_bytes())).collect();
        assert_eq!(settled, [true]);
        let [be, le] = vote.mean_steps();
        assert!(le < 2.6 && be > 20.0, "{be} {le}");
    }

    #[test]
    fn whole_steps_of_45_degrees_prove_nothing() {
        let mut vote = AngleVote::default();
        for k in 0..1000u16 {
            assert_eq!(vote.see(7, 0, (k.wrapping_mul(0x2000)).to_be_bytes()), None);
        }
    }

    #[test]
    fn the_shorter_way_counts() {
        assert_eq!(step(0xfff0, 0x0010), 0x20);
        assert_eq!(step(0x0010, 0xfff0), 0x20);
        assert_eq!(step(0, 0x8000), 0x8000);
    }

    #[test]
    fn a_lead_of_eight_settles_the_width() {
        let mut vote = WidthVote::default();
        vote.see(true, true);
        vote.see(false, false);
        assert!(!vote.fixed());
        (0..8).for_each(|_| vote.see(false, true));
        assert!(vote.settled() && vote.fixed());
    }
}
