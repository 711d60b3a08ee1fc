//! Exchanges driven by hand: no socket, no clock.

#![cfg(test)]

use super::*;
use crate::dissect::limits::PeerCaps;
use crate::protocols;
use serde_json::json;

fn exchange(proto: &str, transport: Transport, settings: &[&str], caps: PeerCaps) -> (Exchange<'static>, Instant) {
    let mut options = protocols::options();
    settings.iter().for_each(|text| options.set(text).unwrap());
    let at = Instant::now();
    let setup = Setup {
        dissector: protocols::by_name(proto).unwrap(),
        version: None,
        transport,
        ends: ["192.0.2.1:5000".parse().unwrap(), "192.0.2.2:7777".parse().unwrap()],
        flow: 1,
        role: Role::Client,
        websocket: false,
        observer: None,
        compared: None,
        clock: Clock { at, time: Time::default() },
    };
    options.limits.peer = caps;
    (Exchange::new(setup, &options), at)
}

fn message(proto: &'static str, message: &'static str, fields: serde_json::Value) -> OwnedMessage {
    OwnedMessage::new(proto, message, Role::Client, fields)
}

#[test]
fn bytes_in_messages_out_bytes_to_send() {
    let (mut tcp, now) = exchange("riptide", Transport::Tcp, &["riptide.version=2.0"], PeerCaps::default());
    tcp.send(&message("riptide", "connect", json!({})), now).unwrap();
    assert_eq!((tcp.poll_transmit(), tcp.poll_transmit()), (Some(vec![1, 0, 3]), None));
    // A welcome in three parts, and the first half of another message.
    let later = now + std::time::Duration::from_millis(5);
    for (bytes, at) in [(&[5, 0, 8][..], now), (&[1, 0], later), (&[7, 0, 9, 0], later)] {
        tcp.recv(bytes, at);
    }
    let welcome = tcp.poll_message().unwrap();
    assert_eq!(
        (welcome.message, welcome.from, welcome.number(&crate::protocols::riptide::layout::CLIENT)),
        ("welcome", Role::Server, Some(7))
    );
    assert_eq!(welcome.first, Some(now), "its first byte arrived then");
    assert!(tcp.poll_message().is_none() && tcp.ended().is_none());
    // The rest of that message, a whole one, and the beginning of a third. The first one began with the bytes before.
    let last = later + std::time::Duration::from_millis(40);
    tcp.recv(&[7, 1, 0, 6, 0, 0, 0, 0, 0, 9, 0, 7, 2, 0, 6, 0, 0, 0, 0, 0, 1, 0], last);
    // The end: first the messages before it, then the reason why nothing follows.
    tcp.closed(true, last);
    assert!(tcp.has_ended() && tcp.ended().is_none(), "a message is to be taken before");
    assert_eq!([(); 2].map(|()| tcp.poll_message().unwrap().first), [Some(later), Some(last)]);
    while tcp.poll_message().is_some() {}
    assert!(matches!(tcp.ended(), Some(NetError::Closed { reset: true })));
    tcp.recv(&[1, 0, 6], last);
    assert!(tcp.poll_message().is_none(), "nothing comes after the end");
}

#[test]
fn messages_of_one_datagram() {
    let (mut udp, now) = exchange("acknex", Transport::Udp, &[], PeerCaps::default());
    let ping = message("acknex", "ping", json!({}));
    udp.send(&OwnedMessage { more: true, ..ping.clone() }, now).unwrap();
    assert_eq!(udp.poll_transmit(), None);
    udp.send(&ping, now).unwrap();
    let one = udp.poll_transmit().unwrap();
    udp.send(&ping, now).unwrap();
    assert_eq!(one, udp.poll_transmit().unwrap().repeat(2));
}

#[test]
fn what_the_gate_keeps_back() {
    let (mut udp, now) = exchange("dnp", Transport::Udp, &[], PeerCaps::default());
    assert!(matches!(udp.send_bytes(Vec::new(), now), Err(NetError::Gate(gate::Refusal::Empty))));
    assert!(matches!(udp.send_bytes(vec![0, 1, 0, 0xff], now), Err(NetError::Gate(gate::Refusal::Broken(_)))));
    assert!(udp.poll_transmit().is_none());
}

/// A message that a session reads as the other side's, or as an unknown one, is not sent.
#[test]
fn messages_of_the_other_side_are_kept_back() {
    let admit = |role, message: OwnedMessage| {
        let reading = gate::Outgoing { role, length: 4, messages: &[message], senders: &[], unread: 0 };
        gate::admit(&reading)
    };
    let ping = |from| OwnedMessage { message: "ping", from, ..OwnedMessage::default() };
    for (ours, name) in [(Role::Client, "client"), (Role::Server, "server")] {
        assert_eq!(admit(ours, ping(ours)), Ok(()));
        assert_eq!(admit(ours, ping(Role::Unknown)), Ok(()), "of both sides");
        assert_eq!(admit(ours, ping(ours.other())), Err(gate::Refusal::Misdirected("ping", name)));
    }
    let (mut udp, now) = exchange("riptide", Transport::Udp, &["riptide.version=2.0"], PeerCaps::default());
    let refusal = udp.send_bytes(vec![0x20, 1, 0, 9], now);
    assert!(
        matches!(refusal, Err(NetError::Gate(gate::Refusal::Misdirected("unknown", "client")))),
        "a type above the known ones: {refusal:?}"
    );
    assert!(udp.poll_transmit().is_none());
    udp.send_bytes(vec![5, 1, 0, 0], now).unwrap();
    assert_eq!(udp.poll_transmit(), Some(vec![5, 1, 0, 0]), "a client's heartbeat is sent");
}

/// The other side's messages are not sent, even if a session derives the sender from the direction alone.
#[test]
fn what_only_the_other_side_sends_is_kept_back() {
    let bytes = |of: &str| hex::decode(of).unwrap();
    for (proto, transport, set, of_server, of_client) in [
        // client_connected; a connect.
        ("riptide", Transport::Udp, "riptide.version=2.0", "0901000500", "03"),
        // connection_acknowledge; connection_request.
        ("dnp", Transport::Udp, "dnp.resend=3s", "01000000", "0001000000"),
        // kick; a heartbeat.
        ("nano", Transport::Tcp, "nano.dict=none", "05000000", "03000000"),
    ] {
        let (mut client, now) = exchange(proto, transport, &[set], PeerCaps::default());
        let refusal = client.send_bytes(bytes(of_server), now);
        assert!(
            matches!(refusal, Err(NetError::Gate(gate::Refusal::Misdirected(_, "client")))),
            "{proto}: {refusal:?}"
        );
        assert!(client.poll_transmit().is_none());
        let (client, now) = exchange(proto, transport, &[set], PeerCaps::default());
        let mut server = Exchange::new(Setup { role: Role::Server, ..client.setup().clone() }, &client.options);
        server.send_bytes(bytes(of_server), now).unwrap();
        let (mut client, now) = exchange(proto, transport, &[set], PeerCaps::default());
        client.send_bytes(bytes(of_client), now).unwrap();
    }
}

#[test]
fn a_peer_without_end_is_left() {
    let caps = PeerCaps { live_unread_bytes: 4096, live_kept_bytes: 16 << 10, ..PeerCaps::default() };
    let (mut tcp, now) = exchange("nano", Transport::Tcp, &[], caps);
    // A package that would be 16 MB long.
    tcp.recv(&[4, 0xff, 0xff, 0xff], now);
    (0..5).for_each(|_| tcp.recv(&[0; 1024], now));
    assert!(matches!(tcp.ended(), Some(NetError::Endless { most: 4096, .. })));
    // More messages at once than are kept. The ones before are still there.
    let (mut tcp, now) = exchange("nano", Transport::Tcp, &[], caps);
    tcp.recv(&[3, 0, 0, 0].repeat(1000), now);
    let count = std::iter::from_fn(|| tcp.poll_message()).count();
    assert!((10..500).contains(&count), "{count}");
    assert!(matches!(tcp.ended(), Some(NetError::Flood { .. })), "{:?}", tcp.ended());
    // A thousand messages that are taken in time are no flood.
    let (mut tcp, now) = exchange("nano", Transport::Tcp, &[], caps);
    for _ in 0..1000 {
        tcp.recv(&[3, 0, 0, 0], now);
        assert!(tcp.poll_message().is_some());
    }
    assert!(tcp.ended().is_none());
}

/// A verdict on a stranger is based on the beginning of a stream, in one entry, or on some datagrams.
#[test]
fn the_beginning_of_the_received_data_is_kept() {
    let kept = |datagrams, chunks: usize, size: usize| {
        let mut raw = raw::Raw::default();
        (0..chunks).for_each(|n| raw.keep(&vec![n as u8; size], datagrams));
        raw.list().to_vec()
    };
    assert_eq!(kept(false, 3, 2), [[0, 0, 1, 1, 2, 2]]);
    assert_eq!(kept(true, 3, 2), [[0, 0], [1, 1], [2, 2]]);
    let lengths = |list: Vec<Vec<u8>>| list.iter().map(Vec::len).collect::<Vec<_>>();
    assert_eq!(lengths(kept(false, 20, 1000)), [4096]);
    assert_eq!(lengths(kept(true, 20, 5000)), [4096; 8]);
}

/// The reason of the end stays the same, however often it is requested.
#[test]
fn each_end_has_its_reason() {
    for reset in [false, true] {
        let (mut tcp, now) = exchange("nano", Transport::Tcp, &[], PeerCaps::default());
        tcp.closed(reset, now);
        for _ in 0..2 {
            assert!(matches!(tcp.ended(), Some(NetError::Closed { reset: is }) if is == reset), "{:?}", tcp.ended());
        }
    }
    // A second end does not replace the first.
    let caps = PeerCaps { live_unread_bytes: 64, ..PeerCaps::default() };
    let (mut tcp, now) = exchange("nano", Transport::Tcp, &[], caps);
    tcp.recv(&[4, 0xff, 0xff, 0xff], now);
    tcp.recv(&[0; 100], now);
    tcp.closed(true, now);
    assert!(matches!(tcp.ended(), Some(NetError::Endless { most: 64, .. })), "{:?}", tcp.ended());
}
