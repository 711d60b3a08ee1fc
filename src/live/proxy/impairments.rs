//! What is done to one direction of all conversations.

use super::jitter::Quantiles;
use crate::codec::digits;
use crate::duration::{between, has_unit};
use crate::live::rules::percent;
use crate::nearest::{hint, nearest};
use std::str::FromStr;
use std::time::Duration;

/// The share of packets that are lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Loss {
    /// Of all packets, from 0 to 1.
    pub share: f64,
    /// How many are lost in a row on average; `None`: each for itself.
    pub burst: Option<f64>,
}

impl Loss {
    /// The probabilities that a loss follows a packet that came, and one that did not: Gilbert's
    /// model, in which the share of lost packets is `share` and a row of them `burst` long.
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
        let (share, burst) = match text.split_once('/') {
            Some((share, burst)) => (share, Some(burst)),
            None => (text, None),
        };
        let share = percent(share)?;
        let Some(burst) = burst else { return Ok(Loss { share, burst: None }) };
        let wrong = || format!("{burst:?}: expected the packets that are lost in a row on average, as 2%/4");
        let burst = digits::real(burst).filter(|b| (1.0..=1e6).contains(b)).ok_or_else(wrong)?;
        // Between two rows at least one packet comes.
        match share < 1.0 && share / (1.0 - share) > burst {
            true => Err(format!("so many are lost in rows of {:.1} at least", share / (1.0 - share))),
            false => Ok(Loss { share, burst: Some(burst) }),
        }
    }
}

/// A limited rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Bits a second.
    pub bits: u64,
    /// How much may wait, in bytes: what comes then is lost (a stream waits).
    pub queue: u64,
    /// It counts what applications send, without IP, UDP and TCP headers.
    pub payload: bool,
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Rate, String> {
        rate(text).map(|bits| Rate { bits, queue: (bits / 8 / 2).max(4096), payload: false })
    }
}

/// Bits a second: `64kbit`, `1.5mbit`, `1gbit`.
///
/// # Errors
/// What was expected.
pub fn rate(text: &str) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let units = [("kbit", 1e3), ("mbit", 1e6), ("gbit", 1e9), ("bit", 1.0)];
    let found = units.iter().find_map(|(unit, scale)| Some((lower.strip_suffix(unit)?, scale)));
    let bits = found.and_then(|(number, scale)| digits::real(number).map(|n| n * scale));
    let bits = bits.filter(|bits| (1.0..=1e12).contains(bits)).map(|bits| bits as u64);
    bits.ok_or_else(|| format!("{text:?}: expected a rate, as 64kbit, 1.5mbit or 1gbit"))
}

/// A stream that stands still, as after a segment that was lost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stall {
    /// Of all pieces, from 0 to 1.
    pub share: f64,
    /// How long, and what follows the piece waits for it.
    pub time: Duration,
}

impl FromStr for Stall {
    type Err = String;

    fn from_str(text: &str) -> Result<Stall, String> {
        let wrong = || format!("{text:?}: expected a share and a time, as 1%/200ms");
        let (share, time) = text.split_once('/').ok_or_else(wrong)?;
        has_unit(time)?;
        Ok(Stall { share: percent(share)?, time: between(time, Duration::ZERO, Duration::from_secs(60))? })
    }
}

/// Times in which nothing comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// How long each lasts.
    pub time: Duration,
    /// One in each of these: the end of it.
    pub every: Duration,
}

impl Outage {
    /// Returns how long the outage of a moment still lasts, if there is one.
    pub fn left(self, since: Duration) -> Option<Duration> {
        let every = self.every.as_nanos().max(1);
        let left = Duration::from_nanos((every - since.as_nanos() % every) as u64);
        (left <= self.time).then_some(left)
    }
}

impl FromStr for Outage {
    type Err = String;

    fn from_str(text: &str) -> Result<Outage, String> {
        let wrong = || format!("{text:?}: expected how long and how often, as 2s/30s");
        let (time, every) = text.split_once('/').ok_or_else(wrong)?;
        let [time, every] =
            [time, every].map(|text| between(text, Duration::from_millis(1), Duration::from_secs(86_400)));
        let (time, every) = (time?, every?);
        match time < every {
            true => Ok(Outage { time, every }),
            false => Err(format!("{text:?}: the outage is not shorter than the time in which it comes")),
        }
    }
}

/// What is done to a direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// Everything comes so much later.
    pub delay: Duration,
    /// And by a random time more: exponential, of this mean.
    pub jitter: Duration,
    /// The jitter is each packet's own: packets overtake each other.
    pub overtakes: bool,
    /// Datagrams are lost.
    pub loss: Option<Loss>,
    /// This share of datagrams comes twice.
    pub duplicate: f64,
    /// This share of datagrams comes after the one that follows.
    pub reorder: f64,
    /// No more than this passes.
    pub rate: Option<Rate>,
    /// Delays in place of the jitter.
    pub quantiles: Option<Quantiles>,
    /// Nothing comes at certain times.
    pub outage: Option<Outage>,
    /// One bit of this share of datagrams, or pieces of streams, is flipped.
    pub corrupt: f64,
    /// Pieces of streams stand still.
    pub stall: Option<Stall>,
    /// This share of a stream's pieces resets the connection.
    pub reset: f64,
}

/// How an impairment is set by what the user has written.
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
    has_unit(text)?;
    between(text, Duration::ZERO, Duration::from_secs(60))
}

impl Impairments {
    /// Does everything pass as it is?
    pub fn is_none(&self) -> bool {
        *self == Impairments::default()
    }

    /// Sets one of them by its name, as the command line has it: `loss`, `2%/4`.
    ///
    /// # Errors
    /// What was expected.
    pub fn set(&mut self, name: &str, text: &str) -> Result<(), String> {
        let known = || SETTERS.iter().map(|(name, _)| *name);
        let Some((_, set)) = SETTERS.iter().find(|(known, _)| *known == name) else {
            let list = known().collect::<Vec<_>>().join(", ");
            return Err(format!("{name:?} is none{}: there are {list}", hint(nearest(name, known()))));
        };
        set(self, text)
    }

    /// What of it a stream cannot have: its bytes come all, once and in order.
    pub fn only_for_datagrams(&self) -> Option<&'static str> {
        let all = [
            ("loss", self.loss.is_some()),
            ("duplicate", self.duplicate > 0.0),
            ("reorder", self.reorder > 0.0),
            ("jitter-reorder", self.overtakes),
        ];
        all.into_iter().find_map(|(name, is)| is.then_some(name))
    }

    /// What of it a datagram cannot have: nothing is behind it, and it has no connection.
    pub fn only_for_streams(&self) -> Option<&'static str> {
        [("stall", self.stall.is_some()), ("reset", self.reset > 0.0)]
            .into_iter()
            .find_map(|(name, is)| is.then_some(name))
    }
}

/// A kind of network, one way.
#[derive(Clone, Copy, Debug)]
pub struct Network {
    /// Its name.
    pub name: &'static str,
    /// Delay and mean jitter in milliseconds.
    pub times: [u64; 2],
    /// Loss: the share, and the mean row.
    pub loss: [f64; 2],
    /// Shares of datagrams that come twice, and out of order.
    pub odd: [f64; 2],
    /// Bits a second.
    pub bits: u64,
}

/// The kinds of networks there are: figures of the order that players have, not of a certain one.
pub const NETWORKS: [Network; 5] = [
    Network { name: "wifi", times: [2, 3], loss: [0.005, 2.0], odd: [0.0, 0.0], bits: 50_000_000 },
    Network { name: "lte", times: [25, 8], loss: [0.003, 2.0], odd: [0.0, 0.0], bits: 20_000_000 },
    Network { name: "3g", times: [75, 30], loss: [0.01, 3.0], odd: [0.0, 0.0], bits: 2_000_000 },
    Network { name: "satellite", times: [290, 10], loss: [0.005, 2.0], odd: [0.0, 0.0], bits: 20_000_000 },
    Network { name: "bad", times: [120, 60], loss: [0.05, 4.0], odd: [0.005, 0.01], bits: 1_000_000 },
];

impl Network {
    /// As impairments of one direction.
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
