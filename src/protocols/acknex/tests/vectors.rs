//! The vectors: computed from the tables by another encoder, read by two other decoders.

use super::{check_line, dumped, encoder};
use crate::dissect::Options;
use crate::protocols::tests::{options, options_of};
use serde_json::Value as Json;

/// One vector.
pub struct Vector {
    pub id: String,
    pub bytes: Vec<u8>,
    pub options: Options,
    pub expected: Vec<Json>,
}

/// All vectors.
pub fn vectors() -> Vec<Vector> {
    let text = std::fs::read_to_string("fixtures/acknex/vectors.json").expect("the vectors");
    let all: Vec<Json> = serde_json::from_str(&text).expect("JSON");
    let one = |v: &Json| {
        let hex: String = v["hex"].as_str().expect("hex").split_whitespace().collect();
        Vector {
            id: v["id"].as_str().expect("text").to_owned(),
            bytes: hex::decode(hex).expect("hex"),
            options: options_of(&v["args"]),
            expected: v["expect"].as_array().expect("a list").clone(),
        }
    };
    all.iter().map(one).collect()
}

#[test]
fn vectors_decode_as_expected_and_encode_to_their_bytes() {
    let vectors = vectors();
    assert!(vectors.len() > 160);
    for Vector { id, bytes, options, expected } in vectors {
        let rows = dumped(&bytes, &options);
        assert_eq!(rows.len(), expected.len(), "{id}: {rows:?}");
        for (want, got) in expected.iter().zip(&rows) {
            check_line(&id, want, got);
            got.check(&mut *encoder());
        }
        let all: Vec<u8> = rows.iter().flat_map(|row| row.bytes.iter().copied()).collect();
        assert_eq!(all, bytes, "{id}: every byte belongs to one line");
    }
}

/// The specification's own example: its text gives 180 degrees, its byte order 0.703.
#[test]
fn the_specifications_example_with_its_other_reading() {
    let bytes = hex::decode("8307008000000001008001008000").expect("hex");
    let rows = dumped(&bytes, &options(&[]));
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.message, row.from.name()), ("update2", "server"));
    let expected = serde_json::json!({"entity": 7, "position": [1.0, 2.0, 3.0], "pan": 180.0});
    assert_eq!(row.fields, expected);
    let (code, text) = &row.notes[0];
    assert_eq!((*code, text.as_str()), ("acknex.angle_other_reading", "read low byte first: pan 0.703"));
}
