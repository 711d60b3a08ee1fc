//! Tests of DNP: the tables by themselves, and conversations datagram by datagram.

mod bytes;
mod connection;
mod damaged;
mod numbers;
mod parts;
mod states;

use super::DNP;
use crate::capture::Time;
use crate::dissect::{Dissector, Line, Options};
use crate::flow::{Side, Transport};
use crate::protocols::tests::{self as common, Conversation, Row, options_of};
use serde_json::Value as Json;
use std::net::SocketAddr;

/// Reads one datagram without a conversation; `None`: it is not a message.
fn dump(bytes: &[u8], options: &Options) -> Option<Row> {
    let mut rows = common::dump(&DNP, bytes, options);
    assert!(rows.len() <= 1, "one datagram is one message");
    rows.pop()
}

/// A conversation with a server at port 3413, or at a port that does not identify it.
struct Talking {
    conversation: Conversation,
    millis: i64,
}

const C: Side = Side::A;
const S: Side = Side::B;

impl Talking {
    fn new() -> Talking {
        Talking::with(crate::protocols::options(), 3413)
    }

    fn with(options: Options, port: u16) -> Talking {
        let conversation = Conversation::new(&DNP, Transport::Udp, ends(port), options);
        Talking { conversation, millis: 0 }
    }

    /// A conversation after a request and its answer.
    fn connected() -> Talking {
        let mut talking = Talking::new();
        talking.say(C, "0001000000");
        talking.say(S, "01000000");
        talking
    }

    /// Reads a side's datagram, 10 ms after the last one.
    fn say(&mut self, side: Side, hex: &str) -> Row {
        self.later(side, 10, hex)
    }

    fn later(&mut self, side: Side, millis: i64, hex: &str) -> Row {
        let bytes = hex::decode(hex.replace(' ', "")).expect("hex");
        self.millis += millis;
        let time = Time { secs: self.millis / 1000, frac: (self.millis % 1000) as u64, digits: 3 };
        let [row] = self.conversation.datagram(side, time, &bytes, bytes.len()).try_into().expect("one message");
        row
    }

    /// Like [`Talking::say`], but returns the codes of the notes.
    fn notes(&mut self, side: Side, hex: &str) -> Vec<&'static str> {
        self.say(side, hex).codes()
    }
}

/// A client's address, and that of a server at this port.
fn ends(port: u16) -> [SocketAddr; 2] {
    [([10, 0, 0, 2], 50000).into(), ([10, 0, 0, 1], port).into()]
}

/// Options with these settings.
fn set(settings: &[&str]) -> Options {
    let mut options = crate::protocols::options();
    for setting in settings {
        options.set(setting).expect("a setting");
    }
    options
}
