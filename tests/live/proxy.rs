//! Real peers through a proxy.

use super::server::{Server, script};
#[cfg(unix)]
use crate::common;
#[cfg(unix)]
use crate::common::terminal;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

struct Proxy {
    child: Child,
    errors: BufReader<ChildStderr>,
    out: std::thread::JoinHandle<String>,
    at: String,
}

impl Proxy {
    #[allow(clippy::zombie_processes, reason = "it is waited for by Proxy::end")]
    fn start(target: &str, args: &[&str]) -> Proxy {
        let mut child = Command::new(env!("CARGO_BIN_EXE_netkit"))
            .args(["proxy", "127.0.0.1:0", target, "-f", "ndjson"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("netkit runs");
        let mut errors = BufReader::new(child.stderr.take().expect("stderr"));
        let mut stdout = child.stdout.take().expect("stdout");
        // A full pipe would block it.
        let out = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).expect("text");
            text
        });
        loop {
            let mut line = String::new();
            assert!(errors.read_line(&mut line).expect("a line") > 0, "it has ended");
            if let Some(at) = line.split(' ').skip_while(|word| *word != "relaying").find(|word| word.contains(':')) {
                return Proxy { at: at.into(), child, errors, out };
            }
        }
    }

    /// Ctrl-C: returns the lines, and the text on stderr.
    fn end(mut self) -> (Vec<Value>, String) {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill").success());
        let mut reported = String::new();
        self.errors.read_to_string(&mut reported).expect("text");
        assert_eq!(self.child.wait().expect("its end").code(), Some(0), "{reported}");
        let out = self.out.join().expect("its output");
        println!("{reported}");
        (out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect(), reported)
    }
}

/// The number of lines with this message, sender and outcome.
fn count(lines: &[Value], message: &str, from: &str, outcome: &str) -> usize {
    lines
        .iter()
        .filter(|l| l["message"] == message && l["from"] == from && (outcome.is_empty() || l["outcome"] == outcome))
        .count()
}

fn riptide_client(proxy: &Proxy, transport: &str) -> String {
    let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
    let port = proxy.at.rsplit(':').next().expect("a port");
    let done = Command::new(python).arg("-u").arg(script("riptide_client.py")).args([transport, port]).output();
    String::from_utf8_lossy(&done.expect("the client runs").stdout).into_owned()
}

/// A whole session with 10 % loss each way and a delay: every reliable message arrives nevertheless.
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_through_loss() {
    let server = Server::riptide("udp", "open");
    let args = ["-p", "riptide", "--delay", "20ms", "--jitter", "5ms", "--loss", "10%", "--seed", "5"];
    let proxy = Proxy::start(&server.target(), &args);
    let printed = riptide_client(&proxy, "udp");
    let (lines, reported) = proxy.end();
    assert!(printed.contains("CONNECTED"), "{printed} {reported}");
    assert!(count(&lines, "reliable", "client", "passed") >= 1, "{reported}");
    assert!(count(&lines, "ack", "server", "passed") >= 1, "{reported}");
    let lost = lines.iter().filter(|line| line["outcome"] == "lost").count();
    assert!(lost > 0, "{reported}");
    // The counts at the end equal those of the lines.
    let counted: usize = reported
        .lines()
        .filter_map(|line| line.split(", ").find_map(|part| part.strip_suffix(" lost")?.parse::<usize>().ok()))
        .sum();
    assert_eq!(counted, lost, "{reported}");
}

/// pinus over TCP and WebSocket, delayed: the probe has the same result, only later.
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_through_a_delay() {
    let server = Server::nano("dict");
    for scheme in ["", "ws://"] {
        let proxy = Proxy::start(&server.target(), &["-p", "nano", "--transport", "tcp", "--delay", "30ms"]);
        let path = if scheme.is_empty() { "" } else { "/" };
        let output = Command::new(env!("CARGO_BIN_EXE_netkit"))
            .args([
                "probe",
                &format!("{scheme}{}{path}", proxy.at),
                "-p",
                "nano",
                "-n",
                "3",
                "--interval=0.05",
                "-f",
                "json",
            ])
            .output()
            .expect("netkit runs");
        let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let (lines, reported) = proxy.end();
        assert_eq!(all[0]["outcome"], "ok", "{} {reported}", all[0]);
        assert!(count(&lines, "handshake", "server", "passed") >= 1, "{reported}");
        let delayed = |line: &Value| line["delayed_ms"].as_f64().is_some_and(|ms| ms >= 30.0);
        let mut messages = lines.iter().filter(|line| line.get("message").is_some());
        assert!(messages.all(delayed), "{lines:?}");
    }
}

/// A file of this process, removed at the end of its test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str) -> Temporary {
        Temporary(std::env::temp_dir().join(format!("netkit-live-proxy-{}-{name}", std::process::id())))
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }

    /// The lines of a log.
    fn lines(&self) -> Vec<String> {
        std::fs::read_to_string(&self.0).expect("a log").lines().map(str::to_string).collect()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs a client that sends `count` messages; returns the messages it received.
fn riptide_echoes(proxy: &Proxy, transport: &str, count: usize) -> Vec<String> {
    let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
    let port = proxy.at.rsplit(':').next().expect("a port");
    let count = count.to_string();
    let mut client = Command::new(python);
    let done = client.arg("-u").arg(script("riptide_client.py")).args([transport, port, &count]).output();
    let printed = String::from_utf8_lossy(&done.expect("the client runs").stdout).into_owned();
    assert!(printed.contains("CONNECTED"), "{printed}");
    printed.lines().filter_map(|line| Some(line.strip_prefix("ECHO ")?.to_string())).collect()
}

fn hellos(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("hello {n}")).collect()
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

fn netkit(args: &[&str]) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_netkit")).args(args).output().expect("netkit runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{args:?}: {output:?}"))
}

/// 10 % loss each way and 60 ms: the session goes on, and the proxy's count of losses equals the messages that
/// `stats --delivery` misses on the leg after it.
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_loses_what_its_legs_say() {
    let (log, pcap) = (Temporary::new("loss.log"), Temporary::new("loss.pcapng"));
    let server = Server::riptide_echo("udp", &log.0);
    let args = ["-p", "riptide", "--delay", "60ms", "--loss", "10%", "--seed", "8", "--pcap", pcap.path(), "--force"];
    let proxy = Proxy::start(&server.target(), &args);
    let (at, target) = (proxy.at.clone(), server.target());
    let got = riptide_echoes(&proxy, "udp", 60);
    let (lines, reported) = proxy.end();
    // pytide never resends lost messages (the event that should compares a delay with a time), and takes some messages
    // after a loss for copies: so not all reach the application.
    assert!(got.len() >= 10, "{got:?} {reported}");
    assert!(log.lines().iter().all(|line| line.starts_with("1 hello ")), "{reported}");
    let stats = netkit(&["stats", "--delivery", "--leg", "both", "-q", "-p", "riptide", "-f", "json", pcap.path()]);
    let connections = stats["connections"].as_array().expect("connections");
    let flow = |end: &str| {
        let found = connections.iter().find(|connection| connection["server"] == end);
        found.unwrap_or_else(|| panic!("{end}: {stats}"))["flow"].clone()
    };
    let legs = [flow(&at), flow(&target)];
    let rows = stats["delivery"].as_array().expect("delivery");
    for (from, way) in [("client", "up  "), ("server", "down")] {
        let copies = |leg: &Value| {
            let own = rows.iter().filter(|row| row["flow"] == *leg && row["from"] == from);
            own.map(|row| row["sent"].as_u64().expect("a count")).sum::<u64>() as usize
        };
        // The client's leg has the client's messages; the server's has those that passed. In the other direction it is
        // the reverse.
        let [mut before, mut following] = [copies(&legs[0]), copies(&legs[1])];
        if from == "server" {
            (before, following) = (following, before);
        }
        let numbered = lines.iter().filter(|line| line["from"] == from && line["outcome"] == "lost");
        let numbered = numbered.filter(|line| line["message"] == "reliable" || line["message"] == "welcome").count();
        assert_eq!(before - following, numbered, "{way} {reported}");
        let line = reported.lines().find(|line| line.starts_with(&format!("netkit: {way}"))).expect("counts");
        let lost = lines.iter().filter(|line| line["from"] == from && line["outcome"] == "lost").count();
        assert!(lost > 0 && line.contains(&format!("{lost} lost")), "{line}");
        // The proxy counts resends and duplicates as the legs show them.
        let again = rows.iter().filter(|row| row["flow"] == legs[usize::from(from == "server")] && row["from"] == from);
        let again: u64 =
            again.map(|row| row["resent"].as_u64().unwrap_or(0) + row["duplicates"].as_u64().unwrap_or(0)).sum();
        let messages = |line: &&str| line.starts_with(&format!("netkit: {way}")) && line.contains(" message");
        let line = reported.lines().find(messages).expect("counts of messages");
        assert_eq!(line.contains("resent"), again > 0, "{line}");
        assert!(again == 0 || line.ends_with(&format!(", {again} resent")), "{again}: {line}");
    }
}

/// An edited field arrives changed, and everything else unchanged, by the server's log.
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_hears_the_edited() {
    for transport in ["udp", "tcp"] {
        let log = Temporary::new(&format!("edit-{transport}.log"));
        let server = Server::riptide_echo(transport, &log.0);
        let text = "something longer than before";
        let rule = format!(
            "message == reliable and from == client: after 3 once payload={:02x}{}",
            text.len(),
            hex::encode(text)
        );
        let proxy = Proxy::start(&server.target(), &["-p", "riptide", "--transport", transport, "--on", &rule]);
        let got = riptide_echoes(&proxy, transport, 8);
        let (lines, reported) = proxy.end();
        let mut want = hellos(8);
        want[3] = text.into();
        assert_eq!(sorted(got), sorted(want.clone()), "{transport} {reported}");
        let log = log.lines();
        let wanted: Vec<String> = want.iter().map(|text| format!("1 {text}")).collect();
        assert_eq!(sorted(log), sorted(wanted), "{transport}");
        assert_eq!(lines.iter().filter(|line| !line["edited"].is_null()).count(), 1, "{transport}");
    }
}

/// A dropped, a delayed, a duplicated and an edited message, by the server's log. pytide handles a copy once, and may
/// resend what was dropped.
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_hears_what_each_rule_leaves() {
    let log = Temporary::new("rules.log");
    let server = Server::riptide_echo("udp", &log.0);
    let message = |number: usize, action: &str| {
        format!("message == reliable and from == client and payload == \"{}\": {action}", {
            let text = format!("hello {number}");
            format!("{:02x}{}", text.len(), hex::encode(text))
        })
    };
    let edit = format!("payload=07{}", hex::encode("changed"));
    let rules = [message(1, "drop"), message(2, "delay 400ms"), message(3, "duplicate"), message(4, &edit)];
    let on: Vec<&str> = rules.iter().flat_map(|rule| ["--on", rule]).collect();
    let proxy = Proxy::start(&server.target(), &[&["-p", "riptide", "--transport", "udp"], &on[..]].concat());
    let got = riptide_echoes(&proxy, "udp", 8);
    let (lines, reported) = proxy.end();
    let mut want = hellos(8);
    want[4] = "changed".into();
    want.remove(1);
    assert_eq!(sorted(got), sorted(want.clone()), "{reported}");
    let log = log.lines();
    assert_eq!(sorted(log.clone()), sorted(want.iter().map(|text| format!("1 {text}")).collect()), "{reported}");
    // The delayed one was overtaken by what was sent up to 400 ms later.
    let place = |text: &str| log.iter().position(|line| line == text);
    assert!(place("1 hello 2") > place("1 hello 3"), "{log:?}");
    let copies: u64 = lines.iter().filter_map(|line| line["copies"].as_u64()).sum();
    assert!(count(&lines, "reliable", "client", "dropped") >= 1 && copies == 1, "{reported}");
    assert_eq!(reported.matches(" applied").count(), rules.len(), "{reported}");
}

/// A package of nano.
fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], &(body.len() as u32).to_be_bytes()[1..], body].concat()
}

/// A request to the echoing server.
fn request(id: u8, body: &str) -> Vec<u8> {
    let route = b"connector.entryHandler.echo";
    package(4, &[&[0, id, route.len() as u8], &route[..], body.as_bytes()].concat())
}

/// Reads the next package, from a WebSocket frame or from the stream itself.
fn next(stream: &mut TcpStream, websocket: bool) -> (u8, Vec<u8>) {
    let mut take = |count: usize| {
        let mut bytes = vec![0; count];
        stream.read_exact(&mut bytes).expect("bytes");
        bytes
    };
    if websocket {
        let head = take(2);
        assert!(head[0] & 0xc0 == 0x80, "one frame, uncompressed: {head:?}");
        if head[1] == 126 {
            take(2);
        }
    }
    let head = take(4);
    let length = u32::from_be_bytes([0, head[1], head[2], head[3]]) as usize;
    (head[0], take(length))
}

/// pinus returns what its application received: one request with a changed field, the others unchanged.
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_hears_the_edited() {
    for websocket in [false, true] {
        let server = Server::nano("echo");
        let changed = r#"{"hp":1,"name":"changed, and longer"}"#;
        let rule = format!("message == request: after 1 once payload={}", hex::encode(changed));
        let proxy = Proxy::start(&server.target(), &["-p", "nano", "--transport", "tcp", "--on", &rule]);
        let mut stream = TcpStream::connect(&proxy.at).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        if websocket {
            let head = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
            stream.write_all(head.as_bytes()).expect("sent");
            let answer = common::read_head(&mut stream);
            assert!(answer.starts_with(b"HTTP/1.1 101"), "{}", String::from_utf8_lossy(&answer));
        }
        let say = |stream: &mut TcpStream, bytes: &[u8]| {
            let key = [7, 1, 9, 3];
            let masked: Vec<u8> = bytes.iter().zip(key.iter().cycle()).map(|(b, k)| b ^ k).collect();
            assert!(bytes.len() < 126);
            let frame = [&[0x82, 0x80 | bytes.len() as u8][..], &key, &masked].concat();
            stream.write_all(if websocket { &frame } else { bytes }).expect("sent");
        };
        say(&mut stream, &package(1, br#"{"sys":{"type":"t","version":"1"}}"#));
        assert_eq!(next(&mut stream, websocket).0, 1);
        say(&mut stream, &package(2, b""));
        let bodies = [r#"{"hp":100,"name":"a"}"#, r#"{"hp":100,"name":"b"}"#, r#"{"hp":100,"name":"c"}"#];
        let mut received = Vec::new();
        for (id, body) in (1..).zip(bodies) {
            say(&mut stream, &request(id, body));
            let (_, answer) = loop {
                let package = next(&mut stream, websocket);
                if package.0 == 4 {
                    break package;
                }
            };
            let begin = answer.iter().position(|b| *b == b'{').expect("JSON");
            let answer: Value = serde_json::from_slice(&answer[begin..]).expect("JSON");
            received.push(answer["echo"].clone());
        }
        drop(stream);
        let (lines, reported) = proxy.end();
        let want: Vec<Value> =
            [bodies[0], changed, bodies[2]].map(|text| serde_json::from_str(text).expect("JSON")).into();
        assert_eq!(received, want, "websocket: {websocket} {reported}");
        assert_eq!(lines.iter().filter(|line| !line["edited"].is_null()).count(), 1, "{reported}");
    }
}

/// A dropped, a duplicated, a delayed and an edited request, by the log of pinus: a stream stays in order.
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_hears_what_each_rule_leaves() {
    let log = Temporary::new("nano-rules.log");
    let server = Server::nano_echo(&log.0);
    let rules = [
        "payload.hp == 1: drop",
        "payload.hp == 2: duplicate",
        "payload.hp == 3: delay 300ms",
        "payload.hp == 4: payload.hp=40",
    ];
    let on: Vec<&str> = rules.iter().flat_map(|rule| ["--on", rule]).collect();
    let proxy = Proxy::start(&server.target(), &[&["-p", "nano", "--transport", "tcp"], &on[..]].concat());
    let mut stream = TcpStream::connect(&proxy.at).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
    stream.write_all(&package(1, br#"{"sys":{"type":"t","version":"1"}}"#)).expect("sent");
    assert_eq!(next(&mut stream, false).0, 1);
    stream.write_all(&package(2, b"")).expect("sent");
    for hp in 1..=5 {
        stream.write_all(&request(hp, &format!(r#"{{"hp":{hp}}}"#))).expect("sent");
    }
    let mut answers = 0;
    while answers < 5 {
        answers += usize::from(next(&mut stream, false).0 == 4);
    }
    drop(stream);
    let (lines, reported) = proxy.end();
    let want = [2, 2, 3, 40, 5].map(|hp| format!(r#"{{"hp":{hp}}}"#));
    assert_eq!(log.lines(), want, "{reported}");
    assert_eq!(count(&lines, "request", "client", "dropped"), 1, "{reported}");
    let late = lines.iter().filter(|line| line["delayed_ms"].as_f64() >= Some(300.0)).count();
    assert!(late > 0 && reported.matches(": 1 message matched, applied to 1").count() == 4, "{reported}");
}

/// A request of pinus is held and edited on the screen: its server logs the edited value, and the client receives it.
#[cfg(unix)]
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_hears_what_the_screen_edits() {
    let log = Temporary::new("screen.log");
    let server = Server::nano_echo(&log.0);
    let mut screen = terminal::Terminal::new(120, 30);
    let args = ["-p", "nano", "--transport", "tcp", "--hold", "payload.hp == 2"];
    let (child, at) = screen.proxy(&server.target(), &args);
    let mut stream = TcpStream::connect(at).expect("a connection");
    stream.set_read_timeout(Some(common::HANG)).expect("set");
    stream.write_all(&package(1, br#"{"sys":{"type":"t","version":"1"}}"#)).expect("sent");
    assert_eq!(next(&mut stream, false).0, 1);
    stream.write_all(&package(2, b"")).expect("sent");
    for (id, hp) in [(1, 1), (2, 2), (3, 3)] {
        stream.write_all(&request(id, &format!(r#"{{"hp":{hp},"name":"ann"}}"#))).expect("sent");
    }
    screen.shows("1 held (H)");
    screen.keys("H");
    screen.shows("[held]");
    screen.shows("▶ Messages");
    screen.keys("E\x15payload.hp=200, payload.name=\"Ann B\"\r");
    screen.shows("press a to pass it with these changes");
    screen.keys("a");
    let mut got = Vec::new();
    while got.len() < 3 {
        let (kind, body) = next(&mut stream, false);
        if kind == 4 {
            let begin = body.iter().position(|byte| *byte == b'{').expect("JSON");
            let answer: Value = serde_json::from_slice(&body[begin..]).expect("JSON");
            got.push(answer["echo"].clone());
        }
    }
    let want = [r#"{"hp":1,"name":"ann"}"#, r#"{"hp":200,"name":"Ann B"}"#, r#"{"hp":3,"name":"ann"}"#];
    let values: Vec<Value> = want.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
    assert_eq!(got, values);
    assert_eq!(log.lines(), want);
    screen.shows("[edited]");
    screen.keys("q");
    assert_eq!(screen.ended(child), Some(0));
}

/// A session of pytide on the screen. (Of more messages without a delay pytide reports a poor connection.)
#[cfg(unix)]
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_on_the_screen() {
    let log = Temporary::new("view.log");
    let server = Server::riptide_echo("udp", &log.0);
    let mut screen = terminal::Terminal::new(120, 30);
    let (child, at) = screen.proxy(&server.target(), &["-p", "riptide"]);
    let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
    let port = at.rsplit(':').next().expect("a port");
    let script = script("riptide_client.py");
    let mut client = Command::new(python)
        .arg("-u")
        .arg(script)
        .args(["udp", port, "8"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the client runs");
    screen.shows("reliable");
    screen.keys("Fmessage == reliable and from == client\r");
    screen.shows("only message == reliable and from == client");
    screen.keys("c");
    screen.shows("Conversations");
    screen.keys("q");
    let mut got = String::new();
    client.stdout.take().expect("its output").read_to_string(&mut got).expect("text");
    assert!(client.wait().expect("its end").success());
    assert_eq!(got.matches("ECHO hello").count(), 8, "{got}");
    assert_eq!(sorted(log.lines()), sorted(hellos(8).iter().map(|text| format!("1 {text}")).collect()));
    // All messages of the client, by the server's log, and the last one selected.
    screen.shows("8/8");
    screen.keys("\\G");
    screen.keys("d");
    screen.shows("Sequence of conversation 1");
    screen.shows("disconnect");
    screen.keys("qq");
    assert_eq!(screen.ended(child), Some(0));
}

/// A thousand sessions at once through the proxy: each is played to its end, and no client stays at the server.
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn a_thousand_clients() {
    let server = Server::nano("echo");
    let proxy = Proxy::start(&server.target(), &["-p", "nano", "--transport", "tcp"]);
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/real/pinus-tcp-plain.pcap");
    // Slow enough that all have connected before the first one leaves.
    let args = ["--flow", "1", "--clients", "1000", "--ramp", "250/s", "--speed", "0.02", "-f", "ndjson", "-q"];
    let mut replay = Command::new(env!("CARGO_BIN_EXE_netkit"));
    let done = replay.arg("replay").arg(file).args(["--to", &proxy.at]).args(args).output().expect("netkit runs");
    let (_, reported) = proxy.end();
    let text = String::from_utf8_lossy(&done.stdout);
    let all: Value = serde_json::from_str(text.lines().last().expect("a report")).expect("JSON");
    assert_eq!((&all["connected"], &all["finished"]), (&1000.into(), &1000.into()), "{all} {reported}");
    assert_eq!(all["most_at_once"], 1000, "{all}");
    assert!(reported.contains("netkit: 1000 clients\n"), "{reported}");
    server.is_left();
}
