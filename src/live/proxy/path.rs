//! Decides the outcome of each packet of one direction.

use super::impairments::Impairments;
use super::jitter::{Jitter, LONGEST_TAIL, exponential};
use crate::random::Random;
use std::net::IpAddr;
use std::time::{Duration, Instant};

/// The bytes of an IPv4 or IPv6 header.
const IP: [usize; 2] = [20, 40];
const UDP: usize = 8;
const TCP: usize = 20;
/// The largest packet on an Internet link.
const MTU: usize = 1500;
/// The purpose of random numbers that depend on time and not on a packet.
const OF_TIME: u64 = u64::MAX;
/// The period over which the rate is measured.
const SECOND: Duration = Duration::from_secs(1);

/// The reason why a packet is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// By chance.
    Chance,
    /// In an outage.
    Outage,
    /// The rate's queue was full.
    QueueFull,
}

/// The outcome of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketOutcome {
    /// The reason if it is lost.
    pub lost: Option<Lost>,
    /// Whether it is the first of a burst of losses by chance.
    pub run: bool,
    /// The time when it is sent.
    pub due: Instant,
    /// Whether it is sent twice.
    pub twice: bool,
    /// Whether it is sent after the next one.
    pub reordered: bool,
    /// If set, one bit is flipped, which this number selects.
    pub corrupt: Option<u64>,
}

/// One direction of one conversation.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    purpose: [u64; 3],
    seed: u64,
    /// The bytes of an IP header.
    ip: usize,
    /// The origin of outages.
    begun: Option<Instant>,
    /// The number of packets so far.
    count: u64,
    losing: Option<bool>,
    jitter: Jitter,
    /// The time of the last packet. Later packets are not sent before it.
    last: Option<Instant>,
    /// The time when the rate's queue is empty.
    free: Option<Instant>,
    /// The start of the period in which the rate is measured, and the bytes since then.
    measured: Option<(Instant, u64)>,
}

impl Path {
    /// Creates the path of `direction` (0 or 1) in the conversation with this number, over IPv4.
    pub fn new(seed: u64, conversation: u64, direction: usize) -> Path {
        let purpose = [conversation, direction as u64, 0];
        Path {
            purpose,
            seed,
            ip: IP[0],
            begun: None,
            count: 0,
            losing: None,
            jitter: Jitter::new(Random::of(seed, &[conversation, direction as u64, OF_TIME])),
            last: None,
            free: None,
            measured: None,
        }
    }

    /// Sets the address, and the origin of outages. All conversations share it, so they have outages at the same time.
    pub fn towards(self, address: IpAddr, begun: Instant) -> Path {
        Path { ip: IP[usize::from(address.is_ipv6())], begun: Some(begun), ..self }
    }

    /// Returns the size of a datagram on the wire, with its IP and UDP header.
    pub fn datagram_on_wire(&self, payload: usize) -> usize {
        self.ip + UDP + payload
    }

    /// Returns the size of a part of a stream on the wire, in full segments with an IP and a TCP header each.
    pub fn stream_on_wire(&self, payload: usize) -> usize {
        let headers = self.ip + TCP;
        payload + headers * payload.div_ceil(MTU - headers)
    }

    /// Decides the outcome of the next datagram, whose payload has this many bytes.
    pub fn datagram(&mut self, impairments: &Impairments, payload: usize, now: Instant) -> PacketOutcome {
        let mut random = self.random();
        // The draws always have the same number and order, so that one impairment does not change the outcome of
        // another.
        let [loss, twice, reordered, tail, corrupt] = std::array::from_fn(|_| random.unit());
        let before = self.losing;
        let lost = impairments.loss.is_some_and(|model| {
            let [after_one, after_lost] = model.transitions();
            loss < before.map_or(model.share, |losing| if losing { after_lost } else { after_one })
        });
        self.losing = impairments.loss.map(|_| lost);
        let mut outcome = PacketOutcome {
            lost: lost.then_some(Lost::Chance),
            run: lost && before != Some(true),
            due: now,
            twice: twice < impairments.duplicate,
            reordered: reordered < impairments.reorder,
            corrupt: (corrupt < impairments.corrupt).then(|| random.bits()),
        };
        if !lost {
            match self.outage(impairments, now) {
                Some(_) => outcome.lost = Some(Lost::Outage),
                None => match self.one(impairments, payload, tail, now) {
                    Some(due) => outcome.due = due,
                    None => outcome.lost = Some(Lost::QueueFull),
                },
            }
        }
        outcome
    }

    /// Returns the time of a further copy of the last datagram, if the rate's queue has room for it.
    pub fn again(&mut self, impairments: &Impairments, payload: usize, now: Instant) -> Option<Instant> {
        // The number does not depend on later datagrams.
        let tail = self.random_of(self.count).bits() ^ OF_TIME;
        self.one(impairments, payload, Random::of(tail, &[]).unit(), now)
    }

    fn one(&mut self, impairments: &Impairments, payload: usize, tail: f64, now: Instant) -> Option<Instant> {
        let due = self.due(impairments, [payload, self.datagram_on_wire(payload)], true, tail, now)?;
        Some(if impairments.overtakes { due } else { self.in_order(due) })
    }

    /// Returns the time of a stream's next chunk, and the number that selects the flipped bit. `None`: the connection
    /// is reset.
    pub fn chunk(&mut self, impairments: &Impairments, length: usize, now: Instant) -> Option<(Instant, Option<u64>)> {
        let mut random = self.random();
        let [tail, stall, reset, corrupt] = std::array::from_fn(|_| random.unit());
        if reset < impairments.reset {
            return None;
        }
        // Bytes that are sent in an outage are resent after it.
        let outage = self.outage(impairments, now).unwrap_or_default();
        let sizes = [length, self.stream_on_wire(length)];
        let mut due = self.due(impairments, sizes, false, tail, now).unwrap_or(now) + outage;
        if let Some(still) = impairments.stall.filter(|still| stall < still.share) {
            due += still.time;
        }
        Some((self.in_order(due), (corrupt < impairments.corrupt).then(|| random.bits())))
    }

    /// Counts sent bytes, and returns the bits per second of the last period if it is over.
    pub fn measure(&mut self, bytes: usize, at: Instant) -> Option<f64> {
        let (since, before) = self.measured.get_or_insert((at, 0));
        let time = at.saturating_duration_since(*since);
        if time.is_zero() {
            // The first bytes start the period and do not count.
            return None;
        }
        *before += bytes as u64;
        if time < SECOND {
            return None;
        }
        let bits = *before as f64 * 8.0 / time.as_secs_f64();
        self.measured = Some((at, 0));
        Some(bits)
    }

    /// Returns the random numbers of the next packet.
    fn random(&mut self) -> Random {
        self.count += 1;
        self.random_of(self.count)
    }

    fn random_of(&mut self, number: u64) -> Random {
        self.purpose[2] = number;
        Random::of(self.seed, &self.purpose)
    }

    /// Returns the time that an outage still lasts.
    fn outage(&mut self, impairments: &Impairments, now: Instant) -> Option<Duration> {
        let begun = *self.begun.get_or_insert(now);
        impairments.outage?.left(now.saturating_duration_since(begun))
    }

    /// Returns the time when a packet is due. `sizes`: its bytes as payload and on the wire. `lose`: it is lost if the
    /// rate's queue has no room.
    fn due(
        &mut self,
        impairments: &Impairments,
        sizes: [usize; 2],
        lose: bool,
        tail: f64,
        now: Instant,
    ) -> Option<Instant> {
        let mut due = now;
        if let Some(rate) = impairments.rate {
            let bytes = sizes[usize::from(!rate.payload)] as f64;
            let free = self.free.map_or(now, |free| free.max(now));
            let waiting = free.saturating_duration_since(now).as_secs_f64() * rate.bits as f64 / 8.0;
            if lose && waiting + bytes > rate.queue as f64 {
                return None;
            }
            due = free + Duration::from_secs_f64(bytes * 8.0 / rate.bits as f64);
            self.free = Some(due);
        }
        let added = match &impairments.quantiles {
            Some(quantiles) => quantiles.delay(self.jitter.level(quantiles.memory(), due)),
            None if impairments.jitter.is_zero() => Duration::ZERO,
            None => {
                let level = match impairments.overtakes {
                    true => exponential(tail),
                    false => self.jitter.level(impairments.jitter.mul_f64(LONGEST_TAIL), due),
                };
                impairments.jitter.mul_f64(level.min(LONGEST_TAIL))
            }
        };
        Some(due + impairments.delay + added)
    }

    /// Keeps packets in order when impairments change, and after a stall.
    fn in_order(&mut self, due: Instant) -> Instant {
        let due = self.last.map_or(due, |last| due.max(last));
        self.last = Some(due);
        due
    }
}

/// Flips one bit.
#[cfg(any(test, feature = "cli"))]
pub fn corrupt(bytes: &mut [u8], number: u64) {
    let bit = number.checked_rem(bytes.len() as u64 * 8).unwrap_or_default();
    if let Some(byte) = bytes.get_mut((bit / 8) as usize) {
        *byte ^= 1 << (bit % 8);
    }
}
