//! nano, pinus, pomelo: answers of probe-all.pcap.

use super::peer::*;
use crate::common::{answer_to, granted};
use netkit::live::probe::{Carrier, Request};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Allows whole packages of a client, none of them with data; or an HTTP request and whole masked frames.
fn check(bytes: &[u8]) -> Result<(), String> {
    if !bytes.starts_with(b"GET") {
        return packages(bytes);
    }
    let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").ok_or("an unfinished head")? + 4;
    let mut rest = &bytes[end..];
    while !rest.is_empty() {
        let [op, length, mask @ ..] = rest else { return Err("an unfinished frame".into()) };
        let length = (length & 0x7f) as usize;
        let payload = mask.get(4..4 + length).filter(|_| rest[1] & 0x80 != 0 && length < 126).ok_or("a cut frame")?;
        let plain: Vec<u8> = payload.iter().zip(mask[..4].iter().cycle()).map(|(a, b)| a ^ b).collect();
        match op {
            0x82 => packages(&plain)?,
            0x88 | 0x89 => {}
            _ => return Err(format!("opcode {op:02x}")),
        }
        rest = &rest[6 + length..];
    }
    Ok(())
}

fn packages(mut bytes: &[u8]) -> Result<(), String> {
    while !bytes.is_empty() {
        let [kind @ 1..=3, a, b, c, rest @ ..] = bytes else { return Err("no handshake, ack or heartbeat".into()) };
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        if rest.len() < length || (*kind == 1) == (length == 0) {
            return Err("an unfinished or empty package".into());
        }
        bytes = &rest[length..];
    }
    Ok(())
}

fn package(kind: u8, body: &str) -> Vec<u8> {
    [&[kind][..], &(body.len() as u32).to_be_bytes()[1..], body.as_bytes()].concat()
}

const NANO: &str = r#"{"code":200,"sys":{"dict":{"Room.Echo":1},"heartbeat":1,"servertime":1795231519}}"#;
const PINUS: &str = r#"{"code":200,"sys":{"heartbeat":3,"dict":{"a":1,"b":2},"useDict":true}}"#;
const BARE: &str = r#"{"code":200,"sys":{"heartbeat":3}}"#;

/// A server over TCP: answers handshakes before the ack, or heartbeats after it.
fn server(hello: &'static str, again: bool) -> impl FnMut(&mut Conn) + Send {
    move |conn| {
        let (mut shaken, mut acked) = (false, false);
        loop {
            let [kind, a, b, c] = conn.read(4)[..] else { return };
            conn.read(u32::from_be_bytes([0, a, b, c]) as usize);
            match kind {
                1 if !shaken || again && !acked => conn.write(&package(1, hello)),
                2 if !again => conn.write(&package(3, "")),
                3 if !again => conn.write(&package(3, "")),
                _ => {}
            }
            shaken = true;
            acked |= kind == 2;
        }
    }
}

fn over(carrier: Carrier) -> Request {
    let mut request = request("nano", &[]);
    request.carrier = Some(carrier);
    request
}

/// Asks a peer over TCP with this timeout.
fn over_tcp_within(timeout: Duration, peer: &Peer) -> netkit::live::probe::Report {
    ask(&Request { timeout: Some(timeout), ..over(Carrier::Tcp) }, &peer.addr.to_string())
}

#[test]
fn families_over_tcp() {
    let cases = [
        (NANO, true, "nano 0.5.1", "handshake"),
        (PINUS, false, "pinus", "heartbeat"),
        (r#"{"code":200,"sys":{"routeToCode":{"x":1},"codeToRoute":{"1":"x"}}}"#, false, "pomelo", "heartbeat"),
        (r#"{"code":200,"sys":{"serializer":"json","heartbeat":30}}"#, true, "pitaya", "handshake"),
        (BARE, true, "nano or pitaya", "handshake"),
        (BARE, false, "pomelo or pinus", "heartbeat"),
    ];
    for (hello, again, family, method) in cases {
        // A second handshake that is answered after more than 500 ms counts as ignored.
        unless_late(ms(500), 0..10, |_| {
            let peer = tcp(check, server(hello, again));
            let report = ask(&over(Carrier::Tcp), &peer.addr.to_string());
            assert_eq!(outcome(&report), "ok", "{hello}: {}", text(&report));
            let hand = r#"{"sys":{"type":"netkit","version":"1.1.1"},"user":{}}"#;
            assert!(peer.sent()[0].starts_with(&package(1, hand)), "57 bytes");
            let found = report.found.as_ref().unwrap();
            let measured = report.samples.iter().all(|s| s.method == method && s.rtt.is_some());
            let right = found.family.as_deref().unwrap().starts_with(family) && report.samples.len() == 3 && measured;
            ensure(right, format!("{hello}, not {family}: {:?} {:?}", found.family, report.samples))
        });
    }
    let peer = tcp(check, server(NANO, true));
    let report = ask(&over(Carrier::Tcp), &peer.addr.to_string());
    assert_eq!((fact(&report, "dictionary").as_u64(), fact(&report, "heartbeat").as_u64()), (Some(1), Some(1)));
}

/// The heartbeat that such a server sends by itself is under way when the first is requested: it answers none. The
/// answer to a heartbeat takes twice as long, so that its time identifies it.
#[test]
fn a_server_that_is_far_away() {
    const AWAY: Duration = ms(120);
    // The unasked heartbeat is waited for 50 ms longer than the handshake has taken.
    const PUNCTUAL: Duration = ms(30);
    unless_late(ms(50), 0..10, |_| {
        let longest = Arc::new(Mutex::new(Duration::ZERO));
        let late = Arc::clone(&longest);
        let peer = tcp(check, move |conn| {
            loop {
                let [kind, a, b, c] = conn.read(4)[..] else { return };
                conn.read(u32::from_be_bytes([0, a, b, c]) as usize);
                let (begun, pause) = (Instant::now(), if kind == 3 { AWAY * 2 } else { AWAY });
                std::thread::sleep(pause);
                let mut longest = late.lock().unwrap();
                *longest = longest.max(begun.elapsed().saturating_sub(pause));
                match kind {
                    1 => conn.write(&package(1, PINUS)),
                    _ => conn.write(&package(3, "")),
                }
            }
        });
        let report = ask(&over(Carrier::Tcp), &peer.addr.to_string());
        assert_eq!(outcome(&report), "ok", "{}", text(&report));
        let own = report.samples.iter().all(|sample| sample.rtt.is_some_and(|rtt| rtt >= AWAY * 2));
        let longest = *longest.lock().unwrap();
        ensure(
            own && report.samples.len() == 3 && longest < PUNCTUAL,
            format!("{longest:?} late: {:?}", report.samples),
        )
    });
}

#[test]
fn failures_over_tcp() {
    let cases: [(Vec<u8>, &str); 7] = [
        (package(1, r#"{"code":500}"#), "rejected"),
        (package(1, r#"{"code":501}"#), "other_version"),
        (package(5, r#"{"reason":"maintenance"}"#), "rejected"),
        (package(1, "no json"), "broken"),
        (package(1, NANO)[..20].to_vec(), "broken"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), "closed"),
        (Vec::new(), "closed"),
    ];
    for (answer, wanted) in cases {
        let shown = String::from_utf8_lossy(&answer).into_owned();
        let peer = tcp(check, move |conn| {
            conn.read(57);
            conn.write(&answer);
        });
        let report = ask(&over(Carrier::Tcp), &peer.addr.to_string());
        assert_eq!(outcome(&report), wanted, "{shown:?}: {}", text(&report));
    }
    let peer = tcp(check, |conn| _ = conn.drain());
    assert_eq!(outcome(&over_tcp_within(ms(300), &peer)), "silent");
    patiently(|timeout| {
        let peer = tcp(check, |conn| {
            conn.read(57);
            conn.write(&hex("050008010001 00"));
            conn.drain();
        });
        let report = over_tcp_within(timeout, &peer);
        ensure(outcome(&report) == "other_protocol", text(&report))
    });
    assert_eq!(outcome(&ask(&over(Carrier::Tcp), &closed_tcp().to_string())), "refused");
}

/// nano speaks first only with heartbeats. Their bytes may be messages of other protocols as well.
#[test]
fn heartbeats_instead_of_an_answer() {
    for count in 1..4 {
        let peer = tcp(check, move |conn| {
            conn.write(&package(3, "").repeat(count));
            conn.drain();
        });
        let report = over_tcp_within(ms(300), &peer);
        assert_eq!(outcome(&report), "silent", "{count}: {}", text(&report));
    }
}

/// pinus and pomelo see a connection with its first byte, and end it at once if they are full; nano's check of
/// handshakes ends one that has sent a handshake.
#[test]
fn full_servers_differ_from_those_that_check_handshakes() {
    for (advice, full) in [("it is full", true), ("its check of handshakes", false)] {
        // A full server has 250 ms to end the second connection.
        unless_late(ms(250), 0..10, |_| {
            let peer = tcp(check, move |conn| {
                while let [kind, a, b, c] = conn.read(4)[..] {
                    conn.read(u32::from_be_bytes([0, a, b, c]) as usize);
                    if full || kind == 1 {
                        return;
                    }
                }
            });
            let report = ask(&over(Carrier::Tcp), &peer.addr.to_string());
            assert_eq!(outcome(&report), "closed", "{}", text(&report));
            // The second connection has no handshake.
            assert_eq!(peer.sent()[1], [3, 0, 0, 0]);
            ensure(report.failure.as_ref().unwrap().advice.starts_with(advice), text(&report))
        });
    }
}

/// Reads the head of a request for an upgrade; `None`: the client is gone.
fn head(conn: &mut Conn) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(*conn.read(1).first()?);
    }
    Some(head)
}

/// A WebSocket server: the upgrade, then a frame for each frame. Status `101 KEY` answers with that key, `101 -` with
/// none.
fn web(status: &'static str) -> impl FnMut(&mut Conn) + Send {
    move |conn| {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let more = conn.read(1);
            if more.is_empty() {
                return;
            }
            head.extend(more);
            if head.len() == 4 && !head.starts_with(b"GET ") {
                // nano's WebSocket port waits for the end of a line.
                conn.drain();
                return;
            }
        }
        let own = answer_to(&head);
        let key = match status.split_once(' ') {
            Some((_, "-")) => None,
            Some((_, key)) => Some(key),
            None => Some(own.as_str()),
        };
        if !status.starts_with("101") {
            conn.write(format!("HTTP/1.1 {status} Not Found\r\nContent-Length: 0\r\n\r\n").as_bytes());
            return;
        }
        let key = key.map_or(String::new(), |key| format!("Sec-WebSocket-Accept: {key}\r\n"));
        conn.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n");
        conn.write(format!("{key}\r\n").as_bytes());
        loop {
            let [op, length] = conn.read(2)[..] else { return };
            let mask = conn.read(4);
            let payload = conn.read((length & 0x7f) as usize);
            let plain: Vec<u8> = payload.iter().zip(mask.iter().cycle()).map(|(a, b)| a ^ b).collect();
            let frame = |op: u8, body: &[u8]| [&[op, body.len() as u8][..], body].concat();
            match op {
                0x89 => conn.write(&frame(0x8a, &plain)),
                0x88 => {
                    conn.write(&frame(0x88, &plain));
                    return;
                }
                _ if plain.first() == Some(&1) => conn.write(&frame(0x82, &package(1, PINUS))),
                _ => {}
            }
        }
    }
}

#[test]
fn websocket() {
    let peer = tcp(check, web("101"));
    let report = ask(&request("nano", &[]), &format!("ws://{}/nano", peer.addr));
    assert_eq!(outcome(&report), "ok", "{}", text(&report));
    assert_eq!(report.found.as_ref().unwrap().carrier, "ws");
    assert!(report.samples.len() == 3 && report.samples.iter().all(|s| s.rtt.is_some()));
    let sent = peer.sent();
    assert!(sent[0].starts_with(b"GET /nano HTTP/1.1\r\n"));
    let close = &sent[0][sent[0].len() - 8..];
    assert_eq!(close[..2], [0x88, 0x82], "left with a close frame");

    // Plain HOST:PORT: TCP first, in vain, then WebSocket.
    patiently(|timeout| {
        let report = ask(&Request { timeout: Some(timeout), ..request("nano", &[]) }, &peer.addr.to_string());
        ensure(outcome(&report) == "ok" && report.tried.len() == 2, format!("{:?}", report.tried))
    });

    let peer = tcp(check, web("404"));
    let report = ask(&request("nano", &[]), &format!("ws://{}/", peer.addr));
    assert_eq!(outcome(&report), "rejected");
    assert!(text(&report).contains("ws://HOST:PORT/PATH"), "{}", text(&report));
}

/// A WebSocket server of another kind grants the upgrade, and answers no handshake.
#[test]
fn a_websocket_that_is_silent_after_the_upgrade() {
    patiently(|timeout| {
        let peer = tcp(check, |conn| {
            let Some(head) = head(conn) else { return };
            conn.write(&granted(&head));
            conn.drain();
        });
        let request = Request { timeout: Some(timeout), ..request("nano", &[]) };
        let report = ask(&request, &format!("ws://{}/", peer.addr));
        ensure(outcome(&report) == "silent" && text(&report).contains("it speaks WebSocket"), text(&report))
    });
}

/// A server whose check of handshakes fails ends the WebSocket after the upgrade, with a close frame or without. The
/// advice depends on whether it had the user's data.
#[test]
fn a_websocket_that_ends_with_the_handshake() {
    for (close, given) in [(false, false), (false, true), (true, false), (true, true)] {
        let peer = tcp(check, move |conn| {
            let Some(head) = head(conn) else { return };
            conn.write(&granted(&head));
            let [_, length] = conn.read(2)[..] else { return };
            conn.read(4 + (length & 0x7f) as usize);
            if close {
                conn.write(&[0x88, 0]);
            }
        });
        let mut request = request("nano", &[]);
        request.data = given.then(|| serde_json::json!({"token": "s3cret"}));
        let report = ask(&request, &format!("ws://{}/", peer.addr));
        assert_eq!(outcome(&report), "closed", "{close} {given}: {}", text(&report));
        let advice = report.failure.unwrap().advice;
        assert!(advice.contains("its check of handshakes refuses"), "{close} {given}: {advice}");
        assert_eq!(advice.contains("--connect-data provides"), !given, "{close} {given}: {advice}");
        assert_eq!(advice.contains("the data of --connect-data"), given, "{close} {given}: {advice}");
    }
}

/// pinus and pomelo take TCP and WebSocket on one port. If they are full, they end a connection with its first byte, and
/// a WebSocket after the upgrade. A scan then advises as a probe of nano does; a server that ends every connection may be
/// any.
#[test]
fn a_scan_of_a_full_server() {
    for (web, advice) in [(true, "it is full"), (false, "the server may speak another protocol")] {
        let peer = tcp(
            |_| Ok(()),
            move |conn| {
                let mut head = conn.read(1);
                while web && b"GET ".starts_with(&head[..head.len().min(4)]) && !head.ends_with(b"\r\n\r\n") {
                    let more = conn.read(1);
                    if more.is_empty() {
                        return;
                    }
                    head.extend(more);
                }
                if head.ends_with(b"\r\n\r\n") {
                    conn.write(&granted(&head));
                    conn.write(&[0x88, 0]);
                    conn.drain();
                }
            },
        );
        let report = ask(&request("", &[]), &peer.addr.to_string());
        assert_eq!(outcome(&report), "closed", "{}", text(&report));
        let failure = report.failure.unwrap();
        assert!(failure.advice.starts_with(advice), "{failure:?}");
        assert_eq!(failure.advice.ends_with("; or it is of another protocol"), web, "{failure:?}");
    }
}

/// nano's server closes a WebSocket only after a first message, also that of a probe that was stopped before the upgrade
/// was granted.
#[test]
fn who_is_stopped_before_the_upgrade_leaves() {
    let mut request = over(Carrier::Ws);
    request.samples = 10_000;
    // The upgrade is waited for 500 ms longer.
    unless_late(ms(500), 0..10, |_| {
        let peer = tcp(check, |conn| {
            let Some(head) = head(conn) else { return };
            std::thread::sleep(ms(100));
            conn.write(&granted(&head));
            conn.drain();
        });
        let report = interrupted(&request, &peer, |sent| sent.iter().any(|bytes| bytes.ends_with(b"\r\n\r\n")));
        assert_eq!(outcome(&report), "interrupted", "{}", text(&report));
        let sent = peer.sent().concat();
        let end = sent.windows(4).position(|four| four == b"\r\n\r\n").unwrap() + 4;
        let (first, close) = (sent.get(end), sent.len().checked_sub(8).map(|at| sent[at]));
        let both = (first, close) == (Some(&0x82), Some(0x88));
        ensure(both, format!("not the handshake and a close frame: {sent:02x?}"))
    });
}

/// A server that grants the upgrade without the answer to our key has not read the request: a cache, a proxy.
#[test]
fn the_key_is_checked() {
    // The example of RFC 6455, section 1.3: a valid answer to another key.
    for (status, message) in [("101 s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), ("101 -", "")] {
        let peer = tcp(check, web(status));
        let report = ask(&request("nano", &[]), &format!("ws://{}/", peer.addr));
        assert_eq!(outcome(&report), "broken", "{}", text(&report));
        assert!(report.found.is_none() && report.samples.is_empty());
        assert_eq!(detail(&report, "accept").as_str().unwrap_or(""), message);
        let sent = peer.sent();
        assert_eq!(detail(&report, "expected").as_str(), Some(answer_to(&sent[0]).as_str()));
        assert!(sent[0].ends_with(b"\r\n\r\n"), "nothing is said behind it");
    }
}

/// The handshake contains the data that the application expects of the user.
#[test]
fn connect_data() {
    let clients = netkit::protocols::clients();
    let probe = clients.probe("nano").unwrap();
    let values = probe.data(&r#"{"token":"s3cret"}"#.parse().unwrap()).unwrap();
    assert!(probe.data(&"text:secret".parse().unwrap()).unwrap_err().contains("JSON object"));
    assert!(clients.probe("gne").unwrap().data(&"text:x".parse().unwrap()).is_err());
    let peer = tcp(check, |conn| {
        loop {
            let [kind, a, b, c] = conn.read(4)[..] else { return };
            let body = conn.read(u32::from_be_bytes([0, a, b, c]) as usize);
            let known = String::from_utf8_lossy(&body).contains(r#""user":{"token":"s3cret"}"#);
            match (kind, known) {
                (1, true) => conn.write(&package(1, NANO)),
                (1, false) => conn.write(&package(1, r#"{"code":500,"msg":"who are you"}"#)),
                _ => {}
            }
        }
    });
    let mut request = over(Carrier::Tcp);
    let refused = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&refused), "rejected");
    assert!(refused.failure.unwrap().advice.contains("--connect-data"));
    request.data = Some(values);
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "ok", "{report:?}");
}

/// A stall of the network: an answer that arrives after its second is not the next question's.
#[test]
fn a_late_answer_is_not_another_question_s() {
    const AWAY: Duration = ms(150);
    unless_late(ms(100), 0..10, |_| {
        let mut handshakes = 0;
        let peer = tcp(check, move |conn| {
            while let [kind, a, b, c] = conn.read(4)[..] {
                conn.read(u32::from_be_bytes([0, a, b, c]) as usize);
                if kind == 1 {
                    handshakes += 1;
                    // The third question, after those that identify the server.
                    std::thread::sleep(if handshakes == 4 { ms(1_100) } else { AWAY });
                    conn.write(&package(1, NANO));
                }
            }
        });
        let report = ask(&Request { samples: 5, ..over(Carrier::Tcp) }, &peer.addr.to_string());
        let lost = report.samples.iter().filter(|sample| sample.rtt.is_none()).count();
        let quick = report.samples.iter().any(|sample| sample.rtt.is_some_and(|rtt| rtt < AWAY));
        ensure(lost == 1 && !quick, format!("{:?}", report.samples))
    });
}
