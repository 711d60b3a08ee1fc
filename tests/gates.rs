//! Conditions that must hold, and conditions with nothing to check: `--check`, `--fail-on`, `--expect`, `--reject`, and
//! `diff --fail-on`, by the exit status.

use crate::common;
use crate::common::{Scratch, fixture};

const UDP: &str = "fixtures/riptide/riptide22-udp.pcap";
const FOREIGN: &str = "fixtures/foreign/foreign.pcap";
/// A fixture with faults and warnings.
const DAMAGED: &str = "fixtures/gne/gne-edge.pcap";

fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let done = common::run(args, b"");
    (done.status, done.text().into(), done.err)
}

/// A capture with a file header and nothing else.
fn empty(scratch: &Scratch) -> String {
    scratch.write("none.pcap", &std::fs::read(fixture("riptide/riptide22-udp.pcap")).expect("the fixture")[..24])
}

#[test]
fn nothing_is_no_success() {
    let folder = Scratch::new("gates-nothing");
    let none = &*empty(&folder);
    let gates: [&[&str]; 5] = [
        &["--check"],
        &["--fail-on", "fault"],
        &["--fail-on", "warning"],
        &["--expect", "length >= 0"],
        &["--reject", "has fault"],
    ];
    for gate in gates {
        for (files, what) in [
            (&[none][..], ": no frames"),
            (&[FOREIGN, "-p", "auto", "-F", "frame == 1000000"], ": no message"),
            (&[UDP, "-F", "frame == 1000000"], ": no message matches the selection"),
            (&[UDP, "--flow", "1000"], ": --flow 1000: there are 9 conversations"),
            (&[UDP, "--since", "1000h"], " s after the end of the capture, which lasts "),
            (&[UDP, "--until", "0s"], ": no message matches the selection"),
            // One empty file of two counts like a single empty file.
            (&[UDP, none], ": no message of a known protocol"),
        ] {
            let args = [&["decode"], files, gate].concat();
            let (status, _, err) = run(&args);
            assert_eq!(status, Some(1), "{args:?}: {err}");
            let line =
                err.lines().find(|line| line.contains("--allow-empty")).unwrap_or_else(|| panic!("{args:?}: {err}"));
            assert!(line.contains(gate[0]) && line.contains(what), "{args:?}: {err}");
            assert!(files.contains(&UDP) || !err.contains("encodes back"), "{args:?}: {err}");
            let (status, _, err) = run(&[&args[..], &["--allow-empty"]].concat());
            assert_eq!(status, Some(0), "{args:?} --allow-empty: {err}");
            // A conversation or a time that the capture does not have is an error even without a gate.
            let outside = files.iter().any(|arg| ["--flow", "--since"].contains(arg));
            assert_eq!(run(&[&["decode"], files].concat()).0, Some(i32::from(outside)), "{files:?}");
        }
        let (status, _, err) = run(&[&["decode", UDP][..], gate].concat());
        assert_eq!(status, Some(0), "{gate:?}: {err}");
    }
    for args in [["--expect", "length >= 0"], ["--reject", "has fault"]] {
        assert_eq!(run(&[&["stats", none][..], &args].concat()).0, Some(1));
        assert_eq!(run(&[&["stats", none, "--allow-empty"][..], &args].concat()).0, Some(0));
        assert_eq!(run(&[&["stats", UDP][..], &args].concat()).0, Some(0));
        assert_eq!(run(&[&["stats", UDP, "--track", "length"][..], &args].concat()).0, Some(0));
    }
    for args in [&["-c", "0"][..], &["-c", "0", "--check"]] {
        let (status, _, err) = run(&[&["decode", UDP, "--fail-on", "fault"], args].concat());
        assert_eq!((status, err.contains("expected at least 1")), (Some(2), true), "{args:?}: {err}");
    }
    let (status, _, err) = run(&["stats", UDP, "--flow", "0"]);
    assert_eq!(
        (status, err.contains("expected at least 1")),
        (Some(2), true),
        "conversations are numbered from 1: {err}"
    );
}

#[test]
fn a_difference_to_nothing() {
    let folder = Scratch::new("gates-diff");
    let none = &*empty(&folder);
    for files in [[none, UDP], [UDP, none], [none, none]] {
        for limit in ["rate>10%", "fields", "lost>5%"] {
            let args = [&["diff"], &files[..], &["--fail-on", limit]].concat();
            let (status, out, err) = run(&args);
            assert_eq!(status, Some(1), "{args:?}: {err}");
            assert!(err.contains("--fail-on: ") && err.contains("no message to compare"), "{args:?}: {err}");
            assert!(!out.is_empty());
        }
        assert_eq!(run(&[&["diff"], &files[..]].concat()).0, Some(0), "no limit, no verdict");
        assert_eq!(run(&[&["diff"], &files[..], &["--fail-on", "fields", "--allow-empty"]].concat()).0, Some(0));
    }
    assert_eq!(run(&["diff", UDP, UDP, "--fail-on", "fields"]).0, Some(0));
    assert_eq!(run(&["diff", UDP, UDP, "--fail-on", "fields", "-F", "frame == 0"]).0, Some(1));
}

#[test]
fn expected_and_rejected() {
    let (status, _, err) = run(&["decode", UDP, "--expect", "message == welcome"]);
    assert_eq!((status, err.as_str()), (Some(0), ""));
    let (_, out, _) = run(&["decode", UDP, "-f", "ndjson"]);
    let count = out.lines().count();
    let (status, _, err) = run(&["decode", UDP, "--expect", "message == welcome", "--expect", "length > 60000"]);
    assert_eq!(
        (status, err),
        (Some(1), format!("netkit: --expect length > 60000: none of {count} messages matches\n"))
    );
    // The first three of them, and their number.
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fit: Vec<String> = lines
        .iter()
        .filter(|line| line["message"] == "heartbeat")
        .map(|line| format!("frame {} riptide.heartbeat", line["frame"]))
        .collect();
    assert!(fit.len() > 4);
    let want = format!("netkit: --reject: {}, and {} more\n", fit[..3].join(", "), fit.len() - 3);
    let (status, _, err) = run(&["decode", UDP, "--reject", "message == heartbeat"]);
    assert_eq!((status, err), (Some(1), want.clone()));
    let (status, _, err) = run(&["stats", UDP, "--reject", "message == heartbeat"]);
    assert_eq!((status, err), (Some(1), want));
    // Gates check what -F and -c leave.
    assert_eq!(run(&["decode", UDP, "--reject", "message == heartbeat", "-F", "message == welcome"]).0, Some(0));
    assert_eq!(run(&["decode", UDP, "--expect", "message == heartbeat", "-F", "message == welcome"]).0, Some(1));
    assert_eq!(run(&["decode", UDP, "--expect", "message == heartbeat", "-c", "1"]).0, Some(1));
    assert_eq!(run(&["decode", UDP, "--check", "--reject", "message == heartbeat"]).0, Some(1));
    assert_eq!(run(&["decode", DAMAGED, "-p", "gne", "--check", "--fail-on", "warning"]).0, Some(1));
    // A misspelt condition is a usage error.
    let (status, _, err) = run(&["decode", UDP, "--expect", "mesage == welcome"]);
    assert!(status == Some(2) && err.starts_with("netkit: --expect: ") && err.contains("message"), "{err}");
    let folder = Scratch::new("gates-hex");
    let hex = &*folder.write("hex", "05031400\n");
    assert_eq!(run(&["dump", hex, "-q", "-p", "riptide", "--expect", "ping_id == 3"]).0, Some(0));
    assert_eq!(run(&["dump", hex, "-q", "-p", "riptide", "--expect", "ping_id == 4"]).0, Some(1));
    let (status, _, err) = run(&["dump", hex, "-p", "riptide", "--reject", "ping_id == 3"]);
    assert_eq!((status, err.as_str()), (Some(1), "netkit: --reject: riptide.heartbeat\n"));
}

/// `--fail-on` reports the number of messages, and the first three of them.
#[test]
fn failing_messages_are_named() {
    const BROKEN: &str = "fixtures/acknex/acknex-malformed.pcap";
    let (_, out, _) = run(&["decode", BROKEN, "-q", "-f", "ndjson"]);
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let broken = lines.iter().filter(|line| line.get("fault").is_some());
    let broken: Vec<String> =
        broken.map(|line| format!("frame {} acknex.{}", line["frame"], line["message"].as_str().unwrap())).collect();
    assert!(broken.len() > 4);
    let want = format!("{} messages: {}, and {} more\n", broken.len(), broken[..3].join(", "), broken.len() - 3);
    for command in ["decode", "stats"] {
        let (status, _, err) = run(&[command, BROKEN, "--fail-on", "fault"]);
        assert_eq!((status, err), (Some(1), format!("netkit: --fail-on fault: {want}")));
    }
    let one = ["-F".into(), format!("has fault and frame <= {}", broken[0].split(' ').nth(1).unwrap())];
    let (status, _, err) = run(&["decode", BROKEN, "--fail-on", "fault", &one[0], &one[1]]);
    assert_eq!((status, err), (Some(1), format!("netkit: --fail-on fault: 1 message: {}\n", broken[0])));
    let (status, _, err) = run(&["decode", DAMAGED, "-p", "gne", "-f", "ndjson", "--fail-on", "warning"]);
    assert!(status == Some(1) && err.contains("netkit: --fail-on warning: "), "{err}");
    // stdin is read once.
    for args in [&["decode", "-", "-"][..], &["diff", "-", "-"], &["stats", "-", "-"], &["report", "-", "-", "-o", "x"]]
    {
        let done = common::run(args, &std::fs::read(fixture("riptide/riptide22-udp.pcap")).expect("the fixture"));
        assert_eq!((done.status, done.text()), (Some(2), ""), "{args:?}");
        assert!(done.err.contains("stdin can be read only once"), "{args:?}: {}", done.err);
    }
}

/// Any number of threads find together what one finds.
#[test]
fn threads_find_the_same() {
    for file in [UDP, "fixtures/nano/pomelo-ws.pcap", DAMAGED, "fixtures/dnp/dnp-states.pcap"] {
        for gate in [
            &["--reject", "length > 3"][..],
            &["--reject", "flow >= 2"],
            &["--expect", "flow == 1", "--reject", "has warning"],
            &["--expect", "frame == 1000000"],
            &["--fail-on", "fault"],
            &["--fail-on", "warning", "--flow", "2"],
            &["--fail-on", "fault", "-F", "frame == 0"],
        ] {
            let with = |threads: &str| {
                let (status, _, err) = run(&[&["decode", file, "-f", "ndjson", "--threads", threads], gate].concat());
                (status, err)
            };
            let one = with("1");
            for threads in ["2", "3", "5"] {
                assert_eq!(with(threads), one, "{file} {gate:?} {threads}");
            }
        }
    }
}

/// Warnings without a fault fail only the stricter condition.
#[test]
fn warnings_fail_where_they_are_asked_for() {
    const WARNED: &str = "fixtures/dnp/dnp-lossy.pcap";
    let status = |args: &[&str]| run(&[&["decode", WARNED, "-p", "dnp"], args].concat()).0;
    assert_eq!(status(&["--reject", "has fault"]), Some(0), "no message of it is broken");
    assert_eq!(status(&["--reject", "has warning"]), Some(1), "some of its messages have a warning");
    assert_eq!(status(&["--fail-on", "fault"]), Some(0));
    assert_eq!(status(&["--fail-on", "warning"]), Some(1));
    // Notes below a warning do not fail.
    assert_eq!(status(&["--fail-on", "warning", "-F", "has note and not has warning"]), Some(0));
}

/// Statistics, too, need messages in each file.
#[test]
fn each_file_has_messages() {
    let folder = Scratch::new("gates-each");
    let none = &*empty(&folder);
    for command in [&["stats"][..], &["stats", "--track", "length"], &["decode"]] {
        let status = |files: &[&str]| run(&[command, files, &["--reject", "has fault"]].concat()).0;
        assert_eq!(status(&[UDP, UDP]), Some(0), "{command:?}");
        for files in [[UDP, none], [none, UDP]] {
            assert_eq!(status(&files), Some(1), "{command:?} {files:?}");
        }
    }
}

/// A reader that leaves before the end of the output leaves a gate untested, which is no success. Without a gate it has
/// enough.
#[test]
fn a_gate_is_tested_to_the_end_or_fails() {
    let capture = "fixtures/riptide/riptide22-lossy.pcap";
    for (gate, status) in [(&[][..], 0), (&["--reject", "note == given_up"], 3), (&["--fail-on", "warning"], 3)] {
        for form in [&["ndjson", "--threads", "1"][..], &["ndjson", "--threads", "2"], &["pcapng"]] {
            let args = [&["decode", "-q", capture, "-f"], form, gate].concat();
            // The reader has left before the program starts, however late this thread runs.
            let (reader, writer) = std::io::pipe().expect("a pipe");
            drop(reader);
            let done = common::finish(common::netkit(&args).stdout(writer).spawn().expect("it runs"));
            assert_eq!(done.status, Some(status), "{form:?} {gate:?}: {}", done.err);
            assert_eq!(done.err.contains("not tested to the end"), status == 3, "{form:?} {gate:?}: {}", done.err);
        }
    }
}

/// A conversation or a time that a capture does not have is an error of comparisons, too.
#[test]
fn comparisons_need_what_was_asked_for() {
    let folder = Scratch::new("gates-outside");
    let page = folder.file("page.html");
    let of = "--flow 99: there are 9 conversations";
    for (args, what) in [
        (&["diff", UDP, UDP, "--flow", "99"][..], of),
        (&["diff", UDP, UDP, "--since", "1000h"], "--since: "),
        (&["report", UDP, UDP, "--flow", "99", "--force", "-o", &page], of),
        (&["report", UDP, UDP, UDP, "--flow", "99", "--force", "-o", &page], of),
        (&["top", UDP, "--flow", "99"], of),
    ] {
        let (status, _, err) = run(args);
        assert_eq!(status, Some(1), "{args:?}: {err}");
        assert!(err.contains(&format!("riptide22-udp.pcap: {what}")), "{args:?}: {err}");
    }
    assert_eq!(run(&["diff", UDP, UDP, "--flow", "1"]).0, Some(0));
}

/// A replay that would play nothing, or compare nothing, is refused; so are options that cannot have an effect.
#[test]
fn what_would_do_nothing_is_refused() {
    let replay = ["replay", "fixtures/riptide/riptide20-udp.pcap", "--flow", "1", "--to", "127.0.0.1:9", "--expect"];
    let stats = ["stats", UDP, "--track", "length"];
    let probe = ["probe", "127.0.0.1:9", "-p", "riptide"];
    let proxy = ["proxy", "127.0.0.1:0", "127.0.0.1:9", "-p", "riptide", "-f", "csv"];
    for (of, more, why) in [
        (&replay[..], &["--last-frame", "0"][..], "--last-frame: the conversation begins later"),
        (&replay, &["--last-frame", "5", "-F", "from == server and message == reliable"], "nothing would be compared"),
        (&["decode", UDP], &["--bytes", "-f", "csv"], "--bytes: only with -f ndjson and json"),
        (&stats, &["--by", "message,flow"], "--by: with --track one field, not several"),
        (&probe, &["--textfile", "x.txt"], "node_exporter reads only names that end in .prom"),
        (&proxy, &["--columns", "time,outcome"], "outcome is always among the last columns"),
    ] {
        let (status, _, err) = run(&[of, more].concat());
        assert_eq!(status, Some(2), "{more:?}: {err}");
        assert!(err.contains(why), "{more:?}: {err}");
    }
}

/// A capture of other protocols looks like one in which nothing happened, unless each command says so.
#[test]
fn a_capture_of_other_protocols_is_reported() {
    let folder = Scratch::new("gates-unknown");
    let (page, copy) = (folder.file("page.html"), folder.file("copy.pcapng"));
    let other = "fixtures/foreign/foreign-enet_reliable.pcap";
    for (args, times) in [
        (&["decode", other][..], 1),
        (&["decode", other, "-f", "pcapng", "--force", "-o", &copy], 1),
        (&["stats", other], 1),
        (&["stats", other, "-f", "csv"], 1),
        (&["top", other], 1),
        (&["diff", other, other], 2),
        (&["report", other, "--force", "-o", &page], 1),
        (&["report", other, other, other, "--force", "-o", &page], 3),
        (&["stats", other, "-q"], 0),
        (&["stats", UDP], 0),
        (&["stats", UDP, "-F", "frame == 1000000"], 0),
        (&["diff", UDP, UDP], 0),
    ] {
        let (status, _, err) = run(args);
        assert_eq!(status, Some(0), "{args:?}: {err}");
        assert_eq!(err.matches("no message of a known protocol; -v lists").count(), times, "{args:?}: {err}");
        // Of several files, each note names its own.
        let named = err.matches(&format!("netkit: {other}: no message of a known protocol; -v lists")).count();
        assert!(named == times || times < 2, "{args:?}: {err}");
    }
}

/// A file or name that the command cannot use is refused before anything is written.
#[test]
fn files_for_another_command_are_refused() {
    let folder = Scratch::new("gates-files");
    let to = folder.file("x.pcapng");
    for (args, what) in [
        (&["dump", UDP][..], "riptide22-udp.pcap is a capture: netkit decode reads it"),
        (&["encode", "riptide.heartbeat", "ping_id=3", "-o", &to], "encode writes pcap"),
        (&["check", "fixtures/schemas/riptide.toml", UDP], "riptide.toml: describes payloads of a built-in protocol"),
        (&["stats", UDP, "--by", "message,message"], "\"message\" is named twice"),
    ] {
        let (status, out, err) = run(args);
        assert_eq!((status, &*out), (Some(2), ""), "{args:?}: {err}");
        assert!(err.contains(what), "{args:?}: {err}");
    }
    assert!(!std::path::Path::new(&to).exists());
}

/// Silence never hides why the status is not 0.
#[test]
fn a_gate_that_fails_says_so_even_quietly() {
    for gate in [["--expect", "message == reject"], ["--reject", "note == given_up"], ["--fail-on", "warning"]] {
        let capture = "fixtures/riptide/riptide22-lossy.pcap";
        let (status, _, err) = run(&[&["decode", "-q", "-f", "ndjson", capture], &gate[..]].concat());
        assert_eq!((status, err.lines().count()), (Some(1), 1), "{gate:?}: {err}");
        assert!(err.contains(gate[0]), "{err}");
    }
}
