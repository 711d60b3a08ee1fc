//! Tests of outcomes and orders, without a socket and without a clock; those of a relay on loopback are in the files below.

#![cfg(test)]

mod datagrams;
mod delays;
mod relay;
mod shares;
mod streams;
mod timing;

#[path = "../../../tests/bench/echo.rs"]
mod echo;
#[path = "../../../tests/common/files.rs"]
mod files;
#[path = "../../../tests/common/late.rs"]
mod late;
#[path = "../../../tests/common/sockets.rs"]
mod sockets;

use super::impairments::{NETWORKS, Network, Outage, Rate, Stall, rate};
use super::path::Path;
use super::path::{Lost, PacketOutcome, corrupt};
use super::queue::Order;
use super::*;
use crate::capture::Time;
use crate::flow::Transport;
use crate::live::rules::{Rule, RuleSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

const COUNT: u64 = 20_000;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn outcomes(impairments: &Impairments, seed: u64, direction: usize) -> Vec<PacketOutcome> {
    let (start, mut path) = (Instant::now(), Path::new(seed, 1, direction));
    (0..COUNT).map(|n| path.datagram(impairments, 100, start + ms(n))).collect()
}

/// Returns the lengths of the loss bursts.
fn rows(outcomes: &[PacketOutcome]) -> Vec<usize> {
    outcomes.chunk_by(|a, b| a.lost == b.lost).filter(|row| row[0].lost.is_some()).map(<[PacketOutcome]>::len).collect()
}

#[test]
fn as_many_are_lost_as_asked() {
    for seed in 1..6 {
        for share in [0.02, 0.1, 0.3] {
            let loss = Some(Loss { share, burst: None });
            let all = outcomes(&Impairments { loss, ..Impairments::default() }, seed, 0);
            let lost = all.iter().filter(|outcome| outcome.lost.is_some()).count() as f64;
            let (mean, sigma) = (COUNT as f64 * share, (COUNT as f64 * share * (1.0 - share)).sqrt());
            assert!((lost - mean).abs() < 3.0 * sigma, "{share}, seed {seed}: {lost}");
        }
    }
}

#[test]
fn losses_are_in_bursts() {
    for (share, burst) in [(0.1, 4.0), (0.2, 3.0), (0.3, 8.0)] {
        let loss = Some(Loss { share, burst: Some(burst) });
        // The mean of many runs. A run of 20,000 has a few hundred bursts, whose mean varies more.
        let (mut lost, mut count) = (0, 0);
        for seed in 1..=20 {
            let all = outcomes(&Impairments { loss, ..Impairments::default() }, seed, 0);
            let rows = rows(&all);
            (lost, count) = (lost + rows.iter().sum::<usize>(), count + rows.len());
        }
        let (mean, all) = (lost as f64 / count as f64, lost as f64 / (20.0 * COUNT as f64));
        assert!((mean / burst - 1.0).abs() < 0.05, "{share}/{burst}: bursts of {mean}");
        assert!((all / share - 1.0).abs() < 0.05, "{share}/{burst}: {all} lost");
    }
}

#[test]
fn the_seed_decides_alone() {
    let impairments = Network::impairments(&NETWORKS[4]);
    let spread = |seed, direction| -> Vec<_> {
        outcomes(&impairments, seed, direction).iter().map(|f| (f.lost.is_some(), f.twice, f.reordered)).collect()
    };
    assert_eq!(spread(7, 0), spread(7, 0));
    assert!(spread(7, 0) != spread(8, 0) && spread(7, 0) != spread(7, 1));
    // At other times the same packets are lost, if no queue is full.
    let still = Impairments { rate: None, ..impairments.clone() };
    let (mut path, start) = (Path::new(7, 1, 0), Instant::now());
    let others: Vec<bool> =
        (0..COUNT).map(|n| path.datagram(&still, 9, start + ms(n * n % 977)).lost.is_some()).collect();
    let same: Vec<bool> = outcomes(&still, 7, 0).iter().map(|outcome| outcome.lost.is_some()).collect();
    assert_eq!(others, same);
    // One impairment does not change the outcome of another.
    let alone = Impairments { loss: impairments.loss, ..Impairments::default() };
    let alone: Vec<bool> = outcomes(&alone, 7, 0).iter().map(|outcome| outcome.lost.is_some()).collect();
    assert_eq!(alone, same);
}

#[test]
fn the_order_of_the_queue() {
    let start = Instant::now();
    let mut queue = Queue::new(1000);
    let drain =
        |queue: &mut Queue<&'static str>, at: Instant| -> Vec<&str> { std::iter::from_fn(|| queue.pop(at)).collect() };
    queue.push(1, start + ms(5), Order::Due, 10, "b").unwrap();
    queue.push(1, start + ms(5), Order::Due, 10, "c").unwrap();
    queue.push(2, start, Order::Due, 10, "a").unwrap();
    assert_eq!(queue.next(), Some(start));
    assert_eq!(drain(&mut queue, start + ms(4)), ["a"]);
    assert_eq!(drain(&mut queue, start + ms(5)), ["b", "c"]);
    // After the next packet of its own path; another path's does not count.
    queue.push(1, start, Order::AfterNext, 10, "late").unwrap();
    queue.push(2, start, Order::Due, 10, "other").unwrap();
    queue.push(1, start + ms(3), Order::Due, 10, "next").unwrap();
    queue.push(1, start + ms(3), Order::Due, 10, "third").unwrap();
    assert_eq!(drain(&mut queue, start + ms(9)), ["other", "next", "late", "third"]);
    // Without a later packet it is still sent.
    queue.push(1, start, Order::AfterNext, 10, "alone").unwrap();
    assert_eq!(drain(&mut queue, start + ms(99)), Vec::<&str>::new());
    assert_eq!(drain(&mut queue, start + ms(100)), ["alone"]);
    assert_eq!(queue.push(1, start, Order::Due, 1001, "large"), Err("large"));
    assert!(queue.is_empty());
}

#[test]
fn what_the_user_writes() {
    assert_eq!("2%".parse(), Ok(Loss { share: 0.02, burst: None }));
    assert_eq!("2%/4".parse(), Ok(Loss { share: 0.02, burst: Some(4.0) }));
    for wrong in ["2", "101%", "2%/0.5", "2%/", "90%/2", "-1%", "x%"] {
        assert!(wrong.parse::<Loss>().is_err(), "{wrong}");
    }
    assert_eq!([rate("64kbit"), rate("1.5Mbit"), rate("1gbit")], [Ok(64_000), Ok(1_500_000), Ok(1_000_000_000)]);
    assert!(["64", "0kbit", "-1mbit", "fast", "1mb"].into_iter().all(|wrong| rate(wrong).is_err()));
    let outage = Outage { time: Duration::from_secs(2), every: Duration::from_secs(30) };
    assert_eq!("2s/30s".parse(), Ok(outage));
    assert!(["2s", "2s/1s", "2s/2s", "0s/3s", "x/3s"].into_iter().all(|wrong| wrong.parse::<Outage>().is_err()));
    assert_eq!(Impairments { reorder: 0.1, ..Impairments::default() }.only_for_datagrams(), Some("reorder"));
}

#[test]
fn streams_stall_and_reset_by_seed() {
    let stall = Some(Stall { share: 0.1, time: ms(200) });
    let impairments = Impairments { delay: ms(5), stall, ..Impairments::default() };
    let (start, mut path, mut still) = (Instant::now(), Path::new(9, 1, 0), 0);
    for n in 0..COUNT {
        let at = start + ms(1000 * n);
        let late = path.chunk(&impairments, 100, at).unwrap().0 - at;
        assert!(late == ms(5) || late == ms(205), "{late:?}");
        still += u64::from(late == ms(205));
    }
    let sigma = (COUNT as f64 * 0.1 * 0.9).sqrt();
    assert!((still as f64 - COUNT as f64 * 0.1).abs() < 3.0 * sigma, "{still}");
    // Later chunks do not overtake it, and wait no longer than it does: stalls overlap.
    let always = Impairments { stall: Some(Stall { share: 1.0, time: ms(200) }), ..Impairments::default() };
    let mut path = Path::new(9, 1, 0);
    let due = |path: &mut Path, impairments: &Impairments, at| path.chunk(impairments, 1, start + ms(at)).unwrap().0;
    assert_eq!(due(&mut path, &always, 0), start + ms(200));
    assert_eq!(due(&mut path, &Impairments::default(), 1), start + ms(200));
    assert_eq!(due(&mut path, &always, 50), start + ms(250));
    assert_eq!(due(&mut path, &Impairments::default(), 300), start + ms(300));
    // Frequent stalls at a hundred chunks a second: never later than delay and stall, in order.
    let often = Some(Stall { share: 0.05, time: ms(300) });
    let impairments = Impairments { delay: ms(20), stall: often, ..Impairments::default() };
    let (mut path, mut last, mut stalled) = (Path::new(9, 2, 0), start, 0);
    for n in 0..COUNT {
        let at = due(&mut path, &impairments, 10 * n);
        let late = at - (start + ms(10 * n));
        assert!((ms(20)..=ms(320)).contains(&late) && at >= last, "{late:?}");
        (last, stalled) = (at, stalled + u64::from(late > ms(20)));
    }
    // A chunk is late unless none of the last 30 stalled: 1 - 0.95^30.
    let share = stalled as f64 / COUNT as f64;
    assert!((share - 0.785).abs() < 0.03, "{share}");
    let resets = |seed| {
        let (mut path, some) = (Path::new(seed, 1, 0), Impairments { reset: 0.01, ..Impairments::default() });
        (0..COUNT).position(|_| path.chunk(&some, 1, start).is_none())
    };
    assert!(resets(3).is_some() && resets(3) == resets(3) && resets(3) != resets(4));
}

/// The probabilities of a loss after a packet that arrived, and after a lost one.
#[test]
fn transitions_between_bursts() {
    let transitions = |share, burst| Loss { share, burst }.transitions();
    assert_eq!(transitions(0.2, Some(4.0)), [0.0625, 0.75]);
    assert_eq!(transitions(0.5, Some(1.0)), [1.0, 0.0], "one by one");
    assert_eq!(transitions(0.2, None), [0.2; 2]);
    assert_eq!(transitions(1.0, Some(4.0)), [1.0; 2]);
}

/// A known network has its figures, and half a second of its rate may wait.
#[test]
fn networks_have_their_figures() {
    let mut named = Impairments::default();
    named.set("network", "bad").unwrap();
    assert_eq!((named.delay, named.jitter), (ms(120), ms(60)));
    assert_eq!(named.loss, Some(Loss { share: 0.05, burst: Some(4.0) }));
    assert_eq!((named.duplicate, named.reorder), (0.005, 0.01));
    assert_eq!(named.rate, Some(Rate { bits: 1_000_000, queue: 62_500, payload: false }));
    for network in &NETWORKS {
        let mut named = Impairments::default();
        named.set("network", network.name).unwrap();
        assert!(named == network.impairments() && !named.is_none(), "{}", network.name);
        // A packet of normal size fits into an empty queue.
        let mut path = Path::new(1, 1, 0);
        let only = Impairments { rate: network.impairments().rate, ..Impairments::default() };
        assert_eq!(path.datagram(&only, 1500, Instant::now()).lost, None, "{}", network.name);
    }
}

/// The queue takes packets up to its last byte.
#[test]
fn a_queue_is_full_with_its_last_byte() {
    let rate = Some(Rate { bits: 8_000, queue: 100, payload: true });
    let impairments = Impairments { rate, ..Impairments::default() };
    let now = Instant::now();
    let lost = |sizes: &[usize]| {
        let mut path = Path::new(1, 1, 0);
        sizes.iter().map(|size| path.datagram(&impairments, *size, now).lost.is_some()).collect::<Vec<_>>()
    };
    assert_eq!(lost(&[100, 1]), [false, true]);
    assert_eq!(lost(&[101, 100]), [true, false], "what is lost takes no room");
    assert_eq!(lost(&[60, 40, 1]), [false, false, true]);
}

/// A packet that waits for the next one is sent in time even without it. The path then has no waiting packet.
#[test]
fn nobody_waits_for_a_packet_that_has_left() {
    let (now, mut queue) = (Instant::now(), queue::Queue::new(100));
    queue.push(7, now, Order::AfterNext, 10, "late").unwrap();
    queue.push(8, now, Order::Due, 10, "other").unwrap();
    assert_eq!((queue.has_after_next(7), queue.has_after_next(8)), (true, false));
    assert_eq!((queue.pop(now), queue.has_after_next(7)), (Some("other"), true));
    assert_eq!((queue.pop(now + ms(99)), queue.pop(now + ms(100))), (None, Some("late")));
    assert!(!queue.has_after_next(7) && queue.is_empty());
    // There is room for all again, and each path has its own order.
    queue.push(7, now, Order::AfterNext, 50, "first").unwrap();
    queue.push(7, now + ms(1), Order::Due, 50, "second").unwrap();
    assert_eq!(queue.push(9, now, Order::Due, 1, "too much"), Err("too much"));
    assert_eq!([0, 1, 1, 1].map(|n| queue.pop(now + ms(n))), [None, Some("second"), Some("first"), None]);
}

/// The state of a client is removed with it: its conversation, and the counts of rules.
#[test]
fn a_departed_client_leaves_nothing() {
    let options = crate::protocols::options();
    let rule = "message == heartbeat: after 1 ping_id=9";
    let rule = Rule::parse(rule, &crate::filter::Names::new(&options)).unwrap();
    let mut collector = Collector::new(Arc::new(RuleSet::new(vec![rule], 1)), false, None);
    let mut watch = Watch::new(&options, &mut collector);
    let server = SocketAddr::from(([127, 0, 0, 1], 7777));
    for port in 1..=2000 {
        for (direction, transport) in
            [(Direction::Up, Transport::Udp), (Direction::Down, Transport::Udp), (Direction::Up, Transport::Tcp)]
        {
            let ends = [SocketAddr::from(([127, 0, 0, 1], port)), server];
            match transport {
                Transport::Udp => _ = watch.datagram(ends, direction, &[5, 1], Time::micros(0, 0)),
                Transport::Tcp => {
                    watch.opened(ends, Time::micros(0, 0));
                    watch.bytes(ends, direction, &[3, 0, 0, 0], Time::micros(0, 0), Instant::now());
                    watch.forget(transport, ends);
                }
            }
        }
        assert_eq!(watch.conversations(), 1);
        watch.forget(Transport::Udp, [SocketAddr::from(([127, 0, 0, 1], port)), server]);
        assert_eq!(watch.conversations(), 0);
    }
    assert_eq!(collector.remembered(), 0);
}
