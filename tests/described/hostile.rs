//! Hostile traffic and hostile files: no panic, no unbounded memory, and what decodes is given back.

use crate::cases::{CASES, pcap, toml};
use crate::common::Random;
use crate::run;
use netkit::dissect::inspector;
use netkit::dissect::{Message, Options, Role, Sink};
use netkit::encode::{Encoders, Entry, Source};
use netkit::protocols::described::load;
use netkit::render::Ndjson;
use serde_json::Value as Json;

#[derive(Default)]
struct Lines(Vec<Json>);

impl Sink for Lines {
    fn message(&mut self, message: &Message<'_>) {
        let mut line = Vec::new();
        Ndjson::new(true).message(message, &mut line);
        self.0.push(serde_json::from_slice(&line).expect("JSON"));
    }
}

/// Packets of a case.
fn packets(case: &str, file: &str) -> Vec<Vec<u8>> {
    let told = run(&["decode", &pcap(case), "-p", &toml(file), "-f", "ndjson", "--bytes"]);
    let mut packets: Vec<Vec<u8>> = Vec::new();
    for line in crate::cases::lines(&String::from_utf8(told.stdout).unwrap()) {
        let bytes = hex::decode(line["bytes"].as_str().unwrap()).unwrap();
        match line["part"][0].as_u64() {
            Some(2..) => packets.last_mut().unwrap().extend(bytes),
            _ => packets.push(bytes),
        }
    }
    packets
}

#[test]
fn damaged_packets_are_read_and_given_back() {
    for (case, file) in CASES.into_iter().filter(|(_, file)| !["io", "minecraft", "mqtt"].contains(file)) {
        let text = std::fs::read_to_string(toml(file)).unwrap();
        let described = load(file, &text).unwrap();
        let mut options = Options::new(netkit::protocols::registry().with(described));
        options.from = Some(Role::Server);
        let source = Source::new(options.registry.clone());
        let mut random = Random(7);
        let mut whole = 0;
        for packet in packets(case, file).iter().step_by(3) {
            for _ in 0..4 {
                let mut damaged = packet.clone();
                match random.below(3) {
                    0 => damaged.truncate(random.below(packet.len() + 1)),
                    1 => damaged.extend((0..random.below(9)).map(|k| k as u8)),
                    _ => {
                        let at = random.below(packet.len());
                        damaged[at] ^= 1 << random.below(8);
                    }
                }
                let mut lines = Lines::default();
                inspector::dump(described, &damaged, &options, &mut Default::default(), &mut lines);
                assert!(!lines.0.is_empty(), "{case}: no packet vanishes: {}", hex::encode(&damaged));
                let bytes: String = lines.0.iter().map(|line| line["bytes"].as_str().unwrap()).collect();
                assert_eq!(bytes, hex::encode(&damaged), "{case}");
                let mut encoders = Encoders::new(&options);
                let mut back = Err("nothing".to_string());
                for line in &lines.0 {
                    let entry = Entry::new(line.clone(), &source).unwrap_or_else(|why| panic!("{case}: {why}: {line}"));
                    back = encoders.part(&entry).map_err(|why| why.to_string());
                }
                whole += 1;
                let back = back.map(|bytes| bytes.map(hex::encode));
                assert_eq!(back, Ok(Some(hex::encode(&damaged))), "{case}: {:?}", lines.0);
            }
        }
        assert!(whole > 20, "{case}");
    }
}

#[test]
fn any_file_ends_in_a_protocol_or_a_mistake() {
    let mut random = Random(3);
    for (_, file) in CASES {
        let text = std::fs::read_to_string(toml(file)).unwrap();
        let words: Vec<&str> = text.split_inclusive([' ', '\n', '"']).collect();
        for _ in 0..60 {
            let mut words = words.clone();
            for _ in 0..=random.below(3) {
                let (a, b) = (random.below(words.len()), random.below(words.len()));
                match random.below(3) {
                    0 => words.swap(a, b),
                    1 => words[a] = words[b],
                    _ => _ = words.remove(a),
                }
            }
            if let Err(error) = load("x.toml", &words.concat()) {
                assert!(error.line >= 1 && !error.reason.is_empty(), "{error}");
            }
        }
    }
}
