//! Tests of delays, rates and times without a network, against calculated values on a simulated clock.

use super::super::jitter::Jitter;
use super::*;

/// Returns the milliseconds that packets take beyond the delay. They arrive at intervals of `every` microseconds. No
/// packet may overtake another.
fn added(impairments: &Impairments, every: u64, count: u64, seed: u64) -> Vec<f64> {
    let (start, mut path) = (Instant::now(), Path::new(seed, 1, 0));
    let mut last = start;
    let late = (0..count).filter_map(|n| {
        let now = start + Duration::from_micros(n * every);
        let outcome = path.datagram(impairments, 40, now);
        if outcome.lost.is_some() {
            return None;
        }
        assert!(outcome.due >= now + impairments.delay && (outcome.due >= last || impairments.overtakes), "packet {n}");
        last = outcome.due;
        Some((outcome.due - now - impairments.delay).as_secs_f64() * 1e3)
    });
    late.collect()
}

/// Returns the mean, the median and the 99th percentile.
fn figures(mut late: Vec<f64>) -> [f64; 3] {
    late.sort_by(f64::total_cmp);
    let at = |share: f64| late[((late.len() - 1) as f64 * share) as usize];
    [late.iter().sum::<f64>() / late.len() as f64, at(0.5), at(0.99)]
}

fn within(got: f64, want: f64, share: f64, what: &str) {
    assert!((got / want - 1.0).abs() <= share, "{what}: {got:.3} for {want:.3}");
}

/// The mean and the quantiles are those of an exponential distribution, at any packet rate. Each run takes 20 minutes,
/// in which the level is renewed 10,000 times.
#[test]
fn jitter_does_not_depend_on_the_rate_of_packets() {
    let impairments = Impairments { delay: ms(60), jitter: ms(15), ..Impairments::default() };
    for rate in [10, 50, 200, 1000, 5000] {
        let [mean, p50, p99] = figures(added(&impairments, 1_000_000 / rate, rate * 1200, 3));
        within(mean, 15.0, 0.05, &format!("mean at {rate}/s"));
        within(p50, 15.0 * std::f64::consts::LN_2, 0.05, &format!("p50 at {rate}/s"));
        within(p99, 15.0 * 100f64.ln(), 0.05, &format!("p99 at {rate}/s"));
    }
}

/// A packet's jitter is similar to that of the packet before it, and independent of that of a packet a second later.
#[test]
fn jitter_is_correlated() {
    let impairments = Impairments { jitter: ms(15), ..Impairments::default() };
    let late = added(&impairments, 5000, 200_000, 1);
    let mean = late.iter().sum::<f64>() / late.len() as f64;
    let covariance = |lag: usize| {
        let pairs = late.iter().zip(&late[lag..]);
        pairs.map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / (late.len() - lag) as f64
    };
    let of = |lag| covariance(lag) / covariance(0);
    // exp(-t / 120 ms), as documented.
    for (lag, want) in [(1, 0.959), (12, 0.607), (24, 0.368)] {
        assert!((of(lag) - want).abs() < 0.06, "{lag}: {}", of(lag));
    }
    assert!(of(200).abs() < 0.06, "{}", of(200));
}

/// As in netem: the same distribution, independent for each packet.
#[test]
fn jitter_that_reorders() {
    let mut impairments = Impairments::default();
    impairments.set("jitter-reorder", "15ms").unwrap();
    let late = added(&impairments, 1000, 200_000, 4);
    let overtaken = late.windows(2).filter(|pair| pair[1] + 1.0 < pair[0]).count() as f64 / late.len() as f64;
    let [mean, _, p99] = figures(late);
    within(mean, 15.0, 0.01, "mean");
    within(p99, 15.0 * 100f64.ln(), 0.03, "p99");
    // The difference of two such times exceeds 1 ms with a probability of half of exp(-1/15).
    within(overtaken, 0.5 * (-1.0f64 / 15.0).exp(), 0.02, "overtaken");
    impairments.set("jitter", "15ms").unwrap();
    assert!(!impairments.overtakes);
}

/// A measured distribution keeps its quantiles and the order of packets.
#[test]
fn quantiles_are_a_distribution_above_the_delay() {
    let known: std::sync::Arc<[Duration]> = [0, 1, 2, 4, 100].map(ms).into();
    let quantiles = Some(Quantiles::new(known));
    let impairments = Impairments { delay: ms(10), quantiles, ..Impairments::default() };
    // Linear interpolation between the quantiles: the mean of their middles.
    let want = [(0.5 + 1.5 + 3.0 + 52.0) / 4.0, 2.0, 96.16];
    let expected = impairments.expected_delay();
    assert_eq!([expected.p50, expected.p99], [ms(12), Duration::from_micros(106_160)]);
    for every in [100_000, 5000, 1000] {
        let [mean, p50, p99] = figures(added(&impairments, every, 3_000_000_000 / every, 5));
        within(mean, want[0], 0.05, &format!("mean, every {every} us"));
        within(p50, want[1], 0.05, &format!("p50, every {every} us"));
        within(p99, want[2], 0.05, &format!("p99, every {every} us"));
    }
}

/// The documented figures are those of the networks, and packets show them.
#[test]
fn the_page_has_the_networks() {
    let page = include_str!("../../../docs/impairments.md");
    for network in &NETWORKS {
        let row = page.lines().find(|line| line.starts_with(&format!("| {} |", network.name))).expect(network.name);
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let number = |at: usize, unit: &str| -> f64 {
            let text = cells[at].strip_suffix(unit).unwrap_or_else(|| panic!("{at}: {row}"));
            text.trim().parse().unwrap_or_else(|_| panic!("{at}: {row}"))
        };
        let impairments = network.impairments();
        let [delay, jitter] = network.times;
        assert_eq!([number(2, "ms"), number(3, "ms")], [delay as f64, jitter as f64]);
        assert_eq!(number(10, "mbit") * 1e6, network.bits as f64);
        let odd = [8, 9].map(|at| if cells[at].is_empty() { 0.0 } else { number(at, "%") / 100.0 });
        assert_eq!(odd, network.odd);
        for rate in [10, 50, 200, 1000] {
            let count = rate * 1800;
            let late = added(&impairments, 1_000_000 / rate, count, 7);
            // The rate adds the time for 68 bytes on the wire.
            let wire = 68.0 * 8e3 / network.bits as f64;
            let [mean, _, p99] = figures(late.iter().map(|late| late + delay as f64 - wire).collect());
            within(mean, number(4, "ms"), 0.05, &format!("{}, mean at {rate}/s", network.name));
            within(p99, number(5, "ms"), 0.05, &format!("{}, p99 at {rate}/s", network.name));
            if rate == 1000 {
                let lost = 1.0 - late.len() as f64 / count as f64;
                within(lost, number(6, "%") / 100.0, 0.05, &format!("{}, loss", network.name));
            }
        }
        let mut path = Path::new(7, 1, 0);
        let start = Instant::now();
        let outcomes: Vec<PacketOutcome> =
            (0..1_000_000).map(|n| path.datagram(&impairments, 1, start + ms(n))).collect();
        let runs = outcomes.iter().filter(|outcome| outcome.run).count() as f64;
        let lost = outcomes.iter().filter(|outcome| outcome.lost.is_some()).count() as f64;
        within(lost / runs, number(7, ""), 0.05, &format!("{}, run", network.name));
        assert_eq!(super::rows(&outcomes).len() as f64, runs);
    }
}

/// Bits per second on the wire, or of payloads. Packets without room in the queue are lost.
#[test]
fn a_rate_and_its_queue() {
    let rate = |payload, queue| {
        let rate = Some(Rate { bits: 8_000, queue, payload });
        Impairments { rate, ..Impairments::default() }
    };
    let start = Instant::now();
    let mut path = Path::new(1, 1, 0);
    let outcomes: Vec<PacketOutcome> = (0..4).map(|_| path.datagram(&rate(true, 2_500), 1000, start)).collect();
    // A thousand bytes a second; the queue has room for two and a half.
    assert_eq!([outcomes[0].due, outcomes[1].due], [start + ms(1000), start + ms(2000)]);
    assert_eq!([outcomes[2].lost, outcomes[3].lost], [Some(Lost::QueueFull); 2]);
    assert_eq!(path.datagram(&rate(true, 2_500), 1000, start + ms(1500)).due, start + ms(3000));
    // A copy takes time and room, too.
    assert_eq!(path.again(&rate(true, 2_500), 1001, start + ms(1500)), None);
    assert_eq!(path.again(&rate(true, 2_500), 500, start + ms(2000)), Some(start + ms(3500)));
    // 20 bytes of IPv4 or 40 of IPv6, and 8 of UDP.
    let v6 = Path::new(1, 1, 0).towards("::1".parse().unwrap(), start);
    for (mut path, headers) in [(Path::new(1, 1, 0), 28), (v6, 48)] {
        assert_eq!(path.datagram(&rate(false, 2_500), 1000, start).due, start + ms(1000 + headers));
    }
    // A stream waits instead; each 1,460 bytes have headers of 40.
    let mut path = Path::new(1, 1, 0);
    let due = |path: &mut Path, payload, bytes| path.chunk(&rate(payload, 100), bytes, start).map(|(due, _)| due);
    assert_eq!((0..4).filter_map(|_| due(&mut path, true, 1000)).last(), Some(start + ms(4000)));
    assert_eq!(due(&mut path, false, 1461), Some(start + ms(4000 + 1461 + 80)));
}

/// The measured rate is the requested one.
#[test]
fn the_rate_that_is_measured() {
    let rate = Some(Rate { bits: 64_000, queue: 4096, payload: false });
    let impairments = Impairments { rate, ..Impairments::default() };
    let (start, mut path) = (Instant::now(), Path::new(1, 1, 0));
    let mut most = 0.0f64;
    for n in 0..20_000 {
        // 100 packets a second of 300 bytes each: 262 kbit/s.
        let outcome = path.datagram(&impairments, 300, start + ms(10 * n));
        if outcome.lost.is_none() {
            let bytes = path.datagram_on_wire(300);
            most = path.measure(bytes, outcome.due).map_or(most, |bits| bits.max(most));
        }
    }
    within(most, 64_000.0, 0.001, "bits");
}

/// Two seconds in thirty, for all clients at once, at any packet rate.
#[test]
fn outages() {
    let mut impairments = Impairments { delay: ms(5), ..Impairments::default() };
    impairments.set("outage", "2s/30s").unwrap();
    let start = Instant::now();
    let mut path = Path::new(1, 1, 0).towards("127.0.0.1".parse().unwrap(), start);
    for n in 0..9000 {
        let outcome = path.datagram(&impairments, 10, start + ms(10 * n));
        let out = (n * 10) % 30_000 >= 28_000;
        assert_eq!(outcome.lost, out.then_some(Lost::Outage), "{n}");
    }
    // A later client has the same outages.
    let mut late = Path::new(1, 2, 0).towards("127.0.0.1".parse().unwrap(), start);
    assert_eq!(late.datagram(&impairments, 10, start + ms(29_000)).lost, Some(Lost::Outage));
    // A stream continues after the outage, in order.
    let mut path = Path::new(1, 3, 0).towards("127.0.0.1".parse().unwrap(), start);
    let mut due = |at| path.chunk(&impairments, 10, start + ms(at)).unwrap().0 - start;
    assert_eq!([27_990, 28_000, 29_900, 30_000].map(&mut due), [27_995, 30_005, 30_005, 30_005].map(ms));
    assert_eq!(due(30_001), ms(30_006));
}

/// However long nothing was sent, the next level is there at once.
#[test]
fn silence_costs_no_steps() {
    let (mut jitter, start) = (Jitter::new(crate::random::Random::of(1, &[])), Instant::now());
    for day in 1..=3 {
        let level = jitter.level(Duration::from_nanos(1), start + Duration::from_secs(86_400 * day));
        assert!(level.is_finite() && level > 0.0, "{level}");
    }
}

/// One bit of the requested share of packets is flipped, at any position.
#[test]
fn corruption() {
    let impairments = Impairments { corrupt: 0.1, ..Impairments::default() };
    let (start, mut path, mut flipped, mut bits) = (Instant::now(), Path::new(2, 1, 0), 0.0, [0; 32]);
    for _ in 0..COUNT {
        let Some(number) = path.datagram(&impairments, 4, start).corrupt else { continue };
        let mut bytes = [0u8; 4];
        corrupt(&mut bytes, number);
        let value = u32::from_le_bytes(bytes);
        assert_eq!(value.count_ones(), 1);
        bits[value.trailing_zeros() as usize] += 1;
        flipped += 1.0;
    }
    let (mean, sigma) = (COUNT as f64 * 0.1, (COUNT as f64 * 0.1 * 0.9).sqrt());
    assert!((flipped - mean).abs() < 3.0 * sigma, "{flipped}");
    assert!(bits.iter().all(|count| (30..100).contains(count)), "{bits:?}");
    let mut bytes = [0xff; 4];
    corrupt(&mut bytes, 9);
    assert_eq!(bytes, [0xff, 0xfd, 0xff, 0xff], "a bit that is set");
    corrupt(&mut [], 7);
}

/// A duplicated packet is sent after the next one together with its copy.
#[test]
fn copies_are_put_out_of_order_together() {
    let start = Instant::now();
    let mut queue = Queue::new(1000);
    for (order, name) in
        [(Order::AfterNext, "a"), (Order::Copy, "a again"), (Order::Due, "b"), (Order::Copy, "b again")]
    {
        queue.push(1, start, order, 10, name).unwrap();
    }
    assert!(!queue.has_after_next(1));
    let all: Vec<&str> = std::iter::from_fn(|| queue.pop(start)).collect();
    assert_eq!(all, ["b", "a", "a again", "b again"]);
    // Without a later packet they are still sent.
    queue.push(1, start, Order::AfterNext, 10, "c").unwrap();
    queue.push(1, start, Order::Copy, 10, "c again").unwrap();
    assert_eq!((queue.pop(start + ms(99)), queue.bytes()), (None, 20));
    assert_eq!([0; 3].map(|_| queue.pop(start + ms(100))), [Some("c"), Some("c again"), None]);
    assert!(!queue.has_after_next(1) && queue.is_empty() && queue.bytes() == 0);
}
