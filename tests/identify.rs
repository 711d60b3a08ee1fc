//! The protocol of a conversation, recognised by its traffic alone.

use crate::common::{Wire, dissect, fixture};
use netkit::capture::{Body, Decoded, Packets};
use netkit::dissect::{Inspector, Message, Sink};
use netkit::flow::{Caps, Table};
use std::io::Cursor;

/// The protocol and name of every message, in order.
#[derive(Default)]
struct Names(Vec<(&'static str, &'static str)>);

impl Sink for Names {
    fn message(&mut self, message: &Message<'_>) {
        self.0.push((message.dissection.proto, message.dissection.message));
    }
}

/// The datagrams of a fixture's first conversation, and whether its client sent them.
fn datagrams(name: &str) -> Vec<(bool, Vec<u8>)> {
    let file = std::fs::read(fixture(name)).unwrap();
    let mut packets = Packets::open(Box::new(Cursor::new(file))).unwrap();
    let (mut ends, mut all) = (None, Vec::new());
    while let Some(item) = packets.next().unwrap() {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Udp { payload, .. } = packet.body
        {
            let (client, server) = *ends.get_or_insert((packet.src, packet.dst));
            match (packet.src, packet.dst) {
                between if between == (client, server) => all.push((true, payload.to_vec())),
                between if between == (server, client) => all.push((false, payload.to_vec())),
                _ => {}
            }
        }
    }
    all
}

/// Dissects datagrams between the same two ports, which belong to no protocol.
fn names(datagrams: &[(bool, Vec<u8>)]) -> Vec<(&'static str, &'static str)> {
    let mut wire = Wire::default();
    let ends = ["10.0.0.1:50000", "10.0.0.2:40000"].map(|end| end.parse().unwrap());
    datagrams.iter().for_each(|(by_client, payload)| wire.datagram(ends, *by_client, payload));
    let mut found = Names::default();
    dissect(wire.file(), &netkit::protocols::options(), &mut found);
    found.0
}

/// One game's client reuses the port of another's, and no datagram ends the first session.
#[test]
fn ports_that_are_used_again_change_hands() {
    let (dnp, riptide) = (datagrams("dnp/dnp-basic.pcap"), datagrams("riptide/riptide22-udp.pcap"));
    let both: Vec<_> = dnp.iter().chain(&riptide).chain(&riptide).cloned().collect();
    let found = names(&both);
    assert_eq!(found.len(), both.len(), "nothing is lost, and nothing told twice");
    let (before, after) = found.split_at(dnp.len());
    assert!(before.iter().all(|(proto, _)| *proto == "dnp"), "{before:?}");
    let referenced = after.iter().take_while(|(proto, _)| *proto == "dnp").count();
    assert!((12..after.len() / 2).contains(&referenced), "{referenced} of {}", after.len());
    assert!(after[referenced..].iter().all(|(proto, _)| *proto == "riptide"), "{after:?}");
}

/// Unreadable messages keep the conversation's protocol, unless another protocol fits.
#[test]
fn noise_changes_nothing() {
    let riptide = datagrams("riptide/riptide22-udp.pcap");
    let noise = (0..100).map(|k: u32| (!k.is_multiple_of(3), k.wrapping_mul(0x9e37_79b9).to_be_bytes().repeat(3)));
    let all: Vec<_> = riptide.iter().cloned().chain(noise).chain(riptide.iter().cloned()).collect();
    let found = names(&all);
    assert_eq!(found.len(), all.len());
    assert!(found.iter().all(|(proto, _)| *proto == "riptide"));
}

/// The conversations with messages, and the reported ends.
#[derive(Default)]
struct Ends {
    spoken: std::collections::BTreeSet<u64>,
    ended: Vec<u64>,
}

impl Sink for Ends {
    fn message(&mut self, message: &Message<'_>) {
        self.spoken.insert(message.flow_info.flow);
        assert!(!self.ended.contains(&message.flow_info.flow), "a message after the end");
    }

    fn ended(&mut self, flow: u64, _: netkit::flow::Closing) {
        self.ended.push(flow);
    }
}

/// The end of a conversation is reported once, to the sink that received its messages; a conversation without messages
/// has no reported end.
#[test]
fn ends_belong_to_earlier_messages() {
    let read = |files: &[&str]| {
        let options = netkit::protocols::options();
        let mut found = Ends::default();
        let mut inspector = Inspector::new(&options, &mut found);
        let mut table = Table::new(Caps::default());
        let mut seen = 0;
        for file in files {
            let file = std::fs::read(fixture(file)).unwrap();
            let mut packets = Packets::open(Box::new(Cursor::new(file))).unwrap();
            while let Some(item) = packets.next().unwrap() {
                if let Decoded::Packet(packet) = item.decoded {
                    seen += 1;
                    table.packet(&packet, &mut inspector);
                }
            }
        }
        table.finish(&mut inspector);
        found.ended.sort_unstable();
        (found, seen)
    };
    let (foreign, seen) = read(&["foreign/foreign.pcap"]);
    assert!(seen > 0 && foreign.spoken.len() < seen);
    assert_eq!(foreign.ended, foreign.spoken.into_iter().collect::<Vec<_>>());

    let files =
        ["foreign/foreign.pcap", "riptide/riptide22-udp.pcap", "nano/pomelo-ws.pcap", "gne/gne-le-udp-full.pcap"];
    let (all, _) = read(&files);
    assert!(all.spoken.len() > 2);
    assert_eq!(all.ended, all.spoken.iter().copied().collect::<Vec<_>>());
}
