//! Ctrl-C: the session is left properly, and the status is 130, as in shells.
//!
//! Acknex has no goodbye (its server notices the silence), and nano over TCP only closes the stream.

use crate::common::late::{ensure, unless_late};
use crate::common::{granted, read_head, side_by_side, signal};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Capture, conversation, and the end that the other side reports.
const SESSIONS: [(&str, &str, &str); 5] = [
    ("riptide/riptide22-udp.pcap", "2", "disconnect"),
    ("riptide/riptide22-tcp.pcap", "1", "disconnect"),
    ("dnp/dnp-basic.pcap", "1", "connection_close"),
    ("gne/gne-le-udp-full.pcap", "1", "exit"),
    ("nano/pomelo-ws.pcap", "1", "the WebSocket was closed"),
];

fn netkit(args: &[&str]) -> Command {
    let mut command = crate::common::program();
    command.arg("replay").args(args).args(["-W", "4s", "-f", "ndjson"]);
    command.current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A server and its address.
fn listening(args: &[&str]) -> (Child, String) {
    let mut child = netkit(args).args(["--listen", "127.0.0.1:0"]).spawn().unwrap();
    let mut reported = String::new();
    BufReader::new(child.stderr.as_mut().unwrap()).read_line(&mut reported).unwrap();
    let at = reported.trim().rsplit(' ').next().unwrap().to_string();
    (child, at)
}

fn interrupt(child: Child) -> Output {
    let begin = Instant::now();
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    // A guard against hanging; the time depends on the machine.
    assert!(begin.elapsed() < Duration::from_secs(60), "it took {:?}", begin.elapsed());
    output
}

fn session(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(text.lines().last().unwrap_or_else(|| panic!("no report: {output:?}"))).unwrap()
}

/// Plays both sides, so slowly that neither can finish.
fn interrupted(path: &str, flow: &str, client: bool) -> [Output; 2] {
    let play = [path, "--flow", flow, "--speed", "0.02"];
    let seen = |goes: bool| if goes { &["-v"][..] } else { &[] };
    let (server, at) = listening(&[&play[..], seen(!client)].concat());
    let other = netkit(&[&play[..], seen(client), &["--to", &at]].concat()).spawn().unwrap();
    let (mut goes, stays) = if client { (other, server) } else { (server, other) };
    // It is interrupted after one exchange: it has asked and received the answer, or was asked and has answered.
    let mut lines = BufReader::new(goes.stderr.take().unwrap()).lines();
    assert_eq!(lines.by_ref().take(2).map_while(Result::ok).count(), 2, "{path}: it has not begun");
    let rest = std::thread::spawn(move || lines.map_while(Result::ok).count());
    let gone = interrupt(goes);
    rest.join().unwrap();
    [gone, stays.wait_with_output().unwrap()]
}

#[test]
fn the_session_is_left() {
    std::thread::scope(|scope| {
        for (path, flow, goodbye) in SESSIONS {
            for client in [true, false] {
                scope.spawn(move || {
                    let [gone, stays] = interrupted(path, flow, client);
                    let name = format!("{path}, client: {client}");
                    assert_eq!(gone.status.code(), Some(130), "{name}: {gone:?}");
                    let report = session(&gone);
                    assert_eq!((&report["complete"], &report["trouble"]), (&false.into(), &"interrupted".into()));
                    assert_eq!(report["stopped"], true, "{name}");
                    assert!(report["sent"].as_u64() > Some(0), "{name}: it had begun: {report}");
                    assert!(report["sent"].as_u64() < report["messages"].as_u64(), "{name}: it was done: {report}");
                    let ended = session(&stays)["ended"].clone();
                    assert!(ended.as_str().is_some_and(|why| why.starts_with(goodbye)), "{name}: {ended}");
                });
            }
        }
    });
}

/// Without a client there is no session to leave.
#[test]
fn waiting_for_a_client() {
    let (server, _) = listening(&["gne/gne-le-tcponly.pcap"]);
    let output = interrupt(server);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{output:?}");
    let (server, _) = listening(&["dnp/dnp-basic.pcap", "--flow", "1"]);
    assert_eq!(interrupt(server).status.code(), Some(130));
}

/// nano's server closes a WebSocket only after a first message. One session or many that are stopped before the upgrade
/// is granted, or before the recorded handshake is due, send one, and a close frame. They have a second for that: on a
/// busy machine it is enough in one of several runs.
#[test]
fn who_is_stopped_before_the_handshake_leaves() {
    let many = ["--clients", "1", "--for", "60s"];
    let run = |early: bool, args: &[&str]| {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let at = listener.local_addr().unwrap().to_string();
        let play = ["nano/pomelo-ws.pcap", "--flow", "1", "--to", &at, "--speed", "0.001"];
        let child = netkit(&[&play[..], args].concat()).spawn().unwrap();
        let (mut stream, _) = listener.accept().unwrap();
        let answer = granted(&read_head(&mut stream));
        // What is awaited in between cannot be seen from outside. Without the wait, another way is taken to the same end.
        let pause = |millis| std::thread::sleep(Duration::from_millis(millis));
        if early {
            stream.write_all(&answer).unwrap();
            pause(200);
        }
        signal(&child, "-INT");
        if !early {
            pause(20);
            // It may have given up.
            let _ = stream.write_all(&answer);
        }
        let mut sent = Vec::new();
        let read = stream.read_to_end(&mut sent);
        drop(stream);
        assert_eq!(child.wait_with_output().unwrap().status.code(), Some(130));
        let close = sent.len().checked_sub(8).map(|at| sent[at]);
        let whole = read.is_ok() && (sent.first(), close) == (Some(&0x82), Some(0x88));
        ensure(whole, format!("{early} {args:?}: {read:?} {sent:02x?}"))
    };
    side_by_side([(false, &[][..]), (false, &many), (true, &[]), (true, &many)], |(early, args)| {
        unless_late(Duration::from_secs(1), 0..5, |_| run(early, args));
    });
}
