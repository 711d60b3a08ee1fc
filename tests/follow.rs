//! Captures that grow, and Ctrl-C: what was begun is completed, in every format.
#![cfg(unix)]

use serde_json::Value as Json;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The longest that anything here may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn capture() -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/riptide/riptide20-udp.pcap");
    std::fs::read(path).expect("the fixture")
}

fn netkit(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netkit"));
    command.args(args).env_remove("COLUMNS").stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn interrupt(child: &Child) {
    let done = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(done.success());
}

/// Waits for the end, and for no longer than is sensible.
fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status;
        }
        assert!(start.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn output(child: &mut Child) -> (String, String) {
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().expect("a pipe").read_to_string(&mut out).expect("text");
    child.stderr.take().expect("a pipe").read_to_string(&mut err).expect("text");
    (out, err)
}

/// A file of the beginning of a capture, which ends inside a record.
struct Growing(PathBuf);

impl Growing {
    fn new(name: &str) -> Growing {
        let path = std::env::temp_dir().join(format!("netkit-follow-{}-{name}.pcap", std::process::id()));
        std::fs::write(&path, &capture()[..3000]).expect("written");
        Growing(path)
    }

    fn grow(&self, to: usize) {
        let mut file = std::fs::OpenOptions::new().append(true).open(&self.0).expect("the file");
        file.write_all(&capture()[3000..to]).expect("written");
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        // It is in a folder for such things.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// As many messages as the same bytes hold that do not grow.
fn expected(length: usize) -> usize {
    let mut child =
        netkit(&["decode", "-", "-p", "riptide", "-f", "ndjson", "-q"]).stdin(Stdio::piped()).spawn().expect("netkit");
    child.stdin.take().expect("a pipe").write_all(&capture()[..length]).expect("written");
    let (out, _) = output(&mut child);
    out.lines().count()
}

#[test]
fn a_followed_capture_ends_properly_with_ctrl_c() {
    let want = expected(5000);
    assert!(want > expected(3000));
    for format in ["json", "ndjson", "tree", "summary", "table"] {
        let file = Growing::new(format);
        let path = file.0.to_str().expect("UTF-8");
        let mut child = netkit(&["decode", "--follow", path, "-p", "riptide", "-f", format]).spawn().expect("netkit");
        std::thread::sleep(Duration::from_millis(300));
        file.grow(5000);
        std::thread::sleep(Duration::from_millis(500));
        interrupt(&child);
        let status = ended(&mut child);
        let (out, err) = output(&mut child);
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{format}");
        let count = match format {
            "json" => serde_json::from_str::<Vec<Json>>(&out).expect("an array with its end").len(),
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
        std::thread::sleep(Duration::from_millis(400));
        interrupt(&child);
        let status = ended(&mut child);
        let (out, err) = output(&mut child);
        drop(to);
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{args:?}");
        let json: Json = serde_json::from_str(&out).expect("JSON");
        let count = json.as_array().map(Vec::len).or(json["messages"].as_u64().map(|n| n as usize));
        assert_eq!(count, Some(expected(3000)), "{args:?}");
    }
}

#[test]
fn nobody_follows_for_a_reader_that_is_gone() {
    let file = Growing::new("gone");
    let path = file.0.to_str().expect("UTF-8");
    let mut child = netkit(&["decode", "--follow", path, "-p", "riptide", "-f", "ndjson"]).spawn().expect("netkit");
    let mut first = [0; 1];
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut first).expect("a byte");
    drop(out);
    assert_eq!(ended(&mut child).code(), Some(0));
}

/// Times since the first frame are the same however many threads print them, and under a filter.
#[test]
fn relative_times_count_from_the_first_frame() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/riptide/riptide22-lossy.pcap");
    let file = file.to_str().expect("UTF-8");
    let summary = |more: &[&str]| {
        let args = [&["decode", file, "-p", "riptide", "-f", "summary", "--time", "relative"], more].concat();
        let done = netkit(&args).output().expect("netkit");
        String::from_utf8(done.stdout).expect("UTF-8")
    };
    let all = summary(&["--threads", "1"]);
    assert!(all.lines().count() > 900);
    assert_eq!(all, summary(&["--threads", "2"]));
    let some = summary(&["-F", "message == heartbeat"]);
    assert!(!some.is_empty() && some.lines().all(|line| all.contains(line)), "{some}");
}
