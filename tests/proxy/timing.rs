//! When what is delayed goes. How exact it is, is measured by `tests/bench/relay.rs`; here is what
//! does not hang on how busy a machine is.

use super::relay::config;
use netkit::live::net::CancelToken;
use netkit::live::proxy::Impairments;
use netkit::live::proxy::relay::{Output, Passed, Relay, Topic};
use std::net::UdpSocket;
use std::time::{Duration, Instant};

/// Somebody who prints slowly.
struct Slow;

const PRINTING: Duration = Duration::from_millis(5);

impl Output for Slow {
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

/// Many that come at once do not hold up the first of them once it is due.
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
    let mut came = Vec::new();
    for n in 0..count {
        server.recv(&mut buffer).unwrap();
        assert_eq!(buffer[0], n, "in the order in which they are due");
        came.push(begin.elapsed());
        assert!(begin.elapsed() >= delay, "{n} came too soon");
    }
    // Behind all that had come, the first would go when the last does.
    assert!(came[0] * 2 < came[usize::from(count) - 1], "{came:?}");
    stop.set();
    thread.join().unwrap();
}

/// Who waits for what is due does not take a processor for it: what others want to run would be made
/// to wait, and the proxy in its turn, for slices of the scheduler.
#[test]
#[cfg(target_os = "linux")]
fn waiting_takes_no_processor() {
    use super::command::Proxy;
    let [server, client] = sockets();
    let args = ["-f", "none", "--transport", "udp", "--delay", "30ms"];
    let proxy = Proxy::start(&server, &args);
    client.connect(&proxy.at).unwrap();
    // Hundredths of a second, of all threads: user's and system's, behind the name in brackets.
    let used = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", proxy.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        [11, 12].map(|at| fields[at].parse::<u64>().unwrap()).iter().sum::<u64>()
    };
    let count = 600u32;
    let heard = std::thread::spawn(move || {
        for n in 0..count {
            let mut buffer = [0; 8];
            assert_eq!((server.recv(&mut buffer).unwrap(), &buffer[..4]), (4, &n.to_be_bytes()[..]));
        }
    });
    let (before, begin) = (used(), Instant::now());
    // At any moment something is due within a few milliseconds.
    for n in 0..count {
        std::thread::sleep((Duration::from_millis(3) * n).saturating_sub(begin.elapsed()));
        client.send(&n.to_be_bytes()).unwrap();
    }
    let (took, used) = (begin.elapsed(), Duration::from_millis(10 * (used() - before)));
    heard.join().unwrap();
    assert!(used < took / 7, "{used:?} of a processor in {took:?}");
    proxy.end();
}
