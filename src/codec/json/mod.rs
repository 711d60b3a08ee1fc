//! Writes trees and values as JSON text, for rendering, filters and encoding, and reads such text. All functions that
//! write append.

pub(crate) mod fields;
pub(crate) mod line;
pub(crate) mod numbers;
pub(crate) mod text;
pub(crate) mod value;

pub use fields::{derived_json, fields_json};

use serde_json::Value as Json;

/// Parses one JSON value, of any depth.
///
/// # Errors
/// The syntax error.
pub fn parsed(text: &[u8]) -> serde_json::Result<Json> {
    let mut reader = serde_json::Deserializer::from_slice(text);
    reader.disable_recursion_limit();
    let mut values = reader.into_iter();
    match (values.next(), values.next()) {
        (Some(value), None) => value,
        (_, Some(Err(error))) => Err(error),
        // No value, or more than one: this returns the library's own error.
        _ => serde_json::from_slice(text),
    }
}

/// Returns the value that `write` writes as text; null if it writes none.
pub(crate) fn value_of(write: impl FnOnce(&mut Vec<u8>)) -> Json {
    let mut text = Vec::new();
    write(&mut text);
    parsed(&text).unwrap_or(Json::Null)
}

/// Returns the appended bytes as text.
#[cfg(test)]
fn written(write: impl Fn(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}
