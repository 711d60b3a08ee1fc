//! The bytes that show losses, compared with the segments that a scripted network dropped.

use super::*;
use crate::random::Random;
use std::collections::BTreeSet;

fn losses(resent: u64, filled: u64, missing: u64) -> StreamLosses {
    StreamLosses { resent, filled, missing }
}

/// The losses of A's direction, and nothing of B's.
fn shown(lab: &mut Lab) -> StreamLosses {
    lab.finish();
    let [a, b] = lab.recorder.losses;
    assert_eq!(b, StreamLosses::default());
    a
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
