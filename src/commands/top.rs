//! `netkit top`: shows the figures of continuing input, drawn again each second.
//!
//! One thread reads and counts, another draws, so that silent input is drawn, too. On a terminal the tables use the
//! alternate screen. However the program ends, the terminal is restored.

use super::options::{inputs, options};
use super::output::{draws, page, style};
use crate::capture::Input;
use crate::cli::{Form, Global, Top as Args};
use crate::dissect::{Message, Options, Sink};
use crate::flow::{Closing, End, Side};
use crate::platform::{self, Keys};
use crate::printable::Json;
use crate::process::interrupt::{self, stop};
use crate::process::outfile::stdout_is_no_input;
use crate::process::stopped::ReadResult;
use crate::process::{capture, follow, input, names, read};
use crate::read::{CaptureSink, Pick, Picked, Selection};
use crate::stats::top::{Look, Scroll, Top};
use crate::view::held;
use anyhow::Context;
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The interval in which a wait checks for keys, the end and a new size of the terminal.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// The alternate screen without a cursor. Lines that are too long are cut.
const BEGIN: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const END: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/// The columns that keys sort by.
const KEYS: [(u8, &str); 9] = [
    (b'b', "byte_rate"),
    (b'r', "message_rate"),
    (b'm', "messages"),
    (b'y', "bytes"),
    (b'f', "faults"),
    (b't', "client_rtt_p50"),
    (b's', "resent_share"),
    (b'l', "lost_share"),
    (b'i', "idle"),
];
const HELP: &str = "q ends; j k scroll, Tab: other table; sorted by b byte_rate, r message_rate, m messages, y bytes, \
                    f faults, t rtt, s resent, l lost, i idle";

/// Counts the selected messages.
struct Watching<'a>(&'a Mutex<Top>);

fn locked(top: &Mutex<Top>) -> MutexGuard<'_, Top> {
    top.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sink for Watching<'_> {
    fn message(&mut self, message: &Message<'_>) {
        locked(self.0).message(message);
    }

    fn ended(&mut self, flow: u64, how: Closing) {
        locked(self.0).ended(flow, how);
    }

    fn direction_ended(&mut self, flow: u64, side: Side, why: End) {
        locked(self.0).direction_ended(flow, side, why);
    }
}

impl CaptureSink for Watching<'_> {}

/// Sets a flag when the reading ends for any reason.
struct Finished<'a>(&'a AtomicBool);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<u8> {
    if args.source.interfaces.list_interfaces {
        return capture::list();
    }
    stdout_is_no_input(&inputs([&args.file], &args.source.dissect)?)?;
    let mut options = options(&args.source.dissect)?;
    let pick = Pick::of(Selection::new(&args.source.traffic, &mut options)?);
    let (top, finished) = (Mutex::new(Top::new(&options, pick.selection.cuts())), AtomicBool::new(false));
    // Signals are caught before the terminal is changed.
    stop();
    // Whether there is a terminal to draw on.
    let drawn = args.format == Form::Text && draws();
    let around = Global { quiet: global.quiet || drawn, ..global.clone() };
    let keep = capture::Keep { prints: true, ..capture::Keep::default() };
    capture::begin(&args.source.interface, args.source.traffic.until, keep, &options, &around)?;
    if !drawn {
        input::announce_wait(&args.file, global);
    }
    let mut sink = Picked { pick, sink: Watching(&top) };
    let (read, shown) = std::thread::scope(|scope| {
        let show = scope.spawn(|| match drawn {
            true => draw(args, global, &top, &finished),
            false => print(args, &top, &finished),
        });
        let read = {
            let _finished = Finished(&finished);
            reading(args, &options, global, &mut sink)
        };
        (read, show.join())
    });
    match shown {
        Ok(Err(error)) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(0),
        Ok(shown) => shown?,
        Err(panic) => std::panic::resume_unwind(panic),
    }
    let stopped = stop().is_set();
    let mut look = locked(&top).end();
    match (args.format, drawn) {
        (Form::Ndjson, _) => ndjson(&look, stopped)?,
        (_, false) => lines(&mut look, args)?,
        (_, true) => {
            let (style, mut text) = (style(global, false), String::new());
            let sorted = args.sort.as_deref().unwrap_or(KEYS[0].1);
            look.sort(sorted);
            let size = (style.width.unwrap_or(80), None);
            look.screen(&names::name(&args.file), sorted, size, style.colour, &mut Scroll::default(), &mut text);
            page(&text, style.colour)?;
        }
    }
    let outside = sink.pick.is_outside(&input::name(&args.file), &read, global);
    read?;
    // The input has no end of its own: Ctrl-C and q end it.
    Ok(interrupt::status(true).unwrap_or(u8::from(outside)))
}

fn reading(args: &Args, options: &Options, global: &Global, sink: &mut Picked<Watching<'_>>) -> ReadResult {
    let open = || if args.source.follow { follow::open(&args.file) } else { Ok(Input::new(input::open(&args.file)?)?) };
    open().and_then(|input| read::whole(input, options, global, sink)).with_context(|| input::name(&args.file))
}

fn ndjson(look: &Look, stopped: bool) -> io::Result<()> {
    let mut out = Vec::new();
    look.ndjson(stopped, &mut out);
    let mut to = io::stdout().lock();
    write!(to, "{}", Json(String::from_utf8_lossy(&out)))?;
    to.flush()
}

fn lines(look: &mut Look, args: &Args) -> io::Result<()> {
    if let Some(sorted) = &args.sort {
        look.sort(sorted);
    }
    let mut text = String::new();
    look.lines(&mut text);
    page(&text, false)?;
    io::stdout().flush()
}

/// Prints the figures to a pipe in intervals until the reading ends. Without a reader of the output, the program ends.
fn print(args: &Args, top: &Mutex<Top>, finished: &AtomicBool) -> io::Result<()> {
    let mut last = Instant::now();
    loop {
        while last.elapsed() < args.redraw {
            if finished.load(Ordering::Acquire) {
                return Ok(());
            }
            std::thread::sleep(LOOK_AGAIN.min(args.redraw.saturating_sub(last.elapsed())));
        }
        let mut look = locked(top).look(last.elapsed().as_secs_f64());
        last = Instant::now();
        let printed = match args.format {
            Form::Ndjson => ndjson(&look, false),
            _ => lines(&mut look, args),
        };
        if printed.is_err() {
            stop().set();
            return printed;
        }
    }
}

/// Prepares the terminal for the tables. Dropping it restores the terminal.
struct Screen {
    keys: Option<Keys>,
}

impl Screen {
    fn begin() -> io::Result<Screen> {
        // A second signal ends the program at once, and a panic may occur anywhere.
        interrupt::before_exit(held::restore);
        held::restore_on_panic(|| ());
        let mut keys = None;
        let begin = || {
            keys = Keys::open();
            write_out(BEGIN)
        };
        held::take(begin, || {
            platform::restore_terminal();
            // A terminal that is gone needs no restoring.
            let _ = write_out(END);
        })?;
        Ok(Screen { keys })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        held::restore();
    }
}

fn write_out(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// Draws on a terminal until the reading ends.
fn draw(args: &Args, global: &Global, top: &Mutex<Top>, finished: &AtomicBool) -> io::Result<()> {
    let screen = Screen::begin().inspect_err(|_| stop().set())?;
    let name = names::name(&args.file);
    let mut sorted = args.sort.as_deref().unwrap_or(KEYS[0].1);
    let (mut last, mut shown) = (Instant::now(), (0, None));
    let mut look = locked(top).look(0.0);
    let mut scroll = Scroll::default();
    look.choose(sorted, &mut scroll);
    while !finished.load(Ordering::Acquire) {
        let style = style(global, false);
        let size = (style.width.unwrap_or(80), height());
        let mut again = size != shown;
        if last.elapsed() >= args.redraw {
            look = locked(top).look(last.elapsed().as_secs_f64());
            (last, again) = (Instant::now(), true);
        }
        let wait = LOOK_AGAIN.min(args.redraw.saturating_sub(last.elapsed()));
        match screen.keys.as_ref().map(|keys| keys.next(wait)) {
            None => std::thread::sleep(wait),
            Some(None) => {}
            Some(Some(key)) if key == b"q" => {
                stop().set();
                return Ok(());
            }
            Some(Some(key)) => match KEYS.iter().find(|(own, _)| key == [*own]) {
                Some((_, column)) => {
                    sorted = column;
                    look.choose(sorted, &mut scroll);
                    (scroll.from, again) = ([0; 2], true);
                }
                None => again |= scrolled(&key, &mut scroll),
            },
        }
        if again {
            shown = size;
            look.sort(sorted);
            let mut text = String::new();
            look.screen(&name, sorted, size, style.colour, &mut scroll, &mut text);
            put(&text, size.0, size.1, style.colour).inspect_err(|_| stop().set())?;
        }
    }
    Ok(())
}

/// Scrolls as the keys of `view` do. Returns whether it is one of them.
fn scrolled(key: &[u8], scroll: &mut Scroll) -> bool {
    let page = scroll.page();
    match key {
        b"\t" | b"\x1b[Z" => scroll.table = 1 - scroll.table,
        b"j" | b"\x1b[B" | b"\x1bOB" => scroll.move_by(1),
        b"k" | b"\x1b[A" | b"\x1bOA" => scroll.move_by(-1),
        b" " | b"\x1b[6~" => scroll.move_by(page),
        b"\x1b[5~" => scroll.move_by(-page),
        b"g" | b"\x1b[H" | b"\x1bOH" | b"\x1b[1~" => scroll.move_by(isize::MIN),
        b"G" | b"\x1b[F" | b"\x1bOF" | b"\x1b[4~" => scroll.move_by(isize::MAX),
        _ => return false,
    }
    true
}

/// Draws a page: each line over the one before, without flicker.
fn put(text: &str, width: usize, height: Option<usize>, colour: bool) -> io::Result<()> {
    let rows = height.unwrap_or(24);
    let mut out = String::from("\x1b[H");
    for line in text.lines().take(rows.saturating_sub(1)) {
        out += &format!("{line}\x1b[K\r\n");
    }
    let help: String = HELP.chars().take(width).collect();
    let (dim, reset) = if colour { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
    out += &format!("\x1b[J\x1b[{rows};1H{dim}{help}{reset}\x1b[K");
    let mut to = held::TerminalWriter::default();
    to.write_all(out.as_bytes())?;
    to.flush()
}

/// Returns the terminal's height, or `LINES` if set.
fn height() -> Option<usize> {
    let set = std::env::var("LINES").ok().and_then(|lines| lines.parse().ok()).filter(|lines| *lines >= 5);
    set.or_else(|| terminal_size::terminal_size().map(|(_, height)| height.0 as usize))
}
