//! Real servers for the live tests: pytide-networking for Riptide, pinus for nano.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A file beside this one.
pub fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/live").join(name)
}

/// A server that ends with its test.
pub struct Server {
    child: Child,
    port: u16,
}

impl Server {
    /// Starts it, and waits until it says where it listens.
    fn start(command: &mut Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("the server starts");
        let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let port = lines
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("PORT ")?.trim().parse().ok())
            .expect("the server says its port");
        Server { child, port }
    }

    /// pytide, in one of the modes of riptide_server.py.
    pub fn riptide(transport: &str, mode: &str) -> Server {
        let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
        Server::start(Command::new(python).arg("-u").arg(script("riptide_server.py")).args([transport, mode]))
    }

    /// pytide that says everything back, and writes what it hears into a file.
    #[allow(dead_code, reason = "not every suite wants it")]
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

    /// `HOST:PORT`.
    pub fn target(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
