//! Counts of the frames that are neither UDP nor TCP.

use super::{Other, OtherKind};
use std::fmt;

/// The cap on distinct reasons.
const MOST: usize = 256;
/// The number of reasons named in a sentence.
const NAMED: usize = 4;

/// Frames without UDP or TCP, by reason.
#[derive(Clone, Debug, Default)]
pub struct Others {
    seen: Vec<(Other, u64)>,
    rest: u64,
    /// The number of frames of each kind.
    kinds: [u64; 4],
}

impl Others {
    #[cold]
    pub(super) fn add(&mut self, other: Other) {
        self.kinds[other.kind() as usize] += 1;
        let room = self.seen.len() < MOST;
        match self.seen.iter_mut().find(|(seen, _)| *seen == other) {
            Some((_, count)) => *count += 1,
            None if room => self.seen.push((other, 1)),
            None => self.rest += 1,
        }
    }

    /// Each reason with its number of frames, in order of appearance; at most 256 reasons.
    pub fn iter(&self) -> impl Iterator<Item = (Other, u64)> + '_ {
        self.seen.iter().copied()
    }

    /// The number of frames with further reasons.
    pub fn rest(&self) -> u64 {
        self.rest
    }

    /// The number of frames without UDP or TCP.
    pub fn total(&self) -> u64 {
        self.seen.iter().map(|(_, count)| count).sum::<u64>() + self.rest
    }

    /// The number of frames of a kind.
    pub(crate) fn of(&self, kind: OtherKind) -> u64 {
        self.kinds[kind as usize]
    }

    /// Whether all frames are of unsupported link types, so that nothing could be decoded.
    pub fn all_foreign(&self) -> bool {
        !self.seen.is_empty() && self.rest == 0 && self.seen.iter().all(|(other, _)| matches!(other, Other::Link(_)))
    }
}

/// Writes `all 3 frames: arp` or `2 arp, 1 icmp`, the most frequent first.
impl fmt::Display for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let ([(only, count)], 0) = (&self.seen[..], self.rest) {
            return match count {
                1 => write!(f, "the only frame: {only}"),
                _ => write!(f, "all {count} frames: {only}"),
            };
        }
        let mut seen: Vec<_> = self.seen.iter().collect();
        seen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let mut comma = "";
        write!(f, "{} frames: ", self.total())?;
        for (other, count) in seen.iter().take(NAMED) {
            write!(f, "{comma}{count} {other}")?;
            comma = ", ";
        }
        let more = seen.iter().skip(NAMED).map(|(_, count)| count).sum::<u64>() + self.rest;
        if more > 0 { write!(f, ", {more} others") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(reasons: &[(Other, usize)]) -> Others {
        let mut others = Others::default();
        for (other, count) in reasons {
            (0..*count).for_each(|_| others.add(*other));
        }
        others
    }

    #[test]
    fn a_sentence_names_the_most_frequent() {
        assert_eq!(of(&[(Other::Link(127), 312)]).to_string(), "all 312 frames: link type 127");
        let mixed = [(Other::Arp, 1), (Other::Icmp, 3), (Other::Llc, 2), (Other::Igmp, 2), (Other::Mpls, 1)];
        assert_eq!(of(&mixed).to_string(), "9 frames: 3 icmp, 2 llc, 2 igmp, 1 arp, 1 others");
        assert!(of(&[(Other::Link(1), 1), (Other::Link(2), 1)]).all_foreign());
        assert!(!of(&[(Other::Link(1), 1), (Other::Arp, 1)]).all_foreign() && !of(&[]).all_foreign());
    }

    #[test]
    fn reasons_are_bounded_and_all_are_counted() {
        let mut others = Others::default();
        (0..70_000u32).for_each(|n| others.add(Other::EtherType(n as u16)));
        assert_eq!((others.total(), others.iter().count(), others.rest()), (70_000, MOST, 70_000 - 256 - 256));
    }
}
