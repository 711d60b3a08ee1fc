//! Sessions over networks with known losses, with a simulated clock.
#![cfg(test)]

use super::estimate::{Estimate, Numbered, estimate};
use super::{Path, Report};
use crate::random::Random;
use crate::traffic::histogram::Delays;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

const MS: i64 = 1_000_000;

/// A number that is never resent and never acknowledged did not arrive, or its acknowledgement did not.
#[test]
fn numbers_without_resends_or_acknowledgements_are_losses() {
    let (mut path, mut trips) = (Path::default(), [Delays::default(), Delays::default()]);
    for n in 0..2000 {
        let now = n * 50 * MS;
        (0..2).for_each(|side| path.sent(side, n, now));
        path.acked(1, n, Some(MS));
        if n % 5 > 0 {
            path.acked(0, n, Some(100 * MS));
            trips[0].add(100 * MS);
        }
        trips[1].add(MS);
    }
    let counts = [path.counts(0), path.counts(1)];
    let of = |side: usize| Numbered { counts: &counts[side], trips: &trips[side], messages: 2000 };
    let [_, low, high] = estimate(of(0), of(1)).loss.expect("an estimate");
    assert!(low <= 0.2 && 0.2 <= high, "{low} {high}");
}

/// A burst of more numbers than are remembered, each acknowledged, loses nothing.
#[test]
fn acknowledgements_on_their_way_are_no_losses() {
    let (mut path, mut trips) = (Path::default(), [Delays::default(), Delays::default()]);
    for burst in 0..4 {
        let begin = burst * 1000 * MS;
        let numbers = || burst * 700..(burst + 1) * 700;
        numbers().for_each(|n| (0..2).for_each(|side| path.sent(side, n, begin + n % 700 * MS / 40)));
        for n in numbers() {
            path.acked(0, n, Some(60 * MS));
            path.acked(1, n, Some(MS));
            trips[0].add(60 * MS);
            trips[1].add(MS);
        }
    }
    let counts = [path.counts(0), path.counts(1)];
    let of = |side: usize| Numbered { counts: &counts[side], trips: &trips[side], messages: 2800 };
    let [loss, _, high] = estimate(of(0), of(1)).loss.expect("an estimate");
    assert!(loss < 0.005 && high < 0.05, "{loss} {high}");
}

/// A receiver that acknowledges once a second has lost nothing of the last second.
#[test]
fn acknowledgements_in_batches_are_no_losses_at_the_end() {
    let mut path = Path::default();
    for n in 0..250i64 {
        path.sent(0, n, n * 20 * MS);
        if n % 50 == 49 && n < 249 {
            (n - 49..=n).for_each(|number| path.acked(0, number, Some((n - number) * 20 * MS)));
        }
    }
    assert_eq!(path.counts(0).unacked, 0);
}

/// Messages in several number spaces are open, whichever space the last message was in.
#[test]
fn each_number_space_has_open_messages() {
    let mut path = Path::default();
    let other = 1i64 << 50;
    [1, other, 2, other + 1].into_iter().zip(0..).for_each(|(number, k)| path.sent(0, number, k * MS));
    path.acked(0, 1, None);
    assert_eq!(path.open_since(0, 0), 3);
    path.acked(0, other, None);
    assert_eq!(path.open_since(0, 0), 2);
}

/// The path from one point to another: its loss, and the mean length of losses in a row (Gilbert).
#[derive(Clone, Copy, Default)]
pub(super) struct Channel {
    loss: f64,
    burst: f64,
    delay: i64,
    jitter: i64,
    bad: bool,
}

impl Channel {
    /// A path without delays.
    pub fn lossy(loss: f64, burst: f64) -> Channel {
        Channel { loss, burst, ..Channel::default() }
    }

    pub fn drops(&mut self, random: &mut Random) -> bool {
        let stays = if self.burst > 1.0 { 1.0 - 1.0 / self.burst } else { self.loss };
        let begins = if self.burst > 1.0 { self.loss * (1.0 - stays) / (1.0 - self.loss) } else { self.loss };
        self.bad = random.unit() < if self.bad { stays } else { begins };
        self.bad
    }

    fn takes(&self, random: &mut Random) -> i64 {
        self.delay + (random.unit() * self.jitter as f64) as i64
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Packet {
    Message(i64),
    /// The number acknowledged, the newest number, the bits for the numbers before it.
    Ack(i64, i64, u32),
    Heartbeat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Speak(usize),
    Beat(usize),
    /// A message of this side, and the number of its transmissions so far.
    Timer(usize, i64, u32),
    Captured(usize, Packet),
    Arrived(usize, Packet),
}

/// The capture point.
#[derive(Clone, Copy, Debug, PartialEq)]
enum At {
    Client,
    Server,
    Middle,
}

struct Session {
    /// The number of messages that each side numbers.
    messages: [i64; 2],
    loss: [f64; 2],
    burst: f64,
    round_trip: i64,
    /// The time between two messages; `None` if it varies.
    pace: Option<i64>,
    at: At,
    /// Whether acknowledgements have a bit field for the numbers before.
    bits: bool,
    /// Whether a side never learns its round trip, and resends after 50 ms.
    blind: [bool; 2],
    /// The interval at which both programs first resend and then read their sockets; 0: at once.
    tick: i64,
}

impl Session {
    /// The time at which a side's program runs next. The two sides do so at different times.
    fn runs(&self, side: usize, time: i64) -> i64 {
        let offset = side as i64 * 7 * MS;
        if self.tick > 0 { (time - offset).div_euclid(self.tick) * self.tick + self.tick + offset } else { time }
    }
}

struct Run {
    estimates: [Estimate; 2],
    truth: [f64; 2],
}

#[derive(Default)]
struct Peer {
    sent: i64,
    open: BTreeSet<i64>,
    trip: i64,
    got: BTreeSet<i64>,
}

fn run(session: &Session, seed: u64) -> Run {
    let mut random = Random::of(seed, &[]);
    // For each side: the path to the capture point, and the path from there on.
    let near = Channel { delay: MS / 20, jitter: MS / 100, ..Channel::default() };
    let mut channels = [0, 1].map(|side| {
        let far = |loss: f64, part: i64| Channel {
            loss,
            burst: session.burst,
            delay: session.round_trip / 2 / part,
            jitter: session.round_trip / 10 / part,
            bad: false,
        };
        let half = 1.0 - (1.0 - session.loss[side]).sqrt();
        match (session.at, side) {
            (At::Middle, _) => [far(half, 2), far(half, 2)],
            (At::Client, 0) | (At::Server, 1) => [near, far(session.loss[side], 1)],
            _ => [far(session.loss[side], 1), near],
        }
    });
    let (mut path, mut trips, mut captured) = (Path::default(), [Delays::default(), Delays::default()], [0; 2]);
    let mut first: [BTreeMap<i64, (i64, u32)>; 2] = Default::default();
    let (mut total, mut dropped) = ([0u64; 2], [0u64; 2]);
    let mut peers: [Peer; 2] = Default::default();
    let mut queue = BinaryHeap::new();
    for side in [0, 1] {
        queue.push(Reverse((side as i64 * 7 * MS, Step::Speak(side))));
        queue.push(Reverse((side as i64 * 11 * MS, Step::Beat(side))));
    }
    let end = session.messages.iter().max().unwrap_or(&0) * 50 * MS;
    while let Some(Reverse((now, step))) = queue.pop() {
        let mut out = Vec::new();
        match step {
            Step::Speak(side) if peers[side].sent < session.messages[side] => {
                let peer = &mut peers[side];
                peer.sent += 1;
                peer.open.insert(peer.sent);
                out.push((side, Packet::Message(peer.sent)));
                let due = session.runs(side, now + wait(peer));
                queue.push(Reverse((due, Step::Timer(side, peer.sent, 1))));
                // In steps of a program's clock; sometimes two at once.
                let pause = session.pace.unwrap_or((random.unit() * 10.0) as i64 * 10 * MS);
                queue.push(Reverse((session.runs(side, now + pause), Step::Speak(side))));
            }
            Step::Speak(_) => {}
            Step::Beat(side) => {
                out.push((side, Packet::Heartbeat));
                // The answer shows the round trip.
                // Without ticks: they add nothing where the two programs run one right after the other.
                let trip = session.round_trip * 11 / 10 + MS / 10;
                peers[side].trip = if now < 1000 * MS || session.blind[side] { 0 } else { trip };
                if now < end {
                    queue.push(Reverse((now + 1000 * MS, Step::Beat(side))));
                }
            }
            Step::Timer(side, number, copies) => {
                if peers[side].open.contains(&number) && copies < 15 {
                    out.push((side, Packet::Message(number)));
                    let due = session.runs(side, now + wait(&peers[side]));
                    queue.push(Reverse((due, Step::Timer(side, number, copies + 1))));
                }
            }
            Step::Captured(side, packet) => {
                captured[side] += 1;
                match packet {
                    Packet::Message(number) => {
                        path.sent(side, number, now);
                        first[side].entry(number).or_insert((now, 0)).1 += 1;
                    }
                    Packet::Ack(of, base, bits) => {
                        let width = if session.bits { 16 } else { 0 };
                        path.report(1 - side, &Report { of, base, bits, width }, now);
                        if let Some((at, 1)) = first[1 - side].get(&of).copied() {
                            trips[1 - side].add(now - at);
                            path.acked(1 - side, of, Some(now - at));
                        }
                    }
                    Packet::Heartbeat => {}
                }
                match channels[side][1].drops(&mut random) {
                    true => dropped[side] += 1,
                    false => {
                        let read = session.runs(1 - side, now + channels[side][1].takes(&mut random));
                        queue.push(Reverse((read, Step::Arrived(1 - side, packet))));
                    }
                }
            }
            Step::Arrived(side, Packet::Message(number)) => {
                let peer = &mut peers[side];
                peer.got.insert(number);
                let base = if session.bits { peer.got.last().copied().unwrap_or(number) } else { number };
                let bits = (0..16).map(|bit| u32::from(peer.got.contains(&(base - 1 - bit))) << bit).sum();
                out.push((side, Packet::Ack(number, base, bits)));
            }
            Step::Arrived(side, Packet::Ack(of, base, bits)) => {
                let peer = &mut peers[side];
                peer.open.remove(&of);
                if session.bits {
                    peer.open.remove(&base);
                    peer.open
                        .retain(|number| !(1..=16).contains(&(base - number)) || bits >> (base - 1 - number) & 1 == 0);
                }
            }
            Step::Arrived(_, Packet::Heartbeat) => {}
        }
        for (side, packet) in out {
            total[side] += 1;
            match channels[side][0].drops(&mut random) {
                true => dropped[side] += 1,
                false => {
                    queue.push(Reverse((now + channels[side][0].takes(&mut random), Step::Captured(side, packet))))
                }
            }
        }
    }
    let counts = [path.counts(0), path.counts(1)];
    let of = |side: usize| Numbered { counts: &counts[side], trips: &trips[side], messages: captured[side] };
    Run {
        estimates: [estimate(of(0), of(1)), estimate(of(1), of(0))],
        truth: [0, 1].map(|side| dropped[side] as f64 / total[side] as f64),
    }
}

/// The time that a sender waits for an acknowledgement.
fn wait(peer: &Peer) -> i64 {
    if peer.trip == 0 { 50 * MS } else { (peer.trip * 6 / 5).max(10 * MS) }
}

const LOSSES: [[f64; 2]; 7] = [[0.01, 0.01], [0.05, 0.0], [0.0, 0.1], [0.05, 0.1], [0.1, 0.02], [0.2, 0.2], [0.2, 0.0]];

/// The number of sessions of each kind, and where the share of good estimates has a narrow bound.
const SEEDS: u64 = 3;
const MANY: u64 = 6;

/// For each pair of losses the number of directions, of estimates within 1.5 points, of intervals that contain the
/// truth, and of unknown directions.
fn tally(seeds: u64, messages: [i64; 2], bits: bool, burst: f64, blind: [bool; 2]) -> [[usize; 4]; LOSSES.len()] {
    let mut tallies = [[0; 4]; LOSSES.len()];
    for (k, (loss, all)) in LOSSES.into_iter().zip(&mut tallies).enumerate() {
        for at in [At::Client, At::Server, At::Middle] {
            for trip in [10, 50, 200] {
                let session =
                    Session { messages, loss, burst, round_trip: trip * MS, pace: None, at, bits, blind, tick: 0 };
                let runs = (0..seeds).map(|seed| run(&session, seed * 1_000_000 + k as u64 * 1000 + trip as u64));
                for (estimate, truth) in runs.flat_map(|run| [0, 1].map(|side| (run.estimates[side], run.truth[side])))
                {
                    all[0] += 1;
                    match estimate.loss {
                        Some([loss, low, high]) => {
                            all[1] += usize::from((loss - truth).abs() <= 0.015);
                            all[2] += usize::from(low <= truth && truth <= high);
                        }
                        None => all[3] += 1,
                    }
                }
            }
        }
    }
    tallies
}

/// Asserts that 95 % of the intervals contain the truth, and 87 % of those of each pair of losses: 95 % of 54 vary by 3
/// points, and half of the directions may be unknown. Returns the sums.
fn held(tallies: &[[usize; 4]], text: &str) -> [usize; 4] {
    for ([all, _, held, unknown], loss) in tallies.iter().zip(LOSSES) {
        assert!(held * 100 >= (all - unknown) * 87, "{text}, {loss:?}: {held} held, {unknown} unknown of {all}");
    }
    let sums = [0, 1, 2, 3].map(|k| tallies.iter().map(|one| one[k]).sum());
    let [all, _, held, unknown] = sums;
    assert!(held * 100 >= (all - unknown) * 95, "{text}: {held} held, {unknown} unknown of {all}");
    sums
}

/// The aim is 95 % within 1.5 points. With 40 other sessions of each kind, 98 % (single losses) and 95.7 % (losses in a
/// row) are, with bits and without. If the fates of all packets that leave a trace were known, and the true memory of
/// the losses gave the rest, 98 to 99.9 % would be.
#[test]
fn both_sides_number_messages() {
    for (bits, burst, percent) in [(true, 1.0, 98), (false, 1.0, 97), (true, 4.0, 95), (false, 4.0, 94)] {
        let text = format!("bits {bits}, burst {burst}");
        let [all, near, _, unknown] = held(&tally(MANY, [1000, 1000], bits, burst, [false; 2]), &text);
        assert!(near * 100 >= all * percent && unknown == 0, "{text}: {near} near, {unknown} unknown of {all}");
    }
}

/// A side that does not know its round trip resends before an acknowledgement can arrive: then it is often unknown which
/// transmission was acknowledged. 86 % of the estimates are within 1.5 points if one side does so, 81 % if both do; the
/// intervals contain the truth in 97 %.
#[test]
fn resent_too_soon() {
    for (blind, near_percent, held_percent) in
        [([false, true], 86, 95), ([true, false], 86, 95), ([true, true], 78, 95)]
    {
        let tallies = tally(SEEDS, [1000, 1000], true, 1.0, blind);
        let [all, near, held, unknown] = [0, 1, 2, 3].map(|k| tallies.iter().map(|one| one[k]).sum::<usize>());
        let text = format!("{blind:?}: {near} near, {held} held, {unknown} unknown of {all}");
        assert!(near * 100 >= all * near_percent && held * 100 >= all * held_percent && unknown == 0, "{text}");
    }
}

/// A program that reads its socket only now and then resends what was acknowledged meanwhile: this is no loss.
#[test]
fn programs_that_read_now_and_then() {
    let (mut all, mut held) = (0, 0);
    for (tick, trip) in [10, 20, 50].into_iter().flat_map(|tick| [1, 10, 50, 200].map(|trip| (tick, trip))) {
        for at in [At::Client, At::Server, At::Middle] {
            for (seed, loss) in (0..).zip([[0.0, 0.0], [0.0, 0.0], [0.05, 0.1], [0.0, 0.05]]) {
                let session = Session {
                    messages: [1000, 1000],
                    loss,
                    burst: 1.0,
                    round_trip: trip * MS,
                    pace: None,
                    at,
                    bits: true,
                    blind: [false; 2],
                    tick: tick * MS,
                };
                let Run { estimates, truth } = run(&session, seed);
                for (estimate, truth) in estimates.into_iter().zip(truth) {
                    let Some([_, low, high]) = estimate.loss else { continue };
                    all += 1;
                    held += usize::from(low <= truth && truth <= high);
                    assert!(loss != [0.0; 2] || low == 0.0, "tick {tick}, trip {trip}, {at:?}: {:?}", estimate.loss);
                }
            }
        }
    }
    assert!(held * 100 >= all * 95 && all >= 280, "{held} held of {all}");
}

#[test]
fn one_side_numbers_messages() {
    for (messages, bits) in [([1000, 2], true), ([2, 1000], true), ([1000, 2], false), ([2, 1000], false)] {
        for burst in [1.0, 4.0] {
            let text = format!("{messages:?}, bits {bits}, burst {burst}");
            let [all, _, _, unknown] = held(&tally(SEEDS, messages, bits, burst, [false; 2]), &text);
            assert!(unknown * 20 < all * 11, "{text}: {unknown} unknown of {all}");
        }
    }
}

/// Numbers of one side, lost before the capture: runs that last until the first resend leave no gap. The loss is unknown
/// where they are frequent, and known in a third of the sessions without them.
#[test]
fn long_runs_before_the_capture_are_not_taken_for_none() {
    for (burst, most_unknown) in [(1.0, 0.67), (4.0, 1.0)] {
        let [mut all, mut held, mut unknown] = [0.0; 3];
        for (k, at) in [At::Server, At::Middle].into_iter().enumerate() {
            for (pace, trip) in [10, 20, 50].into_iter().flat_map(|pace| [10, 40, 100].map(|trip| (pace, trip))) {
                for loss in LOSSES {
                    let pace = Some(pace * MS);
                    let session = Session {
                        messages: [1000, 2],
                        loss,
                        burst,
                        round_trip: trip * MS,
                        pace,
                        at,
                        bits: true,
                        blind: [false; 2],
                        tick: 0,
                    };
                    let Run { estimates, truth } = run(&session, trip as u64 + k as u64);
                    all += 1.0;
                    match estimates[0].loss {
                        Some([_, low, high]) => held += f64::from(u8::from(low <= truth[0] && truth[0] <= high)),
                        None => unknown += 1.0,
                    }
                }
            }
        }
        let text = format!("burst {burst}: {held} held, {unknown} unknown of {all}");
        assert!(held >= 0.95 * (all - unknown) && unknown <= most_unknown * all, "{text}");
    }
}

/// Losses in a row are distinguished from single losses, even if only some packets are numbered. Losses between two
/// numbers are not visible, so bursts are underestimated: those before the capture most, since resent messages that are
/// lost there leave no trace. If too few are left, the bursts are unknown.
#[test]
fn bursts() {
    let mut known = 0;
    for (trip, seeds, least) in [(10, 7..12, 1.0), (50, 7..8, 1.3), (50, 8..12, 1.15), (200, 7..12, 2.0)] {
        for (burst, after, before) in [(1.0, 1.0..1.2, 1.0..1.2), (4.0, 2.0..5.0, least..5.0)] {
            for seed in seeds.clone() {
                let session = Session {
                    messages: [4000, 4000],
                    loss: [0.1, 0.1],
                    burst,
                    round_trip: trip * MS,
                    pace: None,
                    at: At::Client,
                    bits: true,
                    blind: [false; 2],
                    tick: 0,
                };
                let [up, down] = run(&session, seed).estimates.map(|estimate| estimate.burst);
                let fits = up.is_some_and(|up| after.contains(&up)) && down.is_none_or(|down| before.contains(&down));
                assert!(fits, "{trip} ms, {burst}: {up:?}, {down:?}");
                known += usize::from(down.is_some());
            }
        }
    }
    // Of 30 sessions.
    assert!(known >= 20, "{known}");
}

/// Delays vary by up to a tenth of the round trip in each direction: half of a round trip's variation belongs to one
/// direction.
#[test]
fn delays() {
    let session = Session {
        messages: [1000, 1000],
        loss: [0.0; 2],
        burst: 1.0,
        round_trip: 100 * MS,
        pace: None,
        at: At::Client,
        bits: true,
        blind: [false; 2],
        tick: 0,
    };
    for estimate in run(&session, 3).estimates {
        let [delay, jitter] = [estimate.delay, estimate.jitter].map(|nanos| nanos.unwrap_or(0.0) / MS as f64);
        // Two uniform delays of 0 to 10 ms: their sum's median is 10, and the mean of its differences 4.67.
        assert!((delay - 5.0).abs() < 0.8 && (jitter - 4.67 / 2.0).abs() < 0.3, "{delay} {jitter}");
    }
}

#[test]
fn pings_alone_and_nothing_at_all() {
    let mut path = Path::default();
    for n in 0..200 {
        path.ping(0);
        if n % 10 > 0 {
            path.pong(0);
        }
    }
    let counts = [path.counts(0), path.counts(1)];
    let trips = Delays::default();
    let of = |side: usize| Numbered { counts: &counts[side], trips: &trips, messages: 200 };
    // One in ten was lost in each direction.
    let [loss, low, high] = estimate(of(0), of(1)).loss.expect("known");
    assert!(
        low == 0.0 && (0.1..0.2).contains(&high) && (loss - (1.0 - 0.9f64.sqrt())).abs() < 0.01,
        "{low} {loss} {high}"
    );
    assert_eq!(estimate(of(1), of(0)).loss, None);
    // Pings have no numbers that could show losses in a row.
    assert_eq!(estimate(of(0), of(1)).burst, None);
    let nothing = Path::default();
    let counts = [nothing.counts(0), nothing.counts(1)];
    let of = |side: usize| Numbered { counts: &counts[side], trips: &trips, messages: 0 };
    assert_eq!(estimate(of(0), of(1)), Estimate::default());
}

/// The largest numbers of 64 bits: no other one follows.
#[test]
fn numbers_have_an_end() {
    let mut path = Path::default();
    for (number, now) in [i64::MAX - 1, i64::MAX, i64::MAX, i64::MIN].into_iter().zip(0..) {
        path.sent(0, number, now * MS);
    }
    assert_eq!(path.counts(0).jumps, 0);
}

/// A number that acknowledgements name has arrived: only the capture lacks it.
#[test]
fn numbers_that_the_capture_lacks_are_not_lost() {
    let skipped = |width: u8| {
        let mut path = Path::default();
        path.acked(1, 0, Some(5 * MS));
        for n in (1..200).filter(|n| n % 10 > 0) {
            path.sent(0, n, 2 * n * MS);
            path.acked(0, n, Some(5 * MS));
            path.report(0, &Report { of: n, base: n, bits: u32::MAX, width }, (2 * n + 1) * MS);
        }
        path.counts(0).skipped
    };
    assert!(skipped(0) > 10 && skipped(16) == 0, "{} {}", skipped(0), skipped(16));
}
