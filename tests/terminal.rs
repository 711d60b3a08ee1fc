//! Output that depends on a terminal.
#![cfg(unix)]

use crate::common;
use crate::common::terminal::{Terminal, no_setsid};
use crate::common::{Scratch, feed, netkit, run};
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

/// The first line on stderr with this stdin; then the command is killed.
fn reported(args: &[&str], stdin: Stdio) -> String {
    let mut child = netkit(args).stdin(stdin).stdout(Stdio::null()).spawn().expect("netkit");
    let mut line = String::new();
    BufReader::new(child.stderr.take().expect("a pipe")).read_line(&mut line).expect("text");
    child.kill().expect("an end");
    child.wait().expect("an end");
    line
}

#[test]
fn waiting_is_reported_on_terminals_only() {
    let terminal = Terminal::new(80, 24);
    for command in ["decode", "stats"] {
        let line = reported(&[command, "-"], terminal.open().into());
        assert!(line.starts_with("netkit: waiting for a capture on stdin"), "{command}: {line}");
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(writer);
        let line = reported(&[command, "-"], reader.into());
        assert!(!line.contains("waiting"), "{command}: {line}");
    }
    let line = reported(&["dump"], terminal.open().into());
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
    // A word that is no subcommand is decoded, and a file whose name has only hex digits is a file.
    let options = ["-p", "riptide", "-s", "riptide.version=2.2", "-f", "summary"];
    let whole = "riptide 2.2 welcome sequence_id=1 client_id=1\n";
    assert_eq!(run(&[&["nosuch"], &options[..]].concat()), whole);
    assert_eq!(run(&[&options[..], &["nosuch"]].concat()), whole);
    assert_eq!(run(&[&["dump", "0801000100"], &options[..]].concat()), whole);
}

/// A line above the summaries names their columns, on a terminal only.
#[test]
fn a_heading_over_summaries() {
    let capture = common::fixture("riptide/riptide20-udp.pcap");
    for (columns, expected) in [
        ("", "frame time      flow source > destination, message, fields"),
        ("frame,from,message", "frame  from     message"),
    ] {
        let mut args = vec!["decode", capture.to_str().expect("UTF-8"), "-f", "summary", "--color", "never", "-c", "1"];
        let mut terminal = Terminal::new(80, 24);
        if !columns.is_empty() {
            args.extend(["--columns", columns]);
        }
        let mut child = netkit(&args).env("COLUMNS", "200").stdout(terminal.open()).spawn().expect("netkit");
        let text = terminal.rest();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert!(lines.len() == 3 && lines[0] == expected.trim(), "{text}");
        assert!(lines[1].starts_with("1 ") && lines[2].starts_with("1 message: netkit stats "), "{text}");
        assert!(child.wait().expect("an end").success());
        let piped = run(&args, b"").text().to_owned();
        assert!(!piped.starts_with("frame"), "{piped}");
    }
}

/// The requests of each shell's completion script: message names, fields, settings and options.
#[test]
fn shells_complete_names() {
    for (shell, index) in [("fish", false), ("elvish", true)] {
        for (line, expected) in [
            ("encode riptide.heartb", "riptide.heartbeat"),
            ("fields dnp.connection_c", "dnp.connection_close"),
            ("decode -F riptide.message_", "riptide.message_id"),
            ("decode -s riptide.ver", "riptide.version=2.2"),
            ("stats --deliv", "--delivery"),
            ("stats --by src --sort dupl", "duplicates"),
            ("proxy :1 127.0.0.1:1 --network sat", "satellite"),
            // The value of `--plot` follows `=`, so the next word is a file.
            ("stats --plot CHANGE", "CHANGELOG.md"),
            ("repl", "replay"),
        ] {
            let words: Vec<&str> = line.split(' ').collect();
            let mut command = netkit(&["--", "netkit"]);
            command.env("NETKIT_COMPLETE", shell).args(&words);
            if index {
                command.env("_CLAP_COMPLETE_INDEX", words.len().to_string());
            }
            let done = feed(command.current_dir(common::root()), b"").ok();
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

/// `top` draws on the alternate screen, reads keys, follows the terminal's size, and restores the terminal, whatever
/// ends it.
#[test]
fn top_draws_and_gives_the_terminal_back() {
    if no_setsid() {
        return;
    }
    let folder = Scratch::new("top");
    let bytes = std::fs::read(common::fixture("riptide/riptide22-lossy.pcap")).expect("a capture");
    let growing = folder.write("growing.pcap", bytes);
    // A capture that never arrives.
    let silent = folder.pipe("silent");
    let _writer = File::options().read(true).write(true).open(&silent).expect("a pipe");
    for (columns, ending, status) in
        [(40, "q", 0), (80, "\x03", 0), (160, "-TERM", 143), (80, "-HUP", 129), (80, "silent", 0)]
    {
        let mut screen = Terminal::new(columns, 24);
        let before = screen.modes();
        let file = if ending == "silent" { &silent } else { &growing };
        let mut child = screen
            .netkit(&["top", "--follow", file, "--redraw", "200ms", "--color", "always"])
            .spawn()
            .expect("netkit");
        screen.writes(if ending == "silent" { "none so far" } else { "reliable" });
        let text = screen.written();
        assert!(text.contains("\x1b[?1049h"), "{text:?}");
        assert_ne!(screen.modes(), before, "keys come one by one");
        if ending == "q" {
            screen.keys("t");
            screen.writes("Conversations by client_rtt_p50");
            screen.resize(160, 10);
            screen.writes("127.0.0.1:50105");
            screen.writes("\x1b[10;1H");
            // A page with little room has one of the tables: Tab shows the other one, the arrows scroll it.
            screen.keys("\t");
            screen.writes("Messages by byte_rate (1 to ");
            screen.keys("\x1b[Bj");
            screen.writes("Messages by byte_rate (3 to ");
            screen.raw.clear();
            screen.keys("\x1b[5~");
            screen.writes("Messages by byte_rate (1 to ");
        }
        // No line is longer than the page's width.
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
            "silent" => screen.keys("q"),
            how if how.starts_with('-') => common::signal(&child, how),
            key => screen.keys(key),
        }
        screen.writes("\x1b[?1049l");
        assert_eq!(common::ended(&mut child).code(), Some(status), "{ending}");
        assert_eq!(screen.modes(), before, "{ending}");
    }
}

/// In a pipe, each update is a block of lines in a fixed order; with `-f ndjson`, one object a line. Input may be
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
    // The sums equal those of stats.
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
    // So do the ends of the conversations, while those that are open have none.
    let ends = |rows: &serde_json::Value| -> Vec<String> {
        rows.as_array().expect("rows").iter().map(|row| format!("{} {}", row["end"], row["end_by"])).collect()
    };
    assert_eq!(ends(&look["flow"]), [r#""left" "client""#, r#""poor_connection" "client""#]);
    let begun = run(&["top", "-", "-f", "ndjson"], &std::fs::read(&capture).expect("it")[..30_000]);
    assert_eq!(ends(&common::json(begun.text())["flow"]), ["null null"; 2]);
    let some = run(&["top", path, "-f", "ndjson", "-F", "message == ack"], b"").ok();
    assert_eq!(ends(&common::json(some.text())["flow"]), ["null null"; 2]);
    // Silent input, then its end; and Ctrl-C during silence.
    for how in ["end", "-INT"] {
        let mut child =
            netkit(&["top", "-", "--redraw", "100ms", "-f", "ndjson"]).stdin(Stdio::piped()).spawn().expect("netkit");
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

/// Colours as in decode: on a terminal, or if requested; no text of a capture becomes one.
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

/// As with git: text that is longer than the screen, and no more of it than its reader wants.
#[test]
fn long_text_goes_through_a_pager() {
    if no_setsid() {
        return;
    }
    let file = "fixtures/riptide/riptide22-lossy.pcap";
    let all = format!("961 messages, 2 conversations, 1 message with warnings: netkit stats --delivery {file}\r\n");
    let one = format!("1 message: netkit stats -p riptide {file}\r\n");
    let sums = "961 messages, 2 conversations, 1 message with warnings";
    let (joined, redacted) = (format!("{sums}: netkit stats --join --delivery {file}\r\n"), format!("{sums}\r\n"));
    let mark = "sed 's/^/| /'";
    // Variables, arguments, the end of the text, and whether all of it went through the pager.
    type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str, bool);
    let cases: [Case<'_>; 16] = [
        (&[("NETKIT_PAGER", mark), ("PAGER", "head -n 1")], &["decode"], &all, true),
        (&[("PAGER", mark)], &["-f", "summary"], &all, true),
        (&[("PAGER", mark)], &["decode", "-v"], &all, true),
        (&[("NETKIT_PAGER", "env A=B sed 's/^/| /'")], &["decode", "-f", "table"], &all, true),
        (&[("NETKIT_PAGER", "echo \"| $LESS\"; cat > /dev/null")], &["decode"], "| FRX\r\n", true),
        (&[("NETKIT_PAGER", "cat"), ("PAGER", mark)], &["decode"], &all, false),
        (&[("NETKIT_PAGER", "no-such-pager"), ("PAGER", mark)], &["decode"], &all, false),
        (&[("PAGER", mark)], &["decode", "--no-pager"], &all, false),
        (&[("PAGER", mark), ("TERM", "dumb")], &["decode"], &all, false),
        (&[("PAGER", mark), ("TERM", "")], &["decode"], &all, false),
        (&[("PAGER", mark)], &["decode", "-p", "riptide", "-c", "1", "-f", "summary"], &one, false),
        // The command that gives these figures, and none that would name the file.
        (&[("PAGER", "cat")], &["decode", "--join"], &joined, false),
        (&[("PAGER", "cat")], &["decode", "--redact"], &redacted, false),
        (&[("PAGER", mark)], &["decode", "-q"], "\r\n", false),
        (&[("PAGER", mark)], &["decode", "-f", "ndjson"], "}\r\n", false),
        // Whoever leaves it has seen enough: nothing follows, and that is success.
        (&[("PAGER", "sed -n '1{s/^/| /p;q}'")], &["decode", "--time", "utc", "--color", "never"], " flow 1\r\n", true),
    ];
    for (env, args, end, paged) in cases {
        let mut screen = Terminal::new(100, 24);
        let mut child = screen.netkit(&[args, &[file]].concat()).envs(env.iter().copied()).spawn().expect("netkit");
        let text = screen.rest();
        assert!(child.wait().expect("an end").success(), "{env:?} {args:?}");
        let tail = &text[text.len().saturating_sub(300)..];
        assert!(text.ends_with(end), "{env:?} {args:?}: {tail:?}");
        assert_eq!(text.lines().all(|line| line.starts_with("| ")), paged, "{env:?} {args:?}: {tail:?}");
        let dumb = env.iter().any(|(name, _)| *name == "TERM");
        assert!(!dumb || !text.contains("\x1b["), "{env:?} {args:?}: {tail:?}");
    }
}

/// The sums below messages are those of `stats`: a message with a fault is not counted as one with a warning, too.
#[test]
fn sums_are_those_of_stats() {
    let mut faults = 0;
    for name in ["gne/gne-edge.pcap", "acknex/acknex-malformed.pcap", "dnp/dnp-states.pcap"] {
        let path = common::fixture(name);
        let args = [vec![path.display().to_string()], common::args_of(&path)].concat();
        let stats = feed(netkit(&["stats", "-q", "-f", "json"]).args(&args), b"").ok();
        let stats = common::json(stats.text());
        let count = |key: &str, what: &str| match stats[key].as_u64().expect("a count") {
            0 => String::new(),
            1 => format!(", 1 {what}"),
            n => format!(", {n} {}", what.replacen("fault", "faults", 1).replacen("message", "messages", 1)),
        };
        let sums = count("faults", "fault") + &count("warnings", "message with warnings");
        faults += stats["faults"].as_u64().expect("a count");
        let mut terminal = Terminal::new(80, 24);
        let decode = ["decode", "-f", "summary", "--color", "never"];
        // The command is gone then, with its own descriptor of the terminal.
        let child = netkit(&decode).args(&args).env("NETKIT_PAGER", "cat").stdout(terminal.open()).spawn();
        let mut child = child.expect("netkit");
        let text = terminal.rest();
        let last = text.lines().last().unwrap_or_default();
        assert!(child.wait().expect("an end").success(), "{name}");
        assert!(last.contains(&format!("{sums}: netkit stats ")), "{name}: {sums}: {last}");
    }
    assert!(faults > 4, "{faults}");
}

/// A stream that has ended is shown as ended while the input goes on, and no side as silent.
#[test]
fn top_knows_the_end_of_a_stream() {
    let package = |kind: u8, text: &str| [&[kind, 0, 0, text.len() as u8][..], text.as_bytes()].concat();
    let ends = |port: u16| [format!("127.0.0.1:{port}"), "127.0.0.1:3250".into()].map(|end| end.parse().unwrap());
    let messages = [
        (true, package(1, r#"{"sys":{"version":"1.1.1","type":"js-websocket"}}"#)),
        (false, package(1, r#"{"code":200,"sys":{"heartbeat":1}}"#)),
        (true, package(2, "")),
    ];
    let sent = |side: bool| 1 + messages.iter().filter(|(by, _)| *by == side).map(|(_, b)| b.len() as u32).sum::<u32>();
    let fin = netkit::capture::Segment {
        has_ack: true,
        seq: sent(true),
        ack: sent(false),
        fin: true,
        ..netkit::capture::Segment::default()
    };
    let mut wire = common::Wire::default();
    wire.stream(ends(50_000), &messages);
    wire.packet(ends(50_000), true, &netkit::capture::Body::Tcp(fin));
    // Another session goes on for ten times the heartbeat.
    wire.at(10_000).stream(ends(50_001), &messages);
    let mut child =
        netkit(&["top", "-", "-p", "nano", "--redraw", "100ms", "-f", "ndjson"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(&wire.file()).expect("written");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let row = loop {
        let look: serde_json::Value = common::json(&lines.next().expect("a look").expect("text"));
        assert!(look.get("last").is_none(), "{look}");
        if look["messages"].as_u64() == Some(6) {
            let rows = look["flow"].as_array().expect("rows");
            break rows.iter().find(|row| row["client"] == "127.0.0.1:50000").expect("a row").clone();
        }
    };
    assert_eq!((&row["end"], &row["end_by"]), (&"left".into(), &"client".into()), "{row}");
    drop(stdin);
    common::ended(&mut child);
}
