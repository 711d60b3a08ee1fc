//! A running capture program: its output, its error messages, its end.

use super::program::Program;
use super::words::{self, Words};
use crate::capture::Format;
use crate::live::net::now;
use crate::platform::{self, Ready};
use crate::process::interrupt::stop;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::process::{Child, ChildStdout, Command};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The polling interval while no output arrives.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The time that the program may take to end after it was asked to.
const TO_END: Duration = Duration::from_secs(5);
/// The time that its remaining error messages may take to arrive.
const TO_SAY: Duration = Duration::from_secs(2);

/// The time when the user asked for the end.
static ASKED: OnceLock<Instant> = OnceLock::new();
/// The time after which no more frames are needed, in nanoseconds since the epoch.
static UNTIL: OnceLock<i128> = OnceLock::new();
/// The output whose reader ends the capture by closing it.
static OUTPUT: OnceLock<File> = OnceLock::new();

/// Handles the first signal. Returns true: the frames captured before it are still read.
pub fn ask() -> bool {
    ASKED.get_or_init(Instant::now);
    true
}

/// Ends the capture at a time, as if the user asked for the end then.
pub fn until(nanos: i128) {
    let _ = UNTIL.set(nanos);
}

/// Sets the output for [`super::ends_with`].
pub fn ends_with(output: File) {
    let _ = OUTPUT.set(output);
}

/// The reason why a program does not capture.
#[derive(Debug)]
pub enum Failed {
    /// It has no permission.
    Denied(String),
    /// Another reason.
    Other(String),
}

/// A running program.
pub struct Running {
    child: Child,
    program: Program,
    words: Words,
    /// The rest of its output, which is read only to discard it.
    rest: Option<File>,
    /// The time when it was asked to end.
    reported: Option<Instant>,
}

/// Starts a program, and waits for its first bytes, which show that it has the permission, and accepts interface and
/// filter.
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
    let Some(stdout) = child.stdout.take() else { return Err(Failed::Other("its output cannot be read".into())) };
    let polled = platform::output_of(&stdout);
    let rest = platform::output_of(&stdout);
    let from = match polled {
        Some(file) => Source::Polled(file),
        None => Source::Plain(stdout),
    };
    let running = Running { child, program: program.clone(), words, rest, reported: None };
    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
    let mut reader = Reader { first: Cursor::default(), from, slot };
    let first = reader.beginning();
    let mut guard = slot.lock().unwrap_or_else(PoisonError::into_inner);
    let running = guard.as_mut();
    if stop().is_set() || Format::of(&first).is_some() {
        reader.first = Cursor::new(first);
        return Ok(reader);
    }
    let Some(running) = running else { return Err(Failed::Other("the capture program has ended".into())) };
    // Output in a wrong format needs no wait for error messages.
    if first.len() >= 4 {
        running.kill();
        *guard = None;
        return Err(Failed::Other("its output is neither pcap nor pcapng".into()));
    }
    let (stderr, how) = (running.stderr(), running.how());
    let reason = words::reason(&stderr, program);
    running.kill();
    *guard = None;
    if words::denied(&stderr) {
        return Err(Failed::Denied(reason));
    }
    Err(Failed::Other(if reason.is_empty() { format!("ended before it captured anything ({how})") } else { reason }))
}

impl Running {
    /// Asks the program to end, once.
    fn interrupt(&mut self) {
        if self.reported.is_none() {
            self.reported = Some(Instant::now());
            platform::interrupt(&mut self.child);
        }
    }

    /// Kills the program.
    pub fn kill(&mut self) {
        // Fails only if the program has already ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Returns its error messages after its end.
    fn stderr(&self) -> String {
        self.words.text(TO_SAY)
    }

    /// Describes how it ended.
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

    /// Ends the program, and discards its remaining output meanwhile, since the program could not end otherwise.
    /// Returns its error messages.
    pub fn end(mut self) -> (Program, String) {
        self.interrupt();
        let until = Instant::now() + TO_END;
        let mut block = [0; 64 << 10];
        while self.child.try_wait().is_ok_and(|ended| ended.is_none()) && Instant::now() < until {
            let open = self.rest.as_mut().filter(|rest| platform::wait(rest, false, LOOK_AGAIN) == Ready::Read);
            match open.map(|rest| rest.read(&mut block)) {
                Some(Ok(1..)) => {}
                // The program has closed its output, and ends.
                Some(Ok(0) | Err(_)) => self.rest = None,
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        }
        self.kill();
        let stderr = self.stderr();
        (self.program, stderr)
    }
}

enum Source {
    /// A source that supports waiting.
    Polled(File),
    /// A source that is read directly.
    Plain(ChildStdout),
}

/// The program's output. Its end is an error, unless the user asked for it.
pub struct Reader {
    /// The first bytes, which were read at the start.
    first: Cursor<Vec<u8>>,
    from: Source,
    slot: &'static Mutex<Option<Running>>,
}

impl Reader {
    /// Returns the first bytes, enough to recognise the format.
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

    /// Waits until a read returns. Returns false at the end of the capture.
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
                    running.interrupt();
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

    /// Handles the end of the output.
    fn over(&mut self) -> io::Result<usize> {
        if ASKED.get().is_some() {
            stop().set();
        }
        if stop().is_set() {
            return Ok(0);
        }
        let mut guard = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = guard.as_mut() else { return Ok(0) };
        let (stderr, how) = (running.stderr(), running.how());
        let reason = words::reason(&stderr, &running.program);
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
