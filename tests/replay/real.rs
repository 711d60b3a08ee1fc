//! Captures of real peers for which replays once failed, played by scripted peers on a simulated clock. Without ports,
//! the time is that of the recording and does not depend on the machine.

use crate::replay::simulated::{ASAP, CLOCK, Played, between, simulated};
use crate::replay::stage::{Stage, conversation, recording};
use netkit::dissect::Role;
use netkit::live::replay::{Conversation, Divergence, Recorded, Report};
use serde_json::{Value as Json, json};
use std::time::Duration;

const SESSION: &str = "real/riptide-22-session.pcap";
const STAGE: Stage = Stage {
    latency: None,
    lossy: None,
    allow_dangerous: false,
    set: &[],
    file: None,
    schema: None,
    until: None,
    edit: None,
    drop: None,
};

/// A conversation with changed messages.
fn with(path: &str, flow: u64, change: impl FnOnce(&mut Vec<Recorded>)) -> Conversation {
    let mut conversation = conversation(path, flow, &STAGE);
    change(&mut conversation.messages);
    conversation
}

fn is(message: &Recorded, from: Role, name: &str) -> bool {
    message.decoded.from == from && message.decoded.message == name
}

/// All messages were sent, and none of the received ones was wrong.
fn clean(report: &Report) {
    assert!(report.complete() && !report.diverged(), "{report:#}");
    assert_eq!(report.sent, report.steps, "{report}");
}

/// The session took as long as the recording, plus the peer's own delay.
fn in_time(played: &Played, conversation: &Conversation, more: Duration) {
    let long = conversation.duration();
    assert!(played.took >= long.mul_f64(0.95), "{:?} for {long:?}", played.took);
    assert!(played.took <= long + more, "{:?} for {long:?}", played.took);
}

/// Each session as recorded, by the recording's clock: it takes no longer than it took.
#[test]
fn as_long_as_it_was() {
    for (path, flow) in [
        (SESSION, 1),
        (SESSION, 2),
        (SESSION, 3),
        ("real/dnp-session.pcap", 1),
        ("real/dnp-session.pcap", 2),
        ("real/gne-trunk.pcap", 1),
        ("real/gne-070.pcap", 1),
        ("real/st-hello-trunk.pcap", 1),
        ("real/pinus-tcp-basic.pcap", 1),
        ("real/pinus-tcp-plain.pcap", 1),
        ("real/cached.pcap", 1),
    ] {
        let conversation = conversation(path, flow, &STAGE);
        let played = simulated(&conversation, &STAGE, CLOCK, 0);
        played.reports.iter().for_each(clean);
        in_time(&played, &conversation, Duration::from_millis(700));
    }
}

/// Other clients are missing this time, or others are present: no session waits for messages that they cause, and the
/// server is not blamed.
#[test]
fn other_players_are_nobodys_fault() {
    let client = conversation(SESSION, 2, &STAGE);
    let news = |m: &Recorded| is(m, Role::Server, "client_connected") || is(m, Role::Server, "client_disconnected");
    assert!(client.messages.iter().filter(|m| news(m)).count() > 1, "the capture has other players");
    let alone = with(SESSION, 2, |messages| messages.retain(|m| !news(m)));
    let played = between([&client, &alone], &STAGE, [CLOCK; 2]);
    let [report, _] = &played.reports;
    clean(report);
    in_time(&played, &client, Duration::from_millis(200));
    let text = report.to_string();
    assert!(text.contains("ignored differences: messages about other players ("), "{text}");
    // The reverse: more messages than the capture has, before the welcome's answer has arrived.
    let played = between([&alone, &client], &STAGE, [CLOCK; 2]);
    clean(&played.reports[0]);
    in_time(&played, &client, Duration::from_millis(200));
}

/// The recorded end is played at its time to a client that keeps sending, and sends none of the captured client's
/// messages.
#[test]
fn a_kick_is_played_to_whom_keeps_talking() {
    let mut server = with(SESSION, 1, |messages| messages.retain(|m| !is(m, Role::Server, "disconnect")));
    let last = server.messages.last().cloned().expect("a message");
    let mut kick = last.clone();
    kick.decoded = kick.decoded.with_fields(json!({"reason": "kicked"})).with_derived(Json::Null);
    (kick.decoded.from, kick.decoded.message) = (Role::Server, "disconnect");
    (kick.notes, kick.frame) = (Vec::new(), last.frame + 1);
    server.messages.retain(|m| !is(m, Role::Client, "disconnect"));
    server.messages.push(kick);
    // A minute of other messages, ten a second.
    let client = with(SESSION, 1, |messages| {
        let of_client = |name: &str| messages.iter().find(|m| is(m, Role::Client, name)).cloned().expect("one");
        let (connect, welcome, one) = (of_client("connect"), of_client("welcome"), of_client("reliable"));
        let server_welcome = messages.iter().find(|m| is(m, Role::Server, "welcome")).cloned().expect("one");
        let begin = connect.time;
        *messages = vec![connect, server_welcome, welcome];
        for k in 0..600u64 {
            let mut more = one.clone();
            more.decoded.edit(|fields| fields["message_id"] = json!(900 + k % 3));
            let tenths = begin.frac / 100_000_000 + 5 + k;
            more.time.secs = begin.secs + (tenths / 10) as i64;
            more.time.frac = tenths % 10 * 10u64.pow(more.time.digits as u32 - 1);
            messages.push(more);
        }
    });
    for pace in [CLOCK, ASAP] {
        let played = between([&client, &server], &STAGE, [CLOCK, pace]);
        let [talks, kicks] = &played.reports;
        assert_eq!(kicks.sent, kicks.steps, "{kicks}");
        assert!(talks.ended.as_deref().is_some_and(|why| why.contains("kicked")), "{talks}");
        assert!(played.took < server.duration() + Duration::from_secs(8), "{:?}", played.took);
    }
}

/// No message of the client overtakes its answer to the welcome: the first notify leaves when that answer is
/// acknowledged, and when the answer to a heartbeat has shown that the application knows the client.
#[test]
fn nothing_overtakes_the_answer_to_the_welcome() {
    for (path, flow) in [("real/asap-first-notify.pcap", 1), (SESSION, 2)] {
        let conversation = conversation(path, flow, &STAGE);
        let played = simulated(&conversation, &STAGE, ASAP, 0);
        // In 2.2 the type is in the first four bits: 1 an ack, 6 a notify, 0 unreliable.
        let kind = |k: usize| played.log[k].bytes[0] & 15;
        let by = |side: usize, kinds: &[u8]| {
            (0..played.log.len()).find(|k| played.log[*k].side == side && kinds.contains(&kind(*k)))
        };
        let (acknowledged, first) = (by(1, &[1]).expect("an ack"), by(0, &[0, 6, 7]).expect("a message"));
        assert!(acknowledged < first, "{path}: {acknowledged} {first}");
        let answered = by(1, &[4]).expect("the answer to a heartbeat");
        assert!(acknowledged < answered && answered < first, "{path}: {acknowledged} {answered} {first}");
        let remarks = &played.reports[0].remarks;
        assert!(remarks.iter().any(|remark| remark.starts_with("--asap: the first message waits")), "{remarks:?}");
        assert_eq!(played.reports[0].sent, played.reports[0].steps, "{}", played.reports[0]);
    }
}

/// If the live server never makes a link, only updates of that link are not sent.
#[test]
fn a_link_that_is_not_made() {
    let path = "real/dnp-session.pcap";
    let client = conversation(path, 1, &STAGE);
    let updates = |c: &Conversation| c.messages.iter().filter(|m| is(m, Role::Client, "link_update")).count() as u64;
    let all = updates(&client);
    assert!(all > 2, "the capture has updates of the client");
    let server = with(path, 1, |messages| {
        messages.retain(|m| !(is(m, Role::Server, "link_state") && m.decoded.to_json()["link_id"] == 1));
    });
    let played = between([&client, &server], &STAGE, [CLOCK; 2]);
    let [report, _] = &played.reports;
    assert_eq!(report.trouble, None, "{report}");
    assert!(!report.unsent.is_empty(), "{report}");
    for unsent in &report.unsent {
        assert_eq!(unsent.message, "dnp.link_update");
        assert!(unsent.frame > 0 && unsent.why.contains("has not made its link (link_id 1"), "{unsent:?}");
    }
    assert_eq!(report.sent + report.unsent.len() as u64, report.steps, "what was not sent is not counted: {report}");
    in_time(&played, &client, Duration::from_millis(1900));
    // If the link is made, all of them are sent, written with its types.
    let played = simulated(&client, &STAGE, CLOCK, 0);
    clean(&played.reports[0]);
    assert_eq!(played.reports[0].unsent, []);
}

/// A live link has the captured link's types, but other values and another number.
#[test]
fn a_link_of_other_values() {
    let path = "real/dnp-session.pcap";
    let client = conversation(path, 1, &STAGE);
    let server = with(path, 1, |messages| {
        for message in
            messages.iter_mut().filter(|m| m.decoded.message == "link_state" && m.decoded.from == Role::Server)
        {
            message.decoded.edit(|fields| {
                let id = fields["link_id"].as_u64().expect("an id");
                fields["link_id"] = json!(40 + id);
                for value in fields["values"].as_array_mut().expect("values") {
                    if value["type"] == "string" {
                        value["value"] = json!("another");
                    }
                }
            });
        }
        for message in messages.iter_mut() {
            if matches!(message.decoded.message, "link_up" | "link_down") && message.decoded.from == Role::Client {
                message
                    .decoded
                    .edit(|fields| fields["link_id"] = json!(40 + fields["link_id"].as_u64().expect("an id")));
            }
            // The captured server's updates, and those it receives, belong to its own links and their numbers.
            if message.decoded.message == "link_update" {
                message.dropped = message.decoded.from == Role::Server;
            }
        }
    });
    let played = between([&client, &server], &STAGE, [CLOCK; 2]);
    let report = &played.reports[0];
    assert!(report.complete(), "{report}");
    assert_eq!((report.sent, report.unsent.len()), (report.steps, 0), "{report}");
}

/// The number of packets in a frame depends on the time: only the packets are compared.
#[test]
fn packets_come_together_or_one_by_one() {
    for path in ["real/gne-trunk.pcap", "real/gne-070.pcap", "real/st-hello-trunk.pcap", "gne/gne-be-udp-full.pcap"] {
        for role in [Role::Client, Role::Server] {
            let captured = conversation(path, 1, &STAGE);
            let merged = with(path, 1, |messages| merge(messages, role));
            let count = |c: &Conversation| c.messages.iter().filter(|m| is(m, role, "packets")).count();
            if count(&merged) == count(&captured) {
                continue;
            }
            let pair = if role == Role::Client { [&merged, &captured] } else { [&captured, &merged] };
            let played = between(pair, &STAGE, [CLOCK; 2]);
            let other = &played.reports[if role == Role::Client { 1 } else { 0 }];
            assert_eq!(other.divergences, [], "{path} {role:?}: {other:#}");
            assert_eq!(other.trouble, None, "{other}");
            assert_eq!(other.received, other.expected, "{other}");
        }
    }
}

/// Merges two frames of a side into one if the next frame uses the same transport.
fn merge(messages: &mut Vec<Recorded>, role: Role) {
    let mut all: Vec<Recorded> = Vec::new();
    let mut open: Option<usize> = None;
    for message in std::mem::take(messages) {
        let first = message.decoded.to_json()["packets"][0]["id"].clone();
        let fits = is(&message, role, "packets") && message.length > 1 && first != "exit";
        if !fits || first == "ping" {
            if message.decoded.from == role {
                open = None;
            }
            all.push(message);
            continue;
        }
        match open
            .take()
            .and_then(|at| all.get_mut(at))
            .filter(|before| before.decoded.channel == message.decoded.channel)
        {
            Some(before) if before.length + message.length < 500 => join(before, &message),
            _ => {
                open = Some(all.len());
                all.push(message);
            }
        }
    }
    *messages = all;
}

/// Appends the packets of the second frame to those of the first; as bytes if the first has a packet that no table
/// explains.
fn join(first: &mut Recorded, second: &Recorded) {
    let (bytes, other) = (hex::encode(second.decoded.bytes()), second.decoded.to_json());
    first.decoded.edit(|fields| match fields.get("unparsed").and_then(Json::as_str).map(String::from) {
        Some(rest) => fields["unparsed"] = json!(rest.strip_suffix("ff").unwrap_or(&rest).to_string() + &bytes),
        None => {
            let more = other["packets"].as_array().expect("packets").clone();
            fields["packets"].as_array_mut().expect("packets").extend(more);
            if let Some(rest) = other.get("unparsed") {
                fields["unparsed"] = rest.clone();
            }
        }
    });
    first.length += second.length - 1;
    first.notes.extend(second.notes.iter());
}

/// Pushes answer nothing, so they are printed, but do not count as divergences; values are printed decoded.
#[test]
fn pushes_are_shown_and_not_held() {
    let path = "real/pinus-tcp-basic.pcap";
    let client = conversation(path, 1, &STAGE);
    let server = with(path, 1, |messages| {
        let push = messages.iter_mut().find(|m| is(m, Role::Server, "push")).expect("a push");
        // n = 6 becomes 17.
        push.decoded.edit(|fields| {
            fields["payload"] = json!(fields["payload"].as_str().expect("bytes").replacen("0806", "0811", 1))
        });
        let answer = messages.iter_mut().rev().find(|m| is(m, Role::Server, "response")).expect("a response");
        answer.decoded.edit(|fields| fields["payload"] = json!(hex::encode(br#"{"code":200,"late":false}"#)));
    });
    let played = between([&client, &server], &STAGE, [CLOCK; 2]);
    let report = &played.reports[0];
    assert!(report.complete(), "{report}");
    assert_eq!(report.divergences.len(), 1, "{report:#}");
    assert!(matches!(&report.divergences[0], Divergence::Differs { frame: 34, .. }), "{report:#}");
    let text = report.to_string();
    assert!(text.contains("connector.entryHandler.slow late: false, was true"), "{text}");
    assert!(text.contains("ignored differences: pushes (1)"), "{text}");
    assert!(!text.contains("onTick") && format!("{report:#}").contains("push onTick n: 17, was 6"), "{report:#}");
}

/// A missing answer is reported once, and the session goes on.
#[test]
fn an_answer_that_does_not_come() {
    let path = "real/pinus-tcp-plain.pcap";
    let client = conversation(path, 1, &STAGE);
    let server = with(path, 1, |messages| {
        let at = messages.iter().position(|m| is(m, Role::Server, "response")).expect("a response");
        messages.remove(at);
    });
    let played = crate::replay::simulated::hasty([&client, &server], &STAGE, Duration::from_millis(900));
    let report = &played.reports[0];
    assert_eq!((report.sent, &report.trouble), (report.steps, &None), "{report}");
    let reported: Vec<&String> = report.remarks.iter().filter(|r| r.contains("did not arrive within 900ms")).collect();
    assert_eq!(reported.len(), 1, "{report}");
    assert!(reported[0].contains("response connector.entryHandler.enter of frame"), "{reported:?}");
    assert!(reported[0].contains("no longer waits for it"), "{reported:?}");
}

/// The second connection's client had kept the dictionary and the protos of the first.
#[test]
fn a_dictionary_of_an_earlier_connection() {
    let captured = recording("real/cached.pcap", &STAGE);
    let second = &captured.flows[&2];
    let route =
        |m: &Recorded| m.decoded.derived_json().get("route").is_some() || m.decoded.to_json()["route"].is_string();
    let asks = |m: &&Recorded| m.decoded.from == Role::Client && matches!(m.decoded.message, "request" | "notify");
    assert!(second.messages.iter().filter(asks).all(route), "the first connection to that server says them");
    let settings = captured.missing_settings(second);
    assert_eq!(settings.iter().map(|s| s.split('=').next().unwrap()).collect::<Vec<_>>(), ["nano.dict", "nano.protos"]);
    assert_eq!(captured.missing_settings(&captured.flows[&1]), [] as [String; 0]);
    let set: Vec<&'static str> = settings.into_iter().map(|s| &*s.leak()).collect();
    let stage = Stage { set: set.leak(), ..STAGE };
    let second = conversation("real/cached.pcap", 2, &stage);
    assert!(second.messages.iter().filter(asks).all(route));
    assert!(
        second.messages.iter().any(|m| m.decoded.derived_json().get("message").is_some_and(|v| v["name"] == "Ann"))
    );
    // The live server has other codes.
    let server = conversation("real/cached.pcap", 1, &STAGE);
    let played = between([&second, &server], &stage, [CLOCK; 2]);
    clean_but_pushes(&played.reports[0]);
}

fn clean_but_pushes(report: &Report) {
    clean(report);
    assert!(report.others.iter().all(|(kind, _)| *kind == "pushes"), "{report:#}");
}

/// A peer that stops answering is reported after as many copies as the library sends.
#[test]
fn a_peer_that_stops_answering() {
    let client = conversation(SESSION, 2, &STAGE);
    // The server acknowledges messages until it vanishes.
    let server = with(SESSION, 2, |messages| {
        let at = messages.iter().position(|m| is(m, Role::Client, "reliable")).expect("a message");
        messages.truncate(at);
    });
    let played = crate::replay::simulated::vanishing([&client, &server], &STAGE, Duration::from_millis(1500));
    let report = &played.reports[0];
    let trouble = report.trouble.as_deref().unwrap_or_default();
    assert!(trouble.starts_with("the peer has stopped answering: reliable "), "{report}");
    assert!(trouble.contains("after 15 transmissions, as often as the library sends it"), "{report}");
    assert_eq!(report.ended, None, "{report}");
    assert!(report.to_string().starts_with(&format!("trouble       {trouble}\n")), "{report}");
}

/// A carrier that differs from the recording's is reported first, and no goodbye is sent to a stranger.
#[test]
fn another_carrier_is_named() {
    use crate::replay::stage::{answer, to};
    use std::io::{Read, Write};
    let plain = conversation("real/pinus-tcp-plain.pcap", 1, &STAGE);
    let web = conversation("nano/pomelo-ws.pcap", 1, &STAGE);
    let (report, _) = answer(&plain, &STAGE, Duration::from_secs(5), |at| {
        let mut stream = std::net::TcpStream::connect(at).unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n").unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap()
    });
    let text = report.to_string();
    assert!(text.starts_with("trouble       the client asks for HTTP or a WebSocket, the recording is nano"), "{text}");
    for (conversation, says, named) in [
        (&plain, &b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "answers in HTTP, not nano over plain TCP"),
        (&plain, b"SSH-2.0-OpenSSH_9.2\r\n", "speaks SSH, not nano"),
        (&web, b"\x15\x03\x01\x00\x02\x02\x46........", "speaks TLS, not nano"),
        (&web, b"\x03\x00\x00\x00\x03\x00\x00\x00", "speaks no WebSocket"),
    ] {
        let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let at = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut got = vec![0; 4096];
            let length = stream.read(&mut got).unwrap();
            stream.write_all(says).unwrap();
            let mut rest = Vec::new();
            let _ = stream.read_to_end(&mut rest);
            (length, rest)
        });
        let report = to(at, conversation, &STAGE, Duration::from_secs(5));
        let trouble = report.trouble.as_deref().unwrap_or_default();
        assert!(trouble.contains(named), "{report}");
        assert!(report.took < Duration::from_secs(4), "{report}");
        let (asked, rest) = server.join().unwrap();
        assert!(asked > 0 && rest.is_empty(), "{rest:?}");
    }
}
