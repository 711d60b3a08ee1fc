//! After a gap of the capture, or where it has two packets in the wrong order, no sender is blamed for what may be in
//! the missing bytes. The captures are of real peers, with packets removed.

use crate::common::{fixture, run};
use serde_json::Value;

fn decode(name: &str) -> Vec<Value> {
    let path = fixture(&format!("real/{name}.pcap"));
    run(&["decode", path.to_str().unwrap(), "-q", "-f", "ndjson"], b"").lines()
}

/// Frame and code of every note of a level.
fn noted(lines: &[Value], level: &str) -> Vec<(u64, String)> {
    let notes = |line: &Value| {
        let frame = line["frame"].as_u64().unwrap();
        let list = line["notes"].as_array().cloned().unwrap_or_default();
        list.into_iter().filter(|n| n["level"] == level).map(move |n| (frame, n["code"].as_str().unwrap().to_string()))
    };
    lines.iter().flat_map(|line| notes(line).collect::<Vec<_>>()).collect()
}

fn text<'a>(lines: &'a [Value], frame: u64, code: &str) -> &'a str {
    let notes = lines.iter().filter(|l| l["frame"] == frame).flat_map(|l| l["notes"].as_array().into_iter().flatten());
    notes.into_iter().find(|n| n["code"] == code).and_then(|n| n["text"].as_str()).unwrap_or_default()
}

/// The server's handshake is missing: its next messages are not "before" it.
#[test]
fn a_handshake_in_the_gap() {
    let lines = decode("x-drop-hs");
    assert_eq!(noted(&lines, "warning"), [(8, "tcp.gap".to_string())]);
    assert_eq!(lines.iter().filter(|l| l["message"] == "response").count(), 7);
}

/// A whole frame is missing after its header: it was sent, and so were the pings in it.
#[test]
fn a_frame_in_the_gap() {
    let lines = decode("x-g-16");
    let others: Vec<_> = noted(&lines, "warning").into_iter().filter(|(_, code)| code != "gne.unknown_id").collect();
    assert_eq!(others, [(19, "tcp.gap".to_string())]);
    assert_eq!(
        text(&lines, 12, "hawknl.unfinished"),
        "the rest of the frame is in the missing bytes: 0 of 4 bytes are there"
    );
    assert!(text(&lines, 29, "gne.ping_unsolicited").contains("may be in missing bytes"), "{lines:#?}");
    // Notes that have nothing to do with a gap keep their text.
    assert!(text(&lines, 48, "hawknl.unfinished").contains("was never sent"));
}

/// The rest of a frame follows missing bytes: not the sender's error.
#[test]
fn the_rest_of_a_frame_after_the_gap() {
    let lines = decode("x-g-18");
    assert_eq!(noted(&lines, "error"), []);
    assert!(lines.iter().all(|l| l.get("fault").is_none()), "{lines:#?}");
    assert_eq!(text(&lines, 19, "hawknl.out_of_sync"), "10 bytes of a frame that began in the missing bytes");
}

/// The capture has a response just before its request.
#[test]
fn an_answer_before_its_request() {
    let lines = decode("x-swap");
    assert_eq!(noted(&lines, "warning"), []);
    assert!(text(&lines, 12, "nano.unmatched_response").contains("captured later"), "{lines:#?}");
    let request = lines.iter().find(|l| l["frame"] == 13).unwrap();
    assert_eq!((&request["message"], &request["fields"]["id"]), (&"request".into(), &2.into()));
    assert!(text(&lines, 13, "nano.answered_before").starts_with("the response is in frame 12, captured "));
}

/// The unanswered messages: their frames by `decode --link`, and the count of `stats`.
fn unanswered(name: &str, more: &[&str]) -> (Vec<u64>, u64) {
    let path = fixture(name);
    let path = path.to_str().unwrap();
    let reported = run(&[&["decode", path, "-q", "--link", "-f", "ndjson"], more].concat(), b"").lines();
    let linked = noted(&reported, "note").into_iter().filter(|(_, code)| code == "link.unanswered");
    let linked: Vec<u64> = linked.map(|(frame, _)| frame).collect();
    let stats = run(&[&["stats", path, "--unanswered", "-f", "ndjson"], more].concat(), b"").lines();
    let listed = stats.iter().filter(|l| l["by"] == "unanswered").map(|l| l["frame"].as_u64().unwrap());
    assert_eq!(linked, listed.collect::<Vec<_>>(), "{name}");
    let all = run(&[&["stats", path, "-f", "ndjson"], more].concat(), b"").lines();
    (linked, all.iter().filter_map(|l| l["unanswered"].as_u64()).sum())
}

/// A ping whose reply follows a packet that no table explains; with the user's schema the reply is read. In the other
/// capture a ping has no reply. A ping is not a request, so it is not called unanswered.
#[test]
fn a_reply_after_an_unknown_packet() {
    let schema = fixture("schemas/gne-hello.toml");
    for name in ["real/gne-trunk.pcap", "real/gne-070.pcap"] {
        assert_eq!(unanswered(name, &[]), (vec![], 0), "{name}");
        let read = ["--schema", schema.to_str().unwrap()];
        assert_eq!(unanswered(name, &read), (vec![], 0), "{name}");
        let path = fixture(name);
        let stats = run(&[&["stats", path.to_str().unwrap(), "-f", "ndjson"], &read[..]].concat(), b"").lines();
        let asked = stats.iter().find(|l| l["by"] == "ping").unwrap();
        assert_eq!(asked["pings"], asked["pongs"], "with the schema it is read: {asked}");
    }
    assert_eq!(unanswered("gne/gne-probe.pcap", &[]), (vec![], 0));
    let path = fixture("gne/gne-probe.pcap");
    let stats = run(&["stats", path.to_str().unwrap(), "-f", "ndjson"], b"").lines();
    let sum = |key: &str| stats.iter().filter_map(|l| l[key].as_u64()).sum::<u64>();
    assert_eq!((sum("requests"), sum("pings") - sum("pongs")), (0, 1));
}
