//! Servers of other protocols: whatever they answer, they are not recognised as ours.

use super::peer::{Say, V4, ask, ensure, hex, outcome, patiently, request, tcp, text, udp};
use crate::common::side_by_side;
use netkit::live::probe::{Report, Request};

/// A server's reaction to received bytes.
#[derive(Clone, Copy, Debug)]
enum Does {
    Echo,
    Discard,
    /// Answers each with these bytes.
    Says(&'static str),
    /// The same, with the first two bytes of the question, like DNS with its id.
    Copies(&'static str),
    /// Sends first, and once.
    Greets(&'static [u8]),
    /// Closes the connection.
    Closes,
}

const DATAGRAMS: &[(&str, Does)] = &[
    ("echo", Does::Echo),
    ("discard", Does::Discard),
    ("chargen", Does::Says("20 21 22 23 24 25 26 27 28 29 2a 2b 2c 2d 2e 2f 30 31 32 0d 0a")),
    ("daytime", Does::Says("32 33 20 4e 4f 56 20 32 30 32 36 0d 0a")),
    ("dns", Does::Copies("81 01 00 00 00 00 00 00 00 00")),
    (
        "ntp",
        Does::Says(
            "24 01 03 ec 00 00 00 10 00 00 00 20 47 50 53 00 e5 3d 11 22 00 00 00 00 00 00 00 00 00 00 00 00 e5 3d 11 22 00 00 00 00 e5 3d 11 22 00 00 00 00",
        ),
    ),
    ("tftp", Does::Says("00 05 00 04 49 6c 6c 65 67 61 6c 00")),
    ("quic", Does::Says("c0 00 00 00 00 04 de ad be ef 04 ca fe ba be 00 00 00 01")),
    ("coap", Does::Says("70 00 12 34")),
    ("source", Does::Says("ff ff ff ff 41 01 02 03 04")),
    (
        "raknet",
        Does::Says(
            "1c 00 00 00 00 00 00 00 01 12 34 56 78 9a bc de f0 00 ff ff 00 fe fe fe fe fd fd fd fd 12 34 56 78 00 00",
        ),
    ),
    ("Server busy", Does::Says("53 65 72 76 65 72 20 62 75 73 79 0a")),
    ("Error", Does::Says("45 72 72 6f 72 0a")),
    ("byte 0", Does::Says("00")),
    ("byte 1", Does::Says("01")),
    ("byte 2", Does::Says("02")),
    ("byte 3", Does::Says("03")),
    ("byte 5", Does::Says("05")),
    ("byte 7", Does::Says("07")),
    ("byte 8", Does::Says("08")),
    ("byte 19", Does::Says("13")),
    ("byte 255", Does::Says("ff")),
];

const STREAMS: &[(&str, Does)] = &[
    ("echo", Does::Echo),
    ("discard", Does::Discard),
    ("chargen", Does::Greets(b" !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefg\r\n")),
    ("http", Does::Says("48 54 54 50 2f 31 2e 31 20 34 30 30 20 42 61 64 20 52 65 71 75 65 73 74 0d 0a 0d 0a")),
    ("tls", Does::Says("15 03 01 00 02 02 0a")),
    ("ssh", Does::Greets(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")),
    ("smtp", Does::Greets(b"220 mail.example ESMTP Postfix\r\n")),
    ("redis", Does::Says("2d 45 52 52 20 75 6e 6b 6e 6f 77 6e 20 63 6f 6d 6d 61 6e 64 0d 0a")),
    ("mysql", Does::Greets(b"\x4a\x00\x00\x00\x0a8.0.35\x00\x08\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08\x00")),
    ("postgres", Does::Says("4e")),
    ("dns", Does::Says("00 0c 12 34 81 01 00 00 00 00 00 00 00 00")),
    ("mqtt", Does::Closes),
    ("byte 0", Does::Says("00")),
    ("byte 1", Does::Says("01")),
    ("byte 255", Does::Says("ff")),
];

fn answer(does: Does, sent: &[u8]) -> Vec<u8> {
    match does {
        Does::Echo => sent.to_vec(),
        Does::Says(bytes) => hex(bytes),
        Does::Copies(bytes) => [&sent[..sent.len().min(2)], &hex(bytes)].concat(),
        _ => Vec::new(),
    }
}

/// Checks that the report names none of our protocols.
fn is_none(name: &str, proto: &str, does: Does, report: &Report) -> Result<(), String> {
    let about = format!("{name}, asked for {proto:?}: {} {}", outcome(report), text(report));
    let ours = ["ok", "pending", "full", "rejected", "other_version"];
    ensure(report.found.is_none() && !ours.contains(&outcome(report)), about.as_str())?;
    ensure(report.notes.is_empty(), format!("{about}: {:?}", report.notes))?;
    let unknown = proto.is_empty() && name.starts_with("byte ");
    ensure(!unknown || outcome(report) == "other_protocol", about.as_str())?;
    let failure = report.failure.as_ref().unwrap();
    ensure(failure.details.get("other").is_none_or(serde_json::Value::is_null), about.as_str())?;
    if matches!(does, Does::Echo) && !proto.is_empty() {
        let echoes = failure.details.get("stranger").is_some_and(|it| it == "echo") && about.contains("echo");
        ensure(echoes, about.as_str())?;
    }
    Ok(())
}

#[test]
fn datagrams() {
    let protos = ["", "riptide", "dnp", "acknex"];
    let cases: Vec<_> = DATAGRAMS.iter().flat_map(|case| protos.map(|proto| (*case, proto))).collect();
    side_by_side(cases, |((name, does), proto)| {
        // They answer at once, or never.
        patiently(|timeout| {
            let peer = udp(
                V4,
                |_| Ok(()),
                move |bytes| {
                    let bytes = answer(does, bytes);
                    if bytes.is_empty() { Vec::new() } else { vec![Say { bytes, ..Say::default() }] }
                },
            );
            let request = Request { timeout: Some(timeout), samples: 1, ..request(proto, &[]) };
            is_none(name, proto, does, &ask(&request, &peer.addr.to_string()))
        });
    });
}

#[test]
fn streams() {
    let protos = ["", "riptide", "gne", "nano"];
    let cases: Vec<_> = STREAMS.iter().flat_map(|case| protos.map(|proto| (*case, proto))).collect();
    side_by_side(cases, |((name, does), proto)| {
        patiently(|timeout| {
            let peer = tcp(
                |_| Ok(()),
                move |conn| {
                    if let Does::Greets(bytes) = does {
                        conn.write(bytes);
                    }
                    loop {
                        let sent = conn.read(1);
                        if sent.is_empty() || matches!(does, Does::Closes) {
                            return;
                        }
                        conn.write(&answer(does, &sent));
                    }
                },
            );
            let request = Request { timeout: Some(timeout), samples: 1, ..request(proto, &[]) };
            is_none(name, proto, does, &ask(&request, &peer.addr.to_string()))
        });
    });
}
