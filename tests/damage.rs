//! Every message of the fixtures, cut and with flipped bits, for every protocol of the registry: nothing panics, a
//! fault lies inside the data, each note is documented, and the shown fields still encode to the same bytes.
//!
//! The messages are those of `fixtures/PROTOCOL/vectors.json` with their arguments, the shorter ones also with the
//! schema of `fixtures/schemas`, and those of all captures in `fixtures/PROTOCOL`. Each is read cut at every length,
//! and with each of its bits flipped. Messages longer than [`SHORT`] are cut and flipped after that at [`MORE_PLACES`]
//! evenly spaced places (very long ones at [`LONG_PLACES`]). Riptide's captures and DNP's vectors are tried at every
//! place, however long they are.

use crate::common;
use crate::common::{ends_in, entries, fixture};
use crate::harness;
use netkit::codec::json::{derived_json, fields_json};
use netkit::codec::schema::Schemas;
use netkit::dissect::{Dissection, Dissector, Line, Message, Options, Role, Sink, inspector};
use netkit::flow::Transport;
use netkit::protocols;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Up to this length a message is cut and flipped at each byte.
const SHORT: usize = 128;
/// The number of places after [`SHORT`] bytes that are cut and flipped.
const MORE_PLACES: usize = 32;
/// The number of places in a message of at least [`LONG_FROM`] bytes: each run reads all of it.
const LONG_PLACES: usize = 8;
const LONG_FROM: usize = 2048;
/// The stack that reading and writing the deepest nesting needs without optimisation.
const STACK: usize = 64 << 20;

/// A message, and the options to read it with.
struct Subject {
    dissector: &'static dyn Dissector,
    options: Options,
    bytes: Vec<u8>,
    /// Whether it is cut at every length, however long it is.
    everywhere: bool,
    /// Whether it is also printed in every format.
    shown: bool,
}

/// The distinct messages of a capture: version and bytes.
#[derive(Default)]
struct Collect(BTreeSet<(Option<&'static str>, Vec<u8>)>);

impl Sink for Collect {
    fn message(&mut self, m: &Message<'_>) {
        self.0.insert((m.dissection.version, m.place.bytes.to_vec()));
    }
}

/// All messages of a protocol's captures, as a datagram or the beginning of a stream.
fn captured(dissector: &'static dyn Dissector) -> Vec<Subject> {
    let options = Options { proto: Some(dissector.name().into()), ..protocols::options() };
    let mut all = Collect::default();
    for path in entries(&fixture(dissector.name())).into_iter().filter(|path| ends_in(path, "pcap")) {
        common::dissect(std::fs::read(path).expect("a capture"), &options, &mut all);
    }
    let subject = |(version, bytes): (Option<&str>, Vec<u8>)| {
        let mut options = protocols::options();
        // Not every recognised version can be set as an option: the message contains the version again.
        if let Some(version) = version {
            let _ = options.set(&format!("{}.version={version}", dissector.name()));
        }
        Subject { dissector, options, bytes, everywhere: dissector.name() == "riptide", shown: false }
    };
    all.0.into_iter().map(subject).collect()
}

/// The options given by a vector's `args`.
fn options(proto: &str, args: &Json) -> Options {
    let mut options = Options { proto: Some(proto.into()), ..protocols::options() };
    let args: Vec<&str> = args.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    for pair in args.chunks(2) {
        match pair {
            ["--set" | "-s", setting] => options.set(setting).expect("a setting"),
            ["--from", role] => options.from = Role::named(role),
            other => panic!("{proto}: {other:?}"),
        }
    }
    options
}

/// All messages of a protocol's vectors, with and without its schema.
fn vectors(dissector: &'static dyn Dissector) -> Vec<Subject> {
    let proto = dissector.name();
    let text = std::fs::read(fixture(&format!("{proto}/vectors.json"))).expect("vectors");
    let rows = netkit::encode::json(&text).expect("JSON");
    let mut all = Vec::new();
    for (k, row) in rows.as_array().expect("a list").iter().enumerate() {
        let digits: String = row["hex"].as_str().expect("hex").split_whitespace().collect();
        let bytes = hex::decode(digits).expect("hex");
        let options = options(proto, &row["args"]);
        let shown = bytes.len() <= 64 && k % 3 == 0;
        all.push(Subject { dissector, options, bytes, everywhere: proto == "dnp", shown });
    }
    let Ok(text) = std::fs::read_to_string(fixture(&format!("schemas/{proto}.toml"))) else { return all };
    let mut schemas = Schemas::default();
    schemas.add("fixture", &text, &|name| protocols::by_name(name).map(|d| d.encodings())).expect("a schema");
    let schemas = std::sync::Arc::new(schemas);
    let with: Vec<Subject> = all
        .iter()
        .filter(|s| s.bytes.len() <= SHORT)
        .map(|s| Subject {
            dissector,
            options: Options { schemas: schemas.clone(), ..s.options.clone() },
            bytes: s.bytes.clone(),
            everywhere: false,
            shown: false,
        })
        .collect();
    all.extend(with);
    all
}

/// Checks the messages of one input: the fault's place, and that its JSON encodes to the same bytes.
struct Check<'a> {
    subject: &'a Subject,
    seen: usize,
    /// The bytes of all messages.
    bytes: Vec<u8>,
}

impl Sink for Check<'_> {
    fn message(&mut self, m: &Message<'_>) {
        self.seen += 1;
        self.bytes.extend_from_slice(m.place.bytes);
        let (dissection, bits) = (m.dissection, m.place.bytes.len() as u64 * 8);
        if let Some(fault) = &dissection.fault {
            assert!(fault.bit as u64 <= bits, "{fault}: behind the {bits} bits");
            if dissection.proto == "riptide" {
                assert!(fault.bit as u64 + fault.have <= bits, "{fault}: more bits left than there are");
            }
            assert!(fault.path.starts_with(dissection.proto), "{fault}: no path of {}", dissection.proto);
        }
        for (note, _) in dissection.notes.iter() {
            let known = self.subject.dissector.notes().iter().any(|doc| doc.code == note.code);
            assert!(known, "{} is not documented", note.code);
        }
        let mut text = Vec::new();
        fields_json(&dissection.tree, m.sources(), &mut text);
        let fields = netkit::encode::json(&text).expect("JSON");
        text.clear();
        let derived = derived_json(&dissection.tree, &dissection.derived, m.sources(), &mut text)
            .then(|| netkit::encode::json(&text).expect("JSON"));
        let line = Line {
            message: dissection.message,
            proto: dissection.proto,
            version: dissection.version,
            from: dissection.from,
            flow: 0,
            fields: &fields,
            derived: derived.as_ref(),
            packet: None,
            part: None,
            broken: dissection.fault.is_some(),
        };
        let dissector = protocols::registry().for_line(dissection.proto).expect("its own or a carrier's");
        let again = dissector.encoder(&self.subject.options).encode(&line);
        assert_eq!(again.as_deref(), Ok(m.place.bytes), "{} {fields} {derived:?}", dissection.message);
    }
}

/// The places where a message of this length is cut and flipped.
fn places(length: usize, everywhere: bool) -> impl Iterator<Item = usize> {
    let (near, following) = match length {
        _ if everywhere => (length, MORE_PLACES),
        0..LONG_FROM => (length.min(SHORT), MORE_PLACES),
        _ => (0, LONG_PLACES),
    };
    (0..near).chain((near..length).step_by((length - near).div_ceil(following).max(1)))
}

/// Runs an input, its cuts, and the input with flipped bits. Returns the number of runs.
fn damaged(subject: &Subject, mut run: impl FnMut(&[u8])) -> usize {
    let (bytes, mut runs) = (&subject.bytes, 1);
    run(bytes);
    for end in places(bytes.len(), subject.everywhere) {
        run(&bytes[..end]);
        runs += 1;
    }
    let mut flipped = bytes.clone();
    for at in places(bytes.len(), subject.everywhere) {
        for bit in 0..8 {
            flipped[at] ^= 1 << bit;
            run(&flipped);
            flipped[at] ^= 1 << bit;
            runs += 1;
        }
    }
    runs
}

fn tried(subject: &Subject, dissection: &mut Dissection) -> usize {
    let Subject { dissector, options, bytes, shown, .. } = subject;
    let mut seen = 0;
    let runs = damaged(subject, |data| {
        let mut check = Check { subject, seen: 0, bytes: Vec::new() };
        inspector::dump(*dissector, data, options, dissection, &mut check);
        seen += check.seen;
        // In a datagram every byte belongs to one message.
        if dissector.dump_transport()(options) == Transport::Udp {
            assert_eq!(check.bytes, data, "{}", dissector.name());
        }
    });
    assert!(seen > 0 || bytes.is_empty(), "{}: {}", dissector.name(), hex::encode(bytes));
    if *shown {
        // The settings alternate, shifted by one each byte: else a bit would always meet the same setting.
        let mut turn = 0usize;
        damaged(subject, |data| {
            harness::dump(*dissector, ((turn + turn / 8) % 8) as u8, data);
            turn += 1;
        });
    }
    runs
}

#[test]
fn messages_cut_and_flipped() {
    for dissector in protocols::ALL {
        let (vectors, captured) = (vectors(dissector), captured(dissector));
        assert!(
            vectors.len() > 80 && captured.len() > 80,
            "{}: {} {}",
            dissector.name(),
            vectors.len(),
            captured.len()
        );
        let subjects: Vec<Subject> = vectors.into_iter().chain(captured).collect();
        let (next, runs) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            let mut dissection = Dissection::default();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(subject) = subjects.get(number) else { break };
                runs.fetch_add(tried(subject, &mut dissection), Ordering::Relaxed);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).expect("a thread");
            }
        });
        let bytes: usize = subjects.iter().map(|s| s.bytes.len().min(SHORT)).sum();
        let runs = runs.into_inner();
        println!("{}: {} messages, {runs} runs", dissector.name(), subjects.len());
        assert!(runs > 8_000 && runs > 2 * bytes, "{}: {runs}", dissector.name());
    }
}
