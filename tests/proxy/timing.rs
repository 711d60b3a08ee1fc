//! The order and the cost of delayed packets. `tests/bench/relay.rs` measures how exact delays are; the tests here do
//! not depend on the machine's load.

use super::relay::config;
use crate::common::Receive;
use netkit::live::net::CancelToken;
use netkit::live::proxy::Impairments;
use netkit::live::proxy::relay::{Passed, Relay, RelayOutput, Topic};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

/// An output that prints slowly.
struct Slow;

const PRINTING: Duration = Duration::from_millis(5);

impl RelayOutput for Slow {
    fn passed(&mut self, _: Passed<'_>) {
        std::thread::sleep(PRINTING);
    }

    fn note(&mut self, _: Topic, _: String) {}
}

fn sockets() -> [UdpSocket; 2] {
    [0, 1].map(|_| {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket
    })
}

/// Due packets are sent as soon as possible, even while new ones keep arriving.
#[test]
fn what_is_due_goes_between_two_that_come() {
    let [server, client] = sockets();
    let delay = Duration::from_millis(10);
    let up = Impairments { delay, ..Impairments::default() };
    let config = netkit::live::proxy::relay::Config {
        impairments: [up, Impairments::default()],
        ..config(server.local_addr().unwrap())
    };
    let mut relay = Relay::bind(config).unwrap();
    client.connect(relay.local()).unwrap();
    let count = 60u8;
    let begin = Instant::now();
    for n in 0..count {
        client.send(&[n]).unwrap();
    }
    let stop = CancelToken::default();
    let ours = stop.clone();
    let thread = std::thread::spawn(move || relay.run(&ours, None, &mut Slow).unwrap());
    let mut buffer = [0; 8];
    let mut arrived = Vec::new();
    for n in 0..count {
        server.receive(&mut buffer).unwrap();
        assert_eq!(buffer[0], n, "in the order in which they are due");
        arrived.push(begin.elapsed());
        assert!(begin.elapsed() >= delay, "{n} arrived too soon");
    }
    // If due packets were sent only after all waiting ones were read, the first would be as late as the last.
    assert!(arrived[0] * 2 < arrived[usize::from(count) - 1], "{arrived:?}");
    stop.set();
    thread.join().unwrap();
}

/// Waiting for due packets uses hardly any processor time: a busy loop would delay other programs, and in turn the
/// proxy, by slices of the scheduler.
#[test]
#[cfg(target_os = "linux")]
fn waiting_takes_no_processor() {
    use super::command::Proxy;
    let [server, client] = sockets();
    let args = ["-f", "none", "--transport", "udp", "--delay", "30ms"];
    let proxy = Proxy::start(&server, &args);
    client.connect(&proxy.at).unwrap();
    // User and system time of all threads in hundredths of a second; the fields follow the name in brackets.
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", proxy.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        [11, 12].map(|at| fields[at].parse::<u64>().unwrap()).iter().sum::<u64>()
    };
    let count = 600u32;
    let received = std::thread::spawn(move || {
        for n in 0..count {
            let mut buffer = [0; 8];
            assert_eq!((server.receive(&mut buffer).unwrap(), &buffer[..4]), (4, &n.to_be_bytes()[..]));
        }
    });
    let (before, begin) = (used(), Instant::now());
    // At any time a packet is due within a few milliseconds.
    for n in 0..count {
        std::thread::sleep((Duration::from_millis(3) * n).saturating_sub(begin.elapsed()));
        client.send(&n.to_be_bytes()).unwrap();
    }
    let (took, used) = (begin.elapsed(), Duration::from_millis(10 * (used() - before)));
    received.join().unwrap();
    assert!(used < took / 7, "{used:?} of a processor in {took:?}");
    proxy.end();
}
