//! Usage errors, which are reported before any client can connect.

use super::command::command;

#[test]
fn what_cannot_be_is_refused_before_anybody_comes() {
    let told = |args: &[&str], what: &str| {
        let output = command(&[&[":0", "127.0.0.1:9"], args].concat()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(text.contains(what), "{args:?}: {text}");
    };
    told(
        &["--loss", "5%", "--transport", "tcp"],
        "--loss with --transport tcp: all bytes of a stream arrive, once and in order",
    );
    told(&["--down", "--reorder", "5%", "--transport", "tcp"], "--reorder");
    told(&["--stall", "5%/1s", "--transport", "udp"], "--stall with --transport udp: a datagram is independent");
    told(&["--reset", "1%", "--loss", "5%"], "--loss is for datagrams, --reset for streams");
    told(&["--stall", "5%"], "expected a share and a time, as 1%/200ms");
    told(&["--columns", "time", "-f", "ndjson"], "--columns: only with -f csv, tsv and summary");
    told(&["--on", "riptide.message_id == 7: payload.hp=0"], "--schema FILE describes payloads");
    told(&["--on", "message == ack: drop 30"], "expected a share from 0% to 100%");
    told(&["--on", "nano.request: hp=\"a{client}\""], "--on: {client} is the number of a replay's client");
    told(&["--loss", "5"], "expected a share from 0% to 100%");
    told(&["--loss", "90%/2"], "this share is lost in bursts of at least 9.0");
    told(&["--network", "5g"], "expected wifi, lte, 3g, satellite, bad");
    told(&["--rate", "fast"], "expected a rate, as 64kbit");
    told(&["--delay", "-5ms"], "");
}

/// The status and stderr of a proxy that never starts.
fn refused(args: &[&str]) -> (Option<i32>, String) {
    let output = command(args).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!told.contains("relaying"), "{args:?}: {told}");
    (output.status.code(), told)
}

#[test]
fn files_are_looked_at_before_anybody_comes() {
    let to = ["127.0.0.1:0", "127.0.0.1:9"];
    let (status, told) = refused(&[&to[..], &["--pcap", "no-such-folder/run.pcapng"]].concat());
    assert!(status == Some(3) && told.contains("no-such-folder/run.pcapng: "), "{told}");
    let (status, told) = refused(&[&to[..], &["--like", "no-such.pcap"]].concat());
    assert_eq!((status, told.matches("no-such.pcap").count()), (Some(3), 1), "{told}");
    // It is endless.
    let (status, told) = refused(&[&to[..], &["--profile", "/dev/zero"]].concat());
    assert!(status == Some(3) && told.contains("larger than 1 MiB"), "{told}");
}

/// Input files are never overwritten, also with `--force`.
#[test]
fn no_input_is_the_capture() {
    let path = std::env::temp_dir().join(format!("netkit-proxy-input-{}", std::process::id()));
    let name = path.to_str().unwrap();
    std::fs::write(&path, "message == ack: drop\n").unwrap();
    for input in ["--rules", "--profile", "--like"] {
        let (status, told) = refused(&["127.0.0.1:0", "127.0.0.1:9", input, name, "--pcap", name, "--force"]);
        assert!(status == Some(2) && told.contains("--pcap"), "{input}: {told}");
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "message == ack: drop\n");
    std::fs::remove_file(path).unwrap();
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
    assert_eq!(server.recv(&mut [0; 64]).unwrap(), 3);
    let (_, told) = proxy.end();
    assert!(told.contains("up   2 packets arrived, 1 sent, 1 dropped"), "{told}");
}

/// A proxy that sends to itself would see each packet as one of a new client, again and again.
#[test]
fn a_proxy_to_itself_is_refused() {
    for (listen, target) in [("127.0.0.1:9", "127.0.0.1:9"), ("0.0.0.0:9", "127.0.0.1:9"), ("[::1]:9", "[::1]:9")] {
        let (status, told) = refused(&[listen, target]);
        assert!(status == Some(2) && told.contains("is LISTEN itself"), "{listen}: {told}");
    }
}

/// The user of `--loss 5% --up` would have losses in both directions.
#[test]
fn a_direction_without_anything_for_it_is_refused() {
    let to = ["127.0.0.1:0", "127.0.0.1:9"];
    for args in [&["--loss", "5%", "--up"][..], &["--down", "--up", "--delay", "5ms"]] {
        let (status, told) = refused(&[&to[..], args].concat());
        assert!(status == Some(2) && told.contains(": no impairment follows it"), "{args:?}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
    }
}
