//! `netkit top`: the figures of input that goes on, drawn again each second.
//!
//! One thread reads and counts, one draws: input that never says anything is drawn, too. On a
//! terminal the tables have the alternate screen; whatever ends the program, the terminal is as it
//! was.

use super::capture;
use super::gates::{Pick, Picked};
use super::interrupt::{self, stop};
use super::options::{inputs, options};
use super::outfile::stdout_is_no_input;
use super::output::{page, style};
use super::selection::Selection;
use super::stopped::Stopped;
use super::{input, read};
use crate::cli::{Form, Global, Top as Args};
use crate::platform::{self, Keys};
use anyhow::Context;
use netkit::capture::Input;
use netkit::dissect::{Message, Options, Sink};
use netkit::flow::Closing;
use netkit::printable::Json;
use netkit::read::CaptureSink;
use netkit::stats::top::{Look, Top};
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often a wait looks for keys, the end and another size of the terminal.
const LOOK_AGAIN: Duration = Duration::from_millis(50);
/// The alternate screen without a cursor; lines that are too long are cut.
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
const HELP: &str =
    "q ends; sorted by b byte_rate, r message_rate, m messages, y bytes, f faults, t rtt, s resent, l lost, i idle";

/// Counts what is selected.
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
}

impl CaptureSink for Watching<'_> {}

/// Sets a flag, however the reading ends.
struct Finished<'a>(&'a AtomicBool);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<u8> {
    if args.interfaces.list_interfaces {
        return capture::list();
    }
    stdout_is_no_input(&inputs([&args.file], &args.dissect.schema))?;
    let mut options = options(&args.dissect)?;
    let pick = Pick::of(Selection::new(&args.traffic, &mut options)?);
    let (top, finished) = (Mutex::new(Top::new(&options)), AtomicBool::new(false));
    // Signals are caught before the terminal is changed.
    stop();
    let quiet = Global { quiet: true, color: global.color, verbose: global.verbose };
    let keep = capture::Keep { to: None, force: false, schemas: &args.dissect.schema, prints: true };
    capture::begin(&args.interface, args.traffic.until, keep, &options, if drawn(args) { &quiet } else { global })?;
    let drawn = drawn(args);
    if !drawn {
        input::announce_wait(&args.file, global);
    }
    let (read, shown) = std::thread::scope(|scope| {
        let show = scope.spawn(|| match drawn {
            true => draw(args, global, &top, &finished),
            false => tell(args, &top, &finished),
        });
        let read = {
            let _finished = Finished(&finished);
            reading(args, &options, global, &mut Picked { pick, sink: Watching(&top) })
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
            look.screen(&input::name(&args.file), sorted, size, style.colour, &mut text);
            page(&text, style.colour)?;
        }
    }
    read?;
    // It has no end of its own: Ctrl-C and q are how it ends.
    Ok(interrupt::status(true).unwrap_or(0))
}

/// Is there a terminal to draw on?
fn drawn(args: &Args) -> bool {
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    args.format == Form::Text && io::stdout().is_terminal() && !dumb
}

fn reading(
    args: &Args,
    options: &Options,
    global: &Global,
    sink: &mut Picked<Watching<'_>>,
) -> anyhow::Result<Option<Stopped>> {
    let opened = if args.follow { input::follow(&args.file) } else { input::open(&args.file) };
    opened
        .and_then(|reader| read::whole(Input::new(reader)?, options, global, sink))
        .with_context(|| input::name(&args.file))
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

/// Tells a pipe, look by look, until the reading ends. Without a reader of the output there is
/// nothing left to do.
fn tell(args: &Args, top: &Mutex<Top>, finished: &AtomicBool) -> io::Result<()> {
    let mut last = Instant::now();
    loop {
        while last.elapsed() < args.every {
            if finished.load(Ordering::Acquire) {
                return Ok(());
            }
            std::thread::sleep(LOOK_AGAIN.min(args.every.saturating_sub(last.elapsed())));
        }
        let mut look = locked(top).look(last.elapsed().as_secs_f64());
        last = Instant::now();
        let told = match args.format {
            Form::Ndjson => ndjson(&look, false),
            _ => lines(&mut look, args),
        };
        if told.is_err() {
            stop().set();
            return told;
        }
    }
}

/// The terminal as the tables have it. When it is dropped, the terminal is as it was.
struct Screen {
    keys: Option<Keys>,
}

impl Screen {
    fn begin() -> io::Result<Screen> {
        // A second signal ends the program at once, a panic may come from anywhere.
        interrupt::before_exit(restore);
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
        let keys = Keys::open();
        let mut out = io::stdout();
        out.write_all(BEGIN.as_bytes())?;
        out.flush()?;
        Ok(Screen { keys })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    platform::restore_terminal();
    // A terminal that is gone needs nothing.
    let _ = io::stdout().write_all(END.as_bytes()).and_then(|()| io::stdout().flush());
}

/// Draws on a terminal until the reading ends.
fn draw(args: &Args, global: &Global, top: &Mutex<Top>, finished: &AtomicBool) -> io::Result<()> {
    let screen = Screen::begin().inspect_err(|_| stop().set())?;
    let name = input::name(&args.file);
    let mut sorted = args.sort.as_deref().unwrap_or(KEYS[0].1);
    let (mut last, mut shown) = (Instant::now(), (0, None));
    let mut look = locked(top).look(0.0);
    while !finished.load(Ordering::Acquire) {
        let style = style(global, false);
        let size = (style.width.unwrap_or(80), height());
        let mut again = size != shown;
        if last.elapsed() >= args.every {
            look = locked(top).look(last.elapsed().as_secs_f64());
            (last, again) = (Instant::now(), true);
        }
        let wait = LOOK_AGAIN.min(args.every.saturating_sub(last.elapsed()));
        match screen.keys.as_ref().map(|keys| keys.next(wait)) {
            None => std::thread::sleep(wait),
            Some(None) => {}
            Some(Some(b'q')) => {
                stop().set();
                return Ok(());
            }
            Some(Some(key)) => {
                if let Some((_, column)) = KEYS.iter().find(|(own, _)| *own == key) {
                    (sorted, again) = (column, true);
                }
            }
        }
        if again {
            shown = size;
            look.sort(sorted);
            let mut text = String::new();
            look.screen(&name, sorted, size, style.colour, &mut text);
            put(&text, size, style.colour).inspect_err(|_| stop().set())?;
        }
    }
    Ok(())
}

/// Draws a page: each line over the one before, without flicker.
fn put(text: &str, (width, height): (usize, Option<usize>), colour: bool) -> io::Result<()> {
    let rows = height.unwrap_or(24);
    let mut out = String::from("\x1b[H");
    for line in text.lines().take(rows.saturating_sub(1)) {
        out += &format!("{line}\x1b[K\r\n");
    }
    let help: String = HELP.chars().take(width).collect();
    let (dim, reset) = if colour { ("\x1b[2m", "\x1b[0m") } else { ("", "") };
    out += &format!("\x1b[J\x1b[{rows};1H{dim}{help}{reset}\x1b[K");
    let mut to = io::stdout().lock();
    to.write_all(out.as_bytes())?;
    to.flush()
}

/// The terminal's height, or `LINES` if set.
fn height() -> Option<usize> {
    let set = std::env::var("LINES").ok().and_then(|lines| lines.parse().ok()).filter(|lines| *lines >= 5);
    set.or_else(|| terminal_size::terminal_size().map(|(_, height)| height.0 as usize))
}
