//! Writes trees and values as JSON text, for rendering, filters and encoding. All functions append.

pub(crate) mod fields;
pub(crate) mod line;
pub(crate) mod numbers;
pub(crate) mod text;
pub(crate) mod value;

pub use fields::{derived_json, fields_json};

/// Returns the appended bytes as text.
#[cfg(test)]
fn written(write: impl Fn(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}
