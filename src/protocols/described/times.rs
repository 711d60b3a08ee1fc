//! Evidence from points in time: those in messages agree with the clock of the capture.

use crate::capture::Time;
use crate::codec::Tree;
use crate::codec::layout::Show;

/// The seconds by which they may differ.
const DAY: i64 = 86_400;
/// Earlier captures have no clock: their times begin at 0.
const CLOCK: i64 = 946_684_800;
/// The bits of a time: 2 of the 2^15.6 days of a number of 32 bits. Further ones of the same message are likelier, as
/// others store times side by side, too. Each doubling of the fields that hold a time costs a bit.
const FIRST: u32 = 14;
const FURTHER: u32 = 4;
const MOST: u32 = 20;
/// The different times of a message that count: more add nothing.
const COUNTED: usize = 8;

/// The points in time of the messages of a conversation.
#[derive(Default)]
pub struct Times {
    /// The seconds since 1970 of the capture's last packet.
    now: Option<i64>,
    /// The messages with a time that agrees, and those whose times are all others.
    agree: usize,
    differ: usize,
    /// The bits of the best message.
    best: u32,
}

impl Times {
    /// For a capture whose last packet was captured at this time.
    pub fn new(time: Option<Time>) -> Times {
        Times { now: time.map(|time| time.secs).filter(|secs| *secs >= CLOCK), ..Times::default() }
    }

    /// Compares the times in a packet. Those that are 0 are not set.
    pub fn see(&mut self, tree: &Tree) {
        let Some(now) = self.now else { return };
        let (mut known, mut count) = (Vec::new(), 0u32);
        for node in tree.nodes() {
            let Show::Time { clock, .. } = node.field.show else { continue };
            let Some(number) = node.value.whole().filter(|number| *number != 0) else { continue };
            let agrees = clock.seconds(number).is_some_and(|secs| secs.abs_diff(now) <= DAY as u64);
            count += 1;
            if agrees && known.len() < COUNTED && !known.contains(&number) {
                known.push(number);
            }
        }
        match known.len() as u32 {
            0 => self.differ += usize::from(count > 0),
            known => {
                self.agree += 1;
                let bits = (FIRST + FURTHER * (known - 1)).saturating_sub(count.ilog2());
                self.best = self.best.max(bits.min(MOST));
            }
        }
    }

    /// The bits of evidence; none if most messages have other times.
    pub fn bits(&self) -> u32 {
        if self.differ <= self.agree { self.best } else { 0 }
    }
}
