//! Compares the proxy with a plain relay: two threads and two sockets, the least that a relay in safe Rust can be. It
//! measures what a user gets, the program as a process: datagrams a second, and added delay; for delays, the client is
//! another process, too.
//!
//! `cargo bench --bench relay` runs on loopback, a few seconds each. `cargo bench --bench relay -- delays` measures the
//! delays alone. `tests/proxy/timing.rs`, which needs no idle machine, tests how much processor time the proxy uses
//! while waiting; the unit test `live::proxy::tests::shares::counts` counts losses, bursts, duplicates and reordered
//! datagrams: it is a step of CI. With `NETKIT_MEASURE=1` the promises have to hold: within 1.5 times of the plain
//! relay, an added delay below 0.2 ms (p99), a delay right within 1 ms (p99).

mod echo;

use echo::{ECHOES, Echo, client, echoes};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The number of datagrams under way at once when throughput is counted.
const WINDOW: u32 = 64;
const COUNTED: u32 = 100_000;

/// The program or a plain relay between a client and an echo server.
struct Between {
    at: SocketAddr,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    program: Option<Child>,
}

impl Between {
    /// The program, with options of the direction to the server.
    fn proxy(target: SocketAddr, up: &[&str]) -> Between {
        let mut program = Command::new(env!("CARGO_BIN_EXE_netkit"))
            .args(["proxy", "127.0.0.1:0", &target.to_string(), "--transport", "udp", "-f", "none"])
            .args(up)
            .stderr(Stdio::piped())
            .spawn()
            .expect("netkit runs");
        let mut reported = String::new();
        let stderr = program.stderr.take().expect("stderr");
        BufReader::new(stderr).read_line(&mut reported).expect("a line");
        let at = reported.split(' ').find(|word| word.starts_with("127.0.0.1:")).expect("where it listens");
        let at = at.trim().parse().expect("an address");
        Between { at, stop: Arc::default(), threads: Vec::new(), program: Some(program) }
    }

    /// A plain relay for one client.
    fn plain(target: SocketAddr) -> Between {
        let listen = UdpSocket::bind("127.0.0.1:0").expect("bound");
        let server = UdpSocket::bind("127.0.0.1:0").expect("bound");
        server.connect(target).expect("connected");
        let (at, stop) = (listen.local_addr().expect("an address"), Arc::<AtomicBool>::default());
        for socket in [&listen, &server] {
            socket.set_read_timeout(Some(Duration::from_millis(50))).expect("set");
        }
        let (up, down) = (server.try_clone().expect("cloned"), listen.try_clone().expect("cloned"));
        let client = Arc::new(std::sync::OnceLock::<SocketAddr>::new());
        let (known, ours, other) = (Arc::clone(&client), Arc::clone(&stop), Arc::clone(&stop));
        let there = std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            while !ours.load(Ordering::Relaxed) {
                if let Ok((length, from)) = listen.recv_from(&mut buffer) {
                    known.get_or_init(|| from);
                    let _ = up.send(&buffer[..length]);
                }
            }
        });
        let back = std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            while !other.load(Ordering::Relaxed) {
                if let (Ok(length), Some(client)) = (server.recv(&mut buffer), client.get()) {
                    let _ = down.send_to(&buffer[..length], client);
                }
            }
        });
        Between { at, stop, threads: vec![there, back], program: None }
    }

    fn end(self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            thread.join().expect("ended");
        }
        if let Some(mut program) = self.program {
            program.kill().and_then(|()| program.wait()).expect("it ends");
        }
    }
}

fn percentile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share) as usize]
}

/// Datagrams that make the round trip in a second.
fn passing(at: SocketAddr) -> f64 {
    let (socket, mut bytes) = (client(at), [7; 100]);
    for _ in 0..WINDOW {
        socket.send(&bytes).expect("sent");
    }
    let (begin, mut arrived) = (Instant::now(), 0);
    while arrived < COUNTED {
        match socket.recv(&mut bytes) {
            Ok(_) => arrived += 1,
            Err(error) => panic!("behind {arrived}: {error}"),
        }
        socket.send(&bytes).expect("sent");
    }
    f64::from(arrived) / begin.elapsed().as_secs_f64()
}

/// One at a time: the round-trip times in milliseconds, ascending.
fn trips(at: SocketAddr, count: u32) -> Vec<f64> {
    let (socket, mut buffer) = (client(at), [0; 100]);
    let mut all: Vec<f64> = (0..count)
        .map(|_| {
            let begin = Instant::now();
            socket.send(&buffer).expect("sent");
            socket.recv(&mut buffer).expect("an echo");
            begin.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    all.sort_by(f64::total_cmp);
    all
}

/// The differences between the measured delays and the requested delay, in milliseconds, ascending.
fn errors(at: SocketAddr, delay: Duration) -> Vec<f64> {
    let arrived = echoes(at, ECHOES, Duration::from_micros(200));
    let want = delay.as_secs_f64() * 1e3;
    let mut off: Vec<f64> = arrived.iter().flatten().map(|trip| (trip - want).abs()).collect();
    off.sort_by(f64::total_cmp);
    off
}

/// The program relays to this server, and another process is its client: the figures that the client measured.
fn as_a_user(server: SocketAddr, delay: Duration) -> [f64; 3] {
    let between = Between::proxy(server, &["--up", "--delay", &format!("{}ms", delay.as_millis())]);
    let client = Command::new(std::env::current_exe().expect("this program"))
        .args(["--client", &between.at.to_string(), &delay.as_millis().to_string()])
        .output()
        .expect("the client runs");
    between.end();
    let text = String::from_utf8(client.stdout).expect("text");
    let mut figures = text.split_whitespace().map(|figure| figure.parse().expect("a figure"));
    std::array::from_fn(|_| figures.next().expect("three figures"))
}

/// Measures throughput and added delay.
fn passed_on(echo: &Echo, hold: &mut dyn FnMut(&str, bool, String)) {
    // The two alternate, so that a busy machine slows both; the median of five counts.
    let mut rates: Vec<[f64; 2]> = (0..5)
        .map(|_| {
            let one = |between: Between| {
                let rate = passing(between.at);
                between.end();
                rate
            };
            [one(Between::plain(echo.at)), one(Between::proxy(echo.at, &[]))]
        })
        .collect();
    rates.sort_by(|a, b| (a[0] / a[1]).total_cmp(&(b[0] / b[1])));
    let [plain, proxy] = rates[2];
    let text = format!("plain {plain:.0}, proxy {proxy:.0} there and back: {:.2} times", plain / proxy);
    hold("datagrams a second", plain / proxy <= 1.5, text);
    let bare = trips(echo.at, ECHOES);
    let between = Between::proxy(echo.at, &[]);
    let through = trips(between.at, ECHOES);
    between.end();
    let added = percentile(&through, 0.99) - percentile(&bare, 0.99);
    let text = format!(
        "bare {:.3} ms, through {:.3} ms: {added:.3} ms (p50 {:.3} ms)",
        percentile(&bare, 0.99),
        percentile(&through, 0.99),
        percentile(&through, 0.5) - percentile(&bare, 0.5)
    );
    hold("added delay, p99", added < 0.2, text);
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--client") {
        let delay = Duration::from_millis(args[at + 2].parse().expect("milliseconds"));
        let off = errors(args[at + 1].parse().expect("an address"), delay);
        println!("{} {} {}", percentile(&off, 0.5), percentile(&off, 0.99), off.len());
        return;
    }
    let all = !args.iter().any(|arg| arg == "delays");
    let strict = std::env::var_os("NETKIT_MEASURE").is_some();
    let mut broken = Vec::new();
    let mut hold = |name: &str, holds: bool, text: String| {
        println!("{name:34} {text}{}", if holds { "" } else { "   NOT AS PROMISED" });
        if !holds {
            broken.push(name.to_string());
        }
    };
    let echo = Echo::new();
    if all {
        passed_on(&echo, &mut hold);
    }
    for ms in [20, 60] {
        let [p50, p99, arrived] = as_a_user(echo.at, Duration::from_millis(ms));
        let text = format!("off by {p50:.3} ms (p50), {p99:.3} ms (p99), {arrived} arrived");
        hold(&format!("delay {ms} ms, as a user sees it"), p99 < 1.0 && arrived == f64::from(ECHOES), text);
    }
    if strict && !broken.is_empty() {
        eprintln!("not as promised: {}", broken.join(", "));
        std::process::exit(1);
    }
}
