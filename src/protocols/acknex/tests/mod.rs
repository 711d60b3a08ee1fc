//! Tests of the whole: tables, vectors, captures, and what broken bytes do.

mod broken;
mod captures;
mod conversations;
mod tables;
mod vectors;

use super::ACKNEX;
use crate::codec::Fault;
use crate::codec::json::{derived_json, fields_json};
use crate::dissect::inspector::dump;
use crate::dissect::{Dissection, Dissector, Encoder, Line, Message, Options, Role, Sink};
use serde_json::Value as Json;

/// One message, as the output would have it.
#[derive(Debug)]
struct Row {
    frame: u64,
    message: &'static str,
    version: Option<&'static str>,
    from: Role,
    fields: Json,
    derived: Option<Json>,
    notes: Vec<(&'static str, String)>,
    fault: Option<Fault>,
    bytes: Vec<u8>,
    length: usize,
}

impl Row {
    fn has_note(&self, code: &str) -> bool {
        self.notes.iter().any(|(c, _)| *c == code)
    }

    /// Encodes the row as if it had been printed, and compares the bytes.
    fn check_round_trip(&self, encoder: &mut dyn Encoder) {
        let line = Line {
            message: self.message,
            proto: "acknex",
            version: self.version,
            from: self.from,
            flow: 0,
            fields: &self.fields,
            derived: self.derived.as_ref(),
            broken: self.fault.is_some(),
        };
        let encoded = encoder.encode(&line).map(hex::encode);
        assert_eq!(encoded, Ok(hex::encode(&self.bytes)), "{self:?}");
    }

    /// A fault lies within its message.
    fn check_fault(&self) {
        if let Some(fault) = &self.fault {
            assert!(fault.bit as usize <= self.bytes.len() * 8, "{self:?}");
            assert!(fault.have <= self.length as u64 * 8, "{self:?}");
            assert!(fault.path.starts_with("acknex."), "{self:?}");
        }
    }
}

/// Keeps all messages.
#[derive(Default)]
struct Rows(Vec<Row>);

impl Sink for Rows {
    fn message(&mut self, message: &Message<'_>) {
        let (dissection, place) = (message.dissection, message.place);
        for (note, _) in dissection.notes.iter() {
            let listed = ACKNEX.notes().iter().find(|doc| doc.code == note.code).expect(note.code);
            assert_eq!(listed.level, note.level.name(), "{}", note.code);
        }
        let json = |bytes: &[u8]| serde_json::from_slice(bytes).expect("JSON");
        let (mut fields, mut derived) = (Vec::new(), Vec::new());
        fields_json(&dissection.tree, message.sources(), &mut fields);
        let has_derived = derived_json(&dissection.tree, &dissection.derived, message.sources(), &mut derived);
        self.0.push(Row {
            frame: place.frame,
            message: dissection.message,
            version: dissection.version,
            from: dissection.from,
            fields: json(&fields),
            derived: has_derived.then(|| json(&derived)),
            notes: dissection.notes.iter().map(|(note, text)| (note.code, text.to_owned())).collect(),
            fault: dissection.fault.clone(),
            bytes: place.bytes.to_vec(),
            length: place.length,
        });
    }
}

/// Options as the command line has them.
fn options(args: &[&str]) -> Options {
    let mut options = crate::protocols::options();
    for pair in args.chunks(2) {
        match pair {
            ["--from", role] => options.from = Role::by_name(role),
            ["-s", setting] => options.set(setting).expect("a setting"),
            ["--server", server] => options.server = Some(server.parse().expect("a server")),
            ["-p", name] => options.proto = Some((*name).into()),
            _ => panic!("{pair:?}"),
        }
    }
    options
}

fn dumped(bytes: &[u8], options: &Options) -> Vec<Row> {
    let mut rows = Rows::default();
    dump(&ACKNEX, bytes, options, &mut Dissection::default(), &mut rows);
    rows.0
}

fn encoder() -> Box<dyn Encoder> {
    ACKNEX.encoder(&crate::protocols::options())
}

/// The same, but for floats in the last digit of their text.
fn same(want: &Json, got: &Json) -> bool {
    match (want, got) {
        (Json::Number(a), Json::Number(b)) => a == b || a.as_f64() == b.as_f64() && a.is_f64() == b.is_f64(),
        (Json::Array(a), Json::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => want == got,
    }
}

/// Holds a row against an expected line.
fn check_line(name: &str, want: &Json, got: &Row) {
    let text = |key: &str| want.get(key).and_then(Json::as_str);
    assert_eq!(text("message"), Some(got.message), "{name}: {got:?}");
    if let Some(version) = text("version") {
        assert_eq!(Some(version), got.version, "{name}: {got:?}");
    }
    if let Some(from) = text("from") {
        assert_eq!(from, got.from.name(), "{name}: {got:?}");
    }
    if let Some(frame) = want.get("frame").and_then(Json::as_u64) {
        assert_eq!(frame, got.frame, "{name}: {got:?}");
    }
    assert!(same(&want["fields"], &got.fields), "{name}: expected {}, got {got:?}", want["fields"]);
    for (key, value) in want.get("derived").and_then(Json::as_object).into_iter().flatten() {
        let derived = got.derived.as_ref().and_then(|d| d.get(key));
        assert!(derived.is_some_and(|d| same(value, d)), "{name}: {key}: {got:?}");
    }
    assert_eq!(want.get("fault").is_some(), got.fault.is_some(), "{name}: {got:?}");
}
