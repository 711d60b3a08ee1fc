//! The ends of the connections of a proxy's clients. Conversations of Riptide's own library, whose server logged the
//! ends, are repeated between two sockets.
#![cfg(unix)]

use crate::common::{Receive, fixture, rests, signal, until};
use crate::proxy::command::{GUARD, Proxy, lines, reports, sockets};
use netkit::capture::{Body, Decoded, Packets};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::process::Command;

/// The datagrams of a client in order: whether the client sent it, and the bytes.
type Conversation = Vec<(bool, Vec<u8>)>;

/// The conversations of a capture in order of their first datagrams, which their clients sent.
fn conversations(name: &str) -> Vec<Conversation> {
    let mut packets = Packets::open(Box::new(std::fs::File::open(fixture(name)).unwrap())).unwrap();
    let mut all: Vec<(SocketAddr, Conversation)> = Vec::new();
    while let Some(item) = packets.next().unwrap() {
        if let Decoded::Packet(packet) = item.decoded
            && let Body::Udp { payload, .. } = packet.body
        {
            match all.iter_mut().find(|(client, _)| [packet.src, packet.dst].contains(client)) {
                Some((client, list)) => list.push((*client == packet.src, payload.to_vec())),
                None => all.push((packet.src, vec![(true, payload.to_vec())])),
            }
        }
    }
    all.into_iter().map(|(_, list)| list).collect()
}

/// Repeats a conversation through the proxy. Returns the client's socket.
fn repeat(conversation: &Conversation, proxy: &Proxy, server: &UdpSocket) -> UdpSocket {
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_read_timeout(Some(GUARD)).unwrap();
    client.connect(&proxy.at).unwrap();
    let (mut buffer, mut leg) = ([0; 2048], None);
    for (by_client, bytes) in conversation {
        let length = match (by_client, leg) {
            (true, _) => {
                client.send(bytes).unwrap();
                let (length, from) = server.receive_from(&mut buffer).unwrap();
                leg = Some(from);
                length
            }
            (false, Some(leg)) => {
                server.send_to(bytes, leg).unwrap();
                client.receive(&mut buffer).unwrap()
            }
            (false, None) => panic!("the client begins"),
        };
        assert_eq!(buffer[..length], bytes[..]);
    }
    client
}

/// Of the captured server's log: the conversation, the sentence, the end, the side that ended it, and the reason.
const LOGGED: [(usize, &str, &str, &str, &str); 6] = [
    (1, "the server left (server_stopped)", "left", "server", "server_stopped"),
    (2, "the server ended the session of the client (kicked): \"🎮 日本語 81020000\"", "kicked", "server", "kicked"),
    (3, "the client left (disconnected)", "left", "client", "disconnected"),
    (4, "the server refused the client (server_full)", "refused", "server", "server_full"),
    (6, "the server refused the client (custom): \"Nope: player 🎮 67ffffff\"", "refused", "server", "custom"),
    (7, "the server refused the client (rejected)", "refused", "server", "rejected"),
];

/// Each client has a line, and an object in JSON; a client that is still connected is open.
#[test]
fn each_client_has_its_end() {
    let conversations = conversations("riptide/riptide20-udp.pcap");
    let [server, _] = sockets();
    let proxy = Proxy::start(&server, &["-p", "riptide", "-f", "ndjson"]);
    let mut clients: Vec<_> =
        LOGGED.iter().map(|(flow, ..)| repeat(&conversations[flow - 1], &proxy, &server)).collect();
    let open = conversations[2].split_last().unwrap().1.to_vec();
    clients.push(repeat(&open, &proxy, &server));
    let (out, reported) = proxy.end();
    let addresses: Vec<_> = clients.iter().map(|client| client.local_addr().unwrap().to_string()).collect();
    let sentences = LOGGED.iter().map(|(_, sentence, ..)| *sentence).chain(["open when the proxy ended"]);
    for (address, sentence) in addresses.iter().zip(sentences) {
        assert!(reported.contains(&format!("netkit: {address} (riptide): {sentence}\n")), "{sentence}: {reported}");
    }
    let reports = reports(&out);
    let (ends, counts) = reports.split_at(7);
    for (address, (_, _, end, by, reason)) in addresses.iter().zip(LOGGED) {
        let row = ends.iter().find(|row| row["client"] == **address).unwrap_or_else(|| panic!("{address}: {out}"));
        assert_eq!((&row["report"], &row["end"]), (&"end".into(), &end.into()), "{row}");
        assert_eq!((&row["end_by"], &row["end_reason"]), (&by.into(), &reason.into()), "{row}");
    }
    let counts: Vec<_> =
        counts.iter().map(|row| format!("{} {} {}", row["end"], row["end_by"], row["connections"])).collect();
    let want = [
        r#""kicked" "server" 1"#,
        r#""left" "client" 1"#,
        r#""left" "server" 1"#,
        r#""open" null 1"#,
        r#""refused" "server" 3"#,
    ];
    assert_eq!(counts, want, "{out}");
}

/// A nano server kicks a client and leaves without reading everything: a reset. The kick is still relayed and printed,
/// although the proxy notices the reset first, when it writes. The end is the server's.
#[test]
fn the_last_message_before_a_reset_is_relayed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = Proxy::to(&listener.local_addr().unwrap().to_string(), &["-p", "nano", "-f", "ndjson"]);
    let mut client = TcpStream::connect(&proxy.at).unwrap();
    let (mut server, _) = listener.accept().unwrap();
    for stream in [&client, &server] {
        stream.set_read_timeout(Some(GUARD)).unwrap();
    }
    let (heartbeat, kick) = ([3, 0, 0, 0], [5, 0, 0, 2, b'{', b'}']);
    client.write_all(&heartbeat).unwrap();
    until("the server has it", || server.peek(&mut [0; 4]).unwrap() == 4);
    rests(&proxy.child);
    signal(&proxy.child, "-STOP");
    let state = || Command::new("ps").args(["-o", "state=", "-p", &proxy.id().to_string()]).output().unwrap().stdout;
    until("it is stopped", || state().starts_with(b"T"));
    client.write_all(&heartbeat).unwrap();
    server.write_all(&kick).unwrap();
    drop(server);
    signal(&proxy.child, "-CONT");
    let mut arrived = Vec::new();
    let error = client.read_to_end(&mut arrived).unwrap_err();
    assert_eq!((&arrived[..], error.kind()), (&kick[..], ErrorKind::ConnectionReset));
    let (out, reported) = proxy.end();
    let messages: Vec<_> = lines(&out).iter().map(|line| line["message"].to_string()).collect();
    assert_eq!(messages, ["\"heartbeat\"", "\"heartbeat\"", "\"kick\""], "{out}");
    assert!(reported.contains(" (nano): the server ended the session of the client (kick)"), "{reported}");
}

/// Many clients are counted by kind.
#[test]
fn many_clients_are_counted_by_their_ends() {
    let conversations = conversations("riptide/riptide20-udp.pcap");
    let [server, _] = sockets();
    let proxy = Proxy::start(&server, &["-p", "riptide", "-f", "summary"]);
    let clients: Vec<_> =
        [3, 4, 4].iter().cycle().take(18).map(|k| repeat(&conversations[k - 1], &proxy, &server)).collect();
    let (out, reported) = proxy.end();
    drop(clients);
    assert!(reported.contains("netkit: ends: 6 left by the client, 12 refused by the server\n"), "{reported}");
    assert!(!reported.contains("(riptide)") && !out.contains("report"), "{reported}");
}
