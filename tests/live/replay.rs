//! Captures played to real servers, and to a real client, pytide's.

use super::server::{Server, script};
use crate::common;
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Plays a capture's client as fast as possible; returns the report's lines, the session's last, and the exit status.
fn replay(path: &str, flow: &str, to: &str, args: &[&str]) -> (Vec<Value>, Option<i32>) {
    paced(path, flow, to, &[&["--asap"], args].concat())
}

fn paced(path: &str, flow: &str, to: &str, args: &[&str]) -> (Vec<Value>, Option<i32>) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path);
    let output = Command::new(env!("CARGO_BIN_EXE_netkit"))
        .arg("replay")
        .arg(file)
        .args(["--flow", flow, "--to", to, "-W", "2s", "-f", "ndjson"])
        .args(args)
        .output()
        .expect("netkit runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    println!("{path} {flow}: {}\n{}", lines.last().unwrap_or(&Value::Null), String::from_utf8_lossy(&output.stderr));
    (lines, output.status.code())
}

fn divergences(lines: &[Value]) -> impl Iterator<Item = &Value> {
    lines.iter().filter(|line| line["report"] == "divergence")
}

/// pytide accepts, acknowledges and answers heartbeats, but its stub application sends nothing. So only these are
/// missing: the captured application's own messages, the news of other clients, and the captured server's goodbye. No
/// received message differs.
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_to_the_last_message() {
    for (transport, path, flow) in [
        ("udp", "riptide/riptide22-udp.pcap", "1"),
        ("udp", "riptide/riptide22-udp.pcap", "2"),
        ("tcp", "riptide/pytide-tcp.pcap", "1"),
    ] {
        let server = Server::riptide(transport, "open");
        let (lines, status) = replay(path, flow, &server.target(), &[]);
        let session = lines.last().expect("a session");
        assert_eq!((&session["complete"], status), (&true.into(), Some(0)), "{lines:#?}");
        assert_eq!(session["sent"], session["messages"], "{session}");
        assert_eq!(session["unacknowledged"], 0, "{session}");
        assert!(session["acknowledged"].as_u64() > Some(1), "{session}");
        for divergence in divergences(&lines) {
            let message = divergence["message"].as_str().unwrap_or_default();
            let application =
                ["reliable ", "unreliable ", "notify", "client_connected", "client_disconnected", "disconnect"];
            assert_eq!(divergence["kind"], "missing", "{divergence}");
            assert!(application.iter().any(|name| message.starts_with(name)), "{divergence}");
        }
        server.is_left();
        // With --expect that is a failure.
        let (_, status) = replay(path, flow, &server.target(), &["--expect"]);
        assert_eq!(status, Some(1));
        server.is_left();
    }
}

/// pinus' connector numbers routes differently from the captured server, and its stub application echoes every request:
/// so each response arrives with the live id and for the same route, but with another content; pushes and the captured
/// kick are missing. The captured server left one request unanswered, because its route has not three parts: the echo
/// answers that too.
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_to_the_last_message() {
    for (path, websocket) in [("nano/pomelo-ws.pcap", true), ("nano/nano-protobuf-tcp.pcap", false)] {
        let server = Server::nano("echo");
        let to = format!("{}{}", if websocket { "ws://" } else { "" }, server.target());
        let (lines, status) = replay(path, "1", &to, &["--on", "message == request and id == 0: drop"]);
        let session = lines.last().expect("a session");
        assert_eq!((&session["complete"], status), (&true.into(), Some(0)), "{lines:#?}");
        assert_eq!(session["sent"], session["messages"], "{session}");
        let responses =
            divergences(&lines).filter(|d| d["message"].as_str().is_some_and(|m| m.starts_with("response ")));
        for response in responses {
            match response["message"].as_str() {
                Some("response nodots") => assert_eq!(response["kind"], "extra", "{response}"),
                _ => assert_eq!(response["kind"], "differs", "{response}"),
            }
        }
        for divergence in divergences(&lines).filter(|d| d["kind"] == "missing") {
            let message = divergence["message"].as_str().unwrap_or_default();
            assert!(message.starts_with("push ") || message == "kick", "{divergence}");
        }
    }
}

/// A server's side for a real client: every message of the captured server's application arrives there once, and those
/// that need an acknowledgement have one.
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_to_a_live_client() {
    let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
    // pytide's own client fails at a notify: it reads an attribute that it does not have.
    let notify = ["--on", "message == notify: drop"];
    for (transport, name, flow, drop) in [
        ("udp", "riptide/riptide22-udp.pcap", "2", &[][..]),
        ("udp", "riptide/riptide22-udp.pcap", "1", &notify),
        ("tcp", "riptide/pytide-tcp.pcap", "1", &[]),
    ] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(name);
        let mut server = Command::new(env!("CARGO_BIN_EXE_netkit"))
            .arg("replay")
            .arg(&file)
            .args(["--flow", flow, "--listen", "127.0.0.1:0", "--asap", "-W", "1s", "-f", "ndjson"])
            .args(drop)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("netkit runs");
        let mut reported = String::new();
        BufReader::new(server.stderr.take().expect("its notes")).read_line(&mut reported).expect("where it listens");
        let port = reported.trim().rsplit(':').next().expect("a port").to_string();
        let client = Command::new(&python).arg("-u").arg(script("riptide_client.py")).args([transport, &port]).output();
        let client = String::from_utf8(client.expect("the client runs").stdout).expect("UTF-8");
        let server = server.wait_with_output().expect("netkit ends");
        let report = String::from_utf8(server.stdout).expect("UTF-8");
        let session: Value = serde_json::from_str(report.lines().last().expect("a session")).expect("JSON");
        println!("{name} {flow}: {session}\n{client}");
        assert_eq!((&session["complete"], server.status.code()), (&true.into(), Some(0)), "{report}");
        assert_eq!((&session["sent"], &session["unacknowledged"]), (&session["messages"], &0.into()), "{session}");
        assert!(report.contains("0568656c6c6f"), "its own \"hello\" was heard: {report}");

        // The capture's messages; tests/captures.rs compares them with the expected lines.
        let mut decode = Command::new(env!("CARGO_BIN_EXE_netkit"));
        decode.args(["decode", "-q", "--flow", flow, "-f", "ndjson"]).arg(&file);
        let decoded = String::from_utf8(decode.output().expect("netkit runs").stdout).expect("UTF-8");
        let lines = decoded.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let spoken = lines.filter(|l| l["from"] == "server");
        let spoken = spoken.filter(|l| l["message"] == "reliable" || l["message"] == "unreliable");
        let mut seen = std::collections::BTreeSet::new();
        let once =
            spoken.filter(|l| l["message"] == "unreliable" || seen.insert(l["fields"]["sequence_id"].to_string()));
        let mut wanted: Vec<u64> = once.filter_map(|l| l["fields"]["message_id"].as_u64()).collect();
        let got = client.lines().filter_map(|line| line.strip_prefix("MESSAGE ")?.parse().ok());
        let mut got: Vec<u64> = got.collect();
        wanted.sort_unstable();
        got.sort_unstable();
        assert_eq!(got, wanted, "{name} {flow}");
        assert!(client.contains("CONNECTED") && client.contains("DISCONNECTED"), "{client}");
    }
}

/// Threads that use all processor time until they are dropped.
struct Load(Arc<AtomicBool>);

impl Load {
    fn new() -> Load {
        let end = Arc::new(AtomicBool::new(false));
        for _ in 0..2 {
            let end = Arc::clone(&end);
            std::thread::spawn(move || while !end.load(Ordering::Relaxed) {});
        }
        Load(end)
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Ten times each, on a machine without idle time: each time all messages are sent, acknowledged and answered, by the
/// clock of the recording, and no client stays at the server.
#[test]
#[ignore = "needs pytide-networking and pinus: .ci/run installs them"]
fn ten_times_under_load() {
    let _load = Load::new();
    // Sessions mostly wait for the recording's clock, so that several are played at once.
    std::thread::scope(|scope| {
        for (transport, path, flow) in
            [("udp", "riptide/riptide22-udp.pcap", "2"), ("tcp", "riptide/pytide-tcp.pcap", "1")]
        {
            scope.spawn(move || (0..10).for_each(|round| riptide_to_its_end(round, transport, path, flow)));
        }
        for rounds in [0..4, 4..7, 7..10] {
            scope.spawn(move || rounds.for_each(nano_to_its_end));
        }
    });
}

fn riptide_to_its_end(round: i32, transport: &str, path: &str, flow: &str) {
    // pytide counts copies over the life of the server, and drops clients because of them.
    let server = Server::riptide(transport, "open");
    let (lines, status) = paced(path, flow, &server.target(), &["--speed", "4"]);
    let session = lines.last().expect("a session");
    assert_eq!((&session["complete"], status), (&true.into(), Some(0)), "{round}: {lines:#?}");
    assert_eq!((&session["sent"], &session["unacknowledged"]), (&session["messages"], &0.into()), "{session}");
    server.is_left();
}

fn nano_to_its_end(round: i32) {
    // It runs for a minute.
    let server = Server::nano("echo");
    for (path, to) in [
        ("nano/nano-protobuf-tcp.pcap", server.target()),
        ("nano/pomelo-ws.pcap", format!("ws://{}", server.target())),
        // A capture of TCP can be played over a WebSocket, too.
        ("real/pinus-tcp-plain.pcap", server.target()),
        ("real/pinus-tcp-plain.pcap", format!("ws://{}", server.target())),
    ] {
        let (lines, status) = paced(path, "1", &to, &["--on", "message == request and id == 0: drop"]);
        let session = lines.last().expect("a session");
        assert_eq!((&session["complete"], status), (&true.into(), Some(0)), "{to} {round}: {lines:#?}");
        assert_eq!(session["sent"], session["messages"], "{to} {round}: {session}");
        let missing = |d: &&Value| d["kind"] == "missing" && d["others"].is_null() && d["message"] != "kick";
        assert_eq!(
            divergences(&lines).find(missing),
            None,
            "{to} {round}: not everything that was asked for was answered"
        );
    }
    server.is_left();
}

/// A session that is stopped in any way leaves: the server has no client afterwards, by its own figures.
#[test]
#[ignore = "needs pytide-networking and pinus: .ci/run installs them"]
fn a_stopped_replay_leaves() {
    let cases = [
        ("udp", "riptide/riptide22-udp.pcap", "2"),
        ("tcp", "riptide/pytide-tcp.pcap", "1"),
        ("", "nano/nano-protobuf-tcp.pcap", "1"),
        ("ws://", "nano/pomelo-ws.pcap", "1"),
    ];
    for (carrier, path, flow) in cases {
        let server = if path.starts_with("riptide") { Server::riptide(carrier, "open") } else { Server::nano("echo") };
        let to = if carrier == "ws://" { format!("ws://{}", server.target()) } else { server.target() };
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(path);
        for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
            let mut session = common::program()
                .arg("replay")
                .arg(&file)
                // Slow enough to be still running whenever it is stopped.
                .args(["--flow", flow, "--to", &to, "--speed", "0.01", "--max-time", "60s", "-f", "ndjson"])
                .args(["--on", "message == request and id == 0: drop"])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("netkit runs");
            server.awaits(1);
            let killed = Command::new("kill").args([&format!("-{signal}"), &session.id().to_string()]).status();
            assert!(killed.expect("kill runs").success(), "{path} {signal}");
            assert_eq!(session.wait().expect("netkit ends").code(), Some(status), "{path} {signal}");
            server.is_left();
        }
    }
}

/// Many clients at once, each with its own id: all are played to their end, answered, and gone afterwards. A server
/// that is full refuses the others, and the report says that it was full.
#[test]
#[ignore = "needs pytide-networking and pinus: .ci/run installs them"]
fn many_clients() {
    let load = |path: &str, flow: &str, to: &str, clients: &str, args: &[&str]| {
        let (lines, status) = paced(path, flow, to, &[&["--clients", clients], args].concat());
        (lines.last().expect("the report").clone(), status)
    };
    let drop = ["--on", "message == request and id == 0: drop", "--speed", "4"];
    let server = Server::nano("echo");
    for to in [server.target(), format!("ws://{}", server.target())] {
        let (all, status) = load("real/pinus-tcp-plain.pcap", "1", &to, "60", &drop);
        assert_eq!((&all["complete"], status), (&true.into(), Some(0)), "{to}: {all}");
        assert_eq!((&all["connected"], &all["finished"]), (&60.into(), &60.into()), "{to}: {all}");
        assert!(all["requests"].as_u64() >= Some(60) && all["p99"].is_f64(), "{to}: {all}");
        server.is_left();
    }
    let server = Server::riptide("udp", "many");
    let (all, status) = load("riptide/riptide22-udp.pcap", "2", &server.target(), "8", &["--ramp", "8/s"]);
    assert_eq!((&all["complete"], &all["finished"], status), (&true.into(), &8.into(), Some(0)), "{all}");
    server.is_left();
    // It has four places.
    let server = Server::riptide("udp", "open");
    let (all, status) = load("riptide/riptide22-udp.pcap", "2", &server.target(), "7", &["--ramp", "20/s"]);
    assert_eq!((status, &all["finished"], &all["refused"]), (Some(1), &4.into(), &3.into()), "{all}");
    assert!(all["limit"].is_string(), "{all}");
    server.is_left();
}

/// The same server, the same messages: neither the carrier of the capture nor the other one has a divergence, and
/// `--expect` succeeds.
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn another_carrier_is_no_divergence() {
    let server = Server::nano("echo");
    let recorded = std::env::temp_dir().join(format!("netkit-carrier-{}.pcap", std::process::id()));
    let drop = ["--on", "message == request and id == 0: drop"];
    let path = recorded.to_str().expect("UTF-8");
    let (lines, _) =
        paced("real/pinus-tcp-plain.pcap", "1", &server.target(), &[&drop[..], &["--pcap", path, "--force"]].concat());
    assert_eq!(lines.last().expect("a session")["complete"], true, "{lines:#?}");
    for to in [server.target(), format!("ws://{}", server.target())] {
        let (lines, status) = paced(path, "1", &to, &["--expect"]);
        assert_eq!(status, Some(0), "{to}: {lines:#?}");
        assert_eq!(divergences(&lines).find(|d| d["others"].is_null()), None, "{to}");
    }
    std::fs::remove_file(recorded).expect("it is removed");
}
