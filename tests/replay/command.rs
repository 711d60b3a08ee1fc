//! The command: its options, its report, its exit status.

use crate::common::late::{ensure, unless_late};
use netkit::live::replay::LINGER;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

const CAPTURE: &str = "riptide/riptide22-udp.pcap";

fn netkit(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
    command.args(args).current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")));
    command
}

fn run(args: &[&str]) -> Output {
    netkit(args).output().unwrap()
}

/// Starts a server, whose address it prints first.
fn listening(args: &[&str]) -> (Child, String) {
    let mut command = netkit(&[args, &["--listen", "127.0.0.1:0"]].concat());
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut reported = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut reported).unwrap();
    let at = reported.trim().rsplit(' ').next().unwrap().to_owned();
    (server, at)
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn lists_and_asks_for_one() {
    let listed = lines(&run(&["replay", CAPTURE, "--list", "-f", "ndjson"]));
    assert_eq!(listed.len(), 9);
    assert_eq!((&listed[0]["proto"], &listed[0]["version"]), (&"riptide".into(), &"2.2".into()));
    let output = run(&["replay", CAPTURE, "--to", "127.0.0.1:9"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("choose one with --flow N"));
    // A file may describe other protocols, but not this one.
    let output = run(&["replay", CAPTURE, "--list", "--schema", "schemas/riptide.toml", "--port", "7777=ript1de"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("ript1de"));
}

/// The list shows each conversation's carrier; datagrams that belong to a stream are not played alone.
#[test]
fn lists_what_can_be_played() {
    let list = |capture: &str| lines(&run(&["replay", capture, "--list", "-f", "ndjson"]));
    let websocket = list("nano/pomelo-ws.pcap");
    assert!(!websocket.is_empty() && websocket.iter().all(|line| line["transport"] == "ws"), "{websocket:?}");
    let capture = "gne/gne-le-udp-full.pcap";
    let gne = list(capture);
    assert!(!gne.is_empty() && gne.iter().all(|line| line["transport"] == "tcp"), "{gne:?}");
    let datagrams = lines(&run(&["decode", capture, "-q", "-F", "transport == udp", "-f", "ndjson"]));
    let flow = datagrams[0]["flow"].to_string();
    let output = run(&["replay", capture, "--flow", &flow, "--dry-run"]);
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && reported.contains("these datagrams belong to a stream"), "{reported}");
}

#[test]
fn a_dry_run_with_changes() {
    let dry =
        |args: &[&str]| lines(&run(&[&["replay", CAPTURE, "--flow", "1", "--dry-run", "-f", "ndjson"], args].concat()));
    let plain = dry(&[]);
    let has = |lines: &[Value], name: &str| lines.iter().filter(|l| l["message"] == name).count();
    assert!(has(&plain, "unreliable") > 0 && has(&plain, "reliable") > 0);
    assert_eq!(has(&plain, "ack"), 0, "acks are made live");
    assert_eq!(has(&dry(&["--on", "message == unreliable: drop"]), "unreliable"), 0);
    let edited = dry(&["--on", "message == reliable: payload=0102"]);
    assert!(
        edited
            .iter()
            .filter(|l| l["message"] == "reliable")
            .all(|l| l["edited"] == true && l["fields"]["payload"] == "0102")
    );
    let wrong = run(&["replay", CAPTURE, "--flow", "1", "--dry-run", "--on", "message == reliable: paylod=1"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("did you mean \"payload\""));
}

#[test]
fn nobody_there() {
    let closed = crate::common::closed_udp().to_string();
    let output = run(&["replay", CAPTURE, "--flow", "2", "--to", &closed, "--asap", "-W", "500ms", "-f", "ndjson"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lines(&output).last().unwrap()["complete"], false);
    let output = run(&["replay", CAPTURE, "--flow", "2", "--to", &closed, "--asap", "-W", "500ms"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("trouble       the host refuses: nothing listens on that port\nsent "), "{text}");
}

/// Errors are reported also with `-q`: a port that is taken, a server that is not there.
#[test]
fn errors_are_never_quiet() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = taken.local_addr().unwrap().to_string();
    let tcp = "nano/nano-tcp.pcap";
    let output = run(&["replay", "-q", tcp, "--flow", "1", "--listen", &at]);
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), reported.contains("in use by another program")), (Some(3), true), "{reported}");
    let closed = crate::common::closed_tcp().to_string();
    let output = run(&["replay", "-q", tcp, "--flow", "1", "--to", &closed]);
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(
        (output.status.code(), reported.contains("nothing listens on that port")),
        (Some(1), true),
        "{reported}"
    );
}

/// A session that was played is reported, even if its recording cannot be written.
#[cfg(target_os = "linux")]
#[test]
fn a_recording_on_a_full_disk() {
    let closed = crate::common::closed_udp().to_string();
    let common = ["replay", CAPTURE, "--flow", "2", "--to", &closed, "--asap", "-W", "500ms", "-f", "ndjson"];
    let output = run(&[&common[..], &["--pcap", "/dev/full"]].concat());
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(lines(&output).last().unwrap()["report"], "session");
}

/// `-F` selects the messages that are compared: a filter without a message of the peer is refused.
#[test]
fn compares_what_is_chosen() {
    let edit = "message == reliable and sequence_id == 2: payload=00";
    for (filter, diverged) in [("message == reliable", 1), ("message != reliable", 0)] {
        let common = ["replay", CAPTURE, "--flow", "2", "--asap", "-f", "ndjson", "--expect"];
        unless_late(LINGER, 0..5, |_| {
            let (server, at) = listening(&[&common[..], &["-F", filter]].concat());
            let client = run(&[&common[..], &["--to", &at, "--on", edit]].concat());
            let server = server.wait_with_output().unwrap();
            let report = lines(&server);
            let found = &report.last().unwrap()["divergences"];
            let status = [&client, &server].map(|side| side.status.code());
            let right = *found == diverged && status == [Some(0), Some(diverged)];
            ensure(right, format!("{filter}: {status:?} {report:#?}"))
        });
    }
    let nothing = ["replay", CAPTURE, "--flow", "2", "--to", "127.0.0.1:9", "--expect", "-F", "message == reject"];
    let output = run(&nothing);
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && reported.contains("none of the peer's messages matches"), "{reported}");
}

/// Two processes, an edit that the other side detects, and a capture of it that decodes.
#[test]
fn two_processes() {
    let pcap = std::env::temp_dir().join(format!("netkit-replay-{}.pcap", std::process::id()));
    let pcap = pcap.to_str().unwrap();
    let common = ["replay", CAPTURE, "--flow", "2", "--asap", "-f", "ndjson", "--expect"];
    let edit = "message == reliable and sequence_id == 2: payload=00";
    unless_late(LINGER, 0..5, |_| {
        let (server, at) = listening(&common);
        let client = run(&[&common[..], &["--to", &at, "--pcap", pcap, "--force", "--on", edit]].concat());
        let server = server.wait_with_output().unwrap();
        let report = lines(&server);
        let decoded = lines(&run(&["decode", pcap, "-q", "-f", "ndjson"]));
        let _ = std::fs::remove_file(pcap);
        assert!(decoded.iter().all(|l| l["fault"].is_null()), "{decoded:#?}");
        // The edited message is the only divergence: status 1 with --expect.
        let diverged: Vec<&Value> = report.iter().filter(|l| l["report"] == "divergence").collect();
        let status = [&client, &server].map(|side| side.status.code());
        let kinds: Vec<&Value> = diverged.iter().map(|l| &l["kind"]).collect();
        if status != [Some(0), Some(1)] || kinds != ["differs"] {
            return Err(format!("{status:?} {report:#?}"));
        }
        let is_edited =
            |l: &Value| l["message"] == "reliable" && l["from"] == "client" && l["fields"]["payload"] == "00";
        assert!(decoded.iter().any(is_edited), "{decoded:#?}");
        Ok(())
    });
}

/// Named limits bound the stored part of a recording, and the output reports what they leave out.
#[test]
fn a_recording_beyond_its_limits() {
    let count = |output: &Output| lines(output).iter().map(|l| l["messages"].as_u64().unwrap()).sum::<u64>();
    let list = |limit: &str| run(&["replay", CAPTURE, "--list", "-f", "ndjson", "--limit", limit]);
    let whole = run(&["replay", CAPTURE, "--list", "-f", "ndjson"]);
    assert_eq!(String::from_utf8_lossy(&whole.stderr), "");
    let cut = list("replay_messages=7");
    assert_eq!(count(&cut), 7);
    let reported = String::from_utf8_lossy(&cut.stderr).into_owned();
    assert!(reported.contains("(--limit replay_messages): only its beginning is played"), "{reported}");
    let quiet = run(&["replay", CAPTURE, "--list", "-q", "-f", "ndjson", "--limit", "replay_messages=7"]);
    assert_eq!(String::from_utf8_lossy(&quiet.stderr), reported, "-q hides no limit that was reached");
    let cut = list("replay_bytes=16K");
    let reported = String::from_utf8_lossy(&cut.stderr).into_owned();
    assert!(reported.contains("(--limit replay_bytes): only its beginning is played"), "{reported}");
    assert!((1..count(&whole)).contains(&count(&cut)), "{}", count(&cut));
    // A limit of exactly that number is enough.
    let all = list(&format!("replay_messages={}", count(&whole)));
    assert_eq!((count(&all), all.stderr.is_empty()), (count(&whole), true));
}

/// The capture of a session has a limit; it holds the session's beginning, in whole frames.
#[test]
fn a_capture_that_is_full() {
    let pcap = std::env::temp_dir().join(format!("netkit-full-{}.pcap", std::process::id()));
    let pcap = pcap.to_str().unwrap();
    let mut frames = Vec::new();
    for limit in ["pcap_bytes=1K", "pcap_bytes=2G"] {
        unless_late(LINGER, 0..5, |_| {
            let common = ["replay", CAPTURE, "--flow", "2", "--asap"];
            let (server, at) = listening(&common);
            let more = ["--to", &at, "--pcap", pcap, "--force", "--limit", limit, "-q"];
            let client = run(&[&common[..], &more].concat());
            server.wait_with_output().unwrap();
            let reported = String::from_utf8_lossy(&client.stderr).into_owned();
            let size = std::fs::metadata(pcap).unwrap().len();
            let decoded = run(&["decode", pcap, "-q", "-f", "ndjson"]);
            assert_eq!(decoded.status.code(), Some(0));
            if client.status.code() != Some(0) {
                return Err(format!("{limit}: {}", String::from_utf8_lossy(&client.stdout)));
            }
            frames.push(lines(&decoded).len());
            match limit {
                "pcap_bytes=1K" => {
                    assert!(reported.contains("full (--limit pcap_bytes), missing at its end: "), "{reported}");
                    assert!((500..=1024 + 24).contains(&size), "{size}");
                }
                _ => assert_eq!(reported, ""),
            }
            Ok(())
        });
    }
    std::fs::remove_file(pcap).unwrap();
    assert!(0 < frames[0] && frames[0] < frames[1], "{frames:?}");
}
