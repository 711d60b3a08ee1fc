//! Real servers for the live tests: pytide-networking for Riptide, pinus for nano.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A file beside this one.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live").join(name)
}

/// A server that ends with its test.
pub struct Server {
    child: Child,
    port: u16,
    ends: RefCell<(ChildStdin, Lines<BufReader<ChildStdout>>)>,
}

impl Server {
    /// Starts it, and waits for its address.
    fn start(command: &mut Command) -> Server {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let port = number(&mut lines, "PORT ").expect("the server says its port");
        let ends = RefCell::new((child.stdin.take().expect("its input"), lines));
        Server { child, port, ends }
    }

    /// Its number of clients, as it reports.
    pub fn clients(&self) -> u64 {
        let (ask, lines) = &mut *self.ends.borrow_mut();
        ask.write_all(b"\n").expect("the server lives");
        number(lines, "CLIENTS ").expect("the server says how many clients it has")
    }

    /// Waits for this number of clients, as long as a busy machine may take.
    pub fn awaits(&self, clients: u64) {
        let end = Instant::now() + Duration::from_secs(10);
        while self.clients() != clients {
            assert!(Instant::now() < end, "{} clients, not {clients}", self.clients());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Checks that the server has no client, by its own figures, and no socket that the other side has closed, by the
    /// system's. The last packets may still be under way, as long as a busy machine may take: who only becomes silent is
    /// counted all the time that the server lives.
    pub fn is_left(&self) {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let (clients, sockets) = (self.clients(), self.sockets());
            if clients == 0 && sockets.is_none_or(|sockets| sockets == 0) {
                return;
            }
            assert!(Instant::now() < end, "left behind: {clients} clients, {sockets:?} sockets");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The number of its TCP sockets, without the listening one and those that wait for the last packets, as Linux
    /// reports and `ss` prints.
    fn sockets(&self) -> Option<usize> {
        let tables = ["tcp", "tcp6"].map(|name| std::fs::read_to_string(format!("/proc/net/{name}")).ok());
        let place = format!(":{:04X}", self.port);
        // Neither listening (0A) nor waiting for the last packets (06).
        let open = |line: &&str| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            fields.get(1).is_some_and(|own| own.ends_with(&place)) && !matches!(fields.get(3), Some(&"0A" | &"06"))
        };
        let mut tables = tables.iter().flatten().peekable();
        tables.peek()?;
        Some(tables.map(|table| table.lines().filter(open).count()).sum())
    }

    /// pytide, in one of the modes of riptide_server.py.
    pub fn riptide(transport: &str, mode: &str) -> Server {
        let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
        Server::start(Command::new(python).arg("-u").arg(script("riptide_server.py")).args([transport, mode]))
    }

    /// pytide that echoes every message, and writes received messages into a file.
    pub fn riptide_echo(transport: &str, log: &Path) -> Server {
        let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
        let script = script("riptide_server.py");
        Server::start(Command::new(python).arg("-u").arg(script).args([transport, "echo"]).arg(log))
    }

    /// pinus, in one of the modes of nano_server.js.
    pub fn nano(mode: &str) -> Server {
        let folder = std::env::var_os("NETKIT_LIVE_NODE").expect("NETKIT_LIVE_NODE: a folder with node_modules");
        Server::start(Command::new("node").arg(script("nano_server.js")).arg(mode).current_dir(folder))
    }

    /// pinus that returns the content of each request, and writes it into a file.
    pub fn nano_echo(log: &Path) -> Server {
        let folder = std::env::var_os("NETKIT_LIVE_NODE").expect("NETKIT_LIVE_NODE: a folder with node_modules");
        Server::start(Command::new("node").arg(script("nano_server.js")).arg("echo").arg(log).current_dir(folder))
    }

    /// `HOST:PORT`.
    pub fn target(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

/// The number in the next line that begins like this.
fn number<T: std::str::FromStr>(lines: &mut Lines<BufReader<ChildStdout>>, begins: &str) -> Option<T> {
    lines.map_while(Result::ok).find_map(|line| line.strip_prefix(begins)?.trim().parse().ok())
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
