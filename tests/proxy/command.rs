//! The command: options, output, capture, status.
#![cfg(unix)]

use crate::common::late::{ensure, unless_late};
use crate::common::{HANG, Receive, fixture, program, signal};
use netkit::capture::{Body, Capture, Decoded, Input, Packets};
use netkit::encode::json;
use netkit::live::replay::LINGER;
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub const GUARD: Duration = HANG;

pub struct Proxy {
    pub child: Child,
    pub at: String,
    errors: BufReader<std::process::ChildStderr>,
    before: String,
}

pub fn command(args: &[&str]) -> Command {
    let mut command = program();
    command.arg("proxy").args(args).current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")));
    command
}

impl Proxy {
    pub fn start(target: &UdpSocket, args: &[&str]) -> Proxy {
        Proxy::to(&target.local_addr().unwrap().to_string(), args)
    }

    pub fn to(target: &str, args: &[&str]) -> Proxy {
        Proxy::spawn(command(&[&["127.0.0.1:0", target], args].concat()))
    }

    #[allow(clippy::zombie_processes, reason = "it is waited for by Proxy::end")]
    pub fn spawn(mut command: Command) -> Proxy {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap());
        let mut before = String::new();
        loop {
            let mut line = String::new();
            assert!(errors.read_line(&mut line).unwrap() > 0, "it has ended: {before}");
            if let Some(at) = line.split(' ').skip_while(|word| *word != "relaying").find(|word| word.contains(':')) {
                return Proxy { child, at: at.into(), errors, before };
            }
            before += &line;
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it has reported this, from the last line read on. Returns the line.
    pub fn reports(&mut self, what: &str) -> String {
        loop {
            let mut line = String::new();
            assert!(self.errors.read_line(&mut line).unwrap() > 0, "it has ended without {what:?}: {}", self.before);
            self.before += &line;
            if line.contains(what) {
                return line;
            }
        }
    }

    /// Ctrl-C: returns its stdout and its stderr.
    pub fn end(mut self) -> (String, String) {
        let (mut out, stdout) = (String::new(), self.child.stdout.take());
        let (status, reported) = self.interrupted(|| {
            stdout.unwrap().read_to_string(&mut out).unwrap();
        });
        assert_eq!(status, Some(0), "{reported}");
        (out, reported)
    }

    /// Ctrl-C, then `then`: returns the exit status, and all of stderr.
    pub fn interrupted(mut self, then: impl FnOnce()) -> (Option<i32>, String) {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap().success());
        then();
        let mut reported = self.before;
        self.errors.read_to_string(&mut reported).unwrap();
        (self.child.wait().unwrap().code(), reported)
    }
}

/// The payloads of all datagrams of a capture, with their senders.
fn payloads(path: &std::path::Path) -> Vec<(SocketAddr, Vec<u8>)> {
    let file = std::fs::File::open(path).unwrap();
    let Ok(capture) = Capture::new(Input::new(Box::new(file)).unwrap()) else { return Vec::new() };
    let (mut packets, mut list) = (Packets::new(capture), Vec::new());
    while let Ok(Some(item)) = packets.next() {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Udp { payload, .. } = packet.body
        {
            list.push((packet.src, payload.to_vec()));
        }
    }
    list
}

pub fn sockets() -> [UdpSocket; 2] {
    [0, 1].map(|_| {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(GUARD)).unwrap();
        socket
    })
}

/// The lines of the output, but for those of [`reports`].
pub fn lines(text: &str) -> Vec<Value> {
    objects(text, false)
}

/// The lines at the end of the output, about how connections ended.
pub fn reports(text: &str) -> Vec<Value> {
    objects(text, true)
}

fn objects(text: &str, reports: bool) -> Vec<Value> {
    let all = text.lines().map(|line| json(line.as_bytes()).unwrap());
    all.filter(|line| matches!(line["report"].as_str(), Some("end" | "ends")) == reports).collect()
}

/// Asks for the status until this many packets have arrived in a direction, and none of them waits. Returns how many of
/// them were sent.
fn sent_of(proxy: &mut Proxy, direction: &str, count: usize) -> usize {
    let begin = Instant::now();
    loop {
        signal(&proxy.child, "-USR1");
        let first = proxy.reports("status after");
        // `netkit: up   100 packets arrived, 60 sent, 40 lost; now 50.0 packets/s (..) in, ..`
        let line = proxy.reports(&format!("netkit: {direction} "));
        let counts = line.split(';').next().unwrap_or_default();
        let of = |what: &str| -> usize {
            let part = counts.split(", ").find(|part| part.ends_with(what)).unwrap_or_else(|| panic!("{line}"));
            part.split_whitespace().find_map(|word| word.parse().ok()).unwrap_or_else(|| panic!("{line}"))
        };
        if of(" arrived") == count && first.contains("queued: 0 datagrams (") {
            return of(" sent");
        }
        assert!(begin.elapsed() < GUARD, "{first}{line}");
    }
}

/// Checks that nothing more has arrived at a socket.
fn nothing_more(socket: &UdpSocket) {
    socket.set_nonblocking(true).unwrap();
    let more = socket.receive(&mut [0; 64]);
    assert!(more.is_err(), "one more arrives: {more:?}");
}

/// A flipped bit and an outage are in the output and in the counts.
#[test]
fn corruption_and_outages_are_counted() {
    let [server, client] = sockets();
    let options = ["-p", "dnp", "-f", "ndjson", "--up", "--corrupt", "100%", "--down", "--outage", "59s/1m"];
    let mut proxy = Proxy::start(&server, &options);
    client.connect(&proxy.at).unwrap();
    client.send(&MESSAGE).unwrap();
    let mut buffer = [0; 8];
    let (length, at) = server.receive_from(&mut buffer).unwrap();
    let flipped: u32 = buffer.iter().zip(MESSAGE).take(length).map(|(a, b)| (a ^ b).count_ones()).sum();
    assert_eq!((length, flipped), (4, 1));
    // The last 59 s of each minute are an outage. The first second of it may not be over yet.
    std::thread::sleep(Duration::from_millis(1100));
    server.send_to(&MESSAGE, at).unwrap();
    assert_eq!(sent_of(&mut proxy, "down", 1), 0, "lost in the outage");
    let (out, reported) = proxy.end();
    nothing_more(&client);
    let lines = lines(&out);
    assert_eq!((&lines[0]["outcome"], &lines[0]["corrupted"]), (&"passed".into(), &true.into()), "{out}");
    assert_eq!(lines[1]["outcome"], "outage", "{out}");
    assert!(reported.contains("up   1 packet arrived, 1 sent, 1 with a bit flipped\n"), "{reported}");
    assert!(reported.contains("down 1 packet arrived, 0 sent, 1 lost in an outage\n"), "{reported}");
}

/// SIGUSR1 and `--status` print clients, the queue, rates and losses, and the relay goes on.
#[test]
fn the_status_is_printed_on_request() {
    let [server, client] = sockets();
    let options = ["-p", "dnp", "-f", "none", "--on", "data[0] == 1: delay 60s", "--on", "data[0] == 170: drop"];
    let mut proxy = Proxy::start(&server, &options);
    client.connect(&proxy.at).unwrap();
    for bytes in [&MESSAGE[..], &[3, 0xaa], &MESSAGE] {
        client.send(bytes).unwrap();
    }
    // Until all of them have arrived.
    let (first, up) = loop {
        signal(&proxy.child, "-USR1");
        let [first, up, _] = ["status after", "netkit: up ", "netkit: down "].map(|what| proxy.reports(what));
        if up.contains(" 3 packets arrived") {
            break (first, up);
        }
    };
    assert!(first.contains(" s: 1 UDP client and 0 streams; queued: 2 datagrams ("), "{first}");
    assert!(up.starts_with("netkit: up   3 packets arrived, 0 sent, 1 dropped; now "), "{up}");
    // It relays as before.
    client.send(&[3, 7]).unwrap();
    let mut buffer = [0; 8];
    assert_eq!((server.receive(&mut buffer).unwrap(), &buffer[..2]), (2, &[3, 7][..]));
    let (_, reported) = proxy.end();
    assert!(reported.contains("netkit: up   4 packets arrived, 1 sent, 1 dropped\n"), "{reported}");
    assert!(reported.contains("netkit: 2 datagrams and 0 bytes of streams were still to be sent\n"), "{reported}");
    let mut proxy = Proxy::start(&server, &["-f", "none", "--status", "100ms"]);
    for _ in 0..2 {
        proxy.reports("status after");
    }
    proxy.end();
}

/// A DNP unreliable message.
const MESSAGE: [u8; 4] = [3, 1, 2, 3];

#[test]
fn messages_are_dropped_doubled_and_edited() {
    let [server, client] = sockets();
    let rules = [
        "-p",
        "dnp",
        "-f",
        "ndjson",
        "--on",
        "data[0..3] == \"010203\": after 1 once data=ff00",
        "--on",
        "data[0] == 170: drop",
        "--on",
        "data == bb: duplicate",
    ];
    let proxy = Proxy::start(&server, &rules);
    client.connect(&proxy.at).unwrap();
    for bytes in [&MESSAGE[..], &MESSAGE, &MESSAGE, &[3, 0xaa], &[3, 0xbb], &[3, 0xcc]] {
        client.send(bytes).unwrap();
    }
    let mut buffer = [0; 64];
    let mut arrived = Vec::new();
    while arrived.last() != Some(&vec![3, 0xcc]) {
        let length = server.receive(&mut buffer).unwrap();
        arrived.push(buffer[..length].to_vec());
    }
    let want: [&[u8]; 6] = [&MESSAGE, &[3, 0xff, 0], &MESSAGE, &[3, 0xbb], &[3, 0xbb], &[3, 0xcc]];
    assert_eq!(arrived, want);
    let (out, reported) = proxy.end();
    let lines = lines(&out);
    let outcomes: Vec<&Value> = lines.iter().map(|line| &line["outcome"]).collect();
    assert_eq!(outcomes, ["passed", "passed", "passed", "dropped", "passed", "passed"], "{out}");
    assert_eq!(
        (&lines[1]["edited"][0], &lines[4]["copies"], &lines[0]["edited"]),
        (&"data".into(), &1.into(), &Value::Null)
    );
    assert_eq!((&lines[0]["message"], &lines[0]["delayed_ms"]), (&"unreliable_message".into(), &Value::Null));
    assert!(reported.contains("up   6 packets arrived, 6 sent, 1 dropped, 1 edited, 1 duplicated\n"), "{reported}");
    assert!(reported.contains("up   6 messages arrived, 1 dropped, 1 edited, 1 duplicated\n"), "{reported}");
}

#[test]
fn both_legs_are_recorded() {
    let pcap = std::env::temp_dir().join(format!("netkit-proxy-{}.pcapng", std::process::id()));
    let pcap = pcap.to_str().unwrap();
    let [server, client] = sockets();
    let mut proxy = Proxy::start(
        &server,
        &["-p", "dnp", "-f", "none", "--pcap", pcap, "--force", "--up", "--loss", "40%", "--seed", "3"],
    );
    client.connect(&proxy.at).unwrap();
    for n in 0..100u8 {
        client.send(&[3, n]).unwrap();
    }
    let arrived = sent_of(&mut proxy, "up", 100);
    for _ in 0..arrived {
        server.receive(&mut [0; 64]).unwrap();
    }
    let (out, reported) = proxy.end();
    nothing_more(&server);
    assert_eq!(out, "");
    assert!(
        reported.contains(&format!("up   100 packets arrived, {arrived} sent, {} lost\n", 100 - arrived)),
        "{reported}"
    );
    let decoded = Command::new(env!("CARGO_BIN_EXE_netkit"))
        .args(["decode", pcap, "-q", "-p", "dnp", "-f", "ndjson"])
        .output()
        .unwrap();
    let lines = lines(&String::from_utf8_lossy(&decoded.stdout));
    let bytes = std::fs::read(pcap).unwrap();
    std::fs::remove_file(pcap).unwrap();
    assert_eq!(lines.len(), 100 + arrived, "both legs");
    let mut flows: Vec<u64> = lines.iter().map(|line| line["flow"].as_u64().unwrap()).collect();
    flows.sort_unstable();
    flows.dedup();
    assert_eq!(flows.len(), 2);
    // The comment's option: code 1, four bytes of text.
    let comments = bytes.windows(8).filter(|bytes| bytes == b"\x01\0\x04\0lost").count();
    assert_eq!(comments, 100 - arrived);
    assert!([&b"client side"[..], b"server side"].iter().all(|name| bytes.windows(11).any(|bytes| bytes == *name)));
}

/// `--up` and `--down` hold for the impairments that follow them.
#[test]
fn directions_hold_for_what_follows() {
    let [server, client] = sockets();
    let mut proxy = Proxy::start(&server, &["-f", "none", "--loss", "100%", "--down", "--loss", "0%"]);
    client.connect(&proxy.at).unwrap();
    client.send(b"x").unwrap();
    assert_eq!(sent_of(&mut proxy, "up", 1), 0, "up all is lost");
    let (_, reported) = proxy.end();
    nothing_more(&server);
    assert!(reported.contains("--loss: udp alone is relayed"), "{reported}");
    assert!(reported.contains("up   1 packet arrived, 0 sent, 1 lost\n"), "{reported}");
    let [server, client] = sockets();
    let mut proxy = Proxy::start(&server, &["-f", "none", "--down", "--loss", "100%"]);
    client.connect(&proxy.at).unwrap();
    client.send(b"x").unwrap();
    let (_, from) = server.receive_from(&mut [0; 8]).unwrap();
    server.send_to(b"y", from).unwrap();
    assert_eq!(sent_of(&mut proxy, "down", 1), 0, "down all is lost");
    let (_, reported) = proxy.end();
    nothing_more(&client);
    assert!(reported.contains("down 1 packet arrived, 0 sent, 1 lost\n"), "{reported}");
}

/// The table shows the requested and the actual impairment of each direction.
#[test]
fn asked_and_got() {
    let [server, client] = sockets();
    let options = ["-f", "none", "--up", "--loss", "20%/2", "--delay", "20ms", "--jitter", "5ms", "--rate", "1mbit"];
    let mut proxy = Proxy::start(&server, &options);
    client.connect(&proxy.at).unwrap();
    for n in 0..200u8 {
        client.send(&[n]).unwrap();
    }
    let mut arrived = Vec::new();
    let mut buffer = [0; 8];
    for _ in 0..sent_of(&mut proxy, "up", 200) {
        assert_eq!(server.receive(&mut buffer).unwrap(), 1);
        arrived.push(buffer[0]);
    }
    let (_, reported) = proxy.end();
    nothing_more(&server);
    assert!(arrived.is_sorted(), "in order: {arrived:?}");
    let table: Vec<Vec<&str>> = reported
        .lines()
        .filter_map(|line| line.strip_prefix("netkit: "))
        .skip_while(|line| !line.trim_start().starts_with("loss"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    // 20 ms and 5 ms, and ln 2 and ln 100 times the latter.
    assert_eq!(
        table[1],
        ["up", "asked", "20.00", "%", "2.0", "25.0", "ms", "23.5", "ms", "43.0", "ms", "1.00", "mbit"],
        "{reported}"
    );
    // Bursts of missing numbers, counted here.
    let missing: Vec<bool> = (0..200).map(|n| !arrived.contains(&n)).collect();
    let lost = missing.iter().filter(|lost| **lost).count() as f64;
    let rows = missing.chunk_by(|a, b| a == b).filter(|row| row[0]).count() as f64;
    let [share, run] = [format!("{:.2}", lost / 2.0), format!("{:.1}", lost / rows)];
    assert_eq!(table[2][..5], ["up", "got", &share, "%", &run], "{reported}");
    let at = |n: usize| table[2][n].parse::<f64>().unwrap();
    assert!(at(5) >= 20.0 && at(7) >= 20.0 && at(9) >= at(7), "{reported}");
    assert_eq!(table.len(), 3, "nothing was done to the other direction: {reported}");
}

/// tshark, if it is installed, reads the capture of both legs: interfaces, comments, checksums.
#[test]
fn tshark_reads_both_legs() {
    if Command::new("tshark").arg("-v").output().is_err() {
        eprintln!("SKIPPED: tshark_reads_both_legs: no tshark (Debian: apt-get install tshark)");
        assert!(std::env::var_os("NETKIT_TSHARK").is_none(), "NETKIT_TSHARK asks for it, and it is not there");
        return;
    }
    let pcap = std::env::temp_dir().join(format!("netkit-proxy-tshark-{}.pcap", std::process::id()));
    let pcap = pcap.to_str().unwrap();
    let [server, client] = sockets();
    let on = ["--on", "data == aa: drop", "--on", "data == bb: data=cccc", "--delay", "2ms"];
    let proxy = Proxy::start(&server, &[&["-p", "dnp", "-f", "none", "--pcap", pcap, "--force"], &on[..]].concat());
    client.connect(&proxy.at).unwrap();
    for bytes in [[3, 0xaa], [3, 0xbb], [3, 0xdd]] {
        client.send(&bytes).unwrap();
    }
    let mut buffer = [0; 8];
    let mut from = None;
    while buffer[..2] != [3, 0xdd] {
        from = Some(server.receive_from(&mut buffer).unwrap().1);
    }
    server.send_to(&[3, 0xee], from.unwrap()).unwrap();
    client.receive(&mut buffer).unwrap();
    proxy.end();
    let fields = ["frame.interface_name", "frame.comment", "udp.payload", "udp.checksum.status", "_ws.malformed"];
    let done = Command::new("tshark")
        .args(["-n", "-r", pcap, "-T", "fields", "-o", "udp.check_checksum:TRUE"])
        .args(fields.iter().flat_map(|field| ["-e", field]))
        .output()
        .unwrap();
    let order = Command::new("capinfos").args(["-o", pcap]).output().unwrap();
    let order = String::from_utf8(order.stdout).unwrap();
    std::fs::remove_file(pcap).unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let text = String::from_utf8(done.stdout).unwrap();
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    let of = |side: &str, payload: &str| {
        let mut found = rows.iter().filter(|row| row[0] == side && row[2] == payload);
        let row = found.next().unwrap_or_else(|| panic!("{side} {payload}: {text}"));
        assert!(found.next().is_none() && row[3] == "1" && row[4].is_empty(), "{row:?}");
        row[1].to_string()
    };
    assert_eq!(rows.len(), 7, "{text}");
    assert_eq!(of("client side", "03aa"), "dropped");
    assert!(of("client side", "03bb").contains("edited data") && of("server side", "03cccc").contains("edited data"));
    for (side, payload) in
        [("client side", "03dd"), ("server side", "03dd"), ("server side", "03ee"), ("client side", "03ee")]
    {
        // The client's leg has the intended delay, the server's the actual one.
        let comment = of(side, payload);
        let delay = comment.strip_prefix("delayed ").and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok());
        assert!(delay.is_some_and(|delay| delay >= 2.0), "{text}");
    }
    assert!(order.contains("Strict time order:   True"), "{order}");
}

/// Only acknowledgements are lost: the messages are resent, and none is missing.
#[test]
fn without_its_acks_a_message_is_sent_again() {
    unless_late(LINGER, 0..5, |_| resent_without_acks());
}

/// Returns an error unless both sides were complete.
fn resent_without_acks() -> Result<(), String> {
    let riptide = ["replay", "riptide/riptide22-udp.pcap", "--flow", "2", "--asap", "-W", "60s", "-f", "ndjson"];
    let folder = format!("{}/fixtures", env!("CARGO_MANIFEST_DIR"));
    let replay = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
        command.args(riptide).args(args).current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut server = replay(&["--listen", "127.0.0.1:0"]);
    let mut reported = String::new();
    BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut reported).unwrap();
    let at = reported.trim().rsplit(' ').next().unwrap();
    let rule = "message == ack and from == server and frame < 45: drop 90%";
    let proxy = Proxy::to(at, &["-p", "riptide", "-f", "ndjson", "--on", rule]);
    let client = replay(&["--to", &proxy.at]).wait_with_output().unwrap();
    let server = server.wait_with_output().unwrap();
    let (out, reported) = proxy.end();
    let session = |output: &std::process::Output| lines(&String::from_utf8_lossy(&output.stdout)).pop().unwrap();
    let [client, server] = [session(&client), session(&server)];
    let complete = client["complete"] == true && server["complete"] == true;
    ensure(complete, format!("{client} {server} {out} {reported}"))?;
    assert_eq!(server["received"], server["expected"], "{client} {server}");
    assert!(client["resent"].as_u64() >= Some(1), "{client}");
    assert!(lines(&out).iter().any(|line| line["outcome"] == "dropped" && line["message"] == "ack"), "{reported}");
    Ok(())
}

/// A GNE server names a UDP port in its stream: these datagrams do not pass the proxy, which is reported.
#[test]
fn datagrams_of_a_stream_are_reported() {
    let gne = ["replay", "gne/gne-le-udp-full.pcap", "--flow", "1", "--asap", "-W", "4s"];
    let folder = format!("{}/fixtures", env!("CARGO_MANIFEST_DIR"));
    let replay = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
        command.args(gne).args(args).current_dir(&folder).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut server = replay(&["--listen", "127.0.0.1:0"]);
    let mut reported = String::new();
    BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut reported).unwrap();
    let at = reported.trim().rsplit(' ').next().unwrap();
    let proxy = Proxy::to(at, &["-p", "gne", "--transport", "tcp"]);
    let mut client = replay(&["--to", &proxy.at]);
    client.wait().unwrap();
    server.wait().unwrap();
    let (out, reported) = proxy.end();
    assert!(out.contains("connection_accepted"), "{out}");
    assert!(reported.contains("for datagrams: they are not relayed"), "{reported}");
}

/// If both transports are relayed, the proxy replaces the ports that a GNE server and its client name: the datagrams
/// pass the proxy, and are printed.
#[test]
fn datagrams_of_a_stream_are_followed() {
    unless_late(LINGER, 0..5, |_| followed_datagrams());
}

/// Returns an error unless both sides were complete.
fn followed_datagrams() -> Result<(), String> {
    let gne = ["replay", "gne/gne-le-udp-full.pcap", "--flow", "1", "--asap", "-W", "60s", "-f", "ndjson"];
    let folder = format!("{}/fixtures", env!("CARGO_MANIFEST_DIR"));
    let replay = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
        command.args(gne).args(args).current_dir(&folder).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut server = replay(&["--listen", "127.0.0.1:0"]);
    let mut reported = String::new();
    BufReader::new(server.stderr.as_mut().unwrap()).read_line(&mut reported).unwrap();
    let at = reported.trim().rsplit(' ').next().unwrap();
    let proxy = Proxy::to(at, &["-p", "gne", "-f", "ndjson"]);
    let client = replay(&["--to", &proxy.at]).wait_with_output().unwrap();
    let server = server.wait_with_output().unwrap();
    let (out, reported) = proxy.end();
    let session = |output: &std::process::Output| lines(&String::from_utf8_lossy(&output.stdout)).pop().unwrap();
    let [client, server] = [session(&client), session(&server)];
    let complete = client["complete"] == true && server["complete"] == true;
    ensure(complete, format!("{client} {server} {out} {reported}"))?;
    let lines = lines(&out);
    let datagrams = |from: &str| lines.iter().filter(|l| l["transport"] == "udp" && l["from"] == from).count();
    assert!(datagrams("client") > 0 && datagrams("server") > 0, "{out}");
    let edited: Vec<&Value> = lines.iter().filter(|line| line["edited"][0] == "port").collect();
    assert_eq!(edited.iter().map(|line| &line["message"]).collect::<Vec<_>>(), ["connection_accepted", "client_port"]);
    // The datagrams belong to the same connection as the edited messages.
    let flow = &edited[0]["flow"];
    assert!(lines.iter().filter(|l| l["transport"] == "udp").all(|l| &l["derived"]["tcp_flow"] == flow), "{out}");
    assert!(!reported.contains("not relayed"), "{reported}");
    Ok(())
}

/// The datagrams beside a stream are no client of their own. Their ports are named once: they stay open as long as the
/// stream, however long they are silent. Before the client's first datagram none can be sent to it, which is counted.
#[test]
fn ports_of_a_stream_stay_open() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let [[datagrams, client], [other, _]] = [sockets(), sockets()];
    let options = ["-p", "gne", "-f", "ndjson", "--most-clients", "2", "--idle", "1s"];
    let mut proxy = Proxy::to(&listener.local_addr().unwrap().to_string(), &options);
    let mut stream = TcpStream::connect(&proxy.at).unwrap();
    let mut server = listener.accept().unwrap().0;
    for stream in [&stream, &server] {
        stream.set_read_timeout(Some(GUARD)).unwrap();
    }
    // A request of build 7 for UDP; the acceptance has a rate and the server's port; then the client names its own.
    stream.write_all(&[&b"NL\0\x30GNE\0\0\x07\0"[..], &[0; 40], &[1]].concat()).unwrap();
    server.read_exact(&mut [0; 52]).unwrap();
    let port = |of: &UdpSocket| u32::from(of.local_addr().unwrap().port()).to_le_bytes();
    server.write_all(&[&b"NL\0\x0cGNE\x01\x88\x13\0\0"[..], &port(&datagrams)].concat()).unwrap();
    let (mut accepted, mut named) = ([0; 16], [0; 8]);
    stream.read_exact(&mut accepted).unwrap();
    stream.write_all(&[&b"NL\0\x04"[..], &port(&client)].concat()).unwrap();
    server.read_exact(&mut named).unwrap();
    let at = |low, high| SocketAddr::from(([127, 0, 0, 1], u16::from_le_bytes([low, high])));
    let [to_server, to_client] = [at(accepted[12], accepted[13]), at(named[4], named[5])];
    datagrams.send_to(&[4], to_client).unwrap();
    // There is a place for a second client, whose socket is closed when it has been silent.
    other.send_to(&[7], &proxy.at).unwrap();
    proxy.reports("silent for");
    client.send_to(&[9], to_server).unwrap();
    assert_eq!(datagrams.receive(&mut [0; 8]).unwrap(), 1);
    let (_, reported) = proxy.end();
    assert!(!reported.contains("turned away"), "{reported}");
    let down = reported.lines().find(|line| line.contains("down ")).expect("the counts");
    assert!(down.ends_with(", 1 refused by the system"), "{reported}");
}

/// Datagrams of an unknown protocol are counted until the user names the protocol.
#[test]
fn what_nobody_explains_is_counted() {
    let [server, client] = sockets();
    let proxy = Proxy::start(&server, &[]);
    client.connect(&proxy.at).unwrap();
    for n in 0..5 {
        client.send(&[0x80 | n; 40]).unwrap();
        server.receive(&mut [0; 64]).unwrap();
    }
    let (out, reported) = proxy.end();
    assert_eq!(out, "");
    assert!(reported.contains("5 datagrams of no known protocol: name one with -p"), "{reported}");
}

/// A message that cannot be edited passes unchanged, and the output says why.
#[test]
fn what_does_not_come_back_byte_for_byte_passes_untouched() {
    let [server, client] = sockets();
    let proxy = Proxy::start(&server, &["-p", "dnp", "-f", "ndjson", "--on", "message == reliable_message: number=5"]);
    client.connect(&proxy.at).unwrap();
    // Truncated within its number.
    client.send(&[4, 1]).unwrap();
    let mut buffer = [0; 8];
    assert_eq!((server.receive(&mut buffer).unwrap(), &buffer[..2]), (2, &[4, 1][..]));
    client.send(&[4, 1, 0, 9]).unwrap();
    assert_eq!((server.receive(&mut buffer).unwrap(), &buffer[..4]), (4, &[4, 5, 0, 9][..]));
    let (out, _) = proxy.end();
    let lines = lines(&out);
    assert!(lines[0]["not_edited"].is_string() && lines[0]["edited"].is_null(), "{out}");
    assert_eq!(lines[1]["edited"][0], "number");
}

/// `copy > 1` is any protocol's: a transmission after the first.
#[test]
fn further_transmissions_are_dropped() {
    let [server, client] = sockets();
    let proxy = Proxy::start(&server, &["-p", "dnp", "-f", "ndjson", "--on", "copy > 1: drop"]);
    client.connect(&proxy.at).unwrap();
    // Reliable messages 1, 1 again, 2, 2 again, and what has no number.
    for bytes in [&[4, 1, 0, 0xaa][..], &[4, 1, 0, 0xaa], &[4, 2, 0, 0xbb], &[4, 2, 0, 0xbb], &[3, 0xcc], &[3, 0xcc]] {
        client.send(bytes).unwrap();
    }
    client.send(&[3, 0xdd]).unwrap();
    let (mut buffer, mut arrived) = ([0; 8], Vec::new());
    while arrived.last() != Some(&0xdd) {
        let length = server.receive(&mut buffer).unwrap();
        arrived.push(buffer[length - 1]);
    }
    assert_eq!(arrived, [0xaa, 0xbb, 0xcc, 0xcc, 0xdd]);
    let (_, reported) = proxy.end();
    assert!(reported.contains("2 dropped"), "{reported}");
    // What the clients of captures sent; the libraries resent these.
    let files = ["enet.toml", "raknet.toml"].map(|name| fixture(&format!("protocols/{name}")));
    let [enet, raknet] = files.each_ref().map(|file| file.to_str().unwrap());
    let captures = [("riptide", "riptide/riptide22-lossy.pcap", 78), (enet, "described/enet-loss.pcap", 5)];
    for (proto, capture, resent) in captures.into_iter().chain([(raknet, "described/raknet.pcap", 4)]) {
        let [server, client] = sockets();
        let proxy = Proxy::start(&server, &["-p", proto, "-f", "ndjson", "--on", "copy > 1: drop"]);
        client.connect(&proxy.at).unwrap();
        let payloads = payloads(&fixture(capture));
        let of_client: Vec<_> = payloads.iter().filter(|(sender, _)| *sender == payloads[0].0).collect();
        let (mut arrived, mut buffer, mut last) = (0, [0; 2048], Vec::new());
        let mut receive = |arrived: &mut usize| {
            let length = server.receive(&mut buffer).unwrap();
            last = buffer[..length].to_vec();
            *arrived += 1;
        };
        for (sent, (_, payload)) in of_client.iter().enumerate() {
            client.send(payload).unwrap();
            // Few are under way, so that no buffer overflows.
            while sent - arrived > resent + 50 {
                receive(&mut arrived);
            }
        }
        while arrived < of_client.len() - resent {
            receive(&mut arrived);
        }
        assert_eq!(last, of_client[of_client.len() - 1].1, "{capture}");
        let (_, reported) = proxy.end();
        assert!(reported.contains(&format!(" {resent} dropped")), "{capture}: {reported}");
    }
}

/// The capture of both legs has a limit: reaching it is reported at once, and at the end.
#[test]
fn a_capture_that_is_full() {
    let pcap = std::env::temp_dir().join(format!("netkit-proxy-full-{}.pcapng", std::process::id()));
    let pcap = pcap.to_str().unwrap();
    let [server, client] = sockets();
    let limit = ["-p", "dnp", "-f", "none", "--pcap", pcap, "--force", "--limit", "pcap_bytes=1K"];
    let proxy = Proxy::start(&server, &limit);
    client.connect(&proxy.at).unwrap();
    for n in 0..40u8 {
        client.send(&[3, n]).unwrap();
        // Relaying does not depend on the file.
        assert_eq!(server.receive(&mut [0; 8]).unwrap(), 2);
    }
    let (_, reported) = proxy.end();
    assert!(reported.contains("full (--limit pcap_bytes): the recording ends here"), "{reported}");
    assert!(reported.contains("full (--limit pcap_bytes), missing at its end: "), "{reported}");
    assert_eq!(reported.matches("the recording ends here").count(), 1, "{reported}");
    let size = std::fs::metadata(pcap).unwrap().len();
    assert!((500..=1024 + 200).contains(&size), "{size}");
    let mut decode = Command::new(env!("CARGO_BIN_EXE_netkit"));
    let decoded = decode.args(["decode", pcap, "-p", "dnp", "-q", "-f", "ndjson"]).output().unwrap();
    std::fs::remove_file(pcap).unwrap();
    assert_eq!(decoded.status.code(), Some(0));
    let count = String::from_utf8_lossy(&decoded.stdout).lines().count();
    assert!((4..40).contains(&count), "{count}");
}

/// The queue of delayed datagrams has a limit: further datagrams are lost, and counted.
#[test]
fn a_queue_that_is_full() {
    let [server, client] = sockets();
    let args = ["-f", "none", "--transport", "udp", "--delay", "500ms", "--limit", "proxy_queue=2K"];
    let proxy = Proxy::start(&server, &args);
    client.connect(&proxy.at).unwrap();
    for n in 0..40u8 {
        client.send(&[n; 200]).unwrap();
    }
    let first = server.receive(&mut [0; 256]).unwrap();
    assert_eq!(first, 200);
    let (_, reported) = proxy.end();
    assert!(reported.contains("lost in a full queue"), "{reported}");
}
