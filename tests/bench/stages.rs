//! The time and the allocations of each stage: reading frames, finding conversations, dissecting, printing. Each
//! iteration is one whole capture; the allocations are those of all its packets.
//!
//! `cargo bench --bench stages`; `NETKIT_BENCH=capture.pcap` takes another capture than the fixtures. Captures of a
//! million packets show the steady state: 0.05 allocations a packet.
//!
//! Then it reports the gain of more processors. Only one thread can do the reader's part of the work, so no number of
//! threads takes less time than that part; nor less than a thread's share of all work, including dealing it out.

use divan::counter::ItemsCount;
use divan::{AllocProfiler, Bencher};
use netkit::capture::{Decoded, Packet, Packets, Time};
use netkit::dissect::inspector::{Crew, Dispatcher, Outlet, Worker};
use netkit::dissect::{Inspector, Message, Sink};
use netkit::flow::{Caps, Conversation, Delivery, End, Gap, Handler, Side, Stream, Table};
use netkit::render::{Form, Format, Renderer, Style};
use std::fs::File;
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
    captures().iter().for_each(|path| shares(path));
}

const FIXTURES: [&str; 3] = [
    "fixtures/riptide/riptide20-udp.pcap",
    "fixtures/riptide/riptide22-udp.pcap",
    "fixtures/riptide/riptide20-tcp.pcap",
];

/// The captures: the fixtures, or the requested one.
fn captures() -> Vec<String> {
    match std::env::var("NETKIT_BENCH") {
        Ok(path) => vec![path],
        Err(_) => FIXTURES.map(String::from).to_vec(),
    }
}

/// Reads all packets of a capture and returns their number.
fn each_packet(path: &str, mut each: impl FnMut(&Packet<'_>)) -> u64 {
    let mut packets = Packets::open(Box::new(File::open(path).expect("the file"))).expect("a capture");
    let mut count = 0;
    while let Some(item) = packets.next().expect("a whole capture") {
        if let Decoded::Packet(packet) = &item.decoded {
            each(packet);
            count += 1;
        }
    }
    count
}

fn run(bencher: Bencher<'_, '_>, path: &str, work: impl Fn(&str) -> u64 + Sync) {
    let count = work(path);
    bencher.counter(ItemsCount::new(count)).bench(|| work(path));
}

struct Nothing;

impl Handler<()> for Nothing {
    fn datagram(&mut self, _: &mut Conversation<()>, _: Side, _: &Packet<'_>, _: &[u8], _: usize) {}
    fn data(&mut self, _: &mut Conversation<()>, _: Side, stream: &mut Stream, _: &Delivery<'_>) {
        stream.consume(stream.bytes().len());
    }
    fn gap(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: &Gap) {}
    fn end(&mut self, _: &mut Conversation<()>, _: Side, _: &mut Stream, _: End, _: u64) {}
    fn closed(&mut self, _: &mut Conversation<()>) {}
}

struct Nobody;

impl Sink for Nobody {
    fn message(&mut self, message: &Message<'_>) {
        divan::black_box(message);
    }
}

fn dissect(path: &str, sink: &mut impl Sink) -> u64 {
    let options = netkit::protocols::options();
    let mut table = Table::new(Caps::default());
    let mut inspector = Inspector::new(&options, sink);
    let count = each_packet(path, |packet| table.packet(packet, &mut inspector));
    table.finish(&mut inspector);
    count
}

#[divan::bench(args = captures())]
fn frames(bencher: Bencher<'_, '_>, path: &str) {
    run(bencher, path, |path| each_packet(path, |packet| _ = divan::black_box(packet)));
}

#[divan::bench(args = captures())]
fn flows(bencher: Bencher<'_, '_>, path: &str) {
    run(bencher, path, |path| {
        let mut table = Table::new(Caps::default());
        each_packet(path, |packet| table.packet(packet, &mut Nothing))
    });
}

#[divan::bench(args = captures())]
fn dissection(bencher: Bencher<'_, '_>, path: &str) {
    run(bencher, path, |path| dissect(path, &mut Nobody));
}

fn printed(bencher: Bencher<'_, '_>, path: &str, format: Format) {
    run(bencher, path, |path| dissect(path, &mut Renderer::new(format, Style::default(), Box::new(std::io::sink()))));
}

#[divan::bench(args = captures())]
fn ndjson(bencher: Bencher<'_, '_>, path: &str) {
    printed(bencher, path, Format::NDJSON);
}

#[divan::bench(args = captures())]
fn json(bencher: Bencher<'_, '_>, path: &str) {
    printed(bencher, path, Format::JSON);
}

#[divan::bench(args = captures())]
fn summary(bencher: Bencher<'_, '_>, path: &str) {
    printed(bencher, path, Format::SUMMARY);
}

/// A worker that prints, and discards the text.
struct Printed {
    part: Box<dyn Form>,
    text: Vec<u8>,
}

impl Sink for Printed {
    fn message(&mut self, message: &Message<'_>) {
        self.part.message(message, &mut self.text);
    }

    fn hand_over(&mut self) {
        divan::black_box(&self.text);
        self.text.clear();
    }
}

impl Worker for Printed {
    fn first(&mut self, time: Time) {
        self.part.origin(time);
    }
}

struct Nowhere;

impl Outlet for Nowhere {}

/// Reads a capture with a crew on one thread.
fn with(crew: &Crew<'_>, path: &str) {
    let options = netkit::protocols::options();
    let (mut table, mut nobody) = (Table::new(Caps::default()), Nobody);
    let mut inspector = Inspector::new(&options, &mut nobody).dispatcher(Some(Dispatcher::new(crew)));
    each_packet(path, |packet| {
        inspector.frame(packet.time);
        table.packet(packet, &mut inspector);
    });
    table.finish(&mut inspector);
    inspector.end();
    crew.work();
}

/// The shortest time of several runs.
fn shortest(mut work: impl FnMut()) -> Duration {
    let times = (0..9).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    times.min().unwrap_or_default()
}

/// The reader's share of the work, and the limit it sets for more processors.
fn shares(path: &str) {
    const WORKERS: usize = 4;
    let options = netkit::protocols::options();
    println!("\n{path}: reading, of one thread's time; times as fast with so many processors");
    for (name, format) in [("ndjson", Format::NDJSON), ("json", Format::JSON), ("tree", Format::TREE)] {
        let one = shortest(|| {
            dissect(path, &mut Renderer::new(format, Style::default(), Box::new(std::io::sink())));
        });
        let reader = shortest(|| with(&Crew::unread(WORKERS, &Nowhere), path));
        let all = shortest(|| {
            let renderer = Renderer::new(format, Style::default(), Box::new(std::io::sink()));
            let part = || renderer.part().expect("a format of parts");
            let mut workers: Vec<_> = (0..WORKERS).map(|_| Printed { part: part(), text: Vec::new() }).collect();
            with(&Crew::new(&options, &mut workers, &Nowhere), path);
        });
        let [one, reader, all] = [one, reader, all].map(|time| time.as_secs_f64());
        print!("{name:8} {:5.1} %, with dealing all of it {:+.1} %:", 100.0 * reader / one, 100.0 * (all / one - 1.0));
        for processors in [2, 4, 8, 16] {
            print!("  {processors}: {:.1}", one / reader.max(all / f64::from(processors)));
        }
        println!();
    }
}
