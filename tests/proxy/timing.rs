//! The cost of delayed packets. `tests/bench/relay.rs` measures how exact delays are; the test here does not depend on
//! the machine's load.

#![cfg(target_os = "linux")]

use super::command::{Proxy, sockets};
use crate::common::Receive;
use std::time::{Duration, Instant};

/// Waiting for due packets uses hardly any processor time: a busy loop would delay other programs, and in turn the
/// proxy, by slices of the scheduler.
#[test]
fn waiting_takes_no_processor() {
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
    // As many as the server's socket holds, in case nobody takes them meanwhile.
    let count = 200u32;
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
