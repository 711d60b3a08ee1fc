//! Compares the proxy with a plain relay: two threads and two sockets, the least that a relay in safe Rust can be. It
//! measures datagrams a second and added delay, then 20,000 echoes through impairments.
//!
//! `cargo bench --bench relay` runs on loopback, a few seconds each. `cargo bench --bench relay -- delays` measures the
//! delays alone. `cargo test --bench relay -- counts` counts and measures no time: it is a step of CI. The last lines
//! show what a user gets: the program as a process, and a client in another one. `tests/proxy/timing.rs`, which needs
//! no idle machine, tests how much processor time the proxy uses while waiting. With `NETKIT_MEASURE=1` the promises
//! have to hold: within 1.5 times of the plain relay, an added delay below 0.2 ms (p99), loss within three sigma,
//! bursts within 5 %, a delay right within 1 ms (p99).

use netkit::live::net::CancelToken;
use netkit::live::proxy::Impairments;
use netkit::live::proxy::relay::{Config, Counts, Passed, Relay, RelayOutput, Topic};
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, UdpSocket};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const ECHOES: u32 = 20_000;
/// The number of datagrams under way at once when throughput is counted.
const WINDOW: u32 = 64;
const COUNTED: u32 = 100_000;

struct Silent;

impl RelayOutput for Silent {
    fn passed(&mut self, _: Passed<'_>) {}

    fn note(&mut self, _: Topic, text: String) {
        eprintln!("{text}");
    }
}

/// A proxy or relay between a client and an echo server.
struct Between {
    at: SocketAddr,
    stop: CancelToken,
    threads: Vec<JoinHandle<Option<Counts>>>,
}

impl Between {
    fn proxy(target: SocketAddr, impairments: Impairments) -> Between {
        let config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            target,
            udp: true,
            tcp: false,
            impairments: [impairments, Impairments::default()],
            profile: None,
            seed: 7,
            clients: 1000,
            queue: 64 << 20,
            idle: Duration::from_secs(60),
        };
        let mut relay = Relay::bind(config).expect("bound");
        let (at, stop) = (relay.local(), CancelToken::default());
        let ours = stop.clone();
        let threads = vec![std::thread::spawn(move || Some(relay.run(&ours, None, &mut Silent).expect("run")))];
        Between { at, stop, threads }
    }

    /// A plain relay for one client.
    fn plain(target: SocketAddr) -> Between {
        let listen = UdpSocket::bind("127.0.0.1:0").expect("bound");
        let server = UdpSocket::bind("127.0.0.1:0").expect("bound");
        server.connect(target).expect("connected");
        let (at, stop) = (listen.local_addr().expect("an address"), CancelToken::default());
        for socket in [&listen, &server] {
            socket.set_read_timeout(Some(Duration::from_millis(50))).expect("set");
        }
        let (up, down) = (server.try_clone().expect("cloned"), listen.try_clone().expect("cloned"));
        let client = Arc::new(std::sync::OnceLock::<SocketAddr>::new());
        let (known, ours, other) = (Arc::clone(&client), stop.clone(), stop.clone());
        let there = std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            while !ours.is_set() {
                if let Ok((length, from)) = listen.recv_from(&mut buffer) {
                    known.get_or_init(|| from);
                    let _ = up.send(&buffer[..length]);
                }
            }
            None
        });
        let back = std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            while !other.is_set() {
                if let (Ok(length), Some(client)) = (server.recv(&mut buffer), client.get()) {
                    let _ = down.send_to(&buffer[..length], client);
                }
            }
            None
        });
        Between { at, stop, threads: vec![there, back] }
    }

    fn end(self) -> Option<Counts> {
        self.stop.set();
        self.threads.into_iter().filter_map(|thread| thread.join().expect("ended")).last()
    }
}

/// A server that returns every datagram.
struct Echo {
    at: SocketAddr,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Echo {
    fn new() -> Echo {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("bound");
        let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(4 << 20);
        socket.set_read_timeout(Some(Duration::from_millis(50))).expect("set");
        let (at, end) = (socket.local_addr().expect("an address"), Arc::new(AtomicBool::new(false)));
        let over = Arc::clone(&end);
        let thread = std::thread::spawn(move || {
            let mut buffer = [0; 2048];
            while !over.load(Ordering::Relaxed) {
                if let Ok((length, from)) = socket.recv_from(&mut buffer) {
                    let _ = socket.send_to(&buffer[..length], from);
                }
            }
        });
        Echo { at, end, thread: Some(thread) }
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        self.thread.take().map(JoinHandle::join);
    }
}

fn client(at: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("bound");
    let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(4 << 20);
    socket.set_read_timeout(Some(Duration::from_millis(500))).expect("set");
    socket.connect(at).expect("connected");
    socket
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

/// Numbered datagrams at a fixed pace: the round-trip time of each, or `None` if it was lost.
fn echoes(at: SocketAddr, count: u32, pace: Duration) -> Vec<Option<f64>> {
    let socket = client(at);
    let receiver = socket.try_clone().expect("cloned");
    let begin = Instant::now();
    let thread = std::thread::spawn(move || {
        let (mut all, mut buffer) = (vec![None; count as usize], [0; 100]);
        while let Ok(length) = receiver.recv(&mut buffer) {
            let now = begin.elapsed().as_secs_f64() * 1e3;
            if let (12, Some(bytes)) = (length, buffer.first_chunk::<12>()) {
                let number = u32::from_be_bytes(*bytes.first_chunk().expect("four"));
                let sent = f64::from_be_bytes(*bytes.last_chunk().expect("eight"));
                all[number as usize] = Some(now - sent);
            }
        }
        all
    });
    for number in 0..count {
        let due = pace * number;
        while begin.elapsed() < due {
            std::thread::sleep((due - begin.elapsed().min(due)).min(Duration::from_micros(200)));
        }
        let sent = begin.elapsed().as_secs_f64() * 1e3;
        socket.send(&[&number.to_be_bytes()[..], &sent.to_be_bytes()].concat()).expect("sent");
    }
    thread.join().expect("received")
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
    let mut proxy = Command::new(env!("CARGO_BIN_EXE_netkit"))
        .args(["proxy", "127.0.0.1:0", &server.to_string(), "--transport", "udp", "-f", "none"])
        .args(["--up", "--delay", &format!("{}ms", delay.as_millis())])
        .stderr(Stdio::piped())
        .spawn()
        .expect("netkit runs");
    let mut reported = String::new();
    let stderr = proxy.stderr.take().expect("stderr");
    BufReader::new(stderr).read_line(&mut reported).expect("a line");
    let at = reported.split(' ').find(|word| word.starts_with("127.0.0.1:")).expect("where it listens");
    let client = Command::new(std::env::current_exe().expect("this program"))
        .args(["--client", at, &delay.as_millis().to_string()])
        .output()
        .expect("the client runs");
    proxy.kill().and_then(|()| proxy.wait()).expect("it ends");
    let text = String::from_utf8(client.stdout).expect("text");
    let mut figures = text.split_whitespace().map(|figure| figure.parse().expect("a figure"));
    std::array::from_fn(|_| figures.next().expect("three figures"))
}

/// Measures throughput, added delay and loss.
fn passed_on(echo: &Echo, hold: &mut dyn FnMut(&str, bool, String)) {
    // The two alternate, so that a busy machine slows both; the median of five counts.
    let mut rates: Vec<[f64; 2]> = (0..5)
        .map(|_| {
            let one = |between: Between| {
                let rate = passing(between.at);
                between.end();
                rate
            };
            [one(Between::plain(echo.at)), one(Between::proxy(echo.at, Impairments::default()))]
        })
        .collect();
    rates.sort_by(|a, b| (a[0] / a[1]).total_cmp(&(b[0] / b[1])));
    let [plain, proxy] = rates[2];
    let text = format!("plain {plain:.0}, proxy {proxy:.0} there and back: {:.2} times", plain / proxy);
    hold("datagrams a second", plain / proxy <= 1.5, text);
    let bare = trips(echo.at, ECHOES);
    let between = Between::proxy(echo.at, Impairments::default());
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

/// Checks loss, burst length, duplicates and reordering: shares, not times. With `times` the client, too, must miss
/// exactly the lost datagrams.
fn shares(echo: &Echo, times: bool, hold: &mut dyn FnMut(&str, bool, String)) {
    for (loss, share, row) in [("2%", 0.02, None), ("10%", 0.1, None), ("5%/4", 0.05, Some(4.0f64))] {
        let impairments = Impairments { loss: Some(loss.parse().expect("loss")), ..Impairments::default() };
        let between = Between::proxy(echo.at, impairments);
        let arrived = echoes(between.at, ECHOES, Duration::from_micros(100));
        let counts = between.end().expect("counts").directions[0];
        let missing = arrived.iter().filter(|trip| trip.is_none()).count() as u64;
        let (n, lost) = (counts.arrived as f64, counts.lost as f64);
        // Bursts widen the spread of the count, because one loss brings others with it.
        let sigma = (n * share * (1.0 - share) * row.map_or(1.0, |row| 2.0 * row - 1.0)).sqrt();
        let off = (lost - n * share) / sigma;
        let holds = off.abs() <= 3.0 && n > 0.0 && (!times || missing == counts.lost);
        hold(&format!("loss {loss}"), holds, format!("{lost} of {n}: {off:+.2} sigma"));
        if let Some(row) = row {
            let mean = lost / counts.runs as f64;
            // The length of a burst has a variance of row * (row - 1); there are some 250 bursts.
            let sigma = (row * (row - 1.0) / (lost / row)).sqrt();
            hold(&format!("rows of {loss}"), (mean - row).abs() <= 3.0 * sigma, format!("{mean:.2} on average"));
        }
    }
    let impairments = Impairments { duplicate: 0.1, reorder: 0.2, ..Impairments::default() };
    let between = Between::proxy(echo.at, impairments);
    echoes(between.at, ECHOES, Duration::from_micros(100));
    let counts = between.end().expect("counts").directions[0];
    // If two datagrams in a row are chosen, only the first is swapped: p (1 - p) + p² (1 - p) ..
    for (name, count, share) in [("copies", counts.copies, 0.1), ("out of order", counts.reordered, 0.2 / 1.2)] {
        let n = counts.arrived as f64;
        let off = (count as f64 - n * share) / (n * share * (1.0 - share)).sqrt();
        hold(name, off.abs() <= 3.0 && n > 0.0, format!("{count} of {n}: {off:+.2} sigma"));
    }
    hold("all are sent", counts.passed == counts.arrived + counts.copies, format!("{} sent", counts.passed));
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--client") {
        let delay = Duration::from_millis(args[at + 2].parse().expect("milliseconds"));
        let off = errors(args[at + 1].parse().expect("an address"), delay);
        println!("{} {} {}", percentile(&off, 0.5), percentile(&off, 0.99), off.len());
        return;
    }
    let counts = args.iter().any(|arg| arg == "counts");
    let all = !args.iter().any(|arg| arg == "delays");
    let strict = counts || std::env::var_os("NETKIT_MEASURE").is_some();
    let mut broken = Vec::new();
    let mut hold = |name: &str, holds: bool, text: String| {
        println!("{name:34} {text}{}", if holds { "" } else { "   NOT AS PROMISED" });
        if !holds {
            broken.push(name.to_string());
        }
    };
    let echo = Echo::new();
    if all && !counts {
        passed_on(&echo, &mut hold);
    }
    if all {
        shares(&echo, !counts, &mut hold);
    }
    for ms in if counts { [].as_slice() } else { &[20, 60] }.iter().copied() {
        let delay = Duration::from_millis(ms);
        let between = Between::proxy(echo.at, Impairments { delay, ..Impairments::default() });
        let off = errors(between.at, delay);
        between.end();
        let (p50, p99) = (percentile(&off, 0.5), percentile(&off, 0.99));
        let text = format!("off by {p50:.3} ms (p50), {p99:.3} ms (p99), {} arrived", off.len());
        hold(&format!("delay {ms} ms"), p99 < 1.0 && off.len() == ECHOES as usize, text);
    }
    for ms in if counts { [].as_slice() } else { &[20, 60] }.iter().copied() {
        let [p50, p99, arrived] = as_a_user(echo.at, Duration::from_millis(ms));
        let text = format!("off by {p50:.3} ms (p50), {p99:.3} ms (p99), {arrived} arrived");
        hold(&format!("delay {ms} ms, as a user sees it"), p99 < 1.0 && arrived == f64::from(ECHOES), text);
    }
    if strict && !broken.is_empty() {
        eprintln!("not as promised: {}", broken.join(", "));
        std::process::exit(1);
    }
}
