//! What each stage costs, and what it allocates: reading frames, finding conversations, dissecting,
//! printing. Each iteration is one whole capture; the allocations are those of all its packets.
//!
//! `cargo bench --bench stages`; `NETKIT_BENCH=capture.pcap` takes another capture than the
//! fixtures. Whole captures of a million packets tell the steady state: 0.05 allocations a packet.

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use netkit::capture::{Decoded, Packet, Packets};
use netkit::dissect::{Inspector, Message, Sink};
use netkit::flow::{Caps, Conversation, Delivery, End, Gap, Handler, Side, Stream, Table};
use netkit::render::{Format, Renderer, Style};
use std::io::Cursor;

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

const FIXTURES: [&str; 3] = [
    "fixtures/riptide/riptide20-udp.pcap",
    "fixtures/riptide/riptide22-udp.pcap",
    "fixtures/riptide/riptide20-tcp.pcap",
];

/// The captures: the fixtures, or the one that was asked for.
fn captures() -> Vec<String> {
    match std::env::var("NETKIT_BENCH") {
        Ok(path) => vec![path],
        Err(_) => FIXTURES.map(String::from).to_vec(),
    }
}

/// Reads all packets of a capture: how many there are.
fn each_packet(file: &[u8], mut each: impl FnMut(&Packet<'_>)) -> u64 {
    let mut packets = Packets::open(Box::new(Cursor::new(file.to_vec()))).expect("a capture");
    let mut count = 0;
    while let Some(item) = packets.next().expect("a whole capture") {
        if let Decoded::Packet(packet) = &item.decoded {
            each(packet);
            count += 1;
        }
    }
    count
}

fn run(bencher: Bencher<'_, '_>, path: &str, work: impl Fn(&[u8]) -> u64 + Sync) {
    let file = std::fs::read(path).expect("the capture");
    let count = work(&file);
    bencher.counter(ItemsCount::new(count)).bench(|| work(&file));
}

struct Nothing;

impl Handler<()> for Nothing {
    fn datagram(&mut self, _: &mut Conversation<()>, _: Side, _: &Packet<'_>, _: &[u8], _: usize) {}
    fn data(&mut self, _: &mut Conversation<()>, _: Side, stream: &mut Stream, _: &Delivery<'_>) {
        stream.consume(stream.bytes().len());
    }
    fn gap(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: &Gap) {}
    fn end(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: End) {}
    fn closed(&mut self, _: &mut Conversation<()>) {}
}

struct Nobody;

impl Sink for Nobody {
    fn message(&mut self, message: &Message<'_>) {
        divan::black_box(message);
    }
}

fn dissect(file: &[u8], sink: &mut impl Sink) -> u64 {
    let options = netkit::protocols::options();
    let mut table = Table::new(Caps::default());
    let mut inspector = Inspector::new(&options, sink);
    let count = each_packet(file, |packet| table.packet(packet, &mut inspector));
    table.finish(&mut inspector);
    count
}

#[divan::bench(args = captures())]
fn frames(bencher: Bencher<'_, '_>, path: &str) {
    run(bencher, path, |file| each_packet(file, |packet| _ = divan::black_box(packet)));
}

#[divan::bench(args = captures())]
fn flows(bencher: Bencher<'_, '_>, path: &str) {
    run(bencher, path, |file| {
        let mut table = Table::new(Caps::default());
        each_packet(file, |packet| table.packet(packet, &mut Nothing))
    });
}

#[divan::bench(args = captures())]
fn dissection(bencher: Bencher<'_, '_>, path: &str) {
    run(bencher, path, |file| dissect(file, &mut Nobody));
}

fn printed(bencher: Bencher<'_, '_>, path: &str, format: Format) {
    run(bencher, path, |file| dissect(file, &mut Renderer::new(format, Style::default(), Box::new(std::io::sink()))));
}

#[divan::bench(args = captures())]
fn ndjson(bencher: Bencher<'_, '_>, path: &str) {
    printed(bencher, path, Format::Ndjson);
}

#[divan::bench(args = captures())]
fn json(bencher: Bencher<'_, '_>, path: &str) {
    printed(bencher, path, Format::Json);
}

#[divan::bench(args = captures())]
fn summary(bencher: Bencher<'_, '_>, path: &str) {
    printed(bencher, path, Format::Summary);
}
