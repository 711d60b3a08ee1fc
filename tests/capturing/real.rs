//! The real programs: needs rights, namespaces, tcpdump or dumpcap, tshark, pytide; `.ci/run` looks for them, and
//! reports the missing ones.

use super::write_script;
use crate::common::{NETKIT, Scratch, feed, finish, netkit, signal};
use crate::live::server::{Server, script};
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read};
use std::net::UdpSocket;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Two namespaces joined by a virtual cable; in one of them run a reference capture and netkit's own. `$1`: netkit,
/// `$2`: the folder, `$3`: tcpdump or dumpcap, `$4`: the recording.
const PAIR: &str = r#"
set -eu
netkit=$1 folder=$2 program=$3 recording=$4
ip link set lo up
unshare --net sleep 120 & far=$!
until [ "$(readlink /proc/$far/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
ip link add near type veth peer name far netns $far
there() { nsenter --target $far --net "$@"; }
ip addr add 10.99.0.1/24 dev near; ip link set near up
there ip addr add 10.99.0.2/24 dev far; there ip link set far up
case $program in
    *tcpdump) "$program" -i near -U -w "$folder/reference" udp 2> "$folder/reference.err" & ;;
    *) "$program" -q -i near -w "$folder/reference" -f udp 2> "$folder/reference.err" & ;;
esac
reference=$!
NETKIT_CAPTURE=$program "$netkit" decode -i near --capture-filter udp -f ndjson -w "$folder/kept.pcapng" \
    > "$folder/live" 2> "$folder/live.err" & live=$!
until grep -q 'capturing on' "$folder/live.err" && [ -s "$folder/reference" ]; do
    kill -0 $live || { cat "$folder/live.err"; exit 1; }
    sleep 0.05
done
"$netkit" replay "$recording" --flow 2 --listen 10.99.0.1:17870 --speed 3 > "$folder/server" 2>&1 & server=$!
sleep 0.5
there "$netkit" replay "$recording" --flow 2 --to 10.99.0.1:17870 --speed 3 > "$folder/client" 2>&1 || true
wait $server || true
sleep 0.6
kill -INT $live; wait $live
kill -INT $reference; wait $reference || true
kill $far
"#;

/// A program of that name for real captures. In a user namespace tcpdump cannot become another user.
fn wrapped(folder: &Scratch, name: &str) -> Option<String> {
    let found = Command::new("sh").args(["-c", &format!("command -v {name}")]).output().expect("a shell");
    let real = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    if real.is_empty() {
        println!("SKIPPED: no {name}");
        return None;
    }
    if name == "dumpcap" {
        return Some(real);
    }
    let path = folder.file("tcpdump");
    write_script(&path, &format!("#!/bin/sh\nexec {real} -Z root \"$@\"\n"));
    Some(path)
}

/// The messages without times: each socket has its own times, which differ by microseconds.
fn messages(lines: &str) -> Vec<Json> {
    let each = lines.lines().map(|line| {
        let mut line: Json = serde_json::from_str(line).expect("JSON");
        line.as_object_mut().expect("an object").remove("time").expect("its time");
        for (list, timed) in [("notes", "text"), ("related", "after_ms")] {
            for one in line.get_mut(list).and_then(Json::as_array_mut).into_iter().flatten() {
                one.as_object_mut().expect("an object").remove(timed);
            }
        }
        line
    });
    each.collect()
}

/// Each side's messages in their order. Two sockets may see packets that both sides send at the same time in different
/// orders, so that frame numbers differ.
fn by_sender(mut list: Vec<Json>) -> Vec<Json> {
    for line in &mut list {
        let object = line.as_object_mut().expect("an object");
        object.remove("frame").expect("its frame");
        for one in object.get_mut("related").and_then(Json::as_array_mut).into_iter().flatten() {
            one.as_object_mut().expect("an object").remove("frame");
        }
    }
    list.sort_by_key(|line| line["src"].to_string());
    list
}

/// Fails at the first message that differs.
fn equal(what: &str, ours: &[Json], theirs: &[Json]) {
    let first = ours.iter().zip(theirs).find(|(a, b)| a != b);
    assert!(first.is_none(), "{what}: {}\nis not {}", first.expect("it").0, first.expect("it").1);
    assert_eq!(ours.len(), theirs.len(), "{what}");
}

#[test]
#[ignore = "needs namespaces, and tcpdump or dumpcap: .ci/run looks for them"]
fn namespace_pair_equals_the_programs_own_file() {
    let mut any = false;
    for name in ["tcpdump", "dumpcap"] {
        let folder = Scratch::new(&format!("pair-{name}"));
        let Some(program) = wrapped(&folder, name) else { continue };
        let recording = crate::common::fixture("riptide/riptide21-udp.pcap");
        // tcpdump becomes another user, which a user namespace does not allow.
        let root = rustix::process::geteuid().is_root();
        if name == "tcpdump" && !root {
            println!("SKIPPED: tcpdump between two namespaces: not root");
            continue;
        }
        let done = Command::new("unshare")
            .args(["--map-root-user"].iter().filter(|_| !root))
            .args(["--net", "--", "sh", "-c", PAIR, "sh", NETKIT])
            .args([folder.path(), Path::new(&program), &recording])
            .output()
            .expect("unshare runs");
        let spoken = |file: &str| std::fs::read_to_string(folder.file(file)).unwrap_or_default();
        let all = format!(
            "{}{}{}{}",
            String::from_utf8_lossy(&done.stderr),
            spoken("live.err"),
            spoken("server"),
            spoken("client")
        );
        assert!(done.status.success(), "{name}: {all}");
        let decoded = |file: &str| {
            let done = feed(&mut netkit(&["decode", &folder.file(file), "-f", "ndjson"]), b"").ok();
            messages(done.text())
        };
        let reference = decoded("reference");
        assert!(reference.len() > 20, "{name}: {} messages: {all}", reference.len());
        let live = messages(&spoken("live"));
        equal(&format!("{name}: kept"), &decoded("kept.pcapng"), &live);
        equal(&format!("{name}: live"), &by_sender(live), &by_sender(reference));
        any = true;
    }
    assert!(any, "neither tcpdump nor dumpcap");
}

/// Measures the time between a datagram and its line, with tcpdump.
#[test]
#[ignore = "needs the right to capture, and tcpdump: .ci/run looks for them"]
fn a_line_comes_at_once() {
    let folder = Scratch::new("at-once");
    let Some(program) = wrapped(&folder, "tcpdump") else { return };
    let server = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let client = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let at = server.local_addr().expect("its address");
    let port = format!("{}=riptide", at.port());
    let mut command = netkit(&["decode", "-i", "lo", "--port", &port, "-f", "summary"]);
    let mut child = command.env("NETKIT_CAPTURE", program).spawn().expect("netkit");
    let mut spoken = BufReader::new(child.stderr.take().expect("stderr"));
    let mut line = String::new();
    spoken.read_line(&mut line).expect("a line");
    assert!(line.contains("capturing on lo"), "{line}");
    let mut out = BufReader::new(child.stdout.take().expect("stdout"));
    let mut times = Vec::new();
    for _ in 0..20 {
        // A heartbeat of 2.0.
        let sent = Instant::now();
        client.send_to(&[5, 3, 20, 0], at).expect("sent");
        let mut line = String::new();
        out.read_line(&mut line).expect("a line");
        times.push(sent.elapsed());
        assert!(line.contains("heartbeat"), "{line}");
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&child, "-INT");
    assert_eq!(child.wait().expect("its end").code(), Some(0));
    println!("from datagram to line: {times:?}");
    times.sort_unstable();
    assert!(times[10] < Duration::from_millis(50), "{times:?}");
}

/// tshark lists netkit, and shows comments and fields of a real peer's traffic while it runs.
#[test]
#[ignore = "needs tshark, the right to capture, and pytide-networking: .ci/run looks for them"]
fn riptide_in_tshark() {
    let home = Scratch::new("tshark");
    let mut path = std::env::var("PATH").unwrap_or_default();
    if wrapped(&home, "tcpdump").is_some() {
        path = format!("{}:{path}", home.path().display());
    }
    let with_home = |program: &str| {
        let mut command = Command::new(program);
        command.env("HOME", home.path()).env("PATH", &path).env_remove("XDG_CONFIG_HOME");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let installed = with_home(NETKIT).args(["wireshark", "install"]).output().expect("netkit runs");
    assert!(installed.status.success(), "{}", String::from_utf8_lossy(&installed.stderr));
    let list = with_home("tshark").arg("-D").output().expect("tshark runs");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(list.lines().any(|line| line.contains(" netkit ")), "{list}");

    let server = Server::riptide("udp", "open");
    let target = server.target();
    let port = target.rsplit(':').next().expect("a port");
    let mut tshark = with_home("tshark")
        .args(["-i", "netkit", "-l", "-Y", "frame.comment", "-T", "fields", "-e", "frame.comment"])
        .args(["-e", "netkit.message", "-e", "netkit.riptide.welcome.client_id"])
        .args(["-o", "extcap.netkit.interface:lo", "-o", &format!("extcap.netkit.port:{port}=riptide")])
        .spawn()
        .expect("tshark runs");
    let mut spoken = BufReader::new(tshark.stderr.take().expect("stderr"));
    let mut line = String::new();
    while !line.contains("Capturing on") {
        line.clear();
        assert!(spoken.read_line(&mut line).expect("a line") > 0, "tshark has ended");
    }
    // Waits until netkit's own capture runs.
    std::thread::sleep(Duration::from_secs(2));
    let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
    let mut client = Command::new(python)
        .arg("-u")
        .arg(script("riptide_client.py"))
        .args(["udp", port])
        .stdout(Stdio::null())
        .spawn()
        .expect("the client");
    // The lines arrive while it runs.
    let mut out = BufReader::new(tshark.stdout.take().expect("stdout"));
    let mut text = String::new();
    while !text.contains("welcome") {
        assert!(out.read_line(&mut text).expect("a line") > 0, "{text}");
    }
    assert!(tshark.try_wait().expect("a child").is_none(), "it goes on");
    client.kill().expect("ended");
    client.wait().expect("ended");
    signal(&tshark, "-INT");
    out.read_to_string(&mut text).expect("text");
    let done = finish(tshark);
    let mut more = String::new();
    spoken.read_to_string(&mut more).expect("text");
    assert_eq!(done.status, Some(0), "{more}");
    println!("{text}");
    let welcome = text.lines().find(|line| line.contains("riptide 2.2 welcome")).expect("its line");
    assert!(welcome.contains("\twelcome\t"), "{welcome}");
    assert!(welcome.rsplit('\t').next().is_some_and(|id| id.parse::<u16>().is_ok()), "{welcome}");
}
