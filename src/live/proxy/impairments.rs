//! The impairments of one direction of all conversations.

use super::jitter::Quantiles;
use crate::codec::digits;
use crate::duration::between;
use crate::live::rules::percent;
use crate::nearest::{hint, nearest};
use std::str::FromStr;
use std::time::Duration;

/// The share of packets that are lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// The share of all packets, from 0 to 1.
    pub share: f64,
    /// The mean length of a burst; `None`: losses are independent.
    pub burst: Option<f64>,
}

impl Loss {
    /// Returns the probabilities of a loss after a packet that arrived, and after a lost one. This is Gilbert's model:
    /// the share of lost packets is `share`, and a burst has a mean length of `burst`.
    pub fn transitions(self) -> [f64; 2] {
        match self.burst {
            Some(burst) if self.share < 1.0 => [self.share / (1.0 - self.share) / burst, 1.0 - 1.0 / burst],
            _ => [self.share; 2],
        }
    }
}

impl FromStr for Loss {
    type Err = String;

    fn from_str(text: &str) -> Result<Loss, String> {
        let (share, burst) = text.split_once('/').map_or((text, None), |(share, burst)| (share, Some(burst)));
        let share = percent(share)?;
        let Some(burst) = burst else { return Ok(Loss { share, burst: None }) };
        let wrong = || format!("{burst:?}: expected the mean number of packets in a burst, such as 2%/4");
        let burst = digits::real(burst).filter(|b| (1.0..=1e6).contains(b)).ok_or_else(wrong)?;
        // At least one packet arrives between two bursts.
        match share < 1.0 && share / (1.0 - share) > burst {
            true => Err(format!("this loss needs bursts of at least {:.1} packets on average", share / (1.0 - share))),
            false => Ok(Loss { share, burst: Some(burst) }),
        }
    }
}

/// A limited rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Bits per second.
    pub bits: u64,
    /// The size of the queue in bytes. Datagrams that do not fit are lost; a stream waits.
    pub queue: u64,
    /// Whether only the applications' payload counts, without IP, UDP and TCP headers.
    pub payload: bool,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Rate, String> {
        rate(text).map(|bits| Rate { bits, queue: (bits / 8 / 2).max(4096), payload: false })
    }
}

/// Reads bits per second: `64kbit`, `1.5mbit`, `1gbit`.
///
/// # Errors
/// Returns the expected form.
pub fn rate(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let units = [("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9), ("bit", 1.0)];
    let found = units.iter().find_map(|(unit, scale)| Some((lower.strip_suffix(unit)?, scale)));
    let bits = found.and_then(|(number, scale)| digits::real(number).map(|n| n * scale));
    let bits = bits.filter(|bits| (1.0..=1e12).contains(bits)).map(|bits| bits as u64);
    bits.ok_or_else(|| format!("{text:?}: expected a rate, such as 64kbit, 1.5mbit or 1gbit"))
}

/// A stream that stops for some time, as after a lost segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stall {
    /// The share of all chunks, from 0 to 1.
    pub share: f64,
    /// The duration. Later chunks wait as well.
    pub time: Duration,
}

impl FromStr for Stall {
    type Err = String;

    fn from_str(text: &str) -> Result<Stall, String> {
        let wrong = || format!("{text:?}: expected a share and a time, such as 1%/200ms");
        let (share, time) = text.split_once('/').ok_or_else(wrong)?;
        Ok(Stall { share: percent(share)?, time: between(time, Duration::ZERO, Duration::from_secs(60))? })
    }
}

/// Times in which no packet arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The duration of each.
    pub time: Duration,
    /// The period. Each period ends with an outage.
    pub every: Duration,
}

impl Outage {
    /// Returns the time for which an outage at a moment still lasts, if there is one.
    pub fn left(self, since: Duration) -> Option<Duration> {
        let every = self.every.as_nanos().max(1);
        let left = Duration::from_nanos((every - since.as_nanos() % every) as u64);
        (left <= self.time).then_some(left)
    }
}

impl FromStr for Outage {
    type Err = String;

    fn from_str(text: &str) -> Result<Outage, String> {
        let wrong = || format!("{text:?}: expected how long and how often, such as 2s/30s");
        let (time, every) = text.split_once('/').ok_or_else(wrong)?;
        let [time, every] =
            [time, every].map(|text| between(text, Duration::from_millis(1), Duration::from_secs(86_400)));
        let (time, every) = (time?, every?);
        match time < every {
            true => Ok(Outage { time, every }),
            false => Err(format!("{text:?}: the outage must be shorter than its period")),
        }
    }
}

/// The impairments of a direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// The delay of every packet.
    pub delay: Duration,
    /// The mean of an additional delay, which is random and exponential.
    pub jitter: Duration,
    /// Whether each packet has its own jitter, so that packets overtake each other.
    pub overtakes: bool,
    /// The loss of datagrams.
    pub loss: Option<Loss>,
    /// The share of datagrams that arrive twice.
    pub duplicate: f64,
    /// The share of datagrams that arrive after the next one.
    pub reorder: f64,
    /// The maximum rate.
    pub rate: Option<Rate>,
    /// Delays that replace the jitter.
    pub quantiles: Option<Quantiles>,
    /// Times in which no packet arrives.
    pub outage: Option<Outage>,
    /// The share of datagrams, or chunks of streams, in which one bit is flipped.
    pub corrupt: f64,
    /// Times in which streams stop.
    pub stall: Option<Stall>,
    /// The share of a stream's chunks that reset the connection.
    pub reset: f64,
}

/// Sets an impairment from the user's text.
type Setter = fn(&mut Impairments, &str) -> Result<(), String>;

/// The names of [`Impairments::set`].
const SETTERS: [(&str, Setter); 13] = [
    ("delay", |all, text| time(text).map(|time| all.delay = time)),
    ("jitter", |all, text| time(text).map(|time| (all.jitter, all.overtakes) = (time, false))),
    ("jitter-reorder", |all, text| time(text).map(|time| (all.jitter, all.overtakes) = (time, true))),
    ("loss", |all, text| text.parse().map(|loss| all.loss = Some(loss))),
    ("duplicate", |all, text| percent(text).map(|share| all.duplicate = share)),
    ("reorder", |all, text| percent(text).map(|share| all.reorder = share)),
    ("corrupt", |all, text| percent(text).map(|share| all.corrupt = share)),
    ("outage", |all, text| text.parse().map(|outage| all.outage = Some(outage))),
    ("rate", |all, text| text.parse().map(|rate| all.rate = Some(rate))),
    ("rate-payload", |all, text| text.parse().map(|rate| all.rate = Some(Rate { payload: true, ..rate }))),
    ("stall", |all, text| text.parse().map(|stall| all.stall = Some(stall))),
    ("reset", |all, text| percent(text).map(|share| all.reset = share)),
    ("network", |all, text| {
        let names = NETWORKS.map(|network| network.name).join(", ");
        let found = NETWORKS.iter().find(|network| network.name == text);
        found.map(|network| *all = network.impairments()).ok_or_else(|| format!("expected {names}"))
    }),
];

fn time(text: &str) -> Result<Duration, String> {
    between(text, Duration::ZERO, Duration::from_secs(60))
}

impl Impairments {
    /// The names of the kinds of networks.
    pub fn networks() -> impl Iterator<Item = &'static str> {
        NETWORKS.iter().map(|network| network.name)
    }

    /// Whether nothing is impaired.
    pub fn is_none(&self) -> bool {
        *self == Impairments::default()
    }

    /// Sets one of them by its name on the command line: `loss`, `2%/4`.
    ///
    /// # Errors
    /// Returns the expected form.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let known = || SETTERS.iter().map(|(name, _)| *name);
        let Some((_, set)) = SETTERS.iter().find(|(known, _)| *known == name) else {
            let list = known().collect::<Vec<_>>().join(", ");
            return Err(format!("{name:?} is none{}: there are {list}", hint(nearest(name, known()))));
        };
        set(self, text)
    }

    /// Returns the name of an impairment that streams cannot have: all of their bytes arrive once and in order.
    pub fn only_for_datagrams(&self) -> Option<&'static str> {
        let all = [
            ("loss", self.loss.is_some()),
            ("duplicate", self.duplicate > 0.0),
            ("reorder", self.reorder > 0.0),
            ("jitter-reorder", self.overtakes),
        ];
        all.into_iter().find_map(|(name, is)| is.then_some(name))
    }

    /// Returns the name of an impairment that datagrams cannot have: no later bytes wait for them, and they have no
    /// connection.
    pub fn only_for_streams(&self) -> Option<&'static str> {
        [("stall", self.stall.is_some()), ("reset", self.reset > 0.0)]
            .into_iter()
            .find_map(|(name, is)| is.then_some(name))
    }
}

/// A kind of network, for one direction.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// Its name.
    pub name: &'static str,
    /// Delay and mean jitter in milliseconds.
    pub times: [u64; 2],
    /// Loss: the share, and the mean burst.
    pub loss: [f64; 2],
    /// The shares of datagrams that arrive twice, and out of order.
    pub odd: [f64; 2],
    /// Bits per second.
    pub bits: u64,
}

/// The known kinds of networks. The figures are typical of players' networks, not those of a certain one.
pub const NETWORKS: [Network; 5] = [
    Network { name: "wifi", times: [2, 3], loss: [0.005, 2.0], odd: [0.0, 0.0], bits: 50_000_000 },
    Network { name: "lte", times: [25, 8], loss: [0.003, 2.0], odd: [0.0, 0.0], bits: 20_000_000 },
    Network { name: "3g", times: [75, 30], loss: [0.01, 3.0], odd: [0.0, 0.0], bits: 2_000_000 },
    Network { name: "satellite", times: [290, 10], loss: [0.005, 2.0], odd: [0.0, 0.0], bits: 20_000_000 },
    Network { name: "bad", times: [120, 60], loss: [0.05, 4.0], odd: [0.005, 0.01], bits: 1_000_000 },
];

impl Network {
    /// Returns it as impairments of one direction.
    pub fn impairments(&self) -> Impairments {
        let [delay, jitter] = self.times.map(Duration::from_millis);
        let [share, burst] = self.loss;
        let rate = Some(Rate { bits: self.bits, queue: self.bits / 8 / 2, payload: false });
        let loss = Some(Loss { share, burst: Some(burst) });
        Impairments {
            delay,
            jitter,
            loss,
            duplicate: self.odd[0],
            reorder: self.odd[1],
            rate,
            ..Impairments::default()
        }
    }
}
