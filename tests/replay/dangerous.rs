//! Messages that may harm a peer are refused, and reported.

use crate::replay::stage::{Stage, both, conversation, recording};
use netkit::capture::{Body, LinkType, Packets, PcapWriter, Time, ethernet};
use netkit::dissect::Role;
use netkit::live::replay::{Choices, Order, Pace, Plan, Recording};
use std::time::Duration;

fn plan(path: &str, flow: u64, role: Role, allow_dangerous: bool) -> Plan {
    let stage = Stage::default();
    let played = conversation(path, flow, &stage);
    let stop = netkit::live::CancelToken::default();
    let order = Order {
        conversation: &played,
        choices: Choices { role, allow_dangerous, until: None },
        pace: Pace { speed: None, max_gap: None },
        linger: netkit::live::replay::LINGER,
        timeout: Duration::from_secs(1),
        host: "",
        path: None,
        recorder: None,
        observer: None,
        stop: &stop,
        max_time: None,
        flow: 1,
    };
    order.plan(&order.options(&netkit::protocols::options())).0
}

/// All refusals for a capture's clients.
fn refused(path: &str, allow: bool) -> Vec<String> {
    let recording = recording(path, &Stage::default());
    let flows = recording.flows.values().filter(|conversation| conversation.is_whole());
    let each = flows.flat_map(|conversation| plan(path, conversation.flow, Role::Client, allow).refused);
    each.map(|unsent| unsent.why).collect()
}

#[test]
fn broken_messages_are_refused() {
    let has = |path: &str, text: &str| {
        let all = refused(path, false);
        assert!(all.iter().any(|why| why.contains(text)), "{path}: {text} not in {all:#?}");
        assert!(refused(path, true).is_empty(), "{path}: --allow-dangerous refuses nothing");
    };
    has("riptide/edge20-udp.pcap", "a type that no library knows");
    // A truncated command: a C++ server reads past its end.
    has("dnp/dnp-vectors.pcap", "broken: ");
    // An empty data package: a pomelo server's process exits.
    has("nano/nano-tcp-bad.pcap", "an empty or cut data package");
    has("gne/gne-edge.pcap", "broken: ");
    has("acknex/acknex-malformed.pcap", "broken: ");
}

/// A C# server stops receiving after an empty datagram.
#[test]
fn an_empty_datagram_is_refused() {
    let (client, server) = ("10.0.0.1:50000".parse().unwrap(), "10.0.0.2:7777".parse().unwrap());
    let spoken: [(bool, &[u8]); 6] = [
        (true, &[2]),
        (false, &[0x18, 0, 0x10, 0, 0]),
        (true, &[0x11, 0, 0x10, 0, 0]),
        (true, &[0x18, 0, 0x10, 0, 0]),
        (true, &[]),
        (true, &[5]),
    ];
    let (mut file, mut frame) = (Vec::new(), Vec::new());
    let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 6).unwrap();
    for (k, (from_client, payload)) in spoken.into_iter().enumerate() {
        let (src, dst) = if from_client { (client, server) } else { (server, client) };
        ethernet(src, dst, &Body::Udp { payload, length: payload.len() }, &mut frame).unwrap();
        writer.frame(Time::micros(1, k as u32), &frame).unwrap();
    }
    let packets = Packets::open(Box::new(std::io::Cursor::new(file))).unwrap();
    let mut recording =
        Recording::read(packets, &netkit::protocols::options(), &netkit::protocols::clients(), &Default::default())
            .unwrap();
    let played = recording.take(None).unwrap();
    let [client, _] = both(&played, &Stage::default());
    assert_eq!(client.refused.len(), 1, "{client}");
    assert!(client.refused[0].why.starts_with("an empty datagram"), "{client}");
    assert!(client.complete() && client.sent == 3, "{client}");
    // The gate would refuse it, too, whatever the plan.
    let reading =
        netkit::live::gate::Outgoing { role: Role::Client, length: 0, messages: &[], senders: &[], unread: 0 };
    assert_eq!(netkit::live::gate::admit(&reading), Err(netkit::live::gate::Refusal::Empty));
}

/// The rest of such a conversation is played, and the refusals are reported.
#[test]
fn the_rest_is_played() {
    let path = "riptide/edge22-udp.pcap";
    let stage = Stage::default();
    let flows = recording(path, &stage).flows;
    let flow = flows.keys().copied().find(|flow| {
        let plan = plan(path, *flow, Role::Client, false);
        !plan.refused.is_empty() && plan.steps.iter().any(|s| s.recorded.decoded.message == "welcome")
    });
    let played = conversation(path, flow.expect("a conversation with a handshake and something dangerous"), &stage);
    let [client, _] = both(&played, &stage);
    assert!(!client.refused.is_empty() && client.sent > 1, "{client}");
    assert!(client.to_string().contains("refused"), "{client}");
}
