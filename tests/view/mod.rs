//! `netkit view`: golden screens of each pane and page at three sizes, and a tour in a terminal.
//!
//! The screens are in `tests/view/screens.txt`, without colours; under a row, `~` marks the cells that are drawn
//! in reverse. `NETKIT_BLESS=1 cargo test --test behaviour view::` writes them: read the difference before you commit
//! it.

mod picture;
#[cfg(unix)]
mod proxy;
#[cfg(unix)]
mod tour;

use crate::common;
use netkit::capture::{Capture, Input, Time};
use netkit::dissect::{Message, Sink};
use netkit::filter::{Filter, Names};
use netkit::protocols;
use netkit::read::{CaptureSink, Drive, Producer, Receiver};
use netkit::view::{Holds, Progress, Receiving, Recorder, State, Store, Subject, draw};
use ratatui_core::backend::TestBackend;
use ratatui_core::buffer::Buffer;
use ratatui_core::style::Modifier;
use ratatui_core::terminal::Terminal;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

const SCREENS: &str = "tests/view/screens.txt";
const SIZES: [(u16, u16); 3] = [(40, 12), (80, 24), (160, 50)];

/// The views: a name, a capture, keys. `\t` is Tab, `\n` Enter, `\u{8}` Backspace.
const VIEWS: [(&str, &str, &str); 22] = [
    ("the list", "riptide/riptide22-lossy.pcap", ""),
    ("a warning, its fields", "riptide/riptide22-lossy.pcap", "w\tjjj"),
    ("its bytes, a byte selected", "riptide/riptide22-lossy.pcap", "w\t\tjl"),
    ("the first copy of a resend", "riptide/riptide22-lossy.pcap", ":944\n["),
    ("a request's response", "nano/nano-tcp.pcap", "/message == request\n]"),
    ("a filter with a mistake", "riptide/riptide22-lossy.pcap", "Friptide.sequence_id == zzz"),
    ("names that complete a word", "riptide/riptide22-lossy.pcap", "/riptide.se"),
    ("values that complete a word", "riptide/riptide22-lossy.pcap", "Fmessage == re"),
    ("a list of values, one completed", "riptide/riptide22-lossy.pcap", "Friptide.reason in {custom, server_f\t}"),
    ("only what fits, times from one to the next", "riptide/riptide22-lossy.pcap", "Fmessage == heartbeat\nttGk"),
    ("nothing fits", "riptide/riptide22-lossy.pcap", "Fflow == 77\n"),
    ("conversations", "riptide/riptide22-lossy.pcap", "cj"),
    ("a conversation's sequence, resends dashed", "riptide/riptide22-lossy.pcap", ":942\ndj"),
    ("a sequence of requests, times from one to the next", "nano/nano-tcp.pcap", "dttjjjjjj"),
    ("verdicts", "riptide/riptide22-lossy.pcap", "fj"),
    ("the messages of a verdict", "riptide/riptide22-lossy.pcap", "f\n"),
    ("figures by message", "dnp/dnp-lossy.pcap", "f\tjj"),
    ("delivery", "riptide/riptide22-lossy.pcap", "f\t\tj"),
    ("delivery, further columns", "riptide/riptide22-lossy.pcap", "f\t\tlll"),
    ("the messages of a direction's requests", "nano/nano-tcp.pcap", "f\t\t\t\n"),
    ("the keys", "riptide/riptide22-lossy.pcap", "?"),
    ("the fields alone, a list folded", "dnp/dnp-lossy.pcap", "/message == link_update\n\tjj\nz"),
];

/// The views at a proxy: a name, a capture, the expression of the messages that are held, keys. `\u{15}` is Ctrl-U.
const HELD: [(&str, &str, &str, &str); 3] = [
    ("a held message", "nano/nano-tcp.pcap", "message == request", "H"),
    (
        "a held message with changes",
        "nano/nano-tcp.pcap",
        "message == request",
        "H\tE\u{15}id=7, route=\"game.play\"\n",
    ),
    ("a change with a mistake", "riptide/riptide22-lossy.pcap", "message == reliable", "HE\u{15}message_id=zzz"),
];

struct Keeping(Recorder, Vec<Vec<u8>>, Option<Arc<Holds>>);

impl Sink for Keeping {
    fn message(&mut self, message: &Message<'_>) {
        if let Some(holds) = &self.2 {
            holds.wants(message);
        }
        let mut record = Vec::new();
        assert!(self.0.message(message, &mut record));
        self.1.push(record);
    }
}

impl CaptureSink for Keeping {
    fn frame(&mut self, time: Time) {
        self.0.first(time);
    }
}

/// An empty store, and the records of a capture for it.
fn records(capture: &str, holds: Option<Arc<Holds>>) -> (Arc<Store>, Vec<Vec<u8>>) {
    let options = protocols::options();
    let store = Arc::new(Store::new(&options, || {}));
    let mut keeping = Keeping(store.recorder(), Vec::new(), holds);
    let path = common::fixture(capture);
    let read = move || {
        let file = std::fs::File::open(&path).expect("a fixture");
        Capture::new(Input::new(Box::new(file)).expect("a file")).expect("a capture")
    };
    // As the program reads a file: twice, the first time to recognise its conversations.
    let capture = read().reopening(Box::new(move || Some(read())));
    Drive::new(&options).read(capture, &mut keeping);
    (store, keeping.1)
}

fn store(capture: &str, holds: Option<Arc<Holds>>) -> Arc<Store> {
    let (store, records) = records(capture, holds);
    Receiving(Arc::clone(&store)).receive(&records.concat());
    store.end(true, Progress::Ended);
    store
}

fn press(state: &mut State, keys: &str) {
    for key in keys.chars() {
        let control = matches!(key, '\u{4}' | '\u{15}');
        let modifiers = if control { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        let code = match key {
            '\u{4}' => KeyCode::Char('d'),
            '\u{15}' => KeyCode::Char('u'),
            '\t' => KeyCode::Tab,
            '\n' => KeyCode::Enter,
            '\u{8}' => KeyCode::Backspace,
            key => KeyCode::Char(key),
        };
        let _ = state.key(KeyEvent::new(code, modifiers));
        while state.look_on() {}
        state.refresh();
    }
}

/// The cells of the screen.
fn buffer(state: &State) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(state.size.width, state.size.height)).expect("a screen");
    terminal.draw(|frame| _ = draw(state, frame.area(), frame.buffer_mut())).expect("drawn");
    terminal.backend().buffer().clone()
}

/// The screen as text.
fn screen(state: &State) -> String {
    text(&buffer(state))
}

fn text(buffer: &Buffer) -> String {
    let (mut text, area) = (String::new(), buffer.area);
    for y in 0..area.height {
        let row = |cell: &dyn Fn(u16) -> String| (0..area.width).map(cell).collect::<String>().trim_end().to_owned();
        writeln!(text, "{}", row(&|x| buffer[(x, y)].symbol().to_owned())).expect("text");
        let reversed = |x: u16| buffer[(x, y)].modifier.contains(Modifier::REVERSED);
        let marks = row(&|x| if reversed(x) { "~".into() } else { " ".into() });
        if !marks.is_empty() {
            writeln!(text, "{marks}").expect("text");
        }
    }
    text
}

/// The screen without the time that is left to a held message: two digits.
fn without_time(screen: &str) -> String {
    let Some((begin, rest)) = screen.split_once("held, ") else { return screen.into() };
    assert!(rest[2..].starts_with(" s left"), "{screen}");
    format!("{begin}held, NN{}", &rest[2..])
}

#[test]
fn screens() {
    let mut all = String::new();
    let views = VIEWS.map(|(name, capture, keys)| (name, capture, None, keys));
    for (name, capture, hold, keys) in
        views.into_iter().chain(HELD.map(|(name, at, hold, keys)| (name, at, Some(hold), keys)))
    {
        let holds = hold.map(|hold| {
            let holds = Holds::new(100, Duration::from_secs(99), || {});
            let filter = Filter::parse(hold, &Names::new(&protocols::options())).expect("an expression");
            holds.hold(Some((hold.into(), filter)));
            Arc::new(holds)
        });
        let store = store(capture, holds.clone());
        for size in SIZES {
            let subject =
                Subject { name: capture.into(), holds: holds.clone(), live: hold.is_some(), ..Subject::default() };
            let mut state = State::new(Arc::clone(&store), subject, size);
            press(&mut state, keys);
            let screen = screen(&state);
            writeln!(all, "=== {name}: {}x{} {keys:?}\n{}", size.0, size.1, without_time(&screen)).expect("text");
        }
    }
    let file = common::root().join(SCREENS);
    if std::env::var_os("NETKIT_BLESS").is_some() {
        std::fs::write(&file, &all).expect("written");
        return;
    }
    let held = std::fs::read_to_string(&file).expect("the screens");
    let first = held.lines().zip(all.lines()).position(|(held, new)| held != new);
    assert!(held == all, "{SCREENS} differs from line {first:?} on: NETKIT_BLESS=1 cargo test --test behaviour view::");
}

/// With colours the text is the same: no meaning is in a colour alone.
#[test]
fn colours_change_no_text() {
    for (_, capture, keys) in VIEWS {
        let store = store(capture, None);
        let [plain, colour] = [false, true].map(|colour| {
            let subject = Subject { name: capture.into(), colour, ..Subject::default() };
            let mut state = State::new(Arc::clone(&store), subject, (100, 30));
            press(&mut state, keys);
            screen(&state)
        });
        assert_eq!(plain, colour, "{capture} {keys:?}");
    }
}

/// The keys of a sequence pass over other conversations and over what a filter hides; Enter goes to the message.
#[test]
fn a_sequence_keeps_to_its_conversation() {
    let store = store("riptide/riptide22-lossy.pcap", None);
    for (filter, select) in
        [("", (|_| true) as fn(&str) -> bool), ("Fmessage == heartbeat\n", |name| name == "heartbeat")]
    {
        let mut state = State::new(Arc::clone(&store), Subject::default(), (80, 24));
        press(&mut state, &format!("{filter}Gdg"));
        let (flow, mut seen) = (state.row().expect("a row").flow, Vec::new());
        loop {
            seen.push(state.current().expect("a message"));
            press(&mut state, "j");
            if seen.last().copied() == state.current() {
                break;
            }
        }
        let is_one = |number: &usize| {
            let opened = store.open(*number).expect("a message");
            store.row(*number).expect("a row").flow == flow && select(opened.dissection().message)
        };
        let all: Vec<usize> = (0..store.len()).filter(is_one).collect();
        assert!(seen == all && seen.len() > 20 && seen.len() < store.len(), "{} of {}", seen.len(), all.len());
        let (page, last) = (state.page(), state.current());
        press(&mut state, "bb");
        assert_eq!(state.current(), Some(all[all.len() - 1 - 2 * page]));
        press(&mut state, "g");
        assert_eq!(state.current(), all.first().copied());
        press(&mut state, "G\n");
        assert_eq!((state.current(), screen(&state).contains("▶ Messages")), (last, true));
    }
}

/// With live input a sequence stays at the end of its conversation, whatever other ones do.
#[test]
fn a_sequence_follows_live_input() {
    let (store, messages) = records("riptide/riptide22-lossy.pcap", None);
    let (begin, rest) = messages.split_at(30);
    let mut receiving = Receiving(Arc::clone(&store));
    receiving.receive(&begin.concat());
    let mut state = State::new(Arc::clone(&store), Subject { live: true, ..Subject::default() }, (80, 24));
    let row = |number: usize| store.row(number).expect("a row");
    press(&mut state, "d");
    let flow = state.row().expect("a row").flow;
    let mut elsewhere = 0;
    for message in rest {
        receiving.receive(message);
        state.refresh();
        let last = (0..store.len()).rev().find(|number| row(*number).flow == flow);
        assert_eq!(state.current(), last);
        elsewhere += usize::from(last != store.len().checked_sub(1));
    }
    assert!(elsewhere > 100, "{elsewhere}");
    press(&mut state, "kj");
    assert!(state.at_end);
    press(&mut state, "kd");
    receiving.receive(&messages[0]);
    state.refresh();
    assert!(state.current() < store.len().checked_sub(2) && state.row().expect("a row").flow == flow);
}

/// A list that follows live input does so with a filter, and without it again.
#[test]
fn a_filtered_list_follows_live_input() {
    let (store, messages) = records("riptide/riptide22-lossy.pcap", None);
    let (begin, rest) = messages.split_at(30);
    let mut receiving = Receiving(Arc::clone(&store));
    receiving.receive(&begin.concat());
    let mut state = State::new(Arc::clone(&store), Subject { live: true, ..Subject::default() }, (80, 24));
    press(&mut state, "Fmessage == heartbeat\n");
    let (more, last) = rest.split_at(rest.len() / 2);
    for message in more {
        receiving.receive(message);
        while state.look_on() {}
        state.refresh();
    }
    let of_kind = |number: &usize| store.open(*number).expect("a message").dissection().message == "heartbeat";
    assert_eq!((state.current(), state.at_end), ((0..store.len()).rev().find(of_kind), true));
    press(&mut state, "\\");
    receiving.receive(&last[0]);
    state.refresh();
    assert_eq!((state.current(), state.at_end), (store.len().checked_sub(1), true));
}

/// A match that arrived after a pause is reported, and nothing else is selected in its place.
#[test]
fn a_pause_selects_nothing_that_is_not_shown() {
    let (store, messages) = records("riptide/riptide22-lossy.pcap", None);
    let (begin, rest) = messages.split_at(30);
    let mut receiving = Receiving(Arc::clone(&store));
    receiving.receive(&begin.concat());
    let mut state = State::new(Arc::clone(&store), Subject { live: true, ..Subject::default() }, (80, 24));
    press(&mut state, "/message == heartbeat\np");
    receiving.receive(&rest.concat());
    press(&mut state, &"n".repeat(30));
    let is_heartbeat = |number: &usize| store.open(*number).expect("a message").dissection().message == "heartbeat";
    let last = (0..begin.len()).rev().find(is_heartbeat);
    assert_eq!((state.current(), last.is_some()), (last, true));
    assert!(state.status.contains("after the pause"), "{}", state.status);
}

/// Ctrl-D and Ctrl-U move by half a page: a letter with Ctrl is not the key of that letter.
#[test]
fn keys_with_control_move() {
    let mut state = State::new(store("riptide/riptide22-lossy.pcap", None), Subject::default(), (80, 24));
    press(&mut state, "g\u{4}");
    assert_eq!((state.current(), screen(&state).contains("▶ Messages")), (Some(state.page() / 2), true));
    press(&mut state, "\u{15}");
    assert_eq!(state.current(), Some(0));
}

/// The page lists the program's keys.
#[test]
fn the_page_has_all_keys() {
    let page = std::fs::read_to_string(common::root().join("src/docs/inspector.md")).expect("the page");
    let page = page.replace('`', "");
    for (_, what) in netkit::view::KEYS {
        assert!(page.contains(what), "{what}");
    }
}

/// Backspace goes back along links, a filter that hides the target gives way, and nothing else changes.
#[test]
fn links_are_walked_and_left() {
    let mut state = State::new(store("riptide/riptide22-lossy.pcap", None), Subject::default(), (80, 24));
    press(&mut state, ":944\n");
    let start = state.current();
    press(&mut state, "[");
    let first = state.row().expect("a row");
    assert_eq!((first.frame, state.trail.len()), (927, 1));
    press(&mut state, "\u{8}");
    assert_eq!((state.current(), state.trail.len()), (start, 0));
    press(&mut state, "Fframe == 944\n[");
    assert_eq!((state.row().expect("a row").frame, state.hiding().is_none()), (927, true));
}

/// Messages of a conversation that is recognised late are after those of later frames.
#[test]
fn messages_are_found_in_any_order() {
    let (store, mut messages) = records("nano/nano-tcp.pcap", None);
    messages.reverse();
    Receiving(Arc::clone(&store)).receive(&messages.concat());
    store.end(true, Progress::Ended);
    let mut state = State::new(store, Subject::default(), (80, 24));
    press(&mut state, "/message == request\n");
    let request = state.row().expect("a row").frame;
    press(&mut state, "]");
    assert!(state.row().expect("a row").frame > request, "{}", state.status);
    press(&mut state, &format!(":{request}\n"));
    assert_eq!(state.row().expect("a row").frame, request);
}
