//! Stored messages equal the messages that were read, and no sequence of keys breaks the state.

use super::record::{Opened, Recorder};
use super::*;
use crate::capture::Capture;
use crate::capture::Input as Source;
use crate::dissect::{Linked, LinkedSink, Links, Message, Options, Sink, UnitKind};
use crate::flow::Closing;
use crate::read::{CaptureSink, Drive, Producer, Receiver};
use crate::render::{Details, Form, Format, Style};
use crate::stats::connections::{delivery, requests};
use crate::stats::directions::senders;
use crate::stats::tables::messages;
use crate::stats::{Cell, Report, Stats, Table, Wanted};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_crossterm::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// All captures of the fixtures.
fn captures() -> Vec<PathBuf> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let folders = ["riptide", "dnp", "nano", "gne", "acknex"].map(|name| std::fs::read_dir(fixtures.join(name)));
    let files = folders.into_iter().flat_map(|folder| folder.expect("a folder").flatten().map(|entry| entry.path()));
    let is_capture =
        |path: &PathBuf| path.extension().is_some_and(|ending| ending.to_string_lossy().starts_with("pcap"));
    let captures = files.filter(is_capture);
    let mut captures: Vec<PathBuf> = captures.collect();
    captures.sort();
    assert!(captures.len() > 30, "{}", captures.len());
    captures
}

/// Passes on what it is given, and collects relations.
struct Both<'a, S>(&'a mut S, Links);

impl<S: Sink> Sink for Both<'_, S> {
    fn message(&mut self, message: &Message<'_>) {
        self.1.message(message);
        self.0.message(message);
    }
}

impl<S: CaptureSink> CaptureSink for Both<'_, S> {
    fn frame(&mut self, time: crate::capture::Time) {
        self.0.frame(time);
    }
}

/// Every message in three forms.
#[derive(Default)]
struct Texts(Vec<String>);

fn texts(message: &Message<'_>) -> String {
    let style = Style { bytes: true, verbose: true, ..Style::default() };
    let forms = [Format::NDJSON, Format::JSON, Format::TREE];
    let text = forms.map(|format| {
        let (mut form, mut out): (Box<dyn Form>, _) = ((format.form)(style, &Details::default()), Vec::new());
        form.message(message, &mut out);
        String::from_utf8(out).expect("UTF-8")
    });
    let dissection = message.dissection;
    let carrier = dissection.unit.filter(|unit| unit.kind == UnitKind::Carrier);
    let unseen = (&dissection.delivery[..], &dissection.farewell, dissection.related.hidden(), carrier);
    format!("{}{unseen:?}", text.concat())
}

impl Sink for Texts {
    fn message(&mut self, message: &Message<'_>) {
        self.0.push(texts(message));
    }
}

impl CaptureSink for Texts {}

/// Keeps messages, and hands them over in uneven chunks.
struct Keeping(Recorder, Vec<u8>, Receiving);

impl Sink for Keeping {
    fn message(&mut self, message: &Message<'_>) {
        assert!(self.0.message(message, &mut self.1));
        if message.place.frame.is_multiple_of(3) {
            self.2.receive(&std::mem::take(&mut self.1));
        }
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        self.0.ended(flow, how, &mut self.1);
    }
}

impl CaptureSink for Keeping {
    fn frame(&mut self, time: crate::capture::Time) {
        self.0.first(time);
    }
}

fn read(capture: &Path, options: &Options, sink: &mut impl CaptureSink) {
    let file = std::fs::File::open(capture).expect("a file");
    let capture = Capture::new(Source::new(Box::new(file)).expect("a file")).expect("a capture");
    Drive::new(options).read(capture, sink);
}

fn store(capture: &Path) -> Arc<Store> {
    let store = Arc::new(Store::new(&crate::protocols::options(), || {}));
    let mut keeping = Keeping(store.recorder(), Vec::new(), Receiving(Arc::clone(&store)));
    read(capture, &crate::protocols::options(), &mut keeping);
    keeping.2.receive(&keeping.1);
    drop(keeping);
    store.end(true, Progress::Ended);
    store
}

fn shown(opened: &Opened, options: &Options) -> String {
    opened.with(options, texts)
}

/// Stored messages and their links are printed as decode prints them.
#[test]
fn kept_messages_are_those_that_were_read() {
    let options = crate::protocols::options();
    let (mut all, mut linked, mut compressed, mut plain) = (0, 0, 0, 0);
    for capture in captures() {
        let store = store(&capture);
        let blocks = store.blocks();
        (compressed, plain) = (compressed + blocks[0], plain + blocks[1]);
        let mut texts = Texts::default();
        let mut both = Both(&mut texts, Links::new(usize::MAX));
        read(&capture, &options, &mut both);
        let links: Linked = both.1.finish(true);
        let mut with = Texts::default();
        read(&capture, &options, &mut LinkedSink { sink: &mut with, linked: links });
        assert_eq!(store.len(), texts.0.len(), "{}", capture.display());
        for (number, (text, with)) in texts.0.iter().zip(&with.0).enumerate() {
            let mut opened = store.open(number).expect("a message");
            assert_eq!(&shown(&opened, &options), text, "{} message {number}", capture.display());
            let target = opened.target();
            let found = store.find(target).and_then(|found| store.row(found)).map(|row| (row.frame, row.index));
            let is_found = found == Some((target.frame, target.index));
            assert!(is_found || target.index == 0, "{} message {number}: {found:?}", capture.display());
            store.link(&mut opened);
            assert_eq!(&shown(&opened, &options), with, "{} message {number}", capture.display());
            (all, linked) = (all + 1, linked + usize::from(text != with));
        }
        assert!(store.open(texts.0.len()).is_none() && store.row(texts.0.len()).is_none());
    }
    assert!(all > 5_000 && linked > 1_000, "{all} {linked}");
    assert!(compressed > 0 && plain > 0, "{compressed} blocks are compressed, {plain} are not");
}

fn report(stats: &Stats) -> String {
    let mut out = Vec::new();
    [Report::All, Report::Delivery].into_iter().for_each(|report| report.json(stats, "", &mut out));
    String::from_utf8(out).expect("UTF-8")
}

fn press(state: &mut State, code: KeyCode) {
    let _ = state.key(KeyEvent::new(code, KeyModifiers::NONE));
    while state.look_on() {}
    state.refresh();
}

/// The figures are those of `netkit stats`, and a row of a table leads to as many messages as it counts.
#[test]
fn figures_are_those_of_stats_and_lead_to_messages() {
    let options = crate::protocols::options();
    let (mut entered, mut found) = ([0; 4], 0);
    for capture in captures() {
        let mut stats = Stats::new(&options, Wanted::default());
        read(&capture, &options, &mut stats);
        let mut state = State::new(store(&capture), Subject::default(), (100, 30));
        press(&mut state, KeyCode::Char('f'));
        let name = capture.display().to_string();
        assert_eq!(report(&state.figures.as_ref().expect("figures").stats), report(&stats), "{name}");
        let senders = senders(&stats);
        let tables = [(messages(&stats), "messages"), (delivery(&senders), "sent"), (requests(&senders), "requests")];
        for (table, entered) in entered.iter_mut().enumerate() {
            let figures = state.figures.as_ref().expect("figures");
            let counted: Option<&(Table, &str)> = table.checked_sub(1).map(|at| &tables[at]);
            let rows = counted.map_or(crate::stats::verdicts(&figures.stats).len(), |(table, _)| table.rows.len());
            for row in 0..rows.min(12) {
                press(&mut state, KeyCode::Enter);
                let fits = state.fits.as_ref().expect("a filter");
                let place = format!("{name} table {table} row {row}: {}", fits.text);
                match counted {
                    Some((table, figure)) => {
                        let cell = &table.rows[row][table.place(figure).expect("a column")];
                        assert!(
                            matches!(*cell, Cell::Int(n) if n == fits.found.len() as u64),
                            "{place} {cell:?} {}",
                            fits.found.len()
                        );
                    }
                    None => assert!(!fits.found.is_empty(), "{place}"),
                }
                (*entered, found) = (*entered + 1, found + fits.found.len());
                press(&mut state, KeyCode::Backspace);
                assert!(state.fits.is_none() && state.figures.as_ref().is_some_and(|figures| figures.at == row));
                press(&mut state, KeyCode::Down);
            }
            press(&mut state, KeyCode::Tab);
        }
    }
    assert!(entered.iter().all(|count| *count > 10) && found > 10_000, "{entered:?} {found}");
}

/// A state after any keys: what is selected is there, and everything can be drawn.
fn check(state: &State, keys: &str) {
    assert!(state.selected < state.shown().max(1), "{keys}");
    assert!(state.top <= state.selected, "{keys}");
    assert!(state.number(state.selected).is_some() || state.shown() == 0, "{keys}");
}

const CODES: [KeyCode; 22] = [
    KeyCode::Enter,
    KeyCode::Tab,
    KeyCode::BackTab,
    KeyCode::Backspace,
    KeyCode::Delete,
    KeyCode::Esc,
    KeyCode::Up,
    KeyCode::Down,
    KeyCode::Left,
    KeyCode::Right,
    KeyCode::PageUp,
    KeyCode::PageDown,
    KeyCode::Home,
    KeyCode::End,
    KeyCode::F(1),
    KeyCode::Char('é'),
    KeyCode::Char('='),
    KeyCode::Char('0'),
    KeyCode::Char('\u{202e}'),
    KeyCode::Char('"'),
    KeyCode::Char(' '),
    KeyCode::Char('\\'),
];

#[test]
fn no_keys_break_the_state() {
    let mut random = crate::random::Random::of(7, &[]);
    let mut below = |n: usize| (random.bits() % n as u64) as usize;
    let sizes = [(40, 12), (80, 24), (160, 50), (300, 90), (20, 5), (1, 1)];
    let typed = ["has warning", "message == ack", "frame > 20", "has unanswered", "flow ==", "12", "1.5s", "x"];
    for (k, capture) in captures().iter().enumerate() {
        let mut state = State::new(store(capture), Subject::default(), sizes[k % sizes.len()]);
        let mut keys = capture.display().to_string();
        for _ in 0..200 {
            let mut press = |code: KeyCode, state: &mut State| {
                keys += &format!(" {code:?}");
                // What would leave the program is for the terminal.
                let _ = state.key(KeyEvent::new(code, KeyModifiers::NONE));
                check(state, &keys);
            };
            match below(10) {
                0..=3 => press(CODES[below(CODES.len())], &mut state),
                4 => {
                    let text = typed[below(typed.len())];
                    text.chars().for_each(|c| press(KeyCode::Char(c), &mut state));
                }
                5 => {
                    state.size = sizes[below(sizes.len())].into();
                    state.refresh();
                }
                6 => while state.look_on() {},
                _ => press(KeyCode::Char((b' ' + below(95) as u8) as char), &mut state),
            }
            let area = Rect::new(0, 0, state.size.width, state.size.height);
            draw(&state, area, &mut Buffer::empty(area));
        }
    }
}
