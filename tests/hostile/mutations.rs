//! Every fixture, cut, flipped and spliced; seeded, so that each run has the same input. `../damage.rs` has single
//! messages, cut at every length and with flipped bits.

use crate::common::Random;
use crate::{harness, seeds};
use netkit::protocols;

/// Mutates input.
trait Mutate {
    /// Flips bits, sets bytes to boundary values, inserts a part of `other`, removes or repeats a part.
    fn mutate(&mut self, seed: &[u8], other: &[u8]) -> Vec<u8>;
}

impl Mutate for Random {
    fn mutate(&mut self, seed: &[u8], other: &[u8]) -> Vec<u8> {
        let mut data = seed.to_vec();
        for _ in 0..1 + self.below(4) {
            let at = self.below(data.len() + 1);
            let to = (at + self.below(24)).min(data.len());
            match self.below(6) {
                0 if at < data.len() => data[at] ^= 1 << self.below(8),
                1 if at < data.len() => data[at] = [0, 1, 0x7f, 0x80, 0xfe, 0xff][self.below(6)],
                2 => {
                    let from = self.below(other.len() + 1);
                    let end = (from + self.below(64)).min(other.len());
                    data.splice(at..to, other[from..end].iter().copied());
                }
                3 => drop(data.drain(at..to)),
                4 => {
                    let again = data[at..to].to_vec();
                    data.splice(at..at, again);
                }
                _ => data.truncate(at),
            }
        }
        data
    }
}

/// Runs the seeds in turn, and mutations of them.
fn feed(name: &str, seeds: &[Vec<u8>], rounds: usize, mut run: impl FnMut(&[u8])) {
    assert!(!seeds.is_empty(), "{name}: no seeds");
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ name.len() as u64);
    for seed in seeds {
        run(seed);
    }
    for round in 0..rounds {
        let seed = &seeds[round * 7 % seeds.len()];
        let other = &seeds[random.below(seeds.len())];
        run(&random.mutate(seed, other));
    }
}

#[test]
fn captures() {
    let seeds: Vec<_> = seeds::captures().into_iter().filter(|c| c.len() < 4096).collect();
    let protos: Vec<Option<&str>> = protocols::ALL.iter().map(|d| Some(d.name())).chain([None]).collect();
    let mut sequence = 0;
    feed("captures", &seeds, 600, |data| {
        sequence += 1;
        harness::capture(data, protos[sequence % protos.len()]);
    });
    for end in 0..seeds[0].len() {
        harness::capture(&seeds[0][..end], None);
    }
}

#[test]
fn conversations() {
    for (proto, tcp) in [
        ("riptide", false),
        ("riptide", true),
        ("dnp", false),
        ("nano", true),
        ("gne", false),
        ("gne", true),
        ("acknex", false),
    ] {
        let seeds = match (proto, tcp) {
            ("gne", false) => seeds::conversations("gne", false),
            _ => seeds::conversations(proto, tcp),
        };
        let few: Vec<_> = seeds.into_iter().step_by(3).collect();
        feed(proto, &few, 400, |data| _ = harness::conversation(proto, tcp, data));
    }
}

#[test]
fn hex_texts() {
    feed("hex", &seeds::hex_texts(), 3000, |data| _ = harness::hex_text(data));
}

#[test]
fn schemas() {
    feed("schema", &seeds::schemas(), 300, |data| _ = harness::schema(data));
}

#[test]
fn described_protocols() {
    let seeds = seeds::described();
    assert!(seeds.len() >= 9, "{}", seeds.len());
    feed("described", &seeds, 1200, |data| _ = harness::described(data));
}

#[test]
fn protocol_files() {
    feed("protocol file", &seeds::protocol_files(), 300, |data| _ = harness::protocol_file(data));
}

#[test]
fn json_lines() {
    netkit::encode::deeply(|| feed("encode", &seeds::lines(), 400, |data| _ = harness::encode(data)))
        .expect("a thread");
}

#[test]
fn filters() {
    feed("filter", &seeds::filters(), 1500, |data| _ = harness::filter(data));
}
