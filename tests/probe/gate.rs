//! The gate: what must never be sent never leaves, whoever asks for it.

use super::peer::*;
use netkit::flow::Transport;
use netkit::live::net::gate::Refusal;
use netkit::live::net::{Link, Open, Stop, Trouble};
use netkit::protocols;
use serde_json::json;
use std::net::SocketAddr;

fn link<'a>(proto: &str, transport: Transport, settings: &[&str], peer: SocketAddr, stop: &'a Stop) -> Link<'a> {
    let mut options = netkit::protocols::options();
    settings.iter().for_each(|text| options.set(text).unwrap());
    let dissector = protocols::by_name(proto).unwrap();
    let timeout = ms(300);
    let open = Open {
        dissector,
        version: None,
        transport,
        peer,
        timeout,
        recorder: None,
        watch: None,
        stop,
        flow: 1,
        role: netkit::dissect::Role::Client,
    };
    Link::open(&open, &options).unwrap()
}

fn refusal(result: Result<std::time::Instant, Trouble>) -> Refusal {
    match result {
        Err(Trouble::Gate(refusal)) => refusal,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nothing_empty_truncated_or_unfinished() {
    let stop = Stop::default();
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
        assert_eq!(refusal(link.send(&[])), Refusal::Empty);
        assert!(matches!(refusal(link.send(&hex(bytes))), Refusal::Broken(_)), "{proto} {bytes}");
    }
    // Whole, but nothing that a client sends.
    let mut dnp = link("dnp", Transport::Udp, &[], peer.addr, &stop);
    assert_eq!(refusal(dnp.send(&hex("77 00"))), Refusal::Misdirected("unknown", "client"));
    // A message that the encoder itself is told to cut.
    assert!(dnp.say("connection_request", &json!({"unparsed": "00"})).is_err());
    // And one that is right does leave.
    dnp.say("connection_close", &json!({})).unwrap();
    assert_eq!(peer.sent(), [vec![2]]);
}

#[test]
fn no_unfinished_frame() {
    let stop = Stop::default();
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
        assert_eq!(refusal(link.send(&[])), Refusal::Empty);
        refusal(link.send(&hex(bytes)));
        link.finish();
    }
}
