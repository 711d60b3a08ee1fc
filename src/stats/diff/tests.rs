//! Limits for every figure.

use super::*;
use crate::capture::{Decoded, Packets};
use crate::dissect::{Inspector, Options};
use crate::flow::{Caps, Table};
use crate::protocols;
use crate::stats::Wanted;
use crate::stats::metric::compared;

/// A capture's statistics, as diff counts them.
fn counted(proto: &str, name: &str) -> Stats {
    let options = Options { proto: Some(proto.into()), ..protocols::options() };
    let mut stats = Stats::new(&options, Wanted { rows: false, fields: true });
    let file = std::fs::File::open(format!("fixtures/{name}")).expect("a file");
    let mut packets = Packets::open(Box::new(file)).expect("a capture");
    let mut inspector = Inspector::new(&options, &mut stats);
    let mut flows = Table::new(Caps::default());
    while let Some(item) = packets.next().expect("read") {
        if let Decoded::Packet(packet) = item.decoded {
            flows.packet(&packet, &mut inspector);
        }
    }
    flows.finish(&mut inspector);
    stats
}

/// Every figure in every unit: a limit below the change from one capture to the other is broken, one above it is not.
/// The test calculates the changes from the two values.
#[test]
fn every_figure_can_break_its_limit_in_every_unit() {
    let pairs = [
        ("riptide", "riptide/riptide22-gap40-serverleg.pcap", "riptide/riptide22-gap40.pcap"),
        ("riptide", "riptide/riptide22-gap40.pcap", "riptide/riptide22-gap40-serverleg.pcap"),
        ("riptide", "riptide/riptide20-udp.pcap", "riptide/riptide22-lossy.pcap"),
        ("riptide", "riptide/riptide20-udp.pcap", "dnp/dnp-sim-wrap.pcap"),
        ("dnp", "dnp/dnp-lossy.pcap", "dnp/dnp-sim-wrap.pcap"),
        ("nano", "nano/nano-tcp.pcap", "nano/nano-tcp-bad.pcap"),
        ("nano", "nano/nano-tcp-bad.pcap", "nano/nano-tcp.pcap"),
        ("gne", "gne/gne-le-tcponly.pcap", "gne/gne-edge.pcap"),
    ];
    let mut held = BTreeSet::new();
    for (proto, a, b) in pairs {
        let (a, b) = (counted(proto, a), counted(proto, b));
        let holds = |a: &Stats, b: &Stats, limit: &str| {
            let limit: Limit = limit.parse().unwrap_or_else(|why| panic!("{limit}: {why}"));
            compare(a, b, &[limit]).limits[0].broken == 0
        };
        for figure in compared() {
            let any: Limit = format!("{} > 0", figure.name).parse().expect("a limit");
            let found = compare(&a, &b, &[any]);
            for row in found.differences.iter().filter(|row| row.broken.is_some()) {
                let Change::Figure(_, from, to) = row.change else { panic!("{row:?}") };
                let who = row.of.replace(" from the ", ".");
                if who.contains(' ') {
                    continue;
                }
                let changes = [
                    ("%", (to - from) / from * 100.0),
                    ("x", to / from),
                    ("pp", (to - from) * 100.0),
                    ("s", (to - from) / 1000.0),
                    ("ms", to - from),
                    ("messages", to - from),
                    ("/s", to - from),
                    ("bytes", to - from),
                    ("bytes/s", to - from),
                ];
                for unit in figure.units() {
                    let (word, change) = changes.into_iter().find(|(word, _)| *word == unit.name()).expect("a unit");
                    let limit = |amount: f64| format!("{who}.{} > {amount:.9}{word}", figure.name);
                    // A rise from 0 exceeds every multiple; then the limit must hold for the reverse, a fall.
                    let endless = change.is_infinite();
                    let below = if endless { 1000.0 } else { change * 0.999 };
                    let below = limit(if word == "x" { below.max(1.0) } else { below });
                    assert!(!holds(&a, &b, &below), "{below} of {from}, {to}");
                    let above = change * 1.001;
                    if endless {
                        assert!(holds(&b, &a, &below), "{below} of {to}, {from}");
                    } else if word != "pp" || above < 100.0 {
                        assert!(holds(&a, &b, &limit(above)), "{} of {from}, {to}", limit(above));
                    }
                    held.insert((figure.name, word));
                }
            }
        }
    }
    let all = compared().flat_map(|figure| figure.units().iter().map(|unit| (figure.name, unit.name())));
    let missing: Vec<_> = all.filter(|pair| !held.contains(pair)).collect();
    assert!(missing.is_empty(), "no pair of captures breaks {missing:?}");
}
