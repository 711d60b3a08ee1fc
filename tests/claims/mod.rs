//! Protocol recognition: a conversation belongs to no protocol unless its traffic is more than chance.

mod given_up;
mod listed;
mod middle;
mod port;
mod random;
mod websocket;

use crate::common;
use crate::common::{Wire, ends_in, entries, fixture};
use netkit::dissect::{Counters, Message, Sink};
use std::net::SocketAddr;

/// The conversation, protocol and name of every message, in order.
#[derive(Default)]
struct Names(Vec<(u64, &'static str, &'static str)>);

impl Sink for Names {
    fn message(&mut self, message: &Message<'_>) {
        self.0.push((message.flow_info.flow, message.dissection.proto, message.dissection.message));
    }
}

/// Dissects a capture.
fn dissect(file: Vec<u8>) -> (Names, Counters) {
    let mut found = Names::default();
    let counters = common::dissect(file, &netkit::protocols::options(), &mut found);
    (found, counters)
}

/// The endpoints of a conversation, on ports of no known protocol.
fn ends(k: usize) -> [SocketAddr; 2] {
    let [high, low] = (k as u16).to_be_bytes();
    [SocketAddr::from(([10, 1, high, low], 40_000)), SocketAddr::from(([10, 2, high, low], 41_000))]
}

#[test]
fn nobody_claims_what_other_protocols_say() {
    let mut captures = 0;
    for path in entries(&fixture("foreign")).into_iter().filter(|path| ends_in(path, "pcap")) {
        let (found, _) = dissect(std::fs::read(&path).unwrap());
        assert!(found.0.is_empty(), "{path:?}: {:?}", found.0.first());
        captures += 1;
    }
    assert!(captures >= 33, "{captures} captures");
}
