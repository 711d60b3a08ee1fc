//! A server that receives malformed packets is not given up because of them.

use super::captured::{Kept, Line, options, packets, read, read_file};
use crate::common::{Random, fixture};

/// A capture with `count` broken datagrams of the client among the packets from `at` on: one after each `every`
/// packets, or all at once for 0.
fn tested(all: &[Kept], at: usize, count: usize, every: usize) -> Vec<Kept> {
    let client = all.iter().find(|kept| kept.dst.port() == 2300).expect("a client's packet").clone();
    let (mut r, mut list) = (Random(7), all[..at].to_vec());
    let mut left = count;
    for (k, kept) in all[at..].iter().enumerate() {
        list.push(kept.clone());
        let now = if every == 0 { left } else { usize::from(k % every == 0 && left > 0) };
        for _ in 0..now {
            let payload: Vec<u8> = (0..1 + r.below(20)).map(|_| 0x13 + r.below(40) as u8).collect();
            list.push(Kept { length: payload.len(), payload, time: kept.time, ..client.clone() });
            left -= 1;
        }
    }
    for (k, kept) in list.iter_mut().enumerate() {
        kept.frame = k as u64 + 1;
    }
    list
}

/// Whether they arrive at once or between others: if some messages of the server were valid, none of its messages is
/// lost.
#[test]
fn malformed_packets_of_clients() {
    for name in ["acknex-sim-fixed", "acknex-sim-le"] {
        let path = fixture(&format!("acknex/{name}.pcap"));
        let (plain, all) = (options(&path), packets(&path));
        let of_servers = |lines: &[Line]| lines.iter().filter(|line| line.from == "server").count();
        let whole = of_servers(&read_file(&all, &plain).0);
        assert!(whole > 100, "{name}: {whole}");
        for (at, every) in [(0, 1), (0, 5), (10, 0), (10, 1), (50, 0), (50, 2), (all.len() / 2, 0)] {
            let list = tested(&all, at, 72, every);
            let (lines, summary) = read_file(&list, &plain);
            let (live, _) = read(&list, &plain);
            let counts = [of_servers(&lines), of_servers(&live.lines)];
            assert_eq!(counts, [whole; 2], "{name}: from packet {at} on, after every {every}");
            assert_eq!(summary.counters.account.given_up, 0);
        }
    }
}
