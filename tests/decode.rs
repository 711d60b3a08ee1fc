//! `netkit::decode`: one call gives a program the messages of a capture, also of a truncated one.

use crate::common::{Scratch, Wire, run};
use netkit::capture::{Capture, Input};
use netkit::dissect::{Message, Sink};
use netkit::read::{CaptureSink, Drive, Producer, Receiver};
use std::io::Cursor;

const CAPTURE: &str = "fixtures/nano/nano-tcp.pcap";

fn names(bytes: &[u8]) -> (Vec<String>, netkit::read::Summary) {
    let mut names = Vec::new();
    let options = netkit::protocols::options();
    let read = |message: &Message<'_>| names.push(name(message));
    let summary = netkit::decode(Cursor::new(bytes.to_vec()), &options, read).expect("a capture");
    (names, summary)
}

fn name(message: &Message<'_>) -> String {
    format!("{} {}", message.place.frame, message.dissection.message)
}

#[test]
fn a_whole_capture() {
    let (names, summary) = names(&std::fs::read(CAPTURE).expect("a capture"));
    assert!(summary.error.is_none() && !summary.stopped);
    assert!(names.len() > 5, "{names:?}");
    assert_eq!(summary.counters.account.frames, summary.frames);
}

/// Wherever the file is cut, all earlier messages are returned, also those in a stream that is still open.
#[test]
fn a_cut_capture_keeps_what_was_read() {
    let whole = std::fs::read(CAPTURE).expect("a capture");
    let (all, _) = names(&whole);
    let mut longest = 0;
    for cut in (24..whole.len()).step_by(997) {
        let (some, summary) = names(&whole[..cut]);
        let frame_of =
            |name: &String| name.split(' ').next().and_then(|frame| frame.parse::<u64>().ok()).expect("a frame");
        let before: Vec<_> = all.iter().filter(|name| frame_of(name) <= summary.frames).collect();
        assert!(some.len() >= before.len(), "{cut}: {some:?}, not {before:?}");
        longest = longest.max(some.len());
    }
    assert!(longest + 2 >= all.len(), "{longest} of {}", all.len());
    let missing = netkit::decode(Cursor::new(b"no capture".to_vec()), &netkit::protocols::options(), |_| {});
    assert!(missing.is_err());
}

/// Collects names of messages in several threads, and puts them in order.
struct Naming;

impl Producer<String> for Naming {
    fn message(&mut self, message: &Message<'_>, out: &mut Vec<String>) -> bool {
        out.push(name(message));
        true
    }
}

#[derive(Default)]
struct Names(Vec<String>);

impl Receiver<String> for Names {
    fn receive(&mut self, items: &[String]) {
        self.0.extend_from_slice(items);
    }
}

impl Sink for Names {
    fn message(&mut self, message: &Message<'_>) {
        self.0.push(name(message));
    }
}

impl CaptureSink for Names {}

#[test]
fn threads_give_the_messages_of_one() {
    let options = netkit::protocols::options();
    let open = || Capture::new(Input::new(Box::new(std::fs::File::open(CAPTURE).expect("a file"))).expect("input"));
    let (mut one, mut several) = (Names::default(), Names::default());
    let summary = Drive::new(&options).read(open().expect("a capture"), &mut one);
    let producers = vec![Naming, Naming, Naming];
    let (divided, producers) = Drive::new(&options).divide(open().expect("a capture"), producers, &mut several);
    assert_eq!(producers.len(), 3);
    assert_eq!((one.0, summary.frames), (several.0, divided.frames));
}

/// In a capture `--from` names the sender of the first packet, for every protocol of which nothing else shows it.
#[test]
fn from_names_the_sender_of_the_first_packet() {
    let ends = ["10.0.0.1:50000", "10.0.0.2:50001"].map(|end| end.parse().unwrap());
    let folder = Scratch::new("decode-from");
    for (proto, bytes) in [("dnp", "0361"), ("acknex", "070b01004100")] {
        let mut wire = Wire::default();
        wire.datagram(ends, true, &hex::decode(bytes).unwrap());
        let capture = folder.write("from.pcap", wire.file());
        for from in ["client", "server"] {
            let args = ["decode", "-q", "-p", proto, "--from", from, "-f", "ndjson", &capture];
            let line = run(&args, b"").ok().lines().remove(0);
            assert_eq!(line["from"], from, "{proto}: {line}");
        }
    }
}
