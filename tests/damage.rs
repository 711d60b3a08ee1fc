//! Every truncation and every single-bit flip of every Riptide message in the fixtures: nothing
//! panics, a fault lies inside the data, and what is shown still gives the bytes back.

use netkit::capture::{Capture, Decoded, Input, Packets};
use netkit::dissect::{Dissection, Dissector, Inspector, Line, Message, Options, Sink, inspector};
use netkit::flow::{Caps, Table};
use netkit::protocols::riptide::RIPTIDE;
use std::collections::BTreeSet;

/// Collects the messages of a capture: version and bytes, each once.
#[derive(Default)]
struct Collect(BTreeSet<(String, Vec<u8>)>);

impl Sink for Collect {
    fn message(&mut self, m: &Message<'_>) {
        self.0.insert((m.dissection.version.unwrap_or("2.0").into(), m.place.bytes.to_vec()));
    }
}

/// Checks one message: the fault's place, and that its own JSON gives the bytes back.
struct Check<'a> {
    options: &'a Options,
    seen: u64,
}

impl Sink for Check<'_> {
    fn message(&mut self, m: &Message<'_>) {
        self.seen += 1;
        let bits = m.place.bytes.len() as u64 * 8;
        if let Some(fault) = &m.dissection.fault {
            assert!(fault.bit as u64 <= bits, "{fault}: behind the {bits} bits");
            assert!(fault.bit as u64 + fault.have <= bits, "{fault}: more bits left than there are");
        }
        let mut text = Vec::new();
        netkit::codec::json::fields_json(&m.dissection.tree, m.sources(), &mut text);
        let fields = serde_json::from_slice(&text).expect("JSON");
        let line = Line {
            message: m.dissection.message,
            proto: m.dissection.proto,
            version: m.dissection.version,
            from: m.dissection.from,
            flow: 0,
            fields: &fields,
            derived: None,
            broken: m.dissection.fault.is_some(),
        };
        let again = RIPTIDE.encoder(self.options).encode(&line).unwrap_or_else(|e| panic!("{e}: {fields}"));
        assert_eq!(again, m.place.bytes, "{fields}");
    }
}

fn messages() -> BTreeSet<(String, Vec<u8>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/riptide");
    let options = Options { proto: Some("riptide".into()), ..netkit::protocols::options() };
    let mut all = Collect::default();
    for path in std::fs::read_dir(folder).expect("fixtures").map(|e| e.expect("an entry").path()) {
        if path.extension().is_some_and(|e| e == "pcap") {
            let file = std::fs::File::open(&path).expect("a capture");
            let mut packets = Packets::new(Capture::new(Input::new(Box::new(file)).expect("read")).expect("a capture"));
            let mut table = Table::new(Caps::default());
            let mut inspector = Inspector::new(&options, &mut all);
            while let Some(item) = packets.next().expect("whole") {
                if let Decoded::Packet(packet) = item.decoded {
                    table.packet(&packet, &mut inspector);
                }
            }
            table.finish(&mut inspector);
        }
    }
    all.0
}

#[test]
fn riptide_messages_cut_and_flipped() {
    let messages = messages();
    assert!(messages.len() > 500, "{}", messages.len());
    let (mut dissection, mut runs) = (Dissection::default(), 0u64);
    for (version, bytes) in &messages {
        let mut options = netkit::protocols::options();
        options.set(&format!("riptide.version={version}")).expect("a version");
        let mut check = Check { options: &options, seen: 0 };
        let mut run = |data: &[u8]| {
            inspector::dump(&RIPTIDE, data, &options, &mut dissection, &mut check);
            runs += 1;
        };
        (0..=bytes.len()).for_each(|n| run(&bytes[..n]));
        let mut flipped = bytes.clone();
        for bit in 0..bytes.len() * 8 {
            flipped[bit / 8] ^= 1 << (bit % 8);
            run(&flipped);
            flipped[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(check.seen > 0);
    }
    assert!(runs > 100_000, "{runs}");
}
