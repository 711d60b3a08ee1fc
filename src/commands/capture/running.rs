//! A capture program that runs: its output, its last words, its end.

use super::program::Program;
use super::words::{self, Words};
use crate::commands::interrupt::stop;
use crate::platform::{self, Ready};
use netkit::capture::Format;
use netkit::live::net::now;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::process::{Child, ChildStdout, Command};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How often it is looked at while nothing comes.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// How long a program that was asked to end may take.
const TO_END: Duration = Duration::from_secs(5);
/// How long what it has said may take to come.
const TO_SAY: Duration = Duration::from_secs(2);

/// When the user asked for the end.
static ASKED: OnceLock<Instant> = OnceLock::new();
/// When nobody needs more frames, in nanoseconds since the epoch.
static UNTIL: OnceLock<i128> = OnceLock::new();
/// Output whose reader the capture ends with.
static OUTPUT: OnceLock<File> = OnceLock::new();

/// The first signal: from now on, what was captured is still read. `false`: nothing is.
pub fn ask() -> bool {
    ASKED.get_or_init(Instant::now);
    true
}

/// The capture ends then, as if the user asked for the end.
pub fn until(nanos: i128) {
    let _ = UNTIL.set(nanos);
}

/// See [`super::ends_with`].
pub fn ends_with(output: File) {
    let _ = OUTPUT.set(output);
}

/// Why a program does not capture.
#[derive(Debug)]
pub enum Failed {
    /// It has no right to.
    Denied(String),
    /// Another reason.
    Other(String),
}

/// A program that runs.
pub struct Running {
    child: Child,
    program: Program,
    words: Words,
    /// What is left of its output where nobody reads it any more.
    rest: Option<File>,
    /// When it was told to end.
    told: Option<Instant>,
}

/// Starts a program, and waits for its first bytes: it has the right, and knows interface and filter.
pub fn start(
    command: &mut Command,
    program: &Program,
    slot: &'static Mutex<Option<Running>>,
) -> Result<Reader, Failed> {
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => Failed::Denied(error.to_string()),
        _ => Failed::Other(format!("{}: {error}", program.path.display())),
    })?;
    let words = child.stderr.take().map(Words::of).unwrap_or_default();
    let Some(stdout) = child.stdout.take() else { return Err(Failed::Other("it has no output".into())) };
    let polled = platform::output_of(&stdout);
    let rest = platform::output_of(&stdout);
    let from = match polled {
        Some(file) => Source::Polled(file),
        None => Source::Plain(stdout),
    };
    let running = Running { child, program: program.clone(), words, rest, told: None };
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
    let mut reader = Reader { first: Cursor::default(), from, slot };
    let first = reader.beginning();
    let mut guard = slot.lock().unwrap_or_else(PoisonError::into_inner);
    let running = guard.as_mut();
    if stop().is_set() || Format::of(&first).is_some() {
        reader.first = Cursor::new(first);
        return Ok(reader);
    }
    let Some(running) = running else { return Err(Failed::Other("it has ended".into())) };
    // Garbage is nothing that can be waited for.
    if first.len() >= 4 {
        running.kill();
        *guard = None;
        return Err(Failed::Other("writes no capture: neither pcap nor pcapng".into()));
    }
    let (said, how) = (running.said(), running.how());
    let reason = words::reason(&said, program);
    running.kill();
    *guard = None;
    if words::denied(&said) {
        return Err(Failed::Denied(reason));
    }
    Err(Failed::Other(if reason.is_empty() { format!("has ended before it captured, {how}") } else { reason }))
}

impl Running {
    /// Tells it to end, once.
    fn tell(&mut self) {
        if self.told.is_none() {
            self.told = Some(Instant::now());
            platform::interrupt(&mut self.child);
        }
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        // One that has ended cannot be killed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Its words, at its end.
    fn said(&self) -> String {
        self.words.text(TO_SAY)
    }

    /// How it has ended.
    fn how(&mut self) -> String {
        let until = Instant::now() + TO_SAY;
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => "its output closed".into(),
        }
    }

    /// Has it end, and reads what it still writes meanwhile, or it could not. Its words.
    pub fn end(mut self) -> (Program, String) {
        self.tell();
        let until = Instant::now() + TO_END;
        let mut block = [0; 64 << 10];
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < until {
            let open = self.rest.as_mut().filter(|rest| platform::wait(rest, false, LOOK_AGAIN) == Ready::Read);
            match open.map(|rest| rest.read(&mut block)) {
                Some(Ok(1..)) => {}
                // It has closed its output, and ends.
                Some(Ok(0) | Err(_)) => self.rest = None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
        self.kill();
        let said = self.said();
        (self.program, said)
    }
}

enum Source {
    /// Can be waited for.
    Polled(File),
    /// Read at once.
    Plain(ChildStdout),
}

/// What the program writes. Its end, unless somebody asked for it, is an error.
pub struct Reader {
    /// Its first bytes, read already.
    first: Cursor<Vec<u8>>,
    from: Source,
    slot: &'static Mutex<Option<Running>>,
}

impl Reader {
    /// The first bytes, as many as tell the format.
    fn beginning(&mut self) -> Vec<u8> {
        let (mut first, mut block) = (Vec::new(), [0; 4096]);
        while first.len() < 4 && self.ready() {
            match self.from.read(&mut block) {
                Ok(n @ 1..) => first.extend_from_slice(&block[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => {
                    if ASKED.get().is_some() {
                        stop().set();
                    }
                    break;
                }
            }
        }
        first
    }

    /// Waits until a read returns. `false`: it is over.
    fn ready(&mut self) -> bool {
        loop {
            if stop().is_set() {
                return false;
            }
            if OUTPUT.get().is_some_and(platform::gone) {
                stop().set();
                return false;
            }
            if UNTIL.get().is_some_and(|until| now().nanos() >= *until) {
                ask();
            }
            if let Some(asked) = ASKED.get().map(Instant::elapsed) {
                let mut guard = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
                let holds_back = guard.as_ref().map_or(Duration::ZERO, |running| running.program.holds_back());
                if asked >= holds_back
                    && let Some(running) = guard.as_mut()
                {
                    running.tell();
                }
                if asked >= holds_back + TO_END {
                    stop().set();
                    return false;
                }
            }
            let Source::Polled(file) = &self.from else { return true };
            match platform::wait(file, OUTPUT.get().is_none(), LOOK_AGAIN) {
                Ready::Read => return true,
                Ready::Not => {}
                // Treated like Ctrl-C.
                Ready::OutputGone => {
                    stop().set();
                    return false;
                }
            }
        }
    }

    /// The output has ended.
    fn over(&mut self) -> io::Result<usize> {
        if ASKED.get().is_some() {
            stop().set();
        }
        if stop().is_set() {
            return Ok(0);
        }
        let mut guard = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = guard.as_mut() else { return Ok(0) };
        let (said, how) = (running.said(), running.how());
        let reason = words::reason(&said, &running.program);
        let colon = if reason.is_empty() { "" } else { ": " };
        Err(io::Error::other(format!("{} has ended ({how}){colon}{reason}", running.program.name())))
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.first.read(buffer)? {
            0 if buffer.is_empty() || !self.ready() => Ok(0),
            0 => match self.from.read(buffer)? {
                0 => self.over(),
                read => Ok(read),
            },
            read => Ok(read),
        }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Source::Polled(file) => file.read(buffer),
            Source::Plain(stdout) => stdout.read(buffer),
        }
    }
}
