//! The inspector on live traffic: messages that are held, edited, dropped and passed.

use crate::common;
use crate::common::Receive;
use crate::common::terminal::{Terminal, no_setsid};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream, UdpSocket};

/// A package of nano.
fn package(kind: u8, body: &[u8]) -> Vec<u8> {
    [&[kind], &(body.len() as u32).to_be_bytes()[1..], body].concat()
}

fn request(id: u8, payload: &str) -> Vec<u8> {
    package(4, &[&[0, id, 9], &b"game.move"[..], payload.as_bytes()].concat())
}

/// Reads a package, as a peer does.
fn receive(stream: &mut TcpStream) -> Vec<u8> {
    let mut head = [0; 4];
    stream.read_exact(&mut head).expect("a head");
    let mut body = vec![0; u32::from_be_bytes([0, head[1], head[2], head[3]]) as usize];
    stream.read_exact(&mut body).expect("a body");
    [&head[..], &body].concat()
}

/// The next package, or none within a moment that is long for a relay.
fn nothing(stream: &mut TcpStream) -> bool {
    stream.set_read_timeout(Some(std::time::Duration::from_millis(200))).expect("a timeout");
    let read = stream.read(&mut [0]);
    stream.set_read_timeout(Some(common::HANG)).expect("a timeout");
    read.is_err()
}

/// A client and its server, after the handshake.
fn connect(at: &str, listener: &TcpListener) -> (TcpStream, TcpStream) {
    let mut client = TcpStream::connect(at).expect("the proxy");
    let mut server = listener.accept().expect("a client").0;
    for stream in [&client, &server] {
        stream.set_read_timeout(Some(common::HANG)).expect("a timeout");
    }
    client.write_all(&package(1, b"{\"sys\":{\"type\":\"t\",\"version\":\"1\"}}")).expect("sent");
    receive(&mut server);
    server.write_all(&package(1, b"{\"code\":200,\"sys\":{\"heartbeat\":9}}")).expect("sent");
    receive(&mut client);
    client.write_all(&package(2, b"")).expect("sent");
    receive(&mut server);
    (client, server)
}

/// A request is held, edited and passed: the server reads the edited value, and what follows comes after it. Other
/// connections pass meanwhile, even if nobody reads what the screen draws.
#[test]
fn a_held_request_is_edited() {
    if no_setsid() {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let target = listener.local_addr().expect("an address").to_string();
    let mut terminal = Terminal::new(120, 30);
    let options = ["--transport", "tcp", "-p", "nano", "--hold", "payload.hp == 20", "--hold-for", "1h"];
    let (child, at) = terminal.proxy(&target, &options);
    let (mut client, mut server) = connect(&at, &listener);
    let all: Vec<Vec<u8>> =
        (1..).zip([10, 20, 30]).map(|(id, hp)| request(id, &format!("{{\"hp\":{hp},\"name\":\"bob\"}}"))).collect();
    client.write_all(&all.concat()).expect("sent");
    assert_eq!(receive(&mut server), all[0]);
    terminal.shows("1 held (H)");
    assert!(nothing(&mut server));
    // The terminal is not read: the screen blocks, the relay does not.
    let (mut other, mut others) = connect(&at, &listener);
    for n in 0..20_000u32 {
        let sent = request(n as u8, "{\"hp\":1}");
        other.write_all(&sent).expect("sent");
        assert_eq!(receive(&mut others), sent);
    }
    terminal.keys("H");
    terminal.shows("[held]");
    terminal.shows("▶ Messages");
    terminal.keys("Eid=zzz");
    terminal.keys("\x15id=zzz");
    terminal.shows("id is a number");
    terminal.keys("\x15payload.hp=20000, payload.name=\"Ann B\"\r");
    terminal.shows("press a to pass it with these changes");
    terminal.shows("-> 20000");
    assert!(nothing(&mut server));
    terminal.keys("a");
    assert_eq!(receive(&mut server), request(2, "{\"hp\":20000,\"name\":\"Ann B\"}"));
    assert_eq!(receive(&mut server), all[2]);
    terminal.shows("[edited]");
    // From now on all requests are held; one is dropped, the next passes.
    terminal.keys("imessage == request");
    terminal.keys("\x15message == request\r");
    terminal.shows("messages that match are held");
    client.write_all(&all[..2].concat()).expect("sent");
    terminal.shows("2 held (H)");
    // At its end the list has them, too: H goes on to the first.
    terminal.keys("G");
    terminal.shows("[held]");
    terminal.keys("HX");
    terminal.shows("1 held (H)");
    terminal.keys("A");
    assert_eq!(receive(&mut server), all[1]);
    terminal.until("none held", |terminal| !terminal.text().contains(" held (H)"));
    // The end of the connection comes after what was held.
    client.write_all(&all[2]).expect("sent");
    client.shutdown(Shutdown::Write).expect("an end");
    terminal.shows("1 held (H)");
    assert!(nothing(&mut server));
    terminal.keys("A");
    assert_eq!(receive(&mut server), all[2]);
    assert_eq!(server.read(&mut [0]).expect("an end"), 0);
    terminal.keys("\x1a");
    terminal.shows("the relay would stop");
    terminal.keys("q");
    assert_eq!(terminal.ended(child), Some(0));
}

/// Datagrams are held alone: those after them pass.
#[test]
fn held_datagrams() {
    if no_setsid() {
        return;
    }
    let server = UdpSocket::bind("127.0.0.1:0").expect("a port");
    server.set_read_timeout(Some(common::HANG)).expect("a timeout");
    let target = server.local_addr().expect("an address").to_string();
    let mut terminal = Terminal::new(120, 30);
    let options = ["--transport", "udp", "-p", "riptide", "-s", "riptide.version=2.0", "--hold", "message_id == 7"];
    let more = ["--most-held", "2", "--hold-for", "1h"];
    let (child, at) = terminal.proxy(&target, &[&options[..], &more].concat());
    let client = UdpSocket::bind("127.0.0.1:0").expect("a port");
    client.connect(&at).expect("the proxy");
    let receive = || {
        let mut bytes = [0; 64];
        let length = server.receive(&mut bytes).expect("a datagram");
        bytes[..length].to_vec()
    };
    let datagram = |id: u8, value: u8| [0, id, 0, value, 0];
    for (id, value) in [(7, 1), (8, 2), (7, 3), (7, 4)] {
        client.send(&datagram(id, value)).expect("sent");
    }
    // The third one is beyond the limit.
    assert_eq!([receive(), receive()], [datagram(8, 2), datagram(7, 4)]);
    terminal.shows("2 held (H)");
    terminal.shows("1 not held: --most-held reached");
    terminal.shows("[held]");
    terminal.keys("HE\x15message_id=9\r");
    terminal.shows("press a to pass it with these changes");
    terminal.keys("a");
    assert_eq!(receive(), datagram(9, 1));
    terminal.keys("A");
    assert_eq!(receive(), datagram(7, 3));
    terminal.keys("q");
    assert_eq!(terminal.ended(child), Some(0));
    // A time limit passes them.
    let mut terminal = Terminal::new(120, 30);
    let (child, at) = terminal.proxy(&target, &[&options[..], &["--hold-for", "1s"]].concat());
    client.connect(&at).expect("the proxy");
    client.send(&datagram(7, 5)).expect("sent");
    assert_eq!(receive(), datagram(7, 5));
    terminal.shows("[passed: time limit]");
    terminal.keys("q");
    assert_eq!(terminal.ended(child), Some(0));
}

/// An error names the option if the output is not a terminal, or the inspector is missing.
#[test]
fn what_cannot_be_shown_is_refused() {
    let piped = common::run(&["proxy", "127.0.0.1:0", "127.0.0.1:9", "--view"], b"");
    assert_eq!((piped.status, piped.err.contains("--view needs a terminal")), (Some(2), true), "{}", piped.err);
    let alone = common::run(&["proxy", "127.0.0.1:0", "127.0.0.1:9", "--hold", "message == ack"], b"");
    assert_eq!((alone.status, alone.err.contains("--view")), (Some(2), true), "{}", alone.err);
}
