//! Whose a conversation is: nobody's, unless what it says is more than chance.

mod given_up;
mod listed;
mod middle;
mod random;
mod websocket;

use netkit::capture::{Body, Decoded, LinkType, Packets, PcapWriter, Segment, Time, ethernet};
use netkit::dissect::{Counters, Inspector, Message, Sink};
use netkit::flow::{Caps, Table};
use std::io::Cursor;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The conversation, protocol and name of every message, in order.
#[derive(Default)]
struct Names(Vec<(u64, &'static str, &'static str)>);

impl Sink for Names {
    fn message(&mut self, message: &Message<'_>) {
        self.0.push((message.flow_info.flow, message.dissection.proto, message.dissection.message));
    }
}

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name)
}

/// Dissects a capture.
fn dissect(file: Vec<u8>) -> (Names, Counters) {
    let (options, mut found) = (netkit::protocols::options(), Names::default());
    let mut inspector = Inspector::new(&options, &mut found);
    let mut table = Table::new(Caps::default());
    let mut packets = Packets::open(Box::new(Cursor::new(file))).unwrap();
    while let Some(item) = packets.next().unwrap() {
        if let Decoded::Packet(packet) = item.decoded {
            table.packet(&packet, &mut inspector);
        }
    }
    table.finish(&mut inspector);
    let counters = std::mem::take(&mut inspector.counters);
    (found, counters)
}

/// A capture being made.
#[derive(Default)]
struct Wire(Vec<Vec<u8>>);

impl Wire {
    fn datagram(&mut self, ends: [SocketAddr; 2], by_client: bool, payload: &[u8]) {
        self.packet(ends, by_client, &Body::Udp { payload, length: payload.len() });
    }

    fn packet(&mut self, [client, server]: [SocketAddr; 2], by_client: bool, body: &Body<'_>) {
        let (src, dst) = if by_client { (client, server) } else { (server, client) };
        let mut frame = Vec::new();
        ethernet(src, dst, body, &mut frame).unwrap();
        self.0.push(frame);
    }

    /// A connection: what its client and its server say, in turns as given.
    fn stream(&mut self, ends: [SocketAddr; 2], said: &[(bool, Vec<u8>)]) {
        let segment =
            Segment { length: 0, payload: b"", seq: 0, ack: 0, has_ack: true, syn: false, fin: false, rst: false };
        self.packet(ends, true, &Body::Tcp(Segment { syn: true, has_ack: false, ..segment }));
        self.packet(ends, false, &Body::Tcp(Segment { syn: true, ack: 1, ..segment }));
        let mut sent = [1u32; 2];
        for (by_client, payload) in said {
            let [seq, ack] = if *by_client { sent } else { [sent[1], sent[0]] };
            let body = Segment { payload, length: payload.len(), seq, ack, ..segment };
            self.packet(ends, *by_client, &Body::Tcp(body));
            sent[if *by_client { 0 } else { 1 }] += payload.len() as u32;
        }
    }

    fn file(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 6).unwrap();
        for (k, frame) in self.0.iter().enumerate() {
            writer.frame(Time::micros(k as i64 * 1000, 0), frame).unwrap();
        }
        writer.flush().unwrap();
        file
    }

    fn dissect(&self) -> (Names, Counters) {
        dissect(self.file())
    }
}

/// The ends of a conversation on ports that say nothing.
fn ends(k: usize) -> [SocketAddr; 2] {
    let [high, low] = (k as u16).to_be_bytes();
    [SocketAddr::from(([10, 1, high, low], 40_000)), SocketAddr::from(([10, 2, high, low], 41_000))]
}

#[test]
fn nobody_claims_what_other_protocols_say() {
    let mut captures = 0;
    for entry in std::fs::read_dir(fixture("foreign")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "pcap") {
            let (found, _) = dissect(std::fs::read(&path).unwrap());
            assert!(found.0.is_empty(), "{path:?}: {:?}", found.0.first());
            captures += 1;
        }
    }
    assert!(captures >= 33, "{captures} captures");
}
