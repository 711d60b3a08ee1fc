//! Captures that grow, and Ctrl-C: what was begun is completed, in every format.
#![cfg(unix)]

mod common;

use common::{Scratch, drained, ended, finish, fixture, netkit, rests, run, signal};
use serde_json::Value as Json;
use std::io::{Read, Write};
use std::process::Stdio;

fn capture() -> Vec<u8> {
    std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("the fixture")
}

/// A file of the beginning of a capture, which ends inside a record.
struct Growing(Scratch);

impl Growing {
    fn new(name: &str) -> Growing {
        let folder = Scratch::new(&format!("follow-{name}"));
        folder.write("it.pcap", &capture()[..3000]);
        Growing(folder)
    }

    fn path(&self) -> String {
        self.0.file("it.pcap")
    }

    fn grow(&self, to: usize) {
        let mut file = std::fs::OpenOptions::new().append(true).open(self.path()).expect("the file");
        file.write_all(&capture()[3000..to]).expect("written");
    }
}

/// As many messages as the same bytes hold that do not grow.
fn expected(length: usize) -> usize {
    run(&["decode", "-", "-p", "riptide", "-f", "ndjson", "-q"], &capture()[..length]).text().lines().count()
}

#[test]
fn a_followed_capture_ends_properly_with_ctrl_c() {
    let want = expected(5000);
    assert!(want > expected(3000));
    for format in ["json", "ndjson", "tree", "summary", "table"] {
        let file = Growing::new(format);
        let child =
            netkit(&["decode", "--follow", &file.path(), "-p", "riptide", "-f", format]).spawn().expect("netkit");
        // At the end of what is there, and of what has come: it reads again to see whether there is more.
        common::reads_to(&child, &file.path(), 3000);
        file.grow(5000);
        common::reads_to(&child, &file.path(), 5000);
        signal(&child, "-INT");
        let done = finish(child);
        assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{format}");
        let out = done.text();
        let count = match format {
            "json" => serde_json::from_str::<Vec<Json>>(out).expect("an array with its end").len(),
            "ndjson" => out.lines().filter(|line| serde_json::from_str::<Json>(line).is_ok()).count(),
            "tree" => out.lines().filter(|line| line.starts_with('#')).count(),
            "table" => {
                assert!(out.trim_end().ends_with('┘'), "{out}");
                out.lines().filter(|line| line.contains(" riptide 2.0 ")).count()
            }
            _ => out.lines().count(),
        };
        assert_eq!(count, want, "{format}");
    }
}

#[test]
fn a_pipe_that_stays_open_ends_with_ctrl_c() {
    for args in [&["stats", "-", "-p", "riptide", "-f", "json"][..], &["decode", "-", "-p", "riptide", "-f", "json"]] {
        let mut child = netkit(args).stdin(Stdio::piped()).spawn().expect("netkit");
        let mut to = child.stdin.take().expect("a pipe");
        to.write_all(&capture()[..3000]).expect("written");
        drained(&to);
        rests(&child);
        signal(&child, "-INT");
        let done = finish(child);
        drop(to);
        assert_eq!((done.status, done.err.as_str()), (Some(0), ""), "{args:?}");
        let json = common::json(done.text());
        let count = json.as_array().map(Vec::len).or(json["messages"].as_u64().map(|n| n as usize));
        assert_eq!(count, Some(expected(3000)), "{args:?}");
    }
}

#[test]
fn nobody_follows_for_a_reader_that_is_gone() {
    let file = Growing::new("gone");
    let mut child =
        netkit(&["decode", "--follow", &file.path(), "-p", "riptide", "-f", "ndjson"]).spawn().expect("netkit");
    let mut first = [0; 1];
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut first).expect("a byte");
    drop(out);
    assert_eq!(ended(&mut child).code(), Some(0));
}

/// Times since the first frame are the same however many threads print them, and under a filter.
#[test]
fn relative_times_count_from_the_first_frame() {
    let file = "fixtures/riptide/riptide22-lossy.pcap";
    let summary = |more: &[&str]| {
        let args = [&["decode", file, "-p", "riptide", "-f", "summary", "--time", "relative"], more].concat();
        run(&args, b"").text().to_owned()
    };
    let all = summary(&["--threads", "1"]);
    assert!(all.lines().count() > 900);
    assert_eq!(all, summary(&["--threads", "2"]));
    let some = summary(&["-F", "message == heartbeat"]);
    assert!(!some.is_empty() && some.lines().all(|line| all.contains(line)), "{some}");
}
