//! GNE's client against live servers that differ from the captured one.
//!
//! The captures of both byte orders are of one application that did the same twice. So the big-endian capture holds
//! what a little-endian capture must become for a big-endian server.

use crate::common::Receive;
use crate::replay::gne_peer::{Kind, Order, Seen, Server};
use crate::replay::gne_peer::{frame, say};
use crate::replay::stage::{Stage, answer, conversation, to};
use netkit::dissect::Role;
use netkit::live::replay::Report;
use netkit::message::Channel;
use serde_json::json;
use std::net::{TcpStream, UdpSocket};
use std::time::Duration;

const LE: &str = "gne/gne-le-udp-full.pcap";
const BE: &str = "gne/gne-be-udp-full.pcap";

const SCHEMA: Stage = Stage {
    latency: None,
    file: None,
    lossy: None,
    allow_dangerous: false,
    set: &[],
    schema: Some("gne.toml"),
    until: None,
    edit: None,
    drop: None,
};

const KIND: Kind =
    Kind { order: Order::Big, build: 7, game: "netkit demo", user_version: 7, datagrams: true, stubborn: 0 };

fn play(path: &str, stage: &Stage, kind: Kind) -> (Report, Vec<Seen>) {
    let server = Server::start(kind);
    // The server sends only the handshake: the other expected messages never arrive.
    let report = to(server.at, &conversation(path, 1, stage), stage, Duration::from_secs(5));
    (report, server.seen())
}

/// Packets of one transport, without the ends of frames (the sender chooses the number of packets in a frame) and
/// without lone replies to pings, whose times are live.
fn flat<'a>(contents: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let reply = |c: &&[u8]| c.len() == 22 && c[0] == 4 && c[5..13] != [0; 8];
    contents.filter(|c| !reply(c)).flat_map(|c| c[..c.len() - 1].to_vec()).collect()
}

/// The captured client's packets after the handshake.
fn captured(path: &str, channel: Channel) -> Vec<u8> {
    let messages = conversation(path, 1, &SCHEMA).messages;
    let own = messages.iter().filter(|m| m.decoded.from == Role::Client && m.decoded.message == "packets");
    flat(own.filter(|m| m.decoded.channel == channel).map(|m| m.decoded.bytes()))
}

fn request(path: &str) -> Vec<u8> {
    conversation(path, 1, &SCHEMA).messages[0].decoded.bytes().to_vec()
}

#[test]
fn the_live_byte_order() {
    for (path, other, order) in [(LE, BE, Order::Big), (BE, LE, Order::Little)] {
        let (report, seen) = play(path, &SCHEMA, Kind { order, ..KIND });
        assert!(report.complete(), "{report}");
        assert_eq!(seen.len(), 2, "refused once, and asked again: {seen:#?}");
        assert_eq!((&seen[0].request, seen[0].refused), (&request(path), true));
        assert_eq!((&seen[1].request, seen[1].refused), (&request(other), false));
        assert_eq!(seen[1].broken, None);
        assert_eq!(flat(seen[1].frames.iter().map(Vec::as_slice)), captured(other, Channel::Main));
        assert_eq!(flat(seen[1].datagrams.iter().map(Vec::as_slice)), captured(other, Channel::Datagrams));
        assert_eq!(seen[1].frames.last().unwrap(), &[2, 255]);
        let printed = |text: &str| report.remarks.iter().filter(|r| r.contains(text)).count();
        assert_eq!((printed("asked again"), printed("custom packets")), (1, 1), "{report}");
    }
}

/// A server of the same kind: one connection, no remark.
#[test]
fn nothing_is_taken_over_where_all_is_equal() {
    let (report, seen) = play(LE, &SCHEMA, Kind { order: Order::Little, ..KIND });
    assert!(report.complete() && report.remarks.is_empty(), "{report}");
    assert_eq!((seen.len(), seen[0].broken), (1, None));
    assert_eq!(flat(seen[0].frames.iter().map(Vec::as_slice)), captured(LE, Channel::Main));
}

/// A packet that no schema explains cannot be written in another byte order: it is not sent, and reported.
#[test]
fn what_cannot_be_turned_is_not_sent() {
    let stage = Stage { schema: None, ..SCHEMA };
    let (report, seen) = play(LE, &stage, KIND);
    assert!(!report.complete());
    assert!(!report.unsent.is_empty() && report.unsent.iter().all(|u| u.why.contains("--schema")), "{report}");
    assert_eq!(seen[1].broken, None);
    let frames = &seen[1].frames;
    assert!(frames.iter().all(|f| (0..=8).contains(&f[0])), "{frames:?}");
    assert!(frames.iter().any(|f| f[..3] == [1, 1, 0x2c]), "the custom packet of 300 bytes");
    assert!(frames.contains(&vec![3, 0, 0, 9, 0xc4, 255]), "the rate of 2500");
    // A server of the same order gets them unchanged.
    let (report, seen) = play(LE, &stage, Kind { order: Order::Little, ..KIND });
    assert!(report.complete(), "{report}");
    assert_eq!(flat(seen[0].frames.iter().map(Vec::as_slice)), captured(LE, Channel::Main));
}

/// Build 5 has short pings, build 7 long ones.
#[test]
fn the_live_protocol_version() {
    let exping = Kind { order: Order::Little, game: "GNE exping", user_version: 1, datagrams: false, ..KIND };
    let ids = |seen: &Seen| seen.frames.iter().map(|f| f[0]).collect::<Vec<_>>();
    for order in [Order::Little, Order::Big] {
        let (report, seen) = play("gne/gne-le-v055-exping.pcap", &Stage::default(), Kind { order, ..exping });
        assert!(report.complete(), "{report}");
        assert_eq!((seen[0].refused, seen[1].refused, seen[1].broken), (true, false, None));
        assert_eq!(seen[1].request[5..7], order.u16(7));
        assert_eq!(ids(&seen[1]), [4, 4, 4, 2]);
        for (k, ping) in seen[1].frames.iter().take(3).enumerate() {
            let request = [&[4][..], &order.u32(k as u32), &[0; 16], &[255]].concat();
            assert_eq!(ping, &request);
        }
        let (report, seen) =
            play("gne/gne-le-stock-exping.pcap", &Stage::default(), Kind { order, build: 5, ..exping });
        assert!(report.complete(), "{report}");
        assert_eq!(seen[1].request[5..7], order.u16(5));
        assert_eq!(ids(&seen[1]), [4, 4, 4, 2]);
        for (k, ping) in seen[1].frames.iter().take(3).enumerate() {
            assert_eq!(ping, &[&[4, 1][..], &order.u32(k as u32), &[255]].concat());
        }
    }
}

/// A refusal because of another game, or of a version that the user has set, is final.
#[test]
fn another_games_refusal_stays_one() {
    another(Kind { game: "another", ..KIND });
}

#[test]
fn another_versions_refusal_stays_one() {
    another(Kind { user_version: 8, ..KIND });
}

fn another(kind: Kind) {
    let (report, seen) = play(LE, &SCHEMA, kind);
    assert_eq!(seen.len(), 1, "one socket, not two");
    assert!(!report.complete());
    let why = report.ended.unwrap();
    assert!(why.contains("byte order be") && why.contains(kind.game), "{why}");
}

#[test]
fn other_refusals_stay_refusals() {
    let edit = Stage { edit: Some("message == connection_request: build=6"), ..SCHEMA };
    let (report, seen) = play(LE, &edit, KIND);
    assert_eq!((seen.len(), report.complete()), (1, false));
    assert_eq!(seen[0].request[5..7], [6, 0]);
    // Two attempts at most.
    let (report, seen) = play(LE, &SCHEMA, Kind { stubborn: 9, ..KIND });
    assert_eq!((seen.len(), report.complete()), (2, false));
    // A capture of a refusal is complete after it.
    let (report, seen) = play("gne/gne-mixed-refused-version.pcap", &SCHEMA, KIND);
    assert_eq!((seen.len(), seen[0].refused), (1, true), "{report}");
}

/// Without datagrams everything is sent over the stream, as the library's own packets are.
#[test]
fn a_server_without_datagrams() {
    let (report, seen) = play(LE, &SCHEMA, Kind { order: Order::Little, datagrams: false, ..KIND });
    let why: Vec<&str> = report.unsent.iter().map(|u| u.message.as_str()).collect();
    assert_eq!(why, ["gne.packets", "gne.client_port"], "the opener, and the port: {report}");
    let frames = &seen[0].frames;
    assert_eq!((seen[0].broken, seen[0].datagrams.len()), (None, 0));
    assert!(frames.iter().any(|f| f.ends_with(b"over the unreliable socket\xff")), "{frames:?}");
    assert!(report.remarks.iter().any(|r| r.contains("over the stream")), "{report}");
}

/// The captured server denied datagrams, this one grants them: it waits for the client's port.
#[test]
fn a_server_that_grants_more() {
    let game = Kind { game: "lobby", user_version: 1, ..KIND };
    let (report, seen) = play("gne/gne-be-udp-denied.pcap", &SCHEMA, game);
    assert!(report.complete(), "{report}");
    assert_eq!((seen.len(), seen[0].broken), (1, None), "{seen:#?}");
    assert_eq!(flat(seen[0].frames.iter().map(Vec::as_slice)), captured("gne/gne-be-udp-denied.pcap", Channel::Main));
}

/// `--listen` uses the byte order of the live client in its acceptance, packets and datagrams.
#[test]
fn a_live_client_of_another_byte_order() {
    let stage = SCHEMA;
    let server = |path, order: Order, wants: bool| {
        let captured = conversation(path, 1, &stage);
        // A client that wants no datagrams does not send the recorded port: it is awaited for as long.
        let patience = Duration::from_secs(if wants { 5 } else { 2 });
        answer(&captured, &stage, patience, |at| {
            let stream = TcpStream::connect(at).unwrap();
            stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let mut request = [&b"GNE"[..], &[0, 0], &order.u16(7), b"netkit demo"].concat();
            request.resize(39, 0);
            request.extend([&order.u32(7)[..], &order.u32(3200), &[wants as u8]].concat());
            say(&stream, &request);
            let accepted = frame(&stream).unwrap();
            let socket = UdpSocket::bind(("127.0.0.1", 0)).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(3))).unwrap();
            assert_eq!((&accepted[..4], accepted.len()), (&b"GNE\x01"[..], 12));
            let port = order.read(&accepted[8..]);
            let mut datagrams = Vec::new();
            if wants {
                // The opener is sent before the port, as in the library.
                socket.send_to(&[255], (at.ip(), port as u16)).unwrap();
                say(&stream, &order.u32(socket.local_addr().unwrap().port() as u32));
                let mut buffer = [0; 600];
                while let Ok(length) = socket.receive(&mut buffer) {
                    datagrams.push(buffer[..length].to_vec());
                }
                say(&stream, &[2, 255]);
            } else {
                // Without an exit of this side, the server's own comes after all its messages.
                assert_eq!(port, u32::MAX, "no port for who wants none");
            }
            let mut frames = Vec::new();
            while let Some(content) = frame(&stream) {
                let end = content == [2, 255];
                frames.push(content);
                if end {
                    break;
                }
            }
            (accepted, frames, datagrams)
        })
    };
    for (path, other, order) in [(LE, BE, Order::Big), (BE, LE, Order::Little)] {
        let (report, (accepted, frames, datagrams)) = server(path, order, true);
        assert_eq!(report.sent, report.steps, "{report}");
        let messages = conversation(other, 1, &stage).messages;
        let spoken = |channel| {
            let own = messages.iter().filter(|m| m.decoded.from == Role::Server && m.decoded.channel == channel);
            own.filter(|m| m.decoded.message == "packets").map(|m| m.decoded.bytes().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(accepted[4..8], order.u32(5000));
        assert_eq!(
            flat(datagrams.iter().map(Vec::as_slice)),
            flat(spoken(Channel::Datagrams).iter().map(Vec::as_slice))
        );
        assert_eq!(flat(frames.iter().map(Vec::as_slice)), flat(spoken(Channel::Main).iter().map(Vec::as_slice)));
        // A client that wants no datagrams gets their packets over the stream.
        let (_, (_, frames, _)) = server(path, order, false);
        let small = spoken(Channel::Datagrams).into_iter().next().unwrap();
        assert!(frames.contains(&small), "{frames:?}");
    }
}

/// The acceptance may be under way when the client gives up: without an exit the server would accept no more clients.
#[test]
fn an_exit_also_without_an_answer() {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let at = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let request = frame(&stream).unwrap();
        // Longer than the client's timeout.
        let next = frame(&stream);
        say(&stream, &[b"GNE\x01", &[0; 4][..], &[255; 4]].concat());
        stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        let early = matches!(std::io::Read::read(&mut &stream, &mut [0]), Ok(0));
        say(&stream, &[2, 255]);
        (request.len(), next, early)
    });
    let path = "gne/gne-le-tcponly.pcap";
    let report = to(at, &conversation(path, 1, &Stage::default()), &Stage::default(), Duration::from_secs(3));
    assert!(!report.complete() && report.trouble.is_some(), "{report}");
    assert_eq!(server.join().unwrap(), (48, Some(vec![2, 255]), false), "an exit, and the end is waited for");
}

/// A goodbye that this server could not read is replaced by one that it can.
#[test]
fn an_exit_also_where_the_captured_one_cannot_be_written() {
    let stage = Stage::default();
    let mut played = conversation("gne/gne-le-stock-exping.pcap", 1, &stage);
    let exit = json!({"packets": [{"id": "exit"}]});
    let own =
        played.messages.iter_mut().find(|m| m.decoded.from == Role::Client && *m.decoded.to_json() == exit).unwrap();
    let fields = json!({"packets": [{"id": "object_death", "packet": null, "object_id": 1}, {"id": "exit"}]});
    own.decoded = own.decoded.clone().with_fields(fields);
    let kind = Kind { order: Order::Little, build: 5, game: "GNE exping", user_version: 1, ..KIND };
    let server = Server::start(kind);
    let report = to(server.at, &played, &stage, Duration::from_secs(5));
    let seen = server.seen();
    assert!(report.unsent.iter().any(|u| u.why.contains("no object_death packets")), "{report}");
    assert_eq!((seen[1].broken, seen[1].frames.last().map(Vec::as_slice)), (None, Some(&[2, 255][..])));
}
