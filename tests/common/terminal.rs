//! A terminal that a test holds: its size, its modes, and all that programs write to it.

use super::{self as common, HANG};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, Winsize, tcgetattr, tcsetattr, tcsetwinsize};
use std::fs::File;
use std::io::{Read, Write};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

/// Runs the program, and waits for a line before it ends with its status. When the leader of a session ends, the kernel
/// drops the output that nobody has read yet.
pub const LEADER: &str = "trap : TERM HUP; \"$@\"; status=$?; read -r line; exit $status";

/// A terminal with its screen.
pub struct Terminal {
    master: File,
    name: String,
    pub screen: vt100::Parser,
    /// All that was read.
    pub raw: Vec<u8>,
}

impl Terminal {
    pub fn new(columns: u16, rows: u16) -> Terminal {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        // The programs have one side only: it is the other one whose end they notice.
        fcntl_setfd(&master, FdFlags::CLOEXEC).expect("set");
        grantpt(&master).expect("granted");
        unlockpt(&master).expect("unlocked");
        let name = ptsname(&master, Vec::new()).expect("a name").into_string().expect("UTF-8");
        let screen = vt100::Parser::new(cells(rows), cells(columns), 0);
        let mut terminal = Terminal { master: master.into(), name, screen, raw: Vec::new() };
        terminal.resize(columns, rows);
        terminal
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.master, size).expect("a size");
        self.screen.screen_mut().set_size(cells(rows), cells(columns));
    }

    /// The side that programs have.
    pub fn open(&self) -> File {
        File::options().read(true).write(true).open(&self.name).expect("the terminal")
    }

    /// A program that has this terminal as its controlling terminal and all its streams, with nothing in its
    /// environment of the person who runs the tests.
    fn program(&self, program: &Command, before: &[&str]) -> Command {
        let mut command = Command::new("setsid");
        command.arg("--ctty").args(before).arg(program.get_program()).args(program.get_args());
        command.current_dir(common::root()).env("TERM", "xterm");
        for name in ["COLUMNS", "LINES", "NO_COLOR", "NETKIT_PAGER", "PAGER", "LESS"] {
            command.env_remove(name);
        }
        command.stdin(self.open()).stdout(self.open()).stderr(self.open());
        command
    }

    /// netkit as the leader of the terminal's session.
    pub fn netkit(&self, args: &[&str]) -> Command {
        self.program(common::program().args(args), &[])
    }

    /// Starts netkit below a shell, so that all of its output can be read after it: see [`Terminal::ended`].
    pub fn start(&self, args: &[&str], environment: &[(&str, &str)]) -> Child {
        self.start_below(LEADER, common::program().args(args), environment)
    }

    /// Starts a program below a shell with this script, to which the program and its arguments are `"$@"`.
    pub fn start_below(&self, script: &str, program: &Command, environment: &[(&str, &str)]) -> Child {
        let mut command = self.program(program, &["sh", "-c", script, "sh"]);
        command.envs(environment.iter().copied()).spawn().expect("a program")
    }

    /// Starts a proxy that shows its traffic here; returns its address, too.
    pub fn proxy(&mut self, target: &str, args: &[&str]) -> (Child, String) {
        let child = self.start(&[&["proxy", "127.0.0.1:0", target, "--view"], args].concat(), &[]);
        let to = format!(" to {target}");
        self.shows(&to);
        self.shows("0 messages");
        let text = self.text();
        let before = text.split(&to).next().expect("an address");
        (child, before.split_whitespace().next_back().expect("an address").into())
    }

    pub fn modes(&self) -> String {
        format!("{:?}", tcgetattr(self.open()).expect("modes").local_modes)
    }

    /// The text on the screen.
    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Leaves what nobody has read yet where it is when Ctrl-C is pressed: the kernel would drop it.
    pub fn keeps_output(&self) {
        let slave = self.open();
        let mut modes = tcgetattr(&slave).expect("modes");
        modes.local_modes |= LocalModes::NOFLSH;
        tcsetattr(&slave, OptionalActions::Now, &modes).expect("set");
    }

    /// All text that was read.
    pub fn written(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Reads until this is so.
    pub fn until(&mut self, what: &str, is: impl Fn(&Terminal) -> bool) {
        let start = Instant::now();
        while !is(self) {
            assert!(start.elapsed() < HANG, "no {what:?} in\n{}", self.text());
            self.read_within(1);
        }
    }

    /// Reads once if there is something within these seconds.
    fn read_within(&mut self, seconds: i64) -> bool {
        let mut ready = [PollFd::new(&self.master, PollFlags::IN)];
        let _ = poll(&mut ready, Some(&Timespec { tv_sec: seconds, tv_nsec: 0 }));
        !ready[0].revents().is_empty() && self.read()
    }

    /// Reads until the screen shows this.
    pub fn shows(&mut self, what: &str) {
        self.until(what, |terminal| terminal.text().contains(what));
    }

    /// Reads until this was written.
    pub fn writes(&mut self, what: &str) {
        self.until(what, |terminal| terminal.raw.windows(what.len()).any(|part| part == what.as_bytes()));
    }

    /// Reads until no program has this terminal any more.
    pub fn rest(&mut self) -> String {
        while self.read() {}
        self.written()
    }

    /// Reads once. Linux reports the end as an error.
    fn read(&mut self) -> bool {
        let mut bytes = [0; 4096];
        let read = self.master.read(&mut bytes).unwrap_or(0);
        self.screen.process(&bytes[..read]);
        self.raw.extend_from_slice(&bytes[..read]);
        read > 0
    }

    /// The status of the program, after it has left the alternate screen. What it prints until then is read.
    pub fn ended(&mut self, mut child: Child) -> Option<i32> {
        self.until("the end", |terminal| !terminal.screen.screen().alternate_screen());
        // A line that is typed before the program has given the modes back is dropped with them.
        let mut asked = 0;
        common::until("it ends", || {
            if asked % 50 == 0 {
                self.keys("\n");
            }
            asked += 1;
            // Not all of an endless flood.
            for _ in 0..64 {
                if !self.read_within(0) {
                    break;
                }
            }
            child.try_wait().expect("a child").is_some()
        });
        child.wait().expect("a child").code()
    }

    pub fn keys(&mut self, keys: &str) {
        self.master.write_all(keys.as_bytes()).expect("keys");
    }
}

fn cells(count: u16) -> NonZero<u16> {
    NonZero::new(count).expect("some")
}

/// Whether there is no `setsid`, which gives a program its terminal.
pub fn no_setsid() -> bool {
    let missing = Command::new("setsid").arg("--version").stdout(Stdio::null()).status().is_err();
    if missing {
        println!("SKIPPED: no setsid");
    }
    missing
}
