//! Nothing on a proxy's output side touches what it relays: a blocked or closed stdout, a full disk.
#![cfg(unix)]

use super::command::{GUARD, Proxy, sockets};
use netkit::capture::Capture;
use std::net::{TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::Command;

/// Sends datagrams one by one through the proxy: each of them arrives.
fn all_pass(proxy: &Proxy, server: &UdpSocket, client: &UdpSocket, count: u32) {
    client.connect(&proxy.at).unwrap();
    let mut buffer = [0; 64];
    for n in 0..count {
        let bytes = [&[3][..], &n.to_be_bytes()].concat();
        client.send(&bytes).unwrap();
        let length = server.recv(&mut buffer).unwrap_or_else(|error| panic!("datagram {n} of {count}: {error}"));
        assert_eq!(buffer[..length], bytes);
    }
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("netkit-{}-{name}.pcapng", std::process::id()))
}

/// `| sleep`, a stopped terminal, a slow ssh: nobody reads what is printed.
#[test]
fn a_blocked_stdout_stops_no_datagram() {
    let [server, client] = sockets();
    let proxy = Proxy::start(&server, &["-p", "dnp", "-f", "summary"]);
    // More than the pipe and the queue hold.
    let count = 20_000;
    all_pass(&proxy, &server, &client, count);
    // One INT ends it, with its counts, although stdout is still blocked.
    let (status, told) = proxy.interrupted(|| {});
    assert_eq!(status, Some(0), "{told}");
    assert!(told.contains("netkit: stdout is slower than the traffic: lines are not printed\n"), "{told}");
    let missing = told.lines().find_map(|line| line.strip_prefix("netkit: ")?.strip_suffix(" lines not printed"));
    let missing: u32 = missing.unwrap_or_else(|| panic!("{told}")).parse().unwrap();
    assert!((1..count).contains(&missing), "{told}");
    assert!(told.contains(&format!("up   {count} packets came, {count} went\n")), "{told}");
}

/// `| head -2`: the printing ends, the relay and the recording go on.
#[test]
fn a_closed_stdout_ends_the_printing_alone() {
    let [server, client] = sockets();
    let pcap = temporary("closed");
    let mut proxy = Proxy::start(&server, &["-p", "dnp", "-f", "ndjson", "--pcap", pcap.to_str().unwrap()]);
    drop(proxy.child.stdout.take());
    all_pass(&proxy, &server, &client, 500);
    let (status, told) = proxy.interrupted(|| {});
    assert_eq!(status, Some(0), "{told}");
    assert!(told.contains("netkit: stdout is closed: the relay goes on\n"), "{told}");
    assert!(!told.contains("not printed") && told.contains("up   500 packets came, 500 went\n"), "{told}");
    assert_eq!(frames(&pcap), 1000, "both legs");
    std::fs::remove_file(pcap).unwrap();
}

/// Counts the frames of a file, which has to be whole.
fn frames(path: &PathBuf) -> u32 {
    let mut capture = Capture::open(Box::new(std::fs::File::open(path).unwrap())).unwrap();
    let (mut count, mut last) = (0, i128::MIN);
    while let Some(frame) = capture.next().unwrap() {
        assert!(frame.time.nanos() >= last, "frame {}: in the order of time", frame.number);
        (count, last) = (count + 1, frame.time.nanos());
    }
    count
}

/// A disk without room ends the recording, says when, and is an error at the end.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_recording_alone() {
    let [server, client] = sockets();
    let pcap = temporary("full");
    // A limit of 32 blocks of 512 bytes stands for the disk; without the trap its signal ends the program.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 32; exec {} proxy 127.0.0.1:0 {} -p dnp -f none --pcap {}",
        env!("CARGO_BIN_EXE_netkit"),
        server.local_addr().unwrap(),
        pcap.display()
    );
    let mut command = Command::new("sh");
    command.args(["-c", &limited]);
    let proxy = Proxy::spawn(command);
    all_pass(&proxy, &server, &client, 500);
    let (status, told) = proxy.interrupted(|| {});
    assert_eq!(status, Some(3), "{told}");
    let line = format!("netkit: {}: recording stopped: File too large (os error 27) after ", pcap.display());
    let packets = told.lines().find_map(|text| text.strip_prefix(&line)?.split(' ').next()?.parse::<u32>().ok());
    assert!((1..1000).contains(&packets.unwrap_or_default()), "{told}");
    assert!(told.contains("up   500 packets came, 500 went\n"), "{told}");
    assert_eq!(std::fs::metadata(&pcap).unwrap().len(), 32 * 512);
    std::fs::remove_file(pcap).unwrap();
}

/// A disk that is full from the start is an error before anybody is relayed.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_at_the_start_is_an_error() {
    let output = super::command::command(&["127.0.0.1:0", "127.0.0.1:9", "--pcap", "/dev/full"]).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert_eq!(told, "netkit: /dev/full: No space left on device (os error 28)\n");
}

/// What is recorded is in the file while the proxy runs, whatever ends it.
#[test]
fn a_recording_survives_a_kill() {
    let [server, client] = sockets();
    let pcap = temporary("killed");
    let mut proxy =
        Proxy::start(&server, &["-p", "dnp", "-f", "none", "--delay", "5ms", "--pcap", pcap.to_str().unwrap()]);
    all_pass(&proxy, &server, &client, 50);
    let begun = std::time::Instant::now();
    while frames(&pcap) < 100 {
        assert!(begun.elapsed() < GUARD, "the packets are not in the file");
        std::thread::yield_now();
    }
    proxy.child.kill().unwrap();
    proxy.child.wait().unwrap();
    assert_eq!(frames(&pcap), 100);
    std::fs::remove_file(pcap).unwrap();
}

/// The server's leg has what was sent, when it was: not what was lost, and not what still waits.
#[test]
fn the_server_s_leg_has_what_was_sent() {
    let [server, client] = sockets();
    let pcap = temporary("sent");
    let options = ["-p", "dnp", "-f", "none", "--on", "data == aa: delay 1h", "--on", "data == bb: drop"];
    let proxy = Proxy::start(&server, &[&options[..], &["--pcap", pcap.to_str().unwrap()]].concat());
    client.connect(&proxy.at).unwrap();
    for bytes in [[3, 0xaa], [3, 0xbb], [3, 0xcc]] {
        client.send(&bytes).unwrap();
    }
    let mut buffer = [0; 8];
    assert_eq!((server.recv(&mut buffer).unwrap(), buffer[1]), (2, 0xcc));
    let (status, told) = proxy.interrupted(|| {});
    assert_eq!(status, Some(0), "{told}");
    let mut capture = Capture::open(Box::new(std::fs::File::open(&pcap).unwrap())).unwrap();
    let mut last = Vec::new();
    while let Some(frame) = capture.next().unwrap() {
        last.push(*frame.data.last().unwrap());
    }
    assert_eq!(last, [0xaa, 0xbb, 0xcc, 0xcc], "three arrived, one was sent");
    let bytes = std::fs::read(&pcap).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("frame 1: still waiting when the recording ended") && has("dropped"), "{told}");
    std::fs::remove_file(pcap).unwrap();
}

/// What reads a recording counts each message once: on the client's leg, unless another one is asked for.
#[test]
fn one_leg_is_counted() {
    let [server, client] = sockets();
    let pcap = temporary("legs");
    let name = pcap.to_str().unwrap();
    let options = ["-p", "dnp", "-f", "none", "--on", "data == bb: drop", "--on", "data == cc: duplicate"];
    let proxy = Proxy::start(&server, &[&options[..], &["--pcap", name]].concat());
    client.connect(&proxy.at).unwrap();
    for bytes in [[3, 0xaa], [3, 0xbb], [3, 0xcc], [3, 0xdd]] {
        client.send(&bytes).unwrap();
    }
    let mut buffer = [0; 8];
    let mut from = None;
    while buffer[1] != 0xdd {
        from = Some(server.recv_from(&mut buffer).unwrap().1);
    }
    server.send_to(&[3, 0xee], from.unwrap()).unwrap();
    client.recv(&mut buffer).unwrap();
    proxy.end();
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_netkit")).args(args).args(["-p", "dnp"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    // The client sent four and got one; the server got four, one of them twice, and sent one.
    let client = ["aa", "bb", "cc", "dd", "ee"];
    let server = ["aa", "cc", "cc", "dd", "ee"];
    let both = [&client[..], &server].concat();
    let line = |leg| format!("netkit: a proxy's recording: of its two legs the {leg}'s is read (--leg)\n");
    for (args, want, said) in [
        (&[][..], &both[..], None),
        (&["--leg", "both"], &both, None),
        (&["--leg", "client"], &client, Some(line("client"))),
        (&["--leg", "server"], &server, Some(line("server"))),
    ] {
        let [out, told] = run(&[&["decode", name, "-f", "tsv", "--columns", "data"], args].concat());
        let mut all: Vec<&str> = out.lines().skip(1).collect();
        let mut want = want.to_vec();
        all.sort_unstable();
        want.sort_unstable();
        assert_eq!(all, want, "{args:?}");
        assert_eq!(said.is_some_and(|line| told.contains(&line)), told.contains("two legs"), "{told}");
    }
    for (args, count) in [(&[][..], 5), (&["--leg", "server"], 5), (&["--leg", "both"], 10)] {
        let [out, told] = run(&[&["stats", name, "-f", "json"], args].concat());
        let stats: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(stats["messages"], count, "{args:?}: {out}");
        assert_eq!(told.contains("two legs"), count == 5, "{told}");
    }
    let [out, told] = run(&["replay", name, "--list", "-f", "ndjson"]);
    assert_eq!((out.lines().count(), told.contains(&line("client"))), (1, true), "{out}{told}");
    assert_eq!(run(&["replay", name, "--list", "-f", "ndjson", "--leg", "both"])[0].lines().count(), 2);
    std::fs::remove_file(pcap).unwrap();
}

/// A client for whom there is no place is reported once, not with each of its datagrams.
#[test]
fn a_client_without_a_place_is_reported_once() {
    let [server, client] = sockets();
    let [other, _] = sockets();
    let proxy = Proxy::start(&server, &["-p", "dnp", "-f", "none", "--clients", "1", "--transport", "udp"]);
    all_pass(&proxy, &server, &client, 1);
    other.connect(&proxy.at).unwrap();
    for _ in 0..500 {
        other.send(&[3, 1]).unwrap();
    }
    // What comes after them has passed: they were read.
    all_pass(&proxy, &server, &client, 1);
    let (_, told) = proxy.interrupted(|| {});
    let address = other.local_addr().unwrap();
    let line = format!("netkit: {address}: turned away: 1 clients are connected (--clients)\n");
    assert_eq!(told.matches(&line).count(), 1, "{told}");
    assert!(told.contains("netkit: 1 client, 1 turned away\n"), "{told}");
}

/// Where no file is left for a connection, it is reset, and does not wait in vain.
#[test]
fn a_connection_without_a_file_is_reset() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = server.local_addr().unwrap().to_string();
    let limited = format!(
        "ulimit -n 24; exec {} proxy 127.0.0.1:0 {target} -f none --transport tcp",
        env!("CARGO_BIN_EXE_netkit")
    );
    let mut command = Command::new("sh");
    command.args(["-c", &limited]);
    let proxy = Proxy::spawn(command);
    let clients: Vec<TcpStream> = (0..40).map(|_| TcpStream::connect(&proxy.at).unwrap()).collect();
    // Of those that are served nothing comes; the others end at once.
    let ended = || {
        let over = |mut client: &TcpStream| {
            client.set_read_timeout(Some(std::time::Duration::from_millis(10))).unwrap();
            let read = std::io::Read::read(&mut client, &mut [0; 1]);
            !matches!(read, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
        };
        clients.iter().filter(|client| over(client)).count()
    };
    let begun = std::time::Instant::now();
    while ended() < 20 {
        assert!(begun.elapsed() < GUARD, "{} of 40 have ended", ended());
    }
    drop(clients);
    let (_, told) = proxy.interrupted(|| {});
    // The file is missing either to accept a client, or to connect it to the server.
    let lines = told.lines().filter(|line| line.contains("Too many open files")).count();
    assert!((1..40).contains(&lines), "{told}");
    assert!(told.contains("clients were turned away") || told.contains(" reset\n"), "{told}");
}
