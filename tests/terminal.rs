//! What whoever sits at a terminal is told.
#![cfg(unix)]

mod common;

use common::{Scratch, feed, netkit, run};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// The first line on stderr with this stdin; the command is ended then.
fn told(args: &[&str], stdin: Stdio) -> String {
    let mut child = netkit(args).stdin(stdin).stdout(Stdio::null()).spawn().expect("netkit");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("text");
    child.kill().expect("an end");
    child.wait().expect("an end");
    line
}

#[test]
fn waiting_is_said_to_terminals_only() {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("granted");
    unlockpt(&terminal).expect("unlocked");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("UTF-8");
    for command in ["decode", "stats"] {
        let keyboard = File::options().read(true).write(true).open(&name).expect("the terminal");
        let line = told(&[command, "-"], keyboard.into());
        assert!(line.starts_with("netkit: waiting for a capture on stdin"), "{command}: {line}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(writer);
        let line = told(&[command, "-"], reader.into());
        assert!(!line.contains("waiting"), "{command}: {line}");
    }
    let keyboard = File::options().read(true).write(true).open(&name).expect("the terminal");
    let line = told(&["dump"], keyboard.into());
    assert!(line.starts_with("netkit: reading hex from the terminal"), "{line}");
}

#[test]
fn a_subcommand_wins_against_a_file_of_its_name() {
    let folder = Scratch::new("terminal");
    for name in ["fields", "nosuch", "0801000100"] {
        folder.write(name, "18 00 10 00 00\n");
    }
    let run = |args: &[&str]| feed(netkit(args).current_dir(folder.path()), b"").text().to_owned();
    let fields = run(&["fields"]);
    assert!(fields.contains("acknex") && !fields.contains("sequence_id=1"), "{fields}");
    // What is no subcommand is decoded, and a file of hex digits is a file.
    let options = ["-p", "riptide", "-s", "riptide.version=2.2", "-f", "summary"];
    let whole = "riptide 2.2 welcome sequence_id=1 client_id=1\n";
    assert_eq!(run(&[&["nosuch"], &options[..]].concat()), whole);
    assert_eq!(run(&[&options[..], &["nosuch"]].concat()), whole);
    assert_eq!(run(&[&["dump", "0801000100"], &options[..]].concat()), whole);
}

/// A line above the summaries names what stands in them, on a terminal only.
#[test]
fn a_heading_over_summaries() {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("granted");
    unlockpt(&terminal).expect("unlocked");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("UTF-8");
    let capture = common::fixture("riptide/riptide20-udp.pcap");
    let mut lines = BufReader::new(File::from(terminal)).lines();
    for (columns, expected) in [
        ("", "frame time (UTC)                  source > destination, message, fields"),
        ("frame,from,message", "frame  from     message"),
    ] {
        let mut args = vec!["decode", capture.to_str().expect("UTF-8"), "-f", "summary", "--color", "never", "-c", "1"];
        let screen = File::options().write(true).open(&name).expect("the terminal");
        if !columns.is_empty() {
            args.extend(["--columns", columns]);
        }
        let mut command = netkit(&args);
        let mut child = command.env("COLUMNS", "200").stdout(Stdio::from(screen)).spawn().expect("netkit");
        let heading = lines.next().expect("a line").expect("text");
        assert_eq!(heading.trim_end(), expected);
        let first = lines.next().expect("a line").expect("text");
        assert!(first.trim_start().starts_with("1 "), "{first}");
        assert!(child.wait().expect("an end").success());
        let piped = run(&args, b"").text().to_owned();
        assert!(!piped.starts_with("frame"), "{piped}");
    }
}

/// As each shell's script asks: message names, fields, settings and options.
#[test]
fn shells_complete_names() {
    for (shell, index) in [("fish", false), ("elvish", true)] {
        for (line, expected) in [
            ("encode riptide.heartb", "riptide.heartbeat"),
            ("fields dnp.connection_c", "dnp.connection_close"),
            ("decode -F riptide.message_", "riptide.message_id"),
            ("decode -s riptide.ver", "riptide.version=2.2"),
            ("stats --deliv", "--delivery"),
            ("repl", "replay"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let mut command = netkit(&["--", "netkit"]);
            command.env("NETKIT_COMPLETE", shell).args(&words);
            if index {
                command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
            }
            let done = feed(&mut command, b"").ok();
            let text = done.text();
            assert!(text.contains(expected), "{shell} {line}: {text}");
            assert!(!text.contains("acknex"), "{shell} {line}: only what fits: {text}");
        }
    }
}

#[test]
fn the_man_page_names_no_pages_that_do_not_exist() {
    let done = run(&["man"], b"").ok();
    let text = done.text();
    assert!(text.contains("\\fBnetkit decode\\fR") && text.contains(".SH \"NETKIT DECODE\""));
    assert!(!text.contains("(1)\n"), "a page of its own: {text}");
}

/// A terminal of this size, and what is written to it.
struct Screen {
    master: File,
    name: String,
}

impl Screen {
    fn new(columns: u16, rows: u16) -> Screen {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("UTF-8");
        let size = rustix::termios::Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        rustix::termios::tcsetwinsize(&master, size).expect("a size");
        Screen { master: File::from(master), name }
    }

    /// Runs netkit with this terminal as its output, and as the one that its keys come from.
    fn start(&self, args: &[&str]) -> Child {
        let mut command = Command::new("setsid");
        let netkit = common::program();
        command.arg("--ctty").arg(netkit.get_program()).args(netkit.get_args()).args(args).current_dir(common::root());
        command.env_remove("COLUMNS").env_remove("LINES").env_remove("NO_COLOR").env("TERM", "xterm");
        let open = || File::options().read(true).write(true).open(&self.name).expect("the terminal");
        command.stdin(open()).stdout(open()).stderr(open());
        command.spawn().expect("netkit")
    }

    fn modes(&self) -> String {
        let slave = File::options().read(true).write(true).open(&self.name).expect("the terminal");
        format!("{:?}", rustix::termios::tcgetattr(&slave).expect("modes").local_modes)
    }

    /// Reads until this is there.
    fn until(&mut self, text: &mut String, what: &str) {
        let start = std::time::Instant::now();
        let mut bytes = [0; 4096];
        while !text.contains(what) {
            assert!(
                start.elapsed() < common::HANG,
                "no {what:?} in {:?}",
                text.chars().rev().take(900).collect::<String>()
            );
            let read = self.master.read(&mut bytes).unwrap_or(0);
            text.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    }
}

/// `top` draws on the alternate screen, takes keys, follows the terminal's size, and gives the
/// terminal back, whatever ends it.
#[test]
fn top_draws_and_gives_the_terminal_back() {
    if Command::new("setsid").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("SKIPPED: no setsid");
        return;
    }
    let folder = Scratch::new("top");
    let bytes = std::fs::read(common::fixture("riptide/riptide22-lossy.pcap")).expect("a capture");
    let growing = folder.write("growing.pcap", bytes);
    // `timeout` gives no terminal a way to hang: a capture that never comes.
    let silent = folder.pipe("silent");
    let _writer = File::options().read(true).write(true).open(&silent).expect("a pipe");
    for (columns, ending, status) in
        [(40, "q", 0), (80, "\x03", 0), (160, "-TERM", 143), (80, "-HUP", 129), (80, "silent", 0)]
    {
        let mut screen = Screen::new(columns, 24);
        let before = screen.modes();
        let file = if ending == "silent" { &silent } else { &growing };
        let mut child = screen.start(&["top", "--follow", file, "--every", "200ms", "--color", "always"]);
        let mut text = String::new();
        screen.until(&mut text, if ending == "silent" { "none so far" } else { "reliable" });
        assert!(text.contains("\x1b[?1049h"), "{text:?}");
        assert_ne!(screen.modes(), before, "keys come one by one");
        if ending == "q" {
            screen.master.write_all(b"t").expect("a key");
            screen.until(&mut text, "Conversations by client_rtt_p50");
            let size = rustix::termios::Winsize { ws_row: 10, ws_col: 160, ws_xpixel: 0, ws_ypixel: 0 };
            rustix::termios::tcsetwinsize(&screen.master, size).expect("a size");
            screen.until(&mut text, "127.0.0.1:50105");
            screen.until(&mut text, "\x1b[10;1H");
        }
        // On a page of this width, no line is longer.
        let page = text.split("\x1b[H").nth(1).unwrap_or_default().split("\x1b[J").next().unwrap_or_default();
        for line in page.lines() {
            let mut plain = String::new();
            let mut rest = line;
            while let Some(at) = rest.find('\x1b') {
                plain.push_str(&rest[..at]);
                rest = rest[at..].split_once(|c: char| c.is_ascii_alphabetic()).map_or("", |(_, rest)| rest);
            }
            plain.push_str(rest);
            assert!(plain.trim_end().chars().count() <= columns.into(), "{columns}: {plain:?}");
        }
        match ending {
            "silent" => screen.master.write_all(b"q").expect("a key"),
            how if how.starts_with('-') => common::signal(&child, how),
            key => screen.master.write_all(key.as_bytes()).expect("a key"),
        }
        let mut after = String::new();
        screen.until(&mut after, "\x1b[?1049l");
        assert_eq!(common::ended(&mut child).code(), Some(status), "{ending}");
        assert_eq!(screen.modes(), before, "{ending}");
    }
}

/// In a pipe a look is a block of lines in one order; an object a line with `-f ndjson`. Input may be
/// silent, or never end.
#[test]
fn top_in_a_pipe() {
    let capture = common::fixture("riptide/riptide22-lossy.pcap");
    let path = capture.to_str().expect("UTF-8");
    let done = run(&["top", path], b"").ok();
    let lines: Vec<&str> = done.text().lines().collect();
    assert!(lines[0].starts_with("end time=1795231836.405177 seconds=20.604 message_rate=46.6 "), "{}", lines[0]);
    assert_eq!(lines.iter().filter(|line| line.starts_with("message proto=riptide ")).count(), 10);
    let names: Vec<&str> = lines.iter().filter_map(|line| line.split("message=").nth(1)).collect();
    assert!(names.is_sorted(), "{names:?}");
    assert!(lines.iter().any(|line| line.starts_with("flow flow=2 ")) && lines.last() == Some(&""), "{lines:?}");
    // The sums are those of stats.
    let look: serde_json::Value = common::json(run(&["top", path, "-f", "ndjson"], b"").ok().text());
    let stats: serde_json::Value = common::json(run(&["stats", path, "-f", "json"], b"").ok().text());
    assert_eq!((&look["messages"], &look["bytes"]), (&stats["messages"], &stats["bytes"]));
    assert_eq!(look["last"], true);
    for row in look["message"].as_array().expect("rows") {
        let same =
            stats["message"].as_array().expect("rows").iter().find(|r| r["message"] == row["message"]).expect("it");
        assert_eq!((&row["messages"], &row["bytes"]), (&same["messages"], &same["bytes"]));
    }
    let resent: f64 = stats["delivery"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|r| r["flow"] == 1)
        .map(|r| r["resent"].as_f64().unwrap())
        .sum();
    let copies: f64 = stats["delivery"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|r| r["flow"] == 1)
        .map(|r| r["sent"].as_f64().unwrap())
        .sum();
    let share = look["flow"][0]["resent_share"].as_f64().expect("a share");
    assert!((share - resent / copies).abs() < 1e-6, "{share} {resent} {copies}");
    // Silent input, then the end; and Ctrl-C where none comes.
    for how in ["end", "-INT"] {
        let mut child =
            netkit(&["top", "-", "--every", "100ms", "-f", "ndjson"]).stdin(Stdio::piped()).spawn().expect("netkit");
        let mut stdin = child.stdin.take();
        let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
        let first: serde_json::Value = common::json(&lines.next().expect("a look").expect("text"));
        assert_eq!((first["messages"].as_u64(), first.get("last")), (Some(0), None));
        let bytes = std::fs::read(&capture).expect("it");
        stdin.as_mut().expect("a pipe").write_all(&bytes[..30_000]).expect("written");
        let all: u64 = loop {
            let look: serde_json::Value = common::json(&lines.next().expect("a look").expect("text"));
            if look["messages"].as_u64() > Some(0) {
                assert!(look["message_rate"].as_f64() > Some(0.0), "{look}");
                break look["messages"].as_u64().expect("a number");
            }
        };
        if how == "end" {
            stdin.as_mut().expect("a pipe").write_all(&bytes[30_000..]).expect("written");
            stdin.take();
        } else {
            common::signal(&child, how);
        }
        let last: serde_json::Value = common::json(&lines.map(|line| line.expect("text")).last().expect("the end"));
        assert_eq!(last["last"], true, "{last}");
        assert_eq!(last.get("stopped").is_some(), how != "end", "{last}");
        assert!(last["messages"].as_u64() >= Some(all));
        assert_eq!(common::ended(&mut child).code(), Some(0), "{how}");
    }
}

/// Colours as decode has them: on a terminal, or where they are asked for; nothing of a capture
/// becomes one.
#[test]
fn colours_of_tables() {
    let (riptide, nano) = (common::fixture("riptide/riptide22-lossy.pcap"), common::fixture("nano/nano-tcp.pcap"));
    let (riptide, nano) = (riptide.to_str().expect("UTF-8"), nano.to_str().expect("UTF-8"));
    let plain = |text: &str| {
        let mut out = String::new();
        for (k, part) in text.split("\x1b[").enumerate() {
            out.push_str(if k == 0 { part } else { part.split_once('m').expect("a colour").1 });
        }
        out
    };
    for args in [
        &["stats", riptide][..],
        &["stats", nano, "--by", "route"],
        &["stats", nano, "--unanswered", "--latency"],
        &["stats", riptide, "--delivery"],
        &["diff", riptide, nano],
        &["fields", "riptide.reliable"],
        &["fields"],
        &["replay", riptide, "--list"],
    ] {
        let with = run(&[args, &["--color", "always"]].concat(), b"").ok();
        let without = run(&[args, &["--color", "never"]].concat(), b"").ok();
        assert!(with.text().contains("\x1b["), "{args:?}");
        assert!(!without.text().contains('\x1b'), "{args:?}");
        assert_eq!(plain(with.text()), without.text(), "{args:?}: only colours differ");
        assert_eq!(run(args, b"").ok().text(), without.text(), "{args:?}: none in a pipe");
    }
    for args in [&["stats", riptide, "-f", "csv"][..], &["fields", "-f", "json"], &["stats", riptide, "-f", "json"]] {
        let with = run(&[args, &["--color", "always"]].concat(), b"").ok();
        assert!(!with.text().contains('\x1b'), "{args:?}: for programs");
    }
}
