//! Scripted peers, with checks of all bytes that they receive.

use crate::common::Receive;
pub use crate::common::late::{ensure, unless_late};
pub use crate::common::{closed_tcp, closed_udp};
use netkit::dissect::Options;
use netkit::live::probe::{self, Report, Request, Shared};
use netkit::live::{CancelToken, Target};
use netkit::protocols;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub const V4: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
pub const V6: IpAddr = IpAddr::V6(Ipv6Addr::LOCALHOST);

/// The loopback addresses of this machine, one for each IP version.
pub fn loopbacks() -> Vec<IpAddr> {
    let has = |ip: &IpAddr| UdpSocket::bind((*ip, 0)).is_ok();
    let list: Vec<IpAddr> = [V4, V6].into_iter().filter(has).collect();
    if !list.contains(&V6) {
        println!("SKIPPED: over IPv6: no ::1");
    }
    list
}

/// Whatever runs longer than this hangs.
const HANG: Duration = Duration::from_secs(120);

pub const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// Bytes from hex with spaces.
pub fn hex(text: &str) -> Vec<u8> {
    hex::decode(text.replace([' ', '\n'], "")).expect("hex")
}

/// The bytes a peer received: datagrams, or whole streams.
pub type Log = Arc<Mutex<Vec<Vec<u8>>>>;

/// A scripted peer. When it is dropped, all received bytes are checked.
pub struct Peer {
    pub addr: SocketAddr,
    pub log: Log,
    /// The number of times it found no more bytes to read.
    idle: Arc<AtomicU64>,
    end: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    check: fn(&[u8]) -> Result<(), String>,
}

impl Peer {
    /// The bytes received so far, when no more arrive.
    pub fn sent(&self) -> Vec<Vec<u8>> {
        self.rest();
        self.log.lock().unwrap().clone()
    }

    /// Waits until the received bytes fulfil this.
    pub fn until(&self, is_so: impl Fn(&[Vec<u8>]) -> bool) {
        let begin = Instant::now();
        while !is_so(&self.log.lock().unwrap()) {
            assert!(begin.elapsed() < HANG, "it was not sent");
            std::thread::sleep(ms(1));
        }
    }

    /// Waits until it has read all bytes that are there. A peer that has failed reads no more.
    fn rest(&self) {
        // The look under way may have begun before the last bytes arrived.
        let (seen, begin) = (self.idle.load(Ordering::SeqCst), Instant::now());
        let failed = || self.thread.as_ref().is_none_or(JoinHandle::is_finished);
        while self.idle.load(Ordering::SeqCst) < seen + 2 && !failed() {
            assert!(begin.elapsed() < HANG, "the peer reads on and on");
            std::thread::sleep(ms(1));
        }
    }

    pub fn count(&self, what: &[u8]) -> usize {
        self.sent().iter().filter(|bytes| *bytes == what).count()
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.rest();
        }
        self.end.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        if std::thread::panicking() {
            return;
        }
        assert!(ended.is_none_or(|e| e.is_ok()), "the peer failed");
        for bytes in self.log.lock().unwrap().iter() {
            if let Err(why) = (self.check)(bytes) {
                panic!("sent {}: {why}", hex::encode(bytes));
            }
        }
    }
}

/// An answer and its delay; `stray`: from another address.
#[derive(Clone, Debug, Default)]
pub struct Say {
    pub after: Duration,
    pub bytes: Vec<u8>,
    pub stray: bool,
}

pub fn say(text: &str) -> Vec<Say> {
    vec![Say { bytes: hex(text), ..Say::default() }]
}

/// Repeats these answers.
pub fn times(answers: Vec<Say>, count: usize) -> Vec<Say> {
    std::iter::repeat_n(answers, count).flatten().collect()
}

/// A loopback address that no other peer and no client has, where the system has several: peers check all that they
/// receive, and a late datagram of another test would reach whoever gets its port next.
fn own_address(ip: IpAddr) -> IpAddr {
    static NEXT: AtomicU16 = AtomicU16::new(1);
    let [high, low] = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    let own = IpAddr::V4(Ipv4Addr::new(127, 84, high, low));
    if ip == V4 && UdpSocket::bind((own, 0)).is_ok() { own } else { ip }
}

/// A UDP peer that answers each datagram by its script.
pub fn udp(
    ip: IpAddr,
    check: fn(&[u8]) -> Result<(), String>,
    mut script: impl FnMut(&[u8]) -> Vec<Say> + Send + 'static,
) -> Peer {
    let socket = UdpSocket::bind((own_address(ip), 0)).unwrap();
    let stray = UdpSocket::bind((socket.local_addr().unwrap().ip(), 0)).unwrap();
    socket.set_read_timeout(Some(ms(10))).unwrap();
    let addr = socket.local_addr().unwrap();
    let (log, end): (Log, _) = (Log::default(), Arc::new(AtomicBool::new(false)));
    let (kept, stop) = (log.clone(), end.clone());
    let idle: Arc<AtomicU64> = Arc::default();
    let found_nothing = idle.clone();
    let thread = std::thread::spawn(move || {
        let mut buffer = vec![0; 65536];
        while !stop.load(Ordering::Relaxed) {
            let Ok((length, from)) = socket.receive_from(&mut buffer) else {
                found_nothing.fetch_add(1, Ordering::SeqCst);
                continue;
            };
            kept.lock().unwrap().push(buffer[..length].to_vec());
            for answer in script(&buffer[..length]) {
                std::thread::sleep(answer.after);
                let out = if answer.stray { &stray } else { &socket };
                let _ = out.send_to(&answer.bytes, from);
            }
        }
    });
    Peer { addr, log, idle, end, thread: Some(thread), check }
}

/// A TCP peer's connection.
pub struct Conn {
    pub stream: TcpStream,
    pub number: usize,
    log: Log,
    idle: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Conn {
    /// Reads until there are `count` new bytes; fewer if the client ends the stream.
    pub fn read(&mut self, count: usize) -> Vec<u8> {
        let mut got = Vec::new();
        let until = Instant::now() + Duration::from_secs(30);
        while got.len() < count && !self.stop.load(Ordering::Relaxed) && Instant::now() < until {
            let mut buffer = vec![0; count - got.len()];
            match self.stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    got.extend_from_slice(&buffer[..n]);
                    self.log.lock().unwrap()[self.number].extend_from_slice(&buffer[..n]);
                }
                Err(e) if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                    self.idle.fetch_add(1, Ordering::SeqCst);
                }
                Err(_) => break,
            }
        }
        got
    }

    pub fn write(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes);
    }

    /// Reads until the client ends its direction. Returns `false` if it never does.
    pub fn drain(&mut self) -> bool {
        while !self.read(1).is_empty() {}
        matches!(self.stream.read(&mut [0]), Ok(0))
    }
}

/// A TCP peer that runs its script with each connection, one after the other.
pub fn tcp(check: fn(&[u8]) -> Result<(), String>, mut script: impl FnMut(&mut Conn) + Send + 'static) -> Peer {
    let listener = TcpListener::bind((V4, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let addr = listener.local_addr().unwrap();
    let (log, end): (Log, _) = (Log::default(), Arc::new(AtomicBool::new(false)));
    let (kept, stop) = (log.clone(), end.clone());
    let idle: Arc<AtomicU64> = Arc::default();
    let found_nothing = idle.clone();
    let thread = std::thread::spawn(move || {
        while !stop.load(Ordering::Relaxed) {
            let Ok((stream, _)) = listener.accept() else {
                found_nothing.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(ms(2));
                continue;
            };
            stream.set_nonblocking(false).unwrap();
            stream.set_nodelay(true).unwrap();
            stream.set_read_timeout(Some(ms(10))).unwrap();
            let number = kept.lock().unwrap().len();
            kept.lock().unwrap().push(Vec::new());
            let idle = found_nothing.clone();
            script(&mut Conn { stream, number, log: kept.clone(), idle, stop: stop.clone() });
        }
    });
    Peer { addr, log, idle, end, thread: Some(thread), check }
}

/// A request to a peer that answers, which ends a wait at once: the peer of a busy machine has time.
pub fn request(proto: &str, settings: &[&str]) -> Request {
    let mut options = Options { proto: (!proto.is_empty()).then(|| proto.into()), ..netkit::protocols::options() };
    settings.iter().for_each(|text| options.set(text).unwrap());
    Request {
        clients: netkit::protocols::clients(),
        proto: protocols::by_name(proto),
        carrier: None,
        options,
        samples: 3,
        interval: ms(20),
        timeout: Some(ms(10_000)),
        connect: false,
        create: None,
        name: "netkit".into(),
        data: None,
        max_time: None,
        rounds: false,
    }
}

/// A request to a peer whose answer is waited for in vain.
pub fn brief(proto: &str, settings: &[&str]) -> Request {
    Request { timeout: Some(ms(300)), ..request(proto, settings) }
}

/// Runs a case that waits for its timeout though something is answered, with a short one first. On a machine so busy
/// that the answer takes longer, it runs again with the next one.
#[track_caller]
pub fn patiently(case: impl FnMut(Duration) -> Result<(), String>) {
    // No probe gives up an answer sooner than that, whatever the timeout.
    unless_late(ms(100), [200, 1_000, 3_000, 10_000].map(ms), case);
}

/// Runs a probe.
pub fn ask(request: &Request, target: &str) -> Report {
    ask_until(request, target, &CancelToken::default())
}

pub fn ask_until(request: &Request, target: &str, stop: &CancelToken) -> Report {
    let target: Target = target.parse().unwrap();
    let shared = Shared { recorder: None, stop, flows: &AtomicU64::new(0), memory: &Default::default() };
    probe::run(request, &target, &shared, None, &|_| ())
}

/// Interrupts a probe as soon as the peer has received this.
pub fn interrupted(request: &Request, peer: &Peer, sent: impl Fn(&[Vec<u8>]) -> bool + Send) -> Report {
    let stop = CancelToken::default();
    let begin = Instant::now();
    std::thread::scope(|scope| {
        let (later, log) = (stop.clone(), peer.log.clone());
        scope.spawn(move || {
            while !sent(&log.lock().unwrap()) && begin.elapsed() < HANG {
                std::thread::sleep(ms(1));
            }
            later.set();
        });
        ask_until(request, &peer.addr.to_string(), &stop)
    })
}

pub fn outcome(report: &Report) -> &'static str {
    report.outcome.name()
}

pub fn detail<'a>(report: &'a Report, key: &str) -> &'a serde_json::Value {
    report.failure.as_ref().and_then(|f| f.details.get(key)).unwrap_or(&serde_json::Value::Null)
}

pub fn fact<'a>(report: &'a Report, key: &str) -> &'a serde_json::Value {
    report.found.as_ref().and_then(|f| f.facts.get(key)).unwrap_or(&serde_json::Value::Null)
}

pub fn version(report: &Report) -> Option<&str> {
    report.found.as_ref()?.version.as_deref()
}

pub fn text(report: &Report) -> String {
    report.failure.as_ref().map(|f| format!("{} | {}", f.text, f.advice)).unwrap_or_default()
}
