//! The cost of a described protocol: no allocation a packet in the steady state, because all buffers, trees and windows
//! are reused; and time in proportion to the input.

use crate::common::{Wire, dissect};
use crate::described::cases::toml;
use netkit::dissect::{Message, Options, Sink};
use netkit::protocols::{self, described};
use netkit::render::{Format, Renderer, Style};
use std::time::{Duration, Instant};

/// A busy conversation of ENet: reliable messages, reassembled fragments, and acknowledgements in one datagram with
/// unreliable messages. Its numbers pass the end of every window.
fn talk(rounds: u16) -> Vec<u8> {
    let ends = ["10.0.0.1:40000", "192.168.1.10:7777"].map(|end| end.parse().expect("an address"));
    let mut wire = Wire::default();
    let command = |command: u8, channel: u8, number: u16, fields: &[&[u8]]| {
        [&[command, channel][..], &number.to_be_bytes(), &fields.concat()].concat()
    };
    for round in 0..rounds {
        let first = round.wrapping_mul(3).wrapping_add(1);
        let timed = [&0x9001u16.to_be_bytes()[..], &round.to_be_bytes()].concat();
        let data = [7u8; 16];
        let reliable = command(0x86, 0, first, &[&16u16.to_be_bytes(), &data]);
        wire.datagram(ends, true, &[&timed[..], &reliable].concat());
        for part in 0..2u32 {
            let number = first.wrapping_add(1 + part as u16);
            let place = [2, part, 32, part * 16].map(u32::to_be_bytes).concat();
            let start = first.wrapping_add(1).to_be_bytes();
            let fragment = command(0x88, 0, number, &[&start, &16u16.to_be_bytes(), &place, &data]);
            wire.datagram(ends, true, &[&timed[..], &fragment].concat());
        }
        let mut answer = 0x1001u16.to_be_bytes().to_vec();
        for number in (0..3).map(|k| first.wrapping_add(k)) {
            answer.extend(command(0x01, 0, number, &[&number.to_be_bytes(), &round.to_be_bytes()]));
        }
        answer.extend(command(0x07, 1, 0, &[&round.to_be_bytes(), &16u16.to_be_bytes(), &data]));
        wire.datagram(ends, false, &answer);
    }
    within_a_second(wire.file())
}

/// The capture with its frames a microsecond apart: all lines share one second, which is formatted once.
fn within_a_second(mut file: Vec<u8>) -> Vec<u8> {
    let (mut at, mut micros) = (24, 0u32);
    while let Some(header) = file.get_mut(at..at + 16) {
        header[..4].copy_from_slice(&1_700_000_000u32.to_le_bytes());
        header[4..8].copy_from_slice(&micros.to_le_bytes());
        at += 16 + u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
        micros += 1;
    }
    file
}

/// Prints messages and counts them.
struct Counting {
    printer: Renderer,
    messages: u64,
}

impl Sink for Counting {
    fn message(&mut self, message: &Message<'_>) {
        assert!(message.dissection.fault.is_none());
        self.messages += 1;
        self.printer.message(message);
    }
}

/// The allocations of reading and printing a capture, and its packets.
fn allocations(options: &Options, rounds: u16, format: Format) -> (u64, u64) {
    let file = talk(rounds);
    let mut messages = 0;
    let info = allocation_counter::measure(|| {
        let printer = Renderer::new(format, Style::default(), Box::new(std::io::sink()));
        let mut counting = Counting { printer, messages: 0 };
        dissect(file, options, &mut counting);
        messages = counting.messages;
    });
    assert_eq!(messages, 7 * rounds as u64, "every command is a message");
    (info.count_total, 4 * rounds as u64)
}

/// Options to read everything as ENet.
fn options() -> Options {
    let path = toml("enet");
    let text = std::fs::read_to_string(&path).expect("the file");
    let described = described::load(&path, &text).expect("a protocol");
    let plain = protocols::options();
    Options { proto: Some("enet".into()), registry: plain.registry.with(described), ..plain }
}

#[test]
fn a_described_protocol_allocates_nothing_a_packet() {
    let options = options();
    for format in [Format::NDJSON, Format::JSON, Format::SUMMARY] {
        let (some, packets) = allocations(&options, 1500, format);
        let (twice, double) = allocations(&options, 3000, format);
        // Buffers that grow with their content grow by doubling.
        let more = twice.saturating_sub(some);
        assert!(more * 1000 < double - packets, "{more} more allocations for {} packets: {format:?}", double - packets);
    }
}

/// The time for one datagram with this number of pings, which any client may send; the best of three.
fn pings(options: &Options, count: u16) -> Duration {
    let ends = ["10.0.0.1:40000", "192.168.1.10:7777"].map(|end| end.parse().expect("an address"));
    let mut payload = 0x1001u16.to_be_bytes().to_vec();
    (0..count).for_each(|number| payload.extend([&[5, 0][..], &number.to_be_bytes()].concat()));
    let mut wire = Wire::default();
    wire.datagram(ends, true, &payload);
    let file = wire.file();
    let took = (0..3).map(|_| {
        let printer = Renderer::new(Format::NDJSON, Style::default(), Box::new(std::io::sink()));
        let (start, mut counting) = (Instant::now(), Counting { printer, messages: 0 });
        dissect(file.clone(), options, &mut counting);
        assert_eq!(counting.messages, count as u64);
        start.elapsed()
    });
    took.min().expect("three")
}

/// Eight times as many messages in a datagram take eight times as long, not 64 times. NETKIT_MEASURE makes the test
/// check that: the step `quadratic` of `.ci/run`, which has the machine to itself, sets it.
#[test]
fn many_messages_in_a_datagram_take_time_by_their_number() {
    let options = options();
    let (few, many) = (pings(&options, 2_000), pings(&options, 16_000));
    let measured = std::env::var_os("NETKIT_MEASURE").is_some();
    assert!(!measured || many < few * 20, "{few:?} for 2000 messages, {many:?} for 16000");
}
