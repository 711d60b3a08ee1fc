//! Trouble with a proxy's output does not affect relaying: a blocked or closed stdout, a full disk.
#![cfg(unix)]

use super::command::{GUARD, Proxy, command, sockets};
use crate::common::late::{ensure, unless_late};
use crate::common::terminal::{Terminal, no_setsid};
use crate::common::{Receive, rests};
use netkit::capture::{Capture, Leg};
use std::net::{TcpStream, UdpSocket};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// Sends datagrams one by one through the proxy, and checks that each arrives.
fn all_pass(at: &str, server: &UdpSocket, client: &UdpSocket, count: u32) {
    client.connect(at).unwrap();
    let mut buffer = [0; 64];
    for n in 0..count {
        let bytes = [&[3][..], &n.to_be_bytes()].concat();
        client.send(&bytes).unwrap();
        let length = server.receive(&mut buffer).unwrap_or_else(|error| panic!("datagram {n} of {count}: {error}"));
        assert_eq!(buffer[..length], bytes);
    }
}

fn temporary(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("netkit-{}-{name}.pcapng", std::process::id()))
}

/// `| sleep`, a stopped terminal, a slow ssh: nobody reads the output.
#[test]
fn a_blocked_stdout_stops_no_datagram() {
    let [server, client] = sockets();
    let proxy = Proxy::start(&server, &["-p", "dnp", "-f", "summary"]);
    // More than the pipe and the queue can hold.
    let count = 20_000;
    all_pass(&proxy.at, &server, &client, count);
    // One INT ends it and prints its counts, although stdout is still blocked.
    let (status, reported) = proxy.interrupted(|| {});
    assert_eq!(status, Some(0), "{reported}");
    assert!(reported.contains("netkit: stdout is slower than the traffic: lines are not printed\n"), "{reported}");
    let missing = reported.lines().find_map(|line| line.strip_prefix("netkit: ")?.strip_suffix(" lines not printed"));
    let missing: u32 = missing.unwrap_or_else(|| panic!("{reported}")).parse().unwrap();
    assert!((1..count).contains(&missing), "{reported}");
    assert!(reported.contains(&format!("up   {count} packets arrived, {count} sent\n")), "{reported}");
}

/// Ctrl-S stops the terminal, with all that is printed there. The relay goes on, and Ctrl-C prints everything.
#[test]
fn a_stopped_terminal_stops_no_datagram() {
    if no_setsid() {
        return;
    }
    // At the end, the proxy waits for a second while nobody takes its output.
    unless_late(Duration::from_secs(1), 0..5, |_| after_a_stopped_terminal());
}

/// Returns an error unless everything is printed. What is not printed is counted.
fn after_a_stopped_terminal() -> Result<(), String> {
    let [server, client] = sockets();
    let (mut terminal, target) = (Terminal::new(120, 24), server.local_addr().unwrap().to_string());
    let options = ["-p", "dnp", "-f", "summary", "--color", "never", "--status", "1s"];
    let shell = "trap : TERM HUP INT; \"$@\"; status=$?; read -r line; exit $status";
    let proxy = command(&[&["127.0.0.1:0", &target], &options[..]].concat());
    let child = terminal.start_below(shell, &proxy, &[]);
    let to = format!(" to {target}");
    terminal.writes(&to);
    let at = terminal.written().split(&to).next().unwrap().split(' ').next_back().unwrap().to_owned();
    terminal.keeps_output();
    // The kernel needs a moment for the key: some lines may already be on their way to the reader.
    terminal.keys("\x13");
    // More than the terminal holds, and less than the queue.
    all_pass(&at, &server, &client, 4000);
    assert!(!terminal.written().contains("data="), "{}", terminal.written());
    terminal.keys("\x03");
    // A status has rates after this.
    terminal.writes("up   4000 packets arrived, 4000 sent\r\n");
    assert_eq!(terminal.ended(child), Some(0));
    let written = terminal.written();
    let (end, printed) = (&written[written.rfind("data=").unwrap_or(0)..], written.matches("data=").count());
    assert!(printed <= 4000, "{printed} lines");
    // A part of them may still have reached the terminal.
    let missing = end.lines().find_map(|line| line.strip_prefix("netkit: ")?.split(" line").next()?.parse().ok());
    assert!(
        printed == 4000 || missing.is_some_and(|missing: usize| missing >= 4000 - printed),
        "{printed} lines: {end}"
    );
    ensure(printed == 4000, format!("{printed} lines: {end}"))
}

/// `| head -2`: printing ends, relaying and recording go on.
#[test]
fn a_closed_stdout_ends_the_printing_alone() {
    let [server, client] = sockets();
    let pcap = temporary("closed");
    let mut proxy = Proxy::start(&server, &["-p", "dnp", "-f", "ndjson", "--pcap", pcap.to_str().unwrap()]);
    drop(proxy.child.stdout.take());
    // The first line finds the pipe closed, the next one meets it.
    all_pass(&proxy.at, &server, &client, 1);
    rests(&proxy.child);
    all_pass(&proxy.at, &server, &client, 499);
    let (status, reported) = proxy.interrupted(|| {});
    assert_eq!(status, Some(0), "{reported}");
    assert!(reported.contains("netkit: stdout is closed: the relay continues\n"), "{reported}");
    assert!(
        !reported.contains("not printed") && reported.contains("up   500 packets arrived, 500 sent\n"),
        "{reported}"
    );
    assert_eq!(frames(&pcap), 1000, "both legs");
    std::fs::remove_file(pcap).unwrap();
}

/// A table is printed at the end. If stdout is closed then, the counts are still printed, limits still checked, and the
/// recording is completed.
#[test]
fn a_closed_stdout_ends_the_table_alone() {
    let [server, client] = sockets();
    let pcap = temporary("closed-table");
    let rule = ["--on", "data[0] == 9: drop", "--fail-on", "applied < 1"];
    let output = ["-p", "dnp", "-f", "table", "--pcap", pcap.to_str().unwrap()];
    let mut proxy = Proxy::start(&server, &[&output[..], &rule].concat());
    drop(proxy.child.stdout.take());
    all_pass(&proxy.at, &server, &client, 3);
    let (status, reported) = proxy.interrupted(|| {});
    assert_eq!(status, Some(1), "{reported}");
    assert!(reported.contains("up   3 packets arrived, 3 sent\n") && reported.contains("--fail-on"), "{reported}");
    assert_eq!(frames(&pcap), 6, "both legs");
    std::fs::remove_file(pcap).unwrap();
}

/// A full disk below stdout is reported, also if no further line meets it, and is an error at the end.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_below_stdout_is_an_error() {
    for (format, count) in [("summary", 1), ("tree", 1), ("summary", 50), ("table", 1), ("json", 1)] {
        let [server, client] = sockets();
        let limited = format!(
            "exec {} proxy 127.0.0.1:0 {} -p dnp -f {format} > /dev/full",
            env!("CARGO_BIN_EXE_netkit"),
            server.local_addr().unwrap()
        );
        let mut command = Command::new("sh");
        command.args(["-c", &limited]);
        let proxy = Proxy::spawn(command);
        all_pass(&proxy.at, &server, &client, count);
        let (status, reported) = proxy.interrupted(|| {});
        assert_eq!(status, Some(3), "{format}: {reported}");
        assert_eq!(reported.matches("netkit: stdout: No space left on device").count(), 1, "{format}: {reported}");
        assert!(reported.contains(&format!("arrived, {count} sent\n")), "{format}: {reported}");
    }
}

/// A client that comes back from the same port opens a connection of its own in the recording, whether its last one was
/// closed or reset.
#[test]
#[cfg(target_os = "linux")]
fn a_port_is_used_again() {
    use socket2::{Domain, Socket, Type};
    use std::io::{ErrorKind, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let pcap = temporary("again");
    let record = ["-p", "nano", "-f", "none", "--pcap", pcap.to_str().unwrap()];
    let proxy = Proxy::to(&listener.local_addr().unwrap().to_string(), &record);
    let (at, mut from) =
        (proxy.at.parse::<std::net::SocketAddr>().unwrap(), std::net::SocketAddr::from(([127, 0, 0, 1], 0)));
    for ended in ["closed", "reset by the client", "reset by the server", "closed"] {
        let mut connected = None;
        // The connection before may still wait for its last acknowledgement: then its port is in use.
        crate::common::until("the port is free", || {
            let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            socket.set_reuse_address(true).unwrap();
            match socket.bind(&from.into()).and_then(|()| socket.connect(&at.into())) {
                Ok(()) => connected = Some(TcpStream::from(socket)),
                Err(why) => assert!(matches!(why.kind(), ErrorKind::AddrNotAvailable | ErrorKind::AddrInUse), "{why}"),
            }
            connected.is_some()
        });
        let mut client = connected.expect("a connection");
        from = client.local_addr().unwrap();
        let (mut server, _) = listener.accept().unwrap();
        for (mut writer, mut reader) in [(&client, &server), (&server, &client)] {
            writer.write_all(&[3, 0, 0, 0]).unwrap();
            reader.read_exact(&mut [0; 4]).unwrap();
        }
        let now = Some(std::time::Duration::ZERO);
        let mut rest = Vec::new();
        match ended {
            "closed" => {
                drop(server);
                assert_eq!(client.read_to_end(&mut rest).unwrap(), 0);
            }
            "reset by the client" => {
                socket2::SockRef::from(&client).set_linger(now).unwrap();
                drop(client);
                server.read_to_end(&mut rest).unwrap_err();
            }
            _ => {
                socket2::SockRef::from(&server).set_linger(now).unwrap();
                drop(server);
                client.read_to_end(&mut rest).unwrap_err();
            }
        }
    }
    proxy.end();
    for leg in ["client", "server"] {
        let read = ["decode", pcap.to_str().unwrap(), "-p", "nano", "--leg", leg, "-f", "ndjson"];
        let messages = crate::common::run(&read, b"").ok();
        let from: Vec<String> = messages.lines().iter().map(|line| line["from"].to_string()).collect();
        assert_eq!(from, ["\"client\"", "\"server\""].repeat(4), "{leg}");
    }
    std::fs::remove_file(pcap).unwrap();
}

/// Counts the frames of a file, which must be complete.
fn frames(path: &PathBuf) -> u32 {
    let mut capture = Capture::open(Box::new(std::fs::File::open(path).unwrap())).unwrap();
    let (mut count, mut last) = (0, i128::MIN);
    while let Some(frame) = capture.next().unwrap() {
        assert!(frame.time.nanos() >= last, "frame {}: in the order of time", frame.number);
        (count, last) = (count + 1, frame.time.nanos());
    }
    count
}

/// A full disk ends the recording, is reported at once, and is an error at the end.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_ends_the_recording_alone() {
    let [server, client] = sockets();
    let pcap = temporary("full");
    // A limit of 32 blocks of 512 bytes replaces the full disk; without the trap, its signal would end the program.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 32; exec {} proxy 127.0.0.1:0 {} -p dnp -f none --pcap {}",
        env!("CARGO_BIN_EXE_netkit"),
        server.local_addr().unwrap(),
        pcap.display()
    );
    let mut command = Command::new("sh");
    command.args(["-c", &limited]);
    let proxy = Proxy::spawn(command);
    all_pass(&proxy.at, &server, &client, 500);
    let (status, reported) = proxy.interrupted(|| {});
    assert_eq!(status, Some(3), "{reported}");
    let line = format!("netkit: {}: recording stopped: File too large (os error 27) after ", pcap.display());
    let packets = reported.lines().find_map(|text| text.strip_prefix(&line)?.split(' ').next()?.parse::<u32>().ok());
    assert!((1..1000).contains(&packets.unwrap_or_default()), "{reported}");
    assert!(reported.contains("up   500 packets arrived, 500 sent\n"), "{reported}");
    assert_eq!(std::fs::metadata(&pcap).unwrap().len(), 32 * 512);
    std::fs::remove_file(pcap).unwrap();
}

/// A disk that is full from the start is an error before any client is relayed.
#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_at_the_start_is_an_error() {
    let output = super::command::command(&["127.0.0.1:0", "127.0.0.1:9", "--pcap", "/dev/full"]).output().unwrap();
    let reported = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{reported}");
    let before = reported.strip_suffix("netkit: /dev/full: No space left on device (os error 28)\n");
    // Only a low limit of open files is reported before it.
    let (few, low) = ("netkit: the system allows ", " open files: fewer than --most-clients may need\n");
    let number = before.and_then(|line| line.strip_prefix(few)?.strip_suffix(low));
    assert!(before == Some("") || number.is_some_and(|number| number.parse::<u64>().is_ok()), "{reported}");
}

/// Recorded frames are in the file while the proxy runs, whatever ends it.
#[test]
fn a_recording_survives_a_kill() {
    let [server, client] = sockets();
    let pcap = temporary("killed");
    let mut proxy =
        Proxy::start(&server, &["-p", "dnp", "-f", "none", "--delay", "5ms", "--pcap", pcap.to_str().unwrap()]);
    all_pass(&proxy.at, &server, &client, 50);
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

/// Clients that are gone take no memory, also if the recording has their messages as comments.
#[test]
#[cfg(target_os = "linux")]
fn clients_that_are_gone_take_no_memory() {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let target = listener.local_addr().unwrap().to_string();
    let echo = |mut stream: TcpStream| {
        let mut buffer = [0; 4];
        stream.read_exact(&mut buffer).and_then(|()| stream.write_all(&buffer)).unwrap();
    };
    std::thread::spawn(move || listener.incoming().map_while(Result::ok).for_each(echo));
    let pcap = temporary("gone");
    let record = ["-p", "nano", "-f", "none", "--most-clients", "10", "--pcap", pcap.to_str().unwrap()];
    let proxy = Proxy::to(&target, &record);
    let clients = |count: u32| {
        for _ in 0..count {
            let mut client = TcpStream::connect(&proxy.at).unwrap();
            client.write_all(&[3, 0, 0, 0]).unwrap();
            let mut all = Vec::new();
            client.read_to_end(&mut all).unwrap();
            assert_eq!(all, [3, 0, 0, 0]);
        }
        let status = std::fs::read_to_string(format!("/proc/{}/status", proxy.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
    };
    let [before, after] = [500, 3000].map(clients);
    // The comments kept 3 kB of each client.
    assert!(after < before + 4500, "{before} kB, then {after} kB");
    proxy.end();
    std::fs::remove_file(pcap).unwrap();
}

/// The server's leg has the packets that were sent, with the times when they were sent: no lost packets, and none that
/// still wait.
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
    assert_eq!((server.receive(&mut buffer).unwrap(), buffer[1]), (2, 0xcc));
    let (status, reported) = proxy.interrupted(|| {});
    assert_eq!(status, Some(0), "{reported}");
    let mut capture = Capture::open(Box::new(std::fs::File::open(&pcap).unwrap())).unwrap();
    let mut last = Vec::new();
    while let Some(frame) = capture.next().unwrap() {
        last.push(*frame.data.last().unwrap());
    }
    assert_eq!(last, [0xaa, 0xbb, 0xcc, 0xcc], "three arrived, one was sent");
    let bytes = std::fs::read(&pcap).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("frame 1: still waiting when the recording ended") && has("dropped"), "{reported}");
    std::fs::remove_file(pcap).unwrap();
}

/// With delays, jitter and losses, ended by one INT while packets still wait: on each leg are the packets that its peer
/// received, in this order.
#[test]
fn each_leg_has_what_its_peer_received() {
    let [server, client] = sockets();
    let pcap = temporary("received");
    // Without bursts of losses: of 100 packets, some are lost and most arrive.
    let network = ["--delay", "30ms", "--jitter", "10ms", "--loss", "10%", "--duplicate", "5%"];
    let options = ["-p", "dnp", "-f", "none", "--transport", "udp", "--pcap", pcap.to_str().unwrap()];
    let proxy = Proxy::start(&server, &[&options[..], &network].concat());
    client.connect(&proxy.at).unwrap();
    let echo = server.try_clone().unwrap();
    // A datagram without content ends it.
    let received = std::thread::spawn(move || {
        let (mut buffer, mut all) = ([0; 64], Vec::new());
        while let (length @ 1.., from) = echo.receive_from(&mut buffer).unwrap() {
            echo.send_to(&buffer[..length], from).unwrap();
            all.push(buffer[..length].to_vec());
        }
        all
    });
    let mut down: Vec<Vec<u8>> = Vec::new();
    let take_one = |down: &mut Vec<Vec<u8>>| {
        let mut buffer = [0; 64];
        let length = client.receive(&mut buffer)?;
        down.push(buffer[..length].to_vec());
        std::io::Result::Ok(())
    };
    // A socket's buffer holds as many as are sent: on a busy machine, nobody may take any for a second.
    let take_all = |down: &mut Vec<Vec<u8>>| {
        client.set_nonblocking(true).unwrap();
        while take_one(down).is_ok() {}
        client.set_nonblocking(false).unwrap();
    };
    for n in 0..200u32 {
        client.send(&[&[3][..], &n.to_be_bytes()].concat()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1));
        take_all(&mut down);
    }
    while down.len() < 120 {
        take_one(&mut down).unwrap();
    }
    let (status, reported) = proxy.interrupted(|| {});
    assert_eq!(status, Some(0), "{reported}");
    client.send_to(&[], server.local_addr().unwrap()).unwrap();
    let up = received.join().unwrap();
    take_all(&mut down);
    let mut capture = Capture::open(Box::new(std::fs::File::open(&pcap).unwrap())).unwrap();
    let [mut to_server, mut to_client] = [Vec::new(), Vec::new()];
    let [server_port, client_port] = [&server, &client].map(|socket| socket.local_addr().unwrap().port().to_be_bytes());
    while let Some(frame) = capture.next().unwrap() {
        // Headers of Ethernet, IPv4 and UDP.
        let (port, payload) = (&frame.data[36..38], frame.data[42..].to_vec());
        match frame.leg {
            Some(Leg::Server) if port == server_port => to_server.push(payload),
            Some(Leg::Client) if port == client_port => to_client.push(payload),
            _ => {}
        }
    }
    assert!(up == to_server && down == to_client, "{reported}");
    let sent = |direction: &str, count: usize| {
        let line = reported.lines().find(|line| line.contains(direction)).unwrap();
        line.contains(&format!(" packets arrived, {count} sent, ")) && line.contains(" lost")
    };
    assert!(sent("up   ", up.len()) && sent("down ", down.len()), "{reported}");
    std::fs::remove_file(pcap).unwrap();
}

/// `--pcap-size`, `--pcap-files`: the last files remain, each with both interfaces, comments and its own order.
#[test]
fn a_recording_is_divided() {
    for (ending, options) in [("pcapng", &["-f", "ndjson"][..]), ("pcap", &["-f", "none"])] {
        let [server, client] = sockets();
        let pcap = temporary("divided").with_extension(ending);
        let record = ["--pcap", pcap.to_str().unwrap(), "--pcap-size", "8K", "--pcap-files", "3"];
        let proxy = Proxy::start(&server, &[options, &["-p", "dnp"], &record].concat());
        all_pass(&proxy.at, &server, &client, 500);
        let (status, reported) = proxy.interrupted(|| {});
        assert_eq!(status, Some(0), "{reported}");
        let stem = pcap.file_stem().unwrap().to_str().unwrap();
        let mut files: Vec<PathBuf> = std::fs::read_dir(pcap.parent().unwrap())
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with(&format!("{stem}_")))
            .collect();
        files.sort();
        assert_eq!(files.len(), 3, "{reported}");
        assert!(!pcap.exists());
        for file in &files {
            assert!(file.metadata().unwrap().len() <= 8192);
            assert!(frames(file) > 10, "both legs, in order");
            let bytes = std::fs::read(file).unwrap();
            let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
            assert!(has("client side") && has("server side"));
        }
        // The last message is in the last file.
        let mut capture = Capture::open(Box::new(std::fs::File::open(&files[2]).unwrap())).unwrap();
        let mut last = Vec::new();
        while let Some(frame) = capture.next().unwrap() {
            last = frame.data.to_vec();
        }
        assert!(last.ends_with(&499u32.to_be_bytes()));
        files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }
}

/// Readers of a recording count each message once: on the client's leg, unless the user names another one.
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
        from = Some(server.receive_from(&mut buffer).unwrap().1);
    }
    server.send_to(&[3, 0xee], from.unwrap()).unwrap();
    client.receive(&mut buffer).unwrap();
    proxy.end();
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_netkit")).args(args).args(["-p", "dnp"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    // The client sent four and received one; the server received four, one of them twice, and sent one.
    let client = ["aa", "bb", "cc", "dd", "ee"];
    let server = ["aa", "cc", "cc", "dd", "ee"];
    let both = [&client[..], &server].concat();
    let line = |leg| format!("netkit: a proxy's recording: only the {leg}'s leg is read (--leg)\n");
    for (args, want, spoken) in [
        (&[][..], &both[..], None),
        (&["--leg", "both"], &both, None),
        (&["--leg", "client"], &client, Some(line("client"))),
        (&["--leg", "server"], &server, Some(line("server"))),
    ] {
        let [out, reported] = run(&[&["decode", name, "-f", "tsv", "--columns", "data"], args].concat());
        let mut all: Vec<&str> = out.lines().skip(1).collect();
        let mut want = want.to_vec();
        all.sort_unstable();
        want.sort_unstable();
        assert_eq!(all, want, "{args:?}");
        assert_eq!(spoken.is_some_and(|line| reported.contains(&line)), reported.contains("leg is read"), "{reported}");
    }
    for (args, count) in [(&[][..], 5), (&["--leg", "server"], 5), (&["--leg", "both"], 10)] {
        let [out, reported] = run(&[&["stats", name, "-f", "json"], args].concat());
        let stats: serde_json::Value = serde_json::from_str(&out).unwrap();
        assert_eq!(stats["messages"], count, "{args:?}: {out}");
        assert_eq!(reported.contains("leg is read"), count == 5, "{reported}");
    }
    // Each line says which leg it is of, and filters and columns know it.
    let of = |leg: &str, args: &[&str]| {
        let [out, _] = run(&[&["decode", name], args].concat());
        let lines = super::command::lines(&out);
        lines.iter().filter(|line| line["leg"] == leg).count()
    };
    for leg in ["client", "server"] {
        assert_eq!(of(leg, &["-f", "ndjson"]), 5);
        assert_eq!(of(leg, &["-f", "ndjson", "--leg", leg, "--threads", "2"]), 5);
        let filter = format!("leg == {leg}");
        assert_eq!(run(&["decode", name, "-f", "tsv", "--columns", "leg", "-F", &filter])[0].matches(leg).count(), 5);
    }
    // If the file is cut, the frames of the other leg count, too.
    let cut = temporary("legs-cut");
    let bytes = std::fs::read(&pcap).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 5]).unwrap();
    let error = |leg: &str| {
        let args = ["decode", cut.to_str().unwrap(), "-q", "-p", "dnp", "-f", "ndjson", "--leg", leg];
        let output = Command::new(env!("CARGO_BIN_EXE_netkit")).args(args).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{leg}");
        String::from_utf8(output.stderr).unwrap()
    };
    let errors = ["both", "client", "server"].map(error);
    std::fs::remove_file(&cut).unwrap();
    assert!(errors[0].contains("truncated after") && errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    let [out, reported] = run(&["replay", name, "--list", "-f", "ndjson"]);
    assert_eq!((out.lines().count(), reported.contains(&line("client"))), (1, true), "{out}{reported}");
    assert_eq!(run(&["replay", name, "--list", "-f", "ndjson", "--leg", "both"])[0].lines().count(), 2);
    std::fs::remove_file(pcap).unwrap();
}

/// A client beyond the limit is reported once, not with each of its datagrams.
#[test]
fn a_client_without_a_place_is_reported_once() {
    let [server, client] = sockets();
    let [other, _] = sockets();
    let proxy = Proxy::start(&server, &["-p", "dnp", "-f", "none", "--most-clients", "1", "--transport", "udp"]);
    all_pass(&proxy.at, &server, &client, 1);
    other.connect(&proxy.at).unwrap();
    for _ in 0..500 {
        other.send(&[3, 1]).unwrap();
    }
    // A later datagram has passed, so these were read.
    all_pass(&proxy.at, &server, &client, 1);
    let (_, reported) = proxy.interrupted(|| {});
    let address = other.local_addr().unwrap();
    let line = format!("netkit: {address}: turned away: already 1 client connected (--most-clients)\n");
    assert_eq!(reported.matches(&line).count(), 1, "{reported}");
    assert!(reported.contains("netkit: 1 client, 1 turned away\n"), "{reported}");
}

/// If no file descriptor is left for a connection, it is reset, and does not wait in vain.
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
    // Served clients receive nothing; the others end at once.
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
    let (_, reported) = proxy.interrupted(|| {});
    // The descriptor is missing either to accept a client, or to connect it to the server.
    let lines = reported.lines().filter(|line| line.contains("Too many open files")).count();
    assert!((1..40).contains(&lines), "{reported}");
    assert!(reported.contains("clients turned away") || reported.contains(" reset\n"), "{reported}");
}
