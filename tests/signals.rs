//! Ctrl-C and other signals while a command counts, checks or compares: the output says that it was stopped, and is not
//! taken for the whole.
#![cfg(unix)]

use crate::common;
use crate::common::{Done, Scratch, drained, finish, fixture, netkit, rests, run, signal};
use serde_json::Value as Json;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;
use std::process::{Command, Stdio};

/// The bytes of the fixture that are written; then the writer stays silent, with its end open.
const GIVEN: usize = 3000;

fn capture() -> Vec<u8> {
    std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("it")
}

/// Runs netkit on a pipe (PIPE in its arguments) or on stdin, with the beginning of a capture and then silence, and
/// sends the signal.
fn stopped(name: &str, args: &[&str], how: &str) -> Done {
    let folder = Scratch::new(&format!("signals-{name}-{how}"));
    let path = &*folder.pipe("pipe");
    let args: Vec<&str> = args.iter().map(|arg| if *arg == "PIPE" { path } else { arg }).collect();
    let mut child = netkit(&args).stdin(Stdio::piped()).spawn().expect("netkit");
    let stdin = child.stdin.take().expect("a pipe");
    let mut to = match args.contains(&path) {
        true => File::options().write(true).open(path).expect("a pipe"),
        false => File::from(OwnedFd::from(stdin)),
    };
    to.write_all(&capture()[..GIVEN]).expect("written");
    drained(&to);
    rests(&child);
    assert!(child.try_wait().expect("a child").is_none(), "{args:?}: it waits");
    signal(&child, how);
    let done = finish(child);
    drop(to);
    done
}

/// The number of frames and messages in those bytes, by the program itself without a signal.
fn whole() -> (u64, u64) {
    let done = run(&["decode", "-", "-p", "riptide", "-f", "ndjson"], &capture()[..GIVEN]);
    assert_eq!(done.status, Some(3), "it is cut");
    let last: Json = serde_json::from_str(done.text().lines().last().expect("lines")).expect("JSON");
    (last["frame"].as_u64().expect("a number"), done.text().lines().count() as u64)
}

const SIGNALS: [(&str, i32); 3] = [("-INT", 130), ("-TERM", 143), ("-HUP", 129)];

#[test]
fn figures_of_what_was_stopped_say_so() {
    let (frames, messages) = whole();
    let place = format!(": stopped after frame {frames} (");
    let forms: [&[&str]; 9] = [
        &["-f", "text"],
        &["-f", "json"],
        &["-f", "ndjson"],
        &["-f", "csv"],
        &["-f", "json", "--delivery"],
        &["-f", "ndjson", "--by", "flow"],
        &["-f", "text", "--track", "length"],
        &["-f", "csv", "--track", "length"],
        &["-f", "ndjson", "--track", "length", "-q"],
    ];
    std::thread::scope(|scope| {
        for (k, form) in forms.into_iter().enumerate() {
            let place = &place;
            scope.spawn(move || {
                let (signal, status) = SIGNALS[k % 3];
                let args = [&["stats", "PIPE", "-p", "riptide"], form].concat();
                let done = stopped(&format!("stats-{k}"), &args, signal);
                assert_eq!(done.status, Some(status), "{args:?}: {}", done.err);
                assert!(done.err.contains(place.as_str()) && done.err.lines().count() == 1, "{args:?}: {}", done.err);
                match form[1] {
                    "json" => {
                        let all: Json = serde_json::from_str(done.text()).expect("JSON");
                        assert_eq!((&all["stopped"], &all["messages"]), (&true.into(), &messages.into()));
                    }
                    "ndjson" => {
                        let last: Json =
                            serde_json::from_str(done.text().lines().last().expect("lines")).expect("JSON");
                        assert_eq!((&last["stopped"], &last["read"]), (&true.into(), &frames.into()));
                    }
                    "text" => assert!(done.text().contains("stopped after frame "), "{}", done.text()),
                    _ => assert!(done.text().lines().count() > 1, "{}", done.text()),
                }
            });
        }
    });
}

#[test]
fn a_check_that_was_stopped_is_not_passed() {
    let (frames, messages) = whole();
    for (signal, status) in SIGNALS {
        let done = stopped("check", &["decode", "PIPE", "-p", "riptide", "--check"], signal);
        assert_eq!((done.status, done.text()), (Some(status), ""), "{}", done.err);
        assert!(done.err.contains(&format!("stopped after frame {frames} (")), "{}", done.err);
        assert!(done.err.contains(&format!("{messages} messages until it was stopped")), "{}", done.err);
    }
}

/// Lines look complete wherever they end: decode reports that they are not.
#[test]
fn lines_that_were_stopped_are_reported() {
    for (signal, status, format) in [("-INT", 130, "ndjson"), ("-TERM", 143, "ndjson"), ("-INT", 130, "csv")] {
        let done = stopped("lines", &["decode", "PIPE", "-p", "riptide", "-f", format], signal);
        assert!(done.text().ends_with('\n'), "{}", done.text());
        assert_eq!(done.status, Some(status), "{}", done.err);
        assert!(!done.text().is_empty() && done.err.contains("stopped after frame "), "{}", done.err);
    }
}

#[test]
fn what_was_stopped_is_not_compared() {
    let whole = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/riptide/riptide20-udp.pcap");
    for (k, files) in [["PIPE", whole], [whole, "PIPE"], ["-", whole]].into_iter().enumerate() {
        for format in ["text", "json"] {
            let args = [&["diff"], &files[..], &["-p", "riptide", "-f", format, "--fail-on", "vanished"]].concat();
            let (signal, status) = SIGNALS[k];
            let done = stopped(&format!("diff-{k}"), &args, signal);
            assert_eq!(done.status, Some(status), "{args:?}: {}", done.err);
            assert!(done.err.contains("; nothing is compared") && done.err.lines().count() == 1, "{}", done.err);
            let out = if format == "json" { "{\"differences\":null,\"stopped\":true}\n" } else { "" };
            assert_eq!(done.text(), out);
        }
    }
}

/// Endless input is complete if Ctrl-C ends it; SIGTERM was sent by somebody else.
#[test]
fn stdin_ends_with_ctrl_c() {
    for args in [
        &["stats", "-", "-p", "riptide", "-f", "json"][..],
        &["decode", "-", "-p", "riptide", "--check"],
        &["decode", "-", "-p", "riptide", "-f", "ndjson", "--fail-on", "fault"],
        &["decode", "-", "-p", "riptide", "-f", "ndjson", "--expect", "length > 0"],
    ] {
        let done = stopped("stdin", args, "-INT");
        assert_eq!(done.status, Some(0), "{args:?}: {}", done.err);
        assert!(args[0] != "stats" || done.text().contains(",\"stopped\":true,"), "{}", done.text());
        assert_eq!(stopped("stdin", args, "-TERM").status, Some(143), "{args:?}");
        assert_eq!(stopped("stdin", args, "-HUP").status, Some(129), "{args:?}");
    }
    assert_eq!(stopped("stdin", &["decode", "-", "-p", "riptide", "--reject", "length > 0"], "-INT").status, Some(1));
}

/// An incomplete list of conversations is not printed.
#[test]
fn a_recording_that_was_stopped_is_not_listed() {
    let done = stopped("list", &["replay", "PIPE", "--list"], "-INT");
    assert_eq!((done.status, done.text()), (Some(130), ""), "{}", done.err);
    assert!(done.err.contains("stopped before all of it was read"), "{}", done.err);
}

/// `nohup` ignores SIGHUP, and the program keeps that.
#[test]
fn an_ignored_hangup_stays_ignored() {
    let folder = Scratch::new("signals-nohup");
    let pipe = folder.pipe("pipe");
    let mut child = Command::new("sh")
        .args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", common::NETKIT, "stats"])
        .arg(&pipe)
        .args(["-p", "riptide"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut to = File::options().write(true).open(&pipe).expect("a pipe");
    to.write_all(&capture()[..GIVEN]).expect("written");
    drained(&to);
    rests(&child);
    signal(&child, "-HUP");
    rests(&child);
    assert!(child.try_wait().expect("a child").is_none(), "it goes on");
    to.write_all(&capture()[GIVEN..]).expect("written");
    drop(to);
    assert_eq!(finish(child).status, if cfg!(target_os = "linux") { Some(0) } else { Some(129) });
}
