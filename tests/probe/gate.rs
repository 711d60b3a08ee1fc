//! The gate: forbidden bytes never leave, whoever sends them.

use super::peer::*;
use netkit::dissect::Role;
use netkit::flow::Transport;
use netkit::live::gate::Refusal;
use netkit::live::{CancelToken, Exchange, NetError, Open, Wire};
use netkit::message::OwnedMessage;
use netkit::protocols;
use serde_json::{Value as Json, json};
use std::net::SocketAddr;
use std::time::Instant;

/// An exchange with a socket, which sends all that the exchange lets out, refused or not.
struct Link<'a> {
    exchange: Exchange<'a>,
    wire: Wire<'a>,
}

impl Link<'_> {
    fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), NetError> {
        let sent = self.exchange.send_bytes(bytes.to_vec(), Instant::now());
        self.flush(sent)
    }

    fn send(&mut self, message: &'static str, fields: Json) -> Result<(), NetError> {
        let proto = self.exchange.setup().dissector.name();
        let sent = self.exchange.send(&OwnedMessage::new(proto, message, Role::Client, fields), Instant::now());
        self.flush(sent)
    }

    fn flush(&mut self, sent: Result<(), NetError>) -> Result<(), NetError> {
        while let Some(bytes) = self.exchange.poll_transmit() {
            self.wire.send(&bytes).unwrap();
        }
        sent
    }
}

fn link<'a>(proto: &str, transport: Transport, settings: &[&str], peer: SocketAddr, stop: &'a CancelToken) -> Link<'a> {
    let mut options = netkit::protocols::options();
    settings.iter().for_each(|text| options.set(text).unwrap());
    let dissector = protocols::by_name(proto).unwrap();
    let timeout = ms(10_000);
    let open = Open {
        dissector,
        version: None,
        transport,
        websocket: false,
        peer,
        timeout,
        recorder: None,
        observer: None,
        stop: stop.clone(),
        flow: 1,
        role: Role::Client,
    };
    let wire = open.connect().unwrap();
    Link { exchange: Exchange::new(open.setup(wire.ends()), &options), wire }
}

fn refusal(result: Result<(), NetError>) -> Refusal {
    match result {
        Err(NetError::Gate(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_empty_truncated_or_unfinished() {
    let stop = CancelToken::default();
    let peer = udp(V4, |bytes| if bytes == [2] { Ok(()) } else { Err("got through".into()) }, |_| Vec::new());
    let cut: [(&str, &str); 6] = [
        ("dnp", "00 01 00 ff"),
        ("dnp", "04 00"),
        ("riptide", "05"),
        ("riptide", "07 01 00"),
        ("acknex", "02 6e 65"),
        ("acknex", "03 77 00 01"),
    ];
    for (proto, bytes) in cut {
        let mut link = link(proto, Transport::Udp, &["riptide.version=2.0"], peer.addr, &stop);
        assert_eq!(refusal(link.send_bytes(&[])), Refusal::Empty);
        assert!(matches!(refusal(link.send_bytes(&hex(bytes))), Refusal::Broken(_)), "{proto} {bytes}");
    }
    // A complete message, but not a client's.
    let mut dnp = link("dnp", Transport::Udp, &[], peer.addr, &stop);
    assert_eq!(refusal(dnp.send_bytes(&hex("77 00"))), Refusal::Misdirected("unknown", "client"));
    // A message that the encoder itself would cut.
    assert!(dnp.send("connection_request", json!({"unparsed": "00"})).is_err());
    // A valid message leaves.
    dnp.send("connection_close", json!({})).unwrap();
    assert_eq!(peer.sent(), [vec![2]]);
}

#[test]
fn no_unfinished_frame() {
    let stop = CancelToken::default();
    let peer = tcp(|bytes| if bytes.is_empty() { Ok(()) } else { Err("got through".into()) }, |conn| _ = conn.drain());
    let cases = [
        ("riptide", "01 00"),
        ("riptide", "01 00 03 05"),
        ("nano", "01 00 00 35 7b"),
        ("nano", "04 00 00 01 00"),
        ("nano", "04 00 00 00"),
        ("gne", "4e 4c 00 30 47 4e 45"),
        ("gne", "4e 4c"),
    ];
    for (proto, bytes) in cases {
        let mut link = link(proto, Transport::Tcp, &["riptide.version=2.0"], peer.addr, &stop);
        assert_eq!(refusal(link.send_bytes(&[])), Refusal::Empty);
        refusal(link.send_bytes(&hex(bytes)));
        link.wire.finish();
    }
}
