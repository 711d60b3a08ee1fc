//! Protocols of files: numbers, acknowledgements and values of the session are live.

use crate::common::{Receive, Scratch, feed, netkit};
use crate::replay::delivery::delivered;
use crate::replay::stage::{Stage, conversation};
use serde_json::Value;
use std::net::UdpSocket;
use std::time::Duration;

const MYGAME: &str = "described/tutorial/mygame.pcap";
const FILE: &str = "described/tutorial/3.toml";

#[test]
fn against_themselves() {
    for (path, file) in [
        (MYGAME, FILE),
        ("described/enet.pcap", "protocols/enet.toml"),
        ("described/kcp.pcap", "protocols/kcp.toml"),
        ("described/luanti.pcap", "protocols/luanti.toml"),
    ] {
        let stage = Stage { file: Some(file), ..Stage::default() };
        delivered(path, &conversation(path, 1, &stage), &stage);
    }
}

/// Messages with an acknowledgement are resent until they have arrived.
#[test]
fn through_a_bad_network() {
    for seed in 0..8 {
        for (path, file) in [(MYGAME, FILE), ("described/kcp.pcap", "protocols/kcp.toml")] {
            let stage = Stage { lossy: Some(seed), file: Some(file), ..Stage::default() };
            delivered(path, &conversation(path, 1, &stage), &stage);
        }
    }
}

/// A server that shares no code with netkit. It does not answer the first transmission of the number 44.
fn server(socket: &UdpSocket) -> Vec<(u8, u32)> {
    let (mut seen, mut buffer, mut silent, mut greeted) = (Vec::new(), [0; 512], true, false);
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    while let Ok((length, from)) = socket.receive_from(&mut buffer) {
        let bytes = &buffer[..length];
        let number = u32::from(u16::from_be_bytes([bytes[1], bytes[2]]));
        let say = |bytes: &[u8]| socket.send_to(bytes, from).expect("sent");
        match bytes[0] {
            1 => {
                let token = u32::from_be_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
                seen.push((1, token));
                say(&[&[2][..], &bytes[1..5]].concat());
            }
            7 | 9 => {
                seen.push((bytes[0], number));
                if number != 44 || !std::mem::take(&mut silent) {
                    say(&[8, bytes[1], bytes[2]]);
                }
                if number == 44 && !std::mem::replace(&mut greeted, true) {
                    say(b"\x07\x00\x07\x07welcome");
                }
            }
            kind => seen.push((kind, number)),
        }
        let again = seen.iter().filter(|one| **one == (9, 44)).count() >= 2;
        if again && seen.contains(&(7, 46)) && seen.contains(&(8, 7)) {
            break;
        }
    }
    seen
}

#[test]
fn to_a_server() {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let at = socket.local_addr().expect("its address").to_string();
    let (seen, done) = std::thread::scope(|scope| {
        let serving = scope.spawn(|| server(&socket));
        let [capture, file] = [MYGAME, FILE].map(|name| format!("{}/fixtures/{name}", env!("CARGO_MANIFEST_DIR")));
        let args = ["replay", &capture, "-p", &file, "--to", &at, "--asap", "-f", "ndjson"];
        let done = netkit(&args).output().expect("runs");
        (serving.join().expect("the server"), done)
    });
    let report = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    // The recording lacks the number 45 and has 46 and 47: live numbers have no gap.
    let mut numbered: Vec<_> = seen.iter().copied().filter(|(kind, _)| [7, 9].contains(kind)).collect();
    // Any of them is resent if this server answers late.
    assert!(numbered.iter().filter(|one| one.1 == 44).count() >= 2, "{seen:?}: {report}");
    numbered.sort_by_key(|one| one.1);
    numbered.dedup();
    assert_eq!(numbered, [(7, 42), (9, 43), (9, 44), (9, 45), (7, 46)], "{report}");
    assert_eq!(
        seen.iter().filter(|one| one.0 == 8).collect::<Vec<_>>(),
        [&(8, 7)],
        "the welcome is acknowledged: {report}"
    );
    assert_eq!(seen.iter().filter(|one| one.0 == 1).count(), 2, "{seen:?}");
    let last = String::from_utf8_lossy(&done.stdout).lines().last().expect("a line").to_owned();
    let session: Value = serde_json::from_str(&last).expect("JSON");
    assert!(session["resent"].as_u64() >= Some(1), "{report}");
    assert_eq!(done.status.code(), Some(0), "{report}");
}

/// The messages of a made-up session without a goodbye, as `encode` takes them. The last input comes late, so that a
/// server on a busy machine has time for its own: the replay waits until then only if it has not arrived.
const ARENA: &str = r#"{"time":0.00,"proto":"arena","from":"client","message":"join","packet":{"session":0},"fields":{"port":7}}
{"time":0.01,"proto":"arena","from":"server","message":"joined","packet":{"session":5},"fields":{"session_id":5,"seed":1}}
{"time":0.02,"proto":"arena","from":"client","message":"input","packet":{"session":5},"fields":{"seq":1,"time":100}}
{"time":0.03,"proto":"arena","from":"server","message":"ack","packet":{"session":5},"fields":{"seq":1,"time":100}}
{"time":0.04,"proto":"arena","from":"server","message":"input","packet":{"session":5},"fields":{"seq":1,"time":7}}
{"time":0.05,"proto":"arena","from":"client","message":"ack","packet":{"session":5},"fields":{"seq":1,"time":7}}
{"time":0.06,"proto":"arena","from":"client","message":"alive","packet":{"session":5},"fields":{}}
{"time":3.00,"proto":"arena","from":"server","message":"input","packet":{"session":5},"fields":{"seq":2,"time":9}}
{"time":3.01,"proto":"arena","from":"client","message":"ack","packet":{"session":5},"fields":{"seq":2,"time":9}}
"#;

/// A datagram of the client of that session: its session, its kind, its number and its time.
type Datagram = (u32, u8, u16, u32);

/// A server of the session that shares no code with netkit. It sends its first input after the client's, and its second
/// after two keepalives.
fn arena(socket: &UdpSocket) -> Vec<Datagram> {
    let (mut seen, mut buffer) = (Vec::new(), [0; 64]);
    socket.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    while let Ok((length, from)) = socket.receive_from(&mut buffer) {
        let bytes = &buffer[..length];
        let word = |at: usize| bytes.get(at..at + 4).map_or(0, |b| u32::from_be_bytes(b.try_into().expect("four")));
        let number = bytes.get(5..7).map_or(0, |b| u16::from_be_bytes(b.try_into().expect("two")));
        let one: Datagram = (word(0), bytes[4], number, word(7));
        seen.push(one);
        let say = |kind: u8, rest: &[u8]| socket.send_to(&[&[0, 0, 0, 77, kind], rest].concat(), from).expect("sent");
        let alive = seen.iter().filter(|one| one.1 == 5).count();
        match one.1 {
            1 => _ = say(2, &[0, 0, 0, 77, 0, 2]),
            3 => {
                say(4, &bytes[5..11]);
                if seen.iter().filter(|one| one.1 == 3).count() == 1 {
                    say(3, &[0, 1, 0, 0, 4, 210]);
                }
            }
            5 if alive == 2 => _ = say(3, &[0, 2, 0, 0, 22, 46]),
            6 if seen.iter().filter(|one| one.1 == 6).count() == 3 => break,
            _ => {}
        }
    }
    seen
}

/// The values that the peer decides, what an acknowledgement repeats, the keepalive and the goodbye, by the page's file.
#[test]
fn a_session_by_its_file() {
    let page = include_str!("../../src/docs/protocol_files.md");
    let file = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().expect("an end"));
    let file = file.into_iter().find(|text| text.contains("[session]")).expect("the example of the page");
    let scratch = Scratch::new("replay-session");
    let [toml, capture] = ["arena.toml", "arena.pcap"].map(|name| scratch.path().join(name).display().to_string());
    std::fs::write(&toml, file.replace("\"2s\"", "\"50ms\"")).expect("written");
    let args = ["encode", "--protocol-file", &toml, "--json", "-", "--as", "pcap", "-o", &capture];
    feed(&mut netkit(&args), ARENA.as_bytes()).ok();
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let at = socket.local_addr().expect("its address");
    let (port, at) = (at.port(), at.to_string());
    let (seen, done) = std::thread::scope(|scope| {
        let serving = scope.spawn(|| arena(&socket));
        let done = netkit(&["replay", &capture, "-p", &toml, "--to", &at, "-f", "ndjson"]).output().expect("runs");
        (serving.join().expect("the server"), done)
    });
    let report = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(0), "{seen:?}: {report}");
    assert_eq!(seen[0], (0, 1, port, 0), "{report}");
    assert!(!report.contains("seed"), "{report}");
    assert!(seen[1..].iter().all(|one| one.0 == 77), "{seen:?}: {report}");
    let of = |kind: u8| seen.iter().filter(|one| one.1 == kind).map(|one| (one.2, one.3)).collect::<Vec<_>>();
    // It is resent if this server answers late.
    assert!(!of(3).is_empty() && of(3).iter().all(|one| *one == (1, 100)), "{seen:?}: {report}");
    assert_eq!(of(4), [(1, 1234), (2, 5678)], "{report}");
    assert!(of(5).len() >= 2 && of(6).len() == 3, "{seen:?}: {report}");
}
