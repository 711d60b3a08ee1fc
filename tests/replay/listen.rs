//! `--listen`: the first peer that sends the recorded opening is played. A peer that leaves after nothing but its
//! handshake frees the place; strangers, other versions and probes end nothing.

use crate::common::Receive;
use crate::common::late::{ensure, unless_late};
use netkit::live::replay::LINGER;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpStream, UdpSocket};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

const CAPTURE: [&str; 3] = ["riptide/riptide22-udp.pcap", "--flow", "2"];
const STREAM: [&str; 3] = ["riptide/riptide22-tcp.pcap", "--flow", "1"];
/// Longer than any wait here: a listener with this timeout ends by its peer or by a signal.
const LONG: &str = "120s";

/// A protocol's capture, the options of its probe, and the scheme of a WebSocket.
const PROBED: [([&str; 3], &[&str], &str); 6] = [
    (CAPTURE, &["-p", "riptide"], ""),
    (STREAM, &["-p", "riptide", "--transport", "tcp"], ""),
    (["dnp/dnp-basic.pcap", "--flow", "1"], &["-p", "dnp"], ""),
    (["gne/gne-le-udp-full.pcap", "--flow", "1"], &["-p", "gne"], ""),
    (["nano/nano-protobuf-tcp.pcap", "--flow", "1"], &["-p", "nano", "--transport", "tcp"], ""),
    (["nano/pomelo-ws.pcap", "--flow", "1"], &["-p", "nano", "--transport", "ws"], "ws://"),
];

fn netkit(args: &[&str]) -> Command {
    let mut command = crate::common::program();
    command.args(args).current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn listening(capture: &[&str], patience: &str) -> (Child, String) {
    let play = ["--asap", "-f", "ndjson", "-W", patience, "--listen", "127.0.0.1:0"];
    let mut child = netkit(&[&["replay"], capture, &play].concat()).spawn().unwrap();
    let mut printed = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut printed).unwrap();
    let at = printed.trim().rsplit(' ').next().unwrap().to_string();
    (child, at)
}

/// Plays the recorded client.
fn client(capture: &[&str], to: &str) -> Output {
    let play = ["--asap", "-f", "ndjson", "-W", LONG, "--to", to];
    netkit(&[&["replay"], capture, &play].concat()).output().unwrap()
}

/// The report of a session.
fn session(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_else(|| panic!("no report: {output:?}"))).unwrap()
}

fn remarks(report: &Value) -> Vec<&str> {
    report["remarks"].as_array().unwrap().iter().map(|remark| remark.as_str().unwrap()).collect()
}

/// Plays the recorded client. Returns the server's report, and an error unless both sides are complete.
#[track_caller]
fn played(server: Child, capture: &[&str], to: &str) -> (Value, Result<(), String>) {
    let client = client(capture, to);
    let server = server.wait_with_output().unwrap();
    let report = session(&server);
    let whole = [&client, &server].iter().all(|side| side.status.code() == Some(0));
    if whole {
        assert_eq!((&report["complete"], &report["trouble"]), (&true.into(), &Value::Null), "{report}");
    }
    (report, ensure(whole, format!("not complete: {client:?} {server:?}")))
}

/// Probes are answered, and afterwards the recorded client is played.
#[test]
fn a_probe_and_then_the_client() {
    std::thread::scope(|scope| {
        for (capture, how, scheme) in PROBED {
            scope.spawn(move || {
                unless_late(LINGER, 0..5, |_| {
                    let (server, at) = listening(&capture, LONG);
                    for _ in 0..3 {
                        let probe = netkit(&[&["probe", &at, "-W", "60s", "-n", "1"], how].concat()).output().unwrap();
                        let found = String::from_utf8_lossy(&probe.stdout).into_owned();
                        // A probe of GNE sends a request that every server refuses; a recording cannot refuse.
                        let status = if how.contains(&"gne") { 1 } else { 0 };
                        assert_eq!(probe.status.code(), Some(status), "{capture:?}: {found} {probe:?}");
                    }
                    let (report, whole) = played(server, &capture, &format!("{scheme}{at}"));
                    let left = remarks(&report).iter().filter(|r| r.contains("waiting for another peer")).count();
                    assert!(left == 3 || left > 3 && whole.is_err(), "{capture:?}: {report}");
                    whole
                });
            });
        }
    });
}

/// A probe's connect of 2.0 may arrive first; then strangers, each from its own socket.
#[test]
fn other_versions_and_strangers() {
    unless_late(LINGER, 0..5, |_| {
        let (server, at) = listening(&CAPTURE, LONG);
        let from = |bytes: &[u8]| {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.connect(&at).unwrap();
            socket.send(bytes).unwrap();
            socket
        };
        // A connect of 2.0, twice; an empty datagram; a query of another game; STUN.
        let old = from(&[3]);
        old.send(&[3]).unwrap();
        let others =
            [from(&[]), from(b"\xff\xff\xff\xffTSource Engine Query\0"), from(b"\0\x01\0\0\x21\x12\xa4\x42........")];
        let (report, whole) = played(server, &CAPTURE, &at);
        let remarks = remarks(&report);
        let [port, query, stun] = [&old, &others[1], &others[2]].map(|s| s.local_addr().unwrap());
        let expected = [
            format!("{port} was not accepted: it sends 2.0's connect, the recording is riptide 2.2 (2 times)"),
            format!("{query} was not accepted: it sends a Source or Quake engine's query, not riptide.connect"),
            format!("{stun} was not accepted: it sends STUN, not riptide.connect"),
        ];
        assert_eq!(remarks[..3], expected, "{report}");
        // None of them got an answer, nor an ICMP error.
        for socket in others.iter().chain([&old]) {
            socket.set_nonblocking(true).unwrap();
            let received = socket.receive(&mut [0; 64]).map_err(|error| error.kind());
            assert_eq!(received, Err(std::io::ErrorKind::WouldBlock));
        }
        whole
    });
}

/// While a client is played, others get no answer and are ignored; the port stays open to them.
#[test]
fn others_while_one_is_played() {
    unless_late(LINGER, 0..5, |_| {
        let (server, at) = listening(&CAPTURE, LONG);
        let [ours, other] = [0, 1].map(|_| {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            socket.connect(&at).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            socket
        });
        // A connect of 2.2, and its welcome: type 12, its number.
        ours.send(&[2]).unwrap();
        let mut buffer = [0; 64];
        let length = ours.receive(&mut buffer).unwrap();
        assert!(length >= 3 && buffer[0] & 15 != 2, "{:x?}", &buffer[..length]);
        // A second client, and a goodbye of somebody who is not played.
        for bytes in [[2], [5]] {
            other.send(&bytes).unwrap();
        }
        // The first client is still played: the welcome is resent until it is acknowledged.
        let again = ours.receive(&mut buffer).unwrap();
        assert_eq!(length, again);
        other.set_nonblocking(true).unwrap();
        assert_eq!(other.receive(&mut buffer).map_err(|e| e.kind()), Err(std::io::ErrorKind::WouldBlock));
        // It leaves, and the recorded client gets the place.
        ours.send(&[5]).unwrap();
        let (report, whole) = played(server, &CAPTURE, &at);
        let left = format!("{} left after sending only the recording's opening", ours.local_addr().unwrap());
        assert!(remarks(&report).iter().any(|r| r.starts_with(&left) && r.contains("disconnect")), "{report}");
        whole
    });
}

/// Connections that send nothing, send something else, or leave: none delays the recorded client.
#[test]
fn connections_of_strangers() {
    unless_late(LINGER, 0..5, |_| {
        let (server, at) = listening(&STREAM, LONG);
        let silent = TcpStream::connect(&at).unwrap();
        let mut web = TcpStream::connect(&at).unwrap();
        web.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        // A connection that is not played is closed, with or without a reset.
        let received = web.read(&mut [0; 64]);
        assert!(matches!(received, Ok(0)) || received.is_err(), "{received:?}");
        drop(TcpStream::connect(&at).unwrap());
        let (report, whole) = played(server, &STREAM, &at);
        let remarks = remarks(&report);
        let says = |text: &str| remarks.iter().any(|remark| remark.contains(text));
        assert!(
            says("was not accepted: the client asks for HTTP or a WebSocket, the recording is riptide"),
            "{report}"
        );
        let silent = format!("{} was not accepted: it has sent nothing", silent.local_addr().unwrap());
        assert!(says(&silent), "{report}");
        whole
    });
}

/// Only strangers: the timeout starts at the last of them, and the report names the reason.
#[test]
fn nobody_but_strangers() {
    let (server, at) = listening(&CAPTURE, "1s");
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let last = Instant::now();
    socket.send_to(&[3], &at).unwrap();
    let output = server.wait_with_output().unwrap();
    assert!(last.elapsed() >= Duration::from_secs(1));
    assert_eq!(output.status.code(), Some(1));
    let report = session(&output);
    let trouble = report["trouble"].as_str().unwrap();
    let why = "it sends 2.0's connect, the recording is riptide 2.2; nobody else sent riptide.connect, \
               the recording's opening, within 1s";
    assert_eq!((trouble, &report["sent"], &report["messages"]), (why, &0.into(), &25.into()));
    assert_eq!((&report["complete"], &report["diverged"]), (&false.into(), &true.into()));
    // Ctrl-C before that: the strangers are reported nevertheless.
    let (server, at) = listening(&CAPTURE, LONG);
    let ours = UdpSocket::bind("127.0.0.1:0").unwrap();
    ours.connect(&at).unwrap();
    for bytes in [[3], [2]] {
        ours.send(&bytes).unwrap();
    }
    // It was answered, so both datagrams were read.
    ours.receive(&mut [0; 64]).unwrap();
    assert!(Command::new("kill").args(["-INT", &server.id().to_string()]).status().unwrap().success());
    let output = server.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report = session(&output);
    assert_eq!((&report["stopped"], &report["trouble"]), (&true.into(), &"interrupted".into()));
    assert!(remarks(&report)[0].contains("2.0's connect"), "{report}");
}

/// A port that listens on all addresses: the capture has the address that the peer used.
#[test]
fn the_address_that_was_spoken_to() {
    unless_late(LINGER, 0..5, |_| {
        let pcap = std::env::temp_dir().join(format!("netkit-listen-{}.pcap", std::process::id()));
        let pcap = pcap.to_str().unwrap();
        let play = ["--asap", "-f", "ndjson", "-W", LONG, "--listen", "0.0.0.0:0", "--pcap", pcap, "--force"];
        let mut server = netkit(&[&["replay"], &CAPTURE[..], &play].concat()).spawn().unwrap();
        let mut reported = String::new();
        BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut reported).unwrap();
        let port = reported.trim().rsplit(':').next().unwrap();
        let (_, whole) = played(server, &CAPTURE, &format!("127.0.0.1:{port}"));
        let decoded = netkit(&["decode", pcap, "-q", "-f", "ndjson"]).output().unwrap();
        let _ = std::fs::remove_file(pcap);
        let lines = String::from_utf8(decoded.stdout).unwrap();
        let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
        assert_eq!((&first["message"], &first["dst"]), (&"connect".into(), &format!("127.0.0.1:{port}").into()));
        whole
    });
}
