//! Shell scripts in the place of tcpdump and dumpcap.

use super::write_script;
use crate::common::{Done, Scratch, ended, feed, finish, fixture, netkit, rests, signal, until};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Instant;

/// The capture that the scripts print.
fn capture() -> String {
    fixture("riptide/riptide20-udp.pcap").to_str().expect("UTF-8").into()
}

/// A folder with such scripts, which is first in `PATH`.
struct Fakes(Scratch);

impl Fakes {
    /// `programs`: names and commands; CAPTURE is the fixture, FOLDER this folder.
    fn new(test: &str, programs: &[(&str, &str)]) -> Fakes {
        let folder = Scratch::new(&format!("fake-{test}"));
        for (name, does) in programs {
            let does = does.replace("CAPTURE", &capture()).replace("FOLDER", folder.path().to_str().expect("UTF-8"));
            write_script(folder.file(name), &format!("#!/bin/sh\n{does}\n"));
        }
        Fakes(folder)
    }

    /// netkit that finds only these scripts and the shell's own folders.
    fn netkit(&self, args: &[&str]) -> Command {
        let mut command = netkit(args);
        command.env_remove("NETKIT_CAPTURE");
        command.env("PATH", format!("{}:/bin:/usr/bin", self.0.path().display()));
        command
    }

    fn run(&self, args: &[&str]) -> Done {
        feed(&mut self.netkit(args), b"")
    }

    /// netkit that uses only the named script.
    fn only(&self, name: &str, args: &[&str]) -> Command {
        let mut command = self.netkit(args);
        command.env("NETKIT_CAPTURE", self.0.file(name));
        command
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.file(name)).unwrap_or_default()
    }
}

/// Prints the capture, and waits until a signal ends it.
const GIVES: &str = "echo $$ > FOLDER/pid; trap 'echo \"3 packets dropped by kernel\" >&2; exit 0' INT TERM\n\
                     cat CAPTURE; while n=$((n+1)); [ $n -lt 9999 ]; do sleep 0.02; done";

/// The output for the whole capture, read from stdin: like an interface, it is not read ahead for recognition.
fn whole(args: &[&str]) -> String {
    let bytes = std::fs::read(capture()).expect("the capture");
    let done = feed(&mut netkit(&[&["decode", "-"], args].concat()), &bytes).ok();
    done.text().into()
}

/// The lines that are printed while the capture continues. Conversation 9 has three connects without an answer: only
/// the end of the capture shows that no other message follows.
fn at_once(whole: &str) -> String {
    whole.split_inclusive('\n').filter(|line| !line.contains("\"flow\":9,")).collect()
}

/// Whether the process exists.
fn lives(pid: &str) -> bool {
    std::path::Path::new("/proc").join(pid.trim()).exists()
        && Command::new("kill").args(["-0", pid.trim()]).stderr(Stdio::null()).status().expect("kill").success()
}

/// Reads this many lines. netkit ends if nobody reads its output, so the reader is returned to keep it running.
fn lines(child: &mut Child, count: usize) -> (String, BufReader<ChildStdout>) {
    let mut out = BufReader::new(child.stdout.take().expect("stdout"));
    let mut text = String::new();
    for _ in 0..count {
        assert!(out.read_line(&mut text).expect("a line") > 0, "{text}");
    }
    (text, out)
}

#[test]
fn an_interface_is_read_as_stdin_is() {
    let fakes = Fakes::new("equal", &[("tcpdump", GIVES)]);
    let expected = at_once(&whole(&["-f", "ndjson"]));
    let count = expected.lines().count();
    let mut child = fakes.only("tcpdump", &["decode", "-i", "eth7", "-f", "ndjson"]).spawn().expect("netkit");
    let (arrived, _reader) = lines(&mut child, count);
    assert_eq!(arrived, expected);
    // It runs until a signal ends it, and then ends the program, too.
    assert!(child.try_wait().expect("a child").is_none());
    let pid = fakes.text("pid");
    assert!(lives(&pid));
    signal(&child, "-INT");
    let done = finish(child);
    assert_eq!(done.status, Some(0), "{}", done.err);
    assert!(!lives(&pid), "the program has ended");
    assert!(done.err.starts_with("netkit: capturing on eth7; Ctrl-C ends\n"), "{}", done.err);
    assert!(done.err.contains("netkit: eth7: tcpdump dropped 3 frames, which are missing here\n"), "{}", done.err);
}

/// A report of the frames that were captured before the signal.
#[test]
fn a_report_is_of_what_was_captured() {
    let fakes = Fakes::new("report", &[("tcpdump", GIVES)]);
    let page = fakes.0.file("report.html");
    let child = fakes.only("tcpdump", &["report", "-i", "eth7", "-o", &page]).spawn().expect("netkit");
    until("it runs", || !fakes.text("pid").is_empty());
    rests(&child);
    signal(&child, "-INT");
    let done = finish(child);
    assert_eq!(done.status, Some(0), "{}", done.err);
    assert!(fakes.text("report.html").contains("eth7"));
    assert!(!lives(&fakes.text("pid")));
}

/// Ctrl-C: frames captured before it are still read, even if the program writes them late.
#[test]
fn what_was_captured_before_the_end_is_read() {
    let slow = "trap 'cat CAPTURE | tail -c +25; exit 0' INT\n\
                head -c 24 CAPTURE; while n=$((n+1)); [ $n -lt 9999 ]; do sleep 0.02; done";
    let fakes = Fakes::new("slow", &[("tcpdump", slow)]);
    let mut child = fakes.only("tcpdump", &["stats", "-i", "eth7", "-f", "json"]).spawn().expect("netkit");
    let mut sent = BufReader::new(child.stderr.take().expect("stderr"));
    let mut line = String::new();
    sent.read_line(&mut line).expect("a line");
    assert!(line.contains("capturing on eth7"), "{line}");
    signal(&child, "-INT");
    let done = finish(child);
    assert_eq!(done.status, Some(0));
    let messages = whole(&["-f", "ndjson"]).lines().count();
    assert!(done.text().contains(&format!("\"messages\":{messages},")), "{}", done.text());
    assert!(done.text().contains("\"capture\":\"eth7\""), "{}", done.text());
}

#[test]
fn no_right_to_capture() {
    let denied = "echo \"$0: eth7: You don't have permission to capture on that device\" >&2\n\
                  echo '(socket: Operation not permitted)' >&2; exit 1";
    let fakes = Fakes::new("denied", &[("tcpdump", denied), ("dumpcap", denied)]);
    for (command, name) in [("decode", "tcpdump"), ("stats", "dumpcap")] {
        let done = feed(&mut fakes.only(name, &[command, "-i", "eth7"]), b"");
        assert_eq!((done.status, done.text()), (Some(3), ""), "{}", done.err);
        assert_eq!(done.err.lines().count(), 1, "{}", done.err);
        let begins = "netkit: eth7: no permission to capture: ";
        assert!(done.err.starts_with(begins), "{}", done.err);
        // The command that grants the right, or what root can do.
        let grants = ["setcap cap_net_raw,cap_net_admin+ep ", "CAP_NET_RAW", "/dev/bpf"];
        assert!(grants.iter().any(|grant| done.err.contains(grant)), "{}", done.err);
        assert!(done.err.contains("Operation not permitted"), "{}", done.err);
    }
    // If one program lacks the right, the other is used.
    let fakes = Fakes::new("other", &[("tcpdump", denied), ("dumpcap", "cat CAPTURE; sleep 60")]);
    let done = fakes.run(&["decode", "-i", "eth7", "-c", "1", "-f", "summary", "-v"]);
    assert_eq!((done.status, done.text().lines().count()), (Some(0), 1), "{}", done.err);
    assert!(done.err.contains("/dumpcap -q -i eth7 -B 64 -w -\n"), "{}", done.err);
}

#[test]
fn a_program_that_ends_ends_netkit() {
    let dies = "head -c 3000 CAPTURE; echo \"tcpdump: pcap_loop: The interface disappeared\" >&2\n\
                echo '12 packets captured' >&2; exit 1";
    let fakes = Fakes::new("dies", &[("tcpdump", dies), ("dumpcap", "cat CAPTURE; exit 0")]);
    for command in ["decode", "stats"] {
        let done = feed(&mut fakes.only("tcpdump", &[command, "-i", "eth7"]), b"");
        assert_eq!(done.status, Some(3), "{}", done.err);
        // The frames read so far are printed.
        assert!(!done.text().is_empty());
        let why = "tcpdump has ended (exit status: 1): pcap_loop: The interface disappeared\n";
        assert!(done.err.ends_with(why), "{}", done.err);
    }
    // Also if the program exits with status 0.
    let done = feed(&mut fakes.only("dumpcap", &["decode", "-i", "eth7", "-f", "ndjson"]), b"");
    assert_eq!((done.status, done.text()), (Some(3), &*whole(&["-f", "ndjson"])), "{}", done.err);
    assert!(done.err.contains("dumpcap has ended (exit status: 0)"), "{}", done.err);
    // The program ends before it prints anything.
    let fakes = Fakes::new("at-once", &[("tcpdump", "echo 'tcpdump: eth7: No such device exists' >&2; exit 1")]);
    let done = feed(&mut fakes.only("tcpdump", &["decode", "-i", "eth7"]), b"");
    assert_eq!((done.status, &*done.err), (Some(3), "netkit: eth7: tcpdump: eth7: No such device exists\n"));
}

#[test]
fn drops_are_reported_however_it_ends() {
    let dumpcap = "trap 'echo \"Packets captured: 9\" >&2\n\
                   echo \"Packets received/dropped on interface '\\''eth7'\\'': 9/4 (pcap:4/dumpcap:0/flushed:0/ps_ifdrop:0) (69.2%)\" >&2\n\
                   exit 0' INT\ncat CAPTURE; while n=$((n+1)); [ $n -lt 9999 ]; do sleep 0.02; done";
    let fakes = Fakes::new("drops", &[("dumpcap", dumpcap)]);
    for quiet in [&[][..], &["-q"]] {
        let args = [&["decode", "-i", "eth7", "-c", "2", "-f", "summary"], quiet].concat();
        let done = feed(&mut fakes.only("dumpcap", &args), b"").ok();
        assert_eq!(done.text().lines().count(), 2);
        assert!(done.err.contains("netkit: eth7: dumpcap dropped 4 frames, which are missing here\n"), "{}", done.err);
    }
}

/// A program that prints no capture is refused at once.
#[test]
fn programs_that_print_no_capture() {
    let fakes = Fakes::new(
        "garbage",
        &[
            ("tcpdump-garbage", "head -c 1000000 /dev/urandom | tr '\\n\\r\\324\\241\\115\\303' x; sleep 60"),
            ("tcpdump-text", "echo '08 01 00 01 00'; sleep 60"),
        ],
    );
    for name in ["tcpdump-garbage", "tcpdump-text"] {
        let done = feed(&mut fakes.only(name, &["decode", "-i", "eth7"]), b"");
        let why = "netkit: eth7: tcpdump: its output is neither pcap nor pcapng\n";
        assert_eq!((done.status, done.text(), &*done.err), (Some(3), "", why), "{name}");
    }
}

/// Ctrl-C also ends a program that ignores all signals, and prints `count` messages or more. Such a program ends after
/// 9,998 rounds, so that it does not run forever if the test is killed.
fn ends_a_deaf_program(prints: &str, count: usize) {
    let fakes = Fakes::new(
        &format!("deaf{count}"),
        &[("tcpdump", &format!("echo $$ > FOLDER/pid; trap '' INT TERM\n{prints}"))],
    );
    let mut child = fakes.only("tcpdump", &["decode", "-i", "eth7", "-f", "ndjson"]).spawn().expect("netkit");
    let mut out = BufReader::new(child.stdout.take().expect("stdout"));
    let mut line = String::new();
    for _ in 0..count {
        line.clear();
        assert!(out.read_line(&mut line).expect("a line") > 0);
    }
    until("it runs", || !fakes.text("pid").is_empty());
    if count == 0 {
        rests(&child);
    }
    signal(&child, "-INT");
    let begun = Instant::now();
    let mut rest = Vec::new();
    out.read_to_end(&mut rest).expect("bytes");
    assert_eq!(ended(&mut child).code(), Some(0));
    assert!(begun.elapsed() < crate::common::HANG);
    assert!(!lives(&fakes.text("pid")), "it has been ended");
}

#[test]
fn a_deaf_program_that_prints_nothing() {
    ends_a_deaf_program("while n=$((n+1)); [ $n -lt 9999 ]; do sleep 0.02; done", 0);
}

#[test]
fn a_deaf_program_without_end() {
    ends_a_deaf_program(
        "cat CAPTURE; while n=$((n+1)); [ $n -lt 9999 ]; do tail -c +25 CAPTURE || sleep 0.02; done",
        5000,
    );
}

#[test]
fn a_loud_program() {
    let loud = "yes 'tcpdump: a warning' >&2 & cat CAPTURE; sleep 0.3; kill $!; exit 4";
    let fakes = Fakes::new("loud", &[("tcpdump", loud)]);
    let done = feed(&mut fakes.only("tcpdump", &["stats", "-i", "eth7"]), b"");
    assert_eq!(done.status, Some(3), "{}", done.err);
    let reported = done.err.split_once("tcpdump has ended (exit status: 4)").expect("its end").1;
    assert!(reported.len() < 500, "not all that it has sent: {reported}");
}

/// The reader of the output closes it while no frame arrives.
#[test]
fn nobody_reads() {
    let fakes = Fakes::new("nobody", &[("tcpdump", GIVES)]);
    let mut child = fakes.only("tcpdump", &["decode", "-i", "eth7", "-f", "ndjson"]).spawn().expect("netkit");
    drop(lines(&mut child, 3));
    assert_eq!(ended(&mut child).code(), Some(0));
    assert!(!lives(&fakes.text("pid")));
}

/// A requested end is reached without a later frame, and without any frame.
#[test]
fn it_ends_at_the_time_asked_for() {
    let silent = GIVES.replace("cat CAPTURE", "head -c 24 CAPTURE");
    let fakes = Fakes::new("until", &[("tcpdump", GIVES), ("dumpcap", &silent)]);
    for (program, gives) in [("tcpdump", true), ("dumpcap", false)] {
        for until in ["1s", "2020-01-01"] {
            let args = ["stats", "-i", "eth7", "--until", until, "-f", "json"];
            let autostop = ["stats", "-i", "eth7", "-a", "duration:1", "-f", "json"];
            let args = if until == "1s" && !gives { autostop.to_vec() } else { args.to_vec() };
            let done = feed(&mut fakes.only(program, &args), b"");
            let totals: serde_json::Value = serde_json::from_str(done.text()).expect("JSON");
            assert_eq!(done.status, Some(0), "{program} {until}: {}", done.err);
            // No frame of the capture is before 2020; the number of frames within a second depends on the machine.
            let some = totals["messages"].as_u64().expect("a count") > 0;
            assert!(!some || gives && until == "1s", "{program} {until}");
        }
        assert!(!lives(&fakes.text("pid")), "{program} has ended");
    }
}

/// Signals from somebody other than the user.
#[test]
fn terminated_is_not_done() {
    let fakes = Fakes::new("terminated", &[("tcpdump", GIVES)]);
    for (name, status) in [("-TERM", 143), ("-HUP", 129)] {
        let child = fakes.only("tcpdump", &["stats", "-i", "eth7", "-f", "json"]).spawn().expect("netkit");
        until("it runs", || !fakes.text("pid").is_empty());
        rests(&child);
        signal(&child, name);
        let done = finish(child);
        assert_eq!(done.status, Some(status), "{}", done.err);
        assert!(done.text().contains("\"stopped\":true"), "{}", done.text());
        assert!(!lives(&fakes.text("pid")));
        std::fs::remove_file(fakes.0.file("pid")).expect("removed");
    }
}

#[test]
fn ports_and_filters_are_passed_on() {
    let fakes = Fakes::new("filters", &[("tcpdump", "cat CAPTURE"), ("dumpcap", "cat CAPTURE")]);
    let sent = |name: &str, args: &[&str]| {
        let args = [&["decode", "-i", "eth 7", "-c", "1", "-f", "summary", "-v"], args].concat();
        // If no message arrives, the end of the program ends the run.
        let done = feed(&mut fakes.only(name, &args), b"");
        let line = done.err.lines().find(|line| line.contains("capture program: ")).expect("which").to_owned();
        line.split_once(&format!("/{name} ")).expect("its name").1.to_owned()
    };
    let fragments = "(ip[6:2] & 0x1fff != 0) or ip6[6] = 44";
    assert_eq!(sent("tcpdump", &[]), "-i 'eth 7' -n -U --immediate-mode -s 65600 -B 65536 -w -");
    // A kept capture is buffered instead.
    let kept = fakes.0.file("buffered.pcap");
    assert_eq!(sent("tcpdump", &["-w", &kept, "--buffer", "16"]), "-i 'eth 7' -n -U -s 65600 -B 16384 -w -");
    assert_eq!(
        sent("tcpdump", &["--port", "17870=riptide"]),
        format!("-i 'eth 7' -n -U --immediate-mode -s 65600 -B 65536 -w - -- 'port 17870 or {fragments}'")
    );
    assert_eq!(sent("dumpcap", &["-p", "riptide"]), format!("-q -i 'eth 7' -B 64 -w - -f 'port 7777 or {fragments}'"));
    assert_eq!(sent("dumpcap", &["-p", "riptide", "--capture-filter", "udp"]), "-q -i 'eth 7' -B 64 -w - -f udp");
    assert_eq!(sent("dumpcap", &["-p", "riptide", "--capture-filter="]), "-q -i 'eth 7' -B 64 -w -");
    // All ports of a described protocol.
    let described = sent("dumpcap", &["-p", "fixtures/protocols/minecraft.toml"]);
    assert!(described.contains("port 25565"), "{described}");
}

/// `-w` keeps all frames, whatever is printed of them.
#[test]
fn frames_are_kept() {
    let fakes = Fakes::new("kept", &[("tcpdump", "cat CAPTURE; exit 0")]);
    let frames = |path: &str| {
        let bytes = std::fs::read(path).expect("what was kept");
        feed(&mut netkit(&["decode", "-", "-f", "ndjson"]), &bytes).text().to_owned()
    };
    for name in ["kept.pcap", "kept.pcapng"] {
        let path = fakes.0.file(name);
        let args = ["decode", "-i", "eth7", "-w", &path, "-f", "ndjson", "-F", "message == heartbeat"];
        let done = feed(&mut fakes.only("tcpdump", &args), b"");
        assert_eq!(done.text(), whole(&["-f", "ndjson", "-F", "message == heartbeat"]));
        assert_eq!(frames(&path), whole(&["-f", "ndjson"]), "{name}");
        // An existing file is not replaced without `--force`.
        let done = feed(&mut fakes.only("tcpdump", &args), b"");
        assert_eq!((done.status, done.text()), (Some(2), ""), "{}", done.err);
        assert!(done.err.contains("exists: --force replaces it"), "{}", done.err);
        let args = ["stats", "-i", "eth7", "-w", &path, "--force", "-f", "json"];
        assert_eq!(feed(&mut fakes.only("tcpdump", &args), b"").status, Some(3), "the program has ended");
        assert_eq!(frames(&path), whole(&["-f", "ndjson"]), "{name}");
    }
    assert_eq!(std::fs::read(fakes.0.file("kept.pcap")).expect("it"), std::fs::read(capture()).expect("it"));
    // After a stop, the file holds complete frames up to that point.
    let fakes = Fakes::new("kept-stopped", &[("tcpdump", GIVES)]);
    let path = fakes.0.file("kept.pcap");
    let expected = whole(&["-f", "ndjson"]);
    let args = ["decode", "-i", "eth7", "-w", &path, "-f", "ndjson"];
    let mut child = fakes.only("tcpdump", &args).spawn().expect("netkit");
    let _reader = lines(&mut child, at_once(&expected).lines().count());
    signal(&child, "-INT");
    assert_eq!(ended(&mut child).code(), Some(0));
    assert_eq!(frames(&path), expected);
}

/// `-C`, `-G`, `-W`: each file is a capture of its own, and joined they are all that was captured.
#[test]
fn what_is_kept_is_divided() {
    let fakes = Fakes::new("divided", &[("tcpdump", "cat CAPTURE; exit 0")]);
    let kept = |name: &str| {
        let list = std::fs::read_dir(fakes.0.path()).expect("the folder").flatten().map(|entry| entry.path());
        let mut list: Vec<_> = list.filter(|path| path.to_str().expect("UTF-8").contains(name)).collect();
        list.sort();
        list
    };
    let capture = |name: &str, args: &[&str]| {
        let path = fakes.0.file(name);
        feed(&mut fakes.only("tcpdump", &[&["decode", "-i", "eth7", "-f", "ndjson", "-w", &path], args].concat()), b"")
    };
    // Conversations go on from file to file, and frames are counted on.
    let joined = |name: &str| {
        let pattern = fakes.0.file(&format!("{name}_*"));
        let done = feed(&mut netkit(&["decode", "--join", &pattern, "-f", "ndjson", "-q"]), b"").ok();
        let lines = done.lines().into_iter().map(|mut line| {
            let own = line.as_object_mut().expect("an object");
            own.retain(|key, _| !["file", "file_frame"].contains(&key.as_str()));
            line
        });
        lines.collect::<Vec<_>>()
    };
    let all = feed(&mut netkit(&["decode", &self::capture(), "-f", "ndjson", "-q"]), b"").lines();
    for ending in ["pcap", "pcapng"] {
        let name = format!("size.{ending}");
        let done = capture(&name, &["-C", "4K"]);
        assert!(!done.text().is_empty(), "{}", done.err);
        let files = kept("/size_");
        assert!(files[0].ends_with(format!("size_00001.{ending}")) && files.len() > 3, "{files:?}");
        assert!(files.iter().all(|file| file.metadata().expect("a file").len() <= 4096), "{ending}");
        assert!(joined("size") == all, "{ending}");
        // Files that are there are not replaced without being asked to, wherever the recording would get to them.
        std::fs::remove_file(&files[0]).expect("removed");
        let done = capture(&name, &["-C", "4K"]);
        assert_eq!((done.status, done.text()), (Some(2), ""), "{}", done.err);
        assert!(done.err.contains(&format!("{ending} exists: --force replaces it")), "{}", done.err);
        capture(&name, &["-C", "4K", "-W", "2", "--force"]);
        assert_eq!(kept("/size_"), files[files.len() - 2..], "the last two of the same");
        kept("/size_").iter().for_each(|file| std::fs::remove_file(file).expect("removed"));
    }
    // By the time of the frames.
    capture("time.pcap", &["-G", "2s"]);
    assert!(joined("time") == all);
    let spans = kept("/time_").into_iter().map(|file| {
        let done = feed(&mut netkit(&["decode", file.to_str().expect("UTF-8"), "-f", "ndjson", "-q"]), b"");
        let times = done.lines().into_iter().filter_map(|line| line["time"].as_f64()).collect::<Vec<_>>();
        times[times.len() - 1] - times[0]
    });
    let spans: Vec<f64> = spans.collect();
    assert!(spans.len() > 2 && spans.iter().all(|span| *span < 2.0), "{spans:?}");
}

#[test]
fn what_does_not_go_together() {
    let fakes = Fakes::new("together", &[("tcpdump", GIVES)]);
    for (args, why) in [
        (&["decode", "-i", "eth7", "x.pcap"][..], "cannot be used with"),
        (&["decode", "-i", "eth7", "--join"], "cannot be used with"),
        (&["decode", "-i", "eth7", "--follow"], "cannot be used with"),
        (&["decode", "-i", "eth7", "--link"], "cannot be used with"),
        (&["decode", "-i", "eth7", "-F", "has unanswered"], "record with -w FILE"),
        (&["decode", "x.pcap", "--capture-filter", "udp"], "only with -i"),
        (&["stats", "x.pcap", "-w", "y.pcap"], "only with -i"),
        (&["decode", "x.pcap", "-a", "duration:3"], "-a: only with -i"),
        (&["decode", "-i", "eth7", "-a", "packets:3"], "expected duration:TIME"),
        (&["decode", "x.pcap", "-w", "y.pcap", "-C", "1M"], "-C, -G, -W: only with -i"),
        (&["decode", "-i", "eth7", "-C", "1M"], "--write <FILE>"),
        (&["decode", "-i", "eth7", "-w", "y.pcap", "-W", "3"], "-W: only with -C or -G"),
        (&["decode", "-i", "eth7", "-w", "/dev/null", "-C", "1M"], "cannot be divided"),
        (&["decode", "x.pcap", "-w", "y.pcap", "-f", "csv"], "'--write <FILE>' cannot be used with '--format <F>'"),
    ] {
        let done = fakes.run(args);
        assert_eq!((done.status, done.text()), (Some(2), ""), "{args:?}: {}", done.err);
        assert!(done.err.contains(why) && done.err.lines().count() == 1, "{args:?}: {}", done.err);
    }
    let mut unknown = fakes.netkit(&["decode", "-i", "eth7"]);
    let done = feed(unknown.env("NETKIT_CAPTURE", "cat"), b"");
    assert_eq!(done.status, Some(2), "{}", done.err);
    assert!(done.err.contains("NETKIT_CAPTURE: cat: expected tcpdump or dumpcap"), "{}", done.err);
    let done = feed(unknown.env("NETKIT_CAPTURE", "/nowhere/tcpdump"), b"");
    assert_eq!(done.status, Some(3), "{}", done.err);
}

#[test]
fn interfaces_are_listed() {
    let list = "printf '1.eth7 [Up, Running]\\n2.lo [Up, Loopback]\\n3.off [none]\\n'";
    let fakes = Fakes::new("list", &[("tcpdump", list), ("dumpcap", "printf '1. eth7\\n2. lo (Loopback)\\n'")]);
    let expected = "eth7  Up, Running\nlo    Up, Loopback\noff\n";
    for args in [&["-D"][..], &["decode", "-D"], &["stats", "--list-interfaces"]] {
        assert_eq!(fakes.run(args).ok().text(), expected, "{args:?}");
    }
    let done = feed(&mut fakes.only("dumpcap", &["-D"]), b"").ok();
    assert_eq!(done.text(), "eth7\nlo    Loopback\n");
    // Without a subcommand an interface is decoded.
    let fakes = Fakes::new("list-decode", &[("tcpdump", "cat CAPTURE; sleep 60")]);
    let done = feed(&mut fakes.only("tcpdump", &["-i", "eth7", "-c", "1", "-f", "summary"]), b"").ok();
    assert_eq!(done.text(), whole(&["-c", "1", "-f", "summary"]));
}
