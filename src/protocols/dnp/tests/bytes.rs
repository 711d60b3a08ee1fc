//! Bytes to fields and back: tables, vectors, samples. Cut and flipped messages: `tests/damage.rs`.

use super::super::layout::{INDEX, LAYOUTS, LINK_ID, UPDATE_LAYOUT};
use super::super::values::TYPES;
use super::*;
use crate::codec::layout::Field;
use crate::codec::{Context, Recalled, Sampler, Scope, check};
use crate::dissect::Role;

fn vectors() -> Vec<Json> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/dnp/vectors.json");
    let text = std::fs::read(path).expect("the vectors");
    serde_json::from_slice(&text).expect("a list of vectors")
}

#[test]
fn tables_are_closed() {
    for layout in &LAYOUTS {
        check::check(layout.fields).expect(layout.name);
    }
    assert!(
        LAYOUTS
            .iter()
            .enumerate()
            .all(|(code, l)| code == 12 || super::super::layout::by_command(Some(code as u8)).name == l.name)
    );
    assert!(TYPES.iter().enumerate().all(|(k, (number, _))| k as u64 == *number));
}

#[test]
fn vectors_decode_and_come_back() {
    let vectors = vectors();
    assert_eq!(vectors.len(), 298);
    for vector in &vectors {
        let (id, options) = (vector["id"].as_str().unwrap_or(""), options_of(&vector["args"]));
        let bytes = hex::decode(vector["hex"].as_str().unwrap_or("")).expect("hex");
        let expected = vector["expect"].as_array().expect("a list");
        let sent = dump(&bytes, &options);
        assert_eq!(sent.is_some() as usize, expected.len(), "{id}");
        let (Some(sent), Some(expected)) = (sent, expected.first()) else { continue };
        assert_eq!(sent.message, expected["message"], "{id}");
        assert_eq!(sent.from.name(), expected["from"], "{id}");
        assert_eq!(sent.fields, expected["fields"], "{id}");
        assert_eq!(sent.derived.as_ref(), expected.get("derived"), "{id}");
        assert_eq!(sent.fault.is_some(), expected.get("fault").is_some(), "{id}");
        assert_eq!(sent.encoded(&options).as_deref(), Ok(&bytes[..]), "{id}");
    }
}

/// Gives every link types: any type, by link id and index.
struct Everything(u64);

impl Context for Everything {
    fn setting(&self, name: &str) -> u64 {
        if name == UPDATE_LAYOUT { self.0 } else { 0 }
    }

    fn recall(&mut self, _field: &'static Field, scope: &Scope) -> Recalled {
        let (id, index) = (scope.of(&LINK_ID).unwrap_or(0), scope.of(&INDEX).unwrap_or(0));
        Recalled::Value((id * 7 + index) % TYPES.len() as u64)
    }
}

#[test]
fn samples_come_back() {
    for specification in [0, 1] {
        for layout in &LAYOUTS {
            let mut samples = 0;
            for seed in 0..20_000 {
                let mut all = Everything(specification);
                // A sample with a type that does not exist is left out.
                let Ok(bytes) = Sampler::new(seed).context(&mut all).sample(layout.fields) else { continue };
                samples += 1;
                if samples > 2000 {
                    break;
                }
                let mut dissection = crate::dissect::Dissection::default();
                let outcome =
                    crate::codec::Reader::new(&bytes, &mut dissection.tree).context(&mut all).read(layout.fields);
                assert_eq!((outcome.bits as usize, outcome.stop), (bytes.len() * 8, None), "{}", layout.name);
                let mut text = Vec::new();
                crate::codec::json::fields_json(&dissection.tree, dissection.sources(&bytes), &mut text);
                let fields: Json = serde_json::from_slice(&text).expect("JSON");
                text.clear();
                let derived = crate::codec::json::derived_json(
                    &dissection.tree,
                    &dissection.derived,
                    dissection.sources(&bytes),
                    &mut text,
                );
                let derived: Option<Json> = derived.then(|| serde_json::from_slice(&text).expect("JSON"));
                let (message, from) = (layout.name, Role::Unknown);
                let line = Line {
                    message,
                    proto: "dnp",
                    version: None,
                    from,
                    flow: 0,
                    fields: &fields,
                    derived: derived.as_ref(),
                    packet: None,
                    part: None,
                    broken: false,
                };
                let options = if specification == 1 { set(&["dnp.link_update=specification"]) } else { set(&[]) };
                let again = DNP.encoder(&options).encode(&line);
                assert_eq!(again.as_deref(), Ok(&bytes[..]), "{} {fields}", layout.name);
            }
            assert!(samples > 2000, "{}: {samples}", layout.name);
        }
    }
}

#[test]
fn the_encoder_remembers_types() {
    let mut encoder = DNP.encoder(&set(&["dnp.types=9:string"]));
    let mut encode = |message: &str, flow: u64, fields: Json| {
        let line = Line {
            message,
            proto: "dnp",
            version: None,
            from: Role::Unknown,
            flow,
            fields: &fields,
            derived: None,
            packet: None,
            part: None,
            broken: false,
        };
        encoder.encode(&line).map(hex::encode).map_err(|e| e.to_string())
    };
    let state = serde_json::json!({"number": 0, "link_id": 4, "flags": [], "message": "",
        "values": [{"type": "uint16", "value": 1}, {"type": "vector2_f16", "value": [1.0, 2.0]}]});
    encode("link_state", 1, state).expect("a link_state");
    let update = |id: u16, value: Json| serde_json::json!({"links": [{"link_id": id, "values": [value]}]});
    let value = serde_json::json!({"index": 1, "value": [1.0, 2.0]});
    assert_eq!(encode("link_update", 1, update(4, value.clone())), Ok("09010400010100003c0040".into()));
    let error = encode("link_update", 2, update(4, value)).expect_err("another conversation's link");
    assert!(error.starts_with("links[0].values[0].type"), "{error}");
    let value = serde_json::json!({"index": 0, "value": "ok"});
    assert_eq!(encode("link_update", 2, update(9, value)), Ok("0901090001000002006f6b".into()));
    let error = encode("link_updat", 1, serde_json::json!({})).expect_err("no such message");
    assert!(error.contains("link_update"), "{error}");
}

#[test]
fn counts_are_written_as_given() {
    let fields = serde_json::json!({"protocol_count": 7, "protocols": [0]});
    let sent = Row { proto: "dnp", message: "connection_request", fields, ..Row::default() };
    assert_eq!(sent.encoded(&set(&[])), Ok(vec![0, 7, 0, 0, 0]));
}

#[test]
fn settings_are_checked() {
    let mut options = crate::protocols::options();
    for good in ["dnp.types=none", "dnp.types=0:uint8;65535:string,data", "dnp.resend=2s", "dnp.link_update=wire"] {
        assert_eq!(options.set(good), Ok(()), "{good}");
    }
    for bad in [
        "dnp.types=0:int8",
        "dnp.types=65536:uint8",
        "dnp.types=0",
        "dnp.resend=-1",
        "dnp.resend=nan",
        "dnp.link_update=spec",
    ] {
        assert!(options.set(bad).is_err(), "{bad}");
    }
}
