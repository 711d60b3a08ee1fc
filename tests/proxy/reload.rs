//! `--rules` reloads while the proxy runs; output formats, profiles, and `--like` a capture.
#![cfg(unix)]

use crate::common::late::unless_late;
use crate::common::{Receive, Scratch, numbered_files};
use crate::proxy::command::{GUARD, Proxy, command, lines, sockets};
use std::fs;
use std::net::UdpSocket;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

/// A file that is removed at the end of its test.
struct Temporary(PathBuf);

impl Temporary {
    fn new(name: &str, text: &str) -> Temporary {
        let path = std::env::temp_dir().join(format!("netkit-proxy-{}-{name}", std::process::id()));
        fs::write(&path, text).unwrap();
        Temporary(path)
    }

    /// Replaces the file in one step, as editors do: a proxy that reads again never finds it empty.
    fn replace(&self, text: &str) {
        let new = self.0.with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, &self.0).unwrap();
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Sends a datagram until this one arrives.
fn until(client: &UdpSocket, server: &UdpSocket, says: &[u8], comes: &[u8]) {
    let begin = Instant::now();
    let mut buffer = [0; 64];
    loop {
        client.send(says).unwrap();
        let length = server.receive(&mut buffer).unwrap();
        if &buffer[..length] == comes {
            return;
        }
        assert!(begin.elapsed() < GUARD, "{:?} comes", &buffer[..length]);
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn rules_of_a_file_are_read_again_and_bad_ones_refused() {
    let file = Temporary::new("rules", "# nothing yet\n");
    let [server, client] = sockets();
    let mut proxy = Proxy::start(&server, &["-p", "dnp", "-f", "none", "--rules", file.path()]);
    client.connect(&proxy.at).unwrap();
    until(&client, &server, &[3, 1], &[3, 1]);
    file.replace("message == unreliable_message: data=aa\n");
    until(&client, &server, &[3, 1], &[3, 0xaa]);
    // A wrong file: its error is reported with its place, and the earlier rules stay.
    file.replace("# a comment\n\nmessage == unreliable_message: dta=bb\n");
    proxy.reports("the previous rules stay in force");
    until(&client, &server, &[3, 1], &[3, 0xaa]);
    // Corrected, with the same modification time and length, and reloaded by SIGHUP.
    let times = fs::metadata(&file.0).unwrap().modified().unwrap();
    file.replace("# a comment\n\nmessage == unreliable_message: data=c\n");
    file.replace("# a commen\n\nmessage == unreliable_message: data=cc\n");
    fs::File::options().write(true).open(&file.0).unwrap().set_modified(times).unwrap();
    assert!(Command::new("kill").args(["-HUP", &proxy.id().to_string()]).status().unwrap().success());
    until(&client, &server, &[3, 1], &[3, 0xcc]);
    fs::remove_file(&file.0).unwrap();
    proxy.reports("the file was removed: its rules stay in force");
    until(&client, &server, &[3, 1], &[3, 0xcc]);
    let (_, reported) = proxy.end();
    assert!(reported.contains("read again: 1 rule"), "{reported}");
    let place = format!("--rules: {}:3: no field", file.path());
    let near = reported.contains("did you mean \"data\"") && reported.contains("^^^");
    assert!(
        near && reported.contains("dnp.unreliable_message has no field \"dta\"")
            && reported.contains(&format!("{}:3", file.path())),
        "{place} {reported}"
    );
    assert!(
        reported.contains("the previous rules stay in force")
            && reported.contains("the file was removed: its rules stay in force"),
        "{reported}"
    );
}

#[test]
fn wrong_files_are_refused_before_anybody_comes() {
    let reported = |args: &[&str], what: &str| {
        let output = command(&[&[":0", "127.0.0.1:9"], args].concat()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(what), "{args:?}: {text}");
        output.status.code()
    };
    let rules = Temporary::new("wrong-rules", "\nmessage == ack: drop 5\n");
    assert_eq!(reported(&["--rules", rules.path()], ":2: drop: expected a share"), Some(2));
    assert_eq!(reported(&["--rules", "/nonexistent/rules"], "No such file"), Some(3));
    let profile = Temporary::new("wrong-profile", "from 1s: delay 5ms\nfrom 2s to 1s: delay 5ms\n");
    assert_eq!(reported(&["--profile", profile.path()], ":2: it ends before it begins"), Some(2));
    let lossy = Temporary::new("lossy-profile", "from 1s: loss 5%\n");
    let only = ["--profile", lossy.path(), "--transport", "tcp"];
    assert_eq!(
        reported(&only, "--loss with --transport tcp: all bytes of a stream arrive, once and in order"),
        Some(2)
    );
    assert_eq!(reported(&["--like", "acknex/acknex-a5.pcap"], "--like: "), Some(2));
}

#[test]
fn a_timetable_holds_in_its_time() {
    // A busy proxy may begin its first second late, or read a datagram of it after it: then it is tried again.
    unless_late(Duration::from_secs(1), 0..20, |_| timetable());
}

/// Returns an error if the proxy was too late: it read the datagram of the first second after that second, or the other
/// one in it.
fn timetable() -> Result<(), String> {
    const SECOND: Duration = Duration::from_secs(1);
    let profile = Temporary::new("profile", "from 0 to 1s: up loss 100%\nfrom 1s: up delay 100ms\n");
    let [server, client] = sockets();
    let begin = Instant::now();
    let proxy = Proxy::start(&server, &["-f", "none", "--profile", profile.path()]);
    let started = Instant::now();
    client.connect(&proxy.at).unwrap();
    client.send(b"lost").unwrap();
    // The proxy's clock starts after `begin`, but a busy one may start it even after `started`: it reports its address
    // first. Nothing arrives before its first second is over.
    let over = started + SECOND + Duration::from_millis(200);
    server
        .set_read_timeout(Some(over.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))))
        .unwrap();
    if server.receive(&mut [0; 8]).is_ok() {
        assert!(begin.elapsed() >= SECOND, "all is lost in the first second");
        proxy.end();
        return Err("the first datagram was read after its second".into());
    }
    server.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
    let sent = Instant::now();
    client.send(b"late").unwrap();
    let mut buffer = [0; 8];
    let received = server.receive(&mut buffer);
    if received.is_err() || &buffer[..4] == b"lost" {
        proxy.end();
        return Err(format!("the second datagram was read in the first second: {received:?}"));
    }
    assert_eq!((received.unwrap(), &buffer[..4]), (4, &b"late"[..]));
    assert!(sent.elapsed() >= Duration::from_millis(100));
    let (_, reported) = proxy.end();
    assert!(reported.contains("udp alone is relayed"), "{reported}");
    assert!(reported.contains("up   2 packets arrived, 1 sent, 1 lost"), "{reported}");
    Ok(())
}

/// The proxy of that session counted dropped datagrams: 102 of 1,549 up, 82 of 1,445 down. The server numbers only its
/// welcome. `stats --delivery` has the same figures.
#[test]
fn like_a_capture() {
    let [server, client] = sockets();
    let capture = "real/like-client-side.pcap";
    let proxy = Proxy::start(&server, &["-f", "none", "--like", capture, "--seed", "3"]);
    client.connect(&proxy.at).unwrap();
    let (_, reported) = proxy.end();
    let stats = Command::new(env!("CARGO_BIN_EXE_netkit"))
        .args(["stats", "--delivery", "-q", "-f", "json", capture])
        .current_dir(format!("{}/fixtures", env!("CARGO_MANIFEST_DIR")))
        .output()
        .unwrap();
    let stats = netkit::encode::json(&stats.stdout).unwrap();
    for (direction, from, truth) in [("up  ", "client", 102.0 / 1549.0), ("down", "server", 82.0 / 1445.0)] {
        let row = stats["path"].as_array().unwrap().iter().find(|row| row["from"] == from).unwrap();
        let [loss, low, high] = ["loss", "loss_low", "loss_high"].map(|key| row[key].as_f64().unwrap());
        assert!((loss - truth).abs() < 0.015 && low < truth && truth < high && high - low < 0.1, "{row}");
        let line = reported.lines().find(|line| line.contains(&format!("{capture}: {direction}"))).unwrap();
        let spoken = line.split("%, used ").nth(1).unwrap().split('%').next().unwrap();
        assert_eq!(spoken, format!("{:.2}", loss * 100.0), "{line}");
        assert!(line.contains("delay above the shortest (of "), "{line}");
    }
}

/// Of a proxy's recording one leg is read: both together show each round trip once with the network and once without.
#[test]
fn like_a_recording_of_two_legs() {
    let folder = Scratch::new("like-legs");
    let recorded = folder.file("both.pcapng");
    let [server, client] = sockets();
    let options = ["-p", "riptide", "-f", "none", "--transport", "udp", "--delay", "5ms", "--pcap", &recorded];
    let proxy = Proxy::start(&server, &options);
    client.connect(&proxy.at).unwrap();
    let (mut buffer, mut to) = ([0; 64], None);
    let mut say = |by_client: bool, bytes: &[u8]| {
        if by_client {
            client.send(bytes).unwrap();
            to = Some(server.receive_from(&mut buffer).unwrap().1);
        } else {
            server.send_to(bytes, to.unwrap()).unwrap();
            client.receive(&mut buffer).unwrap();
        }
    };
    // Riptide 2.0: connect, welcome, and reliable messages, each with its acknowledgement.
    say(true, &[3]);
    for (by_client, bytes) in [(false, [8, 1, 0, 1, 0]), (true, [8, 1, 0, 1, 0])] {
        say(by_client, &bytes);
        say(!by_client, &[1, 1, 0, 1, 0]);
    }
    const MESSAGES: u8 = 20;
    for number in 2..2 + MESSAGES {
        say(true, &[7, number, 0, 9, 0, number]);
        say(false, &[1, number, 0, 0xff, 0xff]);
    }
    proxy.end();
    let alone = ["client", "server"].map(|leg| {
        let file = folder.file(&format!("{leg}.pcapng"));
        crate::common::run(&["decode", "-q", "-p", "riptide", "--leg", leg, &recorded, "-w", &file], b"").ok();
        file
    });
    let like = |file: &str| {
        let [server, client] = sockets();
        let proxy = Proxy::start(&server, &["-p", "riptide", "-f", "none", "--like", file]);
        client.connect(&proxy.at).unwrap();
        let (_, reported) = proxy.end();
        let lines = reported.lines().filter_map(|line| Some(line.split_once(&format!("like {file}: "))?.1.to_owned()));
        lines.collect::<Vec<String>>()
    };
    let [both, client, server] = [&recorded, &alone[0], &alone[1]].map(|file| like(file));
    assert!(both == client && both.len() == 2, "{both:?} {client:?} {server:?}");
    assert!(both[0].contains(&format!("of {} round trips", MESSAGES + 1)), "{both:?}");
}

/// Numbers of another protocol between the same ports are not mixed with these.
#[test]
fn like_a_capture_of_two_protocols() {
    let folder = Scratch::new("like-two");
    let losses = [false, true].map(|other| {
        let [server, client] = sockets();
        let capture = numbered_files(&folder, other);
        let capture: Vec<&str> =
            ["-f", "none", "--like"].into_iter().chain(capture.iter().map(String::as_str)).collect();
        let proxy = Proxy::start(&server, &capture);
        client.connect(&proxy.at).unwrap();
        let (_, reported) = proxy.end();
        let line = reported.lines().find(|line| line.contains(": up ")).unwrap_or_else(|| panic!("{reported}"));
        line.split("%, used ").nth(1).unwrap().split('%').next().unwrap().to_owned()
    });
    assert_eq!(losses, ["6.02", "6.02"]);
}

#[test]
fn every_form_says_what_was_done() {
    for format in ["json", "csv", "tsv", "ndjson", "summary", "tree"] {
        let [server, client] = sockets();
        let on = ["-p", "dnp", "-f", format, "--on", "data == aa: drop", "--on", "data == bb: data=cc"];
        let proxy = Proxy::start(&server, &on);
        client.connect(&proxy.at).unwrap();
        for bytes in [[3, 0xaa], [3, 0xbb], [3, 0xdd]] {
            client.send(&bytes).unwrap();
        }
        let mut buffer = [0; 8];
        while server.receive(&mut buffer).unwrap() != 2 || buffer[1] != 0xdd {}
        let (out, _) = proxy.end();
        match format {
            "json" => {
                let all = netkit::encode::json(out.as_bytes()).unwrap_or_else(|why| panic!("{why}: {out}"));
                let (messages, ends) = all.as_array().unwrap().split_at(3);
                let outcomes: Vec<&str> = messages.iter().map(|m| m["outcome"].as_str().unwrap()).collect();
                assert_eq!(ends.iter().map(|row| &row["end"]).collect::<Vec<_>>(), ["open", "open"], "{out}");
                assert_eq!(outcomes, ["dropped", "passed", "passed"]);
                assert_eq!(all[1]["edited"][0], "data");
            }
            "csv" | "tsv" => {
                let separator = if format == "csv" { "," } else { "\t" };
                let rows: Vec<Vec<&str>> = out.lines().map(|line| line.rsplit(separator).take(3).collect()).collect();
                let [edited, delayed, outcome] = ["edited", "delayed_ms", "outcome"];
                assert_eq!(
                    rows,
                    [[edited, delayed, outcome], ["", "", "dropped"], ["data", "", "passed"], ["", "", "passed"]]
                );
                let cells: Vec<usize> = out.lines().map(|line| line.split(separator).count()).collect();
                assert!(cells.iter().all(|n| *n == cells[0]), "{out}");
            }
            "ndjson" => assert_eq!(lines(&out).len(), 3),
            "summary" => assert!(out.contains("[dropped]") && out.contains("[edited data]"), "{out}"),
            _ => assert!(out.contains("proxy: dropped") && out.contains("proxy: edited data"), "{out}"),
        }
    }
    let [server, _] = sockets();
    let (out, _) = Proxy::start(&server, &["-f", "json"]).end();
    assert_eq!(out, "[]\n");
}
