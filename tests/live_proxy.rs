//! Real peers through a proxy: Riptide by pytide-networking (PyPI), nano by pinus (npm). As `live`,
//! ignored where nothing is installed; `.ci/run` runs them.

#[path = "live/server.rs"]
mod server;

use serde_json::Value;
use server::{Server, script};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, Command, Stdio};

struct Proxy {
    child: Child,
    said: BufReader<ChildStderr>,
    out: std::thread::JoinHandle<String>,
    at: String,
}

impl Proxy {
    #[allow(clippy::zombie_processes, reason = "it is waited for by Proxy::end")]
    fn start(target: &str, args: &[&str]) -> Proxy {
        let mut child = Command::new(env!("CARGO_BIN_EXE_netkit"))
            .args(["proxy", "127.0.0.1:0", target, "-f", "ndjson"])
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("netkit runs");
        let mut said = BufReader::new(child.stderr.take().expect("stderr"));
        let mut stdout = child.stdout.take().expect("stdout");
        // A full pipe would stop it.
        let out = std::thread::spawn(move || {
            let mut text = String::new();
            stdout.read_to_string(&mut text).expect("text");
            text
        });
        loop {
            let mut line = String::new();
            assert!(said.read_line(&mut line).expect("a line") > 0, "it has ended");
            if let Some(at) = line.split(' ').skip_while(|word| *word != "relaying").find(|word| word.contains(':')) {
                return Proxy { at: at.into(), child, said, out };
            }
        }
    }

    /// Ctrl-C: the lines, and what it told.
    fn end(mut self) -> (Vec<Value>, String) {
        assert!(Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().expect("kill").success());
        let mut told = String::new();
        self.said.read_to_string(&mut told).expect("text");
        assert_eq!(self.child.wait().expect("its end").code(), Some(0), "{told}");
        let out = self.out.join().expect("its output");
        println!("{told}");
        (out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect(), told)
    }
}

/// How many lines are of this message, way and fate.
fn count(lines: &[Value], message: &str, from: &str, fate: &str) -> usize {
    lines
        .iter()
        .filter(|l| l["message"] == message && l["from"] == from && (fate.is_empty() || l["fate"] == fate))
        .count()
}

fn riptide_client(proxy: &Proxy, transport: &str) -> String {
    let python = std::env::var_os("NETKIT_LIVE_PYTHON").expect("NETKIT_LIVE_PYTHON: an interpreter with pytide");
    let port = proxy.at.rsplit(':').next().expect("a port");
    let done = Command::new(python).arg("-u").arg(script("riptide_client.py")).args([transport, port]).output();
    String::from_utf8_lossy(&done.expect("the client runs").stdout).into_owned()
}

/// A whole session at 10 % loss each way and a delay: everything reliable comes all the same.
#[test]
#[ignore = "needs pytide-networking: .ci/run installs it"]
fn riptide_through_loss() {
    let server = Server::riptide("udp", "open");
    let args = ["-p", "riptide", "--delay", "20ms", "--jitter", "5ms", "--loss", "10%", "--seed", "5"];
    let proxy = Proxy::start(&server.target(), &args);
    let said = riptide_client(&proxy, "udp");
    let (lines, told) = proxy.end();
    assert!(said.contains("CONNECTED"), "{said} {told}");
    assert!(count(&lines, "reliable", "client", "passed") >= 1, "{told}");
    assert!(count(&lines, "ack", "server", "passed") >= 1, "{told}");
    let lost = lines.iter().filter(|line| line["fate"] == "lost").count();
    assert!(lost > 0, "{told}");
    // What was told at the end is what the lines say.
    let counted: usize = told
        .lines()
        .filter_map(|line| line.split(", ").find_map(|part| part.strip_suffix(" lost")?.parse::<usize>().ok()))
        .sum();
    assert_eq!(counted, lost, "{told}");
}

/// pinus over TCP and WebSocket, delayed: the probe finds it as it is, only later.
#[test]
#[ignore = "needs pinus: .ci/run installs it"]
fn nano_through_a_delay() {
    let server = Server::nano("dict");
    for scheme in ["", "ws://"] {
        let proxy = Proxy::start(&server.target(), &["-p", "nano", "--transport", "tcp", "--delay", "30ms"]);
        let path = if scheme.is_empty() { "" } else { "/" };
        let output = Command::new(env!("CARGO_BIN_EXE_netkit"))
            .args([
                "probe",
                &format!("{scheme}{}{path}", proxy.at),
                "-p",
                "nano",
                "-n",
                "3",
                "-i",
                "0.05",
                "-f",
                "json",
            ])
            .output()
            .expect("netkit runs");
        let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let (lines, told) = proxy.end();
        assert_eq!(all[0]["outcome"], "ok", "{} {told}", all[0]);
        assert!(count(&lines, "handshake", "server", "passed") >= 1, "{told}");
        let delayed = |line: &Value| line["delayed_ms"].as_f64().is_some_and(|ms| ms >= 30.0);
        assert!(lines.iter().all(delayed), "{lines:?}");
    }
}
