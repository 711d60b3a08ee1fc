//! The command: unknown protocols, several targets, output, exit status, captures, Ctrl-C.

use super::peer::*;
use netkit::live::probe::Request;
use serde_json::Value;
use std::io::Read;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn anything(bytes: &[u8]) -> Result<(), String> {
    if bytes.is_empty() { Err("an empty datagram".into()) } else { Ok(()) }
}

fn netkit(args: &[&str]) -> Output {
    crate::common::program().args(args).stdin(Stdio::null()).output().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|l| serde_json::from_str(l).expect(l)).collect()
}

/// Riptide 2.0 over UDP.
fn riptide(bytes: &[u8]) -> Vec<Say> {
    match bytes {
        [3] => say("08 01 00 01 00"),
        [8, ..] => say("01 01 00 01 00"),
        [5, ping, ..] => say(&format!("05 {ping:02x}")),
        _ => Vec::new(),
    }
}

#[test]
fn finds_the_protocol() {
    let riptide = udp(V4, anything, riptide);
    let dnp = udp(V4, anything, |bytes| if bytes == [0, 1, 0, 0xff, 0xff] { say("01 02") } else { Vec::new() });
    let acknex =
        udp(V4, anything, |bytes| if bytes[0] == 2 && bytes.len() > 2 { say("07 09 00 00 80 3f") } else { Vec::new() });
    let report = ask(&request("", &[]), &dnp.addr.to_string());
    assert_eq!((outcome(&report), report.found.unwrap().proto), ("ok", "dnp"));
    // The others are asked after it, which they do not answer.
    for (peer, name) in [(&riptide, "riptide"), (&acknex, "acknex")] {
        patiently(|timeout| {
            let report = ask(&Request { timeout: Some(timeout), ..request("", &[]) }, &peer.addr.to_string());
            let proto = report.found.as_ref().map(|found| found.proto);
            ensure((outcome(&report), proto) == ("ok", Some(name)), format!("{proto:?}, not {name}: {}", text(&report)))
        });
    }
    assert_eq!(dnp.sent()[0], [0, 1, 0, 0xff, 0xff], "the most harmless one comes first");
    assert!(dnp.sent().iter().all(|bytes| bytes[..] == [0, 1, 0, 0xff, 0xff]), "and the others do not come");
    let report = ask(&request("", &[]), &closed_udp().to_string());
    assert_eq!(outcome(&report), "refused");
    let tried: Vec<_> = report.tried.iter().map(|t| (t.proto, t.carrier.name())).collect();
    assert_eq!(tried, [("dnp", "udp"), ("riptide", "tcp")], "one refusal a transport is enough");
}

#[test]
fn ndjson_and_json() {
    let peer = udp(V4, anything, riptide);
    let target = peer.addr.to_string();
    let args = ["probe", &target, "-p", "riptide", "-n", "3", "--interval=0.02", "-W", "10s"];
    let output = netkit(&[&args[..], &["-f", "ndjson"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let all = lines(&output);
    assert_eq!(all.len(), 4);
    assert!(all[..3].iter().all(|l| l["type"] == "sample" && l["rtt_ms"].is_f64() && l["target"] == target.as_str()));
    let summary = &all[3];
    assert_eq!(
        (&summary["outcome"], &summary["proto"], &summary["version"]),
        (&"ok".into(), &"riptide".into(), &"2.0".into())
    );
    assert_eq!((&summary["rtt"]["sent"], &summary["rtt"]["loss"]), (&3.into(), &0.0.into()));

    let output = netkit(&[&args[..], &["-f", "json"]].concat());
    let all: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(all[0]["samples"].as_array().unwrap().len(), 3);
}

/// Questions that were not asked are not lost, and a single answer has no jitter.
#[test]
fn figures_of_nothing_are_null() {
    let gone = closed_udp().to_string();
    let output = netkit(&["probe", &gone, "-p", "riptide", "-W", "300ms", "-f", "ndjson"]);
    assert_eq!(output.status.code(), Some(1));
    let rtt = &lines(&output)[0]["rtt"];
    assert_eq!((&rtt["sent"], &rtt["received"], &rtt["loss"]), (&0.into(), &0.into(), &Value::Null), "{rtt}");
    for figure in ["min_ms", "median_ms", "mean_ms", "max_ms", "jitter_ms"] {
        assert_eq!(rtt[figure], Value::Null, "{figure}");
    }
    // It accepts the client and then stops answering: every question was lost.
    let mute = udp(V4, anything, |bytes| if bytes[0] == 5 { Vec::new() } else { riptide(bytes) });
    let args =
        ["probe", &mute.addr.to_string(), "-p", "riptide", "-n", "2", "--interval=20ms", "-W", "3s", "-f", "ndjson"];
    let output = netkit(&args);
    let all = lines(&output);
    let rtt = &all[all.len() - 1]["rtt"];
    assert_eq!((&rtt["sent"], &rtt["loss"], &rtt["min_ms"]), (&2.into(), &1.0.into(), &Value::Null), "{rtt}");
    let peer = udp(V4, anything, riptide);
    let target = peer.addr.to_string();
    let output = netkit(&["probe", &target, "-p", "riptide", "-n", "1", "-W", "10s", "-f", "ndjson"]);
    let rtt = &lines(&output)[1]["rtt"];
    assert!(rtt["mean_ms"].is_f64() && rtt["jitter_ms"].is_null() && rtt["loss"] == 0.0, "{rtt}");
    let output = netkit(&["probe", &target, "-p", "riptide", "-n", "1", "-W", "10s"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1 sent, 1 answered, 0 % lost") && text.contains("/- ms\n"), "{text}");
}

#[test]
fn a_list_of_targets_has_a_name() {
    let output = netkit(&["probe", "--targets", "nosuch.txt"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.starts_with("netkit: nosuch.txt: No such file"), "{text}");
    assert_eq!(output.status.code(), Some(3));
    let empty = std::env::temp_dir().join(format!("netkit-no-targets-{}", std::process::id()));
    std::fs::write(&empty, "# none\n").unwrap();
    let output = netkit(&["probe", "--targets", empty.to_str().unwrap()]);
    std::fs::remove_file(&empty).unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains(empty.to_str().unwrap()), "{text}");
}

#[test]
fn several_targets_in_order() {
    let slow = udp(V4, anything, |bytes| riptide(bytes).into_iter().map(|s| Say { after: ms(30), ..s }).collect());
    let fast = udp(V4, anything, riptide);
    let gone = closed_udp();
    let list = std::env::temp_dir().join(format!("netkit-targets-{}", std::process::id()));
    std::fs::write(&list, format!("# ours\n{}\n\n{gone}  # gone\n", fast.addr)).unwrap();
    let (first, file) = (slow.addr.to_string(), list.to_str().unwrap());
    let args = [
        "probe",
        &first,
        "--targets",
        file,
        "-p",
        "riptide",
        "--transport",
        "udp",
        "-n",
        "2",
        "--interval",
        "0.02",
        "-W",
        "10s",
    ];
    let output = netkit(&[&args[..], &["-f", "ndjson"]].concat());
    std::fs::remove_file(&list).unwrap();
    assert_eq!(output.status.code(), Some(1), "one does not answer");
    let summaries: Vec<(String, String)> = lines(&output)
        .iter()
        .filter(|l| l["type"] == "summary")
        .map(|l| (l["target"].as_str().unwrap().into(), l["outcome"].as_str().unwrap().into()))
        .collect();
    let wanted = [(slow.addr, "ok"), (fast.addr, "ok"), (gone, "refused")].map(|(a, o)| (a.to_string(), o.to_string()));
    assert_eq!(summaries, wanted);
}

#[test]
fn a_capture_that_decode_reads() {
    let udp_peer = udp(V4, anything, riptide);
    let tcp_peer = tcp(anything, |conn| {
        conn.read(52);
        conn.write(&hex(
            "4e4c002c474e4500000007005374617273686970204475656c0000000000000000000000000000000000000003020100",
        ));
        conn.drain();
    });
    let path = std::env::temp_dir().join(format!("netkit-probe-{}.pcap", std::process::id()));
    let file = path.to_str().unwrap();
    for (peer, proto, wanted) in [(&udp_peer, "riptide", "welcome"), (&tcp_peer, "gne", "connection_refused")] {
        let target = peer.addr.to_string();
        let output = netkit(&[
            "probe",
            &target,
            "-p",
            proto,
            "-n",
            "2",
            "--interval=0.02",
            "-W",
            "10s",
            "--pcap",
            file,
            "--force",
        ]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let decoded = netkit(&["decode", file, "-f", "ndjson", "--fail-on", "fault"]);
        assert_eq!(decoded.status.code(), Some(0), "{decoded:?}");
        let all = lines(&decoded);
        let line = all.iter().find(|l| l["message"] == wanted && l["from"] == "server").expect(wanted);
        assert_eq!((&line["proto"], &line["src"]), (&proto.into(), &target.into()));
    }
    std::fs::remove_file(&path).unwrap();
}

/// The capture of a probe has a limit, too.
#[test]
fn a_capture_that_is_full() {
    let peer = udp(V4, anything, riptide);
    let path = std::env::temp_dir().join(format!("netkit-probe-full-{}.pcap", std::process::id()));
    let file = path.to_str().unwrap();
    let target = peer.addr.to_string();
    let args = ["probe", &target, "-p", "riptide", "-n", "2", "--interval=0.02", "-W", "10s", "--pcap", file];
    let output = netkit(&[&args[..], &["--force", "--limit", "pcap_bytes=150"]].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let reported = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(reported.contains("full (--limit pcap_bytes), missing at its end: "), "{reported}");
    assert!(std::fs::metadata(&path).unwrap().len() <= 150 + 24);
    assert_eq!(netkit(&["decode", file, "-q", "-f", "ndjson"]).status.code(), Some(0));
    std::fs::remove_file(&path).unwrap();
}

/// `probe --pcap FILE | head -1`: the file has what was recorded until then.
#[cfg(unix)]
#[test]
fn a_capture_where_nobody_reads_the_output() {
    let peer = udp(V4, anything, riptide);
    let path = std::env::temp_dir().join(format!("netkit-probe-closed-{}.pcapng", std::process::id()));
    let (file, target) = (path.to_str().unwrap(), peer.addr.to_string());
    let mut child = crate::common::program()
        .args(["probe", &target, "-p", "riptide", "-n", "1000", "--interval=0.02", "-f", "ndjson"])
        .args(["--pcap", file, "--force"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut reader = std::io::BufReader::new(child.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut reader, &mut first).unwrap();
    drop(reader);
    assert!(child.wait().unwrap().code().is_some(), "it ends, and by no signal");
    assert_eq!(peer.sent().last(), Some(&vec![6]), "the server was left");
    let decoded = netkit(&["decode", file, "-f", "ndjson", "--fail-on", "fault"]);
    assert_eq!(decoded.status.code(), Some(0), "{decoded:?}");
    let count = lines(&decoded).iter().filter(|line| line["from"] == "client").count();
    assert_eq!(count, peer.sent().len(), "{decoded:?}");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn trees_and_text() {
    let peer = udp(V4, anything, riptide);
    let target = peer.addr.to_string();
    let output = netkit(&["probe", &target, "-p", "riptide", "-n", "2", "--interval=0.02", "-W", "10s", "-v"]);
    let text = String::from_utf8_lossy(&output.stdout);
    for part in
        ["riptide 2.0 over udp", "client_id", "heartbeat", "2 sent, 2 answered, 0 % lost", "min/median/mean/max/jitter"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let output = netkit(&["probe", &closed_udp().to_string(), "-p", "dnp"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.code() == Some(1) && text.contains(": refused: ") && text.contains("  advice: "), "{text}");
}

#[test]
fn wrong_usage() {
    for args in [
        &["probe"][..],
        &["probe", "host"],
        &["probe", "host:0", "-p", "dnp"],
        &["probe", "h:1", "-p", "dnp", "--transport", "tcp"],
        &["probe", "h:1", "-p", "tftp"],
        &["probe", "h:1", "--interval=0"],
        &["probe", "h:1", "-n", "0"],
        &["probe", "h:1", "--flood"],
    ] {
        assert_eq!(netkit(args).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(netkit(&["probe", "--targets", "/no/such/file"]).status.code(), Some(3));
}

#[cfg(unix)]
#[test]
fn ctrl_c() {
    let peer = udp(V4, anything, riptide);
    let target = peer.addr.to_string();
    let child = crate::common::program()
        .args(["probe", &target, "-p", "riptide", "-n", "1000", "--interval=0.05", "-f", "ndjson"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // After the welcome, in the middle of its heartbeats.
    peer.until(|sent| sent.iter().any(|bytes| bytes[0] == 5));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(lines(&output).last().unwrap()["outcome"], "interrupted");
    assert_eq!(peer.sent().last(), Some(&vec![6]), "the server was left");
}

/// The first Ctrl-C leaves a silent server so that it keeps nothing, which takes a moment; the second one does not wait.
#[cfg(unix)]
#[test]
fn ctrl_c_again() {
    unless_late(Duration::ZERO, 0..10, |_| {
        let begun = Instant::now();
        let listener = std::net::TcpListener::bind((V4, 0)).unwrap();
        let target = listener.local_addr().unwrap().to_string();
        let mut child = crate::common::program()
            .args(["probe", &target, "-p", "riptide", "--transport=tcp"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (mut asked, _) = listener.accept().unwrap();
        asked.read_exact(&mut [0; 3]).unwrap();
        let interrupted = Instant::now();
        // It ends by itself 1.5 s after its connect, and takes what comes a second after the first signal for another
        // one. Only a run that is faster counts.
        let in_time = || begun.elapsed() < ms(1400) && interrupted.elapsed() < ms(950);
        crate::common::signal(&child, "-INT");
        for (pause, next, why) in
            [(200, "-TERM", "the server is waited for"), (50, "-INT", "what a program sends twice counts once")]
        {
            std::thread::sleep(ms(pause));
            if let Some(ended) = child.try_wait().unwrap() {
                assert!(!in_time(), "{why}: {ended:?}");
                return Err(format!("ended too late to count: {ended:?}"));
            }
            crate::common::signal(&child, next);
        }
        let ended = crate::common::ended(&mut child);
        let counts = in_time();
        assert!(!counts || ended.code() == Some(130), "{ended:?}");
        ensure(counts, format!("ended too late to count: {ended:?}"))
    });
}

/// A full disk ends the recording alone: what was measured is reported, and the status is that of a failed output.
#[cfg(target_os = "linux")]
#[test]
fn a_capture_on_a_full_disk() {
    let peer = udp(V4, anything, riptide);
    let target = peer.addr.to_string();
    let args = ["probe", &target, "-p", "riptide", "-n", "100", "--interval=0.02", "-W", "10s", "-f", "ndjson"];
    let output = netkit(&[&args[..], &["--pcap", "/dev/full"]].concat());
    let summary = lines(&output).pop().unwrap();
    assert_eq!((output.status.code(), summary["outcome"].as_str()), (Some(3), Some("ok")), "{output:?}");
    assert_eq!(peer.sent().last(), Some(&vec![6]), "the server was left");
}

/// A recording that cannot grow any more is kept as far as it got, in both formats.
#[cfg(target_os = "linux")]
#[test]
fn what_was_recorded_before_an_error_is_kept() {
    let peer = udp(V4, anything, riptide);
    let folder = crate::common::Scratch::new("full-recording");
    for name in ["run.pcap", "run.pcapng"] {
        let file = folder.path().join(name);
        let program = crate::common::program();
        let mut command = Command::new("sh");
        // Without the signal, a write beyond the limit fails as on a full disk.
        command.args(["-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh"]).arg(program.get_program());
        command.args(program.get_args()).args(["probe", &peer.addr.to_string(), "-p", "riptide", "-n", "100"]);
        command.args(["--interval=0.02", "-W", "10s", "-f", "ndjson", "--pcap"]).arg(&file).stdin(Stdio::null());
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{name}: {output:?}");
        let kept = std::fs::metadata(&file).map(|about| about.len()).unwrap_or(0);
        assert!(kept > 500, "{name}: {kept} bytes: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Each server takes two sockets at a time.
#[cfg(unix)]
#[test]
fn more_servers_than_the_soft_limit_of_files() {
    let peer = udp(V4, anything, riptide);
    let targets = vec![peer.addr.to_string(); 48];
    let program = crate::common::program();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -Sn 48; exec \"$@\"", "sh"]).arg(program.get_program()).args(program.get_args());
    command.arg("probe").args(targets).args([
        "-p",
        "riptide",
        "-n",
        "1",
        "-W",
        "10s",
        "--parallel",
        "48",
        "-f",
        "ndjson",
    ]);
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}
