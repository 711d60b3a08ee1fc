//! Usage errors, which are reported before any client can connect.

use super::command::command;
use crate::common::Receive;

#[test]
fn what_cannot_be_is_refused_before_anybody_comes() {
    let reported = |args: &[&str], what: &str| {
        let output = command(&[&[":0", "127.0.0.1:9"], args].concat()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(what), "{args:?}: {text}");
    };
    reported(
        &["--loss", "5%", "--transport", "tcp"],
        "--loss with --transport tcp: all bytes of a stream arrive, once and in order",
    );
    reported(&["--down", "--reorder", "5%", "--transport", "tcp"], "--reorder");
    reported(&["--stall", "5%/1s", "--transport", "udp"], "--stall with --transport udp: a datagram is independent");
    reported(&["--reset", "1%", "--loss", "5%"], "--loss is for datagrams, --reset for streams");
    reported(&["--stall", "5%"], "expected a share and a time, such as 1%/200ms");
    reported(&["--columns", "time", "-f", "ndjson"], "--columns: only with -f csv, tsv and summary");
    reported(&["--on", "riptide.message_id == 7: payload.hp=0"], "--schema FILE describes payloads");
    reported(&["--on", "message == ack: drop 30"], "expected a share from 0% to 100%");
    reported(&["--on", "nano.request: hp=\"a{client}\""], "--on: {client} is the number of a replay's client");
    reported(&["--loss", "5"], "expected a share from 0% to 100%");
    reported(&["--loss", "90%/2"], "this loss needs bursts of at least 9.0 packets");
    reported(&["--network", "5g"], "expected wifi, lte, 3g, satellite, bad");
    reported(&["--rate", "fast"], "expected a rate, such as 64kbit");
    reported(&["--delay", "-5ms"], "");
    // With a file, other names may be protocols, but this one is none.
    reported(&["--schema", "schemas/riptide.toml", "--port", "7777=ript1de"], "ript1de");
}

/// The status and stderr of a proxy that never starts.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let output = command(args).output().unwrap();
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!reported.contains("relaying"), "{args:?}: {reported}");
    (output.status.code(), reported)
}

#[test]
fn files_are_looked_at_before_anybody_comes() {
    let to = ["127.0.0.1:0", "127.0.0.1:9"];
    let (status, reported) = refused(&[&to[..], &["--pcap", "no-such-folder/run.pcapng"]].concat());
    assert!(status == Some(3) && reported.contains("no-such-folder/run.pcapng: "), "{reported}");
    let (status, reported) = refused(&[&to[..], &["--like", "no-such.pcap"]].concat());
    assert_eq!((status, reported.matches("no-such.pcap").count()), (Some(3), 1), "{reported}");
    // It is endless.
    let (status, reported) = refused(&[&to[..], &["--profile", "/dev/zero"]].concat());
    assert!(status == Some(3) && reported.contains("larger than 1 MiB"), "{reported}");
}

/// Input files are never overwritten, also with `--force`.
#[test]
fn no_input_is_the_capture() {
    let path = std::env::temp_dir().join(format!("netkit-proxy-input-{}", std::process::id()));
    let name = path.to_str().unwrap();
    std::fs::write(&path, "message == ack: drop\n").unwrap();
    for input in ["--rules", "--profile", "--like"] {
        let (status, reported) = refused(&["127.0.0.1:0", "127.0.0.1:9", input, name, "--pcap", name, "--force"]);
        assert!(status == Some(2) && reported.contains("--pcap"), "{input}: {reported}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "message == ack: drop\n");
    // Nor by a file of a divided recording.
    let (whole, part) = (format!("{name}.pcapng"), format!("{name}_00001.pcapng"));
    std::fs::rename(&path, &part).unwrap();
    let divided = ["--rules", &part, "--pcap", &whole, "--pcap-size", "20M", "--force"];
    let (status, reported) = refused(&[&["127.0.0.1:0", "127.0.0.1:9"][..], &divided].concat());
    assert!(status == Some(2) && reported.contains("would replace the input"), "{reported}");
    assert_eq!(std::fs::read_to_string(&part).unwrap(), "message == ack: drop\n");
    std::fs::remove_file(part).unwrap();
}

/// A described protocol can have rules like the others.
#[test]
fn a_described_protocol_has_rules() {
    let server = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    server.set_read_timeout(Some(super::command::GUARD)).unwrap();
    let args = ["--protocol-file", "protocols/a2s.toml", "-p", "a2s", "-f", "none"];
    let proxy =
        super::command::Proxy::start(&server, &[&args[..], &["--on", "message == info_request: drop"]].concat());
    let client = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    client.connect(&proxy.at).unwrap();
    client.send(b"\xff\xff\xff\xffTSource Engine Query\0").unwrap();
    client.send(b"end").unwrap();
    assert_eq!(server.receive(&mut [0; 64]).unwrap(), 3);
    let (_, reported) = proxy.end();
    assert!(reported.contains("up   2 packets arrived, 1 sent, 1 dropped"), "{reported}");
}

/// A proxy that sends to itself would see each packet as one of a new client, again and again.
#[test]
fn a_proxy_to_itself_is_refused() {
    for (listen, target) in [("127.0.0.1:9", "127.0.0.1:9"), ("0.0.0.0:9", "127.0.0.1:9"), ("[::1]:9", "[::1]:9")] {
        let (status, reported) = refused(&[listen, target]);
        assert!(status == Some(2) && reported.contains("is LISTEN itself"), "{listen}: {reported}");
    }
}

/// The user of `--loss 5% --up` would have losses in both directions.
#[test]
fn a_direction_without_anything_for_it_is_refused() {
    let to = ["127.0.0.1:0", "127.0.0.1:9"];
    for args in [&["--loss", "5%", "--up"][..], &["--down", "--up", "--delay", "5ms"]] {
        let (status, reported) = refused(&[&to[..], args].concat());
        assert!(status == Some(2) && reported.contains(": no impairment follows it"), "{args:?}: {reported}");
        assert_eq!(reported.lines().count(), 1, "{reported}");
    }
}

/// A name that does not resolve now may do so later: that is no wrong usage.
#[test]
fn a_name_that_does_not_resolve() {
    let (status, reported) = refused(&["127.0.0.1:0", "no-such-host.invalid:9"]);
    assert_eq!(status, Some(3), "{reported}");
}
