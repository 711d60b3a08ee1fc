//! Acknex. No real server was ever probed: the peer answers as the specification says.

use super::peer::*;
use netkit::live::probe::Request;
use std::time::Instant;

fn check(bytes: &[u8]) -> Result<(), String> {
    let right = match bytes {
        [2, name @ .., 0] => !name.contains(&0) && (1..=16).contains(&name.len()),
        // A model's name, three packed coordinates, action 0, identifier.
        [3, rest @ ..] => {
            let end = rest.iter().position(|b| *b == 0).unwrap_or(rest.len());
            rest.len() == end + 1 + 9 + 2 + 2 && rest[end + 1..end + 12] == [0; 11]
        }
        [4, _, _, _, _] | [7] => true,
        _ => false,
    };
    if right { Ok(()) } else { Err("no whole message of an Acknex client".into()) }
}

/// info, protocol version 9, this time.
fn info(time: f32) -> String {
    format!("0709{}", hex::encode(time.to_le_bytes()))
}

#[test]
fn join_and_info() {
    for ip in loopbacks() {
        let peer = udp(ip, check, |bytes| {
            if bytes[0] != 2 {
                return Vec::new();
            }
            (0..4)
                .map(|k| Say { after: ms(20), bytes: hex(&info(1000.0 + 0.02 * k as f32)), stray: false })
                .chain(say("0b 01 00 68 69 00"))
                .collect()
        });
        let mut request = request("acknex", &[]);
        request.timeout = Some(ms(1200));
        let begun = Instant::now();
        let report = ask(&request, &peer.addr.to_string());
        let took = begun.elapsed().as_secs_f64();
        assert_eq!((outcome(&report), version(&report)), ("ok", Some("a6")), "{}", text(&report));
        assert_eq!(fact(&report, "protocol_version"), 9);
        assert_eq!(fact(&report, "texts"), &serde_json::json!(["hi"]));
        assert_eq!(fact(&report, "messages"), 5);
        // The server's clock advances by 0.02 from one info to the next, however fast they arrive here.
        let [slope, infos] = ["clock_per_second", "infos_per_second"].map(|name| fact(&report, name).as_f64().unwrap());
        assert!((slope / (0.02 * infos) - 1.0).abs() < 0.03, "{slope} at {infos} infos in a second");
        assert!(infos >= 3.0 / took - 0.1, "{infos} infos in a second: 3 more in less than {took} s");
        assert!(report.samples.is_empty(), "an info is not a round trip");
        assert_eq!(peer.sent(), [hex("02 6e 65 74 6b 69 74 00")], "one join, nothing else");
    }
}

#[test]
fn nobody() {
    let peer = udp(V4, check, |_| Vec::new());
    let report = ask(&request("acknex", &[]), &peer.addr.to_string());
    assert_eq!(outcome(&report), "silent");
    assert!(text(&report).contains("silence does not show that no server is there"));
    assert_eq!(peer.sent().len(), 3);
    assert_eq!(outcome(&ask(&request("acknex", &[]), &closed_udp().to_string())), "refused");
}

#[test]
fn strangers() {
    // Answers may take as long as a busy machine needs.
    let request = |proto, settings| Request { timeout: Some(ms(10_000)), ..request(proto, settings) };
    let answered = |answer: &str| {
        let answer = answer.to_owned();
        let peer = udp(V4, check, move |_| say(&answer));
        (ask(&request("acknex", &[]), &peer.addr.to_string()), peer.sent().len())
    };
    let huge = "ff".repeat(60_000);
    // Each of them is waited for in vain.
    let reports = std::thread::scope(|scope| {
        let all = ["08 01 02", "01 02", "07 09 00", &huge].map(|answer| scope.spawn(move || answered(answer)));
        all.map(|thread| thread.join().unwrap())
    });
    let [(other, sent), (dnp, _), (broken, _), (huge, _)] = &reports;
    assert_eq!(outcome(other), "other_protocol");
    assert!(text(other).contains("080102") && text(other).contains("DirectPlay"), "{}", text(other));
    assert_eq!(*sent, 1, "not repeated once somebody answers");
    assert_eq!(detail(dnp, "other"), "dnp");
    assert_eq!(outcome(broken), "broken");
    assert_eq!(outcome(huge), "other_protocol");
    let peer = udp(V4, check, |_| vec![Say { stray: true, bytes: hex(&info(1.0)), ..Say::default() }]);
    assert_eq!(outcome(&ask(&super::peer::request("acknex", &[]), &peer.addr.to_string())), "silent");
}

/// Answers creates with entities 7, 8, ..; every answer takes 20 ms and is sent twice.
fn creating() -> impl FnMut(&[u8]) -> Vec<Say> + Send {
    let mut entity = 6;
    move |bytes| match bytes {
        [2, ..] => say(&info(1.0)),
        [3, .., low, high] => {
            entity += 1;
            let one = Say { after: ms(20), bytes: vec![3, entity, 0, *low, *high], stray: false };
            vec![one.clone(), Say { after: ms(0), ..one }]
        }
        _ => Vec::new(),
    }
}

#[test]
fn create_on_request_is_removed() {
    let mut request = request("acknex", &[]);
    request.create = Some("warlock.mdl".into());
    let peer = udp(V4, check, creating());
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "ok");
    assert!(report.samples.len() == 3 && report.samples.iter().all(|s| s.rtt.is_some_and(|rtt| rtt >= ms(20))));
    let sent = peer.sent();
    assert!(sent.ends_with(&[hex("04 07 00 00 00"), hex("04 08 00 00 00"), hex("04 09 00 00 00")]), "{sent:?}");

    // Also when it is interrupted.
    (request.samples, request.interval) = (10_000, ms(50));
    let peer = udp(V4, check, creating());
    let report = interrupted(&request, &peer, |sent| sent.iter().filter(|b| b[0] == 3).count() > 1);
    assert_eq!(outcome(&report), "interrupted");
    let sent = peer.sent();
    let (made, removed) = (sent.iter().filter(|b| b[0] == 3).count(), sent.iter().filter(|b| b[0] == 4).count());
    assert!(made > 0 && made == removed, "{made} made, {removed} removed");
}

#[test]
fn create_without_an_answer() {
    let mut request = request("acknex", &[]);
    request.create = Some("warlock.mdl".into());
    let peer = udp(V4, check, |bytes| if bytes[0] == 2 { say(&info(1.0)) } else { Vec::new() });
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "ok");
    assert!(report.notes.iter().any(|n| n.contains("could not be measured")), "{:?}", report.notes);
}
