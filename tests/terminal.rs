//! What whoever sits at a terminal is told.
#![cfg(unix)]

mod common;

use common::{Scratch, feed, netkit, run};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

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
