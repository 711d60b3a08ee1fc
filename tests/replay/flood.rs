//! Peers that send without end: memory stays below the limits, and the report names the reached limit and the peer.

use crate::common::{Receive, peak_of, side_by_side};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The time for which the peer sends.
const LONG: Duration = Duration::from_millis(2000);
/// The memory of a session besides stored messages: messages in the report are held as values and as text, and so is
/// compared data.
const MOST: usize = 320 << 20;
/// A patience that is no part of the test: the session ends before.
const PATIENT: &str = "20s";
/// A patience by which the session ends: long enough for a peer on a busy machine to send what is tested.
const SOON: &str = "3s";

fn netkit(args: &[&str]) -> Child {
    // A process that needs more than this is stopped, and harms nobody.
    let script = "ulimit -v 4194304; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_netkit")]).args(args);
    command.current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("netkit runs")
}

/// The end of a command: its last line of JSON, all its output, and its peak memory.
fn ended(mut child: Child) -> (Value, String, usize) {
    let (mut stdout, mut stderr) = (child.stdout.take().expect("stdout"), child.stderr.take().expect("stderr"));
    std::thread::scope(|scope| {
        let out = scope.spawn(move || {
            let mut text = Vec::new();
            stdout.read_to_end(&mut text).map(|_| text).unwrap_or_default()
        });
        let err = scope.spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).map(|_| text).unwrap_or_default()
        });
        let begun = Instant::now();
        let mut most = 0;
        let status = loop {
            most = most.max(peak_of(child.id()));
            if let Some(status) = child.try_wait().expect("a status") {
                break status;
            }
            if begun.elapsed() > Duration::from_secs(60) {
                let _ = child.kill();
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let (out, err) = (String::from_utf8_lossy(&out.join().expect("out")).into_owned(), err.join().expect("err"));
        assert!(status.code().is_some_and(|code| code <= 1), "{status}: {err}");
        assert!(most <= MOST, "{} MiB; {err}", most >> 20);
        let last = out.lines().last().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
        (last, format!("{out}{err}"), most)
    })
}

fn replay<'a>(patience: &'a str, capture: &'a str, flow: &'a str, how: &'a str, at: &'a str) -> Vec<&'a str> {
    vec!["replay", capture, "--flow", flow, how, at, "--asap", "-W", patience, "-f", "ndjson"]
}

/// A server on TCP that sends `first` to the first client, and then `again` as long as it can.
fn server(first: Vec<u8>, again: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            flood(stream, &first, &again);
        }
    });
    at
}

fn flood(mut stream: TcpStream, first: &[u8], again: &[u8]) {
    let begun = Instant::now();
    let _ = stream.set_write_timeout(Some(LONG));
    let mut going = stream.write_all(first).is_ok();
    while going && begun.elapsed() < LONG {
        going = stream.write_all(again).is_ok();
    }
}

/// Ends a flood when it is dropped.
struct Over<'a>(&'a AtomicBool);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A message that the capture does not have, repeated.
#[test]
fn datagrams() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let at = socket.local_addr().expect("an address").to_string();
    let args = [replay(SOON, "riptide/riptide22-udp.pcap", "2", "--to", &at), vec!["--limit", "live_kept=1M"]];
    let child = netkit(&args.concat());
    let (_, peer) = socket.receive_from(&mut [0; 2048]).expect("a datagram");
    let over = AtomicBool::new(false);
    let (session, text, _) = std::thread::scope(|scope| {
        // Until the session is over: how soon the limit is reached depends on the machine.
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let _ = socket.send_to(&[0; 1400], peer);
            }
        });
        // Also if the test fails.
        let _over = Over(&over);
        ended(child)
    });
    let uncompared = session["uncompared"].as_u64().expect("a number");
    // The messages beyond the limit count as received.
    assert!(uncompared > 0, "{session}");
    assert!(session["received"].as_u64() > Some(uncompared) && session["diverged"] == true, "{session}");
    assert!(!text.contains("panicked"));
}

/// If the limit allows it, all messages are compared.
#[test]
fn the_limit_is_the_users() {
    side_by_side([("live_kept=20K", true), ("live_kept=1G", false)], |(limit, some)| {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
        let at = socket.local_addr().expect("an address").to_string();
        let args = [replay(SOON, "riptide/riptide22-udp.pcap", "2", "--to", &at), vec!["--limit", limit]].concat();
        let child = netkit(&args);
        let (_, peer) = socket.receive_from(&mut [0; 2048]).expect("a datagram");
        for _ in 0..30 {
            socket.send_to(&[0; 1400], peer).expect("sent");
        }
        let (session, ..) = ended(child);
        assert_eq!(session["uncompared"].as_u64() > Some(0), some, "{limit} {session}");
    });
}

/// An HTTP head that never ends, and packages or frames that are never complete.
#[test]
fn messages_without_end() {
    let frame = vec![0x82, 127, 0, 0, 0, 0, 0, 0xf0, 0, 0];
    for (capture, at) in [
        ("nano/nano-protobuf-tcp.pcap", server(vec![4, 0xff, 0xff, 0xff], vec![0; 1 << 16])),
        ("nano/pomelo-ws.pcap", upgraded("", frame, vec![0; 1 << 16])),
    ] {
        let at = at.to_string();
        let (session, text, _) = ended(netkit(&replay(PATIENT, capture, "1", "--to", &at)));
        let trouble = session["trouble"].as_str().unwrap_or_default();
        assert!(trouble.contains("--limit live_unread") && trouble.contains(&at), "{capture}: {text}");
        assert_eq!(session["complete"], false);
    }
}

/// Endless complete messages: parts of an HTTP head, heartbeats, zeros.
#[test]
fn messages_by_the_million() {
    for (capture, first, again) in [
        ("nano/pomelo-ws.pcap", b"HTTP/1.1 200 OK\r\nX: ".to_vec(), vec![b'x'; 1 << 16]),
        ("nano/nano-protobuf-tcp.pcap", vec![], [3, 0, 0, 0].repeat(1 << 14)),
        ("nano/nano-protobuf-tcp.pcap", vec![], vec![0xff; 1 << 16]),
        ("riptide/riptide20-tcp.pcap", vec![], vec![0; 1 << 16]),
        ("riptide/riptide20-tcp.pcap", vec![], vec![0xff; 1 << 16]),
    ] {
        let at = server(first, again).to_string();
        let (session, text, most) = ended(netkit(&replay("500ms", capture, "1", "--to", &at)));
        assert!(session["report"] == "session" && most > 0 || cfg!(not(target_os = "linux")), "{capture}: {text}");
    }
}

/// One message that inflates to more packages than any server sends.
#[test]
fn packages_by_the_million_at_once() {
    let packages = [3, 0, 0, 0].repeat((1 << 18) - 10);
    let mut press = flate2::Compress::new(flate2::Compression::best(), false);
    let mut packed = Vec::with_capacity(1 << 20);
    press.compress_vec(&packages, &mut packed, flate2::FlushCompress::Sync).expect("packed");
    packed.truncate(packed.len() - 4);
    let mut first = vec![0xc2, 126];
    first.extend((packed.len() as u16).to_be_bytes());
    first.extend(packed);
    let extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
    let at = upgraded(extension, first, vec![0x8a, 0]).to_string();
    let (session, text, _) = ended(netkit(&replay(PATIENT, "nano/pomelo-ws.pcap", "1", "--to", &at)));
    let trouble = session["trouble"].as_str().unwrap_or_default();
    assert!(trouble.contains("--limit live_kept") && trouble.contains(&at), "{text}");
}

/// A server that accepts an upgrade, with further lines in its head, sends `first`, and then `again` as long as it can.
fn upgraded(lines: &'static str, first: Vec<u8>, again: Vec<u8>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let at = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut head = [0; 4096];
        let length = stream.read(&mut head).expect("a request");
        let head = std::str::from_utf8(&head[..length]).expect("text");
        let key = head.lines().find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "));
        let answer = format!(
            "HTTP/1.1 101 OK\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n{lines}\r\n",
            accept(key.expect("a key"))
        );
        flood(stream, &[answer.as_bytes(), &first].concat(), &again);
    });
    at
}

/// A client that sends zeros to the side that waits for it.
#[test]
fn a_client() {
    side_by_side(["riptide/riptide20-tcp.pcap", "nano/nano-protobuf-tcp.pcap"], |capture| {
        let mut child = netkit(&replay(SOON, capture, "1", "--listen", "127.0.0.1:0"));
        let mut reported = String::new();
        let mut stderr = BufReader::new(child.stderr.take().expect("stderr"));
        stderr.read_line(&mut reported).expect("a line");
        let at = reported.trim().rsplit(' ').next().unwrap_or_default();
        let stream = TcpStream::connect(at).expect("a connection");
        flood(stream, &[], &[0; 1 << 16]);
        child.stderr = Some(stderr.into_inner());
        let (session, text, _) = ended(child);
        assert_eq!(session["report"], "session", "{capture}: {text}");
    });
}

/// A probed server may do the same.
#[test]
fn any_server_is_probed() {
    for (proto, transport, again) in [
        ("nano", "tcp", vec![0xff; 1 << 16]),
        ("nano", "tcp", [3, 0, 0, 0].repeat(1 << 14)),
        ("nano", "ws", b"HTTP/1.1 200 OK\r\nX: ".repeat(1 << 12)),
        ("riptide", "tcp", vec![0; 1 << 16]),
        ("gne", "tcp", vec![b'N'; 1 << 16]),
    ] {
        let at = server(Vec::new(), again).to_string();
        let args = ["probe", &at, "-p", proto, "--transport", transport, "-n", "2", "-W", "0.5", "-f", "ndjson"];
        let (_, text, _) = ended(netkit(&args));
        assert!(!text.is_empty() && !text.contains("panicked"), "{proto} {transport}: {text}");
    }
}

/// The output of `-v` is buffered to keep the order of the targets.
#[test]
fn what_is_shown_of_any_server() {
    let at = server(Vec::new(), [3, 0, 0, 0].repeat(1 << 12)).to_string();
    let args = ["probe", &at, "-p", "nano", "--transport", "tcp", "-n", "1", "-W", SOON, "-v", "--limit"];
    let (_, text, _) = ended(netkit(&[&args[..], &["live_kept=512K"]].concat()));
    assert!(text.contains("are not shown (--limit live_kept)") && text.len() < 1 << 20, "{}", text.len());
}

/// The answer to a client's key (RFC 6455, section 4.2.2).
fn accept(key: &str) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let guid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    let bits: Vec<u8> = sha1_smol::Sha1::from(format!("{key}{guid}"))
        .digest()
        .bytes()
        .iter()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    // 160 bits are 26 letters and four bits, which two zeros complete.
    let letter = |six: &[u8]| six.iter().chain(&[0; 6]).take(6).fold(0, |n, bit| n << 1 | bit);
    bits.chunks(6).map(|six| letters[letter(six) as usize] as char).chain(['=']).collect()
}
