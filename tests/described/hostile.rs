//! Hostile traffic and hostile files: no panic, bounded memory, and whatever decodes encodes to the same bytes.

use crate::common::Random;
use crate::described::cases::{CASES, pcap, toml};
use crate::described::run;
use netkit::dissect::inspector;
use netkit::dissect::{Message, Options, Role, Sink};
use netkit::encode::{Encoders, Entry, Source};
use netkit::protocols::described::{Described, load, mistakes};
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

/// Checks where the messages of one packet do not fit.
struct Fits {
    described: &'static Described,
    /// The length of the packet, and of its messages so far.
    length: usize,
    before: usize,
    /// The number of messages that do not fit.
    wrong: usize,
}

impl Sink for Fits {
    fn message(&mut self, message: &Message<'_>) {
        let misfit = self.described.misfit(message, self.before);
        let dissection = message.dissection;
        let codes = [".trailing", ".checksum"];
        let noted = dissection.notes.iter().any(|(note, _)| codes.iter().any(|code| note.code.ends_with(code)));
        let broken = dissection.fault.is_some() || dissection.message == "unknown";
        // Bytes after all messages are noted with each message, and count for the last one.
        let last = dissection.part.is_none_or(|(part, count)| part == count);
        assert!(misfit.is_some() || !(broken || noted && last), "{:?}", dissection.fault);
        if let Some(misfit) = misfit {
            assert!(broken || noted, "{misfit:?}");
            assert!(misfit.bit.is_none_or(|bit| bit as usize <= self.length * 8), "{misfit:?}");
            assert!(misfit.bits <= self.length as u64 * 8 && !misfit.what.is_empty(), "{misfit:?}");
            self.wrong += 1;
        }
        self.before += message.place.bytes.len();
    }
}

/// The packets of a case.
fn packets(case: &str, file: &str) -> Vec<Vec<u8>> {
    let reported = run(&["decode", &pcap(case), "-p", &toml(file), "-f", "ndjson", "--bytes"]);
    let mut packets: Vec<Vec<u8>> = Vec::new();
    for line in crate::described::cases::lines(&String::from_utf8(reported.stdout).unwrap()) {
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
    let datagrams = CASES.into_iter().filter(|(_, file)| !["io", "minecraft", "mqtt"].contains(file));
    for (case, file) in datagrams.chain([("dht", "dht"), ("ntp", "ntp")]) {
        let text = std::fs::read_to_string(toml(file)).unwrap();
        let described = load(file, &text).unwrap();
        let mut options = Options::new(netkit::protocols::registry().with(described));
        options.from = Some(Role::Server);
        let source = Source::new(options.registry.clone());
        let mut random = Random(7);
        let (mut whole, mut odd) = (0, 0);
        let packets = packets(case, file);
        for packet in packets.iter().step_by(if packets.len() < 30 { 1 } else { 3 }) {
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
                let mut fits = Fits { described, length: damaged.len(), before: 0, wrong: 0 };
                inspector::dump(described, &damaged, &options, &mut Default::default(), &mut fits);
                odd += fits.wrong;
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
        assert!(whole > 20 && odd > 10, "{case}: {odd}");
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
            // `check` reports the loader's mistake, and maybe more.
            let all = mistakes("x.toml", &words.concat());
            match load("x.toml", &words.concat()) {
                Ok(_) => assert!(all.is_empty(), "{all:?}"),
                Err(error) => {
                    assert!(error.line >= 1 && !error.reason.is_empty(), "{error}");
                    assert!(all.contains(&error), "{error}: {all:?}");
                    assert!(all.iter().all(|mistake| mistake.line >= 1 && !mistake.reason.is_empty()), "{all:?}");
                }
            }
        }
    }
}
