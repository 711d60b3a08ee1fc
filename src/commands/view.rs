//! `netkit view`: the inspector in the terminal.

use super::cut;
use super::gates::merged;
use super::options::{inputs, options};
use super::output::{draws, style};
use crate::capture::Capture;
use crate::cli::{Global, View as Args};
use crate::dissect::Options;
use crate::platform;
use crate::process::capture;
use crate::process::interrupt::{self, stop};
use crate::process::names;
use crate::process::notify;
use crate::process::outfile::{OutFile, stdout_is_no_input};
use crate::process::parallel::{InputReader, Shared};
use crate::process::usage::Usage;
use crate::read::{CaptureSink, Marks, Pick, Picked, Selection, Summary};
use crate::view::{self, Frames, Keeping, Progress, Screen, State, Store, Subject};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

/// The stack of the thread that reads: some messages are nested deeply.
pub const STACK: usize = 64 << 20;

impl Shared for Picked<Keeping> {
    fn divides(&self) -> bool {
        self.pick.divides()
    }

    fn shared(&mut self, capture: Capture, options: &Options, count: usize) -> Summary {
        self.begin();
        let recorders = std::iter::repeat_with(|| self.sink.to.0.recorder()).take(count + 1).collect();
        merged(capture, options, recorders, &mut self.pick, &mut self.sink.to)
    }
}

/// Whether a person sits at the terminal: then a file that is named without a subcommand is shown by the inspector.
pub fn inspects() -> bool {
    io::stdin().is_terminal() && draws()
}

/// Runs the command.
pub fn run(args: &Args, global: &Global) -> anyhow::Result<u8> {
    if args.source.interfaces.list_interfaces {
        return capture::list();
    }
    if !draws() {
        let why = "view needs a terminal: netkit decode prints messages, netkit stats counts them";
        return Err(Usage(why.into()).into());
    }
    if args.source.follow && args.files.len() > 1 {
        return Err(Usage("--follow: one file, not several: the first never ends".into()).into());
    }
    stdout_is_no_input(&inputs(&args.files, &args.source.dissect)?)?;
    let mut options = options(&args.source.dissect)?;
    let pick = Pick::of(Selection::new(&args.source.traffic, &mut options)?);
    let selected = pick.selection.cuts();
    if args.source.traffic.leg.is_none() {
        options.leg = None;
    }
    let keep = capture::Keep { prints: true, ..capture::Keep::default() };
    capture::begin(&args.source.interface, args.source.traffic.until, keep, &options, global)?;
    let (wake, events) = channel();
    let (signal, messages) = (wake.clone(), wake.clone());
    interrupt::at_first(move || _ = signal.send(view::Input::End));
    let store = Arc::new(Store::new(&options, move || _ = messages.send(view::Input::Messages)));
    let live = args.source.follow || args.files.iter().any(|file| file.as_os_str() == "-");
    let subject = Subject {
        name: names::names(&args.files),
        live,
        selected,
        frames: frames(args),
        colour: style(global, false).colour,
        time: args.time,
        holds: None,
    };
    notify::hold();
    let (shown, read) = thread::scope(|scope| {
        let reading = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || {
            let read = reading(args, &options, global, pick, &store);
            if read.is_err() && store.is_empty() {
                // There is nothing to look at: the error is printed.
                let _ = wake.send(view::Input::End);
            }
            read
        })?;
        let shown = show(&store, subject, events, wake.clone());
        stop().set();
        let read = reading.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        io::Result::Ok((shown, read))
    })?;
    notify::release();
    shown?;
    read?;
    // However far it was read: looking ends when the user ends it.
    Ok(interrupt::status(true).unwrap_or(0))
}

/// Access to the frames of files, which are read again.
fn frames(args: &Args) -> Option<Frames> {
    let again = |file: &PathBuf| !file.is_dir() && std::fs::metadata(file).is_ok_and(|about| about.is_file());
    if args.files.is_empty() || args.source.traffic.redact || !args.files.iter().all(again) {
        return None;
    }
    let (files, dissect) = (args.files.clone(), args.source.dissect.clone());
    let write = move |name: &Path, frames: &[u64]| {
        let mut marks = Marks::default();
        frames.iter().for_each(|frame| marks.mark(*frame));
        let file = OutFile::check("s", name, &inputs(&files, &dissect)?, false)?;
        cut::write(&files, files.len() > 1, file, &marks)
    };
    Some(Frames(Arc::new(move |name, frames| {
        if name.exists() {
            return Err(format!("{}: the file exists, and is not replaced", name.display()));
        }
        write(name, frames).map_err(|error| format!("{error:#}"))
    })))
}

/// Shows the screen until the user ends it.
pub fn show(
    store: &Arc<Store>,
    subject: Subject,
    events: std::sync::mpsc::Receiver<view::Input>,
    wake: std::sync::mpsc::Sender<view::Input>,
) -> io::Result<()> {
    interrupt::before_exit(view::held::restore);
    if let Some(terminal) = platform::stdout() {
        std::thread::spawn(move || platform::await_gone(&terminal).then(interrupt::terminal_gone));
    }
    let shown = Screen::begin(events, wake, platform::suspend).and_then(|mut screen| {
        let mut state = State::new(Arc::clone(store), subject, screen.size()?);
        screen.run(&mut state)
    });
    // The screen may end or fail before the signal or the thread reports that its terminal is gone.
    if platform::stdout().is_some_and(|terminal| platform::gone(&terminal)) {
        interrupt::terminal_gone();
        return Ok(());
    }
    shown
}

/// Reads the input into the store.
fn reading(args: &Args, options: &Options, global: &Global, pick: Pick, store: &Arc<Store>) -> anyhow::Result<()> {
    let mut picked = Picked { pick, sink: Keeping::new(store, args.source.follow) };
    let reading = InputReader { options, global, threads: args.threads, follow: args.source.follow, link: false };
    let read = reading.files(&args.files, args.files.len() > 1, &mut picked);
    store.account(&picked.pick.account);
    drop(picked);
    let whole = matches!(read, Ok(None));
    let failed = read.as_ref().err().map(|error| Progress::Failed(format!("{error:#}")));
    store.end(whole, failed.unwrap_or(Progress::Ended));
    read.map(|_| ())
}
