//! What a message looks like: trees for people, JSON for programs. Consumers of the codec's
//! [`Tree`](crate::codec::Tree), and nothing in them knows any protocol.

pub mod envelope;
#[cfg(test)]
mod fixture;
pub mod json_fields;
pub mod json_text;
pub mod json_value;
pub mod ndjson;

pub use json_fields::{derived_json, fields_json};
pub use ndjson::Ndjson;
