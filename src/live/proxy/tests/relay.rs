//! A relay in a thread, and its reports.

use crate::live::net::CancelToken;
use crate::live::proxy::Impairments;
use crate::live::proxy::relay::{Config, Counts, Passed, Relay, RelayOutput, Topic};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// The outcome of each packet: direction, reason of its loss, number of copies, out of order.
pub type Fates = Vec<(&'static str, Option<&'static str>, u32, bool)>;

#[derive(Default)]
pub struct Reported {
    pub outcomes: Fates,
    /// The number of bytes that passed.
    pub passed: usize,
    pub notes: Vec<String>,
    noted: Arc<AtomicBool>,
    dropped: Arc<AtomicU64>,
}

impl RelayOutput for Reported {
    fn passed(&mut self, passed: Passed<'_>) {
        self.passed += if passed.lost.is_none() { passed.received.len() } else { 0 };
        self.outcomes.push((passed.direction.name(), passed.lost, passed.copies, passed.reordered));
    }

    fn dropped(&mut self, _: u64) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    fn note(&mut self, _: Topic, text: String) {
        self.notes.push(text);
        self.noted.store(true, Ordering::Relaxed);
    }
}

pub struct Running {
    pub at: SocketAddr,
    stop: CancelToken,
    noted: Arc<AtomicBool>,
    dropped: Arc<AtomicU64>,
    thread: JoinHandle<(Counts, Reported)>,
}

/// The configuration of most tests: both transports, no impairments.
pub fn config(target: SocketAddr) -> Config {
    Config {
        listen: "127.0.0.1:0".parse().unwrap(),
        target,
        udp: true,
        tcp: true,
        impairments: [Impairments::default(), Impairments::default()],
        profile: None,
        seed: 7,
        clients: 100,
        queue: 64 << 20,
        idle: Duration::from_secs(60),
    }
}

pub fn start(config: Config) -> Running {
    let stop = CancelToken::default();
    let mut relay = Relay::bind(config).unwrap();
    let (at, ours) = (relay.local(), stop.clone());
    let mut reported = Reported::default();
    let (noted, dropped) = (reported.noted.clone(), reported.dropped.clone());
    let thread = std::thread::spawn(move || {
        let counts = relay.run(&ours, None, &mut reported).unwrap();
        (counts, reported)
    });
    Running { at, stop, noted, dropped, thread }
}

impl Running {
    /// Whether it has reported anything about the network.
    pub fn has_noted(&self) -> bool {
        self.noted.load(Ordering::Relaxed)
    }

    /// The number of datagrams that waited, of which it has reported that they are not sent.
    pub fn dropped(&self) -> Arc<AtomicU64> {
        self.dropped.clone()
    }

    /// Stops it.
    pub fn end(self) -> (Counts, Reported) {
        self.stop.set();
        self.thread.join().unwrap()
    }
}
