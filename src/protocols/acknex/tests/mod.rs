//! Tests of the whole protocol: tables, vectors, captures, broken bytes.

mod broken;
mod captures;
mod conversations;
mod tables;
mod vectors;

use super::ACKNEX;
use crate::dissect::{Dissector, Encoder, Options};
use crate::protocols::tests::{Row, dump};
use serde_json::Value as Json;

fn dumped(bytes: &[u8], options: &Options) -> Vec<Row> {
    dump(&ACKNEX, bytes, options)
}

fn encoder() -> Box<dyn Encoder> {
    ACKNEX.encoder(&crate::protocols::options())
}

/// Whether two values are equal, apart from the last digit of floats.
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

/// Compares a row with an expected line.
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
