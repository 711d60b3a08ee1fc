//! Servers over TCP that do not read what is sent to them. The messages are larger than all buffers of the system, so
//! that some of them cannot be written.

use crate::common::{Done, Scratch, Wire, finish, netkit, run, side_by_side, signal};
use serde_json::Value as Json;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

/// The messages of the recording after the handshake and its acknowledgement.
const MESSAGES: usize = 40;
/// The length of each.
const LENGTH: usize = 250_000;

fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind][..], &(body.len() as u32).to_be_bytes()[1..], body].concat()
}

/// A recording of a client of nano's that sends messages of this length without waiting for any answer.
fn recording(folder: &Scratch, length: usize) -> String {
    let ends = ["192.0.2.2:40000", "192.0.2.1:3250"].map(|end| end.parse().unwrap());
    let mut stream = vec![
        (true, package(1, br#"{"sys":{"type":"x","version":"1"},"user":{}}"#)),
        (false, package(1, br#"{"code":200,"sys":{"heartbeat":30}}"#)),
        (true, package(2, b"")),
    ];
    let notify = |number: usize| {
        let body = format!(r#"{{"x":{number},"pad":"{}"}}"#, "y".repeat(length));
        package(4, &[&[2, 9], &b"Room.Move"[..], body.as_bytes()].concat())
    };
    for message in (0..MESSAGES).map(notify) {
        stream.extend(message.chunks(50_000).map(|part| (true, part.to_vec())));
    }
    let mut capture = Wire::default();
    capture.stream(ends, &stream);
    folder.write("recording.pcap", capture.file())
}

/// Waits for a client, answers its handshake, and takes the connection.
fn greeted(listener: &TcpListener) -> TcpStream {
    let (mut stream, _) = listener.accept().unwrap();
    let mut head = [0; 4];
    stream.read_exact(&mut head).unwrap();
    stream.read_exact(&mut vec![0; usize::from(head[3])]).unwrap();
    stream.write_all(&package(1, br#"{"code":200,"sys":{"heartbeat":30}}"#)).unwrap();
    stream
}

/// Returns the number of whole packages, and the rest, which has to be the beginning of another one.
fn packages(mut bytes: &[u8]) -> (u64, &[u8]) {
    let mut count = 0;
    while let [2 | 4, a, b, c, rest @ ..] = bytes
        && let Some(rest) = rest.get(u32::from_be_bytes([0, *a, *b, *c]) as usize..)
    {
        (bytes, count) = (rest, count + 1);
    }
    (count, bytes)
}

fn replay<'a>(capture: &'a str, at: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["replay", capture, "-p", "nano", "--asap", "-f", "ndjson", "--to", at], more].concat()
}

fn listening() -> (TcpListener, String) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at: SocketAddr = listener.local_addr().unwrap();
    (listener, at.to_string())
}

fn session(done: &Done) -> Json {
    done.lines().pop().unwrap_or_else(|| panic!("no report: {done:?}"))
}

/// The server reads only after the client has ended: because of its patience, its deadline, or the user. Everything that
/// was counted as sent arrives, then a part of a message, and nothing after it.
#[test]
fn a_server_that_stops_reading() {
    let folder = Scratch::new("unread");
    let capture = recording(&folder, LENGTH);
    let read_nothing = "the peer has not read any data";
    side_by_side(
        [
            (&["-W", "4s", "--max-time", "5m"][..], read_nothing, 1, false),
            (&["-W", "60s", "--max-time", "3s"], "ended after 3.000 s (--max-time)", 1, false),
            (&["-W", "60s"], "interrupted", 130, true),
        ],
        |(args, trouble, status, stopped)| {
            let (listener, at) = listening();
            let child = netkit(&replay(&capture, &at, args)).spawn().unwrap();
            let mut stream = greeted(&listener);
            if stopped {
                // When the buffers are full cannot be seen from outside. Before that, it is another way to the same end.
                std::thread::sleep(Duration::from_millis(300));
                signal(&child, "-INT");
            }
            let done = finish(child);
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).unwrap();
            let (arrived, rest) = packages(&bytes);
            let report = session(&done);
            assert_eq!(done.status, Some(status), "{args:?}: {report}");
            assert!(report["trouble"].as_str().is_some_and(|text| text.starts_with(trouble)), "{args:?}: {report}");
            // The handshake was read before.
            assert_eq!(report["sent"], arrived + 1, "{args:?}: {report}");
            assert_eq!(report["unsent"], MESSAGES as u64 + 2 - (arrived + 1), "{args:?}: {report}");
            assert!(rest.is_empty() || rest.len() < LENGTH && rest[0] == 4, "{args:?}: {} bytes more", rest.len());
        },
    );
}

/// The server closes the connection without having read what was sent, although everything was passed on to be written.
/// The report and the recording have the messages that were written.
#[test]
fn a_server_that_closes_without_reading() {
    let folder = Scratch::new("closes-unread");
    let (capture, pcap) = (recording(&folder, LENGTH), folder.file("made.pcap"));
    let (listener, at) = listening();
    let child = netkit(&replay(&capture, &at, &["-W", "60s", "--pcap", &pcap])).spawn().unwrap();
    let mut stream = greeted(&listener);
    stream.read_exact(&mut [0; 5]).unwrap();
    drop(stream);
    let done = finish(child);
    let report = session(&done);
    assert_eq!((done.status, &report["complete"]), (Some(1), &false.into()), "{report}");
    assert_eq!(report["trouble"], "the peer ended the connection (reset)", "{report}");
    let sent = report["sent"].as_u64().unwrap();
    assert_eq!(report["unsent"], MESSAGES as u64 + 2 - sent, "{report}");
    let ours = run(&["decode", &pcap, "-q", "-p", "nano", "-f", "ndjson", "-F", "from == client"], b"").lines();
    assert_eq!(ours.iter().filter(|line| line["fault"].is_null()).count() as u64, sent, "{report}");
    assert_eq!(ends_of(&std::fs::read(&pcap).unwrap(), at.parse().unwrap()), 1, "our end is recorded once");
}

/// The same, with messages that fit into the buffers: all are written. The report has the end of the connection.
#[test]
fn a_server_that_closes_when_all_has_arrived() {
    let folder = Scratch::new("resets");
    let capture = recording(&folder, 10);
    let (listener, at) = listening();
    let child = netkit(&replay(&capture, &at, &["-W", "60s"])).spawn().unwrap();
    let stream = greeted(&listener);
    let mut buffer = [0; 1 << 16];
    let mut arrived = 0;
    while packages(&buffer[..arrived]).0 < MESSAGES as u64 + 1 {
        arrived = stream.peek(&mut buffer).unwrap();
    }
    drop(stream);
    let report = session(&finish(child));
    assert_eq!(
        (&report["sent"], &report["ended"]),
        (&report["messages"], &"it reset the connection".into()),
        "{report}"
    );
}

/// The number of FINs that a capture of Ethernet frames has for this server.
fn ends_of(mut capture: &[u8], server: SocketAddr) -> usize {
    let mut count = 0;
    capture = &capture[24..];
    while let [_, _, _, _, _, _, _, _, a, b, c, d, _, _, _, _, rest @ ..] = capture {
        let (frame, rest) = rest.split_at(u32::from_le_bytes([*a, *b, *c, *d]) as usize);
        let tcp = &frame[34..];
        count += usize::from(tcp[2..4] == server.port().to_be_bytes() && tcp[13] & 1 == 1);
        capture = rest;
    }
    count
}

/// The same under load, where nothing blocks. What waits to be written when a session is over was not sent.
#[test]
fn under_load() {
    let folder = Scratch::new("load-unread");
    let capture = recording(&folder, LENGTH);
    side_by_side([true, false], |closes| {
        let (listener, at) = listening();
        let load = ["-W", "60s", "--clients", "1", "--limit", "live_unread=64M"];
        let child = netkit(&replay(&capture, &at, &load)).spawn().unwrap();
        let mut stream = greeted(&listener);
        if closes {
            stream.read_exact(&mut [0; 5]).unwrap();
        }
        let kept = (!closes).then_some(stream);
        let done = finish(child);
        let all = session(&done);
        assert_eq!((done.status, &all["finished"], &all["dropped"]), (Some(1), &0.into(), &1.into()), "{closes} {all}");
        drop(kept);
    });
}
