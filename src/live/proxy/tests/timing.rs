//! The order of delayed packets, whatever the machine's load is.

use super::datagrams::socket;
use super::relay::config;
use super::sockets::HANG;
use crate::live::net::CancelToken;
use crate::live::proxy::Impairments;
use crate::live::proxy::relay::{Passed, Relay, RelayOutput, Topic};
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// An output that prints slowly, and looks at the server's socket.
struct Slow {
    server: UdpSocket,
    /// Whether the test has taken the first datagram out of that socket.
    taken: Arc<AtomicBool>,
    /// The number of packets printed, and how many of them when the first one was at the server.
    printed: usize,
    first: Option<usize>,
}

const PRINTING: Duration = Duration::from_millis(5);

impl RelayOutput for Slow {
    fn passed(&mut self, _: Passed<'_>) {
        std::thread::sleep(PRINTING);
        self.printed += 1;
        if self.taken.load(Ordering::Relaxed) || self.server.peek(&mut [0; 8]).is_ok() {
            self.first.get_or_insert(self.printed);
        }
    }

    fn note(&mut self, _: Topic, _: String) {}
}

/// Due packets are sent as soon as possible, even while new ones keep arriving.
#[test]
fn what_is_due_goes_between_two_that_come() {
    let [server, client] = [socket(), socket()];
    // Clones of a socket share this.
    server.set_nonblocking(true).unwrap();
    let delay = Duration::from_millis(10);
    let up = Impairments { delay, ..Impairments::default() };
    let config = crate::live::proxy::relay::Config {
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
    let (ours, taken) = (stop.clone(), Arc::new(AtomicBool::new(false)));
    let mut slow = Slow { server: server.try_clone().unwrap(), taken: taken.clone(), printed: 0, first: None };
    let thread = std::thread::spawn(move || {
        relay.run(&ours, None, &mut slow).unwrap();
        (slow.printed, slow.first)
    });
    let mut buffer = [0; 8];
    for n in 0..count {
        while server.recv(&mut buffer).is_err() {
            assert!(begin.elapsed() < HANG, "{n} does not arrive");
            std::thread::sleep(Duration::from_millis(1));
        }
        taken.store(true, Ordering::Relaxed);
        assert_eq!(buffer[0], n, "in the order in which they are due");
        assert!(begin.elapsed() >= delay, "{n} arrived too soon");
    }
    stop.set();
    let (printed, first) = thread.join().unwrap();
    assert_eq!(printed, usize::from(count));
    // If due packets were sent only after all waiting ones were read, the first would come after the last was printed.
    assert!(first.is_some_and(|first| first < printed), "{first:?} of {printed}");
}
