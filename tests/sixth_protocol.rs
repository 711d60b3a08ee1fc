//! A protocol in one file, without a change to the library: "Add a protocol in one page" in
//! `netkit::protocols`, proved.
//!
//! "Toy" over UDP port 4666: a byte says what it is. 1 is `say`: a length, a text; 2 is `move`:
//! an entity and its step in x and y.

mod common;

use common::{Wire, dissect};
use netkit::codec::layout::{Field, Layout, Len, i16le, tag, text, u8, u16le};
use netkit::codec::{EncodeError, Reader, Writer};
use netkit::dissect::*;
use netkit::encode::{Encoders, Entry, Source};
use netkit::filter::{Filter, Names};
use netkit::render::Ndjson;
use netkit::stats::{Stats, Wanted};
use serde_json::{Value as Json, json};

// 1. Tables.
static SAY: [Field; 3] =
    [tag("kind", 8, 1).hidden(), u8("length").referenced().doc("of the words"), text("words", Len::Field("length"))];
static MOVE: [Field; 4] = [tag("kind", 8, 2).hidden(), u16le("entity"), i16le("dx").unit("cm"), i16le("dy").unit("cm")];
static LAYOUTS: [Layout; 2] = [
    Layout { name: "say", doc: "words for everybody", fields: &SAY },
    Layout { name: "move", doc: "an entity has moved", fields: &MOVE },
];
static TABLES: [Table; 1] = [Table { version: "", from: Role::Unknown, layouts: &LAYOUTS }];

// 2. Session: this one remembers nothing.
struct Conversation;

impl Session for Conversation {
    fn datagram(&mut self, place: &Provenance<'_>, out: &mut Out<'_>) {
        let client = out.flow_info.ends.is_some_and(|ends| ends[place.side.other().index()].port() == PORT);
        let dissection = out.begin("toy");
        dissection.from = if client { Role::Client } else { Role::Server };
        let layout = match place.bytes.first() {
            Some(1) => &LAYOUTS[0],
            _ => &LAYOUTS[1],
        };
        dissection.message = layout.name;
        let outcome = Reader::new(place.bytes, &mut dissection.tree).named("toy", layout.name).read(layout.fields);
        dissection.ended(outcome);
        out.emit(place);
    }
}

// 3. Encoder.
struct Writing;

impl Encoder for Writing {
    fn encode(&mut self, line: &Line<'_>) -> Result<Vec<u8>, EncodeError> {
        let layout = line.layout("toy", &LAYOUTS)?;
        Writer::new(line.fields).broken(line.broken).write(layout.fields)
    }
}

// 4. Description.
const PORT: u16 = 4666;

static TOY: Protocol = Protocol {
    about: "a protocol for tests, over UDP",
    port: Some(PORT),
    tables: &TABLES,
    identify,
    ..Protocol::new("toy", |_flow_info| Box::new(Conversation), |_options| Box::new(Writing))
};

fn identify(observation: &Observation<'_>) -> Evidence {
    match observation.payloads.first() {
        Some((_, [1 | 2, ..], _)) if observation.ends.iter().any(|end| end.port() == PORT) => {
            // A port of 2^16 at either end, and 2 of 256 kinds.
            Evidence::Bits(15 + 7, "port 4666, and a kind that there is")
        }
        _ => Evidence::No,
    }
}

// 5. Registry.
fn options() -> Options {
    Options::new(netkit::protocols::registry().with(&TOY))
}

/// Keeps each message's line, and its bytes.
#[derive(Default)]
struct Lines(Vec<(Json, Vec<u8>)>);

impl Sink for Lines {
    fn message(&mut self, message: &Message<'_>) {
        let mut line = Vec::new();
        Ndjson::new(false).message(message, &mut line);
        self.0.push((serde_json::from_slice(&line).expect("JSON"), message.place.bytes.to_vec()));
    }
}

const SAID: [&[u8]; 3] = [b"\x01\x05hello", b"\x02\x07\x00\xff\xff\x10\x00", b"\x02\x07"];

/// The capture of a conversation in which these were said.
fn capture(said: &[&[u8]]) -> Vec<u8> {
    let mut wire = Wire::default();
    let ends = ["10.0.0.1:50000", "10.0.0.2:4666"].map(|end| end.parse().unwrap());
    said.iter().for_each(|payload| wire.datagram(ends, true, payload));
    wire.file()
}

fn decode(options: &Options) -> Vec<(Json, Vec<u8>)> {
    let mut lines = Lines::default();
    dissect(capture(&SAID), options, &mut lines);
    lines.0
}

#[test]
fn it_is_recognised_and_decoded() {
    let lines = decode(&options());
    let wanted =
        [json!({"length": 5, "words": "hello"}), json!({"entity": 7, "dx": -1, "dy": 16}), json!({"unparsed": "07"})];
    assert_eq!(lines.len(), 3);
    for (k, (line, bytes)) in lines.iter().enumerate() {
        assert_eq!((&line["proto"], &line["from"]), (&json!("toy"), &json!("client")), "{line}");
        assert_eq!(line["fields"], wanted[k], "{line}");
        assert_eq!(line.get("fault").is_some(), k == 2, "{line}");
        assert_eq!(bytes, SAID[k]);
    }
    // By name as well; and where the registry does not have it, nobody claims it.
    let named = Options { proto: Some("toy".into()), ..options() };
    assert_eq!(decode(&named).len(), 3);
    assert_eq!(decode(&netkit::protocols::options()).len(), 0);
}

#[test]
fn its_lines_are_encoded() {
    let options = options();
    let source = Source::new(options.registry.clone());
    let mut encoders = Encoders::new(&options);
    for (line, bytes) in decode(&options) {
        let entry = Entry::new(line, &source).unwrap();
        assert_eq!(encoders.encode(&entry).unwrap(), bytes);
    }
    // By the message's name alone, as on a command line; unknown where the registry lacks it.
    let object = json!({"message": "move", "fields": {"entity": 1, "dx": 2, "dy": 3}});
    let entry = Entry::new(object.clone(), &source).unwrap();
    assert_eq!(encoders.encode(&entry).unwrap(), b"\x02\x01\x00\x02\x00\x03\x00");
    assert!(Entry::new(object, &Source::new(netkit::protocols::registry())).is_err());
}

#[test]
fn filters_know_its_names() {
    struct Matching<'a>(&'a Filter, Vec<u64>, u64);
    impl Sink for Matching<'_> {
        fn message(&mut self, message: &Message<'_>) {
            self.2 += 1;
            if self.0.matches(message) {
                self.1.push(self.2);
            }
        }
    }
    let options = options();
    for (text, matching) in [("dx == -1", vec![2]), ("toy.say", vec![1]), ("proto == toy and fault", vec![3])] {
        let filter = Filter::parse(text, &Names::new(&options)).unwrap();
        let mut sink = Matching(&filter, Vec::new(), 0);
        dissect(capture(&SAID), &options, &mut sink);
        assert_eq!(sink.1, matching, "{text}");
        assert!(Filter::parse(text, &Names::new(&netkit::protocols::options())).is_err(), "{text}");
    }
    let error = Filter::parse("toy.entitty == 7", &Names::new(&options)).unwrap_err().to_string();
    assert!(error.contains("entity"), "{error}");
}

#[test]
fn it_is_documented_and_counted() {
    let options = options();
    let toy = options.registry.by_name("toy").unwrap();
    let page = document(toy, Some("move"));
    assert_eq!(page["tables"][0]["messages"][0]["message"], "move");
    assert_eq!(page["tables"][0]["messages"][0]["fields"][2]["unit"], "cm");
    let mut stats = Stats::new(&options, Wanted { rows: false, fields: true });
    dissect(capture(&SAID), &options, &mut stats);
    assert_eq!((stats.messages, stats.bytes, stats.faults), (3, 16, 1));
    assert!(stats.sums().starts_with("toy, 3 messages, 16 bytes"), "{}", stats.sums());
}
