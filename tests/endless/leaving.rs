//! Whatever ends the program, it leaves a GNE server by the rule: it sends an ExitPacket, and waits for the server to
//! close. After anything else, a server of release 0.70 accepts no clients any more. The scripted server reports what
//! it saw.

use crate::common::late::{ensure, unless_late};
use crate::common::{self, Done, NETKIT, finish, netkit, signal, until};
use crate::replay::gne_peer::{Kind, Order, Server};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::Duration;

const KIND: Kind =
    Kind { order: Order::Little, build: 7, game: "lobby", user_version: 1, datagrams: false, stubborn: 0 };

/// The commands to be ended.
const WAYS: [&[&str]; 2] = [
    &["probe", "AT", "-p", "gne", "--connect", "-n", "1000", "-W", "60s", "-f", "ndjson"],
    &["replay", "fixtures/gne/gne-le-tcponly.pcap", "--to", "AT", "--speed", "0.001", "-W", "60s", "-f", "ndjson"],
];

fn args<'a>(way: &[&'a str], at: &'a str) -> Vec<&'a str> {
    way.iter().map(|arg| if *arg == "AT" { at } else { arg }).collect()
}

/// Waits until the server has accepted the client.
fn accepted(server: &Server) {
    until("a client is accepted", || server.accepted.load(Ordering::Relaxed) > 0);
}

/// Checks that an accepted client sent one ExitPacket. Returns an error unless it waited for the close.
fn left(server: Server, what: &str) -> Result<(), String> {
    let seen = server.seen();
    let taken: Vec<_> = seen.iter().filter(|one| !one.refused).collect();
    assert_eq!(taken.len(), 1, "{what}: {seen:?}");
    let waited = taken[0].broken.is_none();
    assert!(waited || taken[0].broken == Some(TOO_SOON), "{what}: {:?}", taken[0].broken);
    let goodbyes = taken[0].frames.iter().filter(|frame| **frame == [2, 255]).count();
    assert_eq!(goodbyes, 1, "{what}: {:?}", taken[0].frames);
    ensure(waited, format!("{what}: {TOO_SOON}"))
}

/// The server's verdict on a client that does not wait for its close.
const TOO_SOON: &str = "it closed right after its ExitPacket: deaf from now on";

/// The time for which netkit waits for the close at the user's request: a server on a busy machine may need longer.
const LEAVING: Duration = Duration::from_secs(1);

#[test]
fn signals() {
    let cases: [(&[&str], i32); 5] = [
        (&["-INT"], 130),
        (&["-TERM"], 143),
        (&["-HUP"], 129),
        // The signals that `timeout` and terminals send.
        (&["-TERM", "-TERM", "-CONT"], 143),
        (&["-HUP", "-CONT", "-HUP"], 129),
    ];
    std::thread::scope(|scope| {
        for way in WAYS {
            scope.spawn(move || {
                for (names, status) in cases {
                    let what = format!("{} {names:?}", way[0]);
                    unless_late(LEAVING, 0..5, |_| {
                        let server = Server::start(KIND);
                        let child = netkit(&args(way, &server.at.to_string())).spawn().expect("netkit");
                        accepted(&server);
                        names.iter().for_each(|name| signal(&child, name));
                        let Done { status: ended, out, err } = finish(child);
                        let out = String::from_utf8_lossy(&out).into_owned();
                        assert_eq!(ended, Some(status), "{what}: {out} {err}");
                        let last = common::json(out.lines().last().expect("a summary"));
                        assert_eq!(last["stopped"], true, "{what}: {last}");
                        left(server, &what)
                    });
                }
            });
        }
    });
}

/// `timeout` itself.
#[cfg(target_os = "linux")]
#[test]
fn a_time_limit_of_the_shell() {
    for way in WAYS {
        // A busy machine may not let the server accept the client within the time.
        unless_late(LEAVING * 2, [2, 4, 8, 16, 32], |seconds| {
            let server = ended_after(seconds, way).ok_or("no client was accepted")?;
            left(server, way[0])
        });
    }
}

/// Lets `timeout` end the program after this time. Returns the server if it had accepted the program as its client.
#[cfg(target_os = "linux")]
fn ended_after(seconds: u32, way: &[&str]) -> Option<Server> {
    let server = Server::start(KIND);
    let (at, seconds) = (server.at.to_string(), seconds.to_string());
    let mut command = Command::new("timeout");
    command.args(["-k", "30", &seconds, NETKIT]).args(args(way, &at)).current_dir(common::root());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let done = finish(command.spawn().expect("timeout"));
    if server.accepted.load(Ordering::Relaxed) == 0 {
        server.seen();
        return None;
    }
    assert_eq!(done.status, Some(124), "{}", done.err);
    Some(server)
}

/// The reader of the output is gone: of a pipe (`| head -1`), or with the terminal.
#[test]
fn nobody_reads_any_more() {
    let closed = |mut child: Child| {
        drop(child.stdout.take());
        drop(child.stderr.take());
        child
    };
    for way in WAYS {
        for name in ["-HUP", "-TERM"] {
            let what = format!("{} {name}", way[0]);
            unless_late(LEAVING, 0..5, |_| {
                let server = Server::start(KIND);
                let child = netkit(&[args(way, &server.at.to_string()), vec!["-v"]].concat()).spawn().expect("netkit");
                accepted(&server);
                let mut child = closed(child);
                signal(&child, name);
                common::ended(&mut child);
                left(server, &what)
            });
        }
    }
    // The pipe alone: the first line that cannot be printed ends the probe.
    let way = ["probe", "AT", "-p", "gne", "--connect", "-n", "1000", "-W", "60s", "-i", "20ms"];
    unless_late(LEAVING, 0..5, |_| {
        let server = Server::start(KIND);
        let mut child = netkit(&args(&way, &server.at.to_string())).spawn().expect("netkit");
        let mut first = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("stdout"));
        out.read_line(&mut first).expect("a line");
        assert!(first.contains("gne"), "{first}");
        accepted(&server);
        drop(out);
        let status = common::ended(&mut child);
        assert_eq!(status.code(), Some(0), "a closed pipe is success");
        left(server, "| head -1")
    });
}
