//! `--on`: an edit is sent exactly as written, or it is refused before the first packet.

use crate::replay::stage::{Stage, conversation, to};
use netkit::encode::json;
use serde_json::Value;
use std::process::{Command, Output};
use std::time::Duration;

const MIDSTREAM: [&str; 4] = ["replay", "nano/nano-tcp-midstream.pcap", "-p", "nano"];
const PITAYA: [&str; 6] = ["replay", "nano/pitaya-codec-tcp.pcap", "-p", "nano", "--flow", "1"];
const RIPTIDE: [&str; 6] = ["replay", "riptide/riptide22-udp.pcap", "--flow", "1", "--schema", "schemas/riptide.toml"];

fn run(before: &[&str], args: &[&str]) -> Output {
    let folder = format!("{}/fixtures", env!("CARGO_MANIFEST_DIR"));
    Command::new(env!("CARGO_BIN_EXE_netkit")).args(before).args(args).current_dir(folder).output().unwrap()
}

fn dry(before: &[&str], args: &[&str]) -> Vec<Value> {
    let output = run(before, &[&["--dry-run", "-f", "ndjson"], args].concat());
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).lines().map(|line| json(line.as_bytes()).unwrap()).collect()
}

/// Checks for a refusal: nothing on stdout, status 2.
fn refused(before: &[&str], args: &[&str]) -> String {
    let output = run(before, &[&["--dry-run"], args].concat());
    assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), &b""[..]), "{args:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn edited(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line["edited"] == true).collect()
}

#[test]
fn a_dry_run_shows_the_bytes_of_what_was_written() {
    let lines = dry(&MIDSTREAM, &["--on", "message == request and id == 54: id=77"]);
    let only = edited(&lines);
    assert_eq!((only.len(), &only[0]["fields"]["id"]), (1, &77.into()), "{only:?}");
    // A data package: type, three bytes of length, flags, id.
    let bytes = only[0]["bytes"].as_str().unwrap();
    assert_eq!((&bytes[..2], &bytes[8..12]), ("04", "004d"), "{bytes}");
    let lines = dry(&RIPTIDE, &["--on", "message_id == 200: a_byte=9, text=\"x, y\", an_int=-5"]);
    for line in edited(&lines) {
        let payload = &line["fields"]["payload"];
        assert_eq!((&payload["a_byte"], &payload["an_int"]), (&9.into(), &(-5).into()), "{line}");
        assert_eq!(payload["text"], "x, y");
        // The printed bytes decode to the edited values.
        let text = format!("{}\n", line["bytes"].as_str().unwrap());
        let dump =
            ["dump", "-p", "riptide", "-s", "riptide.version=2.2", "--schema", "schemas/riptide.toml", "-f", "ndjson"];
        let read = piped(&dump, &text);
        assert_eq!((&read["fields"]["payload"], &read["fault"]), (payload, &Value::Null), "{text}");
    }
    assert!(!edited(&lines).is_empty());
}

fn piped(args: &[&str], input: &str) -> Value {
    use std::io::Write;
    use std::process::Stdio;
    let folder = format!("{}/fixtures", env!("CARGO_MANIFEST_DIR"));
    let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
    let mut child =
        command.args(args).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    json(String::from_utf8_lossy(&output.stdout).lines().next().unwrap().as_bytes()).unwrap()
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let reported = |before: &[&str], edit: &str, what: &str| {
        let text = refused(before, &["--on", edit]);
        assert!(text.starts_with("netkit: --on: ") && text.contains(what), "{edit}: {text}");
    };
    reported(&RIPTIDE, "message_id == 200: text=\"x\" a_byte=99", "expected a comma before the next action");
    reported(&RIPTIDE, "message_id == 200: a_byte=300", "a_byte is a whole number from 0 to 255, got 300");
    reported(&RIPTIDE, "message_id == 200: a_bite=3", "did you mean \"a_byte\"");
    reported(&RIPTIDE, "message_id == 201: a_byte=3", "frame 16, riptide.unreliable: no field \"a_byte\"");
    reported(&RIPTIDE, "message == reliable: sequence_id=3", "sequence_id is set by the live session");
    reported(&RIPTIDE, "message == welcome: client_id=3", "client_id is set by the live session");
    reported(&RIPTIDE[..4], "message == reliable: payload.hp=3", "--schema FILE describes payloads");
    reported(&RIPTIDE[..4], "message == reliable: payload=zz", "expected hex digits, got \"zz\"");
    reported(&PITAYA, "message == request and id == 5: id=300000000000", "id is set by the live session");
    let gne = ["replay", "gne/gne-le-tcponly.pcap"];
    reported(&gne, "message == connection_request: game=longer_than_the_thirty_two_bytes_that_it_has_there", "frame 6");
}

#[test]
fn rules_take_all_actions() {
    let count = |lines: &[Value], name: &str| lines.iter().filter(|line| line["message"] == name).count();
    let plain = dry(&PITAYA, &[]);
    let all = count(&plain, "request");
    assert!(all > 5, "{all}");
    assert_eq!(count(&dry(&PITAYA, &["--on", "message == request: drop"]), "request"), 0);
    // The older form, hidden.
    assert_eq!(count(&dry(&PITAYA, &["--drop", "message == request"]), "request"), 0);
    assert_eq!(count(&dry(&PITAYA, &["--drop", "message == request: after 3 drop"]), "request"), 3);
    assert_eq!(count(&dry(&PITAYA, &["--on", "message == request: after 3 drop"]), "request"), 3);
    assert_eq!(count(&dry(&PITAYA, &["--on", "message == request: once drop"]), "request"), all - 1);
    assert_eq!(count(&dry(&PITAYA, &["--on", "message == request: after 1 once duplicate"]), "request"), all + 1);
    let half = |seed: &str| {
        let lines = dry(&PITAYA, &["--on", "message == request: drop 50%", "--seed", seed]);
        let frames: Vec<Value> =
            lines.iter().filter(|l| l["message"] == "request").map(|l| l["frame"].clone()).collect();
        frames
    };
    assert_eq!(half("7"), half("7"));
    assert!((1..20).map(|seed| half(&seed.to_string())).any(|other| other != half("7")));
    // A delay changes the time: the order is the recording's.
    let later = dry(&PITAYA, &["--on", "message == request: once delay 100ms"]);
    let delayed: Vec<usize> = (0..later.len()).filter(|at| later[*at]["delayed_ms"] == 100.0).collect();
    assert_eq!(delayed, [plain.iter().position(|line| line["message"] == "request").unwrap()]);
    let frames = |lines: &[Value]| lines.iter().map(|line| line["frame"].clone()).collect::<Vec<_>>();
    assert_eq!(frames(&later), frames(&plain));
    let output = run(&PITAYA, &["--dry-run", "--on", "message == request and id == 9999: drop"]);
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(reported.contains("no message of the client matches"), "{reported}");
}

/// Messages that the session makes itself are sent whatever a rule wants of the recorded ones. A rule for them alone is
/// refused; one that also matches others concerns these, and only they count as dropped.
#[test]
fn what_the_session_makes_itself_is_not_dropped() {
    for rule in ["message == heartbeat: drop", "message == ack: drop", "message == heartbeat: rtt=5", "copy: drop"] {
        let text = refused(&RIPTIDE, &["--on", rule]);
        let kind = rule.split([' ', ':']).find_map(|word| match word {
            "heartbeat" => Some("heartbeats"),
            "ack" => Some("acks"),
            "copy" => Some("resends"),
            _ => None,
        });
        assert!(text.contains(&format!("the live session generates its own {}", kind.unwrap())), "{rule}: {text}");
    }
    let left = ["replay", "riptide/riptide22-udp.pcap", "--flow", "3"];
    let output = run(&left, &["--dry-run", "--on", "message == disconnect or message == heartbeat: drop"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("not repeated: heartbeats (1)") && text.contains("dropped: 1\n"), "{text}");
}

/// A route code has a meaning only in its server's dictionary: elsewhere another handler would run.
#[test]
fn route_codes_without_a_dictionary_are_refused() {
    let lines = dry(&MIDSTREAM, &[]);
    let refused: Vec<&Value> = lines.iter().filter(|line| line["report"] == "refused").collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused.iter().all(|line| line["why"].as_str().unwrap().contains("-s nano.dict=FILE")));
    let lines = dry(&MIDSTREAM, &["-s", "nano.dict={\"a.b\":1,\"a.c\":2}"]);
    assert!(lines.iter().all(|line| line["report"] != "refused"));
    // A code that the user writes is intended.
    let lines = dry(&MIDSTREAM, &["--on", "message == request and route_code == 1: route_code=5"]);
    assert_eq!(edited(&lines)[0]["fields"]["route_code"], 5);
}

/// The bytes of the dry run are sent, also if a live dictionary has another number.
#[test]
fn an_edited_code_is_not_undone_by_the_live_dictionary() {
    let stage = Stage { edit: Some("frame == 13: route_code=5, id=78"), until: Some(13), ..Stage::default() };
    let conversation = conversation("nano/pitaya-codec-tcp.pcap", 1, &stage);
    // Flags (a request with a route code), the id 78, the code 5.
    let is_edited = |sent: &[u8]| sent.windows(4).any(|bytes| bytes == [1, 78, 0, 5]);
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        use std::io::{Read, Write};
        let (mut stream, _) = listener.accept().unwrap();
        let answer = br#"{"code":200,"sys":{"dict":{"a":1,"b":5}}}"#;
        let mut head = vec![1, 0, 0, answer.len() as u8];
        head.extend_from_slice(answer);
        let mut first = [0; 1024];
        let _ = stream.read(&mut first).unwrap();
        stream.write_all(&head).unwrap();
        let (mut rest, mut part) = (Vec::<u8>::new(), [0; 1024]);
        // It closes the connection after the request. The replay would wait for its answer.
        while !is_edited(&rest) {
            match stream.read(&mut part).unwrap() {
                0 => break,
                length => rest.extend_from_slice(&part[..length]),
            }
        }
        rest
    });
    let report = to(at, &conversation, &stage, Duration::from_secs(20));
    let rest = server.join().unwrap();
    assert!(is_edited(&rest), "{rest:02x?} {report}");
}
