//! Differences between two captures, and limits for them.

use crate::common;
use crate::common::{Done, Scratch, Wire, direction, fixture, run};
use serde_json::Value as Json;
use std::collections::BTreeSet;

const LEG: &str = "riptide/riptide22-gap40-serverleg.pcap";
const GAP: &str = "riptide/riptide22-gap40.pcap";

fn compared(a: &str, b: &str, more: &[&str]) -> Done {
    let [a, b] = [a, b].map(|name| fixture(name).to_str().expect("UTF-8").to_owned());
    run(&[&["diff", "-p", "riptide", &a, &b], more].concat(), b"")
}

fn status(a: &str, b: &str, limit: &str) -> Option<i32> {
    compared(a, b, &["--fail-on", limit]).status
}

/// The leg with losses and resends is worse than the other one.
#[test]
fn worse_fails_and_better_does_not() {
    for limit in [
        "message_rate > 10%",
        "riptide.reliable.byte_rate > 10%",
        "riptide.reliable.messages > 39 messages",
        "riptide.reliable.messages > 30%",
        "resent_share > 25pp",
        "riptide.client.resent_share > 25pp",
        "client.ack_p90 > 80ms",
        "ack_p50 > 0.04s",
        "message_rate > 10% and > 39 messages",
        "riptide.reliable.message_rate > 10% and > 5 messages/s",
        // Older names of the same figures.
        "rate > 10%",
        "riptide.reliable.bytes_rate > 10%",
        "riptide.reliable.bandwidth > 10%",
        "riptide.reliable.count > 39 messages",
        "resent > 25pp",
        "resent > 2x",
        "resent > 40 messages",
        "client.ack.p90 > 80ms",
        "ack.p50 > 0.04s",
    ] {
        assert_eq!(status(LEG, GAP, limit), Some(1), "{limit}");
        if !limit.starts_with("ack") {
            assert_eq!(status(GAP, LEG, limit), Some(0), "{limit}: an improvement");
        }
    }
    for limit in [
        "message_rate > 35%",
        "riptide.reliable.messages > 40 messages",
        "resent_share > 26pp",
        "server.resent_share > 0pp",
        "message_rate > 10% and > 40 messages",
        "message_rate < -10%",
        "client.ack_p90 > 90ms",
        "vanished",
    ] {
        assert_eq!(status(LEG, GAP, limit), Some(0), "{limit}");
    }
    assert_eq!(status(GAP, LEG, "message_rate < -10%"), Some(1), "what falls, where that is asked for");
}

/// The loss of a side is a mean of its connections' losses: it is between the smallest and the largest.
#[test]
fn the_loss_is_between_those_of_the_connections() {
    let files = ["riptide/riptide20-lossy.pcap", "riptide/riptide22-lossy.pcap"];
    let done = compared(files[0], files[1], &["-f", "json"]).ok();
    let diff: Json = serde_json::from_str(done.text()).expect("JSON");
    let rows = diff["differences"].as_array().expect("rows");
    for (key, file) in ["a", "b"].into_iter().zip(files) {
        let path = fixture(file);
        let done = run(&["stats", "-q", "--delivery", "-f", "json", path.to_str().expect("UTF-8")], b"").ok();
        let stats: Json = serde_json::from_str(done.text()).expect("JSON");
        for side in ["client", "server"] {
            let of = format!("riptide from the {side}");
            let row = rows.iter().find(|row| row["of"] == *of && row["what"] == "loss").expect("a loss");
            let paths = stats["path"].as_array().expect("rows").iter().filter(|path| path["from"] == side);
            let all: Vec<f64> = paths.map(|path| path["loss"].as_f64().expect("a loss")).collect();
            let [least, most] = [f64::min, f64::max].map(|of| all.iter().copied().reduce(of).expect("a loss"));
            let loss = row[key].as_f64().expect("a loss");
            assert!(all.len() == 2 && least < loss && loss < most, "{file} {side}: {loss} {all:?}");
        }
    }
}

#[test]
fn wrong_limits_are_refused() {
    for (limit, why) in [
        ("riptide.relible.rate > 10%", "no message of riptide \"relible\", did you mean \"reliable\"?"),
        ("ripide.rate > 10%", "no protocol \"ripide\", did you mean \"riptide\"?"),
        ("resent_share > 100pp", "a share cannot change by 100 points or more"),
        ("message_rate > 10", "\"10\" has no unit: message_rate is in %, x, /s"),
        ("rate > 10% and > 3ms", "rate is not measured in ms"),
    ] {
        let done = compared(LEG, GAP, &["--fail-on", limit]);
        assert_eq!((done.status, done.text()), (Some(2), ""), "{limit}");
        assert!(done.err.contains(why), "{limit}: {}", done.err);
    }
    assert_eq!(compared(LEG, GAP, &["--ignore", "mesage == ack"]).status, Some(2));
}

/// A limit with no data to check fails, in every format.
#[test]
fn nothing_is_no_success() {
    let limit = "riptide.notify.rate > 10%";
    for format in ["text", "json", "markdown", "junit"] {
        let done = compared(LEG, GAP, &["-f", format, "--fail-on", limit]);
        assert_eq!(done.status, Some(1), "{format}");
        assert!(
            done.err.contains(&format!("--fail-on {limit}: no data to compare: not in both captures")),
            "{}",
            done.err
        );
        let sent = match format {
            "json" => "\"compared\":0,\"broken\":0,\"holds\":false",
            "markdown" => "**no data**",
            "junit" => "<failure message=\"no data\">",
            _ => "a: ",
        };
        assert!(done.text().contains(sent), "{format}: {}", done.text());
        assert_eq!(compared(LEG, GAP, &["-f", format, "--fail-on", limit, "--allow-empty"]).status, Some(0));
        let empty = compared(LEG, "foreign/rtp.pcap", &["-f", format, "--fail-on", "rate > 10%"]);
        assert_eq!(empty.status, Some(1), "{format}: {}", empty.err);
    }
}

/// A quarter of the client's transmissions are resends: no capture can have four times that share, nor 80 points more, nor
/// 30 points less.
#[test]
fn shares_end_at_100_percent() {
    let (more, points) = (
        "so no share can exceed it (use pp for percentage points)",
        "so no share can exceed it (use % for a relative change)",
    );
    let less = "so no share can fall that far";
    for (limit, why) in [
        ("client.resent_share > 300%", more),
        ("client.resent_share > 4x", more),
        ("client.resent_share > 80pp", points),
        ("client.resent_share > 10% and > 80pp", points),
        ("client.resent_share < -30pp", less),
        ("client.resent_share < -10% and > 30pp", less),
    ] {
        let done = compared(GAP, LEG, &["--fail-on", limit]);
        assert_eq!(done.status, Some(1), "{limit}: {}", done.err);
        let why = format!("riptide from the client is 25.3 % in the first capture, {why}");
        assert!(done.err.contains(&format!("--fail-on {limit}: {why}")), "{}", done.err);
        assert!(done.text().contains(&format!("limit {limit}: can never be exceeded")), "{}", done.text());
    }
    for limit in [
        "client.resent_share > 280%",
        "client.resent_share > 3.8x",
        "resent_share > 300%",
        "client.resent_share > 70pp",
    ] {
        assert_eq!(status(GAP, LEG, limit), Some(0), "{limit}: it can be exceeded");
    }
}

/// If a limit names a message that is in one capture only, the other counts as 0.
#[test]
fn messages_of_one_capture() {
    let (a, b) = ("riptide/riptide20-lossy.pcap", "riptide/riptide22-lossy.pcap");
    let names = |limit: &str| compared(a, b, &["-f", "json", "--fail-on", limit]);
    assert_eq!(names("riptide.notify.count > 0 messages").status, Some(1));
    assert_eq!(names("riptide.notify.appeared").status, Some(1));
    assert_eq!(names("riptide.reliable.appeared").status, Some(0), "it is in both");
    assert_eq!(names("appeared").status, Some(1));
    let all = common::json(names("count > 1000 messages").text());
    assert!(all["limits"][0]["compared"].as_u64() > Some(5), "{all}");
    assert_eq!(all["limits"][0]["holds"], Json::Bool(true));
}

#[test]
fn rows_by_importance_without_what_is_the_same() {
    let rows = |more: &[&str]| -> Vec<Json> {
        let done = compared(LEG, GAP, &[&["-f", "json"], more].concat());
        common::json(done.text())["differences"].as_array().expect("rows").clone()
    };
    let all = rows(&[]);
    assert!(all.iter().all(|row| row["what"] != "messages" || row["a"] != row["b"]));
    assert!(all.iter().all(|row| row["change"].as_f64().is_none_or(|change| change.abs() >= 0.001)), "{all:?}");
    assert!(!all.iter().any(|row| row["of"] == "riptide.connect"), "{all:?}");
    // Differences that break a limit come first.
    let first = &rows(&["--fail-on", "riptide.reliable.message_rate > 1%"])[0];
    assert_eq!((&first["of"], &first["what"]), (&"riptide.reliable".into(), &"message_rate".into()));
    let share = all.iter().find(|row| row["what"] == "resent_share").expect("a row");
    assert_eq!((&share["unit"], &share["change"]), (&"pp".into(), &share["b"]));
    let ignored = rows(&["--ignore", "message == reliable", "--ignore", "message == ack"]);
    assert!(!ignored.iter().any(|row| row["of"] == "riptide.reliable" || row["of"] == "riptide.ack"), "{ignored:?}");
}

/// Names of files can be anything: they end neither an element nor a table's cell.
#[test]
fn hostile_names() {
    let folder = common::Scratch::new("diff");
    let mut wire = Wire::default();
    let ends = ["127.0.0.1:50000".parse().expect("an end"), "127.0.0.1:7777".parse().expect("an end")];
    (0..3).for_each(|_| wire.datagram(ends, true, &[5, 3, 20, 0]));
    let file = folder.write("a|b<&\"`\u{1b}[2J\u{202e}\n.pcap", wire.file());
    for format in ["junit", "markdown"] {
        let done = run(&["diff", "-p", "riptide", "-f", format, &file, &file, "--fail-on", "rate > 5%"], b"").ok();
        let text = done.text();
        assert!(!text.chars().any(|c| c.is_control() && c != '\n' || c == '\u{202e}'), "{text}");
        match format {
            "junit" => {
                assert!(text.contains("a|b&lt;&amp;&quot;`\\u{1b}[2J\\u{202e}\\n.pcap"), "{text}");
                let opened = text.matches("<test").count() - text.matches("/>").count();
                assert_eq!(opened, text.matches("</test").count(), "{text}");
            }
            _ => assert!(text.contains("a\\|b\\<\\&\"\\`"), "{text}"),
        }
    }
}

/// A capture that shows no side is not compared by senders.
#[test]
fn unknown_senders_are_no_difference() {
    let scratch = Scratch::new("diff-unknown");
    let capture = heartbeats(0, false);
    // Without the handshake, heartbeats still show the sides: of unreliable messages alone nothing does.
    let of = |filter: &str| {
        let file = scratch.path().join("some.pcap").display().to_string();
        let whole = scratch.write("whole.pcap", &capture);
        run(
            &[
                "decode",
                "-q",
                "-p",
                "riptide",
                "-s",
                "riptide.version=2.0",
                "-F",
                filter,
                &whole,
                "-w",
                &file,
                "--force",
            ],
            b"",
        )
        .ok();
        file
    };
    let some = of("message == unreliable");
    let whole = scratch.path().join("whole.pcap").display().to_string();
    let done = run(&["diff", "-p", "riptide", "-s", "riptide.version=2.0", &some, &whole], b"").ok();
    assert!(!done.text().contains("(from the"), "{}", done.text());
}

/// Lines of JUnit end as such.
#[test]
fn junit_has_lines() {
    assert!(!compared(LEG, GAP, &["-f", "junit"]).text().contains("\\n"));
}

/// The first half of a capture differs from the whole in its duration only: each capture of each protocol.
#[test]
fn half_of_a_capture_is_no_difference() {
    let scratch = common::Scratch::new("diff-half");
    let (mut compared, mut wrong) = (0, Vec::new());
    for proto in ["riptide", "dnp", "nano", "gne", "acknex"] {
        for whole in common::entries(&fixture(proto)).into_iter().filter(|path| common::ends_in(path, "pcap")) {
            let bytes = std::fs::read(&whole).expect("a file");
            let Some((half, _)) = part(&bytes, 50) else { continue };
            let cut = scratch.write("half.pcap", half);
            let whole = whole.to_str().expect("UTF-8");
            let done = run(&["diff", "-p", proto, whole, &cut], b"").ok();
            let same = done.text().ends_with("\nno difference\n");
            let unlike =
                done.text().contains("Their durations differ") && done.text().contains("\nno notable difference\n");
            if !same && !unlike {
                wrong.push(format!("{whole}\n{}", done.text()));
            }
            compared += 1;
            // The whole and itself; the long ones would take long.
            if bytes.len() < 1 << 16 {
                let same = run(&["diff", "-p", proto, whole, whole], b"").ok();
                assert!(same.text().ends_with("\nno difference\n"), "{whole}: {}", same.text());
            }
        }
    }
    assert!(compared > 55 && wrong.is_empty(), "{} of {compared}: {}", wrong.len(), wrong.join("\n"));
}

/// A dump of datagrams of Riptide 2.0: the client's heartbeats every 20 ms, each answered after 1 ms, but every
/// `rare`th after 400 ms; and unreliable messages, from the server if `echoes`.
fn heartbeats(rare: usize, echoes: bool) -> Vec<u8> {
    let ends = ["127.0.0.1:50000", "127.0.0.1:7777"].map(|end| end.parse().expect("an end"));
    let mut sent: Vec<(u64, bool, Vec<u8>)> =
        vec![(0, true, vec![3]), (1, false, vec![8, 1, 0, 1, 0]), (2, true, vec![8, 1, 0, 1, 0])];
    for k in 0..600u64 {
        let (at, id) = (10 + 20 * k, k as u8);
        let late = if rare > 0 && (k as usize).is_multiple_of(rare) { 400 } else { 1 };
        sent.extend([(at, true, vec![5, id, 30, 0]), (at + late, false, vec![5, id])]);
        if k.is_multiple_of(50) {
            sent.push((at + 5, !echoes, vec![0, 5, 0, id]));
        }
    }
    sent.sort();
    let mut wire = Wire::default();
    sent.iter().for_each(|(at, by_client, bytes)| wire.at(*at).datagram(ends, *by_client, bytes));
    wire.file()
}

/// Delays of a twentieth of the messages show in the 99th percentile alone.
#[test]
fn rare_delays_are_a_difference() {
    let scratch = Scratch::new("diff-tail");
    let [a, b] = [("a.pcap", 0), ("b.pcap", 20)].map(|(name, rare)| scratch.write(name, heartbeats(rare, false)));
    let text = run(&["diff", "-p", "riptide", "-s", "riptide.version=2.0", &a, &b], b"").ok();
    assert!(text.text().contains("ping_p99") && !text.text().contains("ping_p90"), "{}", text.text());
}

/// A message that the other side sends is a difference.
#[test]
fn senders_are_compared() {
    let scratch = Scratch::new("diff-sender");
    let [a, b] = [("a.pcap", false), ("b.pcap", true)].map(|(name, echoes)| scratch.write(name, heartbeats(0, echoes)));
    let done = run(&["diff", "-p", "riptide", "-s", "riptide.version=2.0", &a, &b], b"").ok();
    let text = done.text();
    assert!(["(from the client)", "(from the server)"].iter().all(|sender| text.contains(sender)), "{text}");
}

/// A capture that goes on after the last message shows who timed out; one that stops with that message does not, and is
/// no better for it.
#[test]
fn silence_that_is_not_captured_is_no_difference() {
    let whole = std::fs::read(fixture("riptide/riptide20-lossy.pcap")).expect("a file");
    // A frame of no protocol, 20 s after the last one.
    let other = [&[0xff; 12][..], &[0x88, 0xcc], &[0; 46]].concat();
    let scratch = common::Scratch::new("diff-silence");
    let mut timed_out = 0;
    for percent in (10..=100).step_by(10) {
        let (cut, last) = part(&whole, percent).expect("records");
        let head = [(last / 1_000_000 + 20) as u32, 0, other.len() as u32, other.len() as u32];
        let longer = [&cut[..], &head.map(u32::to_le_bytes).concat(), &other].concat();
        let [longer, cut] = [("longer.pcap", longer), ("cut.pcap", cut)].map(|(name, file)| scratch.write(name, file));
        let ends = run(&["stats", "-p", "riptide", &longer, "-f", "json"], b"").ok();
        let ends = common::json(ends.text());
        timed_out += ends["end"].as_array().expect("rows").iter().filter(|row| row["end"] == "timed_out").count();
        for [a, b] in [[&longer, &cut], [&cut, &longer]] {
            let done = run(&["diff", "-p", "riptide", a, b], b"").ok();
            assert!(!done.text().contains("\nriptide connections"), "{percent} %: {}", done.text());
        }
    }
    assert!(timed_out > 3, "{timed_out}");
}

/// The records of a pcap file (microseconds, little endian) up to a part of its time, in per cent, and the time of the
/// last of them in microseconds; `None` for other files, and for those with fewer than four records.
fn part(file: &[u8], percent: u64) -> Option<(Vec<u8>, u64)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    if word(0) != 0xa1b2_c3d4 {
        return None;
    }
    let (mut at, mut ends) = (24, Vec::new());
    while at < file.len() {
        let time = u64::from(word(at)) * 1_000_000 + u64::from(word(at + 4));
        at += 16 + word(at + 8) as usize;
        ends.push((time, at));
    }
    if ends.len() < 4 {
        return None;
    }
    let until = ends[0].0 + (ends[ends.len() - 1].0 - ends[0].0) * percent / 100;
    let (last, end) = *ends.iter().rfind(|(time, _)| *time <= until).expect("a record");
    Some((file[..end].to_vec(), last))
}

/// The limits and their figures are printed last, so that they stay visible on a small screen.
#[test]
fn limits_come_last() {
    let done = compared(LEG, GAP, &["--fail-on", "resent > 2x", "--fail-on", "message_rate > 90%"]);
    let last: Vec<&str> = done.text().lines().rev().take(3).collect();
    assert_eq!(last[0], "limit message_rate > 90%: holds");
    assert_eq!(last[1], "  riptide from the client resent: 0, then 44 (from 0), worse");
    assert_eq!(last[2], "limit resent > 2x: exceeded by 1");
    assert_eq!(done.status, Some(1));
}

/// In a capture of one direction, what the other side did seems to have vanished.
#[test]
fn one_direction_is_reported() {
    let (scratch, path) = (Scratch::new("diff-direction"), fixture("riptide/riptide20-udp.pcap"));
    let servers = BTreeSet::from(["127.0.0.1:17777".parse().unwrap()]);
    let half = scratch.write("half.pcap", direction(&std::fs::read(&path).unwrap(), &servers, false));
    let done = compared(path.to_str().unwrap(), &half, &["-q"]);
    let note = "half.pcap: flow 1 and 4 more: the capture has packets of one side only (the client): ";
    assert!(done.err.contains(note) && done.err.lines().count() == 1, "{}", done.err);
    // Rows of figures have no place for it.
    for (form, times) in [("csv", 1), ("tsv", 1), ("ndjson", 1), ("text", 0), ("json", 0)] {
        let done = run(&["stats", &half, "--delivery", "-f", form], b"").ok();
        let note = "netkit: flow 1 and 4 more: the capture has packets of one side only (the client): ";
        assert_eq!(done.err.matches(note).count(), times, "{form}: {}", done.err);
    }
}

/// Differences without a figure are printed at any width.
#[test]
fn messages_of_one_capture_are_shown_on_a_terminal() {
    let files = ["dnp/dnp-basic.pcap", "dnp/dnp-lossy.pcap"].map(fixture);
    let done = common::feed(common::netkit(&["diff"]).args(&files).env("COLUMNS", "80"), b"").ok();
    assert!(done.text().contains("\ndnp.long_message  appeared\n"), "{}", done.text());
}
