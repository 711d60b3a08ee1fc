//! DNP. Answers of the C++, Java and Python servers (dnp-probe.pcap).

use super::peer::*;
use crate::common::side_by_side;
use netkit::live::probe::{Report, Request};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::time::Duration;

/// Allows a probe's messages: requests, closes, acknowledgements, parts without an end; with exact lengths.
fn check(bytes: &[u8]) -> Result<(), String> {
    match bytes {
        [0, 1, 0, 0xff, 0xff] | [0, 1, 0, 0, 0] | [2] | [6, _, _, 0] | [10, _, _, 0] => Ok(()),
        _ => Err("not one of the five harmless commands".into()),
    }
}

const IDENTIFY: [u8; 5] = [0, 1, 0, 0xff, 0xff];

/// Asks a peer with a timeout that passes.
fn ask_within(timeout: Duration, peer: &Peer) -> Report {
    ask(&Request { timeout: Some(timeout), ..request("dnp", &[]) }, &peer.addr.to_string())
}

#[test]
fn identification() {
    for ip in loopbacks() {
        let peer = udp(ip, check, |bytes| if bytes == IDENTIFY { say("01 02") } else { Vec::new() });
        let report = ask(&request("dnp", &[]), &peer.addr.to_string());
        assert_eq!(outcome(&report), "ok");
        assert_eq!(report.samples.iter().filter(|s| s.rtt.is_some()).count(), 3);
        assert!(fact(&report, "answer").is_null(), "what every server answers tells nothing of this one");
        assert_eq!(peer.sent(), vec![IDENTIFY.to_vec(); 3], "nothing but requests that nobody accepts");
    }
}

#[test]
fn requests_are_not_hurried() {
    let stamps = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = stamps.clone();
    let peer = udp(V4, check, move |_| {
        seen.lock().unwrap().push(std::time::Instant::now());
        say("01 02")
    });
    let begin = std::time::Instant::now();
    ask(&request("dnp", &[]), &peer.addr.to_string());
    // A busy machine may deliver one late and the next in time: so each is compared with the beginning.
    let late: Vec<_> = stamps.lock().unwrap().iter().map(|at| *at - begin).collect();
    assert!(late.len() > 2 && (0..).zip(&late).all(|(k, late)| *late >= ms(99) * k), "{late:?}");
}

#[test]
fn loss_and_duplicates() {
    patiently(|timeout| {
        let mut count = 0;
        let peer = udp(V4, check, move |_| {
            count += 1;
            if count == 1 { Vec::new() } else { times(say("01 02"), 2) }
        });
        let report = ask_within(timeout, &peer);
        ensure(outcome(&report) == "ok", text(&report))?;
        let answered: Vec<bool> = report.samples.iter().map(|s| s.rtt.is_some()).collect();
        ensure(answered == [false, true, true], format!("{:?}", report.samples))?;
        ensure(report.duplicates >= 1, "no duplicates")
    });
}

#[test]
fn other_answers() {
    let cases = [
        ("01 01", "rejected"),
        ("01", "broken"),
        ("01 00 00", "broken"),
        ("04 03", "other_protocol"),
        ("77 77 77", "other_protocol"),
        ("", "silent"),
    ];
    side_by_side(cases, |(answer, wanted)| {
        patiently(|timeout| {
            let peer = udp(V4, check, move |_| say(answer));
            let report = ask_within(timeout, &peer);
            ensure(outcome(&report) == wanted, format!("{answer:?}: {} {}", outcome(&report), text(&report)))?;
            // Riptide's reject is recognised.
            ensure(answer != "04 03" || detail(&report, "other") == "riptide", text(&report))
        });
    });
    assert_eq!(outcome(&ask(&request("dnp", &[]), &closed_udp().to_string())), "refused");
    // The server speaks protocol 65535: the connection is closed.
    let peer = udp(V4, check, |bytes| if bytes == IDENTIFY { say("01 00 ff ff") } else { Vec::new() });
    assert_eq!(outcome(&ask(&request("dnp", &[]), &peer.addr.to_string())), "ok");
    // It is asked once: another request would be accepted again.
    assert_eq!(peer.sent(), [IDENTIFY.to_vec(), vec![2], vec![2], vec![2]]);
}

/// A server that offers a link before it accepts (dnp-probe.pcap), and acknowledges.
fn server(bytes: &[u8]) -> Vec<Say> {
    match bytes {
        [0, 1, 0, 0xff, 0xff] => say("01 02"),
        [0, 1, 0, 0, 0] => [say("05 00 00 07 00 00 02 00 68 69 01 00 01 2a"), say("01 00 00 00")].concat(),
        [10, low, high, 0] => say(&format!("06 {low:02x} {high:02x} 00")),
        _ => Vec::new(),
    }
}

#[test]
fn full_handshake() {
    let peer = udp(V4, check, server);
    let mut request = request("dnp", &[]);
    request.connect = true;
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "ok", "{}", text(&report));
    assert_eq!(fact(&report, "protocol"), 0);
    assert_eq!(fact(&report, "long_messages"), true);
    assert_eq!(fact(&report, "volunteered")["link_state"], 1);
    let inside = report.samples.iter().filter(|s| s.method == "long_message" && s.rtt.is_some()).count();
    assert_eq!(inside, 3);
    let sent = peer.sent();
    assert!(sent.contains(&hex("06 00 00 00")), "the link state is acknowledged");
    assert!(sent.ends_with(&[vec![2], vec![2], vec![2]]), "closed, three times");
    let numbers: Vec<u8> = sent.iter().filter(|b| b[0] == 10).map(|b| b[1]).collect();
    assert_eq!(numbers, [0, 1, 2]);
}

/// The identification is answered twice: the second answer refuses no connection.
#[test]
fn late_answers_to_the_identification_refuse_nothing() {
    let peer = udp(V4, check, |bytes| match bytes {
        [0, 1, 0, 0xff, 0xff] => [say("01 02"), vec![Say { after: ms(5), ..say("01 02")[0].clone() }]].concat(),
        _ => server(bytes),
    });
    let mut request = request("dnp", &[]);
    request.connect = true;
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "ok", "{}", text(&report));
}

/// Servers take no more than ten numbers from the first one that they lack.
#[test]
fn a_lost_part_is_sent_again_before_the_next_one() {
    patiently(|timeout| {
        let mut lost = false;
        let peer = udp(V4, check, move |bytes| {
            let is_lost = bytes == [10, 1, 0, 0] && !std::mem::replace(&mut lost, true);
            if is_lost { Vec::new() } else { server(bytes) }
        });
        let request = Request { timeout: Some(timeout), connect: true, samples: 4, ..request("dnp", &[]) };
        let report = ask(&request, &peer.addr.to_string());
        ensure(outcome(&report) == "ok", text(&report))?;
        let numbers: Vec<u8> = peer.sent().iter().filter(|bytes| bytes[0] == 10).map(|bytes| bytes[1]).collect();
        ensure(numbers == [0, 1, 1, 2], format!("{numbers:?}"))
    });
}

#[test]
fn always_closed() {
    let mut request = request("dnp", &[]);
    request.connect = true;
    // Refused, silent after identification, closed by the server, interrupted.
    for (answer, wanted) in [("01 01", "rejected"), ("01 02", "other_version"), ("", "silent")] {
        patiently(|timeout| {
            let peer = udp(V4, check, move |bytes| match bytes[0] {
                0 if bytes == IDENTIFY => say("01 02"),
                0 if !answer.is_empty() => say(answer),
                _ => Vec::new(),
            });
            let request = Request { timeout: Some(timeout), connect: true, ..super::peer::request("dnp", &[]) };
            let report = ask(&request, &peer.addr.to_string());
            ensure(outcome(&report) == wanted, format!("{wanted}: {} {}", outcome(&report), text(&report)))?;
            ensure(peer.count(&[2]) == 3, format!("{wanted}: {} closes", peer.count(&[2])))
        });
    }
    let peer = udp(V4, check, |bytes| if bytes[0] == 10 { say("02") } else { server(bytes) });
    assert_eq!(outcome(&ask(&request, &peer.addr.to_string())), "closed");
    assert_eq!(peer.count(&[2]), 3);
    // Enough samples to be interrupted.
    (request.samples, request.interval) = (30, ms(100));
    let peer = udp(V4, check, server);
    // Interrupted when connected, in the middle of its samples.
    let report = interrupted(&request, &peer, |sent| sent.iter().filter(|b| b[0] == 10).count() > 2);
    assert_eq!(outcome(&report), "interrupted");
    assert_eq!(peer.count(&[2]), 3);
}

/// A name has addresses of both families, and one of them may lead nowhere.
#[test]
fn a_silent_address_hides_no_other() {
    let answers = UdpSocket::bind((V4, 0)).unwrap();
    let here = answers.local_addr().unwrap();
    let Ok(silent) = UdpSocket::bind((V6, here.port())) else { return println!("SKIPPED: no ::1") };
    let name = ("localhost", here.port()).to_socket_addrs();
    let all: Vec<SocketAddr> = name.map(Iterator::collect).unwrap_or_default();
    if all.first() != silent.local_addr().ok().as_ref() || !all.contains(&here) {
        return println!("SKIPPED: localhost is not ::1, then 127.0.0.1");
    }
    std::thread::spawn(move || {
        let mut buffer = [0; 64];
        while let Ok((_, from)) = answers.recv_from(&mut buffer) {
            let _ = answers.send_to(&[1, 2], from);
        }
    });
    let request = Request { timeout: Some(ms(300)), ..request("dnp", &[]) };
    assert_eq!(outcome(&ask(&request, &format!("localhost:{}", here.port()))), "ok");
}
