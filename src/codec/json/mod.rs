//! Trees and values as JSON text, for rendering, filters and encoding. All functions append.

pub mod fields;
pub mod numbers;
pub mod text;
pub mod value;

pub use fields::{derived_json, fields_json};

/// The appended bytes, as text.
#[cfg(test)]
fn written(write: impl Fn(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).unwrap()
}
