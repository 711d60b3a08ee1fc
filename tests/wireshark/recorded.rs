//! `--pcap X.pcapng` of proxy, replay and probe: the recording has the same comments as `decode -f pcapng` writes; and
//! live output is complete when traffic pauses.
#![cfg(unix)]

use super::{annotated, pdml, values};
use crate::common::*;
use netkit::capture::{Body, Capture, Decoded, LinkType, Packets, PcapNgWriter, PcapWriter, Time};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Child, ChildStderr};

/// Starts a command and reads its stderr up to the line that has `word`; returns the address in that line, too.
#[allow(clippy::zombie_processes, reason = "it is waited for by its test")]
fn started(args: &[&str], word: &str) -> (Child, BufReader<ChildStderr>, String) {
    let mut child = netkit(args).spawn().expect("netkit runs");
    let mut errors = BufReader::new(child.stderr.take().expect("stderr"));
    let mut text = String::new();
    loop {
        let mut line = String::new();
        assert!(errors.read_line(&mut line).expect("a line") > 0, "it has ended: {text}");
        if line.contains(word) {
            let at = line.split_whitespace().find(|part| part.starts_with("127.0.0.1:")).expect("an address");
            return (child, errors, at.to_string());
        }
        text += &line;
    }
}

/// Ctrl-C; returns the rest of stderr.
fn end(child: Child, mut errors: BufReader<ChildStderr>) -> String {
    signal(&child, "-INT");
    assert_eq!(finish(child).status, Some(0));
    let mut report = String::new();
    errors.read_to_string(&mut report).expect("text");
    report
}

/// The datagrams of a conversation, and whether its client sent each.
fn datagrams() -> Vec<(bool, Vec<u8>)> {
    let file = File::open(fixture("riptide/riptide20-udp.pcap")).expect("a file");
    let mut packets = Packets::open(Box::new(file)).expect("a capture");
    let (mut list, mut client) = (Vec::new(), None);
    while let Some(item) = packets.next().expect("a packet") {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Udp { payload, .. } = packet.body
        {
            let client = *client.get_or_insert(packet.src);
            if [packet.src, packet.dst].contains(&client) {
                list.push((packet.src == client, payload.to_vec()));
            }
        }
    }
    list
}

/// Checks that every block is as `decode -f pcapng` would write it, which adds its account at the end, and that tshark
/// shows the values of JSON. Returns the file.
fn same_as_decode(folder: &Scratch, path: &str, args: &[&str]) -> Vec<u8> {
    let file = std::fs::read(path).expect("a recording");
    let again = run(&[&["decode", path, "-f", "pcapng", "-q"], args].concat(), b"").ok().out;
    let account = again.strip_prefix(&file[..]).filter(|rest| rest.starts_with(&[5, 0, 0, 0]));
    if !account.is_some_and(|rest| String::from_utf8_lossy(rest).contains("netkit:account {")) {
        let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().map(String::from).collect::<Vec<_>>();
        let (ours, decoded) = (lines(&file), lines(&again));
        let first = ours.iter().zip(&decoded).find(|(a, b)| a != b);
        panic!("{path}: decode writes other comments: {} {}: {first:?}", ours.len(), decoded.len());
    }
    if pdml::tshark() {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let (messages, values) = values::compared(folder, Path::new(path), &args);
        assert!(messages > 0 && values > messages, "{path}: {messages} {values}");
    }
    file
}

fn count(file: &[u8], text: &str) -> usize {
    file.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
}

#[test]
fn a_proxy_records_messages_and_what_was_done() {
    let folder = Scratch::new("wireshark-proxy");
    let server = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let client = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    [&server, &client].iter().for_each(|socket| socket.set_read_timeout(Some(HANG)).expect("set"));
    let target = server.local_addr().expect("an address").to_string();
    let path = folder.file("legs.pcapng");
    let args = ["proxy", "127.0.0.1:0", &target, "-p", "riptide", "-f", "none", "--delay", "2ms", "--pcap", &path];
    let (proxy, errors, at) = started(&args, "relaying");
    client.connect(&at).expect("connected");
    let (mut buffer, mut from, mut sent) = ([0; 2048], None, 0);
    for (by_client, payload) in datagrams() {
        match by_client {
            true => {
                client.send(&payload).expect("sent");
                from = Some(server.receive_from(&mut buffer).expect("relayed").1);
            }
            false => {
                server.send_to(&payload, from.expect("a client")).expect("sent");
                client.receive(&mut buffer).expect("relayed");
            }
        }
        sent += 1;
    }
    let report = end(proxy, errors);
    let file = same_as_decode(&folder, &path, &["-p", "riptide"]);
    assert!(sent > 10 && count(&file, "netkit:1 p=riptide") > sent, "{sent}: {report}");
    assert!(count(&file, "delayed 2") > 0, "what was done is there, too");
    // Both legs have the server's side.
    assert_eq!(count(&file, " f=unknown"), 0);
    assert!(count(&file, "netkit: riptide 2.0 welcome (server)") >= 2, "{report}");
    // The outcome is in a comment of the same frame.
    if pdml::tshark() {
        let script = annotated::script(&folder, &[]);
        let fields =
            ["-Y", "netkit.riptide.welcome", "-T", "fields", "-e", "frame.interface_name", "-e", "frame.comment"];
        let text = pdml::run(&script, Path::new(&path), &fields);
        assert!(text.contains("client side\t") && text.contains("server side\t"), "{text}");
        assert!(text.lines().all(|line| line.contains("delayed ") && line.contains("netkit: riptide ")), "{text}");
    }
    // With another extension nothing is decoded.
    let plain = folder.file("legs.pcap");
    let args = ["proxy", "127.0.0.1:0", &target, "-p", "riptide", "-f", "none", "--pcap", &plain];
    let (proxy, errors, at) = started(&args, "relaying");
    client.connect(&at).expect("connected");
    client.send(b"\x05").expect("sent");
    server.receive(&mut buffer).expect("relayed");
    end(proxy, errors);
    let file = std::fs::read(&plain).expect("a recording");
    assert!(count(&file, "client side") == 1 && count(&file, "netkit: ") == 0);
}

/// Comments count towards the file's limit: a full file is reported, and can be read.
#[test]
fn comments_keep_within_the_bound() {
    let folder = Scratch::new("wireshark-bound");
    let server = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let client = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let (target, path) = (server.local_addr().expect("an address").to_string(), folder.file("full.pcapng"));
    server.set_read_timeout(Some(HANG)).expect("set");
    let limit = ["--limit", "pcap_bytes=20K"];
    let args = ["proxy", "127.0.0.1:0", &target, "-p", "dnp", "-f", "none", "--pcap", &path];
    let (proxy, errors, at) = started(&[&args[..], &limit].concat(), "relaying");
    client.connect(&at).expect("connected");
    for n in 0..400u16 {
        client.send(&[3, n as u8, 1, 2, 3]).expect("sent");
        server.receive(&mut [0; 64]).expect("relayed");
    }
    let report = end(proxy, errors);
    assert!(report.contains("full (--limit pcap_bytes)"), "{report}");
    let file = std::fs::read(&path).expect("a recording");
    assert!((10_000..=20 * 1024 + 500).contains(&file.len()), "{}", file.len());
    // Frames may use the room before their comments: each message has its comment, or is counted.
    let lost = report.split_once("comments of ").and_then(|(_, rest)| rest.split_once(" message")).expect("a count").0;
    let lost: usize = lost.replace(',', "").parse().expect("a number");
    let messages = run(&["decode", &path, "-q", "-p", "dnp", "-f", "ndjson"], b"").ok();
    assert_eq!(count(&file, "netkit: dnp ") + lost, messages.lines().len(), "{report}");
}

/// A recorded session is played by both sides; a probe is recorded as well.
#[test]
fn replay_and_probe_record_messages() {
    let folder = Scratch::new("wireshark-replay");
    let session = fixture("riptide/riptide22-udp.pcap").display().to_string();
    let [ours, theirs, asked] = ["client.pcapng", "server.pcapng", "probe.pcapng"].map(|name| folder.file(name));
    let play = ["replay", &session, "--flow", "2", "--asap", "-W", "3s", "-q"];
    let listen = ["replay", &session, "--flow", "2", "--asap", "-W", "3s", "--listen", "127.0.0.1:0"];
    let (server, errors, at) = started(&[&listen[..], &["--pcap", &theirs]].concat(), "listening");
    run(&[&play[..], &["--to", &at, "--pcap", &ours]].concat(), b"");
    finish(server);
    drop(errors);
    for path in [&ours, &theirs] {
        let file = same_as_decode(&folder, path, &["-p", "riptide", "--server", &at]);
        assert!(count(&file, "netkit: riptide 2.2 ") > 5, "{path}");
        assert_eq!(count(&file, " f=unknown"), 0);
    }
    let (server, errors, at) = started(&listen, "listening");
    run(&["probe", &at, "-p", "riptide", "-W", "2s", "-q", "--pcap", &asked], b"");
    signal(&server, "-INT");
    finish(server);
    drop(errors);
    let file = same_as_decode(&folder, &asked, &["-p", "riptide", "--server", &at]);
    assert!(count(&file, "netkit: riptide ") > 0);
}

/// A capture of two frames in pcap or pcapng, split after the first.
fn two(ng: bool) -> [Vec<u8>; 2] {
    let packets = datagrams();
    let mut wire = Wire::default();
    let ends = ["127.0.0.1:5000", "127.0.0.1:17777"].map(|at| at.parse().expect("an address"));
    packets.iter().take(2).for_each(|(by_client, payload)| wire.datagram(ends, *by_client, payload));
    let mut capture = Capture::open(Box::new(std::io::Cursor::new(wire.file()))).expect("a capture");
    let (mut first, mut all) = (0, Vec::new());
    if ng {
        let mut writer = PcapNgWriter::new(&mut all).expect("written");
        let mut ends = Vec::new();
        while let Some(frame) = capture.next().expect("a frame") {
            writer.frame(frame.link, frame.time, frame.data, frame.length).expect("written");
            ends.push(writer.get_mut().len());
        }
        first = ends[0];
    } else {
        let mut writer = PcapWriter::new(&mut all, LinkType::ETHERNET, 6).expect("written");
        while let Some(frame) = capture.next().expect("a frame") {
            writer.frame(Time::micros(1, 0), frame.data).expect("written");
            first = if first == 0 { 24 + 16 + frame.data.len() } else { first };
        }
    }
    let second = all.split_off(first);
    [all, second]
}

/// Reads until a text has occurred `often` times.
fn comes(from: &mut impl Read, seen: &mut Vec<u8>, text: &str, often: usize) {
    let mut block = [0; 4096];
    while count(seen, text) < often {
        let read = from.read(&mut block).expect("bytes");
        assert!(read > 0, "ended without {text:?}");
        seen.extend_from_slice(&block[..read]);
    }
}

#[test]
fn a_pause_shows_all_that_has_come() {
    for ng in [false, true] {
        let args = ["decode", "-", "-f", "pcapng", "-q", "-p", "riptide"];
        let mut child = netkit(&args).stdin(std::process::Stdio::piped()).spawn().expect("netkit runs");
        let (mut stdin, mut stdout) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
        let mut seen = Vec::new();
        for (k, part) in two(ng).iter().enumerate() {
            stdin.write_all(part).expect("written");
            stdin.flush().expect("written");
            // If the frame is held back, the test hangs here.
            comes(&mut stdout, &mut seen, "netkit:1 p=riptide", k + 1);
        }
        drop(stdin);
        assert_eq!(finish(child).status, Some(0));
    }
}

/// A pipe is read while the proxy runs.
#[test]
fn a_recording_is_watched_through_a_pipe() {
    let folder = Scratch::new("wireshark-watched");
    let pipe = folder.pipe("legs.pcapng");
    let server = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let client = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    server.set_read_timeout(Some(HANG)).expect("set");
    let target = server.local_addr().expect("an address").to_string();
    std::thread::scope(|scope| {
        let watched = scope.spawn(|| File::open(&pipe).expect("a pipe"));
        let args = ["proxy", "127.0.0.1:0", &target, "-p", "riptide", "-f", "none", "--pcap", &pipe];
        let (proxy, errors, at) = started(&args, "relaying");
        let mut watched = watched.join().expect("opened");
        client.connect(&at).expect("connected");
        let mut seen = Vec::new();
        let sent_first = datagrams();
        for (k, (_, payload)) in sent_first.iter().filter(|(by_client, _)| *by_client).take(3).enumerate() {
            client.send(payload).expect("sent");
            server.receive(&mut [0; 2048]).expect("relayed");
            comes(&mut watched, &mut seen, "netkit:1 p=riptide", 2 * (k + 1));
        }
        signal(&proxy, "-INT");
        let done = finish(proxy);
        drop(errors);
        assert_eq!(done.status, Some(0));
    });
}
