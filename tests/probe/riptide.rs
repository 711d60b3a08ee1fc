//! Riptide. The servers' bytes were measured with C# 2.0.0, 2.1.2 and 2.2.1.

use super::peer::*;
use netkit::live::probe::{Carrier, Report, Request};
use std::time::{Duration, Instant};

/// Allows a client's messages by exact size: none empty, none cut.
fn check(bytes: &[u8]) -> Result<(), String> {
    let right = match bytes {
        [] => false,
        // 2.0: connect, ack, welcome, heartbeat, disconnect.
        [3] | [1, _, _, _, _] | [8, 1, 0, _, _] | [5, _, _, _] | [6] => true,
        // 2.1 and later: the type is the low half.
        [2] | [5] => true,
        [first, _, _, _, _] => matches!(first & 15, 1 | 8),
        [first, _, _, _] => first & 15 == 4,
        _ => false,
    };
    if right { Ok(()) } else { Err("no whole message of a Riptide client".into()) }
}

fn check_stream(mut bytes: &[u8]) -> Result<(), String> {
    let wide = bytes.get(2..4) == Some(&[0, 0]);
    while !bytes.is_empty() {
        let (length, head) = match (wide, bytes) {
            (true, [a, b, c, d, ..]) => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 4),
            (false, [a, b, ..]) => (u16::from_le_bytes([*a, *b]) as usize, 2),
            _ => return Err("an unfinished length".into()),
        };
        check(bytes.get(head..head + length).ok_or("an unfinished frame")?)?;
        bytes = &bytes[head + length..];
    }
    Ok(())
}

/// A 2.0 server.
fn v20(bytes: &[u8]) -> Vec<Say> {
    match bytes {
        [3] => say("08 01 00 01 00"),
        [8, ..] => say("01 01 00 01 00"),
        [5, ping, ..] => say(&format!("05 {ping:02x}")),
        _ => Vec::new(),
    }
}

/// A 2.1 or 2.2 server: they differ in the ack.
fn v22(bytes: &[u8], ack: &str) -> Vec<Say> {
    match bytes {
        [2] => say("18 00 10 00 00"),
        [first, ..] if bytes.len() == 5 && first & 15 == 8 => say(ack),
        [first, second, _, _] if first & 15 == 4 => say(&hex::encode([*first, second & 15])),
        _ => Vec::new(),
    }
}

const ACK_21: &str = "11 00 10 00 20 00 00";
const ACK_22: &str = "11 00 10 00 00";

fn udp_request() -> Request {
    let mut request = request("riptide", &[]);
    request.carrier = Some(Carrier::Udp);
    request
}

fn run(peer: &Peer) -> Report {
    ask(&udp_request(), &peer.addr.to_string())
}

/// The same with a timeout that passes.
fn run_within(timeout: Duration, peer: &Peer) -> Report {
    ask(&Request { timeout: Some(timeout), ..udp_request() }, &peer.addr.to_string())
}

#[test]
fn versions() {
    // The bytes of the table: ack of the welcome, our welcome, the first ping, and the disconnect.
    once(&["01 01 00 01 00", "08 01 00 01 00", "05 00 ff ff", "06"], || {
        let peer = udp(V4, check, v20);
        let report = run(&peer);
        assert_eq!((outcome(&report), version(&report)), ("ok", Some("2.0")));
        assert_eq!(report.samples.iter().filter(|s| s.rtt.is_some()).count(), 3);
        assert_eq!(fact(&report, "client_id"), 1);
        assert_eq!(peer.sent().last(), Some(&hex("06")));
        peer
    });
    for (ack, wanted) in [(ACK_21, "2.1"), (ACK_22, "2.2")] {
        once(&["11 00 10 00 00", "18 00 10 00 00", "04 f0 ff 0f", "05"], || {
            let peer = udp(V4, check, move |bytes| v22(bytes, ack));
            let report = run(&peer);
            assert_eq!((outcome(&report), version(&report)), ("ok", Some(wanted)));
            peer
        });
    }
}

/// Checks that each of the messages is sent once. On a machine so busy that an answer takes as long as a resend, a
/// message is rightly sent again: then the next run counts.
fn once(messages: &[&str], mut ask: impl FnMut() -> Peer) {
    // The shortest time to a resend.
    unless_late(ms(60), 0..10, |_| {
        let peer = ask();
        let counts: Vec<usize> = messages.iter().map(|bytes| peer.count(&hex(bytes))).collect();
        ensure(counts.iter().all(|count| *count == 1), format!("{counts:?} of {messages:?}"))
    });
}

#[test]
fn over_either_kind_of_address() {
    for ip in loopbacks() {
        let peer = udp(ip, check, v20);
        let report = run(&peer);
        assert_eq!(outcome(&report), "ok");
        assert_eq!(report.address, Some(peer.addr));
    }
}

#[test]
fn rejections() {
    let cases = [
        (3, "04 03", "full", "server_full"),
        (3, "04 04", "rejected", "rejected"),
        (3, "04 05 05 68 65 6c 6c 6f", "rejected", "custom"),
        (2, "23 00", "full", "server_full"),
        (2, "33 00", "rejected", "rejected"),
        (2, "43 80 96 06", "rejected", "custom"),
    ];
    for (connect, answer, wanted, reason) in cases {
        let peer = udp(V4, check, move |bytes| {
            let answers = if connect == 2 { 3 } else { 1 };
            if bytes == [connect] { times(say(answer), answers) } else { Vec::new() }
        });
        let begin = Instant::now();
        let report = run(&peer);
        // A connect is sent again after two seconds without an answer, which a busy machine may take.
        let most = 1 + begin.elapsed().as_secs() as usize;
        assert_eq!(outcome(&report), wanted, "{answer}");
        assert_eq!(detail(&report, "reason"), reason, "{answer}");
        // The port is not used again, and there is no connection to leave.
        let connects = peer.sent().iter().filter(|b| **b == [connect]).count();
        assert!((1..=most).contains(&connects), "{answer}: {connects}, at most {most}");
    }
    let peer = udp(V4, check, |bytes| if bytes == [3] { say("04 05 05 68 65 6c 6c 6f") } else { Vec::new() });
    assert_eq!(detail(&run(&peer), "said"), "hello");
    let peer = udp(V4, check, |bytes| if bytes == [2] { say("43 80 96 06") } else { Vec::new() });
    assert_eq!(detail(&run(&peer), "said"), "hi");
}

#[test]
fn other_version() {
    let peer = udp(V4, check, |bytes| v22(bytes, ACK_22));
    let mut request = request("riptide", &["riptide.version=2.0"]);
    request.carrier = Some(Carrier::Udp);
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!((outcome(&report), detail(&report, "version").as_str()), ("other_version", Some("2.2")));
    assert_eq!(peer.count(&[5]), 1, "it is left");
}

#[test]
fn pending() {
    patiently(|timeout| {
        let peer = udp(V4, check, |bytes| if bytes == [3] { say("03") } else { Vec::new() });
        let report = run_within(timeout, &peer);
        ensure(outcome(&report) == "pending", text(&report))?;
        ensure(peer.count(&[6]) == 1, "it is left")
    });

    let peer = udp(V4, check, |bytes| match bytes {
        [3] => [say("03"), vec![Say { after: ms(60), bytes: hex("08 01 00 01 00"), stray: false }]].concat(),
        other => v20(other),
    });
    assert_eq!(outcome(&run(&peer)), "ok");
}

#[test]
fn nobody() {
    // Five tries for each version, one every 60 ms, and each socket sends a goodbye: the answer may have been lost. A
    // busy machine has no time for some of them.
    unless_late(ms(300), 0..10, |_| {
        let peer = udp(V4, check, |_| Vec::new());
        let report = run_within(ms(300), &peer);
        assert_eq!(outcome(&report), "silent");
        assert!(text(&report).contains("0.3 s"), "{}", text(&report));
        let counts = [[3], [2], [6], [5]].map(|what| peer.count(&what));
        let [tries @ .., _, _] = counts;
        assert!(tries.iter().all(|count| (1..=5).contains(count)), "{counts:?}");
        ensure(counts == [5, 5, 1, 1], format!("{counts:?}"))
    });

    let report = ask(&udp_request(), &closed_udp().to_string());
    assert_eq!(outcome(&report), "refused");
    let report = ask(&udp_request(), "no-such-host.invalid:7777");
    assert_eq!(outcome(&report), "resolve_failed");
}

#[test]
fn a_lost_connect_is_asked_again() {
    let mut lost = 2;
    let peer = udp(V4, check, move |bytes| {
        if bytes == [3] && lost > 0 {
            lost -= 1;
            return Vec::new();
        }
        v20(bytes)
    });
    // One is sent every 600 ms.
    assert_eq!(outcome(&run_within(ms(3_000), &peer)), "ok");
}

/// The time to connect is that since the first connect: servers ignore later ones.
#[test]
fn a_slow_welcome_took_all_of_its_time() {
    let mut asked = false;
    let peer = udp(V4, check, move |bytes| match bytes {
        [3] if std::mem::replace(&mut asked, true) => Vec::new(),
        [3] => vec![Say { after: ms(1300), ..v20(bytes)[0].clone() }],
        _ => v20(bytes),
    });
    let report = run_within(ms(10_000), &peer);
    assert_eq!(outcome(&report), "ok", "{}", text(&report));
    assert!(fact(&report, "connect_ms").as_f64() >= Some(1290.0), "{}", fact(&report, "connect_ms"));
}

#[test]
fn loss_delay_and_duplicates() {
    // An answer counts as lost after a second.
    unless_late(ms(1000), 0..10, |_| {
        let mut pings = 0;
        let peer = udp(V4, check, move |bytes| {
            if bytes[0] == 5 {
                pings += 1;
                return match pings {
                    1 => vec![Say { after: ms(60), ..v20(bytes)[0].clone() }],
                    2 => Vec::new(),
                    _ => times(v20(bytes), 2),
                };
            }
            v20(bytes)
        });
        let report = run(&peer);
        assert_eq!(outcome(&report), "ok");
        let [first, second, third] = report.samples[..] else { panic!("{:?}", report.samples) };
        assert_eq!(second.rtt, None);
        assert!(first.rtt.is_none_or(|rtt| rtt >= ms(60)), "{first:?}");
        let in_time = first.rtt.is_some_and(|rtt| rtt < ms(290)) && third.rtt.is_some();
        ensure(in_time, format!("{:?}", report.samples))
    });

    // An answer to a heartbeat that counts as lost by then repeats none.
    patiently(|timeout| {
        let peer = udp(V4, check, |bytes| match bytes {
            [5, 0, ..] => Vec::new(),
            [5, 1, ..] => [say("05 00"), v20(bytes)].concat(),
            _ => v20(bytes),
        });
        let report = run_within(timeout, &peer);
        ensure(outcome(&report) == "ok", text(&report))?;
        assert_eq!((report.samples[0].rtt, report.duplicates), (None, 0));
        Ok(())
    });

    // Nor does an answer with an id that nothing had.
    let peer = udp(V4, check, |bytes| match bytes {
        [5, ping, ..] => say(&format!("05 {:02x}", ping + 100)),
        _ => v20(bytes),
    });
    let report = run(&peer);
    let answered = report.samples.iter().filter(|s| s.rtt.is_some()).count();
    assert_eq!((outcome(&report), answered, report.duplicates), ("ok", 0, 0));

    let peer = udp(V4, check, |bytes| if bytes[0] == 5 { times(v20(bytes), 3) } else { v20(bytes) });
    let report = run(&peer);
    assert_eq!(report.samples.iter().filter(|s| s.rtt.is_some()).count(), 3);
    assert!(report.duplicates >= 4, "{}", report.duplicates);
}

#[test]
fn strangers() {
    // DNP's "no common protocol", an Acknex info, and bytes of no protocol.
    let cases = [("01 02", Some("dnp")), ("07 09 00 00 80 3f", Some("acknex")), ("de ad be ef", None)];
    for (answer, other) in cases {
        patiently(|timeout| {
            let peer = udp(V4, check, move |_| say(answer));
            let report = run_within(timeout, &peer);
            let about = format!("{answer}: {} {}", outcome(&report), text(&report));
            ensure(outcome(&report) == "other_protocol", about.as_str())?;
            ensure(detail(&report, "other").as_str() == other, about.as_str())?;
            ensure(text(&report).contains(&answer.replace(' ', "")), about)
        });
    }
}

#[test]
fn hostile() {
    patiently(|timeout| {
        let peer = udp(V4, check, |_| say(&"ff".repeat(60_000)));
        let report = run_within(timeout, &peer);
        ensure(outcome(&report) == "other_protocol", text(&report))
    });
    let peer = udp(V4, check, |_| say(""));
    assert_eq!(outcome(&run_within(ms(300), &peer)), "silent", "empty datagrams say nothing");
    // A truncated welcome.
    patiently(|timeout| {
        let peer = udp(V4, check, |bytes| if bytes == [3] { say("08 01") } else { Vec::new() });
        let report = run_within(timeout, &peer);
        ensure(outcome(&report) == "broken", text(&report))?;
        ensure(detail(&report, "answer")["message"] == "welcome", text(&report))?;
        ensure(text(&report).contains("riptide.welcome.sequence_id"), text(&report))
    });
    // An answer from another address does not count.
    let peer = udp(V4, check, |_| vec![Say { bytes: hex("08 01 00 01 00"), stray: true, after: ms(0) }]);
    assert_eq!(outcome(&run_within(ms(300), &peer)), "silent");
    // Garbage does not prevent the right answer after it from being read.
    let peer = udp(V4, check, |bytes| match bytes {
        [3] => [say("ff ff ff"), say("08"), v20(bytes)].concat(),
        _ => v20(bytes),
    });
    assert_eq!(outcome(&run(&peer)), "ok");
    // A flood of reliable messages is acknowledged, and the client leaves.
    let peer = udp(V4, check, |bytes| match bytes {
        [5, ..] => [(2..40u8).flat_map(|k| say(&format!("07 {k:02x} 00 01 00"))).collect(), v20(bytes)].concat(),
        _ => v20(bytes),
    });
    let report = run(&peer);
    assert_eq!(outcome(&report), "ok");
    assert!(peer.sent().contains(&hex("01 27 00 ff ff")), "all up to 39 are acknowledged");
}

#[test]
fn thrown_out() {
    let peer = udp(V4, check, |bytes| if bytes[0] == 5 { say("06 04") } else { v20(bytes) });
    let report = run(&peer);
    assert_eq!((outcome(&report), detail(&report, "reason").as_str()), ("closed", Some("kicked")));
    assert_eq!(version(&report), Some("2.0"), "what was found is told");
}

#[test]
fn an_interrupted_probe_leaves() {
    let peer = udp(V4, check, v20);
    let mut request = udp_request();
    (request.samples, request.interval) = (10_000, ms(50));
    // After the welcome, in the middle of its heartbeats.
    let report = interrupted(&request, &peer, |sent| sent.iter().any(|bytes| bytes[0] == 5));
    assert_eq!(outcome(&report), "interrupted");
    assert_eq!(peer.sent().last(), Some(&hex("06")));
}

/// pytide ignores a goodbye that it reads together with the connect: it is sent again. Both versions ask.
#[test]
fn who_is_interrupted_before_an_answer_leaves_again() {
    let peer = udp(V4, check, |_| Vec::new());
    let report = interrupted(&udp_request(), &peer, |sent| sent.len() >= 2);
    assert_eq!(outcome(&report), "interrupted");
    peer.until(|sent| sent.len() >= 8);
    let sent = peer.sent();
    for goodbyes in sent[sent.len() - 6..].chunks(3) {
        assert!(goodbyes.iter().all(|one| *one == goodbyes[0]) && goodbyes[0].len() == 1, "{sent:?}");
    }
}

#[test]
fn over_tcp() {
    // A 2.0 server: every message has a length before it.
    let peer = tcp(check_stream, |conn| {
        while let [low, high] = conn.read(2)[..] {
            let message = conn.read(u16::from_le_bytes([low, high]) as usize);
            for answer in v20(&message) {
                conn.write(&[&[answer.bytes.len() as u8, 0][..], &answer.bytes].concat());
            }
        }
    });
    let mut request = request("riptide", &[]);
    request.carrier = Some(Carrier::Tcp);
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!((outcome(&report), version(&report), report.samples.len()), ("ok", Some("2.0"), 3));
    assert!(peer.sent()[0].ends_with(&hex("01 00 06")));

    // Closed at once; no server; endless bytes.
    let peer = tcp(check_stream, |_| {});
    assert_eq!(outcome(&ask(&request, &peer.addr.to_string())), "closed");
    assert_eq!(outcome(&ask(&request, &closed_tcp().to_string())), "refused");
    let peer = tcp(
        |_| Ok(()),
        |conn| {
            let _ = conn.stream.set_write_timeout(Some(ms(300)));
            conn.write(&[&[0xff, 0xff, 0xff, 0x7f][..], &vec![7; 3 << 20]].concat());
        },
    );
    let report = ask(&request, &peer.addr.to_string());
    assert!(matches!(outcome(&report), "broken" | "other_protocol"), "{}", text(&report));
}

/// A server with a password: the connect contains it, in both forms. Without it, the report explains how to give it,
/// and with a schema which fields the server wants.
#[test]
fn connect_data() {
    // "secret" in the library's form of a text: with its length first. From bit 4 on in 2.1 and later.
    let secret = "06 73 65 63 72 65 74";
    let hex_of = |text: &str| hex(text);
    let old = [hex_of("03"), hex_of(secret)].concat();
    let peer = udp(
        V4,
        |_| Ok(()),
        move |bytes| match bytes {
            bytes if bytes == old => say("08 01 00 01 00"),
            [3, ..] => say("04 05 05 68 65 6c 6c 6f"),
            other => v20(other),
        },
    );
    let data = |text: &str| {
        let data: netkit::live::probe::ConnectData = text.parse().unwrap();
        let clients = netkit::protocols::clients();
        clients.probe("riptide").unwrap().data(&data)
    };
    let refused = ask(&udp_request(), &peer.addr.to_string());
    assert_eq!(outcome(&refused), "rejected");
    assert_eq!(detail(&refused, "said"), "hello");
    assert!(refused.failure.as_ref().unwrap().advice.contains("--connect-data"), "{refused:?}");
    for text in ["text:secret", secret] {
        let report = ask(
            &netkit::live::probe::Request { data: Some(data(text).unwrap()), ..udp_request() },
            &peer.addr.to_string(),
        );
        assert_eq!(outcome(&report), "ok", "{text}: {report:?}");
    }
    assert!(data(&format!("text:{}", "x".repeat(128))).is_err());
    // 2.2: starts four bits later, after the type.
    let packed: Vec<u8> = {
        let mut bytes = vec![2u8];
        for byte in hex_of(secret) {
            *bytes.last_mut().unwrap() |= byte << 4;
            bytes.push(byte >> 4);
        }
        bytes
    };
    let peer = udp(
        V4,
        |_| Ok(()),
        move |bytes| match bytes {
            bytes if bytes == packed => say("18 00 10 00 00"),
            other => v22(other, ACK_22),
        },
    );
    let request = netkit::live::probe::Request { data: Some(data("text:secret").unwrap()), ..udp_request() };
    assert_eq!(outcome(&ask(&request, &peer.addr.to_string())), "ok");
}

/// The user's schema reads the data of a rejection and writes the data of a connect.
#[test]
fn handshake_data_by_schema() {
    let text = "proto = \"riptide\"\n[[message]]\nmessage = \"reject\"\nname = \"no\"\n[message.fields]\nwhy = \"string\"\nwait = \"byte\"\n\
                [[message]]\nmessage = \"connect\"\nname = \"login\"\n[message.fields]\nname = \"string\"\nkey = \"ushort\"\n";
    let mut schemas = netkit::codec::schema::Schemas::default();
    schemas.add("game.toml", text, &|name| Some(netkit::protocols::by_name(name)?.encodings())).unwrap();
    let peer = udp(
        V4,
        |_| Ok(()),
        |bytes| match bytes {
            [3] => say("04 05 05 68 65 6c 6c 6f 09"),
            [3, 3, b'b', b'o', b't', 7, 0] => say("08 01 00 01 00"),
            other => v20(other),
        },
    );
    let mut request = udp_request();
    request.options.schemas = schemas.into();
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "rejected");
    let failure = report.failure.unwrap();
    assert!(failure.text.contains(r#"with data {"why":"hello","wait":9}"#), "{}", failure.text);
    assert_eq!(failure.details["data"]["wait"], 9);
    // A connect without data is not an error of the schema.
    let sent = peer.sent();
    assert!(sent.iter().any(|bytes| **bytes == [3]));
    request.data = Some(serde_json::json!({"name": "bot", "key": 7}));
    assert_eq!(outcome(&ask(&request, &peer.addr.to_string())), "ok");
}

/// A server forgets a client without a heartbeat for 5 s: a long pause has some that are not counted.
#[test]
fn a_long_pause_is_not_silent() {
    unless_late(ms(400), 0..10, |_| {
        let peer = udp(V4, check, v20);
        let request = Request { samples: 2, interval: ms(2_500), ..udp_request() };
        let report = ask(&request, &peer.addr.to_string());
        let beats = peer.sent().iter().filter(|bytes| bytes[0] == 5).count();
        ensure((outcome(&report), report.samples.len(), beats) == ("ok", 2, 3), format!("{beats}: {}", text(&report)))
    });
}
