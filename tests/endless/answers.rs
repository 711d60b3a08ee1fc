//! A server that answers every datagram, so that each of our answers provokes another: we answer no more often, and no
//! faster, than the protocol's library.

use crate::common::{HANG, Receive};
use netkit::capture::{Capture, Input, Packets};
use netkit::dissect::{Options, Role};
use netkit::live::CancelToken;
use netkit::live::probe::{self, Carrier, Report, Request, Shared};
use netkit::live::replay::{Changes, Choices, Order, Pace, Recording};
use netkit::protocols;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The most copies that the library sends, plus the other messages of a short session.
const FEW: u64 = 120;
/// The most answers at once, and for each second (src/live/pace.rs).
const AT_ONCE: u64 = 1024;
const A_SECOND: f64 = 2000.0;

/// A server that answers each datagram with the next of its messages, and counts received datagrams.
struct Echo {
    at: SocketAddr,
    arrived: Arc<AtomicU64>,
    end: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Echo {
    fn drop(&mut self) {
        self.end.store(true, Ordering::Relaxed);
        self.thread.take().map(std::thread::JoinHandle::join);
    }
}

fn echo(says: impl Fn(u16) -> Vec<u8> + Send + 'static) -> Echo {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(10))).unwrap();
    let at = socket.local_addr().unwrap();
    let (arrived, end): (Arc<AtomicU64>, Arc<AtomicBool>) = Default::default();
    let (counted, ended) = (Arc::clone(&arrived), Arc::clone(&end));
    let thread = std::thread::spawn(move || {
        let mut number = 0u16;
        while !ended.load(Ordering::Relaxed) {
            if let Ok((_, from)) = socket.receive_from(&mut [0; 2048]) {
                counted.fetch_add(1, Ordering::Relaxed);
                number = number.wrapping_add(1);
                let _ = socket.send_to(&says(number), from);
            }
        }
    });
    Echo { at, arrived, end, thread: Some(thread) }
}

/// Riptide 2.0: the same welcome again and again, or always a new one.
fn welcomes(new: bool) -> Echo {
    echo(move |number| {
        let [low, high] = if new { number.to_le_bytes() } else { [1, 0] };
        vec![8, low, high, 1, 0]
    })
}

/// The usual limit of a session's time.
const LIMIT: Duration = Duration::from_millis(1500);

/// The actions of a session with a server.
struct Session {
    took: Duration,
    /// The number of sent datagrams that are not answers: questions, and copies by the clock.
    asked: u64,
    /// The number of datagrams that the server received.
    arrived: u64,
}

/// Probes such a server for this time: again if its first welcome comes too late, because the machine is busy.
fn probed(new: bool, limit: Duration) -> Session {
    let mut outcomes = Vec::new();
    for _ in 0..20 {
        let server = welcomes(new);
        let (begun, report) = (Instant::now(), probe(&server, limit));
        let took = begun.elapsed();
        assert!(took < HANG);
        if report.outcome.name() == "timed_out" {
            let arrived = server.arrived.load(Ordering::Relaxed);
            return Session { took, asked: report.samples.len() as u64, arrived };
        }
        outcomes.push(report.outcome.name());
    }
    panic!("it never goes on to the end of its time: {outcomes:?}");
}

fn probe(server: &Echo, limit: Duration) -> Report {
    let request = Request {
        clients: protocols::clients(),
        proto: protocols::by_name("riptide"),
        carrier: Some(Carrier::Udp),
        options: Options { proto: Some("riptide".into()), ..protocols::options() },
        samples: 1000,
        interval: Duration::from_millis(20),
        timeout: Some(Duration::from_millis(200)),
        connect: false,
        create: None,
        name: "netkit".into(),
        data: None,
        max_time: Some(limit),
        rounds: false,
    };
    let stop = CancelToken::default();
    let shared = Shared { recorder: None, stop: &stop, flows: &AtomicU64::new(0), memory: &Default::default() };
    let target = server.at.to_string().parse().unwrap();
    probe::run(&request, &target, &shared, None, &|_| ())
}

/// Replays a client to such a server for this time.
fn replayed(new: bool, limit: Duration) -> Session {
    let server = welcomes(new);
    let path = format!("{}/fixtures/riptide/riptide20-udp.pcap", env!("CARGO_MANIFEST_DIR"));
    let packets =
        Packets::new(Capture::new(Input::new(Box::new(std::fs::File::open(path).unwrap())).unwrap()).unwrap());
    let mut recording =
        Recording::read(packets, &protocols::options(), &protocols::clients(), &Changes::default()).unwrap();
    let conversation = recording.take(Some(1)).unwrap();
    let (stop, begun) = (CancelToken::default(), Instant::now());
    let order = Order {
        conversation: &conversation,
        choices: Choices { role: Role::Client, allow_dangerous: false, until: None },
        pace: Pace { speed: Some(0.01), max_gap: None },
        timeout: Duration::from_secs(60),
        linger: netkit::live::replay::LINGER,
        host: "127.0.0.1",
        path: None,
        recorder: None,
        observer: None,
        stop: &stop,
        max_time: Some(limit),
        flow: 1,
    };
    let report = order.to(server.at, &order.options(&protocols::options()), &mut |_| {}).expect("a session");
    let arrived = server.arrived.load(Ordering::Relaxed);
    Session { took: begun.elapsed(), asked: report.sent + report.counts.resent, arrived }
}

/// Runs sessions, each with a multiple of the usual time, until a server has received this many datagrams: a busy
/// machine may not let it receive them before the end.
fn lively(run: fn(bool, Duration) -> Session, new: bool, least: u64, times: &[u32]) -> Session {
    let mut sessions = times.iter().map(|times| run(new, LIMIT * *times));
    sessions.find(|session| session.arrived >= least).expect("a session with so many datagrams")
}

#[test]
fn copies_are_answered_as_often_as_a_library_sends_them() {
    // Besides the answers: one heartbeat for each requested sample.
    for run in [probed, replayed] {
        let Session { asked, arrived, .. } = lively(run, false, 5, &[1; 8]);
        assert!(arrived < FEW + asked, "{arrived} datagrams, {asked} of them questions");
    }
}

#[test]
fn what_is_always_new_is_answered_at_a_rate() {
    for run in [probed, replayed] {
        let Session { took, asked, arrived } = lively(run, true, 50, &[1, 2, 4, 8, 16, 32]);
        let most = AT_ONCE + FEW + asked + (took.as_secs_f64() * A_SECOND) as u64;
        assert!(arrived < most, "{arrived} datagrams of {most} in {took:?}");
    }
}
