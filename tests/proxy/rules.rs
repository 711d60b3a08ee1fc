//! Rules on streams: whole messages, however they are segmented, over TCP and WebSocket.
#![cfg(unix)]

use crate::common::Receive;
use crate::common::late::{ensure, unless_late};
use crate::proxy::command::{GUARD, Proxy, lines, sockets};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// A proxy for streams, with a client's socket and the server's.
struct Through {
    proxy: Proxy,
    client: TcpStream,
    server: TcpStream,
}

impl Through {
    fn new(args: &[&str]) -> Through {
        Through::showing("ndjson", args)
    }

    fn showing(format: &str, args: &[&str]) -> Through {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = listener.local_addr().unwrap().to_string();
        let proxy = Proxy::to(&target, &[&["--transport", "tcp", "-f", format], args].concat());
        let client = TcpStream::connect(&proxy.at).unwrap();
        let server = listener.accept().unwrap().0;
        for stream in [&client, &server] {
            stream.set_read_timeout(Some(GUARD)).unwrap();
            stream.set_nodelay(true).unwrap();
        }
        Through { proxy, client, server }
    }

    /// The client sends these bytes in chunks of this size, then ends its direction; returns the bytes that the server
    /// receives.
    fn up(&mut self, bytes: &[u8], size: usize) -> Vec<u8> {
        for chunk in bytes.chunks(size) {
            self.client.write_all(chunk).unwrap();
            if size < bytes.len() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.client.shutdown(Shutdown::Write).unwrap();
        let mut arrived = Vec::new();
        self.server.read_to_end(&mut arrived).unwrap();
        arrived
    }

    fn end(self) -> (Vec<serde_json::Value>, String) {
        drop((self.client, self.server));
        let (out, reported) = self.proxy.end();
        (lines(&out), reported)
    }
}

/// nano: a package.
fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32).to_be_bytes();
    [&[kind], &length[1..], body].concat()
}

/// nano: a notification.
fn notify(route: &str, payload: &[u8]) -> Vec<u8> {
    package(4, &[&[2, route.len() as u8], route.as_bytes(), payload].concat())
}

const HEARTBEAT: [u8; 4] = [3, 0, 0, 0];

#[test]
fn messages_of_a_stream_are_dropped_doubled_and_edited_whole() {
    let spoken = [
        &notify("a.move", b"one")[..],
        &HEARTBEAT,
        &notify("a.shot", b"two"),
        &notify("a.move", b"three"),
        &HEARTBEAT,
        &notify("b.chat", b"four"),
    ];
    let want = [
        &notify("a.move", b"one")[..],
        &notify("a.shot", b"much longer than before"),
        &notify("a.move", b"three"),
        &notify("b.chat", b"four"),
        &notify("b.chat", b"four"),
    ];
    for size in [1, 3, 7, 1000] {
        let longer = format!("route == a.shot: payload={}", hex::encode("much longer than before"));
        let on =
            ["-p", "nano", "--on", "message == heartbeat: drop", "--on", &longer, "--on", "route == b.chat: duplicate"];
        let mut through = Through::new(&on);
        assert_eq!(through.up(&spoken.concat(), size), want.concat(), "in chunks of {size}");
        let (lines, reported) = through.end();
        let outcomes: Vec<&str> = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect();
        assert_eq!(outcomes, ["passed", "dropped", "passed", "passed", "dropped", "passed"], "{reported}");
        assert_eq!((&lines[2]["edited"][0], &lines[5]["copies"]), (&"payload".into(), &1.into()));
        // Messages are counted apart from the packets, which are as many as there were reads.
        assert!(
            reported.contains("netkit: up   6 messages arrived, 2 dropped, 1 edited, 1 duplicated\n"),
            "{reported}"
        );
        let packets =
            reported.lines().find(|line| line.starts_with("netkit: up ") && line.contains(" packet")).unwrap();
        assert!(packets.ends_with(" sent"), "{reported}");
    }
}

/// A delayed message delays the messages after it, and not those before it: a stream keeps its order.
#[test]
fn a_delay_holds_up_what_follows() {
    // A busy machine may deliver even the first message late: then it is tried again.
    unless_late(Duration::from_millis(290), 0..20, |_| first_comes_before_the_delay());
}

/// Checks the delays. Returns an error unless the first message arrived before the second one's delay was over.
fn first_comes_before_the_delay() -> Result<(), String> {
    let mut through = Through::new(&["-p", "nano", "--on", "route == a.late: delay 300ms"]);
    let spoken = [notify("a.now", b"1"), notify("a.late", b"2"), notify("a.now", b"3")];
    let begin = Instant::now();
    through.client.write_all(&spoken.concat()).unwrap();
    let mut first = vec![0; spoken[0].len()];
    through.server.read_exact(&mut first).unwrap();
    let at_once = begin.elapsed() < Duration::from_millis(290);
    assert_eq!(first, spoken[0]);
    let mut rest = vec![0; spoken[1].len() + spoken[2].len()];
    through.server.read_exact(&mut rest).unwrap();
    assert!(rest == spoken[1..].concat() && begin.elapsed() >= Duration::from_millis(300));
    let (lines, _) = through.end();
    assert!(lines[0]["delayed_ms"].is_null(), "{}", lines[0]);
    assert!(lines[1]["delayed_ms"].as_f64().unwrap() >= 299.0, "{}", lines[1]);
    ensure(at_once, "the first message waits for the next one")
}

/// Bytes that are no message pass unchanged. So does a message that is never completed: at the end of the stream, or
/// after a timeout.
#[test]
fn what_is_not_whole_passes_as_it_is() {
    let on = ["-p", "nano", "--on", "message == heartbeat: drop"];
    let half = &notify("a.move", b"never all of it")[..9];
    let mut through = Through::new(&on);
    let spoken = [&HEARTBEAT[..], half].concat();
    assert_eq!(through.up(&spoken, 1000), half);
    through.end();
    // Bytes in which no package begins.
    let mut through = Through::new(&on);
    let noise: Vec<u8> = (0..5000u32).map(|n| (n * 7 + 100) as u8 | 0x80).collect();
    assert_eq!(through.up(&noise, 700), noise);
    through.end();
    // Half a message: its sender may be waiting for an answer.
    let mut through = Through::new(&on);
    through.client.write_all(half).unwrap();
    through.server.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let error = through.server.read(&mut [0; 8]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "it waits for the rest");
    through.server.set_read_timeout(Some(GUARD)).unwrap();
    let mut arrived = vec![0; half.len()];
    through.server.read_exact(&mut arrived).unwrap();
    assert_eq!(arrived, half);
    // The rest follows: the message is complete now, but cannot be dropped any more.
    through.client.write_all(&notify("a.move", b"never all of it")[9..]).unwrap();
    assert_eq!(through.up(&HEARTBEAT, 9), notify("a.move", b"never all of it")[9..]);
    through.end();
}

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";

fn answer(extensions: &str) -> Vec<u8> {
    let head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
    format!("{head}Sec-WebSocket-Extensions: {extensions}\r\n\r\n").into_bytes()
}

/// A peer of a WebSocket, with its compression state.
struct Peer {
    pack: Compress,
    unpack: Decompress,
    anew: bool,
}

impl Peer {
    fn new(anew: bool) -> Peer {
        Peer { pack: Compress::new(Compression::default(), false), unpack: Decompress::new(false), anew }
    }

    /// A message as one frame, compressed; masked if a key is given.
    fn frame(&mut self, message: &[u8], key: Option<[u8; 4]>) -> Vec<u8> {
        if self.anew {
            self.pack.reset();
        }
        let mut payload = Vec::with_capacity(4096);
        self.pack.compress_vec(message, &mut payload, FlushCompress::Sync).unwrap();
        payload.truncate(payload.len() - 4);
        assert!(payload.len() < 126);
        let mut out = vec![0xc2, payload.len() as u8 | if key.is_some() { 0x80 } else { 0 }];
        out.extend(key.iter().flatten());
        out.extend(payload.iter().enumerate().map(|(n, b)| b ^ key.map_or(0, |key| key[n % 4])));
        out
    }

    /// The messages in these frames. All are compressed, and masked as `key` says.
    fn messages(&mut self, mut bytes: &[u8], key: Option<[u8; 4]>) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        while let [first, second, rest @ ..] = bytes {
            assert_eq!(*first, 0xc2, "one compressed binary frame");
            let (length, rest) = ((*second & 0x7f) as usize, rest);
            let (own, rest) = rest.split_at(if *second & 0x80 != 0 { 4 } else { 0 });
            assert_eq!(own, key.as_ref().map_or(&[][..], |key| &key[..]));
            let (payload, rest) = rest.split_at(length);
            bytes = rest;
            let plain = payload.iter().enumerate().map(|(n, b)| b ^ key.map_or(0, |key| key[n % 4]));
            let plain: Vec<u8> = plain.chain([0, 0, 0xff, 0xff]).collect();
            if self.anew {
                self.unpack.reset(false);
            }
            let mut out = Vec::with_capacity(4096);
            self.unpack.decompress_vec(&plain, &mut out, FlushDecompress::Sync).unwrap();
            all.push(out);
        }
        all
    }
}

#[test]
fn compressed_and_masked_messages_are_made_again() {
    let both = "permessage-deflate; server_no_context_takeover; client_no_context_takeover";
    let key = [0x11, 0x22, 0x33, 0x44];
    let spoken = [
        notify("a.move", b"{\"hp\":100,\"name\":\"somebody\"}"),
        notify("a.shot", b"{\"hp\":100,\"name\":\"somebody\"}"),
        HEARTBEAT.to_vec(),
        notify("a.move", b"{\"hp\":100,\"name\":\"somebody\"}"),
        // Two in one message.
        [notify("a.shot", b"{\"hp\":100}"), notify("a.move", b"{\"hp\":100}")].concat(),
        notify("a.move", b"{\"hp\":100,\"name\":\"somebody else\"}"),
    ];
    let edited = b"{\"hp\":1,\"name\":\"an edited one\"}";
    let want = [
        spoken[0].clone(),
        notify("a.shot", edited),
        spoken[3].clone(),
        [notify("a.shot", edited), notify("a.move", b"{\"hp\":100}")].concat(),
        spoken[5].clone(),
    ];
    for (extensions, anew) in [("permessage-deflate", false), (both, true)] {
        for size in [1, 1000] {
            let shot = format!("route == a.shot: payload={}", hex::encode(edited));
            let on = ["-p", "nano", "--on", &shot, "--on", "message == heartbeat and from == client: drop"];
            let mut through = Through::new(&on);
            let mut head = vec![0; REQUEST.len()];
            through.client.write_all(REQUEST).unwrap();
            through.server.read_exact(&mut head).unwrap();
            assert_eq!(head, REQUEST);
            let answer = answer(extensions);
            let mut head = vec![0; answer.len()];
            through.server.write_all(&answer).unwrap();
            through.client.read_exact(&mut head).unwrap();
            assert_eq!(head, answer);
            let (mut client, mut server) = (Peer::new(anew), Peer::new(anew));
            // Nothing in the other direction is edited: its bytes pass.
            let push = server.frame(&notify("a.move", b"from the server"), None);
            through.server.write_all(&push).unwrap();
            let mut arrived = vec![0; push.len()];
            through.client.read_exact(&mut arrived).unwrap();
            assert_eq!(arrived, push);
            let frames: Vec<Vec<u8>> = spoken.iter().map(|message| client.frame(message, Some(key))).collect();
            let arrived = through.up(&frames.concat(), size);
            assert!(arrived.starts_with(&frames[0]), "untouched before the edit");
            assert_eq!(server.messages(&arrived, Some(key)), want, "{extensions}, in chunks of {size}");
            let (lines, reported) = through.end();
            assert!(reported.contains("1 dropped, 2 edited"), "{reported}");
            let edits = lines.iter().filter(|line| line["edited"][0] == "payload").count();
            assert_eq!(edits, 2);
        }
    }
}

/// A rule without fields drops a message in the middle of a compressed direction: the later messages can still be read.
#[test]
fn what_is_dropped_is_missing_to_no_later_message() {
    let mut through = Through::new(&["-p", "nano", "--on", "route == b.gone: drop"]);
    let answer = answer("permessage-deflate");
    through.client.write_all(REQUEST).unwrap();
    through.server.read_exact(&mut vec![0; REQUEST.len()]).unwrap();
    through.server.write_all(&answer).unwrap();
    through.client.read_exact(&mut vec![0; answer.len()]).unwrap();
    let spoken = ["a.kept", "a.kept", "b.gone", "a.kept", "a.kept"].map(|route| notify(route, b"the same words again"));
    let (mut client, mut server) = (Peer::new(false), Peer::new(false));
    let frames: Vec<Vec<u8>> = spoken.iter().map(|message| client.frame(message, Some([1, 2, 3, 4]))).collect();
    let arrived = through.up(&frames.concat(), 1000);
    assert!(arrived.starts_with(&frames[..2].concat()));
    let want = [&spoken[0], &spoken[1], &spoken[3], &spoken[4]].map(Clone::clone);
    assert_eq!(server.messages(&arrived, Some([1, 2, 3, 4])), want);
    through.end();
}

/// If no rule fits, a compressed stream passes byte for byte, although it is read.
#[test]
fn a_rule_that_fits_nothing_changes_no_byte() {
    for path in crate::common::all_fixtures().into_iter().filter(|path| crate::common::ends_in(path, "pcap")) {
        for (direction, bytes) in streams(&path).into_iter().enumerate() {
            // The output would not be read.
            let through = Through::showing("none", &["--on", "frame == 0: drop"]);
            let spoken = bytes.clone();
            let (mut from, mut to) = match direction {
                0 => (through.client.try_clone().unwrap(), through.server.try_clone().unwrap()),
                _ => (through.server.try_clone().unwrap(), through.client.try_clone().unwrap()),
            };
            let writer = std::thread::spawn(move || {
                for chunk in spoken.chunks(1 + spoken.len() % 571) {
                    from.write_all(chunk).unwrap();
                }
                from.shutdown(Shutdown::Write).unwrap();
            });
            let mut arrived = Vec::new();
            to.read_to_end(&mut arrived).unwrap();
            writer.join().unwrap();
            assert!(arrived == bytes, "{}: {} of {}", path.display(), arrived.len(), bytes.len());
            through.end();
        }
    }
}

/// The bytes of the client, and those of the server, in the first connection of a capture.
fn streams(path: &std::path::Path) -> Vec<Vec<u8>> {
    use netkit::capture::{Body, Capture, Decoded, Input, Packets};
    let file = std::fs::File::open(path).unwrap();
    let Ok(capture) = Capture::new(Input::new(Box::new(file)).unwrap()) else { return Vec::new() };
    let (mut packets, mut ends, mut both) = (Packets::new(capture), None, vec![Vec::new(), Vec::new()]);
    while let Ok(Some(item)) = packets.next() {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Tcp(segment) = packet.body
        {
            let (src, dst) = *ends.get_or_insert((packet.src, packet.dst));
            match (packet.src, packet.dst) {
                pair if pair == (src, dst) => both[0].extend_from_slice(segment.payload),
                pair if pair == (dst, src) => both[1].extend_from_slice(segment.payload),
                _ => {}
            }
        }
    }
    both.retain(|bytes| !bytes.is_empty());
    both
}

/// `after` and `once` count messages: the transmissions of one message share its outcome.
#[test]
fn all_transmissions_of_a_message_count_as_one() {
    // DNP: reliable messages with their numbers, each resent; then the end.
    let sent = [1, 2, 1, 2, 3, 2, 3].map(|number| vec![4u8, number, 0, number]);
    for (rule, arrived) in [
        ("message == reliable_message: once drop", &[2, 2, 3, 2, 3][..]),
        ("message == reliable_message: after 1 drop", &[1, 1]),
        ("message == reliable_message: after 2 drop", &[1, 2, 1, 2, 2]),
        ("message == reliable_message: after 1 once drop", &[1, 1, 3, 3]),
        ("message == reliable_message: after 2 once drop", &[1, 2, 1, 2, 2]),
        // Each transmission has its own number, from 2; the first ones do not match.
        ("message == reliable_message and copy: once drop", &[1, 2, 2, 3, 2, 3]),
        ("message == reliable_message and copy > 1: after 1 once drop", &[1, 2, 1, 3, 3]),
        ("message == reliable_message and not copy: once drop", &[2, 1, 2, 3, 2, 3]),
        ("message == reliable_message and not copy: drop", &[1, 2, 2, 3]),
        ("message == reliable_message: once data=63", &[99, 2, 99, 2, 3, 2, 3]),
    ] {
        let [server, client] = sockets();
        let proxy = Proxy::start(&server, &["-p", "dnp", "-f", "none", "--on", rule]);
        client.connect(&proxy.at).unwrap();
        for bytes in sent.iter().chain([&vec![3, 0xff]]) {
            client.send(bytes).unwrap();
        }
        let mut got = Vec::new();
        loop {
            let mut buffer = [0; 8];
            let length = server.receive(&mut buffer).unwrap();
            match buffer[..length] {
                [4, _, 0, value] => got.push(value),
                _ => break,
            }
        }
        assert_eq!(got, arrived, "{rule}");
        proxy.end();
    }
}

/// Without any output, the counts of each rule are printed: applied, and not applied with the reason. A limit can test
/// them.
#[test]
fn rules_say_what_they_did() {
    let run = |bound: &[&str]| {
        let [server, client] = sockets();
        let options = [
            "-p",
            "dnp",
            "-f",
            "none",
            "--on",
            "message == reliable_message: number=5",
            "--on",
            "message == reliable_message: after 1 once duplicate",
            "--on",
            "message == unreliable_message: duplicate",
            "--on",
            "message == unreliable_message: drop",
            "--on",
            "message == connection_close: drop",
        ];
        let proxy = Proxy::start(&server, &[&options[..], bound].concat());
        client.connect(&proxy.at).unwrap();
        // Truncated within its number; complete; not reliable; complete.
        for bytes in [&[4u8, 1][..], &[4, 1, 0, 9], &[3, 7], &[4, 2, 0, 8]] {
            client.send(bytes).unwrap();
        }
        for want in [&[4u8, 1][..], &[4, 5, 0, 9], &[4, 5, 0, 9], &[4, 5, 0, 8]] {
            let mut buffer = [0; 8];
            let length = server.receive(&mut buffer).unwrap();
            assert_eq!(&buffer[..length], want);
        }
        proxy.interrupted(|| {})
    };
    let (status, reported) = run(&["--fail-on", "not_applied > 1"]);
    assert_eq!(status, Some(0), "{reported}");
    let rule = |n: usize| reported.lines().filter_map(|line| line.strip_prefix("netkit: rule ")).nth(n).unwrap();
    let edit = "\"message == reliable_message: number=5\": 3 messages matched, applied to 2, not applied to 1: ";
    assert!(rule(0).starts_with(edit) && rule(0).ends_with(" (1)"), "{reported}");
    let once = "\"message == reliable_message: after 1 once duplicate\": 3 messages matched, applied to 1, \
                2 skipped (by after, once or a share, or dropped by a later rule)";
    assert_eq!(rule(1), once, "{reported}");
    let dropped = "\"message == unreliable_message: duplicate\": 1 message matched, applied to 0, \
                   1 skipped (by after, once or a share, or dropped by a later rule)";
    assert_eq!(rule(2), dropped, "{reported}");
    assert_eq!(rule(3), "\"message == unreliable_message: drop\": 1 message matched, applied to 1", "{reported}");
    assert_eq!(rule(4), "\"message == connection_close: drop\": 0 messages matched, applied to 0", "{reported}");
    let (status, reported) = run(&["--fail-on", "not_applied > 0"]);
    assert_eq!(status, Some(1), "{reported}");
    assert!(reported.contains("netkit: --fail-on not_applied > 0: it is 1\n"), "{reported}");
}
