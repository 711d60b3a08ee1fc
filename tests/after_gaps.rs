//! After a gap of the capture, or where it has two packets in the wrong order, no sender is blamed for what may be in
//! the missing bytes. The captures are of real peers, with packets removed, or are made here.

use crate::common::{Scratch, Wire, fixture, run};
use netkit::capture::{Body, LinkType, PcapWriter, Segment, Time, ethernet};
use serde_json::Value;
use std::net::SocketAddr;

fn decode(name: &str) -> Vec<Value> {
    let path = fixture(&format!("real/{name}.pcap"));
    run(&["decode", path.to_str().unwrap(), "-q", "-f", "ndjson"], b"").lines()
}

/// Frame and code of every note of a level.
fn noted(lines: &[Value], level: &str) -> Vec<(u64, String)> {
    let notes = |line: &Value| {
        let frame = line["frame"].as_u64().unwrap();
        let list = line["notes"].as_array().cloned().unwrap_or_default();
        list.into_iter().filter(|n| n["level"] == level).map(move |n| (frame, n["code"].as_str().unwrap().to_string()))
    };
    lines.iter().flat_map(|line| notes(line).collect::<Vec<_>>()).collect()
}

fn text<'a>(lines: &'a [Value], frame: u64, code: &str) -> &'a str {
    let notes = lines.iter().filter(|l| l["frame"] == frame).flat_map(|l| l["notes"].as_array().into_iter().flatten());
    notes.into_iter().find(|n| n["code"] == code).and_then(|n| n["text"].as_str()).unwrap_or_default()
}

/// The server's handshake is missing: its next messages are not "before" it.
#[test]
fn a_handshake_in_the_gap() {
    let lines = decode("x-drop-hs");
    assert_eq!(noted(&lines, "warning"), [(8, "tcp.gap".to_string())]);
    assert_eq!(lines.iter().filter(|l| l["message"] == "response").count(), 7);
}

/// A whole frame is missing after its header: it was sent, and so were the pings in it.
#[test]
fn a_frame_in_the_gap() {
    let lines = decode("x-g-16");
    let others: Vec<_> = noted(&lines, "warning").into_iter().filter(|(_, code)| code != "gne.unknown_id").collect();
    assert_eq!(others, [(19, "tcp.gap".to_string())]);
    assert_eq!(
        text(&lines, 12, "hawknl.unfinished"),
        "the rest of the frame is in the missing bytes: 0 of 4 bytes are there"
    );
    assert!(text(&lines, 29, "gne.ping_unsolicited").contains("may be in missing bytes"), "{lines:#?}");
    // Notes that have nothing to do with a gap keep their text.
    assert!(text(&lines, 48, "hawknl.unfinished").contains("was never sent"));
}

/// The rest of a frame follows missing bytes: not the sender's error.
#[test]
fn the_rest_of_a_frame_after_the_gap() {
    let lines = decode("x-g-18");
    assert_eq!(noted(&lines, "error"), []);
    assert!(lines.iter().all(|l| l.get("fault").is_none()), "{lines:#?}");
    assert_eq!(text(&lines, 19, "hawknl.out_of_sync"), "10 bytes of a frame that began in the missing bytes");
}

/// The capture has a response just before its request.
#[test]
fn an_answer_before_its_request() {
    let lines = decode("x-swap");
    assert_eq!(noted(&lines, "warning"), []);
    assert!(text(&lines, 12, "nano.unmatched_response").contains("captured later"), "{lines:#?}");
    let request = lines.iter().find(|l| l["frame"] == 13).unwrap();
    assert_eq!((&request["message"], &request["fields"]["id"]), (&"request".into(), &2.into()));
    assert!(text(&lines, 13, "nano.answered_before").starts_with("the response is in frame 12, captured "));
}

/// The unanswered messages: their frames by `decode --link`, and the count of `stats`.
fn unanswered(name: &str, more: &[&str]) -> (Vec<u64>, u64) {
    unanswered_in(fixture(name).to_str().unwrap(), more)
}

fn unanswered_in(path: &str, more: &[&str]) -> (Vec<u64>, u64) {
    let reported = run(&[&["decode", path, "-q", "--link", "-f", "ndjson"], more].concat(), b"").lines();
    let linked = noted(&reported, "note").into_iter().filter(|(_, code)| code == "link.unanswered");
    let linked: Vec<u64> = linked.map(|(frame, _)| frame).collect();
    let stats = run(&[&["stats", path, "--unanswered", "-f", "ndjson"], more].concat(), b"").lines();
    let listed = stats.iter().filter(|l| l["by"] == "unanswered").map(|l| l["frame"].as_u64().unwrap());
    assert_eq!(linked, listed.collect::<Vec<_>>(), "{path}");
    let all = run(&[&["stats", path, "-f", "ndjson"], more].concat(), b"").lines();
    (linked, all.iter().filter_map(|l| l["unanswered"].as_u64()).sum())
}

/// A ping whose reply follows a packet that no table explains; with the user's schema the reply is read. In the other
/// capture a ping has no reply. A ping is not a request, so it is not called unanswered.
#[test]
fn a_reply_after_an_unknown_packet() {
    let schema = fixture("schemas/gne-hello.toml");
    for name in ["real/gne-trunk.pcap", "real/gne-070.pcap"] {
        assert_eq!(unanswered(name, &[]), (vec![], 0), "{name}");
        let read = ["--schema", schema.to_str().unwrap()];
        assert_eq!(unanswered(name, &read), (vec![], 0), "{name}");
        let path = fixture(name);
        let stats = run(&[&["stats", path.to_str().unwrap(), "-f", "ndjson"], &read[..]].concat(), b"").lines();
        let asked = stats.iter().find(|l| l["by"] == "ping").unwrap();
        assert_eq!(asked["pings"], asked["pongs"], "with the schema it is read: {asked}");
    }
    assert_eq!(unanswered("gne/gne-probe.pcap", &[]), (vec![], 0));
    let path = fixture("gne/gne-probe.pcap");
    let stats = run(&["stats", path.to_str().unwrap(), "-f", "ndjson"], b"").lines();
    let sum = |key: &str| stats.iter().filter_map(|l| l[key].as_u64()).sum::<u64>();
    assert_eq!((sum("requests"), sum("pings") - sum("pongs")), (0, 1));
}

/// The snap length cuts a datagram before its ping: the reply is not unsolicited.
#[test]
fn a_reply_to_a_request_that_the_capture_cut() {
    let ends = |client: u16, server: u16| [(1, client), (2, server)].map(|(n, port)| ([10, 0, 0, n], port).into());
    let frame = |body: &[u8]| [&b"NL"[..], &(body.len() as u16).to_be_bytes(), body].concat();
    let request = [&b"GNE\0\0\x07\0lobby"[..], &[0; 27], &[1, 0, 0, 0, 0, 0, 0, 0, 1]].concat();
    let mut wire = Wire::default();
    wire.stream(
        ends(50000, 7777),
        &[
            (true, frame(&request)),
            // The server's UDP port 4000, and the client's 4001.
            (false, frame(b"GNE\x01\xe8\x03\0\0\xa0\x0f\0\0")),
            (true, frame(b"\xa1\x0f\0\0")),
        ],
    );
    // A packet with 200 bytes of the application, and the ping 7: without times it is the request.
    let ping = |time: u8| [&[4, 7, 0, 0, 0][..], &[time, 0, 0, 0].repeat(4), &[0xff]].concat();
    wire.datagram(ends(4001, 4000), true, &[&[1, 200, 0][..], &[0; 200], &ping(0)].concat());
    wire.datagram(ends(4001, 4000), false, &ping(1));
    let folder = Scratch::new("the-request-is-cut");
    // Enough for the handshake: 54 bytes of headers and 52 of the request.
    let file = folder.write("cut.pcap", wire.cut(128));
    let lines = run(&["decode", &file, "-q", "-f", "ndjson"], b"").lines();
    assert!(lines.iter().any(|line| line["frame"] == 6 && line.get("fault").is_some()), "{lines:#?}");
    let note = text(&lines, 7, "gne.ping_unsolicited");
    assert!(note.starts_with("a reply to no request that can be read: number 7"), "{lines:#?}");
}

/// A connection whose server sends its last message in the last segment with data, which the capture does not have. The
/// client acknowledges it: with `fin` the server's FIN, too.
fn without_the_last(spoken: &[(bool, Vec<u8>)], fin: bool) -> Wire {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let mut wire = Wire::default();
    wire.stream(ends, spoken);
    wire.lose(2 + spoken.len());
    let next = [true, false].map(|side| {
        1 + spoken.iter().filter(|(by_client, _)| *by_client == side).map(|(_, bytes)| bytes.len() as u32).sum::<u32>()
    });
    let segment = Segment { has_ack: true, ..Segment::default() };
    if fin {
        wire.packet(ends, false, &Body::Tcp(Segment { seq: next[1], ack: next[0], fin, ..segment }));
    }
    wire.packet(ends, true, &Body::Tcp(Segment { seq: next[0], ack: next[1] + u32::from(fin), ..segment }));
    wire
}

/// Nothing follows the missing bytes, so no message has `tcp.gap`: the figures and stderr have them.
#[test]
fn the_last_message_is_missing() {
    let package = |kind: u8, body: &[u8]| [&[kind, 0, 0, body.len() as u8], body].concat();
    let spoken = [
        (true, package(1, br#"{"sys":{"version":"1.1.1","type":"js-websocket"}}"#)),
        (false, package(1, br#"{"code":200,"sys":{"heartbeat":30}}"#)),
        (true, package(2, b"")),
        (true, package(4, b"\0\x01\x03a.b{}")),
        (false, package(4, b"\x04\x01{}")),
    ];
    let folder = Scratch::new("the-last-is-missing");
    // Without a FIN in the capture, the last byte may be one.
    for (fin, missing) in [(true, 8), (false, 7)] {
        let file = folder.write("last.pcap", without_the_last(&spoken, fin).file());
        let done = run(&["stats", &file, "-q", "-f", "ndjson"], b"").ok();
        let streams: Vec<_> = done.lines().into_iter().filter(|line| line["by"] == "stream").collect();
        let [stream] = &streams[..] else { panic!("{streams:?}") };
        assert_eq!((&stream["from"], &stream["missing_bytes"]), (&"server".into(), &missing.into()));
        assert!(done.err.contains(&format!("{missing} bytes of recognised TCP streams")), "{}", done.err);
    }
}

/// The header of a frame is there; its content is missing, but was sent.
#[test]
fn the_last_content_is_missing() {
    let frame = |body: &[u8]| [&b"NL"[..], &(body.len() as u16).to_be_bytes(), body].concat();
    let request = [&b"GNE\0\0\x07\0lobby"[..], &[0; 27], &[1, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
    let spoken = [
        (true, frame(&request)),
        (false, frame(b"GNE\x01\0\0\0\0\xff\xff\xff\xff")),
        (true, frame(&[2, 0xff])),
        (false, b"NL\0\x02".to_vec()),
        (false, vec![2, 0xff]),
    ];
    let folder = Scratch::new("the-content-is-missing");
    let file = folder.write("last.pcap", without_the_last(&spoken, true).file());
    let lines = run(&["decode", &file, "-q", "-f", "ndjson"], b"").lines();
    let note = text(&lines, 6, "hawknl.unfinished");
    assert_eq!(note, "the rest of the frame is in the missing bytes: 0 of 2 bytes are there");
}

/// A reset that its sender has not sent: the segments that follow are not read, and counted.
#[test]
fn a_stream_goes_on_after_its_reset() {
    let ends: [SocketAddr; 2] = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().unwrap());
    let package = |kind: u8, body: &[u8]| [&[kind, 0, 0, body.len() as u8], body].concat();
    let handshake = [
        (true, package(1, br#"{"sys":{"version":"1.1.1","type":"js-websocket"}}"#)),
        (false, package(1, br#"{"code":200,"sys":{"heartbeat":30}}"#)),
        (true, package(2, b"")),
    ];
    let mut wire = Wire::default();
    wire.stream(ends, &handshake);
    let seq = 1 + handshake[1].1.len() as u32;
    let (segment, heartbeat) = (Segment { has_ack: true, seq, ..Segment::default() }, package(3, b""));
    wire.packet(ends, false, &Body::Tcp(Segment { rst: true, ..segment }));
    for k in 0..3 {
        let (seq, payload) = (seq + 4 * k, &heartbeat[..]);
        wire.packet(ends, false, &Body::Tcp(Segment { seq, payload, length: payload.len(), ..segment }));
    }
    let folder = Scratch::new("after-its-reset");
    let file = folder.write("reset.pcap", wire.file());
    let done = run(&["decode", &file, "-q", "-f", "ndjson"], b"").ok();
    assert_eq!(done.lines().len(), handshake.len());
    assert!(done.err.contains("3 TCP segments of recognised streams were not read"), "{}", done.err);
}

/// A package's sender, its bytes, and how many of them the capture has; without any, it lacks the packet.
type Sent = (bool, Vec<u8>, usize);

/// A connection over TCP, a message every 10 ms. The receiver acknowledges each one in a packet of its own.
fn connection(sent: &[Sent]) -> Vec<u8> {
    let [client, server] = ["10.0.0.1:50000", "10.0.0.2:3250"].map(|end| end.parse().unwrap());
    let mut file = Vec::new();
    let mut writer = PcapWriter::new(&mut file, LinkType::ETHERNET, 6).unwrap();
    let (mut at, mut next) = (0, [0u32; 2]);
    // `syn`, or data of which `kept` bytes are captured.
    let mut packet = |by_client: bool, syn: bool, payload: &[u8], kept: usize| {
        at += 5000;
        let (src, dst) = if by_client { (client, server) } else { (server, client) };
        let (side, length) = (usize::from(!by_client), payload.len());
        let (seq, ack) = (next[side], next[1 - side]);
        next[side] += length as u32 + u32::from(syn);
        let body =
            Body::Tcp(Segment { seq, ack, has_ack: !syn || !by_client, syn, payload, length, ..Segment::default() });
        let mut frame = Vec::new();
        ethernet(src, dst, &body, &mut frame).unwrap();
        if kept > 0 || length == 0 {
            writer.record(Time::micros(at, 0), &frame[..frame.len() - length + kept], frame.len()).unwrap();
        }
    };
    packet(true, true, &[], 0);
    packet(false, true, &[], 0);
    packet(true, false, &[], 0);
    for (by_client, payload, kept) in sent {
        packet(*by_client, false, payload, *kept);
        packet(!*by_client, false, &[], 0);
    }
    writer.flush().unwrap();
    file
}

fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind, 0, (body.len() >> 8) as u8, body.len() as u8][..], body].concat()
}

fn whole(by_client: bool, bytes: Vec<u8>) -> Sent {
    let length = bytes.len();
    (by_client, bytes, length)
}

fn handshake() -> Vec<Sent> {
    vec![
        whole(true, package(1, br#"{"sys":{"version":"0.0.1","type":"js-websocket"}}"#)),
        whole(false, package(1, br#"{"code":200,"sys":{"servertime":1700000000}}"#)),
        whole(true, package(2, b"")),
    ]
}

/// The frame of a message of a [`connection`]: after three that open it, each message has one, if it is captured, and so
/// has its acknowledgement.
fn frame(sent: &[Sent], at: usize) -> u64 {
    4 + sent[..at].iter().map(|(_, _, kept)| 1 + u64::from(*kept > 0)).sum::<u64>()
}

fn asks(id: u8) -> Sent {
    whole(true, package(4, &[&[0, id][..], b"\x03a.b{}"].concat()))
}

fn answers(id: u8, length: usize) -> Vec<u8> {
    package(4, &[&[4, id][..], &vec![b'x'; length]].concat())
}

fn answered(id: u8) -> Sent {
    whole(false, answers(id, 2))
}

fn missing((by_client, bytes, _): Sent) -> Sent {
    (by_client, bytes, 0)
}

/// The one row of a table of `stats`.
fn row(path: &str, more: &[&str], by: &str) -> Value {
    let lines = run(&[&["stats", path, "-f", "ndjson"], more].concat(), b"").lines();
    lines.into_iter().find(|line| line["by"] == by).unwrap_or_default()
}

/// The response to a request may be in missing bytes, or in a response that the capture has cut. Other requests have
/// none, although the capture has all of the server's bytes.
#[test]
fn a_response_in_the_gap() {
    let folder = Scratch::new("after-gaps");
    let cut = |kept: usize| (false, answers(2, 500), kept);
    // What is sent after the handshake, and the one of it that is certainly unanswered.
    let rows: [(&str, Vec<Sent>, Option<usize>); 7] = [
        ("missing", vec![asks(1), answered(1), asks(2), missing(answered(2)), asks(3), answered(3), asks(4)], Some(6)),
        // Request 1 has no response when the bytes are missing, and it comes.
        ("later", vec![asks(1), asks(2), missing(answered(2)), answered(9), answered(1), asks(3)], Some(5)),
        ("cut", vec![asks(1), answered(1), asks(2), cut(40), asks(3), answered(3), asks(4)], Some(6)),
        // All missing bytes are of the response 2: the response 1 is not among them.
        ("cut, with another open", vec![asks(1), asks(2), cut(40), asks(3), answered(3)], Some(0)),
        ("cut before its id", vec![asks(1), asks(2), cut(5), asks(3), answered(3)], None),
        // The client's missing bytes contain no response.
        ("the client's", vec![asks(1), missing(asks(2)), asks(3), answered(3)], Some(0)),
        ("none", vec![asks(1), asks(2), answered(2)], Some(0)),
    ];
    for (name, sent, open) in rows {
        let (before, sent) = (handshake().len(), [handshake(), sent].concat());
        let file = folder.write("gap.pcap", connection(&sent));
        let truth: Vec<u64> = open.into_iter().map(|at| frame(&sent, before + at)).collect();
        let count = truth.len() as u64;
        assert_eq!(unanswered_in(&file, &["-p", "nano"]), (truth, count), "{name}");
        let verdicts = run(&["stats", &file, "-p", "nano", "-f", "json"], b"");
        let verdicts = crate::common::json(verdicts.text())["verdicts"].clone();
        let blamed = verdicts.as_array().unwrap().iter().any(|verdict| verdict["rule"] == "unanswered");
        assert_eq!(blamed, count > 0, "{name}: {verdicts}");
    }
    // A response that is read later than that counts as always.
    let sent = vec![asks(1), asks(2), missing(answered(2)), answered(9), answered(1)];
    let file = folder.write("later.pcap", connection(&[handshake(), sent].concat()));
    let asked = row(&file, &["-p", "nano"], "request");
    assert_eq!(["requests", "responses", "unanswered"].map(|key| asked[key].as_u64().unwrap()), [2, 1, 0], "{asked}");
    assert_eq!(asked["response_max"], 40_000_000, "{asked}");
    let latency = row(&file, &["-p", "nano", "--latency"], "latency");
    assert_eq!((&latency["answered"], &latency["waiting"]), (&1.into(), &0.into()), "{latency}");
}

/// A client that uses its ids again: the request before is open only if its response cannot have been missed.
#[test]
fn an_id_again_after_the_gap() {
    let folder = Scratch::new("after-gaps-ids");
    for (second, code) in [(missing(answered(1)), None), (whole(false, answers(9, 2)), Some("nano.id_reused"))] {
        let sent = vec![asks(1), second, asks(2), answered(2), asks(1), answered(1)];
        let file = folder.write("ids.pcap", connection(&[handshake(), sent].concat()));
        let lines = run(&["decode", &file, "-p", "nano", "-q", "-f", "ndjson"], b"").lines();
        let warned = noted(&lines, "warning").into_iter().map(|(_, code)| code).find(|code| code == "nano.id_reused");
        assert_eq!(warned.as_deref(), code, "{lines:#?}");
    }
}

/// A request after its response is a request and answered.
#[test]
fn requests_after_their_responses() {
    let folder = Scratch::new("after-gaps-swap");
    let sent = [handshake(), vec![asks(1), answered(1), answered(2), asks(2), asks(3)]].concat();
    let file = folder.write("swap.pcap", connection(&sent));
    assert_eq!(unanswered_in(&file, &["-p", "nano"]), (vec![frame(&sent, sent.len() - 1)], 1));
    let asked = row(&file, &["-p", "nano"], "request");
    let counts = ["requests", "responses", "unanswered", "unmatched"].map(|key| asked[key].as_u64().unwrap());
    assert_eq!(counts, [3, 2, 1, 0], "{asked}");
}

/// Compressed messages refer to earlier ones. Where one of those is missing, they cannot be read.
#[test]
fn responses_that_cannot_be_inflated() {
    let mut press = flate2::Compress::new(flate2::Compression::best(), false);
    let mut deflated = |text: &[u8]| {
        let mut packed = Vec::with_capacity(4096);
        press.compress_vec(text, &mut packed, flate2::FlushCompress::Sync).unwrap();
        packed.truncate(packed.len() - 4);
        packed
    };
    let framed = |masked: bool, first: u8, body: &[u8]| {
        let mask: &[u8] = if masked { &[0; 4] } else { &[] };
        [&[first, u8::from(masked) << 7 | body.len() as u8][..], mask, body].concat()
    };
    const BINARY: u8 = 0x82;
    const COMPRESSED: u8 = BINARY | 0x40;
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n";
    let mut sent = vec![
        whole(true, format!("GET / HTTP/1.1\r\nHost: a\r\n{upgrade}").into()),
        whole(false, format!("HTTP/1.1 101 Switching Protocols\r\n{upgrade}").into()),
    ];
    sent.extend(handshake().into_iter().map(|(by, bytes, _)| whole(by, framed(by, BINARY, &bytes))));
    for id in 1..5 {
        let text = package(4, &[&[4, id][..], br#"{"x":1,"text":"the same words again and again"}"#].concat());
        let answer = whole(false, framed(false, COMPRESSED, &deflated(&text)));
        sent.push(whole(true, framed(true, BINARY, &asks(id).1)));
        sent.push(if id == 2 { missing(answer) } else { answer });
    }
    sent.push(whole(true, framed(true, BINARY, &asks(5).1)));
    let folder = Scratch::new("after-gaps-deflate");
    let file = folder.write("deflate.pcap", connection(&sent));
    let lines = run(&["decode", &file, "-q", "-f", "ndjson"], b"").lines();
    let broken: Vec<_> = lines.iter().filter(|line| line["message"] == "binary").collect();
    assert_eq!(broken.len(), 2, "{lines:#?}");
    for line in broken {
        let text = line["fault"]["text"].as_str().unwrap();
        assert!(text.contains("does not inflate (bytes of earlier messages are missing)"), "{text}");
    }
    // Nothing follows the last request.
    let last = lines.last().unwrap();
    assert_eq!((&last["message"], &last["fields"]["id"]), (&"request".into(), &5.into()));
    assert_eq!(unanswered_in(&file, &[]), (vec![last["frame"].as_u64().unwrap()], 1));
    let asked = row(&file, &[], "request");
    assert_eq!((&asked["requests"], &asked["responses"]), (&5.into(), &1.into()));
}

/// Bytes that a length announces, and that were never sent or come again after the gap, count once.
#[test]
fn bytes_are_those_of_the_streams() {
    for (name, most) in [("nano/nano-tcp-bad.pcap", 10_000), ("nano/nano-ws-bad.pcap", 40_000)] {
        let stats = run(&["stats", fixture(name).to_str().unwrap(), "-p", "nano", "-f", "json", "-q"], b"");
        let bytes = crate::common::json(stats.text())["bytes"].as_u64().unwrap();
        assert!(bytes < most, "{name}: {bytes}");
    }
}

/// The bytes before and after a gap are not weighed as one message.
#[test]
fn what_is_named_and_has_a_gap_still_looks_like_it() {
    let ends = ["10.0.0.1:40000", "10.0.0.2:7777"].map(|end| end.parse().unwrap());
    let framed = |hex: &str, more: usize| {
        let data = [hex::decode(hex).unwrap(), vec![b'x'; more]].concat();
        [&(data.len() as u16).to_le_bytes()[..], &data].concat()
    };
    let mut wire = Wire::default();
    let sent = [
        (true, framed("03", 0)),
        (false, framed("0801000100", 0)),
        (true, framed("0702000500", 30)),
        (true, framed("0703000500", 3)),
        (true, framed("0704000500", 30)),
        (false, framed("0100000000", 0)),
    ];
    wire.stream(ends, &sent);
    // Two of the messages are cut: the headers are 54 bytes.
    let done = run(&["decode", "-", "-p", "riptide", "-f", "ndjson"], &wire.cut(74));
    assert!(done.text().lines().count() >= 3 && !done.err.contains("does not look like"), "{}", done.err);
}

/// The lines of a fixture of which the capture lacks some frames, or has at most the first `snap` bytes of each.
fn lines_of(name: &str, kept: impl Fn(usize) -> bool, snap: usize) -> (Vec<Value>, String) {
    let path = fixture(name);
    let whole = std::fs::read(&path).unwrap();
    let mut file = whole[..24].to_vec();
    for (_, record) in crate::common::records(&whole).into_iter().enumerate().filter(|(k, _)| kept(k + 1)) {
        let there = record.len().min(snap.saturating_add(16));
        file.extend_from_slice(&record[..8]);
        file.extend_from_slice(&((there - 16) as u32).to_le_bytes());
        file.extend_from_slice(&record[12..there]);
    }
    let args = crate::common::args_of(&path);
    let args: Vec<&str> = ["decode", "-", "-f", "ndjson"].into_iter().chain(args.iter().map(String::as_str)).collect();
    let done = run(&args, &file);
    (done.lines(), done.err)
}

#[test]
fn the_port_after_a_missing_acceptance() {
    for frame in [8, 10] {
        let (lines, err) = lines_of("gne/gne-le-udp-full.pcap", |k| k != frame, usize::MAX);
        let port =
            lines.iter().find(|line| line["message"] == "client_port").unwrap_or_else(|| panic!("{frame}: {err}"));
        assert_eq!(port["fields"]["port"], 58663);
    }
}

#[test]
fn a_capture_that_begins_between_a_header_and_its_content() {
    let (lines, _) = lines_of("real/gne-070.pcap", |k| k >= 18, usize::MAX);
    assert!(lines.len() > 2 && lines.iter().all(|line| line["fault"].is_null()), "{lines:#?}");
    assert_eq!(noted(&lines, "error"), []);
}

#[test]
fn the_first_bytes_before_it_is_known_what_carries_them() {
    let (lines, _) = lines_of("described/io-tcp.pcap", |k| k != 4, usize::MAX);
    let first = lines.iter().find(|line| line["from"] == "client").unwrap();
    assert!(first["notes"].to_string().contains("tcp.gap"), "{first}");
}

#[test]
fn lines_of_text_that_are_cut() {
    let (whole, _) = lines_of("described/irc.pcap", |_| true, usize::MAX);
    let (cut, _) = lines_of("described/irc.pcap", |_| true, 80);
    let text = |line: &&Value| line["message"] == "PRIVMSG";
    assert!(whole.iter().filter(text).all(|line| line["fault"].is_null()));
    let mut faults = 0;
    for line in cut.iter().filter(text) {
        let there = |one: &&Value| one["frame"] == line["frame"] && one["fields"] == line["fields"];
        faults += usize::from(line["fault"].is_object());
        assert!(line["fault"].is_object() || whole.iter().any(|one| there(&one)), "{line}");
    }
    assert!(faults > 5, "{faults}");
}
