//! The formats for monitoring, target lists with labels, rounds.

use super::peer::*;
use serde_json::Value;
use std::process::{Command, Output, Stdio};

fn anything(bytes: &[u8]) -> Result<(), String> {
    if bytes.is_empty() { Err("an empty datagram".into()) } else { Ok(()) }
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

/// It accepts the client, and then stops answering.
fn mute(bytes: &[u8]) -> Vec<Say> {
    if bytes[0] == 5 { Vec::new() } else { riptide(bytes) }
}

fn probe(args: &[&str]) -> Output {
    let fixed = ["probe", "-n", "2", "--interval=20ms", "-W", "10s"];
    crate::common::program().args(fixed).args(args).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

struct File(std::path::PathBuf);

impl File {
    fn new(name: &str, lines: &str) -> File {
        let path = std::env::temp_dir().join(format!("netkit-monitor-{}-{name}", std::process::id()));
        if !lines.is_empty() {
            std::fs::write(&path, lines).unwrap();
        }
        File(path)
    }

    fn name(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Every format has the labels and protocols of the list.
#[test]
fn a_list_with_labels() {
    let peer = udp(V4, anything, riptide);
    let gone = closed_udp();
    let list = File::new("labels", &format!("name=eu1 tier=1 {} riptide # first\n{gone} dnp\n", peer.addr));
    let ask = |format: &str| {
        let done = probe(&["--targets", list.name(), "--transport", "udp", "-f", format]);
        (done.status.code(), text(&done.stdout), text(&done.stderr))
    };
    let (status, out, err) = ask("ndjson");
    assert_eq!((status, err.as_str()), (Some(1), ""), "{out}");
    let all: Vec<Value> = out.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let summaries: Vec<&Value> = all.iter().filter(|l| l["type"] == "summary").collect();
    assert_eq!(summaries[0]["labels"], serde_json::json!({"name": "eu1", "tier": "1"}));
    assert_eq!((&summaries[1]["labels"], &summaries[1]["outcome"]), (&Value::Null, &"refused".into()));
    let (status, out, _) = ask("prometheus");
    assert_eq!(status, Some(1));
    let one = format!("target=\"{}\",name=\"eu1\",tier=\"1\"", peer.addr);
    assert!(out.contains(&format!("# TYPE netkit_probe_up gauge\nnetkit_probe_up{{{one}}} 1\n")), "{out}");
    assert!(out.contains(&format!("netkit_probe_up{{target=\"{gone}\"}} 0\n")), "{out}");
    assert!(out.contains("outcome=\"refused\"") && out.contains("proto=\"riptide\",version=\"2.0\""), "{out}");
    let (status, out, _) = ask("influx");
    assert_eq!((status, out.lines().count()), (Some(1), 2), "{out}");
    let first = out.lines().next().unwrap();
    let tags =
        format!("netkit_probe,target={},name=eu1,tier=1,proto=riptide,transport=udp,version=2.0 up=true,", peer.addr);
    assert!(first.starts_with(&tags) && first.contains(",sent=2i,received=2i,"), "{first}");
    let stamp: u128 = first.rsplit(' ').next().unwrap().parse().unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    assert!(now - stamp < 60_000_000_000, "{first}");
}

#[test]
fn the_statuses_of_nagios() {
    let (good, lossy, gone) = (udp(V4, anything, riptide), udp(V4, anything, mute), closed_udp());
    let [good, lossy, gone] = [good.addr.to_string(), lossy.addr.to_string(), gone.to_string()];
    let ask = |targets: &[&str], more: &[&str]| {
        let done = probe(&[&["-f", "nagios", "-p", "riptide", "--transport", "udp"], targets, more].concat());
        (done.status.code().unwrap(), text(&done.stdout))
    };
    for (targets, status, word) in [
        (&[&good[..]][..], 0, "OK"),
        (&[&good, &lossy], 1, "WARNING"),
        (&[&lossy, &gone], 2, "CRITICAL"),
        (&[&good, "nosuch.invalid:1"], 3, "UNKNOWN"),
    ] {
        let (got, out) = ask(targets, &[]);
        assert!(got == status && out.starts_with(&format!("NETKIT {word} - ")), "{targets:?}: {got} {out}");
    }
    let (_, out) = ask(&[&good], &[]);
    assert!(out.contains(" answers in ") && out.contains(" | 'rtt'=") && out.contains(" 'loss'=0%;;;0;100"), "{out}");
    // A probe that could not begin is not critical.
    for more in [&["--targets", "/no/such/file"][..], &["-s", "riptide.version=7"], &["--every", "1s"]] {
        let (got, out) = ask(&[&good], more);
        assert!(got == 3 && out.starts_with("NETKIT UNKNOWN - "), "{more:?}: {got} {out}");
    }
    // Nor is it with a global option before the command, or with another spelling of the form.
    for args in [&["-q", "probe", &good, "-f", "nagios", "-n", "0"][..], &["probe", &good, "-f=nagios", "-n", "0"]] {
        let done = crate::common::run(args, b"");
        assert!(done.status == Some(3) && done.text().starts_with("NETKIT UNKNOWN - "), "{args:?}: {}", done.text());
    }
}

/// If many servers fail in the same way, one is explained, and the end sums up.
#[test]
fn identical_failures_are_folded() {
    let (a, b, up) = (closed_udp().to_string(), closed_udp().to_string(), udp(V4, anything, riptide));
    let done = probe(&[&a, &b, &up.addr.to_string(), "-p", "riptide", "--transport", "udp"]);
    let out = text(&done.stdout);
    assert_eq!(out.matches("  advice: ").count(), 1, "{out}");
    assert!(out.contains(&format!("{b}: refused, as {a}\n")), "{out}");
    assert_eq!(out.lines().last(), Some("3 servers: 1 ok, 2 refused"), "{out}");
}

#[cfg(unix)]
#[test]
fn rounds_end_with_ctrl_c() {
    let peer = udp(V4, anything, riptide);
    let file = File::new("rounds.prom", "old\n");
    let run = |more: &[&str]| {
        let target = peer.addr.to_string();
        let args = [&["probe", &target, "-p", "riptide", "-n", "1", "-W", "10s", "--every", "150ms"], more].concat();
        let child = crate::common::program().args(args).stdout(Stdio::piped()).spawn().unwrap();
        // A goodbye ends each round: the second one is complete.
        let before = peer.sent().iter().filter(|bytes| bytes[0] == 6).count();
        peer.until(|sent| sent.iter().filter(|bytes| bytes[0] == 6).count() > before + 2);
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.code(), Some(0), "it has no end of its own");
        text(&done.stdout)
    };
    let out = run(&["-f", "ndjson"]);
    let ok = out.lines().filter(|l| l.contains("\"type\":\"summary\"") && l.contains("\"outcome\":\"ok\"")).count();
    assert!(ok > 1, "more than one round: {out}");
    // The file needs no --force, and is complete at any time.
    assert_eq!(run(&["--textfile", file.name()]), "");
    let written = std::fs::read_to_string(&file.0).unwrap();
    assert!(written.starts_with("# HELP netkit_probe_up ") && written.ends_with("} 1\n"), "{written}");
    // Ctrl-C completes a recording, too, also one that replaces a file.
    let pcap = File::new("rounds.pcap", "old\n");
    run(&["-f", "ndjson", "--pcap", pcap.name(), "--force"]);
    assert!(std::fs::read(&pcap.0).unwrap().starts_with(&[0x4d, 0x3c, 0xb2, 0xa1]));
    let done = probe(&["h:1", "-f", "json", "--every", "1s"]);
    assert_eq!((done.status.code(), text(&done.stdout)), (Some(2), String::new()));
    let done = probe(&["h:1", "-f", "ndjson", "--textfile", file.name()]);
    assert_eq!(done.status.code(), Some(2));
}
