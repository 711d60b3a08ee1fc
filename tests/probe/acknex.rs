//! Acknex. No real server was ever probed: the peer answers as the specification says.

use super::peer::*;
use crate::common::side_by_side;
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
        // It listens for a second after the first info.
        unless_late(ms(1000), 0..10, |_| {
            let peer = udp(ip, check, |bytes| {
                if bytes[0] != 2 {
                    return Vec::new();
                }
                (0..4)
                    .map(|k| Say { after: ms(20), bytes: hex(&info(1000.0 + 0.02 * k as f32)), stray: false })
                    .chain(say("0b 01 00 68 69 00"))
                    .collect()
            });
            // The join is sent again after a sixth of the timeout.
            let request = Request { timeout: Some(ms(12_000)), ..request("acknex", &[]) };
            let begun = Instant::now();
            let report = ask(&request, &peer.addr.to_string());
            let took = begun.elapsed().as_secs_f64();
            assert_eq!((outcome(&report), version(&report)), ("ok", Some("a6")), "{}", text(&report));
            assert_eq!(fact(&report, "protocol_version"), 9);
            assert!(report.samples.is_empty(), "an info is not a round trip");
            assert_eq!(peer.sent(), [hex("02 6e 65 74 6b 69 74 00")], "one join, nothing else");
            let messages = fact(&report, "messages").as_u64().unwrap();
            assert!(messages <= 5, "{messages}");
            ensure(messages == 5, format!("{messages} messages"))?;
            assert_eq!(fact(&report, "texts"), &serde_json::json!(["hi"]));
            // The server's clock advances by 0.02 from one info to the next, however fast they arrive here.
            let rates = ["clock_per_second", "infos_per_second"].map(|name| fact(&report, name).as_f64().unwrap());
            let [slope, infos] = rates;
            assert!((slope / (0.02 * infos) - 1.0).abs() < 0.03, "{slope} at {infos} infos in a second");
            assert!(infos >= 3.0 / took - 0.1, "{infos} infos in a second: 3 more in less than {took} s");
            Ok(())
        });
    }
}

#[test]
fn nobody() {
    let peer = udp(V4, check, |_| Vec::new());
    let report = ask(&brief("acknex", &[]), &peer.addr.to_string());
    assert_eq!(outcome(&report), "silent");
    assert!(text(&report).contains("silence does not show that no server is there"));
    assert_eq!(peer.sent().len(), 3);
    assert_eq!(outcome(&ask(&request("acknex", &[]), &closed_udp().to_string())), "refused");
}

#[test]
fn strangers() {
    let huge = "ff".repeat(60_000);
    let cases = [
        ("08 01 02", "other_protocol"),
        ("01 02", "other_protocol"),
        ("07 09 00", "broken"),
        (huge.as_str(), "other_protocol"),
    ];
    side_by_side(cases, |(answer, wanted)| {
        patiently(|timeout| {
            let bytes = answer.to_owned();
            let peer = udp(V4, check, move |_| say(&bytes));
            let request = Request { timeout: Some(timeout), ..request("acknex", &[]) };
            let report = ask(&request, &peer.addr.to_string());
            ensure(outcome(&report) == wanted, format!("{wanted}: {} {}", outcome(&report), text(&report)))?;
            match answer {
                "08 01 02" => {
                    let shown = text(&report);
                    ensure(shown.contains("080102") && shown.contains("DirectPlay"), shown)?;
                    ensure(peer.sent().len() == 1, "not repeated once somebody answers")
                }
                "01 02" => ensure(detail(&report, "other") == "dnp", text(&report)),
                _ => Ok(()),
            }
        });
    });
    let peer = udp(V4, check, |_| vec![Say { stray: true, bytes: hex(&info(1.0)), ..Say::default() }]);
    assert_eq!(outcome(&ask(&brief("acknex", &[]), &peer.addr.to_string())), "silent");
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
    // An answer counts as lost after a second.
    unless_late(ms(1000), 0..10, |_| {
        let peer = udp(V4, check, creating());
        let report = ask(&request, &peer.addr.to_string());
        assert_eq!(outcome(&report), "ok");
        assert_eq!(report.samples.len(), 3);
        let rtts: Vec<_> = report.samples.iter().filter_map(|sample| sample.rtt).collect();
        ensure(rtts.len() == 3, format!("{:?}", report.samples))?;
        assert!(rtts.iter().all(|rtt| *rtt >= ms(20)), "{rtts:?}");
        let sent = peer.sent();
        assert!(sent.ends_with(&[hex("04 07 00 00 00"), hex("04 08 00 00 00"), hex("04 09 00 00 00")]), "{sent:?}");
        Ok(())
    });

    // Also when it is interrupted: answers are waited for 200 ms longer.
    (request.samples, request.interval) = (10_000, ms(50));
    unless_late(ms(200), 0..10, |_| {
        let peer = udp(V4, check, creating());
        let report = interrupted(&request, &peer, |sent| sent.iter().filter(|b| b[0] == 3).count() > 1);
        assert_eq!(outcome(&report), "interrupted");
        let sent = peer.sent();
        let (made, removed) = (sent.iter().filter(|b| b[0] == 3).count(), sent.iter().filter(|b| b[0] == 4).count());
        assert!(made > 1 && made >= removed, "{made} made, {removed} removed");
        ensure(made == removed, format!("{made} made, {removed} removed"))
    });
}

#[test]
fn create_without_an_answer() {
    let mut request = request("acknex", &[]);
    request.create = Some("warlock.mdl".into());
    let peer = udp(V4, check, |bytes| if bytes[0] == 2 { say(&info(1.0)) } else { Vec::new() });
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!(outcome(&report), "ok");
    assert!(report.notes.iter().any(|n| n.contains("could not be measured")), "{:?}", report.notes);
    // The server may still have made entities.
    let open = "without an answer: what the server may have made of it stays in the game";
    assert!(report.notes.iter().any(|n| n.contains(open)), "{:?}", report.notes);
}

/// A5's create has another form, which begins with the player's id.
#[test]
fn a_server_of_a5_is_sent_no_create() {
    let mut request = request("acknex", &[]);
    request.create = Some("warlock.mdl".into());
    // An info with A5's mark, 18 12 19 11.
    let info = "07 18 12 19 11 34 00 00 60 40 00 00 80 3d";
    let peer = udp(V4, check, move |bytes| if bytes[0] == 2 { say(info) } else { Vec::new() });
    let report = ask(&request, &peer.addr.to_string());
    assert_eq!((outcome(&report), version(&report)), ("ok", Some("a5")), "{}", text(&report));
    assert!(report.notes.iter().any(|n| n.contains("nothing was created")), "{:?}", report.notes);
    assert!(peer.sent().iter().all(|bytes| bytes[0] == 2), "only joins: {:?}", peer.sent());
}
