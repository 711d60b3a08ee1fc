//! A foundry of near misses: random conversations of other protocols, at every default port. No protocol claims one.
//!
//! `NETKIT_FOUNDRY=300000 cargo test --release --test behaviour foundry -- --nocapture` makes this number of each
//! kind, spread over the ports, and prints each claim with its bits and the resulting bound. `NETKIT_FOUNDRY_OF=quake`
//! makes the kinds of this name alone.

use super::captured::Kept;
use super::generators::{Exchange, GENERATORS, Generator};
use crate::common::{Random, ends_in, entries, fixture};
use netkit::capture::{Segment, Time};
use netkit::dissect::{Decision, Evidence, Inspector, Message, Observation, Options, Sink};
use netkit::flow::{Caps, Table, Transport};
use std::net::{IpAddr, SocketAddr};

/// The default server ports of the five protocols, and a port of none.
const PORTS: [u16; 6] = [7777, 3413, 2300, 3250, 4950, 41_000];
/// The number of conversations of each kind at each port.
const EACH: usize = 2000;
/// The number of conversations in one flow table.
const BATCH: usize = 250;

/// The packets of a conversation.
fn packets(message: Exchange, transport: Transport, number: usize, port: u16, all: &mut Vec<Kept>) {
    let [high, low] = (number as u16).to_be_bytes();
    let client = SocketAddr::from(([10, 1, high, low], 50_123));
    let server = SocketAddr::from(([10, 2, high, low], port));
    // Every other stream lacks its beginning.
    let begun = number.is_multiple_of(2);
    let mut sent = [1u32; 2];
    let mut push = |by_client: bool, segment: Option<Segment<'static>>, payload: Vec<u8>| {
        let (src, dst) = if by_client { (client, server) } else { (server, client) };
        let frame = all.len() as u64 + 1;
        let (time, length) = (Time::micros(frame as i64 * 1000, 0), payload.len());
        all.push(Kept { frame, time, src, dst, segment, payload, length });
    };
    if transport == Transport::Tcp && begun {
        push(true, Some(Segment { syn: true, ..Segment::default() }), Vec::new());
        push(false, Some(Segment { syn: true, has_ack: true, ack: 1, ..Segment::default() }), Vec::new());
    }
    for (by_client, payload) in message {
        let k = by_client as usize;
        let segment = (transport == Transport::Tcp).then(|| Segment {
            seq: sent[k],
            ack: sent[1 - k],
            has_ack: true,
            ..Segment::default()
        });
        sent[k] += payload.len() as u32;
        push(by_client, segment, payload);
    }
}

/// The messages of the conversation with this number.
fn message(index: usize, generator: &Generator, port: u16, number: usize) -> Exchange {
    let seed = (index as u64) << 40 | u64::from(port) << 24 | number as u64;
    (generator.make)(&mut Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
}

/// The same as text, to help correct a rule.
fn shown(index: usize, generator: &Generator, port: u16, number: usize) -> String {
    let one =
        |(by_client, bytes): (bool, Vec<u8>)| format!("{} {}\n", if by_client { '>' } else { '<' }, hex::encode(bytes));
    message(index, generator, port, number).into_iter().map(one).collect()
}

/// A conversation that a protocol claims: its number, and the bits with their reason.
struct Claim {
    number: usize,
    proto: &'static str,
    bits: u32,
    why: &'static str,
}

/// The claims of one flow table.
struct Claims<'a> {
    options: &'a Options,
    all: Vec<Claim>,
}

impl Sink for Claims<'_> {
    fn message(&mut self, _: &Message<'_>) {}

    fn decided(&mut self, decision: &Decision<'_>) {
        let Some((proto, why)) = decision.taken else { return };
        let observation = Observation::again(decision, self.options);
        let bits = match self.options.registry.by_name(proto).map(|dissector| dissector.identify(&observation)) {
            Some(Evidence::Bits(bits, _)) => bits,
            _ => 0,
        };
        let number = match decision.ends[0].ip() {
            IpAddr::V4(ip) => usize::from(ip.octets()[2]) << 8 | usize::from(ip.octets()[3]),
            IpAddr::V6(_) => 0,
        };
        self.all.push(Claim { number, proto, bits, why });
    }
}

/// Makes `count` conversations at a port; returns those that were claimed.
fn claimed(index: usize, generator: &Generator, port: u16, count: usize, options: &Options) -> Vec<Claim> {
    let mut found = Vec::new();
    for batch in (0..count).step_by(BATCH) {
        let mut all = Vec::new();
        for number in batch..count.min(batch + BATCH) {
            packets(message(index, generator, port, number), generator.transport, number - batch, port, &mut all);
        }
        let mut claims = Claims { options, all: Vec::new() };
        let mut inspector = Inspector::new(options, &mut claims);
        let mut table = Table::new(Caps::default());
        all.iter().for_each(|kept| table.packet(&kept.packet(), &mut inspector));
        table.finish(&mut inspector);
        found.extend(claims.all.into_iter().map(|claim| Claim { number: batch + claim.number, ..claim }));
    }
    found
}

#[test]
fn nobody_claims_near_misses() {
    let asked = std::env::var("NETKIT_FOUNDRY").ok().and_then(|text| text.parse::<usize>().ok());
    let each = asked.map_or(EACH, |all| all.div_ceil(PORTS.len()));
    let next = std::sync::atomic::AtomicUsize::new(0);
    let done = std::sync::Mutex::new(Vec::new());
    let of = std::env::var("NETKIT_FOUNDRY_OF").ok();
    let options = netkit::protocols::options();
    let work = || {
        while let Some((index, generator)) = {
            let k = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            GENERATORS.get(k).map(|generator| (k, generator))
        } {
            if of.as_ref().is_some_and(|of| !generator.name.contains(of.as_str())) {
                continue;
            }
            let (mut count, mut text) = (0, String::new());
            for port in PORTS {
                for Claim { number, proto, bits, why } in claimed(index, generator, port, each, &options) {
                    let hex = shown(index, generator, port, number);
                    text += &format!("{} at {port}: claimed as {proto}, {bits} bits: {why}\n{hex}", generator.name);
                    count += 1;
                }
            }
            println!("{}: {count} of {} claimed", generator.name, each * PORTS.len());
            done.lock().expect("a lock").push((count, text));
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    std::thread::scope(|scope| (0..threads).for_each(|_| _ = scope.spawn(work)));
    let done = done.into_inner().expect("a lock");
    let (all, claims) = (each * PORTS.len(), done.iter().map(|(count, _)| count).sum::<usize>());
    // None of n: with 95 % confidence, fewer than one of n / 3.
    println!(
        "{} kinds, {all} conversations each: {claims} claimed; if none, fewer than 1 of {} of each kind (2^-{:.1}; documented: 2^-20)",
        done.len(),
        all / 3,
        (all as f64 / 3.0).log2()
    );
    assert!(claims == 0 && !done.is_empty(), "{}", done.iter().map(|(_, text)| &text[..]).collect::<String>());
}

/// None is claimed by the protocols that files describe, at a port of none: several packets of one shape that fit
/// are little evidence.
#[test]
fn no_file_claims_near_misses() {
    let (mut registry, mut files) = (netkit::protocols::registry(), 0);
    for path in entries(&fixture("protocols")).iter().filter(|path| ends_in(path, "toml")) {
        let text = std::fs::read_to_string(path).expect("a file");
        // Some describe what another file's packets carry.
        if let Ok(described) = netkit::protocols::described::load("test.toml", &text) {
            registry = registry.with(described);
            files += 1;
        }
    }
    assert!(files >= 12, "{files}");
    let options = Options::new(registry);
    let mut failures = String::new();
    for (index, generator) in GENERATORS.iter().enumerate() {
        for Claim { number, proto, bits, why } in claimed(index, generator, PORTS[5], 2 * BATCH, &options) {
            // Some generators make packets of a protocol that a file describes.
            if generator.name.eq_ignore_ascii_case(proto) {
                continue;
            }
            let hex = shown(index, generator, PORTS[5], number);
            failures += &format!("{}: claimed as {proto}, {bits} bits: {why}\n{hex}", generator.name);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
