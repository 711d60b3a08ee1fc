//! The bytes that show losses, compared with the segments that a scripted network dropped.

use super::*;
use crate::random::Random;
use std::collections::BTreeSet;

fn losses(resent: u64, filled: u64, missing: u64) -> StreamLosses {
    StreamLosses { resent, filled, missing, ..StreamLosses::default() }
}

/// The losses of A's direction, and nothing of B's.
fn shown(lab: &mut Lab) -> StreamLosses {
    lab.finish();
    let [a, b] = lab.recorder.losses;
    assert_eq!(b, StreamLosses::default());
    assert_eq!(a.missing > 0, a.missing_until.is_some());
    StreamLosses { missing_until: None, end: false, ..a }
}

#[test]
fn each_kind_of_loss() {
    let mut lab = Lab::open();
    lab.a(0, b"abc");
    // Resent, with new bytes at the end; then within the bytes that wait after a gap.
    lab.a(1, b"bcde");
    lab.a(8, b"ijk");
    lab.a(9, b"jkl");
    // The gap is filled.
    lab.a(5, b"fgh");
    // 12 to 14 are acknowledged and never come.
    lab.a(15, b"pq");
    lab.ack(17);
    lab.a(17, b"r");
    assert_eq!(shown(&mut lab), losses(2 + 2, 3, 3));
}

/// The end of a stream is resent after its FIN was captured.
#[test]
fn bytes_resent_after_the_end() {
    let mut lab = Lab::open();
    lab.a(0, b"abc");
    lab.a(3, b"def");
    lab.fin(6);
    lab.a(3, b"def");
    lab.fin(6);
    lab.a(3, b"def");
    assert_eq!(shown(&mut lab), losses(6, 0, 0));
}

/// A probe of an idle connection repeats its last byte, or sends none; bytes before the capture's first are not known.
#[test]
fn probes_and_earlier_bytes_are_no_losses() {
    let mut lab = Lab::open();
    lab.a(0, b"abc");
    lab.a(2, b"c");
    lab.a(3, b"");
    lab.fin(3);
    lab.fin(3);
    assert_eq!(shown(&mut lab), StreamLosses::default());
    let mut lab = Lab::new();
    lab.a(10, b"abc");
    lab.a(7, b"xyz");
    assert_eq!(shown(&mut lab), StreamLosses::default());
}

/// A sender resends what was not acknowledged. The network drops segments before and after the capture point.
#[test]
fn a_network_with_known_losses() {
    for seed in 0..200 {
        let mut random = Random::of(seed, &[]);
        let shares = [random.unit() * 0.3, random.unit() * 0.3];
        let (mut lab, mut arrived, mut captured) = (Lab::open(), BTreeSet::new(), BTreeSet::new());
        let (mut truth, mut dropped) = (StreamLosses::default(), 0);
        while arrived.len() < 100 {
            // Ten segments of two bytes at once, and their acknowledgement.
            let open: Vec<u32> = (0..100).filter(|at| !arrived.contains(at)).take(10).collect();
            for at in open {
                if random.unit() < shares[0] {
                    continue;
                }
                lab.a(at * 2, b"ab");
                match captured.insert(at) {
                    false => truth.resent += 2,
                    true => truth.filled += if captured.last() > Some(&at) { 2 } else { 0 },
                }
                match random.unit() < shares[1] {
                    true => dropped += 2,
                    false => drop(arrived.insert(at)),
                }
            }
            let next = (0..100).find(|at| !arrived.contains(at)).unwrap_or(100);
            lab.ack(next * 2);
        }
        let found = shown(&mut lab);
        assert_eq!(found, truth, "{seed}");
        // Nothing was resent too soon.
        assert_eq!(found.resent, dropped, "{seed}");
    }
}

/// Bytes that no segment in the capture has, at the end of the stream or before its last bytes: all of them, and those
/// that the receiver acknowledged.
#[test]
fn bytes_missing_at_the_end() {
    let cut = |lab: &mut Lab| lab.tcp(Side::A, Segment { length: 4, ..bytes(ISN[0] + 1, b"") });
    let check = |what: &str, then: &dyn Fn(&mut Lab), all: u64, acked: u64| {
        let mut lab = Lab::open();
        then(&mut lab);
        assert_eq!(shown(&mut lab), losses(0, 0, acked), "{what}");
        assert_eq!(lab.statistics().missing_bytes, all, "{what}");
        lab.recorder.missing_at_end[0]
    };
    for (what, then, all, acked) in [
        (
            "a FIN after five bytes, all acknowledged",
            &(|lab: &mut Lab| (lab.fin(5), lab.ack(6)).1) as &dyn Fn(&mut Lab),
            5,
            5,
        ),
        ("two of them acknowledged", &|lab| (lab.fin(5), lab.ack(2)).1, 5, 2),
        ("none acknowledged", &|lab| lab.fin(5), 5, 0),
        // The last one may be the FIN, which counts as a byte.
        ("five acknowledged, and no FIN in the capture", &|lab| lab.ack(5), 4, 4),
        ("the FIN acknowledged, which is not in the capture", &|lab| lab.ack(1), 0, 0),
        ("four bytes cut off by the snap length", &|lab| (cut(lab), lab.ack(4)).1, 4, 0),
        ("and four after them not captured at all", &|lab| (cut(lab), lab.ack(9)).1, 8, 4),
    ] {
        assert_eq!(check(what, then, all, acked), all, "{what}");
    }
    // They are before other bytes, so that the last one is no FIN.
    let before_a_sixth = |lab: &mut Lab| {
        lab.a(6, b"g");
        lab.ack(5);
    };
    assert_eq!(check("five acknowledged, before a sixth", &before_a_sixth, 6, 5), 0);
}

/// Of a direction without any segment with bytes, acknowledgements show how many there were.
#[test]
fn bytes_of_a_direction_that_is_not_in_the_capture() {
    for (first, acked, missing) in [
        (0, &[0, 0][..], 0),
        // The last one may be the FIN.
        (0, &[1], 0),
        (0, &[3, 3, 8], 7),
        (u32::MAX - 1, &[3, 1, 8], 9),
        // Far from the others.
        (0, &[8, 1 << 31], 7),
    ] {
        let mut lab = Lab::new();
        lab.a(0, b"");
        lab.ack(first);
        acked.iter().for_each(|ack| lab.ack(*ack));
        assert_eq!(shown(&mut lab), losses(0, 0, missing), "{first} {acked:?}");
    }
    // The first byte in the capture is where the stream begins.
    let mut lab = Lab::new();
    lab.a(0, b"");
    lab.ack(0);
    lab.ack(8);
    lab.a(8, b"abc");
    lab.ack(11);
    assert_eq!(shown(&mut lab), StreamLosses::default());
}
