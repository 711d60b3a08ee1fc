//! Tests of DNP: the tables by themselves, and conversations said datagram by datagram.

mod bytes;
mod connection;
mod damaged;
mod numbers;
mod parts;
mod states;

use super::DNP;
use crate::capture::Time;
use crate::dissect::{Dissection, Dissector, FlowInfo, Line, Message, Options, Out, Provenance, Session, Sink};
use crate::flow::{Side, Transport};
use serde_json::Value as Json;
use std::net::SocketAddr;

/// A message as its JSON line has it.
#[derive(Clone, Debug, Default)]
struct Said {
    message: &'static str,
    from: &'static str,
    fields: Json,
    derived: Option<Json>,
    codes: Vec<&'static str>,
    fault: Option<crate::codec::Fault>,
}

/// Keeps the last message, and counts.
#[derive(Default)]
struct Last {
    said: Said,
    count: usize,
}

impl Sink for Last {
    fn message(&mut self, message: &Message<'_>) {
        let dissection = message.dissection;
        let mut text = Vec::new();
        crate::codec::json::fields_json(&dissection.tree, message.sources(), &mut text);
        let fields = serde_json::from_slice(&text).expect("fields are JSON");
        text.clear();
        let derived =
            crate::codec::json::derived_json(&dissection.tree, &dissection.derived, message.sources(), &mut text);
        self.count += 1;
        self.said = Said {
            message: dissection.message,
            from: dissection.from.name(),
            fields,
            derived: derived.then(|| serde_json::from_slice(&text).expect("derived is JSON")),
            codes: dissection.notes.iter().map(|(note, _)| note.code).collect(),
            fault: dissection.fault.clone(),
        };
    }
}

impl Said {
    /// What the encoder makes of the line.
    fn again(&self, options: &Options) -> Result<Vec<u8>, String> {
        let line = Line {
            message: self.message,
            proto: "dnp",
            version: None,
            from: Default::default(),
            flow: 0,
            fields: &self.fields,
            derived: self.derived.as_ref(),
            broken: self.fault.is_some(),
        };
        DNP.encoder(options).encode(&line).map_err(|error| error.to_string())
    }
}

/// One datagram without a conversation; `None` where it is no message.
fn dump(bytes: &[u8], options: &Options) -> Option<Said> {
    let mut last = Last::default();
    crate::dissect::inspector::dump(&DNP, bytes, options, &mut Dissection::default(), &mut last);
    assert!(last.count <= 1, "one datagram is one message");
    (last.count == 1).then_some(last.said)
}

/// A conversation between a client and the server at port 3413, or one whose ports tell nothing.
struct Talking {
    session: Box<dyn Session>,
    options: Options,
    ends: [SocketAddr; 2],
    dissection: Dissection,
    frame: u64,
    millis: i64,
}

const C: Side = Side::A;
const S: Side = Side::B;

impl Talking {
    fn new() -> Talking {
        Talking::with(crate::protocols::options(), 3413)
    }

    fn with(options: Options, port: u16) -> Talking {
        let ends = [([10, 0, 0, 2], 50000).into(), ([10, 0, 0, 1], port).into()];
        let session = DNP.session(&flow_info(&options, ends));
        Talking { session, options, ends, dissection: Dissection::default(), frame: 0, millis: 0 }
    }

    /// With a request and its answer already said.
    fn connected() -> Talking {
        let mut talking = Talking::new();
        talking.say(C, "0001000000");
        talking.say(S, "01000000");
        talking
    }

    /// A side says something, 10 ms after what was said before.
    fn say(&mut self, side: Side, hex: &str) -> Said {
        self.later(side, 10, hex)
    }

    fn later(&mut self, side: Side, millis: i64, hex: &str) -> Said {
        let bytes = hex::decode(hex.replace(' ', "")).expect("hex");
        self.frame += 1;
        self.millis += millis;
        let time = Time { secs: self.millis / 1000, frac: (self.millis % 1000) as u64, digits: 3 };
        let place = Provenance { side, bytes: &bytes, length: bytes.len(), frame: self.frame, frames: &[], time };
        let flow_info = flow_info(&self.options, self.ends);
        let mut last = Last::default();
        let mut out = Out::new(&mut self.dissection, &mut last, &flow_info, ["", ""]);
        self.session.datagram(&place, &mut out);
        assert_eq!(last.count, 1);
        last.said
    }

    /// As [`Talking::say`], returning the codes of the notes.
    fn notes(&mut self, side: Side, hex: &str) -> Vec<&'static str> {
        self.say(side, hex).codes
    }
}

fn flow_info(options: &Options, ends: [SocketAddr; 2]) -> FlowInfo<'_> {
    FlowInfo { flow: 1, transport: Transport::Udp, ends: Some(ends), opener: None, begun: [true; 2], options }
}

/// Options with these settings.
fn set(settings: &[&str]) -> Options {
    let mut options = crate::protocols::options();
    for setting in settings {
        options.set(setting).expect("a setting");
    }
    options
}
