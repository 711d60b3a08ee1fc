//! A capture without the first segment of a conversation: the other side's beginning still identifies the protocol, and
//! all the rest is read.

use crate::common;
use crate::common::{Wire, direction, fixture, json_lines, records, run};
use netkit::capture::{Body, Segment};
use serde_json::Value;
use std::collections::BTreeSet;

/// The capture without one frame.
fn without(capture: &[u8], frame: usize) -> Vec<u8> {
    let kept = (1..).zip(records(capture)).filter(|(number, _)| *number != frame).flat_map(|(_, record)| record);
    capture[..24].iter().copied().chain(kept).collect()
}

fn decode(capture: &[u8]) -> Vec<Value> {
    run(&["decode", "-", "-q", "-f", "ndjson"], capture).lines()
}

/// GNE's library sends header and content in two segments. Without the first header the client's stream begins with 48
/// bytes that are no frame, and its byte order is unknown: a frame that ends with the mark of a list of packets is such
/// a list. The server's stream begins with its acceptance, which also names the port of the datagrams.
#[test]
fn the_first_header_of_a_gne_client() {
    let capture = std::fs::read(fixture("gne/gne-le-udp-full.pcap")).unwrap();
    let expected = json_lines(&fixture("gne/gne-le-udp-full.expected.ndjson"));
    let whole = decode(&capture);
    assert_eq!(whole[0]["frames"][0], 4, "frame 4 has the header alone");
    let cut = decode(&without(&capture, 4));
    assert_eq!(cut.len(), expected.len());
    let codes: Vec<&str> = cut[0]["notes"].as_array().unwrap().iter().filter_map(|n| n["code"].as_str()).collect();
    assert_eq!((&cut[0]["proto"], &cut[0]["from"]), (&"hawknl".into(), &"client".into()));
    assert_eq!(codes, ["hawknl.out_of_sync", "tcp.gap"]);
    assert!(cut[0]["fields"]["unparsed"].as_str().is_some_and(|hex| hex.starts_with("474e450000") && hex.len() == 96));
    for (line, want) in cut.iter().zip(&expected).skip(1) {
        let frame = want["frame"].as_u64().unwrap() - 1;
        assert_eq!((&line["frame"], &line["from"]), (&frame.into(), &want["from"]));
        let stream = line["transport"] == "tcp";
        if want["message"] == "client_port" {
            // It has no mark.
            assert_eq!((&line["proto"], &line["message"]), (&"hawknl".into(), &"frame".into()));
        } else {
            assert_eq!((&line["message"], &line["fields"]), (&want["message"], &want["fields"]));
            assert_eq!(line["derived"].get("tcp_flow").is_some(), !stream);
        }
    }
}

/// A file that begins in the middle of two conversations is read with the sides that later frames show, as if the user
/// had named the server. With `-p` alone nothing is read ahead, and the first lines have no side.
#[test]
fn sides_that_are_known_later() {
    let path = fixture("acknex/acknex-midway.pcap");
    let path = path.to_str().unwrap();
    let decode = |args: &[&str]| run(&[&["decode", path, "-f", "ndjson"], args].concat(), b"").ok();
    let found = decode(&[]);
    assert_eq!(found.text(), decode(&["-p", "acknex", "--server", "10.0.0.1:40001"]).text());
    assert_eq!(found.lines().len(), 22);
    assert!(found.lines().iter().all(|line| line["from"] != "unknown"));
    assert_eq!(decode(&["-p", "acknex"]).lines()[0]["from"], "unknown");
}

/// A capture of a connection's middle, with these bytes of client and server, and of nano's next one between the same
/// ports: frames 3 to 9. `foreign`: a datagram of no known protocol is before them.
fn used_again(middle: [&[u8]; 2], foreign: bool) -> Vec<u8> {
    let [client, server, other] = ["10.0.0.1:40000", "10.0.0.2:3250", "10.0.0.3:9"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    if foreign {
        wire.datagram([client, other], true, &[0xff; 9]);
    }
    for (by_client, payload, [seq, ack]) in
        [(true, middle[0], [700_000, 900_000]), (false, middle[1], [900_000, 700_000])]
    {
        let segment = Segment { payload, length: payload.len(), seq, ack, has_ack: true, ..Segment::default() };
        wire.packet([client, server], by_client, &Body::Tcp(segment));
    }
    let package = |kind: u8, body: &str| [&[kind, 0, 0, body.len() as u8][..], body.as_bytes()].concat();
    let [asked, accepted] = [r#"{"sys":{},"user":{}}"#, r#"{"code":200,"sys":{"heartbeat":30}}"#];
    let handshake = [(true, package(1, asked)), (false, package(1, accepted)), (true, package(2, ""))];
    let beats = [(false, package(3, "")), (true, package(3, ""))];
    wire.stream([client, server], &[&handshake[..], &beats].concat());
    wire.file()
}

/// The lines of a file, which is read ahead.
fn decode_file(capture: &[u8]) -> Vec<Value> {
    let folder = common::Scratch::new("used-again");
    let file = folder.write("again.pcap", capture);
    run(&["decode", &file, "-q", "-f", "ndjson"], b"").ok().lines()
}

/// No protocol claims the middle of a connection. The next one between its ports is still read, as from a pipe,
/// of which nothing is read ahead.
#[test]
fn a_connection_after_one_that_nobody_claims() {
    let capture = used_again([&[0xff; 24]; 2], false);
    let names = |lines: &[Value]| lines.iter().map(|line| line["message"].clone()).collect::<Vec<_>>();
    let piped = names(&decode(&capture));
    assert_eq!((piped.len(), names(&decode_file(&capture))), (5, piped));
}

/// A connection's middle with heartbeats alone does not show the server. The next one between the same ports does,
/// whether or not an earlier conversation has made the first reading go on.
#[test]
fn sides_that_the_next_connection_shows() {
    let beats = [3_u8, 0, 0, 0].repeat(3);
    for foreign in [true, false] {
        let lines = decode_file(&used_again([&beats; 2], foreign));
        for (frame, from) in [(1, "client"), (2, "server")] {
            let frame = frame + u64::from(foreign);
            let own = lines.iter().filter(|line| line["frame"] == frame);
            let sides: Vec<&Value> = own.map(|line| &line["from"]).collect();
            assert!(!sides.is_empty() && sides.iter().all(|side| *side == from), "{foreign}, {frame}: {sides:?}");
        }
    }
}

/// The handshake shows GNE's byte order; without it, lengths that fit in one order only do.
#[test]
fn the_order_of_a_gne_connection() {
    let expected = json_lines(&fixture("gne/gne-be-udp-full.expected.ndjson"));
    let path = fixture("gne/gne-be-udp-full.pcap");
    let capture = std::fs::read(&path).unwrap();
    let rest = (0..14).fold(capture, |rest, _| without(&rest, 1));
    let folder = common::Scratch::new("gne-order");
    let file = folder.write("rest.pcap", &rest);
    let lines = run(&["decode", &file, "-q", "-f", "ndjson"], b"").ok().lines();
    let customs: Vec<&Value> = expected.iter().filter(|line| line["fields"].to_string().contains("custom")).collect();
    assert!(customs.len() > 1);
    for want in customs {
        let line = lines.iter().find(|line| line["frame"] == want["frame"].as_u64().unwrap() - 14).expect("a line");
        assert_eq!((&line["version"], &line["fields"]), (&"be".into(), &want["fields"]));
    }
    assert!(
        lines.iter().filter(|line| line["proto"] == "gne").all(|line| line["version"] == "be"),
        "from the first on"
    );
}

/// Captures of one direction: the order of numbers follows from the port, and a client's port is read without the
/// acceptance before it.
#[test]
fn one_direction_of_a_gne_connection() {
    for (name, server) in [("gne-x64-trunk-be", "127.0.0.1:41115"), ("gne-be-udp-full", "127.0.0.1:41102")] {
        let capture = std::fs::read(fixture(&format!("gne/{name}.pcap"))).unwrap();
        let whole = decode(&capture);
        let servers = BTreeSet::from([server.parse().unwrap()]);
        for (by_server, message) in [(true, "connection_accepted"), (false, "client_port")] {
            let half = decode(&direction(&capture, &servers, by_server));
            let line = |of: &[Value]| {
                let line = of.iter().find(|line| line["message"] == message).expect("the message");
                ["time", "version", "from", "fields"].map(|key| line[key].clone())
            };
            assert_eq!(line(&half), line(&whole), "{name}");
            assert_eq!(line(&half)[1], "be");
        }
    }
}
