//! Captures that grow, and Ctrl-C: output that was begun is completed, in every format.
#![cfg(unix)]

use crate::common;
use crate::common::{Scratch, drained, ended, finish, fixture, netkit, rests, run, signal};
use serde_json::Value as Json;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};

fn capture() -> Vec<u8> {
    std::fs::read(fixture("riptide/riptide20-udp.pcap")).expect("the fixture")
}

/// A file with the beginning of a capture, which ends inside a record.
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

/// The number of messages in the same bytes of a file that does not grow.
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
        // At each end of the file it reads again to see whether there is more.
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

/// Times relative to the first frame do not depend on the number of threads, or on a filter.
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

/// The capture's header and where its records begin, the end last.
fn records() -> (Vec<u8>, Vec<usize>) {
    let (bytes, mut at) = (capture(), vec![24]);
    while let Some(header) = at.last().and_then(|at| bytes.get(at + 8..at + 12)) {
        let length = u32::from_le_bytes(header.try_into().expect("four bytes")) as usize;
        at.push(at[at.len() - 1] + 16 + length);
    }
    (bytes[..24].to_vec(), at)
}

/// A capture of these records.
fn part(from: usize, to: usize) -> Vec<u8> {
    let (header, at) = records();
    [header, capture()[at[from]..at[to]].to_vec()].concat()
}

/// A netkit that follows a file, and the lines that it prints.
struct Following {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

/// The lines of a pipe.
fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (to, lines) = channel();
    std::thread::spawn(move || BufReader::new(pipe).lines().map_while(Result::ok).try_for_each(|line| to.send(line)));
    lines
}

impl Following {
    fn new(file: &str) -> Following {
        let mut child =
            netkit(&["decode", "--follow", file, "-p", "riptide", "-f", "ndjson", "-q"]).spawn().expect("netkit");
        let out = lines(child.stdout.take().expect("a pipe"));
        let err = lines(child.stderr.take().expect("a pipe"));
        Following { child, out, err }
    }

    /// One that has printed the capture's first 30 records.
    fn begun(file: &str) -> Following {
        std::fs::write(file, part(0, 30)).expect("written");
        let following = Following::new(file);
        following.prints(0, 30);
        following
    }

    /// These records' messages come, as if the capture were one file.
    fn prints(&self, from: usize, to: usize) {
        let messages = |records| {
            let done = run(&["decode", "-", "-p", "riptide", "-f", "ndjson", "-q"], &part(0, records));
            done.text().lines().map(String::from).collect::<Vec<_>>()
        };
        let before = messages(from).len();
        for line in &messages(to)[before..] {
            assert_eq!(&self.out.recv_timeout(common::HANG).expect("a line"), line);
        }
    }

    fn says(&self, text: &str) {
        let line = self.err.recv_timeout(common::HANG).expect("a line");
        assert!(line.contains(text), "{line}");
    }

    /// Ctrl-C; nothing more was printed.
    fn ends(mut self) {
        signal(&self.child, "-INT");
        assert_eq!(ended(&mut self.child).code(), Some(0));
        assert_eq!(self.err.iter().collect::<Vec<_>>(), Vec::<String>::new());
    }
}

/// A file that is rotated while it is followed is one capture: frames, conversations and acknowledgements go on.
#[test]
fn a_rotated_file_is_followed_on() {
    let folder = Scratch::new("follow-rotated");
    let file = folder.file("it.pcap");
    let following = Following::begun(&file);
    // As tcpdump or logrotate do it; what was written into the old file until then counts.
    std::fs::rename(&file, folder.file("it.pcap.1")).expect("renamed");
    let (_, at) = records();
    let mut old = std::fs::OpenOptions::new().append(true).open(folder.file("it.pcap.1")).expect("the old file");
    old.write_all(&capture()[at[30]..at[35]]).expect("written");
    folder.write("new", part(35, 60));
    std::fs::rename(folder.file("new"), &file).expect("renamed");
    following.prints(30, 60);
    following.says("it.pcap: replaced: reading it from its beginning");
    following.ends();
}

#[test]
fn a_truncated_file_is_followed_on() {
    let folder = Scratch::new("follow-truncated");
    let file = folder.file("it.pcap");
    let following = Following::begun(&file);
    // A record that was begun is lost, and reported.
    let (_, at) = records();
    let mut it = std::fs::OpenOptions::new().append(true).open(&file).expect("the file");
    it.write_all(&capture()[at[30]..at[30] + 20]).expect("written");
    common::reads_to(&following.child, &file, at[30] as u64 + 20);
    let second = part(31, 40);
    assert!(second.len() < at[30]);
    std::fs::write(&file, second).expect("written");
    following.says("it.pcap: truncated: reading it from its beginning");
    following.says("inside the record");
    // The number of the frame that is lost is the next one's.
    let all = [part(0, 30), part(31, 40)[24..].to_vec()].concat();
    let all = run(&["decode", "-", "-p", "riptide", "-f", "ndjson", "-q"], &all);
    let first = run(&["decode", "-", "-p", "riptide", "-f", "ndjson", "-q"], &part(0, 30)).text().lines().count();
    for line in all.text().lines().skip(first) {
        assert_eq!(following.out.recv_timeout(common::HANG).expect("a line"), line);
    }
    following.ends();
}

/// Something else under its name is no end.
#[test]
fn what_is_no_capture_is_waited_out() {
    let folder = Scratch::new("follow-other");
    let file = folder.file("it.pcap");
    let following = Following::begun(&file);
    let replace = |bytes: &[u8]| {
        folder.write("new", bytes);
        std::fs::rename(folder.file("new"), &file).expect("renamed");
    };
    replace(b"neither pcap nor pcapng\n");
    following.says("it.pcap: replaced: reading it from its beginning");
    following.says("it.pcap: is not a capture: waiting until it is one");
    replace(&part(30, 40));
    following.prints(30, 40);
    following.ends();
}

/// A damaged capture is not read again from its beginning.
#[test]
fn damage_still_ends_it() {
    let folder = Scratch::new("follow-damaged");
    let file = folder.write("it.pcap", [part(0, 30), vec![0xff; 64]].concat());
    let mut following = Following::new(&file);
    following.prints(0, 30);
    assert_eq!(ended(&mut following.child).code(), Some(3));
    assert!(following.out.recv().is_err(), "nothing more");
}

/// Text has no header, and goes on where the file does.
#[test]
fn truncated_text_is_followed_on() {
    let folder = Scratch::new("follow-text");
    let file = folder.write("it.txt", "0a0001\n\n0a0002\n\n0a0003\n\n");
    let following = Following::new(&file);
    let line = || following.out.recv_timeout(common::HANG).expect("a line");
    let first = line();
    (0..2).for_each(|_| _ = line());
    std::fs::write(&file, "0a0001\n\n").expect("written");
    assert_eq!(line(), first);
    following.says("it.txt: truncated: reading it from its beginning");
    following.ends();
}
