//! The inspector in a real terminal.

use crate::common::terminal::{LEADER, Terminal, no_setsid};
use crate::common::{self, Scratch};
use netkit::protocols;
use netkit::view::{Input, Screen, State, Store, Subject};
use ratatui_crossterm::crossterm::event::Event;
use std::fs::File;
use std::io::Write;
use std::process::Command;
use std::sync::Arc;
use std::sync::mpsc::channel;

const CAPTURE: &str = "fixtures/riptide/riptide22-lossy.pcap";

/// Open, move, filter, follow a link, write, resize, quit; the terminal is as it was.
#[test]
fn a_tour() {
    if no_setsid() {
        return;
    }
    let folder = Scratch::new("view");
    let file = folder.path().join("shown.ndjson");
    let mut terminal = Terminal::new(100, 30);
    let before = terminal.modes();
    let child = terminal.start(&["view", CAPTURE], &[]);
    terminal.shows("961 messages");
    terminal.shows("1/961");
    assert!(terminal.screen.screen().alternate_screen());
    assert_ne!(terminal.modes(), before, "keys come one by one");
    terminal.keys("w");
    terminal.shows("riptide.given_up: copy 15");
    terminal.keys("d");
    terminal.shows("Sequence of conversation 2");
    terminal.shows("├╌╌ reliable");
    terminal.keys("\r");
    terminal.shows("▶ Messages");
    terminal.keys("[");
    terminal.shows("copy of: frame 927");
    terminal.keys("Fmessage == zzz");
    terminal.shows("^^^");
    terminal.keys("\x15message == heartbeat\r");
    terminal.shows("only message == heartbeat");
    let decoded = common::run(&["decode", CAPTURE, "-f", "ndjson", "-F", "message == heartbeat"], b"").ok();
    let count = decoded.text().lines().count();
    terminal.shows(&format!("/{count}"));
    terminal.keys(&format!("s{}\r", file.display()));
    terminal.shows(&format!("{count} messages written"));
    let [frames, page, cut, report] = ["shown.pcap", "shown.html", "cut.pcap", "report.html"]
        .map(|name| folder.path().join(name).display().to_string());
    terminal.keys(&format!("s{frames}\r"));
    terminal.shows(&format!("{count} frames of {count} messages"));
    terminal.keys(&format!("s{page}\r"));
    terminal.shows(&format!("report of {count} messages"));
    terminal.keys(&format!("s{frames}\r"));
    terminal.shows("the file exists");
    common::run(&["decode", CAPTURE, "-F", "message == heartbeat", "-w", &cut], b"").ok();
    common::run(&["report", CAPTURE, "-F", "message == heartbeat", "-o", &report], b"").ok();
    assert_eq!(std::fs::read(&frames).expect("frames"), std::fs::read(&cut).expect("frames"));
    let [page, report] = [page, report].map(|name| std::fs::read_to_string(name).expect("a page"));
    // The inspector does not know how many frames were read.
    let unlike = |line: &&str| !line.contains("<dl class=\"facts\">");
    assert!(page.lines().filter(unlike).eq(report.lines().filter(unlike)), "the pages differ");
    // A key that arrives together with the change of size may be read with the next key only.
    terminal.raw.clear();
    terminal.resize(40, 12);
    terminal.writes("\x1b[2J");
    terminal.shows(&format!("{count} match"));
    terminal.keys("y");
    terminal.writes("\x1b]52;c;");
    terminal.keys("q");
    assert_eq!(terminal.ended(child), Some(0));
    assert_eq!(terminal.modes(), before);
    assert!(!terminal.screen.screen().hide_cursor());
    let written = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(written, decoded.text());
}

/// Frames that are not those that are shown are not written.
#[test]
fn redacted_frames_are_not_written() {
    if no_setsid() {
        return;
    }
    let folder = Scratch::new("view-redacted");
    let file = folder.path().join("shown.pcapng");
    let mut terminal = Terminal::new(160, 30);
    let child = terminal.start(&["view", CAPTURE, "--redact"], &[]);
    terminal.shows("1/961");
    terminal.keys(&format!("s{}\r", file.display()));
    terminal.shows("of --redact are not kept");
    terminal.keys("q");
    assert_eq!(terminal.ended(child), Some(0));
    assert!(!file.exists());
}

/// A fixture of each protocol: the kind of message with most bytes in the list, in its conversation, in the figures.
#[test]
fn a_tour_of_each_protocol() {
    if no_setsid() {
        return;
    }
    for (capture, field) in [
        ("riptide/riptide22-lossy.pcap", "message_id"),
        ("dnp/dnp-lossy.pcap", "flags"),
        ("nano/nano-tcp.pcap", "payload"),
        ("gne/gne-le-udp-full.pcap", "packets"),
        ("acknex/acknex-sim-le.pcap", "entity"),
    ] {
        let path = format!("fixtures/{capture}");
        let table = common::run(&["stats", &path, "--by", "message", "-f", "csv"], b"").ok();
        let row: Vec<String> = table.text().lines().nth(1).expect("a row").split(',').map(String::from).collect();
        let [proto, message, count] = &row[..3] else { panic!("{row:?}") };
        let mut terminal = Terminal::new(120, 30);
        let child = terminal.start(&["view", &path], &[]);
        terminal.shows("1/");
        terminal.keys(&format!("/message == {message}\r"));
        terminal.shows(&format!("{count} match"));
        terminal.shows(field);
        terminal.keys("d");
        terminal.shows("Sequence of conversation");
        terminal.until("an arrow", |terminal| {
            terminal.text().lines().any(|line| line.ends_with(['│', '┤']) && line.contains(&format!("─ {message}")))
        });
        terminal.keys("\rf\t");
        terminal.shows("[messages]");
        terminal.keys("\r");
        terminal.shows(&format!("only proto == \"{proto}\" and message == \"{message}\""));
        terminal.shows(&format!("1/{count}"));
        terminal.keys("\x7f");
        terminal.shows("[messages]");
        terminal.keys("q");
        terminal.shows("▶ Messages");
        terminal.keys("q");
        assert_eq!(terminal.ended(child), Some(0));
    }
}

/// Signals give the terminal back, with the status that they have everywhere.
#[test]
fn signals_give_the_terminal_back() {
    if no_setsid() {
        return;
    }
    for (signal, status) in [("-TERM", 143), ("-HUP", 129)] {
        let mut terminal = Terminal::new(80, 24);
        let before = terminal.modes();
        let child = terminal.start(&["view", CAPTURE], &[("NO_COLOR", "1")]);
        terminal.shows("1/961");
        assert!(!terminal.written().contains("\x1b[38;"), "no colours");
        let group = format!("-{}", child.id());
        let sent = Command::new("kill").args([signal, "--", &group]).status();
        assert!(sent.expect("kill").success());
        assert_eq!(terminal.ended(child), Some(status), "{signal}");
        assert_eq!(terminal.modes(), before, "{signal}");
    }
}

/// The terminal closes, and no signal arrives, because the shell keeps it: still the program ends.
#[test]
fn a_terminal_that_is_gone() {
    if no_setsid() {
        return;
    }
    for (args, shown) in [
        (&["view", CAPTURE][..], "1/961"),
        (&["proxy", "127.0.0.1:0", "127.0.0.1:9", "-p", "riptide", "--view"], "0 messages"),
    ] {
        let mut terminal = Terminal::new(80, 24);
        let mut child = terminal.start(args, &[]);
        terminal.shows(shown);
        drop(terminal);
        common::until("it ends", || child.try_wait().expect("a child").is_some());
        assert_eq!(child.wait().expect("a child").code(), Some(129), "{args:?}");
    }
}

/// The terminal has these modes, and nothing of the inspector is left.
#[track_caller]
fn given_back(terminal: &Terminal, modes: &str) {
    let screen = terminal.screen.screen();
    assert_eq!(terminal.modes(), modes);
    assert!(!screen.alternate_screen() && !screen.hide_cursor(), "{}", terminal.text());
    assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
}

/// Runs the program as a job, which `fg` continues once it was stopped.
const JOBS: &str = "set -m; \"$@\"; echo stopped: $?; read -r line; fg; status=$?; read -r line; exit $status";

/// Ctrl-Z gives the terminal to the shell; continued, the inspector draws all again.
#[test]
fn suspended_and_continued() {
    if no_setsid() {
        return;
    }
    let mut terminal = Terminal::new(80, 24);
    let before = terminal.modes();
    let child = terminal.start_below(JOBS, common::program().args(["view", CAPTURE]), &[]);
    terminal.shows("1/961");
    terminal.keys("j");
    terminal.shows("2/961");
    terminal.keys("\x1a");
    // 128 and the number of the signal, which systems differ in.
    terminal.shows("stopped: 1");
    given_back(&terminal, &before);
    terminal.resize(100, 30);
    terminal.keys("\n");
    terminal.shows("2/961");
    assert!(terminal.screen.screen().alternate_screen());
    terminal.keys("j");
    terminal.shows("3/961");
    terminal.keys("q");
    assert_eq!(terminal.ended(child), Some(0));
    given_back(&terminal, &before);
}

/// Names the thread that panics in [`panics`].
const PANICS: &str = "NETKIT_TEST_PANICS";

/// Does nothing unless [`a_panic_gives_the_terminal_back`] runs it in a terminal.
#[test]
fn panics() {
    let Ok(thread) = std::env::var(PANICS) else { return };
    let (wake, events) = channel();
    let redraw = wake.clone();
    let mut screen = Screen::begin(events, wake, || {}).expect("a terminal");
    let store = Arc::new(Store::new(&protocols::options(), || {}));
    let mut state = State::new(store, Subject::default(), screen.size().expect("a size"));
    assert!(thread != "here", "the screen's thread");
    let other = std::thread::spawn(move || {
        // The screen is drawing when this thread panics.
        for _ in 0..20 {
            redraw.send(Input::Terminal(Event::FocusGained)).expect("the screen");
            std::thread::yield_now();
        }
        panic!("another thread")
    });
    screen.run(&mut state).expect("an end");
    assert!(other.join().is_err());
}

/// A panic of any thread gives the terminal back before its report, and ends the screen.
#[test]
fn a_panic_gives_the_terminal_back() {
    if no_setsid() {
        return;
    }
    let this = std::env::current_exe().expect("this program");
    for (thread, report, status) in [("here", "the screen's thread", 101), ("there", "another thread", 0)] {
        let mut terminal = Terminal::new(100, 30);
        let before = terminal.modes();
        let mut command = Command::new(&this);
        command.args(["--exact", "view::tour::panics", "--nocapture"]);
        let child = terminal.start_below(LEADER, &command, &[(PANICS, thread)]);
        terminal.writes("\x1b[?1049l");
        terminal.shows(report);
        assert_eq!(terminal.ended(child), Some(status), "{thread}");
        given_back(&terminal, &before);
    }
}

/// A file alone is looked at; where nobody looks, or with an option that concerns printing, it is printed.
#[test]
fn a_file_without_a_subcommand() {
    if no_setsid() {
        return;
    }
    let mut terminal = Terminal::new(80, 24);
    let child = terminal.start(&[CAPTURE, "-F", "frame < 4"], &[]);
    terminal.shows("1/3");
    terminal.keys("q");
    assert_eq!(terminal.ended(child), Some(0));
    let printed = |args: &[&str], term: &str, seen: bool| {
        let mut terminal = Terminal::new(80, 24);
        let mut child = {
            // Without a terminal for its keys, too.
            let mut command = if seen { terminal.netkit(args) } else { common::netkit(args) };
            command.stdout(terminal.open()).env("TERM", term).env("NETKIT_PAGER", "cat");
            command.spawn().expect("netkit")
        };
        let text = terminal.rest();
        assert!(child.wait().expect("an end").success() && !text.contains("\x1b[?1049h"), "{args:?}: {text}");
        text
    };
    for (args, term, seen) in [
        (&[CAPTURE, "-F", "frame < 4"][..], "dumb", true),
        (&[CAPTURE, "-F", "frame < 4"], "xterm", false),
        (&[CAPTURE, "-F", "frame < 4", "-f", "summary"], "xterm", true),
        (&[CAPTURE, "-F", "frame < 4", "-q"], "xterm", true),
    ] {
        let decoded = printed(&[&["decode"], args].concat(), term, seen);
        assert_eq!(printed(args, term, seen), decoded, "{args:?}");
    }
}

/// New messages are shown while the end is; then they are counted.
#[test]
fn a_growing_file_is_followed() {
    if no_setsid() {
        return;
    }
    let folder = Scratch::new("view-follow");
    let bytes = std::fs::read(common::root().join(CAPTURE)).expect("a capture");
    let growing = folder.write("growing.pcap", &bytes[..20_000]);
    let mut terminal = Terminal::new(100, 30);
    let child = terminal.start(&["view", "--follow", &growing], &[]);
    terminal.shows("reading");
    terminal.until("messages", |terminal| !terminal.text().contains(" 0 messages"));
    terminal.keys("p");
    terminal.shows("paused");
    File::options().append(true).open(&growing).expect("it").write_all(&bytes[20_000..]).expect("more");
    terminal.shows("961 messages");
    assert!(!terminal.text().contains("961/961"), "{}", terminal.text());
    terminal.keys("p");
    terminal.shows("961/961");
    terminal.keys("kp");
    terminal.shows("960/961");
    terminal.keys("\x03");
    assert_eq!(terminal.ended(child), Some(0));
}

/// Without a terminal or a file, an error says so.
#[test]
fn what_is_no_terminal_is_refused() {
    let piped = common::run(&["view", CAPTURE], b"");
    assert_eq!((piped.status, piped.err.contains("netkit decode prints messages")), (Some(2), true), "{}", piped.err);
    if no_setsid() {
        return;
    }
    for (args, terminal_name, status, spoken) in [
        (&["view", CAPTURE][..], "dumb", 2, "view needs a terminal"),
        (&["view", "no-such.pcap"], "xterm", 3, "no-such.pcap: No such file"),
    ] {
        let mut terminal = Terminal::new(80, 24);
        let before = terminal.modes();
        let child = terminal.start(args, &[("TERM", terminal_name)]);
        terminal.shows(spoken);
        assert_eq!(terminal.ended(child), Some(status), "{args:?}");
        assert_eq!(terminal.modes(), before);
    }
}
