//! Whole conversations with datagrams cut, flipped, lost, repeated and swapped: nothing panics, faults lie within the
//! data, and every line encodes to its bytes.

use super::*;
use crate::capture::{Capture, Decoded, Input, Packet, Packets};
use crate::flow::{self, Caps, Delivery, End, Gap, Handler, Stream, Table};

/// Collects the datagrams of all conversations.
#[derive(Default)]
struct Collect(Vec<(u64, Side, Vec<u8>)>);

impl Handler<()> for Collect {
    fn datagram(&mut self, c: &mut flow::Conversation<()>, from: Side, _: &Packet<'_>, payload: &[u8], _: usize) {
        self.0.push((c.id, from, payload.to_vec()));
    }
    fn data(&mut self, _: &mut flow::Conversation<()>, _: Side, _: &mut Stream, _: &Delivery<'_>) {}
    fn gap(&mut self, _: &mut flow::Conversation<()>, _: Side, _: &mut Stream, _: &Gap) {}
    fn end(&mut self, _: &mut flow::Conversation<()>, _: Side, _: &mut Stream, _: End, _: u64) {}
    fn closed(&mut self, _: &mut flow::Conversation<()>) {}
}

fn datagrams(name: &str) -> Vec<(u64, Side, Vec<u8>)> {
    let path = format!("{}/fixtures/dnp/{name}.pcap", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::File::open(path).expect("the capture");
    let mut packets = Packets::new(Capture::new(Input::new(Box::new(file)).expect("a file")).expect("a capture"));
    let (mut table, mut collect) = (Table::new(Caps::default()), Collect::default());
    while let Some(item) = packets.next().expect("a packet") {
        if let Decoded::Packet(packet) = item.decoded {
            table.packet(&packet, &mut collect);
        }
    }
    collect.0
}

#[test]
fn damaged_conversations_come_back() {
    let mut state = 5u64;
    let mut random = move |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n.max(1)
    };
    let mut lines = 0;
    for name in ["dnp-states", "dnp-types", "dnp-sim-wrap", "dnp-vectors", "dnp-wrap", "dnp-python", "dnp-basic"] {
        let all = datagrams(name);
        assert!(!all.is_empty(), "{name}");
        for round in 0..8 {
            let mut all = all.clone();
            for _ in 0..round * all.len() / 8 {
                let (at, other) = (random(all.len()), random(all.len()));
                let bytes = &mut all[at].2;
                match random(5) {
                    0 => bytes.truncate(random(bytes.len())),
                    1 => bytes.extend_from_slice(&[7, 0]),
                    2 => all.swap(at, other),
                    3 => all[at] = all[other].clone(),
                    _ => {
                        let bit = random(bytes.len().min(20) * 8);
                        if let Some(byte) = bytes.get_mut(bit / 8) {
                            *byte ^= 1 << (bit % 8);
                        }
                    }
                }
            }
            let mut talking: std::collections::BTreeMap<u64, Talking> = Default::default();
            for (flow, side, bytes) in all.iter().filter(|(_, _, bytes)| !bytes.is_empty()) {
                let talking = talking.entry(*flow).or_insert_with(|| Talking::with(set(&[]), 4000));
                let sent = talking.say(*side, &hex::encode(bytes));
                assert_eq!(sent.bytes, *bytes, "{name}");
                sent.check_alone(&talking.conversation.options);
                lines += 1;
            }
        }
    }
    assert!(lines > 5000, "{lines}");
}
