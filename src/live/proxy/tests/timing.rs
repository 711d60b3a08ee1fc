//! The order of delayed packets, whatever the machine's load is.

use super::datagrams::socket;
use super::relay::config;
use super::sockets::Receive;
use crate::live::net::CancelToken;
use crate::live::proxy::Impairments;
use crate::live::proxy::relay::{Passed, Relay, RelayOutput, Topic};
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

/// Due packets are sent as soon as possible, even while new ones keep arriving.
#[test]
fn what_is_due_goes_between_two_that_come() {
    let [server, client] = [socket(), socket()];
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
